// SPDX-License-Identifier: Apache-2.0
// Logs of dispatches: barriers, loops, atomics, and workgroup memory. Knows the reports' words.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORKGROUP_BARRIER                                                                          \
	{                                                                                          \
		.operation = VKR_SITE_CONTROL_BARRIER, .scope = VKR_SCOPE_WORKGROUP,               \
		.execution = VKR_SCOPE_WORKGROUP,                                                  \
		.order = VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE |        \
			 VKR_ORDER_MAKE_VISIBLE,                                                   \
		.semantics = VKR_CLASS_WORKGROUP, .variable = UINT32_MAX                           \
	}

static const struct vkr_variable tile = {
	.kind = VKR_VARIABLE_WORKGROUP, .count = 1, .bytes = 64, .spirv_id = 9};

static struct vkr_site tile_site(enum vkr_site_operation operation, uint32_t line)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_WORKGROUP,
				 .scope = VKR_SCOPE_WORKGROUP,
				 .flags = VKR_SITE_NONPRIVATE,
				 .words = 1,
				 .bytes = 4,
				 .line = line};
}

// Two rounds of a tile loop, workgroups of 4: write the own word, barrier, read the neighbour's
// (line 31), and a second barrier where `fixed`.
static void tile_loop(struct fixture *fixture, bool fixed, uint32_t write_line)
{
	fixture_init(fixture, 64);
	const struct vkr_site sites[] = {tile_site(VKR_SITE_STORE, write_line), WORKGROUP_BARRIER,
					 tile_site(VKR_SITE_LOAD, 31), WORKGROUP_BARRIER};
	const uint32_t segments[] = {fixed ? 4 : 3, 0};
	const struct tb_shader shader = {.variables = &tile,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = fixed ? 4 : 3,
					 .segments = segments,
					 .workgroup_size = {4, 1, 1},
					 .name = "tile"};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "forces");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	// Workgroups and invocations in no order, the rounds of one in two chunks.
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t at = 0; at < 8; at++) {
			const uint32_t workgroup = at & 1, local = 3 - at / 2;
			const uint32_t record[] = {1, 4 * local, 4 * ((local + 1) % 4)};
			tb_chunk(&fixture->tb, command, workgroup, local, record, 3);
		}
	tb_log_end(&fixture->tb, execution);
}

// What is proposed for the first race begins so.
static void expect_change(struct fixture *fixture, const char *change)
{
	struct vkr_session *session = fixture_judge(&fixture->tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_true(report->race_count > 0);
	assert_ptr_equal(strstr(report->races[0].change, change), report->races[0].change);
	vkr_session_destroy(session);
	tb_finish(&fixture->tb);
}

static void test_tile_loop(void **state)
{
	(void)state;
	struct fixture fixture;
	tile_loop(&fixture, true, 24);
	fixture_expect(&fixture, 0);
	tile_loop(&fixture, false, 24);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_race_report *race = &report->races[0];
	assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
	assert_int_equal(race->count, 8);
	assert_string_equal(race->first.object, "shared memory tile");
	assert_string_equal(race->first.storage_class, "Workgroup");
	assert_string_equal(race->first.memory, "");
	assert_string_equal(race->first.stage_access, "VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT");
	assert_string_equal(race->missing, "no OpControlBarrier between the two accesses");
	assert_string_equal(race->change,
			    "call barrier() between line 31 and line 24 of the next iteration");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	// A function that is called stands behind its caller in the module, not in the text.
	tile_loop(&fixture, false, 52);
	expect_change(&fixture, "call barrier() between line 52 and line 31");
}

// One invocation writes a word, another accesses it, with what is between them.
static void shared_access(struct fixture *fixture, enum vkr_site_operation second,
			  const struct vkr_site *between, uint32_t count)
{
	fixture_init(fixture, 64);
	struct vkr_site sites[8] = {tile_site(VKR_SITE_STORE, 5)};
	const uint32_t segments[] = {count + 2, 0};
	for (uint32_t at = 0; at < count; at++)
		sites[at + 1] = between[at];
	sites[count + 1] = tile_site(second, 7);
	const struct tb_shader shader = {.variables = &tile,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = count + 2,
					 .segments = segments,
					 .workgroup_size = {2, 2, 1},
					 .name = "tile"};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "pass");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 2, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	for (uint32_t local = 0; local < 4; local++) {
		const uint32_t record[] = {1, 4 * local, 4 * (local ^ 1)};
		tb_chunk(&fixture->tb, command, 3, local, record, 3);
	}
	tb_log_end(&fixture->tb, execution);
}

static void shared_pass(struct fixture *fixture, const struct vkr_site *between, uint32_t count)
{
	shared_access(fixture, VKR_SITE_LOAD, between, count);
}

static void test_barriers_in_shaders(void **state)
{
	(void)state;
	struct fixture fixture;
	const struct vkr_site full = WORKGROUP_BARRIER;
	struct vkr_site bare = WORKGROUP_BARRIER, fence = WORKGROUP_BARRIER;
	bare.order = 0;
	bare.semantics = 0;
	fence.operation = VKR_SITE_MEMORY_BARRIER;
	fence.execution = 0;
	shared_pass(&fixture, &full, 1);
	fixture_expect(&fixture, 0);
	// A release barrier before, an acquire barrier behind a control barrier without semantics.
	shared_pass(&fixture, (struct vkr_site[]){fence, bare, fence}, 3);
	fixture_expect(&fixture, 0);
	shared_pass(&fixture, (struct vkr_site[]){fence, bare}, 2);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	shared_pass(&fixture, &bare, 1);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	shared_pass(&fixture, &fence, 1);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_string_equal(race->change, "call barrier() between line 5 and line 7");
	assert_int_equal(race->first.workgroup[0], 1);
	assert_int_equal(race->first.workgroup[1], 1);
	assert_int_equal(race->first.workgroup_linear, 3);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	// What is set to zero before others count in it.
	shared_access(&fixture, VKR_SITE_ATOMIC_RMW, NULL, 0);
	expect_change(&fixture, "call barrier() between line 5 and line 7");
}

// A fence releases what is before it, and makes that available; what an invocation accesses later,
// only a later fence releases, and as that one says.
static void test_release_fences(void **state)
{
	(void)state;
	struct fixture fixture;
	struct vkr_site bare = WORKGROUP_BARRIER, full = WORKGROUP_BARRIER, weak, acquire, other;
	bare.order = 0;
	bare.semantics = 0;
	full.operation = VKR_SITE_MEMORY_BARRIER;
	full.execution = 0;
	weak = acquire = full;
	full.order = VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE;
	weak.order = VKR_ORDER_RELEASE;
	acquire.order = VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE;
	// What is made available of one class is not of another one that is released, too.
	other = full;
	other.semantics = VKR_CLASS_UNIFORM;
	const struct vkr_site store = tile_site(VKR_SITE_STORE, 5),
			      load = tile_site(VKR_SITE_LOAD, 7);
	const struct {
		struct vkr_site sites[8];
		uint32_t count;
		bool race;
	} cases[] = {{{store, full, bare, acquire, load}, 5, false},
		     {{store, weak, bare, acquire, load}, 5, true},
		     {{full, store, weak, bare, acquire, load}, 6, true},
		     {{full, bare, store, weak, bare, acquire, load}, 7, true},
		     {{full, store, full, bare, acquire, load}, 6, false},
		     {{store, full, bare, bare, acquire, load}, 6, false},
		     {{store, weak, other, bare, acquire, load}, 6, true},
		     {{store, full, other, bare, acquire, load}, 6, false}};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const uint32_t segments[] = {cases[at].count, 0};
		uint32_t command;
		fixture_init(&fixture, 64);
		const struct tb_shader shader = {.variables = &tile,
						 .variable_count = 1,
						 .sites = cases[at].sites,
						 .site_count = cases[at].count,
						 .segments = segments,
						 .workgroup_size = {2, 1, 1},
						 .name = "tile"};
		const uint32_t execution = fixture_dispatch(&fixture, &shader, &command);
		for (uint32_t local = 0; local < 2; local++) {
			const uint32_t record[] = {1, 4 * local, 4 * (local ^ 1)};
			tb_chunk(&fixture.tb, command, 0, local, record, 3);
		}
		tb_log_end(&fixture.tb, execution);
		if (cases[at].race)
			fixture_expect_class(&fixture, VKR_RACE_UNAVAILABLE);
		else
			fixture_expect(&fixture, 0);
	}
}

#define APART 16u // invocations of a workgroup
#define BYTES (UINT64_C(4) * APART)

// All invocations of a workgroup write their own words (line 3). Then every other two of them take
// the other branch first, so that few neighbours do the same at once: one branch writes the own
// word (line 5) and reads it, the other one writes it only (line 7). All read their own words at
// the end (line 9), but for invocation 6, of which it is said which.
static void two_branches(struct fixture *fixture, uint64_t bytes, uint32_t word)
{
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	struct vkr_site sites[] = {{.operation = VKR_SITE_STORE, .line = 3},
				   {.operation = VKR_SITE_STORE, .line = 5},
				   {.operation = VKR_SITE_LOAD, .line = 6},
				   {.operation = VKR_SITE_STORE, .line = 7},
				   {.operation = VKR_SITE_LOAD, .line = 9}};
	const uint32_t segments[] = {1, 2, 1, 1, 0};
	uint32_t command;
	fixture_init(fixture, bytes);
	for (unsigned at = 0; at < 5; at++) {
		sites[at].storage_class = VKR_CLASS_UNIFORM;
		sites[at].flags = VKR_SITE_NONPRIVATE;
		sites[at].words = 1;
		sites[at].bytes = 4;
	}
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 5,
					 .segments = segments,
					 .workgroup_size = {APART, 1, 1},
					 .name = "branches"};
	const uint32_t execution = fixture_dispatch(fixture, &shader, &command);
	for (uint32_t local = 0; local < APART; local++) {
		const uint32_t own = 4 * local, last = local == 6 ? 4 * word : own;
		const uint32_t one[] = {1, own, 2, own, own, 0, 3, own, 4, last};
		const uint32_t other[] = {1, own, 3, own, 2, own, own, 0, 4, last};
		tb_chunk(&fixture->tb, command, 1, local, local / 2 % 2 != 0 ? one : other, 10);
	}
	tb_log_end(&fixture->tb, execution);
}

static void test_branches(void **state)
{
	(void)state;
	struct fixture fixture;
	char words[APART + 1];
	two_branches(&fixture, BYTES, 6);
	fixture_expect(&fixture, 0);
	two_branches(&fixture, BYTES, 8);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	const struct vkr_race_report *race = &report->races[0];
	assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
	assert_int_equal(race->count, 1);
	assert_int_equal(race->first.offset, 32);
	assert_int_equal(race->first.bytes, 4);
	assert_int_equal(race->first.local[0], 8);
	assert_int_equal(race->first.source.line, 5); // its last one
	assert_int_equal(race->second.local[0], 6);
	assert_int_equal(race->second.source.line, 9);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	// The last one accesses nothing else: five times, thrice of them apart from others.
	two_branches(&fixture, BYTES - 4, 6);
	session = fixture_judge(&fixture.tb);
	report = vkr_session_report(session);
	assert_int_equal(report->coverage_count, 1);
	assert_int_equal(report->coverage[0].amount, 5);
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	two_branches(&fixture, BYTES, 6);
	tb_record(&fixture.tb);
	session = fixture_words(&fixture.tb, fixture.buffer, APART, words);
	assert_string_equal(words, "xxxxxxxxxxxxxxxx");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
}

// Invocations of two workgroups access one word.
static void one_word(struct fixture *fixture, enum vkr_site_operation first,
		     enum vkr_site_operation second, uint32_t line)
{
	fixture_init(fixture, 64);
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	struct vkr_site sites[2] = {{.operation = (uint8_t)first, .line = 3},
				    {.operation = (uint8_t)second, .line = line}};
	for (int at = 0; at < 2; at++) {
		sites[at].storage_class = VKR_CLASS_UNIFORM;
		sites[at].scope = VKR_SCOPE_QUEUE_FAMILY;
		sites[at].words = 1;
		sites[at].bytes = 4;
	}
	const uint32_t segments[] = {1, 1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 2,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	const uint32_t pipeline = tb_shader_pipeline(&fixture->tb, &shader, "one");
	tb_record(&fixture->tb);
	fixture_bind(fixture, pipeline);
	const uint32_t command = tb_dispatch(&fixture->tb, 2, 1, 1);
	const uint32_t execution = tb_submit(&fixture->tb, 1, tb_record_end(&fixture->tb));
	for (uint32_t workgroup = 0; workgroup < 2; workgroup++) {
		const uint32_t record[] = {1 + workgroup, 8};
		tb_chunk(&fixture->tb, command, workgroup, 0, record, 2);
	}
	tb_log_end(&fixture->tb, execution);
}

// Invocation 0 of a workgroup writes a word in line 3 that invocation 1 reads in line 4, plainly.
static void one_workgroup(struct fixture *fixture, uint8_t storage_class, uint8_t flags,
			  const struct vkr_site *between)
{
	fixture_init(fixture, 64);
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1};
	struct vkr_site sites[3] = {{.operation = VKR_SITE_STORE, .line = 3}};
	const uint32_t count = between != NULL ? 3 : 2;
	sites[0].storage_class = storage_class;
	sites[0].flags = flags;
	sites[0].words = 1;
	sites[0].bytes = 4;
	sites[count - 1] = sites[0];
	sites[count - 1].operation = VKR_SITE_LOAD;
	sites[count - 1].line = 4;
	if (between != NULL)
		sites[1] = *between;
	const uint32_t segments[] = {count, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = count,
					 .segments = segments,
					 .workgroup_size = {2, 1, 1},
					 .name = "one"};
	uint32_t command;
	const uint32_t execution = fixture_dispatch(fixture, &shader, &command);
	for (uint32_t local = 0; local < 2; local++) {
		const uint32_t record[] = {1, 4 * local, 0};
		tb_chunk(&fixture->tb, command, 0, local, record, 3);
	}
	tb_log_end(&fixture->tb, execution);
}

// What is proposed is all that is missing: a barrier does not order private accesses.
static void test_private_accesses(void **state)
{
	(void)state;
	struct fixture fixture;
	struct vkr_site barrier = WORKGROUP_BARRIER;
	one_workgroup(&fixture, VKR_CLASS_UNIFORM, 0, NULL);
	expect_change(&fixture, "declare the buffer coherent, and call barrier(), with "
				"memoryBarrierBuffer() before and after it, between line 3 and "
				"line 4");
	one_workgroup(&fixture, VKR_CLASS_UNIFORM, 0, &barrier);
	expect_change(&fixture, "declare the buffer coherent, and call barrier(), with "
				"memoryBarrierBuffer() before and after it, between line 3 and "
				"line 4");
	one_workgroup(&fixture, VKR_CLASS_UNIFORM, VKR_SITE_NONPRIVATE, &barrier);
	expect_change(&fixture,
		      "call barrier(), with memoryBarrierBuffer() before and after it, between "
		      "line 3 and line 4");
	one_workgroup(&fixture, VKR_CLASS_IMAGE, 0, NULL);
	expect_change(&fixture, "declare the image coherent, and call barrier(), with "
				"memoryBarrierImage() before and after it, between line 3 and "
				"line 4");
	barrier.semantics = VKR_CLASS_UNIFORM;
	one_workgroup(&fixture, VKR_CLASS_UNIFORM, 0, &barrier);
	expect_change(&fixture, "declare the buffer coherent");
	one_workgroup(&fixture, VKR_CLASS_UNIFORM, VKR_SITE_NONPRIVATE, &barrier);
	fixture_expect(&fixture, 0);
}

static void test_atomics(void **state)
{
	(void)state;
	struct fixture fixture;
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_ATOMIC_LOAD, 4);
	fixture_expect(&fixture, 0);
	one_word(&fixture, VKR_SITE_LOAD, VKR_SITE_LOAD, 4);
	fixture_expect(&fixture, 0);
	one_word(&fixture, VKR_SITE_STORE, VKR_SITE_STORE, 4);
	fixture_expect_class(&fixture, VKR_RACE_UNORDERED);
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_LOAD, 4);
	struct vkr_session *session = fixture_judge(&fixture.tb);
	const struct vkr_race_report *race = &vkr_session_report(session)->races[0];
	assert_int_equal(vkr_session_report(session)->race_count, 1);
	assert_int_equal(race->count, 1);
	assert_true(race->first.atomic && race->first.read && race->first.write);
	assert_string_equal(race->first.scope, "QueueFamily");
	assert_string_equal(race->first.semantics, "Relaxed");
	assert_string_equal(race->change, "make the OpLoad at line 4 atomic too");
	vkr_session_destroy(session);
	tb_finish(&fixture.tb);
	one_word(&fixture, VKR_SITE_ATOMIC_RMW, VKR_SITE_LOAD, 0);
	expect_change(&fixture, "make the OpLoad at SPIR-V word ");
}

// What a damaged log holds is told, and never read beyond.
static void test_damaged_logs(void **state)
{
	(void)state;
	const struct {
		uint32_t words[6];
		uint32_t count;
	} logs[] = {{{1, 0, 0, 9, 1, 0}, 6}, // chunk longer than the log
		    {{1, 0, 0, 3, 1, 0}, 6}, // shorter than its header
		    {{7, 0, 0, 6, 1, 0}, 6}, // no such command
		    {{1, 0, 9, 6, 1, 0}, 6}, // no such invocation
		    {{1, 0, 0, 6, 2, 0}, 6}, // no such segment
		    {{1, 0, 0, 5, 1}, 5}};   // record longer than its chunk
	for (size_t at = 0; at < sizeof logs / sizeof *logs; at++) {
		struct fixture fixture;
		fixture_init(&fixture, 64);
		tb_record(&fixture.tb);
		fixture_bind(&fixture, fixture.writer);
		tb_dispatch(&fixture.tb, 1, 1, 1);
		const uint32_t execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
		const struct vkr_trace_gpu_log log = {.execution = execution,
						      .word_count = logs[at].count};
		tb_event(&fixture.tb, VKR_TRACE_GPU_LOG, &log, sizeof log, logs[at].words,
			 logs[at].count * 4);
		tb_log_end(&fixture.tb, execution);
		// An event's own check may refuse it; then nothing was logged.
		struct vkr_session *session = NULL;
		struct vkr_error error;
		bool refused = false;
		assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
		for (size_t place = 0; place < fixture.tb.events.count;) {
			const struct vkr_trace_event *event =
				(const void *)(fixture.tb.events.items + place);
			refused |= vkr_session_event(session, event, &error) != VKR_OK;
			place += event->bytes;
		}
		assert_int_equal(vkr_session_end(session, &error), VKR_OK);
		const struct vkr_report *report = vkr_session_report(session);
		assert_true(refused || report->verdict == VKR_VERDICT_INCOMPLETE);
		vkr_session_destroy(session);
		tb_finish(&fixture.tb);
	}
}

// Two workgroups of the writer whose log is a sheet.
static struct vkr_session *judge_sheet(const struct vkr_trace_gpu_column_log *shape,
				       const uint32_t *words, bool *refused)
{
	struct fixture fixture;
	struct vkr_session *session = NULL;
	struct vkr_error error;
	fixture_init(&fixture, 64);
	tb_record(&fixture.tb);
	fixture_bind(&fixture, fixture.writer);
	tb_dispatch(&fixture.tb, 2, 1, 1);
	struct vkr_trace_gpu_column_log sheet = *shape;
	sheet.execution = tb_submit(&fixture.tb, 1, tb_record_end(&fixture.tb));
	tb_event(&fixture.tb, VKR_TRACE_GPU_COLUMN_LOG, &sheet, sizeof sheet, words,
		 sheet.word_count * 4);
	tb_log_end(&fixture.tb, sheet.execution);
	*refused = false;
	assert_int_equal(vkr_session_create(NULL, &session, &error), VKR_OK);
	for (size_t place = 0; place < fixture.tb.events.count;) {
		const struct vkr_trace_event *event =
			(const void *)(fixture.tb.events.items + place);
		*refused |= vkr_session_event(session, event, &error) != VKR_OK;
		place += event->bytes;
	}
	assert_int_equal(vkr_session_end(session, &error), VKR_OK);
	tb_finish(&fixture.tb);
	return session;
}

static void test_sheets(void **state)
{
	(void)state;
	const struct vkr_trace_gpu_column_log good = {.word_count = 16,
						      .group_count = 2,
						      .local_size = 4,
						      .columns = 1,
						      .groups = {2, 1, 1}};
	// Both store to the same words.
	const uint32_t words[16] = {1, 0, 1, 4, 1, 8, 1, 12, 1, 0, 1, 4, 1, 8, 1, 12};
	bool refused;
	struct vkr_session *session = judge_sheet(&good, words, &refused);
	assert_false(refused);
	assert_int_equal(vkr_session_report(session)->verdict, VKR_VERDICT_RACES);
	vkr_session_destroy(session);
	struct vkr_trace_gpu_column_log bad[5] = {good, good, good, good, good};
	bad[0].command = 7;
	bad[1].columns = 3;
	bad[2].groups[1] = 0;
	bad[3].local_size = 8; // not the shader's
	bad[3].group_count = 1;
	bad[4].word_count = 14;
	for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
		session = judge_sheet(&bad[at], words, &refused);
		assert_true(refused ||
			    vkr_session_report(session)->verdict == VKR_VERDICT_INCOMPLETE);
		vkr_session_destroy(session);
	}
	const uint32_t unknown[16] = {9, 0};
	session = judge_sheet(&good, unknown, &refused);
	assert_int_equal(vkr_session_report(session)->verdict, VKR_VERDICT_INCOMPLETE);
	vkr_session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tile_loop),        cmocka_unit_test(test_barriers_in_shaders),
		cmocka_unit_test(test_release_fences),   cmocka_unit_test(test_branches),
		cmocka_unit_test(test_private_accesses), cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_damaged_logs),     cmocka_unit_test(test_sheets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
