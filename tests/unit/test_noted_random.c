// SPDX-License-Identifier: Apache-2.0
// Random dispatches that read one memory and write another one, between random ranges, barriers and
// dependencies, with reads that are noted (noted_reads.h) and with reads that are judged as they
// come. Both must tell the same races, as often, and so must a part of memory (shard.h). Knows only
// the engine's interface.
#include "engine_parts.h"
#include "engine_world.h"

#include "shard.h"
#include "workgroup_reads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_SIZE 24u // whose number needs a bit more
#define WORKGROUPS 40u
#define BYTES      40960u
#define READS      7u // kinds of sites that read
#define ROWS_MOST  6u // of a workgroup, at each of its sites
#define PROBES     32u
#define EPOCHS     4096u // as many as are collected at once
#define CALLS_MOST 128u  // of a workgroup
#define RUNS_MOST  6u    // of a call

static const uint32_t site_bytes[READS] = {4, 16, 1, 12, 8, 36, 2};

// What a workgroup is fed: runs, or a list where there are none.
struct call {
	struct vkr_engine_run runs[RUNS_MOST];
	uint32_t count;
	struct vkr_engine_scatter list;
	uint32_t offsets[LOCAL_SIZE];
};

struct two {
	struct world worlds[2];
	uint32_t reads[READS], writes[2]; // the same in both
	uint64_t random;
	struct vkr_shard shards[2]; // of each world, where parts are judged
	struct call calls[CALLS_MOST];
	uint32_t call_count; // of the first workgroup
	bool keeps_calls;
	struct vkr_workgroup_reads alike;
};

static const struct vkr_engine_target from[] = {
	{1, 1, 0, 65536}, {1, 1, 64, 40000}, {1, 2, 4100, 50002}};
static const struct vkr_engine_target to = {2, 3, 0, 65536};

static uint32_t below(struct two *two, uint32_t limit)
{
	return world_random(&two->random, limit);
}

static void add_sites(struct two *two)
{
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		for (uint32_t kind = 0; kind < READS; kind++)
			two->reads[kind] = world_site(world, COMPUTE, SHADER_READ, VKR_ENGINE_READ,
						      site_bytes[kind], VKR_CLASS_UNIFORM);
		for (uint32_t kind = 0; kind < 2; kind++)
			two->writes[kind] = world_site(world, COMPUTE, SHADER_WRITE,
						       VKR_ENGINE_WRITE, 4, VKR_CLASS_UNIFORM);
	}
}

// How a site's reads lie in one dispatch.
struct layout {
	const struct vkr_engine_target *target;
	uint32_t kind, pattern, stride, first, pitch;
};

static struct layout random_layout(struct two *two)
{
	static const uint32_t strides[] = {0, 0, 16, 20, 32, 48, 80, 256, 1024};
	struct layout layout = {.target = &from[below(two, 3)],
				.kind = below(two, READS),
				.pattern = below(two, 5)};
	const uint32_t bytes = site_bytes[layout.kind];
	layout.stride = strides[below(two, 9)];
	if (layout.stride < bytes)
		layout.stride = bytes;
	layout.first = below(two, 3) ? 0 : bytes * below(two, 200);
	layout.pitch = layout.stride * (below(two, 2) ? LOCAL_SIZE : 1 + below(two, 60));
	return layout;
}

static void feed_run(struct two *two, const struct layout *layout, uint32_t local, uint32_t count,
		     uint64_t offset, int64_t stride)
{
	struct vkr_engine_run runs[RUNS_MOST];
	const uint32_t turns = 1 + below(two, 3);
	// Every other one by invocations further on, which read what the first ones read next.
	const uint32_t rows = local + count < LOCAL_SIZE ? 1 + below(two, 2) : 1;
	for (uint32_t at = 0; at < turns * rows; at++)
		runs[at] = (struct vkr_engine_run){.site = two->reads[layout->kind],
						   .local = local + at % rows,
						   .count = count,
						   .stride = stride,
						   .offset = offset +
							     (uint64_t)(at / rows + at % rows) *
								     site_bytes[layout->kind],
						   .target = layout->target};
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_runs(two->worlds[w].engine, runs, turns * rows,
				   &two->worlds[w].error));
	if (!two->keeps_calls)
		return;
	struct call *call = &two->calls[two->call_count++];
	call->count = turns * rows;
	memcpy(call->runs, runs, call->count * sizeof *runs);
}

static void feed_list(struct two *two, const struct layout *layout, uint32_t local, uint32_t count)
{
	uint32_t offsets[LOCAL_SIZE];
	const uint32_t unit = below(two, 8) ? site_bytes[layout->kind] : 1;
	for (uint32_t at = 0; at < count; at++)
		offsets[at] = unit * below(two, BYTES / unit);
	const struct vkr_engine_scatter list = {.site = two->reads[layout->kind],
						.local = local,
						.count = count,
						.offsets = offsets,
						.target = layout->target};
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_scatter(two->worlds[w].engine, &list, &two->worlds[w].error));
	if (!two->keeps_calls)
		return;
	struct call *call = &two->calls[two->call_count++];
	*call = (struct call){.list = list};
	memcpy(call->offsets, offsets, count * sizeof *offsets);
	call->list.offsets = call->offsets;
}

static void random_reads(struct two *two, const struct layout *layout, uint32_t workgroup)
{
	const uint32_t rows = 1 + below(two, ROWS_MOST);
	for (uint32_t row = 0; row < rows; row++) {
		const uint32_t local = below(two, 4) ? 0 : below(two, LOCAL_SIZE);
		const uint32_t count = 1 + (below(two, 3) ? LOCAL_SIZE - local - 1
							  : below(two, LOCAL_SIZE - local));
		const uint64_t offset =
			layout->first + (uint64_t)(workgroup * rows + row) * layout->pitch % BYTES;
		if (layout->pattern < 2)
			feed_run(two, layout, local, count, offset, layout->stride);
		else if (layout->pattern == 2)
			feed_run(two, layout, local, count,
				 layout->first + below(two, 4) * (uint64_t)16, 0);
		else if (layout->pattern == 3)
			feed_run(two, layout, local, count,
				 offset + (uint64_t)layout->stride * (count - 1),
				 -(int64_t)layout->stride);
		else
			feed_list(two, layout, local, count);
	}
}

static void random_writes(struct two *two, uint32_t workgroup)
{
	const struct vkr_engine_run run = {.site = two->writes[below(two, 2)],
					   .count = LOCAL_SIZE,
					   .stride = 4,
					   .offset = (uint64_t)workgroup * LOCAL_SIZE * 4,
					   .target = &to};
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_runs(two->worlds[w].engine, &run, 1, &two->worlds[w].error));
}

static void random_workgroup(struct two *two, const struct layout *layouts, uint32_t count,
			     uint32_t workgroup)
{
	const uint32_t intervals = 1 + below(two, 3);
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_workgroup(two->worlds[w].engine, workgroup, &two->worlds[w].error));
	for (uint32_t interval = 0; interval < intervals; interval++) {
		const struct vkr_engine_barrier barrier = {VKR_CLASS_UNIFORM, VKR_CLASS_UNIFORM,
							   VKR_CLASS_UNIFORM};
		for (unsigned w = 0; w < 2 && interval > 0; w++)
			OK(vkr_engine_barrier(two->worlds[w].engine, &barrier,
					      &two->worlds[w].error));
		for (uint32_t at = 0; at < count; at++)
			random_reads(two, &layouts[at], workgroup);
		if (below(two, 2))
			random_writes(two, workgroup);
	}
}

static void feed_call(struct world *world, const struct call *call, uint64_t distance)
{
	struct call moved = *call;
	for (uint32_t at = 0; at < call->count; at++)
		moved.runs[at].offset += distance;
	for (uint32_t at = 0; at < call->list.count; at++)
		moved.offsets[at] += (uint32_t)distance;
	moved.list.offsets = moved.offsets;
	if (call->count > 0)
		OK(vkr_engine_runs(world->engine, moved.runs, call->count, &world->error));
	else
		OK(vkr_engine_scatter(world->engine, &moved.list, &world->error));
}

static void collect_calls(struct two *two)
{
	struct vkr_engine *engine = two->worlds[0].engine;
	assert_true(vkr_workgroup_reads_begin(&two->alike));
	for (uint32_t at = 0; at < two->call_count; at++) {
		const struct call *call = &two->calls[at];
		assert_true(call->count > 0
				    ? vkr_workgroup_reads_runs(&two->alike, engine, call->runs,
							       call->count)
				    : vkr_workgroup_reads_list(&two->alike, engine, &call->list));
	}
	assert_true(vkr_workgroup_reads_end(&two->alike));
}

// A workgroup that reads as the first one did, further on: together where that is possible, and
// singly in the other world.
static void workgroup_alike(struct two *two, uint32_t workgroup, uint64_t distance)
{
	bool taken[READS] = {0};
	for (unsigned w = 0; w < 2; w++)
		OK(vkr_engine_workgroup(two->worlds[w].engine, workgroup, &two->worlds[w].error));
	for (size_t at = 0; at < two->alike.count; at++) {
		const struct vkr_site_reads *of = &two->alike.items[at];
		uint32_t kind = 0;
		while (two->reads[kind] != of->site)
			kind++;
		OK(vkr_workgroup_reads_note(&two->alike, of, of->low + distance,
					    two->worlds[0].engine, &taken[kind],
					    &two->worlds[0].error));
	}
	for (uint32_t at = 0; at < two->call_count; at++) {
		const struct call *call = &two->calls[at];
		const uint32_t site = call->count > 0 ? call->runs[0].site : call->list.site;
		uint32_t kind = 0;
		while (two->reads[kind] != site)
			kind++;
		if (!taken[kind])
			feed_call(&two->worlds[0], call, distance);
		feed_call(&two->worlds[1], call, distance);
	}
}

static uint64_t accesses_of(const struct world *world)
{
	struct vkr_engine_statistics statistics;
	vkr_engine_statistics(world->engine, &statistics);
	return statistics.accesses;
}

static void random_dispatch(struct two *two)
{
	const uint32_t count = 1 + below(two, 4);
	struct layout layouts[4];
	uint32_t commands[2];
	for (uint32_t at = 0; at < count; at++) {
		layouts[at] = random_layout(two);
		for (uint32_t other = 0; other < at; other++)
			if (layouts[other].kind == layouts[at].kind)
				layouts[at].target = layouts[other].target;
	}
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		commands[w] = world_command(world, world->queue);
		OK(vkr_engine_dispatch_begin(world->engine, commands[w], LOCAL_SIZE, 0,
					     &world->error));
	}
	for (uint32_t at = 0; at < count; at++)
		OK(vkr_engine_note_reads(two->worlds[0].engine, two->reads[layouts[at].kind],
					 layouts[at].target, &two->worlds[0].error));
	const uint32_t workgroups = 1 + below(two, WORKGROUPS);
	const bool divided = below(two, 2);
	for (unsigned w = 0; w < 2 && divided; w++) {
		struct vkr_engine_workgroups own;
		vkr_engine_divide(two->worlds[w].engine, 0, workgroups, &own);
	}
	const bool alike = two->shards[0].count == 1 && below(two, 3) == 0;
	const uint64_t further = below(two, 2) ? 144 * below(two, 4) : below(two, 600);
	two->call_count = 0;
	for (uint32_t workgroup = 0; workgroup < workgroups; workgroup++) {
		two->keeps_calls = alike && workgroup == 0;
		if (alike && workgroup == 1)
			collect_calls(two);
		if (alike && workgroup > 0)
			workgroup_alike(two, workgroup, further * workgroup);
		else
			random_workgroup(two, layouts, count, workgroup);
	}
	OK(vkr_engine_judge_noted(two->worlds[0].engine, &two->worlds[0].error));
	for (unsigned w = 0; w < 2; w++) {
		vkr_engine_dispatch_end(two->worlds[w].engine);
		vkr_engine_command_end(two->worlds[w].engine, commands[w]);
	}
	assert_int_equal(accesses_of(&two->worlds[0]), accesses_of(&two->worlds[1]));
}

static void random_between(struct two *two)
{
	const uint32_t what = below(two, 8), memory = 1 + below(two, 2);
	const uint32_t offset = below(two, BYTES), bytes = 1 + below(two, 20000);
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		if (what == 0)
			world_range(world, world->queue, world->copy_from, memory, offset, bytes);
		else if (what == 1)
			world_range(world, world->queue, world->copy_to, memory, offset, bytes);
		else if (what < 7)
			world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
	}
}

// Who has read bytes: each is written by a site of its own, of the host, which is behind nothing.
static void probe(struct two *two)
{
	for (uint32_t at = 0; at < PROBES; at++) {
		const uint32_t offset = below(two, BYTES);
		for (unsigned w = 0; w < 2; w++) {
			struct world *world = &two->worlds[w];
			const uint32_t site = world_site(world, 0, 0, VKR_ENGINE_WRITE, 0, 0);
			world_range(world, world->thread, site, 1, offset, 1);
		}
	}
}

// Between which barriers it was is said of accesses of one dispatch only.
static bool same_access(const struct vkr_engine_access *a, const struct vkr_engine_access *b)
{
	struct vkr_engine_access one = *a, other = *b;
	one.interval = other.interval = 0;
	return memcmp(&one, &other, sizeof one) == 0;
}

// How much of one invocation's reads side by side races with a range at once, and so how often it
// is told, depends on how they were fed.
static bool is_range(const struct world *world, const struct vkr_engine_race *race)
{
	return race->second.site == world->copy_to;
}

static const struct vkr_engine_race *find_race(const struct world *world,
					       const struct vkr_engine_race *race)
{
	for (uint32_t i = 0; i < world->race_count; i++) {
		const struct vkr_engine_race *x = &world->races[i];
		if (same_access(&x->first, &race->first) &&
		    same_access(&x->second, &race->second) && x->race_class == race->race_class &&
		    x->offset == race->offset && (is_range(world, x) || x->bytes == race->bytes))
			return x;
	}
	return NULL;
}

static void compare(const struct two *two, uint64_t seed)
{
	const struct world *noted = &two->worlds[0], *ones = &two->worlds[1];
	assert_true(noted->race_count < MOST_RACES);
	if (noted->race_count != ones->race_count)
		fail_msg("seed %llu: %u and %u races", (unsigned long long)seed, noted->race_count,
			 ones->race_count);
	for (uint32_t i = 0; i < noted->race_count; i++) {
		const struct vkr_engine_race *x = &noted->races[i], *y = find_race(ones, x);
		if (y == NULL)
			fail_msg("seed %llu: at %llu site %u, workgroup %u, local %u",
				 (unsigned long long)seed, (unsigned long long)x->offset,
				 x->first.site, x->first.workgroup, x->first.local);
		const uint64_t one = vkr_engine_pair_count(noted->engine, x->pair);
		const uint64_t other = vkr_engine_pair_count(ones->engine, y->pair);
		if (one != other && !is_range(noted, x))
			fail_msg("seed %llu: sites %u and %u race %llu and %llu times",
				 (unsigned long long)seed, x->first.site, x->second.site,
				 (unsigned long long)one, (unsigned long long)other);
	}
}

static void compare_parts(const struct two *two)
{
	const struct vkr_shard *noted = &two->shards[0], *ones = &two->shards[1];
	assert_int_equal(noted->accesses, ones->accesses);
	assert_int_equal(noted->together, ones->together);
	assert_int_equal(noted->conflicts.count, ones->conflicts.count);
	if (noted->conflicts.count > 0)
		assert_memory_equal(noted->conflicts.items, ones->conflicts.items,
				    noted->conflicts.count * sizeof *noted->conflicts.items);
}

// Of `parts` parts of memory one is judged; 1: all of it.
static void round_of(uint64_t seed, uint32_t parts, uint32_t *races)
{
	struct two *two = calloc(1, sizeof *two);
	assert_non_null(two);
	two->random = seed * 2654435761u + 88172645463325252u;
	for (unsigned w = 0; w < 2; w++)
		two->shards[w] =
			(struct vkr_shard){.index = (uint32_t)seed % parts, .count = parts};
	for (unsigned w = 0; w < 2; w++)
		world_begin_part(&two->worlds[w], parts > 1 ? &two->shards[w] : NULL);
	add_sites(two);
	const uint32_t dispatches = 1 + below(two, 8);
	for (uint32_t at = 0; at < dispatches; at++) {
		random_between(two);
		random_dispatch(two);
	}
	probe(two);
	compare(two, seed);
	compare_parts(two);
	*races += two->worlds[0].race_count;
	for (unsigned w = 0; w < 2; w++)
		world_end(&two->worlds[w]);
	for (unsigned w = 0; w < 2; w++)
		vkr_shard_finish(&two->shards[w]);
	vkr_workgroup_reads_finish(&two->alike);
	free(two);
}

static void test_random(void **state)
{
	const char *given = getenv("VKR_TEST_SEED"), *rounds = getenv("VKR_TEST_ROUNDS");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	const uint64_t count = rounds ? strtoull(rounds, NULL, 10) : given ? 1 : 300;
	uint32_t races = 0;
	(void)state;
	for (uint64_t seed = first; seed < first + count; seed++)
		round_of(seed, 1 + (uint32_t)(seed % 4), &races);
	assert_true(given || races > 3000);
}

// ---- Epochs that are collected while noted reads are judged -------------------------------------

// Writes one word by many sites: of each of them but the last no byte remembers anything.
static void make_epochs(struct world *world, const uint32_t *sites, uint32_t count)
{
	const uint32_t command = world_command(world, world->queue);
	for (uint32_t at = 0; at < count; at++)
		OK(vkr_engine_access_range(world->engine, command, sites[at], 2, 60000, 4,
					   &world->error));
	vkr_engine_command_end(world->engine, command);
}

static void read_row(struct world *world, uint32_t site, uint64_t offset, int64_t stride)
{
	const struct vkr_engine_run run = {
		.site = site, .count = 8, .stride = stride, .offset = offset, .target = &from[0]};
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
}

// A page of structs whose last one is read word by word: all of it was read before, behind a
// barrier. Another page of them was not.
static void read_structs(struct world *world, uint32_t site, bool all)
{
	static const uint32_t words[] = {4064, 4068, 4072, 4076, 4080, 4084, 4088, 4092};
	const struct vkr_engine_scatter last = {
		.site = site, .count = 8, .offsets = words, .target = &from[0]};
	for (uint32_t at = 0; at < 15; at++)
		read_row(world, site, (uint64_t)at * 256, 32);
	OK(vkr_engine_scatter(world->engine, &last, &world->error));
	for (uint32_t at = 0; at < 16 && all; at++)
		read_row(world, site, 4096 + (uint64_t)at * 256, 32);
}

static void judge_structs(struct world *world, uint32_t site, bool notes)
{
	const struct vkr_engine_barrier barrier = {VKR_CLASS_UNIFORM, VKR_CLASS_UNIFORM,
						   VKR_CLASS_UNIFORM};
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, 8, 0, &world->error));
	if (notes)
		OK(vkr_engine_note_reads(world->engine, site, &from[0], &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
	OK(vkr_engine_barrier(world->engine, &barrier, &world->error));
	read_structs(world, site, false);
	for (uint32_t workgroup = 1; workgroup < 4; workgroup++) {
		OK(vkr_engine_workgroup(world->engine, workgroup, &world->error));
		read_structs(world, site, workgroup == 3);
	}
	OK(vkr_engine_judge_noted(world->engine, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

static void collect_after(struct two *two, uint32_t left)
{
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		uint32_t sites[EPOCHS];
		world_begin(world);
		const uint32_t site = world_site(world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 4,
						 VKR_CLASS_UNIFORM);
		for (uint32_t at = 0; at < EPOCHS; at++)
			sites[at] =
				world_site(world, TRANSFER, TRANSFER_PUT, VKR_ENGINE_WRITE, 0, 0);
		make_epochs(world, sites, EPOCHS);
		world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
		make_epochs(world, sites, EPOCHS - left);
		world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
		judge_structs(world, site, w == 0);
		world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
		make_epochs(world, sites, EPOCHS);
		world->race_count = 0;
		world_range(world, world->thread, world->host_write, 1, 4096 + 1024, 4);
	}
	assert_int_equal(two->worlds[1].race_count, 1);
	compare(two, left);
	for (unsigned w = 0; w < 2; w++)
		world_end(&two->worlds[w]);
}

// Neighbours that are so far from each other that 64 bits do not hold how far the last one is.
static void test_far(void **state)
{
	static const int64_t strides[] = {INT64_MAX - 3, INT64_C(1) << 62, INT64_C(1) << 61,
					  -(INT64_C(1) << 62), -(INT64_C(1) << 61)};
	(void)state;
	for (uint32_t at = 0; at < sizeof strides / sizeof *strides; at++) {
		struct world world;
		world_begin(&world);
		const uint32_t site = world_site(&world, COMPUTE, SHADER_READ, VKR_ENGINE_READ, 4,
						 VKR_CLASS_UNIFORM);
		const uint32_t command = world_command(&world, world.queue);
		OK(vkr_engine_dispatch_begin(world.engine, command, 32, 0, &world.error));
		OK(vkr_engine_note_reads(world.engine, site, &from[0], &world.error));
		OK(vkr_engine_workgroup(world.engine, 0, &world.error));
		for (uint32_t row = 0; row < 40; row++) {
			const struct vkr_engine_run run = {.site = site,
							   .count = row < 30 ? 32 : 9,
							   .stride = row < 30 ? 4 : strides[at],
							   .offset = (uint64_t)row * 128,
							   .target = &from[0]};
			OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
		}
		OK(vkr_engine_judge_noted(world.engine, &world.error));
		vkr_engine_dispatch_end(world.engine);
		vkr_engine_command_end(world.engine, command);
		world_range(&world, world.thread, world.host_write, 1, 30 * 128, 4);
		expect_race(&world, VKR_RACE_UNORDERED);
		world_end(&world);
	}
}

static void test_collected(void **state)
{
	struct two *two = calloc(1, sizeof *two);
	(void)state;
	assert_non_null(two);
	for (uint32_t left = 1; left <= 12; left++)
		collect_after(two, left);
	free(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
					   cmocka_unit_test(test_collected),
					   cmocka_unit_test(test_far)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
