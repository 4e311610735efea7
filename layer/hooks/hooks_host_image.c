// SPDX-License-Identifier: Apache-2.0
// What the host does to images without a queue: copies, and transitions of layouts. Knows their
// parameters; not what orders them, nor the host's own memory, which the driver accesses as any
// other code of the program does.
#include "call_stack.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>

#ifdef VK_EXT_host_image_copy
static const struct vkr_layer_image *image_of(struct vkr_layer_device *device, VkImage handle,
					      const char *name)
{
	const struct vkr_layer_image *image =
		vkr_handles_get(&device->objects.images, VKR_KEY(handle));
	if (!image)
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
				    "%s of an image that is not known: it is not observed", name);
	return image;
}

// A copy between an image and the host's memory.
struct copied {
	const char *name;
	VkImage image;
	bool to_image;
	VkImageLayout layout;
	uint32_t count;
	const VkMemoryToImageCopyEXT *in; // one of the two
	const VkImageToMemoryCopyEXT *out;
};

static void record_copy(struct vkr_layer_device *device, const struct copied *copied)
{
	const struct vkr_layer_image *image = image_of(device, copied->image, copied->name);
	if (!image || copied->count == 0)
		return;
	const struct vkr_trace_host_image_copy payload = {
		.image = image->id,
		.to_image = copied->to_image,
		.layout = (uint32_t)copied->layout,
		.box_count = copied->count,
	};
	struct vkr_trace_image_box *boxes = calloc(copied->count, sizeof *boxes);
	if (!boxes) {
		vkr_record_no_memory(copied->name);
		return;
	}
	for (uint32_t i = 0; i < copied->count; i++)
		boxes[i] = copied->in ? vkr_image_box(image, &copied->in[i].imageSubresource,
						      copied->in[i].imageOffset,
						      copied->in[i].imageExtent)
				      : vkr_image_box(image, &copied->out[i].imageSubresource,
						      copied->out[i].imageOffset,
						      copied->out[i].imageExtent);
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_HOST_IMAGE_COPY, &payload, sizeof payload, boxes,
			 copied->count * sizeof *boxes);
	free(boxes);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyMemoryToImageEXT(VkDevice handle,
							const VkCopyMemoryToImageInfoEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CopyMemoryToImageEXT(handle, info);
	if (result == VK_SUCCESS)
		record_copy(device, &(struct copied){"vkCopyMemoryToImage", info->dstImage, true,
						     info->dstImageLayout, info->regionCount,
						     info->pRegions, NULL});
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyImageToMemoryEXT(VkDevice handle,
							const VkCopyImageToMemoryInfoEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CopyImageToMemoryEXT(handle, info);
	if (result == VK_SUCCESS)
		record_copy(device, &(struct copied){"vkCopyImageToMemory", info->srcImage, false,
						     info->srcImageLayout, info->regionCount, NULL,
						     info->pRegions});
	return result;
}

static void record_transfer(struct vkr_layer_device *device, const VkCopyImageToImageInfoEXT *info)
{
	const struct vkr_layer_image *from = image_of(device, info->srcImage, "vkCopyImageToImage");
	const struct vkr_layer_image *to = image_of(device, info->dstImage, "vkCopyImageToImage");
	if (!from || !to || info->regionCount == 0)
		return;
	const struct vkr_trace_host_image_transfer payload = {
		.source = from->id,
		.destination = to->id,
		.source_layout = (uint32_t)info->srcImageLayout,
		.destination_layout = (uint32_t)info->dstImageLayout,
		.region_count = info->regionCount,
	};
	struct vkr_trace_image_region *regions = calloc(info->regionCount, sizeof *regions);
	if (!regions) {
		vkr_record_no_memory("vkCopyImageToImage");
		return;
	}
	for (uint32_t i = 0; i < info->regionCount; i++) {
		const VkImageCopy2 *region = &info->pRegions[i];
		regions[i].source = vkr_image_box(from, &region->srcSubresource, region->srcOffset,
						  region->extent);
		regions[i].destination = vkr_image_box(to, &region->dstSubresource,
						       region->dstOffset, region->extent);
	}
	vkr_call_stack_record();
	vkr_record_event(VKR_TRACE_HOST_IMAGE_TRANSFER, &payload, sizeof payload, regions,
			 info->regionCount * sizeof *regions);
	free(regions);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyImageToImageEXT(VkDevice handle,
						       const VkCopyImageToImageInfoEXT *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CopyImageToImageEXT(handle, info);
	if (result == VK_SUCCESS)
		record_transfer(device, info);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_TransitionImageLayoutEXT(
	VkDevice handle, uint32_t count, const VkHostImageLayoutTransitionInfoEXT *transitions)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.TransitionImageLayoutEXT(handle, count, transitions);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
		const struct vkr_layer_image *image =
			image_of(device, transitions[i].image, "vkTransitionImageLayout");
		if (!image)
			continue;
		const struct vkr_trace_host_transition payload = {
			.image = image->id,
			.old_layout = (uint32_t)transitions[i].oldLayout,
			.new_layout = (uint32_t)transitions[i].newLayout,
			.subresources =
				vkr_image_subresources(image, &transitions[i].subresourceRange),
		};
		vkr_call_stack_record();
		vkr_record_event(VKR_TRACE_HOST_TRANSITION, &payload, sizeof payload, NULL, 0);
	}
	return result;
}
#endif
