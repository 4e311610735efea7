// SPDX-License-Identifier: Apache-2.0
#include "joint_order.h"

#include "error.h"
#include "model_state.h"
#include "site_table.h"

#include <stdio.h>

void vkr_joint_finish(struct vkr_joint_order *joint)
{
	vkr_joined_logs_finish(&joint->logs);
	*joint = (struct vkr_joint_order){0};
}

// Whether others may read what atomics of the shader write. *unseen: some do not log the value.
static bool writes_atomically(const struct vkr_shader *shader, bool *unseen)
{
	const struct vkr_site *sites = vkr_site_table_sites(shader->sites);
	bool writes = false;
	for (uint32_t at = 0; at < shader->sites->site_count; at++) {
		const bool write = vkr_sync_is_atomic(&sites[at]) &&
				   sites[at].operation != VKR_SITE_ATOMIC_LOAD;
		writes |= write;
		*unseen |= write && !(sites[at].flags & VKR_SITE_VALUES);
	}
	return writes;
}

enum vkr_joint_kind vkr_joint_is_for(const struct vkr_pipeline *pipeline)
{
	bool orders = false, calls = false, unseen = false;
	uint32_t shaders = 0;
	for (uint32_t at = 0; at < pipeline->shader_count; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		if (!(shader->flags & VKR_SHADER_INSTRUMENTED))
			return VKR_JOINT_NONE;
		if (shader->sites == NULL)
			continue;
		const bool by_atomics =
			(shader->orders_invocations | shader->orders_workgroups) != 0;
		orders |= by_atomics;
		calls |= shader->orders_calls != 0;
		// Values that relaxed atomics write continue release sequences of others.
		shaders += writes_atomically(shader, &unseen) || by_atomics;
	}
	if (!orders || unseen)
		return VKR_JOINT_NONE;
	return calls ? VKR_JOINT_CALLS : shaders > 1 ? VKR_JOINT_ATOMICS : VKR_JOINT_NONE;
}

enum vkr_result vkr_joint_collect(struct vkr_joint_order *joint, struct vkr_calls *calls,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  const struct vkr_map *begins,
				  const struct vkr_invocation_groups *groups,
				  struct vkr_error *error)
{
	const bool is_called = joint->kind == VKR_JOINT_CALLS;
	const struct vkr_shader *shader = targets->program->shader;
	struct vkr_sync *all = &joint->logs.sync;
	struct vkr_sync one = {.rules = all->rules,
			       .sites = vkr_site_table_sites(shader->sites),
			       .site_count = shader->sites->site_count,
			       .local_size = targets->local_size,
			       .subgroup_size = targets->subgroup_size,
			       .calls.each = is_called,
			       .ranges = all->ranges};
	enum vkr_result result = vkr_sync_collect(&one, targets, chunks, count, error);
	if (result == VKR_OK &&
	    (!vkr_joined_logs_add(&joint->logs, &one) ||
	     (is_called && !vkr_calls_add(calls, shader, &one, begins, groups))))
		result = vkr_error_memory(error, "a command's synchronization");
	if (all->events.count >= VKR_SYNC_NONE || all->accesses.count >= VKR_SYNC_NONE)
		result = vkr_error_set(
			error, VKR_ERROR_UNSUPPORTED,
			"more than 4,294,967,294 synchronizing events of one command");
	one.ranges = (struct vkr_sync_ranges){0};
	vkr_sync_clear(&one);
	return result;
}

enum vkr_result vkr_joint_judge(struct vkr_model *model, const struct vkr_device *device,
				uint32_t command, const char *name, struct vkr_error *error)
{
	struct vkr_joint_order *joint = &model->order.joint;
	struct vkr_sync *sync = &joint->logs.sync;
	char shaders[128];
	snprintf(shaders, sizeof shaders, "what one %s runs", name);
	vkr_joined_logs_close(&joint->logs);
	sync->rules = model->options.rules;
	sync->chains = device != NULL && (device->flags & VKR_DEVICE_AVAILABILITY_CHAINS);
	sync->command = command;
	sync->calls.each = joint->kind == VKR_JOINT_CALLS;
	enum vkr_result result = VKR_OK;
	if (sync->calls.each && !vkr_calls_release(&model->order.calls, sync))
		result = vkr_error_memory(error, "shader calls");
	if (result == VKR_OK)
		result = vkr_model_judge_sync(model, sync, shaders, error);
	vkr_joined_logs_clear(&joint->logs);
	vkr_calls_clear(&model->order.calls);
	return result;
}
