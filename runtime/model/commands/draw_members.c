// SPDX-License-Identifier: Apache-2.0
#include "draw_members.h"

#include "array.h"
#include "site_table.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

static uint32_t count_bits(uint32_t bits)
{
	return (uint32_t)__builtin_popcount(bits);
}

struct vkr_draw_sharing vkr_draw_sharing(const struct vkr_site_table *table)
{
	const uint32_t bits = table->identity & ((UINT32_C(1) << VKR_IDENTITY_BITS) - 1);
	const uint32_t own = bits & ~VKR_SHARED_IDENTITY_ASKED;
	return (struct vkr_draw_sharing){.identity = own,
					 .asked = bits & VKR_SHARED_IDENTITY_ASKED,
					 .columns = count_bits(own),
					 .segments = vkr_site_table_segments(table),
					 .segment_count = table->segment_count};
}

// What the header of a chunk says.
static struct vkr_draw_members members_of(const uint32_t *chunk)
{
	return (struct vkr_draw_members){.first = chunk + VKR_SHARED_HEADER_WORDS,
					 .once = chunk[5],
					 .count = chunk[4] & VKR_SHARED_COUNT_MASK,
					 .samples = chunk[4] & VKR_SHARED_SAMPLES,
					 .segment = chunk[4] >> VKR_SHARED_SEGMENT_SHIFT};
}

// The words that each fragment has room for, an even number; 0 where they make no sense.
static uint32_t room_of(const struct vkr_draw_sharing *sharing,
			const struct vkr_draw_members *members, const uint32_t *chunk,
			uint32_t asked)
{
	uint32_t step = 0;
	const uint32_t *room = vkr_draw_members_column(members, sharing->columns, &step);
	const uint64_t before = (uint64_t)(room - chunk);
	const uint64_t each = chunk[3] > before ? (chunk[3] - before) / members->count : 0;
	return each > asked ? (uint32_t)(each - asked) & ~1u : 0;
}

bool vkr_draw_members_find(const struct vkr_draw_sharing *sharing, const uint32_t *chunk,
			   struct vkr_draw_members *members)
{
	const uint32_t size = chunk[3];
	uint32_t step = 0;
	if (size <= VKR_SHARED_HEADER_WORDS)
		return false;
	*members = members_of(chunk);
	const bool has_room = members->segment == VKR_SHARED_ROOM;
	if (members->count == 0 || (members->segment > sharing->segment_count && !has_room))
		return false;
	const uint32_t asked = members->samples ? count_bits(sharing->asked) : 0;
	if (has_room)
		members->words = room_of(sharing, members, chunk, asked);
	else if (members->segment > 0)
		members->words = sharing->segments[members->segment - 1].words;
	const uint64_t columns = (uint64_t)sharing->columns + members->words + asked;
	if (columns < VKR_SHARED_ONCE_MOST && members->once >> columns != 0)
		return false;
	const uint32_t *end = vkr_draw_members_column(members, (uint32_t)columns, &step);
	const uint64_t words = (uint64_t)(end - chunk);
	return words + words % 2 == size;
}

// How far a position that is told once is from that of invocation `at`.
static uint32_t step_of(uint32_t at)
{
	return ((at & 1) + at / 4 * 2) | (at >> 1 & 1) << 16;
}

bool vkr_draw_member_identity(const struct vkr_draw_sharing *sharing,
			      const struct vkr_draw_member *member,
			      uint32_t words[VKR_IDENTITY_WORDS_MOST])
{
	const struct vkr_draw_members members = members_of(member->chunk);
	uint32_t to = 0, position = 0, step = 0;
	// Of fragments, no bit has more words than one, but for the position's two.
	for (uint32_t bits = sharing->identity, column = 0; bits != 0; bits &= bits - 1) {
		const uint32_t *told = vkr_draw_members_column(&members, column++, &step);
		words[to] = told[(size_t)member->at * step];
		if ((bits & (~bits + 1)) == VKR_IDENTITY_FRAGMENT) {
			position = words[to] + (step == 0 ? step_of(member->at) : 0);
			words[to++] = position & (VKR_SHARED_GOES_ON - 1);
			words[to] = position >> 16;
		}
		to++;
	}
	if (to % 2 != 0)
		words[to] = 0;
	return position & VKR_SHARED_GOES_ON;
}

uint32_t vkr_draw_member_samples(const struct vkr_draw_sharing *sharing,
				 const struct vkr_draw_members *members, uint32_t at)
{
	uint32_t step = 0;
	if (!members->samples || !(sharing->asked & VKR_IDENTITY_END))
		return UINT32_MAX;
	const uint32_t last = sharing->columns + members->words + count_bits(sharing->asked) - 1;
	return vkr_draw_members_column(members, last, &step)[(size_t)at * step];
}

// Whether the number of a record's segment stands in the header, and not with its words.
static bool has_number(const struct vkr_draw_members *members)
{
	return members->segment > 0 && members->segment != VKR_SHARED_ROOM;
}

// The words of all chunks, split.
static size_t count_words(const struct vkr_draw_sharing *sharing, const struct vkr_chunk *chunks,
			  size_t count, size_t *parts)
{
	const size_t own = VKR_CHUNK_HEADER_WORDS + vkr_identity_total(sharing->identity);
	size_t words = 0;
	*parts = 0;
	for (size_t at = 0; at < count; at++) {
		struct vkr_draw_members members = {.count = 0};
		if (chunks[at].shader != VK_SHADER_STAGE_FRAGMENT_BIT)
			members.count = 0;
		else if (!vkr_draw_members_find(sharing, chunks[at].words, &members))
			members.count = 1;
		words += members.count * (own + has_number(&members) + members.words);
		*parts += members.count > 0 ? members.count : 1;
	}
	return words;
}

// Begins a chunk, as of an invocation of its own.
static uint32_t *add_chunk(struct vkr_draw_logs *logs, const struct vkr_chunk *chunk,
			   uint32_t words)
{
	const uint32_t place = (uint32_t)logs->split.count;
	uint32_t *to = logs->split.words.items + logs->split.words.count;
	const uint32_t header[VKR_CHUNK_HEADER_WORDS] = {chunk->words[0], place, chunk->shader,
							 words};
	memcpy(to, header, sizeof header);
	logs->split.words.count += words;
	logs->split.items[logs->split.count++] =
		(struct vkr_chunk){.key = (chunk->key & ~(uint64_t)UINT32_MAX) | place,
				   .words = to,
				   .count = 1,
				   .pitch = words,
				   .shader = chunk->shader};
	return to + VKR_CHUNK_HEADER_WORDS;
}

static void add_member(struct vkr_draw_logs *logs, const struct vkr_draw_sharing *sharing,
		       const struct vkr_chunk *chunk, const struct vkr_draw_members *members,
		       uint32_t at)
{
	const uint32_t own = vkr_identity_total(sharing->identity);
	const uint32_t record = has_number(members) + members->words;
	const struct vkr_draw_member member = {chunk->words, at};
	uint32_t words[VKR_IDENTITY_WORDS_MOST], step = 0;
	uint32_t *to = add_chunk(logs, chunk, VKR_CHUNK_HEADER_WORDS + own + record);
	const bool goes_on = vkr_draw_member_identity(sharing, &member, words);
	words[0] |= goes_on ? VKR_SPLIT_GOES_ON : 0;
	memcpy(to, words, own * sizeof *to);
	to += own;
	if (has_number(members))
		*to++ = members->segment;
	for (uint32_t word = 0; word < members->words; word++)
		*to++ = vkr_draw_members_column(members, sharing->columns + word,
						&step)[(size_t)at * step];
}

bool vkr_draw_members_split(struct vkr_draw_logs *logs, const struct vkr_draw_sharing *sharing,
			    const struct vkr_chunk *chunks, size_t count)
{
	size_t parts = 0;
	const size_t words = count_words(sharing, chunks, count, &parts);
	logs->split.count = logs->split.words.count = 0;
	if (!VKR_ARRAY_RESERVE(&logs->split, parts) ||
	    !VKR_ARRAY_RESERVE(&logs->split.words, words))
		return false;
	for (size_t at = 0; at < count; at++) {
		const struct vkr_chunk *chunk = &chunks[at];
		struct vkr_draw_members members;
		if (chunk->shader != VK_SHADER_STAGE_FRAGMENT_BIT)
			logs->split.items[logs->split.count++] = *chunk;
		else if (!vkr_draw_members_find(sharing, chunk->words, &members))
			add_chunk(logs, chunk, VKR_CHUNK_HEADER_WORDS);
		else
			for (uint32_t i = 0; i < members.count; i++)
				add_member(logs, sharing, chunk, &members, i);
	}
	return true;
}
