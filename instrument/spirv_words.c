// SPDX-License-Identifier: Apache-2.0
#include "spirv_words.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

void vkr_spirv_words_raw(struct vkr_spirv_words *words, const uint32_t *items, size_t count)
{
	if (words->failed || !VKR_ARRAY_RESERVE(words, count)) {
		words->failed = true;
		return;
	}
	if (count)
		memcpy(words->items + words->count, items, count * sizeof *items);
	words->count += count;
}

void vkr_spirv_words_put(struct vkr_spirv_words *words, SpvOp opcode, const uint32_t *operands,
			 size_t count)
{
	uint32_t first = (uint32_t)(count + 1) << SpvWordCountShift | (uint32_t)opcode;
	vkr_spirv_words_raw(words, &first, 1);
	vkr_spirv_words_raw(words, operands, count);
}

void vkr_spirv_words_put_string(struct vkr_spirv_words *words, SpvOp opcode,
				const uint32_t *operands, size_t count, const char *text)
{
	size_t length = strlen(text), text_words = length / 4 + 1;
	uint32_t first = (uint32_t)(count + text_words + 1) << SpvWordCountShift | (uint32_t)opcode;
	vkr_spirv_words_raw(words, &first, 1);
	vkr_spirv_words_raw(words, operands, count);
	for (size_t i = 0; i < text_words; i++) {
		uint32_t word = 0;
		size_t left = length - i * 4;
		memcpy(&word, text + i * 4, left < 4 ? left : 4);
		vkr_spirv_words_raw(words, &word, 1);
	}
}

static uint32_t find_definition(const uint32_t *words, size_t count, SpvOp opcode,
				const uint32_t *operands, size_t operand_count)
{
	for (size_t at = 0; at < count; at += words[at] >> SpvWordCountShift) {
		if ((words[at] & SpvOpCodeMask) == (uint32_t)opcode &&
		    words[at] >> SpvWordCountShift == operand_count + 2 &&
		    (!operand_count ||
		     !memcmp(&words[at + 2], operands, operand_count * sizeof *operands)))
			return words[at + 1];
	}
	return 0;
}

static uint32_t find_in_module(const struct vkr_module *module, SpvOp opcode,
			       const uint32_t *operands, size_t count)
{
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != opcode)
			continue;
		uint32_t id = find_definition(&module->words[in->at], in->length, opcode, operands,
					      count);
		if (id)
			return id;
	}
	return 0;
}

void vkr_maker_init(struct vkr_maker *maker, const struct vkr_module *module)
{
	*maker = (struct vkr_maker){.module = module, .next_id = module->bound};
	maker->uint_type = find_in_module(module, SpvOpTypeInt, (const uint32_t[]){32, 0}, 2);
	if (!maker->uint_type) {
		maker->uint_type = vkr_maker_id(maker);
		maker->makes_uint = true;
	}
}

void vkr_maker_finish(struct vkr_maker *maker)
{
	free(maker->globals.items);
	free(maker->annotations.items);
}

uint32_t vkr_maker_id(struct vkr_maker *maker)
{
	return maker->next_id++;
}

uint32_t vkr_maker_type(struct vkr_maker *maker, SpvOp opcode, const uint32_t *operands,
			size_t count)
{
	uint32_t id = find_in_module(maker->module, opcode, operands, count);
	if (!id)
		id = find_definition(maker->globals.items, maker->globals.count, opcode, operands,
				     count);
	if (id)
		return id;
	id = vkr_maker_id(maker);
	uint32_t first = (uint32_t)(count + 2) << SpvWordCountShift | (uint32_t)opcode;
	vkr_spirv_words_raw(&maker->globals, (const uint32_t[]){first, id}, 2);
	vkr_spirv_words_raw(&maker->globals, operands, count);
	return id;
}

uint32_t vkr_maker_vector(struct vkr_maker *maker, uint32_t component, uint32_t count)
{
	return vkr_maker_type(maker, SpvOpTypeVector, (const uint32_t[]){component, count}, 2);
}

uint32_t vkr_maker_pointer(struct vkr_maker *maker, SpvStorageClass storage_class, uint32_t type)
{
	// A pointer type of the module's own may be decorated: always a new one.
	const uint32_t operands[] = {(uint32_t)storage_class, type};
	uint32_t id = find_definition(maker->globals.items, maker->globals.count, SpvOpTypePointer,
				      operands, 2);
	if (id)
		return id;
	id = vkr_maker_id(maker);
	VKR_PUT(&maker->globals, SpvOpTypePointer, id, operands[0], operands[1]);
	return id;
}

uint32_t vkr_maker_variable(struct vkr_maker *maker, SpvStorageClass storage_class, uint32_t type,
			    uint32_t initializer)
{
	uint32_t pointer = vkr_maker_pointer(maker, storage_class, type);
	uint32_t id = vkr_maker_id(maker);
	if (initializer)
		VKR_PUT(&maker->globals, SpvOpVariable, pointer, id, (uint32_t)storage_class,
			initializer);
	else
		VKR_PUT(&maker->globals, SpvOpVariable, pointer, id, (uint32_t)storage_class);
	return id;
}

uint32_t vkr_maker_integer(struct vkr_maker *maker, uint32_t type, uint64_t value)
{
	const struct vkr_instruction *def =
		type < maker->module->bound ? vkr_module_definition(maker->module, type) : NULL;
	bool is_wide = def && vkr_module_word(maker->module, def, 2) == 64;
	const uint32_t operands[] = {(uint32_t)value, (uint32_t)(value >> 32)};
	uint32_t words = is_wide ? 2 : 1;
	const uint32_t *items = maker->globals.items;
	for (size_t at = 0; at < maker->globals.count; at += items[at] >> SpvWordCountShift) {
		if (items[at] == ((3 + words) << SpvWordCountShift | SpvOpConstant) &&
		    items[at + 1] == type &&
		    !memcmp(&items[at + 3], operands, words * sizeof *operands))
			return items[at + 2];
	}
	uint32_t id = vkr_maker_id(maker);
	uint32_t first = (3 + words) << SpvWordCountShift | (uint32_t)SpvOpConstant;
	vkr_spirv_words_raw(&maker->globals, (const uint32_t[]){first, type, id}, 3);
	vkr_spirv_words_raw(&maker->globals, operands, words);
	return id;
}

uint32_t vkr_maker_uint(struct vkr_maker *maker, uint32_t value)
{
	return vkr_maker_integer(maker, maker->uint_type, value);
}

uint32_t vkr_maker_unary(struct vkr_maker *maker, struct vkr_spirv_words *code, SpvOp opcode,
			 uint32_t type, uint32_t a)
{
	const uint32_t id = vkr_maker_id(maker);
	VKR_PUT(code, opcode, type, id, a);
	return id;
}

uint32_t vkr_maker_binary(struct vkr_maker *maker, struct vkr_spirv_words *code, SpvOp opcode,
			  uint32_t type, uint32_t a, uint32_t b)
{
	const uint32_t id = vkr_maker_id(maker);
	VKR_PUT(code, opcode, type, id, a, b);
	return id;
}
