// SPDX-License-Identifier: Apache-2.0
// Reads of acceleration structures. Knows SPIR-V's ray tracing; not how it orders invocations.
#include "analysis.h"

bool vkr_analysis_trace(struct vkr_analysis *analysis, const struct vkr_instruction *in,
			struct vkr_site_draft *draft, const char **fault)
{
	const uint32_t value =
		vkr_module_word(analysis->module, in, vkr_opcode(in->opcode)->traced);
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
