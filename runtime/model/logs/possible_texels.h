// SPDX-License-Identifier: Apache-2.0
// Samples that may read other texels than those that every implementation reads
// (texel_footprint.h): any of their view's. Knows which views a command's shaders sampled so; not
// which samples those were.
#pragma once

#include "dispatch_targets.h"
#include "map.h"

struct vkr_possible_view {
	const struct vkr_bound_texels *bound; // to an element of the access's variable
	struct vkr_program_access *access;    // the first such sample's
};

// Where the possible reads of a view in one stage were last judged.
struct vkr_possible_place {
	uint32_t timeline;
	uint64_t changes; // vkr_engine_changes
};

// Zeroed before the first use.
struct vkr_possible_texels {
	struct {
		struct vkr_possible_view *items;
		size_t count, capacity;
	} views; // of the log that is being replayed
	struct {
		struct vkr_possible_place *items;
		size_t count, capacity;
	} places;
	struct vkr_map place_of; // view and stage -> 1 + index in places
};

// False for lack of memory.
bool vkr_possible_texels_note(struct vkr_possible_texels *possible, struct vkr_bound_texels *bound,
			      struct vkr_program_access *access);
void vkr_possible_texels_finish(struct vkr_possible_texels *possible);
