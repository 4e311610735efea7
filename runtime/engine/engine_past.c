// SPDX-License-Identifier: Apache-2.0
// What shadow memory remembers of a range, for callers that go by it. Knows nothing of order.
#include "judge.h"

struct question {
	const struct vkr_engine *engine;
	bool by_device;
};

// Slots that stand for several accesses are shaders'.
static enum vkr_result look(void *context, struct vkr_leaf *leaf, struct vkr_error *error)
{
	struct question *question = context;
	const struct vkr_engine *engine = question->engine;
	(void)error;
	if (*leaf->slot == 0)
		return VKR_OK;
	if (vkr_slot_kind(*leaf->slot) != VKR_SLOT_SINGLE) {
		question->by_device = true;
		return VKR_OK;
	}
	const struct vkr_stamp *stamp = &engine->stamps.items[vkr_slot_stamp(*leaf->slot)];
	if (engine->sites.items[stamp->site - 1].stage != 0)
		question->by_device = true;
	return VKR_OK;
}

enum vkr_result vkr_engine_device_wrote(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
					uint64_t bytes, bool *wrote, struct vkr_error *error)
{
	struct question question = {.engine = engine};
	const struct vkr_visit visit = {.visitor = look,
					.context = &question,
					.stamps = &engine->stamps,
					.pool = &engine->pool};
	enum vkr_result result = VKR_OK;
	*wrote = false;
	if (memory == 0 || memory > engine->memories.count)
		return VKR_OK;
	struct vkr_shadow *shadow = &engine->memories.items[memory - 1];
	if (!shadow->live || offset >= shadow->bytes)
		return VKR_OK;
	const uint64_t end = bytes < shadow->bytes - offset ? offset + bytes : shadow->bytes;
	for (uint64_t low = offset; low < end && result == VKR_OK;) {
		const uint64_t page = low / VKR_PAGE_BYTES;
		const uint64_t next = (page + 1) * VKR_PAGE_BYTES;
		const uint64_t high = next < end ? next : end;
		// Pages of blocks that nothing has touched are not looked at: that would make them.
		if (shadow->used[low >> VKR_BLOCK_SHIFT])
			result = vkr_slot_visit(&shadow->pages[page].write, 0,
						page * VKR_PAGE_BYTES, low, high, &visit, error);
		low = high;
	}
	*wrote = question.by_device;
	return result;
}
