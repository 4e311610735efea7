// SPDX-License-Identifier: Apache-2.0
// Members of structs in an array, which are judged in rows: what one row decides at once must hold
// for each byte of each element.
#include "engine_world.h"

#define LOCAL_SIZE 8u
#define STRIDE     80u

static const struct vkr_engine_target buffer = {1, 1, 0, 65536};

// A dispatch of one workgroup, each invocation of which accesses a member of its own struct.
static void members(struct world *world, uint32_t site, uint64_t offset, uint32_t count)
{
	const struct vkr_engine_run run = {site, 0, count, STRIDE, offset, &buffer};
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

// A barrier of the range ends within a member, where a line does.
static void test_range_ends_within_member(void **state)
{
	(void)state;
	for (uint32_t last = 3; last < 6; last++) {
		struct world world;
		world_begin(&world);
		const uint32_t put =
			world_site(&world, COMPUTE, SHADER_WRITE,
				   VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 16, VKR_CLASS_UNIFORM);
		const uint32_t get =
			world_site(&world, COMPUTE, SHADER_READ,
				   VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 16, VKR_CLASS_UNIFORM);
		// The fifth one's bytes are 372 to 387.
		members(&world, put, 52, LOCAL_SIZE);
		const struct vkr_engine_barrier_access access = {.source_accesses = SHADER_WRITE,
								 .destination_accesses = SHADER_READ,
								 .memory = 1,
								 .bytes = 384};
		world_memory_barrier(&world, COMPUTE, COMPUTE, &access);
		members(&world, get, 52, last);
		assert_int_equal(world.race_count, last > 4);
		if (last > 4)
			assert_int_equal(world.races[0].offset, 384);
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_range_ends_within_member)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
