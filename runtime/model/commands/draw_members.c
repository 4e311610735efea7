// SPDX-License-Identifier: Apache-2.0
#include "draw_members.h"

#include "array.h"

#include "vkrace/gpu_log.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

bool vkr_draw_members_find(const uint32_t *chunk, uint32_t identity_words,
			   struct vkr_draw_members *members)
{
	const uint32_t count = chunk[3] > VKR_SHARED_HEADER_WORDS ? chunk[4] : 0;
	const uint32_t total = chunk[3] - VKR_SHARED_HEADER_WORDS;
	if (count == 0 || total % count != 0 || total / count % 2 != 0 ||
	    total / count < identity_words)
		return false;
	*members = (struct vkr_draw_members){
		.first = chunk + VKR_SHARED_HEADER_WORDS, .count = count, .words = total / count};
	return true;
}

// The words of all chunks, split.
static size_t count_words(const struct vkr_chunk *chunks, size_t count, uint32_t identity_words,
			  size_t *parts)
{
	size_t words = 0;
	*parts = 0;
	for (size_t at = 0; at < count; at++) {
		struct vkr_draw_members members = {.count = 0};
		if (chunks[at].shader != VK_SHADER_STAGE_FRAGMENT_BIT)
			members.count = 0;
		else if (!vkr_draw_members_find(chunks[at].words, identity_words, &members))
			members.count = 1;
		words += members.count * (size_t)(VKR_CHUNK_HEADER_WORDS + members.words);
		*parts += members.count > 0 ? members.count : 1;
	}
	return words;
}

static void add_part(struct vkr_draw_logs *logs, const struct vkr_chunk *chunk,
		     const uint32_t *part, uint32_t words)
{
	uint32_t *to = logs->split.words.items + logs->split.words.count;
	const uint32_t place = chunk->words[1] + (uint32_t)(part - chunk->words);
	const uint32_t header[VKR_CHUNK_HEADER_WORDS] = {chunk->words[0], place, chunk->shader,
							 VKR_CHUNK_HEADER_WORDS + words};
	memcpy(to, header, sizeof header);
	if (words > 0) {
		memcpy(to + VKR_CHUNK_HEADER_WORDS, part, words * sizeof *part);
		to[VKR_CHUNK_HEADER_WORDS] &= ~VKR_IDENTITY_GOES_ON;
	}
	logs->split.words.count += header[3];
	logs->split.items[logs->split.count++] =
		(struct vkr_chunk){.key = (chunk->key & ~(uint64_t)UINT32_MAX) | place,
				   .words = to,
				   .count = 1,
				   .pitch = header[3],
				   .shader = chunk->shader};
}

bool vkr_draw_members_split(struct vkr_draw_logs *logs, uint32_t identity_words,
			    const struct vkr_chunk *chunks, size_t count)
{
	size_t parts = 0;
	const size_t words = count_words(chunks, count, identity_words, &parts);
	logs->split.count = logs->split.words.count = 0;
	if (!VKR_ARRAY_RESERVE(&logs->split, parts) ||
	    !VKR_ARRAY_RESERVE(&logs->split.words, words))
		return false;
	for (size_t at = 0; at < count; at++) {
		const struct vkr_chunk *chunk = &chunks[at];
		struct vkr_draw_members members;
		if (chunk->shader != VK_SHADER_STAGE_FRAGMENT_BIT)
			logs->split.items[logs->split.count++] = *chunk;
		else if (!vkr_draw_members_find(chunk->words, identity_words, &members))
			add_part(logs, chunk, chunk->words, 0);
		else
			for (uint32_t i = 0; i < members.count; i++)
				add_part(logs, chunk, vkr_draw_member(&members, i), members.words);
	}
	return true;
}
