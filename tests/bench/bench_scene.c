// SPDX-License-Identifier: Apache-2.0
// A correct program that draws as forward renderers do: instances of meshes by indexed draws, whose
// shaders read a matrix, lights, objects and materials: bench_scene FRAMES [DRAWS]; or that filters
// shadows, or shades ambient light: bench_scene FRAMES DRAWS filter|occlusion.
#include "gpu_draw.h"

#include "filter_frag.spv.h"
#include "filter_vert.spv.h"
#include "occlusion_frag.spv.h"
#include "scene_frag.spv.h"
#include "scene_vert.spv.h"

#include <stdlib.h>
#include <string.h>

#define INSTANCES    8u
#define INDICES      600u
#define VERTICES     200u
#define VERTEX_BYTES 16u
#define FIRST_VERTEX 8192u // in test.data, behind the camera and objects
#define FIRST_INDEX  16384u

static struct gpu_test_kernel kernels[] = {
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

static unsigned char contents[65536];

static void fill(struct gpu_test *test)
{
	for (uint32_t i = 0; i < VERTICES; i++) {
		const float vertex[4] = {(float)(i % 7) - 3, (float)(i % 11) - 5, (float)(i % 3),
					 1};
		memcpy(contents + FIRST_VERTEX + (size_t)i * VERTEX_BYTES, vertex, sizeof vertex);
	}
	for (uint32_t i = 0; i < INDICES; i++) {
		const uint32_t index = i * 7 % VERTICES;
		memcpy(contents + FIRST_INDEX + (size_t)i * sizeof index, &index, sizeof index);
	}
	for (uint32_t i = 0; i < 4; i++) { // the matrix
		const float one = 1;
		memcpy(contents + (size_t)20 * i, &one, sizeof one);
	}
	for (uint32_t at = 0; at < sizeof contents; at += 32768)
		vkCmdUpdateBuffer(test->commands, test->data.handle, at, 32768, contents + at);
	vkCmdFillBuffer(test->commands, test->result.handle, 0, VK_WHOLE_SIZE, 0);
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_ACCESS_MEMORY_READ_BIT);
	gpu_test_submit(test, 1);
}

// What frames draw with.
struct scene {
	VkPipeline pipeline;
	VkPipelineLayout layout;
	VkDescriptorSet set;
	bool samples; // a map
};

static void make_scene(struct gpu_test *test, const struct gpu_draw_pass *pass, struct scene *scene)
{
	scene->layout = test->layout;
	scene->set = test->set;
	scene->pipeline = gpu_draw_pipeline_make(
		test, pass,
		&(struct gpu_draw_pipeline){
			.fetches = true,
			.stride = VERTEX_BYTES,
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, scene_vert, sizeof scene_vert},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, scene_frag, sizeof scene_frag}},
			.shader_count = 2});
	fill(test);
}

static void make_sampling(struct gpu_test *test, const struct gpu_draw_pass *pass,
			  const struct gpu_draw_shader *fragment, struct scene *scene)
{
	const struct gpu_draw_image map =
		gpu_draw_image(test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_1_BIT, "map");
	gpu_draw_general(test, &map);
	scene->samples = true;
	scene->set =
		gpu_draw_set(test, &map, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &scene->layout);
	scene->pipeline = gpu_draw_pipeline_make(
		test, pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, filter_vert, sizeof filter_vert},
				    *fragment},
			.shader_count = 2,
			.layout = scene->layout,
			.set = scene->set});
}

static void draw_frame(struct gpu_test *test, const struct gpu_draw_pass *pass,
		       const struct scene *scene, uint32_t draws)
{
	const VkDeviceSize vertices = FIRST_VERTEX;
	gpu_draw_begin(test, pass, gpu_draw_all());
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, scene->layout, 0,
				1, &scene->set, 0, NULL);
	if (!scene->samples) {
		vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &vertices);
		vkCmdBindIndexBuffer(test->commands, test->data.handle, FIRST_INDEX,
				     VK_INDEX_TYPE_UINT32);
	}
	for (uint32_t i = 0; i < draws; i++)
		if (scene->samples)
			vkCmdDraw(test->commands, 3, 1, 0, 0);
		else
			vkCmdDrawIndexed(test->commands, INDICES, INSTANCES, 0, 0,
					 i * INSTANCES % 32);
	vkCmdEndRenderPass(test->commands);
	gpu_test_wait(test, gpu_test_submit_fence(test));
}

int main(int argc, char **argv)
{
	static const VkSubpassDependency between = {
		.srcSubpass = VK_SUBPASS_EXTERNAL,
		.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
	};
	struct gpu_test test;
	struct scene scene = {0};
	const uint32_t frames = argc > 1 ? (uint32_t)atoi(argv[1]) : 3;
	const uint32_t draws = argc > 2 ? (uint32_t)atoi(argv[2]) : 32;
	gpu_test_init(&test, kernels, true);
	const struct gpu_draw_image color =
		gpu_draw_image(&test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_1_BIT, "color");
	struct gpu_draw_pass pass = {
		.color = {&color, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
			  VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
		.dependencies = &between,
		.dependency_count = 1,
	};
	gpu_draw_pass_make(&test, &pass);
	const struct gpu_draw_shader filter = {VK_SHADER_STAGE_FRAGMENT_BIT, filter_frag,
					       sizeof filter_frag};
	const struct gpu_draw_shader occlusion = {VK_SHADER_STAGE_FRAGMENT_BIT, occlusion_frag,
						  sizeof occlusion_frag};
	if (argc > 3)
		make_sampling(&test, &pass, strcmp(argv[3], "filter") == 0 ? &filter : &occlusion,
			      &scene);
	else
		make_scene(&test, &pass, &scene);
	for (uint32_t frame = 0; frame < frames; frame++)
		draw_frame(&test, &pass, &scene, draws);
	gpu_test_finish(&test);
	return EXIT_SUCCESS;
}
