// SPDX-License-Identifier: Apache-2.0
// Chunks that fragments of a subgroup share (VKR_IDENTITY_SHARED). Knows their layout
// (vkrace/gpu_log.h); not what the records say.
#pragma once

#include "draw_logs.h"
#include "invocation_groups.h"

#include "vkrace/gpu_log.h"
#include "vkrace/site.h"

// A shader whose fragments share chunks.
struct vkr_draw_sharing {
	uint32_t identity; // bits that are told with each record
	uint32_t asked;    // those that are told where the draw asks
	uint32_t columns;  // of `identity`
	const struct vkr_segment *segments;
	uint32_t segment_count;
};

struct vkr_draw_sharing vkr_draw_sharing(const struct vkr_site_table *table);

// The fragments of a chunk.
struct vkr_draw_members {
	const uint32_t *first; // column
	uint32_t once;         // bits of columns that are told once
	uint32_t count;        // fragments
	bool samples;          // the last columns are those of `asked`
	uint32_t segment;      // 1 + index; 0: the chunk has no record; VKR_SHARED_ROOM
	uint32_t words;        // of the record, behind the segment's number, or of the room
};

// False: the chunk is damaged.
bool vkr_draw_members_find(const struct vkr_draw_sharing *sharing, const uint32_t *chunk,
			   struct vkr_draw_members *members);

// A column, and how far one fragment's word in it is from the next one's.
static inline const uint32_t *vkr_draw_members_column(const struct vkr_draw_members *members,
						      uint32_t column, uint32_t *step)
{
	const uint32_t before = column < VKR_SHARED_ONCE_MOST ? (1u << column) - 1 : UINT32_MAX;
	const uint32_t once = (uint32_t)__builtin_popcount(members->once & before);
	*step = column < VKR_SHARED_ONCE_MOST ? ~members->once >> column & 1 : 1;
	return members->first + once + (size_t)(column - once) * members->count;
}

// One of a chunk's fragments.
struct vkr_draw_member {
	const uint32_t *chunk;
	uint32_t at;
};

// The words by which a fragment of an undamaged chunk identifies itself, as in a chunk of its own.
// Whether it has an earlier chunk.
bool vkr_draw_member_identity(const struct vkr_draw_sharing *sharing,
			      const struct vkr_draw_member *member,
			      uint32_t words[VKR_IDENTITY_WORDS_MOST]);

// The samples that a fragment has left at its end, UINT32_MAX where they are not told.
uint32_t vkr_draw_member_samples(const struct vkr_draw_sharing *sharing,
				 const struct vkr_draw_members *members, uint32_t at);

// In the first word of a chunk that was split: the fragment has an earlier one.
#define VKR_SPLIT_GOES_ON (1u << 31)

// Writes the chunks into logs->split, those that fragments share as one for each of them. A damaged
// one becomes one without an identity. False for lack of memory.
bool vkr_draw_members_split(struct vkr_draw_logs *logs, const struct vkr_draw_sharing *sharing,
			    const struct vkr_chunk *chunks, size_t count);
