// SPDX-License-Identifier: Apache-2.0
// Order between invocations of one dispatch that control barriers do not give: by acquire and
// release through atomics. Knows which shaders could have it; not yet which of their invocations
// did, so a pair that it could order is not reported but told as not judged.
#include "model_state.h"

enum vkr_race_class vkr_model_shader_order(void *context, const struct vkr_engine_race *candidate)
{
	struct vkr_model *model = context;
	const struct vkr_access_site *first = &model->names.sites.items[candidate->first.site_tag];
	const struct vkr_access_site *second =
		&model->names.sites.items[candidate->second.site_tag];
	if (first->kind != VKR_SITE_OF_SHADER || second->kind != VKR_SITE_OF_SHADER)
		return candidate->race_class;
	const struct vkr_shader *shader = first->shader;
	const unsigned of_memory =
		candidate->memory == VKR_ENGINE_WORKGROUP ? VKR_CLASS_WORKGROUP : VKR_CLASS_UNIFORM;
	const bool same_workgroup = candidate->first.workgroup == candidate->second.workgroup;
	const unsigned ordered =
		same_workgroup ? shader->orders_invocations : shader->orders_workgroups;
	if (!(ordered & of_memory))
		return candidate->race_class;
	// The engine has no place for a failure here; lack of memory shows in the next allocation.
	if (!vkr_coverage_add(&model->coverage, VKR_COVERAGE_SYNC, 0,
			      "%s orders invocations by atomics or fences: accesses that these "
			      "could order are not judged against each other",
			      shader->name))
		return candidate->race_class;
	return VKR_RACE_NONE;
}
