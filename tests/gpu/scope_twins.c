// SPDX-License-Identifier: Apache-2.0
// Twins of what scopes of dependencies in render passes are limited to: the commands of one
// subpass. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "scope_area.spv.h"
#include "scope_read.spv.h"
#include "scope_write.spv.h"
#include "twins.h"

#define FRAGMENT VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define PIXELS   8u

// From shaders to shaders, between subpasses.
static VkSubpassDependency between(uint32_t from, uint32_t to)
{
	return (VkSubpassDependency){from, to, FRAGMENT, FRAGMENT, WRITE, READ, 0};
}

// Subpasses without attachments, and one dependency, or none.
static struct gpu_draw_pass make_pass(struct gpu_test *test, uint32_t subpass_count,
				      const VkSubpassDependency *dependency)
{
	const VkSubpassDescription subpasses[3] = {{0}};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.subpassCount = subpass_count,
		.pSubpasses = subpasses,
		.dependencyCount = dependency != NULL,
		.pDependencies = dependency,
	};
	struct gpu_draw_pass pass = {.layers = 1};
	if (!test->has_graphics || !test->has_fragment_stores)
		gpu_test_skip("no fragment shaders that write");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass.handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass.handle);
	pass.frame = gpu_draw_frame(test, pass.handle, NULL, 0, 1);
	return pass;
}

static void begin(struct gpu_test *test, const struct gpu_draw_pass *pass)
{
	const VkRenderPassBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass->handle,
		.framebuffer = pass->frame,
		.renderArea = gpu_draw_all(),
	};
	vkCmdBeginRenderPass(test->commands, &info, VK_SUBPASS_CONTENTS_INLINE);
}

static void next(struct gpu_test *test, struct gpu_draw_pass *pass)
{
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	pass->subpass++;
}

static void draw(struct gpu_test *test, const struct gpu_draw_pass *pass, const uint32_t *words,
		 size_t bytes)
{
	const struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, scope_area, sizeof scope_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, words, bytes}},
		.shader_count = 2,
		.area = PIXELS};
	gpu_draw_bind(test, pass, &pipeline);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
}

static void write_pixels(struct gpu_test *test, const struct gpu_draw_pass *pass)
{
	draw(test, pass, scope_write, sizeof scope_write);
}

static void read_pixels(struct gpu_test *test, const struct gpu_draw_pass *pass)
{
	draw(test, pass, scope_read, sizeof scope_read);
}

// The first scope is the subpass in between, which does nothing.
static void scope_first(struct gpu_test *test)
{
	const VkSubpassDependency dependency = between(test->fixed ? 0 : 1, 2);
	struct gpu_draw_pass pass = make_pass(test, 3, &dependency);
	begin(test, &pass);
	write_pixels(test, &pass);
	next(test, &pass);
	next(test, &pass);
	read_pixels(test, &pass);
	vkCmdEndRenderPass(test->commands);
}

// The second scope is the subpass before.
static void scope_second(struct gpu_test *test)
{
	const VkSubpassDependency dependency = between(0, test->fixed ? 2 : 1);
	struct gpu_draw_pass pass = make_pass(test, 3, &dependency);
	begin(test, &pass);
	write_pixels(test, &pass);
	next(test, &pass);
	next(test, &pass);
	read_pixels(test, &pass);
	vkCmdEndRenderPass(test->commands);
}

// Order into the first subpass is no order of what is in the next one.
static void scope_into(struct gpu_test *test)
{
	const VkSubpassDependency dependency = {VK_SUBPASS_EXTERNAL,
						test->fixed ? 1 : 0,
						TRANSFER,
						FRAGMENT,
						VK_ACCESS_TRANSFER_WRITE_BIT,
						READ,
						0};
	struct gpu_draw_pass pass = make_pass(test, 2, &dependency);
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 1);
	begin(test, &pass);
	next(test, &pass);
	read_pixels(test, &pass);
	vkCmdEndRenderPass(test->commands);
}

// What an earlier pass did is not in the first scope of a dependency out of this one.
static void scope_pass(struct gpu_test *test)
{
	const VkSubpassDependency out = {0,     VK_SUBPASS_EXTERNAL,         FRAGMENT, TRANSFER,
					 WRITE, VK_ACCESS_TRANSFER_READ_BIT, 0};
	struct gpu_draw_pass first = make_pass(test, 1, NULL), last = make_pass(test, 1, &out);
	const struct gpu_draw_pass *pass = test->fixed ? &last : &first;
	const VkBufferCopy region = {.size = 256};
	begin(test, &first);
	if (pass == &first)
		write_pixels(test, pass);
	vkCmdEndRenderPass(test->commands);
	begin(test, &last);
	if (pass == &last)
		write_pixels(test, pass);
	vkCmdEndRenderPass(test->commands);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

// A barrier in a subpass orders what is in the same one.
static void scope_barrier(struct gpu_test *test)
{
	const VkSubpassDependency own = between(1, 1);
	struct gpu_draw_pass pass = make_pass(test, 2, &own);
	begin(test, &pass);
	if (!test->fixed)
		write_pixels(test, &pass);
	next(test, &pass);
	if (test->fixed)
		write_pixels(test, &pass);
	gpu_test_barrier(test, FRAGMENT, WRITE, FRAGMENT, READ);
	read_pixels(test, &pass);
	vkCmdEndRenderPass(test->commands);
}

// A barrier behind the pass is behind all of its subpasses, and what they were behind.
static void scope_behind(struct gpu_test *test)
{
	const VkSubpassDependency into = {VK_SUBPASS_EXTERNAL,          0,    TRANSFER, FRAGMENT,
					  VK_ACCESS_TRANSFER_WRITE_BIT, READ, 0};
	struct gpu_draw_pass pass = make_pass(test, 2, &into);
	const VkBufferCopy region = {.size = 256};
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 1);
	begin(test, &pass);
	next(test, &pass);
	vkCmdEndRenderPass(test->commands);
	gpu_test_barrier(test, test->fixed ? FRAGMENT : COMPUTE, 0, TRANSFER,
			 VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

const struct gpu_twin gpu_scope_twins[] = {
	{"scope_first", scope_first, 0},
	{"scope_second", scope_second, 0},
	{"scope_into", scope_into, 0},
	{"scope_pass", scope_pass, 0},
	{"scope_barrier", scope_barrier, 0},
	{"scope_behind", scope_behind, 0},
	{NULL, NULL, 0},
};
