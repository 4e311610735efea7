// SPDX-License-Identifier: Apache-2.0
#include "texel_rows.h"

#include "array.h"
#include "error.h"
#include "noted_texels.h"
#include "site_table.h"
#include "texel_plan.h"
#include "texel_reads.h"

#include <stdlib.h>
#include <string.h>

#define PACKED_MOST 0xffffu

// An access to one element of its variable, prepared.
struct prepared {
	uint32_t element;
	uint32_t next;   // 1 + index of the access's next one; 0: none
	uint32_t filter; // in which its reads are noted; UINT32_MAX: none yet
	const struct vkr_texel_sites *sites;
	struct vkr_texel_plan plan;
};

// The texels of invocations, by invocation: columns and rows, [0] and, if there is a second one,
// [1]; -1 for none. And the slice.
struct taps {
	int32_t *columns[2], *rows[2];
	uint32_t *slices;
};

struct vkr_texel_rows {
	struct {
		struct prepared *items;
		size_t count, capacity;
	} prepared;
	struct {
		uint32_t *items; // by access: 1 + index of its first one; 0: none
		size_t count, capacity;
	} first;
	uint32_t capacity; // invocations that there is room for
	struct taps taps;
	uint32_t *offsets;
	float *points; // of samples of the lanes, and their taps
	int32_t *few[2];
};

static void free_lanes(struct vkr_texel_rows *rows)
{
	for (unsigned at = 0; at < 2; at++) {
		free(rows->taps.columns[at]);
		free(rows->taps.rows[at]);
	}
	free(rows->taps.slices);
	free(rows->offsets);
	free(rows->points);
	free(rows->few[0]);
	free(rows->few[1]);
	rows->points = NULL;
	rows->few[0] = rows->few[1] = NULL;
	rows->taps = (struct taps){0};
	rows->offsets = NULL;
	rows->capacity = 0;
}

void vkr_texel_rows_destroy(struct vkr_texel_rows *rows)
{
	if (rows == NULL)
		return;
	free(rows->prepared.items);
	free(rows->first.items);
	free_lanes(rows);
	free(rows);
}

static bool make_lanes(struct vkr_texel_rows *rows, uint32_t count)
{
	bool made = true;
	if (count <= rows->capacity)
		return true;
	free_lanes(rows);
	for (unsigned at = 0; at < 2; at++) {
		rows->taps.columns[at] = calloc(count, sizeof(int32_t));
		rows->taps.rows[at] = calloc(count, sizeof(int32_t));
		made = made && rows->taps.columns[at] != NULL && rows->taps.rows[at] != NULL;
	}
	rows->taps.slices = calloc(count, sizeof(uint32_t));
	rows->offsets = calloc(count, sizeof(uint32_t));
	rows->points = calloc(count, sizeof *rows->points);
	rows->few[0] = calloc(count, sizeof(int32_t));
	rows->few[1] = calloc(count, sizeof(int32_t));
	if (!made || rows->taps.slices == NULL || rows->offsets == NULL || rows->points == NULL ||
	    rows->few[0] == NULL || rows->few[1] == NULL)
		return false;
	rows->capacity = count;
	return true;
}

bool vkr_texel_rows_begin(struct vkr_replay *replay, const struct vkr_program *program,
			  uint32_t local_size)
{
	const size_t accesses = program->shader->sites->site_count;
	if (program->shader->sites->texel_count == 0)
		return true;
	if (replay->texel_rows == NULL)
		replay->texel_rows = calloc(1, sizeof *replay->texel_rows);
	struct vkr_texel_rows *rows = replay->texel_rows;
	if (rows == NULL)
		return false;
	rows->prepared.count = rows->first.count = 0;
	if (!make_lanes(rows, local_size) || !VKR_ARRAY_RESERVE(&rows->first, accesses))
		return false;
	memset(rows->first.items, 0, accesses * sizeof *rows->first.items);
	rows->first.count = accesses;
	return true;
}

bool vkr_texel_rows_like(struct vkr_replay *replay, const struct vkr_replay *like)
{
	struct vkr_texel_rows *rows = replay->texel_rows;
	const struct vkr_texel_rows *of = like->texel_rows;
	if (rows == NULL || of == NULL || of->prepared.count == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&rows->prepared, of->prepared.count))
		return false;
	memcpy(rows->prepared.items, of->prepared.items,
	       of->prepared.count * sizeof *of->prepared.items);
	memcpy(rows->first.items, of->first.items, of->first.count * sizeof *of->first.items);
	rows->prepared.count = of->prepared.count;
	return true;
}

bool vkr_texel_rows_take(const struct vkr_program_access *access)
{
	return access->texel->words <= VKR_TEXEL_LANE_WORDS && !access->chosen &&
	       !(access->texel->flags & VKR_TEXEL_DERIVED) && access->wrote_word == UINT32_MAX;
}

// ---- Preparing ----------------------------------------------------------------------------------

// One access of the workgroup's invocations under way.
struct doing {
	struct vkr_replay_work *work;
	struct vkr_texel_rows *rows;
	struct vkr_program_access *access;
	const struct prepared *of;
	uint32_t local, count;
	struct taps taps;
	bool noted;
};

// What is prepared for the element in *found.
static enum vkr_result texel_rows_prepare(struct vkr_replay_work *work,
					  struct vkr_program_access *access, uint32_t element,
					  struct prepared **found)
{
	struct vkr_texel_rows *rows = work->replay->texel_rows;
	uint32_t *first = &rows->first.items[access - work->program->accesses];
	for (uint32_t at = *first; at != 0; at = rows->prepared.items[at - 1].next)
		if (rows->prepared.items[at - 1].element == element) {
			*found = &rows->prepared.items[at - 1];
			return VKR_OK;
		}
	if (!VKR_ARRAY_RESERVE(&rows->prepared, 1))
		return vkr_error_memory(work->error, "texels");
	struct prepared *made = &rows->prepared.items[rows->prepared.count++];
	made->element = element;
	made->next = *first;
	made->filter = UINT32_MAX;
	*first = (uint32_t)rows->prepared.count;
	*found = made;
	vkr_texel_plan_make(work->targets, access, element, &made->plan);
	const bool is_suited =
		made->plan.kind == VKR_PLAN_FETCH || made->plan.kind == VKR_PLAN_SAMPLE;
	// Offsets are of 32 bits.
	if (!is_suited || (made->plan.target->bytes > UINT32_MAX ||
			   !vkr_texel_plan_is_aligned(&made->plan, vkr_low_bit(made->plan.bytes))))
		made->plan.kind = VKR_PLAN_NONE;
	return made->plan.kind == VKR_PLAN_NONE
		       ? VKR_OK
		       : vkr_program_texel_sites(work->program, access, made->plan.bytes,
						 &made->sites, work->error);
}

// ---- Finding ------------------------------------------------------------------------------------

// Which of the lanes' words one of the record is; VKR_PLAN_NO_WORD for none.
static uint32_t word_of(const struct doing *doing, const struct vkr_texel_lanes *lanes,
			uint32_t word)
{
	const struct vkr_texel_plan *plan = &doing->of->plan;
	if (word == VKR_PLAN_NO_WORD)
		return word;
	const bool is_behind = plan->packed && lanes->is_apart && word != plan->words[0];
	return word - doing->access->word + is_behind;
}

static const uint32_t *words_of(const struct doing *doing, const struct vkr_texel_lanes *lanes,
				uint32_t word)
{
	const uint32_t at = word_of(doing, lanes, word);
	return at != VKR_PLAN_NO_WORD ? lanes->words[at] : NULL;
}

// One coordinate of fetches, -1 where it is outside.
static void take_axis(const uint32_t *words, int32_t offset, uint32_t size, uint32_t count,
		      int32_t *to)
{
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t value = (words != NULL ? words[at] : 0) + (uint32_t)offset;
		to[at] = value < size ? (int32_t)value : -1;
	}
}

// False if some coordinates share a word and are too large for it (VKR_TEXEL_PACKED).
static bool take_packed(const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
			const uint32_t *words, uint32_t count, const struct taps *taps)
{
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t x = words[at] & PACKED_MOST, y = words[at] >> 16;
		if (x == PACKED_MOST || y == PACKED_MOST)
			return false;
		const uint32_t column = x + (uint32_t)plan->offset[0];
		const uint32_t row = y + (uint32_t)plan->offset[1];
		taps->columns[0][at] = column < level->size[0] ? (int32_t)column : -1;
		taps->rows[0][at] = row < level->size[1] ? (int32_t)row : -1;
	}
	return true;
}

static bool find_fetches(struct doing *doing, const struct vkr_texel_lanes *lanes,
			 const struct vkr_plan_level *level)
{
	const struct vkr_texel_plan *plan = &doing->of->plan;
	struct taps *taps = &doing->taps;
	const uint32_t count = doing->count;
	const uint32_t *x = words_of(doing, lanes, plan->words[0]);
	const uint32_t *z = words_of(doing, lanes, plan->words[2]);
	if (plan->packed && !lanes->is_apart) {
		if (!take_packed(plan, level, x, count, taps))
			return false;
	} else {
		const uint32_t *y = plan->packed
					    ? lanes->words[plan->words[0] - doing->access->word + 1]
					    : words_of(doing, lanes, plan->words[1]);
		take_axis(x, plan->offset[0], level->size[0], count, taps->columns[0]);
		take_axis(y, plan->offset[1], level->size[1], count, taps->rows[0]);
	}
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t slice = (z != NULL ? z[at] : 0) + (uint32_t)plan->offset[2];
		taps->slices[at] = slice;
		if (slice >= level->size[2])
			taps->rows[0][at] = -1;
	}
	taps->columns[1] = taps->columns[0];
	taps->rows[1] = taps->rows[0];
	return true;
}

// The taps of a word's coordinates along an axis, as vkr_texel_plan_taps has them.
static bool find_taps(struct doing *doing, const struct vkr_texel_lanes *lanes,
		      const struct vkr_plan_level *level, unsigned axis, uint32_t word,
		      int32_t *const taps[2])
{
	const struct vkr_texel_plan *plan = &doing->of->plan;
	const struct vkr_lane_samples *samples = &lanes->samples[word];
	struct vkr_texel_rows *rows = doing->rows;
	if (samples->count == 0)
		return vkr_texel_plan_taps(
			plan, level, axis,
			&(struct vkr_texel_points){(const void *)lanes->words[word],
						   &lanes->errors[word], doing->count, false},
			taps[0], taps[1]);
	for (uint32_t at = 0; at < samples->count; at++)
		memcpy(&rows->points[at], &lanes->words[word][at * samples->step],
		       sizeof *rows->points);
	const bool open =
		vkr_texel_plan_taps(plan, level, axis,
				    &(struct vkr_texel_points){rows->points, &lanes->errors[word],
							       samples->count, false},
				    rows->few[0], rows->few[1]);
	for (unsigned tap = 0; tap < 2; tap++)
		vkr_lane_samples_spread(samples, (const uint32_t *)rows->few[tap], doing->count,
					(uint32_t *)taps[tap]);
	return open;
}

// Whether an implementation may read other texels.
static bool find_samples(struct doing *doing, const struct vkr_texel_lanes *lanes,
			 const struct vkr_plan_level *level)
{
	const struct taps *taps = &doing->taps;
	bool open = false;
	for (unsigned axis = 0; axis < 2; axis++) {
		const uint32_t word = word_of(doing, lanes, doing->of->plan.words[axis]);
		open |= find_taps(doing, lanes, level, axis, word,
				  axis == 0 ? taps->columns : taps->rows);
	}
	memset(taps->slices, 0, doing->count * sizeof *taps->slices);
	return open;
}

// ---- Judging ------------------------------------------------------------------------------------

// Judges the invocations whose column and row are these taps and no earlier ones.
static enum vkr_result judge_tap(struct doing *doing, const struct vkr_plan_level *level,
				 unsigned column, unsigned row)
{
	const struct prepared *of = doing->of;
	const struct taps *taps = &doing->taps;
	const int32_t *columns = taps->columns[column], *rows = taps->rows[row];
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0, length; at < doing->count && result == VKR_OK; at += length + 1) {
		for (length = 0; at + length < doing->count; length++) {
			const uint32_t lane = at + length;
			if (columns[lane] < 0 || rows[lane] < 0 ||
			    (column > 0 && columns[lane] == taps->columns[0][lane]) ||
			    (row > 0 && rows[lane] == taps->rows[0][lane]))
				break;
			doing->rows->offsets[length] = (uint32_t)vkr_texel_plan_offset(
				&of->plan, level, (uint32_t)columns[lane], (uint32_t)rows[lane],
				taps->slices[lane]);
		}
		if (length == 0)
			continue;
		const struct vkr_engine_scatter accesses = {.site = of->sites->site,
							    .local = doing->local + at,
							    .count = length,
							    .offsets = doing->rows->offsets,
							    .target = of->plan.target};
		result = vkr_replay_accesses(doing->work->replay, doing->work->engine, &accesses,
					     doing->work->error);
	}
	return result;
}

static enum vkr_result texel_rows_judge(struct doing *doing, const struct vkr_plan_level *level)
{
	const struct taps *taps = &doing->taps;
	enum vkr_result result = VKR_OK;
	for (unsigned row = 0; row <= (taps->rows[1] != taps->rows[0]); row++)
		for (unsigned column = 0; column <= (taps->columns[1] != taps->columns[0]);
		     column++)
			if (result == VKR_OK)
				result = judge_tap(doing, level, column, row);
	return result;
}

// ---- Noting -------------------------------------------------------------------------------------

// Notes the texels of `count` invocations from `local` on, as those of the segment go on from a
// column and a row.
static enum vkr_result note_row(struct vkr_replay_work *work, const struct prepared *of,
				const struct vkr_plan_level *level, uint32_t local, uint32_t count,
				const struct vkr_texel_segment *segment, int32_t column,
				int32_t row)
{
	const uint64_t offset = vkr_texel_plan_offset(&of->plan, level, (uint32_t)column,
						      (uint32_t)row, segment->slice);
	const int64_t stride = (int64_t)segment->column_step * of->plan.bytes +
			       (int64_t)segment->row_step * (int64_t)level->pitch;
	return vkr_noted_texels_row(work, of->filter, local, count, offset, stride);
}

// How many invocations from `first` on are even: columns and rows go on by steps. Where each has
// two rows, these go on in one column, or not at all (note_rows).
static uint32_t count_even(const struct taps *taps, uint32_t first, uint32_t count, int32_t step,
			   int32_t row_step)
{
	const int32_t *x0 = taps->columns[0], *x1 = taps->columns[1];
	const int32_t *y0 = taps->rows[0], *y1 = taps->rows[1];
	const uint32_t *z = taps->slices;
	uint32_t at = first + 1;
	if (row_step != 0 && y0[first] != y1[first] && (step != 0 || y1[first] != y0[first] + 1))
		return 1;
	while (at < count && x0[at] >= 0 && y0[at] >= 0 && y0[at] - y0[at - 1] == row_step &&
	       y1[at] - y1[at - 1] == row_step && z[at] == z[first] &&
	       x0[at] - x0[at - 1] == step && x1[at] - x1[at - 1] == step)
		at++;
	return at - first;
}

static struct vkr_texel_segment segment_at(const struct doing *doing, uint32_t first)
{
	const struct taps *taps = &doing->taps;
	const int32_t *x0 = taps->columns[0], *y0 = taps->rows[0];
	struct vkr_texel_segment segment = {.lane = first,
					    .count = 1,
					    .columns = {x0[first], taps->columns[1][first]},
					    .rows = {y0[first], taps->rows[1][first]},
					    .slice = taps->slices[first]};
	// Blocks of several texels are not as far apart as these.
	if (x0[first] < 0 || y0[first] < 0 || doing->of->plan.block[0] != 1 ||
	    doing->of->plan.block[1] != 1 || first + 1 == doing->count)
		return segment;
	segment.column_step = x0[first + 1] - x0[first];
	segment.row_step = y0[first + 1] - y0[first];
	segment.count =
		count_even(taps, first, doing->count, segment.column_step, segment.row_step);
	if (segment.count == 1)
		segment.column_step = segment.row_step = 0;
	return segment;
}

// The texels of a segment in one row of each invocation, each of them once: what the second taps
// find is what the first ones of a neighbour do, but for the last one's, or the first one's.
static enum vkr_result note_even(struct vkr_replay_work *work, const struct prepared *of,
				 const struct vkr_plan_level *level, uint32_t local,
				 const struct vkr_texel_segment *segment, int32_t row)
{
	const int32_t x0 = segment->columns[0], x1 = segment->columns[1];
	const int32_t step = segment->column_step;
	const bool is_next = segment->row_step == 0 && x1 == x0 + 1 && (step == 1 || step == -1);
	const uint32_t count = segment->count, last = step == 1 ? count - 1 : 0;
	enum vkr_result result = note_row(work, of, level, local, count, segment, x0, row);
	if (result != VKR_OK || x1 == x0)
		return result;
	if (is_next)
		return note_row(work, of, level, local + last, 1, segment,
				x1 + step * (int32_t)last, row);
	return note_row(work, of, level, local, count, segment, x1, row);
}

// The texels of a segment whose invocations have two rows: as if they were noted one after the
// other. Where rows go on by one, the second tap of one is the first one of the next, and comes
// before it.
static enum vkr_result note_rows(struct vkr_replay_work *work, const struct prepared *of,
				 const struct vkr_plan_level *level, uint32_t local,
				 const struct vkr_texel_segment *segment)
{
	const bool is_down = segment->row_step == 1;
	const bool is_shared = is_down || segment->row_step == -1;
	struct vkr_texel_segment rest = *segment;
	enum vkr_result result = note_even(work, of, level, local, segment, segment->rows[is_down]);
	if (is_shared)
		rest.count = 1;
	return result == VKR_OK ? note_even(work, of, level, local, &rest, segment->rows[!is_down])
				: result;
}

// `local`: of the access's first invocation.
static enum vkr_result note_segment(struct vkr_replay_work *work, const struct prepared *of,
				    const struct vkr_plan_level *level, uint32_t local,
				    const struct vkr_texel_segment *segment)
{
	const uint32_t first = local + segment->lane;
	const uint64_t columns = 1 + (segment->columns[1] != segment->columns[0]);
	const uint64_t rows = 1 + (segment->rows[1] != segment->rows[0]);
	if (segment->columns[0] < 0 || segment->rows[0] < 0)
		return VKR_OK;
	vkr_feed_count(work->replay->tape, work->engine, segment->count * columns * rows);
	return segment->rows[1] == segment->rows[0]
		       ? note_even(work, of, level, first, segment, segment->rows[0])
		       : note_rows(work, of, level, first, segment);
}

static enum vkr_result texel_rows_note(struct doing *doing, const struct vkr_plan_level *level)
{
	struct vkr_texel_record *record = doing->work->record;
	const struct vkr_texel_repeat access = {
		.prepared = (uint32_t)(doing->of - doing->rows->prepared.items),
		.level = (uint32_t)(level - doing->of->plan.levels),
		.local = doing->local,
		.count = doing->count,
		.along = doing->work->along};
	enum vkr_result result = VKR_OK;
	if (record != NULL && !vkr_texel_record_access(record, &access))
		return vkr_error_memory(doing->work->error, "texels");
	for (uint32_t at = 0; at < doing->count && result == VKR_OK;) {
		const struct vkr_texel_segment segment = segment_at(doing, at);
		if (record != NULL) {
			record->segments.items[record->segments.count++] = segment;
			record->accesses.items[record->accesses.count - 1].end++;
		}
		result = note_segment(doing->work, doing->of, level, doing->local, &segment);
		at += segment.count;
	}
	return result;
}

enum vkr_result vkr_texel_rows_repeat(struct vkr_replay_work *work,
				      const struct vkr_texel_record *along,
				      const struct vkr_texel_record *across)
{
	const struct vkr_texel_rows *rows = work->replay->texel_rows;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < across->accesses.count; at++) {
		const struct vkr_texel_repeat *access = &across->accesses.items[at];
		const struct prepared *of = &rows->prepared.items[access->prepared];
		struct vkr_texel_segment segment;
		struct vkr_texel_merge merge;
		vkr_texel_merge_begin(&merge, along, across, at);
		while (result == VKR_OK && vkr_texel_merge_next(&merge, &segment))
			result = note_segment(work, of, &of->plan.levels[access->level],
					      access->local, &segment);
	}
	return result;
}

unsigned vkr_texel_rows_words(const struct vkr_program_access *access, unsigned word)
{
	const unsigned coordinate = word - access->arrayed;
	if (access->arrayed && word == 0)
		return VKR_ROWS_WORD_FIXED;
	if (coordinate == 0)
		return VKR_ROWS_WORD_COLUMN;
	return coordinate < access->texel->coordinates ? VKR_ROWS_WORD_ROW : VKR_ROWS_WORD_FIXED;
}

// ---- An access ----------------------------------------------------------------------------------

// False where the plan does not say.
static bool find_level(struct doing *doing, const struct vkr_texel_lanes *lanes,
		       const struct vkr_plan_level *level, bool *possible)
{
	if (doing->of->plan.kind == VKR_PLAN_FETCH)
		return find_fetches(doing, lanes, level);
	*possible |= find_samples(doing, lanes, level);
	return true;
}

// The levels that all of the invocations access; false where they differ, or the plan does not say.
static bool find_levels(const struct doing *doing, const struct vkr_texel_lanes *lanes,
			uint32_t levels[2], uint32_t *count, bool *possible)
{
	const struct vkr_texel_plan *plan = &doing->of->plan;
	const uint32_t word = word_of(doing, lanes, plan->lod_word);
	const uint32_t *lods = words_of(doing, lanes, plan->lod_word);
	if (lods != NULL && lanes->errors[word] > 0)
		return false;
	for (uint32_t at = 1; lods != NULL && at < doing->count; at++)
		if (lods[at] != lods[0])
			return false;
	const uint32_t lod = lods != NULL ? lods[0] : 0;
	if (plan->kind == VKR_PLAN_SAMPLE)
		return vkr_texel_plan_levels(plan, lod, 0, levels, count, possible);
	levels[0] = lod;
	*count = 1;
	return true;
}

static enum vkr_result do_found(struct doing *doing, const struct vkr_plan_level *level)
{
	return doing->noted ? texel_rows_note(doing, level) : texel_rows_judge(doing, level);
}

// The levels are found twice: nothing must have happened where one of them is not known.
static enum vkr_result do_levels(struct doing *doing, const struct vkr_texel_lanes *lanes,
				 bool *done)
{
	const struct vkr_texel_plan *plan = &doing->of->plan;
	const struct taps taps = doing->taps;
	uint32_t levels[2], count = 0, known = 0;
	bool possible = false;
	*done = find_levels(doing, lanes, levels, &count, &possible);
	for (uint32_t at = 0; at < count && *done; at++)
		if (levels[at] < plan->level_count) {
			levels[known++] = levels[at];
			*done = find_level(doing, lanes, &plan->levels[levels[at]], &possible);
		}
	if (!*done)
		return VKR_OK;
	if (possible && !vkr_replay_possible(doing->work->replay, plan->bound, doing->access))
		return vkr_error_memory(doing->work->error, "texels");
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < known && result == VKR_OK; at++) {
		const struct vkr_plan_level *level = &plan->levels[levels[at]];
		if (known > 1) {
			doing->taps = taps;
			find_level(doing, lanes, level, &possible);
		}
		result = do_found(doing, level);
	}
	return result;
}

enum vkr_result vkr_texel_rows_do(struct vkr_replay_work *work, struct vkr_program_access *access,
				  uint32_t element, const struct vkr_texel_lanes *lanes, bool noted,
				  bool *done)
{
	struct vkr_texel_rows *rows = work->replay->texel_rows;
	struct prepared *of = NULL;
	enum vkr_result result = texel_rows_prepare(work, access, element, &of);
	*done = result == VKR_OK && of->plan.kind != VKR_PLAN_NONE;
	if (!*done)
		return result;
	if (noted && of->filter == UINT32_MAX)
		result =
			vkr_noted_texels_filter(work, access,
						&(struct vkr_engine_run){.site = of->sites->site,
									 .target = of->plan.target},
						of->plan.bytes, &of->filter);
	if (result != VKR_OK)
		return result;
	struct doing doing = {.work = work,
			      .rows = rows,
			      .access = access,
			      .of = of,
			      .local = lanes->local,
			      .count = lanes->count,
			      .taps = rows->taps,
			      .noted = noted};
	return do_levels(&doing, lanes, done);
}
