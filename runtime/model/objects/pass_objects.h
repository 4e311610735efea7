// SPDX-License-Identifier: Apache-2.0
// Render passes and framebuffers as the program made them. Knows what they are made of; not what
// they order, and not what is done to attachments.
#pragma once

#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

// A VkRenderPass. Both stay when they are destroyed: executions of them may be pending.
struct vkr_render_pass {
	uint32_t id, attachment_count, subpass_count, dependency_count;
	const struct vkr_trace_subpass_dependency *dependencies;
	const struct vkr_trace_attachment *attachments;
	const struct vkr_trace_subpass *subpasses;
	// By subpass: where its references begin; one more for their end.
	const uint32_t *first_references;
	const struct vkr_trace_attachment_reference *references;
};

struct vkr_framebuffer {
	uint32_t id, layers, view_count;
	const uint32_t *views; // image views
};

struct vkr_pass_objects {
	struct vkr_map render_passes, framebuffers; // id -> object
};

void vkr_pass_objects_finish(struct vkr_pass_objects *objects);

// NULL where there is none.
const struct vkr_render_pass *vkr_pass_objects_render_pass(const struct vkr_pass_objects *objects,
							   uint32_t id);
const struct vkr_framebuffer *vkr_pass_objects_framebuffer(const struct vkr_pass_objects *objects,
							   uint32_t id);

// Whether a subpass uses an attachment: preserving it is no use (VkSubpassDescription).
bool vkr_render_pass_uses(const struct vkr_render_pass *pass, uint32_t subpass,
			  uint32_t attachment);

// RENDER_PASS, FRAMEBUFFER, and the events of their end.
enum vkr_result vkr_pass_objects_made(struct vkr_pass_objects *objects,
				      const struct vkr_trace_event *event,
				      struct vkr_error *error) VKR_MUST_USE;
