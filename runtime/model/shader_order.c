// SPDX-License-Identifier: Apache-2.0
// Order between invocations of one dispatch that control barriers do not give: by acquire and
// release through atomics. Knows which shaders could have it, and puts the verdict off where one
// has: until all of the dispatch's log has been read (shader_sync.h).
#include "model_state.h"

#include "error.h"
#include "site_table.h"

static unsigned class_of(const struct vkr_access_site *site)
{
	return vkr_site_table_sites(site->shader->sites)[site->site].storage_class;
}

enum vkr_race_class vkr_model_shader_order(void *context, const struct vkr_engine_race *candidate)
{
	struct vkr_model *model = context;
	const struct vkr_access_site *first = &model->names.sites.items[candidate->first.site_tag];
	const struct vkr_access_site *second =
		&model->names.sites.items[candidate->second.site_tag];
	if (first->kind != VKR_SITE_OF_SHADER || second->kind != VKR_SITE_OF_SHADER)
		return candidate->race_class;
	const unsigned of_memory = class_of(first) | class_of(second);
	if (!((first->shader->orders_invocations | first->shader->orders_workgroups) & of_memory))
		return candidate->race_class;
	const struct vkr_sync_range range = {
		.memory = vkr_sync_memory(candidate->memory, candidate->second.workgroup),
		.low = candidate->offset,
		.high = candidate->offset + candidate->bytes};
	// The engine has no place for a failure here: it is told when the dispatch ends.
	if (!vkr_sync_ranges_add(&model->sync.ranges, &range))
		model->sync_failed = true;
	return VKR_RACE_NONE;
}

// Which invocations share a subgroup is known where there is but one dimension: that of most
// drivers is in order of the local index.
static uint32_t subgroup_size(const struct vkr_shader *shader, const struct vkr_device *device)
{
	const uint32_t *size = shader->sites->workgroup_size;
	return device != NULL && size[1] == 1 && size[2] == 1 ? device->subgroup_size : 0;
}

static bool has_subgroup_scope(const struct vkr_shader *shader)
{
	const struct vkr_site *sites = vkr_site_table_sites(shader->sites);
	for (uint32_t at = 0; at < shader->sites->site_count; at++)
		if (sites[at].scope == VKR_SCOPE_SUBGROUP &&
		    sites[at].order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE))
			return true;
	return false;
}

static enum vkr_result note_doubts(struct vkr_model *model, const struct vkr_shader *shader,
				   struct vkr_error *error)
{
	const struct vkr_sync *sync = &model->sync;
	enum vkr_result result = VKR_OK;
	if (sync->too_many)
		return vkr_model_missed(
			model, error, VKR_COVERAGE_SYNC, 0,
			"%s orders invocations by atomics whose values are written "
			"too often to tell who read what: accesses that these could "
			"order are not judged against each other",
			shader->name);
	if (sync->ambiguous)
		result = vkr_model_missed(
			model, error, VKR_COVERAGE_SYNC, 0,
			"%s orders invocations by atomics whose values several of them have "
			"written: each read is taken to have met all of these writes",
			shader->name);
	if (result == VKR_OK && sync->subgroup_size == 0 && has_subgroup_scope(shader))
		result = vkr_model_missed(
			model, error, VKR_COVERAGE_SYNC, 0,
			"%s synchronizes subgroups that are not known: each workgroup is taken to "
			"be one",
			shader->name);
	return result;
}

enum vkr_result vkr_model_judge_order(struct vkr_model *model, struct vkr_dispatch_targets *targets,
				      const struct vkr_device *device, uint32_t command,
				      const struct vkr_chunk *chunks, size_t count,
				      struct vkr_error *error)
{
	const struct vkr_program *program = targets->program;
	struct vkr_sync *sync = &model->sync;
	enum vkr_result result = VKR_OK;
	if (model->sync_failed)
		return vkr_error_memory(error, "a dispatch's synchronization");
	if (sync->ranges.count == 0)
		return VKR_OK;
	vkr_sync_ranges_merge(&sync->ranges);
	sync->program = program;
	sync->local_size = targets->local_size;
	sync->sites = vkr_site_table_sites(program->shader->sites);
	sync->subgroup_size = subgroup_size(program->shader, device);
	sync->chains = device != NULL && (device->flags & VKR_DEVICE_AVAILABILITY_CHAINS);
	sync->command = command;
	result = vkr_sync_collect(sync, targets, chunks, count, error);
	if (result == VKR_OK)
		result = vkr_sync_match(sync, error);
	if (result == VKR_OK && !sync->too_many)
		result = vkr_sync_feed(sync, error);
	if (result == VKR_OK && !sync->too_many)
		result = vkr_sync_judge(sync, model->engine, error);
	if (result == VKR_OK)
		result = note_doubts(model, program->shader, error);
	vkr_sync_clear(sync);
	return result;
}
