// SPDX-License-Identifier: Apache-2.0
// Writes offsets as sums of multiples of values, as far as possible, so that two offsets can be
// compared. Knows integer arithmetic, not what the offsets are for.
#pragma once

#include "address.h"
#include "same_value.h"

// term_count of a sum of too many terms to compare.
#define VKR_SUM_LONG UINT32_MAX

// Writes `sum` over values that are not sums themselves: each value once, none with factor 0. False
// for lack of memory.
bool vkr_sum_flatten(const struct vkr_address_book *book, const struct vkr_values *values,
		     const struct vkr_sum *sum, struct vkr_sum *affine);

// Whether two spread sums differ by nothing but their constants.
bool vkr_sum_is_near(const struct vkr_values *values, const struct vkr_sum *a,
		     const struct vkr_sum *b);
