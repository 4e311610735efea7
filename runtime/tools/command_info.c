// SPDX-License-Identifier: Apache-2.0
// `vkrace info`: what this build knows, and which devices the Vulkan loader offers. Knows the
// loader as a library that may be missing.
#include "array.h"
#include "commands.h"
#include "error.h"
#include "tool_options.h"

#include "vkrace/site.h"
#include "vkrace/trace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>

#define LOADER "libvulkan.so.1"

struct loader {
	void *library;
	PFN_vkGetInstanceProcAddr get;
	VkInstance instance;
};

struct devices {
	VkPhysicalDevice *items;
	size_t count, capacity;
};

static PFN_vkVoidFunction get(const struct loader *loader, const char *name)
{
	return loader->get(loader->instance, name);
}

static enum vkr_result open_loader(struct loader *loader, struct vkr_error *error)
{
	loader->library = dlopen(LOADER, RTLD_NOW | RTLD_LOCAL);
	if (!loader->library)
		return vkr_error_set(error, VKR_ERROR_DRIVER, "there is no Vulkan loader here: %s",
				     dlerror());
	*(void **)&loader->get = dlsym(loader->library, "vkGetInstanceProcAddr");
	if (!loader->get)
		return vkr_error_set(error, VKR_ERROR_DRIVER, "%s is no Vulkan loader", LOADER);
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(loader, "vkCreateInstance");
	VkResult result =
		create ? create(&info, NULL, &loader->instance) : VK_ERROR_INITIALIZATION_FAILED;
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		return vkr_error_set(error, VKR_ERROR_DRIVER,
				     "the Vulkan loader finds no driver: install one, for example "
				     "the package mesa-vulkan-drivers");
	if (result != VK_SUCCESS)
		return vkr_error_set(error, VKR_ERROR_DRIVER, "vkCreateInstance failed: %d",
				     result);
	return VKR_OK;
}

static void close_loader(struct loader *loader)
{
	if (loader->instance) {
		PFN_vkDestroyInstance destroy =
			(PFN_vkDestroyInstance)get(loader, "vkDestroyInstance");
		destroy(loader->instance, NULL);
	}
	if (loader->library)
		dlclose(loader->library);
}

static enum vkr_result list_devices(const struct loader *loader, struct devices *devices,
				    struct vkr_error *error)
{
	PFN_vkEnumeratePhysicalDevices enumerate =
		(PFN_vkEnumeratePhysicalDevices)get(loader, "vkEnumeratePhysicalDevices");
	uint32_t count = 0;
	VkResult result = enumerate(loader->instance, &count, NULL);
	if (result == VK_SUCCESS) {
		if (!VKR_ARRAY_RESERVE(devices, count))
			return vkr_error_memory(error, "the devices");
		result = enumerate(loader->instance, &count, devices->items);
	}
	if (result < 0)
		return vkr_error_set(error, VKR_ERROR_DRIVER,
				     "vkEnumeratePhysicalDevices failed: %d", result);
	devices->count = count;
	if (count == 0)
		return vkr_error_set(error, VKR_ERROR_DRIVER,
				     "the Vulkan loader finds no device: install a driver, for "
				     "example the package mesa-vulkan-drivers");
	return VKR_OK;
}

static void print_devices(const struct loader *loader, const struct devices *devices)
{
	PFN_vkGetPhysicalDeviceProperties properties =
		(PFN_vkGetPhysicalDeviceProperties)get(loader, "vkGetPhysicalDeviceProperties");
	for (size_t i = 0; i < devices->count; i++) {
		VkPhysicalDeviceProperties device;
		properties(devices->items[i], &device);
		printf("device %zu: %s, Vulkan %u.%u.%u, driver version 0x%x\n", i,
		       device.deviceName, VK_API_VERSION_MAJOR(device.apiVersion),
		       VK_API_VERSION_MINOR(device.apiVersion),
		       VK_API_VERSION_PATCH(device.apiVersion), device.driverVersion);
	}
}

int vkr_command_info(int argc, char **argv)
{
	struct vkr_tool_options options;
	struct loader loader = {0};
	struct devices devices = {0};
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, 0, false, &options))
		return VKR_EXIT_FAILURE;
	if (options.operands != argc) {
		fprintf(stderr, "vkrace info: it takes no operand\n");
		return VKR_EXIT_FAILURE;
	}
	printf("vkrace %s\n", VKR_VERSION);
	printf("Vulkan headers 1.%u.%u\n", VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
	       VK_HEADER_VERSION);
	printf("trace format %u, site tables %u\n", VKR_TRACE_VERSION, VKR_SITE_TABLE_VERSION);
	fflush(stdout);
	enum vkr_result result = open_loader(&loader, &error);
	if (result == VKR_OK)
		result = list_devices(&loader, &devices, &error);
	if (result == VKR_OK)
		print_devices(&loader, &devices);
	else
		fprintf(stderr, "vkrace info: %s\n", error.message);
	free(devices.items);
	close_loader(&loader);
	return result == VKR_OK ? 0 : VKR_EXIT_FAILURE;
}
