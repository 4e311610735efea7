// SPDX-License-Identifier: Apache-2.0
// Feeding the accesses of a dispatch's invocations: runs, lists and elements. Knows which of them
// wait, are mapped or noted; nothing of what races.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "judge.h"
#include "read_deferral.h"

#include <assert.h>

static const struct vkr_judge_site *site_of(const struct vkr_engine *engine, uint32_t site)
{
	assert(site >= 1 && site <= engine->sites.count);
	return &engine->sites.items[site - 1];
}

// Judges a run unless it waits. `iterations`: elements of each invocation.
static enum vkr_result judge_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
				 uint32_t iterations, struct vkr_error *error)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, run->target->memory);
	bool waits = false;
	enum vkr_result result = VKR_OK;
	if (!shadow)
		return VKR_OK;
	if (shadow == &engine->workgroup_memory && !engine->dispatch.judged) {
		vkr_feed_run_count(engine, run, iterations);
		return VKR_OK;
	}
	if (shadow == &engine->workgroup_memory)
		result = vkr_shared_access(engine, run, iterations, NULL, NULL, &waits, error);
	else
		result = vkr_deferral_meet_target(engine, shadow, run->target, error);
	return result != VKR_OK || waits ? result
					 : vkr_feed_run(engine, shadow, run, iterations, error);
}

// Runs of one site and target, not of workgroup memory.
static enum vkr_result judge_rows(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				  size_t count, struct vkr_error *error)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, runs->target->memory);
	if (!shadow)
		return VKR_OK;
	const enum vkr_result result =
		vkr_deferral_meet_target(engine, shadow, runs->target, error);
	return result == VKR_OK ? vkr_feed_rows(engine, shadow, runs, count, error) : result;
}

static bool is_mapped(struct vkr_engine *engine, const struct vkr_engine_run *run)
{
	const struct vkr_shadow *shadow = vkr_shadow_fed(engine, run->target->memory);
	return shadow && shadow->mappings.count > 0;
}

// Runs that are the turns of a loop: as one where these fill what is between neighbours.
static enum vkr_result judge_turns(struct vkr_engine *engine, const struct vkr_engine_run *first,
				   uint32_t iterations, struct vkr_error *error)
{
	const struct vkr_judge_site *site = site_of(engine, first->site);
	const bool mapped = is_mapped(engine, first);
	const uint64_t at = first->target->base + first->offset;
	struct vkr_engine_run run = *first;
	enum vkr_result result = VKR_OK;
	uint8_t shape;
	if (!mapped && first->local < engine->dispatch.local_size &&
	    first->count <= engine->dispatch.local_size - first->local &&
	    vkr_run_shape(site, first->stride, first->count, iterations, at, &shape))
		return judge_run(engine, first, iterations, error);
	for (uint32_t turn = 0; turn < iterations && result == VKR_OK; turn++) {
		result = mapped ? vkr_mapped_runs(engine, &run, error)
				: judge_run(engine, &run, 1, error);
		run.offset += site->bytes;
	}
	return result;
}

// How many runs from the first one on are of its site and target, but for those that may be noted;
// `iterations`: of each, or NULL.
static size_t count_alike(const struct vkr_engine *engine, const struct vkr_engine_run *runs,
			  const uint32_t *iterations, size_t count)
{
	size_t alike = 1;
	if (engine->sites.items[runs->site - 1].noted != 0)
		return 1;
	while (alike < count && runs[alike].site == runs->site &&
	       runs[alike].target == runs->target && (iterations == NULL || iterations[alike] == 1))
		alike++;
	return alike;
}

enum vkr_result vkr_engine_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				size_t count, struct vkr_error *error)
{
	const bool repeat = vkr_iterations_repeat(runs, count);
	enum vkr_result result = vkr_engine_check_stop(engine, error);
	assert(engine->dispatch.in_workgroup);
	if (repeat && !vkr_iterations_join(engine, runs, count))
		return vkr_error_memory(error, "runs");
	const uint32_t *iterations = repeat ? engine->iterations.items : NULL;
	for (size_t i = 0, alike; i < count && result == VKR_OK; i += alike) {
		const uint32_t turns = iterations != NULL ? iterations[i] : 1;
		bool noted = false;
		alike = 1;
		if (site_of(engine, runs[i].site)->noted != 0 && turns > 0)
			result = vkr_noted_reads_run(engine, &runs[i], turns, &noted, error);
		if (noted || result != VKR_OK)
			continue;
		if (turns != 1) {
			if (turns > 1)
				result = judge_turns(engine, &runs[i], iterations[i], error);
		} else if (is_mapped(engine, &runs[i])) {
			result = vkr_mapped_runs(engine, &runs[i], error);
		} else if (runs[i].target->memory == VKR_ENGINE_WORKGROUP) {
			result = judge_run(engine, &runs[i], 1, error);
		} else {
			alike = count_alike(engine, runs + i,
					    iterations != NULL ? iterations + i : NULL, count - i);
			result = judge_rows(engine, &runs[i], alike, error);
		}
	}
	return result;
}

enum vkr_result vkr_engine_scatter(struct vkr_engine *engine,
				   const struct vkr_engine_scatter *scatter,
				   struct vkr_error *error)
{
	const struct vkr_engine_run list = {.site = scatter->site,
					    .local = scatter->local,
					    .count = scatter->count,
					    .target = scatter->target};
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, scatter->target->memory);
	bool waits = false;
	enum vkr_result result = vkr_engine_check_stop(engine, error);

	assert(engine->dispatch.in_workgroup);
	if (result != VKR_OK || !shadow || scatter->count == 0)
		return result;
	if (site_of(engine, scatter->site)->noted != 0)
		result = vkr_noted_reads_list(engine, scatter, &waits, error);
	if (result != VKR_OK || waits)
		return result;
	if (shadow->mappings.count > 0)
		return vkr_mapped_scatter(engine, scatter, error);
	if (shadow == &engine->workgroup_memory && !engine->dispatch.judged) {
		engine->accesses += scatter->count;
		return VKR_OK;
	}
	if (shadow == &engine->workgroup_memory)
		result = vkr_shared_access(engine, &list, 1, scatter->offsets, scatter->locals,
					   &waits, error);
	else
		result = vkr_deferral_meet_target(engine, shadow, scatter->target, error);
	return result != VKR_OK || waits ? result : vkr_feed_list(engine, shadow, scatter, error);
}
