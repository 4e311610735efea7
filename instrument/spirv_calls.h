// SPDX-License-Identifier: Apache-2.0
// The calls into SPIRV-Tools that allocate. They fail for lack of memory, as C functions do; after
// that every later call in the process fails too, because the library cannot continue. Knows
// nothing of what is read or checked.
#pragma once

#include <spirv-tools/libspirv.h>

#ifdef __cplusplus
extern "C" {
#endif

// NULL for lack of memory.
spv_context vkr_spirv_context(spv_target_env environment);
spv_validator_options vkr_spirv_options(void);

// SPV_ERROR_OUT_OF_MEMORY for lack of memory.
spv_result_t vkr_spirv_read(spv_context context, void *user, const uint32_t *words,
			    size_t word_count, spv_parsed_header_fn_t on_header,
			    spv_parsed_instruction_fn_t on_instruction);
spv_result_t vkr_spirv_check(spv_context context, spv_validator_options options,
			     const uint32_t *words, size_t word_count, spv_diagnostic *diagnostic);

// With names in place of ids and, after each instruction, its offset in bytes.
spv_result_t vkr_spirv_disassemble(spv_context context, const uint32_t *words, size_t word_count,
				   spv_text *text);

#ifdef __cplusplus
}
#endif
