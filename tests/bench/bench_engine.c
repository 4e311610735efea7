// SPDX-License-Identifier: Apache-2.0
// How many accesses a second the engine judges on one core, and how much shadow it keeps, on
// coalesced, strided and random traffic. Knows only the engine's interface.
//
// Usage: bench_engine [accesses of each kind, 100000000 [KIND]]
#include "control_barrier.h"
#include "engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOCAL_SIZE   256u
#define MEMORY_BYTES ((uint64_t)64 << 20)
#define STAGE        UINT64_C(1)
#define READ_BIT     UINT64_C(1)
#define WRITE_BIT    UINT64_C(2)

struct bench {
	struct vkr_engine *engine;
	struct vkr_error error;
	uint32_t queue, load, store, atomic;
	uint64_t random;
	uint32_t races; // pairs of sites
	uint32_t offsets[LOCAL_SIZE];
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void check(struct bench *bench, enum vkr_result result)
{
	if (result == VKR_OK)
		return;
	fprintf(stderr, "bench_engine: %s\n", bench->error.message);
	exit(1);
}

static void count_race(void *context, const struct vkr_engine_race *race)
{
	struct bench *bench = context;
	(void)race;
	bench->races++;
}

static void bench_begin(struct bench *bench)
{
	const struct vkr_engine_options options = {.context = bench, .race = count_race};
	struct vkr_engine_site site = {.stage = STAGE,
				       .access = READ_BIT,
				       .flags = VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE,
				       .bytes = 4,
				       .storage_class = VKR_CLASS_UNIFORM,
				       .scope = VKR_SCOPE_QUEUE_FAMILY};
	*bench = (struct bench){.random = 88172645463325252u};
	check(bench, vkr_engine_create(&options, &bench->engine, &bench->error));
	check(bench, vkr_engine_queue(bench->engine, 0, &bench->queue, &bench->error));
	check(bench, vkr_engine_memory(bench->engine, 1, MEMORY_BYTES, true, &bench->error));
	check(bench, vkr_engine_memory(bench->engine, 2, MEMORY_BYTES, true, &bench->error));
	check(bench, vkr_engine_site_add(bench->engine, &site, &bench->load, &bench->error));
	site.access = WRITE_BIT;
	site.flags = VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE;
	check(bench, vkr_engine_site_add(bench->engine, &site, &bench->store, &bench->error));
	site.flags = VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC;
	check(bench, vkr_engine_site_add(bench->engine, &site, &bench->atomic, &bench->error));
}

static void bench_end(struct bench *bench, const char *name, uint64_t accesses, double seconds,
		      uint64_t accessed)
{
	struct vkr_engine_statistics statistics;
	vkr_engine_statistics(bench->engine, &statistics);
	printf("%-28s %9.1f million accesses/s  %5.2f shadow bytes per touched byte  %u races\n",
	       name, (double)accesses / seconds * 1e-6,
	       (double)statistics.shadow_bytes / (double)accessed, bench->races);
	vkr_engine_destroy(bench->engine);
}

static void dispatch_begin(struct bench *bench, uint32_t *command)
{
	const struct vkr_engine_barrier_access all = {.source_accesses = READ_BIT | WRITE_BIT,
						      .destination_accesses = READ_BIT | WRITE_BIT};
	const struct vkr_engine_dependency barrier = {.source_stages = STAGE,
						      .destination_stages = STAGE,
						      .accesses = &all,
						      .access_count = 1};
	check(bench,
	      vkr_engine_dependencies(bench->engine, bench->queue, 0, &barrier, 1, &bench->error));
	check(bench, vkr_engine_command(bench->engine, bench->queue, 0, command, &bench->error));
	check(bench,
	      vkr_engine_dispatch_begin(bench->engine, *command, LOCAL_SIZE, 4096, &bench->error));
}

static void dispatch_end(struct bench *bench, uint32_t command)
{
	vkr_engine_dispatch_end(bench->engine);
	vkr_engine_command_end(bench->engine, command);
}

// y[i] = x[i] over all memory, again and again with a barrier between.
static void bench_rows(uint64_t accesses, uint32_t stride, const char *name)
{
	const struct vkr_engine_target x = {1, 1, 0, MEMORY_BYTES}, y = {2, 2, 0, MEMORY_BYTES};
	const uint32_t groups = (uint32_t)(MEMORY_BYTES / LOCAL_SIZE / stride);
	struct bench bench;
	uint64_t done = 0;
	double start = 0, seconds = 0;
	bench_begin(&bench);
	for (int pass = 0; pass == 0 || done < accesses; pass++) {
		uint32_t command;
		if (pass == 1)
			start = now(); // the first pass accesses fresh memory
		dispatch_begin(&bench, &command);
		for (uint32_t g = 0; g < groups && (pass == 0 || done < accesses); g++) {
			const uint64_t at = (uint64_t)g * LOCAL_SIZE * stride;
			const struct vkr_engine_run runs[2] = {
				{bench.load, 0, LOCAL_SIZE, stride, at, &x},
				{bench.store, 0, LOCAL_SIZE, stride, at, &y}};
			check(&bench, vkr_engine_workgroup(bench.engine, g, &bench.error));
			check(&bench, vkr_engine_runs(bench.engine, runs, 2, &bench.error));
			done += pass ? 2 * LOCAL_SIZE : 0;
			if (pass == 0 && (uint64_t)g * LOCAL_SIZE * 2 > accesses)
				break;
		}
		dispatch_end(&bench, command);
	}
	seconds = now() - start;
	bench_end(&bench, name, done, seconds, 2 * MEMORY_BYTES / stride * 4);
}

// A five-point stencil on a grid, in workgroups of 16 by 16: five sites read each word.
static void bench_stencil(uint64_t accesses)
{
	enum { SIDE = 1024, TILE = 16 };
	const struct vkr_engine_target x = {1, 1, 0, MEMORY_BYTES}, y = {2, 2, 0, MEMORY_BYTES};
	const int shifts[5] = {0, -1, 1, -SIDE, SIDE};
	struct vkr_engine_site site = {.stage = STAGE,
				       .access = READ_BIT,
				       .flags = VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE,
				       .bytes = 4,
				       .storage_class = VKR_CLASS_UNIFORM};
	struct bench bench;
	uint32_t loads[5];
	uint64_t done = 0;
	double start;
	bench_begin(&bench);
	for (uint32_t i = 0; i < 5; i++)
		check(&bench, vkr_engine_site_add(bench.engine, &site, &loads[i], &bench.error));
	start = now();
	while (done < accesses) {
		uint32_t command;
		dispatch_begin(&bench, &command);
		for (uint32_t g = 0; g < SIDE / TILE * (SIDE / TILE) && done < accesses; g++) {
			check(&bench, vkr_engine_workgroup(bench.engine, g, &bench.error));
			for (uint32_t i = 0; i < 6; i++) {
				struct vkr_engine_run runs[TILE];
				for (uint32_t row = 0; row < TILE; row++) {
					const uint32_t at =
						(g / (SIDE / TILE) * TILE + row + 1) * SIDE +
						g % (SIDE / TILE) * TILE;
					runs[row] = (struct vkr_engine_run){
						i < 5 ? loads[i] : bench.store,
						row * TILE,
						TILE,
						4,
						(uint64_t)((int64_t)at + (i < 5 ? shifts[i] : 0)) *
							4,
						i < 5 ? &x : &y};
				}
				check(&bench,
				      vkr_engine_runs(bench.engine, runs, TILE, &bench.error));
			}
			done += 6 * TILE * TILE;
		}
		dispatch_end(&bench, command);
	}
	bench_end(&bench, "stencil", done, now() - start, 2 * 4 * SIDE * SIDE);
}

// A tile in workgroup memory: filled, a barrier, read by the neighbours, a barrier.
static void bench_tile(uint64_t accesses)
{
	const struct vkr_engine_target tile = {VKR_ENGINE_WORKGROUP, 3, 0, 4096};
	const uint8_t order = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE |
			      VKR_ORDER_MAKE_VISIBLE;
	struct vkr_engine_site site = {.stage = STAGE,
				       .access = READ_BIT,
				       .flags = VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE,
				       .bytes = 4,
				       .storage_class = VKR_CLASS_WORKGROUP};
	struct bench bench;
	uint32_t command, load, store;
	uint64_t done = 0;
	double start;
	bench_begin(&bench);
	check(&bench, vkr_engine_site_add(bench.engine, &site, &load, &bench.error));
	site.flags = VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE;
	check(&bench, vkr_engine_site_add(bench.engine, &site, &store, &bench.error));
	start = now();
	dispatch_begin(&bench, &command);
	for (uint32_t g = 0; done < accesses; g++) {
		check(&bench, vkr_engine_workgroup(bench.engine, g, &bench.error));
		for (uint32_t turn = 0; turn < 16; turn++) {
			const struct vkr_engine_run fill = {store, 0, LOCAL_SIZE, 4, 0, &tile};
			const struct vkr_engine_run reads[3] = {
				{load, 0, LOCAL_SIZE, 4, 0, &tile},
				{load, 0, LOCAL_SIZE - 1, 4, 4, &tile},
				{load, 1, LOCAL_SIZE - 1, 4, 0, &tile}};
			check(&bench, vkr_engine_runs(bench.engine, &fill, 1, &bench.error));
			check(&bench, control_barrier(bench.engine, VKR_SCOPE_WORKGROUP, order,
						      VKR_CLASS_WORKGROUP, &bench.error));
			check(&bench, vkr_engine_runs(bench.engine, reads, 3, &bench.error));
			check(&bench, control_barrier(bench.engine, VKR_SCOPE_WORKGROUP, order,
						      VKR_CLASS_WORKGROUP, &bench.error));
			done += 4 * LOCAL_SIZE;
		}
	}
	dispatch_end(&bench, command);
	bench_end(&bench, "workgroup tile", done, now() - start, 4096);
}

static uint32_t next_offset(struct bench *bench)
{
	bench->random ^= bench->random << 13;
	bench->random ^= bench->random >> 7;
	bench->random ^= bench->random << 17;
	return (uint32_t)(bench->random % (MEMORY_BYTES / 4)) * 4;
}

// Workgroups of one dispatch: they write each word once.
#define GROUPS ((uint32_t)(MEMORY_BYTES / 4 / LOCAL_SIZE))

static uint32_t permuted(uint32_t i)
{
	return (uint32_t)((i * UINT64_C(0x9e3779b1)) % (MEMORY_BYTES / 4)) * 4;
}

enum random_kind { RANDOM_READ, RANDOM_ATOMIC, RANDOM_MIXED };

// The generator's own time is measured before and taken off.
static void bench_random(uint64_t accesses, enum random_kind kind, const char *name)
{
	const struct vkr_engine_target x = {1, 1, 0, MEMORY_BYTES};
	struct bench bench;
	uint64_t done = 0, sum = 0;
	double start, generator;
	uint32_t command = 0;
	bench_begin(&bench);
	start = now();
	for (uint64_t i = 0; i < accesses; i++)
		sum += next_offset(&bench);
	generator = now() - start;
	start = now();
	for (uint32_t g = 0; done < accesses; g++) {
		const bool writes = kind == RANDOM_MIXED && (g / GROUPS) % 2;
		const uint32_t site = kind == RANDOM_ATOMIC ? bench.atomic
				      : writes              ? bench.store
							    : bench.load;
		const struct vkr_engine_scatter scatter = {
			.site = site, .count = LOCAL_SIZE, .offsets = bench.offsets, .target = &x};
		if (g % GROUPS == 0 && (kind == RANDOM_MIXED || g == 0)) {
			if (g)
				dispatch_end(&bench, command);
			dispatch_begin(&bench, &command);
		}
		check(&bench, vkr_engine_workgroup(bench.engine, g, &bench.error));
		for (uint32_t i = 0; i < LOCAL_SIZE; i++)
			bench.offsets[i] = writes ? permuted(g % GROUPS * LOCAL_SIZE + i)
						  : next_offset(&bench);
		check(&bench, vkr_engine_scatter(bench.engine, &scatter, &bench.error));
		done += LOCAL_SIZE;
	}
	dispatch_end(&bench, command);
	bench_end(&bench, name, done + (sum == 0), now() - start - generator, MEMORY_BYTES);
}

// Barriers of many ranges: all in one dependency, as those of vkCmdPipelineBarrier, or each in one
// of its own.
static void bench_ranges(uint32_t count, bool together, const char *name)
{
	struct vkr_engine_barrier_access *ranges = calloc(count, sizeof *ranges);
	struct vkr_engine_dependency *all = calloc(count, sizeof *all);
	struct bench bench;
	uint32_t command;
	if (!ranges || !all)
		exit(1);
	for (uint32_t i = 0; i < count; i++) {
		ranges[i] = (struct vkr_engine_barrier_access){.source_accesses = WRITE_BIT,
							       .destination_accesses = READ_BIT,
							       .memory = 1,
							       .offset = (uint64_t)i * 8,
							       .bytes = 4};
		all[i] = (struct vkr_engine_dependency){.source_stages = STAGE,
							.destination_stages = STAGE,
							.accesses = &ranges[i],
							.access_count = together ? count : 1};
	}
	bench_begin(&bench);
	const double start = now();
	for (int pass = 0; pass < 3; pass++) {
		check(&bench,
		      vkr_engine_command(bench.engine, bench.queue, 0, &command, &bench.error));
		vkr_engine_command_end(bench.engine, command);
		check(&bench, vkr_engine_dependencies(bench.engine, bench.queue, 0, all,
						      together ? 1 : count, &bench.error));
	}
	printf("%-28s %9.3f million ranges/s\n", name, 3 * count / (now() - start) * 1e-6);
	vkr_engine_destroy(bench.engine);
	free(ranges);
	free(all);
}

int main(int argc, char **argv)
{
	const uint64_t accesses = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000u;
	const char *only = argc > 2 ? argv[2] : NULL;
	printf("%" PRIu64 " accesses of 4 bytes each kind, workgroups of %u\n", accesses,
	       LOCAL_SIZE);
	if (!only || !strcmp(only, "coalesced"))
		bench_rows(accesses, 4, "coalesced");
	if (!only || !strcmp(only, "strided"))
		bench_rows(accesses, 32, "strided by 32 bytes");
	if (!only || !strcmp(only, "stencil"))
		bench_stencil(accesses);
	if (!only || !strcmp(only, "tile"))
		bench_tile(accesses);
	if (!only || !strcmp(only, "reads"))
		bench_random(accesses, RANDOM_READ, "random reads");
	if (!only || !strcmp(only, "atomics"))
		bench_random(accesses, RANDOM_ATOMIC, "random atomics");
	if (!only || !strcmp(only, "mixed"))
		bench_random(accesses, RANDOM_MIXED, "random reads and writes");
	if (!only || !strcmp(only, "ranges")) {
		bench_ranges(2000, true, "2000 ranges together");
		bench_ranges(2000, false, "2000 ranges one by one");
	}
	return 0;
}
