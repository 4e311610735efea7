// SPDX-License-Identifier: Apache-2.0
// Strings kept once each, for as long as the session lives: names and sentences of a report.
// Knows nothing of what they say.
#pragma once

#include "arena.h"
#include "map.h"
#include "text.h"

#include "vkrace/result.h"

struct vkr_texts {
	struct vkr_arena arena;
	struct vkr_map newest; // hash -> newest struct vkr_kept_text with it
};

void vkr_texts_init(struct vkr_texts *texts);
void vkr_texts_finish(struct vkr_texts *texts);

// The kept copy of `length` bytes at `text`; equal texts give the same pointer. NULL for lack of
// memory.
const char *vkr_texts_keep(struct vkr_texts *texts, const char *text, size_t length);

// Keeps a formatted text.
const char *vkr_texts_format(struct vkr_texts *texts, const char *format, ...) VKR_PRINTF(2, 3);

// Keeps the words as one text, and finishes them.
const char *vkr_texts_words(struct vkr_texts *texts, struct vkr_text *words);
