// SPDX-License-Identifier: Apache-2.0
#include "heap_contents.h"

#include <string.h>

#ifdef VK_EXT_descriptor_heap
// Types whose descriptors of one thing may have the same bits, and are the same to all but their
// shaders.
static uint32_t class_of(uint32_t type)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
	default:
		return type;
	}
}

bool vkr_heap_is_same(uint32_t type, const struct vkr_described *is, uint32_t other_type,
		      const struct vkr_described *other)
{
	static const struct vkr_described nothing;
	const bool is_nothing = memcmp(other, &nothing, sizeof nothing) == 0;
	return (class_of(type) == class_of(other_type) || is_nothing) &&
	       is->viewed == other->viewed &&
	       memcmp(&is->content, &other->content, sizeof is->content) == 0;
}

// A view has no handle: it is recorded where its image is another one than that of `before`.
static void describe_image(struct vkr_layer_device *device, const VkImageDescriptorInfoEXT *info,
			   const struct vkr_described *before, struct vkr_described *to)
{
	const struct vkr_layer_image *image =
		info ? vkr_handles_get(&device->objects.images, VKR_KEY(info->pView->image)) : NULL;
	if (!image)
		return;
	to->viewed = image->id;
	to->content.object = before && before->viewed == image->id
				     ? before->content.object
				     : vkr_image_view_record(image, info->pView);
	to->content.layout = (uint32_t)info->layout;
}

void vkr_heap_describe(struct vkr_layer_device *device, const VkResourceDescriptorInfoEXT *info,
		       const struct vkr_described *before, struct vkr_described *to)
{
	VkDescriptorAddressInfoEXT address = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT};
	switch (info->type) {
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		describe_image(device, info->data.pImage, before, to);
		return;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		if (!info->data.pTexelBuffer)
			return;
		address.address = info->data.pTexelBuffer->addressRange.address;
		address.range = info->data.pTexelBuffer->addressRange.size;
		address.format = info->data.pTexelBuffer->format;
		vkr_describe_address(device, &address, true, before, to);
		return;
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		if (!info->data.pAddressRange)
			return;
		address.address = info->data.pAddressRange->address;
		address.range = info->data.pAddressRange->size;
		vkr_describe_address(device, &address, false, NULL, to);
		return;
	case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR: // by its address
		if (info->data.pAddressRange)
			to->content.offset = info->data.pAddressRange->address;
		return;
	default:
		return;
	}
}
#endif
