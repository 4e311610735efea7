// SPDX-License-Identifier: Apache-2.0
// Mappings of a memory against a table with a line for each byte.
#include "engine_world.h"

#include "engine_state.h"
#include "filter_judge.h"
#include "shard.h"

#define BYTES 64u

struct byte {
	uint32_t memory;
	uint64_t to;
};

static uint32_t next(uint64_t *random, uint32_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % below;
}

// One to three parts, ascending, of which some are of no memory.
static size_t make_parts(uint64_t *random, struct vkr_mapping *parts, struct byte *table)
{
	const size_t count = 1 + next(random, 3);
	uint64_t low = 0;
	for (size_t at = 0; at < count; at++) {
		low += next(random, 12);
		parts[at] =
			(struct vkr_mapping){.low = low,
					     .high = low + 1 + next(random, 9),
					     .memory = next(random, 3) ? 2 + next(random, 2) : 0,
					     .to = next(random, 100)};
		low = parts[at].high;
		for (uint64_t byte = parts[at].low; byte < parts[at].high; byte++)
			table[byte] = (struct byte){parts[at].memory,
						    parts[at].to + (byte - parts[at].low)};
	}
	return count;
}

static void check(struct vkr_engine *engine, const struct byte *table)
{
	for (uint64_t at = 0; at < BYTES; at++) {
		struct vkr_engine_range range = {1, at, BYTES - at};
		vkr_engine_mapped(engine, &range);
		assert_true(range.bytes > 0 && range.bytes <= BYTES - at);
		for (uint64_t byte = 0; byte < range.bytes; byte++) {
			const struct byte *of = &table[at + byte];
			assert_int_equal(range.memory, of->memory == 0 ? 1 : of->memory);
			assert_int_equal(range.offset + byte,
					 of->memory == 0 ? at + byte : of->to + 0);
		}
		uint64_t back = range.offset;
		if (range.memory != 1) {
			assert_true(vkr_engine_unmapped(engine, 1, range.memory, &back));
			assert_int_equal(table[back].memory, range.memory);
			assert_int_equal(table[back].to, range.offset);
		}
	}
}

static void test_random(void **state)
{
	struct byte table[BYTES] = {{0}};
	struct world world;
	uint64_t random = 3;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_memory(world.engine, 1, BYTES, true, &world.error));
	for (int turn = 0; turn < 2000; turn++) {
		struct vkr_mapping parts[3];
		const size_t count = make_parts(&random, parts, table);
		OK(vkr_engine_map(world.engine, 1, parts, count, &world.error));
		check(world.engine, table);
	}
	world_end(&world);
}

// What is accessed in one memory is accessed in another, also by shaders, across its parts.
static void test_accesses(void **state)
{
	struct world world;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_memory(world.engine, 2, 4096, true, &world.error));
	const struct vkr_mapping parts[] = {{8, 16, 2, 100}, {16, 24, 2, 200}};
	OK(vkr_engine_map(world.engine, 1, parts, 2, &world.error));
	const struct vkr_engine_target target = {1, 1, 0, 64};
	const struct vkr_engine_run run = {world.store, 0, 6, 4, 4, &target};
	const uint32_t command = world_command(&world, world.queue);
	OK(vkr_engine_dispatch_begin(world.engine, command, 8, 0, &world.error));
	OK(vkr_engine_workgroup(world.engine, 0, &world.error));
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	vkr_engine_dispatch_end(world.engine);
	vkr_engine_command_end(world.engine, command);
	world_range(&world, world.queue, world.copy_to, 2, 0, 104);
	assert_int_equal(world.race_count, 1);
	assert_int_equal(world.races[0].memory, 2);
	assert_int_equal(world.races[0].offset, 100);
	world_range(&world, world.queue, world.copy_from, 1, 16, 4);
	assert_int_equal(world.race_count, 2);
	assert_int_equal(world.races[1].offset, 200);
	world_end(&world);
}

static void write_by_shader(struct world *world, uint32_t site, uint64_t offset)
{
	const struct vkr_engine_target target = {2, 1, offset, 4};
	const struct vkr_engine_run run = {.site = site, .count = 1, .target = &target};
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, 1, 0, &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

// Notes reads of four words, by four invocations of the second workgroup.
static void note_reads(struct vkr_access_filters *filters, uint32_t site,
		       const struct vkr_engine_target *target)
{
	const struct vkr_engine_run like = {.site = site, .target = target};
	assert_true(vkr_access_filters_begin(filters, 1));
	const uint32_t at = vkr_access_filter(filters, 0, &like, 4, 2);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(vkr_access_filter_note(filters, &filters->items[at],
							UINT64_C(4) * i, 4 + i),
				 VKR_FILTER_NOTED);
}

static enum vkr_race_class no_race(void *context, const struct vkr_engine_race *candidate)
{
	(void)context;
	(void)candidate;
	return VKR_RACE_NONE;
}

// Reads that were noted are judged, and looked at, where they are mapped to.
static void test_noted_reads(void **state)
{
	const struct vkr_mapping parts[] = {{8, 16, 2, 100}, {16, 24, 2, 200}};
	const struct vkr_engine_target target = {1, 1, 4, 32};
	struct vkr_access_filters filters = {0};
	struct vkr_shard shard = {.count = 2};
	struct world world;
	bool apart = false;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_map(world.engine, 1, parts, 2, &world.error));
	const uint32_t asked = VKR_ENGINE_ASK | VKR_ENGINE_NONPRIVATE;
	const uint32_t load = world_site(&world, COMPUTE, SHADER_READ, VKR_ENGINE_READ | asked, 4,
					 VKR_CLASS_UNIFORM);
	const uint32_t store = world_site(&world, COMPUTE, SHADER_WRITE, VKR_ENGINE_WRITE | asked,
					  4, VKR_CLASS_UNIFORM);
	write_by_shader(&world, store, 104);
	const uint32_t command = world_command(&world, world.queue);
	OK(vkr_engine_dispatch_begin(world.engine, command, 4, 0, &world.error));
	note_reads(&filters, load, &target);
	world.engine->options.ask = no_race;
	world.engine->options.shard = &shard;
	OK(vkr_filters_apart(world.engine, &filters, &apart, &world.error));
	assert_true(apart);
	assert_true(shard.together); // other parts may not see it
	world.engine->options.shard = NULL;
	world.engine->options.ask = NULL;
	OK(vkr_filters_apart(world.engine, &filters, &apart, &world.error));
	assert_false(apart);
	OK(vkr_filters_judge(world.engine, &filters, &world.error));
	assert_int_equal(world.race_count, 1);
	assert_int_equal(world.races[0].memory, 2);
	assert_int_equal(world.races[0].offset, 104);
	assert_int_equal(world.races[0].second.workgroup, 1);
	assert_int_equal(world.races[0].second.local, 2);
	assert_int_equal(vkr_engine_accesses(world.engine), 5);
	vkr_engine_dispatch_end(world.engine);
	vkr_engine_command_end(world.engine, command);
	vkr_access_filters_finish(&filters);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_noted_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
