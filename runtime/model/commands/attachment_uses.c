// SPDX-License-Identifier: Apache-2.0
// Which attachments a subpass uses, and which of their operations it has. Knows render passes and
// dynamic rendering; not what the operations access.
#include "attachments.h"

#include "array.h"
#include "error.h"
#include "pass_scopes.h"

// Shaders may read such an attachment by any descriptor: as input, as far as load and store
// operations go ("Common Render Pass Data Races").
#define FEEDBACK_LAYOUT ((uint32_t)VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT)

// The layout with the same meaning in dynamic rendering with the feature dynamicRenderingLocalRead,
// which allows GENERAL too. Headers of Vulkan 1.3 do not name it.
#define LOCAL_READ_LAYOUT 1000232000u

// Whether the device has one of enum vkr_trace_device_flags.
static bool device_has(const struct vkr_walk *walk, uint32_t flag)
{
	const struct vkr_device *device =
		vkr_objects_device(&walk->model->objects, walk->queue->device);
	return device != NULL && device->flags & flag;
}

// Whether shaders may access what is in this layout through descriptors other than of input
// attachments, and of an image that was made for it.
static bool is_shared(const struct vkr_image_view *view, uint32_t layout)
{
	const uint32_t usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
			       VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
	return view != NULL && view->image->usage & usage &&
	       (layout == VK_IMAGE_LAYOUT_GENERAL || layout == LOCAL_READ_LAYOUT ||
		layout == VK_IMAGE_LAYOUT_SHARED_PRESENT_KHR);
}

static enum vkr_result add_use(struct vkr_walk *walk, struct vkr_attachment_use use)
{
	struct vkr_walk_pass *pass = &walk->pass;
	if (use.view == NULL || use.aspects == 0)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&pass->uses, 1))
		return vkr_error_memory(walk->error, "attachments");
	pass->uses.items[pass->uses.count++] = use;
	return VKR_OK;
}

// Whether an aspect is only read in this layout.
static bool reads_only(uint32_t aspects, uint32_t layout)
{
	switch (layout) {
	case VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL:
	case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
	case VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL:
	case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL:
	case VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL:
		return true;
	case VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL:
		return aspects == VK_IMAGE_ASPECT_DEPTH_BIT;
	case VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL:
		return aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
	default:
		return false;
	}
}

static bool is_only_read(const struct vkr_walk_pass *pass, const struct vkr_image_view *view,
			 uint32_t aspect)
{
	bool reads = false;
	for (size_t at = 0; at < pass->uses.count; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		if (use->view == view && use->aspects == aspect && !use->read_only)
			return false;
		reads |= use->view == view && use->aspects == aspect;
	}
	return reads;
}

// A write of depth also writes the stencil of its image, and the reverse, unless the device keeps
// the two apart (separateDepthStencilAttachmentAccess), or the other aspect is only read ("Common
// Render Pass Data Races").
static void find_beside(struct vkr_walk *walk)
{
	struct vkr_walk_pass *pass = &walk->pass;
	if (device_has(walk, VKR_DEVICE_SEPARATE_ASPECTS))
		return;
	for (size_t at = 0; at < pass->uses.count; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		const uint32_t other = use->view->image->aspects & ~use->aspects;
		if (use->role == VKR_ATTACHMENT_DEPTH_STENCIL &&
		    !is_only_read(pass, use->view, other))
			use->beside = other;
	}
}

// ---- Render passes ------------------------------------------------------------------------------

// Without multiview one view stands for all layers.
static uint32_t views_of(const struct vkr_render_pass *pass, uint32_t subpass)
{
	const uint32_t mask = pass->subpasses[subpass].view_mask;
	return mask != 0 ? mask : 1;
}

// What is known of an attachment's uses in the whole pass.
struct uses {
	uint32_t earlier, later; // views in subpasses before and after this one
	bool written, input_here, feedback_here;
};

static struct uses uses_of(const struct vkr_render_pass *pass, uint32_t attachment,
			   uint32_t aspects, uint32_t subpass)
{
	struct uses uses = {0};
	for (uint32_t at = 0; at < pass->subpass_count; at++)
		for (uint32_t i = pass->first_references[at]; i < pass->first_references[at + 1];
		     i++) {
			const struct vkr_trace_attachment_reference *reference =
				&pass->references[i];
			if (reference->attachment != attachment ||
			    reference->role == VKR_ATTACHMENT_PRESERVE)
				continue;
			if (at < subpass)
				uses.earlier |= views_of(pass, at);
			if (at > subpass)
				uses.later |= views_of(pass, at);
			uses.feedback_here |= at == subpass && reference->layout == FEEDBACK_LAYOUT;
			uses.input_here |=
				at == subpass &&
				(reference->role == VKR_ATTACHMENT_INPUT || uses.feedback_here);
			if (reference->role != VKR_ATTACHMENT_INPUT)
				uses.written |=
					!reads_only(aspects, aspects == VK_IMAGE_ASPECT_STENCIL_BIT
								     ? reference->stencil_layout
								     : reference->layout);
		}
	return uses;
}

// A resolve attachment's operations come with its own reference, its source's with the source's.
static bool is_resolved(const struct vkr_render_pass *pass, uint32_t subpass,
			const struct vkr_trace_attachment_reference *reference, uint32_t aspects)
{
	const struct vkr_trace_subpass *of = &pass->subpasses[subpass];
	uint32_t partner = 0;
	if (reference->role == VKR_ATTACHMENT_RESOLVE)
		return true;
	if (reference->role == VKR_ATTACHMENT_COLOR)
		partner = VKR_ATTACHMENT_RESOLVE;
	else if (reference->role == VKR_ATTACHMENT_DEPTH_STENCIL)
		partner = VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE;
	else if (reference->role != VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE)
		return false;
	if (reference->role != VKR_ATTACHMENT_COLOR &&
	    (aspects == VK_IMAGE_ASPECT_STENCIL_BIT
		     ? of->stencil_resolve_mode
		     : of->depth_resolve_mode) == VK_RESOLVE_MODE_NONE)
		return false;
	if (partner == 0)
		return true;
	for (uint32_t i = pass->first_references[subpass]; i < pass->first_references[subpass + 1];
	     i++)
		if (pass->references[i].role == partner &&
		    pass->references[i].index == reference->index)
			return true;
	return false;
}

// An attachment with one sample that is rendered with several is resolved at the end of the
// subpass, as by a resolve operation onto itself (VK_EXT_multisampled_render_to_single_sampled).
static enum vkr_result add_implicit(struct vkr_walk *walk, struct vkr_attachment_use use,
				    uint32_t samples)
{
	if (samples == 0 || use.view == NULL || use.view->image->samples != 1 ||
	    (use.role != VKR_ATTACHMENT_COLOR && use.role != VKR_ATTACHMENT_DEPTH_STENCIL))
		return VKR_OK;
	use.role = use.role == VKR_ATTACHMENT_COLOR ? VKR_ATTACHMENT_RESOLVE
						    : VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE;
	use.load_views = use.store_views = 0;
	use.resolved = !use.read_only;
	use.itself = true;
	return add_use(walk, use);
}

// Whether an earlier reference of the subpass has the attachment's operations.
static bool is_again(const struct vkr_render_pass *pass, uint32_t subpass, uint32_t reference)
{
	for (uint32_t i = pass->first_references[subpass]; i < reference; i++)
		if (pass->references[i].attachment == pass->references[reference].attachment &&
		    pass->references[i].role != VKR_ATTACHMENT_PRESERVE)
			return true;
	return false;
}

static enum vkr_result add_aspects(struct vkr_walk *walk, uint32_t subpass, uint32_t number,
				   uint32_t aspects)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	const struct vkr_trace_attachment_reference *reference = &pass->references[number];
	const struct vkr_trace_attachment *attachment = &pass->attachments[reference->attachment];
	const struct vkr_image_view *view = walk->pass.views.items[reference->attachment];
	const bool stencil = aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
	const struct uses uses = uses_of(pass, reference->attachment, aspects, subpass);
	const bool again =
		is_again(pass, subpass, number) || vkr_attachments_is_rate(reference->role);
	const uint32_t here = views_of(pass, subpass);
	const struct vkr_attachment_use use = {
		.view = view,
		.aspects = view != NULL ? view->image->aspects & aspects : 0,
		.attachment = reference->attachment,
		.role = reference->role,
		.index = reference->index,
		.load = stencil ? attachment->stencil_load : attachment->load,
		.store = stencil ? attachment->stencil_store : attachment->store,
		.load_views = again ? 0 : here & ~uses.earlier,
		.store_views = again ? 0 : here & ~uses.later,
		.input = uses.input_here,
		.feedback = uses.feedback_here,
		.shared = is_shared(view, stencil ? reference->stencil_layout : reference->layout),
		.read_only = !uses.written,
		.resolved = is_resolved(pass, subpass, reference, aspects)};
	const enum vkr_result result = add_use(walk, use);
	return result == VKR_OK ? add_implicit(walk, use, pass->subpasses[subpass].implicit_samples)
				: result;
}

static bool is_depth_stencil(const struct vkr_image_view *view)
{
	return view != NULL &&
	       (view->image->aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
}

enum vkr_result vkr_attachments_of_subpass(struct vkr_walk *walk, uint32_t subpass)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	enum vkr_result result = VKR_OK;
	walk->pass.uses.count = 0;
	if (subpass >= pass->subpass_count)
		return VKR_OK;
	walk->pass.view_mask = pass->subpasses[subpass].view_mask;
	for (uint32_t i = pass->first_references[subpass];
	     i < pass->first_references[subpass + 1] && result == VKR_OK; i++) {
		const struct vkr_trace_attachment_reference *reference = &pass->references[i];
		if (reference->role == VKR_ATTACHMENT_PRESERVE ||
		    reference->attachment >= walk->pass.views.count)
			continue;
		const struct vkr_image_view *view = walk->pass.views.items[reference->attachment];
		if (!is_depth_stencil(view)) {
			result = add_aspects(walk, subpass, i, UINT32_MAX);
			continue;
		}
		result = add_aspects(walk, subpass, i, VK_IMAGE_ASPECT_DEPTH_BIT);
		if (result == VKR_OK)
			result = add_aspects(walk, subpass, i, VK_IMAGE_ASPECT_STENCIL_BIT);
	}
	find_beside(walk);
	vkr_pass_find_apart(walk);
	return result;
}

// ---- Dynamic rendering --------------------------------------------------------------------------

enum vkr_result vkr_attachments_of_rendering(struct vkr_walk *walk,
					     const struct vkr_trace_cmd_begin_rendering *begin)
{
	const struct vkr_trace_rendering_attachment *attachments = (const void *)(begin + 1);
	const struct vkr_objects *objects = &walk->model->objects;
	const bool in_general = device_has(walk, VKR_DEVICE_LOCAL_READ);
	enum vkr_result result = VKR_OK;
	walk->pass.uses.count = 0;
	walk->pass.view_mask = begin->view_mask;
	for (uint32_t at = 0; at < begin->attachment_count && result == VKR_OK; at++) {
		const struct vkr_trace_rendering_attachment *one = &attachments[at];
		const bool rate = vkr_attachments_is_rate(one->role);
		const bool color = one->role == VKR_ATTACHMENT_COLOR;
		const uint32_t aspects = color || rate ? UINT32_MAX
					 : one->role == VKR_ATTACHMENT_DEPTH
						 ? VK_IMAGE_ASPECT_DEPTH_BIT
						 : VK_IMAGE_ASPECT_STENCIL_BIT;
		const struct vkr_image_view *view = vkr_objects_image_view(objects, one->view);
		const struct vkr_image_view *resolve =
			vkr_objects_image_view(objects, one->resolve_view);
		const bool feedback =
			one->layout == FEEDBACK_LAYOUT || one->flags & VKR_RENDERING_FEEDBACK_LOOP;
		struct vkr_attachment_use use = {
			.view = view,
			.aspects = view != NULL ? view->image->aspects & aspects : 0,
			.role = rate    ? one->role
				: color ? VKR_ATTACHMENT_COLOR
					: VKR_ATTACHMENT_DEPTH_STENCIL,
			.index = one->index,
			.load = one->load,
			.store = one->store,
			.load_views = rate ? 0 : UINT32_MAX,
			.store_views = rate ? 0 : UINT32_MAX,
			.input = feedback || one->layout == LOCAL_READ_LAYOUT,
			.perhaps =
				!feedback && one->layout == VK_IMAGE_LAYOUT_GENERAL && in_general,
			.feedback = feedback,
			.shared = is_shared(view, one->layout),
			.read_only = reads_only(aspects, one->layout),
			.resolved = resolve != NULL};
		if (begin->view_mask != 0 && !rate)
			use.load_views = use.store_views = begin->view_mask;
		result = add_use(walk, use);
		if (result == VKR_OK)
			result = add_implicit(walk, use, begin->implicit_samples);
		if (result != VKR_OK || resolve == NULL)
			continue;
		use.view = resolve;
		use.aspects = resolve->image->aspects & aspects;
		use.role = color ? VKR_ATTACHMENT_RESOLVE : VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE;
		use.load_views = use.store_views = 0;
		result = add_use(walk, use);
	}
	find_beside(walk);
	return result;
}
