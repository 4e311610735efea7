// SPDX-License-Identifier: Apache-2.0
// Writes that no barrier has handed to the host yet, against a list that is gone through write by
// write, on random writes and barriers. Knows nothing of when work is over.
#include "watch_writes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vulkan_core.h>

#define PAGE 4096u
#define MOST 4096u

struct plain {
	struct vkr_watch_range range;
	uint32_t queue;
	enum vkr_event_writer writer;
	bool available, handed;
	uint64_t followers;
};

struct list {
	struct plain items[MOST];
	size_t count;
	struct vkr_watch_range handed[MOST];
	size_t handed_count;
};

static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % limit;
}

static struct vkr_watch_range random_range(uint64_t *state)
{
	const bool pages = random_below(state, 2);
	const uint32_t unit = pages ? PAGE : 4;
	// Some lie in one block of 64 KiB, some in several.
	return (struct vkr_watch_range){
		.memory = 1 + random_below(state, 2),
		.offset = (uint64_t)unit * random_below(state, pages ? 40 : 12),
		.bytes = (uint64_t)unit * (1 + random_below(state, pages ? 24 : 3)),
	};
}

static struct vkr_trace_barrier random_barrier(uint64_t *state)
{
	static const uint64_t stages[] = {
		VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_2_HOST_BIT};
	static const uint64_t access[] = {
		VK_ACCESS_2_SHADER_WRITE_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
		VK_ACCESS_2_MEMORY_WRITE_BIT | VK_ACCESS_2_MEMORY_READ_BIT,
		VK_ACCESS_2_HOST_READ_BIT};
	return (struct vkr_trace_barrier){
		.source_stages = stages[random_below(state, 3)],
		.destination_stages = stages[random_below(state, 4)],
		.source_access = access[random_below(state, 3)],
		.destination_access = access[random_below(state, 4)],
	};
}

// ---- The list -----------------------------------------------------------------------------------

static void list_add(struct list *list, const struct vkr_watch_range *range,
		     enum vkr_event_writer writer, uint32_t queue)
{
	for (size_t at = 0; at < list->count; at++) {
		struct plain *plain = &list->items[at];
		if (memcmp(&plain->range, range, sizeof *range) == 0 && plain->writer == writer &&
		    plain->queue == queue) {
			plain->available = false;
			plain->followers = 0;
			return;
		}
	}
	assert_true(list->count < MOST);
	list->items[list->count++] =
		(struct plain){.range = *range, .queue = queue, .writer = writer};
}

static bool is_reached(const struct plain *plain, const struct vkr_trace_barrier *barrier)
{
	const bool transfer = plain->writer == VKR_WRITER_TRANSFER;
	const uint64_t stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT |
				(transfer ? VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT
					  : VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
	const uint64_t access =
		VK_ACCESS_2_MEMORY_WRITE_BIT |
		(transfer ? VK_ACCESS_2_TRANSFER_WRITE_BIT : VK_ACCESS_2_SHADER_WRITE_BIT);
	if ((barrier->source_stages & stages) && (barrier->source_access & access))
		return true;
	return plain->available &&
	       (barrier->source_stages & (plain->followers | VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
}

static bool cut_plain(struct list *list, size_t at, const struct vkr_watch_range *range)
{
	struct vkr_watch_range *own = &list->items[at].range;
	const uint64_t end = own->offset + own->bytes, range_end = range->offset + range->bytes;
	if (!range->bytes ||
	    (range->memory == own->memory && range->offset <= own->offset && end <= range_end))
		return true;
	if (range->memory != own->memory || own->offset >= range_end || range->offset >= end ||
	    range->offset % PAGE != 0 || range->bytes % PAGE != 0)
		return false;
	struct plain rest = list->items[at];
	if (own->offset < range->offset) {
		rest.range.bytes = range->offset - own->offset;
		list->items[list->count++] = rest;
		own->offset = range->offset;
	}
	if (end > range_end) {
		rest.range.offset = range_end;
		rest.range.bytes = end - range_end;
		list->items[list->count++] = rest;
	}
	own->bytes = (end < range_end ? end : range_end) - own->offset;
	return true;
}

static void list_barrier(struct list *list, const struct vkr_trace_barrier *barrier,
			 const struct vkr_watch_range *range, uint32_t queue)
{
	const bool to_host = barrier->destination_stages & VK_PIPELINE_STAGE_2_HOST_BIT &&
			     barrier->destination_access &
				     (VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_MEMORY_READ_BIT);
	const size_t count = list->count;
	size_t kept = 0;
	for (size_t at = 0; at < count; at++) {
		if (list->items[at].queue != queue || !is_reached(&list->items[at], barrier) ||
		    !cut_plain(list, at, range))
			continue;
		list->items[at].available = true;
		list->items[at].followers |= barrier->destination_stages;
		list->items[at].handed = to_host;
	}
	for (size_t at = 0; at < list->count; at++) {
		if (list->items[at].handed)
			list->handed[list->handed_count++] = list->items[at].range;
		else
			list->items[kept++] = list->items[at];
	}
	list->count = kept;
}

// ---- Both ---------------------------------------------------------------------------------------

static int compare_ranges(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct vkr_watch_range));
}

static void expect_same(struct vkr_watch_range *found, size_t found_count,
			struct vkr_watch_range *wanted, size_t wanted_count)
{
	assert_int_equal(found_count, wanted_count);
	if (found_count == 0)
		return;
	qsort(found, found_count, sizeof *found, compare_ranges);
	qsort(wanted, wanted_count, sizeof *wanted, compare_ranges);
	assert_memory_equal(found, wanted, found_count * sizeof *found);
}

static struct vkr_watch_ranges left;

static void collect(const struct vkr_watch_range *range)
{
	left.items[left.count++] = *range;
}

static void run(uint64_t seed)
{
	static struct list list;
	static struct vkr_watch_range wanted[MOST], remaining[MOST];
	struct vkr_watch_unhanded unhanded = {0};
	struct vkr_watch_ranges handed = {0};
	bool added;
	list.count = list.handed_count = 0;
	for (uint32_t step = 0; step < 120; step++) {
		const uint32_t queue = 1 + random_below(&seed, 2), kind = random_below(&seed, 8);
		const struct vkr_watch_range range = random_range(&seed);
		const struct vkr_watch_range all = {0};
		if (kind < 4) {
			const enum vkr_event_writer writer =
				random_below(&seed, 2) ? VKR_WRITER_TRANSFER : VKR_WRITER_COMPUTE;
			assert_true(
				vkr_watch_unhanded_add(&unhanded, &range, writer, queue, &added));
			list_add(&list, &range, writer, queue);
		} else if (kind < 7) {
			const struct vkr_trace_barrier barrier = random_barrier(&seed);
			const bool whole = random_below(&seed, 2);
			assert_true(vkr_watch_unhanded_barrier(
				&unhanded, &barrier, whole ? NULL : &range, queue, &handed));
			list_barrier(&list, &barrier, whole ? &all : &range, queue);
		} else if (random_below(&seed, 4) == 0) {
			vkr_watch_unhanded_forget(&unhanded, 2);
			size_t kept = 0;
			for (size_t at = 0; at < list.count; at++)
				if (list.items[at].range.memory != 2)
					list.items[kept++] = list.items[at];
			list.count = kept;
		} else {
			assert_true(vkr_watch_unhanded_follow(&unhanded, queue, 3 - queue));
			for (size_t at = 0; at < list.count; at++)
				if (list.items[at].queue == queue) {
					list.items[at].queue = 3 - queue;
					list.items[at].available = true;
					list.items[at].followers = ~UINT64_C(0);
				}
		}
		for (size_t at = 0; at < list.count; at++)
			wanted[at] = list.items[at].range;
		left = (struct vkr_watch_ranges){.items = remaining};
		vkr_watch_unhanded_each(&unhanded, collect);
		expect_same(left.items, left.count, wanted, list.count);
	}
	expect_same(handed.items, handed.count, list.handed, list.handed_count);
	free(handed.items);
	free(unhanded.writes.items);
	free(unhanded.groups.items);
	vkr_map_finish(&unhanded.by_range);
	vkr_map_finish(&unhanded.by_state);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++)
		run(seed);
}

// However many there are, one barrier for all of them looks at none of them.
static void test_many(void **state)
{
	const struct vkr_trace_barrier barrier = {
		.source_stages = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.destination_stages = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.source_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.destination_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
	};
	struct vkr_watch_unhanded unhanded = {0};
	struct vkr_watch_ranges handed = {0};
	bool added;
	(void)state;
	for (uint32_t at = 0; at < 100000; at++) {
		const struct vkr_watch_range range = {1, 0, UINT64_C(8) * at, 4};
		assert_true(
			vkr_watch_unhanded_add(&unhanded, &range, VKR_WRITER_TRANSFER, 1, &added));
		const uint64_t moves = unhanded.moves;
		assert_true(vkr_watch_unhanded_barrier(&unhanded, &barrier, NULL, 1, &handed));
		const uint64_t moved = unhanded.moves;
		assert_true(moved > moves);
		assert_true(vkr_watch_unhanded_barrier(&unhanded, &barrier, NULL, 1, &handed));
		assert_int_equal(unhanded.moves, moved);
	}
	// What has come equally far in one block of 64 KiB is one group.
	assert_true(unhanded.groups.count >= 1 && unhanded.groups.count <= 2 + 100000 * 8 / 65536);
	free(unhanded.writes.items);
	free(unhanded.groups.items);
	vkr_map_finish(&unhanded.by_range);
	vkr_map_finish(&unhanded.by_state);
}

// However many there are, an equal one is found.
static void test_equal(void **state)
{
	struct vkr_watch_ranges ranges = {0};
	bool added;
	(void)state;
	for (uint32_t at = 0; at < 20000; at++) {
		const uint32_t which = at % 10000;
		const struct vkr_watch_range range = {1 + which % 3, 0, which / 3, 1 + which % 2};
		assert_true(vkr_watch_ranges_add(&ranges, &range, &added));
		assert_int_equal(added, at < 10000);
	}
	assert_int_equal(ranges.count, 10000);
	vkr_watch_ranges_finish(&ranges);
	assert_int_equal(ranges.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
