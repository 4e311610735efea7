// SPDX-License-Identifier: Apache-2.0
#include "race_edits.h"

#include "model_state.h"
#include "race_places.h"
#include "scopes.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

// The command's place; false for lack of memory.
static bool make_place(struct vkr_model *model, const struct vkr_command_info *info,
		       struct vkr_change_place *place)
{
	*place = (struct vkr_change_place){
		.call = vkr_call_offset_text(&model->stacks, &model->texts, info->caller),
		.labels = info->labels,
		.command_buffer = info->command_buffer,
		.command = info->index + 1,
		.name = info->name,
		.recorded =
			vkr_call_place_text(&model->stacks, &model->texts, info->caller,
					    model->options.place_words, model->options.place_user)};
	return place->call != NULL && place->recorded != NULL;
}

// The command whose own accesses these are: a subpass's are of those that begin and end it.
static const struct vkr_command_info *command_of(struct vkr_model *model,
						 const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	return site->kind == VKR_SITE_OF_COMMAND ? site->info
						 : model->names.executed.items[access->tag].info;
}

// Bits that Vulkan knows; the engine's own stages stand for others.
static bool are_vulkan(uint64_t stages, uint64_t accesses)
{
	const uint64_t own = VKR_ENGINE_QUERY | VKR_ENGINE_TRANSITION | VKR_STAGE_PRESENTATION |
			     VKR_STAGE_MARKER;
	return ((stages | accesses) & own) == 0;
}

static bool is_barrier(const struct vkr_command_info *info)
{
	return info != NULL &&
	       strncmp(info->name, "vkCmdPipelineBarrier", strlen("vkCmdPipelineBarrier")) == 0;
}

bool vkr_race_edit_make(struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, enum vkr_race_remedy remedy,
			const struct vkr_change **edit)
{
	struct vkr_change change = {.place = {.call = ""}};
	struct vkr_change_masks masks = {.source_stages = race->first.stage,
					 .destination_stages = race->second.stage};
	const struct vkr_command_info *info = NULL;
	const bool memory = report->first.write;
	*edit = NULL;
	switch (remedy) {
	case VKR_REMEDY_OTHER:
		return true;
	case VKR_REMEDY_BARRIER:
		change.kind = VKR_CHANGE_BARRIER_BEFORE;
		masks.source_access = memory ? race->first.access : 0;
		masks.destination_access = memory ? race->second.access : 0;
		info = command_of(model, &race->second);
		break;
	case VKR_REMEDY_TO_HOST:
		change.kind = VKR_CHANGE_BARRIER_AFTER;
		masks.source_access = race->first.access;
		masks.destination_stages = VK_PIPELINE_STAGE_2_HOST_BIT;
		masks.destination_access = report->second.write ? VK_ACCESS_2_HOST_WRITE_BIT
								: VK_ACCESS_2_HOST_READ_BIT;
		info = command_of(model, &race->first);
		break;
	case VKR_REMEDY_MASKS: {
		const uint32_t lacks = race->shortfall;
		change.kind = VKR_CHANGE_MASKS;
		masks.source_stages = lacks & VKR_SHORT_SOURCE_STAGE ? race->first.stage : 0;
		masks.source_access = lacks & VKR_SHORT_SOURCE_ACCESS ? race->first.access : 0;
		masks.destination_stages =
			lacks & VKR_SHORT_DESTINATION_STAGE ? race->second.stage : 0;
		masks.destination_access =
			lacks & VKR_SHORT_DESTINATION_ACCESS ? race->second.access : 0;
		info = model->names.executed.items[race->nearest].info;
		if (!is_barrier(info) || lacks & VKR_SHORT_RANGE)
			return true;
		break;
	}
	}
	if (info == NULL || !are_vulkan(masks.source_stages | masks.destination_stages,
					masks.source_access | masks.destination_access))
		return true;
	struct vkr_change *kept = vkr_arena_alloc(&model->names.arena, sizeof *kept);
	if (kept == NULL || !make_place(model, info, &change.place))
		return false;
	change.masks = masks;
	change.legacy =
		(struct vkr_change_masks){vkr_scope_legacy_stages(masks.source_stages),
					  vkr_scope_legacy_accesses(masks.source_access),
					  vkr_scope_legacy_stages(masks.destination_stages),
					  vkr_scope_legacy_accesses(masks.destination_access)};
	*kept = change;
	*edit = kept;
	return true;
}
