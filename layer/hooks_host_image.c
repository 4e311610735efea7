// SPDX-License-Identifier: Apache-2.0
// Copies that the host makes to and from images: passed on, and named in the coverage.
// Knows that they touch images; not which texels.
#include "layer.h"
#include "record.h"

#ifdef VK_EXT_host_image_copy
static struct vkr_device *note(VkDevice handle, const char *name)
{
	vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
			    "%s: what the host does to images without a queue is not observed",
			    name);
	return vkr_device_of(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyMemoryToImageEXT(VkDevice handle,
							const VkCopyMemoryToImageInfoEXT *info)
{
	return note(handle, "vkCopyMemoryToImage")->next.CopyMemoryToImageEXT(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyImageToMemoryEXT(VkDevice handle,
							const VkCopyImageToMemoryInfoEXT *info)
{
	return note(handle, "vkCopyImageToMemory")->next.CopyImageToMemoryEXT(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CopyImageToImageEXT(VkDevice handle,
						       const VkCopyImageToImageInfoEXT *info)
{
	return note(handle, "vkCopyImageToImage")->next.CopyImageToImageEXT(handle, info);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_TransitionImageLayoutEXT(
	VkDevice handle, uint32_t count, const VkHostImageLayoutTransitionInfoEXT *transitions)
{
	return note(handle, "vkTransitionImageLayout")
		->next.TransitionImageLayoutEXT(handle, count, transitions);
}
#endif
