// SPDX-License-Identifier: Apache-2.0
// Memory that the program sees through a mapping of its own, whose pages can be closed to it while
// all others use theirs. Knows pages; not who accesses them, nor Vulkan.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_region {
	unsigned char *watched; // the program's mapping
	unsigned char *open;    // the other one, of the same bytes
	uint64_t bytes;         // a multiple of the page size
	uint32_t memory;        // id in the trace
	uint64_t first;         // offset in the memory of the first byte; may be below 0, wrapped
	bool owned;             // `open` is ours, too
	_Atomic bool always;    // every page is closed
	uint32_t *closed;       // per page: how many reasons there are to close it. Caller's lock
	_Atomic bool opened;    // pages were opened for an instruction that could not be followed
	struct vkr_region_samples *samples; // pages that are open though they should be closed
};

#define VKR_PAGE_BYTES UINT64_C(4096)

// New memory with both mappings, all pages open; NULL where it cannot be had.
struct vkr_region *vkr_region_create(uint64_t bytes);

// A second mapping of the memory that is mapped at `open`, which must be shared memory and begin at
// a page boundary; NULL if there can be none.
struct vkr_region *vkr_region_adopt(void *open, uint64_t bytes);

// Unmaps what is ours and releases the region, which is watched no more.
void vkr_region_destroy(struct vkr_region *region);

// From now on faults in the region are its own; false for lack of memory. With `always`, all its
// pages are closed.
bool vkr_region_watch(struct vkr_region *region, uint32_t memory, bool always);

// `always` from now on. The caller serializes this with what follows.
void vkr_region_close_always(struct vkr_region *region);
void vkr_region_unwatch(struct vkr_region *region);

// One more, or one less, reason to close the pages of a range. Not for `always`. The caller
// serializes calls for a region.
void vkr_region_close(struct vkr_region *region, uint64_t offset, uint64_t bytes);
void vkr_region_reopen(struct vkr_region *region, uint64_t offset, uint64_t bytes);

// Takes back all reasons to close pages of the region.
void vkr_region_reopen_all(struct vkr_region *region);

// Opens the page in spite of it, until the next call of vkr_regions_close_again().
void vkr_region_open_page(struct vkr_region *region, uint64_t address);
void vkr_regions_close_again(void);

// Opens a closed page to reads, or to writes as well, until the next call of
// vkr_regions_arm_again(), or until too many others are open: that many grow where a program comes
// back to pages that were closed meanwhile, so that most pages stay closed to other code where they
// can. Some pages, others after each arming, are left closed. Not for `always`. For fault handlers.
void vkr_region_sample_page(struct vkr_region *region, uint64_t address, bool write);
void vkr_regions_arm_again(void);

// How often a page was opened so.
uint64_t vkr_regions_sampled(void);

// Opens all pages of all regions for good: for the child of a fork.
void vkr_regions_open_all(void);

// The region that the address is in, or NULL. Stays until vkr_regions_leave(), which must follow in
// any case. No lock, no malloc: for fault handlers. Not nested.
struct vkr_region *vkr_regions_enter(uint64_t address);
void vkr_regions_leave(void);

// The region of another address, between the two.
struct vkr_region *vkr_regions_find(uint64_t address);

// Where an address of the region is in the other mapping.
static inline void *vkr_region_open_address(const struct vkr_region *region, uint64_t address)
{
	return region->open + (address - (uint64_t)(uintptr_t)region->watched);
}

static inline bool vkr_region_holds(const struct vkr_region *region, uint64_t address,
				    uint64_t bytes)
{
	const uint64_t offset = address - (uint64_t)(uintptr_t)region->watched;
	return offset < region->bytes && bytes <= region->bytes - offset;
}
