// SPDX-License-Identifier: Apache-2.0
#include "engine_past.h"

#include "engine_state.h"
#include "error.h"

struct question {
	const struct vkr_engine *engine;
	bool by_device;
	uint32_t site;    // of the last write
	uint32_t command; // of it
	bool several;     // writes of other sites or commands were met
	uint32_t wanted;  // command
	bool by_wanted;   // a write of it was met
	uint32_t present; // command, in a stage: where others are looked for that are not before it
	uint64_t stage;
	bool silent; // one with VKR_ENGINE_SILENT was met
};

static bool is_before(const struct question *question, const struct vkr_epoch *epoch,
		      const struct vkr_judge_site *site)
{
	const struct vkr_side from = vkr_judge_side(site, epoch->command, false);
	const struct vkr_side to = {.command = question->present, .stage = question->stage};
	struct vkr_verdict_range place = {.high = UINT64_MAX};
	return vkr_queues_before(&question->engine->queues, &from, &to, &place);
}

static void look_at(void *context, uint64_t slot)
{
	struct question *question = context;
	const struct vkr_engine *engine = question->engine;
	const struct vkr_epoch *epoch = &engine->epochs.items[vkr_slot_epoch(slot)];
	const struct vkr_judge_site *site = &engine->sites.items[epoch->site - 1];
	if (!(site->flags & VKR_ENGINE_WRITE) || epoch->against != VKR_AGAINST_ALL)
		return;
	if (question->present != 0 && site->flags & VKR_ENGINE_SILENT &&
	    epoch->command != question->present)
		question->silent = question->silent || !is_before(question, epoch, site);
	question->by_device |= site->stage != 0;
	question->by_wanted |= epoch->command == question->wanted;
	question->several |= question->site != 0 &&
			     (question->site != epoch->site || question->command != epoch->command);
	question->site = epoch->site;
	question->command = epoch->command;
}

static enum vkr_result past_look(void *context, struct vkr_leaf *leaf, struct vkr_error *error)
{
	(void)error;
	vkr_slot_each(*leaf->slot, look_at, context);
	return VKR_OK;
}

// The last write, and what is remembered beside it: atomics and writes that may not be made.
static enum vkr_result look_in_page(struct vkr_shadow *shadow, const struct vkr_visit *visit,
				    uint64_t low, uint64_t high, struct vkr_error *error)
{
	const uint64_t page = low / VKR_PAGE_BYTES, start = page * VKR_PAGE_BYTES;
	enum vkr_result result =
		vkr_slot_visit(&shadow->pages[page].write, 0, start, low, high, visit, error);
	if (result == VKR_OK)
		result = vkr_slot_visit(&shadow->pages[page].access, 0, start, low, high, visit,
					error);
	return result;
}

// Asks about all bytes of the range that this memory has.
static enum vkr_result ask_here(struct question *question, struct vkr_engine *engine,
				uint32_t memory, uint64_t offset, uint64_t bytes,
				struct vkr_error *error)
{
	const struct vkr_visit visit = {.visitor = past_look,
					.context = question,
					.epochs = &engine->epochs,
					.pool = &engine->pool};
	enum vkr_result result = VKR_OK;
	if (memory == 0 || memory > engine->memories.count)
		return VKR_OK;
	struct vkr_shadow *shadow = &engine->memories.items[memory - 1];
	if (!shadow->live || offset >= shadow->bytes)
		return VKR_OK;
	const uint64_t end = bytes < shadow->bytes - offset ? offset + bytes : shadow->bytes;
	if (shadow->share.divided &&
	    !vkr_share_want(&shadow->share, engine->options.shard, shadow->serial, offset, end))
		return vkr_error_memory(error, "shadow memory");
	for (uint64_t low = offset; low < end && result == VKR_OK;) {
		const uint64_t next = (low / VKR_PAGE_BYTES + 1) * VKR_PAGE_BYTES;
		const uint64_t high = next < end ? next : end;
		// Pages of blocks that nothing has accessed are not looked at: that would make
		// them.
		if (shadow->used[low >> VKR_BLOCK_SHIFT])
			result = look_in_page(shadow, &visit, low, high, error);
		else
			question->several = true;
		low = high;
	}
	return result;
}

// Asks about a range of memory that may be mapped onto another.
static enum vkr_result ask_range(struct question *question, struct vkr_engine *engine,
				 uint32_t memory, uint64_t offset, uint64_t bytes,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint64_t done = 0; done < bytes && result == VKR_OK;) {
		struct vkr_engine_range part = {memory, offset + done, bytes - done};
		vkr_engine_mapped(engine, &part);
		done += part.bytes;
		result = ask_here(question, engine, part.memory, part.offset, part.bytes, error);
	}
	return result;
}

enum vkr_result vkr_engine_device_wrote(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
					uint64_t bytes, bool *wrote, struct vkr_error *error)
{
	struct question question = {.engine = engine};
	const enum vkr_result result = ask_range(&question, engine, memory, offset, bytes, error);
	*wrote = question.by_device;
	return result;
}

enum vkr_result vkr_engine_last_writer(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				       uint64_t bytes, uint32_t *site, struct vkr_error *error)
{
	struct question question = {.engine = engine};
	const enum vkr_result result = ask_range(&question, engine, memory, offset, bytes, error);
	*site = question.several ? 0 : question.site;
	return result;
}

enum vkr_result vkr_engine_command_wrote(struct vkr_engine *engine, uint32_t command,
					 const struct vkr_engine_range *range, bool *wrote,
					 struct vkr_error *error)
{
	struct question question = {.engine = engine, .wanted = command};
	const enum vkr_result result =
		ask_range(&question, engine, range->memory, range->offset, range->bytes, error);
	*wrote = question.by_wanted;
	return result;
}

enum vkr_result vkr_engine_silent(struct vkr_engine *engine, uint32_t command, uint64_t stage,
				  const struct vkr_engine_range *range, bool *silent,
				  struct vkr_error *error)
{
	struct question question = {.engine = engine, .present = command, .stage = stage};
	const enum vkr_result result =
		ask_range(&question, engine, range->memory, range->offset, range->bytes, error);
	*silent = question.silent;
	return result;
}
