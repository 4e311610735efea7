// SPDX-License-Identifier: Apache-2.0
// Rewriting shaders once for each content, entry point and specialization.
// Knows the instrumenter; not pipelines.
#include "shader_cache.h"

#include "device_features.h"
#include "error.h"
#include "fragment_facts.h"
#include "heap_mappings.h"
#include "instrument.h"
#include "log_memory.h"
#include "observed.h"
#include "record.h"
#include "settings.h"
#include "shader_code.h"
#include "shader_dump.h"
#include "shader_features.h"
#include "site_summary.h"
#include "site_table.h"
#include "spirv_newer.h"
#include "vertex_inputs.h"

#define XXH_STATIC_LINKING_ONLY // the state stands on the stack
#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t block_offset(const struct vkr_shader_use *use)
{
	if (!use->layout)
		return 0;
	return use->stage == VK_SHADER_STAGE_COMPUTE_BIT ? use->layout->compute.offset
							 : use->layout->others.offset;
}

static void add_mappings(XXH3_state_t *state, struct vkr_layer_device *device,
			 const struct vkr_heap_mappings *mappings)
{
	XXH3_128bits_update(state, &mappings->heap_set, sizeof mappings->heap_set);
	for (size_t i = 0; i < mappings->count; i++)
		XXH3_128bits_update(state, &mappings->items[i], sizeof mappings->items[i]);
	for (size_t i = 0; i < mappings->sampler_count; i++) {
		const struct vkr_trace_sampler sampler =
			vkr_sampler_describe(device, mappings->samplers[i].info);
		XXH3_128bits_update(state, &sampler, sizeof sampler);
	}
}

static XXH128_hash_t key_of(struct vkr_layer_device *device, const struct vkr_shader_use *use)
{
	XXH3_state_t state;
	XXH3_128bits_reset(&state);
	XXH3_128bits_update(&state, &use->hash, sizeof use->hash);
	XXH3_128bits_update(&state, &use->stage, sizeof use->stage);
	XXH3_128bits_update(&state, use->entry_point, strlen(use->entry_point) + 1);
	uint32_t where[4] = {use->layout ? (uint32_t)use->layout->way : VKR_BLOCK_NONE,
			     block_offset(use), use->layout ? use->layout->block_set : 0,
			     use->asks + 2u * use->asks_samples + 4u * use->tells_values};
	XXH3_128bits_update(&state, where, sizeof where);
	if (use->mappings)
		add_mappings(&state, device, use->mappings);
	const VkSpecializationInfo *special = use->specialization;
	for (uint32_t i = 0; special && i < special->mapEntryCount; i++) {
		const VkSpecializationMapEntry *entry = &special->pMapEntries[i];
		XXH3_128bits_update(&state, &entry->constantID, sizeof entry->constantID);
		XXH3_128bits_update(&state, &entry->size, sizeof entry->size);
		XXH3_128bits_update(&state, (const char *)special->pData + entry->offset,
				    entry->size);
	}
	return XXH3_128bits_digest(&state);
}

// Under shader_lock.
static struct vkr_layer_shader *find_shader(const struct vkr_layer_device *device,
					    XXH128_hash_t key)
{
	struct vkr_layer_shader *at = device->shaders;
	while (at && (at->key_low != key.low64 || at->key_high != key.high64))
		at = at->next;
	return at;
}

// Under shader_lock.
static bool is_code_recorded(const struct vkr_layer_device *device, uint64_t hash)
{
	const struct vkr_layer_shader *at = device->shaders;
	while (at && !(at->has_code && at->hash == hash))
		at = at->next;
	return at;
}

// Under shader_lock.
static bool is_first_of_module(const struct vkr_layer_device *device, uint64_t hash)
{
	const struct vkr_layer_shader *at = device->shaders;
	while (at && at->hash != hash)
		at = at->next;
	return !at;
}

static struct vkr_specialization *shader_cache_specializations(const VkSpecializationInfo *special)
{
	struct vkr_specialization *list = calloc(special->mapEntryCount + 1, sizeof *list);
	for (uint32_t i = 0; list && i < special->mapEntryCount; i++) {
		const VkSpecializationMapEntry *entry = &special->pMapEntries[i];
		list[i].id = entry->constantID;
		list[i].bytes = entry->size <= 8 ? (uint32_t)entry->size : 8;
		memcpy(&list[i].value, (const char *)special->pData + entry->offset, list[i].bytes);
	}
	return list;
}

// Why the shader is to be left as it is; NULL: no reason.
static const char *find_obstacle(const struct vkr_layer_device *device,
				 const struct vkr_shader_use *use)
{
	if (!device->logging)
		return "shaders are not observed on this device";
	if (!(device->logged_stages & (VkShaderStageFlags)use->stage))
		return "shaders of this stage are not modelled, or the device lets them store "
		       "nothing, so that they cannot log";
	if (!use->layout)
		return "generated commands may bind its pipeline, or its layout is not known";
	if (use->layout->way == VKR_BLOCK_NONE)
		return "the pipeline layout leaves neither 16 bytes of push constants nor a "
		       "descriptor set";
	if (use->layout->way == VKR_BLOCK_HEAP && !use->mappings)
		return "its mappings name every descriptor set, so that none is left";
	return NULL;
}

// Whether vertex invocations must log: an indexed draw does not say which vertices it fetches.
static bool shader_cache_asks(const struct vkr_shader_use *use)
{
	struct vkr_trace_shader_input *inputs;
	uint32_t count;
	if (use->stage != VK_SHADER_STAGE_VERTEX_BIT)
		return use->asks;
	if (!vkr_vertex_inputs(use->words, use->word_count, use->entry_point, &inputs, &count))
		return true;
	free(inputs);
	return count > 0;
}

static enum vkr_result shader_cache_instrument(const struct vkr_layer_device *device,
					       const struct vkr_shader_use *use, XXH128_hash_t key,
					       struct vkr_instrumented *out,
					       struct vkr_error *error)
{
	VkSpecializationInfo none = {0};
	const VkSpecializationInfo *special = use->specialization ? use->specialization : &none;
	struct vkr_specialization *list = shader_cache_specializations(special);
	if (!list)
		return vkr_error_memory(error, "specialization constants");
	const bool of_cpu = device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	struct vkr_instrument_options options = {
		.entry_point = use->entry_point,
		.stage = use->stage,
		.specializations = list,
		.specialization_count = special->mapEntryCount,
		.push_constant_offset = block_offset(use),
		.block_set = use->layout && use->layout->way == VKR_BLOCK_SET
				     ? use->layout->block_set
				     : VKR_INSTRUMENT_NO_SET,
		.has_heaps = use->mappings != NULL,
		.heap_set = use->mappings ? use->mappings->heap_set : 0,
		.mappings = use->mappings ? use->mappings->items : NULL,
		.mapping_count = use->mappings ? use->mappings->count : 0,
		.lacks_pushed = !device->push_room.can_copy,
		.environment = vkr_instrument_environment(device->version),
		.log_base = vkr_log_base(device),
		.near_blocks = vkr_log_near_blocks(device),
		// Drivers of CPUs run both sides of every branch: loops would take half as long
		// again.
		.spills = vkr_setting_flag(VKR_SETTING_SPILL, !of_cpu),
		.exchanges = !of_cpu,
		.asks = shader_cache_asks(use),
		.shares = device->fragments_share,
		.asks_samples = use->asks_samples,
		.tells_values = use->tells_values,
	};
	// By its content, as the rewritten module is to be.
	if (use->stage & VKR_RAY_TRACING_STAGES)
		options.tag = (uint32_t)key.low64 ? (uint32_t)key.low64 : 1;
	static atomic_flag told = ATOMIC_FLAG_INIT;
	if (!vkr_instrument_reductions(vkr_setting_text(VKR_SETTING_REDUCE), &options.without)) {
		vkr_setting_wrong(&told, VKR_SETTING_REDUCE, "no such reduction: all are off");
		options.without = UINT32_MAX;
	}
	const char *obstacle = find_obstacle(device, use);
	enum vkr_result result =
		obstacle ? vkr_error_set(error, VKR_ERROR_UNSUPPORTED, "%s", obstacle)
			 : vkr_instrument(use->words, use->word_count, &options, out, error);
	vkr_shader_dump(use, key.low64, &options, result == VKR_OK ? out : NULL);
	free(list);
	return result;
}

static void record_inputs(const struct vkr_layer_shader *shader, const struct vkr_shader_use *use)
{
	struct vkr_trace_shader_inputs payload = {.shader = shader->id};
	struct vkr_trace_shader_input *inputs;
	if (!vkr_vertex_inputs(use->words, use->word_count, use->entry_point, &inputs,
			       &payload.input_count))
		return;
	vkr_record_event(VKR_TRACE_SHADER_INPUTS, &payload, sizeof payload, inputs,
			 payload.input_count * sizeof *inputs);
	free(inputs);
}

static void record_captures(const struct vkr_layer_shader *shader, const struct vkr_shader_use *use)
{
	struct vkr_trace_shader_feedback payload = {.shader = shader->id};
	struct vkr_trace_capture *captures;
	if (!vkr_vertex_captures(use->words, use->word_count, use->entry_point, use->stage,
				 &captures, &payload.capture_count))
		return;
	if (payload.capture_count > 0)
		vkr_record_event(VKR_TRACE_SHADER_FEEDBACK, &payload, sizeof payload, captures,
				 payload.capture_count * sizeof *captures);
	free(captures);
}

// Extensions that are not modelled, by the capabilities that use them.
static void check_capabilities(const struct vkr_layer_device *device,
			       const struct vkr_shader_use *use)
{
	static const struct {
		uint32_t capability;
		const char *extension;
	} uses[] = {
		{VKR_CAPABILITY_COOPERATIVE_MATRIX_CONVERSION,
		 "VK_QCOM_cooperative_matrix_conversion"},
		{SpvCapabilityInt64ImageEXT, VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME},
		{SpvCapabilityMeshShadingNV, VK_NV_MESH_SHADER_EXTENSION_NAME},
	};
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
		if (vkr_shader_declares(use->words, use->word_count, uses[i].capability))
			vkr_extension_used(device->id, uses[i].extension);
}

static void record_samplers(struct vkr_layer_device *device, const struct vkr_layer_shader *shader,
			    const struct vkr_heap_mappings *mappings)
{
	struct vkr_trace_shader_samplers payload = {.shader = shader->id};
	const size_t count = mappings ? mappings->sampler_count : 0;
	struct vkr_trace_shader_sampler *items = calloc(count + 1, sizeof *items);
	if (!items) {
		vkr_record_no_memory("a shader's samplers");
		return;
	}
	for (; payload.sampler_count < count; payload.sampler_count++) {
		const struct vkr_embedded_sampler *sampler =
			&mappings->samplers[payload.sampler_count];
		items[payload.sampler_count] = (struct vkr_trace_shader_sampler){
			.set = sampler->set,
			.binding = sampler->binding,
			.sampler = vkr_sampler_record(device, sampler->info),
		};
	}
	if (count)
		vkr_record_event(VKR_TRACE_SHADER_SAMPLERS, &payload, sizeof payload, items,
				 count * sizeof *items);
	free(items);
}

// `made` is what instrumentation yielded where error->result is VKR_OK.
static void record_shader(const struct vkr_layer_shader *shader, const struct vkr_shader_use *use,
			  const struct vkr_instrumented *made, const struct vkr_error *error)
{
	const struct vkr_site_table *sites = error->result == VKR_OK ? made->sites : NULL;
	struct vkr_trace_shader payload = {
		.shader = shader->id,
		.sites_bytes = sites ? sites->bytes : 0,
		.content_hash = use->hash,
		.stage = use->stage,
		.flags = (error->result == VKR_OK ? VKR_SHADER_INSTRUMENTED : 0u) |
			 vkr_shader_features(use->words, use->word_count, use->stage),
	};
	vkr_record_event(VKR_TRACE_SHADER, &payload, sizeof payload, sites, payload.sites_bytes);
	if (use->stage == VK_SHADER_STAGE_VERTEX_BIT)
		record_inputs(shader, use);
	if (use->stage & (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_GEOMETRY_BIT |
			  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT))
		record_captures(shader, use);
	if (error->result != VKR_OK)
		vkr_record_coverage(VKR_COVERAGE_SHADER, shader->id, 0,
				    "entry point %s is not observed: %s", use->entry_point,
				    error->message);
	for (size_t i = 0; error->result == VKR_OK && i < made->broken_count; i++)
		vkr_record_coverage(VKR_COVERAGE_SHADER, shader->id, 0,
				    "entry point %s breaks a rule of SPIR-V, so that only its "
				    "driver knows what it does (it is observed as it is written): "
				    "%s",
				    use->entry_point, made->broken[i]);
	for (size_t i = 0; error->result == VKR_OK && i < made->unobserved_count; i++)
		vkr_record_coverage(VKR_COVERAGE_SHADER, shader->id, 0,
				    "accesses of a shader are not observed: %s",
				    made->unobserved[i]);
}

static struct vkr_log_shape shape_of(const struct vkr_instrumented_log *log,
				     _Atomic uint32_t *learned)
{
	return (struct vkr_log_shape){
		.words = log->words_most,
		.learned = learned,
		.least = (log->spills ? log->room_most : log->room_first) / 2,
		.record = log->record_most / 2,
		.tail = log->room_most / 2 + log->record_most / 2,
		.spills = log->spills,
		.streams = log->streams,
		.marks = log->marks,
		.only_marked = log->only_marked,
	};
}

// Whether others than its own workgroup can be ordered by it, if only together with their atomics.
static bool reaches_others(const struct vkr_site *site)
{
	const bool confined = site->scope == VKR_SCOPE_WORKGROUP ||
			      site->scope == VKR_SCOPE_SUBGROUP ||
			      site->scope == VKR_SCOPE_INVOCATION;
	return site->order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE) &&
	       !(site->operation == VKR_SITE_CONTROL_BARRIER && confined);
}

// Finds whether its accesses may be ordered with those of other shaders that run with it.
static void find_order(struct vkr_layer_shader *shader, const struct vkr_site_table *table)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	for (uint32_t i = 0; i < table->site_count; i++) {
		shader->orders |= reaches_others(&sites[i]);
		shader->has_silent_atomics |= (sites[i].operation == VKR_SITE_ATOMIC_STORE ||
					       sites[i].operation == VKR_SITE_ATOMIC_RMW) &&
					      !(sites[i].flags & VKR_SITE_VALUES);
	}
}

// Whether it writes to memory, as far as is known.
static bool may_store(const struct vkr_instrumented *made, const struct vkr_error *error)
{
	if (error->result != VKR_OK || made->unobserved_count > 0)
		return true;
	for (uint32_t i = 0; i < made->sites->site_count; i++)
		if (vkr_site_table_sites(made->sites)[i].operation != VKR_SITE_LOAD)
			return true;
	return false;
}

// Takes over the words of `made`.
static void shader_cache_adopt(struct vkr_layer_shader *shader, struct vkr_instrumented *made)
{
	if (!made->changed)
		return;
	shader->words = made->words;
	shader->word_count = made->word_count;
	made->words = NULL;
	find_order(shader, made->sites);
	const uint32_t *size = made->sites->workgroup_size;
	shader->group_invocations = size[0] * size[1] * size[2];
	shader->only_asked = made->only_asked;
	shader->log = shape_of(&made->log, &shader->learned);
	shader->rest_words = made->rest_words;
	shader->rest_word_count = made->rest_word_count;
	made->rest_words = NULL;
	shader->rest = shape_of(&made->rest, &shader->rest_learned);
	shader->summarized = made->sites->summary_count > 0;
	const struct vkr_summary_operation *operations = vkr_site_table_summary(made->sites);
	for (uint32_t i = 0; i < made->sites->summary_count; i++)
		if (operations[i].code == VKR_SUMMARY_PUSHED)
			shader->pushed |= UINT64_C(1) << operations[i].a / 4;
	shader->rest.uniforms = vkr_site_summary_uniforms(made->sites);
}

// Under shader_lock.
static void link_module(struct vkr_layer_shader *shader, struct vkr_layer_module *module)
{
	for (struct vkr_layer_shader *at = module->shaders; at; at = at->next_of_module)
		if (at == shader)
			return;
	// A shader whose content stands in several modules keeps the first one's name.
	if (shader->next_of_module)
		return;
	shader->next_of_module = module->shaders;
	module->shaders = shader;
}

// By the names that the model knows it by, as far as they are known.
static bool is_left_out(const struct vkr_shader_use *use, const struct vkr_site_table *sites)
{
	const struct vkr_choice_shader shader = {
		.name = use->module ? use->module->name : NULL,
		.entry_point = use->entry_point,
		.source_file = sites ? vkr_site_table_string(sites, sites->source_file) : NULL,
		.hash = use->hash};
	return !vkr_observed_shader(&shader);
}

struct vkr_layer_shader *vkr_shader_get(struct vkr_layer_device *device,
					const struct vkr_shader_use *use)
{
	XXH128_hash_t key = key_of(device, use);
	pthread_mutex_lock(&device->shader_lock);
	struct vkr_layer_shader *shader = find_shader(device, key);
	pthread_mutex_unlock(&device->shader_lock);
	if (shader)
		return shader;

	bool first = false;
	struct vkr_layer_shader *made = calloc(1, sizeof *made);
	if (!made) {
		vkr_record_no_memory("a shader: it is not observed");
		return NULL;
	}
	struct vkr_error error = {.result = VKR_OK};
	struct vkr_instrumented out = {0};
	error.result = shader_cache_instrument(device, use, key, &out, &error);
	if (error.result == VKR_OK && out.reads_pushed)
		atomic_store_explicit(&device->push_room.copies, true, memory_order_relaxed);
	if (use->stage == VK_SHADER_STAGE_FRAGMENT_BIT && may_store(&out, &error))
		vkr_fragments_note(device, VKR_FRAGMENTS_STORE);
	if (error.result == VKR_OK) {
		shader_cache_adopt(made, &out);
		made->left_out = is_left_out(use, out.sites);
	}
	made->key_low = key.low64;
	made->key_high = key.high64;
	made->hash = use->hash;

	pthread_mutex_lock(&device->shader_lock);
	shader = find_shader(device, key);
	if (!shader) {
		first = is_first_of_module(device, use->hash);
		made->has_code = error.result == VKR_OK && out.sites &&
				 vkr_shader_lacks_lines(out.sites) &&
				 !is_code_recorded(device, use->hash);
		made->id = vkr_record_id(VKR_OBJECT_SHADER);
		made->next = device->shaders;
		device->shaders = made;
		shader = made;
	}
	char *name = NULL;
	if (shader == made && use->module) {
		link_module(made, use->module);
		name = use->module->name ? strdup(use->module->name) : NULL;
	}
	pthread_mutex_unlock(&device->shader_lock);

	if (shader == made) {
		if (first && vkr_setting_flag(VKR_SETTING_WITH_SOURCES, false))
			vkr_shader_sources_record(use->words, use->word_count, use->hash);
		if (made->has_code)
			vkr_shader_code_record(use->words, use->word_count, use->hash);
		record_shader(made, use, &out, &error);
		check_capabilities(device, use);
		record_samplers(device, made, use->mappings);
		if (name)
			vkr_record_name(VKR_OBJECT_SHADER, made->id, name);
	} else {
		free(made->words);
		free(made->rest_words);
		free(made);
	}
	free(name);
	if (error.result == VKR_OK)
		vkr_instrumented_finish(&out);
	return shader;
}

void vkr_shader_name_module(struct vkr_layer_device *device, struct vkr_layer_module *module,
			    const char *name)
{
	char *copy = strdup(name);
	pthread_mutex_lock(&device->shader_lock);
	free(module->name);
	module->name = copy;
	struct vkr_layer_shader *first = module->shaders;
	pthread_mutex_unlock(&device->shader_lock);
	for (struct vkr_layer_shader *at = first; at; at = at->next_of_module)
		vkr_record_name(VKR_OBJECT_SHADER, at->id, name);
}

void vkr_shader_forget_module(struct vkr_layer_device *device, struct vkr_layer_module *module)
{
	pthread_mutex_lock(&device->shader_lock);
	while (module->shaders) {
		struct vkr_layer_shader *shader = module->shaders;
		module->shaders = shader->next_of_module;
		shader->next_of_module = NULL;
	}
	pthread_mutex_unlock(&device->shader_lock);
	free(module->name);
	free(module);
}

void vkr_shader_cache_finish(struct vkr_layer_device *device)
{
	while (device->shaders) {
		struct vkr_layer_shader *shader = device->shaders;
		device->shaders = shader->next;
		free(shader->words);
		free(shader->rest_words);
		free(shader);
	}
}
