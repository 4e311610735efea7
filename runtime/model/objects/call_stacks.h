// SPDX-License-Identifier: Apache-2.0
// Call stacks of host threads: kept once each as addresses, put into words where a report shows
// one. Knows modules and addresses; names and lines come from who made the model.
#pragma once

#include "model.h"
#include "texts.h"

#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

// One call stack: equal stacks are one pointer. Innermost first.
struct vkr_call_stack {
	uint32_t frame_count;
	uint64_t frames[];
};

// Part of a file in the program's memory.
struct vkr_loaded_module {
	uint64_t first, end; // addresses
	uint64_t bias;       // address minus the file's virtual address
	const char *path, *build_id;
};

struct vkr_call_stacks {
	struct {
		struct vkr_loaded_module *items; // in the order they were seen: the newest counts
		size_t count, capacity;
	} modules;
	struct vkr_map known;  // address -> what a CALL_PLACE says of it
	struct vkr_map coming; // thread -> stack of its next event
	struct vkr_map told;   // stack -> its text
};

void vkr_call_stacks_finish(struct vkr_call_stacks *stacks);

// MODULE.
enum vkr_result vkr_call_stacks_module(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				       const struct vkr_trace_module *module,
				       struct vkr_error *error) VKR_MUST_USE;

// CALL_PLACE: what is said of the address from now on.
enum vkr_result vkr_call_stacks_place(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				      const struct vkr_trace_call_place *place,
				      struct vkr_error *error) VKR_MUST_USE;

// CALL_STACK.
enum vkr_result vkr_call_stacks_coming(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				       uint32_t thread, const struct vkr_trace_call_stack *coming,
				       struct vkr_error *error) VKR_MUST_USE;

// The kept stack; NULL for lack of memory.
const struct vkr_call_stack *vkr_call_stack_keep(struct vkr_texts *texts, const uint64_t *frames,
						 uint32_t count);

// The stack that was recorded for the event of the thread at hand, an empty one where there is
// none; NULL for lack of memory.
const struct vkr_call_stack *vkr_call_stacks_take(struct vkr_call_stacks *stacks,
						  struct vkr_texts *texts, uint32_t thread);

// The thread's event at hand is over.
void vkr_call_stacks_gone(struct vkr_call_stacks *stacks, uint32_t thread);

// A line a call, innermost first, by the modules that are known when it is first asked for. `words`
// may be NULL. NULL for lack of memory.
const char *vkr_call_stack_text(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				const struct vkr_call_stack *stack, vkr_place_words *words,
				void *user);

// The line of one call, "" for address 0; NULL for lack of memory.
const char *vkr_call_place_text(struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				uint64_t address, vkr_place_words *words, void *user);

// "nbody+0x1f20": the address in its module's file; "" where it is in none, NULL for lack of
// memory.
const char *vkr_call_offset_text(const struct vkr_call_stacks *stacks, struct vkr_texts *texts,
				 uint64_t address);
