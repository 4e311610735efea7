// SPDX-License-Identifier: Apache-2.0
// Gives random executions what one model looks at and the others do not: address spaces, kinds of
// allocation, sequentially consistent atomics and work-item scopes; stale loads for Vulkan's
// models. Knows which of it usually goes together, and leaves every verdict to others.
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

// Sequentially consistent atomics that now and then read what is older: whether any total order
// gives such an execution hangs on all of them.
static void choose_sequence(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	const uint32_t count = (uint32_t)sample->execution.event_count;
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_litmus_event *event = &sample->events[i];
		if (event->atomic && vkr_random_percent(random, 90))
			event->order = VKR_LITMUS_SEQ_CST;
		if (event->operation == VKR_LITMUS_LOAD && vkr_random_percent(random, 30))
			event->from = vkr_random_percent(random, 50)
					      ? VKR_LITMUS_NONE
					      : vkr_random_below(random, count);
		vkr_sample_normalize(sample, event);
	}
}

// The latest write before `end` to some of the bytes that the event accesses.
static uint32_t latest_write(const struct vkr_oracle_sample *sample,
			     const struct vkr_litmus_event *event, uint32_t end)
{
	while (end-- > 0) {
		const struct vkr_litmus_event *write = &sample->events[end];
		if (vkr_sample_writes(write) &&
		    sample->references[write->reference].location ==
			    sample->references[event->reference].location &&
		    write->offset < event->offset + event->size &&
		    event->offset < write->offset + write->size)
			return end;
	}
	return VKR_LITMUS_NONE;
}

// Loads that now and then take an older value: what a candidate execution of Vulkan's models may do
// only where nothing orders the newer one before them.
static void make_stale(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		struct vkr_litmus_event *event = &sample->events[i];
		if (event->operation == VKR_LITMUS_LOAD && event->from != VKR_LITMUS_NONE &&
		    vkr_random_percent(random, 50))
			event->from = latest_write(sample, event, event->from);
	}
}

// A cycle of two atomics each, which only sequential consistency forbids: every agent stores to one
// location and loads from the next one what was there before.
static void make_cycle(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	const uint32_t agents = (uint32_t)sample->execution.agent_count;
	const uint32_t locations = (uint32_t)sample->execution.location_count;
	const enum vkr_litmus_scope scope =
		vkr_random_percent(random, 50) ? VKR_LITMUS_CROSS_DEVICE : VKR_LITMUS_DEVICE;
	const bool first = vkr_random_percent(random, 50); // the stores of all, then the loads
	const uint32_t begin = (uint32_t)sample->execution.event_count;
	for (uint32_t i = 0; i < 2 * agents; i++) {
		const uint32_t agent = first ? i % agents : i / 2;
		const bool store = first ? i < agents : i % 2 == 0;
		struct vkr_litmus_event *event = vkr_sample_add_event(
			sample, agent, store ? VKR_LITMUS_STORE : VKR_LITMUS_LOAD);
		if (!event)
			return;
		event->reference = (agent + !store) % locations;
		event->offset = 0;
		event->size = sample->locations[event->reference].size;
		event->atomic = true;
		event->order =
			vkr_random_percent(random, 90) ? VKR_LITMUS_SEQ_CST : VKR_LITMUS_ACQ_REL;
		event->scope = scope;
		event->storage_class = VKR_LITMUS_UNIFORM;
		if (!store)
			event->from = latest_write(sample, event, begin);
		vkr_sample_normalize(sample, event);
	}
}

void vkr_generate_for(struct vkr_oracle_sample *sample, enum vkr_memory_model model, uint64_t seed)
{
	struct vkr_random random = {seed ^ UINT64_C(0x68726600)};
	vkr_generate(sample, seed);
	if (!vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = model})) {
		if (vkr_random_percent(&random, 15))
			make_stale(sample, &random);
		return;
	}
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
	if (vkr_random_percent(&random, 15))
		choose_sequence(sample, &random);
	if (sample->execution.agent_edge_count == 0 && vkr_random_percent(&random, 10))
		make_cycle(sample, &random);
	vkr_generate_order(sample);
}
