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
	const uint32_t pipeline =
		tb_shader_pipeline(&fixture.tb,
				   &(struct tb_shader){.variables = &variable,
						       .variable_count = 1,
						       .sites = &site,
						       .site_count = 1,
						       .segments = segments,
						       .workgroup_size = {LOCAL, 1, 1}},
				   NULL);
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

// The log so far as an event of its own, so that no event grows too large.
static void flush(struct fixture *fixture, uint32_t execution)
{
	const struct vkr_trace_gpu_log log = {.execution = execution,
					      .word_count = (uint32_t)(fixture->tb.log.count / 4)};
	if (fixture->tb.log.count <= 1u << 20)
		return;
	tb_event(&fixture->tb, VKR_TRACE_GPU_LOG, &log, sizeof log, fixture->tb.log.items,
		 fixture->tb.log.count);
	fixture->tb.log.count = 0;
}

static struct vkr_site ticket_site(enum vkr_site_operation operation, uint16_t words)
{
	const bool access = operation <= VKR_SITE_ATOMIC_RMW;
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = access ? VKR_CLASS_UNIFORM : 0,
				 .scope = VKR_SCOPE_QUEUE_FAMILY,
				 .execution = VKR_SCOPE_WORKGROUP,
				 .order = access ? 0
						 : VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE |
							   VKR_ORDER_MAKE_AVAILABLE |
							   VKR_ORDER_MAKE_VISIBLE,
				 .semantics = access ? 0 : VKR_CLASS_UNIFORM,
				 .flags = VKR_SITE_NONPRIVATE | (words == 3 ? VKR_SITE_VALUES : 0),
				 .words = words,
				 .variable = access ? 0 : UINT32_MAX,
				 .bytes = access ? 4 : 0};
}

// Each invocation stores a word, its workgroup takes a ticket, the last one reads all words.
static void measure_tickets(uint32_t groups, uint32_t local_size)
{
	static struct fixture fixture;
	enum { STORE = 1, LOAD, TICKET, FENCE, BARRIER };
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	const struct vkr_site sites[] = {
		ticket_site(VKR_SITE_STORE, 1), ticket_site(VKR_SITE_LOAD, 1),
		ticket_site(VKR_SITE_ATOMIC_RMW, 3), ticket_site(VKR_SITE_MEMORY_BARRIER, 0),
		ticket_site(VKR_SITE_CONTROL_BARRIER, 0)};
	const uint32_t segments[] = {1, 1, 1, 1, 1, 0};
	const uint32_t all = groups * local_size;
	fixture_init(&fixture, 4ull * all + 16);
	const uint32_t pipeline =
		tb_shader_pipeline(&fixture.tb,
				   &(struct tb_shader){.variables = &variable,
						       .variable_count = 1,
						       .sites = sites,
						       .site_count = 5,
						       .segments = segments,
						       .workgroup_size = {local_size, 1, 1}},
				   NULL);
	tb_record(&fixture.tb);
	fixture_bind(&fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture.tb, groups, 1, 1);
	const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	uint32_t *words = calloc(2 * (all / local_size) + 32, sizeof *words);
	for (uint32_t group = 0; group < groups && words != NULL; group++)
		for (uint32_t local = 0; local < local_size; local++) {
			const uint32_t before[] = {STORE, 16 + 4 * (group * local_size + local),
						   BARRIER, 0};
			const uint32_t ticket[] = {FENCE, 0, TICKET, 0, group, group + 1, FENCE, 0};
			uint32_t count = 4;
			memcpy(words, before, sizeof before);
			if (local == 0)
				memcpy(words + count, ticket, sizeof ticket);
			count += local == 0 ? 8 : 0;
			words[count++] = BARRIER;
			words[count++] = 0;
			for (uint32_t i = local; group + 1 == groups && i < all; i += local_size) {
				words[count++] = LOAD;
				words[count++] = 16 + 4 * i;
			}
			tb_chunk(&fixture.tb, command, group, local, words, count);
			flush(&fixture, execution);
		}
	free(words);
	tb_log_end(&fixture.tb, execution);
	const double start = now();
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	printf("tickets   of %-4u   %6.2f seconds for %u invocations (%u races, %u doubts)\n",
	       local_size, now() - start, all, report->race_count, report->coverage_count);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// Dispatches with nothing between them, whose workgroups take tickets, of one counter or of one a
// dispatch, and store a word behind that which each of them stores.
static void measure_linked(uint32_t commands, uint32_t groups, bool one)
{
	static struct fixture fixture;
	enum { STORE = 1, TICKET, FENCE };
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	const struct vkr_site sites[] = {ticket_site(VKR_SITE_STORE, 1),
					 ticket_site(VKR_SITE_ATOMIC_RMW, 3),
					 ticket_site(VKR_SITE_MEMORY_BARRIER, 0)};
	const uint32_t segments[] = {1, 1, 1, 0};
	fixture_init(&fixture, 8ull * commands + 16);
	const uint32_t pipeline =
		tb_shader_pipeline(&fixture.tb,
				   &(struct tb_shader){.variables = &variable,
						       .variable_count = 1,
						       .sites = sites,
						       .site_count = 3,
						       .segments = segments,
						       .workgroup_size = {1, 1, 1}},
				   NULL);
	tb_record(&fixture.tb);
	fixture_bind(&fixture, pipeline);
	const uint32_t first = tb_dispatch(&fixture.tb, groups, 1, 1);
	for (uint32_t at = 1; at < commands; at++)
		tb_dispatch(&fixture.tb, groups, 1, 1);
	const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	for (uint32_t at = 0; at < commands; at++)
		for (uint32_t group = 0; group < groups; group++) {
			const uint32_t ticket = one ? at * groups + group : group;
			const uint32_t words[] = {FENCE,  0,          TICKET, one ? 0 : 16 + 4 * at,
						  ticket, ticket + 1, FENCE,  0,
						  STORE,  8};
			tb_chunk(&fixture.tb, first + at, group, 0, words, group == 0 ? 10 : 8);
			flush(&fixture, execution);
		}
	tb_log_end(&fixture.tb, execution);
	const double start = now();
	struct vkr_session *session = tb_judge(&fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	printf("linked    %4u by %4u%s %6.2f seconds (%u races, %llu in all)\n", commands, groups,
	       one ? ", one counter" : "", now() - start, report->race_count,
	       (unsigned long long)report->race_total);
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
	measure_tickets(groups / 2, LOCAL);
	measure_tickets(groups * 16, 1);
	for (int one = 0; one < 2; one++)
		for (uint32_t commands = 100; commands <= 400; commands *= 2)
			measure_linked(commands, 32, one);
	return 0;
}
