// SPDX-License-Identifier: Apache-2.0
// Numbers the invocations of one shader of a draw: groups stand for workgroups. Knows how
// invocations identify themselves; not what they do.
#pragma once

#include "command_walk.h"
#include "draw_logs.h"

// Invocations that a group has at least room for, as a power of two.
#define VKR_DRAW_SLOT_BITS 6u

// One shader of the draw.
struct vkr_draw_sorting {
	struct vkr_walk *walk;
	struct vkr_draw_logs *logs;
	struct vkr_draw_numbers *numbers; // the logs', or of a draw that is over
	struct vkr_invocation_groups *groups;
	struct vkr_invocation_group like; // what all its groups have in common
	uint32_t shader;                  // as its chunks name it
	struct vkr_program *program;
};

struct vkr_draw_sorting vkr_draw_sorting(struct vkr_walk *walk, const struct vkr_shader *shader,
					 struct vkr_program *program);

// Numbers begin: no invocation has one.
void vkr_draw_numbers_begin(struct vkr_draw_numbers *numbers);
void vkr_draw_numbers_finish(struct vkr_draw_numbers *numbers);

// Numbers an invocation: its group, and in it a local index of its own, or that of the last one
// that said the same, which it goes on from. False for lack of memory.
bool vkr_draw_number(struct vkr_draw_sorting *sorting, struct vkr_draw_invocation *invocation,
		     const uint32_t *identity, bool goes_on);

// Numbers all of the shader's invocations. What makes no sense is left out, and counted. False for
// lack of memory.
bool vkr_draw_number_all(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			 uint64_t *damaged);
