// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: render passes, framebuffers, and the commands that begin and end
// rendering. Knows nothing of what their attachments are accessed by.
#pragma once

#include <assert.h>
#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_PASS_EVENTS(X)                                                                   \
	X(RENDER_PASS, 67, vkr_trace_render_pass, 24)                                              \
	X(RENDER_PASS_DESTROY, 68, vkr_trace_render_pass_destroy, 8)                               \
	X(FRAMEBUFFER, 70, vkr_trace_framebuffer, 32)                                              \
	X(FRAMEBUFFER_DESTROY, 71, vkr_trace_framebuffer_destroy, 8)                               \
	X(CMD_BEGIN_RENDER_PASS, 114, vkr_trace_cmd_begin_render_pass, 32)                         \
	X(CMD_NEXT_SUBPASS, 115, vkr_trace_cmd_next_subpass, 8)                                    \
	X(CMD_END_RENDER_PASS, 116, vkr_trace_cmd_end_render_pass, 8)                              \
	X(CMD_BEGIN_RENDERING, 187, vkr_trace_cmd_begin_rendering, 40)                             \
	X(CMD_END_RENDERING, 188, vkr_trace_cmd_end_rendering, 8)                                  \
	X(CMD_CLEAR_ATTACHMENTS, 189, vkr_trace_cmd_clear_attachments, 16)

// Items of tails.

// VkSubpassDependency, VkSubpassDependency2 with its VkMemoryBarrier2.
struct vkr_trace_subpass_dependency {
	uint32_t source, destination;          // subpasses; UINT32_MAX: VK_SUBPASS_EXTERNAL
	uint64_t source_stages, source_access; // VkPipelineStageFlags2, VkAccessFlags2
	uint64_t destination_stages, destination_access; // VkPipelineStageFlags2, VkAccessFlags2
	uint32_t flags;                                  // VkDependencyFlags
	uint32_t view_offset;                            // int32_t
};

// VkAttachmentDescription2. VkImageLayout, VkAttachmentLoadOp, VkAttachmentStoreOp; if the
// stencil's layouts are not given separately, they equal the others.
struct vkr_trace_attachment {
	uint32_t format, samples;
	uint32_t flags; // VkAttachmentDescriptionFlags
	uint32_t load, store, stencil_load, stencil_store;
	uint32_t initial_layout, final_layout, stencil_initial_layout, stencil_final_layout;
	uint32_t reserved;
};

// VkSubpassDescription2: its references follow those of the subpasses before.
struct vkr_trace_subpass {
	uint32_t reference_count;
	uint32_t view_mask;
	uint32_t flags;                                    // VkSubpassDescriptionFlags
	uint32_t depth_resolve_mode, stencil_resolve_mode; // VkResolveModeFlagBits
	uint32_t implicit_samples; // attachments of one sample are rendered with this many here; 0:
				   // with one
};

struct vkr_trace_attachment_reference {
	uint32_t attachment;
	uint32_t role;  // enum vkr_trace_attachment_role
	uint32_t index; // in its array: input attachment index, location, color to resolve; of
			// rates: pixels a texel, width << 16 | height, or 0: the map has as many
			// as cover the framebuffer
	uint32_t layout, stencil_layout; // VkImageLayout
	uint32_t aspects;                // of an input attachment: VkImageAspectFlags; 0: all
};

// VkRenderingAttachmentInfo of an attachment that is there.
struct vkr_trace_rendering_attachment {
	uint32_t view, resolve_view; // image views; 0: none
	uint32_t role;               // enum vkr_trace_attachment_role: COLOR, DEPTH, STENCIL, rates
	uint32_t index;              // location; of rates as in a reference
	uint32_t layout, resolve_layout, load, store, resolve_mode;
	uint32_t flags; // enum vkr_trace_rendering_flags
};

struct vkr_trace_clear {
	uint32_t aspects; // VkImageAspectFlags
	uint32_t index;   // of a color attachment
};

struct vkr_trace_clear_rectangle {
	uint32_t x, y, width, height; // x and y: int32_t in two's complement
	uint32_t first_layer, layer_count;
};

// Values of members.

enum vkr_trace_attachment_role {
	VKR_ATTACHMENT_INPUT = 1,
	VKR_ATTACHMENT_COLOR,
	VKR_ATTACHMENT_RESOLVE,
	VKR_ATTACHMENT_DEPTH_STENCIL,
	VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE,
	VKR_ATTACHMENT_PRESERVE,
	VKR_ATTACHMENT_DEPTH,   // of dynamic rendering
	VKR_ATTACHMENT_STENCIL, // of dynamic rendering
	VKR_ATTACHMENT_SHADING_RATE,
	VKR_ATTACHMENT_DENSITY_MAP, // of a render pass: in its first subpass
};

enum vkr_trace_rendering_flags {
	VKR_RENDERING_FEEDBACK_LOOP = 1u << 0, // VkAttachmentFeedbackLoopInfoEXT enables one
};

// Events.

// vkCreateRenderPass, vkCreateRenderPass2. Tail: dependency_count x struct
// vkr_trace_subpass_dependency, attachment_count x struct vkr_trace_attachment, subpass_count x
// struct vkr_trace_subpass, reference_count x struct vkr_trace_attachment_reference.
struct vkr_trace_render_pass {
	uint32_t render_pass, device;
	uint32_t attachment_count, subpass_count, dependency_count, reference_count;
};

struct vkr_trace_render_pass_destroy {
	uint32_t render_pass, reserved;
};

// vkCreateFramebuffer. Tail: view_count x uint32_t: image views; none of an imageless one.
struct vkr_trace_framebuffer {
	uint32_t framebuffer, device;
	uint32_t flags; // VkFramebufferCreateFlags
	uint32_t width, height, layers;
	uint32_t view_count, reserved;
};

struct vkr_trace_framebuffer_destroy {
	uint32_t framebuffer, reserved;
};

// vkCmdBeginRenderPass, vkCmdBeginRenderPass2: the first subpass begins too. Tail: view_count x
// uint32_t: image views of an imageless framebuffer. Device: images.
struct vkr_trace_cmd_begin_render_pass {
	uint32_t command, render_pass, framebuffer;
	uint32_t x, y, width, height; // render area; x and y: int32_t in two's complement
	uint32_t view_count;
};

// vkCmdNextSubpass, vkCmdNextSubpass2. Device: nothing.
struct vkr_trace_cmd_next_subpass {
	uint32_t command, reserved;
};

// vkCmdEndRenderPass, vkCmdEndRenderPass2. Device: nothing.
struct vkr_trace_cmd_end_render_pass {
	uint32_t command, reserved;
};

// vkCmdBeginRendering. Tail: attachment_count x struct vkr_trace_rendering_attachment. Device:
// images.
struct vkr_trace_cmd_begin_rendering {
	uint32_t command;
	uint32_t flags;               // VkRenderingFlags
	uint32_t x, y, width, height; // render area; x and y: int32_t in two's complement
	uint32_t layer_count, view_mask;
	uint32_t attachment_count;
	uint32_t implicit_samples; // as in struct vkr_trace_subpass
};

// vkCmdEndRendering. Device: nothing.
struct vkr_trace_cmd_end_rendering {
	uint32_t command, reserved;
};

// vkCmdClearAttachments. Tail: clear_count x struct vkr_trace_clear, rectangle_count x struct
// vkr_trace_clear_rectangle. Device: images.
struct vkr_trace_cmd_clear_attachments {
	uint32_t command, clear_count, rectangle_count, reserved;
};

static_assert(sizeof(struct vkr_trace_subpass_dependency) == 48, "on disk");
static_assert(sizeof(struct vkr_trace_attachment) == 48, "on disk");
static_assert(sizeof(struct vkr_trace_attachment_reference) == 24, "on disk");
