// SPDX-License-Identifier: Apache-2.0
// Random programs that do the same dispatches again and again, judged access by access, and with
// what an earlier one has made of shadow memory made again: the races, their order, examples and
// counts must be the same. So must what a part of memory says (shard.h).
#include "engine_parts.h"
#include "engine_world.h"

#include "dispatch_effect.h"
#include "engine_state.h"
#include "shard.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_SIZE 64u
#define RECIPES    4u
#define ACCESSES   4u // of a recipe
#define SITES      5u
#define TARGETS    6u
#define CYCLE_MOST 10u
#define SEEDS      1000u
#define PART_SEEDS 500u

struct play {
	struct world world;
	uint64_t random;
	uint32_t sites[SITES], may_read, second;
	uint64_t recipes[RECIPES]; // what a dispatch does, as a seed
	bool repeats;
	bool parted; // half of the recipes write what the others read
	struct vkr_effect *effects[RECIPES];
	uint64_t mixed[RECIPES];
	uint32_t done, failed, raced; // repeated, and judged anew; of those repeated
};

// Some share a page, a line or a word with others.
static const struct vkr_engine_target targets[TARGETS] = {{1, 1, 0, 16384},    {1, 2, 16384, 16402},
							  {1, 3, 32786, 8000}, {2, 4, 0, 65536},
							  {1, 2, 8196, 4096},  {2, 5, 4100, 20000}};

static void begin(struct play *play, struct vkr_shard *shard)
{
	static const uint32_t flags[SITES] = {
		VKR_ENGINE_READ, VKR_ENGINE_WRITE, VKR_ENGINE_READ | VKR_ENGINE_NONPRIVATE,
		VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE,
		VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC};
	struct world *world = &play->world;
	world_begin_part(world, shard);
	OK(vkr_engine_queue(world->engine, world_random(&play->random, 2), &play->second,
			    &world->error));
	for (uint32_t s = 0; s < SITES; s++)
		play->sites[s] = world_site(
			world, COMPUTE, flags[s] & VKR_ENGINE_WRITE ? SHADER_WRITE : SHADER_READ,
			flags[s], 4, VKR_CLASS_UNIFORM);
	play->may_read = world_site(world, TRANSFER, TRANSFER_READ,
				    VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, 0, 0);
	play->parted = world_random(&play->random, 2);
	for (uint32_t r = 0; r < RECIPES; r++)
		play->recipes[r] = play->random * (2 * r + 3);
}

static uint32_t any_queue(struct play *play)
{
	return world_random(&play->random, 8) ? play->world.queue : play->second;
}

// ---- Dispatches ---------------------------------------------------------------------------------

// An access of a recipe: how its invocations' offsets come about.
struct step {
	struct vkr_effect_use use;
	uint32_t kind, first, stride;
	uint64_t seed;
};

static uint32_t make_steps(const struct play *play, uint32_t r, uint64_t *random,
			   struct step *steps)
{
	static const uint32_t strides[] = {0, 4, 4, 4, 8, 16, 48, 80, 4, 12};
	static const uint32_t read[] = {3, 3, 3, 3, 3, 3, 3, 5}, others[] = {0, 1, 2, 4};
	const uint32_t count = 1 + world_random(random, ACCESSES);
	const bool reads_apart = play->parted ? r % 2 == 0 : world_random(random, 2);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t site = world_random(random, 2) ? 0 : world_random(random, SITES);
		uint32_t target = world_random(random, 8);
		if (reads_apart)
			target = site == 0 ? read[target] : others[target % 4];
		else
			target = play->parted ? read[target] : target % TARGETS;
		steps[i] = (struct step){
			.use = {play->sites[site], targets[target]},
			.kind = world_random(random, 4),
			.first = 4 * world_random(random, 512),
			.stride = strides[world_random(random, 10)],
			.seed = *random | 1,
		};
	}
	return count;
}

static void feed_step(struct play *play, const struct step *step, uint32_t workgroup)
{
	struct world *world = &play->world;
	if (step->kind == 0) {
		uint32_t offsets[LOCAL_SIZE];
		uint64_t random = step->seed + workgroup * 977;
		for (uint32_t i = 0; i < LOCAL_SIZE; i++)
			offsets[i] = step->first + 4 * world_random(&random, 700);
		const struct vkr_engine_scatter scatter = {.site = step->use.site,
							   .count = LOCAL_SIZE,
							   .offsets = offsets,
							   .target = &step->use.target};
		OK(vkr_engine_scatter(world->engine, &scatter, &world->error));
		return;
	}
	const uint32_t apart = step->kind == 1 ? 0 : step->stride * LOCAL_SIZE;
	const struct vkr_engine_run runs[2] = {{step->use.site, 0, LOCAL_SIZE, step->stride,
						step->first + workgroup * apart, &step->use.target},
					       {step->use.site, 0, LOCAL_SIZE / 2, step->stride,
						step->first + workgroup * apart + 4,
						&step->use.target}};
	OK(vkr_engine_runs(world->engine, runs, step->kind == 3 ? 2 : 1, &world->error));
}

static bool writes(const struct play *play, uint32_t site)
{
	return site != play->sites[0] && site != play->sites[2];
}

static bool overlap(const struct vkr_engine_target *a, const struct vkr_engine_target *b)
{
	return a->memory == b->memory && a->base < b->base + b->bytes &&
	       b->base < a->base + a->bytes;
}

// Reads of what the dispatch does not write are noted, and wait when it has ended.
static void note_reads(struct play *play, const struct step *steps, uint32_t count)
{
	struct world *world = &play->world;
	for (uint32_t i = 0; i < count; i++) {
		bool written = false;
		for (uint32_t j = 0; j < count; j++)
			written = written || (writes(play, steps[j].use.site) &&
					      overlap(&steps[i].use.target, &steps[j].use.target));
		if (!written)
			OK(vkr_engine_note_reads(world->engine, steps[i].use.site,
						 &steps[i].use.target, &world->error));
	}
}

static void feed_dispatch(struct play *play, const struct step *steps, uint32_t count,
			  uint64_t random)
{
	static const struct vkr_engine_barrier barrier = {VKR_CLASS_UNIFORM, VKR_CLASS_UNIFORM,
							  VKR_CLASS_UNIFORM};
	struct world *world = &play->world;
	const uint32_t workgroups = 1 + world_random(&random, 12);
	struct vkr_engine_workgroups own;
	const uint32_t barrier_after = world_random(&random, 2 * ACCESSES);
	if (world_random(&random, 2))
		vkr_engine_divide(world->engine, 0, workgroups, &own);
	note_reads(play, steps, count);
	for (uint32_t w = 0; w < workgroups; w++) {
		OK(vkr_engine_workgroup(world->engine, w, &world->error));
		for (uint32_t i = 0; i < count; i++) {
			feed_step(play, &steps[i], w);
			if (i == barrier_after)
				OK(vkr_engine_barrier(world->engine, &barrier, &world->error));
		}
	}
	OK(vkr_engine_judge_noted(world->engine, &world->error));
}

// Returns whether it need not be fed.
static bool repeat(struct play *play, uint32_t r, const struct step *steps, uint32_t count,
		   struct vkr_effect **made)
{
	struct world *world = &play->world;
	struct vkr_effect_use uses[ACCESSES];
	bool done = false;
	if (play->effects[r] != NULL) {
		const uint64_t races = vkr_engine_races(world->engine);
		OK(vkr_effect_repeat(world->engine, play->effects[r], &done, &world->error));
		play->raced += vkr_engine_races(world->engine) != races;
		play->done += done;
		play->failed += !done;
	}
	if (done)
		return true;
	vkr_effect_destroy(world->engine, play->effects[r]);
	play->effects[r] = NULL;
	for (uint32_t i = 0; i < count; i++)
		uses[i] = steps[i].use;
	OK(vkr_effect_begin(world->engine, uses, count, 1024, play->mixed[r], made, &world->error));
	return false;
}

static void dispatch(struct play *play, uint32_t r)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, any_queue(play));
	struct vkr_effect *made = NULL;
	uint64_t mixed = 0;
	struct step steps[ACCESSES];
	uint64_t random = play->recipes[r];
	const uint32_t count = make_steps(play, r, &random, steps);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	if (!play->repeats || !repeat(play, r, steps, count, &made)) {
		feed_dispatch(play, steps, count, random);
		if (made != NULL)
			OK(vkr_effect_end(world->engine, &made, &mixed, &world->error));
		play->mixed[r] = mixed;
		if (play->repeats)
			play->effects[r] = made;
	}
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

// ---- What is between ----------------------------------------------------------------------------

static void range(struct play *play, uint32_t kind)
{
	struct world *world = &play->world;
	const uint32_t sites[5] = {world->copy_to, world->copy_from, play->may_read,
				   world->host_write, world->host_read};
	const struct vkr_engine_target *target = &targets[world_random(&play->random, TARGETS)];
	world_range(world, kind < 3 ? any_queue(play) : world->thread, sites[kind], target->memory,
		    target->base + 4 * world_random(&play->random, 500),
		    1 + world_random(&play->random, 3000));
}

static void barrier(struct play *play, bool whole)
{
	static const uint64_t stages[] = {ALL_STAGES, COMPUTE, TRANSFER};
	struct world *world = &play->world;
	const uint64_t from = whole ? ALL_STAGES : stages[world_random(&play->random, 3)];
	const uint64_t to = whole ? ALL_STAGES : stages[world_random(&play->random, 3)];
	const struct vkr_engine_target *target = &targets[world_random(&play->random, TARGETS)];
	const bool limited = !whole && world_random(&play->random, 2);
	const struct vkr_engine_barrier_access access = {
		.source_accesses = SHADER_WRITE | TRANSFER_PUT,
		.destination_accesses = SHADER_READ | SHADER_WRITE | TRANSFER_READ | TRANSFER_PUT,
		.memory = limited ? target->memory : 0,
		.offset = target->base,
		.bytes = target->bytes};
	world_memory_barrier(world, from, to, &access);
}

static void pass(struct play *play)
{
	const uint32_t timelines[3] = {play->world.queue, play->second, play->world.thread};
	const uint32_t from = world_random(&play->random, 3);
	world_pass(&play->world, timelines[from],
		   timelines[(from + 1 + world_random(&play->random, 2)) % 3], true);
}

static void step(struct play *play, uint32_t kind)
{
	if (kind < 8) {
		dispatch(play, kind % RECIPES);
		if (world_random(&play->random, 8))
			barrier(play, true);
	} else if (kind < 13) {
		range(play, kind - 8);
	} else if (kind < 15) {
		barrier(play, kind == 14);
	} else {
		pass(play);
	}
}

// What is done depends on the seed alone.
static void run(uint64_t seed, bool repeats, struct vkr_shard *shard, struct world_found *found,
		struct play *play)
{
	uint32_t cycle[CYCLE_MOST];
	*play = (struct play){.random = seed, .repeats = repeats};
	begin(play, shard);
	struct world *world = &play->world;
	const uint32_t length = 1 + world_random(&play->random, CYCLE_MOST);
	const uint32_t times = 2 + world_random(&play->random, 8);
	const uint32_t odd = 4 + world_random(&play->random, 60);
	for (uint32_t i = 0; i < length; i++)
		cycle[i] = world_random(&play->random, 4) && play->parted
				   ? i % 2 + 2 * world_random(&play->random, 2)
				   : world_random(&play->random,
						  world_random(&play->random, 2) ? 8 : 16);
	for (uint32_t i = 0; i < length * times; i++) {
		const bool is_odd = world_random(&play->random, odd) == 0;
		const uint64_t before = play->random;
		// Each turn makes these choices again.
		play->random = seed * (i % length + 2) | 1;
		step(play, is_odd ? (uint32_t)(before >> 20) % 16 : cycle[i % length]);
		play->random = before;
	}
	// All that is remembered is met.
	for (uint32_t memory = 1; memory <= 2; memory++)
		world_range(world, world->thread, world->host_write, memory, 0, 65536);
	world_find(world, found);
	// Reads that are noted are told as if no barrier had come before them.
	for (uint32_t at = 0; at < found->count; at++)
		found->races[at].first.interval = found->races[at].second.interval = 0;
	for (uint32_t r = 0; r < RECIPES; r++)
		vkr_effect_destroy(world->engine, play->effects[r]);
	world_end(world);
}

static void repeating_changes_nothing(void **state)
{
	struct world_found *found = calloc(2, sizeof *found);
	struct play *play = calloc(1, sizeof *play);
	uint32_t done = 0, failed = 0, raced = 0;
	(void)state;
	assert_non_null(found);
	assert_non_null(play);
	for (uint64_t at = 1; at <= SEEDS; at++) {
		const uint64_t seed = at * UINT64_C(0x9e3779b97f4a7c15);
		run(seed, false, NULL, &found[0], play);
		run(seed, true, NULL, &found[1], play);
		if (memcmp(&found[0], &found[1], sizeof *found) != 0)
			fail_msg("seed %llu: %u and %u races, %llu and %llu accesses",
				 (unsigned long long)at, found[0].count, found[1].count,
				 (unsigned long long)found[0].accesses,
				 (unsigned long long)found[1].accesses);
		done += play->done;
		failed += play->failed;
		raced += play->raced;
	}
	print_message("%u repeated, %u of them race, %u judged anew\n", done, raced, failed);
	assert_true(done > SEEDS && failed > SEEDS / 4 && raced > SEEDS / 4);
	free(found);
	free(play);
}

static void repeating_changes_no_part(void **state)
{
	struct world_found *found = calloc(2, sizeof *found);
	struct play *play = calloc(1, sizeof *play);
	uint32_t done = 0, conflicting = 0;
	(void)state;
	assert_non_null(found);
	assert_non_null(play);
	for (uint64_t at = 1; at <= PART_SEEDS; at++) {
		const uint64_t seed = at * UINT64_C(0x9e3779b97f4a7c15);
		const uint32_t count = 2 + (uint32_t)(at % 3), index = (uint32_t)(at / 3) % count;
		struct vkr_shard one = {.index = index, .count = count}, other = one;
		run(seed, false, &one, &found[0], play);
		run(seed, true, &other, &found[1], play);
		assert_memory_equal(&found[0], &found[1], sizeof *found);
		assert_int_equal(one.accesses, other.accesses);
		assert_int_equal(one.together, other.together);
		assert_int_equal(one.conflicts.count, other.conflicts.count);
		if (one.conflicts.count > 0)
			assert_memory_equal(one.conflicts.items, other.conflicts.items,
					    one.conflicts.count * sizeof *one.conflicts.items);
		done += play->done;
		conflicting += play->done > 0 && one.conflicts.count > 0;
		vkr_shard_finish(&one);
		vkr_shard_finish(&other);
	}
	print_message("%u repeated, %u parts that repeat and conflict\n", done, conflicting);
	assert_true(done > PART_SEEDS && conflicting > PART_SEEDS / 10);
	free(found);
	free(play);
}

// A dispatch that reads every other word of the second memory, from `first` on.
static void read_words(struct play *play, uint32_t first)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, world->queue);
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	OK(vkr_engine_note_reads(world->engine, play->sites[0], &targets[3], &world->error));
	for (uint32_t w = 0; w < 8; w++) {
		const struct vkr_engine_run run = {
			play->sites[0], 0, LOCAL_SIZE, 8, first + 8 * LOCAL_SIZE * w, &targets[3]};
		OK(vkr_engine_workgroup(world->engine, w, &world->error));
		OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	}
	OK(vkr_engine_judge_noted(world->engine, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
	barrier(play, true);
}

// A dispatch that reads some of these words, too few to wait.
static void read_few(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, world->queue);
	const struct vkr_engine_run run = {play->sites[0], 0, LOCAL_SIZE, 8, 0, &targets[3]};
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	OK(vkr_engine_workgroup(world->engine, 0, &world->error));
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

// A part of the open dispatch: a workgroup that accesses words of a target, from `first` on.
// Returns whether it has repeated.
static bool access_words(struct play *play, uint32_t part, uint32_t site,
			 const struct vkr_engine_target *target, uint32_t first)
{
	struct world *world = &play->world;
	const struct vkr_effect_use use = {site, *target};
	const struct vkr_engine_run run = {site, 0, LOCAL_SIZE, 4, first, target};
	struct vkr_effect **effect = &play->effects[part];
	uint64_t mixed = 0;
	bool done = false;
	if (*effect != NULL)
		OK(vkr_effect_repeat(world->engine, *effect, &done, &world->error));
	if (done)
		return true;
	vkr_effect_destroy(world->engine, *effect);
	OK(vkr_effect_begin(world->engine, &use, 1, 1024, 0, effect, &world->error));
	OK(vkr_engine_workgroup(world->engine, part, &world->error));
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	if (*effect != NULL)
		OK(vkr_effect_end(world->engine, effect, &mixed, &world->error));
	return false;
}

// A dispatch in parts, each a page after the one before. Returns whether all have repeated.
static bool access_pages(struct play *play, uint32_t parts, uint32_t site,
			 const struct vkr_engine_target *target, uint32_t first)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, world->queue);
	struct vkr_engine_target own = *target;
	bool done = true;
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	for (uint32_t part = 0; part < parts; part++, own.base += 4096)
		done = access_words(play, part, site, &own, first) && done;
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
	barrier(play, true);
	return done;
}

// A dispatch that writes words of a target, from `first` on. Returns whether it has repeated.
static bool write_words(struct play *play, const struct vkr_engine_target *target, uint32_t first)
{
	return access_pages(play, 1, play->sites[1], target, first);
}

// One that writes beside them.
static bool write_beside(struct play *play)
{
	return write_words(play, &targets[3], 32768);
}

static struct play *begin_alone(void)
{
	struct play *play = calloc(1, sizeof *play);
	assert_non_null(play);
	play->random = 1;
	begin(play, NULL);
	return play;
}

static void end_alone(struct play *play)
{
	for (uint32_t part = 0; part < RECIPES; part++)
		vkr_effect_destroy(play->world.engine, play->effects[part]);
	world_end(&play->world);
	free(play);
}

// Reads that wait where a dispatch writes are a part of what it finds.
static void waiting_reads_are_compared(void **state)
{
	struct play *play = begin_alone();
	bool repeated = false;
	(void)state;
	for (uint32_t turn = 0; turn < 6; turn++) {
		read_words(play, 0);
		repeated = write_beside(play);
	}
	assert_true(repeated);
	read_words(play, 4);
	assert_false(write_beside(play));
	end_alone(play);
}

// So is their order after what was there before them.
static void order_of_waiting_reads_is_compared(void **state)
{
	struct play *play = begin_alone();
	bool repeated = false;
	(void)state;
	for (uint32_t turn = 0; turn < 6; turn++) {
		read_few(play);
		barrier(play, true);
		read_words(play, 0);
		repeated = write_beside(play);
	}
	assert_true(repeated);
	read_few(play);
	read_words(play, 0);
	assert_false(write_beside(play));
	end_alone(play);
}

// What lies beside the dispatch's buffer, on the same page, in the same word, may change.
static void neighbours_are_not_compared(void **state)
{
	static const struct vkr_engine_target buffer = {1, 1, 4098, 6000};
	struct play *play = begin_alone();
	struct world *world = &play->world;
	bool repeated = false;
	(void)state;
	for (uint32_t turn = 0; turn < 6; turn++) {
		world_range(world, world->queue, world->copy_to, 1, 4000 + 8 * turn, 98 - 8 * turn);
		world_range(world, world->queue, world->copy_from, 1, buffer.base, 256);
		barrier(play, true);
		repeated = write_words(play, &buffer, 0);
		world_range(world, play->second, turn % 2 ? play->may_read : world->copy_from, 1,
			    buffer.base + buffer.bytes, 2000 - turn);
	}
	assert_true(repeated);
	assert_int_equal(world->race_count, 0);
	// They are as they were: nothing orders what the other queue has done with this copy.
	world_range(world, world->queue, world->copy_to, 1, buffer.base + buffer.bytes, 1);
	assert_int_equal(world->race_count, 2);
	// Of the buffer, the writes stay remembered, and not the reads before them.
	world_range(world, world->thread, world->host_write, 1, buffer.base, 4);
	assert_int_equal(world->race_count, 3);
	end_alone(play);
}

// Reads that may have been made do no harm where they are ordered, and race where they are not.
static void reads_that_may_be_are_ordered(void **state)
{
	struct play *play = begin_alone();
	struct world *world = &play->world;
	bool repeated = false;
	(void)state;
	for (uint32_t turn = 0; turn < 6; turn++) {
		world_range(world, world->queue, play->may_read, 1, 0, 16384);
		barrier(play, true);
		repeated = write_words(play, &targets[0], 0);
	}
	assert_true(repeated);
	assert_int_equal(world->race_count, 0);
	world_range(world, play->second, play->may_read, 1, 0, 16384);
	assert_int_equal(world->race_count, 1);
	assert_false(write_words(play, &targets[0], 0));
	assert_int_equal(world->race_count, 2);
	end_alone(play);
}

// A copy, and a dispatch in two parts that reads what it has put, after a barrier with these
// accesses. Returns whether it has repeated.
static bool copy_and_read(struct play *play, const struct vkr_engine_barrier_access *accesses)
{
	static const struct vkr_engine_target half = {1, 1, 0, 4096};
	struct world *world = &play->world;
	world_range(world, world->queue, world->copy_to, 1, 0, 8192);
	world_memory_barrier(world, ALL_STAGES, ALL_STAGES, accesses);
	return access_pages(play, 2, play->sites[0], &half, 0);
}

// Races repeat as often as they were found, in one command more; those of another class are others.
static void races_repeat(void **state)
{
	static const struct vkr_engine_barrier_access available = {
		.source_accesses = TRANSFER_PUT, .destination_accesses = TRANSFER_READ};
	struct play *play = begin_alone();
	struct world *world = &play->world;
	bool repeated = false;
	(void)state;
	for (uint32_t turn = 0; turn < 6; turn++)
		repeated = copy_and_read(play, NULL);
	assert_true(repeated);
	assert_int_equal(world->race_count, 1);
	assert_int_equal(world->races[0].race_class, VKR_RACE_UNAVAILABLE);
	assert_int_equal(vkr_engine_pair_count(world->engine, 0), 6 * 2 * LOCAL_SIZE);
	assert_int_equal(vkr_engine_pair_commands(world->engine, 0), 6);
	assert_false(copy_and_read(play, &available));
	assert_int_equal(world->race_count, 2);
	assert_int_equal(world->races[1].race_class, VKR_RACE_INVISIBLE);
	assert_int_equal(vkr_engine_pair_count(world->engine, 0), 6 * 2 * LOCAL_SIZE);
	end_alone(play);
}

static enum vkr_race_class count_question(void *context, const struct vkr_engine_race *candidate)
{
	struct world *world = context;
	(void)candidate;
	world->races[0].bytes++;
	return VKR_RACE_NONE;
}

// What is asked about is asked about each time.
static void asked_races_do_not_repeat(void **state)
{
	struct play *play = begin_alone();
	struct world *world = &play->world;
	(void)state;
	world->engine->options.ask = count_question;
	const uint32_t store = world_site(world, COMPUTE, SHADER_WRITE,
					  VKR_ENGINE_WRITE | VKR_ENGINE_NONPRIVATE | VKR_ENGINE_ASK,
					  4, VKR_CLASS_UNIFORM);
	for (uint32_t turn = 0; turn < 6; turn++) {
		const uint32_t command = world_command(world, play->second);
		const struct vkr_engine_run run = {store, 0, LOCAL_SIZE, 4, 0, &targets[0]};
		OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
		OK(vkr_engine_workgroup(world->engine, 0, &world->error));
		OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
		vkr_engine_dispatch_end(world->engine);
		vkr_engine_command_end(world->engine, command);
		const uint64_t before = world->races[0].bytes;
		assert_false(access_pages(play, 1, store, &targets[0], 0));
		assert_int_equal(world->races[0].bytes, before + LOCAL_SIZE);
		world_pass(world, world->queue, play->second, true);
	}
	end_alone(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(repeating_changes_nothing),
					   cmocka_unit_test(repeating_changes_no_part),
					   cmocka_unit_test(waiting_reads_are_compared),
					   cmocka_unit_test(order_of_waiting_reads_is_compared),
					   cmocka_unit_test(neighbours_are_not_compared),
					   cmocka_unit_test(reads_that_may_be_are_ordered),
					   cmocka_unit_test(races_repeat),
					   cmocka_unit_test(asked_races_do_not_repeat)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
