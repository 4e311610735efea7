// SPDX-License-Identifier: Apache-2.0
// The objects a program made, found by their ids: memory, buffers, views, shaders, pipelines,
// command buffers, queues. Knows what each was made of; not what commands do with them.
//
// Objects that a report can name stay until the end, also when the program has destroyed them.
#pragma once

#include "arena.h"
#include "image_objects.h"
#include "map.h"
#include "texts.h"

#include "vkrace/memory_model.h"
#include "vkrace/result.h"
#include "vkrace/site.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_device {
	uint32_t id, subgroup_size, flags; // enum vkr_trace_device_flags
	uint64_t non_coherent_atom;        // bytes, at least 1
};

struct vkr_queue {
	uint32_t id, device, family, index;
	uint32_t timeline; // the engine's name for it
	const char *name;
};

struct vkr_memory {
	uint32_t id, device, property_flags;
	uint64_t bytes;
	bool freed;
	bool stand_in; // for memory that is no VkDeviceMemory (stand_ins.h)
	uint32_t users;
	const char *name; // never NULL: "memory 3" unless the program named it; so everywhere below
};

struct vkr_buffer {
	uint32_t id;
	bool concurrent;   // all queue families may use it at once
	bool shader_reads; // shaders may read it, and never write it
	bool destroyed;    // by the program
	uint64_t bytes;
	struct vkr_memory *memory; // NULL until bound
	uint64_t offset;           // in the memory
	const char *name;
};

struct vkr_buffer_view {
	uint32_t id;
	struct vkr_buffer *buffer;
	uint64_t offset, bytes;
	uint32_t format; // VkFormat
};

struct vkr_shader {
	uint32_t id, stage, flags; // enum vkr_trace_shader_flags
	uint64_t content_hash;
	const struct vkr_site_table *sites; // checked; NULL when nothing is logged
	const char *name;
	const char *number, *hashed; // its name where the program gives none, and with its hash
	const struct vkr_trace_shader_input *inputs; // of vertex input; NULL: not known
	uint32_t input_count;
	const struct vkr_trace_capture *captures; // by transform feedback; NULL: none, or not known
	uint32_t capture_count;
	const struct vkr_trace_shader_sampler *samplers; // that its mappings hold
	uint32_t sampler_count;
	// Storage classes (enum vkr_site_class) of acquires and releases that can order its
	// invocations: within one workgroup, apart from its control barriers, and between
	// workgroups.
	unsigned orders_invocations, orders_workgroups;
	unsigned orders_calls; // the same, along chains of shader calls: of memory barriers
	// Its atomics may order invocations of different commands, or its fences make available or
	// visible what commands between which there is order share.
	bool orders_commands;
	// Its updates, whose values are logged, continue release sequences of others, whether or
	// not the shader orders anything itself.
	bool carries_on;
	// It has atomics of a subgroup's scope, or accesses that are coherent in that.
	bool counts_apart;
};

// A name for the shader that stays the same from run to run: its number alone does not.
static inline const char *vkr_shader_title(const struct vkr_shader *shader)
{
	return shader->name == shader->number ? shader->hashed : shader->name;
}

// A graphics pipeline's fixed function, as its GRAPHICS_STATE event says.
struct vkr_graphics {
	uint32_t flags; // enum vkr_trace_graphics_flags
	uint32_t topology, view_mask;
	uint32_t binding_count, attribute_count, blend_count, dynamic_count;
	const struct vkr_trace_vertex_binding *bindings;
	const struct vkr_trace_vertex_attribute *attributes;
	const struct vkr_trace_color_blend *blend;
	const uint32_t *dynamic; // VkDynamicState
};

struct vkr_pipeline {
	uint32_t id, bind_point;
	uint32_t flags; // enum vkr_trace_pipeline_flags
	uint32_t shader_count;
	struct vkr_shader **shaders;
	const struct vkr_graphics *graphics; // NULL: none, or not known
	const char *name;
};

struct vkr_command_buffer {
	uint32_t id, queue_family, level;
	uint32_t recording; // newest
	const char *name;
};

// A range of device addresses that belongs to a buffer.
struct vkr_address {
	uint64_t first, end;
	struct vkr_buffer *buffer;
};

struct vkr_objects {
	struct vkr_arena arena;
	struct vkr_texts *texts; // borrowed
	bool links;              // some shader orders commands
	struct vkr_memory_rules rules;
	bool passed_over; // some shader synchronizes by what the model does not know
	struct vkr_map devices, queues, memories, buffers, views, shaders, pipelines,
		command_buffers, threads, images, image_views, samplers, query_pools, structures,
		video_sessions;             // id -> object; threads: id -> name
	struct vkr_map codes;               // XXH3 of SPIR-V -> its SHADER_CODE
	struct vkr_map structure_addresses; // device address -> acceleration structure
	// Live addresses, by their first address.
	struct {
		struct vkr_address *items;
		size_t count, capacity;
	} addresses;
};

void vkr_objects_init(struct vkr_objects *objects, struct vkr_texts *texts);
void vkr_objects_finish(struct vkr_objects *objects);

// The object of an id, NULL where there is none.
struct vkr_device *vkr_objects_device(const struct vkr_objects *objects, uint32_t id);
struct vkr_queue *vkr_objects_queue(const struct vkr_objects *objects, uint32_t id);
struct vkr_memory *vkr_objects_memory(const struct vkr_objects *objects, uint32_t id);
struct vkr_buffer *vkr_objects_buffer(const struct vkr_objects *objects, uint32_t id);
struct vkr_buffer_view *vkr_objects_view(const struct vkr_objects *objects, uint32_t id);
struct vkr_shader *vkr_objects_shader(const struct vkr_objects *objects, uint32_t id);
// Its original SPIR-V; NULL: the trace does not have it.
const struct vkr_trace_shader_code *vkr_objects_code(const struct vkr_objects *objects,
						     const struct vkr_shader *shader);
struct vkr_pipeline *vkr_objects_pipeline(const struct vkr_objects *objects, uint32_t id);
struct vkr_command_buffer *vkr_objects_command_buffer(const struct vkr_objects *objects,
						      uint32_t id);
const char *vkr_objects_thread(const struct vkr_objects *objects, uint32_t id);

// The buffer whose live address range holds the address, NULL where there is none.
const struct vkr_address *vkr_objects_address(const struct vkr_objects *objects, uint64_t address);

// What the events of these objects say. VKR_ERROR_FORMAT: an id is 0, used before, or unknown.
enum vkr_result vkr_objects_event(struct vkr_objects *objects, const struct vkr_trace_event *event,
				  struct vkr_error *error) VKR_MUST_USE;
