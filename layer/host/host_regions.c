// SPDX-License-Identifier: Apache-2.0
#include "host_regions.h"

#include "descriptor.h"
#include "search.h"

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

// What is known of a page that may be sampled.
enum page_sample {
	PAGE_OPEN = 1,   // now
	PAGE_WRITES = 2, // to writes, too
	PAGE_SEEN = 4,   // it was open since pages were armed
};

// Neighbours that were opened at once.
struct page_run {
	uint32_t first, count;
};

struct vkr_region_samples {
	// Whoever changes `closed`, or what follows. A fault handler does not wait for it: its own
	// thread may hold it.
	atomic_flag changing;
	uint64_t armings;
	uint64_t exact;        // accesses that are still to be noted before pages are opened
	uint64_t most;         // runs that may be open at a time
	uint64_t again;        // pages that were opened twice since pages were armed
	uint64_t first, end;   // of `runs`, modulo the number of pages
	uint64_t low, high;    // pages in [low, high) may be open
	struct page_run last;  // that was opened
	struct page_run *runs; // in the order of their opening; pages of them are closed by now
	unsigned char pages[]; // enum page_sample
};

// Accesses that pages are kept closed for: some milliseconds. Half as many after each arming.
#define EXACT_MOST UINT64_C(2048)

// Pages opened at once.
#define RUN_MOST 16u

static _Atomic uint64_t sampled;
static _Atomic bool any_sampled;

static struct vkr_region *region_alloc(uint64_t bytes)
{
	const uint64_t pages = bytes / VKR_PAGE_BYTES;
	struct vkr_region *region = calloc(1, sizeof *region);
	uint32_t *closed = calloc(pages, sizeof *closed);
	struct page_run *runs = calloc(pages, sizeof *runs);
	struct vkr_region_samples *samples = calloc(1, sizeof *samples + pages);
	if (!region || !closed || !runs || !samples) {
		free(region);
		free(closed);
		free(runs);
		free(samples);
		return NULL;
	}
	samples->runs = runs;
	samples->most = 1;
	samples->exact = EXACT_MOST;
	atomic_flag_clear(&samples->changing);
	region->bytes = bytes;
	region->closed = closed;
	region->samples = samples;
	return region;
}

static void region_free(struct vkr_region *region)
{
	free(region->samples->runs);
	free(region->samples);
	free(region->closed);
	free(region);
}

static void begin_change(struct vkr_region *region)
{
	while (atomic_flag_test_and_set_explicit(&region->samples->changing, memory_order_acquire))
		sched_yield();
}

static void end_change(struct vkr_region *region)
{
	atomic_flag_clear_explicit(&region->samples->changing, memory_order_release);
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
static void host_regions_publish(struct table *made)
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
	host_regions_publish(made);
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
	begin_change(region);
	region->always = true;
	mprotect(region->watched, region->bytes, PROT_NONE);
	end_change(region);
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
	size_t low = 0;
	VKR_SEARCH(low, table ? table->count : 0, at, start_of(table->regions[at]) <= address);
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

static void host_regions_protect(const struct vkr_region *region, uint64_t first, uint64_t end,
				 int protection)
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
	begin_change(region);
	for (uint64_t page = run; page < end; page++) {
		const uint32_t before = region->closed[page];
		region->closed[page] = close ? before + 1 : before - 1;
		if (before == (close ? 0 : 1)) {
			region->samples->pages[page] &= PAGE_SEEN;
			continue;
		}
		host_regions_protect(region, run, page, protection);
		run = page + 1;
	}
	host_regions_protect(region, run, end, protection);
	end_change(region);
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
	begin_change(region);
	memset(region->closed, 0, pages * sizeof *region->closed);
	memset(region->samples->pages, 0, pages);
	host_regions_protect(region, 0, pages, PROT_READ | PROT_WRITE);
	end_change(region);
}

static _Atomic bool any_opened;

void vkr_region_open_page(struct vkr_region *region, uint64_t address)
{
	const uint64_t page = (address - start_of(region)) / VKR_PAGE_BYTES;
	atomic_store(&region->opened, true);
	atomic_store(&any_opened, true);
	host_regions_protect(region, page, page + 1, PROT_READ | PROT_WRITE);
}

static void close_again(const struct vkr_region *region)
{
	const uint64_t pages = region->bytes / VKR_PAGE_BYTES;
	if (region->always) {
		host_regions_protect(region, 0, pages, PROT_NONE);
		return;
	}
	for (uint64_t page = 0; page < pages; page++)
		if (region->closed[page])
			host_regions_protect(region, page, page + 1, PROT_NONE);
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

// Closes the pages that were opened, if there is still a reason to close them.
static void close_samples(struct vkr_region *region)
{
	struct vkr_region_samples *samples = region->samples;
	uint64_t run = samples->low;
	if (samples->low == samples->high)
		return;
	for (uint64_t page = samples->low; page < samples->high; page++) {
		const bool open = samples->pages[page] & PAGE_OPEN;
		samples->pages[page] = 0;
		if (open)
			continue;
		host_regions_protect(region, run, page, PROT_NONE);
		run = page + 1;
	}
	host_regions_protect(region, run, samples->high, PROT_NONE);
	// A program that comes back to pages after each arming is not made to wait for it again.
	if (!samples->again && samples->most > 1)
		samples->most /= 2;
	samples->armings++;
	samples->exact = samples->armings < 64 ? EXACT_MOST >> samples->armings : 0;
	samples->again = samples->first = samples->end = samples->low = samples->high = 0;
	samples->last = (struct page_run){0};
}

// Closes the pages of a run that are open.
static void close_run(struct vkr_region *region, struct page_run closed)
{
	unsigned char *pages = region->samples->pages;
	const uint32_t end = closed.first + closed.count;
	uint32_t run = closed.first;
	for (uint32_t page = run; page < end; page++) {
		const bool open = pages[page] & PAGE_OPEN;
		pages[page] &= PAGE_SEEN;
		if (open)
			continue;
		host_regions_protect(region, run, page, PROT_NONE);
		run = page + 1;
	}
	host_regions_protect(region, run, end, PROT_NONE);
}

// One of 64 pages stays closed, others after each arming, so that what other code accesses while
// pages are open is seen.
static bool stays_closed(const struct vkr_region_samples *samples, uint64_t page)
{
	const uint64_t mixed = (page + samples->armings) * UINT64_C(0x9e3779b97f4a7c15);
	return samples->exact && mixed >> 32 << 6 >> 32 == 0;
}

// Pages from `page` on that are opened at once: twice as many as before where the program goes
// through pages in order.
static struct page_run next_run(const struct vkr_region *region, uint32_t page)
{
	const struct vkr_region_samples *samples = region->samples;
	const uint64_t pages = region->bytes / VKR_PAGE_BYTES;
	const bool goes_on =
		samples->last.count && page == samples->last.first + samples->last.count;
	const uint32_t wanted = !goes_on                             ? 1
				: samples->last.count < RUN_MOST / 2 ? 2 * samples->last.count
								     : RUN_MOST;
	struct page_run run = {page, 1};
	while (run.count < wanted && page + run.count < pages && region->closed[page + run.count] &&
	       !(samples->pages[page + run.count] & PAGE_OPEN) &&
	       !stays_closed(samples, page + run.count))
		run.count++;
	return run;
}

static void open_run(struct vkr_region *region, struct page_run run)
{
	struct vkr_region_samples *samples = region->samples;
	const uint64_t pages = region->bytes / VKR_PAGE_BYTES;
	if (samples->pages[run.first] & PAGE_SEEN && ++samples->again > samples->most) {
		samples->most = samples->most < pages / 2 ? 2 * samples->most : pages;
		samples->again = 0;
	}
	if (samples->end - samples->first >= samples->most)
		close_run(region, samples->runs[samples->first++ % pages]);
	samples->runs[samples->end++ % pages] = run;
	if (samples->low == samples->high || run.first < samples->low)
		samples->low = run.first;
	if (samples->high < run.first + run.count)
		samples->high = run.first + run.count;
	samples->last = run;
}

static void open_sample(struct vkr_region *region, uint32_t page, bool write)
{
	unsigned char *pages = region->samples->pages;
	struct page_run run = {page, 1};
	if (!(pages[page] & PAGE_OPEN)) {
		run = next_run(region, page);
		open_run(region, run);
	}
	write = write || pages[page] & PAGE_WRITES;
	for (uint32_t i = 0; i < run.count; i++)
		pages[page + i] |= PAGE_OPEN | PAGE_SEEN | (write ? PAGE_WRITES : 0);
	host_regions_protect(region, page, page + run.count,
			     write ? PROT_READ | PROT_WRITE : PROT_READ);
	atomic_fetch_add_explicit(&sampled, run.count, memory_order_relaxed);
	atomic_store(&any_sampled, true);
}

void vkr_region_sample_page(struct vkr_region *region, uint64_t address, bool write)
{
	struct vkr_region_samples *samples = region->samples;
	const uint64_t page = (address - start_of(region)) / VKR_PAGE_BYTES;
	if (atomic_flag_test_and_set_explicit(&samples->changing, memory_order_acquire))
		return;
	if (!region->always && region->closed[page]) {
		if (!stays_closed(samples, page))
			open_sample(region, (uint32_t)page, write);
		else
			samples->exact--;
	}
	end_change(region);
}

void vkr_regions_arm_again(void)
{
	if (!atomic_exchange(&any_sampled, false))
		return;
	pthread_mutex_lock(&changing);
	const struct table *table = atomic_load(&current);
	for (size_t i = 0; table && i < table->count; i++) {
		begin_change(table->regions[i]);
		close_samples(table->regions[i]);
		end_change(table->regions[i]);
	}
	pthread_mutex_unlock(&changing);
}

uint64_t vkr_regions_sampled(void)
{
	return atomic_load(&sampled);
}

void vkr_regions_open_all(void)
{
	const struct table *table = atomic_load(&current);
	for (size_t i = 0; table && i < table->count; i++)
		mprotect(table->regions[i]->watched, table->regions[i]->bytes,
			 PROT_READ | PROT_WRITE);
}
