// SPDX-License-Identifier: Apache-2.0
// Keeping objects under their handles.
// Knows no hook.
#include "objects.h"

#include "record.h"

#include <stdlib.h>

void vkr_object_keep(struct vkr_handles *handles, uint64_t handle, void *object, const char *what)
{
	if (vkr_handles_put(handles, handle, object))
		return;
	free(object);
	vkr_record_no_memory(what);
}

VkImage vkr_swapchain_image(struct vkr_layer_device *device, VkSwapchainKHR handle, uint32_t index)
{
	const struct vkr_swapchain *swapchain =
		vkr_handles_get(&device->objects.swapchains, VKR_KEY(handle));
	return swapchain && index < swapchain->image_count ? swapchain->images[index]
							   : VK_NULL_HANDLE;
}
