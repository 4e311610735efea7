// SPDX-License-Identifier: Apache-2.0
// A program that gives the layer settings by VK_EXT_layer_settings: gpu_settings JSON. Prints the
// tools that its physical device tells of, and the layer's own extensions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define LAYER   "VK_LAYER_VKRACE_race"
#define SKIPPED 77

// As VK_EXT_layer_settings has them, which older headers lack.
struct setting {
	const char *layer, *name;
	uint32_t type, count; // type 0: VkBool32, 3: uint32_t, 7: text
	const void *values;
};

struct settings {
	VkStructureType type;
	const void *next;
	uint32_t count;
	const struct setting *items;
};

static void expect(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	printf("%s: %d\n", what, result);
	exit(result == VK_ERROR_INCOMPATIBLE_DRIVER ? SKIPPED : EXIT_FAILURE);
}

static VkInstance make_instance(const char *json)
{
	const VkBool32 no = VK_FALSE;
	const uint32_t megabytes = 64;
	const char *const texts[] = {"unordered", "private"};
	const struct setting items[] = {
		{LAYER, "shaders", 0, 1, &no},      {LAYER, "vkrace.log_mb", 3, 1, &megabytes},
		{LAYER, "json", 7, 1, &json},       {LAYER, "only", 7, 2, texts},
		{LAYER, "jsn", 7, 1, &json},        {LAYER, "ring_mb", 0, 1, &no},
		{"VK_LAYER_other", "x", 0, 1, &no},
	};
	const struct settings settings = {(VkStructureType)1000496000, NULL,
					  sizeof items / sizeof *items, items};
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					       .apiVersion = VK_API_VERSION_1_3};
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					   .pNext = &settings,
					   .pApplicationInfo = &application};
	VkInstance instance;
	expect(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
	return instance;
}

static void print_tools(VkPhysicalDevice physical)
{
	VkPhysicalDeviceToolProperties tools[8];
	uint32_t all = 0, count = 8, one = 1;
	memset(tools, 0, sizeof tools);
	for (uint32_t i = 0; i < 8; i++)
		tools[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES;
	expect(vkGetPhysicalDeviceToolProperties(physical, &all, NULL), "tools");
	expect(vkGetPhysicalDeviceToolProperties(physical, &count, tools), "tools");
	for (uint32_t i = 0; i < count && count == all; i++)
		printf("tool %s of %s\n", tools[i].name, tools[i].layer);
	if (vkGetPhysicalDeviceToolProperties(physical, &one, tools) < 0 || one != 1)
		puts("one tool cannot be asked for");
}

static void print_extensions(VkPhysicalDevice physical)
{
	VkExtensionProperties extension;
	uint32_t count = 1;
	expect(vkEnumerateInstanceExtensionProperties(LAYER, &count, &extension), "extensions");
	printf("instance extension %s\n", extension.extensionName);
	count = 1;
	expect(vkEnumerateDeviceExtensionProperties(physical, LAYER, &count, &extension),
	       "extensions");
	printf("device extension %s\n", extension.extensionName);
}

int main(int argc, char **argv)
{
	const float priority = 1;
	VkPhysicalDevice physical;
	VkDevice device;
	uint32_t count = 1;
	if (argc != 2)
		return EXIT_FAILURE;
	VkInstance instance = make_instance(argv[1]);
	if (vkEnumeratePhysicalDevices(instance, &count, &physical) < 0 || count == 0)
		return SKIPPED;
	print_tools(physical);
	print_extensions(physical);
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					 .queueCreateInfoCount = 1,
					 .pQueueCreateInfos = &queue};
	expect(vkCreateDevice(physical, &info, NULL, &device), "vkCreateDevice");
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(instance, NULL);
	return EXIT_SUCCESS;
}
