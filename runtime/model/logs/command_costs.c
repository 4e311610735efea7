// SPDX-License-Identifier: Apache-2.0
#include "command_costs.h"

#include "array.h"
#include "dispatch_repeats.h"
#include "model_state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t thread_ns(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

struct vkr_cost_start vkr_cost_begin(const struct vkr_model *model)
{
	if (!model->options.costs)
		return (struct vkr_cost_start){0};
	return (struct vkr_cost_start){vkr_engine_accesses(model->engine),
				       vkr_dispatch_repeats_done(model->repeats), thread_ns()};
}

static struct vkr_cost_report *find_cost(struct vkr_costs *costs, const struct vkr_shader *shader,
					 const char *command)
{
	for (size_t at = 0; at < costs->count; at++)
		if (costs->items[at].shader_number == shader->id &&
		    strcmp(costs->items[at].command, command) == 0)
			return &costs->items[at];
	char *title = strdup(vkr_shader_title(shader));
	if (title == NULL || !VKR_ARRAY_RESERVE(costs, 1)) {
		free(title);
		return NULL;
	}
	costs->items[costs->count] = (struct vkr_cost_report){
		.shader = title, .shader_number = shader->id, .command = command};
	return &costs->items[costs->count++];
}

// NULL where no costs are asked for, or for lack of memory.
static struct vkr_cost_report *cost_of(struct vkr_model *model, const struct vkr_shader *shader,
				       const char *command)
{
	struct vkr_costs *costs = &model->costs;
	if (!model->options.costs || costs->off)
		return NULL;
	struct vkr_cost_report *cost = find_cost(costs, shader, command);
	costs->off = cost == NULL;
	return cost;
}

void vkr_cost_add(struct vkr_model *model, const struct vkr_cost_start *start,
		  const struct vkr_shader *shader, const char *command)
{
	struct vkr_cost_report *cost = cost_of(model, shader, command);
	if (cost != NULL)
		cost->nanoseconds += thread_ns() - start->nanoseconds;
}

void vkr_cost_end(struct vkr_model *model, const struct vkr_cost_start *start,
		  const struct vkr_shader *shader, const char *command, uint64_t log_bytes)
{
	struct vkr_cost_report *cost = cost_of(model, shader, command);
	if (cost == NULL)
		return;
	const uint64_t accesses = vkr_engine_accesses(model->engine) - start->accesses;
	cost->times++;
	cost->repeated += vkr_dispatch_repeats_done(model->repeats) - start->repeated;
	cost->accesses += accesses;
	cost->log_bytes += log_bytes;
	cost->unlogged += log_bytes == 0 ? accesses : 0;
	cost->nanoseconds += thread_ns() - start->nanoseconds;
}

void vkr_costs_finish(struct vkr_costs *costs)
{
	for (size_t at = 0; at < costs->count; at++)
		free((char *)(uintptr_t)costs->items[at].shader);
	free(costs->items);
	*costs = (struct vkr_costs){0};
}
