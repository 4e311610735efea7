// SPDX-License-Identifier: Apache-2.0
// Parts of trees, of which the rest is not asked about: cutting them off, copying, comparing and
// replacing them. Knows the form of slots and nothing of what they mean.
#pragma once

#include "slot_translation.h"

// Of a tree's node of a level at `start`, what lies in [low, high) alone: the node's bytes that are
// not inside belong to others.
struct vkr_window {
	unsigned level;
	uint64_t start, low, high;
};

// Splits a slot until no leaf lies across one of the window's ends.
enum vkr_result vkr_window_cut(uint64_t *slot, const struct vkr_window *of,
			       const struct vkr_epochs *epochs, struct vkr_pool *pool,
			       struct vkr_error *error) VKR_MUST_USE;

// These are of slots that were cut so; the copy has nothing outside of the window.
bool vkr_window_is_empty(uint64_t slot, const struct vkr_window *of);
enum vkr_result vkr_window_translate(uint64_t slot, const struct vkr_window *of,
				     const struct vkr_translation *by, struct vkr_pool *pool,
				     uint64_t *made, struct vkr_error *error) VKR_MUST_USE;
bool vkr_window_is_like(uint64_t slot, uint64_t other, const struct vkr_window *of,
			const struct vkr_likeness *by);

// Makes of the window a translation of what a copy of it says. The slot of a whole node that says
// nothing is empty.
enum vkr_result vkr_window_replace(uint64_t *slot, uint64_t copy, const struct vkr_window *of,
				   const struct vkr_translation *by, struct vkr_pool *pool,
				   struct vkr_error *error) VKR_MUST_USE;
