// SPDX-License-Identifier: Apache-2.0
// Twins of commands in one command buffer: what each barrier does and does not order. Knows the
// reports' words.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define WRITE VK_ACCESS_2_SHADER_WRITE_BIT
#define READ  VK_ACCESS_2_SHADER_READ_BIT

// Writes words 0..3 in one dispatch and reads them in another, with a barrier between where
// `barrier` says so.
static void two_dispatches(struct fixture *fixture, void (*barrier)(struct fixture *fixture))
{
	fixture_init(fixture, 64);
	tb_record(&fixture->tb);
	fixture_bind(fixture, fixture->writer);
	const uint32_t first = tb_dispatch(&fixture->tb, 1, 1, 1);
	if (barrier != NULL)
		barrier(fixture);
	fixture_bind(fixture, fixture->reader);
	const uint32_t second = tb_dispatch(&fixture->tb, 1, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	fixture_log(fixture, first, 0, 0);
	fixture_log(fixture, second, 0, 0);
	tb_log_end(&fixture->tb, execution);
}

static void right(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COMPUTE, READ);
}

static void wrong_source_stage(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, COMPUTE, READ);
}

static void wrong_source_access(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, READ, COMPUTE, READ);
}

static void wrong_destination_access(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COMPUTE, WRITE);
}

// The second scope holds logically later stages too, which the second access scope does not.
static void earlier_destination_stage(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
			  VK_ACCESS_2_MEMORY_READ_BIT);
}

static void execution_only(struct fixture *fixture)
{
	const struct vkr_trace_barrier barrier = {.kind = VKR_BARRIER_EXECUTION,
						  .source_stages = COMPUTE,
						  .destination_stages = COMPUTE};
	tb_barrier(&fixture->tb, &barrier, 1, 0);
}

static void buffer_range(struct fixture *fixture, uint64_t offset)
{
	const struct vkr_trace_barrier barrier = {.kind = VKR_BARRIER_BUFFER,
						  .object = fixture->buffer,
						  .source_stages = COMPUTE,
						  .source_access = WRITE,
						  .destination_stages = COMPUTE,
						  .destination_access = READ,
						  .offset = offset,
						  .bytes = 16};
	tb_barrier(&fixture->tb, &barrier, 1, VKR_BARRIER_SYNC2);
}

static void right_range(struct fixture *fixture)
{
	buffer_range(fixture, 0);
}

static void wrong_range(struct fixture *fixture)
{
	buffer_range(fixture, 16);
}

static void everything(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
			  VK_ACCESS_2_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
			  VK_ACCESS_2_MEMORY_READ_BIT);
}

// Availability by one barrier, visibility by another, chained through the copy stage.
static void in_two_steps(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COPY, 0);
	tb_memory_barrier(&fixture->tb, COPY, 0, COMPUTE, READ);
}

static void bottom_to_top(struct fixture *fixture)
{
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, 0);
	tb_memory_barrier(&fixture->tb, VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT, 0, COMPUTE, READ);
}

static void test_barriers(void **state)
{
	(void)state;
	struct fixture fixture;
	void (*const silent[])(struct fixture *) = {right, right_range, everything, in_two_steps};
	for (size_t at = 0; at < sizeof silent / sizeof *silent; at++) {
		two_dispatches(&fixture, silent[at]);
		fixture_expect(&fixture, 0);
	}
	const struct {
		void (*barrier)(struct fixture *);
		enum vkr_race_class race_class;
	} racy[] = {{NULL, VKR_RACE_UNORDERED},
		    {wrong_source_stage, VKR_RACE_UNORDERED},
		    {wrong_source_access, VKR_RACE_UNAVAILABLE},
		    {wrong_destination_access, VKR_RACE_INVISIBLE},
		    {earlier_destination_stage, VKR_RACE_INVISIBLE},
		    {execution_only, VKR_RACE_UNAVAILABLE},
		    {wrong_range, VKR_RACE_UNAVAILABLE},
		    {bottom_to_top, VKR_RACE_UNORDERED}};
	for (size_t at = 0; at < sizeof racy / sizeof *racy; at++) {
		two_dispatches(&fixture, racy[at].barrier);
		fixture_expect_class(&fixture, racy[at].race_class);
	}
}

static void expect_words(void (*barrier)(struct fixture *), const char *missing, const char *change)
{
	struct fixture fixture;
	two_dispatches(&fixture, barrier);
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_string_equal(race->missing, missing);
	assert_string_equal(race->change, change);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

static void test_words(void **state)
{
	(void)state;
	expect_words(NULL,
		     "no barrier between command 1 (vkCmdDispatch) and command 2 (vkCmdDispatch)",
		     "add a vkCmdPipelineBarrier between commands 1 and 2: srcStageMask "
		     "COMPUTE_SHADER, srcAccessMask SHADER_WRITE, dstStageMask COMPUTE_SHADER, "
		     "dstAccessMask SHADER_READ");
	expect_words(wrong_source_access,
		     "vkCmdPipelineBarrier in command 2: srcAccessMask lacks SHADER_STORAGE_WRITE; "
		     "it has COMPUTE_SHADER / SHADER_READ -> COMPUTE_SHADER "
		     "/ SHADER_READ",
		     "add SHADER_WRITE to the srcAccessMask of vkCmdPipelineBarrier in command 2");
	expect_words(wrong_destination_access,
		     "vkCmdPipelineBarrier in command 2: dstAccessMask lacks SHADER_STORAGE_READ; "
		     "it has COMPUTE_SHADER / SHADER_WRITE -> COMPUTE_SHADER / SHADER_WRITE",
		     "add SHADER_READ to the dstAccessMask of vkCmdPipelineBarrier in command 2");
	expect_words(earlier_destination_stage,
		     "vkCmdPipelineBarrier in command 2: dstStageMask lacks COMPUTE_SHADER; it has "
		     "COMPUTE_SHADER / SHADER_WRITE -> DRAW_INDIRECT / MEMORY_READ",
		     "add COMPUTE_SHADER to the dstStageMask of vkCmdPipelineBarrier in command 2");
	expect_words(
		wrong_range,
		"vkCmdPipelineBarrier2 in command 2: no range of its barriers covers the bytes; "
		"it has COMPUTE_SHADER / SHADER_WRITE -> COMPUTE_SHADER / SHADER_READ",
		"widen a range, or add one, to cover 4 bytes at offset 0 of data of "
		"vkCmdPipelineBarrier2 in command 2");
}

static void test_whole_report(void **state)
{
	(void)state;
	struct fixture fixture;
	two_dispatches(&fixture, NULL);
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	const struct vkr_race_report *race = &report->races[0];
	assert_int_equal(report->dispatches, 2);
	assert_int_equal(report->executions, 1);
	assert_int_equal(report->accesses_judged, 8);
	assert_int_equal(report->race_total, 4);
	assert_int_equal(race->count, 4);
	assert_false(race->same_instruction);
	const struct vkr_access_report *access = &race->first;
	assert_int_equal(access->agent, VKR_AGENT_INVOCATION);
	assert_true(access->write && !access->read && !access->atomic);
	assert_string_equal(access->operation, "OpStore");
	assert_string_equal(access->object, "data");
	assert_int_equal(access->offset, 0);
	assert_int_equal(access->bytes, 4);
	assert_string_equal(access->memory, "memory 1");
	assert_string_equal(access->binding, "set 0 binding 0");
	assert_string_equal(access->storage_class, "StorageBuffer");
	assert_string_equal(
		access->stage_access,
		"VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT");
	assert_string_equal(access->source.shader, "writer");
	assert_string_equal(access->source.stage, "compute");
	assert_string_equal(access->source.entry_point, "main");
	assert_int_equal(access->source.line, 11);
	assert_int_equal(access->command.command, 1);
	assert_string_equal(access->command.name, "vkCmdDispatch");
	assert_string_equal(access->command.queue, "queue 1");
	assert_int_equal(access->command.submission, 1);
	access = &race->second;
	assert_string_equal(access->operation, "OpLoad");
	assert_string_equal(
		access->stage_access,
		"VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT / VK_ACCESS_2_SHADER_STORAGE_READ_BIT");
	assert_int_equal(access->command.command, 2);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// A fill, then a dispatch that reads.
static void fill_dispatch(struct fixture *fixture, uint64_t source_stages)
{
	fixture_init(fixture, 64);
	tb_record(&fixture->tb);
	tb_fill(&fixture->tb, fixture->buffer, 0, 64);
	if (source_stages != 0)
		tb_memory_barrier(&fixture->tb, source_stages, VK_ACCESS_2_TRANSFER_WRITE_BIT,
				  COMPUTE, READ);
	fixture_bind(fixture, fixture->reader);
	const uint32_t command = tb_dispatch(&fixture->tb, 1, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	fixture_log(fixture, command, 0, 2);
	tb_log_end(&fixture->tb, execution);
}

static void test_fill_then_dispatch(void **state)
{
	(void)state;
	struct fixture fixture;
	fill_dispatch(&fixture, 0);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	fill_dispatch(&fixture, VK_PIPELINE_STAGE_2_COPY_BIT);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	fill_dispatch(&fixture, VK_PIPELINE_STAGE_2_CLEAR_BIT);
	fixture_expect(&fixture, 0);
	fill_dispatch(&fixture, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT);
	fixture_expect(&fixture, 0);
}

static void dispatch_copy(struct fixture *fixture, bool barrier)
{
	fixture_init(fixture, 64);
	const uint32_t target = tb_buffer(&fixture->tb, 64, "target");
	tb_record(&fixture->tb);
	fixture_bind(fixture, fixture->writer);
	const uint32_t command = tb_dispatch(&fixture->tb, 1, 1, 1);
	if (barrier)
		tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COPY,
				  VK_ACCESS_2_TRANSFER_READ_BIT);
	tb_copy(&fixture->tb, fixture->buffer, target,
		(struct vkr_trace_copy){.source_offset = 8, .bytes = 32});
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	fixture_log(fixture, command, 0, 0);
	tb_log_end(&fixture->tb, execution);
}

static void test_dispatch_then_copy(void **state)
{
	(void)state;
	struct fixture fixture;
	dispatch_copy(&fixture, true);
	fixture_expect(&fixture, 0);
	dispatch_copy(&fixture, false);
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_access_report *copy = &report->races[0].second;
	assert_int_equal(copy->agent, VKR_AGENT_FIXED_FUNCTION);
	assert_string_equal(copy->operation, "copy source");
	assert_string_equal(copy->object, "data");
	assert_int_equal(copy->offset, 8);
	assert_string_equal(copy->stage_access,
			    "VK_PIPELINE_STAGE_2_COPY_BIT / VK_ACCESS_2_TRANSFER_READ_BIT");
	assert_string_equal(copy->command.name, "vkCmdCopyBuffer");
	assert_string_equal(report->races[0].change,
			    "add a vkCmdPipelineBarrier between commands 1 and 2: srcStageMask "
			    "COMPUTE_SHADER, srcAccessMask SHADER_WRITE, dstStageMask TRANSFER, "
			    "dstAccessMask TRANSFER_READ");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

static void indirect(struct fixture *fixture, uint64_t stages, uint64_t accesses)
{
	fixture_init(fixture, 64);
	tb_record(&fixture->tb);
	fixture_bind(fixture, fixture->writer);
	const uint32_t command = tb_dispatch(&fixture->tb, 1, 1, 1);
	tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, stages, accesses);
	fixture_bind(fixture, fixture->reader);
	tb_dispatch_indirect(&fixture->tb, fixture->buffer, 4);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	fixture_log(fixture, command, 0, 0);
	tb_log_end(&fixture->tb, execution);
}

static void test_indirect_arguments(void **state)
{
	(void)state;
	struct fixture fixture;
	indirect(&fixture, VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
		 VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
	fixture_expect(&fixture, 0);
	indirect(&fixture, VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT, READ);
	fixture_expect_class(&fixture, VKR_RACE_INVISIBLE);
	indirect(&fixture, COMPUTE, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
}

// Two dispatches that write words 0..3 and `second`..: no barrier.
static void test_disjoint_halves(void **state)
{
	(void)state;
	for (uint32_t second = 3; second <= 4; second++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		const uint32_t a = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t b = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		fixture_log(&fixture, a, 0, 0);
		fixture_log(&fixture, b, 0, second);
		tb_log_end(&fixture.tb, execution);
		fixture_expect(&fixture, second == 3 ? 1 : 0);
	}
}

// A read-modify-write is a write, too, and needs to see nothing; a load of a like barrier does.
static void test_read_modify_write(void **state)
{
	(void)state;
	const uint64_t accesses[] = {READ | WRITE, READ, WRITE};
	for (size_t at = 0; at < 6; at++) {
		const uint64_t access = accesses[at / 2];
		const bool loads = at % 2;
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t add = fixture_pipeline(
			&fixture.tb, loads ? VKR_SITE_ATOMIC_LOAD : VKR_SITE_ATOMIC_RMW, 33,
			"adder");
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		const uint32_t a = tb_dispatch(&fixture.tb, 1, 1, 1);
		tb_memory_barrier(&fixture.tb, COMPUTE, WRITE, COMPUTE, access);
		fixture_bind(&fixture, add);
		const uint32_t b = tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		fixture_log(&fixture, a, 0, 0);
		fixture_log(&fixture, b, 0, 0);
		tb_log_end(&fixture.tb, execution);
		if (access & READ || !loads)
			fixture_expect(&fixture, 0);
		else
			fixture_expect_class(&fixture, VKR_RACE_INVISIBLE);
	}
}

// The secondary's commands continue the primary's numbering; it inherits nothing bound.
static void secondary(struct fixture *fixture, bool barrier)
{
	fixture_init(fixture, 64);
	tb_record(&fixture->tb);
	tb_label(&fixture->tb, "inner");
	fixture_bind(fixture, fixture->reader);
	tb_dispatch(&fixture->tb, 1, 1, 1);
	tb_label_end(&fixture->tb);
	const uint32_t inner = tb_record_end(&fixture->tb);
	tb_record(&fixture->tb);
	tb_label(&fixture->tb, "outer");
	fixture_bind(fixture, fixture->writer);
	const uint32_t a = tb_dispatch(&fixture->tb, 1, 1, 1);
	if (barrier)
		tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COMPUTE, READ);
	const uint32_t b = fixture->tb.command_count;
	tb_execute(&fixture->tb, inner, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	fixture_log(fixture, b, 0, 0);
	fixture_log(fixture, a, 0, 0);
	tb_log_end(&fixture->tb, execution);
}

static void test_secondary(void **state)
{
	(void)state;
	struct fixture fixture;
	secondary(&fixture, true);
	fixture_expect(&fixture, 0);
	secondary(&fixture, false);
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_string_equal(report->races[0].first.command.labels, "outer");
	assert_string_equal(report->races[0].second.command.labels, "outer / inner");
	assert_string_equal(report->races[0].first.command.command_buffer, "command buffer 2");
	assert_string_equal(report->races[0].second.command.command_buffer, "command buffer 1");
	assert_int_equal(report->races[0].second.command.command, 2);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// A primary that runs nothing itself has the logs of its secondaries all the same.
static void test_secondary_alone(void **state)
{
	(void)state;
	for (int both = 0; both < 2; both++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t inner = tb_record_end(&fixture.tb);
		tb_record(&fixture.tb);
		tb_execute(&fixture.tb, inner, 1);
		const uint32_t outer = tb_record_end(&fixture.tb);
		tb_queue(&fixture.tb, 0);
		for (uint32_t queue = 1; queue <= 2; queue++) {
			const uint32_t execution = tb_submit(&fixture.tb, queue, outer);
			fixture_log(&fixture, 0, 0, both ? 0 : 4 * queue);
			tb_log_end(&fixture.tb, execution);
		}
		fixture_expect(&fixture, (uint32_t)both);
	}
}

// One call in the program, however often it records, is one group; two calls are two.
static void test_callers(void **state)
{
	(void)state;
	for (uint32_t callers = 1; callers <= 2; callers++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		tb_queue(tb, 0);
		for (uint32_t at = 0; at < 2; at++) {
			tb_record(tb);
			tb->caller = 100 + at % callers;
			tb_fill(tb, fixture.buffer, 8 * at, 8);
			tb->caller = 0;
			tb_submit(tb, 1, tb_record_end(tb));
		}
		tb_record(tb);
		tb->caller = 200;
		tb_fill(tb, fixture.buffer, 0, 16);
		tb_submit(tb, 2, tb_record_end(tb));
		fixture_expect(&fixture, callers);
	}
}

// The places of invocations on the grids of their dispatch, whose base is not 0.
static void test_places(void **state)
{
	(void)state;
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site site = {.operation = VKR_SITE_STORE,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .words = 1,
				      .bytes = 4};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = (const uint32_t[]){1, 0},
					 .workgroup_size = {2, 3, 4}};
	struct fixture fixture;
	struct trace_builder *tb = &fixture.tb;
	fixture_init(&fixture, 64);
	const uint32_t pipeline = tb_shader_pipeline(tb, &shader, "places");
	struct vkr_trace_cmd_dispatch dispatch = {.base = {1, 2, 3}, .groups = {3, 2, 4}};
	tb_record(tb);
	fixture_bind(&fixture, pipeline);
	tb_command(tb, VKR_TRACE_CMD_DISPATCH, &dispatch.command, sizeof dispatch, NULL, 0);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	// Counted from the grid's origin: x + 3 * (y + 2 * z).
	tb_chunk(tb, dispatch.command, 1 + 2 + 3 * (2 + 1 + 2 * (3 + 2)), 1 + 2 * (2 + 3 * 3),
		 (const uint32_t[]){1, 0}, 2);
	tb_chunk(tb, dispatch.command, 1 + 3 * (2 + 2 * 3), 2, (const uint32_t[]){1, 0}, 2);
	tb_log_end(tb, execution);
	struct vkr_session *session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_access_report *first = &report->races[0].first;
	const struct vkr_access_report *second = &report->races[0].second;
	assert_memory_equal(second->workgroup, ((const uint32_t[]){3, 3, 5}), 12);
	assert_memory_equal(second->local, ((const uint32_t[]){1, 2, 3}), 12);
	assert_memory_equal(first->workgroup, ((const uint32_t[]){1, 2, 3}), 12);
	assert_memory_equal(first->local, ((const uint32_t[]){0, 1, 0}), 12);
	vkr_session_destroy(session);
	tb_finish(tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_barriers),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_whole_report),
		cmocka_unit_test(test_fill_then_dispatch),
		cmocka_unit_test(test_dispatch_then_copy),
		cmocka_unit_test(test_indirect_arguments),
		cmocka_unit_test(test_disjoint_halves),
		cmocka_unit_test(test_read_modify_write),
		cmocka_unit_test(test_secondary),
		cmocka_unit_test(test_secondary_alone),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
