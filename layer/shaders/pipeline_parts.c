// SPDX-License-Identifier: Apache-2.0
// What pipelines are put together of. Knows shader stages; not the rest of a pipeline's state.
#include "pipeline_parts.h"

#include "chain_copy.h"
#include "heap_mappings.h"
#include "logging_pipeline.h"
#include "pipeline_flags.h"
#include "record.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static struct vkr_layer_shader *shader_of_stage(struct vkr_layer_device *device,
						const VkPipelineShaderStageCreateInfo *stage,
						const struct vkr_pipeline_parts *parts,
						const struct vkr_heap_mappings *mappings)
{
	const bool fragments = stage->stage == VK_SHADER_STAGE_FRAGMENT_BIT;
	struct vkr_shader_use use = {
		.entry_point = stage->pName,
		.stage = stage->stage,
		.specialization = stage->pSpecializationInfo,
		.layout = parts->layout,
		.mappings = mappings,
		.asks = fragments && parts->asks,
		.asks_samples = fragments && parts->asks_samples,
		.tells_values = parts->tells_values,
	};
	const VkShaderModuleCreateInfo *code =
		vkr_chain_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
	use.module = vkr_handles_get(&device->objects.modules, VKR_KEY(stage->module));
	if (use.module) {
		use.words = use.module->words;
		use.word_count = use.module->word_count;
		use.hash = use.module->hash;
	} else if (code && !stage->module) {
		use.words = code->pCode;
		use.word_count = code->codeSize / sizeof *code->pCode;
		use.hash = XXH3_64bits(code->pCode, code->codeSize);
	} else {
		return NULL; // its code is named by a module identifier
	}
	return vkr_shader_get(device, &use);
}

bool vkr_parts_init(struct vkr_pipeline_parts *parts, struct vkr_arena *arena, uint32_t stages)
{
	parts->stages = vkr_arena_alloc(arena, (stages + (size_t)1) * sizeof *parts->stages);
	return parts->stages != NULL;
}

static VkShaderModule make_module(const struct vkr_layer_device *device, const uint32_t *words,
				  size_t word_count)
{
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = word_count * sizeof *words,
		.pCode = words,
	};
	VkShaderModule module = VK_NULL_HANDLE;
	const VkResult result =
		device->next.CreateShaderModule(device->handle, &info, NULL, &module);
	return result == VK_SUCCESS ? module : VK_NULL_HANDLE;
}

bool vkr_parts_rest(const struct vkr_layer_device *device, struct vkr_stage_part *part,
		    VkPipelineShaderStageCreateInfo *stage)
{
	part->rest_module =
		make_module(device, part->shader->rest_words, part->shader->rest_word_count);
	if (part->rest_module)
		stage->module = part->rest_module;
	return part->rest_module != VK_NULL_HANDLE;
}

// A driver may remember the code of a shader module from an earlier run and make the pipeline from
// it, which the layer cannot see. Any identifier is allowed, and the program must accept that no
// pipeline can be made from one ("VkPipelineShaderStageModuleIdentifierCreateInfoEXT"): so the
// driver gets an identifier that it does not know. False if the stage stays as it is.
static bool pipeline_parts_disguise(const struct vkr_layer_device *device, struct vkr_arena *arena,
				    VkPipelineShaderStageCreateInfo *stage)
{
	const VkStructureType type =
		VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT;
	const VkPipelineShaderStageModuleIdentifierCreateInfoEXT *given =
		vkr_chain_find(stage->pNext, type);
	if (!device->logging || !given || !given->identifierSize)
		return false;
	VkPipelineShaderStageModuleIdentifierCreateInfoEXT *copy =
		vkr_arena_alloc(arena, sizeof *copy);
	uint8_t *other = vkr_arena_alloc(arena, given->identifierSize);
	const void *chain = stage->pNext;
	if (!copy || !other)
		return false;
	*copy = *given;
	copy->pIdentifier = other;
	for (uint32_t i = 0; i < given->identifierSize; i++) {
		const uint64_t hash =
			XXH3_64bits_withSeed(given->pIdentifier, given->identifierSize, i);
		other[i] = (uint8_t)hash;
	}
	if (!vkr_chain_replace(arena, &chain, type, (VkBaseOutStructure *)copy))
		return false;
	stage->pNext = chain;
	return true;
}

// Puts the instrumented module of the part's shader in a stage. False where it stays as it is.
static bool replace_module(struct vkr_layer_device *device, struct vkr_arena *arena,
			   struct vkr_stage_part *part, VkPipelineShaderStageCreateInfo *stage)
{
	if (!part->shader)
		return pipeline_parts_disguise(device, arena, stage);
	if (!part->shader->words)
		return false;
	const void *chain = stage->pNext;
	if (!vkr_chain_replace(arena, &chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL) ||
	    (part->mappings && !vkr_mappings_extend(arena, part->mappings, stage->stage,
						    device->push_room.offset, &chain))) {
		vkr_record_no_memory("a pipeline stage");
		return false;
	}
	part->module = make_module(device, part->shader->words, part->shader->word_count);
	if (!part->module) {
		vkr_record_coverage(VKR_COVERAGE_SHADER, part->shader->id, 0,
				    "entry point %s is not observed: the driver refused the "
				    "instrumented module",
				    stage->pName);
		return false;
	}
	stage->module = part->module;
	stage->pNext = chain;
	part->logs = true;
	return true;
}

// Relaxed atomics of one stage may continue what another one has released ("Release Sequence"): by
// their values that is seen. Where no stage orders, values would be logged for nothing.
static void read_values(struct vkr_layer_device *device, struct vkr_pipeline_parts *parts,
			const VkPipelineShaderStageCreateInfo *stages)
{
	for (uint32_t i = 0; i < parts->stage_count; i++)
		parts->tells_values |= parts->stages[i].shader && parts->stages[i].shader->orders;
	for (uint32_t i = 0; i < parts->stage_count && parts->tells_values; i++) {
		struct vkr_stage_part *part = &parts->stages[i];
		if (part->shader && part->shader->has_silent_atomics)
			part->shader = shader_of_stage(device, &stages[i], parts, part->mappings);
	}
}

void vkr_parts_robustness(struct vkr_pipeline_parts *parts, const void *chain)
{
#ifdef VK_EXT_pipeline_robustness
	const VkPipelineRobustnessCreateInfoEXT *own =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
	parts->less_robust |=
		own &&
		own->storageBuffers != VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT &&
		own->storageBuffers !=
			VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
#else
	(void)parts;
	(void)chain;
#endif
}

bool vkr_parts_stages(struct vkr_layer_device *device, struct vkr_arena *arena,
		      struct vkr_pipeline_parts *parts, VkPipelineShaderStageCreateInfo *stages,
		      uint32_t count)
{
	const bool has_heaps = parts->layout && parts->layout->way == VKR_BLOCK_HEAP;
	bool any = false;
	parts->stage_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_stage_part *part = &parts->stages[i];
		*part = (struct vkr_stage_part){
			.entry_point = stages[i].pName,
			.stage = stages[i].stage,
			.mappings = has_heaps ? vkr_mappings_read(arena, stages[i].pNext) : NULL,
		};
		part->shader = shader_of_stage(device, &stages[i], parts, part->mappings);
		vkr_parts_robustness(parts, stages[i].pNext);
	}
	read_values(device, parts, stages);
	for (uint32_t i = 0; i < count; i++)
		any |= replace_module(device, arena, &parts->stages[i], &stages[i]);
	return any;
}

bool vkr_parts_libraries(struct vkr_layer_device *device, struct vkr_arena *arena,
			 const VkPipelineLibraryCreateInfoKHR *libraries,
			 struct vkr_pipeline_parts *parts)
{
	if (!libraries || !libraries->libraryCount)
		return true;
	parts->libraries =
		vkr_arena_alloc(arena, libraries->libraryCount * sizeof *parts->libraries);
	if (!parts->libraries)
		return false;
	parts->library_count = libraries->libraryCount;
	for (uint32_t i = 0; i < parts->library_count; i++)
		parts->libraries[i] = vkr_handles_get(&device->objects.pipelines,
						      VKR_KEY(libraries->pLibraries[i]));
	return true;
}

bool vkr_parts_are_linked(const struct vkr_pipeline_parts *parts, const void *chain,
			  VkPipelineCreateFlags flags)
{
	return parts->library_count > 0 ||
	       vkr_pipeline_flags(chain, flags) & VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
}

static uint32_t add_words(uint32_t sum, uint32_t words)
{
	return sum > UINT32_MAX - words ? UINT32_MAX : sum + words;
}

// Several stages of a ray tracing pipeline may be one shader.
static void add_shader(struct vkr_layer_pipeline *pipeline, uint32_t shader)
{
	for (uint32_t i = 0; i < pipeline->shader_count; i++)
		if (pipeline->shaders[i] == shader)
			return;
	pipeline->shaders[pipeline->shader_count++] = shader;
}

static void add_draw_words(struct vkr_layer_pipeline *pipeline, const struct vkr_stage_part *part,
			   uint32_t words)
{
	const bool fragments = part->stage == VK_SHADER_STAGE_FRAGMENT_BIT;
	uint32_t *sum = fragments ? &pipeline->fragment_words : &pipeline->vertex_words;
	const uint32_t slot = vkr_draw_marks_slot(part->stage);
	if (slot < VKR_DRAW_STAGES)
		pipeline->marks[slot] = part->shader->log.marks;
	if (part->shader->only_asked)
		sum = fragments ? &pipeline->asked_fragment_words : &pipeline->asked_words;
	*sum = add_words(*sum, words);
}

static void add_stage(struct vkr_layer_pipeline *pipeline, const struct vkr_stage_part *part)
{
	if (!part->shader)
		return;
	add_shader(pipeline, part->shader->id);
	pipeline->left_out = pipeline->left_out && part->shader->left_out;
	if (!part->logs)
		return;
	uint32_t words = part->shader->log.words ? part->shader->log.words : UINT32_MAX;
	if (part->shader->log.only_marked)
		words = 0;
	pipeline->logs = true;
	pipeline->group_invocations = part->shader->group_invocations;
	pipeline->log = part->shader->log;
	pipeline->rest = part->shader->rest;
	pipeline->pushed = part->shader->pushed;
	// Draws of meshes count workgroups, not vertices.
	if (words != UINT32_MAX &&
	    part->stage & (VK_SHADER_STAGE_TASK_BIT_NV | VK_SHADER_STAGE_MESH_BIT_NV))
		words = words > UINT32_MAX / part->shader->group_invocations
				? UINT32_MAX
				: words * part->shader->group_invocations;
	if (part->stage & VKR_RAY_TRACING_STAGES)
		pipeline->launch_words = add_words(pipeline->launch_words, words);
	else
		add_draw_words(pipeline, part, words);
}

static void add_library(struct vkr_layer_pipeline *pipeline,
			const struct vkr_layer_pipeline *library)
{
	for (uint32_t i = 0; i < library->shader_count; i++)
		add_shader(pipeline, library->shaders[i]);
	pipeline->less_robust |= library->less_robust;
	pipeline->left_out = pipeline->left_out && library->left_out;
	if (!library->logs)
		return;
	pipeline->logs = true;
	pipeline->vertex_words = add_words(pipeline->vertex_words, library->vertex_words);
	pipeline->fragment_words = add_words(pipeline->fragment_words, library->fragment_words);
	pipeline->asked_words = add_words(pipeline->asked_words, library->asked_words);
	pipeline->asked_fragment_words =
		add_words(pipeline->asked_fragment_words, library->asked_fragment_words);
	pipeline->launch_words = add_words(pipeline->launch_words, library->launch_words);
	for (uint32_t slot = 0; slot < VKR_DRAW_STAGES; slot++)
		if (library->marks[slot])
			pipeline->marks[slot] = library->marks[slot];
}

// The layout that a logging pipeline's block is reached by.
static struct vkr_layer_pipeline_layout *block_layout(const struct vkr_pipeline_parts *parts)
{
	struct vkr_layer_pipeline_layout *layout = parts->layout;
	for (uint32_t i = 0; i < parts->library_count && !layout; i++)
		if (parts->libraries[i])
			layout = parts->libraries[i]->layout;
	return layout;
}

static struct vkr_layer_pipeline *create_pipeline(const struct vkr_pipeline_parts *parts)
{
	size_t shaders = parts->stage_count;
	for (uint32_t i = 0; i < parts->library_count; i++)
		shaders += parts->libraries[i] ? parts->libraries[i]->shader_count : 0;
	struct vkr_layer_pipeline *made = calloc(1, sizeof *made);
	if (!made)
		return NULL;
	made->left_out = true; // until one of its shaders is not
	made->shaders = calloc(shaders + 1, sizeof *made->shaders);
	if (!made->shaders) {
		free(made);
		return NULL;
	}
	made->less_robust = parts->less_robust;
	for (uint32_t i = 0; i < parts->stage_count; i++)
		add_stage(made, &parts->stages[i]);
	for (uint32_t i = 0; i < parts->library_count; i++)
		if (parts->libraries[i])
			add_library(made, parts->libraries[i]);
	if (made->logs) {
		made->layout = block_layout(parts);
		atomic_fetch_add(&made->layout->references, 1);
	}
	return made;
}

static void release_pipeline(struct vkr_layer_pipeline *pipeline)
{
	vkr_logging_pipeline_destroy(pipeline->logging);
	vkr_pipeline_layout_release(pipeline->layout);
	free(pipeline->shaders);
	free(pipeline->library_state);
	free(pipeline->binary);
	free(pipeline);
}

struct vkr_layer_pipeline *vkr_parts_make(struct vkr_layer_device *device,
					  VkPipelineBindPoint point,
					  const struct vkr_pipeline_parts *parts)
{
	struct vkr_layer_pipeline *made = create_pipeline(parts);
	if (!made) {
		vkr_record_no_memory("a pipeline");
		return NULL;
	}
	made->id = vkr_record_id(VKR_OBJECT_PIPELINE);
	struct vkr_trace_pipeline payload = {
		.pipeline = made->id,
		.device = device->id,
		.bind_point = (uint32_t)point,
		.layout = parts->layout ? parts->layout->id : 0,
		.shader_count = made->shader_count,
		.flags = made->less_robust ? VKR_PIPELINE_LESS_ROBUST : 0u,
	};
	vkr_record_event(VKR_TRACE_PIPELINE, &payload, sizeof payload, made->shaders,
			 payload.shader_count * sizeof *made->shaders);
	return made;
}

void vkr_parts_forget(struct vkr_layer_pipeline *pipeline)
{
	struct vkr_trace_pipeline_destroy payload = {.pipeline = pipeline->id};
	vkr_record_event(VKR_TRACE_PIPELINE_DESTROY, &payload, sizeof payload, NULL, 0);
	release_pipeline(pipeline);
}

struct vkr_layer_pipeline *vkr_parts_know(struct vkr_layer_device *device, VkPipeline handle,
					  VkPipelineBindPoint point,
					  const struct vkr_pipeline_parts *parts)
{
	struct vkr_layer_pipeline *kept = vkr_parts_make(device, point, parts);
	for (uint32_t i = 0; i < parts->stage_count; i++)
		if (!parts->stages[i].shader)
			vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
					    "entry point %s is not observed: its code was named by "
					    "a module identifier",
					    parts->stages[i].entry_point);
	if (kept)
		kept->handle = handle;
	if (kept && !vkr_handles_put(&device->objects.pipelines, VKR_KEY(handle), kept)) {
		release_pipeline(kept);
		vkr_record_no_memory("a pipeline");
		return NULL;
	}
	return kept;
}
