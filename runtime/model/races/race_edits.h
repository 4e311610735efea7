// SPDX-License-Identifier: Apache-2.0
// The change that would order the two accesses of a race, as data that a trace can be edited by.
// Knows places and masks; not how races are found.
#pragma once

#include "engine.h"

#include "vkrace/report.h"

struct vkr_model;

// What stands for a change in words.
enum vkr_race_remedy {
	VKR_REMEDY_OTHER,      // more than masks and places
	VKR_REMEDY_BARRIER,    // a memory dependency as the places of the two allow
	VKR_REMEDY_TO_HOST,    // a new barrier to HOST after the first access's command
	VKR_REMEDY_MASKS,      // more bits in those of the nearest dependency
	VKR_REMEDY_REGION,     // the nearest dependency for the whole framebuffer
	VKR_REMEDY_WAIT,       // more stages that wait for a semaphore
	VKR_REMEDY_SIGNAL,     // more stages after which one is signaled
	VKR_REMEDY_SEMAPHORE,  // a new one
	VKR_REMEDY_HOST_WAIT,  // the host waits for the first access's submission
	VKR_REMEDY_FLUSH,      // after the first access, the host's
	VKR_REMEDY_INVALIDATE, // before the second access, the host's
};

// What the nearest dependency lacks (enum vkr_engine_shortfall). Accesses are made available and
// visible in the stages that the masks name: with the access, a stage may be lacking that the
// dependency orders without naming it ("Pipeline Stages").
uint32_t vkr_race_lacks(const struct vkr_model *model, const struct vkr_engine_race *race);

// The stages of the first access's side that a srcStageMask lacks, with VKR_SHORT_SOURCE_STAGE.
uint64_t vkr_race_source_stages(const struct vkr_engine_race *race);

// The remedy as data in *edit: NULL where it cannot be written as such. False for lack of memory.
bool vkr_race_edit_make(struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, enum vkr_race_remedy remedy,
			const struct vkr_change **edit);

// Adds where the host writes in another race of those that one flush is to order: often several
// instructions do what a line says, and what the last of them has written is flushed by none of
// those before it. A wait or an invalidation before the first one is before all. False for lack of
// memory.
bool vkr_race_edit_add(struct vkr_model *model, const struct vkr_engine_race *race,
		       const struct vkr_change **edit);
