// SPDX-License-Identifier: Apache-2.0
// Allocating what instrumented shaders read and write.
// Knows which memory is whose; not who logs what.
#include "log_memory.h"

#include "instrument.h"
#include "log_buffer.h"
#include "record.h"
#include "settings.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SLAB_PAGES 64u

// Of address space only where the region is imported: what was logged is given back to the system
// once it is drained.
#define IMPORTED_REGION_BYTES (UINT64_C(1) << 30)
#define PLAIN_REGION_BYTES    (UINT64_C(64) << 20)

// So much of a region stays in memory. Beyond it pages are given back to the system: what logs next
// pays for their faults, which costs more than clearing them.
#define KEPT_BYTES (UINT64_C(256) << 20)

// A region that is lent cannot be used until it is back: only many words are worth another region,
// and there are not to be many regions, each with the memory of its own. What is not lent is
// copied. So many are lent at once, too: a judge that falls behind would else be lent one more
// whenever none was left.
#define LENT_WORDS_LEAST (UINT64_C(1) << 18)
#define REGIONS_MOST     4u
#define LENT_MOST        3u

// What the device reads in the middle of nowhere: cell and block of dispatches that log nothing.
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

static void slab_destroy(struct vkr_device *device, struct vkr_log_slab *slab)
{
	VkDevice handle = device->handle;
	device->next.DestroyDescriptorPool(handle, slab->pool, NULL);
	device->next.DestroyBuffer(handle, slab->buffer, NULL);
	device->next.FreeMemory(handle, slab->memory, NULL);
	free(slab->pages);
	free(slab);
}

// The slab as a dynamic uniform buffer of one address.
static bool create_set(struct vkr_device *device, struct vkr_log_slab *slab)
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

static struct vkr_log_slab *slab_create(struct vkr_device *device)
{
	VkDeviceSize bytes = (VkDeviceSize)SLAB_PAGES * VKR_LOG_PAGE_BYTES;
	struct vkr_log_slab *slab = calloc(1, sizeof *slab);
	if (!slab)
		return NULL;
	slab->pages = calloc(SLAB_PAGES, sizeof *slab->pages);
	slab->buffer = vkr_log_buffer_create(
		device, bytes,
		VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		false);
	void *map = NULL;
	if (!slab->pages || !slab->buffer ||
	    !vkr_log_buffer_bind(device, slab->buffer, NULL, 0, &slab->memory, &slab->address) ||
	    device->next.MapMemory(device->handle, slab->memory, 0, VK_WHOLE_SIZE, 0, &map) !=
		    VK_SUCCESS ||
	    !create_set(device, slab)) {
		slab_destroy(device, slab);
		return NULL;
	}
	slab->map = map;
	memset(map, 0, bytes);
	for (uint32_t i = 0; i < SLAB_PAGES; i++)
		slab->pages[i] = (struct vkr_log_page){
			.next = i + 1 < SLAB_PAGES ? &slab->pages[i + 1] : NULL,
			.slab = slab,
			.offset = i * VKR_LOG_PAGE_BYTES,
		};
	return slab;
}

struct vkr_log_page *vkr_log_page_take(struct vkr_device *device)
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

void vkr_log_page_give(struct vkr_device *device, struct vkr_log_page *page)
{
	pthread_mutex_lock(&device->log_lock);
	page->next = device->log->free_pages;
	device->log->free_pages = page;
	pthread_mutex_unlock(&device->log_lock);
}

static void region_destroy(struct vkr_device *device, struct vkr_log_region *region)
{
	device->next.DestroyBuffer(device->handle, region->buffer, NULL);
	device->next.FreeMemory(device->handle, region->memory, NULL);
	if (region->shared)
		vkr_record_share_end(&region->share);
	else if (region->imported && region->words)
		munmap(region->words, region->bytes);
	free(region);
}

// Memory for the driver to import, shared with the judge where that is possible.
static bool map_region(struct vkr_log_region *region)
{
	region->shared = vkr_record_share(&region->share, region->bytes);
	if (region->shared) {
		region->words = (void *)region->share.memory;
		return true;
	}
	void *map = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	region->words = map;
	// Without it, the faults of fresh memory cost more than the writing of the log.
	madvise(map, region->bytes, MADV_HUGEPAGE);
	return true;
}

// Moves a region that is mapped into the arena; false where it has no room.
static bool move_region(struct vkr_device *device, struct vkr_log_region *region)
{
	const uint64_t bytes =
		region->shared ? vkr_log_share_mapped(&region->share) : region->bytes;
	pthread_mutex_lock(&device->log_lock);
	void *place = vkr_log_arena_take(&device->log->arena, bytes);
	pthread_mutex_unlock(&device->log_lock);
	if (!place)
		return false;
	if (region->shared) {
		const bool moved = vkr_log_share_move(&region->share, place);
		region->words = (void *)region->share.memory;
		return moved;
	}
	void *map = mremap(region->words, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	if (map == MAP_FAILED)
		return false;
	region->words = map;
	return true;
}

static struct vkr_log_region *region_create(struct vkr_device *device, uint64_t bytes, bool import)
{
	struct vkr_log_region *region = calloc(1, sizeof *region);
	if (!region)
		return NULL;
	region->bytes = bytes;
	region->imported = import;
	void *map = NULL;
	if (import && !map_region(region))
		goto fail;
	if (import && device->log->arena.memory && !move_region(device, region))
		goto fail;
	map = region->words;
	region->buffer =
		vkr_log_buffer_create(device, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, import);
	if (!region->buffer || !vkr_log_buffer_bind(device, region->buffer, map, bytes,
						    &region->memory, &region->address))
		goto fail;
	if (device->log->arena.memory && region->address != (uint64_t)(uintptr_t)map)
		goto fail;
	if (!import) {
		if (device->next.MapMemory(device->handle, region->memory, 0, VK_WHOLE_SIZE, 0,
					   &map) != VK_SUCCESS)
			goto fail;
		region->words = map;
		memset(map, 0, bytes);
	}
	return region;
fail:
	region_destroy(device, region);
	return NULL;
}

uint64_t vkr_log_region_room(struct vkr_device *device)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	uint64_t bytes = log->import || vkr_setting_number("LOG_MB", 0) ? log->region_bytes
									: PLAIN_REGION_BYTES;
	pthread_mutex_unlock(&device->log_lock);
	return bytes / sizeof(uint32_t) - VKR_LOG_HEADER_WORDS;
}

// Gives what stands beyond the memory that is kept back to the system.
static void forget(const struct vkr_log_region *region, uint64_t used)
{
	const uint64_t bytes = used * sizeof *region->words;
	if (region->imported && bytes > KEPT_BYTES)
		madvise((unsigned char *)region->words + KEPT_BYTES,
			(bytes - KEPT_BYTES + 4095) & ~UINT64_C(4095),
			region->shared ? MADV_REMOVE : MADV_DONTNEED);
}

// The link to the largest free region that no judge has any more, or to none. Called with the log
// locked.
static struct vkr_log_region **first_back(struct vkr_log_memory *log)
{
	struct vkr_log_region **link = &log->free_regions;
	while (*link && (*link)->shared && !vkr_log_share_is_back(&(*link)->share))
		link = &(*link)->next;
	return link;
}

// The regions that the judge still has. Called with the log locked.
static uint32_t count_lent(struct vkr_log_memory *log)
{
	uint32_t count = 0;
	for (struct vkr_log_region *at = log->free_regions; at; at = at->next)
		count += at->shared && !vkr_log_share_is_back(&at->share);
	return count;
}

static struct vkr_log_region *add_to_arena(struct vkr_device *device)
{
	const struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const uint64_t bytes = vkr_log_arena_part(&log->arena, log->region_bytes);
	pthread_mutex_unlock(&device->log_lock);
	return region_create(device, bytes, true);
}

// Another region: in the arena where there is one, for shaders find no others.
static struct vkr_log_region *add_region(struct vkr_device *device, bool import)
{
	if (device->log->arena.memory)
		return add_to_arena(device);
	struct vkr_log_region *region = NULL;
	if (import)
		region = region_create(device, device->log->region_bytes, true);
	if (region)
		return region;
	return region_create(device,
			     vkr_setting_number("LOG_MB", 0) ? device->log->region_bytes
							     : PLAIN_REGION_BYTES,
			     false);
}

// Where only regions with less room than others are left, those that the judge has are waited for.
static void wait_for_room(struct vkr_device *device)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const struct vkr_log_region *free = *first_back(log);
	uint64_t bytes = log->region_bytes;
	if (free)
		bytes = free->bytes;
	else if (log->arena.memory)
		bytes = vkr_log_arena_part(&log->arena, bytes);
	const bool wait = bytes < log->region_bytes && count_lent(log) > 0;
	pthread_mutex_unlock(&device->log_lock);
	if (wait)
		vkr_record_wait_all_returned();
}

struct vkr_log_region *vkr_log_region_take(struct vkr_device *device, uint64_t first)
{
	struct vkr_log_memory *log = device->log;
	wait_for_room(device);
	pthread_mutex_lock(&device->log_lock);
	struct vkr_log_region **link = first_back(log);
	struct vkr_log_region *region = *link;
	if (region)
		*link = region->next;
	bool import = log->import;
	pthread_mutex_unlock(&device->log_lock);
	if (!region) {
		region = add_region(device, import);
		if (!region)
			return NULL;
		pthread_mutex_lock(&device->log_lock);
		log->import = log->import && region->imported;
		region->next_of_all = log->regions;
		log->regions = region;
		log->region_count++;
		pthread_mutex_unlock(&device->log_lock);
	}
	forget(region, region->lent);
	region->drained = region->lost = region->lent = 0;
	region->first = first;
	// One that could not be as large as the sheets were laid out for.
	if (first > region->bytes / sizeof *region->words) {
		vkr_log_region_give(device, region);
		return NULL;
	}
	vkr_log_region_clear(region, 0, 0);
	return region;
}

void vkr_log_region_wipe(struct vkr_log_region *region, uint64_t from, uint64_t to)
{
	const uint64_t kept = KEPT_BYTES / sizeof *region->words;
	if (region->imported && to > kept)
		to = kept;
	if (from < to)
		memset(region->words + from, 0, (to - from) * sizeof *region->words);
}

void vkr_log_region_clear(struct vkr_log_region *region, uint64_t from, uint64_t used)
{
	vkr_log_region_wipe(region, from, used);
	if (region->lent)
		region->lent = used; // forgotten once it is back
	else
		forget(region, used);
	region->words[VKR_LOG_HEAD] = (uint32_t)region->first;
}

bool vkr_log_region_lends(struct vkr_device *device, const struct vkr_log_region *region,
			  uint64_t words)
{
	if (region->lent)
		return true;
	if (!region->shared || words < LENT_WORDS_LEAST)
		return false;
	pthread_mutex_lock(&device->log_lock);
	const struct vkr_log_region *next = *first_back(device->log);
	const bool another =
		count_lent(device->log) < LENT_MOST && (device->log->region_count < REGIONS_MOST ||
							(next && next->bytes >= region->bytes));
	pthread_mutex_unlock(&device->log_lock);
	return another;
}

void vkr_log_region_give(struct vkr_device *device, struct vkr_log_region *region)
{
	pthread_mutex_lock(&device->log_lock);
	struct vkr_log_region **link = &device->log->free_regions;
	while (*link && (*link)->bytes > region->bytes)
		link = &(*link)->next;
	region->next = *link;
	*link = region;
	pthread_mutex_unlock(&device->log_lock);
}

// What a failed call leaves behind is none.
static bool create_layout(const struct vkr_device *device,
			  const VkDescriptorSetLayoutCreateInfo *info,
			  VkDescriptorSetLayout *layout)
{
	const VkResult result =
		device->next.CreateDescriptorSetLayout(device->handle, info, NULL, layout);
	if (result != VK_SUCCESS)
		*layout = VK_NULL_HANDLE;
	return result == VK_SUCCESS;
}

static bool create_layouts(struct vkr_device *device)
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

static bool create_null_page(struct vkr_device *device)
{
	struct vkr_log_memory *log = device->log;
	log->null_page = vkr_log_page_take(device);
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

// Finds out whether regions can be in an arena: whether they can be imported, and their device
// addresses are the host's.
static struct vkr_log_region *first_region(struct vkr_device *device)
{
	struct vkr_log_memory *log = device->log;
	if (log->import)
		vkr_log_arena_start(&log->arena, VKR_INSTRUMENT_LOG_REACH);
	struct vkr_log_region *region =
		log->arena.memory ? region_create(device, log->region_bytes, true) : NULL;
	if (region) {
		log->regions = region;
		log->region_count = 1;
		region->first = VKR_LOG_HEADER_WORDS;
		vkr_log_region_clear(region, 0, 0);
		return region;
	}
	vkr_log_arena_finish(&log->arena);
	return vkr_log_region_take(device, VKR_LOG_HEADER_WORDS);
}

uint64_t vkr_log_base(const struct vkr_device *device)
{
	return device->log ? (uint64_t)(uintptr_t)device->log->arena.memory : 0;
}

bool vkr_log_memory_start(struct vkr_device *device)
{
	struct vkr_log_memory *log = calloc(1, sizeof *log);
	if (!log)
		return false;
	device->log = log;
	log->import =
		device->external_host_memory && device->next.GetMemoryHostPointerPropertiesEXT;
	log->region_bytes =
		vkr_setting_number("LOG_MB",
				   (log->import ? IMPORTED_REGION_BYTES : PLAIN_REGION_BYTES) >> 20)
		<< 20;
	struct vkr_log_region *region = NULL;
	if (create_layouts(device) && create_null_page(device))
		region = first_region(device);
	if (!region) {
		vkr_log_memory_stop(device);
		return false;
	}
	vkr_log_region_give(device, region);
	return true;
}

void vkr_log_memory_stop(struct vkr_device *device)
{
	struct vkr_log_memory *log = device->log;
	if (!log)
		return;
	while (log->regions) {
		struct vkr_log_region *region = log->regions;
		log->regions = region->next_of_all;
		region_destroy(device, region);
	}
	vkr_log_arena_finish(&log->arena);
	while (log->slabs) {
		struct vkr_log_slab *slab = log->slabs;
		log->slabs = slab->next;
		slab_destroy(device, slab);
	}
	device->next.DestroyDescriptorSetLayout(device->handle, log->block_layout, NULL);
	device->next.DestroyDescriptorSetLayout(device->handle, log->empty_layout, NULL);
	free(log);
	device->log = NULL;
}
