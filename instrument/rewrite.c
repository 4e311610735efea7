// SPDX-License-Identifier: Apache-2.0
#include "rewrite.h"

#include "block_source.h"
#include "error.h"
#include "heap_code.h"
#include "image_code.h"
#include "log_code.h"
#include "log_readers.h"
#include "log_texel_marks.h"
#include "read_groups.h"
#include "site_code.h"

#include <stdlib.h>
#include <string.h>

#define SPIRV_1_3 0x00010300u
#define SPIRV_1_4 0x00010400u
#define SPIRV_1_5 0x00010500u

struct rewriting {
	const struct vkr_analysis *analysis;
	const struct vkr_module *module;
	struct vkr_maker maker;
	struct vkr_log_code log;
	struct vkr_push_block push;
	struct vkr_pointer_code pointers;
	struct vkr_heap_code heap;
	uint32_t groups_variable;        // the module's NumWorkgroups variable, 0 none
	struct vkr_spirv_words code;     // the program's functions
	struct vkr_spirv_words words;    // scratch: a record's word ids
	struct vkr_spirv_words operands; // likewise: those of a call
	struct vkr_spirv_words out;
	struct vkr_error *error;
};

// The base variable of a pointer to NumWorkgroups, through access chains and copies.
static bool leads_to_groups(const struct rewriting *rewriting, uint32_t pointer)
{
	while (rewriting->groups_variable) {
		const struct vkr_instruction *in =
			vkr_module_definition(rewriting->module, pointer);
		if (in->result == rewriting->groups_variable)
			return true;
		if (!vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) && in->opcode != SpvOpCopyObject)
			return false;
		pointer = vkr_module_word(rewriting->module, in, 3);
	}
	return false;
}

// Whether a reached function reads NumWorkgroups; an error where it does so in a way that cannot be
// patched.
static enum vkr_result find_groups(struct rewriting *rewriting, bool *is_read)
{
	const struct vkr_analysis *analysis = rewriting->analysis;
	const struct vkr_module *module = rewriting->module;
	*is_read = false;
	if (analysis->identity)
		return VKR_OK;
	rewriting->groups_variable =
		vkr_input_find(analysis, SpvBuiltInNumWorkgroups, VKR_INPUT_UVEC3);
	for (size_t f = 0; rewriting->groups_variable && f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->first; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			bool passes_on = vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) ||
					 in->opcode == SpvOpCopyObject;
			for (uint16_t u = 0; u < in->use_count && !passes_on; u++) {
				uint32_t id = module->words[module->uses[in->first_use + u]];
				if (!leads_to_groups(rewriting, id))
					continue;
				*is_read = true;
				if (in->opcode != SpvOpLoad)
					return vkr_error_set(
						rewriting->error, VKR_ERROR_UNSUPPORTED,
						"SPIR-V word %u: Op%s of NumWorkgroups", in->at,
						vkr_spirv_opcode_name(in->opcode));
			}
		}
	}
	return VKR_OK;
}

// A load of NumWorkgroups, or of one of its components, from the whole dispatch's size instead.
static void load_groups(struct rewriting *rewriting, const struct vkr_instruction *in)
{
	const struct vkr_module *module = rewriting->module;
	struct vkr_maker *maker = &rewriting->maker;
	struct vkr_spirv_words *code = &rewriting->code;
	const struct vkr_instruction *type = vkr_module_definition(module, in->type);
	bool is_vector = type->opcode == SpvOpTypeVector;
	uint32_t whole = vkr_maker_id(maker), value = whole;
	VKR_PUT(code, SpvOpLoad, rewriting->log.types.uvec3, whole, rewriting->log.groups);
	if (!is_vector) {
		const struct vkr_instruction *chain =
			vkr_module_definition(module, vkr_module_word(module, in, 3));
		while (chain->opcode == SpvOpCopyObject)
			chain = vkr_module_definition(module, vkr_module_word(module, chain, 3));
		value = vkr_maker_id(maker);
		VKR_PUT(code, SpvOpVectorExtractDynamic, maker->uint_type, value, whole,
			vkr_module_word(module, chain, 4));
	}
	bool is_same = in->type == (is_vector ? rewriting->log.types.uvec3 : maker->uint_type);
	VKR_PUT(code, is_same ? SpvOpCopyObject : SpvOpBitcast, in->type, in->result, value);
}

// The mark of a group of a draw's reads. `iterations`: of a run-length record.
static uint32_t mark_of(struct rewriting *rewriting, const struct vkr_mark_group *group,
			uint32_t iterations)
{
	struct vkr_maker *maker = &rewriting->maker;
	struct vkr_spirv_words *code = &rewriting->code;
	const uint32_t first = vkr_maker_uint(maker, group->first);
	if (group->shared_by == VKR_SHARED_BY_ALL)
		return first;
	const uint32_t value =
		group->shared_by == VKR_SHARED_BY_COUNT
			? iterations
			: vkr_index_word(
				  maker, code,
				  vkr_module_definition(rewriting->module, group->shared_by)->type,
				  group->shared_by);
	const uint32_t has_mark = vkr_maker_id(maker), mark = vkr_maker_id(maker);
	const uint32_t found = vkr_maker_id(maker);
	VKR_PUT(code, SpvOpULessThan, rewriting->log.types.bool_type, has_mark, value,
		vkr_maker_uint(maker, group->count));
	VKR_PUT(code, SpvOpIAdd, maker->uint_type, mark, value, first);
	VKR_PUT(code, SpvOpSelect, maker->uint_type, found, has_mark, mark,
		vkr_maker_uint(maker, 0));
	return found;
}

static void write_call_of(struct rewriting *rewriting, uint32_t function, uint32_t first,
			  const struct vkr_spirv_words *operands)
{
	const uint32_t length = (uint32_t)operands->count + 5;
	vkr_spirv_words_raw(&rewriting->code,
			    (const uint32_t[]){length << SpvWordCountShift | SpvOpFunctionCall,
					       rewriting->log.types.void_type,
					       vkr_maker_id(&rewriting->maker), function, first},
			    5);
	vkr_spirv_words_raw(&rewriting->code, operands->items, operands->count);
	rewriting->code.failed |= operands->failed;
}

// Finds out whether what a site reads makes the record needed, whose last word is the site's level
// if it logs one.
static void write_texel_mark(struct rewriting *rewriting, const struct vkr_image_use *use,
			     uint32_t site)
{
	const struct vkr_spirv_words *words = &rewriting->words;
	const bool logs_level = use->texel.level != VKR_LEVEL_BASE && !words->failed;
	rewriting->operands.count = 0;
	vkr_image_mark_code(use, &rewriting->log.inputs,
			    logs_level ? words->items[words->count - 1] : 0, &rewriting->code,
			    &rewriting->operands);
	write_call_of(rewriting,
		      use->texel.form == VKR_TEXEL_INTEGER ? vkr_log_texels_fetch(&rewriting->log)
							   : vkr_log_texels_sample(&rewriting->log),
		      vkr_maker_uint(&rewriting->maker, site), &rewriting->operands);
}

// Finds out whether the record of a draw is needed because of one of its groups.
static void write_marks(struct rewriting *rewriting, const struct vkr_segment_draft *segment,
			uint32_t iterations)
{
	for (uint32_t g = 0; g < segment->group_count; g++) {
		if (segment->groups[g].shared_by == VKR_SHARED_BY_TEXELS)
			continue; // found out site by site
		rewriting->operands.count = 0;
		write_call_of(rewriting, vkr_log_code_mark(&rewriting->log),
			      mark_of(rewriting, &segment->groups[g], iterations),
			      &rewriting->operands);
	}
}

static enum vkr_log_kind kind_of(const struct vkr_analysis *analysis,
				 const struct vkr_segment_draft *segment)
{
	if (!segment->group_count)
		return VKR_LOG_ALL;
	return analysis->identity ? VKR_LOG_NEEDED : VKR_LOG_UNMARKED;
}

// The words of the record's sites, or values.
static void write_words(struct rewriting *rewriting, const struct vkr_segment_draft *at)
{
	const struct vkr_analysis *analysis = rewriting->analysis;
	rewriting->words.count = 0;
	for (uint32_t v = 0; v < at->value_count; v++)
		vkr_value_code(&rewriting->pointers, at->values[v], &rewriting->code,
			       &rewriting->words);
	for (uint32_t s = 0; s < at->segment.site_count; s++) {
		const struct vkr_site_draft *draft =
			&analysis->drafts.items[at->segment.first_site + s];
		vkr_site_code(&rewriting->pointers, &rewriting->log.inputs, draft, &rewriting->code,
			      &rewriting->words);
		if (at->group_count && at->groups->shared_by == VKR_SHARED_BY_TEXELS)
			write_texel_mark(rewriting, draft->image, at->groups->first + s);
	}
}

static void write_run(struct rewriting *rewriting, size_t segment)
{
	const struct vkr_analysis *analysis = rewriting->analysis;
	const struct vkr_segment_draft *at = &analysis->segments.items[segment];
	const enum vkr_log_kind kind = kind_of(analysis, at);
	const struct vkr_spirv_words *words = &rewriting->words;
	const uint32_t number = vkr_maker_uint(&rewriting->maker, (uint32_t)segment + 1);
	uint32_t iterations = 0, first = number;
	if (at->is_call) {
		VKR_PUT(&rewriting->code, SpvOpFunctionCall, rewriting->log.types.void_type,
			vkr_maker_id(&rewriting->maker), vkr_log_code_call(&rewriting->log),
			number);
		return;
	}
	write_words(rewriting, at);
	if (at->segment.kind == VKR_SEGMENT_RUN_LENGTH) {
		iterations = vkr_log_code_iterations(&rewriting->log, &rewriting->code);
		vkr_spirv_words_raw(&rewriting->words, &iterations, 1);
	}
	if (kind == VKR_LOG_NEEDED)
		write_marks(rewriting, at, iterations);
	if (kind == VKR_LOG_UNMARKED && !words->failed)
		first = vkr_log_readers_mark(
			&rewriting->log, &rewriting->code, at->groups->first,
			at->groups->shared_by == VKR_SHARED_BY_ALL ? 0 : words->items[0]);
	const uint32_t function =
		vkr_log_code_function(&rewriting->log, (uint32_t)words->count, kind);
	rewriting->operands.count = 0;
	if (kind == VKR_LOG_UNMARKED)
		vkr_spirv_words_raw(&rewriting->operands, &number, 1);
	vkr_spirv_words_raw(&rewriting->operands, words->items, words->count);
	rewriting->operands.failed |= words->failed;
	write_call_of(rewriting, function, first, &rewriting->operands);
}

static void copy_instruction(const struct rewriting *rewriting, struct vkr_spirv_words *out,
			     const struct vkr_instruction *in)
{
	vkr_spirv_words_raw(out, &rewriting->module->words[in->at], in->length);
}

static void write_call(struct rewriting *rewriting, uint32_t function)
{
	VKR_PUT(&rewriting->code, SpvOpFunctionCall, rewriting->log.types.void_type,
		vkr_maker_id(&rewriting->maker), function);
}

static void write_point(struct rewriting *rewriting, uint32_t words)
{
	VKR_PUT(&rewriting->code, SpvOpFunctionCall, rewriting->log.types.void_type,
		vkr_maker_id(&rewriting->maker), rewriting->log.make_room,
		vkr_maker_uint(&rewriting->maker, words));
}

static void write_functions(struct rewriting *rewriting)
{
	const struct vkr_analysis *analysis = rewriting->analysis;
	const struct vkr_module *module = rewriting->module;
	size_t segment = 0, list = 0, point = 0;
	uint32_t begin = vkr_analysis_entry(module, &module->functions[analysis->main]);
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (i == begin)
			write_call(rewriting, rewriting->log.begin);
		vkr_pointer_code_before(&rewriting->pointers, i, &rewriting->code);
		for (; point < analysis->reservations.count &&
		       analysis->reservations.items[point].before == i;
		     point++)
			write_point(rewriting, analysis->reservations.items[point].words);
		for (; segment < analysis->segments.count &&
		       analysis->segments.items[segment].before == i;
		     segment++)
			write_run(rewriting, segment);
		for (; list < analysis->segments.count &&
		       analysis->segments.items[list].counted_at <= i;
		     list++)
			if (analysis->segments.items[list].counted_at == i)
				vkr_log_code_iteration(&rewriting->log, &rewriting->code);
		if (rewriting->log.finish && in->opcode == SpvOpReturn && i >= begin &&
		    i < module->functions[analysis->main].end)
			write_call(rewriting, rewriting->log.finish);
		if (in->opcode == SpvOpLoad && rewriting->log.needs_groups &&
		    leads_to_groups(rewriting, vkr_module_word(module, in, 3)))
			load_groups(rewriting, in);
		else if (in->opcode == SpvOpLoad && rewriting->push.variable &&
			 vkr_module_word(module, in, 3) == rewriting->push.variable)
			vkr_block_source_load(&rewriting->push, &rewriting->maker, in,
					      &rewriting->code);
		else
			copy_instruction(rewriting, &rewriting->code, in);
		vkr_pointer_code_behind(&rewriting->pointers, i, &rewriting->code);
		if (in->opcode == SpvOpDemoteToHelperInvocation)
			vkr_log_code_stop(&rewriting->log, &rewriting->code);
	}
}

static bool rewrite_lists(const uint32_t *interface, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++) {
		if (interface[i] == id)
			return true;
	}
	return false;
}

// Before SPIR-V 1.4 an interface lists Input and Output variables, since then every global one.
static void write_entry_point(struct rewriting *rewriting)
{
	const struct vkr_module *module = rewriting->module;
	const struct vkr_log_code *log = &rewriting->log;
	const struct vkr_instruction *in = &module->instructions[rewriting->analysis->entry_point];
	const uint32_t *words = &module->words[in->at];
	size_t name_words = strlen((const char *)&words[3]) / 4 + 1;
	const uint32_t *interface = words + 3 + name_words;
	uint32_t count = (uint32_t)(in->length - 3 - name_words);
	const uint32_t globals[] = {log->log,
				    log->offset,
				    log->cursor,
				    log->capacity,
				    log->command,
				    log->end,
				    log->first,
				    log->sharing.taken,
				    log->sharing.told,
				    log->sharing.step,
				    log->chunk,
				    log->shared_reads.block,
				    log->shared_reads.marks,
				    log->shared_reads.generation,
				    log->shared_reads.wanted,
				    log->shared_reads.words,
				    log->shared_reads.self,
				    log->shared_reads.texels.count,
				    log->shared_reads.needed,
				    log->pitch,
				    log->left,
				    log->number,
				    log->groups,
				    log->words,
				    log->place,
				    log->iterations,
				    log->stream.start,
				    log->stream.count,
				    log->stream.step,
				    rewriting->push.source.variable};
	struct vkr_spirv_words operands = {0};
	vkr_spirv_words_raw(&operands, words + 1, in->length - 1u);
	for (uint32_t i = 0; i < log->inputs.count; i++) {
		if (!rewrite_lists(interface, count, log->inputs.items[i]))
			vkr_spirv_words_raw(&operands, &log->inputs.items[i], 1);
	}
	for (size_t i = 0; module->version >= SPIRV_1_4 && i < sizeof globals / sizeof *globals;
	     i++) {
		if (globals[i] && !rewrite_lists(interface, count, globals[i]))
			vkr_spirv_words_raw(&operands, &globals[i], 1);
	}
	if (module->version >= SPIRV_1_4) {
		vkr_spirv_words_raw(&operands, rewriting->pointers.globals.items,
				    rewriting->pointers.globals.count);
	}
	vkr_spirv_words_put(&rewriting->out, SpvOpEntryPoint, operands.items, operands.count);
	rewriting->out.failed |= operands.failed;
	free(operands.items);
}

static bool has_extension(const struct vkr_module *module, const char *name)
{
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpExtension && !strcmp(vkr_module_string(module, in, 1), name))
			return true;
	}
	return false;
}

// Writes what must follow the last of the module's own instructions of this kind.
static void write_additions(struct rewriting *rewriting, uint16_t done, uint16_t next)
{
	const struct vkr_module *module = rewriting->module;
	struct vkr_spirv_words *out = &rewriting->out;
	if (done == SpvOpCapability && next != SpvOpCapability) {
		if (!vkr_module_capability(module, SpvCapabilityPhysicalStorageBufferAddresses))
			VKR_PUT(out, SpvOpCapability, SpvCapabilityPhysicalStorageBufferAddresses);
		if ((rewriting->analysis->queries_levels || rewriting->analysis->texel_sites) &&
		    !vkr_module_capability(module, SpvCapabilityImageQuery))
			VKR_PUT(out, SpvOpCapability, SpvCapabilityImageQuery);
		if (rewriting->analysis->shares &&
		    !vkr_module_capability(module, SpvCapabilityGroupNonUniformBallot))
			VKR_PUT(out, SpvOpCapability, SpvCapabilityGroupNonUniformBallot);
		if (rewriting->analysis->shares &&
		    !vkr_module_capability(module, SpvCapabilityGroupNonUniformVote))
			VKR_PUT(out, SpvOpCapability, SpvCapabilityGroupNonUniformVote);
		if ((rewriting->analysis->tells_subgroups || rewriting->analysis->shares) &&
		    !vkr_module_capability(module, SpvCapabilityGroupNonUniform))
			VKR_PUT(out, SpvOpCapability, SpvCapabilityGroupNonUniform);
		if (module->version < SPIRV_1_5 &&
		    !has_extension(module, "SPV_KHR_physical_storage_buffer"))
			vkr_spirv_words_put_string(out, SpvOpExtension, NULL, 0,
						   "SPV_KHR_physical_storage_buffer");
		if (module->version < SPIRV_1_3 && rewriting->push.is_moved &&
		    !has_extension(module, "SPV_KHR_storage_buffer_storage_class"))
			vkr_spirv_words_put_string(out, SpvOpExtension, NULL, 0,
						   "SPV_KHR_storage_buffer_storage_class");
	}
}

// One instruction in front of the globals.
static void write_preamble(struct rewriting *rewriting, uint32_t i)
{
	const struct vkr_analysis *analysis = rewriting->analysis;
	const struct vkr_module *module = rewriting->module;
	const struct vkr_instruction *in = &module->instructions[i];
	uint32_t main = module->functions[analysis->main].id;
	switch (in->opcode) {
	case SpvOpMemoryModel:
		VKR_PUT(&rewriting->out, SpvOpMemoryModel,
			SpvAddressingModelPhysicalStorageBuffer64, vkr_module_word(module, in, 2));
		break;
	case SpvOpEntryPoint:
		if (i == analysis->entry_point)
			write_entry_point(rewriting);
		break;
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
		if (vkr_module_word(module, in, 1) == main)
			copy_instruction(rewriting, &rewriting->out, in);
		break;
	default:
		copy_instruction(rewriting, &rewriting->out, in);
		break;
	}
	uint16_t next = i + 1 < module->first_global ? module->instructions[i + 1].opcode : 0;
	write_additions(rewriting, in->opcode, next);
}

static void write_globals(struct rewriting *rewriting)
{
	const struct vkr_module *module = rewriting->module;
	const struct vkr_maker *maker = &rewriting->maker;
	VKR_PUT(&rewriting->out, SpvOpTypeInt, maker->uint_type, 32, 0);
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->result && in->result == maker->uint_type)
			continue;
		if (in->result && in->result == rewriting->push.variable)
			vkr_spirv_words_raw(&rewriting->out, rewriting->push.definition.items,
					    rewriting->push.definition.count);
		else if (!vkr_block_source_global(&rewriting->push, module, in, &rewriting->out))
			copy_instruction(rewriting, &rewriting->out, in);
	}
	vkr_spirv_words_raw(&rewriting->out, maker->globals.items, maker->globals.count);
}

static void rewrite_assemble(struct rewriting *rewriting)
{
	const struct vkr_module *module = rewriting->module;
	struct vkr_spirv_words *out = &rewriting->out;
	vkr_spirv_words_raw(out, module->words, VKR_SPIRV_HEADER_WORDS);
	if (!out->failed && rewriting->analysis->shares && module->version < SPIRV_1_3)
		out->items[1] = SPIRV_1_3; // what ballots need
	for (uint32_t i = 0; i < module->first_global; i++)
		write_preamble(rewriting, i);
	vkr_spirv_words_raw(out, rewriting->maker.annotations.items,
			    rewriting->maker.annotations.count);
	write_globals(rewriting);
	vkr_spirv_words_raw(out, rewriting->code.items, rewriting->code.count);
	vkr_spirv_words_raw(out, rewriting->log.functions.items, rewriting->log.functions.count);
	out->failed |= rewriting->maker.annotations.failed | rewriting->maker.globals.failed |
		       rewriting->code.failed | rewriting->log.functions.failed |
		       rewriting->push.definition.failed;
	if (!out->failed)
		out->items[3] = rewriting->maker.next_id;
}

enum vkr_result vkr_rewrite(const struct vkr_analysis *analysis, uint32_t **words,
			    size_t *word_count, bool *reads_pushed, struct vkr_error *error)
{
	struct rewriting rewriting = {
		.analysis = analysis, .module = analysis->module, .error = error};
	bool needs_groups;
	vkr_maker_init(&rewriting.maker, analysis->module);
	enum vkr_result result = find_groups(&rewriting, &needs_groups);
	if (result != VKR_OK)
		goto done;
	vkr_log_code_init(&rewriting.log, &rewriting.maker, analysis, needs_groups);
	result = vkr_block_source_make(&rewriting.push, &rewriting.maker, analysis, error);
	if (result != VKR_OK)
		goto done;
	rewriting.heap = (struct vkr_heap_code){.log = &rewriting.log,
						.push = rewriting.push.source.variable};
	vkr_pointer_code_init(&rewriting.pointers, analysis, &rewriting.maker, &rewriting.heap);
	vkr_log_code_common(&rewriting.log, &rewriting.push.source);
	write_functions(&rewriting);
	rewrite_assemble(&rewriting);
	if (rewriting.out.failed || rewriting.pointers.failed) {
		result = vkr_error_memory(error, "the rewritten module");
		goto done;
	}
	*words = rewriting.out.items;
	*word_count = rewriting.out.count;
	*reads_pushed = rewriting.push.is_moved;
	rewriting.out.items = NULL;
done:
	free(rewriting.out.items);
	free(rewriting.code.items);
	free(rewriting.words.items);
	free(rewriting.operands.items);
	vkr_pointer_code_finish(&rewriting.pointers);
	vkr_block_source_finish(&rewriting.push);
	vkr_log_code_finish(&rewriting.log);
	vkr_maker_finish(&rewriting.maker);
	return result;
}
