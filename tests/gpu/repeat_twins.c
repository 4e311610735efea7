// SPDX-License-Identifier: Apache-2.0
// Twins of dispatches that do the same again and again, and then something else. Knows nothing of
// what is to be reported.
#include "gpu_texels.h"
#include "twins.h"

#define TIMES 6u
#define OTHER 1024u // words that are not those of the dispatches before

static void behind(struct gpu_test *test)
{
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
}

// Other push constants.
static void repeated_push(struct gpu_test *test)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		gpu_test_dispatch(test, "write_words", 2, 0);
		behind(test);
	}
	gpu_test_dispatch(test, "write_words", 2, OTHER);
	if (test->fixed)
		behind(test);
	gpu_test_dispatch(test, "write_words", 2, OTHER);
}

// The last of them is not behind a barrier.
static void repeated_barrier(struct gpu_test *test)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		gpu_test_dispatch(test, "write_words", 2, 0);
		if (i < TIMES - 2 || test->fixed)
			behind(test);
	}
}

// More workgroups.
static void repeated_grid(struct gpu_test *test)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		gpu_test_dispatch(test, "write_words", 2, 0);
		behind(test);
	}
	gpu_test_dispatch(test, "write_words", 4, 0);
	if (test->fixed)
		behind(test);
	gpu_test_dispatch(test, "write_words", 4, 0);
}

// Submits, and records on through another descriptor in the set.
static void change(struct gpu_texels *texels, struct gpu_test *test, uint32_t binding,
		   uint32_t element, VkDescriptorType type, const VkDescriptorImageInfo *descriptor)
{
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = texels->set,
		.dstBinding = binding,
		.dstArrayElement = element,
		.descriptorCount = 1,
		.descriptorType = type,
		.pImageInfo = descriptor,
	};
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	if (texels->pipeline_count == 0)
		return;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, texels->pipelines[0]);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, texels->layout, 0,
				1, &texels->set, 0, NULL);
}

static void again(struct gpu_test *test, uint32_t groups)
{
	for (uint32_t i = 0; i < TIMES; i++) {
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
		vkCmdDispatch(test->commands, groups, 1, 1);
	}
}

// Through another view of the image.
static void repeated_view(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_store", 1);
	again(test, 1);
	const VkDescriptorImageInfo other = {VK_NULL_HANDLE, texels.views[1],
					     VK_IMAGE_LAYOUT_GENERAL};
	change(&texels, test, 2, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &other);
	vkCmdDispatch(test->commands, 1, 1, 1);
	if (test->fixed)
		behind(test);
	vkCmdDispatch(test->commands, 1, 1, 1);
	gpu_texels_finish(&texels, test);
}

// One element of an array of images becomes the image that another one is.
static void repeated_element(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_layers_fixed", 2);
	again(test, 2);
	const VkDescriptorImageInfo other = {VK_NULL_HANDLE, texels.views[test->fixed ? 1 : 3],
					     VK_IMAGE_LAYOUT_GENERAL};
	change(&texels, test, 5, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, &other);
	again(test, 2);
	gpu_texels_finish(&texels, test);
}

// What samples may read besides is read again, too.
static void repeated_doubt(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_sample_between", 2);
	again(test, 2);
	if (test->fixed)
		behind(test);
	gpu_texels_dispatch(&texels, test, "image_store", 2);
	gpu_texels_finish(&texels, test);
}

// By another sampler, which reads the texel that the dispatch writes.
static void repeat_by(struct gpu_test *test, const char *kernel, uint32_t element)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	const VkDescriptorImageInfo clamping = {.sampler = texels.clamping};
	const VkDescriptorImageInfo repeating = {.sampler = texels.sampler};
	change(&texels, test, 6, element, VK_DESCRIPTOR_TYPE_SAMPLER, &clamping);
	gpu_texels_dispatch(&texels, test, kernel, 2);
	again(test, 2);
	if (!test->fixed)
		change(&texels, test, 6, element, VK_DESCRIPTOR_TYPE_SAMPLER, &repeating);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	vkCmdDispatch(test->commands, 2, 1, 1);
	gpu_texels_finish(&texels, test);
}

static void repeated_sampler(struct gpu_test *test)
{
	repeat_by(test, "chosen_sampler_race", 0);
}

static void repeated_samplers(struct gpu_test *test)
{
	repeat_by(test, "chosen_samplers", 1);
}

const struct gpu_twin gpu_repeat_twins[] = {
	{"repeated_push", repeated_push, 0},
	{"repeated_barrier", repeated_barrier, 0},
	{"repeated_grid", repeated_grid, 0},
	{"repeated_view", repeated_view, 0},
	{"repeated_sampler", repeated_sampler, 0},
	{"repeated_element", repeated_element, 0},
	{"repeated_doubt", repeated_doubt, 0},
	{"repeated_samplers", repeated_samplers, 0},
	{NULL, NULL, 0},
};
