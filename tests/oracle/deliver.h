// SPDX-License-Identifier: Apache-2.0
// Another order of the same execution: events are delivered in any order that happens-before and
// the values read agree with. Knows no verdict.
#pragma once

#include "random.h"
#include "sample.h"

// Picks an order at random: order[i] is the event that comes i-th. The sample's own order has to be
// one in which it can have taken place.
// `coherent`: what accesses common bytes stays in order, be it ordinary.
void vkr_deliver_order(const struct vkr_oracle_sample *sample, bool coherent,
		       struct vkr_random *random, uint32_t order[VKR_SAMPLE_EVENTS]);
