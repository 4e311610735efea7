// SPDX-License-Identifier: Apache-2.0
// Instrumented shaders by content: one entry point with its specialization is rewritten once.
// Knows the instrumenter; not pipelines.
#pragma once

#include "layer.h"
#include "objects.h"

struct vkr_heap_mappings;
struct vkr_site_table;

struct vkr_layer_shader {
	struct vkr_layer_shader *next, *next_of_module;
	uint64_t key_low, key_high;
	uint64_t hash; // of the original words
	bool has_code; // which are in the trace
	uint32_t id;
	uint32_t *words; // instrumented; NULL: the original is used
	size_t word_count;
	uint32_t *rest_words; // that log what its summary wants; NULL: that is nothing
	size_t rest_word_count;
	uint32_t group_invocations; // of a workgroup of an instrumented shader
	// Where it spills, invocations that lack room in their sheet take chunks.
	struct vkr_log_shape log, rest;
	_Atomic uint32_t learned, rest_learned;
	bool left_out;           // the user chose others (observed.h)
	bool only_asked;         // it logs only that its invocations were, where a draw asks
	bool orders;             // it acquires or releases, not just in workgroup barriers
	bool has_silent_atomics; // some that write log no values
	// Its accesses can follow from its summary (vkrace/summary.h), if these words of the push
	// constants are known: a bit for each.
	bool summarized;
	uint64_t pushed;
};

// How a pipeline uses one of its shaders.
struct vkr_shader_use {
	struct vkr_layer_module *module; // NULL where the code came with the pipeline
	const uint32_t *words;
	size_t word_count;
	uint64_t hash; // XXH3 of the words
	const char *entry_point;
	VkShaderStageFlagBits stage;
	const VkSpecializationInfo *specialization; // may be NULL
	const struct vkr_layer_pipeline_layout *layout;
	const struct vkr_heap_mappings *mappings; // for heaps (heap_mappings.h); else NULL
	bool asks;                                // of fragments: draws may ask where they were
	bool asks_samples;                        // and which samples they cover
	bool tells_values; // atomics log their values, for other shaders that order by them
};

// The shader, instrumented where that is possible, recorded where it is new. NULL for lack of
// memory.
struct vkr_layer_shader *vkr_shader_get(struct vkr_layer_device *device,
					const struct vkr_shader_use *use);

// vkSetDebugUtilsObjectNameEXT on a module reaches the shaders made of it.
void vkr_shader_name_module(struct vkr_layer_device *device, struct vkr_layer_module *module,
			    const char *name);

// The module goes; its shaders stay.
void vkr_shader_forget_module(struct vkr_layer_device *device, struct vkr_layer_module *module);

void vkr_shader_cache_finish(struct vkr_layer_device *device);
