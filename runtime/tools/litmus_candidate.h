// SPDX-License-Identifier: Apache-2.0
// Whether a litmus execution is one that a memory model lets happen: a candidate execution of the
// HRF models (figure 9, section IV), an acyclic or coherent one of Vulkan's. Knows the rules on
// orders; nothing of races.
#pragma once

#include "litmus.h"
#include "litmus_sort.h"
#include "order.h"

// What the judge knows of an execution: the engine's accesses by event, and the place of each in
// the coherent (modification) order.
struct vkr_litmus_orders {
	const struct vkr_litmus *execution;
	const struct vkr_memory_rules *rules;
	const struct vkr_order *order;
	const struct vkr_order_access *accesses;
	const struct vkr_litmus_sort *sort;
};

// *broken: the rule that the execution breaks, static; NULL where it is a candidate.
enum vkr_result vkr_litmus_find_broken(const struct vkr_litmus_orders *orders, const char **broken,
				       struct vkr_error *error) VKR_MUST_USE;
