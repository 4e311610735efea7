// SPDX-License-Identifier: Apache-2.0
// What host accesses mean to the device and to one another: availability, domains, visibility,
// atoms, threads. Knows events and verdicts, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define HOST  VK_PIPELINE_STAGE_2_HOST_BIT
#define BYTES 256u

// Two buffers: what the host touches, in memory that is coherent or not, and a device's own.
struct host_fixture {
	struct fixture base;
	uint32_t memory, shared, other;
};

static void begin(struct host_fixture *fixture, bool coherent)
{
	tb_init(&fixture->base.tb);
	struct trace_builder *tb = &fixture->base.tb;
	fixture->memory = tb_memory(tb, 4 * BYTES,
				    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					    (coherent ? VK_MEMORY_PROPERTY_HOST_COHERENT_BIT : 0u));
	fixture->shared = tb_bound_buffer(tb, fixture->memory, 0, 4 * BYTES);
	fixture->other = tb_buffer(tb, 4 * BYTES, NULL);
}

static void touch(struct host_fixture *fixture, uint32_t operation, uint64_t offset, uint64_t bytes)
{
	const struct vkr_trace_host_access access = {.memory = fixture->memory,
						     .operation = operation,
						     .offset = offset,
						     .bytes = bytes};
	tb_event(&fixture->base.tb, VKR_TRACE_HOST_ACCESS, &access, sizeof access, NULL, 0);
}

static void flush(struct host_fixture *fixture, uint64_t offset, uint64_t bytes)
{
	const struct vkr_trace_flush event = {
		.memory = fixture->memory, .offset = offset, .bytes = bytes};
	tb_event(&fixture->base.tb, VKR_TRACE_FLUSH, &event, sizeof event, NULL, 0);
}

static void invalidate(struct host_fixture *fixture, uint64_t offset, uint64_t bytes)
{
	const struct vkr_trace_invalidate event = {
		.memory = fixture->memory, .offset = offset, .bytes = bytes};
	tb_event(&fixture->base.tb, VKR_TRACE_INVALIDATE, &event, sizeof event, NULL, 0);
}

// The device reads the first bytes.
static void submit_read(struct host_fixture *fixture)
{
	struct trace_builder *tb = &fixture->base.tb;
	tb_record(tb);
	tb_copy(tb, fixture->shared, fixture->other, (struct vkr_trace_copy){.bytes = BYTES});
	tb_submit(tb, 1, tb_record_end(tb));
}

// The device writes them, and may hand them to the host.
static void submit_write(struct host_fixture *fixture, bool to_host)
{
	struct trace_builder *tb = &fixture->base.tb;
	tb_record(tb);
	tb_fill(tb, fixture->shared, 0, BYTES);
	if (to_host)
		tb_memory_barrier(tb, COPY, VK_ACCESS_2_TRANSFER_WRITE_BIT, HOST,
				  VK_ACCESS_2_HOST_READ_BIT);
	tb_submit(tb, 1, tb_record_end(tb));
}

static void wait_idle(struct host_fixture *fixture)
{
	tb_simple(&fixture->base.tb, VKR_TRACE_QUEUE_IDLE, 1);
}

static void expect(struct host_fixture *fixture, enum vkr_race_class race_class)
{
	if (race_class == VKR_RACE_NONE)
		fixture_expect(&fixture->base, 0);
	else
		fixture_expect_class(&fixture->base, race_class);
}

// ---- To the device ------------------------------------------------------------------------------

static void test_flush(void **state)
{
	(void)state;
	for (int flushes = 0; flushes < 3; flushes++) {
		struct host_fixture fixture;
		begin(&fixture, false);
		if (flushes == 1)
			flush(&fixture, 0, BYTES); // before the write: nothing of it
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		if (flushes == 2)
			flush(&fixture, 0, BYTES);
		submit_read(&fixture);
		expect(&fixture, flushes == 2 ? VKR_RACE_NONE : VKR_RACE_DOMAIN);
	}
}

// A flush is of what is written before it, and of the same bytes nothing that is written behind.
static void test_flush_between(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct host_fixture fixture;
		begin(&fixture, false);
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		flush(&fixture, 0, BYTES);
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		if (again)
			flush(&fixture, 0, BYTES);
		submit_read(&fixture);
		expect(&fixture, again ? VKR_RACE_NONE : VKR_RACE_DOMAIN);
	}
}

// Atoms of 64 bytes are flushed whole: a range of a byte in each is a range of all.
static void test_atoms(void **state)
{
	(void)state;
	struct host_fixture fixture;
	begin(&fixture, false);
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	flush(&fixture, 63, BYTES - 64 - 63);
	submit_read(&fixture);
	struct vkr_session *session = fixture_judge(&fixture.base.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_DOMAIN);
	assert_int_equal(report->races[0].first.offset, BYTES - 64);
	assert_int_equal(report->races[0].first.bytes, 64);
	vkr_session_destroy(session);
	tb_finish(&fixture.base.tb);

	begin(&fixture, false);
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	flush(&fixture, 63, BYTES - 64 - 61);
	submit_read(&fixture);
	expect(&fixture, VKR_RACE_NONE);
}

// "Unmapping non-coherent memory does not implicitly flush the mapped memory."
static void test_unmap(void **state)
{
	(void)state;
	struct host_fixture fixture;
	begin(&fixture, false);
	const struct vkr_trace_map map = {.memory = fixture.memory, .bytes = 4 * BYTES};
	tb_event(&fixture.base.tb, VKR_TRACE_MAP, &map, sizeof map, NULL, 0);
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	tb_simple(&fixture.base.tb, VKR_TRACE_UNMAP, fixture.memory);
	tb_event(&fixture.base.tb, VKR_TRACE_MAP, &map, sizeof map, NULL, 0);
	submit_read(&fixture);
	expect(&fixture, VKR_RACE_DOMAIN);
}

// Coherent writes need the submission alone; those behind it are races, to the byte.
static void test_submission(void **state)
{
	(void)state;
	for (uint32_t offset = 0; offset <= BYTES; offset += BYTES) {
		struct host_fixture fixture;
		begin(&fixture, true);
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		submit_read(&fixture);
		touch(&fixture, VKR_HOST_READ, 0, BYTES); // two reads
		touch(&fixture, VKR_HOST_WRITE, offset, 8);
		expect(&fixture, offset < BYTES ? VKR_RACE_UNORDERED : VKR_RACE_NONE);
	}
}

// ---- Back to the host ---------------------------------------------------------------------------

// A dependency to HOST, a wait, an invalidate: all of them, in this order.
static void test_way_back(void **state)
{
	(void)state;
	for (unsigned steps = 0; steps < 16; steps++) {
		const bool barrier = steps & 1, waits = steps & 2, late = steps & 4,
			   coherent = steps & 8;
		struct host_fixture fixture;
		begin(&fixture, coherent);
		submit_write(&fixture, barrier);
		if (!late)
			invalidate(&fixture, 0, BYTES);
		if (waits)
			wait_idle(&fixture);
		if (late)
			invalidate(&fixture, 0, BYTES);
		touch(&fixture, VKR_HOST_READ, 0, BYTES);
		expect(&fixture, !waits                             ? VKR_RACE_UNORDERED
				 : !barrier || (!late && !coherent) ? VKR_RACE_DOMAIN
								    : VKR_RACE_NONE);
	}
}

// An invalidation is for the reads behind it, and not for those before.
static void test_invalidate_between(void **state)
{
	(void)state;
	struct host_fixture fixture;
	begin(&fixture, false);
	submit_write(&fixture, true);
	wait_idle(&fixture);
	touch(&fixture, VKR_HOST_READ, 0, 32);
	invalidate(&fixture, 0, BYTES);
	touch(&fixture, VKR_HOST_READ, 32, 64);
	struct vkr_session *session = fixture_judge(&fixture.base.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->race_total, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_DOMAIN);
	assert_int_equal(report->races[0].second.offset, 0);
	assert_int_equal(report->races[0].second.bytes, 32);
	vkr_session_destroy(session);
	tb_finish(&fixture.base.tb);
}

// What the host only overwrites, it need not see.
static void test_overwrite(void **state)
{
	(void)state;
	struct host_fixture fixture;
	begin(&fixture, true);
	submit_read(&fixture);
	wait_idle(&fixture);
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	submit_read(&fixture);
	expect(&fixture, VKR_RACE_NONE);
}

// ---- Threads ------------------------------------------------------------------------------------

static void own_order(struct host_fixture *fixture)
{
	const struct vkr_trace_host_order order = {.order = VKR_HOST_ORDER_OWN};
	tb_event(&fixture->base.tb, VKR_TRACE_HOST_ORDER, &order, sizeof order, NULL, 0);
}

static void release(struct host_fixture *fixture, uint64_t object, uint32_t kind, uint32_t flags)
{
	const struct vkr_trace_host_release event = {object, kind, flags};
	tb_event(&fixture->base.tb, VKR_TRACE_HOST_RELEASE, &event, sizeof event, NULL, 0);
}

static void acquire(struct host_fixture *fixture, uint64_t object, uint32_t kind)
{
	const struct vkr_trace_host_acquire event = {object, kind, 0};
	tb_event(&fixture->base.tb, VKR_TRACE_HOST_ACQUIRE, &event, sizeof event, NULL, 0);
}

// One thread writes, another one submits: ordered by what the one releases behind its write and the
// other acquires, and by the order of events only where that is all that is known.
static void test_threads(void **state)
{
	(void)state;
	enum { OBSERVED, NOTHING, SAME, OTHER_OBJECT, OTHER_KIND, ADDED_UP, REPLACED, CASES };
	for (int way = 0; way < CASES; way++) {
		struct host_fixture fixture;
		begin(&fixture, true);
		if (way != OBSERVED)
			own_order(&fixture);
		fixture.base.tb.thread = 1;
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		release(&fixture, 64, VKR_HOST_SYNC_MUTEX, VKR_HOST_RELEASE_ALONE);
		fixture.base.tb.thread = 3;
		if (way == ADDED_UP || way == REPLACED)
			release(&fixture, 64, VKR_HOST_SYNC_MUTEX,
				way == REPLACED ? VKR_HOST_RELEASE_ALONE : 0);
		fixture.base.tb.thread = 2;
		if (way >= SAME)
			acquire(&fixture, way == OTHER_OBJECT ? 65 : 64,
				way == OTHER_KIND ? VKR_HOST_SYNC_SEMAPHORE : VKR_HOST_SYNC_MUTEX);
		submit_read(&fixture);
		expect(&fixture, way == OBSERVED || way == SAME || way == ADDED_UP
					 ? VKR_RACE_NONE
					 : VKR_RACE_UNORDERED);
	}
}

// A thread flushes what another one wrote before it; it reads what another one invalidated.
static void test_threads_caches(void **state)
{
	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct host_fixture fixture;
		begin(&fixture, false);
		own_order(&fixture);
		fixture.base.tb.thread = 1;
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		if (ordered)
			release(&fixture, 64, VKR_HOST_SYNC_MUTEX, 0);
		fixture.base.tb.thread = 2;
		acquire(&fixture, 64, VKR_HOST_SYNC_MUTEX);
		flush(&fixture, 0, BYTES);
		submit_read(&fixture);
		expect(&fixture, ordered ? VKR_RACE_NONE : VKR_RACE_UNORDERED);

		begin(&fixture, false);
		own_order(&fixture);
		fixture.base.tb.thread = 1;
		submit_write(&fixture, true);
		wait_idle(&fixture);
		invalidate(&fixture, 0, BYTES);
		release(&fixture, 64, VKR_HOST_SYNC_MUTEX, 0);
		fixture.base.tb.thread = 2;
		if (ordered)
			acquire(&fixture, 64, VKR_HOST_SYNC_MUTEX);
		touch(&fixture, VKR_HOST_READ, 0, BYTES);
		expect(&fixture, ordered ? VKR_RACE_NONE : VKR_RACE_UNORDERED);
	}
}

// A wait by one thread for what another one submitted orders what that did before.
static void test_threads_fence(void **state)
{
	(void)state;
	struct host_fixture fixture;
	begin(&fixture, true);
	own_order(&fixture);
	fixture.base.tb.thread = 1;
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	submit_read(&fixture);
	fixture.base.tb.thread = 2;
	wait_idle(&fixture);
	touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
	expect(&fixture, VKR_RACE_NONE);
}

static void test_ignored(void **state)
{
	(void)state;
	for (uint32_t begins = 0; begins < 2; begins++) {
		const struct vkr_trace_host_ignore ignore = {.begins = begins};
		struct host_fixture fixture;
		begin(&fixture, true);
		submit_read(&fixture);
		tb_event(&fixture.base.tb, VKR_TRACE_HOST_IGNORE, &ignore, sizeof ignore, NULL, 0);
		touch(&fixture, VKR_HOST_WRITE, 0, BYTES);
		expect(&fixture, begins ? VKR_RACE_NONE : VKR_RACE_UNORDERED);
	}
}

// ---- Call stacks --------------------------------------------------------------------------------

static void test_stack(void **state)
{
	(void)state;
	static const char tail[] = "/no/such/program0a0b";
	const struct vkr_trace_module module = {.first = 0x401000,
						.end = 0x402000,
						.bias = 0x400000,
						.path_bytes = 16,
						.build_id_bytes = 4};
	const uint64_t frames[] = {0x401010, 0x402000};
	const struct vkr_trace_call_stack stack = {.frame_count = 2};
	struct host_fixture fixture;
	begin(&fixture, true);
	submit_read(&fixture);
	tb_event(&fixture.base.tb, VKR_TRACE_MODULE, &module, sizeof module, tail, 20);
	tb_event(&fixture.base.tb, VKR_TRACE_CALL_STACK, &stack, sizeof stack, frames,
		 sizeof frames);
	tb_simple(&fixture.base.tb, VKR_TRACE_MEMORY_FREE, fixture.memory);
	struct vkr_session *session = fixture_judge(&fixture.base.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_FREE);
	assert_string_equal(report->races[0].second.stack, "program+0x1010\n0x402000");
	assert_string_equal(report->races[0].second.thread, "host thread 1");
	vkr_session_destroy(session);
	tb_finish(&fixture.base.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flush),
		cmocka_unit_test(test_flush_between),
		cmocka_unit_test(test_atoms),
		cmocka_unit_test(test_unmap),
		cmocka_unit_test(test_submission),
		cmocka_unit_test(test_way_back),
		cmocka_unit_test(test_invalidate_between),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_threads_caches),
		cmocka_unit_test(test_threads_fence),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_stack),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
