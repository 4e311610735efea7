// SPDX-License-Identifier: Apache-2.0
// A change to a program's synchronization, as data: what a report proposes for a race, what a user
// writes down, and what a trace is edited by before it is judged again. Knows masks and places; not
// what they order.
#pragma once

#include <stdint.h>

// X(NAME, "name")
#define VKR_CHANGE_KINDS(X)                                                                        \
	X(BARRIER_BEFORE, "barrier before") /* a new vkCmdPipelineBarrier before the command */    \
	X(BARRIER_AFTER, "barrier after")   /* after it */                                         \
	X(MASKS, "masks")                   /* more bits in those of the command: a barrier */     \
	X(REMOVE, "remove") /* the command, a barrier, but for its transitions and transfers */

enum vkr_change_kind {
#define VKR_CHANGE_KIND(name, text) VKR_CHANGE_##name,
	VKR_CHANGE_KINDS(VKR_CHANGE_KIND)
#undef VKR_CHANGE_KIND
};

// The command that is meant: every one that the program records at one call under the same labels,
// whatever numbers these hold ("frame 12"). Where calls are not known, it is meant by its number in
// command buffers of one name.
struct vkr_change_place {
	const char *call;           // module and offset, "nbody+0x1f20"; "": not known
	const char *labels;         // debug labels around it, outermost first, joined with " / "
	const char *command_buffer; // its name
	uint32_t command;           // from 1
	const char *name;           // "vkCmdDispatch", for people
	const char *recorded;       // a line a call, innermost first, for people
};

// VkPipelineStageFlags2, VkAccessFlags2.
struct vkr_change_masks {
	uint64_t source_stages, source_access, destination_stages, destination_access;
};

// All texts are borrowed and never NULL. A barrier is a VkMemoryBarrier2 with these masks; where
// its place is within a render pass, it stands before the pass begins or after it ends.
struct vkr_change {
	enum vkr_change_kind kind;
	struct vkr_change_place place;
	struct vkr_change_masks masks;
	struct vkr_change_masks legacy; // the narrowest that a program of Vulkan 1.0 can write
};
