// SPDX-License-Identifier: Apache-2.0
// Random commands whose reads are judged at once, and whose reads, or logs of them, wait until
// something meets them, judged whole or in parts: the races, their order, examples and counts must
// be the same. Knows only the engine's interface.
#include "engine_world.h"

#include "filter_judge.h"
#include "read_deferral.h"
#include "read_table.h"
#include "shard.h"
#include "unread_reads.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_SIZE 64u
#define MEMORY     UINT32_C(65536)
#define READERS    2048u
#define SITES      3u
#define OTHER      UINT64_C(8) // another stage
#define SEEDS      600u
#define TABLES     2u // of a draw, at most
#define KEPT       4u

// What a draw reads.
struct draw {
	uint32_t count; // of tables; 0: there is no such draw
	struct draw_table {
		uint32_t site;
		const struct vkr_engine_target *target;
		struct vkr_read_table *reads;
	} tables[TABLES];
};

enum mode {
	AT_ONCE,
	WAITING,
	UNREAD, // some draws' logs wait
};

struct play {
	struct world world;
	uint64_t random;
	uint64_t unread_random; // which draws' logs wait
	uint32_t reads[SITES];  // sites
	uint32_t transition, rendered;
	uint32_t second; // queue
	uint32_t open;   // command that accesses something later; 0: none
	enum mode mode;
	bool in_section;
	struct vkr_access_filters filters;
	struct vkr_read_pages *pages;
	struct draw kept[KEPT]; // that come again
	uint32_t rest;          // of this many steps 24 are of all kinds, the others draw
};

static const struct vkr_engine_target targets[] = {{1, 1, 0, 16384},
						   {1, 2, 0, 16384},
						   {1, 1, 16384, 40000},
						   {2, 1, 0, MEMORY},
						   {1, 3, 8192, 16384}};

static void begin(struct play *play, struct vkr_shard *shard)
{
	static const uint64_t stages[SITES] = {COMPUTE, COMPUTE, OTHER};
	struct world *world = &play->world;
	world_begin_part(world, shard);
	OK(vkr_engine_queue(world->engine, world_random(&play->random, 2), &play->second,
			    &world->error));
	// All accesses of a stage are at places of a framebuffer, or none.
	const uint32_t placed = world_random(&play->random, 2) ? VKR_ENGINE_PLACED : 0;
	for (uint32_t s = 0; s < SITES; s++)
		play->reads[s] = world_site(
			world, stages[s], SHADER_READ,
			VKR_ENGINE_READ | (stages[s] == OTHER ? VKR_ENGINE_PLACED : placed) |
				(world_random(&play->random, 4) ? 0 : VKR_ENGINE_NONPRIVATE),
			4, VKR_CLASS_IMAGE);
	play->rendered =
		world_site(world, OTHER, SHADER_WRITE, VKR_ENGINE_WRITE | VKR_ENGINE_PLACED, 0, 0);
	play->transition = world_site(world, VKR_ENGINE_TRANSITION, VKR_ENGINE_TRANSITION,
				      VKR_ENGINE_WRITE, 0, 0);
}

// A queue. Where only what the host submits is to come, it does.
static uint32_t any_queue(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t queue = world_random(&play->random, 4) ? world->queue : play->second;
	if (world->coming == VKR_COMING_SUBMITTED && !play->in_section)
		world_pass(world, world->thread, queue, true);
	return queue;
}

// ---- Draws --------------------------------------------------------------------------------------

static uint32_t filter_of(struct play *play, const struct draw_table *table)
{
	const struct vkr_engine_run like = {.site = play->reads[table->site],
					    .target = table->target};
	return vkr_access_filter(&play->filters, table->site, &like, 4, 2);
}

static void note_reads(struct play *play, const struct draw_table *table, uint32_t *reader_count)
{
	const struct vkr_engine_target *target = table->target;
	const uint32_t filter = filter_of(play, table);
	const uint32_t places = (uint32_t)(target->bytes < MEMORY ? target->bytes : MEMORY) / 4;
	const uint32_t count = 100 + world_random(&play->random, 900);
	const uint32_t from = world_random(&play->random, places);
	const bool row = world_random(&play->random, 3) != 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t place = row ? from + i : world_random(&play->random, places);
		if (place >= places || *reader_count == READERS)
			break;
		const uint32_t number = (from % 7 + *reader_count / LOCAL_SIZE) * LOCAL_SIZE +
					*reader_count % LOCAL_SIZE;
		if (vkr_access_filter_note(&play->filters, &play->filters.items[filter],
					   (uint64_t)place * 4, number) != VKR_FILTER_NOTED)
			continue;
		++*reader_count;
	}
}

static void finish_draw(struct draw *draw)
{
	for (uint32_t at = 0; at < draw->count; at++)
		vkr_read_table_drop(draw->tables[at].reads);
	*draw = (struct draw){0};
}

static void make_draw(struct play *play, struct draw *draw)
{
	const uint32_t wanted = 1 + world_random(&play->random, TABLES);
	uint32_t count = 0;
	*draw = (struct draw){0};
	for (uint32_t i = 0; i < wanted; i++) {
		const struct draw_table table = {
			.site = world_random(&play->random, SITES),
			.target = &targets[play->rest > 24 ? 3 : world_random(&play->random, 5)]};
		note_reads(play, &table, &count);
		if (play->filters.count > draw->count)
			draw->tables[draw->count++] = table;
	}
	for (uint32_t at = 0; at < draw->count; at++) {
		const struct vkr_access_filter *of = &play->filters.items[at];
		draw->tables[at].reads = vkr_read_table_make(&play->pages, &play->filters, of);
		assert_non_null(draw->tables[at].reads);
	}
}

// Has the filters note what an earlier draw has read, or refer to it.
static void take_again(struct play *play, const struct draw *draw, bool refers)
{
	for (uint32_t at = 0; at < draw->count; at++) {
		struct vkr_access_filter *filter =
			&play->filters.items[filter_of(play, &draw->tables[at])];
		if (refers)
			filter->kept = draw->tables[at].reads;
		else
			assert_true(vkr_read_table_note(draw->tables[at].reads, &play->filters,
							filter));
	}
}

// ---- Logs of draws ------------------------------------------------------------------------------

struct unread {
	struct vkr_unread_log log;
	struct play *play;
	uint32_t references;
	struct draw draw;
	bool waits[TABLES];
};

static enum vkr_result judge_filters(struct play *play, struct vkr_access_filters *filters)
{
	struct world *world = &play->world;
	bool apart = false;
	if (play->mode != AT_ONCE) {
		OK(vkr_filters_defer(world->engine, filters, &world->error));
		OK(vkr_filters_apart(world->engine, filters, &apart, &world->error));
		assert_false(apart); // nobody is asked
	}
	return vkr_filters_judge(world->engine, filters, &world->error);
}

static enum vkr_result read_log(struct vkr_unread_log *log, const struct vkr_engine_range *range,
				struct vkr_error *error)
{
	struct unread *unread = (struct unread *)log;
	struct vkr_access_filters filters = {0};
	(void)error;
	assert_true(vkr_access_filters_begin(&filters, TABLES));
	for (uint32_t at = 0; at < unread->draw.count; at++) {
		const struct draw_table *table = &unread->draw.tables[at];
		const struct vkr_engine_run like = {.site = unread->play->reads[table->site],
						    .target = table->target};
		if (!unread->waits[at] ||
		    (range != NULL && (range->memory != table->target->memory ||
				       range->offset != table->target->base)))
			continue;
		const uint32_t filter = vkr_access_filter(&filters, at, &like, 4, 2);
		assert_true(vkr_read_table_note(table->reads, &filters, &filters.items[filter]));
	}
	vkr_unread_dispatch(unread->play->world.engine, log, LOCAL_SIZE);
	OK(judge_filters(unread->play, &filters));
	vkr_access_filters_finish(&filters);
	return VKR_OK;
}

static void release_log(struct unread *unread)
{
	if (--unread->references > 0)
		return;
	finish_draw(&unread->draw);
	free(unread);
}

static void drop_log(struct vkr_unread_log *log, uint32_t access)
{
	struct unread *unread = (struct unread *)log;
	assert_true(unread->waits[access]);
	unread->waits[access] = false;
	release_log(unread);
}

static bool overlap_partly(const struct vkr_engine_target *a, const struct vkr_engine_target *b)
{
	return a->memory == b->memory && (a->base != b->base || a->bytes != b->bytes) &&
	       a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

// Whether the log of what a draw reads may wait.
static bool may_wait(struct play *play, const struct draw *draw)
{
	struct world *world = &play->world;
	bool may = draw->count > 0;
	for (uint32_t at = 0; at < draw->count && may; at++) {
		const struct draw_table *table = &draw->tables[at];
		OK(vkr_unread_may_wait(world->engine, play->reads[table->site], table->target, &may,
				       &world->error));
		for (uint32_t other = 0; other < at; other++)
			may = may && !overlap_partly(draw->tables[other].target, table->target);
	}
	return may;
}

// Has it wait, in the dispatch that is open.
static void put_off(struct play *play, uint32_t command, const struct draw *draw)
{
	static uint64_t number;
	struct world *world = &play->world;
	const uint64_t before = vkr_engine_accesses(world->engine);
	struct unread *unread = calloc(1, sizeof *unread);
	uint64_t count = 0;
	assert_non_null(unread);
	*unread = (struct unread){{command, number++, read_log, drop_log}, play, 1, *draw, {0}};
	for (uint32_t at = 0; at < draw->count; at++) {
		const struct draw_table *table = &draw->tables[at];
		vkr_read_table_hold(table->reads);
		count += table->reads->reads;
		unread->waits[at] = true;
		unread->references++;
		OK(vkr_unread_wait(world->engine, play->reads[table->site], table->target,
				   &unread->log, at, &world->error));
	}
	vkr_filters_count_as(world->engine, before, count);
	release_log(unread);
}

// Where logs may wait, some do; now and then what they say, or whether it is settled, is asked.
static bool is_put_off(struct play *play, uint32_t command, const struct draw *draw)
{
	struct world *world = &play->world;
	const uint32_t kind = play->mode == UNREAD ? world_random(&play->unread_random, 16) : 0;
	bool read = false;
	if (kind == 1)
		OK(vkr_unread_read(world->engine, &read, &world->error));
	if (kind == 2)
		vkr_unread_settle(world->engine);
	OK(vkr_engine_dispatch_begin(world->engine, command, 1, 0, &world->error));
	const bool may = kind > 5 && may_wait(play, draw);
	if (may)
		put_off(play, command, draw);
	vkr_engine_dispatch_end(world->engine);
	return may;
}

static void judge_draw(struct play *play, const struct draw *draw)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, any_queue(play));
	const uint64_t before = play->random;
	if (is_put_off(play, command, draw)) {
		vkr_access_filters_clear(&play->filters);
	} else {
		OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
		OK(judge_filters(play, &play->filters));
		vkr_engine_dispatch_end(world->engine);
	}
	vkr_engine_command_end(world->engine, command);
	play->random = before;
}

static void random_draw(struct play *play)
{
	struct draw *kept = &play->kept[world_random(&play->random, KEPT)];
	const bool repeats = kept->count > 0 && world_random(&play->random, 3) > 0;
	struct draw made;
	assert_true(vkr_access_filters_begin(&play->filters, SITES));
	if (repeats) {
		take_again(play, kept, play->mode != AT_ONCE);
		judge_draw(play, kept);
		return;
	}
	make_draw(play, &made);
	judge_draw(play, &made);
	finish_draw(kept);
	*kept = made;
}

// ---- What they meet -----------------------------------------------------------------------------

static void random_writes(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t command = world_command(world, any_queue(play));
	const struct vkr_engine_run run = {.site = world->store,
					   .count = LOCAL_SIZE,
					   .stride = 4,
					   .offset =
						   4 * (uint64_t)world_random(&play->random, 2000),
					   .target = &targets[world_random(&play->random, 4)]};
	OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
	OK(vkr_engine_workgroup(world->engine, 3, &world->error));
	OK(vkr_engine_runs(world->engine, &run, 1, &world->error));
	vkr_engine_dispatch_end(world->engine);
	vkr_engine_command_end(world->engine, command);
}

static void random_range(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t kind = world_random(&play->random, 8);
	const uint32_t site = kind == 0   ? world->copy_from
			      : kind == 1 ? play->rendered
			      : kind < 5  ? world->copy_to
			      : kind == 5 ? world->host_read
					  : world->host_write;
	const struct vkr_engine_target *target = &targets[world_random(&play->random, 4)];
	const bool whole = world_random(&play->random, 2);
	const uint64_t offset = whole ? 0 : world_random(&play->random, 8192);
	world_range(world, kind < 5 ? any_queue(play) : world->thread, site, target->memory,
		    target->base + offset,
		    whole ? target->bytes : 1 + world_random(&play->random, 8192));
}

static void random_barrier(struct play *play, bool transits)
{
	static const uint64_t stages[] = {ALL_STAGES, COMPUTE, TRANSFER, COMPUTE | TRANSFER,
					  ALL_STAGES};
	struct world *world = &play->world;
	const struct vkr_engine_target *target = &targets[world_random(&play->random, 4)];
	const bool limited = world_random(&play->random, 3) == 0;
	const struct vkr_engine_barrier_access access = {
		.source_accesses = SHADER_WRITE | TRANSFER_PUT,
		.destination_accesses = ALL_STAGES,
		.memory = limited || transits ? target->memory : 0,
		.offset = target->base,
		.bytes = target->bytes};
	const struct vkr_engine_range range = {target->memory, target->base, target->bytes};
	struct vkr_engine_transition transition = {.ranges = &range, .range_count = 1};
	const struct vkr_engine_dependency dependency = {
		.source_stages = stages[world_random(&play->random, 5)],
		.destination_stages = stages[world_random(&play->random, 5)],
		.accesses = &access,
		.access_count = 1,
		.transition = transits ? &transition : NULL};
	OK(vkr_engine_dependencies(world->engine, any_queue(play), 77, &dependency, 1,
				   &world->error));
	if (!transits)
		return;
	OK(vkr_engine_access_range(world->engine, transition.command, play->transition,
				   target->memory, target->base, target->bytes, &world->error));
	vkr_engine_command_end(world->engine, transition.command);
}

static void random_pass(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t timelines[3] = {world->queue, play->second, world->thread};
	const uint32_t from = world_random(&play->random, 3);
	const uint32_t to = (from + 1 + world_random(&play->random, 2)) % 3;
	world_pass(world, timelines[from], timelines[to], true);
}

static void random_local(struct play *play)
{
	static const struct vkr_engine_barrier_access access = {.source_accesses = SHADER_WRITE,
								.destination_accesses = ALL_STAGES};
	struct world *world = &play->world;
	const struct vkr_engine_dependency dependency = {.source_stages = ALL_STAGES,
							 .destination_stages = ALL_STAGES,
							 .local = VKR_ENGINE_BY_REGION,
							 .accesses = &access,
							 .access_count = 1};
	OK(vkr_engine_dependencies(world->engine, world->queue, 78, &dependency, 1, &world->error));
}

// A command is made, and accesses something when others have come.
static void random_open(struct play *play)
{
	struct world *world = &play->world;
	const bool host = world_random(&play->random, 2);
	if (play->open == 0) {
		play->open = world_command(world, host ? world->thread : any_queue(play));
		return;
	}
	OK(vkr_engine_access_range(world->engine, play->open, world->copy_to,
				   1 + world_random(&play->random, 2), 0, MEMORY, &world->error));
	vkr_engine_command_end(world->engine, play->open);
	play->open = 0;
}

// What is ordered in it is not known after it.
static void end_section(struct play *play)
{
	vkr_engine_section_end(play->world.engine, play->world.queue);
	play->in_section = false;
}

static void random_section(struct play *play)
{
	struct world *world = &play->world;
	if (play->in_section) {
		end_section(play);
		return;
	}
	OK(vkr_engine_section_begin(world->engine, world->queue, 0, &world->error));
	play->in_section = true;
}

static void random_free(struct play *play)
{
	struct world *world = &play->world;
	const uint32_t memory = 1 + world_random(&play->random, 2);
	const uint32_t command = world_command(world, world->thread);
	OK(vkr_engine_memory_free(world->engine, memory, command, world->free_site, &world->error));
	vkr_engine_command_end(world->engine, command);
	OK(vkr_engine_memory(world->engine, memory, MEMORY, true, &world->error));
}

static void random_rare(struct play *play)
{
	switch (world_random(&play->random, 4)) {
	case 0:
		random_free(play);
		break;
	case 1:
		random_section(play);
		break;
	default:
		random_open(play);
		break;
	}
}

static void random_step(struct play *play)
{
	const uint32_t kind = world_random(&play->random, play->rest);
	if (kind < 10)
		random_draw(play);
	else if (kind < 12)
		random_writes(play);
	else if (kind < 15)
		random_range(play);
	else if (kind < 18)
		random_barrier(play, kind == 17);
	else if (kind < 22)
		random_pass(play);
	else if (kind == 22)
		random_local(play);
	else if (kind > 23)
		random_draw(play);
	else
		random_rare(play);
}

// What is done depends on the seed alone.
static void run(uint64_t seed, enum mode mode, struct vkr_shard *shard, struct world_found *found)
{
	struct play *play = calloc(1, sizeof *play);
	assert_non_null(play);
	play->random = seed;
	play->unread_random = seed + 1;
	play->mode = mode;
	begin(play, shard);
	play->world.coming = world_random(&play->random, 3);
	// Some draw so much of one range, and little else, that more tables come than may wait.
	play->rest = world_random(&play->random, 20) == 0 ? 400 : 24;
	const uint32_t steps = 2 + world_random(&play->random, play->rest == 24 ? 60 : 300);
	for (uint32_t i = 0; i < steps; i++)
		random_step(play);
	if (play->in_section)
		end_section(play);
	if (play->open != 0)
		random_open(play);
	// All that is remembered is met.
	for (uint32_t memory = 1; memory <= 2; memory++)
		world_range(&play->world, play->world.thread, play->world.host_write, memory, 0,
			    MEMORY);
	world_find(&play->world, found);
	for (uint32_t at = 0; at < KEPT; at++)
		finish_draw(&play->kept[at]);
	vkr_access_filters_finish(&play->filters);
	vkr_read_pages_drop(play->pages);
	world_end(&play->world);
	free(play);
}

// What is read late may be forgotten for what had not stood for it yet when it was logged: it is
// not counted then where it races.
static bool is_same(const struct world_found *at_once, const struct world_found *other,
		    enum mode mode)
{
	return at_once->count == other->count && at_once->accesses == other->accesses &&
	       memcmp(at_once->races, other->races, sizeof at_once->races) == 0 &&
	       (mode == UNREAD ||
		memcmp(at_once->counts, other->counts, sizeof at_once->counts) == 0);
}

static void waiting_changes_nothing(void **state)
{
	struct world_found *found = calloc(2, sizeof *found);
	(void)state;
	assert_non_null(found);
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		run(seed * UINT64_C(0x9e3779b97f4a7c15), AT_ONCE, NULL, &found[0]);
		for (enum mode mode = WAITING; mode <= UNREAD; mode++) {
			run(seed * UINT64_C(0x9e3779b97f4a7c15), mode, NULL, &found[1]);
			if (!is_same(&found[0], &found[1], mode))
				fail_msg("seed %llu, mode %u: %u and %u races",
					 (unsigned long long)seed, mode, found[0].count,
					 found[1].count);
		}
	}
	free(found);
}

// All parts, and then the pages in which they found conflicts.
static void run_parts(uint64_t seed, enum mode mode, uint32_t parts, bool *told,
		      struct world_found *found)
{
	struct vkr_shard together = {.index = parts, .count = parts};
	*told = false;
	for (uint32_t part = 0; part < parts; part++) {
		struct vkr_shard shard = {.index = part, .count = parts};
		run(seed, mode, &shard, found);
		*told = *told || shard.together;
		assert_int_equal(shard.wanted.count, 0);
		assert_true(vkr_shard_pages_join(&together.also, &shard.conflicts));
		vkr_shard_finish(&shard);
	}
	vkr_shard_pages_sort(&together.also);
	run(seed, mode, &together, found);
	vkr_shard_finish(&together);
}

static void parts_are_the_whole(void **state)
{
	struct world_found *found = calloc(2, sizeof *found);
	(void)state;
	assert_non_null(found);
	for (uint64_t at = 1; at <= SEEDS; at++) {
		const uint64_t seed = at * UINT64_C(0x9e3779b97f4a7c15);
		bool told;
		const enum mode mode = at % 2 ? WAITING : UNREAD;
		run(seed, AT_ONCE, NULL, &found[0]);
		run_parts(seed, mode, 2 + (uint32_t)(at % 3), &told, &found[1]);
		assert_true(told || found[0].count == 0);
		if (!is_same(&found[0], &found[1], mode))
			fail_msg("seed %llu: %u and %u races", (unsigned long long)seed,
				 found[0].count, found[1].count);
	}
	free(found);
}

// Draws of one pass, which nothing orders, read the same places through each of several sites.
static void reads_without_order_wait(void **state)
{
	enum { DRAWS = 40, READS = 1000 };
	struct play *play = calloc(1, sizeof *play);
	struct vkr_engine_statistics before, after;
	(void)state;
	assert_non_null(play);
	struct world *world = &play->world;
	begin(play, NULL);
	vkr_engine_statistics(world->engine, &before);
	for (uint32_t draw = 0; draw < DRAWS; draw++) {
		const uint32_t command = world_command(world, world->queue);
		assert_true(vkr_access_filters_begin(&play->filters, SITES));
		OK(vkr_engine_dispatch_begin(world->engine, command, LOCAL_SIZE, 0, &world->error));
		for (uint32_t s = 0; s < SITES; s++) {
			const struct vkr_engine_run like = {.site = play->reads[s],
							    .target = &targets[0]};
			const uint32_t filter = vkr_access_filter(&play->filters, s, &like, 4, 2);
			bool waits = false;
			for (uint32_t i = 0; i < READS; i++)
				vkr_access_filter_note(&play->filters, &play->filters.items[filter],
						       UINT64_C(4) * i, i);
			OK(vkr_engine_defer_reads(world->engine, &play->filters,
						  &play->filters.items[filter], &waits,
						  &world->error));
			assert_true(waits);
		}
		vkr_engine_dispatch_end(world->engine);
		vkr_engine_command_end(world->engine, command);
	}
	vkr_engine_statistics(world->engine, &after);
	assert_int_equal(after.shadow_bytes, before.shadow_bytes);
	world_range(world, world->thread, world->host_write, 1, 0, 4);
	assert_int_equal(world->race_count, SITES);
	vkr_access_filters_finish(&play->filters);
	vkr_read_pages_drop(play->pages);
	world_end(world);
	free(play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(reads_without_order_wait),
					   cmocka_unit_test(waiting_changes_nothing),
					   cmocka_unit_test(parts_are_the_whole)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
