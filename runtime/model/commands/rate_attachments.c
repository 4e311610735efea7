// SPDX-License-Identifier: Apache-2.0
// Reads of attachments that say how coarse fragments are: of shading rates ("Attachment Fragment
// Shading Rate") and of fragment density maps. Knows how large their texels are; not how coarse
// fragments become.
#include "array.h"
#include "attachments.h"
#include "error.h"

// Texels that cover the pixels [first, first + count), this many pixels each.
struct covered {
	uint32_t first, count;
};

static struct covered rate_attachments_cover(uint32_t first, uint32_t count, uint32_t pixels,
					     uint32_t most)
{
	const uint32_t from = pixels > 0 ? first / pixels : 0;
	const uint64_t end = (uint64_t)first + count;
	const uint64_t to = pixels > 0 ? (end + pixels - 1) / pixels : most;
	if (from >= most)
		return (struct covered){0};
	return (struct covered){from, (uint32_t)(to < most ? to : most) - from};
}

// The texels for the render area, in all layers of the view: a single one is for all of the
// framebuffer's. Of a density map any texel may be fetched.
static enum vkr_result add_texels(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	const struct vkr_trace_clear_rectangle *area = &walk->pass.area;
	const struct vkr_image *image = use->view->image;
	const uint32_t mip = use->view->subresources.first_mip;
	const uint32_t width = image->extent[0] >> mip, height = image->extent[1] >> mip;
	const struct covered x = rate_attachments_cover(area->x, area->width, use->index >> 16,
							width > 0 ? width : 1);
	const struct covered y = rate_attachments_cover(area->y, area->height, use->index & 0xffff,
							height > 0 ? height : 1);
	const struct vkr_image_region region = {.aspects = use->aspects,
						.mip = mip,
						.first_layer = use->view->subresources.first_layer,
						.layer_count = use->view->subresources.layer_count,
						.offset = {x.first, y.first, 0},
						.extent = {x.count, y.count, 1}};
	walk->pass.locations.count = 0;
	if (x.count == 0 || y.count == 0)
		return VKR_OK;
	return vkr_image_add_region(image, &region, &walk->pass.locations)
		       ? VKR_OK
		       : vkr_error_memory(walk->error, "an attachment");
}

// Maps of views without this flag are read by the host ("VkImageViewCreateFlagBits").
static bool reads_on_device(const struct vkr_attachment_use *use)
{
	return use->role == VKR_ATTACHMENT_SHADING_RATE ||
	       use->view->flags & VK_IMAGE_VIEW_CREATE_FRAGMENT_DENSITY_MAP_DYNAMIC_BIT_EXT;
}

// It cannot be observed where primitives are, or whether their pipeline uses the rate.
enum vkr_result vkr_attachments_read_rate(struct vkr_walk *walk, struct vkr_attachment_use *use)
{
	const bool rate = use->role == VKR_ATTACHMENT_SHADING_RATE;
	const uint64_t now = vkr_attachments_now(walk);
	struct vkr_walk_access access = {
		.info = walk->info,
		.image = use->view->image,
		.possible = true,
		.doubt =
			"where primitives are, and whether their pipeline uses it, is not observed",
		.operation = rate ? "shading rate read" : "density map read",
		.stage = rate ? VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR
			      : VK_PIPELINE_STAGE_2_FRAGMENT_DENSITY_PROCESS_BIT_EXT,
		.access = rate ? VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR
			       : VK_ACCESS_2_FRAGMENT_DENSITY_MAP_READ_BIT_EXT};
	if (use->may_read_at == now || !reads_on_device(use))
		return VKR_OK;
	use->may_read_at = now;
	const enum vkr_result result = add_texels(walk, use);
	return result == VKR_OK ? vkr_attachments_access(walk, &access) : result;
}
