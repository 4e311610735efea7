// SPDX-License-Identifier: Apache-2.0
// The parts of chunks that fragments of a subgroup share (VKR_IDENTITY_SHARED). Knows their layout
// (vkrace/gpu_log.h); not what the records say.
#pragma once

#include "draw_logs.h"

#include "vkrace/site.h"

// One part after the other, of `words` words each: the identity, then the records.
struct vkr_draw_members {
	const uint32_t *first;
	uint32_t count, words;
};

// The parts of a chunk, each of which begins with the words of an identity. False: it is damaged.
bool vkr_draw_members_find(const uint32_t *chunk, uint32_t identity_words,
			   struct vkr_draw_members *members);

static inline const uint32_t *vkr_draw_member(const struct vkr_draw_members *members, uint32_t at)
{
	return members->first + (size_t)at * members->words;
}

// Writes the chunks into logs->split, those that fragments share as one for each of them. A damaged
// one becomes one without an identity. False for lack of memory.
bool vkr_draw_members_split(struct vkr_draw_logs *logs, uint32_t identity_words,
			    const struct vkr_chunk *chunks, size_t count);
