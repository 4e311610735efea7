// SPDX-License-Identifier: Apache-2.0
// A program with one race that says what happens to it while it runs: gpu_live [messenger [await]]
// [hold]. "messenger": prints each message of its VK_EXT_debug_utils messenger as JSON; "await":
// waits for one before it destroys anything; "hold": waits for the end of its standard input.
#include "gpu_test.h"

#include "read_words.spv.h"
#include "write_words.spv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct gpu_test_kernel kernels[] = {
	{.name = "write_words", .words = write_words, .bytes = sizeof write_words},
	{.name = "read_words", .words = read_words, .bytes = sizeof read_words},
	{.name = NULL},
};

static struct gpu_test test;
static uint64_t commands; // VkCommandBuffer
static unsigned messages;

// Which of the program's objects a handle is.
static const char *whose(VkObjectType type, uint64_t handle)
{
	if (type == VK_OBJECT_TYPE_BUFFER && handle == (uint64_t)(uintptr_t)test.data.handle)
		return "data";
	if (type == VK_OBJECT_TYPE_QUEUE && handle == (uint64_t)(uintptr_t)test.queue)
		return "queue";
	if (type == VK_OBJECT_TYPE_COMMAND_BUFFER && handle == commands)
		return "commands";
	for (struct gpu_test_kernel *kernel = kernels; kernel->name; kernel++)
		if (type == VK_OBJECT_TYPE_PIPELINE &&
		    handle == (uint64_t)(uintptr_t)kernel->pipeline)
			return kernel->name;
	return "unknown";
}

static void print_text(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if (*text == '\n')
			fputs("\\n", stdout);
		else
			putchar(*text);
	}
	putchar('"');
}

static VKAPI_ATTR VkBool32 VKAPI_CALL print_message(
	VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
	const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	(void)user;
	if (strncmp(data->pMessageIdName ? data->pMessageIdName : "", "vkrace", 6) != 0)
		return VK_FALSE; // the loader's
	printf("{\"severity\": %u, \"types\": %u, \"number\": %" PRId32 ", \"name\": ", severity,
	       types, data->messageIdNumber);
	print_text(data->pMessageIdName);
	fputs(", \"message\": ", stdout);
	print_text(data->pMessage);
	fputs(", \"objects\": [", stdout);
	for (uint32_t i = 0; i < data->objectCount; i++) {
		const VkDebugUtilsObjectNameInfoEXT *object = &data->pObjects[i];
		fputs(i ? ", [" : "[", stdout);
		print_text(whose(object->objectType, object->objectHandle));
		fputs(", ", stdout);
		print_text(object->pObjectName ? object->pObjectName : "");
		putchar(']');
	}
	fputs("], \"labels\": [", stdout);
	for (uint32_t i = 0; i < data->cmdBufLabelCount; i++) {
		fputs(i ? ", " : "", stdout);
		print_text(data->pCmdBufLabels[i].pLabelName);
	}
	puts("]}");
	messages++;
	fflush(stdout);
	return VK_FALSE;
}

static PFN_vkVoidFunction instance_function(const char *name)
{
	PFN_vkVoidFunction function = vkGetInstanceProcAddr(test.instance, name);
	if (!function)
		gpu_test_skip("no VK_EXT_debug_utils");
	return function;
}

static VkDebugUtilsMessengerEXT listen(void)
{
	const VkDebugUtilsMessengerCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = print_message,
	};
	VkDebugUtilsMessengerEXT messenger;
	gpu_test_expect(
		((PFN_vkCreateDebugUtilsMessengerEXT)instance_function(
			"vkCreateDebugUtilsMessengerEXT"))(test.instance, &info, NULL, &messenger),
		"vkCreateDebugUtilsMessengerEXT");
	return messenger;
}

static void begin_label(const char *name)
{
	const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
					    .pLabelName = name};
	((PFN_vkCmdBeginDebugUtilsLabelEXT)instance_function("vkCmdBeginDebugUtilsLabelEXT"))(
		test.commands, &label);
}

static void end_label(void)
{
	((PFN_vkCmdEndDebugUtilsLabelEXT)instance_function("vkCmdEndDebugUtilsLabelEXT"))(
		test.commands);
}

static bool has_argument(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], word) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	gpu_test_init(&test, kernels, false);
	if (has_argument(argc, argv, "messenger"))
		listen(); // until the instance is destroyed
	gpu_test_name(&test, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)test.commands,
		      "frame commands");
	commands = (uint64_t)(uintptr_t)test.commands;
	begin_label("frame 1");
	begin_label("write / all");
	gpu_test_dispatch(&test, "write_words", 2, 0);
	end_label();
	begin_label("read");
	gpu_test_dispatch(&test, "read_words", 2, 0);
	end_label();
	end_label();
	gpu_test_submit(&test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	puts("waited");
	fflush(stdout);
	while (has_argument(argc, argv, "await") && !messages) {
		usleep(1000);
		gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	}
	while (has_argument(argc, argv, "hold") && getchar() != EOF)
		continue;
	gpu_test_finish(&test);
	puts("finished");
	return EXIT_SUCCESS;
}
