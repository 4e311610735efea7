// SPDX-License-Identifier: Apache-2.0
// The memory that instrumented shaders read and write: pages for cells and blocks, and regions.
// Knows how it is allocated; not who logs what (vkrace/gpu_log.h).
#pragma once

#include "device_features.h"
#include "layer.h"
#include "log_arena.h"
#include "log_region.h"

#include "vkrace/gpu_log.h"

#define VKR_LOG_PAGE_BYTES 4096u

// One buffer of pages.
struct vkr_log_slab {
	struct vkr_log_slab *next;
	VkBuffer buffer;
	VkDeviceMemory memory;
	unsigned char *map; // coherent
	bool imported;      // a mapping of the layer's own
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

struct vkr_log_memory {
	struct vkr_log_slab *slabs;
	struct vkr_log_page *free_pages;
	struct vkr_log_region *regions;
	struct vkr_log_region *free_regions; // large ones first
	uint32_t region_count;
	_Atomic uint32_t generations; // of cells, so far
	uint64_t region_bytes;
	struct vkr_log_copies *copies; // NULL: logs are in memory that the host reads itself
	bool import;                   // cleared when the driver turns out to refuse it
	// Where device addresses of imported regions are the host's: all regions are in it. Else it
	// has no memory.
	struct vkr_log_arena arena;
	bool near_blocks; // slabs are in it, too
	VkDescriptorSetLayout block_layout, empty_layout;
	// A cell whose log is full and has no room: shaders log nothing into it. It must point to
	// some log, because drivers may load the log's head even though the shader first tests
	// whether there is a log (lavapipe 26 does).
	struct vkr_gpu_cell nowhere;
	// For dispatches that log nothing: a block whose cell leads nowhere.
	struct vkr_log_page *null_page;
	struct vkr_gpu_place null_place;
};

// `plan`: by which the device was created. False if it cannot log: then nothing is allocated.
bool vkr_log_memory_start(struct vkr_layer_device *device, const struct vkr_device_plan *plan);
void vkr_log_memory_stop(struct vkr_layer_device *device);

// A page of zeros; NULL for lack of memory.
struct vkr_log_page *vkr_log_page_take(struct vkr_layer_device *device);
void vkr_log_page_give(struct vkr_layer_device *device, struct vkr_log_page *page);

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

// The address that shaders may count logs from (struct vkr_instrument_options), 0: none; and
// whether they may count blocks and cells from there.
uint64_t vkr_log_base(const struct vkr_layer_device *device);
bool vkr_log_near_blocks(const struct vkr_layer_device *device);
