// SPDX-License-Identifier: Apache-2.0
// Twins of what the shaders of graphics stages read and write. Knows nothing of what is to be
// reported.
#include "gpu_draw.h"
#include "twins.h"

#include "flag_between_fixed.spv.h"
#include "flag_between_race.spv.h"
#include "patch_output_fixed.spv.h"
#include "patch_output_race.spv.h"
#include "patch_pass.spv.h"
#include "patch_points_fixed.spv.h"
#include "patch_points_quiet.spv.h"
#include "patch_points_race.spv.h"
#include "patch_write_fixed.spv.h"
#include "patch_write_race.spv.h"
#include "pixel_acquire_fixed.spv.h"
#include "pixel_acquire_race.spv.h"
#include "pixel_acquire_second.spv.h"
#include "pixel_count_fixed.spv.h"
#include "pixel_count_race.spv.h"
#include "pixel_demote_fixed.spv.h"
#include "pixel_demote_race.spv.h"
#include "pixel_discard_fixed.spv.h"
#include "pixel_discard_race.spv.h"
#include "pixel_loop.spv.h"
#include "pixel_own.spv.h"
#include "pixel_read.spv.h"
#include "pixel_terminate_fixed.spv.h"
#include "pixel_terminate_race.spv.h"
#include "pixel_write.spv.h"
#include "primitive_write_fixed.spv.h"
#include "primitive_write_race.spv.h"
#include "stage_area.spv.h"
#include "stage_color.spv.h"
#include "two_triangles_fixed.spv.h"
#include "two_triangles_race.spv.h"
#include "vertex_output_fixed.spv.h"
#include "vertex_output_race.spv.h"
#include "vertex_read.spv.h"
#include "vertex_read_uniform.spv.h"
#include "vertex_release.spv.h"
#include "vertex_write.spv.h"
#include "vertex_write_behind.spv.h"

#define IN_VERTEX   VK_PIPELINE_STAGE_VERTEX_SHADER_BIT
#define IN_FRAGMENT VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT

#define SHADER(kind, name)                                                                         \
	(struct gpu_draw_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_##kind##_BIT, name, sizeof name                                    \
	}
#define TWIN(kind, name) (test->fixed ? SHADER(kind, name##_fixed) : SHADER(kind, name##_race))

// 8 x 8 pixels of a pass without attachments.
static void draw_instances(struct gpu_test *test, const struct gpu_draw_pipeline *pipeline,
			   uint32_t vertices, uint32_t instances)
{
	struct gpu_draw_pass pass = {0};
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, pipeline);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {8, 8}});
	vkCmdDraw(test->commands, vertices, instances, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void draw(struct gpu_test *test, const struct gpu_draw_pipeline *pipeline, uint32_t vertices)
{
	draw_instances(test, pipeline, vertices, 1);
}

static void draw_two(struct gpu_test *test, struct gpu_draw_shader vertex,
		     struct gpu_draw_shader fragment, uint32_t vertices)
{
	draw(test,
	     &(struct gpu_draw_pipeline){
		     .shaders = {vertex, fragment}, .shader_count = 2, .area = 8},
	     vertices);
}

static void need_fragment_stores(const struct gpu_test *test)
{
	if (!test->has_fragment_stores)
		gpu_test_skip("no fragmentStoresAndAtomics");
}

static void need_vertex_stores(const struct gpu_test *test)
{
	if (!test->has_vertex_stores)
		gpu_test_skip("no vertexPipelineStoresAndAtomics");
}

// Two triangles at one place. Where they only share an edge, the helper invocations of one stand in
// the other.
static void fragment_overlap(struct gpu_test *test)
{
	need_fragment_stores(test);
	draw_two(test, TWIN(VERTEX, two_triangles), SHADER(FRAGMENT, pixel_write), 6);
}

static void fragment_count(struct gpu_test *test)
{
	need_fragment_stores(test);
	draw_two(test, SHADER(VERTEX, stage_area), TWIN(FRAGMENT, pixel_count), 3);
}

// Neighbours in a row share a word: what stands before a discard counts.
static void fragment_discard(struct gpu_test *test)
{
	need_fragment_stores(test);
	draw_two(test, SHADER(VERTEX, stage_area), TWIN(FRAGMENT, pixel_discard), 3);
}

// Ends fragments by the instructions that later versions have.
static void fragment_terminate(struct gpu_test *test)
{
	need_fragment_stores(test);
	if (!test->has_terminate)
		gpu_test_skip("no shaderTerminateInvocation");
	draw_two(test, SHADER(VERTEX, stage_area), TWIN(FRAGMENT, pixel_terminate), 3);
}

static void fragment_demote(struct gpu_test *test)
{
	need_fragment_stores(test);
	if (!test->has_demote)
		gpu_test_skip("no shaderDemoteToHelperInvocation");
	draw_two(test, SHADER(VERTEX, stage_area), TWIN(FRAGMENT, pixel_demote), 3);
}

// Nothing orders a draw's vertices before its own fragments.
static void vertex_fragment(struct gpu_test *test)
{
	need_vertex_stores(test);
	draw_two(test,
		 test->fixed ? SHADER(VERTEX, vertex_write_behind) : SHADER(VERTEX, vertex_write),
		 SHADER(FRAGMENT, pixel_read), 3);
}

static void clear_flags(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	vkCmdFillBuffer(test->commands, test->result.handle, 0, VK_WHOLE_SIZE, 0);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, READ | WRITE);
}

// What vertices release, fragments of the same draw acquire.
static void vertex_flags(struct gpu_test *test)
{
	need_vertex_stores(test);
	need_fragment_stores(test);
	clear_flags(test);
	draw_two(test, SHADER(VERTEX, vertex_release),
		 test->fixed ? SHADER(FRAGMENT, pixel_acquire_fixed)
			     : SHADER(FRAGMENT, pixel_acquire_race),
		 3);
}

// What vertices release a dispatch acquires, and behind a barrier that holds dispatches alone
// another one reads what they wrote.
static void flag_taken(struct gpu_test *test)
{
	need_vertex_stores(test);
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	vkCmdFillBuffer(test->commands, test->result.handle, 0, VK_WHOLE_SIZE, 0);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, READ | WRITE);
	draw_two(test, SHADER(VERTEX, vertex_release), SHADER(FRAGMENT, stage_color), 3);
	for (uint32_t at = 0; at < 2; at++) {
		gpu_test_dispatch(test, test->fixed ? "flag_taken_fixed" : "flag_taken_race", 1,
				  at);
		gpu_test_barrier(test, COMPUTE, 0, COMPUTE, 0);
	}
}

// A stage between them orders nothing itself.
static void continued_flags(struct gpu_test *test)
{
	need_vertex_stores(test);
	if (!test->has_geometry)
		gpu_test_skip("no geometryShader");
	clear_flags(test);
	draw(test,
	     &(struct gpu_draw_pipeline){.shaders = {SHADER(VERTEX, vertex_release),
						     TWIN(GEOMETRY, flag_between),
						     SHADER(FRAGMENT, pixel_acquire_second)},
					 .shader_count = 3,
					 .area = 8},
	     3);
}

static void fragment_vertex(struct gpu_test *test)
{
	need_fragment_stores(test);
	draw_two(test, SHADER(VERTEX, stage_area), SHADER(FRAGMENT, pixel_write), 3);
	gpu_test_barrier(test, IN_FRAGMENT, WRITE, test->fixed ? IN_VERTEX : IN_FRAGMENT, READ);
	draw_two(test, SHADER(VERTEX, vertex_read), SHADER(FRAGMENT, stage_color), 3);
}

// A barrier inside of a subpass, which a dependency of the subpass on itself allows, between what
// two draws do for the same pixels.
static void pass_barrier(struct gpu_test *test)
{
	const VkSubpassDependency own = {
		0, 0, IN_FRAGMENT, IN_FRAGMENT, WRITE, READ, VK_DEPENDENCY_BY_REGION_BIT};
	struct gpu_draw_pass pass = {.dependencies = &own, .dependency_count = 1};
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = test->fixed ? WRITE : 0,
		.dstAccessMask = READ,
	};
	need_fragment_stores(test);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {8, 8}});
	gpu_draw_bind(test, &pass,
		      &(struct gpu_draw_pipeline){.shaders = {SHADER(VERTEX, stage_area),
							      SHADER(FRAGMENT, pixel_write)},
						  .shader_count = 2,
						  .area = 8});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdPipelineBarrier(test->commands, IN_FRAGMENT, IN_FRAGMENT, VK_DEPENDENCY_BY_REGION_BIT,
			     1, &barrier, 0, NULL, 0, NULL);
	gpu_draw_bind(test, &pass,
		      &(struct gpu_draw_pipeline){
			      .shaders = {SHADER(VERTEX, stage_area), SHADER(FRAGMENT, pixel_own)},
			      .shader_count = 2,
			      .area = 8});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void compute_vertex(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, test->fixed ? IN_VERTEX : IN_FRAGMENT, READ);
	draw_two(test, SHADER(VERTEX, vertex_read), SHADER(FRAGMENT, stage_color), 3);
}

static void uniform_vertex(struct gpu_test *test)
{
	const uint32_t values[16] = {7};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof values, values);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, IN_VERTEX,
			 test->fixed ? VK_ACCESS_UNIFORM_READ_BIT
				     : VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
	draw_two(test, SHADER(VERTEX, vertex_read_uniform), SHADER(FRAGMENT, stage_color), 3);
}

// What the last column of 8 reads in its last iteration, and what one more would read.
static void fragment_loop(struct gpu_test *test)
{
	const uint32_t values[4] = {7};
	vkCmdUpdateBuffer(test->commands, test->data.handle, (test->fixed ? 8 : 7) * sizeof values,
			  sizeof values, values);
	draw_two(test, SHADER(VERTEX, stage_area), SHADER(FRAGMENT, pixel_loop), 3);
}

// As many patches through this shader, one an instance.
static void draw_patches(struct gpu_test *test, struct gpu_draw_shader control, uint32_t count)
{
	const struct gpu_draw_shader stages[] = {
		SHADER(VERTEX, stage_area), control,
		SHADER(TESSELLATION_EVALUATION, patch_points_quiet), SHADER(FRAGMENT, stage_color)};
	struct gpu_draw_pipeline pipeline = {.shader_count = 4, .patch_points = 3};
	need_vertex_stores(test);
	if (!test->has_tessellation)
		gpu_test_skip("no tessellationShader");
	for (uint32_t i = 0; i < 4; i++)
		pipeline.shaders[i] = stages[i];
	draw_instances(test, &pipeline, 3, count);
}

static void draw_patch(struct gpu_test *test, struct gpu_draw_shader control)
{
	draw_patches(test, control, 1);
}

static void patch_barrier(struct gpu_test *test)
{
	draw_patch(test, TWIN(TESSELLATION_CONTROL, patch_write));
}

// barrier() in the stage orders outputs too.
static void vertex_output(struct gpu_test *test)
{
	draw_patch(test, TWIN(TESSELLATION_CONTROL, vertex_output));
}

static void patch_output(struct gpu_test *test)
{
	draw_patch(test, TWIN(TESSELLATION_CONTROL, patch_output));
}

// Two patches have the same identity: their outputs must not be confused.
static void patch_instances(struct gpu_test *test)
{
	draw_patches(test, TWIN(TESSELLATION_CONTROL, patch_output), 2);
}

static void patch_points(struct gpu_test *test)
{
	const struct gpu_draw_shader stages[] = {
		SHADER(VERTEX, stage_area), SHADER(TESSELLATION_CONTROL, patch_pass),
		TWIN(TESSELLATION_EVALUATION, patch_points), SHADER(FRAGMENT, stage_color)};
	struct gpu_draw_pipeline pipeline = {.shader_count = 4, .patch_points = 3};
	need_vertex_stores(test);
	if (!test->has_tessellation)
		gpu_test_skip("no tessellationShader");
	for (uint32_t i = 0; i < 4; i++)
		pipeline.shaders[i] = stages[i];
	draw(test, &pipeline, 3);
}

static void geometry_write(struct gpu_test *test)
{
	need_vertex_stores(test);
	if (!test->has_geometry)
		gpu_test_skip("no geometryShader");
	draw(test,
	     &(struct gpu_draw_pipeline){.shaders = {SHADER(VERTEX, two_triangles_race),
						     TWIN(GEOMETRY, primitive_write),
						     SHADER(FRAGMENT, stage_color)},
					 .shader_count = 3},
	     6);
}

const struct gpu_twin gpu_stage_twins[] = {
	{"fragment_overlap", fragment_overlap, 0},
	{"fragment_count", fragment_count, 0},
	{"fragment_discard", fragment_discard, 0},
	{"fragment_terminate", fragment_terminate, 0},
	{"fragment_demote", fragment_demote, 0},
	{"vertex_fragment", vertex_fragment, 0},
	{"vertex_flags", vertex_flags, 0},
	{"continued_flags", continued_flags, 0},
	{"flag_taken", flag_taken, 0},
	{"fragment_vertex", fragment_vertex, 0},
	{"pass_barrier", pass_barrier, 0},
	{"compute_vertex", compute_vertex, 0},
	{"uniform_vertex", uniform_vertex, 0},
	{"fragment_loop", fragment_loop, 0},
	{"patch_barrier", patch_barrier, 0},
	{"vertex_output", vertex_output, 0},
	{"patch_output", patch_output, 0},
	{"patch_instances", patch_instances, 0},
	{"patch_points", patch_points, 0},
	{"geometry_write", geometry_write, 0},
	{NULL, NULL, 0},
};
