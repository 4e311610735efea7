// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of shader modules, pipelines and their layouts.
// Knows no hook and no event.
#pragma once

#include "layer.h"

#include "vkrace/gpu_log.h"

// How shaders of a pipeline layout find their block (vkrace/gpu_log.h).
enum vkr_block_way {
	VKR_BLOCK_NONE, // not at all: nothing can be logged
	VKR_BLOCK_PUSH, // in push constants, as vkr_block_push says
	VKR_BLOCK_SET,  // in the uniform buffer of descriptor set block_set
	VKR_BLOCK_HEAP, // in push data at the same offset of all: shaders that use descriptor heaps
};

// Where the block of some stages is in push constants, and which stages a push there must name.
struct vkr_block_push {
	uint32_t offset;
	VkShaderStageFlags stages;
};

// As many ranges as there are stages.
#define VKR_PUSH_STARTS 32u

struct vkr_layer_pipeline_layout {
	uint32_t id;
	_Atomic uint32_t references; // the program's handle, and pipelines made with it
	struct vkr_layer_device *device;
	// The layer's own copy of the layout: the program may destroy its layout once pipelines are
	// made (maintenance4).
	VkPipelineLayout own;
	enum vkr_block_way way;
	// Compute shaders have a range of their own where there is room: a driver may consider
	// graphics state changed when its stages are pushed to (Mesa 22.3 crashes at
	// vkCmdBeginQuery if no graphics pipeline is bound by then).
	struct vkr_block_push compute, others;
	uint32_t block_set;
	// Where the block is in push constants: each stage that may log has a range that reaches
	// to its block's end. Where these ranges start, ascending.
	struct vkr_push_start {
		uint32_t offset;
		VkShaderStageFlags stages; // of the ranges that start here or before
	} starts[VKR_PUSH_STARTS];
	uint32_t start_count;
	struct vkr_descriptor_shape **shapes; // one for each of its sets, NULL for a set without
					      // one; NULL: no sets
	uint32_t shape_count;
};

struct vkr_layer_module {
	uint64_t hash; // XXH3 of the words
	size_t word_count;
	char *name;                       // debug name, or NULL; under the device's shader_lock
	struct vkr_layer_shader *shaders; // made of it, by next_of_module; under shader_lock
	uint32_t words[];
};

// How much an invocation of a compute shader logs.
struct vkr_log_shape {
	uint32_t words;               // at most; 0: unknown
	_Atomic uint32_t *learned;    // of the shader, see struct vkr_column_log
	uint32_t least, record, tail; // pairs, see struct vkr_column_log
	bool spills;                  // see struct vkr_layer_shader
	bool streams;                 // see struct vkr_column_log
	uint32_t marks;               // see struct vkr_gpu_block
	uint32_t uniforms;            // words that one invocation tells for all (likewise)
	bool only_marked;             // of draws: invocations log nothing of their own
};

struct vkr_layer_pipeline {
	uint32_t id;
	VkPipeline handle; // as the program binds it
	bool logs;         // one of its shaders is instrumented
	bool left_out;     // the user chose none of its shaders: its commands log nothing
	bool less_robust;  // VKR_PIPELINE_LESS_ROBUST
	uint32_t group_invocations;
	struct vkr_log_shape log;
	// Of graphics pipelines: of a vertex, all stages before rasterization together, and of a
	// fragment; UINT32_MAX: unknown.
	uint32_t vertex_words, fragment_words;
	uint32_t asked_words, asked_fragment_words; // the same, where the draw asks for them
	uint32_t marks[VKR_DRAW_STAGES];            // of each stage of draws (struct vkr_gpu_block)
	uint32_t launch_words; // of a ray tracing pipeline: of each of its shaders once, as above
	struct vkr_layer_pipeline_layout *layout; // of a logging pipeline
	// A compute pipeline whose dispatches have a summary (vkrace/summary.h) is made as the
	// program asked, or so that it logs what the summary wants. This one beside it logs
	// everything; else NULL.
	struct vkr_logging_pipeline *logging;
	uint64_t pushed;           // as in struct vkr_layer_shader
	struct vkr_log_shape rest; // beside `logging`; record 0: the pipeline logs nothing
	uint32_t *shaders;         // ids, of libraries that others are linked of
	uint32_t shader_count;
	struct vkr_graphics_state *library_state; // of a library (graphics_state.h); else NULL
	// Of a shader object made of SPIR-V, or a pipeline that binaries may be made of; else NULL.
	struct vkr_shader_binary *binary;
};

struct vkr_arena;

// The layout that *info describes, changed so that there is room for the block's address where that
// is possible, with a handle of the layer's own. NULL for lack of memory.
struct vkr_layer_pipeline_layout *vkr_pipeline_layout_extend(struct vkr_layer_device *device,
							     struct vkr_arena *arena,
							     VkPipelineLayoutCreateInfo *info);
void vkr_pipeline_layout_release(struct vkr_layer_pipeline_layout *layout);
