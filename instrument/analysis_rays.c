// SPDX-License-Identifier: Apache-2.0
// Instructions of ray tracing: which of them run other shaders, and which read an acceleration
// structure. Knows SPIR-V's ray tracing; not how invocations are ordered by it.
#include "shader_calls.h"

#include "analysis.h"

// Of SPV_EXT_shader_invocation_reorder, which Debian 12's headers lack.
enum {
	OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT = 5310,
	OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT = 5311,
	OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT = 5312,
	OP_HIT_OBJECT_TRACE_RAY_EXT = 5316,
	OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT = 5317,
	OP_HIT_OBJECT_EXECUTE_SHADER_EXT = 5319,
};

uint32_t vkr_traced_operand(uint16_t opcode)
{
	switch ((uint32_t)opcode) {
	case SpvOpTraceNV:
	case SpvOpTraceMotionNV:
	case SpvOpTraceRayKHR:
	case SpvOpTraceRayMotionNV:
		return 1;
	// Behind the ray query, or the hit object. What goes on with a query reads the same
	// structure, and no dependency can come between.
	case SpvOpRayQueryInitializeKHR:
	case SpvOpHitObjectTraceRayNV:
	case SpvOpHitObjectTraceRayMotionNV:
	case OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT:
	case OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT:
	case OP_HIT_OBJECT_TRACE_RAY_EXT:
	case OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT:
		return 2;
	default:
		return 0;
	}
}

bool vkr_is_shader_call(uint16_t opcode)
{
	switch ((uint32_t)opcode) {
	case SpvOpExecuteCallableNV:
	case SpvOpExecuteCallableKHR:
	case SpvOpReportIntersectionKHR:
	case SpvOpHitObjectExecuteShaderNV:
	case OP_HIT_OBJECT_EXECUTE_SHADER_EXT:
	case OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT:
		return true;
	default:
		return opcode != SpvOpRayQueryInitializeKHR && vkr_traced_operand(opcode);
	}
}

bool vkr_analysis_trace(struct vkr_analysis *analysis, const struct vkr_instruction *in,
			struct vkr_site_draft *draft, const char **fault)
{
	const uint32_t value =
		vkr_module_word(analysis->module, in, vkr_traced_operand(in->opcode));
	const struct vkr_instruction *type = vkr_module_definition(
		analysis->module, vkr_module_definition(analysis->module, value)->type);
	bool is_alike; // all are: one type says what they are
	draft->site.operation = VKR_SITE_LOAD;
	*fault = NULL;
	if (type->opcode != SpvOpTypeAccelerationStructureKHR) { // not all validators ask
		draft->place.kind = VKR_TARGET_UNKNOWN;
		*fault = "an acceleration structure that is none";
		return true;
	}
	if (!vkr_pointer_target_resolve(&analysis->book, value, &draft->place))
		return false;
	if (draft->place.kind == VKR_TARGET_UNKNOWN) {
		*fault = "an acceleration structure whose variable is not known statically";
		return true;
	}
	draft->is_traced = true;
	draft->place.member = "";
	if (draft->place.home && draft->place.home->kind == VKR_HOME_ADDRESS)
		draft->mapped = &draft->place.home->resource;
	draft->site.words = (uint16_t)vkr_descriptor_words(&draft->place);
	if (draft->mapped || draft->place.kind == VKR_TARGET_ADDRESS) {
		draft->site.flags |= VKR_SITE_POINTER;
		draft->site.words = 2;
	} else if (draft->place.kind == VKR_TARGET_CHOSEN) {
		draft->site.flags |= VKR_SITE_CHOSEN;
	} else if (draft->place.is_arrayed) {
		draft->site.flags |= VKR_SITE_ARRAYED;
	}
	return vkr_analysis_variables(analysis, &draft->place, &draft->site.variable, &is_alike);
}
