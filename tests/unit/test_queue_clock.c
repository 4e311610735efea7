// SPDX-License-Identifier: Apache-2.0
// Sets of stretches against a table that has an entry for each byte, reader and stage.
#include "engine_world.h"
#include "queue_clock.h"

#include <string.h>

#define MEMORIES  3u
#define BYTES     512u
#define READERS   4u
#define STAGES    3u
#define POSITIONS 200u
#define LINE      1u // the timeline of all writes

// The last position that is in the set: at each byte of each memory, for each reader.
struct table {
	uint8_t positions[MEMORIES][BYTES][READERS][STAGES];
};

struct scene {
	struct vkr_queue_clock *clock;
	struct table table;
};

// A span that all may be in, and one that is in a part.
static struct vkr_queue_span prefix_of(uint64_t stages, uint8_t position)
{
	return (struct vkr_queue_span){.timeline = LINE,
				       .position = position,
				       .stages = stages,
				       .accesses = 1,
				       .readers = UINT64_MAX,
				       .high = UINT64_MAX};
}

static void note(struct table *table, const struct vkr_clock_part *part, uint64_t stages,
		 uint8_t position)
{
	for (uint32_t memory = 0; memory < MEMORIES; memory++)
		for (uint32_t byte = 0; byte < BYTES; byte++)
			for (uint32_t reader = 0; reader < READERS; reader++)
				for (uint32_t stage = 0; stage < STAGES; stage++) {
					uint8_t *at =
						&table->positions[memory][byte][reader][stage];
					const bool inside =
						part->memory == 0 ||
						(part->memory == memory + 1 && part->low <= byte &&
						 byte < part->high);
					if (inside && part->readers >> reader & 1 &&
					    stages >> stage & 1 && *at < position)
						*at = position;
				}
}

static void replace(struct vkr_queue_clock **clock, struct vkr_queue_clock *by)
{
	vkr_queue_clock_drop(*clock);
	*clock = by;
}

static struct vkr_clock_part random_part(uint64_t *random)
{
	struct vkr_clock_part part = {.memory = 1 + world_random(random, MEMORIES),
				      .low = world_random(random, BYTES - 1),
				      .readers = 1 + world_random(random, (1u << READERS) - 1)};
	part.high = part.low + 1 + world_random(random, 3);
	part.high = part.high < BYTES ? part.high : BYTES;
	return part;
}

static void add(struct scene *scene, const struct vkr_clock_part *part, uint64_t stages,
		uint8_t position)
{
	struct vkr_error error;
	struct vkr_queue_span span = prefix_of(stages, position);
	struct vkr_queue_clock *from, *made;
	assert_int_equal(vkr_queue_clock_extend(NULL, &span, 1, &from, &error), VKR_OK);
	assert_int_equal(vkr_queue_clock_join_part(scene->clock, from, part, &made, &error),
			 VKR_OK);
	replace(&scene->clock, made);
	vkr_queue_clock_drop(from);
	note(&scene->table, part, stages, position);
}

static void add_random(struct scene *scene, uint64_t *random, bool everywhere)
{
	const uint64_t stages = 1 + world_random(random, (1u << STAGES) - 1);
	const uint8_t position = (uint8_t)(1 + world_random(random, POSITIONS));
	struct vkr_clock_part part = random_part(random);
	if (everywhere)
		part = (struct vkr_clock_part){.high = UINT64_MAX, .readers = part.readers};
	add(scene, &part, stages, position);
}

// At one of few places, which are added to again and again.
static void add_again(struct scene *scene, uint64_t *random)
{
	const uint64_t low = 8 * world_random(random, 50);
	const struct vkr_clock_part part = {1, low, low + 4, 3};
	add(scene, &part, 5, (uint8_t)(1 + world_random(random, POSITIONS)));
}

// The last position that is in the set, and where else it is that.
static uint8_t ask(const struct vkr_queue_clock *clock, uint32_t reader, uint32_t stage,
		   struct vkr_verdict_range *place)
{
	struct vkr_queue_point point = {LINE, POSITIONS, UINT64_C(1) << stage, 1};
	while (point.position > 0 &&
	       !vkr_queue_clock_has(clock, &point, UINT64_C(1) << reader, place))
		point.position--;
	return (uint8_t)point.position;
}

static void check_answers(const struct scene *scene, uint64_t *random)
{
	const uint32_t memory = world_random(random, MEMORIES), byte = world_random(random, BYTES);
	const uint32_t reader = world_random(random, READERS), stage = world_random(random, STAGES);
	struct vkr_verdict_range place = {.memory = memory + 1, .offset = byte, .high = BYTES};
	const uint8_t last = ask(scene->clock, reader, stage, &place);
	assert_true(place.low <= byte && byte < place.high);
	for (uint64_t at = place.low; at < place.high; at++)
		assert_int_equal(scene->table.positions[memory][at][reader][stage], last);
	for (uint32_t other = 0; other < MEMORIES && !place.by_memory; other++)
		assert_int_equal(scene->table.positions[other][byte][reader][stage], last);
}

// What a chunk says of its spans is so.
static void check_chunk(const struct vkr_span_chunk *chunk)
{
	uint64_t high = 0, behind = 0, stages = 0, accesses = UINT64_MAX, readers = UINT64_MAX;
	for (uint32_t at = 0; at < chunk->count; at++) {
		const struct vkr_queue_span *span = &chunk->spans[at];
		high = span->high > high ? span->high : high;
		behind = span->behind > behind ? span->behind : behind;
		stages |= span->stages;
		accesses &= span->accesses;
		readers &= span->readers;
	}
	assert_int_equal(chunk->high, high);
	assert_int_equal(chunk->behind, behind);
	assert_int_equal(chunk->stages, stages);
	assert_int_equal(chunk->accesses, accesses);
	assert_int_equal(chunk->readers, readers);
}

// In order, in chunks that are neither short nor long, and nothing that a span without a range says
// as well. Returns how many have a range.
static size_t check_order(const struct vkr_queue_clock *clock)
{
	struct vkr_span_cursor cursor = {0};
	const struct vkr_queue_span *last = NULL, *span;
	size_t count = 0, in_chunks = 0;
	for (; (span = vkr_queue_clock_next(clock, &cursor)) != NULL; last = span) {
		if (span->memory == 0)
			continue;
		if (last && last->memory != 0)
			assert_true(last->memory < span->memory ||
				    (last->memory == span->memory && last->low <= span->low));
		for (uint32_t i = 0; i < clock->count; i++)
			assert_false(clock->span[i].position >= span->position &&
				     (span->stages & ~clock->span[i].stages) == 0 &&
				     (span->readers & ~clock->span[i].readers) == 0);
		count++;
	}
	for (size_t at = 0; clock && at < clock->chunks.count; at++) {
		in_chunks += clock->chunks.items[at]->count;
		check_chunk(clock->chunks.items[at]);
		assert_true(clock->chunks.items[at]->count <= 32);
		assert_true(at + 1 == clock->chunks.count || clock->chunks.items[at]->count >= 16);
	}
	assert_int_equal(in_chunks, count);
	return count;
}

// What is put together from the spans of another one is equal to it, and their union is it.
static void check_equality(const struct scene *scene)
{
	struct vkr_queue_clock *again = NULL, *made;
	struct vkr_span_cursor cursor = {0};
	const struct vkr_queue_span *span;
	struct vkr_error error;
	while ((span = vkr_queue_clock_next(scene->clock, &cursor)) != NULL) {
		struct vkr_queue_span one = *span;
		assert_int_equal(vkr_queue_clock_extend(again, &one, 1, &made, &error), VKR_OK);
		replace(&again, made);
	}
	assert_true(vkr_queue_clock_equal(again, scene->clock));
	assert_int_equal(vkr_queue_clock_join(scene->clock, again, &made, &error), VKR_OK);
	assert_ptr_equal(made, scene->clock);
	vkr_queue_clock_drop(made);
	vkr_queue_clock_drop(again);
}

// The table of what either says.
static void unite_tables(struct table *both, const struct table *a, const struct table *b)
{
	const uint8_t *x = &a->positions[0][0][0][0], *y = &b->positions[0][0][0][0];
	uint8_t *to = &both->positions[0][0][0][0];
	for (size_t at = 0; at < sizeof *both; at++)
		to[at] = x[at] > y[at] ? x[at] : y[at];
}

// What two scenes hold together, both of which have come from one.
static void check_union(const struct scene *a, const struct scene *b, uint64_t *random)
{
	static struct scene both;
	struct vkr_error error;
	assert_int_equal(vkr_queue_clock_join(a->clock, b->clock, &both.clock, &error), VKR_OK);
	unite_tables(&both.table, &a->table, &b->table);
	check_order(both.clock);
	for (uint32_t at = 0; at < 20; at++)
		check_answers(&both, random);
	vkr_queue_clock_drop(both.clock);
}

// A part of the set says the same there, and nothing elsewhere.
static void check_part(const struct scene *scene, uint64_t *random)
{
	static struct scene inside;
	const struct vkr_clock_part part = {1 + world_random(random, MEMORIES), 100,
					    101 + world_random(random, 300), 5};
	struct vkr_error error;
	memset(&inside.table, 0, sizeof inside.table);
	for (uint64_t byte = part.low; byte < part.high; byte++)
		for (uint32_t reader = 0; reader < READERS; reader++)
			if (part.readers >> reader & 1)
				memcpy(inside.table.positions[part.memory - 1][byte][reader],
				       scene->table.positions[part.memory - 1][byte][reader],
				       STAGES);
	assert_int_equal(
		vkr_queue_clock_join_part(NULL, scene->clock, &part, &inside.clock, &error),
		VKR_OK);
	check_order(inside.clock);
	for (uint32_t at = 0; at < 20; at++)
		check_answers(&inside, random);
	replace(&inside.clock, NULL);
}

static void holds_what_the_table_says(void **state)
{
	static struct scene scene, kept;
	uint64_t random = 1;
	size_t most = 0;
	(void)state;
	for (uint32_t round = 0; round < 20; round++) {
		// One that is kept stays what it is while the other one goes on.
		for (uint32_t at = 0; at < 500; at++) {
			if (at % 100 == 50) {
				kept.table = scene.table;
				replace(&kept.clock, vkr_queue_clock_hold(scene.clock));
			}
			add_random(&scene, &random,
				   at > 0 && round > 0 && world_random(&random, 200) == 0);
			check_answers(&scene, &random);
			check_answers(&kept, &random);
		}
		const size_t count = check_order(scene.clock);
		most = count > most ? count : most;
		check_equality(&scene);
		check_part(&scene, &random);
		assert_false(vkr_queue_clock_equal(scene.clock, kept.clock));
		for (uint32_t at = 0; at < 10; at++)
			add_random(&kept, &random, false);
		check_union(&scene, &kept, &random);
		check_union(&kept, &scene, &random);
		replace(&scene.clock, NULL);
		memset(&scene.table, 0, sizeof scene.table);
	}
	assert_true(most > 400);
	replace(&kept.clock, NULL);
}

// One that has taken in what another one was holds what that is now, once it has taken in what has
// changed, wherever both have gone on.
static void follows_what_changes(void **state)
{
	static struct scene scenes[2];
	struct scene *a = &scenes[0], *b = &scenes[1];
	struct vkr_queue_clock *since = NULL, *made;
	struct vkr_error error;
	uint64_t random = 11;
	(void)state;
	for (uint32_t round = 0; round < 400; round++) {
		const uint32_t count = world_random(&random, 5);
		for (uint32_t at = 0; at < count; at++) {
			add_random(a, &random, world_random(&random, 300) == 0);
			add_random(b, &random, world_random(&random, 300) == 0);
			add_again(a, &random);
			add_again(b, &random);
		}
		assert_int_equal(
			vkr_queue_clock_join_since(a->clock, b->clock, since, &made, &error),
			VKR_OK);
		replace(&a->clock, made);
		replace(&since, vkr_queue_clock_hold(b->clock));
		unite_tables(&a->table, &a->table, &b->table);
		check_order(a->clock);
		for (uint32_t at = 0; at < 10; at++)
			check_answers(a, &random);
		if (world_random(&random, 50) == 0) { // another one, in the first one's place
			struct scene copy = *a;
			*a = *b;
			*b = copy;
			replace(&since, NULL);
		}
	}
	assert_true(check_order(a->clock) > 200);
	replace(&since, NULL);
	replace(&a->clock, NULL);
	replace(&b->clock, NULL);
}

// What is added at one place leaves the chunks of others as they are, in a union with what it was
// added to as well.
static void shares_what_stays(void **state)
{
	static struct scene scene;
	struct vkr_queue_clock *before, *both;
	struct vkr_error error;
	uint64_t random = 3;
	(void)state;
	for (uint32_t at = 0; at < 1000; at++)
		add_random(&scene, &random, false);
	before = vkr_queue_clock_hold(scene.clock);
	add_random(&scene, &random, false);
	assert_true(before->chunks.count > 20);
	for (uint32_t pass = 0; pass < 2; pass++) {
		size_t shared = 0;
		for (size_t i = 0; i < scene.clock->chunks.count; i++)
			for (size_t j = 0; j < before->chunks.count; j++)
				shared += scene.clock->chunks.items[i] == before->chunks.items[j];
		assert_true(shared + 2 >= before->chunks.count);
		assert_int_equal(vkr_queue_clock_join(before, scene.clock, &both, &error), VKR_OK);
		replace(&scene.clock, both);
	}
	vkr_queue_clock_drop(before);
	replace(&scene.clock, NULL);
}

// What is everywhere leaves the chunks of places as they are, if it is of other readers or
// accesses.
static void leaves_what_is_of_others(void **state)
{
	struct vkr_queue_span spans[200], all = prefix_of(7, POSITIONS);
	struct vkr_queue_clock *clock, *more;
	struct vkr_error error;
	(void)state;
	for (uint32_t at = 0; at < 200; at++) {
		spans[at] = prefix_of(7, 9);
		spans[at].behind = at % 9;
		spans[at].accesses = spans[at].readers = 4;
		spans[at].memory = 1;
		spans[at].low = at;
		spans[at].high = at + 1;
	}
	assert_int_equal(vkr_queue_clock_extend(NULL, spans, 200, &clock, &error), VKR_OK);
	for (uint32_t pass = 0; pass < 3; pass++) {
		all.accesses = pass == 0 ? 3 : 4;
		all.readers = pass == 1 ? 3 : 4;
		assert_int_equal(vkr_queue_clock_extend(clock, &all, 1, &more, &error), VKR_OK);
		assert_int_equal(more->chunks.count, pass == 2 ? 0 : clock->chunks.count);
		for (size_t at = 0; at < more->chunks.count; at++) {
			assert_ptr_equal(more->chunks.items[at], clock->chunks.items[at]);
			check_chunk(more->chunks.items[at]);
		}
		vkr_queue_clock_drop(more);
	}
	vkr_queue_clock_drop(clock);
}

// What is everywhere leaves nothing of places.
static void forgets_what_is_everywhere(void **state)
{
	static struct scene scene;
	struct vkr_queue_span all = prefix_of((1u << STAGES) - 1, POSITIONS);
	struct vkr_queue_clock *made;
	struct vkr_error error;
	uint64_t random = 7;
	(void)state;
	for (uint32_t at = 0; at < 300; at++)
		add_random(&scene, &random, false);
	assert_true(check_order(scene.clock) > 250);
	assert_int_equal(vkr_queue_clock_extend(scene.clock, &all, 1, &made, &error), VKR_OK);
	replace(&scene.clock, made);
	assert_int_equal(check_order(scene.clock), 0);
	add_random(&scene, &random, false);
	assert_int_equal(check_order(scene.clock), 0);
	replace(&scene.clock, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_what_the_table_says),
		cmocka_unit_test(follows_what_changes),
		cmocka_unit_test(shares_what_stays),
		cmocka_unit_test(leaves_what_is_of_others),
		cmocka_unit_test(forgets_what_is_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
