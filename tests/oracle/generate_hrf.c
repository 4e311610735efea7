// SPDX-License-Identifier: Apache-2.0
// Gives random executions what the HRF models look at: address spaces, kinds of allocation,
// sequentially consistent atomics, work-item scopes. Knows which of it usually goes together, and
// leaves every verdict to others.
#include "generate.h"
#include "generate_break.h"
#include "random.h"

static void choose_memory(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	const bool local = vkr_random_percent(random, 40), kinds = vkr_random_percent(random, 35);
	for (size_t i = 0; i < sample->execution.location_count; i++) {
		struct vkr_litmus_location *location = &sample->locations[i];
		location->local = local && vkr_random_percent(random, 50);
		if (kinds && vkr_random_percent(random, 50))
			location->alloc = (enum vkr_litmus_alloc)vkr_random_below(random, 3);
	}
}

static void choose_event(struct vkr_random *random, struct vkr_litmus_event *event, bool spaces,
			 bool equal, enum vkr_litmus_scope scope)
{
	const bool fence = event->operation == VKR_LITMUS_FENCE;
	const bool barrier = event->operation == VKR_LITMUS_BARRIER;
	if ((event->atomic || fence) && event->order != VKR_LITMUS_RELAXED &&
	    vkr_random_percent(random, 20))
		event->order = VKR_LITMUS_SEQ_CST;
	if ((event->atomic || fence) && vkr_random_percent(random, 2))
		event->scope = VKR_LITMUS_INVOCATION;
	else if (equal && (event->atomic || fence || barrier))
		event->scope = scope;
	if (fence || barrier)
		event->spaces = spaces && vkr_random_percent(random, 40)
					? 1 + vkr_random_below(random, 2)
					: VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL;
}

void vkr_generate_for(struct vkr_oracle_sample *sample, enum vkr_memory_model model, uint64_t seed)
{
	struct vkr_random random = {seed ^ UINT64_C(0x68726600)};
	vkr_generate(sample, seed);
	if (!vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = model}))
		return;
	choose_memory(sample, &random);
	const bool spaces = vkr_random_percent(&random, 50);
	// One static scope for all makes them equal where the groups are: what OpenCL asks for.
	const bool equal = vkr_random_percent(&random, model == VKR_MEMORY_HRF_OPENCL ? 60 : 15);
	const enum vkr_litmus_scope scope =
		VKR_LITMUS_SUBGROUP +
		vkr_random_below(&random, VKR_LITMUS_CROSS_DEVICE - VKR_LITMUS_SUBGROUP + 1);
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		choose_event(&random, &sample->events[i], spaces, equal, scope);
		vkr_sample_normalize(sample, &sample->events[i]);
	}
	vkr_generate_settle(sample);
}
