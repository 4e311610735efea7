// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include "array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void vkr_text_add(struct vkr_text *words, const char *format, ...)
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

const char *vkr_text_text(const struct vkr_text *words)
{
	if (words->failed)
		return NULL;
	return words->items ? words->items : "";
}

void vkr_text_finish(struct vkr_text *words)
{
	free(words->items);
	*words = (struct vkr_text){0};
}
