// SPDX-License-Identifier: Apache-2.0
// What shaders read of the descriptors themselves, where these lie in buffers or heaps, and what
// they do beyond the range of one. Knows events and verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HEAP    UINT64_C(0x10000) // device address
#define SET     UINT64_C(256)     // where the set begins in the heap
#define BYTES   16u               // of a descriptor
#define PADDING 32u               // in the set, before its first

// The writer's set lies in a buffer.
static uint32_t begin(struct fixture *fixture)
{
	struct trace_builder *tb = &fixture->tb;
	fixture_init(fixture, 4096);
	const uint32_t heap = tb_buffer(tb, 4096, "heap");
	const struct vkr_trace_buffer_address address = {.buffer = heap, .address = HEAP};
	tb_event(tb, VKR_TRACE_BUFFER_ADDRESS, &address, sizeof address, NULL, 0);
	const struct vkr_trace_binding bindings[] = {
		{.binding = 0, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1}};
	const uint32_t layout = tb_set_layout(tb, bindings, 1);
	const struct vkr_trace_descriptor_rows rows = {
		.layout = layout, .row_count = 1, .bytes = 128};
	const struct vkr_trace_descriptor_row row = {.bytes = BYTES, .offset = PADDING};
	tb_event(tb, VKR_TRACE_DESCRIPTOR_ROWS, &rows, sizeof rows, &row, sizeof row);
	const struct vkr_trace_set set = {.set = ++tb->ids[VKR_OBJECT_SET],
					  .layout = layout,
					  .variable_count = UINT32_MAX,
					  .handle = HEAP + SET};
	tb_event(tb, VKR_TRACE_SET, &set, sizeof set, NULL, 0);
	const struct vkr_trace_descriptor descriptor = {.object = fixture->buffer,
							.bytes = VK_WHOLE_SIZE};
	tb_write(tb, set.set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &descriptor, 1);
	fixture->set = set.set;
	fixture->layout = tb_pipeline_layout(tb, layout);
	return heap;
}

// A fill of some bytes of the heap, perhaps a barrier, and a dispatch that uses the descriptor.
static void fill_and_dispatch(struct fixture *fixture, uint32_t heap, uint64_t offset,
			      uint64_t bytes, uint64_t access)
{
	struct trace_builder *tb = &fixture->tb;
	tb_record(tb);
	tb_fill(tb, heap, offset, bytes);
	if (access)
		tb_memory_barrier(tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, COMPUTE, access);
	fixture_bind(fixture, fixture->writer);
	const uint32_t command = tb_dispatch(tb, 1, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	fixture_log(fixture, command, 0, 0);
	tb_log_end(tb, execution);
}

// To the byte: neighbours of the descriptor may be written.
static void test_range(void **state)
{
	(void)state;
	static const struct {
		uint64_t offset, bytes;
		bool races;
	} fills[] = {{0, SET + PADDING, false},
		     {SET + PADDING + BYTES, 64, false},
		     {0, SET + PADDING + 4, true},
		     {SET + PADDING + BYTES - 4, 64, true}};
	for (unsigned at = 0; at < sizeof fills / sizeof *fills; at++) {
		struct fixture fixture;
		const uint32_t heap = begin(&fixture);
		fill_and_dispatch(&fixture, heap, fills[at].offset, fills[at].bytes, 0);
		if (fills[at].races)
			fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
		else
			fixture_expect(&fixture, 0);
	}
}

// The access that a barrier must name is one of its own.
static void test_access(void **state)
{
	(void)state;
	static const uint64_t accesses[] = {VK_ACCESS_2_SHADER_STORAGE_READ_BIT,
					    VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT,
					    VK_ACCESS_2_MEMORY_READ_BIT};
	for (unsigned at = 0; at < sizeof accesses / sizeof *accesses; at++) {
		struct fixture fixture;
		const uint32_t heap = begin(&fixture);
		fill_and_dispatch(&fixture, heap, SET, 128, accesses[at]);
		if (at == 0)
			fixture_expect_class(&fixture, VKR_RACE_INVISIBLE);
		else
			fixture_expect(&fixture, 0);
	}
}

#define STEP 4u // bytes that a descriptor may begin at in a descriptor heap

// A shader that accesses the variable, whose elements are named by bytes of the heap.
static uint32_t begin_heap_with(struct fixture *fixture, const struct vkr_variable *variable,
				uint8_t operation, uint32_t *pipeline)
{
	struct trace_builder *tb = &fixture->tb;
	fixture_init(fixture, 4096);
	const uint32_t heap = tb_buffer(tb, 4096, "heap");
	const struct vkr_trace_buffer_address address = {.buffer = heap, .address = HEAP};
	tb_event(tb, VKR_TRACE_BUFFER_ADDRESS, &address, sizeof address, NULL, 0);
	const struct vkr_trace_binding binding = {.type = VK_DESCRIPTOR_TYPE_MUTABLE_VALVE,
						  .count = 4096 / STEP};
	const uint32_t layout = tb_set_layout(tb, &binding, 1);
	const struct vkr_trace_descriptor_rows rows = {
		.layout = layout, .row_count = 1, .bytes = 4096};
	const struct vkr_trace_descriptor_row row = {.bytes = STEP};
	tb_event(tb, VKR_TRACE_DESCRIPTOR_ROWS, &rows, sizeof rows, &row, sizeof row);
	const struct vkr_trace_set set = {.set = ++tb->ids[VKR_OBJECT_SET],
					  .layout = layout,
					  .variable_count = UINT32_MAX,
					  .handle = HEAP};
	tb_event(tb, VKR_TRACE_SET, &set, sizeof set, NULL, 0);
	const struct vkr_trace_heap is_heap = {
		.set = set.set, .image_bytes = 64, .buffer_bytes = BYTES, .sampler_bytes = 32};
	tb_event(tb, VKR_TRACE_HEAP, &is_heap, sizeof is_heap, NULL, 0);
	fixture->set = set.set;
	const struct vkr_site site = {.operation = operation,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .flags = VKR_SITE_ARRAYED,
				      .words = 2,
				      .bytes = 4,
				      .line = 7};
	*pipeline = tb_shader_pipeline(tb,
				       &(struct tb_shader){.variables = variable,
							   .variable_count = 1,
							   .sites = &site,
							   .site_count = 1,
							   .segments = (const uint32_t[]){1, 0},
							   .workgroup_size = {4, 1, 1},
							   .name = "data"},
				       "in the heap");
	return heap;
}

// A shader that stores to what its descriptors in the heap lead to, bound with it.
static uint32_t begin_heap(struct fixture *fixture, uint32_t *pipeline)
{
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER,
					      .flags = VKR_VARIABLE_HEAP,
					      .set = UINT32_MAX,
					      .binding = UINT32_MAX};
	return begin_heap_with(fixture, &variable, VKR_SITE_STORE, pipeline);
}

// The descriptor that begins at a byte of the heap leads to half of the buffer.
static void write_heap(struct fixture *fixture, uint32_t byte, uint64_t offset)
{
	const struct vkr_trace_descriptor descriptor = {
		.object = fixture->buffer, .offset = offset, .bytes = 2048};
	tb_write(&fixture->tb, fixture->set, 0, byte / STEP, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		 &descriptor, 1);
}

static void bind_heap(struct fixture *fixture, uint32_t pipeline)
{
	const struct vkr_trace_cmd_bind_heap bind = {.heap = fixture->set};
	tb_state(&fixture->tb, VKR_TRACE_CMD_BIND_HEAP, &bind, sizeof bind, NULL, 0);
	tb_bind_pipeline(&fixture->tb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
}

static void log_heap(struct fixture *fixture, uint32_t command, uint32_t byte)
{
	for (uint32_t local = 0; local < 4; local++) {
		const uint32_t record[] = {1, byte, 4 * local, 0};
		tb_chunk(&fixture->tb, command, 0, local, record, 4);
	}
}

// Two dispatches write through descriptors in the heap: the same, or of other memory.
static void test_heap(void **state)
{
	(void)state;
	for (unsigned apart = 0; apart < 2; apart++) {
		struct fixture fixture;
		uint32_t pipeline;
		begin_heap(&fixture, &pipeline);
		write_heap(&fixture, 20, 0);
		write_heap(&fixture, 1000, apart ? 2048 : 0);
		tb_record(&fixture.tb);
		bind_heap(&fixture, pipeline);
		const uint32_t first = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t second = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		log_heap(&fixture, first, 20);
		log_heap(&fixture, second, 1000);
		tb_log_end(&fixture.tb, execution);
		fixture_expect(&fixture, apart ? 0 : 1);
	}
}

// The bytes of a descriptor that is used are read, by an access type of their own.
static void test_heap_access(void **state)
{
	(void)state;
	static const struct {
		uint64_t offset, bytes, access;
		bool races;
	} fills[] = {{0, 20, 0, false},
		     {20 + BYTES, 64, 0, false},
		     {20, 4, VK_ACCESS_2_SHADER_READ_BIT, true},
		     {20 + BYTES - 4, 4, UINT64_C(1) << 57, true},
		     {20, BYTES, UINT64_C(1) << 58, false},
		     {20, BYTES, VK_ACCESS_2_MEMORY_READ_BIT, false}};
	for (unsigned at = 0; at < sizeof fills / sizeof *fills; at++) {
		struct fixture fixture;
		uint32_t pipeline;
		const uint32_t heap = begin_heap(&fixture, &pipeline);
		write_heap(&fixture, 20, 0);
		tb_record(&fixture.tb);
		tb_fill(&fixture.tb, heap, fills[at].offset, fills[at].bytes);
		if (fills[at].access)
			tb_memory_barrier(&fixture.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT,
					  COMPUTE, fills[at].access);
		bind_heap(&fixture, pipeline);
		const uint32_t command = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		log_heap(&fixture, command, 20);
		tb_log_end(&fixture.tb, execution);
		if (fills[at].races)
			fixture_expect_class(&fixture, VKR_RACE_INVISIBLE);
		else
			fixture_expect(&fixture, 0);
	}
}

// A uniform block that is the heap's own memory is read there, and is of no set, whatever it is
// decorated with.
static void test_heap_data(void **state)
{
	(void)state;
	const struct vkr_variable block = {.kind = VKR_VARIABLE_BUFFER,
					   .flags = VKR_VARIABLE_HEAP_DATA | VKR_VARIABLE_UNIFORM |
						    VKR_VARIABLE_READ_ONLY,
					   .set = 3};
	for (unsigned races = 0; races < 2; races++) {
		struct fixture fixture;
		uint32_t pipeline;
		const uint32_t heap = begin_heap_with(&fixture, &block, VKR_SITE_LOAD, &pipeline);
		tb_record(&fixture.tb);
		tb_fill(&fixture.tb, heap, races ? 1004 : 1016, 4);
		bind_heap(&fixture, pipeline);
		const uint32_t command = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		log_heap(&fixture, command, 1000);
		tb_log_end(&fixture.tb, execution);
		fixture_expect(&fixture, races);
	}
}

// Four stores of words, the first of them to the third word of a buffer of this many bytes.
static void expect_beyond(uint64_t bytes, uint32_t device_flags, uint32_t pipeline_flags,
			  uint64_t amount)
{
	struct fixture fixture;
	fixture_init_on(&fixture, bytes, device_flags);
	struct trace_builder *tb = &fixture.tb;
	fixture_pipeline(tb, VKR_SITE_STORE, 11, NULL);
	const uint32_t shader = tb->ids[VKR_OBJECT_SHADER];
	const struct vkr_trace_pipeline pipeline = {
		.pipeline = ++tb->ids[VKR_OBJECT_PIPELINE],
		.device = 1,
		.bind_point = VK_PIPELINE_BIND_POINT_COMPUTE,
		.shader_count = 1,
		.flags = pipeline_flags,
	};
	tb_event(tb, VKR_TRACE_PIPELINE, &pipeline, sizeof pipeline, &shader, sizeof shader);
	tb_record(tb);
	fixture_bind(&fixture, pipeline.pipeline);
	const uint32_t command = tb_dispatch(&fixture.tb, 1, 1, 1);
	const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	fixture_log(&fixture, command, 0, 2);
	tb_log_end(&fixture.tb, execution);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->coverage_count, amount > 0);
	if (amount > 0) {
		assert_int_equal(report->coverage[0].amount, amount);
		assert_non_null(strstr(report->coverage[0].text, "(hash 0000"));
	}
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

static void test_out_of_range(void **state)
{
	(void)state;
	const uint32_t robust = VKR_DEVICE_ROBUST_BUFFER | VKR_DEVICE_ROBUST_BUFFER_2;
	expect_beyond(16, 0, 0, 2);
	expect_beyond(16, VKR_DEVICE_ROBUST_BUFFER, 0, 2);
	// What robustBufferAccess2 discards is no access; where a range is rounded up, it may be
	// one.
	expect_beyond(16, robust, 0, 0);
	expect_beyond(16, robust, VKR_PIPELINE_LESS_ROBUST, 2);
	expect_beyond(14, robust, 0, 3);
	expect_beyond(14, 0, 0, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),     cmocka_unit_test(test_access),
		cmocka_unit_test(test_heap),      cmocka_unit_test(test_heap_access),
		cmocka_unit_test(test_heap_data), cmocka_unit_test(test_out_of_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
