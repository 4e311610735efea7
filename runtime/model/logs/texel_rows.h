// SPDX-License-Identifier: Apache-2.0
// Accesses of neighbouring invocations to texels, found and judged in rows: where their texels
// follow each other, so do the accesses. Knows plans and filters; not where coordinates came from.
#pragma once

#include "log_spans.h"
#include "summary_values.h"
#include "texel_repeats.h"

struct vkr_texel_rows;

// Words of an access that are read: which element, coordinates, level.
#define VKR_TEXEL_LANE_WORDS 6u

// One access by invocations local, local + 1, ...: each of its words, from the access's first on,
// by invocation.
struct vkr_texel_lanes {
	uint32_t local, count;
	const uint32_t *words[VKR_TEXEL_LANE_WORDS];
	// Not as they are logged: coordinates never share a word, and floats may be off by so much.
	bool is_apart;
	double errors[VKR_TEXEL_LANE_WORDS];
	// Lanes that stand for all: i * step for each i below `count`, if that is not 0. Others
	// repeat them (summary_values.h).
	struct vkr_lane_samples samples[VKR_TEXEL_LANE_WORDS];
};

// A command begins, in replay->texel_rows: nothing is prepared. False for lack of memory.
bool vkr_texel_rows_begin(struct vkr_replay *replay, const struct vkr_program *program,
			  uint32_t local_size);
// Prepares what is prepared for another thread's replay of the command. False for lack of memory.
bool vkr_texel_rows_like(struct vkr_replay *replay, const struct vkr_replay *like);
void vkr_texel_rows_destroy(struct vkr_texel_rows *rows);

// Whether accesses of this kind are ever judged in rows.
bool vkr_texel_rows_take(const struct vkr_program_access *access);

// Judges the accesses, all to one element; `noted`: notes them (noted_texels.h). *done is false,
// and nothing has happened, if they must be judged one by one.
enum vkr_result vkr_texel_rows_do(struct vkr_replay_work *work, struct vkr_program_access *access,
				  uint32_t element, const struct vkr_texel_lanes *lanes, bool noted,
				  bool *done) VKR_MUST_USE;

// What a word of an access says, its element's included, where coordinates share none.
enum vkr_rows_word {
	VKR_ROWS_WORD_COLUMN,
	VKR_ROWS_WORD_ROW,   // or a slice
	VKR_ROWS_WORD_FIXED, // which image, or level
};
unsigned vkr_texel_rows_words(const struct vkr_program_access *access, unsigned word);

// Notes the accesses of a workgroup like two whose records agree: with the first component of
// `along`'s WorkgroupId and the others of `across`'s.
enum vkr_result vkr_texel_rows_repeat(struct vkr_replay_work *work,
				      const struct vkr_texel_record *along,
				      const struct vkr_texel_record *across) VKR_MUST_USE;
