// SPDX-License-Identifier: Apache-2.0
// What dispatches find bound, by every kind of descriptor, and behind device addresses. Knows
// events and verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Two accesses by different workgroups at word 0 of what two descriptors name: whether they meet
// tells whether both were resolved right.
struct meeting {
	struct vkr_variable variable[2];
	uint32_t elements[2]; // logged where the variable is an array
	uint32_t dynamic[2], dynamic_count;
};

static void meet(struct fixture *fixture, uint32_t layout, uint32_t set,
		 const struct meeting *meeting, uint32_t races)
{
	struct vkr_site sites[2] = {{.operation = VKR_SITE_STORE}, {.operation = VKR_SITE_STORE}};
	uint32_t records[2][4] = {{1}, {2}}, words[2] = {2, 2};
	for (uint32_t at = 0; at < 2; at++) {
		const bool arrayed = meeting->variable[at].count != 1;
		sites[at].storage_class = VKR_CLASS_UNIFORM;
		sites[at].variable = at;
		sites[at].bytes = 4;
		if (meeting->variable[at].kind == VKR_VARIABLE_TEXEL_BUFFER) {
			sites[at].storage_class = VKR_CLASS_IMAGE;
			sites[at].texel = 1;
			sites[at].bytes = 0;
		}
		sites[at].words = arrayed ? 2 : 1;
		sites[at].flags = arrayed ? VKR_SITE_ARRAYED : 0;
		if (arrayed) {
			records[at][1] = meeting->elements[at];
			words[at] = 3;
		}
	}
	const uint32_t segments[] = {1, 1, 0};
	const struct vkr_texel texel = {
		.form = VKR_TEXEL_INTEGER, .coordinates = 1, .words = 1, .sampler = UINT32_MAX};
	const struct tb_shader shader = {.variables = meeting->variable,
					 .variable_count = 2,
					 .texels = &texel,
					 .texel_count = 1,
					 .sites = sites,
					 .site_count = 2,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	struct trace_builder *tb = &fixture->tb;
	const uint32_t pipeline = tb_shader_pipeline(tb, &shader, "meet");
	tb_record(tb);
	tb_bind(tb, pipeline, layout, set, meeting->dynamic, meeting->dynamic_count);
	const uint32_t command = tb_dispatch(tb, 2, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	for (uint32_t workgroup = 0; workgroup < 2; workgroup++)
		tb_chunk(tb, command, workgroup, 0, records[workgroup], words[workgroup]);
	tb_log_end(tb, execution);
	fixture_expect(fixture, races);
}

static struct vkr_variable at_binding(uint32_t binding, uint32_t count)
{
	return (struct vkr_variable){
		.kind = VKR_VARIABLE_BUFFER, .binding = binding, .count = count};
}

static struct vkr_trace_descriptor part(uint32_t buffer, uint64_t offset)
{
	return (struct vkr_trace_descriptor){.object = buffer, .offset = offset, .bytes = 16};
}

// Three descriptors written at binding 1 element 1 run on into binding 4; a copy then overwrites.
static void test_runs_on_and_copies(void **state)
{
	(void)state;
	for (int copy = 0; copy < 2; copy++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		struct trace_builder *tb = &fixture.tb;
		const uint32_t type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
		const struct vkr_trace_binding bindings[] = {
			{.binding = 1, .type = type, .count = 2},
			{.binding = 4, .type = type, .count = 3}};
		const uint32_t of = tb_set_layout(tb, bindings, 2);
		const uint32_t layout = tb_pipeline_layout(tb, of), set = tb_set(tb, of);
		const struct vkr_trace_descriptor parts[] = {
			part(fixture.buffer, 0), part(fixture.buffer, 16), part(fixture.buffer, 0)};
		tb_write(tb, set, 1, 1, type, parts, 3);
		if (copy) {
			const struct vkr_trace_set_copy event = {.source_set = set,
								 .source_binding = 4,
								 .set = set,
								 .binding = 4,
								 .element = 1,
								 .descriptor_count = 1};
			tb_event(tb, VKR_TRACE_SET_COPY, &event, sizeof event, NULL, 0);
		}
		// Binding 1 element 1 is part 0; binding 4 element 1 is part 0 too, until the copy.
		const struct meeting meeting = {.variable = {at_binding(1, 2), at_binding(4, 3)},
						.elements = {1, 1}};
		meet(&fixture, layout, set, &meeting, copy ? 0 : 1);
	}
}

// Dynamic offsets go by binding number and array element.
static void test_dynamic_offsets(void **state)
{
	(void)state;
	for (uint32_t meets = 0; meets < 2; meets++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		struct trace_builder *tb = &fixture.tb;
		const uint32_t type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
		const struct vkr_trace_binding bindings[] = {
			{.binding = 2, .type = type, .count = 1},
			{.binding = 3, .type = type, .count = 1}};
		const uint32_t of = tb_set_layout(tb, bindings, 2);
		const uint32_t layout = tb_pipeline_layout(tb, of), set = tb_set(tb, of);
		const struct vkr_trace_descriptor parts[] = {part(fixture.buffer, 0),
							     part(fixture.buffer, 16)};
		tb_write(tb, set, 2, 0, type, parts, 2);
		const struct meeting meeting = {.variable = {at_binding(2, 1), at_binding(3, 1)},
						.dynamic = {16, meets ? 0 : 16},
						.dynamic_count = 2};
		meet(&fixture, layout, set, &meeting, meets);
	}
}

// A binding of changing type holds what was written to it last.
static void test_mutable(void **state)
{
	(void)state;
	for (uint32_t meets = 0; meets < 2; meets++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		struct trace_builder *tb = &fixture.tb;
		const struct vkr_trace_binding bindings[] = {
			{.binding = 0, .type = VK_DESCRIPTOR_TYPE_MUTABLE_EXT, .count = 1},
			{.binding = 1, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1}};
		const uint32_t of = tb_set_layout(tb, bindings, 2);
		const uint32_t layout = tb_pipeline_layout(tb, of), set = tb_set(tb, of);
		const struct vkr_trace_descriptor image = {.object = 0};
		const struct vkr_trace_descriptor parts[] = {part(fixture.buffer, meets ? 0 : 16),
							     part(fixture.buffer, 0)};
		tb_write(tb, set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &image, 1);
		tb_write(tb, set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, parts, 1);
		tb_write(tb, set, 1, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, parts + 1, 1);
		const struct meeting meeting = {.variable = {at_binding(0, 1), at_binding(1, 1)}};
		meet(&fixture, layout, set, &meeting, meets);
	}
}

// A texel buffer's view, and a null descriptor.
static void test_views_and_null(void **state)
{
	(void)state;
	for (uint32_t null = 0; null < 2; null++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		struct trace_builder *tb = &fixture.tb;
		const uint32_t types[] = {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
					  VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
		const struct vkr_trace_binding bindings[] = {
			{.binding = 0, .type = types[0], .count = 1},
			{.binding = 1, .type = types[1], .count = 1}};
		const struct vkr_trace_buffer_view view = {.view = 1,
							   .buffer = fixture.buffer,
							   .offset = 32,
							   .bytes = 16,
							   .format = VK_FORMAT_R32_UINT};
		tb_event(tb, VKR_TRACE_BUFFER_VIEW, &view, sizeof view, NULL, 0);
		const uint32_t of = tb_set_layout(tb, bindings, 2);
		const uint32_t layout = tb_pipeline_layout(tb, of), set = tb_set(tb, of);
		const struct vkr_trace_descriptor texels = {.object = null ? 0 : 1};
		const struct vkr_trace_descriptor words = part(fixture.buffer, 32);
		tb_write(tb, set, 0, 0, types[0], &texels, 1);
		tb_write(tb, set, 1, 0, types[1], &words, 1);
		struct meeting meeting = {.variable = {at_binding(0, 1), at_binding(1, 1)}};
		meeting.variable[0].kind = VKR_VARIABLE_TEXEL_BUFFER;
		meeting.variable[0].dim = 5; // SPIR-V's Buffer
		meet(&fixture, layout, set, &meeting, null ? 0 : 1);
	}
}

static void pointers(struct fixture *fixture, uint64_t second)
{
	fixture_init(fixture, 64);
	struct trace_builder *tb = &fixture->tb;
	const struct vkr_trace_buffer_address address = {.buffer = fixture->buffer,
							 .address = 0x7f0000001000};
	tb_event(tb, VKR_TRACE_BUFFER_ADDRESS, &address, sizeof address, NULL, 0);
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_POINTER};
	const struct vkr_site site = {.operation = VKR_SITE_STORE,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .flags = VKR_SITE_POINTER,
				      .words = 2,
				      .bytes = 4};
	const uint32_t segments[] = {1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	const uint32_t pipeline = tb_shader_pipeline(tb, &shader, "pointer");
	tb_record(tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(tb, 2, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	for (uint32_t workgroup = 0; workgroup < 2; workgroup++) {
		const uint64_t at = address.address + (workgroup ? second : 8);
		const uint32_t record[] = {1, (uint32_t)at, (uint32_t)(at >> 32)};
		tb_chunk(tb, command, workgroup, 0, record, 3);
	}
	tb_log_end(tb, execution);
}

static struct vkr_session *judge_bound(bool bound)
{
	struct fixture fixture;
	const uint32_t record[] = {1, 0};
	fixture_init(&fixture, 16);
	struct trace_builder *tb = &fixture.tb;
	tb_record(tb);
	if (bound)
		fixture_bind(&fixture, fixture.writer);
	else
		tb_bind_pipeline(tb, VK_PIPELINE_BIND_POINT_COMPUTE, fixture.writer);
	const uint32_t command = tb_dispatch(tb, 1, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	tb_chunk(tb, command, 0, 0, record, 2);
	tb_log_end(tb, execution);
	struct vkr_session *session = tb_judge(tb, false);
	tb_finish(tb);
	return session;
}

// A set that the shader uses and the program never bound is not passed over in silence.
static void test_unbound_set(void **state)
{
	(void)state;
	for (int bound = 0; bound < 2; bound++) {
		struct vkr_session *session = judge_bound(bound);
		const struct vkr_report *report = vkr_session_report(session);
		bool told = false;
		for (size_t at = 0; at < report->coverage_count; at++)
			told = told || strstr(report->coverage[at].text, "uses set 0, which");
		assert_int_equal(told, !bound);
		vkr_session_destroy(session);
	}
}

static void test_device_addresses(void **state)
{
	(void)state;
	struct fixture fixture;
	pointers(&fixture, 12);
	fixture_expect(&fixture, 0);
	pointers(&fixture, 10);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_string_equal(report->races[0].first.binding, "device address");
	assert_string_equal(report->races[0].first.object, "data");
	assert_int_equal(report->races[0].first.offset, 10);
	assert_int_equal(report->races[0].first.bytes, 2);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	pointers(&fixture, 0x100000);
	session = fixture_judge(&fixture.tb);
	assert_int_equal(vkr_session_report(session)->verdict, VKR_VERDICT_INCOMPLETE);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_on_and_copies),
		cmocka_unit_test(test_dynamic_offsets),
		cmocka_unit_test(test_mutable),
		cmocka_unit_test(test_views_and_null),
		cmocka_unit_test(test_unbound_set),
		cmocka_unit_test(test_device_addresses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
