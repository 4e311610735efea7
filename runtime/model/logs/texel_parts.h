// SPDX-License-Identifier: Apache-2.0
// Coordinates that follow from words of a record (VKR_TEXEL_DERIVED), and how far they may be from
// what the shader computed. Knows the parts; not samplers or images.
#pragma once

#include "vkrace/site.h"

#include <math.h>
#include <string.h>

static inline double vkr_texel_number(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return (double)value;
}

static inline double vkr_texel_word(const uint32_t *record, uint8_t word)
{
	return word != VKR_TEXEL_NO_WORD ? vkr_texel_number(record[word]) : 0;
}

// Whether the coordinate is a word as it is.
static inline bool vkr_texel_part_is_word(const struct vkr_texel_part *part)
{
	return part->word != VKR_TEXEL_NO_WORD && part->scaled_word == VKR_TEXEL_NO_WORD &&
	       !(part->constant < 0 || part->constant > 0);
}

// The coordinate from its words; *error: what it may be off by. Where it is a word itself, there is
// none.
static inline float vkr_texel_part_sum(const struct vkr_texel_part *part, double word,
				       double scaled_word, double *error)
{
	const double constant = (double)part->constant;
	*error = 0;
	if (vkr_texel_part_is_word(part))
		return (float)word;
	const double scaled = (double)part->factor * scaled_word;
	*error = VKR_TEXEL_ROUNDING * (fabs(word) + fabs(scaled) + fabs(constant));
	return (float)(word + scaled + constant);
}

// The coordinate in a record, which begins behind its segment's number.
static inline float vkr_texel_part_point(const struct vkr_texel_part *part, const uint32_t *record,
					 double *error)
{
	return vkr_texel_part_sum(part, vkr_texel_word(record, part->word),
				  vkr_texel_word(record, part->scaled_word), error);
}
