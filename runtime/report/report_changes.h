// SPDX-License-Identifier: Apache-2.0
// The changes that a report proposes, united where one would order several races. Knows their masks
// and places, and how they are written in C; not what they order.
#pragma once

#include "arena.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

struct vkr_report_changes {
	struct vkr_change_report *items;
	uint32_t count;
};

// The changes of a report's races, in the order of the first race of each. What is of one kind at
// one place is one change, with the union of the masks. Lives as long as the arena and the report.
enum vkr_result vkr_report_changes_make(const struct vkr_report *report, struct vkr_arena *arena,
					struct vkr_report_changes *changes,
					struct vkr_error *error) VKR_MUST_USE;

// "barrier before"; and back, 0 where the text is none.
const char *vkr_change_kind_text(enum vkr_change_kind kind);
enum vkr_change_kind vkr_change_kind_of(const char *text);

// Which members a change of the kind has beside its place and masks.
bool vkr_change_has_from(enum vkr_change_kind kind);
bool vkr_change_has_subpasses(enum vkr_change_kind kind);

// What to do where: "add before command 2 (vkCmdDispatch), between step() nbody.c:81 and step()
// nbody.c:85". NULL for lack of memory.
const char *vkr_report_change_words(const struct vkr_change_report *change,
				    struct vkr_arena *arena);

// "COMPUTE_SHADER / SHADER_STORAGE_WRITE -> COMPUTE_SHADER / SHADER_STORAGE_READ". NULL for lack of
// memory.
const char *vkr_report_masks_words(const struct vkr_change_masks *masks, struct vkr_arena *arena);

// "checked: 3 of 4 races are gone, none is new"; "" where it was not checked, NULL for lack of
// memory. `race_count`: of the report.
const char *vkr_report_change_proof(const struct vkr_change_report *change, uint32_t race_count,
				    struct vkr_arena *arena);
