// SPDX-License-Identifier: Apache-2.0
// Which races of a report have one cause: one change orders them, or the same words say what orders
// two accesses of the same commands to one object, or barriers in one shader do. Knows what a
// report says; nothing of how races are found.
#pragma once

#include "arena.h"
#include "vkrace/report.h"

struct vkr_report_causes {
	// For each race of the report the index of the first one that has its cause: its own where
	// it is the first.
	const uint32_t *first;
	uint32_t count; // of causes
};

// False for lack of memory. Lives as long as the arena.
bool vkr_report_causes_make(const struct vkr_report *report, struct vkr_arena *arena,
			    struct vkr_report_causes *causes);

// How many further races have the cause of race `index`, which is the first of them.
uint32_t vkr_report_causes_more(const struct vkr_report_causes *causes,
				const struct vkr_report *report, uint32_t index);

// Whether the change is one of those that the races with the cause of race `index` need: several,
// if these are barriers in a shader.
bool vkr_report_causes_has(const struct vkr_report_causes *causes, const struct vkr_report *report,
			   uint32_t index, const struct vkr_change_report *change);

// Whether such a change orders more than those before it, which were tried.
bool vkr_report_causes_needs(const struct vkr_report_causes *causes,
			     const struct vkr_report *report, uint32_t index,
			     const struct vkr_change_report *change);

// The change that orders the race, if it is data; else NULL.
const struct vkr_change_report *vkr_report_change_of(const struct vkr_report *report,
						     const char *id);
