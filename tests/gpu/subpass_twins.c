// SPDX-License-Identifier: Apache-2.0
// Twins of render passes of several subpasses and views, of secondary command buffers in passes,
// and of dynamic rendering that is suspended. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "secondary_area.spv.h"
#include "secondary_pixels.spv.h"
#include "twins.h"

#define OUTPUT        VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define EARLY         VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT
#define LATE          VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
#define COLOR_READ    VK_ACCESS_COLOR_ATTACHMENT_READ_BIT
#define COLOR_WRITE   VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define DEPTH_READ    VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT
#define DEPTH_WRITE   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
#define TRANSFER_READ VK_ACCESS_TRANSFER_READ_BIT
#define GENERAL       VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT  VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH_FORMAT  VK_FORMAT_D32_SFLOAT

static const VkClearValue cleared = {.color = {.float32 = {0, 0, 0, 1}}};

static void copy_layer(struct gpu_test *test, const struct gpu_draw_image *image, uint32_t layer)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
		.imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1},
	};
	vkCmdCopyImageToBuffer(test->commands, image->handle, GENERAL, test->result.handle, 1,
			       &region);
}

// ---- Subpasses ----------------------------------------------------------------------------------

// One attachment, the same in both subpasses but for its layout, or in the second one alone.
struct two_subpasses {
	const struct gpu_draw_image *image;
	VkImageLayout layouts[2];
	bool second_alone;
	VkSubpassDependency dependencies[2];
	uint32_t dependency_count;
	uint32_t view_mask; // of multiview; then there is one subpass
};

static VkRenderPass make_pass(struct gpu_test *test, const struct two_subpasses *of)
{
	const bool depth = of->image->format == DEPTH_FORMAT;
	const VkRenderPassMultiviewCreateInfo views = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
		.subpassCount = 1,
		.pViewMasks = &of->view_mask,
	};
	const VkAttachmentDescription attachment = {
		.format = of->image->format,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = of->layouts[0],
		.finalLayout = of->layouts[of->view_mask ? 0 : 1],
	};
	const VkAttachmentReference references[2] = {
		{of->second_alone ? VK_ATTACHMENT_UNUSED : 0, of->layouts[0]}, {0, of->layouts[1]}};
	VkSubpassDescription subpasses[2];
	for (uint32_t i = 0; i < 2; i++)
		subpasses[i] = (VkSubpassDescription){
			.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
			.colorAttachmentCount = !depth,
			.pColorAttachments = &references[i],
			.pDepthStencilAttachment = depth ? &references[i] : NULL,
		};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.pNext = of->view_mask ? &views : NULL,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = of->view_mask ? 1 : 2,
		.pSubpasses = subpasses,
		.dependencyCount = of->dependency_count,
		.pDependencies = of->dependencies,
	};
	VkRenderPass pass;
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass), "vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass);
	return pass;
}

static void begin_pass(struct gpu_test *test, VkRenderPass pass, VkFramebuffer frame,
		       VkSubpassContents contents)
{
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = frame,
		.renderArea = gpu_draw_all(),
		.clearValueCount = 1,
		.pClearValues = &cleared,
	};
	vkCmdBeginRenderPass(test->commands, &begin, contents);
}

static void run_subpasses(struct gpu_test *test, const struct two_subpasses *of)
{
	const VkRenderPass pass = make_pass(test, of);
	const VkFramebuffer frame = gpu_draw_frame(test, pass, &of->image->view, 1, 1);
	begin_pass(test, pass, frame, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

// Both subpasses write the attachment: subpasses are in no order without a dependency.
static void subpass_writes(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	gpu_draw_general(test, &image);
	run_subpasses(test,
		      &(struct two_subpasses){.image = &image,
					      .layouts = {GENERAL, GENERAL},
					      .dependencies = {{0, 1, OUTPUT, OUTPUT, COLOR_WRITE,
								COLOR_READ | COLOR_WRITE,
								VK_DEPENDENCY_BY_REGION_BIT}},
					      .dependency_count = test->fixed});
}

// The store operation stands in the second subpass: a dependency of the first one holds it where
// that one uses the attachment, too.
static void subpass_store(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const struct two_subpasses of = {
		.image = &image,
		.layouts = {GENERAL, GENERAL},
		.second_alone = !test->fixed,
		.dependencies = {{0, 1, OUTPUT, OUTPUT, COLOR_WRITE, COLOR_READ | COLOR_WRITE,
				  VK_DEPENDENCY_BY_REGION_BIT},
				 {0, VK_SUBPASS_EXTERNAL, OUTPUT, TRANSFER, COLOR_WRITE,
				  TRANSFER_READ, 0}},
		.dependency_count = 2};
	gpu_draw_general(test, &image);
	const VkRenderPass pass = make_pass(test, &of);
	const VkFramebuffer frame = gpu_draw_frame(test, pass, &image.view, 1, 1);
	begin_pass(test, pass, frame, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
	copy_layer(test, &image, 0);
}

// The transition between the subpasses' layouts needs what the first one has written available.
static void subpass_layout(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, DEPTH_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	gpu_draw_general(test, &image);
	run_subpasses(test,
		      &(struct two_subpasses){
			      .image = &image,
			      .layouts = {GENERAL, VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL},
			      .dependencies = {{0, 1, EARLY | LATE, EARLY | LATE,
						test->fixed ? DEPTH_WRITE : DEPTH_READ, DEPTH_READ,
						VK_DEPENDENCY_BY_REGION_BIT}},
			      .dependency_count = 1});
}

// The layers of the view mask are written, no others.
static void view_layers(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 3, VK_SAMPLE_COUNT_1_BIT, "layers");
	const struct two_subpasses of = {
		.image = &image, .layouts = {GENERAL, GENERAL}, .view_mask = 3};
	if (!test->has_multiview)
		gpu_test_skip("no multiview");
	gpu_draw_general(test, &image);
	const VkRenderPass pass = make_pass(test, &of);
	const VkFramebuffer frame = gpu_draw_frame(test, pass, &image.view, 1, 1);
	begin_pass(test, pass, frame, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
	copy_layer(test, &image, test->fixed ? 2 : 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

// ---- Secondary command buffers ------------------------------------------------------------------

// The subpass's attachment is cleared in a secondary command buffer that inherits the pass; a store
// operation of the primary's stands behind it, and a copy of the part that it cleared.
static void secondary_pass(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	struct gpu_draw_pass pass = {.color = {&image, VK_ATTACHMENT_LOAD_OP_LOAD,
					       VK_ATTACHMENT_STORE_OP_NONE, GENERAL, GENERAL,
					       GENERAL}};
	const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, cleared};
	const VkClearRect upper = {{{0, 0}, {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT / 2}}, 0, 1};
	if (!test->has_store_none)
		gpu_test_skip("no store operation that leaves attachments alone");
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.renderPass = pass.handle,
		.framebuffer = pass.frame,
	};
	begin_pass(test, pass.handle, pass.frame, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	const VkCommandBuffer secondary = gpu_test_secondary(test, &inherits);
	vkCmdClearAttachments(secondary, 1, &clear, 1, &upper);
	gpu_test_execute(test, secondary);
	vkCmdEndRenderPass(test->commands);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_layer(test, &image, 0);
}

// A barrier in a secondary orders what the primary has before and behind it.
static void secondary_barrier(struct gpu_test *test)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask =
			test->fixed ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_TRANSFER_WRITE_BIT,
	};
	const VkBufferCopy region = {.size = 256};
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 1);
	const VkCommandBuffer secondary = gpu_test_secondary(test, &inherits);
	vkCmdPipelineBarrier(secondary, TRANSFER, TRANSFER, 0, 1, &barrier, 0, NULL, 0, NULL);
	gpu_test_execute(test, secondary);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

// A barrier in a command buffer that a secondary executes.
static void nested_barrier(struct gpu_test *test)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask =
			test->fixed ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_TRANSFER_WRITE_BIT,
	};
	const VkBufferCopy region = {.size = 256};
	if (!test->has_nested_buffers)
		gpu_test_skip("no nested command buffers");
	const VkCommandBuffer outer = gpu_test_secondary(test, &inherits);
	const VkCommandBuffer inner = gpu_test_secondary(test, &inherits);
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 1);
	vkCmdPipelineBarrier(inner, TRANSFER, TRANSFER, 0, 1, &barrier, 0, NULL, 0, NULL);
	gpu_test_expect(vkEndCommandBuffer(inner), "vkEndCommandBuffer");
	vkCmdExecuteCommands(outer, 1, &inner);
	gpu_test_execute(test, outer);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

// What is recorded until the commands are the test's own again goes to others.
static VkCommandBuffer record_to(struct gpu_test *test, VkCommandBuffer commands)
{
	const VkCommandBuffer before = test->commands;
	test->commands = commands;
	return before;
}

static const VkCommandBufferInheritanceInfo nothing_inherited = {
	.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};

static void bind_set(struct gpu_test *test, VkPipelineBindPoint point)
{
	vkCmdBindDescriptorSets(test->commands, point, test->layout, 0, 1, &test->set, 0, NULL);
}

// One that dispatches a kernel.
static VkCommandBuffer dispatching(struct gpu_test *test)
{
	const VkCommandBuffer secondary = gpu_test_secondary(test, &nothing_inherited);
	const VkCommandBuffer own = record_to(test, secondary);
	bind_set(test, VK_PIPELINE_BIND_POINT_COMPUTE);
	gpu_test_dispatch(test, "write_words", 1, 0);
	record_to(test, own);
	gpu_test_expect(vkEndCommandBuffer(secondary), "vkEndCommandBuffer");
	return secondary;
}

// One secondary twice in one call, or in two with a barrier in between: each execution has its own
// log.
static void secondary_twice(struct gpu_test *test)
{
	const VkCommandBuffer one = dispatching(test), both[] = {one, one};
	if (!test->fixed) {
		vkCmdExecuteCommands(test->commands, 2, both);
		return;
	}
	vkCmdExecuteCommands(test->commands, 1, both);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdExecuteCommands(test->commands, 1, both);
}

// A dispatch in a command buffer that a secondary executes, which another secondary executes; and
// one in the middle.
static void nested_dispatch(struct gpu_test *test)
{
	if (!test->has_nested_buffers)
		gpu_test_skip("no nested command buffers");
	const VkCommandBuffer inner = dispatching(test);
	const VkCommandBuffer middle = gpu_test_secondary(test, &nothing_inherited);
	const VkCommandBuffer outer = gpu_test_secondary(test, &nothing_inherited);
	const VkCommandBuffer own = record_to(test, middle);
	bind_set(test, VK_PIPELINE_BIND_POINT_COMPUTE);
	gpu_test_dispatch(test, "write_words", 1, 64);
	vkCmdExecuteCommands(middle, 1, &inner);
	bind_set(test, VK_PIPELINE_BIND_POINT_COMPUTE);
	gpu_test_dispatch(test, "write_words", 1, 128);
	gpu_test_expect(vkEndCommandBuffer(middle), "vkEndCommandBuffer");
	record_to(test, outer);
	vkCmdExecuteCommands(outer, 1, &inner);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdExecuteCommands(outer, 1, &middle);
	record_to(test, own);
	gpu_test_dispatch(test, "write_words", 1, 192);
	gpu_test_execute(test, outer);
}

// ---- Dynamic rendering --------------------------------------------------------------------------

static void begin_rendering(struct gpu_test *test, const struct gpu_draw_image *image,
			    VkRenderingFlags flags, VkAttachmentLoadOp load,
			    VkAttachmentStoreOp store)
{
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = image->view,
		.imageLayout = GENERAL,
		.loadOp = load,
		.storeOp = store,
		.clearValue = cleared,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = flags,
		.renderArea = gpu_draw_all(),
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &attachment,
	};
	vkCmdBeginRendering(test->commands, &info);
}

// Half of a rendering draws all of it.
static void render(struct gpu_test *test, const struct gpu_draw_image *image,
		   VkRenderingFlags flags, VkAttachmentLoadOp load)
{
	const struct gpu_draw_pass pass = {.dynamic = true, .color.image = image};
	begin_rendering(test, image, flags, load, VK_ATTACHMENT_STORE_OP_STORE);
	if (flags != 0) {
		gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){0});
		vkCmdDraw(test->commands, 3, 1, 0, 0);
	}
	vkCmdEndRendering(test->commands);
}

// The second form of its end.
static void rendering_ended(struct gpu_test *test)
{
#ifdef VK_KHR_maintenance10
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const VkRenderingEndInfoKHR info = {.sType = VK_STRUCTURE_TYPE_RENDERING_END_INFO_KHR};
	PFN_vkCmdEndRendering2KHR end = (PFN_vkCmdEndRendering2KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdEndRendering2KHR");
	if (!test->has_maintenance10 || !test->has_dynamic_rendering || !end)
		gpu_test_skip("no maintenance10");
	gpu_draw_general(test, &image);
	begin_rendering(test, &image, 0, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
	end(test->commands, &info);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_layer(test, &image, 0);
#else
	(void)test;
	gpu_test_skip("headers without maintenance10");
#endif
}

// A secondary command buffer inherits rendering as it does a render pass.
static void secondary_rendering(struct gpu_test *test)
{
	const VkFormat format = COLOR_FORMAT;
	const VkClearAttachment clear = {VK_IMAGE_ASPECT_COLOR_BIT, 0, cleared};
	const VkClearRect lower = {
		{{0, GPU_DRAW_HEIGHT / 2}, {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT / 2}}, 0, 1};
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
	};
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.pNext = &rendering,
	};
	if (!test->has_dynamic_rendering)
		gpu_test_skip("no dynamic rendering");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	gpu_draw_general(test, &image);
	begin_rendering(test, &image, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
			VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_NONE);
	const VkCommandBuffer secondary = gpu_test_secondary(test, &inherits);
	vkCmdClearAttachments(secondary, 1, &clear, 1, &lower);
	gpu_test_execute(test, secondary);
	vkCmdEndRendering(test->commands);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_layer(test, &image, 0);
}

static VkCommandBuffer nested_draw(struct gpu_test *test, const struct gpu_draw_image *image,
				   const VkCommandBufferInheritanceInfo *inherits)
{
	const struct gpu_draw_pass pass = {.dynamic = true, .color.image = image};
	const struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, secondary_area, sizeof secondary_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, secondary_pixels,
			     sizeof secondary_pixels}},
		.shader_count = 2,
		.area = 8};
	const VkCommandBuffer inner = gpu_test_secondary(test, inherits);
	const VkCommandBuffer outer = gpu_test_secondary(test, inherits);
	const VkCommandBuffer own = record_to(test, inner);
	gpu_draw_bind(test, &pass, &pipeline);
	bind_set(test, VK_PIPELINE_BIND_POINT_GRAPHICS);
	vkCmdDraw(inner, 3, 1, 0, 0);
	record_to(test, own);
	gpu_test_expect(vkEndCommandBuffer(inner), "vkEndCommandBuffer");
	vkCmdExecuteCommands(outer, 1, &inner);
	return outer;
}

// Fragments of two renderings, each in a secondary that another one calls.
static void nested_draws(struct gpu_test *test)
{
	const VkPipelineStageFlags fragments =
		test->fixed ? VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT : 0;
	const VkAccessFlags writes = COLOR_READ | COLOR_WRITE | (test->fixed ? WRITE : 0);
	const VkFormat format = COLOR_FORMAT;
	const VkCommandBufferInheritanceRenderingInfo rendering = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.colorAttachmentCount = 1,
		.pColorAttachmentFormats = &format,
		.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
	};
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
		.pNext = &rendering,
	};
	if (!test->has_nested_buffers || !test->has_dynamic_rendering || !test->has_fragment_stores)
		gpu_test_skip("no nested command buffers in rendering");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	gpu_draw_general(test, &image);
	for (uint32_t i = 0; i < 2; i++) {
		begin_rendering(test, &image, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
				VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE);
		gpu_test_execute(test, nested_draw(test, &image, &inherits));
		vkCmdEndRendering(test->commands);
		gpu_test_barrier(test, OUTPUT | fragments, writes, OUTPUT | fragments, writes);
	}
}

// One rendering that is suspended and, in the next command buffer, resumed loads and stores once,
// and draws in order; two load and store each, and nothing orders these.
static void suspended(struct gpu_test *test)
{
	const VkAttachmentLoadOp load =
		test->fixed ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
	if (!test->has_dynamic_rendering)
		gpu_test_skip("no dynamic rendering");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	gpu_draw_general(test, &image);
	VkCommandBuffer commands[2];
	render(test, &image, test->fixed ? VK_RENDERING_SUSPENDING_BIT : 0,
	       VK_ATTACHMENT_LOAD_OP_CLEAR);
	commands[0] = gpu_test_end(test);
	render(test, &image, test->fixed ? VK_RENDERING_RESUMING_BIT : 0, load);
	gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_layer(test, &image, 0);
	commands[1] = gpu_test_end(test);
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 2,
		.pCommandBuffers = commands,
	};
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

// A resolve of depth is work of the stage of color attachments ("Render Pass Resolve Operations").
static void depth_resolve(struct gpu_test *test)
{
	if (!test->has_dynamic_rendering)
		gpu_test_skip("no dynamic rendering");
	const struct gpu_draw_image many =
		gpu_draw_image(test, DEPTH_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "samples");
	const struct gpu_draw_image one =
		gpu_draw_image(test, DEPTH_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = many.view,
		.imageLayout = GENERAL,
		.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT,
		.resolveImageView = one.view,
		.resolveImageLayout = GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.clearValue = {.depthStencil = {.depth = 1}},
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = gpu_draw_all(),
		.layerCount = 1,
		.pDepthAttachment = &attachment,
	};
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
		.imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1},
	};
	gpu_draw_general(test, &many);
	gpu_draw_general(test, &one);
	vkCmdBeginRendering(test->commands, &info);
	vkCmdEndRendering(test->commands);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	else
		gpu_test_barrier(test, LATE, DEPTH_WRITE, TRANSFER, TRANSFER_READ);
	vkCmdCopyImageToBuffer(test->commands, one.handle, GENERAL, test->result.handle, 1,
			       &region);
}

const struct gpu_twin gpu_subpass_twins[] = {
	{"subpass_writes", subpass_writes, 0},
	{"subpass_store", subpass_store, 0},
	{"subpass_layout", subpass_layout, 0},
	{"view_layers", view_layers, 0},
	{"secondary_pass", secondary_pass, 0},
	{"secondary_barrier", secondary_barrier, 0},
	{"nested_barrier", nested_barrier, 0},
	{"nested_dispatch", nested_dispatch, 0},
	{"nested_draws", nested_draws, 0},
	{"secondary_twice", secondary_twice, 0},
	{"rendering_ended", rendering_ended, 0},
	{"suspended", suspended, 0},
	{"depth_resolve", depth_resolve, 0},
	{"secondary_rendering", secondary_rendering, 0},
	{NULL, NULL, 0},
};
