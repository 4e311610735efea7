// SPDX-License-Identifier: Apache-2.0
// Twins of task and mesh shaders. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "mesh_color.spv.h"
#include "mesh_output_fixed.spv.h"
#include "mesh_output_race.spv.h"
#include "mesh_read.spv.h"
#include "mesh_tile_fixed.spv.h"
#include "mesh_tile_race.spv.h"
#include "task_four.spv.h"
#include "task_payload_fixed.spv.h"
#include "task_payload_race.spv.h"
#include "task_write.spv.h"

#define SHADER(kind, name)                                                                         \
	(struct gpu_draw_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_##kind, name, sizeof name                                          \
	}
#define TWIN(kind, name) (test->fixed ? SHADER(kind, name##_fixed) : SHADER(kind, name##_race))
#define TASK(name)       SHADER(TASK_BIT_EXT, name)
#define MESH(name)       SHADER(MESH_BIT_EXT, name)

static void need_mesh(const struct gpu_test *test)
{
	if (!test->has_mesh)
		gpu_test_skip("no mesh shaders");
}

// A pass without attachments, in which task (or none) and mesh shaders are to run.
static void begin(struct gpu_test *test, const struct gpu_draw_shader *task,
		  struct gpu_draw_shader mesh)
{
	struct gpu_draw_pipeline pipeline = {.area = 8};
	struct gpu_draw_pass pass = {0};
	need_mesh(test);
	if (task)
		pipeline.shaders[pipeline.shader_count++] = *task;
	pipeline.shaders[pipeline.shader_count++] = mesh;
	pipeline.shaders[pipeline.shader_count++] = SHADER(FRAGMENT_BIT, mesh_color);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {8, 8}});
}

static void draw(struct gpu_test *test, const struct gpu_draw_shader *task,
		 struct gpu_draw_shader mesh, uint32_t groups)
{
	PFN_vkCmdDrawMeshTasksEXT mesh_tasks = (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(
		test->device, "vkCmdDrawMeshTasksEXT");
	begin(test, task, mesh);
	mesh_tasks(test->commands, groups, 1, 1);
	vkCmdEndRenderPass(test->commands);
}

// Two invocations write one vertex's output.
static void mesh_output(struct gpu_test *test)
{
	draw(test, NULL, TWIN(MESH_BIT_EXT, mesh_output), 2);
}

// Workgroup memory of four mesh workgroups that all have the same WorkgroupId.
static void mesh_tile(struct gpu_test *test)
{
	const struct gpu_draw_shader task = TASK(task_four);
	draw(test, &task, TWIN(MESH_BIT_EXT, mesh_tile), 4);
}

static void task_payload(struct gpu_test *test)
{
	const struct gpu_draw_shader task = TWIN(TASK_BIT_EXT, task_payload);
	draw(test, &task, MESH(mesh_read), 1);
}

// Nothing but the payload orders a task shader's writes before the mesh shader's reads.
static void task_mesh(struct gpu_test *test)
{
	const struct gpu_draw_shader writes = TASK(task_write), emits = TASK(task_four);
	draw(test, test->fixed ? &emits : &writes, MESH(mesh_read), 1);
}

static void compute_mesh(struct gpu_test *test)
{
	need_mesh(test);
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE,
			 test->fixed ? VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT
				     : VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT,
			 READ);
	draw(test, NULL, MESH(mesh_read), 1);
}

static void mesh_arguments(struct gpu_test *test)
{
	PFN_vkCmdDrawMeshTasksIndirectEXT indirect =
		(PFN_vkCmdDrawMeshTasksIndirectEXT)vkGetDeviceProcAddr(
			test->device, "vkCmdDrawMeshTasksIndirectEXT");
	need_mesh(test);
	gpu_test_dispatch(test, "write_arguments", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE,
			 test->fixed ? INDIRECT : VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
			 test->fixed ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT : READ);
	begin(test, NULL, MESH(mesh_output_fixed));
	indirect(test->commands, test->data.handle, 0, 1, 12);
	vkCmdEndRenderPass(test->commands);
}

const struct gpu_twin gpu_mesh_twins[] = {
	{"mesh_output", mesh_output, 0},
	{"mesh_tile", mesh_tile, 0},
	{"task_payload", task_payload, 0},
	{"task_mesh", task_mesh, 0},
	{"compute_mesh", compute_mesh, 0},
	{"mesh_arguments", mesh_arguments, 0},
	{NULL, NULL, 0},
};
