// SPDX-License-Identifier: Apache-2.0
// What rendering does to its attachments outside of shaders, subpass by subpass. Knows load, store
// and resolve operations and clears; not what a draw writes.
//
// The accesses of one subpass to attachments are one group of commands in the engine:
// fixed-function accesses to an attachment are in rasterization order ("Rasterization Order"), a
// load operation comes before and a store operation after all of them ("Load Operations", "Store
// Operations").
#pragma once

#include "command_walk.h"

// The uses of attachments in a subpass of a render pass that was begun, into walk->pass.
enum vkr_result vkr_attachments_of_subpass(struct vkr_walk *walk, uint32_t subpass) VKR_MUST_USE;

// Begins dynamic rendering.
enum vkr_result
vkr_attachments_of_rendering(struct vkr_walk *walk,
			     const struct vkr_trace_cmd_begin_rendering *begin) VKR_MUST_USE;

// Load operations, by the command that begins the subpass.
enum vkr_result vkr_attachments_load(struct vkr_walk *walk,
				     struct vkr_command_info *info) VKR_MUST_USE;

// Resolve and store operations, by the command that ends it.
enum vkr_result vkr_attachments_store(struct vkr_walk *walk,
				      struct vkr_command_info *info) VKR_MUST_USE;

// The texels of the render area in some views into walk->pass.locations; without multiview in all
// layers.
enum vkr_result vkr_attachments_area(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				     uint32_t views) VKR_MUST_USE;

// An access to the locations of the pass under way, as a command of its own.
enum vkr_result vkr_attachments_access(struct vkr_walk *walk,
				       struct vkr_walk_access *access) VKR_MUST_USE;

// Values are written to an attachment in the render pass instance under way, surely or perhaps:
// what VK_ATTACHMENT_STORE_OP_NONE does to it at its end.
enum vkr_result vkr_attachments_wrote(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				      bool surely) VKR_MUST_USE;

// Whether its store operation accesses it whatever was done to it.
static inline bool vkr_attachments_stores(const struct vkr_attachment_use *use)
{
	return use->store == VK_ATTACHMENT_STORE_OP_STORE ||
	       use->store == VK_ATTACHMENT_STORE_OP_DONT_CARE;
}

// Whether that is known already.
bool vkr_attachments_surely_wrote(const struct vkr_walk_pass *pass,
				  const struct vkr_attachment_use *use);

// A number, never 0, that changes whenever the order of commands does.
static inline uint64_t vkr_attachments_now(const struct vkr_walk *walk)
{
	return vkr_engine_changes(walk->model->engine, walk->queue->timeline) + 1;
}

// A draw is to come that may read as input what has a layout that allows it.
enum vkr_result vkr_attachments_read(struct vkr_walk *walk) VKR_MUST_USE;

// A draw's attachment accesses that load and store operations do not already cover
// (draw_attachments.c).
enum vkr_result vkr_attachments_draw(struct vkr_walk *walk) VKR_MUST_USE;

// The texels that the draw's fragments write, once the draw's log has been read.
enum vkr_result vkr_attachments_drawn(struct vkr_walk *walk) VKR_MUST_USE;

// Whether it says how coarse fragments are, and is nothing that they are rendered to.
static inline bool vkr_attachments_is_rate(uint32_t role)
{
	return role == VKR_ATTACHMENT_SHADING_RATE || role == VKR_ATTACHMENT_DENSITY_MAP;
}

// A draw that rasterizes may read such an attachment (rate_attachments.c).
enum vkr_result vkr_attachments_read_rate(struct vkr_walk *walk,
					  struct vkr_attachment_use *use) VKR_MUST_USE;

// vkCmdClearAttachments.
enum vkr_result vkr_attachments_clear(struct vkr_walk *walk,
				      const struct vkr_trace_event *event) VKR_MUST_USE;
