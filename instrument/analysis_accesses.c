// SPDX-License-Identifier: Apache-2.0
// From instructions to sites: which memory each one accesses, and how.
#include "analysis.h"
#include "array.h"
#include "debug_lines.h"
#include "error.h"
#include "interlock.h"
#include "matrix_use.h"
#include "memory_order.h"
#include "shader_extensions.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The function being read.
struct reading {
	struct vkr_analysis *analysis;
	struct vkr_line_reader lines;
	uint32_t instruction;
	struct vkr_error *error;
};

static const struct vkr_instruction *analysis_accesses_current(const struct reading *reading)
{
	return &reading->analysis->module->instructions[reading->instruction];
}

static enum vkr_result no_memory(const struct reading *reading)
{
	return vkr_error_memory(reading->error, "sites");
}

static enum vkr_result analysis_accesses_unsupported(const struct reading *reading, const char *why)
{
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	return vkr_error_set(reading->error, VKR_ERROR_UNSUPPORTED, "SPIR-V word %u: Op%s: %s",
			     in->at, vkr_spirv_opcode_name(in->opcode), why);
}

static enum vkr_result analysis_accesses_unobserved(struct reading *reading, const char *what)
{
	return vkr_analysis_unobserved(reading->analysis, what) ? VKR_OK : no_memory(reading);
}

static enum vkr_result push_draft(struct reading *reading, struct vkr_site_draft draft)
{
	struct vkr_analysis *analysis = reading->analysis;
	draft.instruction = reading->instruction;
	draft.site.spirv_word = analysis_accesses_current(reading)->at;
	if (draft.site.variable != UINT32_MAX && vkr_is_interlocked(analysis, draft.instruction))
		draft.site.flags |= VKR_SITE_INTERLOCKED;
	draft.site.line = reading->lines.at.line;
	draft.site.column = reading->lines.at.column;
	char instruction[64];
	snprintf(instruction, sizeof instruction, "Op%s",
		 vkr_spirv_opcode_name(analysis_accesses_current(reading)->opcode));
	if (!vkr_analysis_string(analysis, instruction, &draft.site.instruction) ||
	    !vkr_analysis_string(analysis, reading->lines.at.file, &draft.site.file) ||
	    !vkr_analysis_string(analysis, draft.place.member, &draft.site.member) ||
	    !VKR_ARRAY_RESERVE(&analysis->drafts, 1))
		return no_memory(reading);
	analysis->drafts.items[analysis->drafts.count++] = draft;
	return VKR_OK;
}

// The word in memory that holds an address or the position of a descriptor; it is read as a uniform
// buffer ("VkDescriptorMappingSourceIndirectIndexEXT").
static enum vkr_result add_index_read(struct reading *reading,
				      const struct vkr_pointer_target *place)
{
	if (!place->home || place->home->kind == VKR_HOME_OWN)
		return VKR_OK;
	const struct vkr_home_half *half =
		place->is_sampler_half ? &place->home->sampler : &place->home->resource;
	if (!vkr_home_reads_index(half))
		return VKR_OK;
	if (place->kind != VKR_TARGET_VARIABLE)
		return analysis_accesses_unobserved(
			reading, "indices in memory of descriptors that are chosen at "
				 "run time");
	struct vkr_site_draft draft = {
		.place = *place,
		.mapped = half,
		.reads_index = true,
		.site = {.operation = VKR_SITE_LOAD,
			 .storage_class = VKR_CLASS_UNIFORM,
			 .flags = VKR_SITE_POINTER,
			 .words = 2,
			 .bytes = place->home->kind == VKR_HOME_ADDRESS ? 8 : 4},
	};
	draft.place.member = "";
	return vkr_analysis_index_variable(reading->analysis, &draft.site.variable)
		       ? push_draft(reading, draft)
		       : no_memory(reading);
}

static enum vkr_result add_draft(struct reading *reading, struct vkr_site_draft draft)
{
	enum vkr_result result = push_draft(reading, draft);
	if (result == VKR_OK)
		result = add_index_read(reading, draft.image ? &draft.image->image : &draft.place);
	if (result == VKR_OK && draft.image && draft.image->has_sampler)
		result = add_index_read(reading, &draft.image->sampler);
	return result;
}

static const char *unknown_place_name(uint32_t storage_class)
{
	switch (storage_class) {
	case SpvStorageClassWorkgroup:
		return "Workgroup memory through a pointer that cannot be followed";
	case SpvStorageClassOutput:
	case SpvStorageClassTaskPayloadWorkgroupEXT:
		return "a workgroup's outputs through a pointer that cannot be followed";
	default:
		return "buffer memory through a pointer that cannot be followed";
	}
}

// The bytes of the access; a whole value of place->type, or sized_bytes of it where that is not 0.
static enum vkr_result add_bytes(struct reading *reading, struct vkr_site_draft *draft,
				 uint64_t sized_bytes, bool *listed)
{
	struct vkr_analysis *analysis = reading->analysis;
	struct vkr_pieces pieces = {0};
	*listed = true;
	if (sized_bytes) {
		draft->site.bytes = (uint32_t)sized_bytes;
		return VKR_OK;
	}
	if (!draft->place.type ||
	    !vkr_type_pieces(analysis->types, draft->place.type, draft->place.layout, &pieces)) {
		free(pieces.items);
		*listed = false;
		return analysis_accesses_unobserved(
			reading, "an access to a value whose bytes cannot be listed");
	}
	const struct vkr_piece *last = &pieces.items[pieces.count - 1];
	draft->site.bytes = last->offset + last->bytes;
	enum vkr_result result = VKR_OK;
	if (pieces.count > 1 || pieces.items[0].offset) {
		if (VKR_ARRAY_RESERVE(&analysis->pieces, pieces.count)) {
			draft->site.first_piece = (uint32_t)analysis->pieces.count;
			draft->site.piece_count = (uint32_t)pieces.count;
			memcpy(analysis->pieces.items + analysis->pieces.count, pieces.items,
			       pieces.count * sizeof *pieces.items);
			analysis->pieces.count += pieces.count;
		} else {
			result = no_memory(reading);
		}
	}
	free(pieces.items);
	return result;
}

static void add_legacy_flags(struct vkr_site_draft *draft, bool is_write)
{
	struct vkr_site *site = &draft->site;
	bool workgroup = site->storage_class & (VKR_CLASS_WORKGROUP | VKR_CLASS_OUTPUT);
	uint8_t scope = workgroup ? VKR_SCOPE_WORKGROUP : VKR_SCOPE_QUEUE_FAMILY;
	if (draft->place.is_volatile)
		site->flags |= VKR_SITE_VOLATILE;
	if (!workgroup && !draft->place.is_coherent)
		return;
	site->flags |= VKR_SITE_NONPRIVATE;
	if (is_write) {
		site->flags |= VKR_SITE_MAKE_AVAILABLE;
		site->available_scope = scope;
	} else {
		site->flags |= VKR_SITE_MAKE_VISIBLE;
		site->visible_scope = scope;
	}
}

// The words that say where an access is.
static void count_words(struct vkr_site_draft *draft)
{
	draft->site.words = 1;
	if (draft->place.kind == VKR_TARGET_ADDRESS || draft->mapped) {
		draft->site.flags |= VKR_SITE_POINTER;
		draft->site.words = 2;
	} else if (draft->place.kind == VKR_TARGET_CHOSEN) {
		draft->site.flags |= VKR_SITE_CHOSEN;
		draft->site.words = 3;
	} else if (draft->place.is_arrayed) {
		draft->site.flags |= VKR_SITE_ARRAYED;
		draft->site.words = 2;
	}
}

// Fills in place, variable, bytes and address words; *observed: whether there is a site.
static enum vkr_result analysis_accesses_locate(struct reading *reading,
						struct vkr_site_draft *draft, uint64_t sized_bytes,
						bool *observed)
{
	struct vkr_analysis *analysis = reading->analysis;
	const struct vkr_instruction *texel =
		vkr_image_texel_pointer(analysis->module, draft->pointer);
	const char *fault = NULL;
	*observed = false;
	if (texel) {
		if (!vkr_analysis_texel_pointer(analysis, texel, draft, &fault))
			return no_memory(reading);
		*observed = !fault;
		return fault ? analysis_accesses_unobserved(reading, fault) : VKR_OK;
	}
	if (!vkr_pointer_target_resolve(&analysis->book, draft->pointer, &draft->place))
		return no_memory(reading);
	if (!draft->place.type)
		draft->place.type = draft->value_type;
	if (draft->place.storage_class == SpvStorageClassUniformConstant)
		return VKR_OK; // an image or sampler: its texels are accessed elsewhere
	if (analysis->is_patch && draft->place.storage_class == SpvStorageClassOutput &&
	    draft->place.kind == VKR_TARGET_VARIABLE &&
	    !analysis->shared_outputs[draft->place.variable])
		return VKR_OK; // each invocation accesses its own part
	switch (draft->place.kind) {
	case VKR_TARGET_UNLOGGED:
		return VKR_OK;
	case VKR_TARGET_UNKNOWN:
		return analysis_accesses_unobserved(reading,
						    unknown_place_name(draft->place.storage_class));
	case VKR_TARGET_VARIABLE:
	case VKR_TARGET_CHOSEN:
	case VKR_TARGET_ADDRESS:
		break;
	}
	bool is_alike;
	const enum vkr_home_kind home = draft->place.home ? draft->place.home->kind : 0;
	if (home == VKR_HOME_ADDRESS)
		draft->mapped = &draft->place.home->resource;
	if (!vkr_analysis_variables(analysis, &draft->place, &draft->site.variable, &is_alike))
		return no_memory(reading);
	if (!is_alike)
		return analysis_accesses_unobserved(reading,
						    unknown_place_name(draft->place.storage_class));
	if (home == VKR_HOME_OWN)
		return VKR_OK;
	enum vkr_result result = add_bytes(reading, draft, sized_bytes, observed);
	if (result != VKR_OK || !*observed)
		return result;
	draft->site.storage_class = VKR_CLASS_UNIFORM;
	if (analysis->is_patch && draft->place.storage_class == SpvStorageClassOutput)
		draft->site.storage_class = VKR_CLASS_OUTPUT;
	else if (vkr_is_group_class(&analysis->book, draft->place.storage_class))
		draft->site.storage_class = VKR_CLASS_WORKGROUP;
	count_words(draft);
	return VKR_OK;
}

// Flags that say how an access communicates, and the site.
static enum vkr_result add_plain(struct reading *reading, struct vkr_site_draft draft,
				 const struct vkr_memory_operands *operands)
{
	const bool is_write = draft.site.operation == VKR_SITE_STORE;
	draft.site.flags |= operands->flags;
	draft.site.available_scope = operands->available_scope;
	draft.site.visible_scope = operands->visible_scope;
	if (is_write) {
		draft.site.flags &= (uint16_t)~VKR_SITE_MAKE_VISIBLE;
		draft.site.visible_scope = 0;
	} else {
		draft.site.flags &= (uint16_t)~VKR_SITE_MAKE_AVAILABLE;
		draft.site.available_scope = 0;
	}
	// Shaders have no words to make an output non-private.
	if (reading->analysis->is_legacy || draft.site.storage_class == VKR_CLASS_OUTPUT ||
	    (draft.site.storage_class == VKR_CLASS_WORKGROUP &&
	     draft.place.storage_class != SpvStorageClassWorkgroup))
		add_legacy_flags(&draft, is_write);
	return add_draft(reading, draft);
}

// A plain load or store of a value of `type` through `pointer` with these memory operands.
static enum vkr_result plain_access(struct reading *reading, enum vkr_site_operation operation,
				    uint32_t pointer, uint32_t type,
				    const struct vkr_memory_operands *operands,
				    uint64_t sized_bytes)
{
	bool observed;
	struct vkr_site_draft draft = {
		.pointer = pointer, .value_type = type, .site.operation = (uint8_t)operation};
	enum vkr_result result = analysis_accesses_locate(reading, &draft, sized_bytes, &observed);
	return result == VKR_OK && observed ? add_plain(reading, draft, operands) : result;
}

static bool operands_from(const struct reading *reading, uint32_t first,
			  struct vkr_memory_operands *operands)
{
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	const struct vkr_analysis *analysis = reading->analysis;
	uint32_t count = in->length > first ? in->length - first : 0;
	return vkr_order_operands(analysis->constants, analysis->is_legacy,
				  &analysis->module->words[in->at] + first, count, operands);
}

static enum vkr_result load_or_store(struct reading *reading, enum vkr_site_operation operation,
				     uint32_t pointer, uint32_t type, uint32_t first_operand)
{
	struct vkr_memory_operands operands;
	if (!operands_from(reading, first_operand, &operands))
		return analysis_accesses_unsupported(reading, "a scope that is no constant");
	return plain_access(reading, operation, pointer, type, &operands, 0);
}

// OpCopyMemory and OpCopyMemorySized: a load of the source, a store of the target. One set of
// memory operands is for both; of two (SPIR-V 1.4) the first is the target's.
static enum vkr_result copy_sites(struct reading *reading, bool is_sized)
{
	const struct vkr_analysis *analysis = reading->analysis;
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	uint32_t first = is_sized ? 4 : 3;
	struct vkr_memory_operands target, source;
	uint64_t bytes = 0;
	if (is_sized && !vkr_constant_value(analysis->constants,
					    vkr_module_word(analysis->module, in, 3), &bytes))
		return analysis_accesses_unobserved(
			reading, "OpCopyMemorySized of a size that is no constant");
	if (bytes > UINT32_MAX)
		return analysis_accesses_unsupported(reading, "a size beyond 32 bits");
	if (!operands_from(reading, first, &target))
		return analysis_accesses_unsupported(reading, "a scope that is no constant");
	source = target;
	if (in->length > first + target.words && target.words &&
	    !operands_from(reading, first + target.words, &source))
		return analysis_accesses_unsupported(reading, "a scope that is no constant");
	const uint32_t to = vkr_module_word(analysis->module, in, 1);
	const uint32_t from = vkr_module_word(analysis->module, in, 2);
	const uint32_t type = vkr_copied_type(analysis->module, to, from);
	enum vkr_result result = plain_access(reading, VKR_SITE_LOAD, from, type, &source, bytes);
	if (result != VKR_OK)
		return result;
	return plain_access(reading, VKR_SITE_STORE, to, type, &target, bytes);
}

static enum vkr_result analysis_accesses_matrix(struct reading *reading,
						const struct vkr_matrix_use *use)
{
	bool observed;
	struct vkr_memory_operands operands;
	struct vkr_site_draft draft = {.pointer = use->pointer,
				       .site.operation =
					       use->is_store ? VKR_SITE_STORE : VKR_SITE_LOAD};
	const uint64_t bytes = (use->lines - 1) * use->stride + use->line_bytes;
	const bool is_strided = use->stride_id && use->lines > 1;
	if (!operands_from(reading, use->operands, &operands))
		return analysis_accesses_unsupported(reading, "a scope that is no constant");
	enum vkr_result result = analysis_accesses_locate(reading, &draft, bytes, &observed);
	if (result != VKR_OK || !observed)
		return result;
	if (!vkr_analysis_lines(reading->analysis, &draft, use))
		return no_memory(reading);
	if (is_strided) {
		draft.stride = use->stride_id;
		draft.site.flags |= VKR_SITE_STRIDED;
		draft.site.lines = (uint16_t)use->lines;
		draft.site.stride_unit = use->unit;
		draft.site.words++;
	}
	draft.site.flags |= VKR_SITE_COOPERATIVE;
	draft.site.execution = use->scope;
	return add_plain(reading, draft, &operands);
}

// Whether order within a subgroup cannot be judged, because the stage's invocations do not log
// their subgroups: without that order, a race would be reported.
static bool is_unknown_subgroup(const struct reading *reading, uint8_t scope,
				const struct vkr_memory_order *order)
{
	return !reading->analysis->has_workgroups && scope == VKR_SCOPE_SUBGROUP &&
	       (order->order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE));
}

// Values of 8 and 16 bits are logged as one word.
static uint16_t value_words(uint32_t bytes)
{
	return bytes > 4 ? 2 : 1;
}

static uint32_t atomic_type(const struct vkr_module *module, const struct vkr_instruction *in)
{
	if (in->opcode != SpvOpAtomicStore)
		return in->type;
	return vkr_module_definition(module, vkr_module_word(module, in, 4))->type;
}

static enum vkr_result analysis_accesses_atomic(struct reading *reading,
						enum vkr_site_operation operation, uint32_t first)
{
	const struct vkr_analysis *analysis = reading->analysis;
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	bool observed;
	struct vkr_site_draft draft = {.pointer = vkr_module_word(analysis->module, in, first),
				       .value_type = atomic_type(analysis->module, in),
				       .site.operation = (uint8_t)operation};
	enum vkr_result result = analysis_accesses_locate(reading, &draft, 0, &observed);
	if (result != VKR_OK || !observed)
		return result;
	struct vkr_memory_order order;
	if (!vkr_order_scope(analysis->constants, analysis->is_legacy,
			     vkr_module_word(analysis->module, in, first + 1), &draft.site.scope) ||
	    !vkr_order_semantics(analysis->constants, analysis->is_legacy,
				 vkr_module_word(analysis->module, in, first + 2), &order))
		return analysis_accesses_unsupported(reading,
						     "a scope or semantics that is no constant");
	// Two atomics are not in each other's scope either where that is not known.
	if (!reading->analysis->has_workgroups && draft.site.scope == VKR_SCOPE_SUBGROUP)
		return analysis_accesses_unsupported(
			reading, "which invocations share a subgroup is not known");
	draft.site.order = order.order;
	draft.site.semantics = order.classes;
	draft.site.flags |= VKR_SITE_NONPRIVATE;
	if (draft.place.is_volatile || (order.order & VKR_ORDER_VOLATILE))
		draft.site.flags |= VKR_SITE_VOLATILE;
	bool is_conditional = in->opcode == SpvOpAtomicCompareExchange ||
			      in->opcode == SpvOpAtomicCompareExchangeWeak;
	if (analysis->logs_values || is_conditional) {
		uint16_t words = value_words(draft.site.bytes);
		draft.site.flags |= VKR_SITE_VALUES;
		draft.site.words = (uint16_t)(draft.site.words + words);
		if (operation == VKR_SITE_ATOMIC_RMW)
			draft.site.words = (uint16_t)(draft.site.words + words);
	}
	if (is_conditional) {
		draft.site.flags |= VKR_SITE_CONDITIONAL;
		draft.site.words++;
	}
	return add_draft(reading, draft);
}

// "When used with the TessellationControl execution model, [OpControlBarrier] also implicitly
// synchronizes the Output Storage Class" (SPIR-V 3.42.20): the fence in front of it, or after it.
static enum vkr_result output_fence(struct reading *reading, unsigned order)
{
	return add_draft(reading,
			 (struct vkr_site_draft){.place.member = "",
						 .site = {.operation = VKR_SITE_MEMORY_BARRIER,
							  .variable = UINT32_MAX,
							  .scope = VKR_SCOPE_WORKGROUP,
							  .order = (uint8_t)order,
							  .semantics = VKR_CLASS_OUTPUT}});
}

static enum vkr_result analysis_accesses_barrier(struct reading *reading, bool is_control)
{
	const struct vkr_analysis *analysis = reading->analysis;
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	uint32_t scope = is_control ? 2 : 1;
	struct vkr_site_draft draft = {
		.place.member = "",
		.site = {.operation =
				 is_control ? VKR_SITE_CONTROL_BARRIER : VKR_SITE_MEMORY_BARRIER,
			 .variable = UINT32_MAX},
	};
	struct vkr_memory_order order;
	if (!vkr_order_scope(analysis->constants, analysis->is_legacy,
			     vkr_module_word(analysis->module, in, scope), &draft.site.scope) ||
	    !vkr_order_semantics(analysis->constants, analysis->is_legacy,
				 vkr_module_word(analysis->module, in, scope + 1), &order) ||
	    (is_control &&
	     !vkr_order_scope(analysis->constants, analysis->is_legacy,
			      vkr_module_word(analysis->module, in, 1), &draft.site.execution)))
		return analysis_accesses_unsupported(reading,
						     "a scope or semantics that is no constant");
	if (is_unknown_subgroup(reading, draft.site.scope, &order))
		return analysis_accesses_unsupported(
			reading, "which invocations share a subgroup is not known");
	draft.site.order = order.order;
	draft.site.semantics = order.classes;
	if (!is_control || !analysis->is_patch)
		return add_draft(reading, draft);
	enum vkr_result result =
		output_fence(reading, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE);
	if (result == VKR_OK)
		result = add_draft(reading, draft);
	return result == VKR_OK ? output_fence(reading, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE)
				: result;
}

// Extended instructions that write through a pointer.
static enum vkr_result analysis_accesses_extended(struct reading *reading)
{
	const struct vkr_module *module = reading->analysis->module;
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	static const struct vkr_memory_operands none = {0};
	if (in->ext_set != VKR_EXT_GLSL_STD_450)
		return VKR_OK;
	uint32_t kind = vkr_module_word(module, in, 4);
	if (kind != GLSLstd450Modf && kind != GLSLstd450Frexp)
		return VKR_OK;
	// This set's pointers have types (SPV_KHR_untyped_pointers, issue 3).
	const uint32_t pointer = vkr_module_word(module, in, 6);
	return plain_access(
		reading, VKR_SITE_STORE, pointer,
		vkr_pointer_pointee(module, vkr_module_definition(module, pointer)->type), &none,
		0);
}

static enum vkr_result image_access(struct reading *reading)
{
	struct vkr_site_draft draft = {0};
	const char *fault = NULL;
	if (!vkr_analysis_image(reading->analysis, analysis_accesses_current(reading), &draft,
				&fault))
		return no_memory(reading);
	return fault ? analysis_accesses_unobserved(reading, fault) : add_draft(reading, draft);
}

// Where the invocations that an instruction makes are between: their chunks show it by their
// places.
static enum vkr_result call_and_return(struct reading *reading)
{
	struct vkr_site_draft draft = {
		.place.member = "",
		.site = {.operation = VKR_SITE_SHADER_CALL, .variable = UINT32_MAX, .words = 1}};
	const enum vkr_result result = add_draft(reading, draft);
	draft.site.operation = VKR_SITE_SHADER_RETURN;
	return result == VKR_OK ? add_draft(reading, draft) : result;
}

static enum vkr_result analysis_accesses_trace(struct reading *reading)
{
	struct vkr_site_draft draft = {0};
	const char *fault = NULL;
	if (!vkr_analysis_trace(reading->analysis, analysis_accesses_current(reading), &draft,
				&fault))
		return no_memory(reading);
	return fault ? analysis_accesses_unobserved(reading, fault) : add_draft(reading, draft);
}

static enum vkr_result read_instruction(struct reading *reading)
{
	const struct vkr_module *module = reading->analysis->module;
	const struct vkr_instruction *in = analysis_accesses_current(reading);
	const uint32_t *words = &module->words[in->at];
	const char *fault;
	switch (in->opcode) {
	case SpvOpLoad:
		return load_or_store(reading, VKR_SITE_LOAD, words[3], in->type, 4);
	case SpvOpStore:
		return load_or_store(reading, VKR_SITE_STORE, words[1],
				     vkr_module_definition(module, words[2])->type, 3);
	case SpvOpCopyMemory:
		return copy_sites(reading, false);
	case SpvOpCopyMemorySized:
		return copy_sites(reading, true);
	case SpvOpControlBarrier:
		return analysis_accesses_barrier(reading, true);
	case SpvOpMemoryBarrier:
		return analysis_accesses_barrier(reading, false);
	case SpvOpExtInst:
		return analysis_accesses_extended(reading);
	default:
		break;
	}
	const enum vkr_site_operation atomic_operation = vkr_opcode_atomic(in->opcode);
	if (atomic_operation)
		return analysis_accesses_atomic(reading, atomic_operation, in->result ? 3 : 1);
	struct vkr_matrix_use use;
	if (vkr_matrix_use_read(reading->analysis->types, in, &use, &fault))
		return fault ? analysis_accesses_unobserved(reading, fault)
			     : analysis_accesses_matrix(reading, &use);
	enum vkr_result result = VKR_OK;
	if (vkr_opcode(in->opcode)->traced)
		result = analysis_accesses_trace(reading);
	if (result != VKR_OK || vkr_opcode_is(in->opcode, VKR_OPCODE_SHADER_CALL))
		return result == VKR_OK ? call_and_return(reading) : result;
	if (vkr_image_accesses(in->opcode))
		return image_access(reading);
	const char *what = vkr_unlogged_access(reading->analysis, in);
	return what ? analysis_accesses_unobserved(reading, what) : VKR_OK;
}

enum vkr_result vkr_analysis_accesses(struct vkr_analysis *analysis,
				      const struct vkr_function *function, struct vkr_error *error)
{
	struct reading reading = {
		.analysis = analysis,
		.lines = {.constants = analysis->constants,
			  .at.file = "",
			  .blocks = analysis->block_lines},
		.error = error,
	};
	enum vkr_result result = VKR_OK;
	for (uint32_t i = function->first; i < function->end && result == VKR_OK; i++) {
		reading.instruction = i;
		vkr_line_reader_step(&reading.lines, &analysis->module->instructions[i]);
		result = read_instruction(&reading);
	}
	return result;
}
