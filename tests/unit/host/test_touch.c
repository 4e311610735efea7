// SPDX-License-Identifier: Apache-2.0
// Which memory is closed to host threads around a submission of which nothing is known.
// Knows the events; the regions are counters.
#include "host_regions.h"
#include "watch_objects.h"
#include "watch_pending.h"
#include "watch_walk.h"

#include "vkrace/site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <vulkan/vulkan_core.h>

enum {
	BEFORE = 1,
	AFTER = 2,
	HIDDEN = 3,
	DEVICE = 1,
	QUEUE = 1,
	FENCE = 1,
	UNKNOWN_RECORDING = 7,
	COUNTING_QUEUE = 2,
	TIMELINE = 1
};

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
	assert_true(vkr_watch_objects_event(type, payload, tail, bytes));
	assert_true(vkr_watch_pending_event(type, payload, tail));
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
// made later it cannot access.
static void closes_what_there_is(void **state)
{
	(void)state;
	const struct vkr_trace_queue queue = {.queue = QUEUE, .device = DEVICE};
	const uint32_t fence = FENCE, freed[2] = {BEFORE, 0};
	tell(VKR_TRACE_QUEUE, &queue, NULL, 0);
	make_memory(BEFORE);
	submit_unknown();
	make_memory(AFTER);
	assert_true(vkr_watch_pending_map(BEFORE, &regions[BEFORE]));
	assert_true(vkr_watch_pending_map(AFTER, &regions[AFTER]));
	assert_int_equal(regions[BEFORE].memory, 2); // used, and written
	assert_int_equal(regions[AFTER].memory, 0);
	tell(VKR_TRACE_FENCE_WAIT, &fence, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 1);
	tell(VKR_TRACE_MEMORY_FREE, freed, NULL, 0);
	assert_true(vkr_watch_pending_free(BEFORE, &regions[BEFORE]));
}

// Waits for one value of the timeline, and signals another one.
static void submit_counting(uint32_t id, uint32_t queue, uint32_t recording, uint32_t fence,
			    uint64_t wait, uint64_t signal)
{
	const struct {
		struct vkr_trace_batch batch;
		struct vkr_trace_semaphore_operation wait;
		struct vkr_trace_execution execution;
		struct vkr_trace_semaphore_operation signal;
	} tail = {{.wait_count = 1, .execution_count = 1, .signal_count = 1},
		  {.semaphore = TIMELINE, .value = wait},
		  {id, recording},
		  {.semaphore = TIMELINE, .value = signal}};
	const struct vkr_trace_submit submit = {.submission = id,
						.queue = queue,
						.fence = fence,
						.batch_count = 1,
						.wait_count = 1,
						.execution_count = 1,
						.signal_count = 1};
	tell(VKR_TRACE_SUBMIT, &submit, &tail, sizeof tail);
}

// Values that a fence has shown to be over may still be waited for, and later ones be seen.
static void counts_up(void **state)
{
	(void)state;
	const struct vkr_trace_queue queue = {.queue = COUNTING_QUEUE, .device = DEVICE};
	const uint32_t fence = FENCE, freed[2] = {BEFORE, 0};
	const struct vkr_trace_semaphore_wait next = {.semaphore = TIMELINE, .value = 99};
	const struct vkr_trace_semaphore_wait last = {.semaphore = TIMELINE, .value = 104};
	tell(VKR_TRACE_QUEUE, &queue, NULL, 0);
	make_memory(BEFORE);
	assert_true(vkr_watch_pending_map(BEFORE, &regions[BEFORE]));
	for (uint32_t id = 1; id <= 100; id++)
		submit_counting(id, COUNTING_QUEUE, UNKNOWN_RECORDING, id == 98 ? FENCE : 0, id - 1,
				id);
	assert_int_equal(regions[BEFORE].memory, 101); // used, and written
	tell(VKR_TRACE_FENCE_WAIT, &fence, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 3);
	tell(VKR_TRACE_SEMAPHORE_WAIT, &next, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 2);
	submit_counting(101, COUNTING_QUEUE, UNKNOWN_RECORDING, 0, 1, 101);
	submit_counting(102, COUNTING_QUEUE, UNKNOWN_RECORDING, 0, 98, 104);
	assert_int_equal(regions[BEFORE].memory, 4);
	tell(VKR_TRACE_SEMAPHORE_WAIT, &last, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 1);
	tell(VKR_TRACE_MEMORY_FREE, freed, NULL, 0);
	assert_true(vkr_watch_pending_free(BEFORE, &regions[BEFORE]));
}

// ---- What recordings access ---------------------------------------------------------------------

enum { BUFFERS = 3, LAYOUT = 1, FIRST_PIPELINE = 1, SECOND_PIPELINE = 2, RECORDING = 8 };

static struct {
	unsigned char events[4096];
	size_t bytes;
} recorded;

static void record(enum vkr_trace_type type, const void *payload, size_t bytes,
		   const uint32_t *tail, size_t tail_count)
{
	struct vkr_trace_event event = {.type = (uint16_t)type};
	const size_t tail_bytes = tail_count * sizeof *tail;
	event.bytes = (uint32_t)((sizeof event + bytes + tail_bytes + 7) / 8 * 8);
	assert_true(recorded.bytes + event.bytes <= sizeof recorded.events);
	unsigned char *at = recorded.events + recorded.bytes;
	memcpy(at, &event, sizeof event);
	memcpy(at + sizeof event, payload, bytes);
	if (tail_bytes)
		memcpy(at + sizeof event + bytes, tail, tail_bytes);
	recorded.bytes += event.bytes;
}

// Buffers of one page each in the memory BEFORE, and a set that leads to each.
static void make_sets(void)
{
	static const struct vkr_trace_binding binding = {
		.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.count = 1,
	};
	const struct vkr_trace_set_layout layout = {.layout = LAYOUT, .binding_count = 1};
	make_memory(BEFORE);
	tell(VKR_TRACE_SET_LAYOUT, &layout, &binding, sizeof binding);
	for (uint32_t id = 1; id <= BUFFERS; id++) {
		const struct vkr_trace_buffer buffer = {.buffer = id, .bytes = VKR_PAGE_BYTES};
		const struct vkr_trace_buffer_bind bind = {
			.buffer = id, .memory = BEFORE, .offset = id * VKR_PAGE_BYTES};
		const struct vkr_trace_set set = {.set = id, .layout = LAYOUT};
		const struct vkr_trace_set_write write = {
			.set = id,
			.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.descriptor_count = 1,
		};
		const struct vkr_trace_descriptor descriptor = {.object = id,
								.bytes = VK_WHOLE_SIZE};
		tell(VKR_TRACE_BUFFER, &buffer, NULL, 0);
		tell(VKR_TRACE_BUFFER_BIND, &bind, NULL, 0);
		tell(VKR_TRACE_SET, &set, NULL, 0);
		tell(VKR_TRACE_SET_WRITE, &write, &descriptor, sizeof descriptor);
	}
}

// A pipeline whose one shader does nothing that is known, or nothing at all.
static void make_pipeline(uint32_t id, bool known)
{
	const struct vkr_site_table none = {.version = VKR_SITE_TABLE_VERSION};
	const struct vkr_trace_shader shader = {
		.shader = id,
		.flags = known ? VKR_SHADER_INSTRUMENTED : 0,
		.sites_bytes = known ? sizeof none : 0,
	};
	const struct vkr_trace_pipeline pipeline = {.pipeline = id, .shader_count = 1};
	tell(VKR_TRACE_SHADER, &shader, &none, sizeof none);
	tell(VKR_TRACE_PIPELINE, &pipeline, &id, sizeof id);
}

static void bind(uint32_t point, uint32_t pipeline, uint32_t number, uint32_t set)
{
	const struct vkr_trace_cmd_bind_pipeline bound = {point, pipeline};
	const struct vkr_trace_cmd_bind_sets sets = {
		.bind_point = point, .first_set = number, .set_count = 1};
	record(VKR_TRACE_CMD_BIND_PIPELINE, &bound, sizeof bound, NULL, 0);
	record(VKR_TRACE_CMD_BIND_SETS, &sets, sizeof sets, &set, 1);
}

// By buffer; VKR_WRITER_NONE where it is not written.
struct touched {
	bool any[BUFFERS + 1];
	enum vkr_event_writer writer[BUFFERS + 1];
};

static void see(void *user, const struct vkr_watch_range *range, enum vkr_event_writer writer)
{
	struct touched *touched = user;
	const uint64_t buffer = range->offset / VKR_PAGE_BYTES;
	if (range->bytes != VKR_PAGE_BYTES || buffer < 1 || buffer > BUFFERS)
		fail_msg("%llu bytes at %llu are touched", (unsigned long long)range->bytes,
			 (unsigned long long)range->offset);
	touched->any[buffer] = true;
	touched->writer[buffer] = writer;
}

static bool see_barrier(void *user, const struct vkr_trace_barrier *barrier,
			const struct vkr_watch_range *range)
{
	(void)user, (void)barrier, (void)range;
	return true;
}

static void make_recording(void)
{
	const struct vkr_trace_recording recording = {
		.recording = RECORDING,
		.command_buffer = 1,
		.event_bytes = (uint32_t)recorded.bytes,
	};
	tell(VKR_TRACE_RECORDING, &recording, recorded.events, recorded.bytes);
	recorded.bytes = 0;
}

static struct touched walk(void)
{
	struct touched touched = {0};
	struct vkr_watch_sink sink = {&touched, see, see_barrier, 0};
	make_recording();
	vkr_watch_walk(RECORDING, &sink);
	return touched;
}

// However high a set's number is, a dispatch accesses what it leads to, and nothing else.
static void follows_any_set(void **state)
{
	(void)state;
	const struct vkr_trace_cmd_dispatch dispatch = {.groups = {1, 1, 1}};
	bind(VK_PIPELINE_BIND_POINT_COMPUTE, FIRST_PIPELINE, 0, 1);
	bind(VK_PIPELINE_BIND_POINT_COMPUTE, FIRST_PIPELINE, 1000, 2);
	record(VKR_TRACE_CMD_DISPATCH, &dispatch, sizeof dispatch, NULL, 0);
	const struct touched touched = walk();
	assert_true(touched.any[1] && touched.any[2] && !touched.any[3]);
	assert_int_equal(touched.writer[1], VKR_WRITER_COMPUTE);
	assert_int_equal(touched.writer[2], VKR_WRITER_COMPUTE);
}

// Traced rays and draws have their own pipelines and sets.
static void keeps_points_apart(void **state)
{
	(void)state;
	const struct vkr_trace_cmd_trace_rays rays = {0};
	const struct vkr_trace_cmd_draw draw = {0};
	bind(VK_PIPELINE_BIND_POINT_GRAPHICS, FIRST_PIPELINE, 0, 1);
	bind(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, SECOND_PIPELINE, 0, 2);
	record(VKR_TRACE_CMD_DRAW, &draw, sizeof draw, NULL, 0);
	struct touched touched = walk();
	assert_true(touched.any[1] && !touched.any[2]);
	assert_int_equal(touched.writer[1], VKR_WRITER_GRAPHICS);
	bind(VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, FIRST_PIPELINE, 0, 2);
	bind(VK_PIPELINE_BIND_POINT_GRAPHICS, SECOND_PIPELINE, 0, 1);
	record(VKR_TRACE_CMD_TRACE_RAYS, &rays, sizeof rays, NULL, 0);
	touched = walk();
	assert_true(touched.any[2] && !touched.any[1]);
	assert_int_equal(touched.writer[2], VKR_WRITER_RAYS);
}

// How often images are told, and whether barriers move what was written.
struct images {
	uint32_t told;
	bool move;
};

static void see_image(void *user, const struct vkr_watch_range *range, enum vkr_event_writer writer)
{
	struct images *images = user;
	assert_int_equal(range->memory, BEFORE);
	assert_int_equal(writer, VKR_WRITER_UNKNOWN);
	images->told++;
}

static bool move_images(void *user, const struct vkr_trace_barrier *barrier,
			const struct vkr_watch_range *range)
{
	(void)barrier, (void)range;
	return ((const struct images *)user)->move;
}

static void make_image(uint32_t id, uint32_t memory)
{
	const struct vkr_trace_image image = {.image = id, .bytes = VKR_PAGE_BYTES};
	const struct vkr_trace_image_bind bind = {.image = id, .memory = memory};
	tell(VKR_TRACE_IMAGE, &image, NULL, 0);
	tell(VKR_TRACE_IMAGE_BIND, &bind, NULL, 0);
}

// Any image may be drawn to: of memory that the host can map, and once, unless a barrier has moved
// what was written before.
static void tells_images_once(void **state)
{
	const struct vkr_trace_cmd_draw draw = {0};
	const struct vkr_trace_cmd_barrier command = {.barrier_count = 1};
	const struct vkr_trace_barrier barrier = {.kind = VKR_BARRIER_MEMORY};
	const struct vkr_trace_memory hidden = {.memory = HIDDEN, .device = DEVICE};
	uint32_t tail[sizeof barrier / sizeof(uint32_t)];
	(void)state;
	tell(VKR_TRACE_MEMORY, &hidden, NULL, 0);
	make_image(1, BEFORE);
	make_image(2, HIDDEN);
	memcpy(tail, &barrier, sizeof tail);
	for (unsigned move = 0; move < 2; move++) {
		struct images images = {.move = move};
		struct vkr_watch_sink sink = {&images, see_image, move_images, 0};
		const struct vkr_trace_cmd_bind_pipeline bound = {VK_PIPELINE_BIND_POINT_GRAPHICS,
								  SECOND_PIPELINE};
		record(VKR_TRACE_CMD_BIND_PIPELINE, &bound, sizeof bound, NULL, 0);
		record(VKR_TRACE_CMD_DRAW, &draw, sizeof draw, NULL, 0);
		record(VKR_TRACE_CMD_DRAW, &draw, sizeof draw, NULL, 0);
		record(VKR_TRACE_CMD_BARRIER, &command, sizeof command, tail,
		       sizeof tail / sizeof *tail);
		record(VKR_TRACE_CMD_DRAW, &draw, sizeof draw, NULL, 0);
		make_recording();
		vkr_watch_walk(RECORDING, &sink);
		assert_int_equal(images.told, 1 + move);
	}
}

// What one queue has written is another one's to hand to the host, once that has waited for a value
// which a fence has shown to be over before.
static void hands_what_is_over(void **state)
{
	const struct vkr_trace_cmd_barrier command = {.barrier_count = 1};
	const struct vkr_trace_barrier barrier = {
		.kind = VKR_BARRIER_MEMORY,
		.source_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		.source_access = VK_ACCESS_2_MEMORY_WRITE_BIT,
		.destination_stages = VK_PIPELINE_STAGE_2_HOST_BIT,
		.destination_access = VK_ACCESS_2_HOST_READ_BIT};
	const uint32_t fence = FENCE;
	uint32_t tail[sizeof barrier / sizeof(uint32_t)];
	(void)state;
	memcpy(tail, &barrier, sizeof tail);
	assert_true(vkr_watch_pending_map(BEFORE, &regions[BEFORE]));
	submit_counting(201, COUNTING_QUEUE, UNKNOWN_RECORDING, FENCE, 104, 201);
	assert_int_equal(regions[BEFORE].memory, 2); // used, and written
	tell(VKR_TRACE_FENCE_WAIT, &fence, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 1);
	record(VKR_TRACE_CMD_BARRIER, &command, sizeof command, tail, sizeof tail / sizeof *tail);
	make_recording();
	submit_counting(202, QUEUE, RECORDING, FENCE, 201, 202);
	tell(VKR_TRACE_FENCE_WAIT, &fence, NULL, 0);
	assert_int_equal(regions[BEFORE].memory, 0);
	vkr_watch_pending_unmap(&regions[BEFORE]);
}

// No two objects of a process have one id.
static int make_objects(void **state)
{
	(void)state;
	make_sets();
	make_pipeline(FIRST_PIPELINE, false);
	make_pipeline(SECOND_PIPELINE, true);
	return 0;
}

int main(void)
{
	const struct CMUnitTest pages[] = {
		cmocka_unit_test(closes_what_there_is),
		cmocka_unit_test(counts_up),
	};
	const struct CMUnitTest walks[] = {
		cmocka_unit_test(follows_any_set),
		cmocka_unit_test(keeps_points_apart),
		cmocka_unit_test(hands_what_is_over),
		cmocka_unit_test(tells_images_once),
	};
	return cmocka_run_group_tests(pages, NULL, NULL) +
	       cmocka_run_group_tests(walks, make_objects, NULL);
}
