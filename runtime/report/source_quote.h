// SPDX-License-Identifier: Apache-2.0
// Quoting lines of a source file that debug information names: those that the report holds, or
// those of the file. Knows files and lines; not what is at them.
#pragma once

#include "vkrace/report.h"

#include <stdint.h>
#include <stdio.h>

struct vkr_source_spot {
	const char *file;
	uint32_t line;   // 0: not known
	uint64_t shader; // the hash of the shader that is made of it; 0: the program's
};

// Among the report's sources those that have the line, and most of the `around` lines before and
// after it; NULL: none. `report` may be NULL.
const struct vkr_source_report *vkr_source_kept(const struct vkr_report *report,
						const struct vkr_source_spot *spot,
						uint32_t around);

// Prints "line | text" and below it a caret at the column (both from 1; column 0: no caret),
// `indent` columns in. Prints nothing where neither the report nor the file, a regular one that can
// be read, has such a line.
void vkr_source_quote(FILE *out, const struct vkr_report *report,
		      const struct vkr_source_spot *spot, uint32_t column, int indent);

// Calls `put` for the line and up to `around` lines before and after it that the file has, in
// order; `text` is without its line end. Not at all where vkr_source_quote() would print nothing.
void vkr_source_lines(const struct vkr_report *report, const struct vkr_source_spot *spot,
		      uint32_t around, void (*put)(void *user, uint32_t number, const char *text),
		      void *user);
