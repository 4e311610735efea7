// SPDX-License-Identifier: Apache-2.0
// Which commands could stand between others in happens-before, judging by the values that their
// atomics read and wrote and by dependencies: only these can affect how the others are ordered.
// Knows values and locations; not what atomics order.
#pragma once

#include "linked_logs.h"

// Of one value at one location: commands that have written or read it, newest first.
struct vkr_link_use {
	uint32_t command; // index
	uint32_t next;    // 1 + index of a use; 0: none
};

struct vkr_link_reach {
	struct vkr_map written, read; // hash of location and value -> 1 + index of the newest use
	struct {
		struct vkr_link_use *items;
		size_t count, capacity;
	} uses;
	size_t known; // commands that are in there
};

void vkr_link_reach_finish(struct vkr_link_reach *reach);

// Commands have got other indices.
void vkr_link_reach_forget(struct vkr_link_reach *reach);

// `wanted` has the commands `first` marked, by index. Also marks the commands `second`, those that
// could come after some of `first` and before some of `second`, or the other way round, and those
// that may have written what one of them read. False for lack of memory.
bool vkr_link_reach_find(struct vkr_link_reach *reach, const struct vkr_linked *commands,
			 size_t count, const bool *second, bool *wanted);

// Marks, of the commands `from` and of all that could come before one of them, those whose atomics
// have read values that no known command has written: a command yet to come may have, and so stand
// between. False for lack of memory.
bool vkr_link_reach_unknown(struct vkr_link_reach *reach, const struct vkr_linked *commands,
			    size_t count, const bool *from, bool *unknown);
