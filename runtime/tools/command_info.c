// SPDX-License-Identifier: Apache-2.0
// `vkrace info`: what this build knows, and which devices the Vulkan loader offers; or what is in a
// trace. Knows the loader as a library that may be missing.
#include "array.h"
#include "commands.h"
#include "error.h"
#include "tool_options.h"
#include "trace_info.h"

#include "vkrace/site.h"
#include "vkrace/trace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static PFN_vkVoidFunction command_info_get(const struct loader *loader, const char *name)
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
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					       .apiVersion = VK_API_VERSION_1_1};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pApplicationInfo = &application};
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)command_info_get(loader, "vkCreateInstance");
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
			(PFN_vkDestroyInstance)command_info_get(loader, "vkDestroyInstance");
		destroy(loader->instance, NULL);
	}
	if (loader->library)
		dlclose(loader->library);
}

static enum vkr_result list_devices(const struct loader *loader, struct devices *devices,
				    struct vkr_error *error)
{
	PFN_vkEnumeratePhysicalDevices enumerate = (PFN_vkEnumeratePhysicalDevices)command_info_get(
		loader, "vkEnumeratePhysicalDevices");
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

static const char *const modelled[] = {
#define VKR_EXTENSION(name) name,
#include "vkrace/extensions.def"
#undef VKR_EXTENSION
};
#define MODELLED (sizeof modelled / sizeof *modelled)

static bool is_modelled(const char *name)
{
	for (size_t i = 0; i < MODELLED; i++)
		if (strcmp(modelled[i], name) == 0)
			return true;
	return false;
}

static void print_extensions(void)
{
	printf("device extensions modelled: %zu\n", MODELLED);
	for (size_t i = 0; i < MODELLED; i++)
		printf("  %s\n", modelled[i]);
}

static void print_driver(const struct loader *loader, VkPhysicalDevice device)
{
	VkPhysicalDeviceDriverProperties driver = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					   .pNext = &driver};
	PFN_vkGetPhysicalDeviceProperties2 properties =
		(PFN_vkGetPhysicalDeviceProperties2)command_info_get(
			loader, "vkGetPhysicalDeviceProperties2");
	if (!properties)
		return;
	properties(device, &all);
	if (driver.driverName[0])
		printf("  driver %s, %s\n", driver.driverName, driver.driverInfo);
}

// Prints what the device offers that no build with these headers models.
static void print_unmodelled(const struct loader *loader, VkPhysicalDevice device)
{
	PFN_vkEnumerateDeviceExtensionProperties enumerate =
		(PFN_vkEnumerateDeviceExtensionProperties)command_info_get(
			loader, "vkEnumerateDeviceExtensionProperties");
	uint32_t count = 0, others = 0;
	if (enumerate(device, NULL, &count, NULL) != VK_SUCCESS || count == 0)
		return;
	VkExtensionProperties *all = calloc(count, sizeof *all);
	if (all && enumerate(device, NULL, &count, all) >= 0) {
		for (uint32_t i = 0; i < count; i++)
			others += !is_modelled(all[i].extensionName);
		printf("  extensions not modelled: %u of %u\n", others, count);
		for (uint32_t i = 0; i < count; i++)
			if (!is_modelled(all[i].extensionName))
				printf("    %s\n", all[i].extensionName);
	}
	free(all);
}

static void print_devices(const struct loader *loader, const struct devices *devices)
{
	PFN_vkGetPhysicalDeviceProperties properties =
		(PFN_vkGetPhysicalDeviceProperties)command_info_get(
			loader, "vkGetPhysicalDeviceProperties");
	for (size_t i = 0; i < devices->count; i++) {
		VkPhysicalDeviceProperties device;
		properties(devices->items[i], &device);
		printf("device %zu: %s, Vulkan %u.%u.%u, driver version 0x%x\n", i,
		       device.deviceName, VK_API_VERSION_MAJOR(device.apiVersion),
		       VK_API_VERSION_MINOR(device.apiVersion),
		       VK_API_VERSION_PATCH(device.apiVersion), device.driverVersion);
		print_driver(loader, devices->items[i]);
		print_unmodelled(loader, devices->items[i]);
	}
}

int vkr_command_info(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted = {0};
	struct vkr_tool_options options;
	struct loader loader = {0};
	struct devices devices = {0};
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, &accepted, false, &options))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 < argc) {
		fprintf(stderr, "vkrace info: give one trace, or nothing: vkrace info [TRACE]\n");
		return VKR_EXIT_FAILURE;
	}
	if (options.operands + 1 == argc) {
		if (vkr_trace_info_print(argv[options.operands], &error) == VKR_OK)
			return 0;
		fprintf(stderr, "vkrace info: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	printf("vkrace %s\n", VKR_VERSION);
	printf("Vulkan headers 1.%u.%u\n", VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
	       VK_HEADER_VERSION);
	printf("trace format %u, site tables %u\n", VKR_TRACE_VERSION, VKR_SITE_TABLE_VERSION);
	print_extensions();
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
