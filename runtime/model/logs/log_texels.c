// SPDX-License-Identifier: Apache-2.0
// Replays accesses to texels into the engine. Knows records and places; not how images are laid
// out.
#include "log_texels.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>

// One step being replayed.
struct work {
	struct vkr_replay *replay;
	struct vkr_texel_log *log;
	struct vkr_engine *engine;
	const struct vkr_dispatch_targets *targets;
	const struct vkr_texel_step *step;
	struct vkr_error *error;
};

void vkr_texel_log_destroy(struct vkr_texel_log *log)
{
	if (log == NULL)
		return;
	free(log->places);
	free(log->list.items);
	free(log->starts.items);
	free(log->offsets.items);
	free(log);
}

static struct vkr_texel_log *log_of(struct vkr_replay *replay)
{
	if (replay->texels == NULL) {
		replay->texels = calloc(1, sizeof *replay->texels);
		if (replay->texels == NULL)
			return NULL;
	}
	if (replay->texels->places == NULL)
		replay->texels->places = malloc(sizeof *replay->texels->places);
	return replay->texels->places != NULL ? replay->texels : NULL;
}

// Accesses of fewer invocations are looked up as fast as a plan is made for them.
#define PLAN_LEAST 16u

static void log_texels_prepare(struct work *work, struct vkr_dispatch_targets *targets)
{
	const struct vkr_texel_step *step = work->step;
	struct vkr_texel_plan *plan = &work->log->plan;
	plan->kind = VKR_PLAN_NONE;
	if (step->count >= PLAN_LEAST && !step->access->arrayed)
		vkr_texel_plan_make(targets, step->access, 0, plan);
}

// What the plan says of a record; false where it says nothing.
static bool find_by_plan(const struct vkr_texel_plan *plan, const uint32_t *record,
			 struct vkr_texel_places *places)
{
	uint64_t offsets[VKR_PLAN_TEXELS];
	bool possible = false;
	if (!vkr_texel_plan_find(plan, record, offsets, &places->count, &possible))
		return false;
	places->is_unknown = false;
	places->possible = possible ? plan->bound : NULL;
	for (uint32_t i = 0; i < places->count; i++)
		places->items[i] = (struct vkr_texel_place){
			.target = plan->target, .offset = offsets[i], .bytes = plan->bytes};
	return true;
}

// The places of all invocations, into the log's list.
static bool find_places(struct work *work, struct vkr_dispatch_targets *targets)
{
	const struct vkr_texel_step *step = work->step;
	struct vkr_texel_log *log = work->log;
	struct vkr_texel_places *places = log->places;
	log->list.count = log->starts.count = 0;
	if (!VKR_ARRAY_RESERVE(&log->starts, step->count + (size_t)1) ||
	    !VKR_ARRAY_RESERVE(&log->offsets, step->count))
		return false;
	log_texels_prepare(work, targets);
	for (uint32_t at = 0; at < step->count; at++) {
		if (!find_by_plan(&log->plan, step->records[at], places))
			vkr_texel_places_find(targets, step->access, step->records[at], places);
		work->replay->unknown_texels += places->is_unknown;
		if (places->possible != NULL &&
		    !vkr_replay_possible(work->replay, places->possible, step->access))
			return false;
		log->starts.items[log->starts.count++] = log->list.count;
		if (!VKR_ARRAY_RESERVE(&log->list, places->count))
			return false;
		for (uint32_t i = 0; i < places->count; i++)
			log->list.items[log->list.count++] = places->items[i];
	}
	log->starts.items[log->starts.count++] = log->list.count;
	return true;
}

// The `tap`th place of an invocation; NULL where it has fewer.
static const struct vkr_texel_place *place_of(const struct work *work, uint32_t at, size_t tap)
{
	const struct vkr_texel_log *log = work->log;
	const size_t first = log->starts.items[at];
	return first + tap < log->starts.items[at + 1] ? &log->list.items[first + tap] : NULL;
}

static bool goes_on(const struct vkr_texel_place *first, const struct vkr_texel_place *next)
{
	return next != NULL && next->target == first->target && next->bytes == first->bytes &&
	       next->offset <= UINT32_MAX;
}

static uint32_t site_of(const struct work *work, const struct vkr_texel_sites *sites, uint32_t at)
{
	const uint32_t word = work->step->access->wrote_word;
	return word != UINT32_MAX && work->step->records[at][word] != 0 ? sites->wrote_site
									: sites->site;
}

// Places too far from their target's base for 32-bit offsets, one at a time.
static enum vkr_result emit_far(struct work *work, const struct vkr_texel_sites *sites,
				const struct vkr_texel_place *place, uint32_t at)
{
	const struct vkr_engine_run run = {.site = site_of(work, sites, at),
					   .local = work->step->local + at,
					   .count = 1,
					   .offset = place->offset,
					   .target = place->target};
	return vkr_feed_runs(work->replay->tape, work->engine, &run, 1, work->error);
}

// Invocations at .. at + count - 1, whose offsets are in the log.
static enum vkr_result emit_near(struct work *work, const struct vkr_texel_sites *sites,
				 const struct vkr_engine_target *target, uint32_t at,
				 uint32_t count)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < count && result == VKR_OK;) {
		struct vkr_engine_scatter part = {.site = site_of(work, sites, at + i),
						  .local = work->step->local + at + i,
						  .count = 1,
						  .offsets = work->log->offsets.items + i,
						  .target = target};
		while (i + part.count < count &&
		       site_of(work, sites, at + i + part.count) == part.site)
			part.count++;
		result = vkr_replay_accesses(work->replay, work->engine, &part, work->error);
		i += part.count;
	}
	return result;
}

static enum vkr_result emit_tap(struct work *work, size_t tap, bool *any)
{
	const uint32_t count = work->step->count;
	for (uint32_t at = 0; at < count;) {
		const struct vkr_texel_place *place = place_of(work, at, tap);
		const struct vkr_texel_sites *sites = NULL;
		uint32_t length = 0;
		if (place == NULL) {
			at++;
			continue;
		}
		*any = true;
		enum vkr_result result =
			vkr_program_texel_sites(work->targets->program, work->step->access,
						place->bytes, &sites, work->error);
		for (; result == VKR_OK && at + length < count; length++) {
			const struct vkr_texel_place *next = place_of(work, at + length, tap);
			if (!goes_on(place, next))
				break;
			work->log->offsets.items[length] = (uint32_t)next->offset;
		}
		if (result == VKR_OK)
			result = length > 0 ? emit_near(work, sites, place->target, at, length)
					    : emit_far(work, sites, place, at);
		if (result != VKR_OK)
			return result;
		at += length > 0 ? length : 1;
	}
	return VKR_OK;
}

enum vkr_result vkr_replay_texels(struct vkr_replay *replay, struct vkr_engine *engine,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_texel_step *step, struct vkr_error *error)
{
	struct work work = {.replay = replay,
			    .log = log_of(replay),
			    .engine = engine,
			    .targets = targets,
			    .step = step,
			    .error = error};
	if (work.log == NULL || !find_places(&work, targets))
		return vkr_error_memory(error, "texels");
	enum vkr_result result = VKR_OK;
	bool any = true;
	for (size_t tap = 0; any && result == VKR_OK; tap++) {
		any = false;
		result = emit_tap(&work, tap, &any);
	}
	return result;
}
