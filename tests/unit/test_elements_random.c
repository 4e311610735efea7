// SPDX-License-Identifier: Apache-2.0
// Accesses of whole dispatches to elements side by side, by random invocations, fed as lists of
// elements and access by access, between random ranges, dispatches and dependencies. Both must tell
// the same races, as often. Knows only the engine's interface.
#include "engine_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL_SIZE 24u // whose number needs a bit more
#define LOCAL_BITS 5u
#define WORKGROUPS 40u
#define BYTES      24576u // of a memory's, that dispatches access
#define SITE_KINDS 10u    // loads and stores of 1 to 16 bytes
#define PROBES     24u

struct two {
	struct world worlds[2];
	uint32_t sites[2][SITE_KINDS];
	uint64_t random;
	uint32_t numbers[BYTES]; // by element: as in struct vkr_engine_elements
	uint32_t together;       // lists that were judged at once
};

static const struct vkr_engine_target targets[] = {{1, 1, 64, 65536 - 64}, {2, 2, 4096, 61440}};

static uint32_t below(struct two *two, uint32_t limit)
{
	return world_random(&two->random, limit);
}

static void add_sites(struct two *two)
{
	for (uint32_t kind = 0; kind < SITE_KINDS; kind++)
		for (unsigned w = 0; w < 2; w++)
			two->sites[w][kind] = world_site(
				&two->worlds[w], COMPUTE, kind < 5 ? SHADER_READ : SHADER_WRITE,
				(kind < 5 ? VKR_ENGINE_READ : VKR_ENGINE_WRITE) |
					(kind % 2 ? VKR_ENGINE_NONPRIVATE : 0),
				1u << (kind % 5), VKR_CLASS_UNIFORM);
}

// Which invocations access the elements: tiles, rows or anybody; none in holes.
static void choose_invocations(struct two *two, uint32_t count)
{
	const uint32_t pattern = below(two, 3), pitch = 16 + 8 * below(two, 30);
	const uint32_t holes = below(two, 3) == 0 ? 2 + below(two, 400) : 0;
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t x = at % pitch, y = at / pitch;
		uint32_t workgroup = below(two, WORKGROUPS), local = below(two, LOCAL_SIZE);
		if (pattern == 0) {
			workgroup = (x / 8 + 3 * (y / 3)) % WORKGROUPS;
			local = x % 8 + 8 * (y % 3);
		} else if (pattern == 1) {
			workgroup = at / LOCAL_SIZE % WORKGROUPS;
			local = at % LOCAL_SIZE;
		}
		two->numbers[at] = (workgroup << LOCAL_BITS | local) + 1;
	}
	for (uint32_t at = 0; holes > 0 && at < count; at += 1 + below(two, holes)) {
		const uint32_t length = 1 + below(two, holes);
		for (uint32_t end = at + length; at < end && at < count; at++)
			two->numbers[at] = 0;
	}
}

static void access_one(struct two *two, unsigned w, const struct vkr_engine_elements *list,
		       uint32_t at)
{
	struct world *world = &two->worlds[w];
	const uint32_t bytes = 1u << (list->site - two->sites[w][0]) % 5;
	const uint32_t offset = ((uint32_t)list->first + at) * bytes;
	const struct vkr_engine_scatter one = {.site = list->site,
					       .local = (two->numbers[at] - 1) % (1u << LOCAL_BITS),
					       .count = 1,
					       .offsets = &offset,
					       .target = list->target};
	OK(vkr_engine_scatter(world->engine, &one, &world->error));
}

// Writes workgroup by workgroup, as they are fed otherwise; reads of what the dispatch does not
// write by their place.
static void access_apart(struct two *two, unsigned w, const struct vkr_engine_elements *list,
			 bool writes)
{
	struct world *world = &two->worlds[w];
	for (uint32_t at = 0; at < list->count && !writes; at++) {
		if (two->numbers[at] == 0)
			continue;
		OK(vkr_engine_workgroup(world->engine, (two->numbers[at] - 1) >> LOCAL_BITS,
					&world->error));
		access_one(two, w, list, at);
	}
	for (uint32_t number = 1; number <= WORKGROUPS << LOCAL_BITS && writes; number++) {
		if ((number - 1) % (1u << LOCAL_BITS) == 0)
			OK(vkr_engine_workgroup(world->engine, (number - 1) >> LOCAL_BITS,
						&world->error));
		for (uint32_t at = 0; at < list->count; at++)
			if (two->numbers[at] == number)
				access_one(two, w, list, at);
	}
}

static void random_dispatch(struct two *two)
{
	const uint32_t kind = below(two, SITE_KINDS), bytes = 1u << (kind % 5);
	// Writes one by one take long.
	const uint32_t most = (kind < 5 ? BYTES : 3072) / bytes;
	const uint32_t count = 1 + below(two, most);
	const struct vkr_engine_target *target = &targets[below(two, 2)];
	const uint32_t first = below(two, 2) ? 0 : below(two, BYTES / bytes);
	choose_invocations(two, count);
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		const uint32_t command = world_command(world, world->queue);
		const struct vkr_engine_elements list = {.site = two->sites[w][kind],
							 .target = target,
							 .first = first,
							 .count = count,
							 .invocations = two->numbers};
		bool apart = w != 0;
		OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
		if (!apart)
			OK(vkr_engine_elements(world->engine, &list, 1, &apart, &world->error));
		two->together += !apart;
		if (apart)
			access_apart(two, w, &list, kind >= 5);
		vkr_engine_dispatch_end(world->engine);
		vkr_engine_command_end(world->engine, command);
	}
}

static void random_between(struct two *two)
{
	const uint32_t what = below(two, 6), memory = 1 + below(two, 2);
	const uint32_t offset = below(two, BYTES), bytes = 1 + below(two, 9000);
	for (unsigned w = 0; w < 2; w++) {
		struct world *world = &two->worlds[w];
		if (what == 0)
			world_range(world, world->queue, world->copy_from, memory, offset, bytes);
		else if (what == 1)
			world_range(world, world->queue, world->copy_to, memory, offset, bytes);
		else if (what < 5)
			world_barrier(world, ALL_STAGES, UINT64_MAX, ALL_STAGES, UINT64_MAX);
	}
}

// Who has accessed elements: each is written by a site of its own, of the host, which is behind
// nothing.
static void probe(struct two *two)
{
	for (uint32_t at = 0; at < PROBES; at++) {
		const uint32_t memory = 1 + below(two, 2), offset = below(two, BYTES);
		for (unsigned w = 0; w < 2; w++) {
			struct world *world = &two->worlds[w];
			const uint32_t site = world_site(world, 0, 0, VKR_ENGINE_WRITE, 0, 0);
			world_range(world, world->thread, site, memory, offset, 1);
		}
	}
}

static const struct vkr_engine_race *find_race(const struct world *world,
					       const struct vkr_engine_race *race)
{
	for (uint32_t i = 0; i < world->race_count; i++) {
		const struct vkr_engine_race *x = &world->races[i];
		if (memcmp(&x->first, &race->first, sizeof x->first) == 0 &&
		    memcmp(&x->second, &race->second, sizeof x->second) == 0 &&
		    x->race_class == race->race_class && x->offset == race->offset &&
		    x->bytes == race->bytes)
			return x;
	}
	return NULL;
}

static void compare(const struct two *two, uint64_t seed)
{
	const struct world *lists = &two->worlds[0], *ones = &two->worlds[1];
	assert_true(lists->race_count < MOST_RACES);
	if (lists->race_count != ones->race_count)
		fail_msg("seed %llu: %u and %u races", (unsigned long long)seed, lists->race_count,
			 ones->race_count);
	for (uint32_t i = 0; i < lists->race_count; i++) {
		const struct vkr_engine_race *x = &lists->races[i], *y = find_race(ones, x);
		if (y == NULL)
			fail_msg("seed %llu: at %llu site %u, workgroup %u, local %u",
				 (unsigned long long)seed, (unsigned long long)x->offset,
				 x->first.site, x->first.workgroup, x->first.local);
		const uint64_t one = vkr_engine_pair_count(lists->engine, x->pair);
		const uint64_t other = vkr_engine_pair_count(ones->engine, y->pair);
		if (one != other)
			fail_msg("seed %llu: sites %u and %u race %llu and %llu times",
				 (unsigned long long)seed, x->first.site, x->second.site,
				 (unsigned long long)one, (unsigned long long)other);
	}
}

static void round_of(uint64_t seed, uint32_t *races, uint32_t *together)
{
	struct two *two = calloc(1, sizeof *two);
	assert_non_null(two);
	two->random = seed * 2654435761u + 88172645463325252u;
	for (unsigned w = 0; w < 2; w++)
		world_begin(&two->worlds[w]);
	add_sites(two);
	const uint32_t dispatches = 1 + below(two, 12);
	for (uint32_t at = 0; at < dispatches; at++) {
		random_between(two);
		random_dispatch(two);
	}
	probe(two);
	compare(two, seed);
	*races += two->worlds[0].race_count;
	*together += two->together;
	for (unsigned w = 0; w < 2; w++)
		world_end(&two->worlds[w]);
	free(two);
}

static void test_random(void **state)
{
	const char *given = getenv("VKR_TEST_SEED");
	const uint64_t first = given ? strtoull(given, NULL, 10) : 1;
	uint32_t races = 0, together = 0;
	(void)state;
	for (uint64_t seed = first; seed < first + (given ? 1 : 300); seed++)
		round_of(seed, &races, &together);
	assert_true(given || (races > 3000 && together > 700));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
