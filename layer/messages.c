// SPDX-License-Identifier: Apache-2.0
// The judge's messages on their way to the program's debug messengers. Knows VK_EXT_debug_utils;
// not what a race is.
#include "messages.h"

#include "array.h"
#include "objects.h"
#include "race_message.h"
#include "record.h"
#include "settings.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SEVERITY VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
#define TYPE     VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT

enum on_race {
	ON_RACE_CONTINUE,
	ON_RACE_SILENT, // it goes on, and is told nothing
	ON_RACE_BREAK,
	ON_RACE_ABORT,
};

// Messengers that hear of races, of all instances. The layer calls them itself, as the validation
// layers do: vkSubmitDebugUtilsMessageEXT takes a lock that the loader holds while a device is
// destroyed.
struct listener {
	struct vkr_instance *instance;
	VkDebugUtilsMessengerEXT messenger;
	PFN_vkDebugUtilsMessengerCallbackEXT callback;
	void *user;
};

static struct {
	pthread_mutex_t lock; // innermost
	struct listener *items;
	size_t count, capacity;
} listeners = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool add_listener(const struct listener *listener)
{
	pthread_mutex_lock(&listeners.lock);
	const bool room = VKR_ARRAY_RESERVE(&listeners, 1);
	if (room)
		listeners.items[listeners.count++] = *listener;
	pthread_mutex_unlock(&listeners.lock);
	return room;
}

static void remove_listener(VkDebugUtilsMessengerEXT messenger)
{
	pthread_mutex_lock(&listeners.lock);
	size_t left = 0;
	for (size_t i = 0; i < listeners.count; i++) {
		if (listeners.items[i].messenger == messenger)
			listeners.items[i].instance->messengers--;
		else
			listeners.items[left++] = listeners.items[i];
	}
	listeners.count = left;
	pthread_mutex_unlock(&listeners.lock);
	if (left == 0)
		vkr_record_messenger(false);
}

// The listener at an index, where there is one.
static bool listener_at(size_t index, struct listener *listener)
{
	pthread_mutex_lock(&listeners.lock);
	const bool there = index < listeners.count;
	if (there)
		*listener = listeners.items[index];
	pthread_mutex_unlock(&listeners.lock);
	return there;
}

static enum on_race on_race(void)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;
	const char *text = vkr_setting_text(VKR_SETTING_ON_RACE);
	if (!text || strcmp(text, "continue") == 0)
		return ON_RACE_CONTINUE;
	if (strcmp(text, "silent") == 0)
		return ON_RACE_SILENT;
	if (strcmp(text, "break") == 0)
		return ON_RACE_BREAK;
	if (strcmp(text, "abort") == 0)
		return ON_RACE_ABORT;
	vkr_setting_wrong(&told, VKR_SETTING_ON_RACE,
			  "neither continue, silent, break nor abort: the program continues");
	return ON_RACE_CONTINUE;
}

static bool stops_program(enum on_race todo)
{
	return todo == ON_RACE_BREAK || todo == ON_RACE_ABORT;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateDebugUtilsMessengerEXT(
	VkInstance handle, const VkDebugUtilsMessengerCreateInfoEXT *info,
	const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
	struct vkr_instance *instance = vkr_instance_of(handle);
	const VkResult result =
		instance->next.CreateDebugUtilsMessengerEXT(handle, info, allocator, messenger);
	if (result != VK_SUCCESS || !(info->messageSeverity & SEVERITY) ||
	    !(info->messageType & TYPE) || on_race() == ON_RACE_SILENT)
		return result;
	if (add_listener(&(struct listener){instance, *messenger, info->pfnUserCallback,
					    info->pUserData})) {
		instance->messengers++;
		vkr_record_messenger(true);
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyDebugUtilsMessengerEXT(VkInstance handle,
							     VkDebugUtilsMessengerEXT messenger,
							     const VkAllocationCallbacks *allocator)
{
	struct vkr_instance *instance = vkr_instance_of(handle);
	remove_listener(messenger);
	instance->next.DestroyDebugUtilsMessengerEXT(handle, messenger, allocator);
}

void vkr_messages_instance_gone(const struct vkr_instance *instance)
{
	struct listener listener;
	for (size_t i = 0; listener_at(i, &listener);) {
		if (listener.instance == instance)
			remove_listener(listener.messenger);
		else
			i++;
	}
}

static void messages_tell(struct vkr_layer_device *device, char *text)
{
	const struct vkr_instance *instance = device->instance;
	struct vkr_race_message message;
	VkDebugUtilsObjectNameInfoEXT objects[VKR_RACE_MESSAGE_OBJECTS];
	VkDebugUtilsLabelEXT labels[VKR_RACE_MESSAGE_LABELS];
	vkr_race_message_read(text, &message);
	VkDebugUtilsMessengerCallbackDataEXT data = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
		.pMessageIdName = message.name,
		.messageIdNumber = message.number,
		.pMessage = message.text,
		.cmdBufLabelCount = message.label_count,
		.pCmdBufLabels = labels,
		.pObjects = objects,
	};
	for (uint32_t i = 0; i < message.label_count; i++)
		labels[i] = (VkDebugUtilsLabelEXT){.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
						   .pLabelName = message.labels[i]};
	for (uint32_t i = 0; i < message.object_count; i++) {
		VkDebugUtilsObjectNameInfoEXT object = {
			.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
			.pObjectName = message.objects[i].name};
		vkr_object_handle(device, message.objects[i].kind, message.objects[i].id,
				  &object.objectType, &object.objectHandle);
		if (object.objectType != VK_OBJECT_TYPE_UNKNOWN)
			objects[data.objectCount++] = object;
	}
	struct listener listener;
	for (size_t i = 0; listener_at(i, &listener); i++) {
		if (listener.instance == instance)
			listener.callback(SEVERITY, TYPE, &data, listener.user);
	}
}

static void messages_deliver(struct vkr_layer_device *device, enum on_race todo)
{
	const struct vkr_instance *instance = device->instance;
	const bool heard = instance->messengers != 0;
	char *text;
	bool any = false;
	while ((heard || stops_program(todo)) && (text = vkr_record_message()) != NULL) {
		any = true;
		if (heard)
			messages_tell(device, text);
		free(text);
	}
	if (any && todo == ON_RACE_BREAK)
		raise(SIGTRAP);
	if (any && todo == ON_RACE_ABORT)
		abort();
}

void vkr_messages_deliver(struct vkr_layer_device *device)
{
	const enum on_race todo = on_race();
	// So that the program stops where it has just waited for the commands that race.
	if (stops_program(todo))
		vkr_record_drain();
	messages_deliver(device, todo);
}

void vkr_messages_deliver_last(struct vkr_layer_device *device)
{
	const enum on_race todo = on_race();
	if (stops_program(todo) || device->instance->messengers)
		vkr_record_drain();
	messages_deliver(device, todo);
}
