// SPDX-License-Identifier: Apache-2.0
// Image layout transitions as accesses (Vulkan specification, "Image Layout Transitions"). Knows
// which barriers have one; not how they order what is around them.
#include "barrier_walk.h"
#include "error.h"
#include "event_layout.h"

static bool is_outside(uint32_t family)
{
	return family == VK_QUEUE_FAMILY_EXTERNAL || family == VK_QUEUE_FAMILY_FOREIGN_EXT;
}

// Both halves of an ownership transfer name the same transition, which "is executed exactly once",
// between them: it is taken as part of the release, which is on another queue, unless that is not
// this program's.
bool vkr_barrier_transition(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier)
{
	if (barrier->kind != VKR_BARRIER_IMAGE || barrier->old_layout == barrier->new_layout)
		return false;
	return barrier->source_family == barrier->destination_family ||
	       barrier->destination_family != walk->queue->family ||
	       is_outside(barrier->source_family);
}

enum vkr_result vkr_walk_transition(struct vkr_walk *walk, struct vkr_command_info *info,
				    const struct vkr_image_transition *of,
				    const struct vkr_locations *locations)
{
	struct vkr_texts *texts = &walk->model->texts;
	const struct vkr_walk_access access = {
		.command = of->command,
		.info = info,
		.site = VKR_COMMAND_TRANSITION,
		.image = of->image,
		.key = vkr_texts_format(texts, "transition %u %u %u", of->image->id, of->old_layout,
					of->new_layout),
		.read = of->old_layout != VK_IMAGE_LAYOUT_UNDEFINED,
		.write = true,
		.operation = vkr_texts_format(texts, "layout transition %s -> %s",
					      vkr_layout_name(of->old_layout),
					      vkr_layout_name(of->new_layout)),
		.stage = VKR_ENGINE_TRANSITION,
		.access = VKR_ENGINE_TRANSITION};
	if (access.key == NULL || access.operation == NULL)
		return vkr_error_memory(walk->error, "a layout transition");
	return vkr_walk_access_image(walk, &access, locations);
}

static enum vkr_result transition_layout(struct vkr_walk *walk, struct vkr_command_info *info,
					 const struct vkr_trace_barrier *barrier, uint32_t command)
{
	const struct vkr_image *image = vkr_objects_image(&walk->model->objects, barrier->object);
	if (image == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"a barrier of an image whose creation was not recorded");
	walk->locations.count = 0;
	if (!vkr_image_add_barrier(image, &barrier->subresources, &walk->locations))
		return vkr_error_memory(walk->error, "a layout transition");
	return vkr_walk_transition(walk, info,
				   &(struct vkr_image_transition){.image = image,
								  .old_layout = barrier->old_layout,
								  .new_layout = barrier->new_layout,
								  .command = command},
				   &walk->locations);
}

enum vkr_result vkr_walk_transitions(struct vkr_walk *walk,
				     const struct vkr_barrier_command *command,
				     const struct vkr_barrier_list *list,
				     const struct vkr_gathered *gathered)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < list->count && result == VKR_OK; at++) {
		const uint32_t made = gathered->transitions[list->together ? 0 : at].command;
		if (!vkr_barrier_transition(walk, &list->items[at]) || made == 0)
			continue; // no place in memory, which is said where it is used
		struct vkr_command_info *info =
			vkr_walk_info(walk, command->index, command->event_type, command->like);
		if (info == NULL)
			return vkr_error_memory(walk->error, "a command");
		result = transition_layout(walk, info, &list->items[at], made);
	}
	for (uint32_t at = 0; at < list->count; at++)
		if (gathered->transitions[at].command != 0)
			vkr_engine_command_end(walk->model->engine,
					       gathered->transitions[at].command);
	return result;
}
