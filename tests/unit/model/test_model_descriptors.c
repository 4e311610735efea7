// SPDX-License-Identifier: Apache-2.0
// What shaders read of the descriptors themselves, where these lie in buffers. Knows events and
// verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_access),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
