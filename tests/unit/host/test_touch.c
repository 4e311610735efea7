// SPDX-License-Identifier: Apache-2.0
// Which memory is closed to host threads around a submission of which nothing is known.
// Knows the events; the regions are counters.
#include "host_regions.h"
#include "touch_objects.h"
#include "touch_pending.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <vulkan/vulkan_core.h>

enum { BEFORE = 1, AFTER = 2, DEVICE = 1, QUEUE = 1, FENCE = 1, UNKNOWN_RECORDING = 7 };

// `memory` of each is what is closed: reasons that there are to close all of its bytes.
static struct vkr_region regions[3];

void vkr_region_close(struct vkr_region *region, uint64_t offset, uint64_t bytes)
{
	assert_int_equal(offset, 0);
	assert_int_equal(bytes, region->bytes);
	region->memory++;
}

void vkr_region_reopen(struct vkr_region *region, uint64_t offset, uint64_t bytes)
{
	assert_int_equal(offset, 0);
	assert_int_equal(bytes, region->bytes);
	region->memory--;
}

void vkr_region_reopen_all(struct vkr_region *region)
{
	region->memory = 0;
}

void vkr_region_destroy(struct vkr_region *region)
{
	region->bytes = 0;
}

static void tell(enum vkr_trace_type type, const void *payload, const void *tail, size_t bytes)
{
	assert_true(vkr_touch_objects_event(type, payload, tail, bytes));
	assert_true(vkr_touch_pending_event(type, payload, tail));
}

static void make_memory(uint32_t id)
{
	const struct vkr_trace_memory memory = {
		.memory = id,
		.device = DEVICE,
		.bytes = 4 * VKR_PAGE_BYTES,
		.property_flags = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
	};
	tell(VKR_TRACE_MEMORY, &memory, NULL, 0);
	regions[id] = (struct vkr_region){.bytes = memory.bytes};
}

static void submit_unknown(void)
{
	const struct {
		struct vkr_trace_batch batch;
		struct vkr_trace_execution execution;
	} tail = {{.execution_count = 1}, {1, UNKNOWN_RECORDING}};
	const struct vkr_trace_submit submit = {
		.submission = 1,
		.queue = QUEUE,
		.fence = FENCE,
		.batch_count = 1,
		.execution_count = 1,
	};
	tell(VKR_TRACE_SUBMIT, &submit, &tail, sizeof tail);
}

// It may write all memory that there is, until a barrier hands that to the host; memory that is
// made later it cannot touch.
static void closes_what_there_is(void **state)
{
	(void)state;
	const struct vkr_trace_queue queue = {.queue = QUEUE, .device = DEVICE};
	const uint32_t fence = FENCE, freed[2] = {BEFORE, 0};
	tell(VKR_TRACE_QUEUE, &queue, NULL, 0);
	make_memory(BEFORE);
	submit_unknown();
	make_memory(AFTER);
	assert_true(vkr_touch_pending_map(BEFORE, &regions[BEFORE]));
	assert_true(vkr_touch_pending_map(AFTER, &regions[AFTER]));
	assert_int_equal(regions[BEFORE].memory, 2); // used, and written
	assert_int_equal(regions[AFTER].memory, 0);
	tell(VKR_TRACE_FENCE_WAIT, &fence, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 1);
	tell(VKR_TRACE_MEMORY_FREE, freed, NULL, 0);
	assert_true(vkr_touch_pending_free(BEFORE, &regions[BEFORE]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closes_what_there_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
