// SPDX-License-Identifier: Apache-2.0
// What a draw's fragments may do to attachments, by its pipeline and the states in force. Knows
// tests, blending and masks; not where fragments are.
#pragma once

#include "draw_state.h"

// The pipeline as the commands before the draw have it.
struct vkr_draw_pipeline {
	const struct vkr_graphics *graphics; // NULL: not known
	const struct vkr_walk_state *state;
	const struct vkr_shader *fragments; // shader; NULL: none
	bool has_layers; // a shader before it says in which layers primitives are
};
struct vkr_draw_pipeline vkr_draw_pipeline(const struct vkr_walk_state *state);

// Of a fragment that reaches its end: whether it certainly accesses the attachment.
struct vkr_draw_effect {
	bool reads, writes; // whether it may at all
	bool surely_reads, surely_writes;
	// Of fragments that fail tests before they are shaded: whether they may.
	bool unshaded_reads, unshaded_writes;
};

// On the fragment's texel of an attachment.
struct vkr_draw_effect vkr_draw_effect(const struct vkr_draw_pipeline *of,
				       const struct vkr_attachment_use *use);

// Whether there are no fragments, for sure.
bool vkr_draw_discards(const struct vkr_draw_pipeline *of);

// Whether fragment shaders run after the tests, so that they log only fragments that pass these.
bool vkr_draw_tests_early(const struct vkr_draw_pipeline *of);
