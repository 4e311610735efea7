// SPDX-License-Identifier: Apache-2.0
// Traces with flipped bits, missing events and repeated events: an error or coverage, never a
// crash. Knows nothing of what their judgement should be.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

// Some of everything: two queues, a semaphore, a secondary, dispatches, transfers, host accesses.
static void build(struct fixture *fixture)
{
	fixture_init(fixture, 256);
	struct trace_builder *tb = &fixture->tb;
	const uint32_t other = tb_queue(tb, 1), semaphore = tb_semaphore(tb, true, 0);
	const uint32_t fence = tb_fence(tb);
	const uint32_t adder = fixture_pipeline(tb, VKR_SITE_ATOMIC_RMW, 33, "adder");
	tb_record(tb);
	tb_label(tb, "inner");
	fixture_bind(fixture, adder);
	tb_dispatch(tb, 2, 1, 1);
	tb_label_end(tb);
	const uint32_t inner = tb_record_end(tb);
	tb_record(tb);
	fixture_bind(fixture, fixture->writer);
	tb_dispatch(tb, 2, 1, 1);
	tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_WRITE_BIT, COPY,
			  VK_ACCESS_2_TRANSFER_READ_BIT);
	tb_copy(tb, fixture->buffer, fixture->buffer,
		(struct vkr_trace_copy){.destination_offset = 128, .bytes = 64});
	tb_execute(tb, inner, 1);
	tb_dispatch_indirect(tb, fixture->buffer, 16);
	tb_fill(tb, fixture->buffer, 0, 32);
	const uint32_t outer = tb_record_end(tb);
	const struct vkr_trace_host_access access = {
		.memory = 1, .operation = VKR_HOST_WRITE, .bytes = 16};
	tb_event(tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, NULL, 0);
	const uint32_t a = tb_submit_batch(tb, 1,
					   &(struct tb_batch){.recording = outer,
							      .signal = semaphore,
							      .signal_value = 1,
							      .fence = fence});
	const uint32_t b = tb_submit_batch(
		tb, other,
		&(struct tb_batch){.recording = outer, .wait = semaphore, .wait_value = 1});
	for (uint32_t execution = a; execution <= b; execution++) {
		fixture_log(fixture, 0, 1, 0);
		fixture_log(fixture, 3, 0, 8);
		tb_log_pause(tb, execution);
		fixture_log(fixture, 3, 1, 8);
		fixture_log(fixture, 4, 0, 0);
		tb_log_end(tb, execution);
	}
	tb_simple(tb, VKR_TRACE_FENCE_WAIT, fence);
	tb_simple(tb, VKR_TRACE_DEVICE_IDLE, 1);
	tb_simple(tb, VKR_TRACE_BUFFER_DESTROY, fixture->buffer);
	tb_simple(tb, VKR_TRACE_MEMORY_FREE, 1);
}

// Feeds events of the original sizes, whatever their bytes say now.
static void judge(const struct trace_builder *tb, const char *events, size_t skipped,
		  size_t repeated)
{
	struct vkr_session *session = NULL;
	struct vkr_error error;
	enum vkr_result result = vkr_session_create(NULL, &session, &error);
	assert_int_equal(result, VKR_OK);
	size_t number = 0;
	for (size_t at = 0; at < tb->events.count; number++) {
		const uint32_t bytes =
			((const struct vkr_trace_event *)(tb->events.items + at))->bytes;
		const struct vkr_trace_event *event = (const void *)(events + at);
		const int times = number == skipped ? 0 : number == repeated ? 2 : 1;
		for (int time = 0; time < times && event->bytes == bytes; time++) {
			result = vkr_session_event(session, event, &error);
			if (result == VKR_ERROR_MEMORY)
				goto done;
		}
		at += bytes;
	}
	assert_int_equal(vkr_session_lost(session, "cut off", &error), VKR_OK);
	result = vkr_session_end(session, &error);
	assert_true(result == VKR_OK || result == VKR_ERROR_FORMAT || result == VKR_ERROR_MEMORY);
	assert_true(vkr_session_report(session)->coverage_count > 0);
done:
	vkr_session_destroy(session);
}

static void test_flipped_bits(void **state)
{
	(void)state;
	struct fixture fixture;
	build(&fixture);
	const size_t count = fixture.tb.events.count;
	char *events = malloc(count);
	assert_non_null(events);
	uint64_t random = 88172645463325252u;
	for (int round = 0; round < 3000; round++) {
		memcpy(events, fixture.tb.events.items, count);
		for (int flip = 0; flip <= round % 3; flip++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			events[random / 8 % count] ^= (char)(1 << (random & 7));
		}
		judge(&fixture.tb, events, SIZE_MAX, SIZE_MAX);
	}
	free(events);
	tb_finish(&fixture.tb);
}

static void test_missing_and_repeated(void **state)
{
	(void)state;
	struct fixture fixture;
	build(&fixture);
	size_t events = 0;
	for (size_t at = 0; at < fixture.tb.events.count; events++)
		at += ((const struct vkr_trace_event *)(fixture.tb.events.items + at))->bytes;
	for (size_t at = 0; at < events; at++) {
		judge(&fixture.tb, fixture.tb.events.items, at, SIZE_MAX);
		judge(&fixture.tb, fixture.tb.events.items, SIZE_MAX, at);
	}
	tb_finish(&fixture.tb);
}

// No event is without a part of the model that takes it: what no part knows is told as misplaced.
static void expect_taken(bool in_recording, unsigned type, size_t payload_bytes)
{
	static uint32_t nothing[32];
	struct trace_builder tb;
	struct vkr_session *session = NULL;
	struct vkr_error error = {.message = ""};
	tb_init(&tb);
	assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
	assert_true(payload_bytes <= sizeof nothing);
	if (in_recording) {
		tb_record(&tb);
		memset(nothing, 0, sizeof nothing);
		tb_command(&tb, type, nothing, payload_bytes, NULL, 0);
		tb_submit(&tb, 1, tb_record_end(&tb));
	} else {
		memset(nothing, 0, sizeof nothing);
		tb_event(&tb, type, nothing, payload_bytes, NULL, 0);
	}
	for (size_t at = 0; at < tb.events.count;) {
		const struct vkr_trace_event *event = (const void *)(tb.events.items + at);
		if (vkr_session_event(session, event, &error) != VKR_OK &&
		    strstr(error.message, "a recording") != NULL)
			fail_msg("%s", error.message);
		at += event->bytes;
	}
	vkr_session_destroy(session);
	tb_finish(&tb);
}

static void test_every_event(void **state)
{
	(void)state;
#define EXPECT_TAKEN(name, number, structure, bytes)                                               \
	expect_taken(strncmp(#name, "CMD_", 4) == 0, number, bytes);
	VKR_TRACE_EVENTS(EXPECT_TAKEN)
#undef EXPECT_TAKEN
}

// Damaged sizes take no more memory than what is said of their contents.
// A list of two invocations that says it was gone through so often: each writes a word in each
// turn, both the same ones.
static struct vkr_session *judge_list(uint32_t turns)
{
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site site = {.operation = VKR_SITE_STORE,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .flags = VKR_SITE_COMPUTED,
				      .bytes = 4,
				      .by_iteration = 4};
	const uint32_t segments[] = {1, 0}, lists[] = {1};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = segments,
					 .lists = lists,
					 .workgroup_size = {2, 1, 1},
					 .name = "list"};
	const uint32_t pipeline = tb_shader_pipeline(&fixture.tb, &shader, "list");
	tb_record(&fixture.tb);
	fixture_bind(&fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture.tb, 2, 1, 1);
	const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	const uint32_t record[] = {1, turns};
	tb_chunk(&fixture.tb, command, 0, 0, record, 2);
	tb_chunk(&fixture.tb, command, 0, 1, record, 2);
	tb_log_end(&fixture.tb, execution);
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	tb_finish(&fixture.tb);
	return session;
}

// A word claims more iterations than anybody could wait for: that is reported, and the rest judged.
static void test_endless_lists(void **state)
{
	(void)state;
	struct vkr_session *session = judge_list(3);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].count, 3);
	assert_int_equal(report->coverage_count, 0);
	vkr_session_destroy(session);

	session = judge_list(UINT32_MAX);
	report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	bool told = false;
	for (uint32_t at = 0; at < report->coverage_count; at++)
		told |= strcmp(report->coverage[at].text,
			       "workgroups of list ran for longer than they are followed") == 0;
	assert_true(told);
	vkr_session_destroy(session);
}

static void test_memory(void **state)
{
	(void)state;
	struct rusage usage;
	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	assert_true(usage.ru_maxrss < 1024 * 1024); // KiB
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flipped_bits), cmocka_unit_test(test_missing_and_repeated),
		cmocka_unit_test(test_every_event),  cmocka_unit_test(test_endless_lists),
		cmocka_unit_test(test_memory), // of those before
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
