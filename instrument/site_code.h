// SPDX-License-Identifier: Apache-2.0
// The words that one site logs, computed from the program's own values.
// Knows places and atomics, not where the words go.
#pragma once

#include "input_code.h"
#include "pointer_code.h"

// Appends to `code` what computes the site's words, and to `words` their ids (32-bit unsigned), as
// many as draft->site.words. `inputs` are the entry point's.
void vkr_site_code(struct vkr_pointer_code *pointers, const struct vkr_inputs *inputs,
		   const struct vkr_site_draft *draft, struct vkr_spirv_words *code,
		   struct vkr_spirv_words *words);

// Appends the words that identify a place's descriptor (vkr_descriptor_words).
void vkr_descriptor_code(struct vkr_pointer_code *pointers, const struct vkr_pointer_target *place,
			 struct vkr_spirv_words *code, struct vkr_spirv_words *words);

// Appends the words of a value that a summary needs: booleans and integers, or a vector of these.
void vkr_value_code(struct vkr_pointer_code *pointers, uint32_t value, struct vkr_spirv_words *code,
		    struct vkr_spirv_words *words);

// The code that computes a place's words, and their ids. The place is in one variable, or in one of
// several.
void vkr_pointer_target_code(struct vkr_pointer_code *pointers,
			     const struct vkr_pointer_target *place, struct vkr_spirv_words *code,
			     uint32_t words[VKR_POINTER_WORDS]);

// Appends what converts an index of this integer type into a 32-bit unsigned number; returns its
// id.
uint32_t vkr_index_word(struct vkr_maker *maker, struct vkr_spirv_words *code, uint32_t type,
			uint32_t index);

// Appends the code that converts a sum of indices; returns its id.
uint32_t vkr_sum_word(struct vkr_maker *maker, struct vkr_spirv_words *code,
		      const struct vkr_sum *sum);
