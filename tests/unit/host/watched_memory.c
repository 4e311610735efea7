// SPDX-License-Identifier: Apache-2.0
#include "watched_memory.h"

#include "host_calls.h"
#include "host_fault.h"
#include "host_signals.h"

#include <string.h>

unsigned char *watched, *behind;

static struct vkr_region *region;
static struct vkr_host_access notes[4096];
static unsigned count;

static void take(struct vkr_host_thread *thread, const struct vkr_host_access *touch)
{
	(void)thread;
	if (count < sizeof notes / sizeof *notes)
		notes[count++] = *touch;
}

static void drain(void)
{
	vkr_host_threads_take(take);
}

bool places_race;

static bool raced(uint64_t place)
{
	(void)place;
	return places_race;
}

int watched_setup(void **state)
{
	(void)state;
	region = vkr_region_create(WATCHED_BYTES);
	if (!region || !vkr_fault_start(drain, raced) || !vkr_calls_start())
		return 1;
	watched = region->watched;
	behind = region->open;
	for (size_t i = 0; i < WATCHED_BYTES; i++)
		behind[i] = (unsigned char)(i * 7 + 3);
	return vkr_region_watch(region, 9, true) ? 0 : 1;
}

int watched_teardown(void **state)
{
	(void)state;
	vkr_region_unwatch(region);
	vkr_region_destroy(region);
	return vkr_fault_counts().lost ? 1 : 0;
}

void watched_begin(void **state)
{
	(void)state;
	vkr_signals_check();
}

static void check(const char *what, unsigned at, uint64_t offset, uint64_t bytes,
		  uint32_t operation)
{
	if (notes[at].memory == 9 && notes[at].offset == offset && notes[at].bytes == bytes &&
	    notes[at].operation == operation && notes[at].frame_count >= 1)
		return;
	fail_msg("%s: access %u is of %u, bytes %#lx to %#lx, operation %u, %u frames", what, at,
		 notes[at].memory, (unsigned long)notes[at].offset,
		 (unsigned long)(notes[at].offset + notes[at].bytes), notes[at].operation,
		 notes[at].frame_count);
}

static void expect_count(const char *what, unsigned expected)
{
	drain();
	const unsigned found = count;
	count = 0;
	if (found != expected)
		fail_msg("%s: %u accesses", what, found);
}

void expect_none(const char *what)
{
	expect_count(what, 0);
}

void expect_one(const char *what, uint64_t offset, uint64_t bytes, uint32_t operation)
{
	expect_count(what, 1);
	check(what, 0, offset, bytes, operation);
}

void expect_two(const char *what, uint64_t offset, uint64_t bytes, uint32_t operation,
		uint64_t offset2, uint64_t bytes2, uint32_t operation2)
{
	expect_count(what, 2);
	check(what, 0, offset, bytes, operation);
	check(what, 1, offset2, bytes2, operation2);
}

void expect_each(const char *what, const uint64_t *offsets, unsigned number, uint64_t bytes,
		 uint32_t operation)
{
	expect_count(what, number);
	for (unsigned i = 0; i < number; i++)
		check(what, i, offsets[i], bytes, operation);
}

unsigned taken(uint64_t *bytes)
{
	drain();
	const unsigned found = count;
	*bytes = 0;
	for (unsigned i = 0; i < found; i++)
		*bytes += notes[i].bytes;
	count = 0;
	return found;
}
