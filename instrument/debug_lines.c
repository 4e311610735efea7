// SPDX-License-Identifier: Apache-2.0
#include "debug_lines.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

static const struct vkr_line unknown = {.file = ""};

// Passes the current line on to the blocks that a merge instruction or a branch names. In
// structured control flow, the block that names a merge block dominates it, and a block with one
// predecessor is dominated by that. Blocks appear after those that dominate them.
static void hand_on(struct vkr_line_reader *reader, const struct vkr_instruction *in)
{
	const struct vkr_module *module = reader->constants->module;
	for (uint16_t use = 0; use < in->use_count; use++) {
		const uint32_t id = module->words[module->uses[in->first_use + use]];
		if (vkr_module_definition(module, id)->opcode == SpvOpLabel &&
		    !reader->blocks[id].file)
			reader->blocks[id] = reader->at;
	}
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

// NonSemantic.Shader.DebugInfo.100.
static void read_debug_info(struct vkr_line_reader *reader, const struct vkr_instruction *in)
{
	const struct vkr_module *module = reader->constants->module;
	const uint32_t kind = vkr_module_word(module, in, 4);
	uint64_t line = 0, column = 0;
	if (kind == NonSemanticShaderDebugInfo100DebugNoLine)
		reader->at = unknown;
	if (kind != NonSemanticShaderDebugInfo100DebugLine || in->length < 10)
		return;
	vkr_constant_value(reader->constants, vkr_module_word(module, in, 6), &line);
	vkr_constant_value(reader->constants, vkr_module_word(module, in, 8), &column);
	reader->at = (struct vkr_line){source_file(module, vkr_module_word(module, in, 5)),
				       (uint32_t)line, (uint32_t)column};
}

void vkr_line_reader_step(struct vkr_line_reader *reader, const struct vkr_instruction *in)
{
	const struct vkr_module *module = reader->constants->module;
	switch (in->opcode) {
	case SpvOpLine:
		reader->at = (struct vkr_line){string_of(module, vkr_module_word(module, in, 1)),
					       vkr_module_word(module, in, 2),
					       vkr_module_word(module, in, 3)};
		break;
	case SpvOpNoLine:
	case SpvOpFunction:
		reader->at = unknown;
		break;
	case SpvOpLabel:
		reader->at = reader->blocks[in->result].file ? reader->blocks[in->result] : unknown;
		break;
	case SpvOpSelectionMerge:
	case SpvOpLoopMerge:
	case SpvOpBranch:
	case SpvOpBranchConditional:
	case SpvOpSwitch:
		hand_on(reader, in);
		break;
	case SpvOpExtInst:
		if (is_debug_info(in))
			read_debug_info(reader, in);
		break;
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
