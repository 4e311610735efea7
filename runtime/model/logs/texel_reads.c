// SPDX-License-Identifier: Apache-2.0
#include "texel_reads.h"

#include "array.h"
#include "error.h"
#include "site_table.h"
#include "texel_parts.h"

#include <stdlib.h>
#include <string.h>

void vkr_texel_reads_destroy(struct vkr_texel_reads *reads)
{
	if (reads == NULL)
		return;
	vkr_access_filters_finish(&reads->filters);
	free(reads->accesses.items);
	free(reads->places);
	free(reads->readers.items);
	free(reads->possible.items);
	free(reads->columns.items);
	free(reads->record.items);
	free(reads);
}

bool vkr_texel_reads_begin(struct vkr_replay *replay, const struct vkr_program *program)
{
	const size_t count = program->shader->sites->site_count;
	if (replay->reads == NULL)
		replay->reads = calloc(1, sizeof *replay->reads);
	struct vkr_texel_reads *reads = replay->reads;
	if (reads == NULL)
		return false;
	if (reads->places == NULL)
		reads->places = malloc(sizeof *reads->places);
	reads->accesses.count = reads->readers.count = reads->possible.count = 0;
	if (reads->places == NULL || !VKR_ARRAY_RESERVE(&reads->accesses, count) ||
	    !vkr_access_filters_begin(&reads->filters, count))
		return false;
	for (size_t at = 0; at < count; at++)
		reads->accesses.items[at].made = reads->accesses.items[at].possible = false;
	reads->accesses.count = count;
	return true;
}

bool vkr_texel_reads_like(struct vkr_replay *replay, const struct vkr_program *program,
			  const struct vkr_texel_reads *like)
{
	if (!vkr_texel_reads_begin(replay, program) ||
	    !vkr_access_filters_like(&replay->reads->filters, &like->filters))
		return false;
	if (like->accesses.count > 0)
		memcpy(replay->reads->accesses.items, like->accesses.items,
		       like->accesses.count * sizeof *like->accesses.items);
	return true;
}

// Notes that a view may be read elsewhere, too. False for lack of memory.
static bool note_possible(struct vkr_texel_reading *of, struct vkr_bound_texels *bound,
			  struct vkr_program_access *access)
{
	struct vkr_texel_reads *reads = of->replay->reads;
	if (!of->apart)
		return vkr_possible_texels_note(&of->replay->possible, bound, access);
	for (size_t at = 0; at < reads->possible.count; at++)
		if (reads->possible.items[at].bound == bound)
			return true;
	if (!VKR_ARRAY_RESERVE(&reads->possible, 1))
		return false;
	reads->possible.items[reads->possible.count++] = (struct vkr_possible_read){bound, access};
	return true;
}

// A plan's access may read elsewhere, too. False for lack of memory.
static bool plan_is_possible(struct vkr_texel_reading *of, struct vkr_texel_read *read,
			     struct vkr_program_access *access)
{
	if (read->possible)
		return true;
	read->possible = true;
	return note_possible(of, read->plan.bound, access);
}

enum vkr_result vkr_texel_reads_filter(struct vkr_texel_reading *of,
				       const struct vkr_program_access *access,
				       const struct vkr_engine_run *like, uint32_t bytes,
				       unsigned shift, uint32_t *filter)
{
	struct vkr_access_filters *filters = &of->replay->reads->filters;
	const size_t before = filters->count;
	*filter = vkr_access_filter(filters, (size_t)(access - of->program->accesses), like, bytes,
				    shift);
	if (*filter == UINT32_MAX)
		return vkr_error_memory(of->error, "the reads of a command");
	if (filters->count == before)
		return VKR_OK;
	filters->items[*filter].writes = vkr_engine_site_writes(of->program->engine, like->site);
	of->odd = of->odd || of->is_written(of->user, like->target);
	return VKR_OK;
}

enum vkr_result vkr_texel_reads_buffer(struct vkr_texel_reading *of,
				       const struct vkr_program_access *access,
				       const struct vkr_engine_target *target, uint32_t *filter)
{
	// Words and what is smaller, wherever they begin.
	const unsigned of_bytes = vkr_low_bit(access->bytes);
	return vkr_texel_reads_filter(
		of, access, &(struct vkr_engine_run){.site = access->site, .target = target},
		access->bytes, of_bytes < 2 ? of_bytes : 2, filter);
}

// As vkr_replay_texels looks for them.
static enum vkr_result read_places(struct vkr_texel_reading *of, struct vkr_program_access *access,
				   const uint32_t *record)
{
	struct vkr_texel_places *places = of->replay->reads->places;
	enum vkr_result result = VKR_OK;
	of->varies = true;
	vkr_texel_places_find(of->targets, access, record, places);
	of->replay->unknown_texels += places->is_unknown;
	if (places->possible != NULL && !note_possible(of, places->possible, access))
		return vkr_error_memory(of->error, "texels");
	for (uint32_t at = 0; at < places->count && result == VKR_OK && !of->odd; at++) {
		const struct vkr_texel_place *place = &places->items[at];
		const struct vkr_texel_sites *sites = NULL;
		const unsigned shift = vkr_low_bit(place->bytes);
		uint32_t filter = 0;
		result = vkr_program_texel_sites(of->program, access, place->bytes, &sites,
						 of->error);
		if (result == VKR_OK)
			result = vkr_texel_reads_filter(
				of, access,
				&(struct vkr_engine_run){.site = sites->site,
							 .target = place->target},
				place->bytes, shift, &filter);
		of->odd = of->odd || place->offset % (UINT64_C(1) << shift) != 0;
		if (result == VKR_OK && !of->odd)
			result = of->note(of->user, filter, place->offset);
	}
	return result;
}

// The filter of a plan that has a target.
static enum vkr_result filter_plan(struct vkr_texel_reading *of, struct vkr_program_access *access,
				   struct vkr_texel_read *read)
{
	const struct vkr_texel_plan *plan = &read->plan;
	const unsigned shift = vkr_low_bit(plan->bytes);
	const struct vkr_texel_sites *sites = NULL;
	const enum vkr_result result =
		vkr_program_texel_sites(of->program, access, plan->bytes, &sites, of->error);
	if (result != VKR_OK)
		return result;
	return vkr_texel_reads_filter(
		of, access, &(struct vkr_engine_run){.site = sites->site, .target = plan->target},
		plan->bytes, shift, &read->filter);
}

enum vkr_result vkr_texel_reads_plan(struct vkr_texel_reading *of,
				     struct vkr_program_access *access, struct vkr_texel_read *read)
{
	struct vkr_texel_plan *plan = &read->plan;
	read->made = true;
	plan->kind = VKR_PLAN_NONE;
	if (!access->arrayed)
		vkr_texel_plan_make(of->targets, access, 0, plan);
	if (plan->kind == VKR_PLAN_NONE || plan->kind == VKR_PLAN_OPEN)
		return VKR_OK;
	if (!vkr_texel_plan_is_aligned(plan, vkr_low_bit(plan->bytes))) {
		plan->kind = VKR_PLAN_NONE;
		return VKR_OK;
	}
	return filter_plan(of, access, read);
}

enum vkr_result vkr_texel_reads_again(struct vkr_texel_reading *of,
				      const struct vkr_texel_prepared *prepared, size_t count)
{
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < count && result == VKR_OK; at++) {
		struct vkr_texel_read *read =
			&of->replay->reads->accesses.items[prepared[at].access];
		*read = prepared[at].read;
		result = filter_plan(of, &of->program->accesses[prepared[at].access], read);
	}
	return result;
}

enum vkr_result vkr_texel_reads_note(struct vkr_texel_reading *of,
				     struct vkr_program_access *access, const uint32_t *record)
{
	struct vkr_texel_read *read =
		&of->replay->reads->accesses.items[(size_t)(access - of->program->accesses)];
	uint64_t offsets[VKR_PLAN_TEXELS];
	uint32_t count = 0;
	bool possible = false;
	enum vkr_result result = read->made ? VKR_OK : vkr_texel_reads_plan(of, access, read);
	if (result != VKR_OK || of->odd)
		return result;
	if (!vkr_texel_plan_find(&read->plan, record, offsets, &count, &possible))
		return read_places(of, access, record);
	if (possible && !plan_is_possible(of, read, access))
		return vkr_error_memory(of->error, "texels");
	const struct vkr_access_filters *filters = &of->replay->reads->filters;
	for (uint32_t at = 0; at < count && result == VKR_OK && !of->odd; at++)
		if (!vkr_access_filter_knows(filters, &filters->items[read->filter], offsets[at]))
			result = of->note(of->user, read->filter, offsets[at]);
	return result;
}

// ---- Lanes --------------------------------------------------------------------------------------

// What samples read, by lane, of one level at a time.
struct lane_taps {
	uint32_t levels[2], level_count; // of all lanes
	uint32_t layers[VKR_READ_LANES]; // UINT32_MAX: nobody can say
	int32_t columns[2][VKR_READ_LANES], rows[2][VKR_READ_LANES];
};

static uint32_t level_of_lane(const struct vkr_texel_plan *plan,
			      const struct vkr_texel_lanes_read *lanes, uint32_t lane)
{
	return plan->lod_word != VKR_PLAN_NO_WORD ? vkr_texel_lane_word(lanes, plan->lod_word, lane)
						  : 0;
}

// How far a lane's level may be from the one that is logged.
static double spread_of_lane(const struct vkr_texel_plan *plan,
			     const struct vkr_texel_lanes_read *lanes, uint32_t lane)
{
	const bool spreads =
		plan->derived != NULL && plan->derived->level_spread != VKR_TEXEL_NO_WORD;
	return spreads ? vkr_texel_number(
				 vkr_texel_lane_word(lanes, plan->derived->level_spread, lane))
		       : 0;
}

// False where the plan does not say what levels they read, or where those are not one set.
static bool find_levels(const struct vkr_texel_plan *plan, const struct vkr_texel_lanes_read *lanes,
			struct lane_taps *taps, bool *possible)
{
	uint32_t last_lod = 0;
	double last_spread = 0;
	for (uint32_t lane = 0; lane < lanes->count; lane++) {
		const uint32_t lod = level_of_lane(plan, lanes, lane);
		const double spread = spread_of_lane(plan, lanes, lane);
		uint32_t levels[2] = {0}, count = 1;
		if (lane > 0 && lod == last_lod && spread >= last_spread && spread <= last_spread)
			continue;
		if ((!vkr_texel_plan_has_one_level(plan, lod) &&
		     !vkr_texel_plan_levels(plan, lod, spread, levels, &count, possible)) ||
		    (lane > 0 && (count != taps->level_count || levels[0] != taps->levels[0] ||
				  levels[1] != taps->levels[1])))
			return false;
		memcpy(taps->levels, levels, sizeof levels);
		taps->level_count = count;
		last_lod = lod;
		last_spread = spread;
	}
	return true;
}

static void find_layers(const struct vkr_texel_plan *plan, const struct vkr_texel_lanes_read *lanes,
			struct lane_taps *taps, bool *possible)
{
	for (uint32_t lane = 0; lane < lanes->count; lane++) {
		taps->layers[lane] = 0;
		if (plan->kind == VKR_PLAN_SAMPLE_LAYER &&
		    !vkr_texel_plan_layer(plan, vkr_texel_lane_word(lanes, plan->words[2], lane),
					  &taps->layers[lane])) {
			taps->layers[lane] = UINT32_MAX;
			*possible = true;
		}
	}
}

// The coordinate of each lane along an axis, as parts say it.
static void sum_points(const struct vkr_texel_part *part, const struct vkr_texel_lanes_read *lanes,
		       float *at, double *errors)
{
	for (uint32_t lane = 0; lane < lanes->count; lane++) {
		const uint32_t word = part->word != VKR_TEXEL_NO_WORD
					      ? vkr_texel_lane_word(lanes, part->word, lane)
					      : 0;
		const uint32_t scaled =
			part->scaled_word != VKR_TEXEL_NO_WORD
				? vkr_texel_lane_word(lanes, part->scaled_word, lane)
				: 0;
		at[lane] = vkr_texel_part_sum(part, vkr_texel_number(word),
					      vkr_texel_number(scaled), &errors[lane]);
	}
}

// The coordinates of all lanes along an axis.
static struct vkr_texel_points find_points(const struct vkr_texel_plan *plan,
					   const struct vkr_texel_lanes_read *lanes, uint32_t axis,
					   float *at, double *errors)
{
	const bool sums = plan->sums >> axis & 1;
	errors[0] = 0;
	if (sums) {
		sum_points(&plan->derived->parts[axis], lanes, at, errors);
		return (struct vkr_texel_points){at, errors, lanes->count, true};
	}
	const struct vkr_texel_column *column = &lanes->columns[plan->words[axis]];
	if (column->step == 1)
		memcpy(at, column->words + lanes->first, lanes->count * sizeof *at);
	for (uint32_t lane = 0; column->step != 1 && lane < lanes->count; lane++)
		memcpy(&at[lane], &column->words[(size_t)(lanes->first + lane) * column->step],
		       sizeof *at);
	return (struct vkr_texel_points){at, errors, lanes->count, false};
}

static void find_taps(const struct vkr_texel_plan *plan, const struct vkr_texel_lanes_read *lanes,
		      uint32_t mip, struct lane_taps *taps, bool *possible)
{
	float at[VKR_READ_LANES];
	double errors[VKR_READ_LANES];
	for (uint32_t axis = 0; axis < 2; axis++) {
		int32_t(*const to)[VKR_READ_LANES] = axis == 0 ? taps->columns : taps->rows;
		const struct vkr_texel_points points = find_points(plan, lanes, axis, at, errors);
		*possible |=
			vkr_texel_plan_taps(plan, &plan->levels[mip], axis, &points, to[0], to[1]);
	}
}

static enum vkr_result note_tap(struct vkr_texel_reading *of, uint32_t filter, uint32_t lane,
				uint64_t offset)
{
	const struct vkr_access_filters *filters = &of->replay->reads->filters;
	if (vkr_access_filter_knows(filters, &filters->items[filter], offset))
		return VKR_OK;
	of->select(of->user, lane);
	return of->note(of->user, filter, offset);
}

static enum vkr_result note_taps(struct vkr_texel_reading *of, const struct vkr_texel_read *read,
				 uint32_t mip, const struct lane_taps *taps, uint32_t count)
{
	const struct vkr_texel_plan *plan = &read->plan;
	enum vkr_result result = VKR_OK;
	for (uint32_t lane = 0; lane < count && result == VKR_OK && !of->odd; lane++) {
		const bool two_columns = taps->columns[0][lane] != taps->columns[1][lane];
		const bool two_rows = taps->rows[0][lane] != taps->rows[1][lane];
		if (taps->columns[0][lane] < 0 || taps->rows[0][lane] < 0 ||
		    taps->layers[lane] == UINT32_MAX)
			continue;
		for (uint32_t tap = 0; tap < 4 && result == VKR_OK && !of->odd; tap++)
			if ((two_columns || !(tap & 1)) && (two_rows || !(tap & 2)))
				result = note_tap(of, read->filter, lane,
						  vkr_texel_plan_offset(
							  plan, &plan->levels[mip],
							  (uint32_t)taps->columns[tap & 1][lane],
							  (uint32_t)taps->rows[tap >> 1][lane],
							  taps->layers[lane]));
	}
	return result;
}

static enum vkr_result note_samples(struct vkr_texel_reading *of, struct vkr_program_access *access,
				    struct vkr_texel_read *read,
				    const struct vkr_texel_lanes_read *lanes,
				    struct lane_taps *taps, bool possible)
{
	enum vkr_result result = VKR_OK;
	find_layers(&read->plan, lanes, taps, &possible);
	for (uint32_t at = 0; at < taps->level_count && result == VKR_OK; at++) {
		find_taps(&read->plan, lanes, taps->levels[at], taps, &possible);
		result = note_taps(of, read, taps->levels[at], taps, lanes->count);
	}
	if (result == VKR_OK && possible && !plan_is_possible(of, read, access))
		return vkr_error_memory(of->error, "texels");
	return result;
}

enum vkr_result vkr_texel_reads_note_lanes(struct vkr_texel_reading *of,
					   struct vkr_program_access *access,
					   const struct vkr_texel_lanes_read *lanes)
{
	struct vkr_texel_read *read =
		&of->replay->reads->accesses.items[(size_t)(access - of->program->accesses)];
	struct lane_taps taps;
	bool possible = false;
	enum vkr_result result = read->made ? VKR_OK : vkr_texel_reads_plan(of, access, read);
	if (result != VKR_OK || of->odd)
		return result;
	if (read->plan.kind == VKR_PLAN_OPEN)
		return plan_is_possible(of, read, access) ? VKR_OK
							  : vkr_error_memory(of->error, "texels");
	if ((read->plan.kind == VKR_PLAN_SAMPLE || read->plan.kind == VKR_PLAN_SAMPLE_LAYER) &&
	    find_levels(&read->plan, lanes, &taps, &possible))
		return note_samples(of, access, read, lanes, &taps, possible);
	for (uint32_t lane = 0; lane < lanes->count && result == VKR_OK && !of->odd; lane++) {
		of->select(of->user, lane);
		result = vkr_texel_reads_note(of, access, vkr_texel_lane_record(lanes, lane));
	}
	return result;
}

// ---- Joining ------------------------------------------------------------------------------------

// The filter like one that other reads have made of an access, made as they have.
static enum vkr_result join_filter(struct vkr_texel_reading *of,
				   const struct vkr_texel_reading *other, size_t access,
				   uint32_t index, uint32_t *filter)
{
	struct vkr_texel_read *read = &of->replay->reads->accesses.items[access];
	const struct vkr_texel_read *theirs = &other->replay->reads->accesses.items[access];
	const struct vkr_access_filter *like = &other->replay->reads->filters.items[index];
	struct vkr_program_access *what = &of->program->accesses[access];
	if (theirs->made && theirs->plan.kind != VKR_PLAN_NONE && theirs->filter == index) {
		const enum vkr_result result =
			read->made ? VKR_OK : vkr_texel_reads_plan(of, what, read);
		*filter = read->filter;
		return result;
	}
	return vkr_texel_reads_filter(
		of, what, &(struct vkr_engine_run){.site = like->site, .target = like->target},
		like->bytes, like->shift, filter);
}

enum vkr_result vkr_texel_reads_join(struct vkr_texel_reading *of,
				     const struct vkr_texel_reading *other, uint32_t *filters)
{
	struct vkr_replay *replay = of->replay;
	const struct vkr_replay *theirs = other->replay;
	const struct vkr_access_filters *made = &theirs->reads->filters;
	enum vkr_result result = VKR_OK;
	memset(filters, 0, made->count * sizeof *filters);
	for (size_t access = 0; access < made->first.count; access++)
		for (uint32_t at = made->first.items[access]; at != 0;
		     at = made->items[at - 1].next)
			filters[at - 1] = (uint32_t)access;
	for (uint32_t at = 0; at < made->count && result == VKR_OK; at++)
		result = join_filter(of, other, filters[at], at, &filters[at]);
	for (size_t at = 0; at < theirs->reads->possible.count && result == VKR_OK; at++) {
		const struct vkr_possible_read *read = &theirs->reads->possible.items[at];
		if (!note_possible(of, read->bound, read->access))
			result = vkr_error_memory(of->error, "texels");
	}
	for (size_t at = 0; at < theirs->reads->accesses.count; at++)
		replay->reads->accesses.items[at].possible |=
			theirs->reads->accesses.items[at].possible;
	of->varies = of->varies || other->varies;
	vkr_beyond_add(&replay->beyond, &theirs->beyond);
	replay->unknown_texels += theirs->unknown_texels;
	return result;
}
