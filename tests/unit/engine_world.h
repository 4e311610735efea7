// SPDX-License-Identifier: Apache-2.0
// A small world for tests of the engine: one engine, its races, short names for its calls.
// Knows nothing of what a test is about.
#pragma once

#include "engine.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COMPUTE       UINT64_C(1)
#define TRANSFER      UINT64_C(2)
#define HOST          UINT64_C(4)
#define ALL_STAGES    UINT64_MAX
#define SHADER_READ   UINT64_C(1)
#define SHADER_WRITE  UINT64_C(2)
#define TRANSFER_READ UINT64_C(4)
#define TRANSFER_PUT  UINT64_C(8)
#define HOST_READ     UINT64_C(16)
#define MOST_RACES    512u

struct world {
	struct vkr_engine *engine;
	struct vkr_error error;
	struct vkr_engine_race races[MOST_RACES];
	uint32_t race_count, queue, thread;
	uint32_t load, store, copy_from, copy_to, host_read, host_write, free_site;
	enum vkr_engine_coming coming; // on all queues
};

static inline void world_race(void *context, const struct vkr_engine_race *race)
{
	struct world *world = context;
	if (world->race_count < MOST_RACES)
		world->races[world->race_count++] = *race;
}

static inline enum vkr_engine_coming world_coming(void *context, uint32_t timeline, uint32_t memory)
{
	const struct world *world = context;
	(void)timeline;
	(void)memory;
	return world->coming;
}

// What a whole run of an engine has found, to be compared.
struct world_found {
	struct vkr_engine_race races[MOST_RACES];
	uint64_t counts[MOST_RACES], accesses;
	uint32_t count;
};

static inline void world_find(const struct world *world, struct world_found *found)
{
	memset(found, 0, sizeof *found);
	found->count = world->race_count;
	memcpy(found->races, world->races, sizeof found->races);
	for (uint32_t i = 0; i < found->count; i++)
		found->counts[i] = vkr_engine_pair_count(world->engine, i);
	found->accesses = vkr_engine_accesses(world->engine);
}

#define OK(call) assert_int_equal(call, VKR_OK)

static inline uint32_t world_site(struct world *world, uint64_t stage, uint64_t access,
				  uint32_t flags, uint32_t bytes, uint8_t storage_class)
{
	const struct vkr_engine_site site = {.stage = stage,
					     .access = access,
					     .flags = flags,
					     .bytes = bytes,
					     .storage_class = storage_class,
					     .scope = VKR_SCOPE_QUEUE_FAMILY};
	uint32_t id;
	OK(vkr_engine_site_add(world->engine, &site, &id, &world->error));
	return id;
}

// `shard`: the part of memory that is judged, or NULL.
static inline void world_begin_part(struct world *world, struct vkr_shard *shard)
{
	const struct vkr_engine_options options = {.context = world,
						   .race = world_race,
						   .queue_stages = ALL_STAGES,
						   .coming = world_coming,
						   .shard = shard};
	*world = (struct world){0};
	OK(vkr_engine_create(&options, &world->engine, &world->error));
	OK(vkr_engine_queue(world->engine, 0, &world->queue, &world->error));
	OK(vkr_engine_host_thread(world->engine, &world->thread, &world->error));
	OK(vkr_engine_memory(world->engine, 1, 65536, true, &world->error));
	OK(vkr_engine_memory(world->engine, 2, 65536, false, &world->error));
	world->load = world_site(world, COMPUTE, SHADER_READ,
				 VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_UNIFORM);
	world->store = world_site(world, COMPUTE, SHADER_WRITE,
				  VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE, 4, VKR_CLASS_UNIFORM);
	world->copy_from = world_site(world, TRANSFER, TRANSFER_READ, VKR_ENGINE_READ, 0, 0);
	world->copy_to = world_site(world, TRANSFER, TRANSFER_PUT, VKR_ENGINE_WRITE, 0, 0);
	world->host_read = world_site(world, 0, 0, VKR_ENGINE_READ, 0, 0);
	world->host_write = world_site(world, 0, 0, VKR_ENGINE_WRITE, 0, 0);
	world->free_site = world_site(world, 0, 0, VKR_ENGINE_WRITE, 0, 0);
}

static inline void world_begin(struct world *world)
{
	world_begin_part(world, NULL);
}

static inline void world_end(struct world *world)
{
	vkr_engine_destroy(world->engine);
}

static inline uint32_t world_command(struct world *world, uint32_t timeline)
{
	uint32_t command;
	OK(vkr_engine_command(world->engine, timeline, 1000 + timeline, &command, &world->error));
	return command;
}

// A command of its own that accesses one range.
static inline void world_range(struct world *world, uint32_t timeline, uint32_t site,
			       uint32_t memory, uint64_t offset, uint64_t bytes)
{
	const uint32_t command = world_command(world, timeline);
	OK(vkr_engine_access_range(world->engine, command, site, memory, offset, bytes,
				   &world->error));
	vkr_engine_command_end(world->engine, command);
}

// `accesses`: NULL for none.
static inline void world_memory_barrier(struct world *world, uint64_t source_stages,
					uint64_t destination_stages,
					const struct vkr_engine_barrier_access *accesses)
{
	const struct vkr_engine_dependency dependency = {.source_stages = source_stages,
							 .destination_stages = destination_stages,
							 .accesses = accesses,
							 .access_count = accesses ? 1 : 0};
	OK(vkr_engine_dependencies(world->engine, world->queue, 77, &dependency, 1, &world->error));
}

static inline void world_barrier(struct world *world, uint64_t source_stages,
				 uint64_t source_accesses, uint64_t destination_stages,
				 uint64_t destination_accesses)
{
	const struct vkr_engine_barrier_access access = {
		.source_accesses = source_accesses,
		.destination_accesses = destination_accesses,
		.to_host = destination_accesses & HOST_READ};
	world_memory_barrier(world, source_stages, destination_stages,
			     source_accesses || destination_accesses ? &access : NULL);
}

// vkQueueSubmit by the thread; fence signal and wait.
static inline void world_pass(struct world *world, uint32_t from, uint32_t to, bool to_device)
{
	uint32_t token;
	OK(vkr_engine_release(world->engine, from, ALL_STAGES, to_device, &token, &world->error));
	OK(vkr_engine_acquire(world->engine, to, token, ALL_STAGES, &world->error));
	vkr_engine_token_drop(world->engine, token);
}

static inline void expect_race(const struct world *world, enum vkr_race_class race_class)
{
	assert_int_equal(world->race_count, 1);
	assert_int_equal(world->races[0].race_class, race_class);
}

static inline void expect_none(const struct world *world)
{
	assert_int_equal(world->race_count, 0);
}

// xorshift; tests print their seed.
static inline uint32_t world_random(uint64_t *state, uint32_t below)
{
	assert(below > 0);
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)((*state >> 11) % below);
}
