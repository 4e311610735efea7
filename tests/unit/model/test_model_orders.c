// SPDX-License-Identifier: Apache-2.0
// Queries on two queues and from the host, markers, sparse bindings. Knows the reports' words.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// A pool of four timestamps, and a second queue.
static void begin_queries(struct fixture *fixture)
{
	struct trace_builder *tb = &fixture->tb;
	fixture_init(fixture, 64);
	const struct vkr_trace_query_pool pool = {
		.pool = 1,
		.device = 1,
		.memory = tb_memory(tb, 4, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT),
		.type = VK_QUERY_TYPE_TIMESTAMP,
		.count = 4,
	};
	tb_event(tb, VKR_TRACE_QUERY_POOL, &pool, sizeof pool, NULL, 0);
	tb_queue(tb, 1);
}

static uint32_t record_query(struct trace_builder *tb, uint32_t operation, uint32_t first,
			     uint32_t count)
{
	struct vkr_trace_cmd_query query = {
		.operation = operation,
		.pool = 1,
		.first = first,
		.count = count,
		.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	tb_record(tb);
	tb_command(tb, VKR_TRACE_CMD_QUERY, &query.command, sizeof query, NULL, 0);
	return tb_record_end(tb);
}

// One queue resets what the other writes: in order by a semaphore only, whatever its stages are on
// either side.
static void test_queries_of_two_queues(void **state)
{
	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		begin_queries(&fixture);
		const uint32_t reset = record_query(tb, VKR_QUERY_RESET, 0, 4);
		const uint32_t stamp = record_query(tb, VKR_QUERY_TIMESTAMP, 2, 1);
		const uint32_t semaphore = tb_semaphore(tb, false, 0);
		tb_submit_batch(tb, 1,
				&(struct tb_batch){.recording = reset,
						   .signal = ordered ? semaphore : 0,
						   .signal_stages = COMPUTE});
		tb_submit_batch(tb, 2,
				&(struct tb_batch){.recording = stamp,
						   .wait = ordered ? semaphore : 0,
						   .wait_stages = COMPUTE});
		if (ordered) {
			fixture_expect(&fixture, 0);
			continue;
		}
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
		assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
		assert_string_equal(race->second.object, "query pool 1");
		assert_string_equal(race->second.texels, "query 2");
		assert_string_equal(race->missing,
				    "no semaphore, fence or wait orders command 1 "
				    "(vkCmdResetQueryPool) of submission 1 and command 1 "
				    "(vkCmdWriteTimestamp) of submission 2");
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// A timestamp happens-after everything before it in its stage: who has its result may free that
// memory. The end of a query orders only the query.
static void test_seen_query(void **state)
{
	(void)state;
	for (int stamped = 0; stamped < 2; stamped++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		begin_queries(&fixture);
		const struct vkr_trace_query_seen seen = {.pool = 1, .first = 1, .count = 1};
		const uint32_t memory = tb_memory(tb, 64, 0);
		const uint32_t buffer = tb_bound_buffer(tb, memory, 0, 64);
		const uint32_t query =
			record_query(tb, stamped ? VKR_QUERY_TIMESTAMP : VKR_QUERY_END, 1, 1);
		tb_record(tb);
		tb_fill(tb, buffer, 0, 64);
		tb_submit(tb, 1, tb_record_end(tb));
		tb_submit(tb, 1, query);
		tb_event(tb, VKR_TRACE_QUERY_SEEN, &seen, sizeof seen, NULL, 0);
		tb_simple(tb, VKR_TRACE_MEMORY_FREE, memory);
		if (stamped)
			fixture_expect(&fixture, 0);
		else
			fixture_expect_class(&fixture, VKR_RACE_FREE);
	}
}

// A query that is available again, by a batch whose wait is for a signal that was not seen: what
// the host has seen is that batch's doing, not only the one's before, and all that is before it in
// its stage is done.
static void test_query_of_blocked_batch(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		begin_queries(&fixture);
		const struct vkr_trace_query_seen seen = {.pool = 1, .first = 1, .count = 1};
		const uint32_t memory = tb_memory(tb, 64, 0);
		const uint32_t buffer = tb_bound_buffer(tb, memory, 0, 64);
		const uint32_t semaphore = tb_semaphore(tb, true, 0);
		const uint32_t query = record_query(tb, VKR_QUERY_TIMESTAMP, 1, 1);
		const struct vkr_trace_host_access access = {
			.memory = memory, .operation = VKR_HOST_WRITE, .bytes = 64};
		tb_record(tb);
		tb_copy(tb, buffer, fixture.buffer, (struct vkr_trace_copy){.bytes = 64});
		const uint32_t copy = tb_record_end(tb);
		tb_submit(tb, 1, query);
		tb_submit_batch(
			tb, 1,
			&(struct tb_batch){.recording = copy, .wait = semaphore, .wait_value = 5});
		if (again)
			tb_submit(tb, 1, query);
		tb_event(tb, VKR_TRACE_QUERY_SEEN, &seen, sizeof seen, NULL, 0);
		tb_event(tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, NULL, 0);
		struct vkr_session *session = fixture_judge(tb);
		assert_int_equal(vkr_session_report(session)->race_count, again ? 0 : 1);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// Memory that stands for a driver's own goes with what has it: the address space has room for some
// hundred of these.
static void test_stand_ins(void **state)
{
	(void)state;
	struct fixture fixture;
	struct trace_builder *tb = &fixture.tb;
	fixture_init(&fixture, 64);
	for (int round = 0; round < 300; round++) {
		const struct vkr_trace_memory memory = {.memory = ++tb->ids[VKR_OBJECT_MEMORY],
							.device = 1,
							.bytes = UINT64_C(1) << 47,
							.flags = VKR_MEMORY_STAND_IN};
		tb_event(tb, VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
		if (round % 2 == 0) {
			const uint32_t buffer = tb_bound_buffer(tb, memory.memory, 0, 64);
			tb_record(tb);
			tb_fill(tb, buffer, 0, 64);
			tb_submit(tb, 1, tb_record_end(tb));
			tb_simple(tb, VKR_TRACE_BUFFER_DESTROY, buffer);
			continue;
		}
		const struct vkr_trace_query_pool pool = {.pool = (uint32_t)round,
							  .device = 1,
							  .memory = memory.memory,
							  .type = VK_QUERY_TYPE_TIMESTAMP,
							  .count = 4};
		tb_event(tb, VKR_TRACE_QUERY_POOL, &pool, sizeof pool, NULL, 0);
		tb_simple(tb, VKR_TRACE_QUERY_POOL_DESTROY, pool.pool);
	}
	fixture_expect(&fixture, 0);
}

// Reuse of memory is reported as such if one of the two objects is destroyed.
static void test_memory_used_again(void **state)
{
	(void)state;
	for (int destroyed = 0; destroyed < 2; destroyed++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t memory = tb_memory(tb, 64, 0);
		for (int round = 0; round < 2; round++) {
			const uint32_t buffer = tb_bound_buffer(tb, memory, 0, 64);
			tb_record(tb);
			tb_fill(tb, buffer, 0, 64);
			tb_submit(tb, 1, tb_record_end(tb));
			if (destroyed && round == 0)
				tb_simple(tb, VKR_TRACE_BUFFER_DESTROY, buffer);
		}
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 1);
		const char *told =
			strstr(report->races[0].missing, "; buffer 2 has been destroyed");
		assert_true(destroyed ? told != NULL : told == NULL);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

static void mark(struct trace_builder *tb, uint32_t buffer, uint64_t offset)
{
	struct vkr_trace_cmd_marker marker = {
		.buffer = buffer,
		.offset = offset,
		.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
	};
	tb_command(tb, VKR_TRACE_CMD_MARKER, &marker.command, sizeof marker, NULL, 0);
}

// Markers are in order among themselves; to others they are transfers.
static void test_markers(void **state)
{
	(void)state;
	for (int barrier = 0; barrier < 2; barrier++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t copied = tb_buffer(tb, 64, "copied");
		tb_record(tb);
		mark(tb, fixture.buffer, 8);
		mark(tb, fixture.buffer, 8);
		if (barrier)
			tb_memory_barrier(tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, COPY,
					  VK_ACCESS_2_TRANSFER_READ_BIT);
		tb_copy(tb, fixture.buffer, copied, (struct vkr_trace_copy){8, 8, 8});
		tb_submit(tb, 1, tb_record_end(tb));
		fixture_expect(&fixture, barrier ? 0 : 1);
	}
}

// Binding memory to a sparse buffer, and a fill of it on the same queue: only a semaphore orders
// the two, and what the binding itself waits for orders nothing behind it.
static void test_sparse_binding(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t semaphore = tb_semaphore(tb, false, 0);
		tb_record(tb);
		tb_fill(tb, fixture.buffer, 32, 32);
		const uint32_t fill = tb_record_end(tb);
		const struct vkr_trace_sparse_bind bind = {
			.submission = tb->submissions + 1,
			.kind = VKR_SPARSE_BUFFER,
			.object = fixture.buffer,
			.memory = 1,
			.bytes = 48,
		};
		tb_event(tb, VKR_TRACE_SPARSE_BIND, &bind, sizeof bind, NULL, 0);
		tb_submit_batch(tb, 1, &(struct tb_batch){.signal = semaphore, .sparse = true});
		tb_submit_batch(tb, 1,
				&(struct tb_batch){.recording = fill,
						   .wait = waits ? semaphore : 0,
						   .wait_stages = COPY});
		if (waits) {
			fixture_expect(&fixture, 0);
			continue;
		}
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
		assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
		assert_string_equal(race->first.command.name, "vkQueueBindSparse");
		assert_int_equal(race->second.offset, 32);
		assert_int_equal(race->second.bytes, 16);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// A fill before the binding's wait is not before what is submitted behind the binding.
static void test_sparse_wait(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		tb_queue(tb, 0);
		const uint32_t filled = tb_semaphore(tb, false, 0),
			       bound = tb_semaphore(tb, false, 0);
		tb_record(tb);
		tb_fill(tb, fixture.buffer, 0, 64);
		const uint32_t fill = tb_record_end(tb);
		tb_record(tb);
		tb_fill(tb, fixture.buffer, 0, 64);
		const uint32_t again = tb_record_end(tb);
		tb_submit_batch(tb, 2, &(struct tb_batch){.recording = fill, .signal = filled});
		tb_submit_batch(
			tb, 1, &(struct tb_batch){.wait = filled, .signal = bound, .sparse = true});
		tb_submit_batch(tb, 1,
				&(struct tb_batch){.recording = again, .wait = waits ? bound : 0});
		fixture_expect(&fixture, waits ? 0 : 1);
	}
}

// ---- Mip tails ----------------------------------------------------------------------------------

static void sparse_image(struct trace_builder *tb, uint32_t id, uint32_t layers)
{
	const struct vkr_trace_memory memory = {.memory = ++tb->ids[VKR_OBJECT_MEMORY],
						.device = 1,
						.bytes = 4096,
						.flags = VKR_MEMORY_STAND_IN};
	const struct vkr_trace_image image = {.image = id,
					      .device = 1,
					      .bytes = 4096,
					      .create_flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT |
							      VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT,
					      .type = VK_IMAGE_TYPE_2D,
					      .format = VK_FORMAT_R32_UINT,
					      .extent = {8, 8, 1},
					      .mips = 4,
					      .layers = layers,
					      .samples = 1};
	const struct vkr_trace_image_bind bind = {.image = id, .memory = memory.memory};
	tb_event(tb, VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
}

// Of two levels, with room behind them.
static void bind_tail(struct trace_builder *tb, uint32_t image, uint32_t memory, uint32_t layer)
{
	const struct vkr_trace_sparse_bind bind = {.submission = tb->submissions + 1,
						   .kind = VKR_SPARSE_TAIL,
						   .object = image,
						   .memory = memory,
						   .offset = 1024,
						   .bytes = 256,
						   .memory_offset = 128,
						   .aspects = VK_IMAGE_ASPECT_COLOR_BIT,
						   .mip = 2,
						   .layer = layer};
	tb_event(tb, VKR_TRACE_SPARSE_BIND, &bind, sizeof bind, NULL, 0);
}

static void clear_level(struct trace_builder *tb, uint32_t image, uint32_t mip, uint32_t layer)
{
	struct vkr_trace_cmd_clear_image clear = {
		.image = image, .layout = VK_IMAGE_LAYOUT_GENERAL, .range_count = 1};
	const struct vkr_trace_subresources part = {.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
						    .first_mip = mip,
						    .mip_count = 1,
						    .first_layer = layer,
						    .layer_count = 1};
	tb_command(tb, VKR_TRACE_CMD_CLEAR_IMAGE, &clear.command, sizeof clear, &part, sizeof part);
}

// Two images whose tails are bound to one memory: equal texels are equal bytes if the images were
// created alike; otherwise that is reported as unknown.
static void test_shared_tails(void **state)
{
	static const struct {
		uint32_t layers, tail, mip, layer; // of the second image
		uint32_t races, coverage;
	} cases[] = {
		{2, 0, 2, 0, 1, 0}, {2, 0, 3, 0, 0, 0},          {2, 0, 2, 1, 0, 0},
		{2, 0, 1, 0, 0, 0}, {2, UINT32_MAX, 2, 0, 0, 1}, {1, 0, 2, 0, 0, 1},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t semaphore = tb_semaphore(tb, false, 0);
		const uint32_t memory = tb_memory(tb, 4096, 0);
		sparse_image(tb, 1, 2);
		sparse_image(tb, 2, cases[at].layers);
		bind_tail(tb, 1, memory, 0);
		bind_tail(tb, 2, memory, cases[at].tail);
		tb_submit_batch(tb, 1, &(struct tb_batch){.signal = semaphore, .sparse = true});
		tb_record(tb);
		clear_level(tb, 1, 2, 0);
		clear_level(tb, 2, cases[at].mip, cases[at].layer);
		const uint32_t clears = tb_record_end(tb);
		tb_submit_batch(tb, 1,
				&(struct tb_batch){.recording = clears,
						   .wait = semaphore,
						   .wait_stages = COPY});
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, cases[at].races);
		assert_int_equal(report->coverage_count, cases[at].coverage);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// A tail that is used while it is bound anew: its levels, and no others.
static void test_rebound_tail(void **state)
{
	(void)state;
	for (uint32_t mip = 0; mip < 4; mip++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t semaphore = tb_semaphore(tb, false, 0);
		const uint32_t memory = tb_memory(tb, 4096, 0), other = tb_memory(tb, 4096, 0);
		sparse_image(tb, 1, 1);
		bind_tail(tb, 1, memory, UINT32_MAX);
		tb_submit_batch(tb, 1, &(struct tb_batch){.signal = semaphore, .sparse = true});
		tb_record(tb);
		clear_level(tb, 1, mip, 0);
		const uint32_t clear = tb_record_end(tb);
		tb_submit_batch(tb, 1,
				&(struct tb_batch){.recording = clear,
						   .wait = semaphore,
						   .wait_stages = COPY});
		bind_tail(tb, 1, other, UINT32_MAX);
		tb_submit_batch(tb, 1, &(struct tb_batch){.sparse = true});
		fixture_expect(&fixture, mip >= 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_used_again),
		cmocka_unit_test(test_queries_of_two_queues),
		cmocka_unit_test(test_seen_query),
		cmocka_unit_test(test_query_of_blocked_batch),
		cmocka_unit_test(test_stand_ins),
		cmocka_unit_test(test_markers),
		cmocka_unit_test(test_sparse_binding),
		cmocka_unit_test(test_sparse_wait),
		cmocka_unit_test(test_shared_tails),
		cmocka_unit_test(test_rebound_tail),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
