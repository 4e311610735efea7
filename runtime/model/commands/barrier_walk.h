// SPDX-License-Identifier: Apache-2.0
// Barriers on their way to the engine: the dependencies, layout transitions and transfers of
// ownership that they stand for.
#pragma once

#include "command_walk.h"

// barrier_commands.c
struct vkr_barrier_list {
	const struct vkr_trace_barrier *items;
	uint32_t count;
	bool together;  // the first form: they share their stages and are one dependency
	uint32_t flags; // VkDependencyFlags
};
struct vkr_gathered {
	struct vkr_engine_dependency *dependencies;
	struct vkr_engine_transition *transitions; // of each dependency
	uint32_t count;
	struct {
		struct vkr_engine_barrier_access *items;
		size_t count, capacity;
	} accesses;
	struct {
		struct vkr_engine_range *items;
		size_t count, capacity;
	} ranges;
};
// Gives the executed command, or dependency, of a tag the masks of the barriers.
void vkr_walk_name_masks(struct vkr_walk *walk, uint64_t tag, const struct vkr_barrier_list *list);

// The dependencies that barriers stand for. vkr_gathered_finish releases them.
enum vkr_result vkr_walk_gather_barriers(struct vkr_walk *walk, const struct vkr_barrier_list *list,
					 struct vkr_gathered *gathered) VKR_MUST_USE;
void vkr_gathered_finish(struct vkr_gathered *gathered);
// Adds where the location is, in the memories that its own is mapped onto, and counts. False for
// lack of memory.
bool vkr_gathered_add_range(const struct vkr_walk *walk, struct vkr_gathered *gathered,
			    const struct vkr_location *location, uint32_t *added);
// ownership_transfers.c
// Whether a resource that is exclusive is so where its memory's device has families that share not.
bool vkr_memory_exclusive(const struct vkr_model *model, const struct vkr_memory *memory,
			  bool exclusive);
// Whether the barrier is a half of a transfer of ownership, on whatever queue.
bool vkr_barrier_transfers(const struct vkr_trace_barrier *barrier);
// Feeds the halves, after the barriers' dependencies and transitions.
enum vkr_result vkr_walk_transfers(struct vkr_walk *walk, const struct vkr_barrier_list *list,
				   uint64_t tag) VKR_MUST_USE;
// layout_transitions.c
struct vkr_barrier_command {
	uint32_t index, event_type;
	const struct vkr_command_info *like;
};
// Whether the barrier has a layout transition on this queue.
bool vkr_barrier_transition(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier);
// A transition, and the engine's command that it is.
struct vkr_image_transition {
	const struct vkr_image *image;
	uint32_t old_layout, new_layout; // VkImageLayout
	uint32_t command;
};
enum vkr_result vkr_walk_transition(struct vkr_walk *walk, struct vkr_command_info *info,
				    const struct vkr_image_transition *of,
				    const struct vkr_locations *locations) VKR_MUST_USE;
// Feeds the transitions that the engine has put between the gathered dependencies' halves.
enum vkr_result vkr_walk_transitions(struct vkr_walk *walk,
				     const struct vkr_barrier_command *command,
				     const struct vkr_barrier_list *list,
				     const struct vkr_gathered *gathered) VKR_MUST_USE;
// pass_transitions.c
// The layout transitions on the way into a subpass, or out of the render pass
// (VK_SUBPASS_EXTERNAL), after the dependencies of subpasses before.
enum vkr_result vkr_pass_transitions(struct vkr_walk *walk, uint32_t subpass,
				     const struct vkr_engine_mark *place,
				     const struct vkr_barrier_command *command) VKR_MUST_USE;
