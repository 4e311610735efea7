// SPDX-License-Identifier: Apache-2.0
// The safety net below synchronization that is not modelled. Knows timelines; not what it was that
// orders them.
#pragma once

#include "vkrace/result.h"

#include <stdint.h>

struct vkr_model;

// Everything earlier on a queue's timeline is taken as ordered before everything later, and
// available and visible to it. `tag` names the command that may order.
enum vkr_result vkr_assume_ordered_here(struct vkr_model *model, uint32_t timeline, uint64_t tag,
					struct vkr_error *error) VKR_MUST_USE;

// Takes everything that was judged on any timeline as ordered before what comes later on this one.
enum vkr_result vkr_assume_all_ordered(struct vkr_model *model, uint32_t timeline,
				       struct vkr_error *error) VKR_MUST_USE;
