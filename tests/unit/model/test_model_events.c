// SPDX-License-Identifier: Apache-2.0
// Events, render passes, and what is taken as ordered because it is not modelled. Knows which of
// two fills of one buffer, or of a host write and a copy, races; not how that is found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WRITE VK_ACCESS_2_TRANSFER_WRITE_BIT
#define READ  VK_ACCESS_2_TRANSFER_READ_BIT
#define HOST  VK_PIPELINE_STAGE_2_HOST_BIT
#define SYNC2 VKR_BARRIER_SYNC2

#define ASYMMETRIC 0x40u // VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR

static struct vkr_trace_barrier barrier(uint64_t from_stages, uint64_t from, uint64_t to_stages,
					uint64_t to)
{
	return (struct vkr_trace_barrier){.kind = VKR_BARRIER_MEMORY,
					  .source_stages = from_stages,
					  .source_access = from,
					  .destination_stages = to_stages,
					  .destination_access = to};
}

static uint32_t make_event(struct fixture *fixture)
{
	const struct vkr_trace_sync_event made = {.event = 1, .device = 1};
	tb_event(&fixture->tb, VKR_TRACE_EVENT, &made, sizeof made, NULL, 0);
	return made.event;
}

static void set_event(struct fixture *fixture, struct vkr_trace_barrier with, uint32_t form,
		      uint32_t dependency_flags)
{
	struct vkr_trace_cmd_set_event set = {.event = 1,
					      .dependency_flags = dependency_flags,
					      .flags = form,
					      .barrier_count = 1};
	with.kind = form ? VKR_BARRIER_MEMORY : VKR_BARRIER_EXECUTION;
	tb_command(&fixture->tb, VKR_TRACE_CMD_SET_EVENT, &set.command, sizeof set, &with,
		   sizeof with);
}

static void wait_event(struct fixture *fixture, struct vkr_trace_barrier with, uint32_t form)
{
	const struct {
		struct vkr_trace_event_wait wait;
		struct vkr_trace_barrier barrier;
	} tail = {{1, form ? 1 : 0}, with};
	struct vkr_trace_cmd_wait_events wait = {
		.flags = form, .wait_count = 1, .barrier_count = 1};
	tb_command(&fixture->tb, VKR_TRACE_CMD_WAIT_EVENTS, &wait.command, sizeof wait, &tail,
		   sizeof tail);
}

static void reset_event(struct fixture *fixture)
{
	struct vkr_trace_cmd_reset_event reset = {.event = 1, .stages = COPY};
	tb_command(&fixture->tb, VKR_TRACE_CMD_RESET_EVENT, &reset.command, sizeof reset, NULL, 0);
}

// Judges; expects this many groups of races, and coverage of synchronization or none.
static void expect(struct fixture *fixture, uint32_t races, bool coverage)
{
	struct vkr_session *session = fixture_judge(&fixture->tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, races);
	assert_int_equal(report->coverage_count, coverage);
	if (coverage)
		assert_string_equal(report->coverage[0].kind, "synchronization");
	vkr_session_destroy(session);
	tb_finish(&fixture->tb);
}

static void fill(struct fixture *fixture)
{
	tb_fill(&fixture->tb, fixture->buffer, 0, 64);
}

struct event_case {
	uint64_t set_stages, wait_stages, from, to;
	uint32_t set_form, wait_form;
	bool early;      // set before the first fill
	bool reset;      // between set and wait
	bool no_event;   // the event was never seen made
	bool asymmetric; // the set gives its stages alone
	uint32_t races;
	bool coverage;
};

static const struct event_case device_events[] = {
	{.set_stages = COPY, .wait_stages = COPY, .from = WRITE, .to = WRITE},
	{.set_stages = COMPUTE, .wait_stages = COMPUTE, .from = WRITE, .to = WRITE, .races = 1},
	{.set_stages = COPY, .wait_stages = COPY, .from = READ, .to = WRITE, .races = 1},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .early = true,
	 .races = 1},
	// A set whose stages the wait does not name is not in its first scope.
	{.set_stages = COPY, .wait_stages = COMPUTE, .from = WRITE, .to = WRITE, .races = 1},
	// Whatever may order and is not understood is taken as ordered, and told.
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .reset = true,
	 .coverage = true},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = READ,
	 .to = WRITE,
	 .no_event = true,
	 .coverage = true},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .wait_form = SYNC2,
	 .coverage = true},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .set_form = SYNC2,
	 .wait_form = SYNC2},
	{.set_stages = COMPUTE,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .set_form = SYNC2,
	 .wait_form = SYNC2,
	 .coverage = true},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .wait_form = SYNC2,
	 .asymmetric = true},
	{.set_stages = COPY,
	 .wait_stages = COPY,
	 .from = READ,
	 .to = WRITE,
	 .wait_form = SYNC2,
	 .asymmetric = true,
	 .races = 1},
	{.set_stages = COMPUTE,
	 .wait_stages = COPY,
	 .from = WRITE,
	 .to = WRITE,
	 .wait_form = SYNC2,
	 .asymmetric = true,
	 .coverage = true},
};

static void expect_case(const struct event_case *is)
{
	struct fixture fixture;
	fixture_init(&fixture, 64);
	if (!is->no_event)
		make_event(&fixture);
	tb_record(&fixture.tb);
	if (!is->early)
		fill(&fixture);
	if (is->asymmetric)
		set_event(&fixture, barrier(is->set_stages, 0, 0, 0), SYNC2, ASYMMETRIC);
	else
		set_event(&fixture, barrier(is->set_stages, is->from, COPY, is->to), is->set_form,
			  0);
	if (is->early)
		fill(&fixture);
	if (is->reset)
		reset_event(&fixture);
	wait_event(&fixture, barrier(is->wait_stages, is->from, COPY, is->to), is->wait_form);
	fill(&fixture);
	tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	expect(&fixture, is->races, is->coverage);
}

static void test_device_events(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof device_events / sizeof *device_events; at++)
		expect_case(&device_events[at]);
}

// An event that one queue sets orders nothing on another.
static void test_other_queue(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, 64);
	const uint32_t other = tb_queue(&fixture.tb, 0);
	make_event(&fixture);
	tb_record(&fixture.tb);
	fill(&fixture);
	set_event(&fixture, barrier(COPY, 0, 0, 0), 0, 0);
	tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	tb_record(&fixture.tb);
	wait_event(&fixture, barrier(COPY, WRITE, COPY, WRITE), 0);
	fill(&fixture);
	tb_submit(&fixture.tb, other, tb_record_end(&fixture.tb));
	expect(&fixture, 1, false);
}

// The host writes after the submission, and then sets the event that it waits for.
static void test_host_event(void **state)
{
	(void)state;
	for (int stage = 0; stage < 2; stage++) {
		const struct vkr_trace_host_access access = {
			.memory = 1, .operation = VKR_HOST_WRITE, .bytes = 64};
		struct fixture fixture;
		fixture_init(&fixture, 64);
		make_event(&fixture);
		const uint32_t to = tb_buffer(&fixture.tb, 64, "to");
		tb_record(&fixture.tb);
		wait_event(&fixture,
			   barrier(stage ? HOST : COMPUTE, VK_ACCESS_2_HOST_WRITE_BIT, COPY, READ),
			   0);
		tb_copy(&fixture.tb, fixture.buffer, to, (struct vkr_trace_copy){.bytes = 64});
		tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		tb_event(&fixture.tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, NULL, 0);
		tb_simple(&fixture.tb, VKR_TRACE_EVENT_SET, 1);
		expect(&fixture, stage ? 0 : 1, false);
	}
}

// The host looks at an event until the device has set it: more is taken as ordered, and told.
static void test_event_seen(void **state)
{
	(void)state;
	const struct vkr_trace_host_access access = {
		.memory = 1, .operation = VKR_HOST_WRITE, .bytes = 64};
	struct fixture fixture;
	fixture_init(&fixture, 64);
	make_event(&fixture);
	const uint32_t to = tb_buffer(&fixture.tb, 64, "to");
	tb_record(&fixture.tb);
	tb_copy(&fixture.tb, fixture.buffer, to, (struct vkr_trace_copy){.bytes = 64});
	set_event(&fixture, barrier(COPY, 0, 0, 0), 0, 0);
	tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	tb_simple(&fixture.tb, VKR_TRACE_EVENT_SEEN, 1);
	tb_event(&fixture.tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, NULL, 0);
	expect(&fixture, 0, true);
}

static void test_unmodelled_command(void **state)
{
	(void)state;
	for (int orders = 0; orders < 2; orders++) {
		struct vkr_trace_cmd_other other = {.flags = orders ? VKR_OTHER_ORDERS : 0,
						    .text_bytes = 5};
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fill(&fixture);
		tb_command(&fixture.tb, VKR_TRACE_CMD_OTHER, &other.command, sizeof other, "vkCmd",
			   5);
		fill(&fixture);
		tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		expect(&fixture, orders ? 0 : 1, orders);
	}
}

// Two subpasses: into the first, from it to the second, and out of that; each is missing once.
static void test_render_pass(void **state)
{
	const uint64_t draw = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
	const struct vkr_trace_subpass_dependency all[3] = {
		{VK_SUBPASS_EXTERNAL, 0, COPY, WRITE, draw, 0, 0, 0},
		{0, 1, draw, 0, draw, 0, 0, 0},
		{1, VK_SUBPASS_EXTERNAL, draw, 0, COPY, WRITE, 0, 0},
	};
	(void)state;
	for (uint32_t missing = 0; missing < 4; missing++) {
		// Dependencies, and behind them the subpasses, which use no attachments.
		struct vkr_trace_subpass_dependency given[5] = {{0}};
		struct vkr_trace_render_pass pass = {
			.render_pass = 1, .device = 1, .subpass_count = 2};
		uint32_t begin[8] = {0, 1}, command[2] = {0};
		struct fixture fixture;
		for (uint32_t at = 0; at < 3; at++)
			if (at != missing)
				given[pass.dependency_count++] = all[at];
		fixture_init(&fixture, 64);
		tb_event(&fixture.tb, VKR_TRACE_RENDER_PASS, &pass, sizeof pass, given,
			 pass.dependency_count * sizeof *given +
				 pass.subpass_count * sizeof(struct vkr_trace_subpass));
		tb_record(&fixture.tb);
		fill(&fixture);
		tb_command(&fixture.tb, VKR_TRACE_CMD_BEGIN_RENDER_PASS, begin, sizeof begin, NULL,
			   0);
		tb_command(&fixture.tb, VKR_TRACE_CMD_NEXT_SUBPASS, command, sizeof command, NULL,
			   0);
		tb_command(&fixture.tb, VKR_TRACE_CMD_END_RENDER_PASS, command, sizeof command,
			   NULL, 0);
		fill(&fixture);
		tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		expect(&fixture, missing < 3, false);
	}
}

// Within one queue: a release makes nothing visible, an acquire makes nothing available.
static void test_transfer_halves(void **state)
{
	static const struct {
		uint32_t source, destination;
		uint32_t races;
		enum vkr_race_class race_class;
	} cases[] = {
		{0, 0, 0, VKR_RACE_NONE},
		{0, 1, 1, VKR_RACE_INVISIBLE},
		{1, 0, 1, VKR_RACE_UNAVAILABLE},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct vkr_trace_barrier transfer = barrier(COPY, WRITE, COPY, READ);
		struct fixture fixture;
		fixture_init(&fixture, 64);
		transfer.kind = VKR_BARRIER_BUFFER;
		transfer.object = fixture.buffer;
		transfer.bytes = 64;
		transfer.source_family = cases[at].source;
		transfer.destination_family = cases[at].destination;
		const uint32_t to = tb_buffer(&fixture.tb, 64, "to");
		tb_record(&fixture.tb);
		fill(&fixture);
		tb_barrier(&fixture.tb, &transfer, 1, SYNC2);
		tb_copy(&fixture.tb, fixture.buffer, to, (struct vkr_trace_copy){.bytes = 64});
		tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		struct vkr_session *session = fixture_judge(&fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, cases[at].races);
		if (cases[at].races > 0)
			assert_int_equal(report->races[0].race_class, cases[at].race_class);
		assert_int_equal(report->coverage_count, 0);
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

// With maintenance9 a barrier of a 3D image that has 2D views names slices as layers.
static void expect_slice(uint32_t device_flags, uint32_t slice, uint32_t races)
{
	struct fixture fixture;
	fixture_init(&fixture, 64);
	struct trace_builder *tb = &fixture.tb;
	const struct vkr_trace_device device = {
		.device = 2, .subgroup_size = 8, .flags = device_flags, .non_coherent_atom = 64};
	const struct vkr_trace_image image = {.image = 1,
					      .device = 2,
					      .bytes = 256,
					      .create_flags =
						      VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
					      .type = VK_IMAGE_TYPE_3D,
					      .format = VK_FORMAT_R8G8B8A8_UNORM,
					      .extent = {4, 4, 4},
					      .mips = 1,
					      .layers = 1,
					      .samples = 1};
	const struct vkr_trace_image_bind bind = {.image = 1, .memory = tb_memory(tb, 256, 0)};
	const struct vkr_trace_image_rows rows = {.box = {.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
							  .layer_count = 1,
							  .offset = {0, 0, 1},
							  .extent = {4, 4, 1}}};
	struct vkr_trace_cmd_image_buffer copy = {.to_image = 1,
						  .buffer = fixture.buffer,
						  .image = 1,
						  .layout = VK_IMAGE_LAYOUT_GENERAL,
						  .region_count = 1};
	struct vkr_trace_barrier with = barrier(COPY, WRITE, COPY, WRITE);
	with.kind = VKR_BARRIER_IMAGE;
	with.object = 1;
	with.source_family = with.destination_family = VK_QUEUE_FAMILY_IGNORED;
	with.old_layout = with.new_layout = VK_IMAGE_LAYOUT_GENERAL;
	with.subresources = (struct vkr_trace_subresources){.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
							    .mip_count = 1,
							    .first_layer = slice,
							    .layer_count = 1};
	tb_event(tb, VKR_TRACE_DEVICE, &device, sizeof device, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
	tb_record(tb);
	tb_command(tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows, sizeof rows);
	tb_barrier(tb, &with, 1, SYNC2);
	tb_command(tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows, sizeof rows);
	tb_submit(tb, 1, tb_record_end(tb));
	expect(&fixture, races, false);
}

static void test_slices(void **state)
{
	(void)state;
	expect_slice(0, 0, 0); // all of the image
	expect_slice(VKR_DEVICE_MAINTENANCE9, 1, 0);
	expect_slice(VKR_DEVICE_MAINTENANCE9, 0, 1);
	expect_slice(VKR_DEVICE_MAINTENANCE9, 2, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_events),      cmocka_unit_test(test_other_queue),
		cmocka_unit_test(test_host_event),         cmocka_unit_test(test_event_seen),
		cmocka_unit_test(test_unmodelled_command), cmocka_unit_test(test_render_pass),
		cmocka_unit_test(test_transfer_halves),    cmocka_unit_test(test_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
