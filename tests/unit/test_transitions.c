// SPDX-License-Identifier: Apache-2.0
// Layout transitions of one queue: what is behind a later one is behind an earlier one only where
// that one is, byte by byte.
#include "engine_world.h"

// Beside a transition's second stages: it makes nothing visible.
#define BLIND (UINT64_C(1) << 63)
// It is local.
#define LOCAL (UINT64_C(1) << 58)

// A transition of [low, high) between stages; 0: none.
struct step {
	uint64_t from, to, low, high;
};

static void put(struct world *world, const struct step *step)
{
	const struct vkr_engine_range range = {1, step->low, step->high - step->low};
	struct vkr_engine_transition transition = {.ranges = &range, .range_count = 1};
	const struct vkr_engine_barrier_access access = {.destination_accesses =
								 step->to & BLIND ? 0 : UINT64_MAX};
	const struct vkr_engine_dependency dependency = {
		.source_stages = step->from,
		.destination_stages = step->to & ~(BLIND | LOCAL),
		.accesses = &access,
		.access_count = 1,
		.transition = &transition,
		.local = step->to & LOCAL ? VKR_ENGINE_BY_REGION : 0};
	const uint32_t site = world_site(world, VKR_ENGINE_TRANSITION, VKR_ENGINE_TRANSITION,
					 VKR_ENGINE_WRITE | VKR_ENGINE_PLACED, 0, 0);
	OK(vkr_engine_dependencies(world->engine, world->queue, 7, &dependency, 1, &world->error));
	OK(vkr_engine_access_range(world->engine, transition.command, site, 1, step->low,
				   range.bytes, &world->error));
	vkr_engine_command_end(world->engine, transition.command);
}

#define MOST_STEPS 4u

// Some transitions, and a copy that reads behind them.
static const struct {
	struct step steps[MOST_STEPS];
	uint64_t low, high;
	uint32_t races;
} cases[] = {
	{{{0, TRANSFER, 0, 8}}, 0, 8, 0},
	{{{0, COMPUTE, 0, 8}}, 0, 8, 1},
	// Only the later one leads to the copy: it is behind the earlier one, or in order with it.
	{{{0, COMPUTE, 0, 8}, {COMPUTE, TRANSFER, 0, 8}}, 0, 8, 0},
	{{{0, COMPUTE, 0, 8}, {0, TRANSFER, 0, 8}}, 0, 8, 1},
	// Where there is no later one.
	{{{0, COMPUTE, 0, 8}, {COMPUTE, TRANSFER, 4, 8}}, 4, 8, 0},
	{{{0, COMPUTE, 0, 8}, {0, TRANSFER, 4, 8}}, 4, 8, 1},
	{{{0, TRANSFER, 0, 8}, {0, COMPUTE, 4, 8}}, 0, 4, 0},
	// A third one is behind the second, which is not behind the first.
	{{{0, COMPUTE, 0, 8}, {0, TRANSFER, 0, 8}, {TRANSFER, TRANSFER, 0, 8}}, 0, 8, 1},
	{{{0, COMPUTE, 0, 8}, {0, COMPUTE, 0, 4}, {COMPUTE, TRANSFER, 0, 8}}, 0, 8, 0},
	// Parts of the last one are behind others.
	{{{0, COMPUTE, 0, 4}, {0, TRANSFER, 4, 8}, {TRANSFER, TRANSFER, 0, 8}}, 0, 4, 1},
	{{{0, COMPUTE, 0, 4}, {0, TRANSFER, 4, 8}, {TRANSFER, TRANSFER, 0, 8}}, 4, 8, 0},
	{{{0, COMPUTE, 0, 12}, {0, TRANSFER, 4, 8}, {TRANSFER, TRANSFER, 2, 10}}, 4, 8, 1},
	{{{0, TRANSFER, 0, 12}, {0, COMPUTE, 4, 8}, {TRANSFER, TRANSFER, 0, 4}}, 0, 4, 0},
	// The later one of two that lead to the same stands for both, but for a range of its own.
	{{{0, COMPUTE, 0, 8}, {0, COMPUTE, 0, 8}}, 0, 8, 1},
	{{{0, COMPUTE, 0, 8}, {0, COMPUTE | HOST, 0, 8}}, 0, 8, 2},
	{{{0, TRANSFER | BLIND, 0, 8}, {0, TRANSFER, 0, 8}}, 0, 8, 1},
	{{{0, COMPUTE, 0, 8}, {0, TRANSFER, 0, 8}, {0, COMPUTE, 0, 8}, {0, COMPUTE, 0, 8}},
	 0,
	 8,
	 2},
	{{{0, TRANSFER, 0, 8}, {0, COMPUTE, 0, 8}, {0, TRANSFER, 0, 8}}, 0, 8, 1},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct world world;
		world_begin(&world);
		for (unsigned step = 0; step < MOST_STEPS; step++)
			if (cases[at].steps[step].high != 0)
				put(&world, &cases[at].steps[step]);
		world_range(&world, world.queue, world.copy_from, 1, cases[at].low,
			    cases[at].high - cases[at].low);
		if (world.race_count != cases[at].races)
			fail_msg("case %zu: %u races", at, world.race_count);
		world_end(&world);
	}
}

// What follows a local one is ordered at its place alone: none that is not local stands for it.
static void local_ones_stay(void **state)
{
	static const struct vkr_engine_target target = {1, 1, 0, 8};
	static const struct step steps[2] = {{0, COMPUTE | LOCAL, 0, 8}, {0, COMPUTE, 0, 8}};
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t load = world_site(&world, COMPUTE, SHADER_READ,
					 VKR_ENGINE_READ | VKR_ENGINE_PLACED, 4, VKR_CLASS_UNIFORM);
	const struct vkr_engine_run run = {
		.site = load, .count = 1, .stride = 4, .target = &target};
	put(&world, &steps[0]);
	put(&world, &steps[1]);
	const uint32_t command = world_command(&world, world.queue);
	OK(vkr_engine_dispatch_begin(world.engine, command, 64, 0, &world.error));
	OK(vkr_engine_workgroup(world.engine, 0, &world.error));
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	vkr_engine_dispatch_end(world.engine);
	vkr_engine_command_end(world.engine, command);
	assert_int_equal(world.race_count, 1);
	world_end(&world);
}

// One that does not wait for the stages in which a semaphore is waited for.
static void unacquired(void **state)
{
	static const struct {
		struct step step;
		bool acquires;
		uint64_t waiting;
	} unacquired[] = {
		{{TRANSFER, TRANSFER, 0, 8}, true, 0},
		{{0, TRANSFER, 0, 8}, true, TRANSFER},
		{{COMPUTE, TRANSFER, 0, 8}, true, TRANSFER},
		{{0, TRANSFER, 0, 8}, false, 0},
	};
	(void)state;
	for (size_t at = 0; at < sizeof unacquired / sizeof *unacquired; at++) {
		const uint64_t waiting = unacquired[at].waiting;
		struct world world;
		uint32_t other, token;
		world_begin(&world);
		OK(vkr_engine_queue(world.engine, 1, &other, &world.error));
		world_range(&world, other, world.copy_from, 1, 0, 8);
		OK(vkr_engine_release(world.engine, other, ALL_STAGES, false, &token,
				      &world.error));
		if (unacquired[at].acquires)
			OK(vkr_engine_acquire(world.engine, world.queue, token, TRANSFER,
					      &world.error));
		vkr_engine_token_drop(world.engine, token);
		put(&world, &unacquired[at].step);
		if (unacquired[at].acquires && waiting == 0) {
			expect_none(&world);
		} else {
			expect_race(&world, VKR_RACE_UNORDERED);
			assert_true(world.races[0].waiting_stages == waiting);
			assert_int_equal(world.races[0].shortfall,
					 VKR_SHORT_NO_TOKEN |
						 (waiting ? VKR_SHORT_SOURCE_STAGE : 0));
			assert_int_equal(world.races[0].has_nearest, waiting != 0);
			assert_int_equal(world.races[0].nearest, waiting ? 7 : 0);
		}
		world_end(&world);
	}
}

// What one of a section leads to is limited to the section.
static void those_of_sections_stay(void **state)
{
	static const struct step step = {0, TRANSFER, 0, 8};
	struct world world;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_section_begin(world.engine, world.queue, COMPUTE, &world.error));
	// So that it does not stand before the section.
	world_range(&world, world.queue, world.copy_from, 2, 0, 4);
	put(&world, &step);
	vkr_engine_section_end(world.engine, world.queue);
	put(&world, &step);
	world_range(&world, world.queue, world.copy_from, 1, 0, 8);
	assert_int_equal(world.race_count, 1);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unacquired),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(local_ones_stay),
		cmocka_unit_test(those_of_sections_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
