// SPDX-License-Identifier: Apache-2.0
// Trace-ray commands: their parameters in memory and their shader binding tables (Vulkan
// specification, "Ray Tracing Commands", "Shader Binding Table"). Knows these commands only.
#include "structure_commands.h"

#include "error.h"
#include "event_payload.h"

#include <string.h>

#define INDIRECT_BYTES  12u  // VkTraceRaysIndirectCommandKHR
#define INDIRECT2_BYTES 104u // VkTraceRaysIndirectCommand2KHR

// The stage of the shaders, and the access type of its own that tables have.
#define SHADERS    VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR
#define TABLE_READ (UINT64_C(1) << 40) // VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR

static const char *trace_name(uint32_t kind)
{
	switch ((enum vkr_trace_ray_command)kind) {
	case VKR_RAYS_DIRECT:
		return "vkCmdTraceRaysKHR";
	case VKR_RAYS_INDIRECT:
		return "vkCmdTraceRaysIndirectKHR";
	case VKR_RAYS_INDIRECT2:
		return "vkCmdTraceRaysIndirect2KHR";
	}
	return "a trace-ray command";
}

static enum vkr_result read_parameters(struct vkr_walk *walk,
				       const struct vkr_trace_cmd_trace_rays *rays)
{
	if (rays->kind == VKR_RAYS_DIRECT)
		return VKR_OK;
	return vkr_walk_access_address(
		walk,
		&(struct vkr_walk_access){.command = walk->command,
					  .info = walk->info,
					  .site = VKR_COMMAND_ARGUMENTS,
					  .operation = "indirect command read",
					  .stage = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
					  .access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT},
		rays->indirect, rays->kind == VKR_RAYS_INDIRECT ? INDIRECT_BYTES : INDIRECT2_BYTES);
}

static enum vkr_result read_tables(struct vkr_walk *walk,
				   const struct vkr_trace_cmd_trace_rays *rays)
{
	const struct vkr_trace_table_region *regions = (const void *)(rays + 1);
	const bool none = rays->kind == VKR_RAYS_DIRECT &&
			  (rays->extent[0] == 0 || rays->extent[1] == 0 || rays->extent[2] == 0);
	enum vkr_result result = VKR_OK;
	if (rays->kind == VKR_RAYS_INDIRECT2)
		return vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"the addresses of the shader binding tables of %s are in memory that is "
			"not read: races with reads of the tables are missed",
			walk->info->name);
	for (uint32_t at = 0; at < rays->region_count && !none && result == VKR_OK; at++)
		result = vkr_walk_access_address(
			walk,
			&(struct vkr_walk_access){.command = walk->command,
						  .info = walk->info,
						  .site = VKR_COMMAND_TABLE,
						  .operation = "shader binding table read",
						  .stage = SHADERS,
						  .access = TABLE_READ},
			regions[at].address, regions[at].bytes);
	return result;
}

static enum vkr_result begin_trace_rays(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_trace_rays *rays = vkr_event_payload(event);
	struct vkr_command_info like = {
		.name = trace_name(rays->kind),
		.indirect = rays->kind != VKR_RAYS_DIRECT,
		.pipeline = vkr_walk_point(walk, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR)->pipeline};
	memcpy(like.groups, rays->extent, sizeof like.groups);
	walk->info = vkr_walk_info(walk, rays->command, event->type, &like);
	walk->ran = false;
	vkr_walk_draw_log_begin(walk, 0);
	enum vkr_result result = vkr_walk_begin_command(walk, walk->info, &walk->command);
	if (result == VKR_OK)
		result = read_parameters(walk, rays);
	return result == VKR_OK ? read_tables(walk, rays) : result;
}

enum vkr_result vkr_walk_trace_rays(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	enum vkr_result result = VKR_OK;
	if (walk->command == 0)
		result = begin_trace_rays(walk, event);
	if (result == VKR_OK)
		result = vkr_walk_draw_log(walk);
	if (result != VKR_OK || walk->waiting)
		return result;
	result = vkr_walk_links_end(walk);
	vkr_engine_command_end(walk->model->engine, walk->command);
	walk->command = 0;
	return result;
}
