// SPDX-License-Identifier: Apache-2.0
// What was not observed, each reason once with a count. Knows the kinds, not the causes.
#pragma once

#include "texts.h"

#include "vkrace/report.h"
#include "vkrace/trace.h"

struct vkr_coverage {
	struct vkr_texts *texts; // borrowed
	struct vkr_coverage_report *items;
	size_t count, capacity;
	struct vkr_map places; // kind and text -> 1 + index in items
};

void vkr_coverage_init(struct vkr_coverage *coverage, struct vkr_texts *texts);
void vkr_coverage_finish(struct vkr_coverage *coverage);

// One more of it. False for lack of memory.
bool vkr_coverage_add(struct vkr_coverage *coverage, enum vkr_trace_coverage_kind kind,
		      uint64_t amount, const char *text, size_t length);

// Room for one vkr_coverage_add_last(), also after all vkr_coverage_add(). False for lack of
// memory.
bool vkr_coverage_reserve(struct vkr_coverage *coverage);

// The last thing that is said, once. Needs no memory, but for a text that has to be kept.
void vkr_coverage_add_last(struct vkr_coverage *coverage, enum vkr_trace_coverage_kind kind,
			   uint64_t amount, const char *text);
