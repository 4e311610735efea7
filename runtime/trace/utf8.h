// SPDX-License-Identifier: Apache-2.0
// Which bytes are a text of the trace: UTF-8 without a NUL. Knows nothing of where texts come from.
#pragma once

#include <stddef.h>

// How many of the first bytes are whole, valid characters other than NUL.
size_t vkr_utf8_valid(const char *text, size_t bytes);
