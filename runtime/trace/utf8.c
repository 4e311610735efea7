// SPDX-License-Identifier: Apache-2.0
#include "utf8.h"

#include <stdint.h>

// Bytes of the character at `text`; 0 where there is none (RFC 3629, section 4).
static size_t utf8_character(const unsigned char *text, size_t bytes)
{
	static const uint32_t least[] = {0, 1, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80             ? 1
			: (text[0] & 0xe0) == 0xc0 ? 2
			: (text[0] & 0xf0) == 0xe0 ? 3
			: (text[0] & 0xf8) == 0xf0 ? 4
						   : 0;
	if (length == 0 || length > bytes)
		return 0;
	uint32_t value = length == 1 ? text[0] : text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3fu);
	}
	if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	return length;
}

size_t vkr_utf8_valid(const char *text, size_t bytes)
{
	const unsigned char *from = (const unsigned char *)text;
	size_t valid = 0;
	while (valid < bytes) {
		size_t length = utf8_character(from + valid, bytes - valid);
		if (length == 0)
			break;
		valid += length;
	}
	return valid;
}
