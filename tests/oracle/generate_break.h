// SPDX-License-Identifier: Apache-2.0
// Changing one thing about an execution, and making the result one that can have taken place.
// Knows the litmus format; leaves every verdict to others.
#pragma once

#include "random.h"
#include "sample.h"

// Changes one attribute of one event, or drops an event or an edge.
void vkr_generate_break(struct vkr_oracle_sample *sample, struct vkr_random *random);

// Makes every read's from= a write that it can have read, and drops after= where that is not
// acyclic.
void vkr_generate_settle(struct vkr_oracle_sample *sample);
// Without the latter.
void vkr_generate_order(struct vkr_oracle_sample *sample);
