// SPDX-License-Identifier: Apache-2.0
// Twins of interlocked fragments. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "interlock_area.spv.h"
#include "interlock_late.spv.h"
#include "interlock_pair.spv.h"
#include "interlock_pixels.spv.h"
#include "interlock_private.spv.h"
#include "interlock_sample_words.spv.h"
#include "interlock_within.spv.h"

#define SHADER(kind, name)                                                                         \
	(struct gpu_draw_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_##kind##_BIT, name, sizeof name                                    \
	}

// Draws over 8 x 8 pixels of one pass without attachments, one after the other.
static void draw(struct gpu_test *test, struct gpu_draw_shader vertex,
		 const struct gpu_draw_shader *fragments, uint32_t draws, uint32_t vertices)
{
	struct gpu_draw_pass pass = {0};
	if (!test->has_interlock || !test->has_fragment_stores)
		gpu_test_skip("no interlock of fragments");
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {8, 8}});
	for (uint32_t i = 0; i < draws; i++) {
		gpu_draw_bind(test, &pass,
			      &(struct gpu_draw_pipeline){.shaders = {vertex, fragments[i]},
							  .shader_count = 2,
							  .area = 8});
		vkCmdDraw(test->commands, vertices, 1, 0, 0);
	}
	vkCmdEndRenderPass(test->commands);
}

// Two triangles at one place.
static void interlock_overlap(struct gpu_test *test)
{
	const struct gpu_draw_shader late = SHADER(FRAGMENT, interlock_late);
	const struct gpu_draw_shader within = SHADER(FRAGMENT, interlock_within);
	draw(test, SHADER(VERTEX, interlock_pair), test->fixed ? &within : &late, 1, 6);
}

static void interlock_draws(struct gpu_test *test)
{
	const struct gpu_draw_shader fragments[] = {SHADER(FRAGMENT, interlock_within),
						    test->fixed ? SHADER(FRAGMENT, interlock_within)
								: SHADER(FRAGMENT, interlock_late)};
	draw(test, SHADER(VERTEX, interlock_area), fragments, 2, 3);
}

// An interlock orders no accesses that are private.
static void interlock_coherent(struct gpu_test *test)
{
	const struct gpu_draw_shader alone = SHADER(FRAGMENT, interlock_private);
	const struct gpu_draw_shader within = SHADER(FRAGMENT, interlock_within);
	draw(test, SHADER(VERTEX, interlock_pair), test->fixed ? &within : &alone, 1, 6);
}

// Two passes have no fragments that overlap.
static void interlock_passes(struct gpu_test *test)
{
	const struct gpu_draw_shader within = SHADER(FRAGMENT, interlock_within);
	draw(test, SHADER(VERTEX, interlock_area), &within, 1, 3);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, WRITE,
				 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, READ | WRITE);
	draw(test, SHADER(VERTEX, interlock_area), &within, 1, 3);
}

// Two triangles over the same pixels of four samples: only fragments of one sample are ordered.
static void interlock_samples(struct gpu_test *test)
{
	if (!test->has_sample_interlock || !test->has_fragment_stores)
		gpu_test_skip("no interlock of samples");
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_4_BIT, "picture");
	struct gpu_draw_pass pass = {
		.color = {.image = &image,
			  .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
			  .store = VK_ATTACHMENT_STORE_OP_STORE,
			  .initial = VK_IMAGE_LAYOUT_UNDEFINED,
			  .within = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  .final = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
	};
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {4, 4}});
	gpu_draw_bind(test, &pass,
		      &(struct gpu_draw_pipeline){
			      .shaders = {SHADER(VERTEX, interlock_pair),
					  test->fixed ? SHADER(FRAGMENT, interlock_sample_words)
						      : SHADER(FRAGMENT, interlock_pixels)},
			      .shader_count = 2,
			      .area = 4});
	vkCmdDraw(test->commands, 6, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

const struct gpu_twin gpu_interlock_twins[] = {
	{"interlock_overlap", interlock_overlap, 0},   {"interlock_draws", interlock_draws, 0},
	{"interlock_coherent", interlock_coherent, 0}, {"interlock_passes", interlock_passes, 0},
	{"interlock_samples", interlock_samples, 0},   {NULL, NULL, 0},
};
