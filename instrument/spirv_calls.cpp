// SPDX-License-Identifier: Apache-2.0
// The one file in C++: SPIRV-Tools throws std::bad_alloc, which nothing in C can catch. What it had
// allocated until then is lost, since it is built without landing pads, and a static variable that
// it was just making is never made: who comes to it next waits for ever.
#include "spirv_calls.h"

#include <atomic>
#include <exception>

static std::atomic_bool has_thrown;

// What the call returns, or `failed` where it throws, or one has before.
template <typename Result, typename Call> static Result guard(Result failed, Call call)
{
	if (has_thrown)
		return failed;
	try {
		return call();
	} catch (const std::exception &) {
		has_thrown = true;
		return failed;
	}
}

spv_context vkr_spirv_context(spv_target_env environment)
{
	return guard<spv_context>(nullptr, [=] { return spvContextCreate(environment); });
}

spv_validator_options vkr_spirv_options(void)
{
	return guard<spv_validator_options>(nullptr, [] { return spvValidatorOptionsCreate(); });
}

spv_result_t vkr_spirv_read(spv_context context, void *user, const uint32_t *words,
			    size_t word_count, spv_parsed_header_fn_t on_header,
			    spv_parsed_instruction_fn_t on_instruction)
{
	return guard(SPV_ERROR_OUT_OF_MEMORY, [=] {
		return spvBinaryParse(context, user, words, word_count, on_header, on_instruction,
				      nullptr);
	});
}

spv_result_t vkr_spirv_check(spv_context context, spv_validator_options options,
			     const uint32_t *words, size_t word_count, spv_diagnostic *diagnostic)
{
	spv_const_binary_t binary = {words, word_count};
	return guard(SPV_ERROR_OUT_OF_MEMORY,
		     [&] { return spvValidateWithOptions(context, options, &binary, diagnostic); });
}

spv_result_t vkr_spirv_disassemble(spv_context context, const uint32_t *words, size_t word_count,
				   spv_text *text)
{
	return guard(SPV_ERROR_OUT_OF_MEMORY, [=] {
		return spvBinaryToText(context, words, word_count,
				       SPV_BINARY_TO_TEXT_OPTION_NO_HEADER |
					       SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
					       SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET,
				       text, nullptr);
	});
}
