// SPDX-License-Identifier: Apache-2.0
// Which outputs each invocation of a patch keeps to itself. Knows access chains; not what is done
// through them.
#include "analysis.h"

static bool is_invocation_id(const struct vkr_module *module, uint32_t id)
{
	const struct vkr_instruction *load = vkr_module_definition(module, id);
	uint32_t builtin;
	return load->opcode == SpvOpLoad &&
	       vkr_module_decorated(module, vkr_module_word(module, load, 3), VKR_NO_MEMBER,
				    SpvDecorationBuiltIn, &builtin) &&
	       builtin == SpvBuiltInInvocationId;
}

// The Output variable that a used id names; 0: it names none.
static uint32_t output_of(const struct vkr_module *module, uint32_t id)
{
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	return in && in->opcode == SpvOpVariable &&
			       vkr_module_word(module, in, 3) == SpvStorageClassOutput
		       ? id
		       : 0;
}

// Whether the use begins an access chain whose first index differs between invocations.
static bool is_own_use(const struct vkr_module *module, const struct vkr_instruction *in,
		       uint32_t variable)
{
	return vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) &&
	       vkr_module_word(module, in, 3) == variable && in->length > 4 &&
	       is_invocation_id(module, vkr_module_word(module, in, 4));
}

bool vkr_analysis_outputs(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	analysis->shared_outputs = vkr_arena_alloc(analysis->arena, module->bound);
	if (!analysis->shared_outputs)
		return false;
	for (size_t f = 0; f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->first; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			for (uint16_t u = 0; u < in->use_count; u++) {
				uint32_t variable = output_of(
					module, module->words[module->uses[in->first_use + u]]);
				if (variable && !is_own_use(module, in, variable))
					analysis->shared_outputs[variable] = true;
			}
		}
	}
	return true;
}
