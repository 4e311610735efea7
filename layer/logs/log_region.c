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

// Fewer words than this are copied rather than lent: lent memory cannot be used until it is
// returned. What logs next uses another region, but there should be few regions, as each has its
// own memory. When the limit is reached, it continues after the lent words in the same region, as
// long as these are a small part of it. All such parts together are more than a judge may fall
// behind by (recorder.h), so one region is always returned in time. When no region is free, words
// are copied as well; otherwise a judge that falls behind would be lent one more region each time.
#define LENT_WORDS_LEAST (UINT64_C(1) << 18)
#define REGIONS_MOST     4u
#define LENT_MOST        3u
#define LENT_PART        16u

// Where an execution's log may begin in a region: whatever the size of a page.
#define ALIGNMENT UINT64_C(65536)

// Marks of texels are this part of a log.
#define TEXEL_MARKS_PART 16u

static uint64_t all_bytes(const struct vkr_log_region *region)
{
	return region->before + region->bytes;
}

static uint64_t memory_bytes(const struct vkr_log_region *region)
{
	return all_bytes(region) + region->texel_marks * sizeof *region->words;
}

static void set_bytes(struct vkr_log_region *region, uint64_t bytes)
{
	region->bytes = bytes;
	region->texel_marks = (uint32_t)(bytes / TEXEL_MARKS_PART / sizeof *region->words);
}

// Bytes of the region's memory that the judge still has, before the part that logs next.
static uint64_t bytes_held(const struct vkr_log_region *region)
{
	const uint64_t held = vkr_log_region_byte(region, region->lent);
	return region->lent ? (held + ALIGNMENT - 1) & ~(ALIGNMENT - 1) : region->before;
}

static void clear_header(struct vkr_log_region *region)
{
	memset(region->words, 0, VKR_LOG_HEADER_WORDS * sizeof *region->words);
}

// The log begins so far into the region's memory, and what began elsewhere leaves zeros there.
static void begin_at(struct vkr_log_region *region, uint64_t before)
{
	const uint64_t bytes = all_bytes(region);
	if (before == region->before)
		return;
	clear_header(region);
	region->words = (void *)((unsigned char *)region->words - region->before + before);
	region->address = region->address - region->before + before;
	region->bytes = bytes - before;
	region->before = before;
}

static void region_destroy(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	begin_at(region, 0);
	device->next.DestroyBuffer(device->handle, region->buffer, NULL);
	device->next.FreeMemory(device->handle, region->memory, NULL);
	if (region->shared)
		vkr_record_share_end(&region->share);
	else if (region->imported && region->words)
		munmap(region->words, memory_bytes(region));
	free(region);
}

// Memory for the driver to import, shared with the judge where that is possible.
static bool map_region(struct vkr_log_region *region)
{
	const uint64_t bytes = memory_bytes(region);
	region->shared = vkr_record_share(&region->share, bytes);
	if (region->shared) {
		region->words = (void *)region->share.memory;
		return true;
	}
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	region->words = map;
	// Without it, the faults of fresh memory cost more than the writing of the log.
	madvise(map, bytes, MADV_HUGEPAGE);
	return true;
}

// Moves a region that is mapped into the arena; false where it has no room.
static bool move_region(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	const uint64_t bytes =
		region->shared ? vkr_log_share_mapped(&region->share) : memory_bytes(region);
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

static struct vkr_log_region *region_create(struct vkr_layer_device *device, uint64_t bytes,
					    bool import)
{
	struct vkr_log_region *region = calloc(1, sizeof *region);
	if (!region)
		return NULL;
	set_bytes(region, bytes);
	region->imported = import;
	bytes = memory_bytes(region);
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
	if (!region->imported)
		return region->bytes / sizeof *region->words;
	return region->before < KEPT_BYTES ? (KEPT_BYTES - region->before) / sizeof *region->words
					   : 0;
}

// Gives what stands beyond the memory that is kept back to the system.
static void forget_region(const struct vkr_log_region *region, uint64_t used)
{
	const uint64_t kept = words_kept(region);
	if (used <= kept)
		return;
	const uint64_t bytes = (used - kept) * sizeof *region->words;
	madvise(region->words + kept, (bytes + 4095) & ~UINT64_C(4095),
		region->shared ? MADV_REMOVE : MADV_DONTNEED);
}

static bool is_back(struct vkr_log_region *region)
{
	return !region->shared || vkr_log_share_is_back(&region->share);
}

static bool leaves_room(const struct vkr_log_region *region, uint64_t held, uint64_t least)
{
	const uint64_t all = all_bytes(region);
	return held <= all / LENT_PART && least <= (all / 2 - held) / sizeof *region->words;
}

// The link to the largest free region that no judge has any more, or to none. Called with the log
// locked.
static struct vkr_log_region **first_back(struct vkr_log_memory *log)
{
	struct vkr_log_region **link = &log->free_regions;
	while (*link && !is_back(*link))
		link = &(*link)->next;
	return link;
}

// The link to a free region: one that was returned, or one that has room after the words that the
// judge still has. Called with the log locked.
static struct vkr_log_region **first_free(struct vkr_log_memory *log, uint64_t least)
{
	struct vkr_log_region **link = first_back(log);
	if (log->region_count < REGIONS_MOST || (*link && all_bytes(*link) >= log->region_bytes))
		return link;
	struct vkr_log_region **lent = &log->free_regions;
	while (*lent && (is_back(*lent) || !leaves_room(*lent, bytes_held(*lent), least)))
		lent = &(*lent)->next;
	return *lent && (!*link || (*lent)->bytes > (*link)->bytes) ? lent : link;
}

// The regions that the judge still has. Called with the log locked.
static uint32_t count_lent(struct vkr_log_memory *log)
{
	uint32_t count = 0;
	for (struct vkr_log_region *at = log->free_regions; at; at = at->next)
		count += !is_back(at);
	return count;
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
static bool next_is_whole(struct vkr_log_memory *log, uint64_t least)
{
	const struct vkr_log_region *free = *first_free(log, least);
	const uint64_t whole = whole_bytes(log);
	if (free)
		return all_bytes(free) >= whole;
	return !log->arena.memory || vkr_log_arena_part(&log->arena, whole) >= whole;
}

// Where only regions with less room than others are left, those that the judge has are waited for.
static void wait_for_room(struct vkr_layer_device *device, uint64_t least)
{
	struct vkr_log_memory *log = device->log;
	pthread_mutex_lock(&device->log_lock);
	const bool wait = !next_is_whole(log, least) && count_lent(log) > 0;
	pthread_mutex_unlock(&device->log_lock);
	if (wait)
		vkr_record_wait_all_returned();
}

// Takes a free region, whose log begins after the words that the judge still has of it; NULL if
// there is none.
static struct vkr_log_region *take_free(struct vkr_log_memory *log, uint64_t least)
{
	struct vkr_log_region **link = first_free(log, least), *region = *link;
	if (!region)
		return NULL;
	*link = region->next;
	if (!is_back(region)) {
		begin_at(region, bytes_held(region));
	} else {
		const uint64_t used = region->before / sizeof *region->words + region->lent;
		begin_at(region, 0);
		forget_region(region, used);
	}
	return region;
}

struct vkr_log_region *vkr_log_region_take(struct vkr_layer_device *device,
					   const struct vkr_log_region_want *want)
{
	struct vkr_log_memory *log = device->log;
	wait_for_room(device, want->least);
	pthread_mutex_lock(&device->log_lock);
	const bool is_there = !want->is_whole || next_is_whole(log, want->least);
	struct vkr_log_region *region = is_there ? take_free(log, want->least) : NULL;
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
	region->drained = region->lost = region->lent = region->lent_words = 0;
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
	if (!region->lent)
		forget_region(region, used);
	else if (used > words_kept(region))
		region->lent = used; // forgotten once it is back
	region->words[VKR_LOG_HEAD] = (uint32_t)region->first;
}

bool vkr_log_region_lends(struct vkr_layer_device *device, const struct vkr_log_region *region,
			  uint64_t words)
{
	if (region->lent)
		return true;
	if (!region->shared || words < LENT_WORDS_LEAST)
		return false;
	pthread_mutex_lock(&device->log_lock);
	const struct vkr_log_region *next = *first_back(device->log);
	const bool another =
		leaves_room(region, vkr_log_region_byte(region, words), region->first) ||
		(count_lent(device->log) < LENT_MOST &&
		 (device->log->region_count < REGIONS_MOST ||
		  (next && all_bytes(next) >= all_bytes(region))));
	pthread_mutex_unlock(&device->log_lock);
	return another;
}

void vkr_log_region_give(struct vkr_layer_device *device, struct vkr_log_region *region)
{
	if (region->failed)
		return;
	pthread_mutex_lock(&device->log_lock);
	struct vkr_log_region **link = &device->log->free_regions;
	while (*link && all_bytes(*link) > all_bytes(region))
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

// Regions can be in an arena where they can be imported and their device addresses are the host's.
bool vkr_log_regions_start(struct vkr_layer_device *device)
{
	struct vkr_log_memory *log = device->log;
	log->import =
		!log->copies && device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU &&
		device->external_host_memory && device->next.GetMemoryHostPointerPropertiesEXT;
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
