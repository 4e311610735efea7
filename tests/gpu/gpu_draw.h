// SPDX-License-Identifier: Apache-2.0
// The little graphics that the GPU tests need: images, render passes with one framebuffer, and a
// pipeline that draws. Knows nothing of the layer. All of it is destroyed with the test.
#pragma once

#include "gpu_test.h"

#define GPU_DRAW_WIDTH  64u
#define GPU_DRAW_HEIGHT 64u

struct gpu_draw_image {
	VkImage handle;
	VkImageView view; // of all layers
	VkFormat format;
	uint32_t layers;
	VkSampleCountFlagBits samples;
};

// A named image of the device's, 64 x 64 texels, for all uses that its format has in the tests.
struct gpu_draw_image gpu_draw_image(struct gpu_test *test, VkFormat format, uint32_t layers,
				     VkSampleCountFlagBits samples, const char *name);

// Records its transition to GENERAL, before which nothing was done to it.
void gpu_draw_general(struct gpu_test *test, const struct gpu_draw_image *image);

// An attachment of a pass with one subpass, with the layout that it has before, within and behind.
struct gpu_draw_attachment {
	const struct gpu_draw_image *image; // NULL: none
	VkAttachmentLoadOp load;
	VkAttachmentStoreOp store;
	VkImageLayout initial, within, final;
};

struct gpu_draw_pass {
	struct gpu_draw_attachment color, depth, resolve;
	const VkSubpassDependency *dependencies;
	uint32_t dependency_count;
	uint32_t layers;  // of the framebuffer; 0: one
	uint32_t subpass; // that pipelines are for
	VkSubpassDescriptionFlags flags;
	bool reads;   // the color, or else the depth, is input attachment 0, too
	bool dynamic; // no render pass: pipelines are for dynamic rendering to `color`
	// Made by gpu_draw_pass_make.
	VkRenderPass handle;
	VkFramebuffer frame;
};

// A framebuffer for a pass, of images of gpu_draw_image; the test destroys it at its end.
VkFramebuffer gpu_draw_frame(struct gpu_test *test, VkRenderPass pass, const VkImageView *views,
			     uint32_t count, uint32_t layers);

void gpu_draw_pass_make(struct gpu_test *test, struct gpu_draw_pass *pass);

// The pass around whatever is recorded in between, over an area.
void gpu_draw_begin(struct gpu_test *test, const struct gpu_draw_pass *pass, VkRect2D area);
static inline VkRect2D gpu_draw_all(void)
{
	return (VkRect2D){.extent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT}};
}
// The pass around what a secondary command buffer has, which is recorded in place of the primary
// from then on: the primary, to go on with.
VkCommandBuffer gpu_draw_begin_called(struct gpu_test *test, const struct gpu_draw_pass *pass);
void gpu_draw_end_called(struct gpu_test *test, VkCommandBuffer primary);

struct gpu_draw_shader {
	VkShaderStageFlagBits stage;
	const uint32_t *words;
	size_t bytes;
};

struct gpu_draw_pipeline {
	bool fetches;       // a vec4 position for each vertex from binding 0; else none
	bool fetches_more;  // another one behind it
	bool sets_topology; // by a command
	uint32_t stride;
	bool blends;
	bool leaves_color; // the color's write mask is empty
	bool orders_input; // input is read in rasterization order
	bool passes_depth; // the depth test passes always
	bool sets_depth;   // commands set whether depth is tested and written
	// Shaders of the test's own, over the buffers of test->set; none: ones that use no buffer.
	struct gpu_draw_shader shaders[4];
	uint32_t shader_count;
	uint32_t patch_points;   // of patches; 0: triangles
	uint32_t area;           // pixels of the viewport each way; 0: all
	uint32_t left;           // of the viewport, in pixels
	VkPipelineLayout layout; // of the shaders; null: test->layout
	VkDescriptorSet set;     // set 0; null: test->set
	// More of the pipeline's structure and of its stages', where descriptors lie in heaps: then
	// there is no layout, and no set.
	const void *heap_flags, *heap_mappings;
};

// The test destroys it at its end.
void gpu_draw_keep(struct gpu_test *test, VkObjectType type, uint64_t handle);

// A set with the image in VK_IMAGE_LAYOUT_GENERAL as descriptor 0 of the fragment shader, an input
// attachment or one to be sampled by its own type, and a pipeline layout for it.
VkDescriptorSet gpu_draw_set(struct gpu_test *test, const struct gpu_draw_image *image,
			     VkDescriptorType type, VkPipelineLayout *layout);
// Makes such a set's sampler an anisotropic one (test->has_anisotropy).
void gpu_draw_set_anisotropic(struct gpu_test *test, VkDescriptorSet set,
			      const struct gpu_draw_image *image);

// A pipeline for the pass.
VkPipeline gpu_draw_pipeline_make(struct gpu_test *test, const struct gpu_draw_pass *pass,
				  const struct gpu_draw_pipeline *pipeline);

// Makes and binds one.
void gpu_draw_bind(struct gpu_test *test, const struct gpu_draw_pass *pass,
		   const struct gpu_draw_pipeline *pipeline);
