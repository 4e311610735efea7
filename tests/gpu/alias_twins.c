// SPDX-License-Identifier: Apache-2.0
// Twins of images that are attachments and that shaders of the same pass access through
// descriptors. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "alias_area.spv.h"
#include "alias_fetch_own.spv.h"
#include "alias_load.spv.h"
#include "alias_load_next.spv.h"
#include "alias_plain.spv.h"
#include "alias_store.spv.h"
#include "alias_store_outside.spv.h"

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define IN_FRAGMENT  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define COLOR_WRITE  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define BY_REGION    VK_DEPENDENCY_BY_REGION_BIT
#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define AREA         8u // pixels of draws each way

#define FRAGMENTS(name)                                                                            \
	(struct gpu_draw_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_FRAGMENT_BIT, name, sizeof name                                    \
	}

struct alias {
	struct gpu_draw_image target, other;
	struct gpu_draw_pass pass;
	VkPipelineLayout layout;
	VkDescriptorSet set;
};

// A pass that loads and stores the target, and a set with that or with another image.
static void make(struct gpu_test *test, struct alias *alias, VkDescriptorType type, bool other)
{
	static const VkSubpassDependency itself = {0,           0,    OUTPUT,   IN_FRAGMENT,
						   COLOR_WRITE, READ, BY_REGION};
	if (!test->has_graphics || !test->has_fragment_stores)
		gpu_test_skip("no stores in fragment shaders");
	alias->target = gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	alias->other = gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "other");
	alias->pass = (struct gpu_draw_pass){.color = {&alias->target, VK_ATTACHMENT_LOAD_OP_LOAD,
						       VK_ATTACHMENT_STORE_OP_STORE, GENERAL,
						       GENERAL, GENERAL},
					     .dependencies = &itself,
					     .dependency_count = 1};
	alias->set =
		gpu_draw_set(test, other ? &alias->other : &alias->target, type, &alias->layout);
	gpu_draw_general(test, &alias->target);
	gpu_draw_general(test, &alias->other);
	gpu_draw_pass_make(test, &alias->pass);
}

static void draw(struct gpu_test *test, struct alias *alias, struct gpu_draw_shader fragments)
{
	gpu_draw_bind(test, &alias->pass,
		      &(struct gpu_draw_pipeline){.shaders = {{VK_SHADER_STAGE_VERTEX_BIT,
							       alias_area, sizeof alias_area},
							      fragments},
						  .shader_count = 2,
						  .area = AREA,
						  .layout = alias->layout,
						  .set = alias->set});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
}

static void output_to_shaders(struct gpu_test *test)
{
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = COLOR_WRITE,
					 .dstAccessMask = READ};
	vkCmdPipelineBarrier(test->commands, OUTPUT, IN_FRAGMENT, BY_REGION, 1, &barrier, 0, NULL,
			     0, NULL);
}

// Each fragment stores to its texel of the attachment as of a storage image, or of another one.
static void alias_written(struct gpu_test *test)
{
	struct alias alias;
	make(test, &alias, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, test->fixed);
	gpu_draw_begin(test, &alias.pass, gpu_draw_all());
	output_to_shaders(test);
	draw(test, &alias, FRAGMENTS(alias_store));
	vkCmdEndRenderPass(test->commands);
}

// Each fragment reads the texel of the next one, which that writes, or its own.
static void alias_read_next(struct gpu_test *test)
{
	struct alias alias;
	make(test, &alias, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, false);
	gpu_draw_begin(test, &alias.pass, gpu_draw_all());
	draw(test, &alias, test->fixed ? FRAGMENTS(alias_load) : FRAGMENTS(alias_load_next));
	vkCmdEndRenderPass(test->commands);
}

// What one draw has written another one reads, each fragment at its pixel.
static void read_behind(struct gpu_test *test, VkDescriptorType type,
			struct gpu_draw_shader fragments)
{
	struct alias alias;
	make(test, &alias, type, false);
	gpu_draw_begin(test, &alias.pass, gpu_draw_all());
	draw(test, &alias, FRAGMENTS(alias_plain));
	if (test->fixed)
		output_to_shaders(test);
	draw(test, &alias, fragments);
	vkCmdEndRenderPass(test->commands);
}

static void alias_sampled(struct gpu_test *test)
{
	read_behind(test, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, FRAGMENTS(alias_fetch_own));
}

static void alias_loaded(struct gpu_test *test)
{
	read_behind(test, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, FRAGMENTS(alias_load));
}

// Store operations may write back what is beside the render area, where shaders store.
static void alias_outside(struct gpu_test *test)
{
	struct alias alias;
	make(test, &alias, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, test->fixed);
	gpu_draw_begin(test, &alias.pass, (VkRect2D){.extent = {AREA, AREA}});
	draw(test, &alias, FRAGMENTS(alias_store_outside));
	vkCmdEndRenderPass(test->commands);
}

// What a resolve operation writes it may write at any time while the pass runs, also before a
// fragment reads its own texel there.
static void alias_resolved(struct gpu_test *test)
{
	struct alias alias;
	make(test, &alias, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, test->fixed);
	const struct gpu_draw_image many =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "many");
	gpu_draw_general(test, &many);
	alias.pass.resolve = (struct gpu_draw_attachment){&alias.target,
							  VK_ATTACHMENT_LOAD_OP_DONT_CARE,
							  VK_ATTACHMENT_STORE_OP_STORE,
							  GENERAL,
							  GENERAL,
							  GENERAL};
	alias.pass.color.image = &many;
	alias.pass.dependency_count = 0;
	gpu_draw_pass_make(test, &alias.pass);
	gpu_draw_begin(test, &alias.pass, gpu_draw_all());
	draw(test, &alias, FRAGMENTS(alias_fetch_own));
	vkCmdEndRenderPass(test->commands);
}

const struct gpu_twin gpu_alias_twins[] = {
	{"alias_written", alias_written, 0},
	{"alias_read_next", alias_read_next, 0},
	{"alias_sampled", alias_sampled, 0},
	{"alias_loaded", alias_loaded, 0},
	{"alias_outside", alias_outside, 0},
	{"alias_resolved", alias_resolved, 0},
	{NULL, NULL, 0},
};
