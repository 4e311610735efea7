// SPDX-License-Identifier: Apache-2.0
// The objects a program made, found by their ids. Knows what each was made of; not what commands
// do with them.
#include "model_objects.h"

#include "error.h"
#include "event_payload.h"
#include "model_sites.h"
#include "object_table.h"
#include "query_pools.h"
#include "shader_orders.h"
#include "stand_ins.h"
#include "structures.h"
#include "video_sessions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void vkr_objects_init(struct vkr_objects *objects, struct vkr_texts *texts)
{
	*objects = (struct vkr_objects){.texts = texts};
	vkr_arena_init(&objects->arena);
}

void vkr_objects_finish(struct vkr_objects *objects)
{
	vkr_map_finish(&objects->devices);
	vkr_map_finish(&objects->codes);
	vkr_map_finish(&objects->queues);
	vkr_map_finish(&objects->memories);
	vkr_map_finish(&objects->buffers);
	vkr_map_finish(&objects->views);
	vkr_map_finish(&objects->images);
	vkr_map_finish(&objects->image_views);
	vkr_map_finish(&objects->samplers);
	vkr_map_finish(&objects->query_pools);
	vkr_structures_finish(objects);
	vkr_map_finish(&objects->video_sessions);
	vkr_map_finish(&objects->shaders);
	vkr_map_finish(&objects->pipelines);
	vkr_map_finish(&objects->command_buffers);
	vkr_map_finish(&objects->threads);
	free(objects->addresses.items);
	vkr_arena_finish(&objects->arena);
}

static enum vkr_result make_device(struct vkr_objects *objects, const struct vkr_trace_device *made,
				   struct vkr_error *error)
{
	struct vkr_device *device = NULL;
	const enum vkr_result result = vkr_table_make(objects, &objects->devices, made->device,
						      sizeof *device, "device", &device, error);
	if (result != VKR_OK)
		return result;
	device->id = made->device;
	device->subgroup_size = made->subgroup_size;
	device->flags = made->flags;
	device->non_coherent_atom = made->non_coherent_atom > 0 ? made->non_coherent_atom : 1;
	return VKR_OK;
}

static enum vkr_result make_queue(struct vkr_objects *objects, const struct vkr_trace_queue *made,
				  struct vkr_error *error)
{
	struct vkr_queue *queue = NULL;
	const enum vkr_result result = vkr_table_make(objects, &objects->queues, made->queue,
						      sizeof *queue, "queue", &queue, error);
	if (result != VKR_OK)
		return result;
	queue->id = made->queue;
	queue->device = made->device;
	queue->family = made->family;
	queue->index = made->index;
	return vkr_table_name(objects, &queue->name, "queue", queue->id, error);
}

static enum vkr_result make_memory(struct vkr_objects *objects, const struct vkr_trace_memory *made,
				   struct vkr_error *error)
{
	struct vkr_memory *memory = NULL;
	const enum vkr_result result = vkr_table_make(objects, &objects->memories, made->memory,
						      sizeof *memory, "memory", &memory, error);
	if (result != VKR_OK)
		return result;
	memory->id = made->memory;
	memory->device = made->device;
	memory->bytes = made->bytes;
	memory->property_flags = made->property_flags;
	memory->stand_in = made->flags & VKR_MEMORY_STAND_IN;
	return vkr_table_name(objects, &memory->name, "memory", memory->id, error);
}

static bool only_shader_reads(uint32_t usage)
{
	return usage & (VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT) &&
	       !(usage &
		 (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
		  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT));
}

static enum vkr_result make_buffer(struct vkr_objects *objects, const struct vkr_trace_buffer *made,
				   struct vkr_error *error)
{
	struct vkr_buffer *buffer = NULL;
	const enum vkr_result result = vkr_table_make(objects, &objects->buffers, made->buffer,
						      sizeof *buffer, "buffer", &buffer, error);
	if (result != VKR_OK)
		return result;
	buffer->id = made->buffer;
	buffer->bytes = made->bytes;
	buffer->concurrent = made->sharing != VK_SHARING_MODE_EXCLUSIVE;
	buffer->shader_reads = only_shader_reads(made->usage);
	return vkr_table_name(objects, &buffer->name, "buffer", buffer->id, error);
}

static enum vkr_result bind_buffer(struct vkr_objects *objects,
				   const struct vkr_trace_buffer_bind *bind,
				   struct vkr_error *error)
{
	struct vkr_buffer *buffer = vkr_objects_buffer(objects, bind->buffer);
	struct vkr_memory *memory = vkr_objects_memory(objects, bind->memory);
	if (buffer == NULL)
		return vkr_table_unknown(error, VKR_TRACE_BUFFER_BIND, "buffer", bind->buffer);
	if (memory == NULL)
		return vkr_table_unknown(error, VKR_TRACE_BUFFER_BIND, "memory", bind->memory);
	if (bind->offset > memory->bytes || buffer->bytes > memory->bytes - bind->offset)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "BUFFER_BIND: buffer %u does not fit in memory %u at %llu",
				     bind->buffer, bind->memory, (unsigned long long)bind->offset);
	buffer->memory = memory;
	vkr_stand_in_used(memory);
	buffer->offset = bind->offset;
	return VKR_OK;
}

static enum vkr_result destroy_buffer(struct vkr_objects *objects, uint32_t id,
				      struct vkr_error *error)
{
	struct vkr_buffer *buffer = vkr_objects_buffer(objects, id);
	if (buffer == NULL)
		return vkr_table_unknown(error, VKR_TRACE_BUFFER_DESTROY, "buffer", id);
	buffer->destroyed = true;
	vkr_addresses_forget(objects, buffer);
	return VKR_OK;
}

static enum vkr_result make_view(struct vkr_objects *objects,
				 const struct vkr_trace_buffer_view *made, struct vkr_error *error)
{
	struct vkr_buffer_view *view = NULL;
	struct vkr_buffer *buffer = vkr_objects_buffer(objects, made->buffer);
	if (buffer == NULL)
		return vkr_table_unknown(error, VKR_TRACE_BUFFER_VIEW, "buffer", made->buffer);
	const enum vkr_result result = vkr_table_make(objects, &objects->views, made->view,
						      sizeof *view, "buffer view", &view, error);
	if (result != VKR_OK)
		return result;
	*view = (struct vkr_buffer_view){made->view, buffer, made->offset, made->bytes,
					 made->format};
	return VKR_OK;
}

static enum vkr_result make_shader(struct vkr_objects *objects, const struct vkr_trace_shader *made,
				   struct vkr_error *error)
{
	struct vkr_shader *shader = NULL;
	enum vkr_result result = vkr_table_make(objects, &objects->shaders, made->shader,
						sizeof *shader, "shader", &shader, error);
	if (result != VKR_OK)
		return result;
	shader->id = made->shader;
	shader->stage = made->stage;
	shader->flags = made->flags;
	shader->content_hash = made->content_hash;
	result = vkr_table_name(objects, &shader->name, "shader", shader->id, error);
	if (result != VKR_OK)
		return result;
	shader->number = shader->name;
	shader->hashed = vkr_texts_format(objects->texts, "%s (hash %016" PRIx64 ")", shader->name,
					  shader->content_hash);
	if (shader->hashed == NULL)
		return vkr_error_memory(error, "a name");
	if (made->sites_bytes == 0)
		return VKR_OK;

	struct vkr_site_table *sites = vkr_arena_alloc(&objects->arena, made->sites_bytes);
	if (sites == NULL)
		return vkr_error_memory(error, "a site table");
	memcpy(sites, made + 1, made->sites_bytes);
	objects->passed_over = vkr_model_map_sites(sites, &objects->rules) || objects->passed_over;
	shader->sites = sites;
	vkr_shader_find_order(shader);
	objects->links = objects->links || shader->orders_commands;
	return VKR_OK;
}

static enum vkr_result keep_code(struct vkr_objects *objects,
				 const struct vkr_trace_shader_code *code, struct vkr_error *error)
{
	const size_t bytes = sizeof *code + (size_t)code->word_count * sizeof(uint32_t);
	struct vkr_trace_shader_code *kept = vkr_arena_alloc(&objects->arena, bytes);
	if (kept == NULL || !vkr_map_set(&objects->codes, code->content_hash, (uintptr_t)kept))
		return vkr_error_memory(error, "a shader's code");
	memcpy(kept, code, bytes);
	return VKR_OK;
}

const struct vkr_trace_shader_code *vkr_objects_code(const struct vkr_objects *objects,
						     const struct vkr_shader *shader)
{
	uint64_t code = 0;
	vkr_map_get(&objects->codes, shader->content_hash, &code);
	return (const void *)(uintptr_t)code;
}

// SHADER_INPUTS, SHADER_FEEDBACK, SHADER_SAMPLERS: what a shader has in its tail.
static enum vkr_result add_to_shader(struct vkr_objects *objects,
				     const struct vkr_trace_event *event, struct vkr_error *error)
{
	const struct vkr_trace_shader_inputs *read = vkr_event_payload(event);
	const unsigned type = event->type;
	const size_t item = type == VKR_TRACE_SHADER_INPUTS ? sizeof(struct vkr_trace_shader_input)
			    : type == VKR_TRACE_SHADER_FEEDBACK
				    ? sizeof(struct vkr_trace_capture)
				    : sizeof(struct vkr_trace_shader_sampler);
	const size_t bytes = (size_t)read->input_count * item;
	struct vkr_shader *shader = vkr_objects_shader(objects, read->shader);
	if (shader == NULL)
		return vkr_table_unknown(error, event->type, "shader", read->shader);
	void *items = vkr_arena_alloc(&objects->arena, bytes + 1);
	if (items == NULL)
		return vkr_error_memory(error, "a shader");
	memcpy(items, read + 1, bytes);
	if (type == VKR_TRACE_SHADER_INPUTS) {
		shader->inputs = items;
		shader->input_count = read->input_count;
	} else if (type == VKR_TRACE_SHADER_FEEDBACK) {
		shader->captures = items;
		shader->capture_count = read->input_count;
	} else {
		shader->samplers = items;
		shader->sampler_count = read->input_count;
	}
	return VKR_OK;
}

static enum vkr_result make_pipeline(struct vkr_objects *objects,
				     const struct vkr_trace_pipeline *made, struct vkr_error *error)
{
	struct vkr_pipeline *pipeline = NULL;
	const uint32_t *ids = (const uint32_t *)(made + 1);
	for (uint32_t at = 0; at < made->shader_count; at++)
		if (vkr_objects_shader(objects, ids[at]) == NULL)
			return vkr_table_unknown(error, VKR_TRACE_PIPELINE, "shader", ids[at]);
	enum vkr_result result = vkr_table_make(objects, &objects->pipelines, made->pipeline,
						sizeof *pipeline, "pipeline", &pipeline, error);
	if (result != VKR_OK)
		return result;
	pipeline->id = made->pipeline;
	pipeline->bind_point = made->bind_point;
	pipeline->flags = made->flags;
	pipeline->shaders =
		vkr_arena_alloc(&objects->arena, made->shader_count * sizeof *pipeline->shaders);
	if (pipeline->shaders == NULL)
		return vkr_error_memory(error, "a pipeline");
	pipeline->shader_count = made->shader_count;
	for (uint32_t at = 0; at < made->shader_count; at++)
		pipeline->shaders[at] = vkr_objects_shader(objects, ids[at]);
	return vkr_table_name(objects, &pipeline->name, "pipeline", pipeline->id, error);
}

// The parts of its tail, one after the other, in one copy.
static enum vkr_result make_graphics(struct vkr_objects *objects,
				     const struct vkr_trace_graphics_state *made,
				     struct vkr_error *error)
{
	struct vkr_pipeline *pipeline = vkr_objects_pipeline(objects, made->pipeline);
	if (pipeline == NULL)
		return vkr_table_unknown(error, VKR_TRACE_GRAPHICS_STATE, "pipeline",
					 made->pipeline);
	const size_t binding_bytes = made->binding_count * sizeof(struct vkr_trace_vertex_binding);
	const size_t attribute_bytes =
		made->attribute_count * sizeof(struct vkr_trace_vertex_attribute);
	const size_t blend_bytes = made->blend_count * sizeof(struct vkr_trace_color_blend);
	const size_t bytes = binding_bytes + attribute_bytes + blend_bytes +
			     made->dynamic_count * sizeof(uint32_t);
	struct vkr_graphics *graphics = vkr_arena_alloc(&objects->arena, sizeof *graphics);
	char *tail = vkr_arena_alloc(&objects->arena, bytes + 1);
	if (graphics == NULL || tail == NULL)
		return vkr_error_memory(error, "a pipeline");
	memcpy(tail, made + 1, bytes);
	*graphics = (struct vkr_graphics){
		.flags = made->flags,
		.topology = made->topology,
		.view_mask = made->view_mask,
		.binding_count = made->binding_count,
		.attribute_count = made->attribute_count,
		.blend_count = made->blend_count,
		.dynamic_count = made->dynamic_count,
		.bindings = (void *)tail,
		.attributes = (void *)(tail + binding_bytes),
		.blend = (void *)(tail + binding_bytes + attribute_bytes),
		.dynamic = (void *)(tail + binding_bytes + attribute_bytes + blend_bytes)};
	pipeline->graphics = graphics;
	return VKR_OK;
}

static enum vkr_result make_command_buffer(struct vkr_objects *objects,
					   const struct vkr_trace_command_buffer *made,
					   struct vkr_error *error)
{
	struct vkr_command_buffer *made_buffer = NULL;
	const enum vkr_result result =
		vkr_table_make(objects, &objects->command_buffers, made->command_buffer,
			       sizeof *made_buffer, "command buffer", &made_buffer, error);
	if (result != VKR_OK)
		return result;
	made_buffer->id = made->command_buffer;
	made_buffer->queue_family = made->queue_family;
	made_buffer->level = made->level;
	return vkr_table_name(objects, &made_buffer->name, "command buffer", made_buffer->id,
			      error);
}

static enum vkr_result make_thread(struct vkr_objects *objects, const struct vkr_trace_thread *made,
				   struct vkr_error *error)
{
	const char *text = (const char *)(made + 1);
	const char *name =
		made->text_bytes > 0
			? vkr_texts_format(objects->texts, "host thread %u (%.*s)", made->thread,
					   (int)made->text_bytes, text)
			: vkr_texts_format(objects->texts, "host thread %u", made->thread);
	if (name == NULL || !vkr_map_set(&objects->threads, made->thread, (uintptr_t)name))
		return vkr_error_memory(error, "a thread");
	return VKR_OK;
}

// Where a named object keeps its name; NULL where nothing here keeps one.
static const char **name_place(struct vkr_objects *objects, uint32_t kind, uint32_t id)
{
	void *object = NULL;
	switch ((enum vkr_trace_object)kind) {
	case VKR_OBJECT_QUEUE:
		object = vkr_objects_queue(objects, id);
		return object != NULL ? &((struct vkr_queue *)object)->name : NULL;
	case VKR_OBJECT_MEMORY:
		object = vkr_objects_memory(objects, id);
		return object != NULL ? &((struct vkr_memory *)object)->name : NULL;
	case VKR_OBJECT_BUFFER:
		object = vkr_objects_buffer(objects, id);
		return object != NULL ? &((struct vkr_buffer *)object)->name : NULL;
	case VKR_OBJECT_SHADER:
		object = vkr_objects_shader(objects, id);
		return object != NULL ? &((struct vkr_shader *)object)->name : NULL;
	case VKR_OBJECT_PIPELINE:
		object = vkr_objects_pipeline(objects, id);
		return object != NULL ? &((struct vkr_pipeline *)object)->name : NULL;
	case VKR_OBJECT_COMMAND_BUFFER:
		object = vkr_objects_command_buffer(objects, id);
		return object != NULL ? &((struct vkr_command_buffer *)object)->name : NULL;
	case VKR_OBJECT_IMAGE:
		object = vkr_objects_image(objects, id);
		return object != NULL ? &((struct vkr_image *)object)->name : NULL;
	case VKR_OBJECT_IMAGE_VIEW:
		object = vkr_objects_image_view(objects, id);
		return object != NULL ? &((struct vkr_image_view *)object)->name : NULL;
	case VKR_OBJECT_SAMPLER:
		object = vkr_objects_sampler(objects, id);
		return object != NULL ? &((struct vkr_sampler *)object)->name : NULL;
	case VKR_OBJECT_QUERY_POOL:
		object = vkr_table_find(&objects->query_pools, id);
		return object != NULL ? &((struct vkr_query_pool *)object)->locations.name : NULL;
	case VKR_OBJECT_STRUCTURE:
		object = vkr_objects_structure(objects, id);
		return object != NULL ? &((struct vkr_structure *)object)->locations.name : NULL;
	case VKR_OBJECT_VIDEO_SESSION:
		object = vkr_objects_video_session(objects, id);
		return object != NULL ? &((struct vkr_video_session *)object)->name : NULL;
	case VKR_OBJECT_DEVICE:
	case VKR_OBJECT_KINDS:
	case VKR_OBJECT_BUFFER_VIEW:
	case VKR_OBJECT_SET_LAYOUT:
	case VKR_OBJECT_SET:
	case VKR_OBJECT_PIPELINE_LAYOUT:
	case VKR_OBJECT_FENCE:
	case VKR_OBJECT_SEMAPHORE:
	case VKR_OBJECT_EVENT:
	case VKR_OBJECT_RENDER_PASS:
	case VKR_OBJECT_FRAMEBUFFER:
		break;
	}
	return NULL;
}

static enum vkr_result set_name(struct vkr_objects *objects, const struct vkr_trace_name *event,
				struct vkr_error *error)
{
	const char **place = name_place(objects, event->kind, event->object);
	if (place == NULL || event->text_bytes == 0)
		return VKR_OK; // no report speaks of such objects
	const char *name =
		vkr_texts_keep(objects->texts, (const char *)(event + 1), event->text_bytes);
	if (name == NULL)
		return vkr_error_memory(error, "a name");
	*place = name;
	return VKR_OK;
}

enum vkr_result vkr_objects_event(struct vkr_objects *objects, const struct vkr_trace_event *event,
				  struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const unsigned type = event->type;
	switch (type) {
	case VKR_TRACE_DEVICE:
		return make_device(objects, payload, error);
	case VKR_TRACE_QUEUE:
		return make_queue(objects, payload, error);
	case VKR_TRACE_MEMORY:
		return make_memory(objects, payload, error);
	case VKR_TRACE_BUFFER:
		return make_buffer(objects, payload, error);
	case VKR_TRACE_BUFFER_BIND:
		return bind_buffer(objects, payload, error);
	case VKR_TRACE_BUFFER_DESTROY:
		return destroy_buffer(
			objects, ((const struct vkr_trace_buffer_destroy *)payload)->buffer, error);
	case VKR_TRACE_BUFFER_ADDRESS:
		return vkr_addresses_add(objects, payload, error);
	case VKR_TRACE_BUFFER_VIEW:
		return make_view(objects, payload, error);
	case VKR_TRACE_IMAGE:
	case VKR_TRACE_IMAGE_BIND:
	case VKR_TRACE_IMAGE_DESTROY:
	case VKR_TRACE_IMAGE_VIEW:
	case VKR_TRACE_IMAGE_VIEW_DESTROY:
	case VKR_TRACE_SAMPLER:
	case VKR_TRACE_SAMPLER_DESTROY:
		return vkr_objects_image_event(objects, event, error);
	case VKR_TRACE_SHADER:
		return make_shader(objects, payload, error);
	case VKR_TRACE_SHADER_CODE:
		return keep_code(objects, payload, error);
	case VKR_TRACE_SHADER_INPUTS:
	case VKR_TRACE_SHADER_FEEDBACK:
	case VKR_TRACE_SHADER_SAMPLERS:
		return add_to_shader(objects, event, error);
	case VKR_TRACE_PIPELINE:
		return make_pipeline(objects, payload, error);
	case VKR_TRACE_GRAPHICS_STATE:
		return make_graphics(objects, payload, error);
	case VKR_TRACE_COMMAND_BUFFER:
		return make_command_buffer(objects, payload, error);
	case VKR_TRACE_THREAD:
		return make_thread(objects, payload, error);
	case VKR_TRACE_STRUCTURE:
	case VKR_TRACE_STRUCTURE_DESTROY:
	case VKR_TRACE_STRUCTURE_ADDRESS:
		return vkr_structures_event(objects, event, error);
	case VKR_TRACE_VIDEO_SESSION:
	case VKR_TRACE_VIDEO_SESSION_BIND:
		return vkr_video_sessions_event(objects, event, error);
	case VKR_TRACE_NAME:
		return set_name(objects, payload, error);
	default: // nothing of these objects changes
		return VKR_OK;
	}
}
