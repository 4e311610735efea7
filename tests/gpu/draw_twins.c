// SPDX-License-Identifier: Apache-2.0
// Twins of draws: what fixed function fetches for them. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "fetch_color.spv.h"
#include "fetch_more_fixed.spv.h"
#include "fetch_more_race.spv.h"

#define FETCH          VK_PIPELINE_STAGE_VERTEX_INPUT_BIT
#define VERTEX         VK_PIPELINE_STAGE_VERTEX_SHADER_BIT
#define TRANSFER_WRITE VK_ACCESS_TRANSFER_WRITE_BIT

static const float triangle[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
static const uint16_t indices[6] = {0, 1, 2, 2, 1, 0};

// A pass without attachments, begun.
static void begin_bare(struct gpu_test *test)
{
	struct gpu_draw_pass pass = {0};
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.fetches = true, .stride = 16});
	gpu_draw_begin(test, &pass, gpu_draw_all());
}

static void update(struct gpu_test *test, VkDeviceSize offset, VkDeviceSize bytes, const void *data)
{
	vkCmdUpdateBuffer(test->commands, test->data.handle, offset, bytes, data);
}

// Attributes are fetched before the vertex shader runs.
static void vertex_stage(struct gpu_test *test)
{
	const VkDeviceSize offset = 256;
	update(test, offset, sizeof triangle, triangle);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, FETCH,
				 VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
	else
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, VERTEX, READ);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	begin_bare(test);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// Of 100 vertices that may be fetched, the last of the three that are lies in what is filled.
static void vertex_range(struct gpu_test *test)
{
	const VkDeviceSize offset = 0;
	update(test, 16 * 12, 16, triangle);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	begin_bare(test);
	vkCmdDraw(test->commands, 3, 1, test->fixed ? 13 : 10, 0);
	vkCmdEndRenderPass(test->commands);
}

// What no shader reads is not fetched, whatever the pipeline has for it.
static void attribute_unread(struct gpu_test *test)
{
	const VkDeviceSize offset = 0;
	struct gpu_draw_pass pass = {0};
	struct gpu_draw_pipeline pipeline = {
		.fetches = true,
		.fetches_more = true,
		.stride = 32,
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, fetch_more_race, sizeof fetch_more_race},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, fetch_color, sizeof fetch_color}},
		.shader_count = 2,
	};
	if (test->fixed)
		pipeline.shaders[0] = (struct gpu_draw_shader){
			VK_SHADER_STAGE_VERTEX_BIT, fetch_more_fixed, sizeof fetch_more_fixed};
	update(test, 32 + 16, 16, triangle);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// A fourth vertex makes no triangle of its own in a list, and one in a strip.
static void topology_set(struct gpu_test *test)
{
	const VkDeviceSize offset = 0;
	struct gpu_draw_pass pass = {0};
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	if (properties.apiVersion < VK_API_VERSION_1_3)
		gpu_test_skip("no dynamic topology");
	update(test, 16 * 3, 16, triangle);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(
		test, &pass,
		&(struct gpu_draw_pipeline){.fetches = true, .stride = 16, .sets_topology = true});
	vkCmdSetPrimitiveTopology(test->commands, test->fixed
							  ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
							  : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 4, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void index_access(struct gpu_test *test)
{
	const VkDeviceSize offset = 0;
	update(test, 0, sizeof indices, indices);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, FETCH,
			 test->fixed ? VK_ACCESS_INDEX_READ_BIT
				     : VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	vkCmdBindIndexBuffer(test->commands, test->data.handle, 0, VK_INDEX_TYPE_UINT16);
	begin_bare(test);
	vkCmdDrawIndexed(test->commands, 3, 1, 3, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// Which vertices are fetched is what indices say, moved on by the draw's offset: 1, 2 and 3.
static void index_values(struct gpu_test *test)
{
	const VkDeviceSize offset = 0;
	update(test, 0, sizeof indices, indices);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, FETCH, VK_ACCESS_INDEX_READ_BIT);
	vkCmdFillBuffer(test->commands, test->result.handle, test->fixed ? 16 * 4 : 16 * 3, 16, 0);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	vkCmdBindIndexBuffer(test->commands, test->data.handle, 0, VK_INDEX_TYPE_UINT16);
	begin_bare(test);
	vkCmdDrawIndexed(test->commands, 3, 1, 0, 1, 0);
	vkCmdEndRenderPass(test->commands);
}

// Does so for an indirect draw, whose arguments name the indices.
static void index_arguments(struct gpu_test *test)
{
	const VkDrawIndexedIndirectCommand arguments = {3, 1, 3, 4, 0};
	const VkDeviceSize offset = 0;
	update(test, 0, sizeof indices, indices);
	update(test, 64, sizeof arguments, &arguments);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, FETCH | INDIRECT,
			 VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	vkCmdFillBuffer(test->commands, test->result.handle, test->fixed ? 16 * 3 : 16 * 4, 16, 0);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	vkCmdBindIndexBuffer(test->commands, test->data.handle, 0, VK_INDEX_TYPE_UINT16);
	begin_bare(test);
	vkCmdDrawIndexedIndirect(test->commands, test->data.handle, 64, 1, 0);
	vkCmdEndRenderPass(test->commands);
}

static void draw_arguments(struct gpu_test *test)
{
	const VkDrawIndirectCommand none = {0, 0, 0, 0};
	const VkDeviceSize offset = 0;
	update(test, 64, sizeof none, &none);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	else
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, VERTEX, READ);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	begin_bare(test);
	vkCmdDrawIndirect(test->commands, test->data.handle, 64, 1, 0);
	vkCmdEndRenderPass(test->commands);
}

static void draw_count(struct gpu_test *test)
{
	const uint32_t none = 0;
	const VkDeviceSize offset = 0;
	if (!test->has_draw_count)
		gpu_test_skip("no drawIndirectCount");
	vkCmdFillBuffer(test->commands, test->result.handle, 0, 64, 0);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, INDIRECT,
			 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	update(test, 32, sizeof none, &none);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	begin_bare(test);
	vkCmdDrawIndirectCount(test->commands, test->result.handle, 0, test->data.handle, 32, 4,
			       16);
	vkCmdEndRenderPass(test->commands);
}

// How many arguments are read a word in memory says: one of at most four.
static void draw_counted(struct gpu_test *test)
{
	const uint32_t one = 1;
	const VkDeviceSize offset = 0;
	if (!test->has_draw_count)
		gpu_test_skip("no drawIndirectCount");
	vkCmdFillBuffer(test->commands, test->result.handle, 0, 64, 0);
	update(test, 32, sizeof one, &one);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER | INDIRECT,
			 TRANSFER_WRITE | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	vkCmdFillBuffer(test->commands, test->result.handle, test->fixed ? 16 : 0, 16, 0);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	begin_bare(test);
	vkCmdDrawIndirectCount(test->commands, test->result.handle, 0, test->data.handle, 32, 4,
			       16);
	vkCmdEndRenderPass(test->commands);
}

// Which indices are read the arguments in memory say, of as many draws as a count there says: of
// three that are there, those of the second but not those of the third.
static void index_counted(struct gpu_test *test)
{
	const VkDrawIndexedIndirectCommand arguments[3] = {
		{3, 1, 0, 0, 0}, {3, 1, 6, 0, 0}, {3, 1, 12, 0, 0}};
	const uint32_t two = 2;
	const VkDeviceSize offset = 1024;
	if (!test->has_draw_count)
		gpu_test_skip("no drawIndirectCount");
	vkCmdFillBuffer(test->commands, test->data.handle, 0, VK_WHOLE_SIZE, 0);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_WRITE);
	update(test, 64, sizeof arguments, arguments);
	update(test, 192, sizeof two, &two);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, FETCH | INDIRECT | TRANSFER,
			 VK_ACCESS_INDEX_READ_BIT | VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT |
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT | TRANSFER_WRITE);
	update(test, test->fixed ? 24 : 12, 4, indices);
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->data.handle, &offset);
	vkCmdBindIndexBuffer(test->commands, test->data.handle, 0, VK_INDEX_TYPE_UINT16);
	begin_bare(test);
	vkCmdDrawIndexedIndirectCount(test->commands, test->data.handle, 64, test->data.handle, 192,
				      3, sizeof arguments[0]);
	vkCmdEndRenderPass(test->commands);
}

// A counted draw of a secondary command buffer. Of its arguments, which nothing else touches, any
// may be read.
static void draw_count_called(struct gpu_test *test)
{
	const VkDrawIndirectCommand none = {0, 0, 0, 0};
	const uint32_t one = 1;
	const VkDeviceSize offset = 0;
	struct gpu_draw_pass pass = {0};
	if (!test->has_draw_count)
		gpu_test_skip("no drawIndirectCount");
	update(test, 64, sizeof none, &none);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, INDIRECT,
			 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	update(test, 32, sizeof one, &one);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_draw_pass_make(test, &pass);
	const VkCommandBuffer primary = gpu_draw_begin_called(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.fetches = true, .stride = 16});
	vkCmdBindVertexBuffers(test->commands, 0, 1, &test->result.handle, &offset);
	vkCmdDrawIndirectCount(test->commands, test->data.handle, 64, test->data.handle, 32, 1, 16);
	gpu_draw_end_called(test, primary);
}

const struct gpu_twin gpu_draw_twins[] = {
	{"vertex_stage", vertex_stage, 0},
	{"vertex_range", vertex_range, 0},
	{"attribute_unread", attribute_unread, 0},
	{"topology_set", topology_set, 0},
	{"index_access", index_access, 0},
	{"index_values", index_values, 0},
	{"index_arguments", index_arguments, 0},
	{"draw_arguments", draw_arguments, 0},
	{"draw_count", draw_count, 0},
	{"draw_counted", draw_counted, 0},
	{"draw_count_called", draw_count_called, 0},
	{"index_counted", index_counted, 0},
	{NULL, NULL, 0},
};
