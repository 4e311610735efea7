// SPDX-License-Identifier: Apache-2.0
#include "host_regions.h"

#include "descriptor.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// All regions by address. Replaced as a whole; a replaced one goes once nobody reads.
struct table {
	size_t count;
	struct vkr_region *regions[];
};

static struct table *_Atomic current;
static _Atomic uint64_t readers;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static uint64_t start_of(const struct vkr_region *region)
{
	return (uint64_t)(uintptr_t)region->watched;
}

static uint64_t round_up(uint64_t bytes)
{
	return (bytes + VKR_PAGE_BYTES - 1) & ~(VKR_PAGE_BYTES - 1);
}

static struct vkr_region *region_alloc(uint64_t bytes)
{
	struct vkr_region *region = calloc(1, sizeof *region);
	uint32_t *closed = calloc(bytes / VKR_PAGE_BYTES, sizeof *closed);
	if (!region || !closed) {
		free(region);
		free(closed);
		return NULL;
	}
	region->bytes = bytes;
	region->closed = closed;
	return region;
}

static void region_free(struct vkr_region *region)
{
	free(region->closed);
	free(region);
}

struct vkr_region *vkr_region_create(uint64_t bytes)
{
	if (!bytes || bytes > INT64_MAX - VKR_PAGE_BYTES)
		return NULL;
	struct vkr_region *region = region_alloc(round_up(bytes));
	int file =
		region ? vkr_descriptor_of_memory("vkrace-memory", MFD_CLOEXEC, region->bytes) : -1;
	void *open = MAP_FAILED, *watched = MAP_FAILED;
	if (file >= 0) {
		open = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		watched = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	}
	if (file >= 0)
		close(file);
	if (open != MAP_FAILED && watched != MAP_FAILED) {
		region->open = open;
		region->watched = watched;
		region->owned = true;
		return region;
	}
	if (open != MAP_FAILED)
		munmap(open, region->bytes);
	if (watched != MAP_FAILED)
		munmap(watched, region->bytes);
	if (region)
		region_free(region);
	return NULL;
}

struct vkr_region *vkr_region_adopt(void *open, uint64_t bytes)
{
	if (!bytes || (uintptr_t)open % VKR_PAGE_BYTES || bytes > INT64_MAX - VKR_PAGE_BYTES)
		return NULL;
	struct vkr_region *region = region_alloc(round_up(bytes));
	// An old size of 0 maps shared memory once more (mremap(2)).
	void *watched = region ? mremap(open, 0, region->bytes, MREMAP_MAYMOVE) : MAP_FAILED;
	if (watched == MAP_FAILED) {
		if (region)
			region_free(region);
		return NULL;
	}
	region->open = open;
	region->watched = watched;
	return region;
}

void vkr_region_destroy(struct vkr_region *region)
{
	if (!region)
		return;
	munmap(region->watched, region->bytes);
	if (region->owned)
		munmap(region->open, region->bytes);
	region_free(region);
}

// Readers that came after the new table was there do no harm, but are waited for as well: they are
// gone soon.
static void publish(struct table *made)
{
	struct table *old = atomic_exchange(&current, made);
	while (atomic_load(&readers))
		sched_yield();
	free(old);
}

static bool replace_region(const struct vkr_region *left_out, struct vkr_region *added)
{
	const struct table *old = atomic_load(&current);
	const size_t count = old ? old->count : 0;
	struct table *made = malloc(sizeof *made + (count + 1) * sizeof(struct vkr_region *));
	if (!made)
		return false;
	made->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (added && start_of(added) < start_of(old->regions[i])) {
			made->regions[made->count++] = added;
			added = NULL;
		}
		if (old->regions[i] != left_out)
			made->regions[made->count++] = old->regions[i];
	}
	if (added)
		made->regions[made->count++] = added;
	publish(made);
	return true;
}

bool vkr_region_watch(struct vkr_region *region, uint32_t memory, bool always)
{
	region->memory = memory;
	region->always = always;
	pthread_mutex_lock(&changing);
	bool done = replace_region(NULL, region);
	pthread_mutex_unlock(&changing);
	if (done && always)
		vkr_region_close_always(region);
	return done;
}

void vkr_region_close_always(struct vkr_region *region)
{
	region->always = true;
	mprotect(region->watched, region->bytes, PROT_NONE);
}

void vkr_region_unwatch(struct vkr_region *region)
{
	pthread_mutex_lock(&changing);
	struct table *table = atomic_load(&current);
	size_t at = 0;
	while (table && at < table->count && table->regions[at] != region)
		at++;
	if (table && at < table->count && !replace_region(region, NULL)) {
		// Without memory the table is shortened in place: it must not lead to what is
		// gone.
		while (atomic_load(&readers))
			sched_yield();
		memmove(table->regions + at, table->regions + at + 1,
			(table->count - at - 1) * sizeof *table->regions);
		table->count--;
	}
	pthread_mutex_unlock(&changing);
}

struct vkr_region *vkr_regions_find(uint64_t address)
{
	const struct table *table = atomic_load(&current);
	size_t low = 0, high = table ? table->count : 0;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (start_of(table->regions[middle]) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !vkr_region_holds(table->regions[low - 1], address, 1))
		return NULL;
	return table->regions[low - 1];
}

struct vkr_region *vkr_regions_enter(uint64_t address)
{
	atomic_fetch_add(&readers, 1);
	return vkr_regions_find(address);
}

void vkr_regions_leave(void)
{
	atomic_fetch_sub(&readers, 1);
}

static void protect(const struct vkr_region *region, uint64_t first, uint64_t end, int protection)
{
	if (first < end)
		mprotect(region->watched + first * VKR_PAGE_BYTES, (end - first) * VKR_PAGE_BYTES,
			 protection);
}

// Adds `change` to the pages' reasons; runs of pages that get their first, or lose their last, are
// protected at once.
static void change_pages(struct vkr_region *region, uint64_t offset, uint64_t bytes, bool close)
{
	if (region->always || !bytes || offset >= region->bytes)
		return;
	if (bytes > region->bytes - offset)
		bytes = region->bytes - offset;
	const uint64_t end = (offset + bytes + VKR_PAGE_BYTES - 1) / VKR_PAGE_BYTES;
	const int protection = close ? PROT_NONE : PROT_READ | PROT_WRITE;
	uint64_t run = offset / VKR_PAGE_BYTES;
	for (uint64_t page = run; page < end; page++) {
		const uint32_t before = region->closed[page];
		region->closed[page] = close ? before + 1 : before - 1;
		if (before == (close ? 0 : 1))
			continue;
		protect(region, run, page, protection);
		run = page + 1;
	}
	protect(region, run, end, protection);
}

void vkr_region_close(struct vkr_region *region, uint64_t offset, uint64_t bytes)
{
	change_pages(region, offset, bytes, true);
}

void vkr_region_reopen(struct vkr_region *region, uint64_t offset, uint64_t bytes)
{
	change_pages(region, offset, bytes, false);
}

void vkr_region_reopen_all(struct vkr_region *region)
{
	const uint64_t pages = region->bytes / VKR_PAGE_BYTES;
	if (region->always)
		return;
	memset(region->closed, 0, pages * sizeof *region->closed);
	protect(region, 0, pages, PROT_READ | PROT_WRITE);
}

static _Atomic bool any_opened;

void vkr_region_open_page(struct vkr_region *region, uint64_t address)
{
	const uint64_t page = (address - start_of(region)) / VKR_PAGE_BYTES;
	atomic_store(&region->opened, true);
	atomic_store(&any_opened, true);
	protect(region, page, page + 1, PROT_READ | PROT_WRITE);
}

static void close_again(const struct vkr_region *region)
{
	const uint64_t pages = region->bytes / VKR_PAGE_BYTES;
	if (region->always) {
		protect(region, 0, pages, PROT_NONE);
		return;
	}
	for (uint64_t page = 0; page < pages; page++)
		if (region->closed[page])
			protect(region, page, page + 1, PROT_NONE);
}

void vkr_regions_close_again(void)
{
	if (!atomic_load(&any_opened))
		return;
	atomic_store(&any_opened, false);
	pthread_mutex_lock(&changing);
	const struct table *table = atomic_load(&current);
	for (size_t i = 0; table && i < table->count; i++)
		if (atomic_exchange(&table->regions[i]->opened, false))
			close_again(table->regions[i]);
	pthread_mutex_unlock(&changing);
}

void vkr_regions_open_all(void)
{
	const struct table *table = atomic_load(&current);
	for (size_t i = 0; table && i < table->count; i++)
		mprotect(table->regions[i]->watched, table->regions[i]->bytes,
			 PROT_READ | PROT_WRITE);
}
