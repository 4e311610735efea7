// SPDX-License-Identifier: Apache-2.0
// Footprints of samples and gathers against values worked out by hand from the specification's
// formulas ("Image Operations"). Knows texels' coordinates only.
#include "texel_footprint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vulkan/vulkan_core.h>

// An 8 x 4 image of 4 levels and 3 layers, read by a linear sampler that repeats.
static struct vkr_trace_sampler sampler(VkFilter filter)
{
	return (struct vkr_trace_sampler){.mag_filter = filter,
					  .min_filter = filter,
					  .max_lod = VK_LOD_CLAMP_NONE,
					  .chroma_filter = UINT32_MAX};
}

static struct vkr_footprint_ask ask(const struct vkr_trace_sampler *by, float s, float t)
{
	return (struct vkr_footprint_ask){.sampler = by,
					  .view = {.extent = {8, 4, 1}, .mips = 4, .layers = 3},
					  .axes = 2,
					  .coordinates = {s, t},
					  .level = VKR_LEVEL_LOGGED};
}

// `texels`: x, y, z, mip of each, in order, ended by -1.
static void expect(const struct vkr_footprint_ask *asked, bool is_inexact, const int *texels)
{
	struct vkr_footprint found;
	uint32_t count = 0;
	vkr_footprint_find(asked, &found);
	for (; texels[4 * count] >= 0; count++) {
		const int *texel = &texels[4 * count];
		if (count >= found.count)
			fail_msg("only %u texels", found.count);
		const struct vkr_footprint_texel *at = &found.texels[count];
		if (at->x != (uint32_t)texel[0] || at->y != (uint32_t)texel[1] ||
		    at->z != (uint32_t)texel[2] || at->mip != (uint32_t)texel[3])
			fail_msg("texel %u is %u %u %u of %u", count, at->x, at->y, at->z, at->mip);
	}
	assert_int_equal(found.count, count);
	assert_int_equal(found.is_inexact, is_inexact);
}
#define EXPECT(asked, inexact, ...) expect(asked, inexact, (const int[]){__VA_ARGS__})
#define END                         -1

static void test_nearest(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 2.5f / 8, 1.5f / 4);
	EXPECT(&one, false, 2, 1, 0, 0, END);
	// On the edge of two texels, precision decides.
	one = ask(&by, 2.0f / 8, 1.5f / 4);
	EXPECT(&one, true, END);
	// Repeated: u is -1.5, texel -2 is texel 6.
	one = ask(&by, -1.5f / 8, 5.5f / 4);
	EXPECT(&one, false, 6, 1, 0, 0, END);
	by.address[0] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
	one = ask(&by, -1.5f / 8, 1.5f / 4);
	EXPECT(&one, false, 1, 1, 0, 0, END);
	by.address[0] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
	one = ask(&by, 1.0f, 1.5f / 4);
	EXPECT(&one, false, 7, 1, 0, 0, END);
	by.address[0] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
	one = ask(&by, 1.5f, 1.5f / 4);
	EXPECT(&one, false, END);
	by.address[0] = VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE;
	one = ask(&by, -1.5f / 8, 1.5f / 4);
	EXPECT(&one, false, 1, 1, 0, 0, END);
	by.unnormalized = 1;
	one = ask(&by, 2.5f, 1.5f);
	EXPECT(&one, false, 2, 1, 0, 0, END);
}

static void test_linear(void **state)
{
	(void)state;
	const struct vkr_trace_sampler by = sampler(VK_FILTER_LINEAR);
	struct vkr_footprint_ask one = ask(&by, 3.0f / 8, 2.0f / 4);
	EXPECT(&one, false, 2, 1, 0, 0, 3, 1, 0, 0, 2, 2, 0, 0, 3, 2, 0, 0, END);
	// In the middle of a texel its neighbours have no weight.
	one = ask(&by, 2.5f / 8, 1.5f / 4);
	EXPECT(&one, false, 2, 1, 0, 0, END);
	// Nearly there, they may have one.
	one = ask(&by, 2.51f / 8, 1.5f / 4);
	EXPECT(&one, true, 2, 1, 0, 0, END);
	// Across the edge, by repetition.
	one = ask(&by, 0, 1.5f / 4);
	EXPECT(&one, false, 7, 1, 0, 0, 0, 1, 0, 0, END);
	one = ask(&by, 3.0f / 8, 1.5f / 4);
	one.offset_count = 1;
	one.offsets[0][0] = 2;
	one.offsets[0][1] = -1;
	EXPECT(&one, false, 4, 0, 0, 0, 5, 0, 0, 0, END);
}

static void test_cubic(void **state)
{
	(void)state;
	const struct vkr_trace_sampler by = sampler(VK_FILTER_CUBIC_EXT);
	const struct vkr_footprint_ask one = ask(&by, 3.0f / 8, 1.5f / 4);
	EXPECT(&one, false, 1, 1, 0, 0, 2, 1, 0, 0, 3, 1, 0, 0, 4, 1, 0, 0, END);
}

static void test_levels(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 0.6f, 0.4f);
	one.lod = 1.25f;
	EXPECT(&one, false, 2, 0, 0, 1, END);
	one.lod = 1.5f; // may be rounded up or down
	EXPECT(&one, true, END);
	one.lod = 1.75f;
	EXPECT(&one, false, 1, 0, 0, 2, END);
	one.lod = 9;
	EXPECT(&one, false, 0, 0, 0, 3, END);
	by.mip_mode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
	one.lod = 1.5f;
	EXPECT(&one, false, 2, 0, 0, 1, 1, 0, 0, 2, END);
	one.lod = 2;
	EXPECT(&one, false, 1, 0, 0, 2, END);
	by.max_lod = 1;
	EXPECT(&one, false, 2, 0, 0, 1, END);
	by.max_lod = VK_LOD_CLAMP_NONE;
	by.mip_bias = -1;
	EXPECT(&one, false, 2, 0, 0, 1, END);
	by.mip_bias = 0;
	one.lod = 0;
	one.view.min_lod = 2;
	EXPECT(&one, false, 1, 0, 0, 2, END);
	one.view.min_lod = 0;
	one.least_lod = 1;
	EXPECT(&one, false, 2, 0, 0, 1, END);
}

// Minified by one filter, magnified by another: at most one level apart from zero is certain.
static void test_filters(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	by.mag_filter = VK_FILTER_LINEAR;
	by.max_lod = 0.25f;
	struct vkr_footprint_ask one = ask(&by, 3.3f / 8, 1.5f / 4);
	EXPECT(&one, false, 2, 1, 0, 0, 3, 1, 0, 0, END);
	one.lod = 0.25f;
	EXPECT(&one, false, 3, 1, 0, 0, END);
	one.lod = 0.01f;
	EXPECT(&one, true, 3, 1, 0, 0, END);
}

// Derivatives of one texel a step: lambda is between log2(1) and log2(sqrt(2)).
static void test_gradients(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 3.5f / 8, 1.5f / 4);
	one.level = VKR_LEVEL_GRADIENTS;
	one.gradients[0] = 0.25f / 8; // a quarter of a texel: level 0 in any case
	one.gradients[3] = 0.25f / 4;
	EXPECT(&one, false, 3, 1, 0, 0, END);
	one.gradients[0] = 1.2f / 8; // log2(1.2), or up to half a level more
	EXPECT(&one, true, END);
	// A level that was asked for may have the sampler's bias in it, or not.
	one.level = VKR_LEVEL_QUERIED;
	one.lod = 1;
	EXPECT(&one, false, 1, 0, 0, 1, END);
	by.mip_bias = 0.3f;
	EXPECT(&one, false, 1, 0, 0, 1, END);
	by.mip_bias = 0.9f;
	EXPECT(&one, true, END);
	by.mip_bias = -0.9f;
	EXPECT(&one, true, END);
	by.mip_bias = 0;
	one.level = VKR_LEVEL_GRADIENTS;
	one.view.mips = 1;
	EXPECT(&one, false, 3, 1, 0, 0, END);
	by.max_anisotropy = 4;
	EXPECT(&one, true, END);
}

static void test_layers(void **state)
{
	(void)state;
	const struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 2.5f / 8, 1.5f / 4);
	one.is_arrayed = true;
	one.coordinates[2] = 1.4f;
	EXPECT(&one, false, 2, 1, 1, 0, END);
	one.coordinates[2] = 7;
	EXPECT(&one, false, 2, 1, 2, 0, END);
	one.coordinates[2] = 1.5f; // to even, or up
	EXPECT(&one, true, END);
	one.axes = 3;
	one.is_arrayed = false;
	one.view.extent[2] = 2;
	one.coordinates[2] = 0.75f;
	EXPECT(&one, false, 2, 1, 1, 0, END);
}

static void test_cubes(void **state)
{
	(void)state;
	const struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = {
		.sampler = &by,
		.view = {.is_cube = true, .extent = {4, 4, 1}, .mips = 1, .layers = 12},
		.axes = 3,
		.coordinates = {0.25f, -0.75f, -1, 1},
		.level = VKR_LEVEL_LOGGED,
		.is_arrayed = true};
	// -z: s = -x, t = -y: (-0.25 / 2 + 0.5, 0.75 / 2 + 0.5) of 4 x 4; face 5 of cube 1.
	EXPECT(&one, false, 1, 3, 11, 0, END);
	one.coordinates[1] = -1; // two axes alike
	EXPECT(&one, true, END);
	const struct vkr_trace_sampler smooth = sampler(VK_FILTER_LINEAR);
	one.sampler = &smooth;
	one.coordinates[1] = 0.3f;
	one.coordinates[0] = -0.95f; // beyond the last texel's middle: another face goes on
	one.view.layers = 6;
	one.is_arrayed = false;
	EXPECT(&one, true, 3, 0, 5, 0, 3, 1, 5, 0, END);
}

static void test_gathers(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 3.0f / 8, 2.0f / 4);
	one.is_gather = true;
	one.lod = 3; // level 0 whatever is said, and the filter is the linear one
	EXPECT(&one, false, 2, 1, 0, 0, 3, 1, 0, 0, 2, 2, 0, 0, 3, 2, 0, 0, END);
	one.offset_count = 4;
	for (int32_t at = 0; at < 4; at++)
		one.offsets[at][0] = at;
	EXPECT(&one, false, 2, 1, 0, 0, 3, 1, 0, 0, 4, 1, 0, 0, 5, 1, 0, 0, END);
	// In the middle of a texel it is open which neighbours come along.
	one = ask(&by, 2.5f / 8, 1.5f / 4);
	one.is_gather = true;
	EXPECT(&one, true, 2, 1, 0, 0, END);
}

// What is no number, or too far for floats to tell texels apart, reads nothing for certain.
static void test_no_numbers(void **state)
{
	(void)state;
	const struct vkr_trace_sampler by = sampler(VK_FILTER_LINEAR);
	const float infinite = strtof("inf", NULL), none = strtof("nan", NULL);
	const float values[] = {infinite, -infinite, none, 1e30f, -1e30f};
	for (size_t at = 0; at < sizeof values / sizeof *values; at++) {
		struct vkr_footprint_ask one = ask(&by, values[at], 1.5f / 4);
		EXPECT(&one, true, END);
		one = ask(&by, 2.5f / 8, 1.5f / 4);
		one.is_arrayed = true;
		one.coordinates[2] = none;
		EXPECT(&one, true, END);
		one.is_arrayed = false;
		one.lod = none;
		EXPECT(&one, true, END);
	}
}

// What coordinates and levels may be off by decides as precision does.
static void test_errors(void **state)
{
	(void)state;
	struct vkr_trace_sampler by = sampler(VK_FILTER_NEAREST);
	struct vkr_footprint_ask one = ask(&by, 2.8f / 8, 1.5f / 4);
	EXPECT(&one, false, 2, 1, 0, 0, END);
	one.errors[0] = 0.1 / 8;
	EXPECT(&one, false, 2, 1, 0, 0, END);
	one.errors[0] = 0.15 / 8;
	EXPECT(&one, true, END);
	one = ask(&by, 2.5f / 8, 1.5f / 4);
	one.errors[1] = 0.2 / 4;
	EXPECT(&one, true, END);
	by.mip_mode = VK_SAMPLER_MIPMAP_MODE_NEAREST;
	one = ask(&by, 2.5f / 8, 1.5f / 4);
	one.level = VKR_LEVEL_QUERIED;
	one.lod = 0.4f;
	one.spread = 0.02;
	EXPECT(&one, false, 2, 1, 0, 0, END);
	one.spread = 0.2;
	EXPECT(&one, true, END);
	one.spread = (double)NAN;
	EXPECT(&one, true, END);
	one.spread = 0;
	one.lod = -HUGE_VALF;
	EXPECT(&one, false, 2, 1, 0, 0, END);
	one.lod = HUGE_VALF;
	EXPECT(&one, false, 0, 0, 0, 3, END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nearest),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_linear),     cmocka_unit_test(test_cubic),
		cmocka_unit_test(test_levels),     cmocka_unit_test(test_filters),
		cmocka_unit_test(test_gradients),  cmocka_unit_test(test_layers),
		cmocka_unit_test(test_cubes),      cmocka_unit_test(test_gathers),
		cmocka_unit_test(test_no_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
