// SPDX-License-Identifier: Apache-2.0
// Which part of an execution's log is judged next.
#pragma once

#include "model_state.h"

// Gathers the part of the log that is to be judged next. Sets walk->waiting if it has not arrived.
// If there is no log at all, gathers nothing, as the last part.
enum vkr_result vkr_walk_gather(struct vkr_walk *walk) VKR_MUST_USE;
// Gathers the last part again, together with what follows it.
void vkr_walk_gather_on(struct vkr_walk *walk);
enum vkr_result vkr_walk_gathered_judged(struct vkr_walk *walk) VKR_MUST_USE;
