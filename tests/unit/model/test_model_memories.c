// SPDX-License-Identifier: Apache-2.0
// What atomics in one memory order of accesses to another, at the same offsets. Knows logs; nothing
// of how shaders make them.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Segments of the shader; each access says which of two buffers, of an array, it is to.
enum { SET = 1, GET, STORE, LOAD };

struct memories {
	struct fixture fixture;
	uint32_t command, execution;
};

static struct vkr_site site_of(enum vkr_site_operation operation, unsigned order)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_UNIFORM,
				 .scope = order ? VKR_SCOPE_QUEUE_FAMILY : 0,
				 .order = (uint8_t)order,
				 .semantics = order ? VKR_CLASS_UNIFORM : 0,
				 .flags = (uint8_t)(VKR_SITE_NONPRIVATE | VKR_SITE_ARRAYED |
						    (order ? VKR_SITE_VALUES : 0)),
				 .words = order ? 3 : 2,
				 .bytes = 4};
}

static void begin(struct memories *test)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 2, .spirv_id = 10};
	const struct vkr_site sites[] = {
		site_of(VKR_SITE_ATOMIC_STORE, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE),
		site_of(VKR_SITE_ATOMIC_LOAD, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE),
		site_of(VKR_SITE_STORE, 0),
		site_of(VKR_SITE_LOAD, 0),
	};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 4,
					 .segments = (const uint32_t[]){1, 1, 1, 1, 0},
					 .workgroup_size = {4, 1, 1},
					 .name = "memories"};
	const struct vkr_trace_binding binding = {
		.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 2, .stages = ~0u};
	memset(test, 0, sizeof *test);
	struct trace_builder *tb = &test->fixture.tb;
	tb_init(tb);
	const uint32_t set_layout = tb_set_layout(tb, &binding, 1);
	const uint32_t layout = tb_pipeline_layout(tb, set_layout);
	const uint32_t set = tb_set(tb, set_layout);
	for (uint32_t element = 0; element < 2; element++) {
		const struct vkr_trace_descriptor descriptor = {
			.object = tb_buffer(tb, 64, element ? "second" : "first"),
			.bytes = VK_WHOLE_SIZE};
		tb_write(tb, set, 0, element, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &descriptor, 1);
	}
	const uint32_t pipeline = tb_shader_pipeline(tb, &shader, "memories");
	tb_record(tb);
	tb_bind(tb, pipeline, layout, set, NULL, 0);
	test->command = tb_dispatch(tb, 2, 1, 1);
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

// A store to the buffer and a load of it by another workgroup, with a flag in the other buffer that
// is released, and may be acquired between.
static void test_flag_elsewhere(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 4; at++) {
		const uint32_t data = at & 1, flag = !data;
		const bool acquires = at & 2;
		const uint32_t stores[] = {STORE, data, 0, 0, SET, flag, 0, 7};
		const uint32_t loads[] = {GET, flag, 0, 7, LOAD, data, 0, 0};
		struct memories test;
		begin(&test);
		tb_chunk(&test.fixture.tb, test.command, 0, 0, stores, 8);
		tb_chunk(&test.fixture.tb, test.command, 1, 0, acquires ? loads : loads + 4,
			 acquires ? 8 : 4);
		tb_log_end(&test.fixture.tb, test.execution);
		if (acquires) {
			fixture_expect(&test.fixture, 0);
			continue;
		}
		struct vkr_session *session = fixture_judge(&test.fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 1);
		assert_string_equal(report->races[0].first.object, data ? "second" : "first");
		vkr_session_destroy(session);
		tb_finish(&test.fixture.tb);
	}
}

// Races in both at once.
static void test_both(void **state)
{
	(void)state;
	struct memories test;
	begin(&test);
	for (uint32_t group = 0; group < 2; group++) {
		const uint32_t stores[] = {STORE, 0, 0,   0, STORE,          1,
					   0,     0, SET, 0, 32 + 4 * group, 7};
		tb_chunk(&test.fixture.tb, test.command, group, 0, stores, 12);
	}
	tb_log_end(&test.fixture.tb, test.execution);
	struct vkr_session *session = fixture_judge(&test.fixture.tb);
	assert_int_equal(vkr_session_report(session)->race_total, 2);
	vkr_session_destroy(session);
	tb_finish(&test.fixture.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flag_elsewhere),
		cmocka_unit_test(test_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
