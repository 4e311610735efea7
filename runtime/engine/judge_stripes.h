// SPDX-License-Identifier: Apache-2.0
// A fast path of judge.c for plain reads and writes of members of structs in an array: rows of
// accesses at a stride, judged against stripes of the page and remembered as such.
#pragma once

#include "judge_fast.h"
#include "shadow_stripes.h"

#define VKR_STRIPE_ROWS 4u

// Accesses of some elements of a page, each of the same bytes of its element.
struct vkr_stripe_row {
	struct vkr_page *page;
	uint64_t start; // the page's, in its memory
	struct vkr_stripe_head head;
	uint32_t fields[VKR_STRIPE_ELEMENTS];
};

// Accesses that are to be judged together: an access across an element's or a page's end is in
// several rows.
struct vkr_stripe_rows {
	unsigned stride;
	uint32_t reciprocal; // 2^24 / stride, rounded up
	unsigned count;
	struct vkr_stripe_row items[VKR_STRIPE_ROWS];
};

void vkr_stripe_rows_init(struct vkr_stripe_rows *rows, unsigned stride);

// Whether pages may be judged by stripes of the access.
bool vkr_judge_may_stripe(const struct vkr_fast *fast);

// Whether the page at an offset has stripes.
bool vkr_judge_has_stripes(const struct vkr_fast *fast, uint64_t at);

// The stride of stripes of the page at an offset: of those that it has, else `stride`; 0 where it
// cannot be made stripes.
unsigned vkr_judge_stripe_stride(const struct vkr_fast *fast, uint64_t at, unsigned stride);

// Makes stripes of a page that is split, once a command at most.
enum vkr_result vkr_judge_gather_stripes(struct vkr_fast *fast, uint64_t at, unsigned stride,
					 struct vkr_error *error) VKR_MUST_USE;

// Adds what one invocation accesses, [low, high); false where it is in no row and there is no room
// for another one, or it is not of whole words.
bool vkr_stripe_rows_push(struct vkr_stripe_rows *rows, const struct vkr_access *access,
			  uint32_t local, uint64_t low, uint64_t high);

// Adds what neighbours from `local` on access, `bytes` at each next element, as many as are in the
// page, in one row, but `count` at most: how many.
uint32_t vkr_stripe_rows_push_row(struct vkr_stripe_rows *rows, const struct vkr_access *access,
				  uint32_t local, uint64_t low, unsigned bytes, uint32_t count);

// Judges the rows where that is simple; where not, *judged is false and nothing is remembered.
enum vkr_result vkr_judge_stripes(struct vkr_fast *fast, struct vkr_access *access,
				  struct vkr_stripe_rows *rows, bool *judged,
				  struct vkr_error *error) VKR_MUST_USE;
