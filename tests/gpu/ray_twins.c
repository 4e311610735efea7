// SPDX-License-Identifier: Apache-2.0
// Twins of ray tracing stages and of ray queries. Knows nothing of what is to be reported.
#include "gpu_rays.h"
#include "gpu_structures.h"
#include "gpu_texels.h"
#include "twins.h"

#include "any_count_fixed.spv.h"
#include "any_count_race.spv.h"
#include "call_count.spv.h"
#include "count_fixed.spv.h"
#include "count_race.spv.h"
#include "hit_call_fixed.spv.h"
#include "hit_call_race.spv.h"
#include "hit_word_fixed.spv.h"
#include "hit_word_race.spv.h"
#include "image_launch.spv.h"
#include "launch_write_fixed.spv.h"
#include "launch_write_race.spv.h"
#include "trace_call_fixed.spv.h"
#include "trace_call_race.spv.h"
#include "trace_words.spv.h"
#include "trace_write.spv.h"

#define RAYS        VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR
#define BUILD       VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR
#define BUILD_READ  VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR
#define BUILD_WRITE VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR

#define TOP    3u // index of the top-level structure
#define WIDTH  8u
#define HEIGHT 2u

#define SHADER(kind, name)                                                                         \
	(struct gpu_rays_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_##kind##_BIT_KHR, name, sizeof name                                \
	}
#define TWIN(kind, name) (test->fixed ? SHADER(kind, name##_fixed) : SHADER(kind, name##_race))

static void trace_and_finish(struct gpu_test *test, struct gpu_rays *rays)
{
	gpu_rays_trace(rays, WIDTH, HEIGHT);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
}

// Launches of one command write one word.
static void launch_overlap(struct gpu_test *test)
{
	trace_and_finish(test, gpu_rays_make(test, &(struct gpu_rays_pipeline){
							   .shaders = {TWIN(RAYGEN, launch_write)},
							   .count = 1}));
}

// Launches with a pipeline that is made later, and with one that is linked from a library.
static void launch_deferred(struct gpu_test *test)
{
	trace_and_finish(test, gpu_rays_make(test, &(struct gpu_rays_pipeline){
							   .shaders = {TWIN(RAYGEN, launch_write)},
							   .count = 1,
							   .deferred = true}));
}

static void launch_library(struct gpu_test *test)
{
	trace_and_finish(test, gpu_rays_make(test, &(struct gpu_rays_pipeline){
							   .shaders = {TWIN(RAYGEN, launch_write)},
							   .count = 1,
							   .library = true}));
}

// Launches as many as a buffer says.
static void launch_indirect(struct gpu_test *test)
{
	const VkTraceRaysIndirectCommandKHR extent = {WIDTH, HEIGHT, 1};
	const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
					      .buffer = test->result.handle};
	struct gpu_rays *rays = gpu_rays_make(
		test,
		&(struct gpu_rays_pipeline){.shaders = {TWIN(RAYGEN, launch_write)}, .count = 1});
	vkCmdUpdateBuffer(test->commands, test->result.handle, 0, sizeof extent, &extent);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
			 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_rays_trace_indirect(rays, vkGetBufferDeviceAddress(test->device, &of));
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
}

// Builds a scene of one triangle; the top-level structure is not ready yet for what reads it.
static void build_scene(struct gpu_structures *all, struct gpu_test *test)
{
	gpu_structures_make(all, test, TOP);
	gpu_structures_refer(all, 0);
	gpu_structures_build(all, &(struct gpu_build){.to = 0}, 1);
	gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	gpu_structures_build(all, &(struct gpu_build){.to = TOP, .scratch = 1, .top = true}, 1);
}

static void scene_ready(struct gpu_test *test)
{
	gpu_test_barrier(test, BUILD, BUILD_WRITE, RAYS, BUILD_READ);
}

// Traces rays that hit the scene by these two shaders.
static void trace_scene(struct gpu_test *test, struct gpu_rays_shader generation,
			struct gpu_rays_shader hit)
{
	struct gpu_structures all;
	build_scene(&all, test);
	scene_ready(test);
	struct gpu_rays *rays = gpu_rays_make(
		test, &(struct gpu_rays_pipeline){
			      .shaders = {generation, hit}, .count = 2, .scene = all.items[TOP]});
	trace_and_finish(test, rays);
	gpu_structures_finish(&all);
}

// A hit writes what the ray generation of another launch writes.
static void hit_other(struct gpu_test *test)
{
	trace_scene(test, SHADER(RAYGEN, trace_write), TWIN(CLOSEST_HIT, hit_word));
}

// A hit writes what its own launch's ray generation writes before it, and reads behind it: memory
// barriers order the chain of calls.
static void hit_chain(struct gpu_test *test)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	trace_scene(test, TWIN(RAYGEN, trace_call), TWIN(CLOSEST_HIT, hit_call));
}

static void any_hit_count(struct gpu_test *test)
{
	trace_scene(test, SHADER(RAYGEN, trace_words), TWIN(ANY_HIT, any_count));
}

static void callable_count(struct gpu_test *test)
{
	trace_and_finish(test, gpu_rays_make(test, &(struct gpu_rays_pipeline){
							   .shaders = {SHADER(RAYGEN, call_count),
								       TWIN(CALLABLE, count)},
							   .count = 2}));
}

// The structure is built again while rays may still be traced through it.
static void trace_rebuild(struct gpu_test *test)
{
	struct gpu_structures all;
	build_scene(&all, test);
	scene_ready(test);
	struct gpu_rays *rays = gpu_rays_make(
		test, &(struct gpu_rays_pipeline){.shaders = {SHADER(RAYGEN, trace_words)},
						  .count = 1,
						  .scene = all.items[TOP]});
	gpu_rays_trace(rays, WIDTH, HEIGHT);
	gpu_test_barrier(test, test->fixed ? BUILD | RAYS : BUILD, BUILD_WRITE, BUILD, BUILD_WRITE);
	gpu_structures_build(&all, &(struct gpu_build){.to = TOP, .top = true}, 1);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
	gpu_structures_finish(&all);
}

// Ray queries in a structure that may not be built yet.
static void query_scene(struct gpu_test *test, struct gpu_structures *all, const char *kernel)
{
	struct gpu_rays *rays =
		gpu_rays_make(test, &(struct gpu_rays_pipeline){.scene = all->items[TOP]});
	gpu_test_barrier(test, BUILD, BUILD_WRITE, test->fixed ? COMPUTE : RAYS, BUILD_READ);
	gpu_rays_dispatch(rays, kernel, 1);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
	gpu_structures_finish(all);
}

static void query_build(struct gpu_test *test)
{
	struct gpu_structures all;
	build_scene(&all, test);
	query_scene(test, &all, "ray_query");
}

// Queries a structure by its device address.
static void query_by_address(struct gpu_test *test, const char *kernel)
{
	struct gpu_structures all;
	build_scene(&all, test);
	const VkDeviceAddress address =
		gpu_structures_instance(&all, TOP).accelerationStructureReference;
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof address, &address);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	query_scene(test, &all, kernel);
}

static void query_address(struct gpu_test *test)
{
	query_by_address(test, "ray_address");
}

// What is made from the address is passed to a function.
static void query_passed(struct gpu_test *test)
{
	query_by_address(test, "ray_passed");
}

static void copy_image(struct gpu_test *test, VkImage image)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {WIDTH, HEIGHT, 1},
	};
	vkCmdCopyImageToBuffer(test->commands, image, VK_IMAGE_LAYOUT_GENERAL, test->data.handle, 1,
			       &region);
}

// The image that rays have drawn is copied behind a barrier for another stage's writes.
static void image_launched(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	struct gpu_rays *rays = gpu_rays_make(
		test, &(struct gpu_rays_pipeline){.shaders = {SHADER(RAYGEN, image_launch)},
						  .count = 1,
						  .image = texels.views[0]});
	gpu_rays_trace(rays, WIDTH, HEIGHT);
	gpu_test_barrier(test, test->fixed ? RAYS : COMPUTE, WRITE, TRANSFER,
			 VK_ACCESS_TRANSFER_READ_BIT);
	copy_image(test, texels.image);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
	gpu_texels_finish(&texels, test);
}

const struct gpu_twin gpu_ray_twins[] = {
	{"launch_overlap", launch_overlap, 0}, {"launch_deferred", launch_deferred, 0},
	{"launch_library", launch_library, 0}, {"launch_indirect", launch_indirect, 0},
	{"hit_other", hit_other, 0},           {"hit_chain", hit_chain, 0},
	{"any_hit_count", any_hit_count, 0},   {"callable_count", callable_count, 0},
	{"trace_rebuild", trace_rebuild, 0},   {"query_address", query_address, 0},
	{"query_build", query_build, 0},       {"query_passed", query_passed, 0},
	{"image_launched", image_launched, 0}, {NULL, NULL, 0},
};
