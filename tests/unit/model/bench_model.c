// SPDX-License-Identifier: Apache-2.0
// How fast logs are judged: synthetic dispatches of 4 records an invocation, per processor second
// of one core. Knows a few access patterns; prints a line for each.
#include "model_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOCAL   256u
#define RECORDS 4u

static double now(void)
{
	struct timespec at;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

// Multiplication by an odd number permutes the words of a power of two.
static uint32_t place(const char *pattern, uint32_t invocation, uint32_t record, uint32_t count)
{
	const uint32_t index = record * count + invocation;
	if (strcmp(pattern, "random") == 0)
		return index * 2654435761u & (RECORDS * count - 1);
	return strcmp(pattern, "strided") == 0 ? invocation * RECORDS + record : index;
}

static void measure(const char *pattern, uint32_t groups, bool shuffled)
{
	static struct fixture fixture;
	const uint32_t count = groups * LOCAL;
	fixture_init(&fixture, 4ull * count * RECORDS);
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	const struct vkr_site site = {.operation = VKR_SITE_STORE,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .words = 1,
				      .bytes = 4};
	const uint32_t segments[] = {1, 0};
	const uint32_t pipeline = tb_shader_pipeline(
		&fixture.tb,
		&(struct tb_shader){&variable, 1, &site, 1, segments, {LOCAL, 1, 1}, NULL}, NULL);
	tb_record(&fixture.tb);
	fixture_bind(&fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture.tb, groups, 1, 1);
	const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	for (uint32_t at = 0; at < groups; at++) {
		const uint32_t group = shuffled ? (at * 40503u) & (groups - 1) : at;
		for (uint32_t local = 0; local < LOCAL; local++) {
			uint32_t words[2 * RECORDS];
			for (uint32_t record = 0; record < RECORDS; record++) {
				words[2 * record] = 1;
				words[2 * record + 1] =
					4 * place(pattern, group * LOCAL + local, record, count);
			}
			tb_chunk(&fixture.tb, command, group, local, words, 2 * RECORDS);
		}
		if (fixture.tb.log.count > 1u << 20) {
			const struct vkr_trace_gpu_log log = {
				.execution = execution,
				.word_count = (uint32_t)(fixture.tb.log.count / 4)};
			tb_event(&fixture.tb, VKR_TRACE_GPU_LOG, &log, sizeof log,
				 fixture.tb.log.items, fixture.tb.log.count);
			fixture.tb.log.count = 0;
		}
	}
	tb_log_end(&fixture.tb, execution);
	const double start = now();
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const double seconds = now() - start;
	const struct vkr_report *report = vkr_session_report(session);
	printf("%-9s %-9s %6.1f million records a second (%llu accesses, %u races)\n", pattern,
	       shuffled ? "shuffled" : "in order", (double)count * RECORDS / seconds / 1e6,
	       (unsigned long long)report->accesses_judged, report->race_count);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

int main(int argc, char **argv)
{
	const uint32_t groups = argc > 1 ? (uint32_t)atoi(argv[1]) : 8192;
	const char *patterns[] = {"coalesced", "strided", "random"};
	for (size_t at = 0; at < (argc > 2 ? 1 : 3); at++) {
		measure(patterns[at], groups, false);
		measure(patterns[at], groups, true);
	}
	return 0;
}
