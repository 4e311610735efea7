// SPDX-License-Identifier: Apache-2.0
// The memory that instrumented shaders read and write: pages for cells and blocks, regions for
// logs. Knows how it is allocated and cleared; not who logs what (vkrace/gpu_log.h).
#pragma once

#include "layer.h"
#include "log_arena.h"
#include "log_share.h"

#include "vkrace/gpu_log.h"

#define VKR_LOG_PAGE_BYTES 4096u

// One buffer of pages.
struct vkr_log_slab {
	struct vkr_log_slab *next;
	VkBuffer buffer;
	VkDeviceMemory memory;
	unsigned char *map; // coherent
	uint64_t address;
	VkDescriptorPool pool;
	VkDescriptorSet set; // binding 0: the slab as a dynamic uniform buffer
	struct vkr_log_page *pages;
};

struct vkr_log_page {
	struct vkr_log_page *next;
	struct vkr_log_slab *slab;
	uint32_t offset; // in the slab
};

// One execution's log.
struct vkr_log_region {
	struct vkr_log_region *next, *next_of_all;
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *words; // coherent
	uint64_t bytes, address;
	bool imported; // a mapping of the layer's own, imported by the driver
	bool shared;   // that mapping is `share`
	struct vkr_log_share share;
	uint64_t lent;  // 0, or up to which word some of this execution's are lent to the judge
	uint64_t first; // word where chunks begin
	// Of this execution: words drained before those that are in the region now, and words lost.
	uint64_t drained, lost;
};

struct vkr_log_memory {
	struct vkr_log_slab *slabs;
	struct vkr_log_page *free_pages;
	struct vkr_log_region *regions;
	struct vkr_log_region *free_regions; // large ones first
	uint32_t region_count;
	uint64_t region_bytes;
	bool import; // cleared when the driver turns out to refuse it
	// Where device addresses of imported regions are the host's: all regions are in it. Else it
	// has no memory.
	struct vkr_log_arena arena;
	VkDescriptorSetLayout block_layout, empty_layout;
	// What leads to a log that is full and has no room: shaders log nothing into it. Not to
	// none: drivers may load the log's head also where a shader looks first whether there is a
	// log (lavapipe 26 does).
	struct vkr_gpu_cell nowhere;
	// For dispatches that log nothing: a block whose cell leads nowhere.
	struct vkr_log_page *null_page;
	struct vkr_gpu_place null_place;
};

// False where the device cannot log: then nothing is left behind.
bool vkr_log_memory_start(struct vkr_device *device);
void vkr_log_memory_stop(struct vkr_device *device);

// A page of zeros; NULL for lack of memory.
struct vkr_log_page *vkr_log_page_take(struct vkr_device *device);
void vkr_log_page_give(struct vkr_device *device, struct vkr_log_page *page);

static inline unsigned char *vkr_log_page_map(const struct vkr_log_page *page)
{
	return page->slab->map + page->offset;
}

static inline struct vkr_gpu_place vkr_log_place(uint64_t block, uint64_t cell)
{
	return (struct vkr_gpu_place){{(uint32_t)block, (uint32_t)(block >> 32)},
				      {(uint32_t)cell, (uint32_t)(cell >> 32)}};
}

static inline uint64_t vkr_log_page_address(const struct vkr_log_page *page)
{
	return page->slab->address + page->offset;
}

// What shaders may count logs from (struct vkr_instrument_options), 0: nothing.
uint64_t vkr_log_base(const struct vkr_device *device);

// Words that a region has room for, unless so many are in use that they are smaller.
uint64_t vkr_log_region_room(struct vkr_device *device);

// A region ready to log into, its chunks from word `first` on; NULL for lack of memory.
struct vkr_log_region *vkr_log_region_take(struct vkr_device *device, uint64_t first);

// The device is done with it, and it is empty.
void vkr_log_region_give(struct vkr_device *device, struct vkr_log_region *region);

// Whether this many more words of the region are better lent to the judge than copied. Once some of
// an execution's are lent, all that follow may be.
bool vkr_log_region_lends(struct vkr_device *device, const struct vkr_log_region *region,
			  uint64_t words);

// Makes words [from, to) zero that were drained, as long as they are in the caches. What stands
// beyond the memory that is kept waits for vkr_log_region_clear.
void vkr_log_region_wipe(struct vkr_log_region *region, uint64_t from, uint64_t to);

// Makes words [from, used) zero, those before being so already or lent, and the log empty of
// chunks.
void vkr_log_region_clear(struct vkr_log_region *region, uint64_t from, uint64_t used);
