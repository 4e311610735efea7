// SPDX-License-Identifier: Apache-2.0
// Changes that several races share: what is united, and how it is written. With --code it prints a
// C file that uses the code of each, with --glsl or --hlsl a shader that uses those of shaders.
#include "report_changes.h"
#include "sample_report.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PLACE(at, under)                                                                           \
	{                                                                                          \
		.call = at, .labels = under, .command_buffer = "main", .command = 2,               \
		.name = "vkCmdDispatch",                                                           \
		.recorded = "dispatch() /src/nbody.c:71\nstep() /src/nbody.c:85"                   \
	}
#define WRITE_READ                                                                                 \
	{                                                                                          \
		0x800, UINT64_C(1) << 34, 0x800, UINT64_C(1) << 33                                 \
	}
#define LEGACY                                                                                     \
	{                                                                                          \
		0x800, 0x40, 0x800, 0x20                                                           \
	}
#define EXECUTION                                                                                  \
	{                                                                                          \
		0x1000, 0, 0x800, 0                                                                \
	}

#define EDIT(how, at, wide, old)                                                                   \
	{                                                                                          \
		.kind = VKR_CHANGE_##how, .place = at, .from = FROM, .masks = wide, .legacy = old  \
	}
#define FROM                                                                                       \
	{                                                                                          \
		.call = "", .labels = "", .command_buffer = "main", .command = 1,                  \
		.name = "vkCmdBeginRendering", .recorded = ""                                      \
	}

static const struct vkr_change edits[] = {
	EDIT(BARRIER_BEFORE, PLACE("nbody+0x10", "step 1"), WRITE_READ, LEGACY),
	EDIT(BARRIER_BEFORE, PLACE("nbody+0x10", "step 1"), EXECUTION, EXECUTION),
	EDIT(BARRIER_BEFORE, PLACE("nbody+0x10", "step 12"), EXECUTION, EXECUTION),
	EDIT(BARRIER_BEFORE, PLACE("nbody+0x10", "steps"), EXECUTION, EXECUTION),
	EDIT(BARRIER_AFTER, PLACE("nbody+0x10", "step 1"), WRITE_READ, LEGACY),
	EDIT(MASKS, PLACE("", ""), WRITE_READ, LEGACY),
	EDIT(MASKS, PLACE("", "other"), EXECUTION, EXECUTION),
	EDIT(SPLIT, PLACE("", ""), WRITE_READ, LEGACY),
	EDIT(WAIT, PLACE("", ""), EXECUTION, EXECUTION),
	EDIT(SIGNAL, PLACE("", ""), EXECUTION, EXECUTION),
	EDIT(SEMAPHORE, PLACE("", ""), EXECUTION, EXECUTION),
	{.kind = VKR_CHANGE_BARRIER_INSIDE,
	 .place = PLACE("", ""),
	 .from = FROM,
	 .subpasses = {.source = 1, .destination = 1, .flags = 1},
	 .masks = EXECUTION,
	 .legacy = EXECUTION},
	{.kind = VKR_CHANGE_DEPENDENCY,
	 .place = PLACE("", ""),
	 .from = FROM,
	 .subpasses = {.source = VKR_CHANGE_EXTERNAL, .destination = 0},
	 .masks = WRITE_READ,
	 .legacy = LEGACY},
	{.kind = VKR_CHANGE_DEPENDENCY,
	 .place = PLACE("", ""),
	 .from = FROM,
	 .subpasses = {.source = 0, .destination = 1, .dependency = 2},
	 .masks = WRITE_READ,
	 .legacy = LEGACY},
	{.kind = VKR_CHANGE_DEPENDENCY,
	 .place = PLACE("", "other"),
	 .from = FROM,
	 .subpasses = {.source = 0, .destination = 1, .dependency = 2, .flags = 3},
	 .masks = EXECUTION,
	 .legacy = EXECUTION},
};

#define COUNT (sizeof edits / sizeof *edits)

static void make(struct vkr_race_report races[COUNT + 1], struct vkr_report *report, bool second)
{
	static const char *const ids[] = {"a", "b", "c", "d", "e", "f", "g", "h",
					  "i", "j", "k", "l", "m", "n", "o", "p"};
	static_assert(sizeof ids / sizeof *ids == COUNT + 1, "each has an id");
	for (size_t i = 0; i <= COUNT; i++) {
		races[i] = vkr_sample_report("full")->races[0];
		races[i].id = ids[i];
		races[i].edit = i < COUNT ? &edits[i] : NULL;
		races[i].first.command.recorded =
			"dispatch() /src/nbody.c:71\nstep() /src/nbody.c:81";
	}
	*report = (struct vkr_report){.races = races, .race_count = COUNT + 1, .barriers2 = second};
}

static void test_united(void **state)
{
	(void)state;
	struct vkr_race_report races[COUNT + 1];
	struct vkr_report report;
	struct vkr_report_changes changes;
	struct vkr_arena arena;
	struct vkr_error error;
	vkr_arena_init(&arena);
	make(races, &report, false);
	assert_int_equal(vkr_report_changes_make(&report, &arena, &changes, &error), VKR_OK);
	assert_int_equal(changes.count, 11);
	assert_int_equal(changes.items[0].race_count, 3); // numbers in labels say nothing
	assert_string_equal(changes.items[0].races[1], "b");
	assert_int_equal(changes.items[0].change.masks.source_stages, 0x1800);
	assert_int_equal(changes.items[0].change.masks.destination_access, UINT64_C(1) << 33);
	assert_string_equal(changes.items[1].races[0], "d");
	assert_int_equal(changes.items[3].race_count, 2); // without a call, labels say nothing
	assert_string_equal(vkr_report_change_words(&changes.items[0], &arena),
			    "add before command 2 (vkCmdDispatch), step 1, between step() "
			    "nbody.c:81 and step() nbody.c:85");
	assert_string_equal(
		vkr_report_change_words(&changes.items[2], &arena),
		"add after command 2 (vkCmdDispatch), step 1, at dispatch() nbody.c:71");
	assert_string_equal(vkr_report_change_proof(&changes.items[0], 9, &arena), "");
	changes.items[0].checked = true;
	changes.items[0].places = changes.items[0].gone_count = 1;
	assert_string_equal(vkr_report_change_proof(&changes.items[0], 9, &arena),
			    "checked: judged again with it at 1 place, 1 of 9 races is gone, "
			    "none is new");
	// One call of a helper has recorded both.
	races[0].first.command.recorded = edits[0].place.recorded;
	assert_int_equal(vkr_report_changes_make(&report, &arena, &changes, &error), VKR_OK);
	assert_string_equal(changes.items[0].where, "at step() nbody.c:85");
	vkr_arena_finish(&arena);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(vkr_change_kind_of("barrier after"), VKR_CHANGE_BARRIER_AFTER);
	assert_int_equal(vkr_change_kind_of("no kind"), (enum vkr_change_kind) - 1);
	assert_string_equal(vkr_change_kind_text(VKR_CHANGE_MASKS), "masks");
}

// Both forms of every change, as a program would have them.
static int print_code(void)
{
	struct vkr_race_report races[COUNT + 1];
	struct vkr_report report;
	struct vkr_report_changes changes;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	puts("#include <vulkan/vulkan.h>\n"
	     "static VkCommandBuffer commandBuffer;\n"
	     "static VkFlags64 srcStageMask, srcAccessMask, dstStageMask, dstAccessMask;\n"
	     "static VkFlags waitDstStageMask;\n"
	     "static VkSemaphoreSubmitInfo wait, signal;\n"
	     "static VkSubmitInfo signaling, waiting;\n"
	     "static VkSemaphore semaphore;\n"
	     "static VkSubpassDependency dependencies[2];\n"
	     "static VkSubpassContents contents;\n"
	     "void change(void);\n"
	     "void change(void)\n"
	     "{");
	for (int second = 0; second < 2; second++) {
		make(races, &report, second);
		if (vkr_report_changes_make(&report, &arena, &changes, NULL) != VKR_OK)
			return 1;
		for (uint32_t i = 0; i < changes.count; i++) {
			const char *code = changes.items[i].code;
			puts("{");
			// What the program begins again, and what it makes of a new structure.
			if (strstr(code, "&again"))
				puts("VkRenderingInfo again = {0};");
			puts(code);
			if (strstr(code, " dependency = "))
				puts("(void)dependency;");
			if (strstr(code, " signal = "))
				puts("(void)signal, (void)wait;");
			puts("}");
		}
	}
	puts("(void)(srcStageMask | srcAccessMask | dstStageMask | dstAccessMask);\n"
	     "(void)(waitDstStageMask + contents);\n}");
	vkr_arena_finish(&arena);
	return 0;
}

// SPIR-V's Memory Semantics.
#define UNIFORM   0x40u
#define WORKGROUP 0x100u
#define IMAGE     0x800u
#define OUTPUT    0x1000u
#define VISIBLE   0x6000u // made available and visible

static int print_shader(const char *place, bool glsl)
{
	static const struct vkr_change_shader shaders[] = {
		{2, WORKGROUP, 0},
		{2, WORKGROUP | UNIFORM, 1},
		{2, WORKGROUP | IMAGE, 0},
		{2, WORKGROUP | UNIFORM | IMAGE | VISIBLE, 0},
		{1, UNIFORM, 0},
		{5, OUTPUT | VISIBLE, 0},
		{3, 0, 0},
		{4, IMAGE | VISIBLE, 0},
	};
	static const enum vkr_change_kind kinds[] = {
		VKR_CHANGE_SHADER_BARRIER, VKR_CHANGE_SHADER_BARRIER_AFTER, VKR_CHANGE_SHADER_ORDER,
		VKR_CHANGE_SHADER_COHERENT};
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	puts(glsl ? "#version 450\n#extension GL_KHR_memory_scope_semantics : require\n"
		    "layout(local_size_x = 64) in;\nvoid main()\n{"
		  : "[numthreads(64, 1, 1)]\nvoid main()\n{");
	for (size_t i = 0; i < 4 * sizeof shaders / sizeof *shaders; i++) {
		const struct vkr_change edit = {.kind = kinds[i % 4],
						.place = {"", "", "", 0, "shader 1", place},
						.from = VKR_CHANGE_NOWHERE,
						.shader = shaders[i / 4]};
		struct vkr_race_report race = vkr_sample_report("full")->races[0];
		struct vkr_report report = {.races = &race, .race_count = 1};
		struct vkr_report_changes changes;
		race.edit = &edit;
		if (vkr_report_changes_make(&report, &arena, &changes, NULL) != VKR_OK ||
		    changes.count != 1)
			return 1;
		printf("{\n%s}\n", changes.items[0].code);
	}
	puts("}");
	vkr_arena_finish(&arena);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_united),
		cmocka_unit_test(test_kinds),
	};
	if (argc > 1 && strcmp(argv[1], "--code") == 0)
		return print_code();
	if (argc > 1 && strcmp(argv[1], "--glsl") == 0)
		return print_shader("forces.comp:3", true);
	if (argc > 1 && strcmp(argv[1], "--hlsl") == 0)
		return print_shader("forces.hlsl:3", false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
