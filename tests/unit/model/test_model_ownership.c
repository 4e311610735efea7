// SPDX-License-Identifier: Apache-2.0
// Transfers of ownership between the families of two queues: both halves, one, none. Knows the
// reports' words.
#include "attachment_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum halves {
	RELEASE = 1,
	ACQUIRE = 2,
};

static struct vkr_trace_barrier transfer(uint32_t buffer, uint32_t from, uint32_t to,
					 uint64_t bytes)
{
	return (struct vkr_trace_barrier){
		.kind = VKR_BARRIER_BUFFER,
		.object = buffer,
		.source_stages = COPY,
		.source_access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.destination_stages = COPY,
		.destination_access = VK_ACCESS_2_TRANSFER_READ_BIT,
		.bytes = bytes,
		.source_family = from,
		.destination_family = to,
	};
}

// A queue of family 1, and a buffer that the other one's family 0 has filled.
struct pair {
	struct fixture fixture;
	struct trace_builder *tb;
	uint32_t buffer, copied, semaphore;
};

static void begin(struct pair *pair)
{
	fixture_init(&pair->fixture, 64);
	pair->tb = &pair->fixture.tb;
	pair->tb->exclusive = true;
	pair->buffer = tb_buffer(pair->tb, 64, "handed");
	pair->copied = tb_buffer(pair->tb, 64, "copied");
	pair->semaphore = tb_semaphore(pair->tb, true, 0);
	tb_queue(pair->tb, 1);
}

// What is recorded, behind all that was submitted.
static void submit(struct pair *pair, uint32_t queue, uint64_t place)
{
	tb_submit_batch(pair->tb, queue,
			&(struct tb_batch){.recording = tb_record_end(pair->tb),
					   .wait = place > 1 ? pair->semaphore : 0,
					   .wait_value = place - 1,
					   .signal = pair->semaphore,
					   .signal_value = place});
}

static void fill(struct pair *pair)
{
	tb_record(pair->tb);
	tb_fill(pair->tb, pair->buffer, 0, 64);
}

static void copy(struct pair *pair)
{
	tb_copy(pair->tb, pair->buffer, pair->copied, (struct vkr_trace_copy){0, 0, 32});
}

static void hand_over(struct pair *pair, unsigned halves, uint64_t acquired_bytes)
{
	begin(pair);
	const struct vkr_trace_barrier release = transfer(pair->buffer, 0, 1, 64);
	const struct vkr_trace_barrier acquire = transfer(pair->buffer, 0, 1, acquired_bytes);
	fill(pair);
	if (halves & RELEASE)
		tb_barrier(pair->tb, &release, 1, VKR_BARRIER_SYNC2);
	submit(pair, 1, 1);
	tb_record(pair->tb);
	if (halves & ACQUIRE)
		tb_barrier(pair->tb, &acquire, 1, VKR_BARRIER_SYNC2);
	copy(pair);
	submit(pair, 2, 2);
}

static void expect_missing(struct pair *pair, const char *missing)
{
	struct vkr_session *session = fixture_judge(pair->tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_INVISIBLE);
	assert_string_equal(report->races[0].missing, missing);
	assert_string_equal(report->races[0].change,
			    "add a barrier with srcQueueFamilyIndex 0 and dstQueueFamilyIndex 1 "
			    "behind command 1 of submission 1, and the same before command 2 of "
			    "submission 2, or create handed with VK_SHARING_MODE_CONCURRENT");
	vkr_session_destroy(session);
	tb_finish(pair->tb);
}

static void test_halves(void **state)
{
	(void)state;
	struct pair pair;
	hand_over(&pair, RELEASE | ACQUIRE, 64);
	fixture_expect(&pair.fixture, 0);
	hand_over(&pair, ACQUIRE, 64);
	expect_missing(&pair,
		       "queue family 0 owns the bytes of handed, which is exclusive, when "
		       "vkCmdPipelineBarrier2 in command 1 of submission 2 acquires them: no "
		       "barrier like it on queue family 0 has released them");
	// The halves must name the same range.
	hand_over(&pair, RELEASE | ACQUIRE, 32);
	expect_missing(&pair,
		       "queue family 0 owns the bytes of handed, which is exclusive, when "
		       "vkCmdPipelineBarrier2 in command 1 of submission 2 acquires them: no "
		       "barrier like it on queue family 0 has released them");
	for (unsigned halves = 0; halves < 2; halves++) {
		hand_over(&pair, halves, 64);
		fixture_expect_class(&pair.fixture, VKR_RACE_INVISIBLE);
	}
}

// What is said of an object has its name in it, however long.
static void test_long_name(void **state)
{
	(void)state;
	struct pair pair;
	char name[5001] = {0}, missing[sizeof name + 200], change[sizeof name + 300];
	memset(name, 'n', sizeof name - 1);
	begin(&pair);
	pair.buffer = tb_buffer(pair.tb, 64, name);
	fill(&pair);
	submit(&pair, 1, 1);
	tb_record(pair.tb);
	copy(&pair);
	submit(&pair, 2, 2);
	snprintf(missing, sizeof missing,
		 "queue family 0 owns the bytes of %s, which is exclusive, and no pair of barriers "
		 "hands them to queue family 1",
		 name);
	snprintf(
		change, sizeof change,
		"add a barrier with srcQueueFamilyIndex 0 and dstQueueFamilyIndex 1 behind command "
		"1 of submission 1, and the same before command 1 of submission 2, or create %s "
		"with VK_SHARING_MODE_CONCURRENT",
		name);
	struct vkr_session *session = fixture_judge(pair.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_string_equal(report->races[0].first.object, name);
	assert_string_equal(report->races[0].missing, missing);
	assert_string_equal(report->races[0].change, change);
	vkr_session_destroy(session);
	tb_finish(pair.tb);
}

// What a family writes itself it may read.
static void test_overwritten(void **state)
{
	(void)state;
	struct pair pair;
	begin(&pair);
	fill(&pair);
	submit(&pair, 1, 1);
	fill(&pair);
	tb_memory_barrier(pair.tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, COPY,
			  VK_ACCESS_2_TRANSFER_READ_BIT);
	copy(&pair);
	submit(&pair, 2, 2);
	fixture_expect(&pair.fixture, 0);
}

static void transfer_image(struct trace_builder *tb, uint32_t old_layout, uint32_t new_layout)
{
	struct vkr_trace_barrier barrier = transfer(COLOR, 0, 1, 0);
	barrier.kind = VKR_BARRIER_IMAGE;
	barrier.old_layout = old_layout;
	barrier.new_layout = new_layout;
	barrier.subresources = (struct vkr_trace_subresources){
		.aspects = COLOR_ASPECT, .mip_count = 1, .layer_count = LAYERS};
	tb_barrier(tb, &barrier, 1, VKR_BARRIER_SYNC2);
}

// An image that one family clears and the other one copies, with these layouts in the second half.
static void hand_image(uint32_t old_layout, uint32_t new_layout, uint32_t races)
{
	const struct vkr_trace_subresources all = {
		.aspects = COLOR_ASPECT, .mip_count = 1, .layer_count = LAYERS};
	struct vkr_trace_cmd_clear_image clear = {
		.image = COLOR, .layout = VK_IMAGE_LAYOUT_GENERAL, .range_count = 1};
	struct passes test;
	attachments_begin(&test);
	struct trace_builder *tb = &test.tb;
	struct vkr_trace_cmd_image_buffer copy = {
		.buffer = test.texels, .image = COLOR, .layout = new_layout, .region_count = 1};
	const struct vkr_trace_image_rows rows = {
		.box = {.aspects = COLOR_ASPECT, .layer_count = 1, .extent = {SIDE, SIDE, 1}}};
	const uint32_t other = tb_queue(tb, 1), semaphore = tb_semaphore(tb, false, 0);
	tb_record(tb);
	tb_command(tb, VKR_TRACE_CMD_CLEAR_IMAGE, &clear.command, sizeof clear, &all, sizeof all);
	transfer_image(tb, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
	tb_submit_batch(tb, 1,
			&(struct tb_batch){.recording = tb_record_end(tb), .signal = semaphore});
	tb_record(tb);
	transfer_image(tb, old_layout, new_layout);
	tb_command(tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows, sizeof rows);
	tb_submit_batch(tb, other,
			&(struct tb_batch){.recording = tb_record_end(tb), .wait = semaphore});
	test.session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(test.session);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, races);
	for (uint32_t at = 0; at < races; at++)
		assert_int_equal(report->races[at].race_class, VKR_RACE_INVISIBLE);
	attachments_end(&test);
}

// The halves must name the same layouts, too.
static void test_layouts(void **state)
{
	(void)state;
	hand_image(VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 0);
	hand_image(VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, 1);
	hand_image(VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 1);
}

// Given away, the bytes must be taken back: by a transfer of their own.
static void test_there_and_back(void **state)
{
	(void)state;
	for (int back = 0; back < 2; back++) {
		struct pair pair;
		begin(&pair);
		const struct vkr_trace_barrier there = transfer(pair.buffer, 0, 1, 64);
		const struct vkr_trace_barrier home = transfer(pair.buffer, 1, 0, 64);
		fill(&pair);
		tb_barrier(pair.tb, &there, 1, VKR_BARRIER_SYNC2);
		submit(&pair, 1, 1);
		tb_record(pair.tb);
		tb_barrier(pair.tb, &there, 1, VKR_BARRIER_SYNC2);
		if (back)
			tb_barrier(pair.tb, &home, 1, VKR_BARRIER_SYNC2);
		submit(&pair, 2, 2);
		tb_record(pair.tb);
		if (back)
			tb_barrier(pair.tb, &home, 1, VKR_BARRIER_SYNC2);
		copy(&pair);
		submit(&pair, 1, 3);
		if (back)
			fixture_expect(&pair.fixture, 0);
		else
			fixture_expect_class(&pair.fixture, VKR_RACE_INVISIBLE);
	}
}

// Concurrent resources have no owner.
static void test_concurrent(void **state)
{
	(void)state;
	struct pair pair;
	begin(&pair);
	pair.tb->exclusive = false;
	pair.buffer = tb_buffer(pair.tb, 64, "shared");
	fill(&pair);
	submit(&pair, 1, 1);
	tb_record(pair.tb);
	copy(&pair);
	submit(&pair, 2, 2);
	fixture_expect(&pair.fixture, 0);
}

// With maintenance9 a family reads what another has written, without a transfer.
static void test_families_share(void **state)
{
	(void)state;
	for (uint32_t share = 0; share < 2; share++) {
		struct pair pair;
		struct trace_builder *tb = &pair.fixture.tb;
		begin(&pair);
		const struct vkr_trace_device device = {.device = 2,
							.subgroup_size = 8,
							.flags =
								share ? VKR_DEVICE_MAINTENANCE9 : 0,
							.non_coherent_atom = 64};
		const struct vkr_trace_memory memory = {
			.memory = ++tb->ids[VKR_OBJECT_MEMORY], .device = 2, .bytes = 64};
		tb_event(tb, VKR_TRACE_DEVICE, &device, sizeof device, NULL, 0);
		tb_event(tb, VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
		pair.buffer = tb_bound_buffer(tb, memory.memory, 0, 64);
		fill(&pair);
		submit(&pair, 1, 1);
		tb_record(tb);
		copy(&pair);
		submit(&pair, 2, 2);
		if (share)
			fixture_expect(&pair.fixture, 0);
		else
			fixture_expect_class(&pair.fixture, VKR_RACE_INVISIBLE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_halves),         cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_long_name),      cmocka_unit_test(test_overwritten),
		cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_families_share),
		cmocka_unit_test(test_concurrent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
