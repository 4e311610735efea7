// SPDX-License-Identifier: Apache-2.0
// Pages of shadow memory whose words were accessed here and there: what they take, and that they
// forget nothing. Knows only the engine's interface.
#include "engine_world.h"

#define LOCAL_SIZE 64u

static const struct vkr_engine_target buffer = {1, 1, 0, 65536};

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

static void scatter(struct world *world, uint32_t site, const uint32_t *offsets)
{
	const struct vkr_engine_scatter list = {
		.site = site, .count = LOCAL_SIZE, .offsets = offsets, .target = &buffer};
	OK(vkr_engine_scatter(world->engine, &list, &world->error));
}

// Accesses a page here and there, or at a stride, by workgroup 0.
static void fill(struct world *world, uint32_t site, uint32_t stride)
{
	const struct vkr_engine_run run = {site, 0, LOCAL_SIZE, stride, 0, &buffer};
	uint32_t offsets[LOCAL_SIZE];
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
	for (uint32_t i = 0; i < LOCAL_SIZE; i++)
		offsets[i] = (i * 29 % LOCAL_SIZE) * 64;
	if (stride == 0)
		scatter(world, site, offsets);
	else
		OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
}

// Two invocations of one workgroup read a word, and one of them writes it.
static void test_mates(void **state)
{
	(void)state;
	for (uint32_t stride = 0; stride <= 64; stride += 32) {
		for (uint32_t writer = 5; writer <= 6; writer++) {
			struct world world;
			uint32_t offsets[LOCAL_SIZE];
			world_begin(&world);
			const uint32_t command = begin(&world);
			fill(&world, world.load, stride);
			OK(vkr_engine_workgroup(world.engine, 1, &world.error));
			for (uint32_t i = 0; i < LOCAL_SIZE; i++)
				offsets[i] = 8 + (i == 6 ? 5 : i) * 64;
			scatter(&world, world.load, offsets);
			const struct vkr_engine_run put = {world.store, writer,     1,
							   0,           8 + 5 * 64, &buffer};
			OK(vkr_engine_runs(world.engine, &put, 1, &world.error));
			expect_race(&world, VKR_RACE_UNORDERED);
			assert_int_equal(world.races[0].first.workgroup, 1);
			assert_int_equal(world.races[0].first.local, 11 - writer);
			end(&world, command);
			world_end(&world);
		}
	}
}

// Each word's last writer, of more commands than a page of cells has room for, is told.
static void test_many_writers(void **state)
{
	enum { WRITERS = 40, KEPT = 4 };
	(void)state;
	for (uint32_t stride = 0; stride <= 64; stride += 32) {
		struct world world;
		uint32_t commands[WRITERS], offsets[LOCAL_SIZE];
		world_begin(&world);
		for (uint32_t i = 0; i < WRITERS; i++) {
			commands[i] = begin(&world);
			if (i == 0)
				fill(&world, world.store, stride);
			else
				OK(vkr_engine_workgroup(world.engine, i, &world.error));
			// All write word 3, and one in KEPT one more, that stays.
			for (uint32_t at = 0; at < LOCAL_SIZE; at++)
				offsets[at] = at == 0 ? 12 : 65536;
			offsets[1] = i == 0 || i % KEPT ? 65536 : i * 64;
			scatter(&world, world.store, offsets);
			end(&world, commands[i]);
			world_barrier(&world, COMPUTE, SHADER_WRITE, COMPUTE, SHADER_WRITE);
		}
		for (uint32_t i = 0; i < WRITERS; i += KEPT) {
			const struct vkr_engine_race *race = &world.races[i / KEPT];
			const uint32_t site =
				world_site(&world, TRANSFER, TRANSFER_READ, VKR_ENGINE_READ, 0, 0);
			world_range(&world, world.queue, site, 1, i == 0 ? 12 : i * 64, 4);
			assert_int_equal(world.race_count, i / KEPT + 1);
			assert_int_equal(race->first.command, commands[i == 0 ? WRITERS - 1 : i]);
			assert_int_equal(race->first.local, i == 0 ? 0 : 1);
			assert_int_equal(race->bytes, 4);
		}
		world_range(&world, world.queue, world.copy_from, 1, 0, 4);
		assert_int_equal(world.race_count, WRITERS / KEPT + 1);
		assert_int_equal(world.races[WRITERS / KEPT].first.command, commands[0]);
		world_end(&world);
	}
}

// What has read a word before it was overwritten does not race with what is not behind the write.
static void test_overwritten(void **state)
{
	(void)state;
	for (uint32_t stride = 0; stride <= 64; stride += 32) {
		struct world world;
		world_begin(&world);
		for (uint32_t i = 0; i < 4; i++) {
			const uint32_t command = begin(&world);
			fill(&world, i % 2 ? world.store : world.load, stride);
			end(&world, command);
			world_barrier(&world, COMPUTE, SHADER_WRITE, COMPUTE,
				      SHADER_READ | SHADER_WRITE);
		}
		world_range(&world, world.thread, world.host_write, 1, 0, 4096);
		expect_race(&world, VKR_RACE_UNORDERED);
		assert_int_equal(world.races[0].first.site, world.store);
		world_end(&world);
	}
}

// Shadow memory of words at a stride, and of words without order.
static void test_size(void **state)
{
	(void)state;
	for (uint32_t stride = 0; stride <= 128; stride = stride ? stride * 2 : 16) {
		struct vkr_engine_statistics statistics;
		struct world world;
		uint32_t offsets[LOCAL_SIZE];
		uint64_t accessed = 0;
		world_begin(&world);
		vkr_engine_statistics(world.engine, &statistics);
		const uint64_t before = statistics.shadow_bytes;
		const uint32_t command = begin(&world);
		for (uint32_t g = 0; g < 65536 / 4 / LOCAL_SIZE; g++) {
			const struct vkr_engine_run run = {
				world.load, 0, LOCAL_SIZE, stride, g * LOCAL_SIZE * stride,
				&buffer};
			if (stride != 0 && run.offset >= 65536)
				break;
			OK(vkr_engine_workgroup(world.engine, g, &world.error));
			for (uint32_t i = 0; i < LOCAL_SIZE; i++)
				offsets[i] = (g * LOCAL_SIZE + i) * 7919 % 16384 * 4;
			if (stride == 0)
				scatter(&world, world.load, offsets);
			else
				OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
			accessed += LOCAL_SIZE * 4;
		}
		vkr_engine_statistics(world.engine, &statistics);
		assert_true(statistics.shadow_bytes - before <= 4 * accessed);
		end(&world, command);
		world_end(&world);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mates),
		cmocka_unit_test(test_many_writers),
		cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
