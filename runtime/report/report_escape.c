// SPDX-License-Identifier: Apache-2.0
// Knows UTF-8 and the characters with a meaning in terminals and markup; nothing of reports.
#include "report_escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" // U+FFFD

size_t vkr_escape_sequence(const char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *byte = (const unsigned char *)text;
	if (byte[0] == 0)
		return 0;
	if (byte[0] < 0x80)
		return 1;
	size_t length = byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
	if (byte[0] < 0xc2 || byte[0] > 0xf4)
		return 0;
	uint32_t point = byte[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (byte[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0;
	return length;
}

static uint32_t code_point(const unsigned char *byte, size_t length)
{
	uint32_t point = length == 1 ? byte[0] : byte[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++)
		point = point << 6 | (byte[i] & 0x3f);
	return point;
}

// What a terminal would obey (C0, delete, C1), and what makes text look other than it is: marks,
// embeddings, overrides and isolates of direction, separators of lines and paragraphs, and letters
// without width (Unicode Technical Report 36, "Bidirectional Text Spoofing").
static bool is_control(const unsigned char *byte, size_t length)
{
	const uint32_t point = code_point(byte, length);
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x61c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff;
}

// U+FFFE and U+FFFF, which XML 1.0 cannot hold (production Char).
static bool is_noncharacter(const unsigned char *byte, size_t length)
{
	return length == 3 && byte[0] == 0xef && byte[1] == 0xbf && byte[2] >= 0xbe;
}

static const char *markup_reference(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static void escape_text(FILE *out, const char *text, bool markup, bool lines)
{
	while (*text) {
		const unsigned char *byte = (const unsigned char *)text;
		size_t length = vkr_escape_sequence(text);
		const char *reference = markup && length == 1 ? markup_reference(*text) : NULL;
		if (lines && *text == '\n') {
			fputc('\n', out);
		} else if (!length || is_control(byte, length) || is_noncharacter(byte, length)) {
			length = length ? length : 1;
			for (size_t i = 0; i < length; i++)
				fprintf(out, "\\x%02x", byte[i]);
		} else if (reference) {
			fputs(reference, out);
		} else {
			fwrite(text, 1, length, out);
		}
		text += length;
	}
}

void vkr_escape_plain(FILE *out, const char *text)
{
	escape_text(out, text, false, false);
}

void vkr_escape_markup(FILE *out, const char *text)
{
	escape_text(out, text, true, false);
}

void vkr_escape_markup_lines(FILE *out, const char *text)
{
	escape_text(out, text, true, true);
}

const char *vkr_escape_utf8(struct vkr_arena *arena, const char *text)
{
	size_t bytes = 0, wrong = 0;
	for (size_t length; text[bytes]; bytes += length) {
		length = vkr_escape_sequence(text + bytes);
		if (!length) {
			wrong++;
			length = 1;
		}
	}
	if (!wrong)
		return text;
	char *copy = vkr_arena_alloc(arena, bytes + wrong * (strlen(REPLACEMENT) - 1) + 1);
	if (!copy)
		return NULL;
	for (char *to = copy; *text;) {
		size_t length = vkr_escape_sequence(text);
		if (length) {
			memcpy(to, text, length);
			to += length;
			text += length;
		} else {
			memcpy(to, REPLACEMENT, strlen(REPLACEMENT));
			to += strlen(REPLACEMENT);
			text++;
		}
	}
	return copy;
}
