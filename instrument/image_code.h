// SPDX-License-Identifier: Apache-2.0
// The words that an access to texels logs (struct vkr_texel). Knows images; not where words go.
#pragma once

#include "image_use.h"
#include "input_code.h"
#include "pointer_code.h"

// Appends to `code` what computes the operands of a function of log_texel_marks.h behind the first,
// of a site that suits it (texel_marks.h), and to `words` their ids. `level`: the word that it logs
// of its level; 0: none.
void vkr_image_mark_code(const struct vkr_image_use *use, const struct vkr_inputs *inputs,
			 uint32_t level, struct vkr_spirv_words *code,
			 struct vkr_spirv_words *words);

// Appends to `code` what computes the words, and to `words` their ids (32-bit unsigned), as many as
// use->texel.words.
void vkr_image_code(const struct vkr_image_use *use, struct vkr_pointer_code *pointers,
		    const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
		    struct vkr_spirv_words *words);
