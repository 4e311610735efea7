// SPDX-License-Identifier: Apache-2.0
// Strings kept once each. Knows nothing of what they say.
#include "texts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vkr_kept_text {
	const struct vkr_kept_text *older; // of the same hash
	size_t length;
	char bytes[];
};

void vkr_texts_init(struct vkr_texts *texts)
{
	vkr_arena_init(&texts->arena);
	vkr_map_init(&texts->newest);
}

void vkr_texts_finish(struct vkr_texts *texts)
{
	vkr_map_finish(&texts->newest);
	vkr_arena_finish(&texts->arena);
}

static uint64_t hash_text(const char *text, size_t length)
{
	uint64_t hash = length;
	for (size_t done = 0; done < length; done += 8) {
		uint64_t word = 0;
		memcpy(&word, text + done, length - done < 8 ? length - done : 8);
		hash = vkr_map_hash(hash ^ word);
	}
	return hash;
}

const char *vkr_texts_keep(struct vkr_texts *texts, const char *text, size_t length)
{
	const uint64_t hash = hash_text(text, length);
	uint64_t found = 0;
	const struct vkr_kept_text *older = NULL;
	if (vkr_map_get(&texts->newest, hash, &found))
		older = (const struct vkr_kept_text *)(uintptr_t)found;
	for (const struct vkr_kept_text *at = older; at != NULL; at = at->older)
		if (at->length == length && memcmp(at->bytes, text, length) == 0)
			return at->bytes;

	struct vkr_kept_text *made = vkr_arena_alloc(&texts->arena, sizeof *made + length + 1);
	if (made == NULL)
		return NULL;
	made->older = older;
	made->length = length;
	memcpy(made->bytes, text, length);
	if (!vkr_map_set(&texts->newest, hash, (uintptr_t)made))
		return NULL;
	return made->bytes;
}

const char *vkr_texts_format(struct vkr_texts *texts, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	va_start(arguments, format);
	const int length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	const char *kept = vkr_texts_keep(texts, text, (size_t)length);
	free(text);
	return kept;
}

const char *vkr_texts_words(struct vkr_texts *texts, struct vkr_text *words)
{
	const char *text = vkr_text_text(words);
	const char *kept = text ? vkr_texts_keep(texts, text, words->count) : NULL;
	vkr_text_finish(words);
	return kept;
}
