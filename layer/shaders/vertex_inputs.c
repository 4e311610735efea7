// SPDX-License-Identifier: Apache-2.0
#include "vertex_inputs.h"

#include "spirv_stream.h"

#include <stdlib.h>
#include <string.h>

#define BOUND 3 // the header's word

struct id {
	uint32_t location; // UINT32_MAX: none
	uint32_t slots;    // locations that a type takes; of a pointer: its target's; 0: unknown
	uint32_t bits;     // of a scalar, or of a vector's component
	uint32_t value;    // of a constant
	bool constant, interface, input, used;
	// Of a captured output. Bytes of a type without padding; 0: unknown.
	uint32_t bytes, buffer, stride, offset;
	bool output, captured, has_offset;
	bool member_offsets; // of a block: its members may be captured
};

struct module {
	const uint32_t *words;
	size_t count;
	uint32_t bound;
	uint32_t model; // of the entry point
	struct id *ids;
	bool in_function;
};

static struct id *id_of(struct module *module, uint32_t id)
{
	return &module->ids[id < module->bound ? id : 0];
}

// Marks the entry point's variables; the name stands before them.
static void enter_input(struct module *module, const uint32_t *at, uint32_t words, const char *name)
{
	const char *text = (const char *)(at + 3);
	const size_t room = (words - 3) * sizeof *at;
	const size_t length = strnlen(text, room);
	if (at[1] != module->model || length == room || strcmp(text, name) != 0)
		return;
	for (size_t i = 3 + length / sizeof *at + 1; i < words; i++)
		id_of(module, at[i])->interface = true;
}

static void add_type(struct module *module, uint32_t op, const uint32_t *at)
{
	struct id *type = id_of(module, at[1]);
	const struct id *of = op == SpvOpTypePointer ? id_of(module, at[3]) : id_of(module, at[2]);
	switch (op) {
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		*type = (struct id){
			.location = UINT32_MAX, .slots = 1, .bits = at[2], .bytes = at[2] / 8};
		return;
	case SpvOpTypeVector: // of 64 bits each, more than two do not fit in one location
		type->slots = of->bits > 32 && at[3] > 2 ? 2 : 1;
		type->bits = of->bits;
		type->bytes = of->bytes * at[3];
		return;
	case SpvOpTypeMatrix:
		type->slots = of->slots * at[3];
		type->bytes = of->bytes * at[3];
		return;
	case SpvOpTypeArray:
		type->slots = id_of(module, at[3])->constant
				      ? of->slots * id_of(module, at[3])->value
				      : 0;
		type->bytes = type->slots != 0 ? of->bytes * id_of(module, at[3])->value : 0;
		return;
	default:
		type->slots = of->slots;
		type->bytes = of->bytes;
		type->member_offsets = of->member_offsets;
		return;
	}
}

static void vertex_inputs_decorate(struct module *module, const uint32_t *at)
{
	struct id *id = id_of(module, at[1]);
	switch (at[2]) {
	case SpvDecorationLocation:
		id->location = at[3];
		return;
	case SpvDecorationOffset:
		id->offset = at[3];
		id->has_offset = true;
		return;
	case SpvDecorationXfbBuffer:
		id->buffer = at[3];
		id->captured = true;
		return;
	case SpvDecorationXfbStride:
		id->stride = at[3];
		return;
	default:
		return;
	}
}

static void vertex_inputs_declare(struct module *module, const uint32_t *at)
{
	struct id *variable = id_of(module, at[2]);
	const struct id *pointer = id_of(module, at[1]);
	variable->input = at[3] == SpvStorageClassInput;
	variable->output = at[3] == SpvStorageClassOutput;
	variable->slots = pointer->slots;
	variable->bytes = pointer->bytes;
	variable->member_offsets = pointer->member_offsets;
}

static void read_instruction(struct module *module, const uint32_t *at, uint32_t words,
			     const char *entry_point)
{
	const uint32_t op = at[0] & SpvOpCodeMask;
	struct id *made = NULL;
	if (op == SpvOpFunction)
		module->in_function = true;
	for (uint32_t i = 1; module->in_function && i < words; i++)
		id_of(module, at[i])->used = true; // a literal that looks like an id: used too
	if (module->in_function)
		return;
	if (op == SpvOpEntryPoint && words > 3) {
		enter_input(module, at, words, entry_point);
	} else if (op == SpvOpDecorate && words > 3) {
		vertex_inputs_decorate(module, at);
	} else if (op == SpvOpMemberDecorate && words > 3 && at[3] == SpvDecorationOffset) {
		id_of(module, at[1])->member_offsets = true;
	} else if (op == SpvOpConstant && words > 3) {
		made = id_of(module, at[2]);
		made->constant = true;
		made->value = at[3];
	} else if (op == SpvOpVariable && words > 3) {
		vertex_inputs_declare(module, at);
	} else if (((op == SpvOpTypeInt || op == SpvOpTypeFloat) && words > 2) ||
		   ((op == SpvOpTypeVector || op == SpvOpTypeMatrix || op == SpvOpTypeArray ||
		     op == SpvOpTypePointer) &&
		    words > 3)) {
		add_type(module, op, at);
	}
}

static bool vertex_inputs_collect(const struct module *module,
				  struct vkr_trace_shader_input *inputs, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 1; i < module->bound; i++) {
		const struct id *id = &module->ids[i];
		if (!id->input || !id->interface || !id->used || id->location == UINT32_MAX)
			continue;
		if (id->slots == 0)
			return false;
		inputs[(*count)++] = (struct vkr_trace_shader_input){id->location, id->slots};
	}
	return true;
}

// Reads the module into ids; false for lack of memory.
static bool read_module(struct module *module, const char *entry_point)
{
	if (module->count < VKR_SPIRV_HEADER_WORDS)
		return false;
	module->bound = module->words[BOUND];
	module->ids = calloc(module->bound + (size_t)1, sizeof *module->ids);
	if (!module->ids)
		return false;
	for (uint32_t i = 0; i < module->bound; i++)
		module->ids[i].location = UINT32_MAX;
	struct vkr_spirv_stream stream = vkr_spirv_stream_of(module->words, module->count);
	while (vkr_spirv_stream_next(&stream))
		read_instruction(module, stream.in, stream.length, entry_point);
	return true;
}

bool vkr_vertex_inputs(const uint32_t *words, size_t word_count, const char *entry_point,
		       struct vkr_trace_shader_input **inputs, uint32_t *count)
{
	struct module module = {.words = words, .count = word_count};
	bool known = read_module(&module, entry_point);
	*inputs = known ? calloc(module.bound + (size_t)1, sizeof **inputs) : NULL;
	known = *inputs && vertex_inputs_collect(&module, *inputs, count);
	free(module.ids);
	if (!known) {
		free(*inputs);
		*inputs = NULL;
	}
	return known;
}

static bool collect_captures(const struct module *module, struct vkr_trace_capture *captures,
			     uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 1; i < module->bound; i++) {
		const struct id *id = &module->ids[i];
		if (!id->output || !id->interface)
			continue;
		if (id->member_offsets)
			return false;
		if (!id->captured || !id->has_offset)
			continue;
		if (id->bytes == 0 || id->stride == 0)
			return false;
		captures[(*count)++] = (struct vkr_trace_capture){.buffer = id->buffer,
								  .stride = id->stride,
								  .offset = id->offset,
								  .bytes = id->bytes};
	}
	return true;
}

bool vkr_vertex_captures(const uint32_t *words, size_t word_count, const char *entry_point,
			 VkShaderStageFlagBits stage, struct vkr_trace_capture **captures,
			 uint32_t *count)
{
	struct module module = {.words = words,
				.count = word_count,
				.model = stage == VK_SHADER_STAGE_VERTEX_BIT
						 ? SpvExecutionModelVertex
					 : stage == VK_SHADER_STAGE_GEOMETRY_BIT
						 ? SpvExecutionModelGeometry
						 : SpvExecutionModelTessellationEvaluation};
	bool known = read_module(&module, entry_point);
	*captures = known ? calloc(module.bound + (size_t)1, sizeof **captures) : NULL;
	known = *captures && collect_captures(&module, *captures, count);
	free(module.ids);
	if (!known) {
		free(*captures);
		*captures = NULL;
	}
	return known;
}
