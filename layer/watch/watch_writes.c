// SPDX-License-Identifier: Apache-2.0
#include "watch_writes.h"

#include "array.h"

#include <stdlib.h>
#include <vulkan/vulkan_core.h>

#define HOST_STAGE   VK_PIPELINE_STAGE_2_HOST_BIT
#define ALL_COMMANDS VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT

// The oldest headers keep their names for a beta extension.
#define ENCODE_STAGE (1ull << 27) // VK_PIPELINE_STAGE_2_VIDEO_ENCODE_BIT_KHR
#define ENCODE_WRITE (1ull << 38) // VK_ACCESS_2_VIDEO_ENCODE_WRITE_BIT_KHR

static bool watch_writes_same(const struct vkr_watch_range *a, const struct vkr_watch_range *b)
{
	return a->memory == b->memory && a->offset == b->offset && a->bytes == b->bytes;
}

static uint64_t range_key(const struct vkr_watch_range *range, uint8_t writer)
{
	uint64_t hash = vkr_map_hash((uint64_t)range->memory << 8 | writer);
	hash = vkr_map_hash(hash ^ range->offset);
	return vkr_map_hash(hash ^ range->bytes);
}

bool vkr_watch_ranges_add(struct vkr_watch_ranges *ranges, const struct vkr_watch_range *range,
			  bool *added)
{
	const uint64_t key = range_key(range, 0);
	uint64_t at = 0;
	*added = !vkr_map_get(&ranges->by_range, key, &at) ||
		 !watch_writes_same(&ranges->items[at], range);
	if (!*added)
		return true;
	if (!VKR_ARRAY_RESERVE(ranges, 1) || !vkr_map_set(&ranges->by_range, key, ranges->count))
		return false;
	ranges->items[ranges->count++] = *range;
	return true;
}

void vkr_watch_ranges_finish(struct vkr_watch_ranges *ranges)
{
	free(ranges->items);
	vkr_map_finish(&ranges->by_range);
	*ranges = (struct vkr_watch_ranges){0};
}

// Whether the barrier's first scopes hold the write, for sure.
static bool barrier_names(const struct vkr_trace_barrier *barrier, enum vkr_event_writer writer)
{
	uint64_t stages = ALL_COMMANDS, access = VK_ACCESS_2_MEMORY_WRITE_BIT;
	switch (writer) {
	case VKR_WRITER_COMPUTE:
		stages |= VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_WRITER_GRAPHICS:
		stages |= VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_WRITER_RAYS:
		stages |= VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
		access |= VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
		break;
	case VKR_WRITER_TRANSFER:
		stages |= VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT;
		access |= VK_ACCESS_2_TRANSFER_WRITE_BIT;
		break;
	case VKR_WRITER_VIDEO:
		stages |= ENCODE_STAGE;
		access |= ENCODE_WRITE;
		break;
	case VKR_WRITER_NONE:
	case VKR_WRITER_UNKNOWN:
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

static bool watch_writes_chains(const struct vkr_watch_state *state,
				const struct vkr_trace_barrier *barrier)
{
	return state->available && ((barrier->source_stages & state->followers) ||
				    (barrier->source_stages & ALL_COMMANDS));
}

static bool watch_writes_overlaps(const struct vkr_watch_range *a, const struct vkr_watch_range *b)
{
	return a->memory == b->memory && a->offset < b->offset + b->bytes &&
	       b->offset < a->offset + a->bytes;
}

static bool watch_writes_aligned(const struct vkr_watch_range *range)
{
	return range->offset % 4096 == 0 && range->bytes % 4096 == 0;
}

static bool range_covers(const struct vkr_watch_range *range, const struct vkr_watch_range *part)
{
	return range->memory == part->memory && range->offset <= part->offset &&
	       part->offset + part->bytes <= range->offset + range->bytes;
}

// ---- Writes and groups --------------------------------------------------------------------------

// Blocks of a memory are powers of two of bytes: of 64 KiB, or so large that what begins in one
// ends in the next.
#define LEAST_LEVEL 16u

static uint32_t level_of(uint64_t bytes)
{
	uint32_t level = LEAST_LEVEL;
	while (level < 63 && UINT64_C(1) << level < bytes)
		level++;
	return level;
}

static struct vkr_watch_write *write_at(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	return &unhanded->writes.items[index - 1];
}

static struct vkr_watch_group *group_at(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	return &unhanded->groups.items[index - 1];
}

static uint64_t state_key(const struct vkr_watch_state *state)
{
	uint64_t hash = vkr_map_hash((uint64_t)state->memory << 32 | state->queue);
	hash = vkr_map_hash(hash ^ ((uint64_t)state->block << 32 | state->level << 16 |
				    (uint64_t)state->writer << 8 | state->available));
	return vkr_map_hash(hash ^ state->followers);
}

static bool same_state(const struct vkr_watch_state *a, const struct vkr_watch_state *b)
{
	return a->memory == b->memory && a->queue == b->queue && a->block == b->block &&
	       a->level == b->level && a->writer == b->writer && a->available == b->available &&
	       a->followers == b->followers;
}

// 0: there is none.
static uint32_t find_group(struct vkr_watch_unhanded *unhanded, const struct vkr_watch_state *state)
{
	uint64_t index = 0;
	return vkr_map_get(&unhanded->by_state, state_key(state), &index) &&
			       same_state(&group_at(unhanded, (uint32_t)index)->state, state)
		       ? (uint32_t)index
		       : 0;
}

static void forget_state(struct vkr_watch_unhanded *unhanded, uint32_t group)
{
	const uint64_t key = state_key(&group_at(unhanded, group)->state);
	uint64_t index = 0;
	if (vkr_map_get(&unhanded->by_state, key, &index) && index == group)
		vkr_map_remove(&unhanded->by_state, key);
}

// 0 for lack of memory.
static uint32_t make_group(struct vkr_watch_unhanded *unhanded, const struct vkr_watch_state *state)
{
	uint32_t index = find_group(unhanded, state);
	if (index)
		return index;
	index = unhanded->free_group;
	if (!index && !VKR_ARRAY_RESERVE(&unhanded->groups, 1))
		return 0;
	if (!vkr_map_set(&unhanded->by_state, state_key(state),
			 index ? index : unhanded->groups.count + 1))
		return 0;
	if (index)
		unhanded->free_group = group_at(unhanded, index)->free;
	else
		index = (uint32_t)++unhanded->groups.count;
	*group_at(unhanded, index) = (struct vkr_watch_group){.state = *state, .low = UINT64_MAX};
	return index;
}

static void release_group(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	struct vkr_watch_group *group = group_at(unhanded, index);
	forget_state(unhanded, index);
	*group = (struct vkr_watch_group){.free = unhanded->free_group};
	unhanded->free_group = index;
}

static void watch_writes_widen(struct vkr_watch_group *group, uint64_t low, uint64_t high)
{
	group->low = low < group->low ? low : group->low;
	group->high = high > group->high ? high : group->high;
}

static void link_write(struct vkr_watch_unhanded *unhanded, uint32_t index, uint32_t to)
{
	struct vkr_watch_write *write = write_at(unhanded, index);
	struct vkr_watch_group *group = group_at(unhanded, to);
	write->group = to;
	write->previous = 0;
	write->next = group->first;
	if (group->first)
		write_at(unhanded, group->first)->previous = index;
	group->first = index;
	group->count++;
	watch_writes_widen(group, write->range.offset, write->range.offset + write->range.bytes);
}

static void unlink_write(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	struct vkr_watch_write *write = write_at(unhanded, index);
	struct vkr_watch_group *group = group_at(unhanded, write->group);
	if (write->previous)
		write_at(unhanded, write->previous)->next = write->next;
	else
		group->first = write->next;
	if (write->next)
		write_at(unhanded, write->next)->previous = write->previous;
	if (--group->count == 0)
		release_group(unhanded, write->group);
}

// Among those with the same range and writer.
static bool index_write(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	struct vkr_watch_write *write = write_at(unhanded, index);
	const uint64_t key = range_key(&write->range, write->writer);
	uint64_t older = 0;
	(void)vkr_map_get(&unhanded->by_range, key, &older);
	if (!vkr_map_set(&unhanded->by_range, key, index))
		return false;
	write->older = (uint32_t)older;
	write->newer = 0;
	if (older)
		write_at(unhanded, (uint32_t)older)->newer = index;
	return true;
}

static void unindex_write(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	const struct vkr_watch_write *write = write_at(unhanded, index);
	const uint64_t key = range_key(&write->range, write->writer);
	if (write->older)
		write_at(unhanded, write->older)->newer = write->newer;
	if (write->newer)
		write_at(unhanded, write->newer)->older = write->older;
	else if (!write->older)
		vkr_map_remove(&unhanded->by_range, key);
	else // there is room: the key is there
		(void)vkr_map_set(&unhanded->by_range, key, write->older);
}

static void remove_write(struct vkr_watch_unhanded *unhanded, uint32_t index)
{
	unhanded->moves++;
	unlink_write(unhanded, index);
	unindex_write(unhanded, index);
	*write_at(unhanded, index) = (struct vkr_watch_write){.next = unhanded->free_write};
	unhanded->free_write = index;
}

static struct vkr_watch_state state_of(const struct vkr_watch_range *range, uint8_t writer,
				       uint32_t queue)
{
	const uint32_t level = level_of(range->bytes);
	return (struct vkr_watch_state){.memory = range->memory,
					.queue = queue,
					.block = (uint32_t)(range->offset >> level),
					.level = level,
					.writer = writer};
}

// As far as `like` has come.
static bool make_write(struct vkr_watch_unhanded *unhanded, const struct vkr_watch_range *range,
		       const struct vkr_watch_state *like)
{
	struct vkr_watch_state state = state_of(range, like->writer, like->queue);
	uint32_t index = unhanded->free_write;
	state.available = like->available;
	state.followers = like->followers;
	if (!index && !VKR_ARRAY_RESERVE(&unhanded->writes, 1))
		return false;
	const uint32_t group = make_group(unhanded, &state);
	if (!group)
		return false;
	if (index)
		unhanded->free_write = write_at(unhanded, index)->next;
	else
		index = (uint32_t)++unhanded->writes.count;
	*write_at(unhanded, index) =
		(struct vkr_watch_write){.range = *range, .writer = like->writer};
	link_write(unhanded, index, group);
	return index_write(unhanded, index);
}

static bool move_write(struct vkr_watch_unhanded *unhanded, uint32_t index,
		       const struct vkr_watch_state *state)
{
	const uint32_t from = write_at(unhanded, index)->group;
	if (same_state(&group_at(unhanded, from)->state, state))
		return true;
	const uint32_t to = make_group(unhanded, state);
	if (!to)
		return false;
	unhanded->moves++;
	unlink_write(unhanded, index);
	link_write(unhanded, index, to);
	return true;
}

// All of a group; of two that become one the smaller is gone through.
static bool move_group(struct vkr_watch_unhanded *unhanded, uint32_t index,
		       const struct vkr_watch_state *state)
{
	uint32_t to = find_group(unhanded, state), from = index;
	if (to == index)
		return true;
	unhanded->moves++;
	if (!to) {
		if (!vkr_map_set(&unhanded->by_state, state_key(state), index))
			return false;
		forget_state(unhanded, index);
		group_at(unhanded, index)->state = *state;
		return true;
	}
	if (group_at(unhanded, from)->count > group_at(unhanded, to)->count) {
		from = to;
		to = index;
	}
	struct vkr_watch_group *larger = group_at(unhanded, to);
	struct vkr_watch_group *smaller = group_at(unhanded, from);
	uint32_t last = smaller->first;
	for (uint32_t at = last; at; at = write_at(unhanded, at)->next) {
		write_at(unhanded, at)->group = to;
		last = at;
	}
	write_at(unhanded, last)->next = larger->first;
	write_at(unhanded, larger->first)->previous = last;
	larger->first = smaller->first;
	larger->count += smaller->count;
	watch_writes_widen(larger, smaller->low, smaller->high);
	release_group(unhanded, from);
	forget_state(unhanded, to);
	group_at(unhanded, to)->state = *state;
	return vkr_map_set(&unhanded->by_state, state_key(state), to);
}

bool vkr_watch_unhanded_add(struct vkr_watch_unhanded *unhanded,
			    const struct vkr_watch_range *range, enum vkr_event_writer writer,
			    uint32_t queue, bool *added)
{
	const struct vkr_watch_state fresh = state_of(range, (uint8_t)writer, queue);
	uint64_t index = 0;
	*added = false;
	(void)vkr_map_get(&unhanded->by_range, range_key(range, (uint8_t)writer), &index);
	for (uint32_t at = (uint32_t)index; at; at = write_at(unhanded, at)->older) {
		const struct vkr_watch_write *write = write_at(unhanded, at);
		if (watch_writes_same(&write->range, range) && write->writer == writer &&
		    group_at(unhanded, write->group)->state.queue == queue)
			return move_write(unhanded, at, &fresh);
	}
	*added = true;
	return make_write(unhanded, range, &fresh);
}

// ---- Barriers -----------------------------------------------------------------------------------

// Cuts the write to what lies in `range`; the rest becomes writes of their own.
static bool watch_writes_cut(struct vkr_watch_unhanded *unhanded, uint32_t index,
			     const struct vkr_watch_range *range)
{
	const struct vkr_watch_range whole = write_at(unhanded, index)->range;
	const struct vkr_watch_state state =
		group_at(unhanded, write_at(unhanded, index)->group)->state;
	const uint64_t end = whole.offset + whole.bytes, range_end = range->offset + range->bytes;
	struct vkr_watch_range rest = whole, inside = whole;
	if (whole.offset < range->offset) {
		rest.bytes = range->offset - whole.offset;
		inside.offset = range->offset;
		if (!make_write(unhanded, &rest, &state))
			return false;
	}
	if (end > range_end) {
		rest.offset = range_end;
		rest.bytes = end - range_end;
		if (!make_write(unhanded, &rest, &state))
			return false;
	}
	inside.bytes = (end < range_end ? end : range_end) - inside.offset;
	unindex_write(unhanded, index);
	write_at(unhanded, index)->range = inside;
	return index_write(unhanded, index);
}

// What is reached from one group by a barrier.
struct reaching {
	struct vkr_watch_unhanded *unhanded;
	const struct vkr_watch_range *range; // NULL: all memory
	struct vkr_watch_state state;        // that it comes to
	struct vkr_watch_ranges *handed;     // NULL: not to the host
};

static bool reach_write(const struct reaching *reaching, uint32_t index)
{
	if (!reaching->handed)
		return move_write(reaching->unhanded, index, &reaching->state);
	reaching->handed->items[reaching->handed->count++] =
		write_at(reaching->unhanded, index)->range;
	remove_write(reaching->unhanded, index);
	return true;
}

// Writes are cut to what the barrier reaches, but only between pages: within a page it would be
// closed once more than it is opened again.
static bool reach_writes(const struct reaching *reaching, uint32_t first, bool whole)
{
	struct vkr_watch_unhanded *unhanded = reaching->unhanded;
	const struct vkr_watch_range *range = reaching->range;
	for (uint32_t at = first, next; at; at = next) {
		const struct vkr_watch_range *own = &write_at(unhanded, at)->range;
		next = write_at(unhanded, at)->next;
		if (!whole && !range_covers(range, own)) {
			if (!watch_writes_overlaps(range, own) || !watch_writes_aligned(range))
				continue;
			if (!watch_writes_cut(unhanded, at, range))
				return false;
		}
		if (!reach_write(reaching, at))
			return false;
	}
	return true;
}

static bool reach_group(struct reaching *reaching, uint32_t index,
			const struct vkr_trace_barrier *barrier)
{
	const struct vkr_watch_group *group = group_at(reaching->unhanded, index);
	const struct vkr_watch_range all = {.memory = group->state.memory,
					    .offset = group->low,
					    .bytes = group->high - group->low};
	const bool whole = !reaching->range || range_covers(reaching->range, &all);
	if (!whole && !watch_writes_overlaps(reaching->range, &all))
		return true;
	reaching->state = group->state;
	reaching->state.available = true;
	reaching->state.followers |= barrier->destination_stages;
	if (reaching->handed && !VKR_ARRAY_RESERVE(reaching->handed, group->count))
		return false;
	return whole && !reaching->handed ? move_group(reaching->unhanded, index, &reaching->state)
					  : reach_writes(reaching, group->first, whole);
}

// A group that is made while others are gone through may be gone through, too: what has come there
// does not move again.
bool vkr_watch_unhanded_barrier(struct vkr_watch_unhanded *unhanded,
				const struct vkr_trace_barrier *barrier,
				const struct vkr_watch_range *range, uint32_t queue,
				struct vkr_watch_ranges *handed)
{
	struct reaching reaching = {
		.unhanded = unhanded, .range = range, .handed = to_host(barrier) ? handed : NULL};
	for (uint32_t at = 1; at <= unhanded->groups.count; at++) {
		const struct vkr_watch_group *group = group_at(unhanded, at);
		if (group->count == 0 || group->state.queue != queue ||
		    (!barrier_names(barrier, (enum vkr_event_writer)group->state.writer) &&
		     !watch_writes_chains(&group->state, barrier)))
			continue;
		if (!reach_group(&reaching, at, barrier))
			return false;
	}
	return true;
}

bool vkr_watch_unhanded_follow(struct vkr_watch_unhanded *unhanded, uint32_t from, uint32_t to)
{
	for (uint32_t at = 1; at <= unhanded->groups.count && from != to; at++) {
		const struct vkr_watch_group *group = group_at(unhanded, at);
		struct vkr_watch_state state = group->state;
		if (group->count == 0 || state.queue != from)
			continue;
		state.queue = to;
		state.available = true;
		state.followers = ~UINT64_C(0);
		if (!move_group(unhanded, at, &state))
			return false;
	}
	return true;
}

void vkr_watch_unhanded_forget(struct vkr_watch_unhanded *unhanded, uint32_t memory)
{
	for (uint32_t at = 1; at <= unhanded->groups.count; at++)
		while (group_at(unhanded, at)->count > 0 &&
		       group_at(unhanded, at)->state.memory == memory)
			remove_write(unhanded, group_at(unhanded, at)->first);
}

void vkr_watch_unhanded_each(const struct vkr_watch_unhanded *unhanded,
			     void (*each)(const struct vkr_watch_range *range))
{
	for (size_t group = 0; group < unhanded->groups.count; group++)
		for (uint32_t at = unhanded->groups.items[group].first; at;
		     at = unhanded->writes.items[at - 1].next)
			each(&unhanded->writes.items[at - 1].range);
}
