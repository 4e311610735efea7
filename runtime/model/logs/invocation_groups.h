// SPDX-License-Identifier: Apache-2.0
// Invocations of stages without a grid of workgroups, as the engine numbers them: groups of
// neighbours stand for workgroups. Knows how invocations identify themselves (enum vkr_identity);
// not what they do.
//
// What the invocations of a group have in common identifies the group, so a program that draws the
// same every frame does not make the list longer: fragments of one part of a row, vertices of one
// interval of indices. Invocations with equal identities are in one group, with different local
// indices; but if their workgroups have numbers (VKR_IDENTITY_NUMBER), each workgroup has its own
// group.
#pragma once

#include "text.h"

#include "vkrace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The most words of an identity, padding included.
#define VKR_IDENTITY_WORDS_MOST 16u

// Local indices in a group are less than this (vkr_engine_dispatch_begin).
#define VKR_GROUP_BITS_MOST 16u

struct vkr_invocation_group {
	uint32_t stage, identity;
	uint32_t tag;        // of the shader, where a pipeline may have several of the stage
	uint32_t slot_bits;  // invocations that differ in what they say: 2^slot_bits
	uint32_t word_count; // of an identity
	uint32_t more; // of invocations that say the same: as many groups are full, or others'
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
};

// Neighbouring rows of fragments, most often.
#define VKR_GROUPS_RECENT 16u

struct vkr_invocation_groups {
	struct vkr_invocation_group *items;
	size_t count, capacity;
	uint32_t *slots; // hash table of 1 + index
	size_t slot_count;
	uint32_t recent[VKR_GROUPS_RECENT]; // 1 + index of those that were found last
};

void vkr_invocation_groups_finish(struct vkr_invocation_groups *groups);

// Fragments of one group: as a power of two.
#define VKR_GROUP_ROW_BITS 10u

// The group of an invocation with this identity, as logged; its place among those that differ in
// *slot. `slot_bits` is the same for all invocations of one shader. UINT32_MAX for lack of memory.
uint32_t vkr_invocation_group(struct vkr_invocation_groups *groups,
			      const struct vkr_invocation_group *like, const uint32_t *words,
			      uint32_t *slot);

// The number of an invocation's workgroup; 0 where it has none.
uint32_t vkr_invocation_number(uint32_t identity, const uint32_t *words);

// The identity that a local index of the group stands for.
void vkr_invocation_identity(const struct vkr_invocation_group *group, uint32_t local,
			     uint32_t words[VKR_IDENTITY_WORDS_MOST]);

// The words of one bit among those of an identity; NULL if it was not logged.
const uint32_t *vkr_invocation_told(uint32_t identity, const uint32_t *words,
				    enum vkr_identity bit);

// "closest hit": the one VkShaderStageFlagBits in words; "shader" where it is not known.
const char *vkr_stage_name(uint32_t stage);

// "fragment (12, 7)", "vertex 3 instance 0".
void vkr_invocation_words(const struct vkr_invocation_group *group, uint32_t local,
			  struct vkr_text *text);
