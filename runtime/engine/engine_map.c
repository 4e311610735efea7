// SPDX-License-Identifier: Apache-2.0
// Memories whose bytes are other memories' bytes (sparse resources): an access to them is an access
// there. Knows which bytes are whose; not what races.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "read_deferral.h"
#include "search.h"

#include <stdlib.h>

static struct vkr_shadow *mapped_shadow(struct vkr_engine *engine, uint32_t memory)
{
	if (memory == 0 || memory > engine->memories.count)
		return NULL;
	struct vkr_shadow *shadow = &engine->memories.items[memory - 1];
	return shadow->live && shadow->mappings.count > 0 ? shadow : NULL;
}

// The first mapping that ends after the offset.
static size_t first_after(const struct vkr_mappings *all, uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, all->count, at, all->items[at].high <= offset);
	return low;
}

// Puts what is left of a mapping after the list's last.
static void put_mapping(struct vkr_mappings *list, struct vkr_mapping mapping, uint64_t low,
			uint64_t high)
{
	if (low >= high || mapping.memory == 0)
		return;
	mapping.to += low - mapping.low;
	mapping.low = low;
	mapping.high = high;
	list->items[list->count++] = mapping;
}

enum vkr_result vkr_engine_map(struct vkr_engine *engine, uint32_t memory,
			       const struct vkr_mapping *parts, size_t count,
			       struct vkr_error *error)
{
	struct vkr_mappings made = {0};
	if (memory == 0 || memory > engine->memories.count || count == 0)
		return VKR_OK;
	struct vkr_shadow *shadow = &engine->memories.items[memory - 1];
	const struct vkr_mappings *old = &shadow->mappings;
	if (!shadow->live)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&made, old->count + 2 * count))
		return vkr_error_memory(error, "memory that is bound in parts");
	uint64_t from = 0; // of the old mapping under way, what is before it is done with
	size_t at = 0;
	for (size_t part = 0; part < count; part++) {
		const struct vkr_mapping *of = &parts[part];
		for (; at < old->count && old->items[at].low < of->high; at++) {
			const struct vkr_mapping *was = &old->items[at];
			const uint64_t low = was->low > from ? was->low : from;
			put_mapping(&made, *was, low, was->high < of->low ? was->high : of->low);
			if (was->high > of->high)
				break;
		}
		put_mapping(&made, *of, of->low, of->high);
		from = of->high;
	}
	for (; at < old->count; at++) {
		const struct vkr_mapping *was = &old->items[at];
		put_mapping(&made, *was, was->low > from ? was->low : from, was->high);
	}
	free(shadow->mappings.items);
	shadow->mappings = made;
	return VKR_OK;
}

void vkr_engine_mapped(struct vkr_engine *engine, struct vkr_engine_range *range)
{
	const struct vkr_shadow *shadow = mapped_shadow(engine, range->memory);
	if (shadow == NULL)
		return;
	const struct vkr_mappings *all = &shadow->mappings;
	const size_t at = first_after(all, range->offset);
	if (at == all->count)
		return;
	const struct vkr_mapping *found = &all->items[at];
	const uint64_t end =
		found->low > range->offset ? found->low : found->high; // of what is alike
	if (range->bytes > end - range->offset)
		range->bytes = end - range->offset;
	if (found->low > range->offset)
		return;
	range->memory = found->memory;
	range->offset = found->to + (range->offset - found->low);
}

bool vkr_engine_unmapped(struct vkr_engine *engine, uint32_t memory, uint32_t onto,
			 uint64_t *offset)
{
	const struct vkr_shadow *shadow = mapped_shadow(engine, memory);
	for (size_t at = 0; shadow != NULL && at < shadow->mappings.count; at++) {
		const struct vkr_mapping *mapping = &shadow->mappings.items[at];
		if (mapping->memory != onto || *offset < mapping->to ||
		    *offset - mapping->to >= mapping->high - mapping->low)
			continue;
		*offset = mapping->low + (*offset - mapping->to);
		return true;
	}
	return false;
}

static enum vkr_result judge_part(struct vkr_engine *engine, const struct vkr_engine_run *part,
				  struct vkr_error *error)
{
	struct vkr_shadow *shadow = vkr_shadow_fed(engine, part->target->memory);
	if (!shadow)
		return VKR_OK;
	const enum vkr_result result =
		vkr_deferral_meet_target(engine, shadow, part->target, error);
	return result == VKR_OK ? vkr_feed_run(engine, shadow, part, 1, error) : result;
}

// A run across the end of a mapping is cut there.
enum vkr_result vkr_mapped_runs(struct vkr_engine *engine, const struct vkr_engine_run *run,
				struct vkr_error *error)
{
	const struct vkr_engine_target *target = run->target;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < run->count && result == VKR_OK;) {
		const uint64_t offset = run->offset + (uint64_t)at * (uint64_t)run->stride;
		struct vkr_engine_range range = {target->memory, target->base + offset,
						 offset < target->bytes ? target->bytes - offset
									: 0};
		struct vkr_engine_run part = *run;
		struct vkr_engine_target there = *target;
		if (range.bytes == 0) {
			at++;
			continue;
		}
		vkr_engine_mapped(engine, &range);
		there.memory = range.memory;
		there.base = range.offset;
		there.bytes = range.bytes;
		part.target = &there;
		part.offset = 0;
		part.local = run->local + at;
		// Backwards, one by one.
		part.count = 1;
		if (run->stride == 0)
			part.count = run->count;
		else if (run->stride > 0)
			part.count = (uint32_t)((range.bytes - 1) / (uint64_t)run->stride) + 1;
		if (part.count > run->count - at)
			part.count = run->count - at;
		at += part.count;
		result = judge_part(engine, &part, error);
	}
	return result;
}

enum vkr_result vkr_mapped_scatter(struct vkr_engine *engine,
				   const struct vkr_engine_scatter *scatter,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < scatter->count && result == VKR_OK; at++) {
		const struct vkr_engine_run one = {
			.site = scatter->site,
			.local =
				scatter->locals != NULL ? scatter->locals[at] : scatter->local + at,
			.count = 1,
			.offset = scatter->offsets[at],
			.target = scatter->target,
		};
		result = vkr_mapped_runs(engine, &one, error);
	}
	return result;
}

enum vkr_result vkr_mapped_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint64_t done = 0; done < range->bytes && result == VKR_OK;) {
		struct vkr_engine_range part = {range->memory, range->offset + done,
						range->bytes - done};
		vkr_engine_mapped(engine, &part);
		done += part.bytes;
		result = vkr_judge_access(engine, command, site, &part, error);
	}
	return result;
}
