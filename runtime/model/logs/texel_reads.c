// SPDX-License-Identifier: Apache-2.0
#include "texel_reads.h"

#include "array.h"
#include "error.h"
#include "site_table.h"

#include <stdlib.h>

void vkr_texel_reads_destroy(struct vkr_texel_reads *reads)
{
	if (reads == NULL)
		return;
	vkr_read_filters_finish(&reads->filters);
	free(reads->accesses.items);
	free(reads->places);
	free(reads->readers.items);
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
	reads->accesses.count = reads->readers.count = 0;
	if (reads->places == NULL || !VKR_ARRAY_RESERVE(&reads->accesses, count) ||
	    !vkr_read_filters_begin(&reads->filters, count))
		return false;
	for (size_t at = 0; at < count; at++)
		reads->accesses.items[at].made = false;
	reads->accesses.count = count;
	return true;
}

enum vkr_result vkr_texel_reads_filter(struct vkr_texel_reading *of,
				       const struct vkr_program_access *access,
				       const struct vkr_engine_run *like, uint32_t bytes,
				       unsigned shift, uint32_t *filter)
{
	struct vkr_read_filters *filters = &of->replay->reads->filters;
	const size_t before = filters->count;
	*filter = vkr_read_filter(filters, (size_t)(access - of->program->accesses), like, bytes,
				  shift);
	if (*filter == UINT32_MAX)
		return vkr_error_memory(of->error, "the reads of a command");
	if (filters->count == before)
		return VKR_OK;
	filters->items[*filter].writes = vkr_engine_site_writes(of->program->engine, like->site);
	of->odd = of->odd || of->is_written(of->user, like->target);
	return VKR_OK;
}

// As vkr_replay_texels looks for them.
static enum vkr_result read_places(struct vkr_texel_reading *of, struct vkr_program_access *access,
				   const uint32_t *record)
{
	struct vkr_texel_places *places = of->replay->reads->places;
	enum vkr_result result = VKR_OK;
	vkr_texel_places_find(of->targets, access, record + access->word, places);
	of->replay->unknown_texels += places->is_unknown;
	if (places->possible != NULL &&
	    !vkr_possible_texels_note(&of->replay->possible, places->possible, access))
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

static enum vkr_result make_plan(struct vkr_texel_reading *of, struct vkr_program_access *access,
				 struct vkr_texel_read *read)
{
	struct vkr_texel_plan *plan = &read->plan;
	const struct vkr_texel_sites *sites = NULL;
	read->made = true;
	plan->kind = VKR_PLAN_NONE;
	if (!access->arrayed)
		vkr_texel_plan_make(of->targets, access, 0, plan);
	if (plan->kind == VKR_PLAN_NONE)
		return VKR_OK;
	const unsigned shift = vkr_low_bit(plan->bytes);
	if (!vkr_texel_plan_is_aligned(plan, shift)) {
		plan->kind = VKR_PLAN_NONE;
		return VKR_OK;
	}
	const enum vkr_result result =
		vkr_program_texel_sites(of->program, access, plan->bytes, &sites, of->error);
	if (result != VKR_OK)
		return result;
	return vkr_texel_reads_filter(
		of, access, &(struct vkr_engine_run){.site = sites->site, .target = plan->target},
		plan->bytes, shift, &read->filter);
}

enum vkr_result vkr_texel_reads_note(struct vkr_texel_reading *of,
				     struct vkr_program_access *access, const uint32_t *record)
{
	struct vkr_texel_read *read =
		&of->replay->reads->accesses.items[(size_t)(access - of->program->accesses)];
	uint64_t offsets[VKR_PLAN_TEXELS];
	uint32_t count = 0;
	bool possible = false;
	enum vkr_result result = read->made ? VKR_OK : make_plan(of, access, read);
	if (result != VKR_OK || of->odd)
		return result;
	if (!vkr_texel_plan_find(&read->plan, record, offsets, &count, &possible))
		return read_places(of, access, record);
	if (possible && !read->plan.bound->possible &&
	    !vkr_possible_texels_note(&of->replay->possible, read->plan.bound, access))
		return vkr_error_memory(of->error, "texels");
	const struct vkr_read_filters *filters = &of->replay->reads->filters;
	for (uint32_t at = 0; at < count && result == VKR_OK && !of->odd; at++)
		if (!vkr_read_filter_knows(filters, &filters->items[read->filter], offsets[at]))
			result = of->note(of->user, read->filter, offsets[at]);
	return result;
}
