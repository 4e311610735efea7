// SPDX-License-Identifier: Apache-2.0
// The judge's messages on their way to the program's debug messengers.
// Knows VK_EXT_debug_utils; not what a race is.
#include "messages.h"

#include "record.h"

#include <stdlib.h>

void vkr_messages_deliver(const struct vkr_instance *instance)
{
	if (!instance->debug_utils || !instance->next.SubmitDebugUtilsMessageEXT)
		return;
	char *line;
	while ((line = vkr_record_message()) != NULL) {
		VkDebugUtilsMessengerCallbackDataEXT data = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
			.pMessageIdName = "vkrace",
			.pMessage = line,
		};
		instance->next.SubmitDebugUtilsMessageEXT(
			instance->handle, VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
			VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, &data);
		free(line);
	}
}
