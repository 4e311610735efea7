// SPDX-License-Identifier: Apache-2.0
// Reads that the host has waited for are forgotten when others of the range come, but not before
// everything that may still be judged comes after them.
#include "model_fixture.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// So many fragments that a draw's reads wait.
#define READS UINT32_C(512)

// Reads half of the buffer, and perhaps fills what the other draw has read.
static uint32_t record_reads(struct fixture *fixture, bool fills)
{
	struct trace_builder *tb = &fixture->tb;
	tb_record(tb);
	fixture_bind_draws(fixture);
	fixture_draw(fixture, fixture->reader);
	if (fills)
		tb_fill(tb, fixture->buffer, 0, 16);
	return tb_record_end(tb);
}

// Fragments, each of which reads a word.
static void log_reads(struct fixture *fixture, uint32_t execution, uint32_t first)
{
	uint32_t chunk[FIXTURE_SHARED_WORDS], next = VKR_LOG_HEADER_WORDS;
	for (uint32_t done = 0; done < READS; done += FIXTURE_SHARED_MOST) {
		const uint32_t words =
			fixture_shared_chunk(chunk, done, first + done, FIXTURE_SHARED_MOST);
		tb_chunk(&fixture->tb, 0, next, VK_SHADER_STAGE_FRAGMENT_BIT, chunk, words);
		next += VKR_CHUNK_HEADER_WORDS + words;
	}
	tb_log_end(&fixture->tb, execution);
}

static void begin(struct fixture *fixture, bool own)
{
	const struct vkr_trace_host_order order = {.order = VKR_HOST_ORDER_OWN};
	fixture_init(fixture, UINT64_C(4) * 2 * READS);
	fixture->reader =
		fixture_fragments(&fixture->tb, VKR_SITE_LOAD, 0, VKR_IDENTITY_SHARED, "reader");
	if (own)
		tb_event(&fixture->tb, VKR_TRACE_HOST_ORDER, &order, sizeof order, NULL, 0);
}

// What was submitted before the wait does not come after what was waited for.
static void submitted_before_the_wait(void **state)
{
	(void)state;
	for (int before = 0; before < 2; before++) {
		struct fixture fixture;
		begin(&fixture, false);
		struct trace_builder *tb = &fixture.tb;
		const uint32_t fence = tb_fence(tb);
		const uint32_t reads = record_reads(&fixture, false);
		const uint32_t fills = record_reads(&fixture, true);
		const uint32_t first = tb_submit_batch(
			tb, 1, &(struct tb_batch){.recording = reads, .fence = fence});
		uint32_t second = before ? tb_submit(tb, 1, fills) : 0;
		log_reads(&fixture, first, 0);
		tb_simple(tb, VKR_TRACE_FENCE_WAIT, fence);
		if (!before)
			second = tb_submit(tb, 1, fills);
		log_reads(&fixture, second, READS);
		fixture_expect(&fixture, before ? 1 : 0);
	}
}

// With an order of their own, nothing is known of what threads do that come later.
static void of_another_thread(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct fixture fixture;
		begin(&fixture, true);
		struct trace_builder *tb = &fixture.tb;
		const struct vkr_trace_host_access write = {
			.memory = 1, .operation = VKR_HOST_WRITE, .bytes = 16};
		const uint32_t fence = tb_fence(tb);
		const uint32_t reads = record_reads(&fixture, false);
		log_reads(&fixture,
			  tb_submit_batch(tb, 1,
					  &(struct tb_batch){.recording = reads, .fence = fence}),
			  0);
		tb_simple(tb, VKR_TRACE_FENCE_WAIT, fence);
		log_reads(&fixture, tb_submit(tb, 1, reads), READS);
		tb->thread = other ? 2 : 1;
		tb_event(tb, VKR_TRACE_HOST_ACCESS, &write, sizeof write, NULL, 0);
		fixture_expect(&fixture, other ? 1 : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(submitted_before_the_wait),
					   cmocka_unit_test(of_another_thread)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
