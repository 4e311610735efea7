// SPDX-License-Identifier: Apache-2.0
// Twins of shader objects, skipped where the headers or the driver lack them. Knows nothing of what
// is to be reported.
#include "gpu_test.h"
#include "twins.h"

#ifdef VK_EXT_shader_object
#include "object_compute.spv.h"
#include "object_pair_fixed.spv.h"
#include "object_pair_race.spv.h"
#include "object_pixels.spv.h"
#include "object_read.spv.h"
#include "object_read_second.spv.h"
#include "object_special.spv.h"

#include <stdlib.h>
#include <string.h>

#define CALL(test, name) ((PFN_##name)vkGetDeviceProcAddr((test)->device, #name))

struct code {
	VkShaderStageFlagBits stage;
	const uint32_t *words;
	size_t bytes;
	bool is_binary;
	const VkSpecializationInfo *specialization;
};
#define CODE(kind, name)                                                                           \
	(struct code)                                                                              \
	{                                                                                          \
		VK_SHADER_STAGE_##kind##_BIT, name, sizeof name, false, NULL                       \
	}

// A program that keeps binaries for its next run has them here as well.
static void *binary_of(struct gpu_test *test, VkShaderEXT shader, size_t *bytes)
{
	*bytes = 0;
	gpu_test_expect(CALL(test, vkGetShaderBinaryDataEXT)(test->device, shader, bytes, NULL),
			"vkGetShaderBinaryDataEXT");
	void *data = *bytes ? malloc(*bytes) : NULL;
	size_t less = *bytes - 1;
	if (!data)
		gpu_test_expect(VK_ERROR_OUT_OF_HOST_MEMORY, "the size of a binary");
	if (CALL(test, vkGetShaderBinaryDataEXT)(test->device, shader, &less, data) !=
		    VK_INCOMPLETE ||
	    less)
		gpu_test_expect(VK_ERROR_UNKNOWN, "a binary that is cut off");
	gpu_test_expect(CALL(test, vkGetShaderBinaryDataEXT)(test->device, shader, bytes, data),
			"vkGetShaderBinaryDataEXT");
	return data;
}

static VkShaderCreateInfoEXT info_of(const struct gpu_test *test, const struct code *code,
				     VkShaderCreateFlagsEXT flags)
{
	static const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	return (VkShaderCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
		.flags = flags,
		.stage = code->stage,
		.nextStage = code->stage == VK_SHADER_STAGE_VERTEX_BIT
				     ? VK_SHADER_STAGE_FRAGMENT_BIT
				     : 0,
		.codeType = code->is_binary ? VK_SHADER_CODE_TYPE_BINARY_EXT
					    : VK_SHADER_CODE_TYPE_SPIRV_EXT,
		.codeSize = code->bytes,
		.pCode = code->words,
		.pName = "main",
		.setLayoutCount = 1,
		.pSetLayouts = &test->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
		.pSpecializationInfo = code->specialization,
	};
}

static void create(struct gpu_test *test, const struct code *codes, uint32_t count,
		   VkShaderCreateFlagsEXT flags, VkShaderEXT *shaders)
{
	VkShaderCreateInfoEXT infos[2] = {{0}};
	size_t bytes;
	if (!test->has_objects)
		gpu_test_skip("no shader objects");
	for (uint32_t i = 0; i < count; i++)
		infos[i] = info_of(test, &codes[i], flags);
	gpu_test_expect(CALL(test, vkCreateShadersEXT)(test->device, count, infos, NULL, shaders),
			"vkCreateShadersEXT");
	for (uint32_t i = 0; i < count; i++)
		free(binary_of(test, shaders[i], &bytes));
}

static void destroy(struct gpu_test *test, const VkShaderEXT *shaders, uint32_t count)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (uint32_t i = 0; i < count; i++)
		CALL(test, vkDestroyShaderEXT)(test->device, shaders[i], NULL);
}

// All that a draw without attachments asks for.
static void set_state(struct gpu_test *test)
{
	const VkViewport viewport = {0, 0, 8, 8, 0, 1};
	const VkRect2D scissor = {.extent = {8, 8}};
	const VkSampleMask mask = 1;
	VkCommandBuffer to = test->commands;
	vkCmdSetViewportWithCount(to, 1, &viewport);
	vkCmdSetScissorWithCount(to, 1, &scissor);
	vkCmdSetRasterizerDiscardEnable(to, VK_FALSE);
	vkCmdSetPrimitiveTopology(to, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
	vkCmdSetPrimitiveRestartEnable(to, VK_FALSE);
	vkCmdSetCullMode(to, VK_CULL_MODE_NONE);
	vkCmdSetFrontFace(to, VK_FRONT_FACE_CLOCKWISE);
	vkCmdSetDepthTestEnable(to, VK_FALSE);
	vkCmdSetDepthWriteEnable(to, VK_FALSE);
	vkCmdSetDepthBiasEnable(to, VK_FALSE);
	vkCmdSetStencilTestEnable(to, VK_FALSE);
	CALL(test, vkCmdSetVertexInputEXT)(to, 0, NULL, 0, NULL);
	CALL(test, vkCmdSetPolygonModeEXT)(to, VK_POLYGON_MODE_FILL);
	CALL(test, vkCmdSetRasterizationSamplesEXT)(to, VK_SAMPLE_COUNT_1_BIT);
	CALL(test, vkCmdSetSampleMaskEXT)(to, VK_SAMPLE_COUNT_1_BIT, &mask);
	CALL(test, vkCmdSetAlphaToCoverageEnableEXT)(to, VK_FALSE);
}

static void draw_with(struct gpu_test *test, const VkShaderEXT *shaders, uint32_t vertices,
		      VkPipelineLayout layout, uint32_t set_count, const VkDescriptorSet *sets)
{
	const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT,
						VK_SHADER_STAGE_FRAGMENT_BIT};
	const VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
					   .renderArea = {.extent = {8, 8}},
					   .layerCount = 1};
	vkCmdBeginRendering(test->commands, &rendering);
	set_state(test);
	CALL(test, vkCmdBindShadersEXT)(test->commands, 2, stages, shaders);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0,
				set_count, sets, 0, NULL);
	vkCmdDraw(test->commands, vertices, 1, 0, 0);
	vkCmdEndRendering(test->commands);
}

static void draw(struct gpu_test *test, const VkShaderEXT *shaders, uint32_t vertices)
{
	draw_with(test, shaders, vertices, test->layout, 1, &test->set);
}

static void overlap(struct gpu_test *test, VkShaderCreateFlagsEXT flags)
{
	const struct code codes[] = {test->fixed ? CODE(VERTEX, object_pair_fixed)
						 : CODE(VERTEX, object_pair_race),
				     CODE(FRAGMENT, object_pixels)};
	VkShaderEXT shaders[2];
	create(test, codes, 2, flags, shaders);
	draw(test, shaders, 6);
	destroy(test, shaders, 2);
}

// Two triangles at one place.
static void object_overlap(struct gpu_test *test)
{
	overlap(test, 0);
}

static void object_linked(struct gpu_test *test)
{
	overlap(test, VK_SHADER_CREATE_LINK_STAGE_BIT_EXT);
}

// One vertex object with a fragment object, then with none: both read what a dispatch wrote.
static void object_vertex(struct gpu_test *test)
{
	const struct code codes[] = {CODE(VERTEX, object_read), CODE(FRAGMENT, object_pixels)};
	const VkShaderEXT none[] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
	VkShaderEXT shaders[2];
	create(test, codes, 1, 0, shaders);
	shaders[1] = none[1];
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE,
			 test->fixed ? VK_PIPELINE_STAGE_VERTEX_SHADER_BIT
				     : VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
			 READ);
	draw(test, shaders, 3);
	destroy(test, shaders, 1);
}

#ifdef VK_KHR_maintenance11
// A layout of two sets whose parts are independent, with the ranges of info_of().
static VkPipelineLayout independent_layout(struct gpu_test *test, const VkShaderCreateInfoEXT *of)
{
	const VkDescriptorSetLayout sets[] = {test->set_layout, test->set_layout};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT,
		.setLayoutCount = 2,
		.pSetLayouts = sets,
		.pushConstantRangeCount = of->pushConstantRangeCount,
		.pPushConstantRanges = of->pPushConstantRanges,
	};
	VkPipelineLayout layout;
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &layout),
			"vkCreatePipelineLayout");
	return layout;
}

// A vertex object that knows the second set only, with a fragment object that knows the first.
static void object_independent(struct gpu_test *test)
{
	const struct code codes[] = {CODE(VERTEX, object_read_second),
				     CODE(FRAGMENT, object_pixels)};
	const VkDescriptorSetLayout second[] = {VK_NULL_HANDLE, test->set_layout};
	VkShaderCreateInfoEXT infos[2];
	VkShaderEXT shaders[2];
	VkDescriptorPool pool;
	if (!test->has_objects || !test->has_maintenance11)
		gpu_test_skip("no shader objects with independent sets");
	for (uint32_t i = 0; i < 2; i++)
		infos[i] = info_of(test, &codes[i], VK_SHADER_CREATE_INDEPENDENT_SETS_BIT_KHR);
	infos[0].setLayoutCount = 2;
	infos[0].pSetLayouts = second;
	gpu_test_expect(CALL(test, vkCreateShadersEXT)(test->device, 2, infos, NULL, shaders),
			"vkCreateShadersEXT");
	const VkPipelineLayout layout = independent_layout(test, infos);
	const VkDescriptorSet sets[] = {gpu_test_swapped_set(test, &pool), test->set};
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE,
			 test->fixed ? VK_PIPELINE_STAGE_VERTEX_SHADER_BIT
				     : VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
			 READ);
	draw_with(test, shaders, 3, layout, 2, sets);
	destroy(test, shaders, 2);
	vkDestroyPipelineLayout(test->device, layout, NULL);
	vkDestroyDescriptorPool(test->device, pool, NULL);
}
#else
static void object_independent(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_KHR_maintenance11");
}
#endif

static void dispatch_twice(struct gpu_test *test, const struct code *code)
{
	const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
	const uint32_t first = 0;
	VkShaderEXT shader;
	create(test, code, 1, 0, &shader);
	CALL(test, vkCmdBindShadersEXT)(test->commands, 1, &stage, &shader);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, 1, 1, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdDispatch(test->commands, 1, 1, 1);
	destroy(test, &shader, 1);
}

// A dispatch of one object, then of another.
static void object_compute_twin(struct gpu_test *test)
{
	const struct code code = CODE(COMPUTE, object_compute);
	dispatch_twice(test, &code);
}

// The binary of an object, which is destroyed, to be freed.
static struct code store(struct gpu_test *test, const struct code *code)
{
	VkShaderEXT shader;
	struct code binary = {.stage = code->stage, .is_binary = true};
	create(test, code, 1, 0, &shader);
	binary.words = binary_of(test, shader, &binary.bytes);
	CALL(test, vkDestroyShaderEXT)(test->device, shader, NULL);
	return binary;
}

// An object that was made from the binary of another one.
static void object_binary(struct gpu_test *test)
{
	const struct code code = CODE(COMPUTE, object_compute);
	const struct code binary = store(test, &code);
	dispatch_twice(test, &binary);
	free((void *)binary.words);
}

// An object made from a binary that an earlier run has stored. A damaged binary is refused: objects
// before it in the call are made, those linked with it are not.
static void object_stored(struct gpu_test *test)
{
	static const VkSpecializationMapEntry entry = {0, 0, sizeof(uint32_t)};
	static const uint32_t value = 16;
	static const VkSpecializationInfo special = {1, &entry, sizeof value, &value};
	struct gpu_test_kernel none = {NULL, NULL, 0, VK_NULL_HANDLE};
	struct code code = CODE(COMPUTE, object_special);
	struct gpu_test earlier;
	VkShaderEXT made[3];
	code.specialization = &special;
	gpu_test_init(&earlier, &none, test->fixed);
	const struct code binary = store(&earlier, &code);
	gpu_test_finish(&earlier);

	unsigned char *data = (unsigned char *)binary.words;
	data[binary.bytes - 1] ^= 1;
	const VkShaderCreateInfoEXT infos[3] = {info_of(test, &code, 0), info_of(test, &binary, 0),
						info_of(test, &code, 0)};
	if (CALL(test, vkCreateShadersEXT)(test->device, 3, infos, NULL, made) !=
		    VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT ||
	    !made[0] || made[1] || made[2])
		gpu_test_expect(VK_ERROR_UNKNOWN, "a damaged binary");
	CALL(test, vkDestroyShaderEXT)(test->device, made[0], NULL);
	data[binary.bytes - 1] ^= 1;
	dispatch_twice(test, &binary);
	free(data);
}

const struct gpu_twin gpu_object_twins[] = {
	{"object_overlap", object_overlap, 0},      {"object_stored", object_stored, 0},
	{"object_binary", object_binary, 0},        {"object_linked", object_linked, 0},
	{"object_vertex", object_vertex, 0},        {"object_independent", object_independent, 0},
	{"object_compute", object_compute_twin, 0}, {NULL, NULL, 0},
};
#else
static void without(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_EXT_shader_object");
}

const struct gpu_twin gpu_object_twins[] = {
	{"object_overlap", without, 0}, {"object_stored", without, 0},
	{"object_binary", without, 0},  {"object_linked", without, 0},
	{"object_vertex", without, 0},  {"object_independent", without, 0},
	{"object_compute", without, 0}, {NULL, NULL, 0},
};
#endif
