// SPDX-License-Identifier: Apache-2.0
// Twins of acceleration structures: builds, their inputs, copies, questions; and of what trace-ray
// commands read themselves. Knows nothing of what is to be reported.
#include "gpu_rays.h"
#include "gpu_structures.h"
#include "twins.h"

#include "table_write.spv.h"

#define RAYS VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR

#define BUILD          VK_PIPELINE_STAGE_ACCELERATION_STRUCTURE_BUILD_BIT_KHR
#define BUILD_READ     VK_ACCESS_ACCELERATION_STRUCTURE_READ_BIT_KHR
#define BUILD_WRITE    VK_ACCESS_ACCELERATION_STRUCTURE_WRITE_BIT_KHR
#define TRANSFER_WRITE VK_ACCESS_TRANSFER_WRITE_BIT
#define TRANSFER_READ  VK_ACCESS_TRANSFER_READ_BIT

#define TOP 3u // index of the top-level structure

#define DEVICE_CALL(test, name) ((PFN_##name)vkGetDeviceProcAddr((test)->device, #name))

static void build_bottom(struct gpu_structures *all)
{
	gpu_structures_build(all, &(struct gpu_build){.to = 0}, 1);
}

static void build_top(struct gpu_structures *all)
{
	gpu_structures_build(all, &(struct gpu_build){.to = TOP, .scratch = 1, .top = true}, 1);
}

// The top-level structure is built of a bottom-level one that may not be built yet.
static void structure_levels(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	gpu_structures_refer(&all, 0);
	build_bottom(&all);
	if (test->fixed)
		gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	build_top(&all);
	gpu_structures_finish(&all);
}

// Dispatches with one binding of their pipeline, between which a structure is built, which drivers
// may do by dispatches of their own.
static void structure_between(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	gpu_test_dispatch(test, "write_words", 2, 0);
	build_bottom(&all);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdDispatch(test->commands, 2, 1, 1);
	gpu_structures_finish(&all);
}

// A structure that the instances do not refer to is none of the build's.
static void structure_others(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	gpu_structures_refer(&all, 1);
	gpu_structures_build(&all, &(struct gpu_build){.to = 1}, 1);
	gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	gpu_structures_build(&all, &(struct gpu_build){.to = test->fixed ? 0 : 1}, 1);
	build_top(&all);
	gpu_structures_finish(&all);
}

// Two builds of one command use the same scratch memory.
static void structure_scratch(struct gpu_test *test)
{
	struct gpu_structures all;
	const struct gpu_build builds[2] = {{.to = 0}, {.to = 1, .scratch = test->fixed}};
	gpu_structures_make(&all, test, TOP);
	gpu_structures_build(&all, builds, 2);
	gpu_structures_finish(&all);
}

// Two commands use one scratch buffer.
static void structure_scratch_again(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	build_bottom(&all);
	if (test->fixed)
		gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ | BUILD_WRITE);
	gpu_structures_build(&all, &(struct gpu_build){.to = 1}, 1);
	gpu_structures_finish(&all);
}

static void upload_vertices(struct gpu_structures *all)
{
	static const float triangle[9] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
	vkCmdUpdateBuffer(all->test->commands, all->inputs.handle, 0, GPU_VERTEX_BYTES, triangle);
}

// Vertices that a build reads are not read by vertex input.
static void structure_vertices(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	upload_vertices(&all);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE,
			 test->fixed ? BUILD : VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
			 test->fixed ? READ : VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
	build_bottom(&all);
	gpu_structures_finish(&all);
}

// Nor are they by the access type of structures.
static void structure_input_access(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	upload_vertices(&all);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, BUILD, test->fixed ? READ : BUILD_READ);
	build_bottom(&all);
	gpu_structures_finish(&all);
}

// The device writes the instances.
static void structure_instances(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	const VkAccelerationStructureInstanceKHR instance = gpu_structures_instance(&all, 0);
	build_bottom(&all);
	vkCmdUpdateBuffer(test->commands, all.inputs.handle, gpu_structures_instances(),
			  sizeof instance, &instance);
	gpu_test_barrier(test, BUILD | TRANSFER, BUILD_WRITE | TRANSFER_WRITE, BUILD,
			 BUILD_READ | (test->fixed ? READ : 0u));
	build_top(&all);
	gpu_structures_finish(&all);
}

// What was built is copied before it is there. The stage of builds covers copies too.
static void structure_compact(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	gpu_structures_build(&all, &(struct gpu_build){.to = 0, .compactable = true}, 1);
	if (test->fixed)
		gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	gpu_structures_copy(&all, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_COMPACT_KHR);
	gpu_structures_finish(&all);
}

// A top-level structure is built of a copy.
static void structure_copied(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	gpu_structures_refer(&all, 1);
	build_bottom(&all);
	gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	gpu_structures_copy(&all, 0, 1, VK_COPY_ACCELERATION_STRUCTURE_MODE_CLONE_KHR);
	gpu_test_barrier(test, test->fixed ? BUILD : COMPUTE, test->fixed ? BUILD_WRITE : WRITE,
			 BUILD, BUILD_READ);
	build_top(&all);
	gpu_structures_finish(&all);
}

// An update in place reads and writes what the build before has written.
static void structure_update(struct gpu_test *test)
{
	struct gpu_structures all;
	gpu_structures_make(&all, test, TOP);
	build_bottom(&all);
	gpu_test_barrier(test, BUILD, test->fixed ? BUILD_WRITE : BUILD_READ, BUILD,
			 BUILD_READ | BUILD_WRITE);
	gpu_structures_build(&all, &(struct gpu_build){.to = 0, .scratch = 1, .update = true}, 1);
	gpu_structures_finish(&all);
}

static void structure_size(struct gpu_test *test)
{
	struct gpu_structures all;
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
		.queryCount = 1,
	};
	VkQueryPool pool;
	gpu_structures_make(&all, test, TOP);
	gpu_test_expect(vkCreateQueryPool(test->device, &info, NULL, &pool), "vkCreateQueryPool");
	vkCmdResetQueryPool(test->commands, pool, 0, 1);
	gpu_structures_build(&all, &(struct gpu_build){.to = 0, .compactable = true}, 1);
	if (test->fixed)
		gpu_test_barrier(test, BUILD, BUILD_WRITE, BUILD, BUILD_READ);
	DEVICE_CALL(test, vkCmdWriteAccelerationStructuresPropertiesKHR)
	(test->commands, 1, &all.items[0], VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
	 pool, 0);
	gpu_structures_finish(&all);
	vkDestroyQueryPool(test->device, pool, NULL);
}

// A buffer beside the structure's, on the same memory.
static void structure_alias(struct gpu_test *test)
{
	struct gpu_structures all;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = GPU_STRUCTURE_BYTES,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;
	VkBuffer alias;
	gpu_structures_make(&all, test, TOP);
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &alias), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, alias, &needs);
	gpu_test_expect(vkBindBufferMemory(test->device, alias, all.storage.memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)alias, "alias");
	vkCmdFillBuffer(test->commands, alias, 256, 512, 0);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, BUILD, BUILD_WRITE);
	build_bottom(&all);
	gpu_structures_finish(&all);
	vkDestroyBuffer(test->device, alias, NULL);
}

static struct gpu_rays *make_rays(struct gpu_test *test)
{
	const struct gpu_rays_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_RAYGEN_BIT_KHR, table_write, sizeof table_write}},
		.count = 1,
	};
	return gpu_rays_make(test, &pipeline);
}

// A shader binding table is read in the stage of the shaders.
static void rays_table(struct gpu_test *test)
{
	struct gpu_rays *rays = make_rays(test);
	gpu_rays_update_table(rays);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, test->fixed ? RAYS : INDIRECT,
			 test->fixed ? READ : VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_rays_trace(rays, 8, 2);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
}

// How many launches there are is read before it.
static void rays_arguments(struct gpu_test *test)
{
	struct gpu_rays *rays = make_rays(test);
	const uint32_t launches[3] = {8, 2, 1};
	const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
					      .buffer = test->result.handle};
	vkCmdUpdateBuffer(test->commands, test->result.handle, 0, sizeof launches, launches);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, test->fixed ? INDIRECT : RAYS,
			 test->fixed ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : READ);
	gpu_rays_trace_indirect(rays, vkGetBufferDeviceAddress(test->device, &of));
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
}

const struct gpu_twin gpu_structure_twins[] = {
	{"structure_between", structure_between, 0},
	{"structure_levels", structure_levels, 0},
	{"structure_others", structure_others, 0},
	{"structure_scratch", structure_scratch, 0},
	{"structure_scratch_again", structure_scratch_again, 0},
	{"structure_vertices", structure_vertices, 0},
	{"structure_input_access", structure_input_access, 0},
	{"structure_instances", structure_instances, 0},
	{"structure_compact", structure_compact, 0},
	{"structure_copied", structure_copied, 0},
	{"structure_update", structure_update, 0},
	{"structure_size", structure_size, 0},
	{"structure_alias", structure_alias, 0},
	{"rays_table", rays_table, 0},
	{"rays_arguments", rays_arguments, 0},
	{NULL, NULL, 0},
};
