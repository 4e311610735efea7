// SPDX-License-Identifier: Apache-2.0
#include "debug_lines.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

static void forget(struct vkr_line_reader *reader)
{
	reader->file = "";
	reader->line = reader->column = 0;
}

static const char *string_of(const struct vkr_module *module, uint32_t id)
{
	if (!module->ids[id].instruction)
		return "";
	const struct vkr_instruction *def = vkr_module_definition(module, id);
	return def->opcode == SpvOpString ? vkr_module_string(module, def, 2) : "";
}

static bool is_debug_info(const struct vkr_instruction *in)
{
	return in->opcode == SpvOpExtInst && in->ext_set == VKR_EXT_SHADER_DEBUG_INFO;
}

// The file of a DebugSource.
static const char *source_file(const struct vkr_module *module, uint32_t id)
{
	if (!module->ids[id].instruction)
		return "";
	const struct vkr_instruction *def = vkr_module_definition(module, id);
	if (!is_debug_info(def) || def->length < 6 ||
	    vkr_module_word(module, def, 4) != NonSemanticShaderDebugInfo100DebugSource)
		return "";
	return string_of(module, vkr_module_word(module, def, 5));
}

void vkr_line_reader_step(struct vkr_line_reader *reader, const struct vkr_instruction *in)
{
	const struct vkr_module *module = reader->constants->module;
	switch (in->opcode) {
	case SpvOpLine:
		reader->file = string_of(module, vkr_module_word(module, in, 1));
		reader->line = vkr_module_word(module, in, 2);
		reader->column = vkr_module_word(module, in, 3);
		break;
	case SpvOpNoLine:
	case SpvOpLabel: // a line holds to the end of its block (SPIR-V 3.42.3)
	case SpvOpFunction:
		forget(reader);
		break;
	case SpvOpExtInst: {
		uint32_t kind = vkr_module_word(module, in, 4);
		if (!is_debug_info(in))
			break;
		if (kind == NonSemanticShaderDebugInfo100DebugNoLine)
			forget(reader);
		if (kind != NonSemanticShaderDebugInfo100DebugLine || in->length < 10)
			break;
		uint64_t line = 0, column = 0;
		vkr_constant_value(reader->constants, vkr_module_word(module, in, 6), &line);
		vkr_constant_value(reader->constants, vkr_module_word(module, in, 8), &column);
		reader->file = source_file(module, vkr_module_word(module, in, 5));
		reader->line = (uint32_t)line;
		reader->column = (uint32_t)column;
		break;
	}
	default:
		break;
	}
}

const char *vkr_line_main_file(const struct vkr_module *module)
{
	for (uint32_t i = 0; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		const char *name = "";
		if (in->opcode == SpvOpSource && in->length > 3)
			name = string_of(module, vkr_module_word(module, in, 3));
		else if (is_debug_info(in))
			name = source_file(module, in->result);
		if (*name)
			return name;
	}
	return "";
}
