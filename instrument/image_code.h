// SPDX-License-Identifier: Apache-2.0
// The words that an access to texels logs (struct vkr_texel). Knows images; not where words go.
#pragma once

#include "image_use.h"
#include "input_code.h"
#include "pointer_code.h"

// Appends to `code` what computes the words, and to `words` their ids (32-bit unsigned), as many as
// use->texel.words.
void vkr_image_code(const struct vkr_image_use *use, struct vkr_pointer_code *pointers,
		    const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
		    struct vkr_spirv_words *words);
