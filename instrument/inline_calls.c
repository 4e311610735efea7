// SPDX-License-Identifier: Apache-2.0
#include "inline_calls.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

// Functions that come to more instructions are not written out.
#define INSTRUCTIONS_MOST 20000u
#define DEPTH_MOST        32u

struct writing {
	const struct vkr_module *module;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} words;
	struct {
		uint32_t *items; // by instruction written
		size_t count, capacity;
	} origins;
	struct {
		uint32_t *items; // by new id, from module->bound on: the old one
		size_t count, capacity;
	} old_ids;
	uint32_t bound;
	bool failed;   // for lack of memory
	bool too_long; // or nested too deeply, or otherwise not as it is expected
};

// A returned value, and the block that it comes from.
struct returned {
	uint32_t *items; // pairs
	size_t count, capacity;
};

// One function being written out.
struct frame {
	const struct vkr_function *function;
	uint32_t *ids;    // by id: the id that replaces it; 0: none, it stays
	uint32_t *behind; // by instruction of the function, counted from its first: of a call, the
			  // label after it
	uint32_t *last;   // by id of a label: the label that its block ends under
	uint32_t label;   // that is being written under
	uint32_t leave;   // label after the call; 0: the function is the outermost
	struct returned returned;
};

static uint32_t new_id(struct writing *writing, uint32_t old)
{
	if (!VKR_ARRAY_RESERVE(&writing->old_ids, 1)) {
		writing->failed = true;
		return 1;
	}
	writing->old_ids.items[writing->old_ids.count++] = old;
	return writing->bound++;
}

static uint32_t id_of(const struct frame *frame, uint32_t id)
{
	return frame->ids[id] ? frame->ids[id] : id;
}

static void inline_calls_put(struct writing *writing, const uint32_t *words, size_t count,
			     uint32_t origin)
{
	if (!VKR_ARRAY_RESERVE(&writing->words, count) ||
	    !VKR_ARRAY_RESERVE(&writing->origins, 1)) {
		writing->failed = true;
		return;
	}
	memcpy(writing->words.items + writing->words.count, words, count * sizeof *words);
	writing->words.count += count;
	writing->origins.items[writing->origins.count++] = origin;
	writing->too_long |= writing->origins.count > INSTRUCTIONS_MOST;
}

static uint32_t head_of(uint32_t opcode, size_t words)
{
	return (uint32_t)words << SpvWordCountShift | opcode;
}

static void put_label(struct writing *writing, struct frame *frame, uint32_t label, uint32_t origin)
{
	frame->label = label;
	inline_calls_put(writing, (const uint32_t[]){head_of(SpvOpLabel, 2), label}, 2, origin);
}

static void put_branch(struct writing *writing, uint32_t label)
{
	inline_calls_put(writing, (const uint32_t[]){head_of(SpvOpBranch, 2), label}, 2,
			 VKR_NO_ORIGIN);
}

// The instruction with the frame's ids.
static void inline_calls_copy(struct writing *writing, const struct frame *frame, uint32_t index)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_instruction *in = &module->instructions[index];
	const size_t at = writing->words.count;
	inline_calls_put(writing, &module->words[in->at], in->length, index);
	if (writing->failed)
		return;
	uint32_t *words = writing->words.items + at;
	if (in->result)
		words[in->type ? 2 : 1] = id_of(frame, in->result);
	for (uint16_t use = 0; use < in->use_count; use++) {
		const uint32_t word = module->uses[in->first_use + use];
		const uint32_t id = module->words[word];
		const bool is_from = in->opcode == SpvOpPhi && frame->last[id] != 0;
		words[word - in->at] = is_from ? frame->last[id] : id_of(frame, id);
	}
}

static const struct vkr_function *callee_of(const struct vkr_module *module,
					    const struct vkr_instruction *call)
{
	return vkr_module_function(module, vkr_module_word(module, call, 3));
}

static bool is_written_out(const struct vkr_module *module, const struct vkr_instruction *in)
{
	if (in->opcode != SpvOpFunctionCall)
		return false;
	const struct vkr_function *callee = callee_of(module, in);
	return callee && callee->body < callee->end;
}

bool vkr_has_calls(const struct vkr_module *module, const struct vkr_function *function)
{
	for (uint32_t i = function->first; i < function->end; i++)
		if (is_written_out(module, &module->instructions[i]))
			return true;
	return false;
}

// New ids for what the function defines (the outermost one keeps its own), and the labels that its
// blocks end under.
static bool begin_frame(struct writing *writing, struct frame *frame)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_function *function = frame->function;
	uint32_t label = 0;
	frame->last = calloc(module->bound, sizeof *frame->last);
	frame->behind = calloc(function->end - function->first, sizeof *frame->behind);
	if (!frame->last || !frame->behind)
		return false;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->result && frame->leave)
			frame->ids[in->result] = new_id(writing, in->result);
		if (in->opcode == SpvOpLabel) {
			label = in->result;
			frame->last[label] = id_of(frame, label);
		}
		// A loop's header is identified by its label.
		if (in->opcode == SpvOpLoopMerge && frame->last[label] != id_of(frame, label))
			writing->too_long = true;
		if (is_written_out(module, in)) {
			frame->behind[i - function->first] = new_id(writing, label);
			frame->last[label] = frame->behind[i - function->first];
		}
	}
	return true;
}

static void end_frame(struct frame *frame)
{
	free(frame->ids);
	free(frame->last);
	free(frame->behind);
	free(frame->returned.items);
}

static void write_body(struct writing *writing, struct frame *frame, uint32_t depth);

// The value that a call has: what it returned, by where from.
static void put_result(struct writing *writing, const struct frame *caller, uint32_t index,
		       const struct returned *returned)
{
	const struct vkr_instruction *call = &writing->module->instructions[index];
	const size_t count = 3 + returned->count;
	if (!returned->count)
		return;
	const uint32_t head[] = {head_of(SpvOpPhi, count), call->type, id_of(caller, call->result)};
	inline_calls_put(writing, head, 3, index);
	if (!VKR_ARRAY_RESERVE(&writing->words, returned->count)) {
		writing->failed = true;
		return;
	}
	memcpy(writing->words.items + writing->words.count, returned->items,
	       returned->count * sizeof *returned->items);
	writing->words.count += returned->count;
}

static void write_call(struct writing *writing, struct frame *caller, uint32_t index,
		       uint32_t depth)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_instruction *call = &module->instructions[index];
	struct frame frame = {.function = callee_of(module, call),
			      .ids = calloc(module->bound, sizeof *frame.ids),
			      .leave = caller->behind[index - caller->function->first]};
	uint32_t word = 4;
	writing->too_long |= depth == DEPTH_MOST;
	writing->failed |= !frame.ids;
	for (uint32_t i = frame.function->first; frame.ids && i < frame.function->body; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpFunctionParameter && word < call->length)
			frame.ids[in->result] =
				id_of(caller, vkr_module_word(module, call, word++));
	}
	if (!writing->failed && !writing->too_long) {
		writing->failed |= !begin_frame(writing, &frame);
		if (!writing->failed) {
			put_branch(
				writing,
				id_of(&frame, module->instructions[frame.function->body].result));
			write_body(writing, &frame, depth + 1);
			put_label(writing, caller, frame.leave, VKR_NO_ORIGIN);
			put_result(writing, caller, index, &frame.returned);
		}
	}
	end_frame(&frame);
}

static void note_return(struct writing *writing, struct frame *frame, uint32_t value)
{
	if (!VKR_ARRAY_RESERVE(&frame->returned, 2)) {
		writing->failed = true;
		return;
	}
	frame->returned.items[frame->returned.count++] = value;
	frame->returned.items[frame->returned.count++] = frame->label;
}

static void write_body(struct writing *writing, struct frame *frame, uint32_t depth)
{
	const struct vkr_module *module = writing->module;
	for (uint32_t i = frame->function->body; i < frame->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (writing->failed || writing->too_long)
			return;
		if (is_written_out(module, in)) {
			write_call(writing, frame, i, depth);
		} else if (in->opcode == SpvOpLabel) {
			put_label(writing, frame, id_of(frame, in->result), i);
		} else if (frame->leave && in->opcode == SpvOpReturn) {
			put_branch(writing, frame->leave);
		} else if (frame->leave && in->opcode == SpvOpReturnValue) {
			note_return(writing, frame, id_of(frame, vkr_module_word(module, in, 1)));
			put_branch(writing, frame->leave);
		} else if (in->opcode != SpvOpFunctionEnd) {
			inline_calls_copy(writing, frame, i);
		}
	}
}

// All but functions as it is, and the function with its calls written out.
static bool write_module(struct writing *writing, const struct vkr_function *function)
{
	const struct vkr_module *module = writing->module;
	struct frame frame = {.function = function,
			      .ids = calloc(module->bound, sizeof *frame.ids)};
	bool done = frame.ids && begin_frame(writing, &frame);
	if (done && VKR_ARRAY_RESERVE(&writing->words, VKR_SPIRV_HEADER_WORDS)) {
		memcpy(writing->words.items, module->words,
		       VKR_SPIRV_HEADER_WORDS * sizeof *module->words);
		writing->words.count = VKR_SPIRV_HEADER_WORDS;
		for (uint32_t i = 0; i < module->first_function; i++)
			inline_calls_put(writing, &module->words[module->instructions[i].at],
					 module->instructions[i].length, i);
		for (uint32_t i = function->first; i < function->body; i++)
			inline_calls_put(writing, &module->words[module->instructions[i].at],
					 module->instructions[i].length, i);
		write_body(writing, &frame, 0);
		inline_calls_put(writing, (const uint32_t[]){head_of(SpvOpFunctionEnd, 1)}, 1,
				 VKR_NO_ORIGIN);
		writing->words.items[3] = writing->bound;
	} else {
		done = false;
	}
	end_frame(&frame);
	return done && !writing->failed;
}

// Copies the written words to the arena and reads them. New ids have the decorations of the ids
// that they replace.
static enum vkr_result inline_calls_take(const struct writing *writing, struct vkr_arena *arena,
					 uint32_t environment, struct vkr_inlined *inlined,
					 struct vkr_error *error)
{
	const size_t bytes = writing->words.count * sizeof *writing->words.items;
	const size_t origin_bytes = writing->origins.count * sizeof *inlined->origins;
	uint32_t *words = vkr_arena_alloc(arena, bytes);
	inlined->origins = vkr_arena_alloc(arena, origin_bytes);
	if (!words || !inlined->origins)
		return vkr_error_memory(error, "functions");
	memcpy(words, writing->words.items, bytes);
	memcpy(inlined->origins, writing->origins.items, origin_bytes);
	const enum vkr_result result = vkr_module_read(&inlined->module, arena, words,
						       writing->words.count, environment, error);
	if (result != VKR_OK)
		return result;
	for (size_t i = 0; i < writing->old_ids.count; i++)
		inlined->module.ids[writing->module->bound + i].decorations =
			inlined->module.ids[writing->old_ids.items[i]].decorations;
	return VKR_OK;
}

enum vkr_result vkr_inline_calls(const struct vkr_module *module,
				 const struct vkr_function *function, struct vkr_arena *arena,
				 uint32_t environment, struct vkr_inlined *inlined, bool *fits,
				 struct vkr_error *error)
{
	struct writing writing = {.module = module, .bound = module->bound};
	enum vkr_result result = VKR_OK;
	const bool done = write_module(&writing, function);
	*fits = done && !writing.too_long;
	if (!done && writing.failed)
		result = vkr_error_memory(error, "functions");
	else if (*fits)
		result = inline_calls_take(&writing, arena, environment, inlined, error);
	free(writing.words.items);
	free(writing.origins.items);
	free(writing.old_ids.items);
	return result;
}
