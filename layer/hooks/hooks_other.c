// SPDX-License-Identifier: Apache-2.0
// Commands that are recorded and not modelled: one hook each, made from hooks_other.def.
// Knows that they may access memory, not how.
#include "command_buffer.h"

#define FLAGS_ACCESSES VKR_OTHER_ACCESSES

static VKR_OF_HOOKS struct vkr_layer_device *hooks_other_note(VkCommandBuffer handle,
							      uint32_t flags, const char *name)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (!buffer)
		return vkr_device_of(handle);
	vkr_command_other(buffer, flags, name);
	vkr_command_unobserved(buffer);
	return buffer->device;
}

#define VKR_OTHER(name, flags, parameters, arguments)                                              \
	VKAPI_ATTR void VKAPI_CALL vkr_##name parameters                                           \
	{                                                                                          \
		hooks_other_note(commandBuffer, FLAGS_##flags, "vk" #name)->next.name arguments;   \
	}
#include "hooks.def"
