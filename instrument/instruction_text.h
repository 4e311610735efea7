// SPDX-License-Identifier: Apache-2.0
// An instruction of a module as text, for modules without lines of source. Knows SPIRV-Tools'
// disassembler; not what the instruction does.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The instruction that begins at a word of the module, after those of its function whose results
// are its operands, a line each, with the names that the module gives: implements
// vkr_instruction_words (model.h). To be freed; NULL where no instruction begins there, the module
// is none, or memory is lacking.
char *vkr_instruction_text(void *user, const uint32_t *words, size_t word_count, uint32_t word);
