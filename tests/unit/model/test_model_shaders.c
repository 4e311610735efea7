// SPDX-License-Identifier: Apache-2.0
// Logs of dispatches: barriers, loops, atomics, workgroup memory, and every kind of descriptor.
// Knows the reports' words.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORKGROUP_BARRIER                                                                          \
	{                                                                                          \
		.operation = VKR_SITE_CONTROL_BARRIER, .scope = VKR_SCOPE_WORKGROUP,               \
		.execution = VKR_SCOPE_WORKGROUP,                                                  \
		.order = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE |        \
			 VKR_ORDER_MAKE_VISIBLE,                                                   \
		.semantics = VKR_CLASS_WORKGROUP, .variable = UINT32_MAX                           \
	}

static const struct vkr_variable tile = {
	.kind = VKR_VARIABLE_WORKGROUP, .count = 1, .bytes = 64, .spirv_id = 9};

static struct vkr_site tile_site(enum vkr_site_operation operation, uint32_t line)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_WORKGROUP,
				 .scope = VKR_SCOPE_WORKGROUP,
				 .flags = VKR_SITE_NONPRIVATE,
				 .words = 1,
				 .bytes = 4,
				 .line = line};
}

// Two rounds of a tile loop, workgroups of 4: write the own word, barrier, read the neighbour's
// (line 31), and a second barrier where `fixed`.
static void tile_loop(struct fixture *fixture, bool fixed, uint32_t write_line)
{
	fixture_init(fixture, 64);
	const struct vkr_site sites[] = {tile_site(VKR_SITE_STORE, write_line), WORKGROUP_BARRIER,
					 tile_site(VKR_SITE_LOAD, 31), WORKGROUP_BARRIER};
	const uint32_t segments[] = {fixed ? 4 : 3, 0};
	const struct tb_shader shader = {.variables = &tile,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = fixed ? 4 : 3,
					 .segments = segments,
					 .workgroup_size = {4, 1, 1},
					 .name = "tile"};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "forces");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	// Workgroups and invocations in no order, the rounds of one in two chunks.
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t at = 0; at < 8; at++) {
			const uint32_t workgroup = at & 1, local = 3 - at / 2;
			const uint32_t record[] = {1, 4 * local, 4 * ((local + 1) % 4)};
			tb_chunk(&fixture->tb, command, workgroup, local, record, 3);
		}
	tb_log_end(&fixture->tb, execution);
}

// What is proposed for the first race begins so.
static void expect_change(struct fixture *fixture, const char *change)
{
	struct vkr_session *session = fixture_judge(&fixture->tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_true(report->race_count > 0);
	assert_ptr_equal(strstr(report->races[0].change, change), report->races[0].change);
	vkr_session_destroy(session);
	tb_finish(&fixture->tb);
}

static void test_tile_loop(void **state)
{
	(void)state;
	struct fixture fixture;
	tile_loop(&fixture, true, 24);
	fixture_expect(&fixture, 0);
	tile_loop(&fixture, false, 24);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_race_report *race = &report->races[0];
	assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
	assert_int_equal(race->count, 8);
	assert_string_equal(race->first.object, "shared memory tile");
	assert_string_equal(race->first.storage_class, "Workgroup");
	assert_string_equal(race->first.memory, "");
	assert_string_equal(race->first.stage_access, "COMPUTE_SHADER");
	assert_string_equal(race->missing, "no OpControlBarrier between the two accesses");
	assert_string_equal(race->change,
			    "call barrier() between line 31 and line 24 of the next iteration");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	// A function that is called stands behind its caller in the module, not in the text.
	tile_loop(&fixture, false, 52);
	expect_change(&fixture, "call barrier() between line 52 and line 31");
}

// One invocation writes a word, another accesses it, with what is between them.
static void shared_access(struct fixture *fixture, enum vkr_site_operation second,
			  const struct vkr_site *between, uint32_t count)
{
	fixture_init(fixture, 64);
	struct vkr_site sites[8] = {tile_site(VKR_SITE_STORE, 5)};
	const uint32_t segments[] = {count + 2, 0};
	for (uint32_t at = 0; at < count; at++)
		sites[at + 1] = between[at];
	sites[count + 1] = tile_site(second, 7);
	const struct tb_shader shader = {.variables = &tile,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = count + 2,
					 .segments = segments,
					 .workgroup_size = {2, 2, 1},
					 .name = "tile"};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "pass");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 2, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	for (uint32_t local = 0; local < 4; local++) {
		const uint32_t record[] = {1, 4 * local, 4 * (local ^ 1)};
		tb_chunk(&fixture->tb, command, 3, local, record, 3);
	}
	tb_log_end(&fixture->tb, execution);
}

static void shared_pass(struct fixture *fixture, const struct vkr_site *between, uint32_t count)
{
	shared_access(fixture, VKR_SITE_LOAD, between, count);
}

static void test_barriers_in_shaders(void **state)
{
	(void)state;
	struct fixture fixture;
	const struct vkr_site full = WORKGROUP_BARRIER;
	struct vkr_site bare = WORKGROUP_BARRIER, fence = WORKGROUP_BARRIER;
	bare.order = 0;
	bare.semantics = 0;
	fence.operation = VKR_SITE_MEMORY_BARRIER;
	fence.execution = 0;
	shared_pass(&fixture, &full, 1);
	fixture_expect(&fixture, 0);
	// A release barrier before, an acquire barrier behind a control barrier without semantics.
	shared_pass(&fixture, (struct vkr_site[]){fence, bare, fence}, 3);
	fixture_expect(&fixture, 0);
	shared_pass(&fixture, (struct vkr_site[]){fence, bare}, 2);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	shared_pass(&fixture, &bare, 1);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	shared_pass(&fixture, &fence, 1);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_string_equal(race->change, "call barrier() between line 5 and line 7");
	assert_int_equal(race->first.workgroup[0], 1);
	assert_int_equal(race->first.workgroup[1], 1);
	assert_int_equal(race->first.workgroup_linear, 3);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	// What is set to zero before others count in it.
	shared_access(&fixture, VKR_SITE_ATOMIC_RMW, NULL, 0);
	expect_change(&fixture, "call barrier() between line 5 and line 7");
}

// Invocations of two workgroups access one word.
static void one_word(struct fixture *fixture, enum vkr_site_operation first,
		     enum vkr_site_operation second, uint32_t line)
{
	fixture_init(fixture, 64);
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	struct vkr_site sites[2] = {{.operation = (uint8_t)first, .line = 3},
				    {.operation = (uint8_t)second, .line = line}};
	for (int at = 0; at < 2; at++) {
		sites[at].storage_class = VKR_CLASS_UNIFORM;
		sites[at].scope = VKR_SCOPE_QUEUE_FAMILY;
		sites[at].words = 1;
		sites[at].bytes = 4;
	}
	const uint32_t segments[] = {1, 1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 2,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "one");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	for (uint32_t workgroup = 0; workgroup < 2; workgroup++) {
		const uint32_t record[] = {1 + workgroup, 8};
		tb_chunk(&fixture->tb, command, workgroup, 0, record, 2);
	}
	tb_log_end(&fixture->tb, execution);
}

static void test_atomics(void **state)
{
	(void)state;
	struct fixture fixture;
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_ATOMIC_LOAD, 4);
	fixture_expect(&fixture, 0);
	one_word(&fixture, VKR_SITE_LOAD, VKR_SITE_LOAD, 4);
	fixture_expect(&fixture, 0);
	one_word(&fixture, VKR_SITE_STORE, VKR_SITE_STORE, 4);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_LOAD, 4);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_int_equal(vkr_session_report(session)->race_count, 1);
	assert_int_equal(race->count, 1);
	assert_true(race->first.atomic && race->first.read && race->first.write);
	assert_string_equal(race->first.scope, "QueueFamily");
	assert_string_equal(race->first.semantics, "Relaxed");
	assert_string_equal(race->change, "make the OpLoad at line 4 atomic too");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_LOAD, 0);
	expect_change(&fixture, "make the OpLoad at SPIR-V word ");
}

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

// What a damaged log holds is told, and never read beyond.
static void test_damaged_logs(void **state)
{
	(void)state;
	const struct {
		uint32_t words[6];
		uint32_t count;
	} logs[] = {{{1, 0, 0, 9, 1, 0}, 6}, // chunk longer than the log
		    {{1, 0, 0, 3, 1, 0}, 6}, // shorter than its header
		    {{7, 0, 0, 6, 1, 0}, 6}, // no such command
		    {{1, 0, 9, 6, 1, 0}, 6}, // no such invocation
		    {{1, 0, 0, 6, 2, 0}, 6}, // no such segment
		    {{1, 0, 0, 5, 1}, 5}};   // record longer than its chunk
	for (size_t at = 0; at < sizeof logs / sizeof *logs; at++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		const struct vkr_trace_gpu_log log = {.execution = execution,
						      .word_count = logs[at].count};
		tb_event(&fixture.tb, VKR_TRACE_GPU_LOG, &log, sizeof log, logs[at].words,
			 logs[at].count * 4);
		tb_log_end(&fixture.tb, execution);
		// An event's own check may refuse it; then nothing was logged.
		struct vkr_session *session = NULL;
		struct vkr_error error;
		bool refused = false;
		assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
		for (size_t place = 0; place < fixture.tb.events.count;) {
			const struct vkr_trace_event *event =
				(const void *)(fixture.tb.events.items + place);
			refused |= vkr_session_event(session, event, &error) != VKR_OK;
			place += event->bytes;
		}
		assert_int_equal(vkr_session_end(session, &error), VKR_OK);
		const struct vkr_report *report = vkr_session_report(session);
		assert_true(refused || report->verdict == VKR_VERDICT_INCOMPLETE);
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

// Two workgroups of the writer whose log is a sheet.
static struct vkr_session *judge_sheet(const struct vkr_trace_gpu_sheet *shape,
				       const uint32_t *words, bool *refused)
{
	struct fixture fixture;
	struct vkr_session *session = NULL;
	struct vkr_error error;
	fixture_init(&fixture, 64);
	tb_record(&fixture.tb);
	fixture_bind(&fixture, fixture.writer);
	tb_dispatch(&fixture.tb, 2, 1, 1);
	struct vkr_trace_gpu_sheet sheet = *shape;
	sheet.execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	tb_event(&fixture.tb, VKR_TRACE_GPU_SHEET, &sheet, sizeof sheet, words,
		 sheet.word_count * 4);
	tb_log_end(&fixture.tb, sheet.execution);
	*refused = false;
	assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
	for (size_t place = 0; place < fixture.tb.events.count;) {
		const struct vkr_trace_event *event =
			(const void *)(fixture.tb.events.items + place);
		*refused |= vkr_session_event(session, event, &error) != VKR_OK;
		place += event->bytes;
	}
	assert_int_equal(vkr_session_end(session, &error), VKR_OK);
	tb_finish(&fixture.tb);
	return session;
}

static void test_sheets(void **state)
{
	(void)state;
	const struct vkr_trace_gpu_sheet good = {.word_count = 16,
						 .group_count = 2,
						 .local_size = 4,
						 .columns = 1,
						 .groups = {2, 1, 1}};
	// Both store to the same words.
	const uint32_t words[16] = {1, 0, 1, 4, 1, 8, 1, 12, 1, 0, 1, 4, 1, 8, 1, 12};
	bool refused;
	struct vkr_session *session = judge_sheet(&good, words, &refused);
	assert_false(refused);
	assert_int_equal(vkr_session_report(session)->verdict, VKR_VERDICT_RACES);
	vkr_session_destroy(session);
	struct vkr_trace_gpu_sheet bad[5] = {good, good, good, good, good};
	bad[0].command = 7;
	bad[1].columns = 3;
	bad[2].groups[1] = 0;
	bad[3].local_size = 8; // not the shader's
	bad[3].group_count = 1;
	bad[4].word_count = 14;
	for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
		session = judge_sheet(&bad[at], words, &refused);
		assert_true(refused ||
			    vkr_session_report(session)->verdict == VKR_VERDICT_INCOMPLETE);
		vkr_session_destroy(session);
	}
	const uint32_t unknown[16] = {9, 0};
	session = judge_sheet(&good, unknown, &refused);
	assert_int_equal(vkr_session_report(session)->verdict, VKR_VERDICT_INCOMPLETE);
	vkr_session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tile_loop),       cmocka_unit_test(test_barriers_in_shaders),
		cmocka_unit_test(test_atomics),         cmocka_unit_test(test_runs_on_and_copies),
		cmocka_unit_test(test_dynamic_offsets), cmocka_unit_test(test_mutable),
		cmocka_unit_test(test_views_and_null),  cmocka_unit_test(test_device_addresses),
		cmocka_unit_test(test_damaged_logs),    cmocka_unit_test(test_sheets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
