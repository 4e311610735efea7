// SPDX-License-Identifier: Apache-2.0
// Order between submissions, queues and the host: what each kind of signal and wait gives. Knows
// the reports' words.
#include "failing_memory.h"
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WRITE VK_ACCESS_2_SHADER_WRITE_BIT
#define READ  VK_ACCESS_2_SHADER_READ_BIT

// A recording of one dispatch; `barrier`: a full barrier before it.
static uint32_t record(struct fixture *fixture, uint32_t pipeline, bool barrier)
{
	tb_record(&fixture->tb);
	if (barrier)
		tb_memory_barrier(&fixture->tb, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	fixture_bind(fixture, pipeline);
	tb_dispatch(&fixture->tb, 1, 1, 1);
	return tb_record_end(&fixture->tb);
}

static void log_dispatch(struct fixture *fixture, uint32_t command, uint32_t execution)
{
	fixture_log(fixture, command, 0, 0);
	tb_log_end(&fixture->tb, execution);
}

static void test_two_submissions(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t writes = record(&fixture, fixture.writer, false);
		const uint32_t reads = record(&fixture, fixture.reader, barrier);
		const uint32_t a = tb_submit(&fixture.tb, 1, writes);
		log_dispatch(&fixture, 0, a);
		const uint32_t b = tb_submit(&fixture.tb, 1, reads);
		log_dispatch(&fixture, barrier ? 1 : 0, b);
		if (barrier) {
			fixture_expect(&fixture, 0);
			continue;
		}
		struct vkr_session *session = fixture_judge(&fixture.tb);
		const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
		assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
		assert_string_equal(race->missing,
				    "no barrier between command 1 (vkCmdDispatch) of submission 1 "
				    "and command 1 (vkCmdDispatch) of submission 2");
		assert_string_equal(race->change,
				    "add a vkCmdPipelineBarrier before command 1 of submission 2: "
				    "srcStageMask COMPUTE_SHADER, srcAccessMask SHADER_WRITE, "
				    "dstStageMask COMPUTE_SHADER, dstAccessMask SHADER_READ");
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

// The logs of a batch's executions come one after the other: each is awaited.
static void test_two_executions(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const struct tb_batch batch = {.recording = record(&fixture, fixture.writer, false),
					       .second = record(&fixture, fixture.reader, barrier)};
		const uint32_t last = tb_submit_batch(&fixture.tb, 1, &batch);
		log_dispatch(&fixture, 0, last - 1);
		log_dispatch(&fixture, barrier ? 1 : 0, last);
		struct vkr_session *session = tb_judge(&fixture.tb, false);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->coverage_count, 0);
		assert_int_equal(report->verdict, barrier ? VKR_VERDICT_NONE : VKR_VERDICT_RACES);
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

static void test_submitted_twice(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t writes = record(&fixture, fixture.writer, barrier);
		for (int time = 0; time < 2; time++)
			log_dispatch(&fixture, barrier ? 1 : 0, tb_submit(&fixture.tb, 1, writes));
		fixture_expect(&fixture, barrier ? 0 : 1);
	}
}

// The host waits for the first submission before the second: no barrier is needed for a write
// after a write by way of the host.
static void test_fence(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t fence = tb_fence(&fixture.tb);
		const uint32_t writes = record(&fixture, fixture.writer, false);
		const uint32_t a = tb_submit_batch(
			&fixture.tb, 1, &(struct tb_batch){.recording = writes, .fence = fence});
		log_dispatch(&fixture, 0, a);
		if (waits)
			tb_simple(&fixture.tb, VKR_TRACE_FENCE_WAIT, fence);
		log_dispatch(&fixture, 0, tb_submit(&fixture.tb, 1, writes));
		fixture_expect(&fixture, waits ? 0 : 1);
	}
}

static void test_idle(void **state)
{
	(void)state;
	const unsigned idles[] = {VKR_TRACE_QUEUE_IDLE, VKR_TRACE_DEVICE_IDLE};
	for (size_t at = 0; at < 2; at++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t writes = record(&fixture, fixture.writer, false);
		log_dispatch(&fixture, 0, tb_submit(&fixture.tb, 1, writes));
		tb_simple(&fixture.tb, idles[at], 1);
		log_dispatch(&fixture, 0, tb_submit(&fixture.tb, 1, writes));
		fixture_expect(&fixture, 0);
	}
}

// Writer on queue 1, reader on queue 2. `wait_first`: the wait is submitted before the signal.
static void across_queues(struct fixture *fixture, bool timeline, bool wait_first, bool waits,
			  uint64_t wait_stages)
{
	fixture_init(fixture, 64);
	struct trace_builder *tb = &fixture->tb;
	const uint32_t other = tb_queue(tb, 1);
	const uint32_t semaphore = tb_semaphore(tb, timeline, 0);
	const struct tb_batch writes = {.recording = record(fixture, fixture->writer, false),
					.signal = semaphore,
					.signal_value = 5};
	const struct tb_batch reads = {.recording = record(fixture, fixture->reader, false),
				       .wait = waits ? semaphore : 0,
				       .wait_value = 5,
				       .wait_stages = wait_stages};
	uint32_t a = 0, b = 0;
	if (wait_first)
		b = tb_submit_batch(tb, other, &reads);
	a = tb_submit_batch(tb, 1, &writes);
	if (!wait_first)
		b = tb_submit_batch(tb, other, &reads);
	log_dispatch(fixture, 0, a);
	log_dispatch(fixture, 0, b);
}

static void test_semaphores(void **state)
{
	(void)state;
	struct fixture fixture;
	across_queues(&fixture, false, false, true, 0);
	fixture_expect(&fixture, 0);
	across_queues(&fixture, true, false, true, 0);
	fixture_expect(&fixture, 0);
	across_queues(&fixture, true, true, true, 0);
	fixture_expect(&fixture, 0);
	across_queues(&fixture, true, true, true, COMPUTE);
	fixture_expect(&fixture, 0);
	across_queues(&fixture, true, true, true, COPY);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);

	across_queues(&fixture, true, false, false, 0);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_string_equal(race->missing,
			    "no semaphore, fence or wait orders command 1 (vkCmdDispatch) of "
			    "submission 1 and command 1 (vkCmdDispatch) of submission 2");
	assert_string_equal(race->change, "signal a semaphore in submission 1 and wait for it in "
					  "submission 2");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// Of several signals that reach the value it is the first one that was waited for, though by the
// time the wait comes the others have been made, too: an earlier batch of the queue was kept
// waiting.
static void test_first_signal(void **state)
{
	(void)state;
	for (uint64_t value = 1; value <= 2; value++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t other = tb_queue(tb, 1);
		const uint32_t semaphore = tb_semaphore(tb, true, 0);
		const uint32_t held = tb_semaphore(tb, true, 0);
		const struct vkr_trace_semaphore_signal go = {.semaphore = held, .value = 1};
		const struct tb_batch writes = {.recording =
							record(&fixture, fixture.writer, false),
						.signal = semaphore,
						.signal_value = 2};
		const struct tb_batch reads = {.recording = record(&fixture, fixture.reader, false),
					       .wait = semaphore,
					       .wait_value = value};
		tb_submit_batch(tb, other, &(struct tb_batch){.wait = held, .wait_value = 1});
		tb_submit_batch(tb, 1, &(struct tb_batch){.signal = semaphore, .signal_value = 1});
		const uint32_t a = tb_submit_batch(tb, 1, &writes);
		const uint32_t b = tb_submit_batch(tb, other, &reads);
		log_dispatch(&fixture, 0, a);
		tb_event(tb, VKR_TRACE_SEMAPHORE_SIGNAL, &go, sizeof go, NULL, 0);
		log_dispatch(&fixture, 0, b);
		if (value == 1)
			fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
		else
			fixture_expect(&fixture, 0);
	}
}

// A fence that the host has waited for shows the values that its queue has signaled before, and no
// others: whoever waits for a lower one comes behind those that were seen alone.
static void test_values_seen(void **state)
{
	(void)state;
	for (int of_other = 0; of_other < 2; of_other++)
		for (uint64_t value = 1; value <= 2; value++) {
			struct fixture fixture;
			struct trace_builder *tb = &fixture.tb;
			fixture_init(&fixture, 64);
			const uint32_t other = tb_queue(tb, 1), fence = tb_fence(tb);
			const uint32_t semaphore = tb_semaphore(tb, true, 0);
			const struct tb_batch writes = {
				.recording = record(&fixture, fixture.writer, false),
				.signal = semaphore,
				.signal_value = 2};
			const struct tb_batch reads = {
				.recording = record(&fixture, fixture.reader, false),
				.wait = semaphore,
				.wait_value = value};
			tb_submit_batch(tb, 1,
					&(struct tb_batch){.signal = semaphore,
							   .signal_value = 1,
							   .fence = of_other ? 0 : fence});
			const uint32_t a = tb_submit_batch(tb, 1, &writes);
			if (of_other)
				tb_submit_batch(tb, other, &(struct tb_batch){.fence = fence});
			log_dispatch(&fixture, 0, a);
			tb_simple(tb, VKR_TRACE_FENCE_WAIT, fence);
			const uint32_t b = tb_submit_batch(tb, other, &reads);
			log_dispatch(&fixture, 0, b);
			if (value == 1)
				fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
			else
				fixture_expect(&fixture, 0);
		}
}

// A signal comes behind the signals of semaphores and fences before it on its queue, and so behind
// what these came behind, though its own stages are others ("Semaphore Signaling").
static void test_signal_order(void **state)
{
	(void)state;
	for (int earlier = 0; earlier < 3; earlier++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t other = tb_queue(tb, 1);
		const uint32_t semaphore = tb_semaphore(tb, false, 0);
		const struct tb_batch writes = {
			.recording = record(&fixture, fixture.writer, false),
			.signal = earlier == 1 ? tb_semaphore(tb, false, 0) : 0,
			.fence = earlier == 2 ? tb_fence(tb) : 0};
		const struct tb_batch signals = {.signal = semaphore, .signal_stages = COPY};
		const struct tb_batch reads = {.recording = record(&fixture, fixture.reader, false),
					       .wait = semaphore};
		log_dispatch(&fixture, 0, tb_submit_batch(tb, 1, &writes));
		tb_submit_batch(tb, 1, &signals);
		log_dispatch(&fixture, 0, tb_submit_batch(tb, other, &reads));
		if (earlier)
			fixture_expect(&fixture, 0);
		else
			fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	}
}

// A wait for the value that the semaphore was made with needs no signal.
static void test_initial_value(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const struct tb_batch batch = {.recording = record(&fixture, fixture.writer, false),
				       .wait = tb_semaphore(&fixture.tb, true, 3),
				       .wait_value = 3};
	log_dispatch(&fixture, 0, tb_submit_batch(&fixture.tb, 1, &batch));
	fixture_expect(&fixture, 0);
}

// A wait whose signal the trace never shows: judged all the same, and told.
static void test_unseen_signal(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const uint32_t semaphore = tb_semaphore(&fixture.tb, true, 0);
	const uint32_t fence = tb_fence(&fixture.tb);
	const struct tb_batch batch = {.recording = record(&fixture, fixture.writer, false),
				       .wait = semaphore,
				       .wait_value = 1,
				       .fence = fence};
	log_dispatch(&fixture, 0, tb_submit_batch(&fixture.tb, 1, &batch));
	tb_simple(&fixture.tb, VKR_TRACE_FENCE_WAIT, fence);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->verdict, VKR_VERDICT_INCOMPLETE);
	assert_int_equal(report->coverage_count, 1);
	assert_string_equal(report->coverage[0].kind, "synchronization");
	assert_int_equal(report->accesses_judged, 4);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

static void test_host_signal(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const uint32_t semaphore = tb_semaphore(&fixture.tb, true, 0);
	const struct tb_batch batch = {.recording = record(&fixture, fixture.writer, false),
				       .wait = semaphore,
				       .wait_value = 3};
	const uint32_t execution = tb_submit_batch(&fixture.tb, 1, &batch);
	const struct vkr_trace_semaphore_signal signal = {.semaphore = semaphore, .value = 3};
	tb_event(&fixture.tb, VKR_TRACE_SEMAPHORE_SIGNAL, &signal, sizeof signal, NULL, 0);
	log_dispatch(&fixture, 0, execution);
	fixture_expect(&fixture, 0);
}

// The host is taken to wait for the file that a binary semaphore was exported as. `late`: its batch
// waits for what is signaled later.
static void export_semaphore(struct fixture *fixture, bool exports, bool late)
{
	fixture_init(fixture, 64);
	const uint32_t semaphore = tb_semaphore(&fixture->tb, false, 0);
	const uint32_t before = tb_semaphore(&fixture->tb, true, 0);
	const uint32_t writes = record(fixture, fixture->writer, false);
	const struct tb_batch batch = {.recording = writes,
				       .wait = late ? before : 0,
				       .wait_value = 1,
				       .signal = semaphore};
	const struct vkr_trace_semaphore_wait wait = {.semaphore = semaphore};
	log_dispatch(fixture, 0, tb_submit_batch(&fixture->tb, 1, &batch));
	if (exports)
		tb_event(&fixture->tb, VKR_TRACE_SEMAPHORE_WAIT, &wait, sizeof wait, NULL, 0);
	log_dispatch(fixture, 0, tb_submit(&fixture->tb, 1, writes));
}

static void test_exported_semaphore(void **state)
{
	(void)state;
	struct fixture fixture;
	export_semaphore(&fixture, false, false);
	fixture_expect(&fixture, 1);
	export_semaphore(&fixture, true, false);
	fixture_expect(&fixture, 0);
	// What the batch waits for was not seen signaled by then.
	export_semaphore(&fixture, true, true);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	assert_int_equal(vkr_session_report(session)->race_count, 0);
	assert_int_equal(vkr_session_report(session)->coverage_count, 1);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

static void test_failed_submission(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const uint32_t writes = record(&fixture, fixture.writer, false);
	tb_submit(&fixture.tb, 1, writes);
	const struct vkr_trace_submit_failed failed = {.submission = 1};
	tb_event(&fixture.tb, VKR_TRACE_SUBMIT_FAILED, &failed, sizeof failed, NULL, 0);
	log_dispatch(&fixture, 0, tb_submit(&fixture.tb, 1, writes));
	fixture_expect(&fixture, 0);
}

// Only a secondary logs: nothing of the batch counts, not even what comes before it.
static void test_failed_secondary(void **state)
{
	(void)state;
	for (int failing = 0; failing < 2; failing++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		tb_queue(tb, 0);
		const uint32_t inner = record(&fixture, fixture.writer, false);
		tb_record(tb);
		tb_fill(tb, fixture.buffer, 32, 16);
		tb_execute(tb, inner, 1);
		const uint32_t outer = tb_record_end(tb);
		tb_record(tb);
		tb_fill(tb, fixture.buffer, 32, 16);
		const uint32_t other = tb_record_end(tb);
		const uint32_t execution = tb_submit(tb, 1, outer);
		const struct vkr_trace_submit_failed failed = {.submission = 1};
		if (failing)
			tb_event(tb, VKR_TRACE_SUBMIT_FAILED, &failed, sizeof failed, NULL, 0);
		else
			log_dispatch(&fixture, 1, execution);
		tb_submit(tb, 2, other);
		fixture_expect(&fixture, !failing);
	}
}

static void free_memory(struct trace_builder *tb, uint32_t memory)
{
	tb_simple(tb, VKR_TRACE_MEMORY_FREE, memory);
}

static void test_free_memory(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		const uint32_t writes = record(&fixture, fixture.writer, false);
		const uint32_t execution = tb_submit(&fixture.tb, 1, writes);
		if (waits)
			tb_simple(&fixture.tb, VKR_TRACE_QUEUE_IDLE, 1);
		free_memory(&fixture.tb, 1);
		log_dispatch(&fixture, 0, execution);
		if (waits)
			fixture_expect(&fixture, 0);
		else
			fixture_expect_class(&fixture, VKR_RACE_FREE);
	}
}

static void host_write(struct trace_builder *tb)
{
	const struct vkr_trace_host_access access = {.memory = 1,
						     .operation = VKR_HOST_WRITE,
						     .offset = 0,
						     .bytes = 64,
						     .frame_count = 2};
	const uint64_t frames[] = {0x1234, 0xabcd};
	tb_event(tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, frames, sizeof frames);
}

static void test_host_write(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const uint32_t reads = record(&fixture, fixture.reader, false);
	host_write(&fixture.tb);
	log_dispatch(&fixture, 0, tb_submit(&fixture.tb, 1, reads));
	fixture_expect(&fixture, 0);

	fixture_init(&fixture, 64);
	const uint32_t again = record(&fixture, fixture.reader, false);
	const uint32_t execution = tb_submit(&fixture.tb, 1, again);
	host_write(&fixture.tb);
	log_dispatch(&fixture, 0, execution);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_access_report *host = &report->races[0].second;
	assert_int_equal(host->agent, VKR_AGENT_HOST);
	assert_string_equal(host->operation, "host write");
	assert_string_equal(host->thread, "host thread 1");
	assert_string_equal(host->stack, "0x1234\n0xabcd");
	assert_string_equal(host->object, "data");
	assert_int_equal(host->command.command, 0);
	assert_string_equal(report->races[0].change,
			    "wait for a fence of submission 1 before the host's access");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// A log that comes in several parts, with the device standing still between them: within a
// dispatch, between dispatches, and with nothing logged since; or with the first dispatch's said to
// be there.
static void test_pauses(void **state)
{
	(void)state;
	for (uint32_t pauses = 0; pauses < 32; pauses++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		const uint32_t a = tb_dispatch(&fixture.tb, 2, 1, 1);
		const uint32_t b = tb_dispatch(&fixture.tb, 2, 1, 1);
		tb_fill(&fixture.tb, fixture.buffer, 32, 16);
		const uint32_t recording = tb_record_end(&fixture.tb);
		const uint32_t execution = tb_submit(&fixture.tb, 1, recording);
		const uint32_t other = tb_queue(&fixture.tb, 0);
		const uint32_t second = tb_submit(&fixture.tb, other, recording);
		const uint32_t commands[] = {a, a, b, b};
		for (uint32_t at = 0; at < 4; at++) {
			fixture_log(&fixture, commands[at], at & 1, 4 * at);
			if (pauses >> at & 1)
				tb_log_pause(&fixture.tb, execution);
			if (at == 1 && pauses >> 4 & 1)
				tb_log_commands(&fixture.tb, execution, b);
		}
		tb_log_end(&fixture.tb, execution);
		fixture_log(&fixture, a, 0, 0);
		tb_log_end(&fixture.tb, second);
		struct vkr_session *session = fixture_judge(&fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		// The fill meets the second dispatch's words; the other queue's dispatch meets the
		// first's; the two fills meet each other.
		assert_int_equal(report->race_count, 3);
		assert_int_equal(report->coverage_count, 0);
		assert_int_equal(report->accesses_judged, 16 + 4 + 2);
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

// The log of a dispatch is let go once that is judged, though the next ones' are awaited: they use
// its memory again.
static void test_let_go(void **state)
{
	enum { COMMANDS = 32 };
	(void)state;
	struct fixture fixture;
	struct trace_builder *tb = &fixture.tb;
	struct vkr_session *session = NULL;
	struct vkr_error error;
	unsigned logs = 0, made = 0;
	fixture_init(&fixture, 64);
	tb_record(tb);
	fixture_bind(&fixture, fixture.writer);
	for (uint32_t command = 0; command < COMMANDS; command++)
		tb_dispatch(tb, 1, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	for (uint32_t command = 0; command < COMMANDS; command++) {
		fixture_log(&fixture, command, 0, 0);
		tb_log_commands(tb, execution, command + 1);
	}
	tb_log_end(tb, execution);
	assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
	for (size_t at = 0; at < tb->events.count;) {
		const struct vkr_trace_event *event = (const void *)(tb->events.items + at);
		const bool is_log = event->type == VKR_TRACE_GPU_LOG;
		failing_memory(0, 0);
		assert_int_equal(vkr_session_event(session, event, &error), VKR_OK);
		made += is_log ? failing_memory(0, 0) : 0;
		logs += is_log;
		at += event->bytes;
	}
	assert_int_equal(logs, COMMANDS);
	assert_true(made >= 1 && made <= COMMANDS / 2);
	assert_int_equal(vkr_session_end(session, &error), VKR_OK);
	assert_int_equal(vkr_session_report(session)->coverage_count, 0);
	vkr_session_destroy(session);
	tb_finish(tb);
}

// A log that never comes whole is judged at the end, and told.
static void test_killed(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	tb_submit(&fixture.tb, 1, record(&fixture, fixture.writer, false));
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->verdict, VKR_VERDICT_INCOMPLETE);
	assert_string_equal(report->coverage[0].kind, "log");
	assert_string_equal(report->coverage[0].text,
			    "the log of dispatches of writer is missing, or incomplete");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_submissions),
		cmocka_unit_test(test_two_executions),
		cmocka_unit_test(test_submitted_twice),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_semaphores),
		cmocka_unit_test(test_first_signal),
		cmocka_unit_test(test_values_seen),
		cmocka_unit_test(test_signal_order),
		cmocka_unit_test(test_initial_value),
		cmocka_unit_test(test_unseen_signal),
		cmocka_unit_test(test_host_signal),
		cmocka_unit_test(test_exported_semaphore),
		cmocka_unit_test(test_failed_submission),
		cmocka_unit_test(test_failed_secondary),
		cmocka_unit_test(test_free_memory),
		cmocka_unit_test(test_host_write),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_let_go),
		cmocka_unit_test(test_killed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
