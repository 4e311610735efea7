// SPDX-License-Identifier: Apache-2.0
// Rows of neighbours that several sites read at shifted places, by random dispatches: fed as runs,
// of which lines are remembered in parts, and access by access in pieces of bytes, of which they
// are not. Then each word is asked who has read it. Knows only the engine's interface.
#include "control_barrier.h"
#include "engine_world.h"

#include <stdio.h>
#include <stdlib.h>

#define ROW        16u // invocations
#define ROWS       3u  // of a workgroup
#define LOCAL_SIZE (ROW * ROWS)
#define WORKGROUPS 4u                            // side by side
#define PITCH      (4u * ROW * (WORKGROUPS + 2)) // bytes from row to row
#define SITE_MOST  8u
#define PROBES     32u

struct reader {
	uint32_t bytes, target;
	uint32_t first, count; // of a row's invocations, those that read
	int32_t shift;         // bytes
	bool nonprivate;
};

static const struct vkr_engine_target targets[] = {
	{1, 1, 64, 65536 - 64}, {1, 2, 64, 65536 - 64}, {2, 1, 0, 65536}};

#define TARGETS (sizeof targets / sizeof *targets)

struct two {
	struct world worlds[2];
	struct reader readers[SITE_MOST];
	uint32_t sites[2][SITE_MOST], site_count;
	uint64_t random;
};

static uint32_t below(struct two *two, uint32_t limit)
{
	return world_random(&two->random, limit);
}

static void add_readers(struct two *two)
{
	static const int32_t shifts[] = {
		0, 0, 4, -4, PITCH, -(int32_t)PITCH, 32, 64, 4 + PITCH, 8 - (int32_t)PITCH};
	two->site_count = 1 + below(two, SITE_MOST);
	for (uint32_t s = 0; s < two->site_count; s++) {
		struct reader *reader = &two->readers[s];
		*reader = (struct reader){.bytes = below(two, 5) ? 4 : 8,
					  .target = below(two, 3) ? 0 : below(two, TARGETS),
					  .count = ROW,
					  .nonprivate = below(two, 2)};
		if (below(two, 4) == 0) {
			reader->first = below(two, ROW - 2);
			reader->count = 2 + below(two, ROW - 1 - reader->first);
		}
		reader->shift = shifts[below(two, sizeof shifts / sizeof *shifts)];
	}
}

// The dispatch's own: of two reads of a word by one site only the first would be told.
static void add_sites(struct two *two)
{
	for (uint32_t s = 0; s < two->site_count; s++) {
		const struct reader *reader = &two->readers[s];
		const struct vkr_piece pieces[2] = {{0, 1}, {1, reader->bytes - 1}};
		for (unsigned w = 0; w < 2; w++) {
			const struct vkr_engine_site site = {
				.stage = COMPUTE,
				.access = SHADER_READ,
				.flags = VKR_ENGINE_READ |
					 (reader->nonprivate ? VKR_ENGINE_NONPRIVATE : 0),
				.bytes = reader->bytes,
				.pieces = w ? pieces : NULL,
				.piece_count = w ? 2 : 0,
				.storage_class = VKR_CLASS_UNIFORM};
			OK(vkr_engine_site_add(two->worlds[w].engine, &site, &two->sites[w][s],
					       &two->worlds[w].error));
		}
	}
}

// Where row `row` of a workgroup begins.
static uint32_t row_offset(const struct reader *reader, uint32_t workgroup, uint32_t row)
{
	const uint32_t words = reader->bytes / 4;
	return (uint32_t)((int32_t)(PITCH * (row + 2) + 4 * ROW + 4 * ROW * workgroup * words) +
			  reader->shift);
}

// The first `rows` rows, by the invocations of these or of others, from row `by` on.
static void read_rows(struct two *two, uint32_t s, uint32_t workgroup, uint32_t rows, uint32_t by)
{
	const struct reader *reader = &two->readers[s];
	const struct vkr_engine_target *target = &targets[reader->target];
	struct vkr_engine_run runs[ROWS];
	for (uint32_t row = 0; row < rows; row++) {
		const uint32_t local = (row + by) * ROW + reader->first;
		const uint32_t first =
			row_offset(reader, workgroup, row) + reader->first * reader->bytes;
		runs[row] = (struct vkr_engine_run){.site = two->sites[0][s],
						    .local = local,
						    .count = reader->count,
						    .stride = reader->bytes,
						    .offset = first,
						    .target = target};
		for (uint32_t i = 0; i < reader->count; i++) {
			const uint32_t offset = first + i * reader->bytes;
			const struct vkr_engine_scatter one = {.site = two->sites[1][s],
							       .local = local + i,
							       .count = 1,
							       .offsets = &offset,
							       .target = target};
			OK(vkr_engine_scatter(two->worlds[1].engine, &one, &two->worlds[1].error));
		}
	}
	OK(vkr_engine_runs(two->worlds[0].engine, runs, rows, &two->worlds[0].error));
}

static void random_dispatch(struct two *two)
{
	const uint32_t workgroups = 1 + below(two, WORKGROUPS), used = 1 + below(two, 255);
	const bool barriers = below(two, 4) == 0;
	uint32_t commands[2];
	add_sites(two);
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		commands[w] = world_command(world, world->queue);
		OK(vkr_engine_dispatch_begin(world->engine, commands[w], LOCAL_SIZE, 0,
					     &world->error));
	}
	for (uint32_t g = 0; g < workgroups; g++) {
		for (unsigned w = 0; w < 2; w++)
			OK(vkr_engine_workgroup(two->worlds[w].engine, g, &two->worlds[w].error));
		for (uint32_t s = 0; s < two->site_count; s++) {
			if (used >> s & 1)
				read_rows(two, s, g, ROWS, 0);
			for (unsigned w = 0; w < 2 && barriers; w++)
				OK(control_barrier(two->worlds[w].engine, VKR_SCOPE_WORKGROUP, 0xf,
						   VKR_CLASS_UNIFORM, &two->worlds[w].error));
		}
		// And once more, of one site.
		if (below(two, 4) == 0)
			read_rows(two, below(two, two->site_count), g, 1, below(two, 2));
	}
	for (unsigned w = 0; w < 2; w++) {
		vkr_engine_dispatch_end(two->worlds[w].engine);
		vkr_engine_command_end(two->worlds[w].engine, commands[w]);
	}
}

static void random_between(struct two *two)
{
	const uint32_t what = below(two, 4), offset = 4 * below(two, PITCH);
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		if (what == 0) {
			world_range(world, world->queue, world->copy_from, 1, offset, 40);
			world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
		} else if (what < 3) {
			world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
		}
	}
}

// Words' readers: each is written by a site of its own, of the host, which is behind nothing.
static void probe(struct two *two)
{
	for (uint32_t at = 0; at < PROBES; at++) {
		const uint32_t memory = 1 + (below(two, 4) == 0);
		const uint32_t offset = (PITCH + 4 * below(two, PITCH)) & ~3u;
		for (unsigned w = 0; w < 2; w++) {
			struct world *world = &two->worlds[w];
			const uint32_t site = world_site(world, 0, 0, VKR_ENGINE_WRITE, 0, 0);
			world_range(world, world->thread, site, memory, offset, 4);
		}
	}
}

// Whether the other world has reported this read, by the same probe; the order differs.
static bool is_told(const struct world *world, const struct vkr_engine_race *race)
{
	for (uint32_t i = 0; i < world->race_count; i++) {
		const struct vkr_engine_race *x = &world->races[i];
		if (x->first.site == race->first.site && x->second.site == race->second.site &&
		    x->first.command == race->first.command &&
		    x->first.workgroup == race->first.workgroup &&
		    x->first.local == race->first.local &&
		    x->first.interval == race->first.interval && x->offset == race->offset)
			return true;
	}
	return false;
}

static void compare(const struct two *two, uint64_t seed)
{
	const struct world *rows = &two->worlds[0], *words = &two->worlds[1];
	assert_true(rows->race_count < MOST_RACES);
	if (rows->race_count != words->race_count)
		fail_msg("seed %llu: %u and %u races", (unsigned long long)seed, rows->race_count,
			 words->race_count);
	for (uint32_t i = 0; i < rows->race_count; i++) {
		const struct vkr_engine_race *x = &rows->races[i];
		if (!is_told(words, x))
			fail_msg("seed %llu: at %llu site %u, workgroup %u, local %u",
				 (unsigned long long)seed, (unsigned long long)x->offset,
				 x->first.site, x->first.workgroup, x->first.local);
	}
}

static uint32_t round_of(uint64_t seed)
{
	struct two *two = calloc(1, sizeof *two);
	assert_non_null(two);
	two->random = seed * 2654435761u + 88172645463325252u;
	for (unsigned w = 0; w < 2; w++) {
		world_begin(&two->worlds[w]);
		OK(vkr_engine_memory(two->worlds[w].engine, 2, 65536, true, &two->worlds[w].error));
	}
	add_readers(two);
	const uint32_t dispatches = 1 + below(two, 5);
	for (uint32_t at = 0; at < dispatches; at++) {
		random_between(two);
		random_dispatch(two);
	}
	probe(two);
	compare(two, seed);
	const uint32_t races = two->worlds[0].race_count;
	for (unsigned w = 0; w < 2; w++)
		world_end(&two->worlds[w]);
	free(two);
	return races;
}

static void test_random(void **state)
{
	const char *given = getenv("VKR_TEST_SEED");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	uint32_t races = 0;
	(void)state;
	for (uint64_t seed = first; seed < first + (given ? 1 : 2000); seed++)
		races += round_of(seed);
	assert_true(given || races > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
