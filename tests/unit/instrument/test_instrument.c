// SPDX-License-Identifier: Apache-2.0
// What the instrumenter answers to modules and options that it cannot use.
// Knows words of SPIR-V; shaders that it can use are in tests/spirv.
#include "error.h"
#include "instrument.h"
#include "spirv_validity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COMPUTE  0x20u
#define FRAGMENT 0x10u
#define NEWEST   25u // SPV_ENV_VULKAN_1_3, as vkr_instrument_environment says

// OpCapability Shader, OpMemoryModel Logical GLSL450, an empty compute entry point "main".
static const uint32_t empty_shader[] = {
	0x07230203, 0x00010000, 0, 5,          0,          0x00020011, 1,          0x0003000e, 0, 1,
	0x0005000f, 5,          3, 0x6e69616d, 0,          0x00060010, 3,          17,         1, 1,
	1,          0x00020013, 1, 0x00030021, 2,          1,          0x00050036, 1,          3, 0,
	2,          0x000200f8, 4, 0x000100fd, 0x00010038,
};
#define WORDS (sizeof empty_shader / sizeof *empty_shader)

static const struct vkr_instrument_options defaults = {
	.entry_point = "main",
	.stage = COMPUTE,
	.push_constant_offset = 112,
	.block_set = VKR_INSTRUMENT_NO_SET,
	.environment = NEWEST,
};

static void leaves_shader_without_sites(void **state)
{
	(void)state;
	struct vkr_instrumented out;
	assert_int_equal(vkr_instrument(empty_shader, WORDS, &defaults, &out, NULL), VKR_OK);
	assert_false(out.changed);
	assert_int_equal(out.word_count, WORDS);
	assert_memory_equal(out.words, empty_shader, sizeof empty_shader);
	assert_int_equal(out.sites->site_count, 0);
	assert_int_equal(out.unobserved_count, 0);
	vkr_instrumented_finish(&out);
}

// A mistake of the rewriter ends with a message, of a module that was valid as it came, too.
static void refuses_invalid_rewriting(void **state)
{
	(void)state;
	const struct vkr_broken_rules none = {0};
	struct vkr_error error;
	uint32_t words[WORDS];
	memcpy(words, empty_shader, sizeof words);
	assert_int_equal(vkr_spirv_validate_rewritten(words, WORDS, NEWEST, &none, &error), VKR_OK);
	words[30] = 1; // OpFunction's type: void
	assert_int_equal(vkr_spirv_validate_rewritten(words, WORDS, NEWEST, &none, &error),
			 VKR_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "the rewritten module is not valid, word "));
}

static void refuses_invalid_module(void **state)
{
	(void)state;
	struct vkr_instrumented out;
	struct vkr_error error;
	for (size_t count = 0; count < WORDS; count++) {
		assert_int_equal(vkr_instrument(empty_shader, count, &defaults, &out, &error),
				 VKR_ERROR_FORMAT);
		assert_null(out.words);
	}
	uint32_t words[WORDS];
	memcpy(words, empty_shader, sizeof words);
	words[30] = 1; // OpFunction's type: void
	assert_int_equal(vkr_instrument(words, WORDS, &defaults, &out, &error), VKR_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "invalid SPIR-V, word "));
}

// What validators find wrong with debug information is no reason to observe nothing.
static void takes_wrong_debug_information(void **state)
{
	(void)state;
	// OpExtension, OpExtInstImport %5, behind the capability.
	static const uint32_t import[] = {
		0x0008000a, 0x5f565053, 0x5f52484b, 0x5f6e6f6e, 0x616d6573, 0x6369746e, 0x666e695f,
		0x0000006f, 0x000b000b, 5,          0x536e6f4e, 0x6e616d65, 0x2e636974, 0x64616853,
		0x442e7265, 0x67756265, 0x6f666e49, 0x3030312e, 0,
	};
	// OpExtInst %void %6 %5 DebugSource: of a type, where the name of a file should be.
	static const uint32_t source[] = {0x0006000c, 1, 6, 5, 35, 1};
	enum { IMPORT = sizeof import / sizeof *import, SOURCE = sizeof source / sizeof *source };
	uint32_t words[WORDS + IMPORT + SOURCE];
	struct vkr_instrumented out;
	memcpy(words, empty_shader, 7 * sizeof *words);
	memcpy(words + 7, import, sizeof import);
	memcpy(words + 7 + IMPORT, empty_shader + 7, 19 * sizeof *words);
	memcpy(words + 26 + IMPORT, source, sizeof source);
	memcpy(words + 26 + IMPORT + SOURCE, empty_shader + 26, (WORDS - 26) * sizeof *words);
	words[3] = 7;
	assert_int_equal(vkr_instrument(words, WORDS + IMPORT + SOURCE, &defaults, &out, NULL),
			 VKR_OK);
	vkr_instrumented_finish(&out);
	words[26 + IMPORT + SOURCE + 1] = 0; // what is wrong beside it still is
	assert_int_equal(vkr_instrument(words, WORDS + IMPORT + SOURCE, &defaults, &out, NULL),
			 VKR_ERROR_FORMAT);
}

static void refuses_other_entry_point(void **state)
{
	(void)state;
	struct vkr_instrumented out;
	struct vkr_error error;
	struct vkr_instrument_options options = defaults;
	options.entry_point = "other";
	assert_int_equal(vkr_instrument(empty_shader, WORDS, &options, &out, &error),
			 VKR_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "\"other\""));
}

static void refuses_other_stage(void **state)
{
	(void)state;
	struct vkr_instrumented out;
	struct vkr_instrument_options options = defaults;
	options.stage = FRAGMENT;
	assert_int_equal(vkr_instrument(empty_shader, WORDS, &options, &out, NULL),
			 VKR_ERROR_UNSUPPORTED);
}

static void knows_environments(void **state)
{
	(void)state;
	assert_int_equal(vkr_instrument_environment(1u << 22 | 3u << 12), NEWEST);
	assert_int_equal(vkr_instrument_environment(1u << 22 | 4u << 12 | 7), NEWEST);
	assert_int_not_equal(vkr_instrument_environment(1u << 22), NEWEST);
}

static void refuses_unknown_environment(void **state)
{
	(void)state;
	struct vkr_instrumented out;
	struct vkr_instrument_options options = defaults;
	options.environment = 1000;
	assert_int_equal(vkr_instrument(empty_shader, WORDS, &options, &out, NULL),
			 VKR_ERROR_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_shader_without_sites),
		cmocka_unit_test(refuses_invalid_rewriting),
		cmocka_unit_test(refuses_invalid_module),
		cmocka_unit_test(takes_wrong_debug_information),
		cmocka_unit_test(refuses_other_entry_point),
		cmocka_unit_test(refuses_other_stage),
		cmocka_unit_test(knows_environments),
		cmocka_unit_test(refuses_unknown_environment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
