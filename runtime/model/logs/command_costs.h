// SPDX-License-Identifier: Apache-2.0
// What judging the accesses of shaders costs, by shader and command. Knows who was judged and a
// clock; nothing of accesses. Nothing that is judged depends on it.
#pragma once

#include "model_objects.h"

#include "vkrace/report.h"

struct vkr_model;

// Zeroed before the first.
struct vkr_costs {
	struct vkr_cost_report *items; // each `shader` is to be freed
	size_t count, capacity;
	bool off; // for lack of memory
};

// Where one judgement began.
struct vkr_cost_start {
	uint64_t accesses, repeated, nanoseconds;
};

// Judging accesses of a shader begins, where costs are asked for.
struct vkr_cost_start vkr_cost_begin(const struct vkr_model *model);

// Judging them has ended: of a command of this name, which lives as long as the model, by a log of
// `log_bytes` bytes.
void vkr_cost_end(struct vkr_model *model, const struct vkr_cost_start *start,
		  const struct vkr_shader *shader, const char *command, uint64_t log_bytes);

// What comes before judging them, or was given up, has ended: it adds to the time alone.
void vkr_cost_add(struct vkr_model *model, const struct vkr_cost_start *start,
		  const struct vkr_shader *shader, const char *command);

void vkr_costs_finish(struct vkr_costs *costs);
