// SPDX-License-Identifier: Apache-2.0
// Random commands judged whole, and in parts whose conflicting pages are then judged together: the
// races, their order, examples and counts must be the same, and no part alone may miss that there
// are some. Knows only the engine's interface.
#include "control_barrier.h"
#include "engine_parts.h"
#include "engine_world.h"

#include "shard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_SIZE 512u // rows of several pages
#define SHARED     256u
#define SITES      6u
#define MEMORY     UINT32_C(65536)
#define COMMON     UINT32_C(8192) // from where on all parts judge memory 3

struct site {
	uint32_t id, bytes;
};

static void add_sites(struct world *world, uint64_t *random, struct site *sites)
{
	for (uint32_t s = 0; s < SITES; s++) {
		static const uint32_t sizes[] = {4, 4, 4, 8, 12, 16};
		static const struct vkr_piece pieces[2] = {{0, 4}, {8, 4}};
		const bool in_pieces = world_random(random, 6) == 0;
		const bool writes = world_random(random, 3) == 0;
		const uint32_t kind = writes ? VKR_ENGINE_WRITE : VKR_ENGINE_READ;
		const bool atomic = !in_pieces && world_random(random, 6) == 0;
		const struct vkr_engine_site site = {
			.tag = s,
			.stage = COMPUTE,
			.access = writes ? SHADER_WRITE : SHADER_READ,
			.flags = kind | (world_random(random, 2) ? VKR_ENGINE_NONPRIVATE : 0) |
				 (atomic ? VKR_ENGINE_ATOMIC : 0),
			.bytes = in_pieces ? 12
				 : atomic  ? 4
					   : sizes[world_random(random, 6)],
			.pieces = in_pieces ? pieces : NULL,
			.piece_count = in_pieces ? 2 : 0,
			.storage_class = s == 0 ? VKR_CLASS_WORKGROUP : VKR_CLASS_UNIFORM,
			.scope = VKR_SCOPE_QUEUE_FAMILY};
		sites[s].bytes = site.bytes;
		OK(vkr_engine_site_add(world->engine, &site, &sites[s].id, &world->error));
	}
}

// One site's accesses by some invocations of a workgroup.
static void random_accesses(struct world *world, uint64_t *random, const struct site *sites)
{
	static const struct vkr_engine_target targets[] = {{1, 1, 64, MEMORY - 64},
							   {1, 2, 4096 - 8, 20000},
							   {2, 1, 0, MEMORY},
							   {3, 1, 0, MEMORY}};
	static const struct vkr_engine_target shared = {VKR_ENGINE_WORKGROUP, 1, 0, SHARED};
	static const int64_t strides[] = {0, 4, 8, 12, 16, 16, 20, 36, 64, 80, 520, 2044, -4, -260};
	const uint32_t s = world_random(random, SITES);
	const struct vkr_engine_target *target = s ? &targets[world_random(random, 4)] : &shared;
	const uint32_t room = s ? MEMORY - 4096 : SHARED;
	uint32_t offsets[LOCAL_SIZE], locals[LOCAL_SIZE];
	const uint32_t local = world_random(random, LOCAL_SIZE);
	const uint32_t count = 1 + world_random(random, LOCAL_SIZE - local);
	const uint32_t unit = world_random(random, 4) ? 16 : 4;
	const uint32_t offset = world_random(random, room / unit) * unit;
	if (world_random(random, 3)) {
		const bool row = world_random(random, 2);
		const struct vkr_engine_run run = {
			.site = sites[s].id,
			.local = local,
			.count = count,
			.stride = row ? sites[s].bytes : strides[world_random(random, 14)],
			.offset = offset,
			.target = target};
		OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		offsets[i] = world_random(random, room / 4) * 4;
		locals[i] = world_random(random, LOCAL_SIZE);
	}
	const struct vkr_engine_scatter scatter = {.site = sites[s].id,
						   .local = local,
						   .count = count,
						   .locals =
							   world_random(random, 2) ? locals : NULL,
						   .offsets = offsets,
						   .target = target};
	OK(vkr_engine_scatter(world->engine, &scatter, &world->error));
}

static void random_dispatch(struct world *world, uint64_t *random, const struct site *sites)
{
	const uint32_t command = world_command(world, world->queue);
	const uint32_t workgroups = 1 + world_random(random, 5), most = world_random(random, 4);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, SHARED, &world->error));
	for (uint32_t g = 0; g < workgroups; g++) {
		OK(vkr_engine_workgroup(world->engine, g, &world->error));
		for (uint32_t i = 0; i <= most; i++) {
			random_accesses(world, random, sites);
			if (world_random(random, 3) == 0)
				OK(control_barrier(world->engine, VKR_SCOPE_WORKGROUP, 0xf,
						   VKR_CLASS_UNIFORM | VKR_CLASS_WORKGROUP,
						   &world->error));
		}
	}
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

// Reads of a command that are dealt out, as far as they can be.
static void random_reads(struct world *world, uint64_t *random)
{
	const struct vkr_engine_target targets[] = {{3, 1, COMMON, 40960},
						    {3, 1, 12000, 20000},
						    {3, 1, 64, 40960},
						    {3, 1, 20000, 40960},
						    {2, 1, 0, MEMORY}};
	const struct vkr_engine_target *target = &targets[world_random(random, 5)];
	const uint32_t command = world_command(world, world->queue);
	const uint32_t count = 1 + world_random(random, 4);
	const bool dealt = vkr_engine_is_common(world->engine, target);
	bool own = true;
	if (dealt)
		OK(vkr_engine_deal(world->engine, count, &own, &world->error));
	if (own)
		OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t local = world_random(random, LOCAL_SIZE);
		const struct vkr_engine_run run = {
			.site = world->load,
			.local = local,
			.count = 1 + world_random(random, LOCAL_SIZE - local),
			.stride = 4 * world_random(random, 8),
			.offset = world_random(random, 4500) * 4,
			.target = target};
		if (own)
			OK(vkr_engine_workgroup(world->engine, i, &world->error));
		if (own)
			OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	}
	if (own)
		vkr_engine_dispatch_end(world->engine);
	if (dealt && own)
		vkr_engine_deal_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

static void random_range(struct world *world, uint64_t *random)
{
	const uint32_t kind = world_random(random, 4);
	const uint32_t site = kind == 0   ? world->copy_from
			      : kind == 1 ? world->copy_to
			      : kind == 2 ? world->host_read
					  : world->host_write;
	const uint32_t offset = world_random(random, MEMORY);
	world_range(world, kind < 2 ? world->queue : world->thread, site,
		    1 + world_random(random, 3), offset, 1 + world_random(random, MEMORY - offset));
}

// What is done depends on the seed alone.
static void play(uint64_t seed, struct vkr_shard *shard, struct world_found *found)
{
	struct world *world = calloc(1, sizeof *world);
	uint64_t random = seed;
	struct site sites[SITES];
	assert_non_null(world);
	world_begin_part(world, shard);
	add_sites(world, &random, sites);
	if (world_random(&random, 2))
		OK(vkr_engine_place(world->engine, 1, 64, MEMORY - 64, false, &world->error));
	OK(vkr_engine_memory(world->engine, 3, MEMORY, true, &world->error));
	OK(vkr_engine_place(world->engine, 3, COMMON, 40960, true, &world->error));
	const uint32_t commands = 2 + world_random(&random, 10);
	for (uint32_t i = 0; i < commands; i++) {
		const uint32_t kind = world_random(&random, 11);
		if (kind > 7)
			random_reads(world, &random);
		else if (kind < 3)
			random_dispatch(world, &random, sites);
		else if (kind < 5)
			random_range(world, &random);
		else if (kind < 7)
			world_barrier(world, ALL_STAGES, SHADER_WRITE | TRANSFER_PUT, ALL_STAGES,
				      ALL_STAGES);
		else
			world_pass(world, world->thread, world->queue, true);
	}
	const uint32_t last = world_command(world, world->thread);
	OK(vkr_engine_memory_free(world->engine, 1, last, world->free_site, &world->error));
	vkr_engine_command_end(world->engine, last);
	world_find(world, found);
	world_end(world);
	free(world);
}

static void compare(uint64_t seed, uint32_t parts)
{
	struct world_found *whole = calloc(3, sizeof *whole), *part = whole + 1, *all = whole + 2;
	struct vkr_shard together = {.index = parts, .count = parts};
	uint64_t shared = 0, own = 0;
	bool told = false;
	assert_non_null(whole);
	play(seed, NULL, whole);
	for (uint32_t i = 0; i < parts; i++) {
		struct vkr_shard shard = {.index = i, .count = parts};
		play(seed, &shard, part);
		shared = i == 0 ? part->accesses - shard.accesses : shared;
		assert_int_equal(part->accesses - shard.accesses, shared);
		own += shard.accesses;
		assert_int_equal(shard.wanted.count, 0);
		told = told || shard.together;
		assert_true(vkr_shard_pages_join(&together.also, &shard.conflicts));
		vkr_shard_finish(&shard);
	}
	assert_int_equal(shared + own, whole->accesses);
	assert_int_equal(told, whole->count > 0);
	vkr_shard_pages_sort(&together.also);
	play(seed, &together, all);
	assert_int_equal(all->accesses, whole->accesses);
	assert_int_equal(all->count, whole->count);
	assert_memory_equal(all->counts, whole->counts, sizeof whole->counts);
	assert_memory_equal(all->races, whole->races, sizeof whole->races);
	vkr_shard_finish(&together);
	free(whole);
}

static void parts_are_the_whole(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		compare(seed * UINT64_C(0x9e3779b97f4a7c15), 2 + (uint32_t)(seed % 7));
	}
}

static void pages_are_words(void **state)
{
	(void)state;
	struct vkr_shard_pages pages = {0}, again = {0};
	assert_true(vkr_shard_pages_add(&pages, 7, 3));
	assert_true(vkr_shard_pages_add(&pages, 5, 9));
	assert_true(vkr_shard_pages_add(&pages, 7, 4));
	assert_true(vkr_shard_pages_add(&pages, VKR_SHARD_DISPATCH | 2, 0));
	assert_true(vkr_shard_pages_add(&pages, 7, 2));
	vkr_shard_pages_sort(&pages);
	assert_true(vkr_shard_pages_have(&pages, 7, 3));
	assert_false(vkr_shard_pages_have(&pages, 7, 5));
	char *text = vkr_shard_pages_text(&pages);
	assert_string_equal(text, "5:9+1 7:2+3 d2:0+1");
	assert_true(vkr_shard_pages_parse(&again, text));
	assert_int_equal(again.count, 3);
	assert_memory_equal(again.items, pages.items, 3 * sizeof *pages.items);
	static const char *const wrong[] = {"5",
					    "5:1",
					    "5:1+",
					    "5:1+0",
					    "5:1+1x",
					    "x5:1+1",
					    "9223372036854775808:0+1",
					    "1:18446744073709551615+2"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(vkr_shard_pages_parse(&again, wrong[i]));
	free(text);
	vkr_shard_pages_finish(&pages);
	vkr_shard_pages_finish(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pages_are_words),
					   cmocka_unit_test(parts_are_the_whole)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
