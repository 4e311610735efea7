// SPDX-License-Identifier: Apache-2.0
// Order between commands: each rule with its racy twin.
#include "engine_world.h"

// A write by a fill, then `site`, with one barrier between that may lack something.
static void fill_then(uint64_t source_stages, uint64_t source_accesses, uint64_t destination_stages,
		      uint64_t destination_accesses, bool write, enum vkr_race_class expected,
		      uint32_t shortfall)
{
	struct world world;
	world_begin(&world);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	world_barrier(&world, source_stages, source_accesses, destination_stages,
		      destination_accesses);
	world_range(&world, world.queue, write ? world.copy_to : world.copy_from, 1, 32, 64);
	if (expected == VKR_RACE_NONE) {
		expect_none(&world);
	} else {
		expect_race(&world, expected);
		assert_int_equal(world.races[0].offset, 32);
		assert_int_equal(world.races[0].bytes, 32);
		assert_true(world.races[0].has_nearest);
		assert_int_equal(world.races[0].nearest, 77);
		assert_int_equal(world.races[0].shortfall, shortfall);
	}
	world_end(&world);
}

static void test_barrier_masks(void **state)
{
	const uint64_t t = TRANSFER, put = TRANSFER_PUT, get = TRANSFER_READ;
	(void)state;
	fill_then(t, put, t, get, false, VKR_RACE_NONE, 0);
	fill_then(t, put, t, 0, true, VKR_RACE_NONE, 0);
	fill_then(COMPUTE, put, t, get, false, VKR_RACE_UNORDERED, VKR_SHORT_SOURCE_STAGE);
	fill_then(t, put, COMPUTE, get, false, VKR_RACE_UNORDERED, VKR_SHORT_DESTINATION_STAGE);
	fill_then(t, get, t, get, false, VKR_RACE_UNAVAILABLE, VKR_SHORT_SOURCE_ACCESS);
	fill_then(t, put, t, put, false, VKR_RACE_INVISIBLE, VKR_SHORT_DESTINATION_ACCESS);
	fill_then(t, 0, t, 0, true, VKR_RACE_UNAVAILABLE, VKR_SHORT_SOURCE_ACCESS);
	fill_then(t, 0, t, 0, false, VKR_RACE_UNAVAILABLE,
		  VKR_SHORT_SOURCE_ACCESS | VKR_SHORT_DESTINATION_ACCESS);
}

// A read that may not be made stands beside those that are, and takes nobody's place.
static void test_may_access(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t possible = world_site(&world, TRANSFER, TRANSFER_READ,
					     VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, 0, 0);
	world_range(&world, world.queue, world.copy_from, 1, 0, 64);
	world_barrier(&world, TRANSFER, 0, TRANSFER, 0);
	world_range(&world, world.queue, possible, 1, 0, 64);
	world_range(&world, world.queue, world.store, 1, 0, 64);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(world.races[0].first.site, world.copy_from);
	assert_int_equal(world.races[1].first.site, possible);
	// It stands until a write covers it, beside one that is made and ordered behind it.
	world_barrier(&world, TRANSFER | COMPUTE, SHADER_WRITE, TRANSFER, TRANSFER_PUT);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_READ);
	world_range(&world, world.queue, possible, 1, 0, 64);
	world_barrier(&world, TRANSFER, 0, TRANSFER, 0);
	world_range(&world, world.queue, world.copy_from, 1, 0, 64);
	world_range(&world, world.queue, world.store, 1, 0, 64);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 2);
	assert_int_equal(vkr_engine_pair_count(world.engine, 1), 2);
	world_end(&world);
}

// Reads that may not be made, of parts of a memory and of all of it: each is there for writes of
// any of its bytes, and gone where a write covers it.
static void test_may_access_ranges(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t possible = world_site(&world, TRANSFER, TRANSFER_READ,
					     VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, 0, 0);
	world_range(&world, world.queue, possible, 1, 0, 1024);
	for (uint64_t at = 0; at < 1024; at += 64)
		world_range(&world, world.queue, possible, 1, at, 64);
	world_range(&world, world.queue, world.copy_to, 1, 500, 8); // the whole, and one part
	assert_int_equal(world.race_count, 1);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 2);
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_PUT);
	world_range(&world, world.queue, world.copy_to, 1, 0, 1024); // ordered: covers all of them
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 2);
	world_range(&world, world.queue, world.store, 1, 960, 64);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(world.races[1].first.site, world.copy_to);
	// Of the same range, ordered one behind the other, the newest one is left.
	for (int i = 0; i < 3; i++) {
		world_barrier(&world, TRANSFER | COMPUTE, TRANSFER_PUT | SHADER_WRITE, TRANSFER,
			      TRANSFER_READ);
		world_range(&world, world.queue, possible, 1, 128, 64);
	}
	world_range(&world, world.queue, world.copy_to, 1, 100, 100);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 3);
	world_end(&world);
}

// A write that may not be made hides no write that was, from whom that was not made visible.
static void test_may_access_write(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	const uint32_t possible = world_site(&world, TRANSFER, TRANSFER_PUT,
					     VKR_ENGINE_WRITE | VKR_ENGINE_MAY_ACCESS, 0, 0);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_PUT);
	world_range(&world, world.queue, possible, 1, 0, 64);
	assert_int_equal(world.race_count, 0);
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_PUT);
	world_range(&world, world.queue, world.copy_from, 1, 0, 64);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(world.races[0].first.site, world.copy_to);
	assert_int_equal(world.races[1].first.site, possible);
	// A write behind both stands for both.
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_PUT);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	world_barrier(&world, TRANSFER, TRANSFER_PUT, TRANSFER, TRANSFER_READ);
	world_range(&world, world.queue, world.copy_from, 1, 0, 64);
	assert_int_equal(world.race_count, 2);
	world_end(&world);
}

// What may be read within a dispatch may be what another invocation of it writes.
static void test_may_access_within(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		const struct vkr_engine_target target = {1, 1, 0, 64};
		struct world world;
		world_begin(&world);
		const uint32_t possible = world_site(&world, COMPUTE, SHADER_READ,
						     VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, 0, 0);
		const struct vkr_engine_run run = {world.store, 0, 4, 4, 16, &target};
		const uint32_t command = world_command(&world, world.queue);
		if (first)
			OK(vkr_engine_access_range(world.engine, command, possible, 1, 0, 64,
						   &world.error));
		OK(vkr_engine_dispatch_begin(world.engine, command, 4, 0, &world.error));
		OK(vkr_engine_workgroup(world.engine, 0, &world.error));
		OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
		vkr_engine_dispatch_end(world.engine);
		if (!first)
			OK(vkr_engine_access_range(world.engine, command, possible, 1, 0, 64,
						   &world.error));
		expect_race(&world, VKR_RACE_UNORDERED);
		assert_int_equal(world.races[0].offset, 16);
		world_end(&world);
	}
}

struct tags {
	uint64_t count, kept, barriers; // in all; of tag 2; of world_barrier's
};

static void count_tag(void *context, uint64_t tag)
{
	struct tags *tags = context;
	tags->count++;
	tags->kept += tag == 2;
	tags->barriers += tag == 77;
}

// Commands that no byte remembers give their ids back; one that a byte remembers keeps its own.
static void test_many_commands(void **state)
{
	enum { MANY = 300000 };
	struct tags tags = {0};
	struct world world;
	uint32_t command, kept = 0, most = 0;
	(void)state;
	world_begin(&world);
	for (uint32_t i = 0; i < MANY; i++) {
		OK(vkr_engine_command(world.engine, world.queue, i == 0 ? 2 : 1, &command,
				      &world.error));
		OK(vkr_engine_access_range(world.engine, command, world.copy_from, 1,
					   i == 0 ? 0 : 64, 64, &world.error));
		vkr_engine_command_end(world.engine, command);
		if (i == 0)
			kept = command;
		else
			assert_int_not_equal(command, kept);
		most = command > most ? command : most;
	}
	assert_true(most < MANY / 2);
	vkr_engine_tags(world.engine, count_tag, &tags);
	assert_true(tags.count < MANY / 2);
	assert_int_equal(tags.kept, 1);
	world_end(&world);
}

// Of barriers that lack the same the latest is the nearest: earlier ones are forgotten, but for
// those that are nearest to a command before the latest, or that alone lack so little.
static void test_many_barriers(void **state)
{
	enum { MANY = 100000, OPEN = 50000 };
	const uint64_t t = TRANSFER, get = TRANSFER_READ;
	const struct vkr_engine_dependency near = {.source_stages = t, .destination_stages = t};
	struct tags tags = {0};
	struct world world;
	uint32_t open = 0;
	(void)state;
	world_begin(&world);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	OK(vkr_engine_dependencies(world.engine, world.queue, 2, &near, 1, &world.error));
	world_range(&world, world.queue, world.copy_to, 1, 64, 64);
	for (uint32_t i = 0; i < MANY; i++) {
		if (i == OPEN)
			open = world_command(&world, world.queue);
		world_barrier(&world, COMPUTE, 0, t, get);
		world_range(&world, world.queue, world.copy_from, 1, 4096, 64);
	}
	vkr_engine_tags(world.engine, count_tag, &tags);
	assert_true(tags.barriers > 0);
	assert_true(tags.barriers < MANY / 2);
	assert_int_equal(tags.kept, 1);
	// Behind the barrier that lacks availability alone.
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	assert_int_equal(world.race_count, 1);
	assert_int_equal(world.races[0].nearest, 2);
	assert_int_equal(world.races[0].shortfall, VKR_SHORT_SOURCE_ACCESS);
	// Not behind it: all others lack the stage.
	world_range(&world, world.queue, world.copy_from, 1, 64, 64);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(world.races[1].nearest, 77);
	assert_int_equal(world.races[1].shortfall,
			 VKR_SHORT_SOURCE_STAGE | VKR_SHORT_SOURCE_ACCESS);
	// And so it is for a command that stands among them.
	const uint32_t site = world_site(&world, t, get, VKR_ENGINE_READ, 0, 0);
	OK(vkr_engine_access_range(world.engine, open, site, 1, 96, 16, &world.error));
	vkr_engine_command_end(world.engine, open);
	assert_int_equal(world.race_count, 3);
	assert_true(world.races[2].has_nearest);
	assert_int_equal(world.races[2].nearest, 77);
	world_end(&world);
}

static void test_no_barrier(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	world_range(&world, world.queue, world.copy_to, 1, 0, 64);
	world_range(&world, world.queue, world.copy_from, 1, 0, 64);
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].shortfall, VKR_SHORT_NO_DEPENDENCY);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 1);
	world_end(&world);
}

static void test_write_after_read(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct world world;
		world_begin(&world);
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		if (barrier)
			world_barrier(&world, TRANSFER, 0, TRANSFER, 0);
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		assert_int_equal(world.race_count, !barrier);
		world_end(&world);
	}
}

// Availability by one barrier and visibility by a later one that it chains with.
static void test_chain(void **state)
{
	(void)state;
	for (int chained = 0; chained < 2; chained++) {
		struct world world;
		world_begin(&world);
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		world_barrier(&world, TRANSFER, TRANSFER_PUT, HOST, 0);
		world_barrier(&world, chained ? HOST : COMPUTE, 0, TRANSFER, TRANSFER_READ);
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		assert_int_equal(world.race_count, !chained);
		world_end(&world);
	}
}

static void test_range(void **state)
{
	(void)state;
	for (uint64_t bytes = 32; bytes <= 64; bytes += 32) {
		struct world world;
		const struct vkr_engine_barrier_access access = {.source_accesses = TRANSFER_PUT,
								 .destination_accesses =
									 TRANSFER_READ,
								 .memory = 1,
								 .bytes = bytes};
		const struct vkr_engine_dependency dependency = {.source_stages = TRANSFER,
								 .destination_stages = TRANSFER,
								 .accesses = &access,
								 .access_count = 1};
		world_begin(&world);
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		world_range(&world, world.queue, world.copy_to, 2, 0, 64);
		OK(vkr_engine_dependencies(world.engine, world.queue, 5, &dependency, 1,
					   &world.error));
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		if (bytes == 64) {
			expect_none(&world);
			// Accesses of the same commands in other memory are not in the range.
			world_range(&world, world.queue, world.copy_from, 2, 0, 64);
		}
		expect_race(&world, VKR_RACE_UNAVAILABLE);
		assert_int_equal(world.races[0].offset, bytes == 64 ? 0 : 32);
		assert_true(world.races[0].shortfall & VKR_SHORT_RANGE);
		world_end(&world);
	}
}

// One command in two memories, a dependency that brings over one of them.
static void test_range_is_of_memory(void **state)
{
	(void)state;
	// Reads that lack availability, or visibility alone; writes that lack availability.
	for (int kind = 0; kind < 3; kind++) {
		const bool visible = kind == 1;
		struct world world;
		uint32_t from, to;
		const struct vkr_engine_barrier_access accesses[2] = {
			{.source_accesses = visible ? TRANSFER_PUT : 0},
			{.source_accesses = TRANSFER_PUT,
			 .destination_accesses = TRANSFER_READ,
			 .memory = 1,
			 .bytes = 65536}};
		const struct vkr_engine_dependency dependency = {.source_stages = TRANSFER,
								 .destination_stages = TRANSFER,
								 .accesses = accesses,
								 .access_count = 2};
		world_begin(&world);
		from = world_command(&world, world.queue);
		OK(vkr_engine_dependencies(world.engine, world.queue, 5, &dependency, 1,
					   &world.error));
		to = world_command(&world, world.queue);
		for (uint32_t memory = 1; memory <= 2; memory++) {
			OK(vkr_engine_access_range(world.engine, from, world.copy_to, memory, 0, 64,
						   &world.error));
			OK(vkr_engine_access_range(world.engine, to,
						   kind == 2 ? world.copy_to : world.copy_from,
						   memory, 0, 64, &world.error));
			assert_int_equal(world.race_count, memory - 1);
		}
		expect_race(&world, visible ? VKR_RACE_INVISIBLE : VKR_RACE_UNAVAILABLE);
		world_end(&world);
	}
}

// Dependencies at one place do not chain with each other.
static void test_separate(void **state)
{
	const struct vkr_engine_barrier_access access = {.source_accesses = TRANSFER_PUT,
							 .destination_accesses = TRANSFER_READ};
	const struct vkr_engine_dependency two[2] = {{.source_stages = TRANSFER,
						      .destination_stages = HOST,
						      .accesses = &access,
						      .access_count = 1},
						     {.source_stages = HOST,
						      .destination_stages = TRANSFER,
						      .accesses = &access,
						      .access_count = 1}};
	(void)state;
	for (int together = 0; together < 2; together++) {
		struct world world;
		world_begin(&world);
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		OK(vkr_engine_dependencies(world.engine, world.queue, 1, two, together ? 2 : 1,
					   &world.error));
		if (!together)
			OK(vkr_engine_dependencies(world.engine, world.queue, 2, two + 1, 1,
						   &world.error));
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		assert_int_equal(world.race_count, together);
		world_end(&world);
	}
}

static void test_semaphore(void **state)
{
	(void)state;
	for (int wait = 0; wait < 2; wait++) {
		struct world world;
		uint32_t other;
		world_begin(&world);
		OK(vkr_engine_queue(world.engine, 1, &other, &world.error));
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		if (wait)
			world_pass(&world, world.queue, other, false);
		world_range(&world, other, world.copy_from, 1, 0, 64);
		if (wait) {
			expect_none(&world);
		} else {
			expect_race(&world, VKR_RACE_UNORDERED);
			assert_int_equal(world.races[0].shortfall, VKR_SHORT_NO_TOKEN);
		}
		world_end(&world);
	}
}

static void test_host_to_device(void **state)
{
	(void)state;
	for (uint32_t memory = 1; memory <= 2; memory++) {
		for (int step = 0; step < 3; step++) {
			struct world world;
			enum vkr_race_class expected =
				step == 0 ? VKR_RACE_UNORDERED : VKR_RACE_NONE;
			if (step == 1 && memory == 2)
				expected = VKR_RACE_DOMAIN;
			world_begin(&world);
			world_range(&world, world.thread, world.host_write, memory, 0, 64);
			if (step == 2)
				OK(vkr_engine_flush(world.engine, world.thread, memory, 0, 64,
						    &world.error));
			if (step)
				world_pass(&world, world.thread, world.queue, true);
			world_range(&world, world.queue, world.copy_from, memory, 0, 64);
			if (expected)
				expect_race(&world, expected);
			else
				expect_none(&world);
			world_end(&world);
		}
	}
}

static void test_device_to_host(void **state)
{
	(void)state;
	for (uint32_t memory = 1; memory <= 2; memory++) {
		for (int step = 0; step < 4; step++) {
			struct world world;
			// 0: nothing, 1: a fence, 2: a barrier to the host too, 3: invalidate too
			enum vkr_race_class expected = step == 0   ? VKR_RACE_UNORDERED
						       : step == 1 ? VKR_RACE_DOMAIN
								   : VKR_RACE_NONE;
			if (step == 2 && memory == 2)
				expected = VKR_RACE_DOMAIN;
			world_begin(&world);
			world_range(&world, world.queue, world.copy_to, memory, 0, 64);
			if (step >= 2)
				world_barrier(&world, TRANSFER, TRANSFER_PUT, HOST, HOST_READ);
			if (step)
				world_pass(&world, world.queue, world.thread, false);
			if (step == 3)
				OK(vkr_engine_invalidate(world.engine, world.thread, memory, 0, 64,
							 &world.error));
			world_range(&world, world.thread, world.host_read, memory, 0, 64);
			if (expected)
				expect_race(&world, expected);
			else
				expect_none(&world);
			world_end(&world);
		}
	}
}

static void test_memory_free(void **state)
{
	(void)state;
	for (int wait = 0; wait < 2; wait++) {
		struct world world;
		world_begin(&world);
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		if (wait)
			world_pass(&world, world.queue, world.thread, false);
		OK(vkr_engine_memory_free(world.engine, 1, world_command(&world, world.thread),
					  world.free_site, &world.error));
		if (wait)
			expect_none(&world);
		else
			expect_race(&world, VKR_RACE_FREE);
		world_end(&world);
	}
}

// Readers in two stages: a writer ordered after the newer one alone races with the older one.
static void test_every_reader(void **state)
{
	(void)state;
	for (uint64_t stages = TRANSFER; stages <= (TRANSFER | COMPUTE); stages++) {
		struct world world;
		uint32_t reader;
		world_begin(&world);
		reader = world_site(&world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 0, 0);
		world_range(&world, world.queue, reader, 1, 0, 64);
		world_range(&world, world.queue, world.copy_from, 1, 0, 64);
		world_barrier(&world, stages, 0, TRANSFER, 0);
		world_range(&world, world.queue, world.copy_to, 1, 0, 64);
		assert_int_equal(world.race_count, stages == TRANSFER);
		world_end(&world);
	}
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barrier_masks),
		cmocka_unit_test(test_many_commands),
		cmocka_unit_test(test_many_barriers),
		cmocka_unit_test(test_may_access),
		cmocka_unit_test(test_may_access_ranges),
		cmocka_unit_test(test_may_access_write),
		cmocka_unit_test(test_may_access_within),
		cmocka_unit_test(test_no_barrier),
		cmocka_unit_test(test_write_after_read),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_range_is_of_memory),
		cmocka_unit_test(test_separate),
		cmocka_unit_test(test_semaphore),
		cmocka_unit_test(test_host_to_device),
		cmocka_unit_test(test_device_to_host),
		cmocka_unit_test(test_memory_free),
		cmocka_unit_test(test_every_reader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
