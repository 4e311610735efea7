// SPDX-License-Identifier: Apache-2.0
// A text that grows piece by piece, without a limit. Does not know what it says.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>

// All zero: empty.
struct vkr_text {
	char *items; // ended by NUL; NULL where nothing was added
	size_t count, capacity;
	bool failed; // for lack of memory a piece is missing
};

void vkr_text_add(struct vkr_text *words, const char *format, ...) VKR_PRINTF(2, 3);

// The text since it was started, until the next piece is added; "" if nothing was added, NULL if
// lack of memory has lost a piece.
const char *vkr_text_text(const struct vkr_text *words);

void vkr_text_finish(struct vkr_text *words);
