// SPDX-License-Identifier: Apache-2.0
#include "feed_tape.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// Bytes that a tape holds.
#define BYTES_MOST ((size_t)4 << 20)

void vkr_tape_finish(struct vkr_tape *tape)
{
	free(tape->calls.items);
	free(tape->workgroups.items);
	free(tape->runs.items);
	free(tape->scatters.items);
	free(tape->words.items);
	free(tape->barriers.items);
	free(tape->rows.items);
	free(tape->patterns.items);
	free(tape->possible.items);
	*tape = (struct vkr_tape){0};
}

void vkr_tape_clear(struct vkr_tape *tape)
{
	tape->calls.count = tape->workgroups.count = tape->runs.count = 0;
	tape->scatters.count = tape->words.count = tape->barriers.count = 0;
	tape->rows.count = tape->patterns.count = tape->possible.count = 0;
	tape->pattern_bytes = 0;
	tape->missed = tape->full = false;
}

static size_t bytes_of(const struct vkr_tape *tape)
{
	return tape->calls.count * sizeof *tape->calls.items +
	       tape->runs.count * sizeof *tape->runs.items +
	       tape->scatters.count * sizeof *tape->scatters.items +
	       tape->words.count * sizeof *tape->words.items +
	       tape->rows.count * sizeof *tape->rows.items +
	       tape->patterns.count * sizeof *tape->patterns.items + tape->pattern_bytes;
}

// A call whose item, if there was `room` for it, comes next.
static enum vkr_result add_call(struct vkr_tape *tape, bool room, enum vkr_tape_call_kind kind,
				uint32_t count)
{
	tape->missed = tape->missed || !room || !VKR_ARRAY_RESERVE(&tape->calls, 1);
	tape->full = tape->full || bytes_of(tape) > BYTES_MOST;
	if (tape->missed || tape->full)
		return VKR_ERROR_STOPPED;
	struct vkr_tape_call *last =
		tape->calls.count > 0 ? &tape->calls.items[tape->calls.count - 1] : NULL;
	if (kind == VKR_TAPE_ROW && last != NULL && last->kind == kind && last->count < UINT32_MAX)
		last->count++;
	else
		tape->calls.items[tape->calls.count++] = (struct vkr_tape_call){kind, count};
	return VKR_OK;
}

enum vkr_result vkr_tape_begin(struct vkr_tape *tape, uint32_t workgroup, uint64_t length)
{
	const enum vkr_result result =
		add_call(tape, VKR_ARRAY_RESERVE(&tape->workgroups, 1), VKR_TAPE_WORKGROUP, 1);
	if (result == VKR_OK)
		tape->workgroups.items[tape->workgroups.count++] =
			(struct vkr_tape_workgroup){.number = workgroup, .length = length};
	return result;
}

void vkr_tape_count(struct vkr_tape *tape, uint64_t accesses)
{
	if (tape->workgroups.count > 0)
		tape->workgroups.items[tape->workgroups.count - 1].accesses += accesses;
}

void vkr_tape_count_beyond(struct vkr_tape *tape, const struct vkr_beyond *beyond)
{
	if (tape->workgroups.count > 0)
		vkr_beyond_add(&tape->workgroups.items[tape->workgroups.count - 1].beyond, beyond);
}

enum vkr_result vkr_tape_runs(struct vkr_tape *tape, const struct vkr_engine_run *runs,
			      size_t count)
{
	const enum vkr_result result =
		add_call(tape, count <= UINT32_MAX && VKR_ARRAY_RESERVE(&tape->runs, count),
			 VKR_TAPE_RUNS, (uint32_t)count);
	if (result != VKR_OK)
		return result;
	memcpy(tape->runs.items + tape->runs.count, runs, count * sizeof *runs);
	tape->runs.count += count;
	return VKR_OK;
}

// There is room for them.
static void add_words(struct vkr_tape *tape, const uint32_t *words, uint32_t count)
{
	memcpy(tape->words.items + tape->words.count, words, count * sizeof *words);
	tape->words.count += count;
}

enum vkr_result vkr_tape_scatter(struct vkr_tape *tape, const struct vkr_engine_scatter *scatter)
{
	const size_t words = (size_t)scatter->count * (scatter->locals != NULL ? 2 : 1);
	const enum vkr_result result = add_call(tape,
						VKR_ARRAY_RESERVE(&tape->scatters, 1) &&
							VKR_ARRAY_RESERVE(&tape->words, words),
						VKR_TAPE_SCATTER, 1);
	if (result != VKR_OK)
		return result;
	tape->scatters.items[tape->scatters.count++] = *scatter;
	add_words(tape, scatter->offsets, scatter->count);
	if (scatter->locals != NULL)
		add_words(tape, scatter->locals, scatter->count);
	return VKR_OK;
}

enum vkr_result vkr_tape_barrier(struct vkr_tape *tape, const struct vkr_engine_barrier *barrier)
{
	const enum vkr_result result =
		add_call(tape, VKR_ARRAY_RESERVE(&tape->barriers, 1), VKR_TAPE_BARRIER, 1);
	if (result == VKR_OK)
		tape->barriers.items[tape->barriers.count++] = *barrier;
	return result;
}

enum vkr_result vkr_tape_add_row(struct vkr_tape *tape, const struct vkr_tape_row *row)
{
	const enum vkr_result result =
		add_call(tape, VKR_ARRAY_RESERVE(&tape->rows, 1), VKR_TAPE_ROW, 1);
	if (result == VKR_OK)
		tape->rows.items[tape->rows.count++] = *row;
	return result;
}

enum vkr_result vkr_tape_add_pattern(struct vkr_tape *tape, const struct vkr_tape_pattern *pattern,
				     const uint32_t *words, size_t bytes)
{
	const enum vkr_result result =
		add_call(tape,
			 VKR_ARRAY_RESERVE(&tape->patterns, 1) &&
				 VKR_ARRAY_RESERVE(&tape->words, pattern->words),
			 VKR_TAPE_PATTERN, 1);
	if (result != VKR_OK)
		return result;
	tape->patterns.items[tape->patterns.count++] = *pattern;
	tape->pattern_bytes += bytes;
	if (pattern->words > 0)
		add_words(tape, words, pattern->words);
	return VKR_OK;
}

enum vkr_result vkr_tape_note_possible(struct vkr_tape *tape, struct vkr_bound_texels *bound,
				       struct vkr_program_access *access)
{
	const size_t before = tape->possible.count;
	if (before > 0 && tape->possible.items[before - 1].bound == bound)
		return VKR_OK;
	const enum vkr_result result =
		add_call(tape, VKR_ARRAY_RESERVE(&tape->possible, 1), VKR_TAPE_POSSIBLE, 1);
	if (result == VKR_OK)
		tape->possible.items[tape->possible.count++] =
			(struct vkr_tape_possible){bound, access};
	return result;
}

static enum vkr_result play_rows(const struct vkr_tape *tape, uint32_t count,
				 struct vkr_tape_place *place, const struct vkr_tape_player *player)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++)
		result = player->row(player->user, &tape->rows.items[place->row++]);
	return result;
}

static enum vkr_result play_call(const struct vkr_tape *tape, const struct vkr_tape_call *call,
				 struct vkr_tape_place *place, const struct vkr_tape_player *player)
{
	struct vkr_engine *engine = player->engine;
	switch (call->kind) {
	case VKR_TAPE_WORKGROUP:
		return player->begin(player->user, &tape->workgroups.items[place->workgroup++]);
	case VKR_TAPE_RUNS: {
		const struct vkr_engine_run *runs = tape->runs.items + place->run;
		place->run += call->count;
		return vkr_engine_runs(engine, runs, call->count, player->error);
	}
	case VKR_TAPE_SCATTER: {
		struct vkr_engine_scatter scatter = tape->scatters.items[place->scatter++];
		scatter.offsets = tape->words.items + place->word;
		place->word += scatter.count;
		if (scatter.locals != NULL) {
			scatter.locals = tape->words.items + place->word;
			place->word += scatter.count;
		}
		return vkr_engine_scatter(engine, &scatter, player->error);
	}
	case VKR_TAPE_BARRIER:
		return vkr_engine_barrier(engine, &tape->barriers.items[place->barrier++],
					  player->error);
	case VKR_TAPE_ROW:
		return play_rows(tape, call->count, place, player);
	case VKR_TAPE_PATTERN: {
		const struct vkr_tape_pattern *pattern = &tape->patterns.items[place->pattern++];
		const uint32_t *words = tape->words.items + place->word;
		place->word += pattern->words;
		return player->pattern(player->user, pattern, words);
	}
	case VKR_TAPE_POSSIBLE:
		break;
	}
	return player->possible(player->user, &tape->possible.items[place->possible++]);
}

enum vkr_result vkr_tape_play(const struct vkr_tape *tape, struct vkr_tape_place *place,
			      const struct vkr_tape_player *player)
{
	enum vkr_result result = VKR_OK;
	bool begun = false;
	while (place->call < tape->calls.count && result == VKR_OK) {
		const struct vkr_tape_call *call = &tape->calls.items[place->call];
		if (begun && call->kind == VKR_TAPE_WORKGROUP)
			break;
		begun = true;
		place->call++;
		result = play_call(tape, call, place, player);
	}
	return result;
}
