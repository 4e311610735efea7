// SPDX-License-Identifier: Apache-2.0
// The entry point, what it reaches, and whether its atomics may synchronize.
#include "analysis.h"
#include "array.h"
#include "debug_lines.h"
#include "error.h"
#include "fragment_end.h"
#include "input_code.h"
#include "interlock.h"
#include "memory_order.h"
#include "pointer_bases.h"
#include "reader_marks.h"
#include "shader_extensions.h"
#include "summary_code.h"
#include "texel_marks.h"
#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

// SPIR-V's execution model of a VkShaderStageFlagBits.
static uint32_t execution_model(uint32_t stage)
{
	static const struct {
		uint32_t stage;
		SpvExecutionModel model;
	} models[] = {
		{0x01, SpvExecutionModelVertex},
		{0x02, SpvExecutionModelTessellationControl},
		{0x04, SpvExecutionModelTessellationEvaluation},
		{0x08, SpvExecutionModelGeometry},
		{0x10, SpvExecutionModelFragment},
		{0x20, SpvExecutionModelGLCompute},
		{0x40, SpvExecutionModelTaskEXT},
		{0x80, SpvExecutionModelMeshEXT},
		{0x100, SpvExecutionModelRayGenerationKHR},
		{0x200, SpvExecutionModelAnyHitKHR},
		{0x400, SpvExecutionModelClosestHitKHR},
		{0x800, SpvExecutionModelMissKHR},
		{0x1000, SpvExecutionModelIntersectionKHR},
		{0x2000, SpvExecutionModelCallableKHR},
	};
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		if (models[i].stage == stage)
			return models[i].model;
	}
	return UINT32_MAX;
}

static enum vkr_result find_entry_point(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instrument_options *options = analysis->options;
	uint32_t model = execution_model(options->stage);
	if (model == UINT32_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "shader stage 0x%x: its shaders are not rewritten",
				     options->stage);
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpEntryPoint || vkr_module_word(module, in, 1) != model ||
		    strcmp(vkr_module_string(module, in, 3), options->entry_point) != 0)
			continue;
		analysis->entry_point = i;
		const struct vkr_function *main =
			vkr_module_function(module, vkr_module_word(module, in, 2));
		analysis->main = (uint32_t)(main - module->functions);
		return VKR_OK;
	}
	return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
			     "no entry point \"%s\" of this stage in the module",
			     options->entry_point);
}

uint32_t vkr_analysis_shader_word(const struct vkr_analysis *analysis)
{
	const struct vkr_instrument_options *options = analysis->options;
	return analysis->identity & VKR_IDENTITY_LAUNCH ? options->tag : options->stage;
}

// Marks every function reached from main. Each is put on the list once.
static bool find_reached(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	uint32_t *list = vkr_arena_alloc(analysis->arena, module->function_count * sizeof *list);
	if (!list)
		return false;
	size_t count = 0;
	list[count++] = analysis->main;
	analysis->reached[analysis->main] = true;
	for (size_t i = 0; i < count; i++) {
		const struct vkr_function *function = &module->functions[list[i]];
		for (uint32_t k = function->first; k < function->end; k++) {
			if (module->instructions[k].opcode != SpvOpFunctionCall)
				continue;
			uint32_t callee =
				vkr_module_callee(analysis->module, &module->instructions[k]);
			if (!analysis->reached[callee]) {
				analysis->reached[callee] = true;
				list[count++] = callee;
			}
		}
	}
	return true;
}

// Notes for each parameter which argument the calls pass.
static void read_call(struct vkr_analysis *analysis, const struct vkr_instruction *call)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_function *callee =
		&module->functions[vkr_module_callee(analysis->module, call)];
	uint32_t word = 4;
	for (uint32_t i = callee->first + 1; i < callee->body && word < call->length; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpFunctionParameter)
			continue;
		uint32_t argument = vkr_module_word(module, call, word++);
		uint32_t *known = &analysis->arguments[in->result];
		*known = !*known || *known == argument ? argument : VKR_ARGUMENT_MANY;
	}
}

// Atomics can order other accesses only with acquire or release semantics of their own, or together
// with a fence, or as part of a release sequence that another shader has begun; a barrier confined
// to the workgroup orders by itself.
static void read_order(struct vkr_analysis *analysis, const struct vkr_instruction *in)
{
	const uint32_t *words = &analysis->module->words[in->at];
	struct vkr_memory_order order;
	uint8_t scope;
	uint32_t semantics = 0;
	switch (in->opcode) {
	case SpvOpMemoryBarrier:
		analysis->logs_values = true;
		return;
	case SpvOpControlBarrier:
		if (vkr_order_scope(analysis->constants, analysis->is_legacy, words[2], &scope) &&
		    scope != VKR_SCOPE_WORKGROUP && scope != VKR_SCOPE_SUBGROUP &&
		    scope != VKR_SCOPE_INVOCATION)
			semantics = words[3];
		break;
	default:
		if (!vkr_opcode_atomic(in->opcode))
			return;
		semantics = words[in->result ? 5 : 3];
	}
	if (semantics &&
	    vkr_order_semantics(analysis->constants, analysis->is_legacy, semantics, &order) &&
	    (analysis->options->tells_values ||
	     (order.order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE))))
		analysis->logs_values = true;
}

static void read_functions(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	for (size_t f = 0; f < module->function_count; f++) {
		if (!analysis->reached[f])
			continue;
		for (uint32_t i = module->functions[f].first; i < module->functions[f].end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			if (in->opcode == SpvOpFunctionCall)
				read_call(analysis, in);
			else
				read_order(analysis, in);
		}
	}
}

static void read_size(struct vkr_analysis *analysis, const struct vkr_instruction *mode)
{
	const struct vkr_module *module = analysis->module;
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint64_t value = vkr_module_word(module, mode, axis + 3);
		if (mode->opcode == SpvOpExecutionModeId)
			vkr_constant_value(analysis->constants, (uint32_t)value, &value);
		analysis->workgroup_size[axis] = (uint32_t)value;
	}
}

// The vertices of a patch are the workgroup of tessellation control.
static void read_patch_size(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	uint32_t main = module->functions[analysis->main].id;
	for (uint32_t axis = 0; axis < 3; axis++)
		analysis->workgroup_size[axis] = 1;
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpExecutionMode && vkr_module_word(module, in, 1) == main &&
		    vkr_module_word(module, in, 2) == SpvExecutionModeOutputVertices &&
		    module->words[module->instructions[analysis->entry_point].at + 1] ==
			    SpvExecutionModelTessellationControl)
			analysis->workgroup_size[0] = vkr_module_word(module, in, 3);
	}
}

// LocalSize or LocalSizeId; a constant decorated WorkgroupSize overrides both (SPIR-V 3.21).
static void read_workgroup_size(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	uint32_t main = module->functions[analysis->main].id;
	if (!analysis->has_workgroups) {
		read_patch_size(analysis);
		return;
	}
	for (uint32_t i = 0; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		uint32_t builtin;
		if ((in->opcode == SpvOpExecutionMode || in->opcode == SpvOpExecutionModeId) &&
		    vkr_module_word(module, in, 1) == main &&
		    (vkr_module_word(module, in, 2) == SpvExecutionModeLocalSize ||
		     vkr_module_word(module, in, 2) == SpvExecutionModeLocalSizeId))
			read_size(analysis, in);
		if ((in->opcode == SpvOpSpecConstantComposite ||
		     in->opcode == SpvOpConstantComposite) &&
		    vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationBuiltIn,
					 &builtin) &&
		    builtin == SpvBuiltInWorkgroupSize) {
			for (uint32_t axis = 0; axis < 3; axis++) {
				uint64_t value = 0;
				vkr_constant_component(analysis->constants, in->result, axis,
						       &value);
				analysis->workgroup_size[axis] = (uint32_t)value;
			}
			return;
		}
	}
}

static enum vkr_result collect_sites(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	for (size_t f = 0; f < module->function_count; f++) {
		size_t before = analysis->drafts.count;
		if (!analysis->reached[f])
			continue;
		enum vkr_result result =
			vkr_analysis_accesses(analysis, &module->functions[f], error);
		if (result != VKR_OK)
			return result;
		analysis->logs[f] = analysis->drafts.count > before;
	}
	return VKR_OK;
}

#define SPIRV_1_3 0x00010300u

// Whether it matters which invocations share a subgroup.
static bool asks_for_subgroup(const struct vkr_site *site)
{
	if (site->operation >= VKR_SITE_ATOMIC_LOAD && site->operation < VKR_SITE_SHADER_CALL &&
	    site->scope == VKR_SCOPE_SUBGROUP)
		return true;
	if (vkr_site_is_near(site))
		return true;
	return (site->operation == VKR_SITE_CONTROL_BARRIER ||
		site->flags & VKR_SITE_COOPERATIVE) &&
	       site->execution == VKR_SCOPE_SUBGROUP;
}

// Where it does, each invocation says which is its own. Every device runs compute shaders that may
// read that (VkPhysicalDeviceSubgroupProperties), of SPIR-V that has it. False for lack of memory.
static bool tell_subgroups(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	const uint32_t entry = vkr_analysis_entry(module, &module->functions[analysis->main]);
	size_t at = 0, asks = 0;
	while (asks < analysis->drafts.count &&
	       !asks_for_subgroup(&analysis->drafts.items[asks].site))
		asks++;
	if (analysis->identity || module->version < SPIRV_1_3 || asks == analysis->drafts.count)
		return true;
	if (!VKR_ARRAY_RESERVE(&analysis->drafts, 1))
		return false;
	while (at < analysis->drafts.count && analysis->drafts.items[at].instruction < entry)
		at++;
	struct vkr_site_draft *draft = &analysis->drafts.items[at];
	memmove(draft + 1, draft, (analysis->drafts.count++ - at) * sizeof *draft);
	*draft = (struct vkr_site_draft){.place.member = "",
					 .instruction = entry,
					 .site = {.operation = VKR_SITE_SUBGROUP,
						  .spirv_word = module->instructions[entry].at,
						  .variable = UINT32_MAX,
						  .words = 1}};
	analysis->tells_subgroups = analysis->logs[analysis->main] = true;
	return true;
}

// A function that calls one that logs, logs.
static void spread_logs(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	bool changed;
	do {
		changed = false;
		for (size_t f = 0; f < module->function_count; f++) {
			const struct vkr_function *function = &module->functions[f];
			if (!analysis->reached[f] || analysis->logs[f])
				continue;
			for (uint32_t i = function->first; i < function->end; i++) {
				const struct vkr_instruction *in = &module->instructions[i];
				if (in->opcode == SpvOpFunctionCall &&
				    analysis->logs[vkr_module_callee(analysis->module, in)])
					changed = analysis->logs[f] = true;
			}
		}
	} while (changed);
}

// Whether it matters which invocations share a workgroup.
static bool uses_workgroups(const struct vkr_analysis *analysis)
{
	for (size_t i = 0; i < analysis->drafts.count; i++) {
		const struct vkr_site *site = &analysis->drafts.items[i].site;
		bool is_atomic = site->operation >= VKR_SITE_ATOMIC_LOAD &&
				 site->operation <= VKR_SITE_ATOMIC_RMW;
		if (site->storage_class == VKR_CLASS_WORKGROUP ||
		    site->operation > VKR_SITE_ATOMIC_RMW ||
		    (is_atomic &&
		     (site->scope == VKR_SCOPE_WORKGROUP || site->scope == VKR_SCOPE_SUBGROUP)))
			return true;
	}
	return false;
}

// Several mesh workgroups of one draw may have the same WorkgroupId: one for each task workgroup
// that emits some, and for each draw of an indirect command.
static enum vkr_result number_workgroups(struct vkr_analysis *analysis, struct vkr_error *error)
{
	if (!(analysis->identity & VKR_IDENTITY_WORKGROUP) || !uses_workgroups(analysis))
		return VKR_OK;
	if (vkr_module_capability(analysis->module, SpvCapabilityWorkgroupMemoryExplicitLayoutKHR))
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "Workgroup memory with an explicit layout leaves no room for "
				     "a word that identifies the workgroup");
	analysis->identity |= VKR_IDENTITY_NUMBER;
	return VKR_OK;
}

static bool make_room(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	analysis->arguments =
		vkr_arena_alloc(analysis->arena, module->bound * sizeof *analysis->arguments);
	analysis->reached = vkr_arena_alloc(analysis->arena, module->function_count);
	analysis->logs = vkr_arena_alloc(analysis->arena, module->function_count);
	analysis->block_lines =
		vkr_arena_alloc(analysis->arena, module->bound * sizeof *analysis->block_lines);
	return analysis->arguments && analysis->reached && analysis->logs && analysis->block_lines;
}

enum vkr_result vkr_analysis_read(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instruction *model = &module->instructions[module->memory_model];
	analysis->is_legacy = vkr_module_word(module, model, 2) != SpvMemoryModelVulkan;
	if (!make_room(analysis))
		return vkr_error_memory(error, "functions");
	analysis->book = (struct vkr_address_book){.module = module,
						   .types = analysis->types,
						   .arena = analysis->arena,
						   .arguments = analysis->arguments};
	enum vkr_result result = find_entry_point(analysis, error);
	const char *refusal = vkr_refusal(module, analysis->options);
	if (result == VKR_OK && refusal)
		result = vkr_error_set(error, VKR_ERROR_UNSUPPORTED, "%s", refusal);
	if (result != VKR_OK)
		return result;
	if (!find_reached(analysis))
		return vkr_error_memory(error, "functions");
	read_functions(analysis);
	uint32_t stage = vkr_module_word(module, &module->instructions[analysis->entry_point], 1);
	analysis->identity = vkr_identity_of(analysis);
	analysis->has_workgroups =
		!analysis->identity || analysis->identity & VKR_IDENTITY_WORKGROUP;
	analysis->has_helpers = stage == SpvExecutionModelFragment;
	analysis->is_patch = stage == SpvExecutionModelTessellationControl;
	analysis->book.shares_outputs = stage == SpvExecutionModelMeshEXT || analysis->is_patch;
	if (analysis->is_patch && !vkr_analysis_outputs(analysis))
		return vkr_error_memory(error, "outputs");
	analysis->book.shares_payload = stage == SpvExecutionModelTaskEXT;
	read_workgroup_size(analysis);
	if (vkr_fragment_end_told(analysis))
		analysis->identity |= VKR_IDENTITY_END;
	if (!analysis->workgroup_size[0] || !analysis->workgroup_size[1] ||
	    !analysis->workgroup_size[2])
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "invalid SPIR-V: the entry point's workgroups have no size");
	analysis->homes = vkr_homes_find(module, analysis->options, analysis->arena);
	analysis->book.homes = analysis->homes;
	if (!analysis->homes)
		return vkr_error_memory(error, "variables");
	if (!vkr_pointer_bases_find(analysis))
		return vkr_error_memory(error, "pointers");
	if (!vkr_interlock_find(analysis))
		return vkr_error_memory(error, "interlocks");
	return collect_sites(analysis, error);
}

enum vkr_result vkr_analysis_make(struct vkr_analysis *analysis, struct vkr_error *error)
{
	enum vkr_result result = vkr_analysis_read(analysis, error);
	if (result == VKR_OK)
		result = number_workgroups(analysis, error);
	if (result == VKR_OK && !tell_subgroups(analysis))
		result = vkr_error_memory(error, "sites");
	if (result != VKR_OK)
		return result;
	if (analysis->identity) // else column logs, which have no headers
		analysis->header_words =
			VKR_CHUNK_HEADER_WORDS + vkr_identity_total(analysis->identity);
	spread_logs(analysis);
	result = vkr_analysis_segments(analysis, error);
	if (result == VKR_OK)
		result = vkr_analysis_reserve(analysis, error);
	if (result == VKR_OK)
		result = vkr_texel_marks_make(analysis, error);
	if (result == VKR_OK)
		result = vkr_analysis_summary(analysis, error);
	return result == VKR_OK ? vkr_reader_marks_make(analysis, error) : result;
}

void vkr_analysis_finish(struct vkr_analysis *analysis)
{
	free(analysis->drafts.items);
	free(analysis->segments.items);
	free(analysis->reservations.items);
	free(analysis->variables.items);
	free(analysis->pieces.items);
	free(analysis->texels.items);
	free(analysis->unobserved.items);
	free(analysis->strings.items);
	free(analysis->strings.offsets);
	free(analysis->summary.items);
	free(analysis->records.items);
}
