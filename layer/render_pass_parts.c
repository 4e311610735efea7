// SPDX-License-Identifier: Apache-2.0
// Render passes, written down. Knows both forms of their creation; no command.
#include "render_pass_parts.h"

#include "arena.h"
#include "fragment_facts.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>

// ---- The second form ----------------------------------------------------------------------------

static struct vkr_trace_subpass_dependency dependency_of(const VkSubpassDependency2 *from)
{
	struct vkr_trace_subpass_dependency to = {
		.source = from->srcSubpass,
		.destination = from->dstSubpass,
		.source_stages = from->srcStageMask,
		.source_access = from->srcAccessMask,
		.destination_stages = from->dstStageMask,
		.destination_access = from->dstAccessMask,
		.flags = from->dependencyFlags,
		.view_offset = (uint32_t)from->viewOffset,
	};
	const VkMemoryBarrier2 *barrier =
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
	if (barrier) {
		// It replaces the masks (VkSubpassDependency2).
		to.source_stages = barrier->srcStageMask;
		to.source_access = barrier->srcAccessMask;
		to.destination_stages = barrier->dstStageMask;
		to.destination_access = barrier->dstAccessMask;
	}
	return to;
}

static struct vkr_trace_attachment attachment_of(const VkAttachmentDescription2 *from)
{
	const VkAttachmentDescriptionStencilLayout *stencil = vkr_chain_find(
		from->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_STENCIL_LAYOUT);
	return (struct vkr_trace_attachment){
		.format = (uint32_t)from->format,
		.samples = (uint32_t)from->samples,
		.flags = from->flags,
		.load = (uint32_t)from->loadOp,
		.store = (uint32_t)from->storeOp,
		.stencil_load = (uint32_t)from->stencilLoadOp,
		.stencil_store = (uint32_t)from->stencilStoreOp,
		.initial_layout = (uint32_t)from->initialLayout,
		.final_layout = (uint32_t)from->finalLayout,
		.stencil_initial_layout =
			(uint32_t)(stencil ? stencil->stencilInitialLayout : from->initialLayout),
		.stencil_final_layout =
			(uint32_t)(stencil ? stencil->stencilFinalLayout : from->finalLayout),
	};
}

struct references {
	struct vkr_trace_attachment_reference *items;
	uint32_t count;
};

static void add_reference(struct references *references, uint32_t role, uint32_t index,
			  const VkAttachmentReference2 *from)
{
	if (!from || from->attachment == VK_ATTACHMENT_UNUSED)
		return;
	const VkAttachmentReferenceStencilLayout *stencil =
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_STENCIL_LAYOUT);
	references->items[references->count++] = (struct vkr_trace_attachment_reference){
		.attachment = from->attachment,
		.role = role,
		.index = index,
		.layout = (uint32_t)from->layout,
		.stencil_layout = (uint32_t)(stencil ? stencil->stencilLayout : from->layout),
		.aspects = role == VKR_ATTACHMENT_INPUT ? from->aspectMask : 0,
	};
}

// Attachments that say how coarse fragments are, into the references of a subpass.
static void add_rates(struct references *references, const VkSubpassDescription2 *from,
		      const VkRenderPassFragmentDensityMapCreateInfoEXT *density)
{
	const VkFragmentShadingRateAttachmentInfoKHR *rate = vkr_chain_find(
		from->pNext, VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
	if (rate)
		add_reference(references, VKR_ATTACHMENT_SHADING_RATE,
			      rate->shadingRateAttachmentTexelSize.width << 16 |
				      rate->shadingRateAttachmentTexelSize.height,
			      rate->pFragmentShadingRateAttachment);
	if (density)
		add_reference(
			references, VKR_ATTACHMENT_DENSITY_MAP, 0,
			&(VkAttachmentReference2){
				.attachment = density->fragmentDensityMapAttachment.attachment,
				.layout = density->fragmentDensityMapAttachment.layout});
}

uint32_t vkr_implicit_samples(const void *chain)
{
#ifdef VK_EXT_multisampled_render_to_single_sampled
	const VkMultisampledRenderToSingleSampledInfoEXT *info = vkr_chain_find(
		chain, VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
	return info && info->multisampledRenderToSingleSampledEnable
		       ? (uint32_t)info->rasterizationSamples
		       : 0;
#else
	(void)chain;
	return 0;
#endif
}

static size_t most_references(const VkSubpassDescription2 *subpass)
{
	return subpass->inputAttachmentCount + (size_t)2 * subpass->colorAttachmentCount + 4 +
	       subpass->preserveAttachmentCount;
}

static struct vkr_trace_subpass
subpass_of(const VkSubpassDescription2 *from,
	   const VkRenderPassFragmentDensityMapCreateInfoEXT *density,
	   struct references *references)
{
	const VkSubpassDescriptionDepthStencilResolve *resolve = vkr_chain_find(
		from->pNext, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
	struct vkr_trace_subpass to = {.view_mask = from->viewMask,
				       .flags = from->flags,
				       .implicit_samples = vkr_implicit_samples(from->pNext)};
	const uint32_t first = references->count;
	for (uint32_t i = 0; i < from->inputAttachmentCount; i++)
		add_reference(references, VKR_ATTACHMENT_INPUT, i, &from->pInputAttachments[i]);
	for (uint32_t i = 0; i < from->colorAttachmentCount; i++)
		add_reference(references, VKR_ATTACHMENT_COLOR, i, &from->pColorAttachments[i]);
	for (uint32_t i = 0; from->pResolveAttachments && i < from->colorAttachmentCount; i++)
		add_reference(references, VKR_ATTACHMENT_RESOLVE, i, &from->pResolveAttachments[i]);
	add_reference(references, VKR_ATTACHMENT_DEPTH_STENCIL, 0, from->pDepthStencilAttachment);
	if (resolve) {
		add_reference(references, VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE, 0,
			      resolve->pDepthStencilResolveAttachment);
		to.depth_resolve_mode = (uint32_t)resolve->depthResolveMode;
		to.stencil_resolve_mode = (uint32_t)resolve->stencilResolveMode;
	}
	add_rates(references, from, density);
	for (uint32_t i = 0; i < from->preserveAttachmentCount; i++)
		references->items[references->count++] = (struct vkr_trace_attachment_reference){
			.attachment = from->pPreserveAttachments[i],
			.role = VKR_ATTACHMENT_PRESERVE,
			.index = i};
	to.reference_count = references->count - first;
	return to;
}

static bool record_render_pass(struct vkr_arena *arena, struct vkr_layer_device *device,
			       uint32_t id, const VkRenderPassCreateInfo2 *info)
{
	struct references references = {0};
	size_t most = 1;
	for (uint32_t i = 0; i < info->subpassCount; i++)
		most += most_references(&info->pSubpasses[i]);
	struct vkr_trace_subpass_dependency *dependencies =
		vkr_arena_alloc(arena, ((size_t)info->dependencyCount + 1) * sizeof *dependencies);
	struct vkr_trace_attachment *attachments =
		vkr_arena_alloc(arena, ((size_t)info->attachmentCount + 1) * sizeof *attachments);
	struct vkr_trace_subpass *subpasses =
		vkr_arena_alloc(arena, ((size_t)info->subpassCount + 1) * sizeof *subpasses);
	references.items = vkr_arena_alloc(arena, most * sizeof *references.items);
	if (!dependencies || !attachments || !subpasses || !references.items)
		return false;
	for (uint32_t i = 0; i < info->dependencyCount; i++)
		dependencies[i] = dependency_of(&info->pDependencies[i]);
	for (uint32_t i = 0; i < info->attachmentCount; i++)
		attachments[i] = attachment_of(&info->pAttachments[i]);
	for (uint32_t i = 0; i < info->subpassCount; i++)
		subpasses[i] = subpass_of(
			&info->pSubpasses[i],
			i == 0 ? vkr_chain_find(
					 info->pNext,
					 VK_STRUCTURE_TYPE_RENDER_PASS_FRAGMENT_DENSITY_MAP_CREATE_INFO_EXT)
			       : NULL,
			&references);
	const struct vkr_trace_render_pass payload = {
		.render_pass = id,
		.device = device->id,
		.attachment_count = info->attachmentCount,
		.subpass_count = info->subpassCount,
		.dependency_count = info->dependencyCount,
		.reference_count = references.count,
	};
	const struct vkr_bytes pieces[] = {
		{dependencies, info->dependencyCount * sizeof *dependencies},
		{attachments, info->attachmentCount * sizeof *attachments},
		{subpasses, info->subpassCount * sizeof *subpasses},
		{references.items, references.count * sizeof *references.items}};
	vkr_record_pieces(VKR_TRACE_RENDER_PASS, &payload, sizeof payload, pieces, 4);
	return true;
}

static bool is_depth(const VkSubpassDescription2 *subpass, uint32_t attachment)
{
	return subpass->pDepthStencilAttachment &&
	       subpass->pDepthStencilAttachment->attachment == attachment;
}

static bool is_read_only(const VkAttachmentReference2 *reference)
{
	return reference->layout == VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL ||
	       reference->layout == VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL ||
	       reference->layout == VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL;
}

// Whether a subpass has an attachment as one that draws write, or at all.
static bool renders_to(const VkSubpassDescription2 *subpass, uint32_t attachment)
{
	for (uint32_t i = 0; i < subpass->colorAttachmentCount; i++)
		if (subpass->pColorAttachments[i].attachment == attachment)
			return true;
	return is_depth(subpass, attachment);
}

static bool reads_input(const VkSubpassDescription2 *subpass, uint32_t attachment)
{
	for (uint32_t i = 0; i < subpass->inputAttachmentCount; i++)
		if (subpass->pInputAttachments[i].attachment == attachment)
			return true;
	return false;
}

static bool writes_by(VkAttachmentLoadOp load)
{
	return load == VK_ATTACHMENT_LOAD_OP_CLEAR || load == VK_ATTACHMENT_LOAD_OP_DONT_CARE;
}

static bool loads_by(VkAttachmentLoadOp load)
{
	return load == VK_ATTACHMENT_LOAD_OP_LOAD || writes_by(load);
}

static bool writes_by_end(VkAttachmentStoreOp store)
{
	return store == VK_ATTACHMENT_STORE_OP_STORE || store == VK_ATTACHMENT_STORE_OP_DONT_CARE;
}

// Whether what draws of a subpass do to an attachment races with nothing that its own operations
// there do not race with (runtime/model/commands/draw_attachments.c): a load operation, which saw
// to what draws read, and a write in the draws' stage. Depth may be accessed after it was loaded.
static bool is_stood_for(const VkRenderPassCreateInfo2 *info, uint32_t subpass, uint32_t attachment)
{
	const VkAttachmentDescription2 *of = &info->pAttachments[attachment];
	const bool depth = is_depth(&info->pSubpasses[subpass], attachment);
	const bool loads = loads_by(of->loadOp) && (!depth || loads_by(of->stencilLoadOp));
	const bool clears = writes_by(of->loadOp) && !depth;
	const bool stores =
		writes_by_end(of->storeOp) && (!depth || writes_by_end(of->stencilStoreOp));
	// Where nothing is stored unless draws wrote, it must be known whether they did.
	const bool decides =
		(!writes_by_end(of->storeOp) && of->loadOp != VK_ATTACHMENT_LOAD_OP_CLEAR) ||
		(depth && !writes_by_end(of->stencilStoreOp) &&
		 of->stencilLoadOp != VK_ATTACHMENT_LOAD_OP_CLEAR);
	bool first = true, last = true;
	for (uint32_t i = 0; i < info->subpassCount; i++) {
		const VkSubpassDescription2 *other = &info->pSubpasses[i];
		const bool uses = renders_to(other, attachment) || reads_input(other, attachment);
		first &= !uses || i >= subpass;
		last &= !uses || i <= subpass;
	}
	return !decides && first && loads && (clears || (last && stores));
}

static bool accesses_alone(const VkRenderPassCreateInfo2 *info, uint32_t subpass)
{
	const VkSubpassDescription2 *of = &info->pSubpasses[subpass];
	for (uint32_t i = 0; i < info->attachmentCount; i++)
		if (renders_to(of, i) &&
		    !(is_depth(of, i) && is_read_only(of->pDepthStencilAttachment)) &&
		    (reads_input(of, i) || !is_stood_for(info, subpass, i)))
			return true;
#ifdef VK_EXT_attachment_feedback_loop_layout
	for (uint32_t i = 0; i < of->colorAttachmentCount; i++)
		if (of->pColorAttachments[i].layout ==
		    VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT)
			return true;
#endif
	return false;
}

void vkr_record_render_pass(struct vkr_layer_device *device, VkRenderPass handle,
			    const VkRenderPassCreateInfo2 *info)
{
	struct vkr_layer_render_pass *kept = calloc(1, sizeof *kept + info->subpassCount);
	struct vkr_arena arena;
	const VkDependencyFlags local = VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT;
	vkr_arena_init(&arena);
	for (uint32_t i = 0; i < info->dependencyCount; i++)
		if (info->pDependencies[i].dependencyFlags & local)
			vkr_fragments_note(device, VKR_FRAGMENTS_LOCAL);
	if (kept) {
		kept->id = vkr_record_id(VKR_OBJECT_RENDER_PASS);
		kept->subpass_count = info->subpassCount;
	}
	for (uint32_t i = 0; kept && i < info->subpassCount; i++)
		kept->subpass_uses[i] =
			(uint8_t)((info->pSubpasses[i].colorAttachmentCount ? VKR_SUBPASS_COLOR
									    : 0) |
				  (info->pSubpasses[i].pDepthStencilAttachment
					   ? VKR_SUBPASS_DEPTH_STENCIL
					   : 0) |
				  (accesses_alone(info, i) ? VKR_SUBPASS_ALONE : 0));
	if (kept && record_render_pass(&arena, device, kept->id, info)) {
		vkr_object_keep(&device->objects.render_passes, VKR_KEY(handle), kept,
				"a render pass");
	} else {
		free(kept);
		vkr_record_no_memory("a render pass");
	}
	vkr_arena_finish(&arena);
}

// ---- The first form, said as the second ---------------------------------------------------------

// Structures in the chain of the first form.
struct extras {
	const VkRenderPassMultiviewCreateInfo *views;
	const VkRenderPassInputAttachmentAspectCreateInfo *aspects;
};

static VkImageAspectFlags input_aspects(const struct extras *extras, uint32_t subpass,
					uint32_t index)
{
	for (uint32_t i = 0; extras->aspects && i < extras->aspects->aspectReferenceCount; i++) {
		const VkInputAttachmentAspectReference *said =
			&extras->aspects->pAspectReferences[i];
		if (said->subpass == subpass && said->inputAttachmentIndex == index)
			return said->aspectMask;
	}
	return 0;
}

static VkAttachmentReference2 *upgrade_references(struct vkr_arena *arena,
						  const VkAttachmentReference *from, uint32_t count)
{
	VkAttachmentReference2 *to = vkr_arena_alloc(arena, ((size_t)count + 1) * sizeof *to);
	for (uint32_t i = 0; to && i < count; i++)
		to[i] = (VkAttachmentReference2){.attachment = from[i].attachment,
						 .layout = from[i].layout};
	return to;
}

static bool upgrade_subpass(struct vkr_arena *arena, const struct extras *extras, uint32_t number,
			    const VkSubpassDescription *from, VkSubpassDescription2 *to)
{
	*to = (VkSubpassDescription2){
		.flags = from->flags,
		.pipelineBindPoint = from->pipelineBindPoint,
		.viewMask = extras->views && number < extras->views->subpassCount
				    ? extras->views->pViewMasks[number]
				    : 0,
		.inputAttachmentCount = from->inputAttachmentCount,
		.colorAttachmentCount = from->colorAttachmentCount,
		.preserveAttachmentCount = from->preserveAttachmentCount,
		.pPreserveAttachments = from->pPreserveAttachments,
	};
	VkAttachmentReference2 *inputs =
		upgrade_references(arena, from->pInputAttachments, from->inputAttachmentCount);
	for (uint32_t i = 0; inputs && i < from->inputAttachmentCount; i++)
		inputs[i].aspectMask = input_aspects(extras, number, i);
	to->pInputAttachments = inputs;
	to->pColorAttachments =
		upgrade_references(arena, from->pColorAttachments, from->colorAttachmentCount);
	if (from->pResolveAttachments)
		to->pResolveAttachments = upgrade_references(arena, from->pResolveAttachments,
							     from->colorAttachmentCount);
	if (from->pDepthStencilAttachment)
		to->pDepthStencilAttachment =
			upgrade_references(arena, from->pDepthStencilAttachment, 1);
	return inputs && to->pColorAttachments &&
	       (to->pResolveAttachments || !from->pResolveAttachments) &&
	       (to->pDepthStencilAttachment || !from->pDepthStencilAttachment);
}

static bool render_pass_parts_upgrade(struct vkr_arena *arena, const VkRenderPassCreateInfo *from,
				      VkRenderPassCreateInfo2 *to)
{
	const struct extras extras = {
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO),
		vkr_chain_find(from->pNext,
			       VK_STRUCTURE_TYPE_RENDER_PASS_INPUT_ATTACHMENT_ASPECT_CREATE_INFO)};
	VkAttachmentDescription2 *attachments =
		vkr_arena_alloc(arena, ((size_t)from->attachmentCount + 1) * sizeof *attachments);
	VkSubpassDescription2 *subpasses =
		vkr_arena_alloc(arena, ((size_t)from->subpassCount + 1) * sizeof *subpasses);
	VkSubpassDependency2 *dependencies =
		vkr_arena_alloc(arena, ((size_t)from->dependencyCount + 1) * sizeof *dependencies);
	if (!attachments || !subpasses || !dependencies)
		return false;
	for (uint32_t i = 0; i < from->attachmentCount; i++) {
		const VkAttachmentDescription *one = &from->pAttachments[i];
		attachments[i] = (VkAttachmentDescription2){.flags = one->flags,
							    .format = one->format,
							    .samples = one->samples,
							    .loadOp = one->loadOp,
							    .storeOp = one->storeOp,
							    .stencilLoadOp = one->stencilLoadOp,
							    .stencilStoreOp = one->stencilStoreOp,
							    .initialLayout = one->initialLayout,
							    .finalLayout = one->finalLayout};
	}
	for (uint32_t i = 0; i < from->subpassCount; i++)
		if (!upgrade_subpass(arena, &extras, i, &from->pSubpasses[i], &subpasses[i]))
			return false;
	const VkRenderPassMultiviewCreateInfo *views =
		vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
	for (uint32_t i = 0; i < from->dependencyCount; i++) {
		const VkSubpassDependency *one = &from->pDependencies[i];
		const bool offset = views && i < views->dependencyCount;
		dependencies[i] =
			(VkSubpassDependency2){.viewOffset = offset ? views->pViewOffsets[i] : 0,
					       .srcSubpass = one->srcSubpass,
					       .dstSubpass = one->dstSubpass,
					       .srcStageMask = one->srcStageMask,
					       .dstStageMask = one->dstStageMask,
					       .srcAccessMask = one->srcAccessMask,
					       .dstAccessMask = one->dstAccessMask,
					       .dependencyFlags = one->dependencyFlags};
	}
	*to = (VkRenderPassCreateInfo2){.pNext = from->pNext,
					.attachmentCount = from->attachmentCount,
					.pAttachments = attachments,
					.subpassCount = from->subpassCount,
					.pSubpasses = subpasses,
					.dependencyCount = from->dependencyCount,
					.pDependencies = dependencies};
	return true;
}

void vkr_record_render_pass_first(struct vkr_layer_device *device, VkRenderPass handle,
				  const VkRenderPassCreateInfo *info)
{
	VkRenderPassCreateInfo2 second;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	if (render_pass_parts_upgrade(&arena, info, &second))
		vkr_record_render_pass(device, handle, &second);
	else
		vkr_record_no_memory("a render pass");
	vkr_arena_finish(&arena);
}
