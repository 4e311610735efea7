// SPDX-License-Identifier: Apache-2.0
// What is noted of accesses at places whose race is known, and that other code is still noted.
// Knows regions and the engine of faults; not who knows of races.
#include "watched_memory.h"

#include "host_fault.h"

#include <stdlib.h>

#define PAGES 512u
#define WORDS (PAGES * VKR_PAGE_BYTES / sizeof(uint32_t))

static struct vkr_region *region;
static volatile uint32_t *words;
static unsigned noted;

static void note(struct vkr_host_thread *thread, const struct vkr_host_access *access)
{
	(void)thread;
	(void)access;
	noted++;
}

// Accesses of neighbours by one place are one.
static unsigned notes(void)
{
	noted = 0;
	vkr_host_threads_take(note);
	return noted;
}

static uint64_t faults(void)
{
	static uint64_t before;
	const uint64_t now = vkr_fault_counts().faults, more = now - before;
	before = now;
	return more;
}

static bool is_within(uint64_t count, uint64_t least, uint64_t most)
{
	return count >= least && count <= most;
}

static int setup(void **state)
{
	if (watched_setup(state) != 0)
		return 1;
	region = vkr_region_create(PAGES * VKR_PAGE_BYTES);
	if (!region || !vkr_region_watch(region, 3, false))
		return 1;
	words = (volatile uint32_t *)(void *)region->watched;
	return 0;
}

static int teardown(void **state)
{
	vkr_region_unwatch(region);
	vkr_region_destroy(region);
	return watched_teardown(state);
}

static void begin(void **state, bool race)
{
	watched_begin(state);
	vkr_regions_arm_again();
	places_race = race;
	(void)notes();
	(void)faults();
}

static uint32_t __attribute__((noinline)) read_all(void)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < WORDS; i++)
		sum += words[i];
	return sum;
}

static void knows_no_race(void **state)
{
	begin(state, false);
	vkr_region_close(region, 0, region->bytes);
	for (unsigned i = 0; i < 4096; i++)
		(void)words[i];
	assert_int_equal(faults(), 4096);
	vkr_region_reopen(region, 0, region->bytes);
	(void)words[0];
	assert_int_equal(faults(), 0);
}

// A sweep costs a fault a run of pages, and some pages as a whole.
static void sweeps_through(void **state)
{
	begin(state, true);
	vkr_region_close(region, 0, region->bytes);
	(void)read_all();
	assert_true(is_within(faults(), PAGES / 16, PAGES + 2048));
	assert_true(is_within(notes(), 1, PAGES));
	// The pages behind are closed again: what other code reads there is noted.
	(void)words[64];
	assert_int_equal(faults(), 1);
	(void)words[65];
	assert_int_equal(faults(), 0);
	for (unsigned i = 0; i < 20; i++) {
		vkr_regions_arm_again();
		(void)read_all();
	}
	(void)faults();
	vkr_regions_arm_again();
	(void)read_all();
	assert_true(is_within(faults(), PAGES / 16, PAGES / 8));
	vkr_region_reopen(region, 0, region->bytes);
	(void)read_all();
	assert_int_equal(faults(), 0);
}

// Reading opens no page to writes; what is written is there.
static void notes_writes(void **state)
{
	begin(state, true);
	vkr_region_close(region, 0, region->bytes);
	(void)words[1];
	(void)words[2];
	assert_int_equal(faults(), 1);
	(void)notes();
	places_race = false;
	for (unsigned i = 1; i <= 3; i++)
		words[i] = i;
	assert_int_equal(faults(), 3);
	assert_true(is_within(notes(), 1, 3)); // places, as the compiler unrolls the loop
	places_race = true;
	words[1] = 7;
	words[2] = 8;
	assert_int_equal(faults(), 1);
	const uint32_t *behind_words = (const uint32_t *)(const void *)region->open;
	assert_int_equal(behind_words[1], 7);
	assert_int_equal(behind_words[2], 8);
	assert_int_equal(behind_words[3], 3);
	vkr_region_reopen(region, 0, region->bytes);
}

// Columns come back to pages that were closed: as many as they need stay open.
static void walks_columns(void **state)
{
	begin(state, true);
	vkr_region_close(region, 0, region->bytes);
	for (unsigned column = 0; column < 64; column++)
		for (unsigned page = 0; page < PAGES; page++)
			(void)words[page * VKR_PAGE_BYTES / sizeof *words + column];
	assert_true(is_within(faults(), PAGES / 16, 2 * PAGES));
	vkr_region_reopen(region, 0, region->bytes);
}

// What is closed once more, or no longer, meanwhile.
static void changes_meanwhile(void **state)
{
	begin(state, true);
	vkr_region_close(region, 0, 4 * VKR_PAGE_BYTES);
	(void)words[0];
	vkr_region_close(region, 0, 2 * VKR_PAGE_BYTES);
	vkr_region_reopen(region, 0, 4 * VKR_PAGE_BYTES);
	vkr_regions_arm_again();
	(void)faults();
	(void)words[0];
	assert_int_equal(faults(), 1);
	vkr_region_reopen(region, 0, 2 * VKR_PAGE_BYTES);
	vkr_regions_arm_again();
	(void)words[0];
	words[0] = 1;
	assert_int_equal(faults(), 0);
	vkr_region_close(region, 0, region->bytes);
	(void)words[0];
	vkr_region_close_always(region);
	vkr_regions_arm_again();
	(void)faults();
	(void)words[0];
	(void)words[0];
	assert_int_equal(faults(), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_no_race),     cmocka_unit_test(sweeps_through),
		cmocka_unit_test(notes_writes),      cmocka_unit_test(walks_columns),
		cmocka_unit_test(changes_meanwhile),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
