// SPDX-License-Identifier: Apache-2.0
// Members of structs in an array, which are judged in rows: what one row decides at once must hold
// for each byte of each element. Random programs are fed twice, in rows and access by access, and
// then asked what is remembered of some words.
#include "control_barrier.h"
#include "engine_world.h"

#include <stdlib.h>

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
								 .destination_accesses =
									 SHADER_READ,
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

// ---- Random programs ----------------------------------------------------------------------------

#define KINDS  13u
#define READS  7u  // of these, the first ones
#define ASKED  24u // words
#define SHARED 2u  // workgroups

static const struct kind {
	uint64_t access;
	uint32_t flags, bytes;
} kinds[KINDS] = {
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 8},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 16},
	{SHADER_READ, VKR_ENGINE_READ, 4},
	{SHADER_READ, VKR_ENGINE_READ, 12},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE | VKR_ENGINE_LINKS, 8},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE | VKR_ENGINE_MAKE_AVAILABLE, 12},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 16},
	{SHADER_WRITE, VKR_ENGINE_WRITE, 4},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE | VKR_ENGINE_LINKS, 4},
	{SHADER_WRITE, VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC, 4},
};

static const struct vkr_engine_target targets[2] = {{1, 1, 0, 65536}, {1, 2, 0, 65536}};

// One world in rows, one access by access, which begin no rows.
struct two {
	struct world worlds[2];
	uint32_t sites[KINDS], ask[ASKED], may_read, other_queue;
	uint64_t random;
	uint32_t stride, kind, member; // of the last row
	uint32_t local_size;           // of some, rows go on beyond 64 elements of a page
	uint32_t order;                // one in this many commands comes after those before it
	uint32_t calm;                 // one in this many rows does anything, the others read
	bool reversed;                 // commands are fed in another order than they are in
};

static uint32_t below(struct two *two, uint32_t limit)
{
	return world_random(&two->random, limit);
}

static void begin(struct two *two)
{
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		world_begin(world);
		for (unsigned k = 0; k < KINDS; k++)
			two->sites[k] = world_site(world, COMPUTE, kinds[k].access, kinds[k].flags,
						   kinds[k].bytes, VKR_CLASS_UNIFORM);
		for (unsigned i = 0; i < ASKED; i++)
			two->ask[i] =
				world_site(world, TRANSFER, TRANSFER_PUT, VKR_ENGINE_WRITE, 0, 0);
		two->may_read = world_site(world, TRANSFER, TRANSFER_READ,
					   VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, 0, 0);
		OK(vkr_engine_queue(world->engine, 0, &two->other_queue, &world->error));
	}
}

// A member of some structs of the array, which lies across the end of a page.
static void random_row(struct two *two)
{
	const uint32_t any = below(two, two->calm) ? below(two, READS) : below(two, KINDS);
	if (below(two, 2)) {
		// What fills its struct is no row of members.
		two->kind = kinds[any].bytes < two->stride ? any : 0;
		two->member = below(two, 5) * 4;
	}
	const uint32_t first = 4096 - (12 - 2 * below(two, 3)) * two->stride;
	const struct vkr_engine_run run = {.site = two->sites[two->kind],
					   .count = below(two, 4) ? two->local_size : 5,
					   .stride = two->stride,
					   .offset = first + two->member,
					   .target = &targets[below(two, 8) == 0]};
	OK(vkr_engine_runs(two->worlds[0].engine, &run, 1, &two->worlds[0].error));
	for (uint32_t i = 0; i < run.count; i++) {
		const struct vkr_engine_run one = {run.site,  i, 1, 0, run.offset + i * two->stride,
						   run.target};
		OK(vkr_engine_runs(two->worlds[1].engine, &one, 1, &two->worlds[1].error));
	}
}

static void random_barrier(struct two *two)
{
	const uint8_t order = (uint8_t)(below(two, 4) ? 0xff : below(two, 256));
	for (unsigned w = 0; w < 2; w++)
		OK(control_barrier(two->worlds[w].engine, VKR_SCOPE_WORKGROUP, order,
				   VKR_CLASS_UNIFORM, &two->worlds[w].error));
}

static void random_part(struct two *two, const uint32_t *commands)
{
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_dispatch_begin(two->worlds[w].engine, commands[w], two->local_size, 0,
					     &two->worlds[w].error));
	for (uint32_t group = 0; group < SHARED; group++) {
		for (unsigned w = 0; w < 2; w++)
			OK(vkr_engine_workgroup(two->worlds[w].engine, group,
						&two->worlds[w].error));
		for (uint32_t step = below(two, 6); step > 0; step--) {
			random_row(two);
			if (below(two, 3) == 0)
				random_barrier(two);
		}
	}
	for (unsigned w = 0; w < 2; w++) {
		vkr_engine_dispatch_end(two->worlds[w].engine);
		vkr_engine_command_end(two->worlds[w].engine, commands[w]);
	}
}

static void random_order(struct two *two)
{
	const uint32_t unit = below(two, 2) ? 64 : 4;
	const struct vkr_engine_barrier_access access = {.source_accesses = UINT64_MAX,
							 .destination_accesses = UINT64_MAX,
							 .memory = below(two, 2),
							 .bytes = (3072 + below(two, 2048)) / unit *
								  unit};
	if (below(two, two->order) == 0)
		for (unsigned w = 0; w < 2; w++)
			world_memory_barrier(&two->worlds[w], ALL_STAGES, ALL_STAGES, &access);
	const uint32_t range = below(two, 32), at = below(two, 2048) * 4;
	for (unsigned w = 0; w < 2 && range < 5; w++) {
		struct world *world = &two->worlds[w];
		const uint32_t sites[] = {world->copy_to, world->copy_from, world->host_read,
					  world->host_write, two->may_read};
		const bool host = range == 2 || range == 3;
		world_range(world, host ? world->thread : world->queue, sites[range], 1,
			    range == 0 ? 0 : at, 8192);
		if (host)
			world_pass(world, world->thread, world->queue, true);
	}
}

// A command, or two, of which the later one may be fed first.
static void random_commands(struct two *two)
{
	uint32_t commands[2][2];
	const uint32_t count = below(two, 3) ? 1 : 2;
	for (uint32_t i = 0; i < count; i++) {
		random_order(two);
		for (unsigned w = 0; w < 2; w++)
			commands[i][w] = world_command(&two->worlds[w], two->worlds[w].queue);
	}
	for (uint32_t i = 0; i < count; i++)
		random_part(two, commands[two->reversed ? count - 1 - i : i]);
}

// What is remembered of some words, most often at the page's end, races with a write in no order
// with it.
static void ask(struct two *two)
{
	for (uint32_t i = 0; i < ASKED; i++) {
		const uint32_t all = (12 + two->local_size) * two->stride;
		const uint32_t at = below(two, 2)
					    ? 4096 - 12 * two->stride + below(two, all / 4) * 4
					    : 4096 - 64 + below(two, 32) * 4;
		for (unsigned w = 0; w < 2; w++)
			world_range(&two->worlds[w], two->other_queue, two->ask[i], 1, at, 4);
	}
}

static void free_memory(struct two *two)
{
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		OK(vkr_engine_memory_free(world->engine, 1, world_command(world, world->thread),
					  world->free_site, &world->error));
	}
}

// Of the same sites, and with the same example. Where a later command was fed first, an earlier
// one's reads may be forgotten for its own, or not: as the way in which they are judged has it.
static bool is_told(const struct two *two, unsigned w, const struct vkr_engine_race *race)
{
	const struct world *world = &two->worlds[w];
	for (uint32_t i = 0; i < world->race_count; i++) {
		const struct vkr_engine_race *x = &world->races[i];
		if (x->first.site == race->first.site && x->second.site == race->second.site &&
		    (two->reversed ||
		     (x->race_class == race->race_class && x->offset == race->offset &&
		      x->first.command == race->first.command &&
		      x->first.workgroup == race->first.workgroup &&
		      x->first.local == race->first.local &&
		      x->second.command == race->second.command &&
		      x->second.workgroup == race->second.workgroup &&
		      x->second.local == race->second.local)))
			return true;
	}
	return false;
}

static void compare(const struct two *two, uint64_t seed)
{
	for (unsigned w = 0; w < 2; w++) {
		assert_true(two->worlds[w].race_count < MOST_RACES);
		for (uint32_t i = 0; i < two->worlds[w].race_count; i++)
			if (!is_told(two, !w, &two->worlds[w].races[i]))
				fail_msg("seed %llu: race %u of %u and %u",
					 (unsigned long long)seed, i, two->worlds[0].race_count,
					 two->worlds[1].race_count);
	}
}

static void random_round(uint64_t seed)
{
	static const uint32_t strides[] = {16, 20, 32, 36, 80};
	struct two two = {.random = seed * 2654435761u + 88172645463325252u};
	begin(&two);
	two.stride = strides[below(&two, sizeof strides / sizeof *strides)];
	two.local_size = below(&two, 4) ? LOCAL_SIZE : 80;
	two.order = 1 + below(&two, 4);
	two.calm = 1 + below(&two, 4);
	two.reversed = below(&two, 3) == 0;
	for (uint32_t count = 2 + below(&two, 8); count > 0; count--)
		random_commands(&two);
	if (below(&two, 4))
		ask(&two);
	else
		free_memory(&two);
	compare(&two, seed);
	for (unsigned w = 0; w < 2; w++)
		world_end(&two.worlds[w]);
}

static void test_random(void **state)
{
	const char *given = getenv("VKR_TEST_SEED");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	(void)state;
	for (uint64_t seed = first; seed < first + (given ? 1 : 2000); seed++)
		random_round(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_range_ends_within_member),
					   cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
