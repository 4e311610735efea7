// SPDX-License-Identifier: Apache-2.0
// Possible races: with accesses of which it is unknown whether they are made. Knows why it is
// unknown, and which pairs race for certain; not how races are found.
#pragma once

#include "engine.h"
#include "map.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>

struct vkr_model;
struct vkr_race_doubt;

struct vkr_race_doubts {
	struct {
		struct vkr_race_doubt *items;
		size_t count, capacity;
	} items;
	struct vkr_map certain; // kept texts of pairs that race for sure
};

void vkr_race_doubts_finish(struct vkr_race_doubts *doubts);

// A race with an access that may be made, by what the other one is; and one without. False for lack
// of memory.
bool vkr_race_doubts_add(struct vkr_model *model, const struct vkr_engine_race *race,
			 const char *operation);
bool vkr_race_doubts_certain(struct vkr_model *model, const struct vkr_engine_race *race);

// No more will come: coverage says which races there may be, but between commands that race for
// sure in the same object.
enum vkr_result vkr_race_doubts_end(struct vkr_model *model, struct vkr_error *error) VKR_MUST_USE;
