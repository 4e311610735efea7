// SPDX-License-Identifier: Apache-2.0
// A small program for the model's tests. Knows what most of these tests need; nothing of what their
// judgement should be.
#include "model_fixture.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONG_TRACE 20000 // bytes

uint32_t fixture_pipeline(struct trace_builder *tb, enum vkr_site_operation operation,
			  uint32_t line, const char *name)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const bool atomic = operation >= VKR_SITE_ATOMIC_LOAD;
	const struct vkr_site site = {.operation = (uint8_t)operation,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .scope = atomic ? VKR_SCOPE_QUEUE_FAMILY : 0,
				      .words = 1,
				      .bytes = 4,
				      .line = line};
	const uint32_t segments[] = {1, 0};
	return tb_shader_pipeline(tb,
				  &(struct tb_shader){.variables = &variable,
						      .variable_count = 1,
						      .sites = &site,
						      .site_count = 1,
						      .segments = segments,
						      .workgroup_size = {4, 1, 1},
						      .name = name},
				  name);
}

void fixture_init(struct fixture *fixture, uint64_t bytes)
{
	fixture_init_on(fixture, bytes, 0);
}

void fixture_init_on(struct fixture *fixture, uint64_t bytes, uint32_t device_flags)
{
	struct trace_builder *tb = &fixture->tb;
	const struct vkr_trace_binding binding = {.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						  .count = 1};
	memset(fixture, 0, sizeof *fixture);
	tb_init_on(tb, device_flags);
	fixture->buffer = tb_buffer(tb, bytes, "data");
	fixture->set_layout = tb_set_layout(tb, &binding, 1);
	fixture->layout = tb_pipeline_layout(tb, fixture->set_layout);
	fixture->set = tb_set(tb, fixture->set_layout);
	const struct vkr_trace_descriptor descriptor = {.object = fixture->buffer,
							.bytes = VK_WHOLE_SIZE};
	tb_write(tb, fixture->set, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, &descriptor, 1);
	fixture->writer = fixture_pipeline(tb, VKR_SITE_STORE, 11, "writer");
	fixture->reader = fixture_pipeline(tb, VKR_SITE_LOAD, 22, "reader");
}

void fixture_bind(struct fixture *fixture, uint32_t pipeline)
{
	tb_bind(&fixture->tb, pipeline, fixture->layout, fixture->set, NULL, 0);
}

uint32_t fixture_draw_pipeline(struct trace_builder *tb, const struct tb_shader *shader,
			       const char *name)
{
	const uint32_t fragment = tb_shader(tb, shader, name);
	const uint32_t pipeline = tb_pipeline(tb, VK_PIPELINE_BIND_POINT_GRAPHICS, &fragment, 1);
	const struct vkr_trace_graphics_state state = {.pipeline = pipeline};
	tb_event(tb, VKR_TRACE_GRAPHICS_STATE, &state, sizeof state, NULL, 0);
	return pipeline;
}

uint32_t fixture_fragments(struct trace_builder *tb, enum vkr_site_operation operation,
			   uint16_t flags, uint32_t identity, const char *name)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site site = {.operation = (uint8_t)operation,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .flags = flags,
				      .words = 1,
				      .bytes = 4};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = (const uint32_t[]){1, 0},
					 .workgroup_size = {1, 1, 1},
					 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
					 .identity = VKR_IDENTITY_FRAGMENT | identity};
	return fixture_draw_pipeline(tb, &shader, name);
}

uint32_t fixture_shared_chunk(uint32_t chunk[FIXTURE_SHARED_WORDS], uint32_t x, uint32_t word,
			      uint32_t count)
{
	uint32_t words = 0;
	chunk[words++] = count | 1u << VKR_SHARED_SEGMENT_SHIFT;
	chunk[words++] = 0; // each tells its own
	for (uint32_t i = 0; i < count; i++)
		chunk[words++] = (x + i) | 7u << 16;
	for (uint32_t i = 0; i < count; i++)
		chunk[words++] = 4 * (word + i);
	return words;
}

void fixture_bind_draws(struct fixture *fixture)
{
	const struct vkr_trace_cmd_bind_sets bind = {.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS,
						     .layout = fixture->layout,
						     .set_count = 1};
	tb_state(&fixture->tb, VKR_TRACE_CMD_BIND_SETS, &bind, sizeof bind, &fixture->set,
		 sizeof fixture->set);
}

uint32_t fixture_draw(struct fixture *fixture, uint32_t pipeline)
{
	struct vkr_trace_cmd_draw draw = {
		.kind = VKR_DRAW_VERTICES, .instance_count = 1, .draw_count = 1};
	const struct vkr_trace_draw part = {.count = 3};
	tb_bind_pipeline(&fixture->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	tb_command(&fixture->tb, VKR_TRACE_CMD_DRAW, &draw.command, sizeof draw, &part,
		   sizeof part);
	return draw.command;
}

uint32_t fixture_dispatch(struct fixture *fixture, const struct tb_shader *shader,
			  uint32_t *command)
{
	struct trace_builder *tb = &fixture->tb;
	const uint32_t pipeline = tb_shader_pipeline(tb, shader, shader->name);
	tb_record(tb);
	fixture_bind(fixture, pipeline);
	*command = tb_dispatch(tb, 2, 1, 1);
	return tb_submit(tb, 1, tb_record_end(tb));
}

void fixture_log(struct fixture *fixture, uint32_t command, uint32_t workgroup, uint32_t first)
{
	for (uint32_t local = 0; local < 4; local++) {
		const uint32_t record[] = {1, 4 * (first + local)};
		tb_chunk(&fixture->tb, command, workgroup, local, record, 2);
	}
}

static void expect_equal_access(const struct vkr_access_report *a,
				const struct vkr_access_report *b)
{
	assert_int_equal(a->agent, b->agent);
	assert_string_equal(a->operation, b->operation);
	assert_string_equal(a->object, b->object);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->command.command, b->command.command);
	assert_int_equal(a->command.submission, b->command.submission);
	assert_int_equal(a->workgroup_linear, b->workgroup_linear);
	assert_int_equal(a->local_linear, b->local_linear);
}

static void expect_equal(const struct vkr_report *a, const struct vkr_report *b)
{
	assert_int_equal(a->race_count, b->race_count);
	assert_int_equal(a->race_total, b->race_total);
	assert_int_equal(a->coverage_count, b->coverage_count);
	assert_int_equal(a->accesses_judged, b->accesses_judged);
	for (uint32_t at = 0; at < a->race_count; at++) {
		assert_int_equal(a->races[at].race_class, b->races[at].race_class);
		assert_int_equal(a->races[at].count, b->races[at].count);
		assert_string_equal(a->races[at].missing, b->races[at].missing);
		assert_string_equal(a->races[at].change, b->races[at].change);
		expect_equal_access(&a->races[at].first, &b->races[at].first);
		expect_equal_access(&a->races[at].second, &b->races[at].second);
	}
}

// Whichever allocation fails, alone or with all behind it: that is said, or the report is the same.
// A few of them, or with VKR_TEST_EVERY_ALLOCATION in the environment each.
static void fail_allocations(struct trace_builder *tb, const struct vkr_report *whole)
{
	unsigned count = 0, unused;
	if (tb->events.count > LONG_TRACE)
		return; // what repeats allocates as before, and takes long
	vkr_session_destroy(tb_judge_failing(tb, 0, false, &count));
	const unsigned step = getenv("VKR_TEST_EVERY_ALLOCATION") ? 1 : count / 8 + 1;
	for (unsigned number = 1 + count % step; number <= count; number += step)
		for (int forever = 0; forever < 2; forever++) {
			struct vkr_session *session =
				tb_judge_failing(tb, number, forever, &unused);
			if (session != NULL)
				expect_equal(vkr_session_report(session), whole);
			vkr_session_destroy(session);
		}
}

struct vkr_session *fixture_judge(struct trace_builder *tb)
{
	struct vkr_session *session = tb_judge(tb, false), *late = tb_judge(tb, true);
	expect_equal(vkr_session_report(session), vkr_session_report(late));
	vkr_session_destroy(late);
	fail_allocations(tb, vkr_session_report(session));
	return session;
}

struct vkr_session *fixture_words(struct trace_builder *tb, uint32_t buffer, uint32_t count,
				  char *words)
{
	for (uint32_t word = 0; word < count; word++)
		tb_fill(tb, buffer, 4 * (uint64_t)word, 4);
	tb_log_end(tb, tb_submit(tb, 1, tb_record_end(tb)));
	struct vkr_session *session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(session);
	memset(words, '.', count);
	words[count] = '\0';
	for (uint32_t at = 0; at < report->race_count; at++) {
		assert_int_equal(report->races[at].race_class, VKR_RACE_UNORDERED);
		assert_int_equal(report->races[at].second.bytes, 4);
		words[report->races[at].second.offset / 4] = 'x';
	}
	return session;
}

// What was found, where another number of races was expected, or another class of one.
static void print_found(const struct vkr_report *report)
{
	for (uint32_t at = 0; at < report->coverage_count; at++)
		print_message("coverage: %s\n", report->coverage[at].text);
	for (uint32_t at = 0; at < report->race_count; at++)
		print_message("race: class %d (race_class.h), %s\n", report->races[at].race_class,
			      report->races[at].missing);
}

void fixture_expect(struct fixture *fixture, uint32_t races)
{
	struct vkr_session *session = fixture_judge(&fixture->tb);
	const struct vkr_report *report = vkr_session_report(session);
	if (report->coverage_count != 0 || report->race_count != races)
		print_found(report);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, races);
	assert_int_equal(report->verdict, races > 0 ? VKR_VERDICT_RACES : VKR_VERDICT_NONE);
	vkr_session_destroy(session);
	tb_finish(&fixture->tb);
}

void fixture_expect_class(struct fixture *fixture, enum vkr_race_class race_class)
{
	struct vkr_session *session = fixture_judge(&fixture->tb);
	const struct vkr_report *report = vkr_session_report(session);
	if (report->coverage_count != 0 || report->race_count != 1 ||
	    report->races[0].race_class != race_class)
		print_found(report);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, race_class);
	vkr_session_destroy(session);
	tb_finish(&fixture->tb);
}
