// SPDX-License-Identifier: Apache-2.0
// Presentation: what waits for the presentation engine, what it waits for, and when that is judged.
// Knows no driver.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SIDE  16u
#define IMAGE 1u

struct present {
	struct fixture fixture;
	uint32_t semaphores[4]; // of two frames: acquired, rendered
	uint32_t fence;
};

static void add_image(struct present *present, uint32_t number, uint32_t sharing)
{
	struct trace_builder *tb = &present->fixture.tb;
	const struct vkr_trace_image image = {.image = number,
					      .device = 1,
					      .type = VK_IMAGE_TYPE_2D,
					      .format = VK_FORMAT_B8G8R8A8_UNORM,
					      .extent = {SIDE, SIDE, 1},
					      .mips = 1,
					      .layers = 1,
					      .samples = 1,
					      .sharing = sharing,
					      .flags = VKR_IMAGE_SWAPCHAIN};
	const struct vkr_trace_image_bind bind = {
		.image = number,
		.memory = tb_memory(tb, 4 * SIDE * SIDE, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)};
	tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
}

static void begin_with(struct present *present, uint32_t sharing)
{
	struct trace_builder *tb = &present->fixture.tb;
	fixture_init(&present->fixture, 64);
	add_image(present, IMAGE, sharing);
	for (int at = 0; at < 4; at++)
		present->semaphores[at] = tb_semaphore(tb, false, 0);
	present->fence = tb_fence(tb);
}

static void begin(struct present *present)
{
	begin_with(present, VK_SHARING_MODE_EXCLUSIVE);
}

static void clear_image(struct present *present)
{
	struct vkr_trace_cmd_clear_image clear = {
		.image = IMAGE, .layout = VK_IMAGE_LAYOUT_GENERAL, .range_count = 1};
	const struct vkr_trace_subresources all = {
		.aspects = VK_IMAGE_ASPECT_COLOR_BIT, .mip_count = 1, .layer_count = 1};
	tb_command(&present->fixture.tb, VKR_TRACE_CMD_CLEAR_IMAGE, &clear.command, sizeof clear,
		   &all, sizeof all);
}

// A recording that clears the image and, with a dispatch, has a log that may come late.
static uint32_t record_clear(struct present *present)
{
	struct trace_builder *tb = &present->fixture.tb;
	tb_record(tb);
	tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_WRITE_BIT, COMPUTE,
			  VK_ACCESS_2_SHADER_WRITE_BIT);
	fixture_bind(&present->fixture, present->fixture.writer);
	tb_dispatch(tb, 1, 1, 1);
	clear_image(present);
	return tb_record_end(tb);
}

static void acquire(struct present *present, uint32_t semaphore, uint32_t fence)
{
	const struct vkr_trace_acquire event = {
		.image = IMAGE, .semaphore = semaphore, .fence = fence};
	tb_event(&present->fixture.tb, VKR_TRACE_ACQUIRE, &event, sizeof event, NULL, 0);
}

static void show_on(struct present *present, uint32_t queue, uint32_t wait, uint32_t fence)
{
	struct trace_builder *tb = &present->fixture.tb;
	const struct vkr_trace_present event = {.submission = ++tb->submissions,
						.queue = queue,
						.wait_count = wait != 0,
						.image_count = 1,
						.fence_count = fence != 0};
	uint32_t tail[3], count = 0;
	if (wait != 0)
		tail[count++] = wait;
	tail[count++] = IMAGE;
	if (fence != 0)
		tail[count++] = fence;
	tb_event(tb, VKR_TRACE_PRESENT, &event, sizeof event, tail, count * sizeof *tail);
}

static void show(struct present *present, uint32_t wait)
{
	show_on(present, 1, wait, 0);
}

static void render(struct present *present, uint32_t wait, uint32_t signal)
{
	const uint32_t recording = record_clear(present);
	const uint32_t execution = tb_submit_batch(
		&present->fixture.tb, 1,
		&(struct tb_batch){.recording = recording, .wait = wait, .signal = signal});
	fixture_log(&present->fixture, 1, 0, 0);
	tb_log_end(&present->fixture.tb, execution);
}

// Two frames with one image: each clear is behind the presentation before, which is behind the
// clear before that.
static void test_loop(void **state)
{
	(void)state;
	for (int wrong = 0; wrong < 3; wrong++) {
		struct present present;
		begin(&present);
		const uint32_t *semaphores = present.semaphores;
		acquire(&present, semaphores[0], 0);
		render(&present, semaphores[0], wrong == 1 ? 0 : semaphores[1]);
		show(&present, wrong == 1 ? 0 : semaphores[1]);
		acquire(&present, semaphores[2], 0);
		render(&present, wrong == 2 ? 0 : semaphores[2], semaphores[3]);
		show(&present, semaphores[3]);
		// What does not wait is not behind the frame before either.
		fixture_expect(&present.fixture, wrong == 0 ? 0 : 2);
	}
}

// Frames that overwrite a buffer are in order by the image that they share, where the driver gives
// out the same one: the program has no such promise. For the image itself it has.
static void test_any_image(void **state)
{
	(void)state;
	for (int any = 0; any < 2; any++)
		for (int alone = 0; alone < 2; alone++) {
			struct present present;
			begin(&present);
			struct trace_builder *tb = &present.fixture.tb;
			tb->options.any_image = any;
			if (!alone)
				add_image(&present, 2, VK_SHARING_MODE_EXCLUSIVE);
			for (int frame = 0; frame < 2; frame++) {
				const uint32_t *semaphores = &present.semaphores[2 * frame];
				acquire(&present, semaphores[0], 0);
				tb_record(tb);
				tb_fill(tb, present.fixture.buffer, 0, 64);
				clear_image(&present);
				tb_submit_batch(tb, 1,
						&(struct tb_batch){.recording = tb_record_end(tb),
								   .wait = semaphores[0],
								   .signal = semaphores[1]});
				show(&present, semaphores[1]);
			}
			fixture_expect(&present.fixture, any && !alone);
		}
}

// What does not wait for the acquisition races with it, as ever.
static void test_any_image_unwaited(void **state)
{
	(void)state;
	struct present present;
	begin(&present);
	present.fixture.tb.options.any_image = true;
	add_image(&present, 2, VK_SHARING_MODE_EXCLUSIVE);
	acquire(&present, present.semaphores[0], 0);
	render(&present, 0, present.semaphores[1]);
	show(&present, present.semaphores[1]);
	fixture_expect(&present.fixture, 1);
}

static void test_fence(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct present present;
		begin(&present);
		acquire(&present, 0, present.fence);
		if (waits)
			tb_simple(&present.fixture.tb, VKR_TRACE_FENCE_WAIT, present.fence);
		render(&present, 0, present.semaphores[1]);
		show(&present, present.semaphores[1]);
		fixture_expect(&present.fixture, waits ? 0 : 1);
	}
}

// The host has seen the fence of an acquisition behind a presentation whose rendering's log is not
// there yet.
static void test_fence_behind(void **state)
{
	(void)state;
	struct present present;
	begin(&present);
	acquire(&present, present.semaphores[0], 0);
	render(&present, present.semaphores[0], present.semaphores[1]);
	show(&present, present.semaphores[1]);
	acquire(&present, 0, present.fence);
	tb_simple(&present.fixture.tb, VKR_TRACE_FENCE_WAIT, present.fence);
	render(&present, 0, 0);
	fixture_expect(&present.fixture, 0);
}

// A presentation's own fence tells that its semaphores were waited for: what signaled them is
// behind the host then.
static void test_present_fence(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct present present;
		begin(&present);
		acquire(&present, present.semaphores[0], 0);
		render(&present, present.semaphores[0], present.semaphores[1]);
		show_on(&present, 1, present.semaphores[1], present.fence);
		if (waits)
			tb_simple(&present.fixture.tb, VKR_TRACE_FENCE_WAIT, present.fence);
		tb_record(&present.fixture.tb);
		tb_fill(&present.fixture.tb, present.fixture.buffer, 0, 64);
		tb_submit(&present.fixture.tb, 1, tb_record_end(&present.fixture.tb));
		if (waits)
			fixture_expect(&present.fixture, 0);
		else
			fixture_expect_class(&present.fixture, VKR_RACE_UNORDERED);
	}
}

// The family that presents must own an image that is exclusive.
static void test_family(void **state)
{
	(void)state;
	for (int shared = 0; shared < 2; shared++) {
		struct present present;
		begin_with(&present,
			   shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE);
		const uint32_t other = tb_queue(&present.fixture.tb, 1);
		acquire(&present, present.semaphores[0], 0);
		render(&present, present.semaphores[0], present.semaphores[1]);
		show_on(&present, other, present.semaphores[1], 0);
		fixture_expect(&present.fixture, shared ? 0 : 1);
	}
}

// Objects that are not there are no error; a wait for a signal that nobody saw is told.
static void test_unknown(void **state)
{
	(void)state;
	struct present present;
	begin(&present);
	const struct vkr_trace_acquire nothing = {0};
	const struct vkr_trace_acquire unknown = {.image = 77, .semaphore = 78, .fence = 79};
	tb_event(&present.fixture.tb, VKR_TRACE_ACQUIRE, &nothing, sizeof nothing, NULL, 0);
	tb_event(&present.fixture.tb, VKR_TRACE_ACQUIRE, &unknown, sizeof unknown, NULL, 0);
	show(&present, 99);
	struct vkr_session *session = fixture_judge(&present.fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 0);
	assert_int_equal(report->coverage_count, 1);
	assert_string_equal(report->coverage[0].text,
			    "a presentation waits for a semaphore whose signal was not recorded");
	vkr_session_destroy(session);
	tb_finish(&present.fixture.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_image),    cmocka_unit_test(test_any_image_unwaited),
		cmocka_unit_test(test_loop),         cmocka_unit_test(test_fence),
		cmocka_unit_test(test_fence_behind), cmocka_unit_test(test_family),
		cmocka_unit_test(test_unknown),      cmocka_unit_test(test_present_fence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
