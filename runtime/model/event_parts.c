// SPDX-License-Identifier: Apache-2.0
// Hands each event to the part of the model that knows it. Knows which part that is; commands of
// recordings are command_walk.c's.
#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "link_pending.h"
#include "model_state.h"

#include <stdio.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// Vendor of devices whose drivers have versions of another form.
#define NVIDIA 0x10deu

#define FAR_ID 65536u

static enum vkr_result add_coverage(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	const struct vkr_trace_coverage *coverage = vkr_event_payload(event);
	return vkr_model_missed(model, error, (enum vkr_trace_coverage_kind)coverage->kind,
				coverage->amount, "%.*s", (int)coverage->text_bytes,
				(const char *)(coverage + 1));
}

static enum vkr_result object_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	const enum vkr_result result = vkr_objects_event(&model->objects, event, error);
	if (result != VKR_OK)
		return result;
	if (event->type == VKR_TRACE_SHADER && model->objects.passed_over)
		return vkr_model_pass_over(
			model, "fragment interlock and the scope of shader calls have", error);
	if (event->type == VKR_TRACE_QUEUE) {
		const struct vkr_trace_queue *queue = vkr_event_payload(event);
		return vkr_submissions_add_queue(
			model, vkr_objects_queue(&model->objects, queue->queue), error);
	}
	if (event->type == VKR_TRACE_BUFFER_BIND || event->type == VKR_TRACE_IMAGE_BIND)
		return vkr_model_bound(model, event, error);
	if (event->type == VKR_TRACE_BUFFER_DESTROY || event->type == VKR_TRACE_IMAGE_DESTROY)
		return vkr_stand_ins_event(model, event, error);
	if (event->type == VKR_TRACE_MEMORY) {
		const struct vkr_trace_memory *memory = vkr_event_payload(event);
		// Ids are dense, though threads may record them out of turn: one far off is damage.
		if (memory->memory > model->objects.memories.count + FAR_ID)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "MEMORY: id %u, and there are only %zu",
					     memory->memory, model->objects.memories.count);
		if (memory->bytes > VKR_ENGINE_MEMORY_MOST)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "MEMORY: memory %u is larger than any can be",
					     memory->memory);
		return vkr_engine_memory(
			model->engine, memory->memory, memory->bytes,
			memory->property_flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, error);
	}
	return VKR_OK;
}

static enum vkr_result flush_event(struct vkr_model *model, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	if (vkr_memory_is_hrf(&model->options.rules))
		return vkr_model_pass_over(model, "flushing and invalidating mapped memory has",
					   error);
	return vkr_model_host_event(model, event, error);
}

static enum vkr_result begin_run(struct vkr_model *model, const struct vkr_trace_event *event,
				 struct vkr_error *error)
{
	const struct vkr_trace_run_begin *begin = vkr_event_payload(event);
	const char *program =
		vkr_texts_keep(&model->texts, (const char *)(begin + 1), begin->text_bytes);
	if (program == NULL)
		return vkr_error_memory(error, "the command line");
	model->run.program = program;
	return VKR_OK;
}

// Whether words stand among others between semicolons.
static bool event_parts_names(const char *list, const char *words)
{
	const size_t length = strlen(words);
	for (const char *at = list; *at; at += strcspn(at, ";"), at += *at ? 2 : 0)
		if (strcspn(at, ";") == length && strncmp(at, words, length) == 0)
			return true;
	return false;
}

// Whose race it is may depend on the device and its driver: the report names them.
static enum vkr_result name_device(struct vkr_model *model, const struct vkr_trace_device *device,
				   struct vkr_error *error)
{
	char words[256];
	const uint32_t driver = device->driver_version;
	const bool nvidia = device->vendor == NVIDIA;
	snprintf(words, sizeof words, "%.*s, driver %u.%u.%u, Vulkan %u.%u.%u",
		 (int)strnlen((const char *)(device + 1), device->text_bytes),
		 (const char *)(device + 1), driver >> 22,
		 nvidia ? driver >> 14 & 0xff : VK_API_VERSION_MINOR(driver),
		 nvidia ? driver >> 6 & 0xff : VK_API_VERSION_PATCH(driver),
		 VK_API_VERSION_MAJOR(device->api_version),
		 VK_API_VERSION_MINOR(device->api_version),
		 VK_API_VERSION_PATCH(device->api_version));
	for (char *at = words; *at; at++)
		*at = *at == ';' ? ',' : *at;
	if (event_parts_names(model->run.device, words))
		return VKR_OK;
	model->run.device = vkr_texts_format(&model->texts, "%s%s%s", model->run.device,
					     *model->run.device ? "; " : "", words);
	return model->run.device ? VKR_OK : vkr_error_memory(error, "a device");
}

static enum vkr_result name_object(struct vkr_model *model, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	const struct vkr_trace_name *name = vkr_event_payload(event);
	if (name->kind != VKR_OBJECT_SET || name->text_bytes == 0)
		return object_event(model, event, error);
	const char *kept =
		vkr_texts_keep(&model->texts, (const char *)(name + 1), name->text_bytes);
	if (kept == NULL)
		return vkr_error_memory(error, "a name");
	vkr_descriptors_name(&model->descriptors, name->object, kept);
	return VKR_OK;
}

static enum vkr_result make_device(struct vkr_model *model, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	const enum vkr_result result = object_event(model, event, error);
	return result == VKR_OK ? name_device(model, vkr_event_payload(event), error) : result;
}

// A dependency that orders nothing and makes nothing available.
static enum vkr_result event_parts_nothing(struct vkr_model *model,
					   const struct vkr_trace_event *event,
					   struct vkr_error *error)
{
	(void)model;
	(void)event;
	(void)error;
	return VKR_OK;
}

static enum vkr_result keep_source(struct vkr_model *model, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	const struct vkr_trace_source *source = vkr_event_payload(event);
	const char *texts = (const char *)(source + 1);
	const struct vkr_source_report kept = {
		.file = vkr_texts_keep(&model->texts, texts, source->path_bytes),
		.shader_hash = source->content_hash,
		.first_line = source->first_line,
		.text = vkr_texts_keep(&model->texts, texts + source->path_bytes,
				       source->text_bytes)};
	if (kept.file == NULL || kept.text == NULL || !VKR_ARRAY_RESERVE(&model->sources, 1))
		return vkr_error_memory(error, "sources");
	model->sources.items[model->sources.count++] = kept;
	return VKR_OK;
}

static enum vkr_result call_stack(struct vkr_model *model, const struct vkr_trace_event *event,
				  struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	if (event->type == VKR_TRACE_CALL_PLACE)
		return vkr_call_stacks_place(&model->stacks, &model->texts, payload, error);
	if (event->type == VKR_TRACE_MODULE)
		return vkr_call_stacks_module(&model->stacks, &model->texts, payload, error);
	return vkr_call_stacks_coming(&model->stacks, &model->texts, event->thread, payload, error);
}

static enum vkr_result event_parts_descriptors(struct vkr_model *model,
					       const struct vkr_trace_event *event,
					       struct vkr_error *error)
{
	return vkr_descriptors_event(&model->descriptors, event, error);
}

static enum vkr_result pass_objects(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	return vkr_pass_objects_made(&model->pass_objects, event, error);
}

static enum vkr_result event_parts_recordings(struct vkr_model *model,
					      const struct vkr_trace_event *event,
					      struct vkr_error *error)
{
	return vkr_recordings_event(&model->recordings, event, error);
}

static enum vkr_result submit_failed(struct vkr_model *model, const struct vkr_trace_event *event,
				     struct vkr_error *error)
{
	const struct vkr_trace_submit_failed *failed = vkr_event_payload(event);
	return vkr_submissions_cancel(model, failed->submission, error);
}

static enum vkr_result event_parts_captured(struct vkr_model *model,
					    const struct vkr_trace_event *event,
					    struct vkr_error *error)
{
	return vkr_snapshots_add(&model->snapshots, vkr_event_payload(event), error);
}

static enum vkr_result event_parts_instances(struct vkr_model *model,
					     const struct vkr_trace_event *event,
					     struct vkr_error *error)
{
	return vkr_instances_add(&model->instances, vkr_event_payload(event), error);
}

// Races that wait are decided: what is reported later would find other things there.
static enum vkr_result free_memory(struct vkr_model *model, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	const enum vkr_result result = vkr_links_settle(model, true, error);
	return result == VKR_OK ? vkr_model_host_event(model, event, error) : result;
}

typedef enum vkr_result (*event_part)(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error);

// Every event but commands, which stand in recordings.
static const event_part parts[] = {
	[VKR_TRACE_RUN_BEGIN] = begin_run,
	[VKR_TRACE_COVERAGE] = add_coverage,
	[VKR_TRACE_DEVICE_DESTROY] = event_parts_nothing,
	[VKR_TRACE_RUN_END] = event_parts_nothing,
	[VKR_TRACE_CALL_TIME] = event_parts_nothing,
	[VKR_TRACE_MAP] = event_parts_nothing,
	[VKR_TRACE_UNMAP] = event_parts_nothing,
	[VKR_TRACE_THREAD] = object_event,
	[VKR_TRACE_DEVICE] = make_device,
	[VKR_TRACE_QUEUE] = object_event,
	[VKR_TRACE_NAME] = name_object,
	[VKR_TRACE_MEMORY] = object_event,
	[VKR_TRACE_BUFFER] = object_event,
	[VKR_TRACE_BUFFER_BIND] = object_event,
	[VKR_TRACE_BUFFER_DESTROY] = object_event,
	[VKR_TRACE_BUFFER_ADDRESS] = object_event,
	[VKR_TRACE_BUFFER_VIEW] = object_event,
	[VKR_TRACE_BUFFER_VIEW_DESTROY] = object_event,
	[VKR_TRACE_IMAGE] = object_event,
	[VKR_TRACE_IMAGE_BIND] = object_event,
	[VKR_TRACE_IMAGE_DESTROY] = object_event,
	[VKR_TRACE_IMAGE_VIEW] = object_event,
	[VKR_TRACE_IMAGE_VIEW_DESTROY] = object_event,
	[VKR_TRACE_SAMPLER] = object_event,
	[VKR_TRACE_SAMPLER_DESTROY] = object_event,
	[VKR_TRACE_SHADER] = object_event,
	[VKR_TRACE_SHADER_CODE] = object_event,
	[VKR_TRACE_SHADER_INPUTS] = object_event,
	[VKR_TRACE_SHADER_FEEDBACK] = object_event,
	[VKR_TRACE_SHADER_SAMPLERS] = object_event,
	[VKR_TRACE_PIPELINE] = object_event,
	[VKR_TRACE_PIPELINE_DESTROY] = object_event,
	[VKR_TRACE_GRAPHICS_STATE] = object_event,
	[VKR_TRACE_COMMAND_BUFFER] = object_event,
	[VKR_TRACE_STRUCTURE] = object_event,
	[VKR_TRACE_STRUCTURE_DESTROY] = object_event,
	[VKR_TRACE_STRUCTURE_ADDRESS] = object_event,
	[VKR_TRACE_VIDEO_SESSION] = object_event,
	[VKR_TRACE_VIDEO_SESSION_BIND] = object_event,
	[VKR_TRACE_MEMORY_FREE] = free_memory,
	[VKR_TRACE_FLUSH] = flush_event,
	[VKR_TRACE_INVALIDATE] = flush_event,
	[VKR_TRACE_HOST_ACCESS] = vkr_model_host_event,
	[VKR_TRACE_HOST_IMAGE_COPY] = vkr_model_host_image,
	[VKR_TRACE_HOST_IMAGE_TRANSFER] = vkr_model_host_image,
	[VKR_TRACE_HOST_TRANSITION] = vkr_model_host_image,
	[VKR_TRACE_HOST_ORDER] = vkr_thread_order_event,
	[VKR_TRACE_HOST_RELEASE] = vkr_thread_order_event,
	[VKR_TRACE_HOST_ACQUIRE] = vkr_thread_order_event,
	[VKR_TRACE_HOST_IGNORE] = vkr_thread_order_event,
	[VKR_TRACE_MODULE] = call_stack,
	[VKR_TRACE_CALL_STACK] = call_stack,
	[VKR_TRACE_CALL_PLACE] = call_stack,
	[VKR_TRACE_SOURCE] = keep_source,
	[VKR_TRACE_SET_LAYOUT] = event_parts_descriptors,
	[VKR_TRACE_DESCRIPTOR_ROWS] = event_parts_descriptors,
	[VKR_TRACE_HEAP] = event_parts_descriptors,
	[VKR_TRACE_SET] = event_parts_descriptors,
	[VKR_TRACE_SET_DESTROY] = event_parts_descriptors,
	[VKR_TRACE_SET_WRITE] = event_parts_descriptors,
	[VKR_TRACE_SET_COPY] = event_parts_descriptors,
	[VKR_TRACE_PIPELINE_LAYOUT] = event_parts_descriptors,
	[VKR_TRACE_EVENT] = vkr_sync_objects_made,
	[VKR_TRACE_EVENT_DESTROY] = vkr_sync_objects_made,
	[VKR_TRACE_EVENT_SET] = vkr_sync_objects_made,
	[VKR_TRACE_EVENT_RESET] = vkr_sync_objects_made,
	[VKR_TRACE_FRAMEBUFFER] = pass_objects,
	[VKR_TRACE_FRAMEBUFFER_DESTROY] = pass_objects,
	[VKR_TRACE_RENDER_PASS] = pass_objects,
	[VKR_TRACE_RENDER_PASS_DESTROY] = pass_objects,
	[VKR_TRACE_QUERY_POOL] = vkr_query_pools_event,
	[VKR_TRACE_QUERY_POOL_DESTROY] = vkr_query_pools_event,
	[VKR_TRACE_QUERY_RESET] = vkr_query_pools_event,
	[VKR_TRACE_RECORDING] = event_parts_recordings,
	[VKR_TRACE_COMMAND_BUFFER_DESTROY] = event_parts_recordings,
	[VKR_TRACE_SUBMIT] = vkr_submissions_event,
	[VKR_TRACE_PRESENT] = vkr_submissions_event,
	[VKR_TRACE_ACQUIRE] = vkr_submissions_event,
	[VKR_TRACE_FENCE] = vkr_submissions_event,
	[VKR_TRACE_FENCE_DESTROY] = vkr_submissions_event,
	[VKR_TRACE_FENCE_RESET] = vkr_submissions_event,
	[VKR_TRACE_FENCE_WAIT] = vkr_submissions_event,
	[VKR_TRACE_QUEUE_IDLE] = vkr_submissions_event,
	[VKR_TRACE_DEVICE_IDLE] = vkr_submissions_event,
	[VKR_TRACE_SEMAPHORE] = vkr_submissions_event,
	[VKR_TRACE_SEMAPHORE_DESTROY] = vkr_submissions_event,
	[VKR_TRACE_SEMAPHORE_SIGNAL] = vkr_submissions_event,
	[VKR_TRACE_SEMAPHORE_WAIT] = vkr_submissions_event,
	[VKR_TRACE_EVENT_SEEN] = vkr_submissions_event,
	[VKR_TRACE_QUERY_SEEN] = vkr_submissions_event,
	[VKR_TRACE_SPARSE_BIND] = vkr_submissions_event,
	[VKR_TRACE_SUBMIT_FAILED] = submit_failed,
	[VKR_TRACE_GPU_LOG] = vkr_model_log_event,
	[VKR_TRACE_GPU_COLUMN_LOG] = vkr_model_log_event,
	[VKR_TRACE_EXECUTION_END] = vkr_model_log_event,
	[VKR_TRACE_STRUCTURE_INSTANCES] = event_parts_instances,
	[VKR_TRACE_SNAPSHOT] = event_parts_captured,
	[VKR_TRACE_HOST_STRUCTURE] = vkr_model_host_structure,
	[VKR_TRACE_COMMANDS_LOGGED] = vkr_model_log_event,
	[VKR_TRACE_EXECUTION_LEFT_OUT] = vkr_model_log_event,
	[VKR_TRACE_HEAP_CHANGED] = vkr_model_log_event,
	[VKR_TRACE_VOLUME] = vkr_past_event,
	[VKR_TRACE_VOLUME_END] = vkr_past_event,
	[VKR_TRACE_PAST_TIMELINE] = vkr_past_event,
	[VKR_TRACE_PAST_STATE] = vkr_past_event,
	[VKR_TRACE_PAST_TOKEN] = vkr_past_event,
	[VKR_TRACE_PAST_EVENT] = vkr_past_event,
	[VKR_TRACE_PAST_COUNTER] = vkr_past_event,
	[VKR_TRACE_PAST_END] = vkr_past_event,
};

enum vkr_result vkr_model_hand_on(struct vkr_model *model, const struct vkr_trace_event *event,
				  struct vkr_error *error)
{
	if (event->type < sizeof parts / sizeof *parts && parts[event->type] != NULL)
		return parts[event->type](model, event, error);
	return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: outside a recording",
			     vkr_event_name(event->type));
}
