// SPDX-License-Identifier: Apache-2.0
// Random dispatches on one queue, each with reads and writes of its own, against a history that
// forgets nothing: which accesses race, and at which bytes. Knows only the engine's interface.
#include "control_barrier.h"
#include "engine_world.h"

#include <stdlib.h>
#include <time.h>

#define AREA     24u
#define MOST     96u
#define LOCALS   3u
#define COMMANDS 5u

enum between { NOTHING, EXECUTION, MEMORY };

struct past {
	uint32_t command, group, local, interval, flags;
	uint64_t low, high;
};

struct history {
	struct past past[MOST]; // index: tag of the site
	uint32_t count;
	enum between before[COMMANDS]; // what stands before a command
	bool raced[AREA];
	bool told; // of the last access
	uint64_t seed;
};

static bool conflict(const struct history *history, const struct past *x, const struct past *y)
{
	bool ordered = false, available = false;
	if (!((x->flags | y->flags) & VKR_ENGINE_WRITE))
		return false;
	if (x->command == y->command) {
		if (x->group == y->group && x->local == y->local)
			return false;
		return x->group != y->group || x->interval == y->interval ||
		       !(x->flags & y->flags & VKR_ENGINE_NONPRIVATE);
	}
	for (uint32_t i = x->command + 1; i <= y->command; i++) {
		ordered |= history->before[i] != NOTHING;
		available |= history->before[i] == MEMORY;
	}
	return !ordered || ((x->flags & VKR_ENGINE_WRITE) && !available);
}

static void told(void *context, const struct vkr_engine_race *race)
{
	struct history *history = context;
	const struct past *x = &history->past[race->first.site_tag];
	const struct past *y = &history->past[race->second.site_tag];
	if (!conflict(history, x, y) || race->offset < x->low || race->offset < y->low ||
	    race->offset + race->bytes > x->high || race->offset + race->bytes > y->high)
		fail_msg("seed %llu: no race between %llu and %llu",
			 (unsigned long long)history->seed,
			 (unsigned long long)race->first.site_tag,
			 (unsigned long long)race->second.site_tag);
	history->told |= y == &history->past[history->count];
}

// Whether y's invocation has itself written the byte non-privately, ordered after the i-th access:
// the engine then holds a private y against that write alone.
static bool overwritten(const struct history *history, uint32_t i, const struct past *y,
			uint64_t at)
{
	const struct past *x = &history->past[i];
	for (i++; i < history->count; i++) {
		const struct past *z = &history->past[i];
		if (z->command == y->command && z->group == y->group && z->local == y->local &&
		    z->low <= at && at < z->high && !conflict(history, x, z) &&
		    z->flags == (VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE))
			return true;
	}
	return false;
}

// One invocation's access through a site of its own. The engine must tell a race of it where there
// is one at a byte that has not raced before.
static void access_once(struct history *history, struct vkr_engine *engine, struct past y,
			uint32_t kind)
{
	static const uint32_t sizes[4] = {4, 4, 1, 12};
	const struct vkr_engine_target target = {1, 1, 0, AREA};
	const struct vkr_engine_site site = {.tag = history->count,
					     .stage = COMPUTE,
					     .access = y.flags & VKR_ENGINE_WRITE ? SHADER_WRITE
										  : SHADER_READ,
					     .flags = y.flags,
					     .bytes = sizes[kind],
					     .storage_class = VKR_CLASS_UNIFORM};
	struct vkr_engine_run run = {0, y.local, 1, 0, y.low, &target};
	struct vkr_error error;
	bool must = false, raced[AREA] = {false};

	y.high = y.low + sizes[kind];
	history->past[history->count] = y;
	for (uint32_t i = 0; i < history->count; i++) {
		const struct past *x = &history->past[i];
		for (uint64_t at = y.low; at < y.high && conflict(history, x, &y); at++) {
			if (at < x->low || at >= x->high)
				continue;
			raced[at] = true;
			must |= !history->raced[at] && !overwritten(history, i, &y, at);
		}
	}
	history->told = false;
	OK(vkr_engine_site_add(engine, &site, &run.site, &error));
	OK(vkr_engine_runs(engine, &run, 1, &error));
	if (must && !history->told)
		fail_msg("seed %llu: access %u races", (unsigned long long)history->seed,
			 history->count);
	for (uint32_t i = 0; i < AREA; i++)
		history->raced[i] |= raced[i];
	history->count++;
}

static void dependency(struct vkr_engine *engine, uint32_t queue, enum between kind)
{
	const struct vkr_engine_barrier_access all = {.source_accesses = SHADER_READ | SHADER_WRITE,
						      .destination_accesses =
							      SHADER_READ | SHADER_WRITE};
	const struct vkr_engine_dependency barrier = {.source_stages = COMPUTE,
						      .destination_stages = COMPUTE,
						      .accesses = &all,
						      .access_count = kind == MEMORY};
	struct vkr_error error;
	if (kind != NOTHING)
		OK(vkr_engine_dependencies(engine, queue, 0, &barrier, 1, &error));
}

static void random_round(uint64_t seed)
{
	struct history history = {.seed = seed};
	const struct vkr_engine_options options = {.context = &history, .race = told};
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	struct vkr_engine *engine;
	struct vkr_error error;
	uint32_t queue;

	OK(vkr_engine_create(&options, &engine, &error));
	OK(vkr_engine_queue(engine, 0, &queue, &error));
	OK(vkr_engine_memory(engine, 1, AREA, true, &error));
	for (uint32_t c = 0; c < COMMANDS; c++) {
		uint32_t command;
		history.before[c] = (enum between)world_random(&random, 3);
		dependency(engine, queue, history.before[c]);
		OK(vkr_engine_command(engine, queue, c, &command, &error));
		OK(vkr_engine_dispatch_begin(engine, command, LOCALS, 0, &error));
		for (uint32_t step = 0; step < 6; step++) {
			struct past y = {.command = c, .group = step / 3, .interval = step % 3};
			if (y.interval == 0)
				OK(vkr_engine_workgroup(engine, y.group, &error));
			else
				OK(control_barrier(engine, VKR_SCOPE_WORKGROUP,
						   VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE |
							   VKR_ORDER_MAKE_AVAILABLE |
							   VKR_ORDER_MAKE_VISIBLE,
						   VKR_CLASS_UNIFORM, &error));
			for (uint32_t i = world_random(&random, 4); i > 0; i--) {
				y.local = world_random(&random, LOCALS);
				y.low = world_random(&random, AREA - 12);
				y.flags = world_random(&random, 3) ? VKR_ENGINE_READ
								   : VKR_ENGINE_WRITE;
				if (world_random(&random, 4))
					y.flags |= VKR_ENGINE_NONPRIVATE;
				access_once(&history, engine, y, world_random(&random, 4));
			}
		}
		vkr_engine_dispatch_end(engine);
		vkr_engine_command_end(engine, command);
	}
	vkr_engine_destroy(engine);
}

static void test_random(void **state)
{
	const char *given = getenv("VKRACE_TEST_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	(void)state;
	print_message("seed %llu (VKRACE_TEST_SEED sets it)\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < 5000; i++)
		random_round(seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
