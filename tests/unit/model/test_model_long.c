// SPDX-License-Identifier: Apache-2.0
// What a session holds of a program that runs for long: no more after many
// frames than after some. Knows the trace's events; not what is held of each.
#include "model_fixture.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Numbers of commands and epochs are taken back some tens of thousands at a
// time.
#define FRAMES 16000u

struct run {
	struct fixture fixture;
	struct vkr_session *session;
	uint32_t fence, semaphores[2], frame;
};

static void feed(struct run *run)
{
	struct trace_builder *tb = &run->fixture.tb;
	struct vkr_error error = {.message = ""};
	for (size_t at = 0; at < tb->events.count;) {
		const struct vkr_trace_event *event = (const void *)(tb->events.items + at);
		if (vkr_session_event(run->session, event, &error) != VKR_OK)
			fail_msg("%s", error.message);
		at += event->bytes;
	}
	tb->events.count = 0;
}

static void begin(struct run *run)
{
	struct vkr_error error = {.message = ""};
	memset(run, 0, sizeof *run);
	fixture_init(&run->fixture, 256);
	struct trace_builder *tb = &run->fixture.tb;
	run->fence = tb_fence(tb);
	for (int i = 0; i < 2; i++)
		run->semaphores[i] = tb_semaphore(tb, i == 1, 0);
	assert_int_equal(vkr_session_create(&tb->options, &run->session, &error), VKR_OK);
	feed(run);
}

static void end(struct run *run)
{
	struct vkr_error error = {.message = ""};
	assert_int_equal(vkr_session_end(run->session, &error), VKR_OK);
	const struct vkr_report *report = vkr_session_report(run->session);
	assert_int_equal(report->race_count, 0);
	assert_int_equal(report->coverage_count, 0);
	vkr_session_destroy(run->session);
	tb_finish(&run->fixture.tb);
}

// Writes in a shader and reads in another, by a recording of its own in one
// command buffer.
static uint32_t record(struct run *run)
{
	struct trace_builder *tb = &run->fixture.tb;
	tb_record(tb);
	tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_WRITE_BIT, COMPUTE,
			  VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT);
	fixture_bind(&run->fixture, run->fixture.writer);
	const uint32_t write = tb_dispatch(tb, 1, 1, 1);
	tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_WRITE_BIT, COMPUTE,
			  VK_ACCESS_2_SHADER_READ_BIT);
	fixture_bind(&run->fixture, run->fixture.reader);
	const uint32_t read = tb_dispatch(tb, 1, 1, 1);
	fixture_log(&run->fixture, write, 0, 0);
	fixture_log(&run->fixture, read, 0, 0);
	return tb_record_end_in(tb, 1);
}

static void frame_in_order(struct run *run)
{
	struct trace_builder *tb = &run->fixture.tb;
	const uint32_t recording = record(run);
	tb_log_end(tb,
		   tb_submit_batch(
			   tb, 1, &(struct tb_batch){.recording = recording, .fence = run->fence}));
	tb_simple(tb, VKR_TRACE_FENCE_WAIT, run->fence);
	tb_simple(tb, VKR_TRACE_FENCE_RESET, run->fence);
}

// Waits for the frame before it by a timeline.
static void submit_counting(struct run *run, uint32_t fence)
{
	struct trace_builder *tb = &run->fixture.tb;
	const uint32_t recording = record(run), semaphore = run->semaphores[1];
	tb_log_end(tb, tb_submit_batch(tb, 1,
				       &(struct tb_batch){.recording = recording,
							  .wait = run->frame ? semaphore : 0,
							  .wait_value = run->frame,
							  .signal = semaphore,
							  .signal_value = run->frame + 1,
							  .fence = fence}));
}

// The host waits for each frame, but not by the timeline that it counts.
static void frame_by_fence(struct run *run)
{
	struct trace_builder *tb = &run->fixture.tb;
	submit_counting(run, run->fence);
	tb_simple(tb, VKR_TRACE_FENCE_WAIT, run->fence);
	tb_simple(tb, VKR_TRACE_FENCE_RESET, run->fence);
}

static void frame_by_idle(struct run *run)
{
	submit_counting(run, 0);
	tb_simple(&run->fixture.tb, VKR_TRACE_QUEUE_IDLE, 1);
}

// The host waits for the last frame but one.
static void frame_by_timeline(struct run *run)
{
	struct trace_builder *tb = &run->fixture.tb;
	const uint32_t semaphore = run->semaphores[1];
	submit_counting(run, 0);
	const struct vkr_trace_semaphore_wait seen = {.semaphore = semaphore,
						      .value = run->frame > 1 ? run->frame - 1 : 0};
	tb_event(tb, VKR_TRACE_SEMAPHORE_WAIT, &seen, sizeof seen, NULL, 0);
}

static size_t most_of(struct run *run, void (*frame)(struct run *run))
{
	size_t most = 0;
	for (unsigned i = 0; i < FRAMES; i++, run->frame++) {
		frame(run);
		feed(run);
		const size_t held = i % 100 == 0 ? mallinfo2().uordblks : 0;
		most = held > most ? held : most;
	}
	return most;
}

static void check(void (*frame)(struct run *run))
{
	struct run run;
	begin(&run);
	(void)most_of(&run, frame);
	(void)most_of(&run, frame);
	const size_t before = most_of(&run, frame), after = most_of(&run, frame);
	print_message("%zu bytes, then %zu\n", before, after);
	// 64 bytes a frame would be more.
	assert_true(after <= before + (UINT64_C(1) << 20));
	end(&run);
}

static void in_order(void **state)
{
	(void)state;
	check(frame_in_order);
}

static void by_timeline(void **state)
{
	(void)state;
	check(frame_by_timeline);
}

static void by_fence(void **state)
{
	(void)state;
	check(frame_by_fence);
}

static void by_idle(void **state)
{
	(void)state;
	check(frame_by_idle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(in_order),
					   cmocka_unit_test(by_timeline),
					   cmocka_unit_test(by_fence), cmocka_unit_test(by_idle)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
