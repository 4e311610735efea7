// SPDX-License-Identifier: Apache-2.0
// Properties that hold between memory models on random executions: which races of one are races of
// another, and the equivalence of "HRF-Relaxed" (section 4.3) to the models it relaxes. Knows the
// unrelaxed models' definitions; of the others only what they are claimed to have in common.
#include "generate.h"
#include "generate_agents.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 1500 };

static void judge(const struct vkr_litmus *execution, enum vkr_memory_model model,
		  struct vkr_oracle_races *races)
{
	struct vkr_error error;
	const struct vkr_memory_rules rules = {.model = model};
	assert_int_equal(vkr_oracle_judge(execution, &rules, 0, races, &error), VKR_OK);
}

static bool has_race(const struct vkr_oracle_races *races, const struct vkr_litmus_race *race)
{
	uint32_t covered = 0;
	for (size_t i = 0; i < races->count; i++) {
		const struct vkr_litmus_race *other = &races->items[i];
		if (other->first == race->first && other->second == race->second &&
		    other->offset <= race->offset + covered &&
		    other->offset + other->size > race->offset + covered)
			covered = other->offset + other->size - race->offset;
	}
	return covered >= race->size;
}

// Every race under the first model is one under the second; and sometimes the second has more.
static void check_inclusion(enum vkr_memory_model fewer, enum vkr_memory_model more)
{
	struct vkr_oracle_races few = {0}, many = {0};
	unsigned apart = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		vkr_generate_for(&sample, more, seed);
		judge(&sample.execution, fewer, &few);
		judge(&sample.execution, more, &many);
		for (size_t i = 0; i < few.count; i++)
			assert_true(has_race(&many, &few.items[i]));
		apart += !vkr_oracle_races_equal(&few, &many);
	}
	assert_true(apart > 0);
	vkr_oracle_races_finish(&few);
	vkr_oracle_races_finish(&many);
}

static void transitivity_only_orders(void **state)
{
	(void)state;
	check_inclusion(VKR_MEMORY_HRF_INDIRECT, VKR_MEMORY_HRF_DIRECT);
}

static void inclusion_only_orders(void **state)
{
	(void)state;
	check_inclusion(VKR_MEMORY_HRF_INDIRECT, VKR_MEMORY_HRF_OPENCL);
}

static void the_appendix_grew_weaker_demands(void **state)
{
	(void)state;
	check_inclusion(VKR_MEMORY_VULKAN, VKR_MEMORY_VULKAN_2018);
}

// ---- The unrelaxed models -----------------------------------------------------------------------

// Sequentially consistent atomics and ordinary accesses to whole locations; atomics of a location
// have one static scope, and each read takes the value of the last write before it.
static void make_sequential(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	enum vkr_litmus_scope scopes[2];
	vkr_sample_init(sample);
	vkr_generate_agents(sample, random);
	for (uint32_t i = 0; i < 3; i++)
		vkr_sample_add_location(sample, 4);
	for (uint32_t i = 0; i < 2; i++)
		scopes[i] =
			VKR_LITMUS_SUBGROUP +
			vkr_random_below(random, VKR_LITMUS_CROSS_DEVICE - VKR_LITMUS_SUBGROUP + 1);
	for (uint32_t count = 4 + vkr_random_below(random, 10); count > 0; count--) {
		const bool atomic = vkr_random_percent(random, 60);
		const uint32_t location =
			atomic ? vkr_random_below(random, 2) : 1 + vkr_random_below(random, 2);
		const enum vkr_litmus_operation operation =
			vkr_random_below(random, atomic ? 3 : 2);
		struct vkr_litmus_event *event = vkr_sample_add_event(
			sample, vkr_random_below(random, (uint32_t)sample->execution.agent_count),
			operation);
		event->reference = location;
		event->size = 4;
		event->atomic = atomic;
		if (atomic) {
			event->order = VKR_LITMUS_SEQ_CST;
			event->scope = scopes[location];
		}
		vkr_sample_normalize(sample, event);
		for (uint32_t i = 0; vkr_sample_reads(event) && &sample->events[i] < event; i++) {
			if (sample->events[i].reference == location &&
			    vkr_sample_writes(&sample->events[i]))
				event->from = i;
		}
	}
}

// Dynamic scopes are equal: one static scope, and one instance of it.
static bool equal_scopes(const struct vkr_oracle_sample *sample, const struct vkr_litmus_event *a,
			 const struct vkr_litmus_event *b)
{
	const struct vkr_litmus_agent *x = &sample->agents[a->agent],
				      *y = &sample->agents[b->agent];
	if (a->scope != b->scope)
		return false;
	if (x == y || a->scope == VKR_LITMUS_CROSS_DEVICE)
		return true;
	if (x->host || y->host)
		return false;
	return a->scope == VKR_LITMUS_SUBGROUP          ? x->subgroup == y->subgroup
	       : a->scope == VKR_LITMUS_WORKGROUP_SCOPE ? x->workgroup == y->workgroup
							: x->device == y->device;
}

static bool synchronizes(const struct vkr_oracle_sample *sample, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *x = &sample->events[a], *y = &sample->events[b];
	return a < b && x->atomic && y->atomic && x->reference == y->reference &&
	       vkr_sample_writes(x) && vkr_sample_reads(y) && equal_scopes(sample, x, y);
}

// HRF-direct: the union over scopes of the closures of program order and the synchronization order
// of that scope. HRF-indirect: the closure of all of them.
static void order_sequential(const struct vkr_oracle_sample *sample, bool direct,
			     bool before[VKR_SAMPLE_EVENTS][VKR_SAMPLE_EVENTS])
{
	const uint32_t count = (uint32_t)sample->execution.event_count;
	memset(before, 0, sizeof(bool[VKR_SAMPLE_EVENTS][VKR_SAMPLE_EVENTS]));
	for (uint32_t part = 0; part < (direct ? count : 1); part++) {
		bool closed[VKR_SAMPLE_EVENTS][VKR_SAMPLE_EVENTS] = {{false}};
		for (uint32_t a = 0; a < count; a++) {
			for (uint32_t b = a + 1; b < count; b++) {
				const struct vkr_litmus_event *of = &sample->events[part];
				const bool counts =
					!direct || (of->atomic &&
						    equal_scopes(sample, of, &sample->events[a]));
				closed[a][b] = sample->events[a].agent == sample->events[b].agent ||
					       (counts && synchronizes(sample, a, b));
			}
		}
		for (uint32_t via = 0; via < count; via++) {
			for (uint32_t a = 0; a < count; a++) {
				for (uint32_t b = 0; b < count; b++)
					closed[a][b] =
						closed[a][b] || (closed[a][via] && closed[via][b]);
			}
		}
		for (uint32_t a = 0; a < count; a++) {
			for (uint32_t b = 0; b < count; b++)
				before[a][b] = before[a][b] || closed[a][b];
		}
	}
}

static void check_equivalence(enum vkr_memory_model relaxed, bool direct)
{
	static bool before[VKR_SAMPLE_EVENTS][VKR_SAMPLE_EVENTS];
	struct vkr_oracle_races races = {0};
	unsigned racy = 0;
	for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		struct vkr_random random = {seed};
		size_t found = 0;
		make_sequential(&sample, &random);
		order_sequential(&sample, direct, before);
		judge(&sample.execution, relaxed, &races);
		for (uint32_t a = 0; a < sample.execution.event_count; a++) {
			for (uint32_t b = a + 1; b < sample.execution.event_count; b++) {
				const struct vkr_litmus_event *x = &sample.events[a];
				const struct vkr_litmus_event *y = &sample.events[b];
				const bool conflict =
					x->reference == y->reference &&
					(vkr_sample_writes(x) || vkr_sample_writes(y)) &&
					!(x->atomic && y->atomic && equal_scopes(&sample, x, y));
				found += conflict && !before[a][b];
			}
		}
		assert_int_equal(found, races.count);
		racy += found > 0;
	}
	vkr_oracle_races_finish(&races);
	assert_true(racy > SEEDS / 2 && racy < 4 * SEEDS - SEEDS / 4);
}

static void direct_relaxed_is_direct(void **state)
{
	(void)state;
	check_equivalence(VKR_MEMORY_HRF_DIRECT, true);
}

static void indirect_relaxed_is_indirect(void **state)
{
	(void)state;
	check_equivalence(VKR_MEMORY_HRF_INDIRECT, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transitivity_only_orders),
		cmocka_unit_test(inclusion_only_orders),
		cmocka_unit_test(the_appendix_grew_weaker_demands),
		cmocka_unit_test(direct_relaxed_is_direct),
		cmocka_unit_test(indirect_relaxed_is_indirect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
