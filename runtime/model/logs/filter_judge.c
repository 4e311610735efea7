// SPDX-License-Identifier: Apache-2.0
#include "filter_judge.h"

// What is being judged.
struct judging {
	struct vkr_engine *engine;
	bool *raced;
	struct vkr_error *error;
};

static enum vkr_result judge_run(void *user, uint32_t workgroup, const struct vkr_engine_run *run)
{
	const struct judging *of = user;
	if (of->raced != NULL && *of->raced)
		return VKR_OK;
	const enum vkr_result result = vkr_engine_workgroup(of->engine, workgroup, of->error);
	if (result != VKR_OK)
		return result;
	return of->raced == NULL ? vkr_engine_runs(of->engine, run, 1, of->error)
				 : vkr_engine_try_runs(of->engine, run, 1, of->raced, of->error);
}

enum vkr_result vkr_read_filters_judge(struct vkr_read_filters *filters, struct vkr_engine *engine,
				       const struct vkr_filter_readers *readers, bool *raced,
				       struct vkr_error *error)
{
	struct judging of = {engine, raced, error};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < filters->count && result == VKR_OK; at++) {
		bool waits = false;
		if (raced != NULL && *raced)
			break;
		if (raced != NULL)
			result = vkr_engine_defer_reads(engine, filters, &filters->items[at],
							readers, &waits, error);
		if (result == VKR_OK && !waits)
			result = vkr_read_filter_take(&filters->items[at], filters->entries,
						      readers, judge_run, &of);
	}
	vkr_read_filters_clear(filters);
	return result;
}
