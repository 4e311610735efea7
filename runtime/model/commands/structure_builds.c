// SPDX-License-Identifier: Apache-2.0
// Builds and updates of acceleration structures as accesses of ACCELERATION_STRUCTURE_BUILD: inputs
// with SHADER_READ, structures and scratch memory with accesses of their own (Vulkan specification,
// "Building Acceleration Structures"). Knows these commands only.
#include "structure_commands.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "sort.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define INSTANCE_BYTES  64u // VkAccelerationStructureInstanceKHR
#define TRANSFORM_BYTES 48u // VkTransformMatrixKHR
#define BOX_BYTES       24u // VkAabbPositionsKHR
#define RANGE_BYTES     16u // VkAccelerationStructureBuildRangeInfoKHR

// One build of a command: nothing orders it with the others, so it is a command of its own.
struct build {
	struct vkr_walk *walk;
	uint32_t index; // of the command in its command buffer
	const struct vkr_trace_structure_build *of;
	const struct vkr_trace_structure_geometry *geometries;
	struct vkr_structure *destination;
	struct vkr_walk_access access; // what all have in common
};

static struct vkr_walk_access
structure_builds_input(const struct build *build, enum vkr_command_site site, const char *operation)
{
	struct vkr_walk_access access = build->access;
	access.site = site;
	access.operation = operation;
	access.access = VK_ACCESS_2_SHADER_READ_BIT;
	return access;
}

// `count` elements of `bytes` bytes, `stride` apart, as far as they are in the first one's buffer:
// they cannot be in another.
static enum vkr_result read_elements(const struct build *build,
				     const struct vkr_walk_access *access, uint64_t address,
				     uint64_t count, uint64_t stride, uint64_t bytes)
{
	enum vkr_result result = VKR_OK;
	if (count == 0 || bytes == 0)
		return VKR_OK;
	const struct vkr_address *range =
		vkr_objects_address(&build->walk->model->objects, address);
	if (range != NULL && stride > 0 && count - 1 > (range->end - 1 - address) / stride)
		count = (range->end - 1 - address) / stride + 1;
	// Without gaps between elements it is one range.
	if (stride <= bytes || count == 1 || range == NULL)
		return vkr_walk_access_address(build->walk, access, address,
					       range != NULL ? (count - 1) * stride + bytes
							     : bytes);
	for (uint64_t at = 0; at < count && result == VKR_OK; at++)
		result = vkr_walk_access_address(build->walk, access, address + at * stride, bytes);
	return result;
}

// Without indices the vertices of each triangle stand one after the other. With indices these may
// lead to any vertex that the program says there is.
static enum vkr_result read_vertices(const struct build *build,
				     const struct vkr_trace_structure_geometry *geometry)
{
	const struct vkr_walk_access access =
		structure_builds_input(build, VKR_COMMAND_VERTICES, "vertex read");
	const bool indexed = geometry->index_bytes > 0;
	const uint64_t first = geometry->data + geometry->first_vertex * geometry->stride;
	const uint64_t after = (uint64_t)geometry->max_vertex + 1;
	const uint64_t count = !indexed                         ? 3ull * geometry->primitives
			       : after > geometry->first_vertex ? after - geometry->first_vertex
								: 0;
	if (geometry->vertex_bytes == 0)
		return vkr_model_missed(build->walk->model, build->walk->error,
					VKR_COVERAGE_COMMAND, 0,
					"a build reads vertices of a format that is not known: "
					"races with these reads are missed");
	return read_elements(build, &access, first + (indexed ? 0 : geometry->primitive_offset),
			     geometry->primitives > 0 ? count : 0, geometry->stride,
			     geometry->vertex_bytes);
}

static enum vkr_result read_triangles(const struct build *build,
				      const struct vkr_trace_structure_geometry *geometry)
{
	const struct vkr_walk_access indices =
		structure_builds_input(build, VKR_COMMAND_INDICES, "index read");
	const struct vkr_walk_access transform =
		structure_builds_input(build, VKR_COMMAND_TRANSFORMS, "transform read");
	enum vkr_result result = read_vertices(build, geometry);
	if (result == VKR_OK && geometry->index_bytes > 0)
		result = vkr_walk_access_address(
			build->walk, &indices, geometry->indices + geometry->primitive_offset,
			3ull * geometry->primitives * geometry->index_bytes);
	if (result == VKR_OK && geometry->transform != 0 && geometry->primitives > 0)
		result = vkr_walk_access_address(build->walk, &transform,
						 geometry->transform + geometry->transform_offset,
						 TRANSFORM_BYTES);
	return result;
}

// ---- Instances ----------------------------------------------------------------------------------

// Whether the memory still held, when the device read it, what the host saw before.
static enum vkr_result still_held(const struct build *build, uint64_t address, uint64_t bytes,
				  bool *held)
{
	struct vkr_model *model = build->walk->model;
	const struct vkr_address *range = vkr_objects_address(&model->objects, address);
	bool wrote = true;
	enum vkr_result result = VKR_OK;
	if (range != NULL && range->buffer->memory != NULL)
		result = vkr_engine_device_wrote(model->engine, range->buffer->memory->id,
						 range->buffer->offset + (address - range->first),
						 bytes, &wrote, build->walk->error);
	*held = *held && !wrote;
	return result;
}

static enum vkr_result structure_builds_hold(const struct build *build, const uint64_t *references,
					     uint32_t count)
{
	struct vkr_structure *top = build->destination;
	top->bottoms.count = 0;
	top->bottoms_known = true;
	if (!VKR_ARRAY_RESERVE(&top->bottoms, count))
		return vkr_error_memory(build->walk->error, "instances");
	for (uint32_t at = 0; at < count; at++) {
		struct vkr_structure *bottom =
			vkr_objects_structure_at(&build->walk->model->objects, references[at]);
		if (bottom != NULL)
			top->bottoms.items[top->bottoms.count++] = bottom;
		else
			top->bottoms_known = false;
	}
	return VKR_OK;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

// Holds the structures that the instances referred to when the device was about to read them;
// *known: whether a snapshot of these was made. A reference of 0 refers to nothing ("Inactive
// Primitives and Instances").
static enum vkr_result hold_captured(const struct build *build,
				     const struct vkr_trace_structure_geometry *geometry,
				     uint64_t first, bool *known)
{
	const uint64_t place =
		offsetof(VkAccelerationStructureInstanceKHR, accelerationStructureReference);
	uint64_t *references = calloc((size_t)geometry->primitives + 1, sizeof *references);
	uint32_t kept = 0;
	enum vkr_result result = VKR_OK;
	if (references == NULL)
		return vkr_error_memory(build->walk->error, "instances");
	*known = !geometry->is_pointers && geometry->instance_bytes == INSTANCE_BYTES;
	for (uint32_t at = 0; at < geometry->primitives && *known; at++)
		*known = vkr_walk_snapshot_read(build->walk, build->index,
						first + (uint64_t)at * INSTANCE_BYTES + place,
						&references[at], sizeof *references);
	if (*known) {
		vkr_sort(references, geometry->primitives, sizeof *references, by_value);
		for (uint32_t at = 0; at < geometry->primitives; at++)
			if (references[at] != 0 &&
			    (kept == 0 || references[at] != references[kept - 1]))
				references[kept++] = references[at];
		result = structure_builds_hold(build, references, kept);
	}
	free(references);
	return result;
}

// The structures that the instances refer to, where it is known what these said.
static enum vkr_result hold_instances(const struct build *build,
				      const struct vkr_trace_structure_geometry *geometry,
				      uint64_t first)
{
	struct vkr_walk *walk = build->walk;
	const struct vkr_walk_access read =
		structure_builds_input(build, VKR_COMMAND_INSTANCES, "instance read");
	const struct vkr_instance_references *found = vkr_instances_find(
		&walk->model->instances, walk->execution, first, geometry->primitives);
	bool held = found != NULL, known = false;
	build->destination->bottoms_known = false;
	build->destination->bottoms.count = 0;
	enum vkr_result result = hold_captured(build, geometry, first, &known);
	if (found == NULL || known || result != VKR_OK)
		return result;
	const uint64_t *pointers = found->values + found->of.reference_count;
	result = still_held(build, first,
			    (uint64_t)geometry->primitives *
				    (geometry->is_pointers ? sizeof *pointers : INSTANCE_BYTES),
			    &held);
	for (uint32_t at = 0; at < found->of.pointer_count && held && result == VKR_OK; at++) {
		result = still_held(build, pointers[at], INSTANCE_BYTES, &held);
		if (result == VKR_OK && held)
			result = vkr_walk_access_address(walk, &read, pointers[at], INSTANCE_BYTES);
	}
	if (result == VKR_OK && held)
		result = structure_builds_hold(build, found->values, found->of.reference_count);
	return result;
}

static enum vkr_result read_bottoms(const struct build *build)
{
	const struct vkr_structure *top = build->destination;
	struct vkr_walk_access access = build->access;
	enum vkr_result result = VKR_OK;
	access.site = VKR_COMMAND_BOTTOM;
	access.operation = "bottom-level structure read";
	access.access = VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR;
	for (size_t at = 0; at < top->bottoms.count && result == VKR_OK; at++)
		result = vkr_walk_access_structure(build->walk, &access, top->bottoms.items[at]);
	if (result == VKR_OK && !top->bottoms_known)
		result = vkr_model_missed(build->walk->model, build->walk->error,
					  VKR_COVERAGE_COMMAND, 0,
					  "which bottom-level structures the instances of %s refer "
					  "to is not known: races with their reads are missed",
					  top->locations.name);
	return result;
}

static enum vkr_result read_instances(const struct build *build,
				      const struct vkr_trace_structure_geometry *geometry)
{
	const struct vkr_walk_access access =
		structure_builds_input(build, VKR_COMMAND_INSTANCES, "instance read");
	const uint64_t first = geometry->data + geometry->primitive_offset;
	const uint64_t bytes = geometry->is_pointers ? sizeof(uint64_t) : geometry->instance_bytes;
	if (build->destination != NULL)
		build->destination->has_instances = true;
	enum vkr_result result =
		read_elements(build, &access, first, geometry->primitives, bytes, bytes);
	if (result == VKR_OK && build->destination != NULL && geometry->primitives > 0)
		result = hold_instances(build, geometry, first);
	if (result == VKR_OK && build->destination != NULL && geometry->primitives > 0)
		result = read_bottoms(build);
	return result;
}

// ---- One build ----------------------------------------------------------------------------------

static enum vkr_result read_geometry(const struct build *build,
				     const struct vkr_trace_structure_geometry *geometry)
{
	const struct vkr_walk_access boxes =
		structure_builds_input(build, VKR_COMMAND_BOXES, "box read");
	switch (geometry->kind) {
	case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
		return read_triangles(build, geometry);
	case VK_GEOMETRY_TYPE_AABBS_KHR:
		return read_elements(build, &boxes, geometry->data + geometry->primitive_offset,
				     geometry->primitives, geometry->stride, BOX_BYTES);
	case VK_GEOMETRY_TYPE_INSTANCES_KHR:
		return read_instances(build, geometry);
	default: // the layer has said so
		return VKR_OK;
	}
}

// The ranges in memory are known if a snapshot of them was made.
static enum vkr_result read_range(const struct build *build, uint32_t at, bool *known)
{
	struct vkr_trace_structure_geometry geometry = build->geometries[at];
	VkAccelerationStructureBuildRangeInfoKHR range;
	struct vkr_structure *built = build->destination;
	if (built != NULL && geometry.kind == VK_GEOMETRY_TYPE_INSTANCES_KHR) {
		built->has_instances = true;
		built->bottoms_known = false;
		built->bottoms.count = 0;
	}
	*known = vkr_walk_snapshot_read(build->walk, build->index,
					build->of->indirect +
						(uint64_t)at * build->of->indirect_stride,
					&range, sizeof range);
	if (!*known)
		return VKR_OK;
	if (range.primitiveCount < geometry.primitives)
		geometry.primitives = range.primitiveCount;
	geometry.primitive_offset = range.primitiveOffset;
	geometry.first_vertex = range.firstVertex;
	geometry.transform_offset = range.transformOffset;
	return read_geometry(build, &geometry);
}

static enum vkr_result read_ranges(const struct build *build)
{
	struct vkr_walk_access access = build->access;
	bool all = true, known = false;
	access.site = VKR_COMMAND_ARGUMENTS;
	access.operation = "indirect command read";
	access.access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT;
	enum vkr_result result =
		read_elements(build, &access, build->of->indirect, build->of->geometry_count,
			      build->of->indirect_stride, RANGE_BYTES);
	for (uint32_t at = 0; at < build->of->geometry_count && result == VKR_OK; at++) {
		result = read_range(build, at, &known);
		all = all && known;
	}
	if (result != VKR_OK || all)
		return result;
	return vkr_model_missed(build->walk->model, build->walk->error, VKR_COVERAGE_COMMAND, 0,
				"the ranges of the geometries that %s reads are in memory that "
				"could not be read: races with these reads are missed",
				access.info->name);
}

static enum vkr_result read_inputs(const struct build *build)
{
	struct vkr_walk_access access = build->access;
	enum vkr_result result = VKR_OK;
	if (build->of->indirect != 0)
		result = read_ranges(build);
	for (uint32_t at = 0;
	     at < build->of->geometry_count && build->of->indirect == 0 && result == VKR_OK; at++)
		result = read_geometry(build, &build->geometries[at]);
	if (result != VKR_OK || build->of->mode != VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR)
		return result;
	access.site = VKR_COMMAND_READ;
	access.operation = "update source";
	access.access = VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR;
	return vkr_walk_access_structure(
		build->walk, &access,
		vkr_objects_structure(&build->walk->model->objects, build->of->source));
}

// Scratch memory is read only where the build has written before: to others it is a write.
static enum vkr_result write_outputs(const struct build *build)
{
	struct vkr_walk_access access = build->access;
	enum vkr_result result = VKR_OK;
	access.write = true;
	access.access = VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;
	access.site = VKR_COMMAND_SCRATCH;
	access.operation = "scratch write";
	if (build->of->scratch_bytes > 0)
		result = vkr_walk_access_address(build->walk, &access, build->of->scratch,
						 build->of->scratch_bytes);
	access.site = VKR_COMMAND_WRITE;
	access.operation = build->of->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
				   ? "update"
				   : "build";
	if (result == VKR_OK)
		result = vkr_walk_access_structure(build->walk, &access, build->destination);
	return result;
}

enum vkr_result vkr_walk_build_structures(struct vkr_walk *walk,
					  const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_build_structures *builds = vkr_event_payload(event);
	const struct vkr_trace_structure_build *items = (const void *)(builds + 1);
	const struct vkr_trace_structure_geometry *geometries =
		(const void *)(items + builds->build_count);
	const struct vkr_command_info like = {
		.name = builds->build_count > 0 && items[0].indirect != 0
				? "vkCmdBuildAccelerationStructuresIndirectKHR"
				: "vkCmdBuildAccelerationStructuresKHR"};
	struct vkr_command_info *info =
		vkr_walk_info(walk, builds->command, VKR_TRACE_CMD_BUILD_STRUCTURES, &like);
	uint64_t left = builds->geometry_count, tag = 0;
	if (info == NULL)
		return vkr_error_memory(walk->error, "a command");
	enum vkr_result result =
		vkr_walk_tag(walk, builds->command, VKR_TRACE_CMD_BUILD_STRUCTURES, &like, &tag);
	for (uint32_t at = 0; at < builds->build_count && result == VKR_OK; at++) {
		struct build build = {.walk = walk,
				      .index = builds->command,
				      .of = &items[at],
				      .geometries = geometries};
		if (items[at].geometry_count > left)
			return vkr_error_set(walk->error, VKR_ERROR_FORMAT,
					     "CMD_BUILD_STRUCTURES: its builds do not add up to "
					     "its geometries");
		left -= items[at].geometry_count;
		geometries += items[at].geometry_count;
		build.destination =
			vkr_objects_structure(&walk->model->objects, items[at].destination);
		build.access = (struct vkr_walk_access){
			.info = info,
			.stage = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR};
		result = vkr_engine_command(walk->model->engine, walk->queue->timeline, tag,
					    &build.access.command, walk->error);
		if (result == VKR_OK)
			vkr_command_links_begin(walk->model, NULL, build.access.command);
		if (result == VKR_OK)
			result = read_inputs(&build);
		if (result == VKR_OK)
			result = write_outputs(&build);
		if (result == VKR_OK)
			vkr_engine_command_end(walk->model->engine, build.access.command);
	}
	return result;
}
