// SPDX-License-Identifier: Apache-2.0
// Render passes that differ from those of a trace in a dependency, or in what they load and store.
// Knows the events that make render passes; not where passes are begun.
#pragma once

#include "map.h"

#include "vkrace/change.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_pass_edits {
	struct vkr_map passes; // id -> the event that made it, owned
	uint32_t made;         // those that are not the trace's
	struct {
		uint64_t *items;
		size_t count, capacity; // words of 8 bytes
	} events;                       // RENDER_PASS events that are to come before the next one
};

void vkr_pass_edits_finish(struct vkr_pass_edits *edits);

// Keeps a RENDER_PASS event. False for lack of memory.
bool vkr_pass_edits_keep(struct vkr_pass_edits *edits, const struct vkr_trace_event *event);

// How many subpasses the pass has; 0: it was never made.
uint32_t vkr_pass_edits_subpasses(const struct vkr_pass_edits *edits, uint32_t pass);

// A pass as the trace has it, or NULL: it was never made.
const struct vkr_trace_render_pass *vkr_pass_edits_find(const struct vkr_pass_edits *edits,
							uint32_t pass);

// Each makes another pass of one, in *pass. False for lack of memory; one that was never made stays
// as it is.
bool vkr_pass_edits_dependency(struct vkr_pass_edits *edits, const struct vkr_change *change,
			       uint32_t *pass);
// One without the dependencies between the change's subpasses; *pass is as before where it has
// none.
bool vkr_pass_edits_remove(struct vkr_pass_edits *edits, const struct vkr_change *change,
			   uint32_t *pass);
// A pass of one subpass that is one of the two halves of another: all attachments are stored by the
// first, and loaded by the second.
bool vkr_pass_edits_half(struct vkr_pass_edits *edits, bool second, uint32_t *pass);
