// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include "array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void vkr_words_add(struct vkr_words *words, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	const int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !VKR_ARRAY_RESERVE(words, (size_t)length + 1)) {
		words->failed = true;
	} else {
		vsnprintf(words->items + words->count, (size_t)length + 1, format, again);
		words->count += (size_t)length;
	}
	va_end(again);
}

const char *vkr_words_text(const struct vkr_words *words)
{
	if (words->failed)
		return NULL;
	return words->items ? words->items : "";
}

void vkr_words_finish(struct vkr_words *words)
{
	free(words->items);
	*words = (struct vkr_words){0};
}
