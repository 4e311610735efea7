// SPDX-License-Identifier: Apache-2.0
#include "vertex_inputs.h"

#include <stdlib.h>
#include <string.h>

// The SPIR-V specification's numbers.
enum {
	HEADER_WORDS = 5,
	BOUND = 3,
	OP_ENTRY_POINT = 15,
	OP_TYPE_INT = 21,
	OP_TYPE_FLOAT = 22,
	OP_TYPE_VECTOR = 23,
	OP_TYPE_MATRIX = 24,
	OP_TYPE_ARRAY = 28,
	OP_TYPE_POINTER = 32,
	OP_CONSTANT = 43,
	OP_FUNCTION = 54,
	OP_VARIABLE = 59,
	OP_DECORATE = 71,
	DECORATION_LOCATION = 30,
	MODEL_VERTEX = 0,
	CLASS_INPUT = 1,
};

struct id {
	uint32_t location; // UINT32_MAX: none
	uint32_t slots;    // locations that a type takes; of a pointer: its target's; 0: unknown
	uint32_t bits;     // of a scalar, or of a vector's component
	uint32_t value;    // of a constant
	bool constant, interface, input, used;
};

struct module {
	const uint32_t *words;
	size_t count;
	uint32_t bound;
	struct id *ids;
	bool in_function;
};

static struct id *id_of(struct module *module, uint32_t id)
{
	return &module->ids[id < module->bound ? id : 0];
}

// Marks the entry point's variables; the name stands before them.
static void enter(struct module *module, const uint32_t *at, uint32_t words, const char *name)
{
	const char *text = (const char *)(at + 3);
	const size_t room = (words - 3) * sizeof *at;
	const size_t length = strnlen(text, room);
	if (at[1] != MODEL_VERTEX || length == room || strcmp(text, name) != 0)
		return;
	for (size_t i = 3 + length / sizeof *at + 1; i < words; i++)
		id_of(module, at[i])->interface = true;
}

static void add_type(struct module *module, uint32_t op, const uint32_t *at)
{
	struct id *type = id_of(module, at[1]);
	const struct id *of = op == OP_TYPE_POINTER ? id_of(module, at[3]) : id_of(module, at[2]);
	switch (op) {
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT:
		*type = (struct id){.location = UINT32_MAX, .slots = 1, .bits = at[2]};
		return;
	case OP_TYPE_VECTOR: // of 64 bits each, more than two do not fit in one location
		type->slots = of->bits > 32 && at[3] > 2 ? 2 : 1;
		type->bits = of->bits;
		return;
	case OP_TYPE_MATRIX:
		type->slots = of->slots * at[3];
		return;
	case OP_TYPE_ARRAY:
		type->slots = id_of(module, at[3])->constant
				      ? of->slots * id_of(module, at[3])->value
				      : 0;
		return;
	default:
		type->slots = of->slots;
		return;
	}
}

static void read_instruction(struct module *module, const uint32_t *at, uint32_t words,
			     const char *entry_point)
{
	const uint32_t op = at[0] & 0xffff;
	struct id *made = NULL;
	if (op == OP_FUNCTION)
		module->in_function = true;
	for (uint32_t i = 1; module->in_function && i < words; i++)
		id_of(module, at[i])->used = true; // a literal that looks like an id: used too
	if (module->in_function)
		return;
	if (op == OP_ENTRY_POINT && words > 3) {
		enter(module, at, words, entry_point);
	} else if (op == OP_DECORATE && words > 3 && at[2] == DECORATION_LOCATION) {
		id_of(module, at[1])->location = at[3];
	} else if (op == OP_CONSTANT && words > 3) {
		made = id_of(module, at[2]);
		made->constant = true;
		made->value = at[3];
	} else if (op == OP_VARIABLE && words > 3 && at[3] == CLASS_INPUT) {
		made = id_of(module, at[2]);
		made->input = true;
		made->slots = id_of(module, at[1])->slots;
	} else if ((op == OP_TYPE_INT || op == OP_TYPE_FLOAT) && words > 2) {
		add_type(module, op, at);
	} else if ((op == OP_TYPE_VECTOR || op == OP_TYPE_MATRIX || op == OP_TYPE_ARRAY ||
		    op == OP_TYPE_POINTER) &&
		   words > 3) {
		add_type(module, op, at);
	}
}

static bool collect(const struct module *module, struct vkr_trace_shader_input *inputs,
		    uint32_t *count)
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

bool vkr_vertex_inputs(const uint32_t *words, size_t word_count, const char *entry_point,
		       struct vkr_trace_shader_input **inputs, uint32_t *count)
{
	struct module module = {.words = words, .count = word_count};
	bool known = false;
	*inputs = NULL;
	if (word_count < HEADER_WORDS)
		return false;
	module.bound = words[BOUND];
	module.ids = calloc(module.bound + (size_t)1, sizeof *module.ids);
	*inputs = calloc(module.bound + (size_t)1, sizeof **inputs);
	if (module.ids && *inputs) {
		for (uint32_t i = 0; i < module.bound; i++)
			module.ids[i].location = UINT32_MAX;
		for (size_t at = HEADER_WORDS; at < word_count;) {
			const uint32_t length = words[at] >> 16;
			if (length == 0 || length > word_count - at)
				break;
			read_instruction(&module, words + at, length, entry_point);
			at += length;
		}
		known = collect(&module, *inputs, count);
	}
	free(module.ids);
	if (!known) {
		free(*inputs);
		*inputs = NULL;
	}
	return known;
}
