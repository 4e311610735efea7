// SPDX-License-Identifier: Apache-2.0
// Render passes of two subpasses: where attachments are loaded, stored and given other layouts, and
// which dependencies order that. Knows passes and verdicts, not how these are found.
#include "attachment_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define GENERAL  VK_IMAGE_LAYOUT_GENERAL
#define OPTIMAL  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL
#define OUTPUT   VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT
#define WRITE    VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT
#define READ     VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT
#define TRANSFER VK_ACCESS_2_TRANSFER_WRITE_BIT
#define OUTSIDE  VK_SUBPASS_EXTERNAL
#define LOAD     VK_ATTACHMENT_LOAD_OP_LOAD
#define CLEAR    VK_ATTACHMENT_LOAD_OP_CLEAR
#define DISCARD  VK_ATTACHMENT_LOAD_OP_DONT_CARE
#define STORE    VK_ATTACHMENT_STORE_OP_STORE
#define NO_LOAD  VK_ATTACHMENT_LOAD_OP_NONE_EXT
#define NO_STORE VK_ATTACHMENT_STORE_OP_NONE

// One attachment: COLOR. Subpasses without a role do not use it.
struct pass_case {
	uint32_t load, store, initial, final;
	struct {
		uint32_t role, layout;
	} subpasses[2];
	struct vkr_trace_subpass_dependency dependency; // without stages: none
	const char *texels; // what is touched and not in order with a copy behind the pass
};

static void add_pass(struct passes *test, const struct pass_case *is)
{
	const struct vkr_trace_attachment attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
							.samples = 1,
							.load = is->load,
							.store = is->store,
							.stencil_load = NO_LOAD,
							.stencil_store = NO_STORE,
							.initial_layout = is->initial,
							.final_layout = is->final};
	struct vkr_trace_render_pass pass = {.render_pass = 1,
					     .device = 1,
					     .attachment_count = 1,
					     .subpass_count = 2,
					     .dependency_count = is->dependency.source_stages != 0};
	struct vkr_trace_subpass subpasses[2] = {{0}, {0}};
	struct vkr_trace_attachment_reference references[2];
	unsigned char tail[512], *end = tail;
	for (uint32_t at = 0; at < 2; at++) {
		if (is->subpasses[at].role == 0)
			continue;
		references[pass.reference_count++] = (struct vkr_trace_attachment_reference){
			.role = is->subpasses[at].role, .layout = is->subpasses[at].layout};
		subpasses[at].reference_count = 1;
	}
	memcpy(end, &is->dependency, pass.dependency_count * sizeof is->dependency);
	end += pass.dependency_count * sizeof is->dependency;
	memcpy(end, &attachment, sizeof attachment);
	end += sizeof attachment;
	memcpy(end, subpasses, sizeof subpasses);
	end += sizeof subpasses;
	memcpy(end, references, pass.reference_count * sizeof *references);
	end += pass.reference_count * sizeof *references;
	tb_event(&test->tb, VKR_TRACE_RENDER_PASS, &pass, sizeof pass, tail, (size_t)(end - tail));
}

static void record_pass(struct passes *test, const struct pass_case *is)
{
	const struct vkr_trace_framebuffer frame = {.framebuffer = 1,
						    .device = 1,
						    .width = SIDE,
						    .height = SIDE,
						    .layers = 1,
						    .view_count = 1};
	const uint32_t view = COLOR;
	struct vkr_trace_cmd_begin_render_pass begin = {
		.render_pass = 1, .framebuffer = 1, .x = 1, .y = 1, .width = 2, .height = 2};
	struct vkr_trace_cmd_next_subpass next = {0};
	struct vkr_trace_cmd_end_render_pass end = {0};
	add_pass(test, is);
	tb_event(&test->tb, VKR_TRACE_FRAMEBUFFER, &frame, sizeof frame, &view, sizeof view);
	tb_command(&test->tb, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &begin.command, sizeof begin, NULL,
		   0);
	tb_command(&test->tb, VKR_TRACE_CMD_NEXT_SUBPASS, &next.command, sizeof next, NULL, 0);
	tb_command(&test->tb, VKR_TRACE_CMD_END_RENDER_PASS, &end.command, sizeof end, NULL, 0);
}

// What the two subpasses do with the attachment.
#define USED(layout)                                                                               \
	{                                                                                          \
		VKR_ATTACHMENT_COLOR, layout                                                       \
	}
#define FIRST                                                                                      \
	{                                                                                          \
		USED(GENERAL)                                                                      \
	}
#define FIRST_KEPT                                                                                 \
	{                                                                                          \
		USED(GENERAL),                                                                     \
		{                                                                                  \
			VKR_ATTACHMENT_PRESERVE, 0                                                 \
		}                                                                                  \
	}
#define FIRST_INPUT                                                                                \
	{                                                                                          \
		{                                                                                  \
			VKR_ATTACHMENT_INPUT, GENERAL                                              \
		}                                                                                  \
	}
#define BOTH                                                                                       \
	{                                                                                          \
		USED(GENERAL), USED(GENERAL)                                                       \
	}
#define BOTH_CHANGED                                                                               \
	{                                                                                          \
		USED(GENERAL), USED(OPTIMAL)                                                       \
	}
#define LATER                                                                                      \
	{                                                                                          \
		{0}, USED(GENERAL)                                                                 \
	}
#define PASS(load, store, in, out, uses, dependency, texels)                                       \
	{                                                                                          \
		load, store, in, out, uses, dependency, texels                                     \
	}
#define ALL "tttttttttttttttt"
#define ALONE                                                                                      \
	{                                                                                          \
		0                                                                                  \
	}
// From one subpass to the next, and out of the pass to copies.
#define BETWEEN                                                                                    \
	{                                                                                          \
		.source = 0, .destination = 1, .source_stages = OUTPUT, .source_access = WRITE,    \
		.destination_stages = OUTPUT, .destination_access = WRITE | READ                   \
	}
#define TO_COPIES(subpass, stages, access)                                                         \
	{                                                                                          \
		.source = subpass, .destination = OUTSIDE, .source_stages = stages,                \
		.source_access = access, .destination_stages = COPY,                               \
		.destination_access = TRANSFER                                                     \
	}

static const struct pass_case passes[] = {
	// The first use loads and the last one stores; where it is only preserved is no use.
	PASS(DISCARD, NO_STORE, GENERAL, GENERAL, FIRST, ALONE, AREA("d")),
	PASS(LOAD, NO_STORE, GENERAL, GENERAL, LATER, ALONE, AREA("l")),
	PASS(LOAD, NO_STORE, GENERAL, GENERAL, FIRST_KEPT, ALONE, AREA("l")),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, FIRST_KEPT, ALONE, AREA("s")),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, BOTH, BETWEEN, AREA("s")),
	PASS(DISCARD, NO_STORE, GENERAL, GENERAL, BOTH, ALONE, AREA("d")),
	// Values that an earlier subpass has written are discarded by a store operation that is
	// none.
	PASS(CLEAR, NO_STORE, GENERAL, GENERAL, BOTH, BETWEEN, AREA("d")),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, BOTH, ALONE, AREA("s")),
	// What is only read as input need not be stored.
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, FIRST_INPUT, ALONE, NONE),
	PASS(NO_LOAD, NO_STORE, GENERAL, GENERAL, FIRST, ALONE, NONE),
	// Layouts: between and on the way out; of the whole subresource.
	PASS(NO_LOAD, NO_STORE, GENERAL, OPTIMAL, FIRST, ALONE, ALL),
	PASS(NO_LOAD, NO_STORE, GENERAL, OPTIMAL, FIRST_KEPT, ALONE, ALL),
	PASS(NO_LOAD, NO_STORE, GENERAL, OPTIMAL, BOTH_CHANGED, BETWEEN, ALL),
	PASS(NO_LOAD, NO_STORE, GENERAL, GENERAL, FIRST_KEPT, ALONE, NONE),
	// Dependencies to the outside: of the subpass that uses it, with its stages and accesses.
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, FIRST, TO_COPIES(0, OUTPUT, WRITE), NONE),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, FIRST, TO_COPIES(0, COMPUTE, WRITE), AREA("s")),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, FIRST_KEPT, TO_COPIES(1, OUTPUT, WRITE), AREA("s")),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, LATER, TO_COPIES(0, OUTPUT, WRITE), AREA("s")),
	// Operations of another subpass, where both use it: a store that is later, and a load that
	// is earlier.
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, BOTH, TO_COPIES(0, OUTPUT, WRITE), NONE),
	PASS(NO_LOAD, STORE, GENERAL, GENERAL, BOTH, TO_COPIES(0, COMPUTE, WRITE), AREA("s")),
	PASS(DISCARD, NO_STORE, GENERAL, GENERAL, BOTH, TO_COPIES(1, OUTPUT, WRITE), NONE),
	PASS(DISCARD, NO_STORE, GENERAL, GENERAL, FIRST_KEPT, TO_COPIES(1, OUTPUT, WRITE),
	     AREA("d")),
	// A transition away from the last use is behind the load, too.
	PASS(DISCARD, NO_STORE, GENERAL, OPTIMAL, BOTH, TO_COPIES(1, OUTPUT, WRITE), NONE),
	// A transition at the end is behind its subpass's and before what the dependency makes
	// visible, whatever that makes available.
	PASS(NO_LOAD, NO_STORE, GENERAL, OPTIMAL, FIRST, TO_COPIES(0, OUTPUT, 0), NONE),
	PASS(NO_LOAD, NO_STORE, GENERAL, OPTIMAL, FIRST, TO_COPIES(1, OUTPUT, 0), ALL),
};

static void test_behind(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof passes / sizeof *passes; at++) {
		struct passes test;
		attachments_begin(&test);
		tb_record(&test.tb);
		record_pass(&test, &passes[at]);
		char texels[TEXELS + 1];
		attachments_judge(&test, COLOR, COLOR_ASPECT, 0, texels);
		if (strcmp(texels, passes[at].texels) != 0)
			fail_msg("case %zu: %s", at, texels);
		assert_string_equal(attachments_told(&test, ""), "");
		attachments_end(&test);
	}
}

// What stands before the pass, and the dependencies into it.
#define FROM_COPIES(subpass, stages, access)                                                       \
	{                                                                                          \
		.source = OUTSIDE, .destination = subpass, .source_stages = COPY,                  \
		.source_access = TRANSFER, .destination_stages = stages,                           \
		.destination_access = access                                                       \
	}
static const struct {
	struct pass_case pass;
	uint32_t races;
} into[] = {
	{PASS(CLEAR, NO_STORE, GENERAL, GENERAL, FIRST, ALONE, NULL), 1},
	{PASS(CLEAR, NO_STORE, GENERAL, GENERAL, FIRST, FROM_COPIES(0, OUTPUT, WRITE), NULL), 0},
	{PASS(CLEAR, NO_STORE, GENERAL, GENERAL, FIRST, FROM_COPIES(0, COMPUTE, WRITE), NULL), 1},
	{PASS(CLEAR, NO_STORE, GENERAL, GENERAL, LATER, FROM_COPIES(1, OUTPUT, WRITE), NULL), 0},
	{PASS(CLEAR, NO_STORE, GENERAL, GENERAL, FIRST, FROM_COPIES(1, OUTPUT, WRITE), NULL), 1},
	// Operations of another subpass, where both use it: a load that is earlier, and a store
	// that is later.
	{PASS(LOAD, NO_STORE, GENERAL, GENERAL, BOTH, FROM_COPIES(1, OUTPUT, READ), NULL), 0},
	{PASS(LOAD, NO_STORE, GENERAL, GENERAL, BOTH, FROM_COPIES(1, COMPUTE, READ), NULL), 1},
	{PASS(LOAD, NO_STORE, GENERAL, GENERAL, FIRST, FROM_COPIES(1, OUTPUT, READ), NULL), 1},
	{PASS(NO_LOAD, STORE, GENERAL, GENERAL, BOTH, FROM_COPIES(0, OUTPUT, WRITE), NULL), 0},
	{PASS(NO_LOAD, STORE, GENERAL, GENERAL, LATER, FROM_COPIES(0, OUTPUT, WRITE), NULL), 1},
	{PASS(CLEAR, NO_STORE, OPTIMAL, GENERAL, FIRST, FROM_COPIES(0, OUTPUT, WRITE), NULL), 0},
	// A transition makes itself available: what only writes need not see it.
	{PASS(CLEAR, NO_STORE, OPTIMAL, GENERAL, FIRST, FROM_COPIES(0, OUTPUT, 0), NULL), 0},
	{PASS(LOAD, NO_STORE, OPTIMAL, GENERAL, FIRST, FROM_COPIES(0, OUTPUT, 0), NULL), 1},
	{PASS(LOAD, NO_STORE, OPTIMAL, GENERAL, FIRST, FROM_COPIES(0, OUTPUT, READ), NULL), 0},
	// Without a dependency the transition races.
	{PASS(CLEAR, NO_STORE, OPTIMAL, GENERAL, FIRST, ALONE, NULL), 1},
};

static void test_before(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof into / sizeof *into; at++) {
		struct vkr_trace_cmd_clear_image clear = {
			.image = COLOR, .layout = GENERAL, .range_count = 1};
		const struct vkr_trace_subresources all = {
			.aspects = COLOR_ASPECT, .mip_count = 1, .layer_count = LAYERS};
		struct passes test;
		attachments_begin(&test);
		tb_record(&test.tb);
		tb_command(&test.tb, VKR_TRACE_CMD_CLEAR_IMAGE, &clear.command, sizeof clear, &all,
			   sizeof all);
		record_pass(&test, &into[at].pass);
		tb_submit(&test.tb, 1, tb_record_end(&test.tb));
		test.session = fixture_judge(&test.tb);
		if (vkr_session_report(test.session)->race_count != into[at].races)
			fail_msg("case %zu: %u races", at,
				 vkr_session_report(test.session)->race_count);
		attachments_end(&test);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
