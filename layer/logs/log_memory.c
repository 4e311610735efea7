// SPDX-License-Identifier: Apache-2.0
#include "log_memory.h"

#include "log_buffer.h"
#include "log_copy.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_PAGES 64u
#define SLAB_BYTES ((VkDeviceSize)SLAB_PAGES * VKR_LOG_PAGE_BYTES)

// What dispatches that log nothing read as their cell and block.
struct null_page {
	struct vkr_gpu_place place; // for the way by a descriptor set
	struct vkr_gpu_cell cell;
	struct vkr_gpu_block block;
	uint64_t pushed;                    // address of push data
	uint32_t log[VKR_LOG_HEADER_WORDS]; // where nothing has room
};

static_assert(offsetof(struct null_page, pushed) ==
		      offsetof(struct null_page, block) + VKR_BLOCK_PUSHED,
	      "behind the block, as of commands");

static void slab_destroy(struct vkr_layer_device *device, struct vkr_log_slab *slab)
{
	VkDevice handle = device->handle;
	device->next.DestroyDescriptorPool(handle, slab->pool, NULL);
	device->next.DestroyBuffer(handle, slab->buffer, NULL);
	device->next.FreeMemory(handle, slab->memory, NULL);
	if (slab->imported && slab->map)
		munmap(slab->map, SLAB_BYTES);
	free(slab->pages);
	free(slab);
}

// The slab as a dynamic uniform buffer of one address.
static bool create_set(struct vkr_layer_device *device, struct vkr_log_slab *slab)
{
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1};
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	if (device->next.CreateDescriptorPool(device->handle, &pool, NULL, &slab->pool) !=
	    VK_SUCCESS) {
		slab->pool = VK_NULL_HANDLE;
		return false;
	}
	VkDescriptorSetAllocateInfo allocate = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = slab->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &device->log->block_layout,
	};
	if (device->next.AllocateDescriptorSets(device->handle, &allocate, &slab->set) !=
	    VK_SUCCESS)
		return false;
	VkDescriptorBufferInfo buffer = {slab->buffer, 0, 16};
	VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = slab->set,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
		.pBufferInfo = &buffer,
	};
	device->next.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
	return true;
}

// Memory in the arena for the driver to import.
static bool map_slab(struct vkr_layer_device *device, struct vkr_log_slab *slab)
{
	pthread_mutex_lock(&device->log_lock);
	slab->map = vkr_log_arena_map(&device->log->arena, SLAB_BYTES);
	pthread_mutex_unlock(&device->log_lock);
	return slab->map;
}

// Memory at the host's own address in the arena, or the driver's.
static bool bind_slab(struct vkr_layer_device *device, struct vkr_log_slab *slab)
{
	slab->buffer = vkr_log_buffer_create(
		device, SLAB_BYTES,
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		slab->imported);
	if (!slab->buffer || (slab->imported && !map_slab(device, slab)) ||
	    !vkr_log_buffer_bind(device, slab->buffer, slab->map, SLAB_BYTES, &slab->memory,
				 &slab->address))
		return false;
	if (slab->imported)
		return slab->address == (uint64_t)(uintptr_t)slab->map;
	void *map = NULL;
	if (device->next.MapMemory(device->handle, slab->memory, 0, VK_WHOLE_SIZE, 0, &map) !=
	    VK_SUCCESS)
		return false;
	slab->map = map;
	memset(map, 0, SLAB_BYTES);
	return true;
}

static struct vkr_log_slab *slab_create(struct vkr_layer_device *device)
{
	struct vkr_log_slab *slab = calloc(1, sizeof *slab);
	if (!slab)
		return NULL;
	slab->imported = device->log->near_blocks;
	slab->pages = calloc(SLAB_PAGES, sizeof *slab->pages);
	if (!slab->pages || !bind_slab(device, slab) || !create_set(device, slab)) {
		slab_destroy(device, slab);
		return NULL;
	}
	for (uint32_t i = 0; i < SLAB_PAGES; i++)
		slab->pages[i] = (struct vkr_log_page){
			.next = i + 1 < SLAB_PAGES ? &slab->pages[i + 1] : NULL,
			.slab = slab,
			.offset = i * VKR_LOG_PAGE_BYTES,
		};
	return slab;
}

struct vkr_log_page *vkr_log_page_take(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	struct vkr_log_page *page = log->free_pages;
	if (page)
		log->free_pages = page->next;
	pthread_mutex_unlock(&device->log_lock);
	if (!page) {
		struct vkr_log_slab *slab = slab_create(device);
		if (!slab)
			return NULL;
		page = slab->pages;
		pthread_mutex_lock(&device->log_lock);
		slab->next = log->slabs;
		log->slabs = slab;
		slab->pages[SLAB_PAGES - 1].next = log->free_pages;
		log->free_pages = page->next;
		pthread_mutex_unlock(&device->log_lock);
	}
	memset(vkr_log_page_map(page), 0, VKR_LOG_PAGE_BYTES);
	page->next = NULL;
	return page;
}

void vkr_log_page_give(struct vkr_layer_device *device, struct vkr_log_page *page)
{
	pthread_mutex_lock(&device->log_lock);
	page->next = device->log->free_pages;
	device->log->free_pages = page;
	pthread_mutex_unlock(&device->log_lock);
}

// A failed call leaves no handle.
static bool create_layout(const struct vkr_layer_device *device,
			  const VkDescriptorSetLayoutCreateInfo *info,
			  VkDescriptorSetLayout *layout)
{
	const VkResult result =
		device->next.CreateDescriptorSetLayout(device->handle, info, NULL, layout);
	if (result != VK_SUCCESS)
		*layout = VK_NULL_HANDLE;
	return result == VK_SUCCESS;
}

static bool create_layouts(struct vkr_layer_device *device)
{
	const VkDescriptorSetLayoutBinding binding = {
		.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC,
		.descriptorCount = 1,
		.stageFlags = VK_SHADER_STAGE_ALL,
	};
	const VkDescriptorSetLayoutCreateInfo empty = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
	};
	const VkDescriptorSetLayoutCreateInfo block = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	return create_layout(device, &empty, &device->log->empty_layout) &&
	       create_layout(device, &block, &device->log->block_layout);
}

static bool create_null_page(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	log->near_blocks = log->arena.memory != NULL;
	log->null_page = vkr_log_page_take(device);
	if (!log->null_page && log->near_blocks) {
		log->near_blocks = false;
		log->null_page = vkr_log_page_take(device);
	}
	if (!log->null_page)
		return false;
	struct null_page *page = (struct null_page *)(void *)vkr_log_page_map(log->null_page);
	uint64_t address = vkr_log_page_address(log->null_page);
	log->null_place = vkr_log_place(address + offsetof(struct null_page, block),
					address + offsetof(struct null_page, cell));
	const uint64_t words = address + offsetof(struct null_page, log);
	page->log[VKR_LOG_HEAD] = UINT32_MAX;
	log->nowhere = (struct vkr_gpu_cell){.log = {(uint32_t)words, (uint32_t)(words >> 32)}};
	page->place = log->null_place;
	page->cell = log->nowhere;
	page->pushed = address + VKR_LOG_PAGE_BYTES / 2;
	return true;
}

uint64_t vkr_log_base(const struct vkr_layer_device *device)
{
	return device->log ? (uint64_t)(uintptr_t)device->log->arena.memory : 0;
}

bool vkr_log_near_blocks(const struct vkr_layer_device *device)
{
	return device->log && device->log->near_blocks;
}

bool vkr_log_memory_start(struct vkr_layer_device *device, const struct vkr_device_plan *plan)
{
	struct vkr_log_memory *log = calloc(1, sizeof *log);
	if (!log)
		return false;
	device->log = log;
	if (plan->copy_queue.is_there)
		vkr_log_copies_start(device, &plan->info, plan->copy_queue.family,
				     plan->copy_queue.index);
	if (!create_layouts(device) || !vkr_log_regions_start(device) ||
	    !create_null_page(device)) {
		vkr_log_memory_stop(device);
		return false;
	}
	return true;
}

void vkr_log_memory_stop(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	if (!log)
		return;
	vkr_log_regions_stop(device);
	while (log->slabs) {
		struct vkr_log_slab *slab = log->slabs;
		log->slabs = slab->next;
		slab_destroy(device, slab);
	}
	vkr_log_copies_stop(device);
	device->next.DestroyDescriptorSetLayout(device->handle, log->block_layout, NULL);
	device->next.DestroyDescriptorSetLayout(device->handle, log->empty_layout, NULL);
	free(log);
	device->log = NULL;
}
