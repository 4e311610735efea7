// SPDX-License-Identifier: Apache-2.0
// Shadow memory: exact bytes, what is remembered across commands, and random dispatches against a
// history that forgets nothing.
#include "control_barrier.h"
#include "engine_world.h"
#include "interval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FULL                                                                                       \
	(VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE)

static const struct vkr_engine_target buffer = {1, 1, 0, 65536};

static void dispatch(struct world *world)
{
	OK(vkr_engine_dispatch_begin(world->engine, world_command(world, world->queue), 64, 0,
				     &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
}

static void test_bytes(void **state)
{
	(void)state;
	// Neighbouring bytes of a word; overlapping unaligned vectors.
	for (uint32_t bytes = 1; bytes <= 16; bytes += 15) {
		struct world world;
		uint32_t put;
		world_begin(&world);
		put = world_site(&world, COMPUTE, SHADER_WRITE,
				 VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, bytes,
				 VKR_CLASS_UNIFORM);
		dispatch(&world);
		for (uint32_t i = 0; i < 2; i++) {
			const struct vkr_engine_run run = {
				put, i, 1, 0, 61 + i * (bytes > 1 ? 9 : 1), &buffer};
			OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
		}
		if (bytes == 1) {
			expect_none(&world);
		} else {
			expect_race(&world, VKR_RACE_UNORDERED);
			assert_int_equal(world.races[0].offset, 70);
		}
		world_end(&world);
	}
}

// Neighbours' words read through three sites at shifted places are kept a line at a time: every
// word's readers must still be told, and no others.
static void test_shifted_reads(void **state)
{
	(void)state;
	for (uint32_t word = 0; word < 36; word++) {
		struct world world;
		uint32_t read[3], put;
		uint32_t expected = 0;
		world_begin(&world);
		for (uint32_t i = 0; i < 3; i++)
			read[i] = world_site(&world, COMPUTE, SHADER_READ,
					     VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4,
					     VKR_CLASS_UNIFORM);
		put = world_site(&world, COMPUTE, SHADER_WRITE,
				 VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_UNIFORM);
		dispatch(&world);
		for (uint32_t i = 0; i < 3; i++) {
			const struct vkr_engine_run run = {read[i], 0, 24, 4, 4 + 4 * i, &buffer};
			OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
			expected += word >= 1 + i && word < 25 + i;
		}
		OK(vkr_engine_workgroup(world.engine, 1, &world.error));
		const struct vkr_engine_run write = {put, 3, 1, 0, word * 4, &buffer};
		OK(vkr_engine_runs(world.engine, &write, 1, &world.error));
		assert_int_equal(world.race_count, expected);
		for (uint32_t i = 0; i < world.race_count; i++) {
			const struct vkr_engine_race *race = &world.races[i];
			assert_int_equal(race->offset, word * 4);
			assert_int_equal(race->first.local,
					 word - 1 - (race->first.site - read[0]));
			assert_int_equal(race->first.workgroup, 0);
		}
		world_end(&world);
	}
}

static void test_pieces(void **state)
{
	const struct vkr_piece rows[2] = {{0, 12}, {16, 12}};
	(void)state;
	for (uint64_t at = 8; at <= 12; at += 4) {
		struct world world;
		const struct vkr_engine_site site = {.stage = COMPUTE,
						     .access = SHADER_WRITE,
						     .flags = VKR_ENGINE_WRITE,
						     .bytes = 28,
						     .pieces = rows,
						     .piece_count = 2,
						     .storage_class = VKR_CLASS_UNIFORM};
		struct vkr_engine_run matrix = {0, 0, 1, 0, 0, &buffer};
		struct vkr_engine_run scalar = {0, 1, 1, 0, at, &buffer};
		world_begin(&world);
		OK(vkr_engine_site_add(world.engine, &site, &matrix.site, &world.error));
		scalar.site = world.store;
		dispatch(&world);
		OK(vkr_engine_runs(world.engine, &matrix, 1, &world.error));
		OK(vkr_engine_runs(world.engine, &scalar, 1, &world.error));
		assert_int_equal(world.race_count, at == 8);
		world_end(&world);
	}
}

// A race that is told with its first bytes, and found in several pieces, has the extent of all.
static void test_extent(void **state)
{
	const struct vkr_piece rows[2] = {{0, 12}, {16, 12}};
	const struct vkr_engine_site site = {.stage = COMPUTE,
					     .access = SHADER_WRITE,
					     .flags = VKR_ENGINE_WRITE,
					     .bytes = 28,
					     .pieces = rows,
					     .piece_count = 2,
					     .storage_class = VKR_CLASS_UNIFORM};
	struct vkr_engine_run matrix = {0, 0, 1, 0, 0, &buffer};
	struct world world;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_site_add(world.engine, &site, &matrix.site, &world.error));
	for (uint32_t times = 0; times < 3; times++) {
		dispatch(&world);
		for (matrix.local = 0; matrix.local < 2; matrix.local++)
			OK(vkr_engine_runs(world.engine, &matrix, 1, &world.error));
		vkr_engine_dispatch_end(world.engine);
		world_barrier(&world, COMPUTE, SHADER_WRITE, COMPUTE, SHADER_WRITE);
	}
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].bytes, 12);
	assert_int_equal(vkr_engine_pair_commands(world.engine, 0), 3);
	const struct vkr_byte_ranges *extent = vkr_engine_pair_extent(world.engine, 0);
	assert_int_equal(extent->count, 2);
	for (uint32_t row = 0; row < 2; row++) {
		assert_int_equal(extent->items[row].memory, buffer.memory);
		assert_int_equal(extent->items[row].low, buffer.base + rows[row].offset);
		assert_int_equal(extent->items[row].high, buffer.base + rows[row].offset + 12);
	}
	world_end(&world);
}

// Disjoint halves by two commands without order; then one byte too many.
static void test_halves(void **state)
{
	(void)state;
	for (uint64_t more = 0; more < 2; more++) {
		struct world world;
		world_begin(&world);
		world_range(&world, world.queue, world.copy_to, 1, 0, 32768 + more);
		world_range(&world, world.queue, world.copy_to, 1, 32768, 32768);
		assert_int_equal(world.race_count, more);
		if (more) {
			assert_int_equal(world.races[0].offset, 32768);
			assert_int_equal(world.races[0].bytes, 1);
		}
		world_end(&world);
	}
}

// What lies beyond a descriptor's range, or its memory's end, is not accessed.
static void test_bounds(void **state)
{
	struct world world;
	const struct vkr_engine_target small = {1, 1, 0, 100}, last = {1, 1, 65532, 4096};
	const uint32_t far[2] = {96, UINT32_MAX};
	struct vkr_engine_run run = {0, 0, 64, 4, 0, &small};
	struct vkr_engine_scatter scatter = {0, 32, 2, NULL, far, &small};
	(void)state;
	world_begin(&world);
	run.site = scatter.site = world.store;
	dispatch(&world);
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	run.target = &last;
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	run = (struct vkr_engine_run){world.store, 1, 1, 0, 100, &buffer};
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	expect_none(&world);
	OK(vkr_engine_scatter(world.engine, &scatter, &world.error));
	assert_int_equal(world.race_count, 1);
	assert_int_equal(world.races[0].offset, 96);
	world_end(&world);
}

// Counts: every access that races; the callback: once a pair of sites.
static void test_counts(void **state)
{
	struct world world;
	struct vkr_engine_run run = {0, 0, 64, 4, 0, &buffer};
	(void)state;
	world_begin(&world);
	run.site = world.store;
	dispatch(&world);
	for (uint32_t group = 0; group < 3; group++) {
		OK(vkr_engine_workgroup(world.engine, group, &world.error));
		OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	}
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 128);
	world_end(&world);
}

enum { ROWS = 64, TURNS = 8 };

// The turns of a loop in which each invocation goes through a row of its own.
static void feed_rows(struct world *world, uint32_t site, uint32_t group)
{
	struct vkr_engine_run runs[TURNS];
	OK(vkr_engine_workgroup(world->engine, group, &world->error));
	for (uint32_t turn = 0; turn < TURNS; turn++)
		runs[turn] = (struct vkr_engine_run){site, 0, ROWS, 4 * TURNS, 4 * turn, &buffer};
	OK(vkr_engine_runs(world->engine, runs, TURNS, &world->error));
}

// They are remembered by rows, and race by accesses.
static void test_rows(void **state)
{
	struct world world;
	struct vkr_engine_statistics before, after;
	(void)state;
	world_begin(&world);
	dispatch(&world);
	vkr_engine_statistics(world.engine, &before);
	feed_rows(&world, world.store, 0);
	vkr_engine_statistics(world.engine, &after);
	assert_true(after.shadow_bytes - before.shadow_bytes <= ROWS * TURNS * 4 / 2);
	assert_int_equal(after.accesses - before.accesses, ROWS * TURNS);
	for (uint32_t group = 1; group < 3; group++)
		feed_rows(&world, world.store, group);
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 2 * ROWS * TURNS);
	assert_int_equal(world.races[0].bytes, 4);
	world_end(&world);
}

// A word of the fourth row, read by another invocation.
static void test_word_of_row(void **state)
{
	struct world world;
	struct vkr_engine_run run = {0, 9, 1, 0, 3 * 4 * TURNS + 20, &buffer};
	(void)state;
	world_begin(&world);
	run.site = world.load;
	dispatch(&world);
	feed_rows(&world, world.store, 0);
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].first.local, 3);
	assert_int_equal(world.races[0].offset, run.offset);
	assert_int_equal(world.races[0].bytes, 4);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 1);
	world_end(&world);
}

// Each invocation reads a word and writes it in the next turn, which takes the place of the read: a
// later writer races with the write alone.
static void test_turns_keep_their_order(void **state)
{
	struct world world;
	struct vkr_engine_run runs[4];
	(void)state;
	world_begin(&world);
	for (uint32_t turn = 0; turn < 2; turn++) {
		runs[2 * turn] =
			(struct vkr_engine_run){world.store, 0, ROWS, 8, 4 * turn, &buffer};
		runs[2 * turn + 1] =
			(struct vkr_engine_run){world.load, 0, ROWS, 8, 4 - 4 * turn, &buffer};
	}
	dispatch(&world);
	OK(vkr_engine_runs(world.engine, runs, 4, &world.error));
	OK(vkr_engine_workgroup(world.engine, 1, &world.error));
	OK(vkr_engine_runs(world.engine, &runs[2], 1, &world.error));
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].first.site, world.store);
	assert_int_equal(world.races[0].second.site, world.store);
	world_end(&world);
}

// A dispatch's own read, which its own write is ordered after, does not hide an earlier one.
static void test_own_read_hides_none(void **state)
{
	struct world world;
	struct vkr_engine_run run = {0, 0, 64, 4, 0, &buffer};
	(void)state;
	world_begin(&world);
	run.site = world.load;
	dispatch(&world);
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	vkr_engine_dispatch_end(world.engine);
	dispatch(&world);
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	run.site = world.store;
	OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(vkr_engine_pair_count(world.engine, 0), 64);
	world_end(&world);
}

// Readers without order between them: those of the last two dispatches stand for all.
static void test_readers_are_bounded(void **state)
{
	struct world world;
	struct vkr_engine_statistics some, more;
	struct vkr_engine_run run = {0, 0, 64, 4, 0, &buffer};
	(void)state;
	world_begin(&world);
	run.site = world.load;
	for (int i = 0; i < 200; i++) {
		const uint32_t command = world_command(&world, world.queue);
		OK(vkr_engine_dispatch_begin(world.engine, command, 64, 0, &world.error));
		OK(vkr_engine_workgroup(world.engine, 0, &world.error));
		OK(vkr_engine_runs(world.engine, &run, 1, &world.error));
		vkr_engine_dispatch_end(world.engine);
		vkr_engine_command_end(world.engine, command);
		vkr_engine_statistics(world.engine, i < 4 ? &some : &more);
	}
	assert_int_equal(more.shadow_bytes, some.shadow_bytes);
	world_range(&world, world.queue, world.copy_to, 1, 0, 256);
	expect_race(&world, VKR_RACE_UNORDERED);
	world_end(&world);
}

static void test_memory_returns(void **state)
{
	struct world world;
	struct vkr_engine_statistics before, used, after;
	(void)state;
	world_begin(&world);
	world_range(&world, world.queue, world.copy_from, 1, 0, 65536);
	vkr_engine_statistics(world.engine, &before);
	for (uint64_t i = 0; i < 65536; i += 3)
		world_range(&world, world.queue, world.copy_from, 1, i, 1);
	vkr_engine_statistics(world.engine, &used);
	assert_true(used.shadow_bytes > 65536);
	world_barrier(&world, TRANSFER, 0, TRANSFER, 0);
	world_range(&world, world.queue, world.copy_to, 1, 0, 65536);
	vkr_engine_statistics(world.engine, &after);
	assert_int_equal(after.shadow_bytes, before.shadow_bytes);
	expect_none(&world);
	world_end(&world);
}

// Stores to the same words, each in a command of its own that is ordered after the one before, or
// each behind a control barrier in one command.
static void store_again(struct world *world, uint32_t count, bool in_one)
{
	const struct vkr_engine_run run = {world->store, 0, 4, 4, 0, &buffer};
	uint32_t command = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!in_one || i == 0) {
			command = world_command(world, world->queue);
			OK(vkr_engine_dispatch_begin(world->engine, command, 4, 0, &world->error));
			OK(vkr_engine_workgroup(world->engine, 0, &world->error));
		}
		OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
		if (in_one && i + 1 < count) {
			OK(control_barrier(world->engine, VKR_SCOPE_WORKGROUP, FULL,
					   VKR_CLASS_UNIFORM, &world->error));
			continue;
		}
		vkr_engine_dispatch_end(world->engine);
		vkr_engine_command_end(world->engine, command);
		world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
	}
}

static void count_tag(void *context, uint64_t tag)
{
	(void)tag;
	++*(uint32_t *)context;
}

// Epochs and commands that no byte remembers any more go, however small the program.
static void test_epochs_return(void **state)
{
	(void)state;
	for (unsigned in_one = 0; in_one < 2; in_one++) {
		struct world world;
		struct vkr_engine_statistics statistics;
		world_begin(&world);
		store_again(&world, 20000, in_one);
		expect_none(&world);
		vkr_engine_statistics(world.engine, &statistics);
		assert_true(statistics.epoch_bytes < 1 << 20);
		uint32_t commands = 0;
		vkr_engine_tags(world.engine, count_tag, &commands);
		assert_true(commands < 10000);
		world_end(&world);
	}
}

// A sparse resource's address range: what is not accessed costs nothing, and is not looked at.
static void test_large_memory(void **state)
{
	const uint64_t bytes = UINT64_C(1) << 46;
	struct world world;
	struct vkr_engine_statistics statistics;
	(void)state;
	world_begin(&world);
	OK(vkr_engine_memory(world.engine, 2, bytes, true, &world.error));
	world_range(&world, world.queue, world.copy_to, 2, 0, 1);
	world_range(&world, world.queue, world.copy_to, 2, bytes - 6000, 6000);
	world_range(&world, world.queue, world.copy_to, 2, bytes / 2 - 2, 4);
	expect_none(&world);
	world_range(&world, world.queue, world.copy_from, 2, bytes - 2, 1);
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].offset, bytes - 2);
	vkr_engine_statistics(world.engine, &statistics);
	assert_true(statistics.shadow_bytes < 131072);
	world_end(&world);
}

// ---- Private and non-private accesses -----------------------------------------------------------

enum mixed_site { LOAD, STORE, UPDATE, PRIVATE_LOAD, PRIVATE_STORE, MIXED_SITES };

static void mixed_begin(struct world *world, uint32_t *sites)
{
	static const uint32_t flags[MIXED_SITES] = {
		[LOAD] = VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE,
		[STORE] = VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE,
		[UPDATE] = VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC,
		[PRIVATE_LOAD] = VKR_ENGINE_READ,
		[PRIVATE_STORE] = VKR_ENGINE_WRITE};
	world_begin(world);
	for (uint32_t i = 0; i < MIXED_SITES; i++)
		sites[i] = world_site(world, COMPUTE,
				      flags[i] & VKR_ENGINE_WRITE ? SHADER_WRITE : SHADER_READ,
				      flags[i], 4, VKR_CLASS_UNIFORM);
	dispatch(world);
}

// One invocation's access to one word, and a barrier that orders and settles all behind it.
static void mixed_step(struct world *world, uint32_t site, uint32_t local)
{
	const struct vkr_engine_run run = {site, local, 1, 0, 64, &buffer};
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	OK(control_barrier(world->engine, VKR_SCOPE_WORKGROUP, FULL, VKR_CLASS_UNIFORM,
			   &world->error));
}

// An invocation's private access is in program order behind its own non-private one, and in no
// order behind what another invocation did before that, at sites of any kind.
static void test_private_after_own(void **state)
{
	static const enum mixed_site cases[][3] = {
		{STORE, STORE, PRIVATE_STORE},  {LOAD, STORE, PRIVATE_STORE},
		{LOAD, LOAD, PRIVATE_STORE},    {UPDATE, STORE, PRIVATE_STORE},
		{UPDATE, UPDATE, PRIVATE_LOAD}, {UPDATE, UPDATE, PRIVATE_STORE},
	};
	(void)state;
	for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		// By one invocation, there is no race.
		for (uint32_t other = 0; other < 2; other++) {
			struct world world;
			uint32_t sites[MIXED_SITES];
			mixed_begin(&world, sites);
			mixed_step(&world, sites[cases[i][0]], 6 + other);
			mixed_step(&world, sites[cases[i][1]], 6);
			expect_none(&world);
			mixed_step(&world, sites[cases[i][2]], 6);
			if (other) {
				expect_race(&world, VKR_RACE_PRIVATE);
				assert_int_equal(world.races[0].first.site, sites[cases[i][0]]);
				assert_int_equal(world.races[0].first.local, 7);
				assert_int_equal(world.races[0].first.interval, 0);
				assert_int_equal(world.races[0].second.local, 6);
			} else {
				expect_none(&world);
			}
			world_end(&world);
		}
	}
}

// Who has overwritten a value does not read it; other workgroups, and later commands, race with the
// write alone.
static void test_private_stands_alone(void **state)
{
	struct world world;
	uint32_t sites[MIXED_SITES];
	(void)state;
	mixed_begin(&world, sites);
	mixed_step(&world, sites[STORE], 7);
	mixed_step(&world, sites[STORE], 6);
	mixed_step(&world, sites[PRIVATE_LOAD], 6);
	expect_none(&world);
	OK(vkr_engine_workgroup(world.engine, 1, &world.error));
	mixed_step(&world, sites[STORE], 5);
	assert_int_equal(world.race_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(vkr_engine_pair_count(world.engine, i), 1);
		assert_int_equal(world.races[i].first.local, 6);
	}
	vkr_engine_dispatch_end(world.engine);
	world_range(&world, world.queue, world.copy_to, 1, 64, 4);
	assert_int_equal(world.race_count, 3);
	assert_int_equal(world.races[2].first.local, 5);
	world_end(&world);
}

// Of many intervals no more is remembered than of a few.
static void test_private_is_bounded(void **state)
{
	static const enum mixed_site kinds[] = {LOAD, STORE, UPDATE};
	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		struct world world;
		uint32_t sites[MIXED_SITES];
		struct vkr_engine_statistics some, more;
		mixed_begin(&world, sites);
		for (uint32_t turn = 0; turn < 1000; turn++) {
			// One kind alone, or all of them in turn.
			const uint32_t kind = i < 3 ? i : turn / (i - 2) % 3;
			mixed_step(&world, sites[kinds[kind]], turn % 5);
			vkr_engine_statistics(world.engine, turn < 100 ? &some : &more);
		}
		assert_int_equal(more.shadow_bytes, some.shadow_bytes);
		expect_none(&world);
		mixed_step(&world, sites[PRIVATE_STORE], 999 % 5);
		assert_true(world.race_count > 0);
		world_end(&world);
	}
}

// ---- Random dispatches --------------------------------------------------------------------------

#define BASE    (4096u - 128u) // so that the area crosses a page
#define AREA    256u
#define SITES   10u
#define MOST    1200u
#define LOCALS  8u
#define GROUPS  3u
#define BARRIER 6u

struct past {
	uint32_t site, group, local, interval;
	uint64_t offset, bytes;
};

struct random_world {
	struct vkr_engine *engine;
	uint64_t seed;
	bool mixed; // private and non-private accesses to the same bytes
	struct vkr_interval_access steps[SITES + 1]; // the last: a read that needs no visibility
	struct past past[MOST];
	uint32_t past_count;
	uint8_t barriers[GROUPS][BARRIER]; // orders; 0 for one without semantics
	bool raced[AREA], wanted[AREA];
};

// By the letter, from the whole list of the workgroup's barriers.
static bool conflict(const struct random_world *world, const struct past *x, const struct past *y)
{
	const struct vkr_interval_access *a = &world->steps[x->site], *b = &world->steps[y->site];
	bool ordered = false, available = a->flags & VKR_ENGINE_ATOMIC, seen = false;
	if (!((a->flags | b->flags) & VKR_ENGINE_WRITE) ||
	    (x->group == y->group && x->local == y->local))
		return false;
	if ((a->flags & b->flags & VKR_ENGINE_ATOMIC) && a->bytes == b->bytes &&
	    (x->group == y->group ||
	     (a->scope == VKR_SCOPE_QUEUE_FAMILY && b->scope == VKR_SCOPE_QUEUE_FAMILY)))
		return false;
	if (x->group != y->group)
		return true;
	for (uint32_t i = x->interval; i < y->interval; i++) {
		const uint8_t order = world->barriers[x->group][i];
		ordered |= order != 0;
		available |= (order & VKR_ORDER_MAKE_AVAILABLE) != 0;
		seen |= available && (order & VKR_ORDER_MAKE_VISIBLE);
	}
	seen |= available && (b->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_MAKE_VISIBLE));
	if (!ordered || !(a->flags & VKR_ENGINE_NONPRIVATE) || !(b->flags & VKR_ENGINE_NONPRIVATE))
		return true;
	if (!(a->flags & VKR_ENGINE_WRITE))
		return false;
	return !available || ((b->flags & VKR_ENGINE_READ) && !seen);
}

static enum vkr_race_class random_ask(void *context, const struct vkr_engine_race *race)
{
	struct random_world *world = context;
	bool found = false;
	// Each race told must be one, at each of its bytes.
	for (uint64_t byte = race->offset - BASE; byte < race->offset - BASE + race->bytes;
	     byte++) {
		found = false;
		for (uint32_t i = 0; i < world->past_count && !found; i++) {
			const struct past *x = &world->past[i];
			const struct past y = {(uint32_t)race->second.site_tag,
					       race->second.workgroup,
					       race->second.local,
					       race->second.interval,
					       0,
					       0};
			found = x->offset <= byte && byte < x->offset + x->bytes &&
				x->site == race->first.site_tag &&
				x->group == race->first.workgroup &&
				x->local == race->first.local &&
				x->interval == race->first.interval && conflict(world, x, &y);
		}
		if (!found)
			fail_msg("seed %llu: no race at byte %llu between (%u, %u) and (%u, %u)",
				 (unsigned long long)world->seed, (unsigned long long)byte,
				 race->first.workgroup, race->first.local, race->second.workgroup,
				 race->second.local);
		world->raced[byte] = true;
	}
	return race->race_class;
}

// Whether y's invocation has itself written the byte since the i-th access.
static bool overwritten(const struct random_world *world, uint32_t i, const struct past *y,
			uint64_t byte)
{
	for (i++; i < world->past_count; i++) {
		const struct past *z = &world->past[i];
		if (z->group == y->group && z->local == y->local && z->offset <= byte &&
		    byte < z->offset + z->bytes &&
		    world->steps[z->site].flags == (VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE))
			return true;
	}
	return false;
}

static void random_note(struct random_world *world, uint32_t site, uint32_t group, uint32_t local,
			uint32_t interval, uint64_t offset)
{
	struct past *y = &world->past[world->past_count];
	*y = (struct past){site, group, local, interval, offset, world->steps[site].bytes};
	for (uint32_t i = 0; i < world->past_count; i++) {
		const struct past *x = &world->past[i];
		struct past sees = *y;
		const uint64_t low = x->offset > offset ? x->offset : offset;
		const uint64_t high = x->offset + x->bytes < offset + y->bytes
					      ? x->offset + x->bytes
					      : offset + y->bytes;
		for (uint64_t byte = low; byte < high; byte++) {
			// The engine forgets a write when a later one is ordered after it and it
			// is available: who reads the later one, of its own making, reads no
			// older value, seen or not.
			sees.site = !(world->steps[site].flags & VKR_ENGINE_WRITE) &&
						    overwritten(world, i, y, byte)
					    ? SITES
					    : site;
			if (conflict(world, x, &sees))
				world->wanted[byte] = true;
		}
	}
	world->past_count++;
}

static void random_access(struct random_world *world, uint64_t *random, uint32_t group,
			  uint32_t interval, const uint32_t *ids)
{
	const struct vkr_engine_target target = {1, 1, BASE, AREA};
	const bool upper_half = world_random(random, 2);
	struct vkr_error error;
	uint32_t site = world_random(random, SITES);
	const uint32_t bytes = world->steps[site].bytes;
	struct vkr_engine_run run = {.local = world_random(random, LOCALS), .target = &target};
	const bool is_private = !(world->steps[site].flags & VKR_ENGINE_NONPRIVATE);
	if (world->mixed ? is_private && world_random(random, 3) : is_private != upper_half)
		return;
	run.site = ids[site];
	run.count = 1 + world_random(random, LOCALS - run.local);
	// Neighbours' accesses soon meet everywhere: most of the mixed ones are few.
	if (world->mixed && world_random(random, 4))
		run.count = 1;
	run.stride = world_random(random, 3) ? (int64_t)bytes : world_random(random, 2) * 12;
	run.offset = world_random(random, 40);
	if (world->steps[site].flags & VKR_ENGINE_ATOMIC || world_random(random, 2))
		run.offset = run.offset / bytes * bytes;
	if (world->steps[site].flags & VKR_ENGINE_ATOMIC)
		run.stride = run.stride / bytes * bytes;
	if (upper_half)
		run.offset += AREA / 2;
	// Judged by the engine after the history has it: what is told must be in the history.
	for (uint32_t i = 0; i < run.count; i++)
		random_note(world, site, group, run.local + i, interval,
			    run.offset + (uint64_t)run.stride * i);
	OK(vkr_engine_runs(world->engine, &run, 1, &error));
}

static void random_round(uint64_t seed, bool mixed)
{
	struct random_world world = {.seed = seed, .mixed = mixed};
	const struct vkr_engine_options options = {.context = &world, .ask = random_ask};
	static const uint32_t bytes[SITES] = {4, 4, 1, 1, 16, 16, 4, 4, 4, 4};
	uint32_t ids[SITES], queue, command;
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	const uint32_t accesses = 1 + world_random(&random, 6);
	const uint32_t groups = mixed ? 1 : GROUPS; // of which one races with another
	struct vkr_error error;

	OK(vkr_engine_create(&options, &world.engine, &error));
	OK(vkr_engine_queue(world.engine, 0, &queue, &error));
	OK(vkr_engine_memory(world.engine, 1, 8192, true, &error));
	for (uint32_t i = 0; i < SITES; i++) {
		struct vkr_engine_site site = {.tag = i,
					       .stage = COMPUTE,
					       .access = SHADER_WRITE,
					       .flags = i % 2 ? VKR_ENGINE_WRITE : VKR_ENGINE_READ,
					       .bytes = bytes[i],
					       .storage_class = VKR_CLASS_UNIFORM,
					       .scope = i == 6 ? VKR_SCOPE_QUEUE_FAMILY
							       : VKR_SCOPE_WORKGROUP};
		if (i == 6 || i == 7)
			site.flags = VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC;
		if (i < 8)
			site.flags |= VKR_ENGINE_NONPRIVATE;
		OK(vkr_engine_site_add(world.engine, &site, &ids[i], &error));
		world.steps[i] = (struct vkr_interval_access){
			.flags = site.flags, .bytes = site.bytes, .scope = site.scope};
	}
	OK(vkr_engine_command(world.engine, queue, 0, &command, &error));
	world.steps[SITES].flags =
		VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE | VKR_ENGINE_MAKE_VISIBLE;
	OK(vkr_engine_dispatch_begin(world.engine, command, LOCALS, 0, &error));
	for (uint32_t group = 0; group < groups; group++) {
		OK(vkr_engine_workgroup(world.engine, group, &error));
		for (uint32_t interval = 0; interval <= BARRIER; interval++) {
			uint8_t order = 0;
			for (uint32_t i = 0; i < accesses; i++)
				random_access(&world, &random, group, interval, ids);
			if (interval == BARRIER)
				break;
			if (world_random(&random, 8))
				order = FULL &
					~(world_random(&random, 2)   ? 0u
					  : world_random(&random, 2) ? VKR_ORDER_MAKE_AVAILABLE
								     : VKR_ORDER_MAKE_VISIBLE);
			world.barriers[group][interval] = order;
			OK(control_barrier(world.engine, VKR_SCOPE_WORKGROUP, order,
					   VKR_CLASS_UNIFORM, &error));
		}
	}
	for (uint32_t i = 0; i < AREA; i++) {
		// What stays beside a write for its private accesses may race with a read of the
		// write's invocation, by the letter.
		if (mixed ? !world.raced[i] && world.wanted[i] : world.raced[i] != world.wanted[i])
			fail_msg("seed %llu, byte %u: the engine tells %d, the history %d",
				 (unsigned long long)seed, i, world.raced[i], world.wanted[i]);
	}
	vkr_engine_destroy(world.engine);
}

static void test_random(void **state)
{
	const char *given = getenv("VKRACE_TEST_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	(void)state;
	print_message("seed %llu (VKRACE_TEST_SEED sets it)\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < 3000; i++)
		random_round(seed + i, i % 2);
	// Two atomics, a barrier between that does not make visible, a write beside one.
	random_round(1795243467, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_shifted_reads),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_extent),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_word_of_row),
		cmocka_unit_test(test_turns_keep_their_order),
		cmocka_unit_test(test_own_read_hides_none),
		cmocka_unit_test(test_readers_are_bounded),
		cmocka_unit_test(test_memory_returns),
		cmocka_unit_test(test_epochs_return),
		cmocka_unit_test(test_large_memory),
		cmocka_unit_test(test_private_after_own),
		cmocka_unit_test(test_private_stands_alone),
		cmocka_unit_test(test_private_is_bounded),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
