// SPDX-License-Identifier: Apache-2.0
// What copies and layout transitions that the host makes of images mean to the device. Knows events
// and verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SIDE    16u // texels of 4 bytes
#define GENERAL VK_IMAGE_LAYOUT_GENERAL

// Images 1 and 2, each in memory of its own that no host thread can map.
static void begin(struct trace_builder *tb)
{
	tb_init(tb);
	for (uint32_t id = 1; id <= 2; id++) {
		const struct vkr_trace_image image = {.image = id,
						      .device = 1,
						      .bytes = 4 * SIDE * SIDE,
						      .type = VK_IMAGE_TYPE_2D,
						      .format = VK_FORMAT_R8G8B8A8_UNORM,
						      .extent = {SIDE, SIDE, 1},
						      .mips = 1,
						      .layers = 1,
						      .samples = 1};
		const struct vkr_trace_image_bind bind = {
			.image = id,
			.memory = tb_memory(tb, 4 * SIDE * SIDE,
					    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)};
		tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
		tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
	}
}

static struct vkr_trace_image_box rows_of(uint32_t row, uint32_t rows)
{
	return (struct vkr_trace_image_box){.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
					    .layer_count = 1,
					    .offset = {0, row, 0},
					    .extent = {SIDE, rows, 1}};
}

static void host_copy(struct trace_builder *tb, bool to_image, uint32_t row, uint32_t rows)
{
	const struct vkr_trace_host_image_copy copy = {
		.image = 1, .to_image = to_image, .layout = GENERAL, .box_count = 1};
	const struct vkr_trace_image_box box = rows_of(row, rows);
	tb_event(tb, VKR_TRACE_HOST_IMAGE_COPY, &copy, sizeof copy, &box, sizeof box);
}

static void host_move(struct trace_builder *tb, VkImageLayout from)
{
	const struct vkr_trace_host_transition move = {
		.image = 1,
		.old_layout = (uint32_t)from,
		.new_layout = GENERAL,
		.subresources = {
			.aspects = VK_IMAGE_ASPECT_COLOR_BIT, .mip_count = 1, .layer_count = 1}};
	tb_event(tb, VKR_TRACE_HOST_TRANSITION, &move, sizeof move, NULL, 0);
}

// The device copies rows of image 1 to image 2, or of 2 to 1; then to these accesses of the host.
static void submit(struct trace_builder *tb, bool writes, uint64_t to_host, uint32_t rows)
{
	struct vkr_trace_cmd_image_transfer copy = {.kind = VKR_TRANSFER_COPY,
						    .source = writes ? 2 : 1,
						    .destination = writes ? 1 : 2,
						    .source_layout = GENERAL,
						    .destination_layout = GENERAL,
						    .region_count = 1};
	const struct vkr_trace_image_region region = {rows_of(0, rows), rows_of(0, rows)};
	tb_record(tb);
	tb_command(tb, VKR_TRACE_CMD_IMAGE_TRANSFER, &copy.command, sizeof copy, &region,
		   sizeof region);
	if (to_host)
		tb_memory_barrier(tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT,
				  VK_PIPELINE_STAGE_2_HOST_BIT, to_host);
	tb_submit(tb, 1, tb_record_end(tb));
}

static void expect(struct trace_builder *tb, enum vkr_race_class race_class)
{
	struct fixture fixture = {.tb = *tb};
	if (race_class == VKR_RACE_NONE)
		fixture_expect(&fixture, 0);
	else
		fixture_expect_class(&fixture, race_class);
}

// Submission makes what the host wrote visible, "as if coherent": no flush. Behind it, the device's
// rows are its own.
static void test_write(void **state)
{
	(void)state;
	for (uint32_t row = 3; row <= 4; row++) {
		struct trace_builder tb;
		begin(&tb);
		host_copy(&tb, true, 0, SIDE);
		submit(&tb, false, 0, 4);
		host_copy(&tb, true, row, SIDE - row);
		expect(&tb, row < 4 ? VKR_RACE_UNORDERED : VKR_RACE_NONE);
	}
}

// A dependency to HOST and a wait; no invalidate.
static void test_read(void **state)
{
	(void)state;
	for (unsigned steps = 0; steps < 4; steps++) {
		struct trace_builder tb;
		begin(&tb);
		submit(&tb, true, steps & 1 ? VK_ACCESS_2_HOST_READ_BIT : 0, SIDE);
		if (steps & 2)
			tb_simple(&tb, VKR_TRACE_QUEUE_IDLE, 1);
		host_copy(&tb, false, 0, 1);
		expect(&tb, !(steps & 2)   ? VKR_RACE_UNORDERED
			    : !(steps & 1) ? VKR_RACE_DOMAIN
					   : VKR_RACE_NONE);
	}
}

// A transition overwrites what the device wrote, whatever it keeps: the domain operation to the
// host is what either access of HOST asks for.
static void test_transition(void **state)
{
	(void)state;
	for (unsigned steps = 0; steps < 6; steps++) {
		static const uint64_t accesses[] = {0, VK_ACCESS_2_HOST_WRITE_BIT,
						    VK_ACCESS_2_HOST_READ_BIT};
		struct trace_builder tb;
		begin(&tb);
		submit(&tb, true, accesses[steps / 2], SIDE);
		tb_simple(&tb, VKR_TRACE_QUEUE_IDLE, 1);
		host_move(&tb, steps & 1 ? VK_IMAGE_LAYOUT_UNDEFINED : GENERAL);
		expect(&tb, steps < 2 ? VKR_RACE_DOMAIN : VKR_RACE_NONE);
	}
}

// What the device only read, it need not hand over.
static void test_transition_behind_reads(void **state)
{
	(void)state;
	for (unsigned waits = 0; waits < 2; waits++) {
		struct trace_builder tb;
		begin(&tb);
		submit(&tb, false, 0, SIDE);
		if (waits)
			tb_simple(&tb, VKR_TRACE_QUEUE_IDLE, 1);
		host_move(&tb, GENERAL);
		expect(&tb, waits ? VKR_RACE_NONE : VKR_RACE_UNORDERED);
	}
}

// One side is read, the other written.
static void test_transfer(void **state)
{
	(void)state;
	for (uint32_t source = 1; source <= 2; source++) {
		struct trace_builder tb;
		const struct vkr_trace_host_image_transfer transfer = {.source = source,
								       .destination = 3 - source,
								       .source_layout = GENERAL,
								       .destination_layout =
									       GENERAL,
								       .region_count = 1};
		const struct vkr_trace_image_region region = {rows_of(2, 2), rows_of(8, 2)};
		begin(&tb);
		submit(&tb, false, 0, 4); // reads rows 0 to 3 of image 1, writes those of 2
		tb_event(&tb, VKR_TRACE_HOST_IMAGE_TRANSFER, &transfer, sizeof transfer, &region,
			 sizeof region);
		expect(&tb, source == 1 ? VKR_RACE_NONE : VKR_RACE_UNORDERED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write),      cmocka_unit_test(test_read),
		cmocka_unit_test(test_transition), cmocka_unit_test(test_transition_behind_reads),
		cmocka_unit_test(test_transfer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
