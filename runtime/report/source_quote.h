// SPDX-License-Identifier: Apache-2.0
// Quoting lines of a source file that debug information names. Knows files and lines; nothing of
// reports.
#pragma once

#include <stdint.h>
#include <stdio.h>

// Prints "line | text" and below it a caret at the column (both from 1; column 0: no caret),
// `indent` columns in. Prints nothing where the file is no regular file, cannot be read or has no
// such line.
void vkr_source_quote(FILE *out, const char *file, uint32_t line, uint32_t column, int indent);

// Calls `put` for the line and up to `around` lines before and after it that the file has, in
// order; `text` is without its line end. Not at all where vkr_source_quote() would print nothing.
void vkr_source_lines(const char *file, uint32_t line, uint32_t around,
		      void (*put)(void *user, uint32_t number, const char *text), void *user);
