// SPDX-License-Identifier: Apache-2.0
// A queue family that only copies, beside those of the driver, as a discrete GPU's copy engine:
// what is submitted to it happens at once, whatever the other queues do. Its commands are executed
// here, on buffers whose device addresses are the host's.
#include "discrete_layer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(of, name) ((PFN_##name)next_device_of(of)->get(next_device_of(of)->handle, #name))

// A copy, or a fill where it has no source.
struct command {
	VkBuffer source, target;
	VkBufferCopy part;
	uint32_t word;
};

// A command buffer of the family, or a fence that its queue signals; `pool`: what it is of.
struct own {
	struct own *next;
	uint64_t handle, pool;
	struct command *commands;
	size_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct own *pools, *buffers, *fences;
static uint32_t copies;      // executed
static uint32_t submissions; // to the queues
static atomic_uint waits;    // of threads until the device is idle

#define QUEUES 2u // one for programs that take whatever there is

// Their first word is the loader's.
static struct {
	void *key;
} queues[QUEUES];

static bool is_own_queue(VkQueue queue)
{
	return queue == (VkQueue)(void *)&queues[0] || queue == (VkQueue)(void *)&queues[1];
}

static struct own *find(struct own *list, uint64_t handle)
{
	while (list && list->handle != handle)
		list = list->next;
	return list;
}

static struct own *add(struct own **list, uint64_t handle, uint64_t pool)
{
	struct own *made = calloc(1, sizeof *made);
	if (!made)
		abort();
	*made = (struct own){.next = *list, .handle = handle, .pool = pool};
	*list = made;
	return made;
}

// All of the pool, or the one with the handle.
static void forget(struct own **list, uint64_t handle, uint64_t pool)
{
	while (*list) {
		struct own *at = *list;
		if (at->handle != handle && (!pool || at->pool != pool)) {
			list = &at->next;
			continue;
		}
		*list = at->next;
		free(at->commands);
		free(at);
	}
}

// ---- The family ---------------------------------------------------------------------------------

static uint32_t own_family;

// Behind the driver's families.
void discrete_add_family(uint32_t room, uint32_t *count, VkQueueFamilyProperties *families)
{
	own_family = *count;
	if (families && *count < room)
		families[*count] = (VkQueueFamilyProperties){
			.queueFlags = VK_QUEUE_TRANSFER_BIT,
			.queueCount = QUEUES,
			.minImageTransferGranularity = {1, 1, 1},
		};
	if (!families || *count < room)
		++*count;
}

// Those of the family stand behind the others.
VkDeviceCreateInfo discrete_without_family(const VkDeviceCreateInfo *info)
{
	VkDeviceCreateInfo real = *info;
	while (real.queueCreateInfoCount &&
	       real.pQueueCreateInfos[real.queueCreateInfoCount - 1].queueFamilyIndex == own_family)
		real.queueCreateInfoCount--;
	return real;
}

void discrete_check_copies(void)
{
	if (!getenv("VKR_TEST_DISCRETE_COPIES") || copies)
		return;
	fprintf(stderr, "discrete GPU: nothing was copied out of device memory\n");
	abort();
}

// ---- Objects ------------------------------------------------------------------------------------

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index,
					    VkQueue *made)
{
	if (family == own_family)
		*made = (VkQueue)(void *)&queues[index];
	else
		NEXT(device, vkGetDeviceQueue)(device, family, index, made);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device,
						  const VkCommandPoolCreateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkCommandPool *pool)
{
	VkCommandPoolCreateInfo real = *info;
	const bool own = info->queueFamilyIndex == own_family;
	real.queueFamilyIndex = own ? 0 : info->queueFamilyIndex;
	const VkResult result = NEXT(device, vkCreateCommandPool)(device, &real, allocator, pool);
	if (result == VK_SUCCESS && own) {
		pthread_mutex_lock(&lock);
		add(&pools, (uint64_t)*pool, 0);
		pthread_mutex_unlock(&lock);
	}
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice device, VkCommandPool pool,
					       const VkAllocationCallbacks *allocator)
{
	pthread_mutex_lock(&lock);
	forget(&buffers, 0, (uint64_t)pool);
	forget(&pools, (uint64_t)pool, 0);
	pthread_mutex_unlock(&lock);
	NEXT(device, vkDestroyCommandPool)(device, pool, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device,
					       const VkCommandBufferAllocateInfo *info,
					       VkCommandBuffer *made)
{
	const VkResult result = NEXT(device, vkAllocateCommandBuffers)(device, info, made);
	pthread_mutex_lock(&lock);
	if (result == VK_SUCCESS && find(pools, (uint64_t)info->commandPool))
		for (uint32_t i = 0; i < info->commandBufferCount; i++)
			add(&buffers, (uint64_t)(uintptr_t)made[i], (uint64_t)info->commandPool);
	pthread_mutex_unlock(&lock);
	return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL begin(VkCommandBuffer buffer,
					    const VkCommandBufferBeginInfo *info)
{
	pthread_mutex_lock(&lock);
	struct own *own = find(buffers, (uint64_t)(uintptr_t)buffer);
	if (own)
		own->count = 0;
	pthread_mutex_unlock(&lock);
	return NEXT(buffer, vkBeginCommandBuffer)(buffer, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkBuffer *buffer)
{
	VkBufferCreateInfo real = *info;
	for (uint32_t i = 0; i < real.queueFamilyIndexCount; i++)
		if (real.sharingMode == VK_SHARING_MODE_CONCURRENT &&
		    real.pQueueFamilyIndices[i] == own_family)
			real.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
	return ((PFN_vkCreateBuffer)discrete_memory_hook("vkCreateBuffer"))(device, &real,
									    allocator, buffer);
}

// ---- Commands -----------------------------------------------------------------------------------

// False: the command buffer is none of the family's.
static bool keep_command(VkCommandBuffer buffer, const struct command *command)
{
	pthread_mutex_lock(&lock);
	struct own *own = find(buffers, (uint64_t)(uintptr_t)buffer);
	if (own) {
		own->commands = realloc(own->commands, (own->count + 1) * sizeof *own->commands);
		if (!own->commands)
			abort();
		own->commands[own->count++] = *command;
	}
	pthread_mutex_unlock(&lock);
	return own;
}

static VKAPI_ATTR void VKAPI_CALL copy(VkCommandBuffer buffer, VkBuffer source, VkBuffer target,
				       uint32_t count, const VkBufferCopy *parts)
{
	bool own = count > 0;
	for (uint32_t i = 0; own && i < count; i++)
		own = keep_command(buffer, &(struct command){source, target, parts[i], 0});
	if (!own)
		NEXT(buffer, vkCmdCopyBuffer)(buffer, source, target, count, parts);
}

static VKAPI_ATTR void VKAPI_CALL fill(VkCommandBuffer buffer, VkBuffer target, VkDeviceSize offset,
				       VkDeviceSize size, uint32_t word)
{
	const struct command command = {VK_NULL_HANDLE, target, {0, offset, size}, word};
	if (!keep_command(buffer, &command))
		NEXT(buffer, vkCmdFillBuffer)(buffer, target, offset, size, word);
}

static unsigned char *place_of(VkQueue queue, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = buffer,
	};
	VkDevice device = next_device_of(queue)->handle;
	return (unsigned char *)(uintptr_t)NEXT(device, vkGetBufferDeviceAddress)(device, &info);
}

static void execute(VkQueue queue, const struct command *command)
{
	const VkBufferCopy *part = &command->part;
	unsigned char *target = place_of(queue, command->target) + part->dstOffset;
	if (command->source) {
		memcpy(target, place_of(queue, command->source) + part->srcOffset, part->size);
		copies++;
		return;
	}
	for (VkDeviceSize at = 0; at < part->size; at += sizeof command->word)
		memcpy(target + at, &command->word, sizeof command->word);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue handle, uint32_t count,
					     const VkSubmitInfo *submits, VkFence fence)
{
	if (!is_own_queue(handle))
		return NEXT(handle, vkQueueSubmit)(handle, count, submits, fence);
	if (atomic_load(&waits)) {
		fprintf(stderr, "discrete GPU: a queue is used while the device becomes idle\n");
		abort();
	}
	pthread_mutex_lock(&lock);
	const char *fails = getenv("VKR_TEST_DISCRETE_FAILS");
	if (fails && ++submissions == strtoul(fails, NULL, 10)) {
		pthread_mutex_unlock(&lock);
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < submits[i].commandBufferCount; k++) {
			const struct own *own =
				find(buffers, (uint64_t)(uintptr_t)submits[i].pCommandBuffers[k]);
			for (size_t at = 0; own && at < own->count; at++)
				execute(handle, &own->commands[at]);
		}
	if (fence)
		add(&fences, (uint64_t)fence, 0);
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

// Of fences that the queue signaled.
static bool is_own(uint32_t count, const VkFence *of)
{
	pthread_mutex_lock(&lock);
	const bool own = count == 1 && find(fences, (uint64_t)*of);
	pthread_mutex_unlock(&lock);
	return own;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait(VkDevice device, uint32_t count, const VkFence *of,
					   VkBool32 all, uint64_t timeout)
{
	return is_own(count, of) ? VK_SUCCESS
				 : NEXT(device, vkWaitForFences)(device, count, of, all, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL reset(VkDevice device, uint32_t count, const VkFence *of)
{
	if (!is_own(count, of))
		return NEXT(device, vkResetFences)(device, count, of);
	pthread_mutex_lock(&lock);
	forget(&fences, (uint64_t)*of, 0);
	pthread_mutex_unlock(&lock);
	return VK_SUCCESS;
}

// No queue may be in use meanwhile ("Host Synchronization" of vkDeviceWaitIdle).
static VKAPI_ATTR VkResult VKAPI_CALL wait_idle(VkDevice device)
{
	atomic_fetch_add(&waits, 1);
	const VkResult result = NEXT(device, vkDeviceWaitIdle)(device);
	atomic_fetch_sub(&waits, 1);
	return result;
}

// ---- Names --------------------------------------------------------------------------------------

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} hooks[] = {
	{"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
	{"vkCreateCommandPool", (PFN_vkVoidFunction)create_pool},
	{"vkDestroyCommandPool", (PFN_vkVoidFunction)destroy_pool},
	{"vkAllocateCommandBuffers", (PFN_vkVoidFunction)allocate},
	{"vkBeginCommandBuffer", (PFN_vkVoidFunction)begin},
	{"vkCreateBuffer", (PFN_vkVoidFunction)create_buffer},
	{"vkCmdCopyBuffer", (PFN_vkVoidFunction)copy},
	{"vkCmdFillBuffer", (PFN_vkVoidFunction)fill},
	{"vkQueueSubmit", (PFN_vkVoidFunction)submit},
	{"vkWaitForFences", (PFN_vkVoidFunction)wait},
	{"vkDeviceWaitIdle", (PFN_vkVoidFunction)wait_idle},
	{"vkResetFences", (PFN_vkVoidFunction)reset},
};

PFN_vkVoidFunction discrete_copies_hook(const char *name)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
