// SPDX-License-Identifier: Apache-2.0
// Reads that another workgroup has made before need not be judged again: which of them must be.
#include "engine_world.h"

#define LOCAL_SIZE 4u

static const struct vkr_engine_target buffer = {1, 1, 0, 65536}, again = {1, 2, 0, 65536};

static uint32_t begin(struct world *world)
{
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	return command;
}

static void end(struct world *world, uint32_t command)
{
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

static void group(struct world *world, uint32_t workgroup)
{
	OK(vkr_engine_workgroup(world->engine, workgroup, &world->error));
}

// `count` invocations from `local` on, at offsets.
static void list(struct world *world, uint32_t site, uint32_t local, uint32_t count,
		 const uint32_t *offsets, const struct vkr_engine_target *target)
{
	const struct vkr_engine_scatter scatter = {
		.site = site, .local = local, .count = count, .offsets = offsets, .target = target};
	OK(vkr_engine_scatter(world->engine, &scatter, &world->error));
}

static void one(struct world *world, uint32_t site, uint32_t local, uint32_t offset,
		const struct vkr_engine_target *target)
{
	list(world, site, local, 1, &offset, target);
}

// A private read, so that a write by another invocation of its workgroup races with it.
static uint32_t private_load(struct world *world)
{
	return world_site(world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 4, VKR_CLASS_UNIFORM);
}

// What races, each read of it does.
static void test_races(void **state)
{
	const uint32_t offsets[LOCAL_SIZE] = {4, 64, 20, 64};
	struct world world;
	(void)state;
	world_begin(&world);
	world_range(&world, world.queue, world.copy_to, 1, 20, 4);
	const uint32_t command = begin(&world);
	for (uint32_t workgroup = 0; workgroup < 3; workgroup++) {
		group(&world, workgroup);
		list(&world, world.load, 0, LOCAL_SIZE, offsets, &buffer);
		list(&world, world.load, 0, LOCAL_SIZE, offsets, &buffer);
	}
	end(&world, command);
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 6);
	world_end(&world);
}

// Two of one workgroup read: a write by either races with the other's.
static void test_mates(void **state)
{
	(void)state;
	for (uint32_t writer = 0; writer < 2; writer++) {
		struct world world;
		world_begin(&world);
		const uint32_t load = private_load(&world), command = begin(&world);
		group(&world, 3);
		one(&world, load, 0, 16, &buffer);
		one(&world, load, 1, 16, &buffer);
		one(&world, world.store, writer, 16, &buffer);
		end(&world, command);
		expect_race(&world, VKR_RACE_UNORDERED);
		assert_int_equal(world.races[0].first.local, 1 - writer);
		world_end(&world);
	}
}

// So they are where the workgroup comes again.
static void test_same_workgroup(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t load = private_load(&world), command = begin(&world);
	group(&world, 3);
	one(&world, load, 0, 16, &buffer);
	group(&world, 3);
	one(&world, load, 1, 16, &buffer);
	one(&world, world.store, 0, 16, &buffer);
	end(&world, command);
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].first.local, 1);
	world_end(&world);
}

// What was read through one descriptor says nothing of another one.
static void test_references(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t command = begin(&world);
	group(&world, 0);
	one(&world, world.load, 0, 16, &buffer);
	group(&world, 1);
	one(&world, world.load, 0, 16, &again);
	group(&world, 2);
	one(&world, world.store, 0, 16, &buffer);
	end(&world, command);
	assert_int_equal(world.race_count, 1);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 2);
	world_end(&world);
}

// Nor do reads of one dispatch of the next one's, nor those before a write of those behind it.
static void test_writes(void **state)
{
	(void)state;
	for (uint32_t dispatches = 1; dispatches < 3; dispatches++) {
		struct world world;
		world_begin(&world);
		uint32_t command = begin(&world);
		group(&world, 0);
		one(&world, world.load, 0, 16, &buffer);
		group(&world, 1);
		if (dispatches == 2) {
			end(&world, command);
			world_barrier(&world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
			world_range(&world, world.queue, world.copy_to, 1, 16, 4);
			command = begin(&world);
			group(&world, 2);
		} else {
			one(&world, world.store, 0, 16, &again);
			group(&world, 2);
			expect_race(&world, VKR_RACE_UNORDERED);
		}
		one(&world, world.load, 0, 16, &buffer);
		end(&world, command);
		assert_int_equal(world.race_count, dispatches == 2 ? 1 : 2);
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_races),          cmocka_unit_test(test_mates),
		cmocka_unit_test(test_same_workgroup), cmocka_unit_test(test_references),
		cmocka_unit_test(test_writes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
