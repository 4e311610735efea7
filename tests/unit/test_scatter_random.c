// SPDX-License-Identifier: Apache-2.0
// Random dispatches fed twice: as lists and runs, which are judged fast, and access by access in
// pieces of bytes, which are not. Knows only the engine's interface; the races must be the same.
#include "control_barrier.h"
#include "engine_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LOCAL_SIZE  8u
#define WORKGROUPS  3u
#define SITE_KINDS  11u
#define TARGET_MOST 6u

struct kind {
	uint64_t access;
	uint32_t flags, bytes;
	uint8_t scope;
};

static const struct kind kinds[SITE_KINDS] = {
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4, 0},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4, 0},
	{SHADER_READ, VKR_ENGINE_READ, 4, 0},
	{SHADER_WRITE, VKR_ENGINE_WRITE, 8, 0},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 8, 0},
	{SHADER_WRITE, VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC, 4,
	 VKR_SCOPE_QUEUE_FAMILY},
	{SHADER_WRITE, VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC, 4,
	 VKR_SCOPE_WORKGROUP},
	{SHADER_WRITE, VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC, 8,
	 VKR_SCOPE_WORKGROUP},
	{SHADER_WRITE, VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC, 4,
	 VKR_SCOPE_SUBGROUP},
	{SHADER_READ, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 16, 0},
	{SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 12, 0},
};

static const struct vkr_engine_target targets[TARGET_MOST] = {{1, 1, 0, 65536 * 4},
							      {1, 2, 64, 65536},
							      {1, 6, 64, 65536},
							      {2, 3, 0, 4096},
							      {VKR_ENGINE_WORKGROUP, 4, 0, 128},
							      {VKR_ENGINE_WORKGROUP, 5, 128, 128}};

// One world as it is, one in pieces.
struct two {
	struct world worlds[2];
	uint32_t sites[2][SITE_KINDS][2]; // by storage class: buffers, workgroup memory
	uint64_t random;
	uint32_t spread;     // words from one place to the next
	uint32_t workgroups; // of a dispatch
	uint32_t stride;     // of an array of structs that most accesses are to members of; 0: none
	bool ordered;        // no dispatch races with another
	bool loops;
	uint32_t subgroup_size;
	bool settles; // no access to workgroup memory is private
};

static void add_sites(struct two *two, unsigned w)
{
	struct world *world = &two->worlds[w];
	OK(vkr_engine_memory_free(world->engine, 1, world_command(world, world->thread),
				  world->free_site, &world->error));
	OK(vkr_engine_memory(world->engine, 1, 65536 * 4, true, &world->error));
	// Never used. Where it is private, nothing in workgroup memory is put off or forgotten.
	world_site(world, COMPUTE, SHADER_READ,
		   VKR_ENGINE_READ | (w == 0 ? VKR_ENGINE_NONPRIVATE : 0), 4, VKR_CLASS_WORKGROUP);
	for (unsigned k = 0; k < SITE_KINDS; k++) {
		const struct vkr_piece pieces[2] = {{0, 1}, {1, kinds[k].bytes - 1}};
		for (unsigned shared = 0; shared < 2; shared++) {
			const struct vkr_engine_site site = {
				.stage = COMPUTE,
				.access = kinds[k].access,
				.flags = kinds[k].flags |
					 (shared && two->settles ? VKR_ENGINE_NONPRIVATE : 0),
				.bytes = kinds[k].bytes,
				.pieces = w ? pieces : NULL,
				.piece_count = w ? 2 : 0,
				.storage_class = shared ? VKR_CLASS_WORKGROUP : VKR_CLASS_UNIFORM,
				.scope = kinds[k].scope};
			OK(vkr_engine_site_add(world->engine, &site, &two->sites[w][k][shared],
					       &world->error));
		}
	}
}

static uint32_t below(struct two *two, uint32_t limit)
{
	return world_random(&two->random, limit);
}

// Few places, in few lines of two pages, or in many.
static uint32_t any_offset(struct two *two, uint32_t bytes, bool shared)
{
	const uint32_t place =
		below(two, shared ? 24 : 32) * 4 / bytes * bytes * (shared ? 1 : two->spread);
	return shared || below(two, 4) ? place : place + 4096;
}

static void feed_list(struct two *two, unsigned w, uint32_t site, uint32_t local, uint32_t count,
		      const uint32_t *offsets, const struct vkr_engine_target *target)
{
	struct world *world = &two->worlds[w];
	for (uint32_t at = 0; at < count; at += w ? 1 : count) {
		const struct vkr_engine_scatter scatter = {.site = site,
							   .local = local + at,
							   .count = w ? 1 : count,
							   .offsets = offsets + at,
							   .target = target};
		OK(vkr_engine_scatter(world->engine, &scatter, &world->error));
	}
}

// A member of some structs of the array, which lies across the end of a page.
static void random_members(struct two *two)
{
	const uint32_t k = below(two, SITE_KINDS), t = below(two, 3);
	const uint32_t local = below(two, 4), count = LOCAL_SIZE - local - below(two, 2) * 3;
	const uint32_t first = 4096 - 12 * two->stride + below(two, 24) / 2 * two->stride;
	const uint32_t member = below(two, 5) * 4, backward = below(two, 8) == 0;
	const struct vkr_engine_run run = {0,
					   local,
					   count,
					   backward ? -(int64_t)two->stride : two->stride,
					   first + member + (backward ? count * two->stride : 0),
					   &targets[t]};
	uint32_t offsets[LOCAL_SIZE];
	for (uint32_t i = 0; i < count; i++)
		offsets[i] = (uint32_t)(run.offset + (uint64_t)run.stride * i);
	for (unsigned w = 0; w < 2; w++) {
		struct vkr_engine_run own = run;
		own.site = two->sites[w][k][0];
		if (w == 0)
			OK(vkr_engine_runs(two->worlds[w].engine, &own, 1, &two->worlds[w].error));
		else
			feed_list(two, w, own.site, local, count, offsets, &targets[t]);
	}
}

static void random_accesses(struct two *two)
{
	static const int32_t strides[] = {0, 4, 8, 16, 32, 64, -4, -8, 20, 36, 80, -32};
	const uint32_t k = below(two, SITE_KINDS), t = below(two, TARGET_MOST);
	const uint32_t local = below(two, LOCAL_SIZE), count = 1 + below(two, LOCAL_SIZE - local);
	const bool shared = targets[t].memory == VKR_ENGINE_WORKGROUP, runs = below(two, 2);
	const int32_t stride = strides[below(two, sizeof strides / sizeof *strides)];
	uint32_t offsets[LOCAL_SIZE], first = any_offset(two, kinds[k].bytes, shared);

	if (runs && stride < 0)
		first += LOCAL_SIZE * (uint32_t)-stride;
	for (uint32_t i = 0; i < count; i++)
		offsets[i] = runs ? first + (uint32_t)stride * i
				  : any_offset(two, kinds[k].bytes, shared);
	for (unsigned w = 0; w < 2; w++) {
		const uint32_t site = two->sites[w][k][shared];
		const struct vkr_engine_run run = {site, local, count, stride, first, &targets[t]};
		if (runs && w == 0)
			OK(vkr_engine_runs(two->worlds[w].engine, &run, 1, &two->worlds[w].error));
		else
			feed_list(two, w, site, local, count, offsets, &targets[t]);
	}
}

// Reads and writes by some invocations, without a pattern.
static void random_listed(struct two *two)
{
	const uint32_t k = below(two, SITE_KINDS), t = below(two, TARGET_MOST);
	const bool shared = targets[t].memory == VKR_ENGINE_WORKGROUP;
	uint32_t offsets[LOCAL_SIZE], locals[LOCAL_SIZE], count = 0;
	for (uint32_t local = below(two, 8); local < LOCAL_SIZE; local += 1 + below(two, 4)) {
		locals[count] = local;
		offsets[count++] = any_offset(two, kinds[k].bytes, shared);
	}
	for (unsigned w = 0; w < 2; w++)
		for (uint32_t at = 0; at < count; at += w ? 1 : count) {
			const struct vkr_engine_scatter scatter = {.site = two->sites[w][k][shared],
								   .count = w ? 1 : count,
								   .locals = locals + at,
								   .offsets = offsets + at,
								   .target = &targets[t]};
			OK(vkr_engine_scatter(two->worlds[w].engine, &scatter,
					      &two->worlds[w].error));
		}
}

// Runs of few invocations each, as those are who go another way than their neighbours.
static void random_parted(struct two *two)
{
	enum { RUNS = 12 };
	static const uint32_t strides[] = {0, 4, 8, 16, 32};
	struct vkr_engine_run runs[RUNS];
	const uint32_t k = below(two, SITE_KINDS), t = below(two, TARGET_MOST);
	const bool shared = targets[t].memory == VKR_ENGINE_WORKGROUP;
	for (uint32_t at = 0; at < RUNS; at++) {
		const uint32_t local = below(two, LOCAL_SIZE);
		runs[at] = (struct vkr_engine_run){
			.site = two->sites[0][k][shared],
			.local = local,
			.count = local + 1 < LOCAL_SIZE && below(two, 3) == 0 ? 2 : 1,
			.stride = strides[below(two, sizeof strides / sizeof *strides)],
			.offset = any_offset(two, kinds[k].bytes, shared),
			.target = &targets[t]};
	}
	OK(vkr_engine_runs(two->worlds[0].engine, runs, RUNS, &two->worlds[0].error));
	for (uint32_t at = 0; at < RUNS; at++) {
		const uint32_t first = (uint32_t)runs[at].offset;
		const uint32_t offsets[2] = {first, first + (uint32_t)runs[at].stride};
		feed_list(two, 1, two->sites[1][k][shared], runs[at].local, runs[at].count, offsets,
			  &targets[t]);
	}
}

// The turns of a loop, of one site or of several: together, and one by one.
static void random_turns(struct two *two)
{
	enum { SITES = 3, TURNS = 8 };
	static const uint32_t strides[] = {4, 8, 16, 16, 24, 32, 64};
	struct vkr_engine_run runs[2][SITES * TURNS];
	const uint32_t sites = 1 + below(two, SITES), turns = 2 + below(two, TURNS - 1);
	uint32_t count = 0;
	for (uint32_t s = 0; s < sites; s++) {
		const uint32_t k = below(two, SITE_KINDS), t = below(two, TARGET_MOST);
		const uint32_t local = below(two, LOCAL_SIZE);
		const bool shared = targets[t].memory == VKR_ENGINE_WORKGROUP;
		const int64_t stride = strides[below(two, sizeof strides / sizeof *strides)];
		const uint64_t first = any_offset(two, kinds[k].bytes, shared) & ~63u;
		const uint32_t step = below(two, 4) ? kinds[k].bytes : 4 * below(two, 4);
		for (uint32_t turn = 0; turn < turns; turn++, count++) {
			const struct vkr_engine_run run = {
				.local = local,
				.count = 1 + (local == 0 ? LOCAL_SIZE - 1 : 2),
				.stride = stride,
				.offset = first + (uint64_t)step * turn,
				.target = &targets[t]};
			for (unsigned w = 0; w < 2; w++) {
				runs[w][turn * sites + s] = run;
				runs[w][turn * sites + s].site = two->sites[w][k][shared];
			}
		}
	}
	OK(vkr_engine_runs(two->worlds[0].engine, runs[0], count, &two->worlds[0].error));
	for (uint32_t at = 0; at < count; at++) {
		const struct vkr_engine_run *run = &runs[1][at];
		uint32_t offsets[LOCAL_SIZE];
		for (uint32_t i = 0; i < run->count; i++)
			offsets[i] = (uint32_t)(run->offset + (uint64_t)run->stride * i);
		feed_list(two, 1, run->site, run->local, run->count, offsets, run->target);
	}
}

static void random_barrier(struct two *two)
{
	const uint8_t order = (uint8_t)(below(two, 4) ? 0xff : below(two, 256));
	const uint8_t classes = below(two, 3)   ? VKR_CLASS_WORKGROUP | VKR_CLASS_UNIFORM
				: below(two, 3) ? VKR_CLASS_WORKGROUP
						: VKR_CLASS_UNIFORM;
	for (unsigned w = 0; w < 2; w++)
		OK(control_barrier(two->worlds[w].engine, VKR_SCOPE_WORKGROUP, order, classes,
				   &two->worlds[w].error));
}

static void random_dispatch(struct two *two)
{
	uint32_t commands[2];
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		commands[w] = world_command(world, world->queue);
		OK(vkr_engine_dispatch_begin(world->engine, commands[w], LOCAL_SIZE, 256,
					     &world->error));
		vkr_engine_subgroups(world->engine, two->subgroup_size);
	}
	for (uint32_t g = 0; g < two->workgroups; g++) {
		for (unsigned w = 0; w < 2; w++)
			OK(vkr_engine_workgroup(two->worlds[w].engine, g, &two->worlds[w].error));
		for (uint32_t step = 0; step < 5; step++) {
			if (below(two, 3) == 0)
				random_barrier(two);
			if (two->stride != 0 && below(two, 6))
				random_members(two);
			else if (two->loops && below(two, 2))
				random_turns(two);
			else if (below(two, 3) == 0)
				random_parted(two);
			else if (below(two, 4) == 0)
				random_listed(two);
			else
				random_accesses(two);
		}
	}
	for (unsigned w = 0; w < 2; w++) {
		vkr_engine_dispatch_end(two->worlds[w].engine);
		vkr_engine_command_end(two->worlds[w].engine, commands[w]);
	}
}

// Orders a part of the memory, which begins or ends where a line does as often as not.
static void ranged_barrier(struct two *two)
{
	const uint32_t unit = below(two, 2) ? 64 : 4, first = below(two, 4) ? 0 : below(two, 2048);
	const struct vkr_engine_barrier_access access = {.source_accesses = UINT64_MAX,
							 .destination_accesses = UINT64_MAX,
							 .memory = 1,
							 .offset = first / unit * unit,
							 .bytes = (3072 + below(two, 2048)) / unit *
								  unit};
	for (unsigned w = 0; w < 2; w++)
		world_memory_barrier(&two->worlds[w], ALL_STAGES, ALL_STAGES, &access);
}

static void random_between(struct two *two)
{
	const uint32_t what = two->ordered ? 3 : below(two, 5), offset = below(two, 32) * 4;
	if (what == 4) {
		ranged_barrier(two);
		return;
	}
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		if (what == 0)
			world_range(world, world->queue, world->copy_to, 1, offset, 4096);
		else if (what == 1)
			world_range(world, world->thread, world->host_write, 1, offset, 100);
		else if (what == 2)
			world_pass(world, world->thread, world->queue, true);
		else
			world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
	}
}

static bool is_wide(const struct two *two, uint32_t site)
{
	for (unsigned k = 0; k < SITE_KINDS; k++) {
		const uint32_t *sites = two->sites[0][k];
		if (site == sites[0] || site == sites[1])
			return kinds[k].bytes > 4;
	}
	return true; // a range
}

// The pair of sites and its first example. Of accesses in pieces the races of several are told as
// one, so that these are not counted alike, nor, of more than a word, in the same order: the last
// writes of all bytes are asked about first, then what has been accessed since, but of the first
// piece both are before the second piece. So another one of several races of a pair may be its
// example where a write has not taken an older one's place, which seldom happens: then even the
// commands differ. Of runs, too. The turns of loops are not taken in the same order, so that the
// first example is another one.
static bool is_told(const struct two *two, const struct vkr_engine_race *race, bool exactly)
{
	const struct world *by = &two->worlds[1];
	const bool wide = is_wide(two, race->first.site) || is_wide(two, race->second.site);
	for (uint32_t i = 0; i < by->race_count; i++) {
		const struct vkr_engine_race *x = &by->races[i];
		if (x->race_class == race->race_class && x->first.site == race->first.site &&
		    x->second.site == race->second.site &&
		    (!exactly ||
		     (x->memory == race->memory && x->first.command == race->first.command &&
		      x->second.command == race->second.command)) &&
		    (wide || !exactly ||
		     (x->first.workgroup == race->first.workgroup &&
		      x->first.local == race->first.local &&
		      x->second.workgroup == race->second.workgroup &&
		      x->second.local == race->second.local)))
			return true;
	}
	return false;
}

// Of a run the races with what has outlived a write are told behind the others.
struct tally {
	uint32_t told, otherwise;
};

static void compare(const struct two *two, uint64_t seed, struct tally *tally)
{
	const struct world *fast = &two->worlds[0], *slow = &two->worlds[1];
	assert_true(fast->race_count < MOST_RACES);
	if (fast->race_count != slow->race_count)
		fail_msg("seed %llu: %u and %u races", (unsigned long long)seed, fast->race_count,
			 slow->race_count);
	for (uint32_t i = 0; i < fast->race_count; i++) {
		const struct vkr_engine_race *race = &fast->races[i];
		if (!is_told(two, race, false))
			fail_msg("seed %llu: sites %u and %u", (unsigned long long)seed,
				 race->first.site, race->second.site);
		tally->told += !two->loops;
		tally->otherwise += !two->loops && !is_told(two, race, true);
	}
}

static bool round_of(uint64_t seed, struct tally *tally)
{
	static const uint32_t strides[] = {16, 20, 32, 36, 80};
	struct two two = {.random = seed * 2654435761u + 88172645463325252u,
			  .settles = seed % 2 == 0};
	for (unsigned w = 0; w < 2; w++) {
		world_begin(&two.worlds[w]);
		add_sites(&two, w);
	}
	two.spread = below(&two, 2) ? 16 : 1;
	two.workgroups = below(&two, 2) ? WORKGROUPS : 1;
	two.ordered = below(&two, 2);
	two.loops = below(&two, 2);
	two.stride = below(&two, 3) ? 0 : strides[below(&two, sizeof strides / sizeof *strides)];
	two.subgroup_size = below(&two, 2) * 4;
	const uint32_t dispatches = 1 + below(&two, two.spread == 1 ? 4 : 24);
	for (uint32_t at = 0; at < dispatches; at++) {
		if (two.ordered)
			random_between(&two);
		while (below(&two, 3))
			random_between(&two);
		random_dispatch(&two);
	}
	compare(&two, seed, tally);
	const bool raced = two.worlds[0].race_count != 0;
	for (unsigned w = 0; w < 2; w++)
		world_end(&two.worlds[w]);
	return raced;
}

static void test_random(void **state)
{
	const char *given = getenv("VKR_TEST_SEED");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	uint32_t raced = 0;
	struct tally tally = {0};
	(void)state;
	for (uint64_t seed = first; seed < first + (given ? 1 : 2000); seed++)
		raced += round_of(seed, &tally);
	assert_true(given || raced > 100);
	assert_true(tally.otherwise <= tally.told / 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
