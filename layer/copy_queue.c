// SPDX-License-Identifier: Apache-2.0
#include "copy_queue.h"

#include "log_buffer.h"

#include <stdlib.h>
#include <string.h>

// Queues of the family that the program asks for.
static uint32_t count_asked(const VkDeviceCreateInfo *info, uint32_t family)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < info->queueCreateInfoCount; i++)
		if (info->pQueueCreateInfos[i].queueFamilyIndex == family)
			count += info->pQueueCreateInfos[i].queueCount;
	return count;
}

// The more, the less else the family's queues have to do. 0: there is none left that can copy.
static uint32_t rank_family(const VkQueueFamilyProperties *family, uint32_t asked)
{
	const VkQueueFlags busy = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
	if (asked >= family->queueCount || !(family->queueFlags & (busy | VK_QUEUE_TRANSFER_BIT)))
		return 0;
	return 1u + (family->queueFlags & busy ? 0u : 1u) + (asked ? 0u : 2u);
}

static bool choose_family(struct vkr_device_plan *plan, const struct vkr_layer_device *device)
{
	const struct vkr_instance *instance = device->instance;
	uint32_t count = 0, best = 0;
	instance->next.GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, NULL);
	VkQueueFamilyProperties *families = calloc(count ? count : 1, sizeof *families);
	if (!families)
		return false;
	instance->next.GetPhysicalDeviceQueueFamilyProperties(device->physical, &count, families);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t rank = rank_family(&families[i], count_asked(&plan->info, i));
		if (rank > best) {
			best = rank;
			plan->copy_queue.family = i;
		}
	}
	free(families);
	return best > 0;
}

// The program's queues of the family and one more, after them; or that one alone.
static bool add_queue(struct vkr_device_plan *plan)
{
	const uint32_t family = plan->copy_queue.family, count = plan->info.queueCreateInfoCount;
	VkDeviceQueueCreateInfo *infos = vkr_arena_alloc(&plan->arena, (count + 1) * sizeof *infos);
	if (!infos)
		return false;
	if (count)
		memcpy(infos, plan->info.pQueueCreateInfos, count * sizeof *infos);
	uint32_t at = 0;
	while (at < count && (infos[at].queueFamilyIndex != family || infos[at].flags))
		at++;
	if (at == count)
		infos[at] = (VkDeviceQueueCreateInfo){
			.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
			.queueFamilyIndex = family,
		};
	const uint32_t index = infos[at].queueCount;
	float *priorities = vkr_arena_alloc(&plan->arena, (index + 1) * sizeof *priorities);
	if (!priorities)
		return false;
	for (uint32_t i = 0; i < index; i++)
		priorities[i] = infos[at].pQueuePriorities[i];
	priorities[index] = 1;
	infos[at].queueCount = index + 1;
	infos[at].pQueuePriorities = priorities;
	plan->info.queueCreateInfoCount = at == count ? count + 1 : count;
	plan->info.pQueueCreateInfos = infos;
	plan->copy_queue.index = index;
	return true;
}

void vkr_copy_queue_plan(struct vkr_device_plan *plan, const struct vkr_layer_device *device)
{
	plan->copy_queue.is_there = plan->logging && vkr_log_buffers_are_local(device) &&
				    choose_family(plan, device) && add_queue(plan);
}
