// SPDX-License-Identifier: Apache-2.0
// Instances and devices of the layer, and which call fails. Knows no other command.
#include "faults_layer.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Which call fails ---------------------------------------------------------------------------

static struct {
	pthread_mutex_t lock;
	bool read, lost;
	char command[128];
	unsigned number; // of its calls until the one that fails; 0: it has failed
	int result;
	FILE *calls;
} fault = {.lock = PTHREAD_MUTEX_INITIALIZER};

// With the lock.
static void read_settings(void)
{
	const char *asked = getenv("VKRACE_TEST_FAULT");
	const char *calls = getenv("VKRACE_TEST_CALLS");
	fault.read = true;
	if (asked &&
	    sscanf(asked, "%127[^:]:%u:%d", fault.command, &fault.number, &fault.result) != 3) {
		fprintf(stderr, "VKRACE_TEST_FAULT=%s: not COMMAND:NUMBER:RESULT\n", asked);
		abort();
	}
	if (calls)
		fault.calls = fopen(calls, "ae");
}

static void tell(const char *command, unsigned results)
{
	fprintf(fault.calls, "%s%s%s%s\n", command, results & FAULT_HOST_MEMORY ? " -1" : "",
		results & FAULT_DEVICE_MEMORY ? " -2" : "",
		results & FAULT_DEVICE_LOST ? " -4" : "");
	fflush(fault.calls);
}

VkResult fault_of(const char *command, unsigned results)
{
	VkResult result = VK_SUCCESS;
	pthread_mutex_lock(&fault.lock);
	if (!fault.read)
		read_settings();
	if (fault.calls)
		tell(command, results);
	if (fault.number > 0 && strcmp(fault.command, command) == 0 && --fault.number == 0) {
		result = (VkResult)fault.result;
		fault.lost = result == VK_ERROR_DEVICE_LOST;
	} else if (fault.lost && results & FAULT_DEVICE_LOST) {
		result = VK_ERROR_DEVICE_LOST;
	}
	pthread_mutex_unlock(&fault.lock);
	return result;
}

// ---- Instances and devices ----------------------------------------------------------------------

struct fault_instance {
	struct next_instance next;
	PFN_vkDestroyInstance destroy;
	PFN_vkVoidFunction commands[]; // the next layer's
};

struct fault_device {
	struct next_device next;
	PFN_vkVoidFunction commands[];
};

PFN_vkVoidFunction fault_next(const void *dispatchable, size_t number)
{
	const struct fault_device *device = (struct fault_device *)next_device_of(dispatchable);
	if (device)
		return device->commands[number];
	return ((struct fault_instance *)next_instance_of(dispatchable))->commands[number];
}

// The loader gives the next layer's function only while the instance is being created.
static void load(struct fault_instance *made)
{
	const struct next_instance *next = &made->next;
	made->destroy = (PFN_vkDestroyInstance)next->get(next->handle, "vkDestroyInstance");
	for (size_t i = 0; i < fault_command_count; i++)
		made->commands[i] = next->get(next->handle, fault_commands[i].name);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkInstance *handle)
{
	const VkResult failed = fault_of("vkCreateInstance", FAULT_HOST_MEMORY);
	if (failed != VK_SUCCESS)
		return failed;
	struct fault_instance *instance =
		calloc(1, sizeof *instance + fault_command_count * sizeof *instance->commands);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const VkResult result = next_instance_create(&instance->next, info, allocator, handle);
	if (result == VK_SUCCESS)
		load(instance);
	else
		free(instance);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle,
						   const VkAllocationCallbacks *allocator)
{
	struct fault_instance *instance = (struct fault_instance *)next_instance_of(handle);
	instance->destroy(handle, allocator);
	next_instance_forget(&instance->next);
	free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical,
						    const VkDeviceCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkDevice *handle)
{
	const VkResult failed = fault_of("vkCreateDevice", FAULT_HOST_MEMORY | FAULT_DEVICE_MEMORY);
	if (failed != VK_SUCCESS)
		return failed;
	struct fault_device *device =
		calloc(1, sizeof *device + fault_command_count * sizeof *device->commands);
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const VkResult result =
		next_device_create(&device->next, physical, info, allocator, handle);
	if (result != VK_SUCCESS) {
		free(device);
		return result;
	}
	for (size_t i = 0; i < fault_command_count; i++)
		device->commands[i] = device->next.get(*handle, fault_commands[i].name);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle,
						 const VkAllocationCallbacks *allocator)
{
	struct next_device *device = next_device_of(handle);
	((PFN_vkDestroyDevice)device->get(handle, "vkDestroyDevice"))(handle, allocator);
	next_device_forget(device);
	free(device);
}

// ---- Push constants -----------------------------------------------------------------------------

// vkrace's own are the last of those that a driver has: 128 bytes, or 256.
#define OWN_BYTES 16u

static VKAPI_ATTR void VKAPI_CALL push_constants(VkCommandBuffer handle, VkPipelineLayout layout,
						 VkShaderStageFlags stages, uint32_t offset,
						 uint32_t bytes, const void *values)
{
	static const unsigned char zeros[OWN_BYTES];
	const struct next_device *device = next_device_of(handle);
	const bool lost =
		bytes == OWN_BYTES && (offset + bytes) % 128 == 0 && getenv("VKRACE_TEST_NOWHERE");
	((PFN_vkCmdPushConstants)device->get(device->handle, "vkCmdPushConstants"))(
		handle, layout, stages, offset, bytes, lost ? zeros : values);
}

// ---- Names --------------------------------------------------------------------------------------

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name);

static PFN_vkVoidFunction hook_of(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkGetInstanceProcAddr", (PFN_vkVoidFunction)get_instance},
		{"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
		{"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
		{"vkCreateDevice", (PFN_vkVoidFunction)create_device},
		{"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device},
		{"vkDestroyDevice", (PFN_vkVoidFunction)destroy_device},
		{"vkCmdPushConstants", (PFN_vkVoidFunction)push_constants},
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	for (size_t i = 0; i < fault_command_count; i++)
		if (strcmp(fault_commands[i].name, name) == 0)
			return fault_commands[i].hook;
	return NULL;
}

// What the driver has not is not there.
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name)
{
	PFN_vkVoidFunction next = next_device_of(handle)->get(handle, name);
	PFN_vkVoidFunction hook = next ? hook_of(name) : NULL;
	return hook ? hook : next;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name)
{
	PFN_vkVoidFunction hook = hook_of(name);
	// The loader also asks with an instance that it is only about to make.
	const struct next_instance *made = handle ? next_instance_of(handle) : NULL;
	PFN_vkVoidFunction next = made ? made->get(handle, name) : NULL;
	return hook && (!made || next) ? hook : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *negotiation)
{
	negotiation->loaderLayerInterfaceVersion = 2;
	negotiation->pfnGetInstanceProcAddr = get_instance;
	negotiation->pfnGetDeviceProcAddr = get_device;
	negotiation->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
