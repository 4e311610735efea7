// SPDX-License-Identifier: Apache-2.0
// Patterns of workgroups. Knows column logs, runs and steps; nothing of segments or sites.
#include "log_pattern.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum word_use { UNUSED, OFFSET, FIXED };

// Workgroups in a row that fitted nothing, from which on fewer and fewer are noted.
#define MISSES_MOST 4u
#define PAUSE_BITS  6u

// Workgroups of more runs and scattered offsets are no patterns: these would take too much memory.
#define PLACES_MOST (1u << 18)

// For so many workgroups that fit it a pattern outlasts one that does not.
#define SERVES_LEAST 2u

void vkr_pattern_finish(struct vkr_pattern *pattern)
{
	free(pattern->steps.items);
	free(pattern->runs_behind.items);
	free(pattern->runs.items);
	free(pattern->moved_runs.items);
	free(pattern->offsets.items);
	free(pattern->moved_offsets.items);
	free(pattern->uses.items);
	free(pattern->differences.items);
	free(pattern->workgroup_races.items);
	free(pattern->reads.noted.items);
	vkr_workgroup_reads_finish(&pattern->reads.all);
	*pattern = (struct vkr_pattern){0};
}

void vkr_pattern_reset(struct vkr_pattern *pattern)
{
	pattern->chunk = NULL;
	pattern->taking = false;
	pattern->misses = pattern->pause = 0;
}

void vkr_pattern_spoil(struct vkr_pattern *pattern)
{
	pattern->taking = false;
}

void vkr_pattern_keep_row(struct vkr_pattern *pattern)
{
	pattern->row_only |= pattern->taking;
}

// ---- On tapes -----------------------------------------------------------------------------------

static void empty_shelf(struct vkr_pattern_shelf *shelf)
{
	while (shelf->count > 0)
		vkr_pattern_finish(&shelf->items[--shelf->count]);
}

void vkr_pattern_shelf_clear(struct vkr_pattern_shelf *shelf, struct vkr_pattern *pattern)
{
	empty_shelf(shelf);
	pattern->on_tape = false;
}

void vkr_pattern_shelf_finish(struct vkr_pattern_shelf *shelf)
{
	empty_shelf(shelf);
	free(shelf->items);
	*shelf = (struct vkr_pattern_shelf){0};
}

// Another pattern takes the place of one that is to be played. False for lack of memory.
static bool put_away(struct vkr_pattern *pattern)
{
	struct vkr_pattern_shelf *shelf = pattern->shelf;
	if (!VKR_ARRAY_RESERVE(shelf, 1))
		return false;
	shelf->items[shelf->count++] = *pattern;
	*pattern = (struct vkr_pattern){
		.shelf = shelf, .misses = pattern->misses, .pause = pattern->pause};
	return true;
}

enum vkr_result vkr_pattern_write(struct vkr_pattern *pattern, struct vkr_tape *tape,
				  const uint32_t *id)
{
	const struct vkr_tape_pattern written = {
		.pattern = pattern->shelf->count,
		.id = {id[0], id[1], id[2]},
		.words = pattern->offset_words,
	};
	const size_t bytes = pattern->runs.count * sizeof *pattern->runs.items +
			     pattern->offsets.count * sizeof *pattern->offsets.items;
	const enum vkr_result result = vkr_tape_add_pattern(
		tape, &written, pattern->differences.items, pattern->on_tape ? 0 : bytes);
	pattern->on_tape = true;
	return result;
}

enum vkr_result vkr_pattern_play(struct vkr_pattern_shelf *shelf, struct vkr_pattern *present,
				 const struct vkr_tape_pattern *played, const uint32_t *words,
				 struct vkr_engine *engine, struct vkr_error *error)
{
	struct vkr_pattern *pattern =
		played->pattern < shelf->count ? &shelf->items[played->pattern] : present;
	if (played->words > 0)
		memcpy(pattern->differences.items, words, played->words * sizeof *words);
	return vkr_pattern_feed(pattern, engine, played->id, error);
}

// ---- Noting -------------------------------------------------------------------------------------

bool vkr_pattern_begin(struct vkr_pattern *pattern, const struct vkr_chunk *chunks, size_t count,
		       const uint32_t *id, uint32_t local_size, bool may_stay)
{
	pattern->stays = may_stay && pattern->chunk != NULL &&
			 pattern->served / SERVES_LEAST > pattern->strange;
	if (pattern->stays) {
		pattern->strange++;
		return true;
	}
	if (pattern->on_tape && !put_away(pattern))
		return false;
	pattern->chunk = NULL;
	pattern->taking = pattern->row_only = false;
	if (count != 1 || chunks->columns == 0 || chunks->count != local_size)
		return true;
	if (pattern->pause > 0) {
		pattern->pause--;
		return true;
	}
	if (++pattern->misses > MISSES_MOST) {
		const uint32_t more = pattern->misses - MISSES_MOST;
		pattern->pause = (1u << (more < PAUSE_BITS ? more : PAUSE_BITS)) - 1;
	}
	const size_t words = 2 * (size_t)chunks->columns;
	pattern->uses.count = 0;
	pattern->differences.count = 0;
	if (!VKR_ARRAY_RESERVE(&pattern->uses, words) ||
	    !VKR_ARRAY_RESERVE(&pattern->differences, words))
		return false;
	memset(pattern->uses.items, UNUSED, words);
	pattern->chunk = chunks;
	memcpy(pattern->id, id, sizeof pattern->id);
	pattern->steps.count = 0;
	pattern->runs_behind.count = 0;
	pattern->runs.count = 0;
	pattern->offsets.count = 0;
	pattern->workgroup_accesses = 0;
	pattern->served = pattern->strange = 0;
	pattern->reads.collected = false;
	pattern->taking = true;
	return true;
}

// The word that the span's offsets are computed from, in *word; false where rows of it read
// different columns.
static bool find_word(const struct vkr_program_access *access, const struct vkr_span *span,
		      size_t *word)
{
	*word = VKR_PATTERN_NO_WORD;
	for (uint32_t at = 0; at < span->row_count && access->factor != 0 && !access->summarized;
	     at++) {
		const struct vkr_row *row = &span->rows[at];
		const size_t column = (size_t)(row->record - row->header) / row->pitch +
				      ((access->offset_word + 1) >> 1);
		const size_t found = 2 * column + ((access->offset_word + 1) & 1);
		if (at > 0 && found != *word)
			return false;
		*word = found;
	}
	return true;
}

static bool begin_step(struct vkr_pattern *pattern, const struct vkr_program_access *access,
		       const struct vkr_span *span, uint32_t site,
		       const struct vkr_engine_target *target, struct vkr_pattern_step *step)
{
	*step = (struct vkr_pattern_step){.target = target,
					  .site = site,
					  .bytes = access->bytes,
					  .factor = access->factor,
					  .low = UINT32_MAX};
	memcpy(step->by_group, access->by_group, sizeof step->by_group);
	if (!find_word(access, span, &step->word) ||
	    pattern->runs.count + pattern->offsets.count > PLACES_MOST) {
		vkr_pattern_spoil(pattern);
		return false;
	}
	if (step->word != VKR_PATTERN_NO_WORD && pattern->uses.items[step->word] == UNUSED)
		pattern->uses.items[step->word] = OFFSET;
	return true;
}

static void log_pattern_widen(struct vkr_pattern_step *step, uint32_t offset)
{
	step->low = offset < step->low ? offset : step->low;
	step->high = offset > step->high ? offset : step->high;
}

bool vkr_pattern_runs(struct vkr_pattern *pattern, const struct vkr_program_access *access,
		      const struct vkr_span *span, const struct vkr_engine_run *runs, size_t count)
{
	struct vkr_pattern_step step;
	if (!pattern->taking || count == 0 ||
	    !begin_step(pattern, access, span, runs[0].site, runs[0].target, &step))
		return true;
	if (!VKR_ARRAY_RESERVE(&pattern->runs_behind, 1) ||
	    !VKR_ARRAY_RESERVE(&pattern->runs, count))
		return false;
	step.first = pattern->runs.count;
	step.count = count;
	memcpy(pattern->runs.items + step.first, runs, count * sizeof *runs);
	pattern->runs.count += count;
	for (size_t at = 0; at < count; at++) {
		log_pattern_widen(&step, (uint32_t)runs[at].offset);
		log_pattern_widen(&step, (uint32_t)runs[at].offset +
						 (uint32_t)runs[at].stride * (runs[at].count - 1));
	}
	pattern->runs_behind.items[pattern->runs_behind.count++] = step;
	return true;
}

bool vkr_pattern_scatter(struct vkr_pattern *pattern, const struct vkr_program_access *access,
			 const struct vkr_span *span, const struct vkr_engine_scatter *scatter)
{
	struct vkr_pattern_step step;
	if (!pattern->taking || scatter->count == 0 ||
	    !begin_step(pattern, access, span, scatter->site, scatter->target, &step))
		return true;
	if (!VKR_ARRAY_RESERVE(&pattern->steps, 1) ||
	    !VKR_ARRAY_RESERVE(&pattern->offsets, scatter->count))
		return false;
	step.scattered = true;
	step.first = pattern->offsets.count;
	step.count = scatter->count;
	step.local = scatter->local;
	memcpy(pattern->offsets.items + step.first, scatter->offsets,
	       scatter->count * sizeof *scatter->offsets);
	pattern->offsets.count += scatter->count;
	for (uint32_t at = 0; at < scatter->count; at++)
		log_pattern_widen(&step, scatter->offsets[at]);
	pattern->steps.items[pattern->steps.count++] = step;
	return true;
}

bool vkr_pattern_fed(struct vkr_pattern *pattern)
{
	const size_t count = pattern->runs_behind.count;
	if (!pattern->taking || count == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&pattern->steps, count))
		return false;
	memcpy(pattern->steps.items + pattern->steps.count, pattern->runs_behind.items,
	       count * sizeof *pattern->steps.items);
	pattern->steps.count += count;
	pattern->runs_behind.count = 0;
	return true;
}

bool vkr_pattern_barrier(struct vkr_pattern *pattern, const struct vkr_engine_barrier *barrier)
{
	if (!pattern->taking)
		return true;
	if (!VKR_ARRAY_RESERVE(&pattern->steps, 1))
		return false;
	pattern->steps.items[pattern->steps.count++] =
		(struct vkr_pattern_step){.barrier = *barrier};
	return true;
}

static uint64_t accesses_of(const struct vkr_pattern *pattern, const struct vkr_pattern_step *step)
{
	uint64_t accesses = 0;
	if (step->scattered)
		return step->count;
	for (size_t at = 0; at < step->count; at++)
		accesses += pattern->runs.items[step->first + at].count;
	return accesses;
}

// Words that depend on the workgroup's ID move; offsets in workgroup memory do not, and must not
// differ.
static bool keep_workgroup_step(struct vkr_pattern *pattern, const struct vkr_pattern_step *step)
{
	const uint32_t *by_group = step->by_group;
	if (by_group[0] | by_group[1] | by_group[2])
		return false;
	if (step->word != VKR_PATTERN_NO_WORD)
		pattern->uses.items[step->word] = FIXED;
	pattern->workgroup_accesses += accesses_of(pattern, step);
	return true;
}

static void keep_step(struct vkr_pattern *pattern, const struct vkr_pattern_step *step, size_t at)
{
	struct vkr_pattern_step kept = *step;
	if (step->target != NULL && step->word != VKR_PATTERN_NO_WORD &&
	    step->word >= pattern->offset_words)
		pattern->offset_words = (uint32_t)step->word + 1;
	kept.accesses = step->target != NULL ? accesses_of(pattern, step) : 0;
	pattern->steps.items[at] = kept;
}

static bool keep_races(struct vkr_pattern *pattern, const struct vkr_engine *engine)
{
	const struct vkr_engine_raced *races = NULL;
	const size_t count = vkr_engine_workgroup_races(engine, &races);
	pattern->workgroup_races.count = 0;
	if (count == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&pattern->workgroup_races, count))
		return false;
	memcpy(pattern->workgroup_races.items, races, count * sizeof *races);
	pattern->workgroup_races.count = count;
	return true;
}

bool vkr_pattern_end(struct vkr_pattern *pattern, const struct vkr_engine *engine, bool orders,
		     uint64_t beyond)
{
	size_t kept = 0;
	bool good = pattern->taking;
	if (pattern->stays)
		return true;
	pattern->workgroup_races.count = 0;
	pattern->judged = true;
	if (engine == NULL) {
		good = good && !orders;
	} else {
		good = good && (!orders || !vkr_engine_workgroup_conflicts(engine));
		pattern->judged = vkr_engine_workgroup_is_judged(engine);
		if (good && !keep_races(pattern, engine))
			return false;
	}
	pattern->workgroup_beyond = beyond;
	pattern->offset_words = 0;
	for (size_t at = 0; at < pattern->steps.count && good; at++) {
		const struct vkr_pattern_step *step = &pattern->steps.items[at];
		if (step->target != NULL && step->target->memory == VKR_ENGINE_WORKGROUP)
			good = engine != NULL && keep_workgroup_step(pattern, step);
		else
			keep_step(pattern, step, kept++);
	}
	pattern->steps.count = kept;
	pattern->taking = false;
	if (!good)
		pattern->chunk = NULL;
	return true;
}

// ---- Fitting ------------------------------------------------------------------------------------

typedef uint32_t four __attribute__((vector_size(16)));

static inline four four_at(const uint32_t *words)
{
	four loaded;
	memcpy(&loaded, words, sizeof loaded);
	return loaded;
}

// Whether the words of a column, `count` pairs, differ from the pattern's by differences[0] and
// [1], in the bits of mask[0] and [1].
static bool column_fits(const uint32_t *words, const uint32_t *old, size_t count,
			const uint32_t *differences, const uint32_t *mask)
{
	const four step = {differences[0], differences[1], differences[0], differences[1]};
	four uneven = {0};
	size_t at = 0;
	for (; at + 2 <= count; at += 2)
		uneven |= four_at(words + 2 * at) - four_at(old + 2 * at) - step;
	uint32_t rest[2] = {uneven[0] | uneven[2], uneven[1] | uneven[3]};
	if (at < count) {
		rest[0] |= words[2 * at] - old[2 * at] - differences[0];
		rest[1] |= words[2 * at + 1] - old[2 * at + 1] - differences[1];
	}
	return ((rest[0] & mask[0]) | (rest[1] & mask[1])) == 0;
}

static bool words_fit(struct vkr_pattern *pattern, const struct vkr_chunk *chunk)
{
	for (size_t column = 0; column < chunk->columns; column++) {
		const uint8_t *uses = pattern->uses.items + 2 * column;
		const uint32_t *words = chunk->words + column * chunk->pitch;
		const uint32_t *old = pattern->chunk->words + column * pattern->chunk->pitch;
		uint32_t *differences = pattern->differences.items + 2 * column;
		uint32_t mask[2];
		if (uses[0] == UNUSED && uses[1] == UNUSED)
			continue;
		for (unsigned half = 0; half < 2; half++) {
			differences[half] = words[half] - old[half];
			if (uses[half] == FIXED && differences[half] != 0)
				return false;
			mask[half] = uses[half] == UNUSED ? 0 : UINT32_MAX;
		}
		if (!column_fits(words, old, chunk->count, differences, mask))
			return false;
	}
	return true;
}

// How much further than in the pattern the step's accesses are, modulo 2^32.
static uint32_t distance_of(const struct vkr_pattern *pattern, const struct vkr_pattern_step *step,
			    const uint32_t *id)
{
	uint32_t distance = 0;
	if (step->word != VKR_PATTERN_NO_WORD)
		distance = step->factor * pattern->differences.items[step->word];
	for (unsigned axis = 0; axis < 3; axis++)
		distance += step->by_group[axis] * (id[axis] - pattern->id[axis]);
	return distance;
}

bool vkr_pattern_fits(struct vkr_pattern *pattern, const struct vkr_chunk *chunks, size_t count,
		      const uint32_t *id)
{
	if (pattern->chunk == NULL || count != 1 || chunks->columns != pattern->chunk->columns ||
	    chunks->count != pattern->chunk->count || !words_fit(pattern, chunks))
		return false;
	for (size_t at = 0; at < pattern->steps.count; at++) {
		const struct vkr_pattern_step *step = &pattern->steps.items[at];
		if (step->target == NULL)
			continue;
		const uint32_t low = step->low + distance_of(pattern, step, id);
		if ((uint64_t)low + (step->high - step->low) + step->bytes > step->target->bytes)
			return false;
	}
	pattern->misses = pattern->pause = 0;
	pattern->served += pattern->served < UINT32_MAX;
	return true;
}

// ---- Feeding ------------------------------------------------------------------------------------

static enum vkr_result move_runs(struct vkr_pattern *pattern, const struct vkr_pattern_step *step,
				 uint32_t distance, struct vkr_error *error)
{
	if (step->count > pattern->moved_runs.capacity - pattern->moved_runs.count &&
	    !VKR_ARRAY_RESERVE(&pattern->moved_runs, step->count))
		return vkr_error_memory(error, "runs");
	for (size_t at = 0; at < step->count; at++) {
		struct vkr_engine_run run = pattern->runs.items[step->first + at];
		run.offset = (uint32_t)run.offset + distance;
		pattern->moved_runs.items[pattern->moved_runs.count++] = run;
	}
	return VKR_OK;
}

// Runs between which nothing else was fed are fed together, as iterations of a loop.
static enum vkr_result feed_runs(struct vkr_pattern *pattern, struct vkr_engine *engine,
				 struct vkr_error *error)
{
	const size_t count = pattern->moved_runs.count;
	pattern->moved_runs.count = 0;
	return count > 0 ? vkr_engine_runs(engine, pattern->moved_runs.items, count, error)
			 : VKR_OK;
}

static enum vkr_result feed_scatter(struct vkr_pattern *pattern, struct vkr_engine *engine,
				    const struct vkr_pattern_step *step, uint32_t distance,
				    struct vkr_error *error)
{
	if (step->count > pattern->moved_offsets.capacity &&
	    !VKR_ARRAY_RESERVE(&pattern->moved_offsets, step->count))
		return vkr_error_memory(error, "offsets");
	for (size_t at = 0; at < step->count; at++)
		pattern->moved_offsets.items[at] =
			pattern->offsets.items[step->first + at] + distance;
	return vkr_engine_scatter(
		engine,
		&(struct vkr_engine_scatter){.site = step->site,
					     .local = step->local,
					     .count = (uint32_t)step->count,
					     .offsets = pattern->moved_offsets.items,
					     .target = step->target},
		error);
}

// Counts the step's accesses where they are another part's.
static enum vkr_result pass_over(struct vkr_engine *engine, const struct vkr_pattern_step *step,
				 uint32_t distance, bool *passed, struct vkr_error *error)
{
	const uint64_t low = step->low + distance;
	const enum vkr_result result = vkr_engine_is_elsewhere(
		engine, step->target, low, low + (step->high - step->low) + step->bytes, passed,
		error);
	if (result == VKR_OK && *passed)
		vkr_engine_count_accesses(engine, step->accesses);
	return result;
}

// Collects what the pattern's workgroup reads, in the order in which it is fed.
static enum vkr_result collect_reads(struct vkr_pattern *pattern, struct vkr_engine *engine,
				     struct vkr_error *error)
{
	struct vkr_workgroup_reads *reads = &pattern->reads.all;
	bool good = vkr_workgroup_reads_begin(reads);
	pattern->moved_runs.count = 0;
	for (size_t at = 0; at <= pattern->steps.count && good; at++) {
		const struct vkr_pattern_step *step =
			at < pattern->steps.count ? &pattern->steps.items[at] : NULL;
		if (step != NULL && step->target != NULL && !step->scattered) {
			good = move_runs(pattern, step, 0, error) == VKR_OK;
			continue;
		}
		good = vkr_workgroup_reads_runs(reads, engine, pattern->moved_runs.items,
						pattern->moved_runs.count);
		pattern->moved_runs.count = 0;
		if (good && step != NULL && step->scattered)
			good = vkr_workgroup_reads_list(
				reads, engine,
				&(struct vkr_engine_scatter){.site = step->site,
							     .local = step->local,
							     .count = (uint32_t)step->count,
							     .offsets = pattern->offsets.items +
									step->first,
							     .target = step->target});
	}
	return good && vkr_workgroup_reads_end(reads) ? VKR_OK : vkr_error_memory(error, "reads");
}

// Finds out which of the reads a step is among. Where offsets are computed from logged words, those
// of a site may differ by different amounts.
static enum vkr_result find_noted(struct vkr_pattern *pattern, struct vkr_error *error)
{
	struct vkr_pattern_reads *reads = &pattern->reads;
	const size_t count = reads->all.count;
	reads->noted.count = 0;
	if (!VKR_ARRAY_RESERVE(&reads->noted, count))
		return vkr_error_memory(error, "reads");
	reads->noted.count = count;
	for (size_t at = pattern->steps.count; at-- > 0;) {
		struct vkr_pattern_step *step = &pattern->steps.items[at];
		step->noted = 0;
		for (size_t i = 0; i < count && step->target != NULL && step->noted == 0; i++) {
			struct vkr_site_reads *of = &reads->all.items[i];
			if (of->site != step->site || of->target != step->target)
				continue;
			of->odd = of->odd || step->word != VKR_PATTERN_NO_WORD;
			step->noted = (uint32_t)i + 1;
			reads->noted.items[i].step = at;
		}
	}
	reads->collected = true;
	return VKR_OK;
}

// Notes what the present workgroup reads, where the engine notes such reads.
static enum vkr_result note_reads(struct vkr_pattern *pattern, struct vkr_engine *engine,
				  const uint32_t *id, struct vkr_error *error)
{
	struct vkr_pattern_reads *reads = &pattern->reads;
	enum vkr_result result = VKR_OK;
	if (!reads->collected) {
		result = collect_reads(pattern, engine, error);
		if (result == VKR_OK)
			result = find_noted(pattern, error);
	}
	for (size_t at = 0; at < reads->noted.count && result == VKR_OK; at++) {
		struct vkr_pattern_noted *noted = &reads->noted.items[at];
		const struct vkr_site_reads *of = &reads->all.items[at];
		const uint32_t distance =
			distance_of(pattern, &pattern->steps.items[noted->step], id);
		result = vkr_workgroup_reads_note(&reads->all, of, (uint32_t)of->low + distance,
						  engine, &noted->taken, error);
	}
	return result;
}

enum vkr_result vkr_pattern_feed(struct vkr_pattern *pattern, struct vkr_engine *engine,
				 const uint32_t *id, struct vkr_error *error)
{
	const bool has_part = vkr_engine_has_part(engine);
	enum vkr_result result = vkr_engine_workgroup_repeats(
		engine, pattern->workgroup_accesses, pattern->workgroup_races.items,
		pattern->workgroup_races.count, error);
	if (!has_part && result == VKR_OK)
		result = note_reads(pattern, engine, id, error);
	pattern->moved_runs.count = 0;
	for (size_t at = 0; at < pattern->steps.count && result == VKR_OK; at++) {
		const struct vkr_pattern_step *step = &pattern->steps.items[at];
		const uint32_t distance = step->target ? distance_of(pattern, step, id) : 0;
		bool passed = !has_part && step->noted > 0 &&
			      pattern->reads.noted.items[step->noted - 1].taken;
		if (step->target && has_part)
			result = pass_over(engine, step, distance, &passed, error);
		if (passed || result != VKR_OK)
			continue;
		if (step->target && !step->scattered) {
			result = move_runs(pattern, step, distance, error);
			continue;
		}
		result = feed_runs(pattern, engine, error);
		if (result != VKR_OK)
			return result;
		if (step->scattered)
			result = feed_scatter(pattern, engine, step, distance, error);
		else
			result = vkr_engine_barrier(engine, &step->barrier, error);
	}
	return result == VKR_OK ? feed_runs(pattern, engine, error) : result;
}
