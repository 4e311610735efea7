// SPDX-License-Identifier: Apache-2.0
// Printing texts that others chose: names, files, labels. Knows UTF-8 and which characters a
// terminal or a markup language takes for its own; nothing of reports.
#pragma once

#include "arena.h"

#include <stddef.h>
#include <stdio.h>

// Bytes of the UTF-8 sequence at text (shortest form, no surrogate, not above U+10FFFF); 0 where
// there is none. The terminating NUL counts as none.
size_t vkr_escape_sequence(const char *text);

// Prints text with control characters, also those of direction (U+202E and its kin), and bytes that
// are not UTF-8 as \xNN.
void vkr_escape_plain(FILE *out, const char *text);

// Escapes for XML and HTML, as content or in a quoted attribute: & < > " ' become references.
void vkr_escape_markup(FILE *out, const char *text);

// Escapes content of several lines for XML and HTML: line feeds stay.
void vkr_escape_markup_lines(FILE *out, const char *text);

// text, or where it is not UTF-8 a copy with U+FFFD for each wrong byte; NULL for lack of memory.
const char *vkr_escape_utf8(struct vkr_arena *arena, const char *text);
