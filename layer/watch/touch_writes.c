// SPDX-License-Identifier: Apache-2.0
#include "touch_writes.h"

#include "array.h"

#include <vulkan/vulkan_core.h>

#define HOST_STAGE   VK_PIPELINE_STAGE_2_HOST_BIT
#define ALL_COMMANDS VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT

// The oldest headers keep their names for a beta extension.
#define ENCODE_STAGE (1ull << 27) // VK_PIPELINE_STAGE_2_VIDEO_ENCODE_BIT_KHR
#define ENCODE_WRITE (1ull << 38) // VK_ACCESS_2_VIDEO_ENCODE_WRITE_BIT_KHR

// Beyond so many, what is equal is no longer looked for: it costs time, and an entry too many only
// costs another.
#define LOOKED_AT 256u

static bool same(const struct vkr_touch_range *a, const struct vkr_touch_range *b)
{
	return a->memory == b->memory && a->offset == b->offset && a->bytes == b->bytes;
}

bool vkr_touch_ranges_add(struct vkr_touch_ranges *ranges, const struct vkr_touch_range *range,
			  bool *added)
{
	const size_t from = ranges->count > LOOKED_AT ? ranges->count - LOOKED_AT : 0;
	*added = false;
	for (size_t i = ranges->count; i > from; i--)
		if (same(&ranges->items[i - 1], range))
			return true;
	if (!VKR_ARRAY_RESERVE(ranges, 1))
		return false;
	ranges->items[ranges->count++] = *range;
	*added = true;
	return true;
}

// Any equal one, however far: writes that nobody hands on come again with every submission.
bool vkr_touch_unhanded_add(struct vkr_touch_unhanded *unhanded,
			    const struct vkr_touch_range *range, enum vkr_touch_writer writer,
			    uint32_t queue, bool *added)
{
	*added = false;
	for (size_t i = 0; i < unhanded->count; i++) {
		struct vkr_touch_write *at = &unhanded->items[i];
		if (!same(&at->range, range) || at->writer != writer || at->queue != queue)
			continue;
		at->available = false;
		at->followers = 0;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(unhanded, 1))
		return false;
	unhanded->items[unhanded->count++] = (struct vkr_touch_write){
		.range = *range,
		.writer = (uint8_t)writer,
		.queue = queue,
	};
	*added = true;
	return true;
}

// Whether the barrier's first scopes hold the write, for sure.
static bool names(const struct vkr_trace_barrier *barrier, enum vkr_touch_writer writer)
{
	uint64_t stages = ALL_COMMANDS, access = VK_ACCESS_2_MEMORY_WRITE_BIT;
	switch (writer) {
	case VKR_TOUCH_COMPUTE:
		stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_TOUCH_GRAPHICS:
		stages |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_TOUCH_RAYS:
		stages |= VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_TOUCH_TRANSFER:
		stages |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
		access |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
		break;
	case VKR_TOUCH_VIDEO:
		stages |= ENCODE_STAGE;
		access |= ENCODE_WRITE;
		break;
	case VKR_TOUCH_READS:
	case VKR_TOUCH_UNKNOWN:
		break;
	}
	return (barrier->source_stages & stages) && (barrier->source_access & access);
}

static bool to_host(const struct vkr_trace_barrier *barrier)
{
	return (barrier->destination_stages & HOST_STAGE) &&
	       (barrier->destination_access &
		(VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT));
}

static bool chains(const struct vkr_touch_write *write, const struct vkr_trace_barrier *barrier)
{
	return write->available && ((barrier->source_stages & write->followers) ||
				    (barrier->source_stages & ALL_COMMANDS));
}

static bool overlaps(const struct vkr_touch_range *a, const struct vkr_touch_range *b)
{
	return a->memory == b->memory && a->offset < b->offset + b->bytes &&
	       b->offset < a->offset + a->bytes;
}

// Cuts the write to what lies in `range`; the rest becomes entries of its own.
static bool cut(struct vkr_touch_unhanded *unhanded, size_t at, const struct vkr_touch_range *range)
{
	if (!VKR_ARRAY_RESERVE(unhanded, 2))
		return false;
	struct vkr_touch_write *write = &unhanded->items[at], rest = *write;
	const uint64_t end = write->range.offset + write->range.bytes;
	const uint64_t range_end = range->offset + range->bytes;
	if (write->range.offset < range->offset) {
		rest.range.bytes = range->offset - write->range.offset;
		unhanded->items[unhanded->count++] = rest;
		write->range.offset = range->offset;
	}
	if (end > range_end) {
		rest.range.offset = range_end;
		rest.range.bytes = end - range_end;
		unhanded->items[unhanded->count++] = rest;
	}
	write->range.bytes = (end < range_end ? end : range_end) - write->range.offset;
	return true;
}

static bool aligned(const struct vkr_touch_range *range)
{
	return range->offset % 4096 == 0 && range->bytes % 4096 == 0;
}

static bool covers(const struct vkr_touch_range *range, const struct vkr_touch_range *part)
{
	return range->memory == part->memory && range->offset <= part->offset &&
	       part->offset + part->bytes <= range->offset + range->bytes;
}

// False where the barrier does not reach the write for sure. The write is cut to what it reaches,
// but only between pages: within a page it would be closed once more than it is opened again.
static bool reach(struct vkr_touch_unhanded *unhanded, size_t at,
		  const struct vkr_trace_barrier *barrier, const struct vkr_touch_range *range)
{
	const struct vkr_touch_write *write = &unhanded->items[at];
	if (!names(barrier, (enum vkr_touch_writer)write->writer) && !chains(write, barrier))
		return false;
	if (!range || covers(range, &write->range))
		return true;
	return overlaps(range, &write->range) && aligned(range) && cut(unhanded, at, range);
}

bool vkr_touch_unhanded_barrier(struct vkr_touch_unhanded *unhanded,
				const struct vkr_trace_barrier *barrier,
				const struct vkr_touch_range *range, uint32_t queue,
				struct vkr_touch_ranges *handed)
{
	const size_t count = unhanded->count;
	for (size_t i = 0; i < count; i++) {
		if (unhanded->items[i].queue != queue || !reach(unhanded, i, barrier, range))
			continue;
		unhanded->items[i].available = true;
		unhanded->items[i].followers |= barrier->destination_stages;
		unhanded->items[i].handed = to_host(barrier);
	}
	for (size_t i = 0; i < unhanded->count;) {
		if (!unhanded->items[i].handed) {
			i++;
			continue;
		}
		if (!VKR_ARRAY_RESERVE(handed, 1))
			return false;
		handed->items[handed->count++] = unhanded->items[i].range;
		unhanded->items[i] = unhanded->items[--unhanded->count];
	}
	return true;
}

void vkr_touch_unhanded_follow(struct vkr_touch_unhanded *unhanded, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < unhanded->count; i++)
		if (unhanded->items[i].queue == from && from != to) {
			unhanded->items[i].queue = to;
			unhanded->items[i].available = true;
			unhanded->items[i].followers = ~UINT64_C(0);
		}
}

void vkr_touch_unhanded_forget(struct vkr_touch_unhanded *unhanded, uint32_t memory)
{
	for (size_t i = 0; i < unhanded->count;)
		if (unhanded->items[i].range.memory == memory)
			unhanded->items[i] = unhanded->items[--unhanded->count];
		else
			i++;
}
