// SPDX-License-Identifier: Apache-2.0
#include "log_region.h"

#include "instrument.h"
#include "log_buffer.h"
#include "log_copy.h"
#include "log_memory.h"
#include "record.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// Only address space if the region is imported: logged pages are returned to the system once they
// are drained.
#define IMPORTED_REGION_BYTES (UINT64_C(1) << 30)
#define PLAIN_REGION_BYTES    (UINT64_C(64) << 20)

// A region in device memory is at most this part of it, and all of them together are another part.
#define LOCAL_REGION_PART  64u
#define LOCAL_REGION_BYTES IMPORTED_REGION_BYTES
#define LOCAL_ALL_PART     4u

// So much of a region stays in memory. Beyond it pages are given back to the system: what logs next
// pays for their faults, which costs more than clearing them.
#define KEPT_BYTES (UINT64_C(256) << 20)

// What the program's allocator may keep of freed memory: no more than one of its heaps (64 MiB).
#define FREED_KEPT_BYTES ((size_t)32 << 20)

// Marks of texels are this part of a log.
#define TEXEL_MARKS_PART 16u

static uint64_t memory_bytes(const struct vkr_log_region *region)
{
	return region->bytes + region->texel_marks * sizeof *region->words;
}

static void set_bytes(struct vkr_log_region *region, uint64_t bytes)
{
	region->bytes = bytes;
	region->texel_marks = (uint32_t)(bytes / TEXEL_MARKS_PART / sizeof *region->words);
}

static void clear_header(struct vkr_log_region *region)
{
	memset(region->words, 0, VKR_LOG_HEADER_WORDS * sizeof *region->words);
}

static void region_destroy(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	device->next.DestroyBuffer(device->handle, region->buffer, NULL);
	device->next.FreeMemory(device->handle, region->memory, NULL);
	if (region->imported && region->words)
		munmap(region->words, memory_bytes(region));
	free(region);
}

// Memory for the driver to import, in the arena where there is one. It is the process's own: shared
// memory is had by small pages, whose faults cost more than copying a log.
static bool map_region(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	const uint64_t bytes = memory_bytes(region);
	pthread_mutex_lock(&device->log_lock);
	region->words = vkr_log_arena_map(&device->log->arena, bytes);
	pthread_mutex_unlock(&device->log_lock);
	if (!region->words)
		return false;
	// Without it, the faults of fresh memory cost more than the writing of the log.
	madvise(region->words, bytes, MADV_HUGEPAGE);
	return true;
}

static struct vkr_log_region *region_create(struct vkr_layer_device *device, uint64_t bytes,
					    bool import)
{
	struct vkr_log_region *region = calloc(1, sizeof *region);
	if (!region)
		return NULL;
	set_bytes(region, bytes);
	region->imported = import;
	bytes = memory_bytes(region);
	if (import && !map_region(device, region))
		goto fail;
	void *map = region->words;
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

// The size of regions in device memory.
static uint64_t local_bytes(const struct vkr_layer_device *device)
{
	const uint64_t part = vkr_log_buffers_local_bytes(device) / LOCAL_REGION_PART;
	const uint64_t bytes = part < LOCAL_REGION_BYTES ? part : LOCAL_REGION_BYTES;
	return bytes < PLAIN_REGION_BYTES ? PLAIN_REGION_BYTES : bytes;
}

// Whether one more of them leaves the program enough. There is one always.
static bool has_local_room(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const uint64_t all = (log->region_count + 1) * log->region_bytes;
	const bool is_first = log->region_count == 0;
	pthread_mutex_unlock(&device->log_lock);
	return is_first || all <= vkr_log_buffers_local_bytes(device) / LOCAL_ALL_PART;
}

// In device memory, its words all zero.
static struct vkr_log_region *region_create_local(struct vkr_layer_device *device, uint64_t first)
{
	struct vkr_log_region *region = calloc(1, sizeof *region);
	if (!region)
		return NULL;
	set_bytes(region, device->log->region_bytes);
	region->is_local = true;
	region->buffer = vkr_log_buffer_create(device, memory_bytes(region),
					       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
						       VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						       VK_BUFFER_USAGE_TRANSFER_DST_BIT,
					       false);
	if (region->buffer &&
	    vkr_log_buffer_bind_local(device, region->buffer, &region->memory, &region->address) &&
	    vkr_log_copies_reset(device, region, first))
		return region;
	region_destroy(device, region);
	return NULL;
}

// The size of a region, where few are in use. Called with the log locked.
static uint64_t whole_bytes(const struct vkr_log_memory *log)
{
	return log->import || log->copies || vkr_setting_number(VKR_SETTING_LOG_MB, 0)
		       ? log->region_bytes
		       : PLAIN_REGION_BYTES;
}

uint64_t vkr_log_region_room(struct vkr_layer_device *device)
{
	pthread_mutex_lock(&device->log_lock);
	const uint64_t bytes = whole_bytes(device->log);
	pthread_mutex_unlock(&device->log_lock);
	return bytes / sizeof(uint32_t) - VKR_LOG_HEADER_WORDS;
}

// The words of the log that are in memory that is kept.
static uint64_t words_kept(const struct vkr_log_region *region)
{
	return (region->imported ? KEPT_BYTES : region->bytes) / sizeof *region->words;
}

// Gives what stands beyond the memory that is kept back to the system.
static void forget_region(const struct vkr_log_region *region, uint64_t used)
{
	const uint64_t kept = words_kept(region);
	if (used <= kept)
		return;
	const uint64_t bytes = (used - kept) * sizeof *region->words;
	madvise(region->words + kept, (bytes + 4095) & ~UINT64_C(4095), MADV_DONTNEED);
}

static struct vkr_log_region *add_to_arena(struct vkr_layer_device *device)
{
	const struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const uint64_t bytes = vkr_log_arena_part(&log->arena, log->region_bytes);
	pthread_mutex_unlock(&device->log_lock);
	return region_create(device, bytes, true);
}

// Another region: in the arena where there is one, for shaders find no others.
static struct vkr_log_region *add_region(struct vkr_layer_device *device,
					 const struct vkr_log_region_want *want, bool import)
{
	if (device->log->arena.memory)
		return add_to_arena(device);
	struct vkr_log_region *region = NULL;
	const bool is_local = device->log->copies != NULL,
		   has_room = !is_local || has_local_room(device);
	if (!has_room && want->is_whole)
		return NULL;
	if (is_local && has_room)
		region = region_create_local(device, want->first);
	else if (import)
		region = region_create(device, device->log->region_bytes, true);
	if (region)
		return region;
	const bool is_set = vkr_setting_number(VKR_SETTING_LOG_MB, 0) && !is_local;
	return region_create(device, is_set ? device->log->region_bytes : PLAIN_REGION_BYTES,
			     false);
}

// Whether the region that would be had now is of full size. Called with the log locked.
static bool next_is_whole(const struct vkr_log_memory *log)
{
	const uint64_t whole = whole_bytes(log);
	if (log->free_regions)
		return log->free_regions->bytes >= whole;
	return !log->arena.memory || vkr_log_arena_part(&log->arena, whole) >= whole;
}

struct vkr_log_region *vkr_log_region_take(struct vkr_layer_device *device,
					   const struct vkr_log_region_want *want)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const bool is_there = !want->is_whole || next_is_whole(log);
	struct vkr_log_region *region = is_there ? log->free_regions : NULL;
	if (region)
		log->free_regions = region->next;
	bool import = log->import;
	pthread_mutex_unlock(&device->log_lock);
	if (!is_there)
		return NULL;
	if (!region) {
		region = add_region(device, want, import);
		if (!region)
			return NULL;
		pthread_mutex_lock(&device->log_lock);
		log->import = log->import && region->imported;
		region->next_of_all = log->regions;
		log->regions = region;
		log->region_count++;
		pthread_mutex_unlock(&device->log_lock);
	}
	region->drained = region->lost = 0;
	region->first = want->first;
	// One that could not be as large as the column logs were laid out for.
	if (want->least > region->bytes / sizeof *region->words) {
		vkr_log_region_give(device, region);
		return NULL;
	}
	if (region->is_local) {
		region->failed = !vkr_log_copies_set_head(device, region, want->first);
		return region->failed ? NULL : region;
	}
	clear_header(region);
	vkr_log_region_clear(region, 0, 0);
	return region;
}

void vkr_log_region_need(struct vkr_log_region *region, uint64_t from, uint64_t to)
{
	if (region->mirror)
		vkr_log_mirror_need(region->mirror, from, to);
}

void vkr_log_region_wipe(struct vkr_log_region *region, uint64_t from, uint64_t to)
{
	const uint64_t kept = words_kept(region);
	if (to > kept)
		to = kept;
	if (from < to && !region->is_local)
		memset(region->words + from, 0, (to - from) * sizeof *region->words);
}

void vkr_log_region_clear(struct vkr_log_region *region, uint64_t from, uint64_t used)
{
	vkr_log_region_wipe(region, from, used);
	forget_region(region, used);
	region->words[VKR_LOG_HEAD] = (uint32_t)region->first;
}

void vkr_log_region_give(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	if (region->failed)
		return;
	pthread_mutex_lock(&device->log_lock);
	struct vkr_log_region **link = &device->log->free_regions;
	while (*link && (*link)->bytes > region->bytes)
		link = &(*link)->next;
	region->next = *link;
	*link = region;
	pthread_mutex_unlock(&device->log_lock);
}

static struct vkr_log_region *first_region(struct vkr_layer_device *device)
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
	const struct vkr_log_region_want want = {VKR_LOG_HEADER_WORDS, VKR_LOG_HEADER_WORDS, false};
	return vkr_log_region_take(device, &want);
}

// glibc gives free memory beyond a limit back to the system at once, and raises the limit to twice
// the largest block that was mapped by itself and freed (mallopt(3), M_MMAP_THRESHOLD). A driver on
// the CPU keeps the state of draws until they are done, and each draw that logs has its own: memory
// that each frame takes and frees, and whose faults would cost as much as what is in it.
static void keep_freed_memory(void)
{
	void *volatile block = malloc(FREED_KEPT_BYTES / 2);
	free(block);
}

// Regions can be in an arena where they can be imported and their device addresses are the host's.
bool vkr_log_regions_start(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	log->import =
		!log->copies && device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
		device->external_host_memory && device->next.GetMemoryHostPointerPropertiesEXT;
	if (log->import)
		keep_freed_memory();
	const uint64_t usual = log->import   ? IMPORTED_REGION_BYTES
			       : log->copies ? local_bytes(device)
					     : PLAIN_REGION_BYTES;
	log->region_bytes = vkr_setting_number(VKR_SETTING_LOG_MB, usual >> 20) << 20;
	struct vkr_log_region *region = first_region(device);
	if (region)
		vkr_log_region_give(device, region);
	return region;
}

void vkr_log_regions_stop(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	while (log->regions) {
		struct vkr_log_region *region = log->regions;
		log->regions = region->next_of_all;
		region_destroy(device, region);
	}
	vkr_log_arena_finish(&log->arena);
}
