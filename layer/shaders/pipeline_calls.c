// SPDX-License-Identifier: Apache-2.0
// Calls that make pipelines. Knows what is the same for every kind of them.
#include "pipeline_calls.h"

#include "logging_pipeline.h"
#include "pipeline_binaries.h"
#include "record.h"

#include <string.h>

// Objects that live as long as a call.
struct work {
	const struct vkr_pipelines_call *call;
	const void *own; // the infos as a driver may see them
	char *changed;   // with instrumented modules
	struct vkr_pipeline_parts *parts;
	bool ready;       // all parts were read: what is made can be known
	bool by_library;  // a library of one of the pipelines logs
	bool any_changed; // a stage has an instrumented module
};

static const void *info_at(const struct vkr_pipelines_call *call, const void *infos, uint32_t at)
{
	return (const char *)infos + at * call->kind->info_bytes;
}

// The program's infos, or copies where something is not for the driver. NULL for lack of memory.
static const void *pipeline_calls_unpack(const struct vkr_pipelines_call *call,
					 struct vkr_arena *arena)
{
	const struct vkr_pipelines_kind *kind = call->kind;
	bool packed = false;
	for (uint32_t i = 0; i < call->count; i++) {
		const VkBaseInStructure *info = info_at(call, call->infos, i);
		packed |= vkr_pipeline_is_packed(info->pNext);
	}
	if (!packed)
		return call->infos;
	char *own = vkr_arena_alloc(arena, call->count * kind->info_bytes);
	if (!own)
		return NULL;
	memcpy(own, call->infos, call->count * kind->info_bytes);
	for (uint32_t i = 0; i < call->count; i++)
		if (!kind->unpack(arena, own + i * kind->info_bytes))
			return NULL;
	return own;
}

// Whether one of the libraries logs.
static bool library_logs(struct vkr_layer_device *device,
			 const VkPipelineLibraryCreateInfoKHR *libraries)
{
	bool any = false;
	for (uint32_t i = 0; libraries && i < libraries->libraryCount; i++) {
		const struct vkr_layer_pipeline *library = vkr_handles_get(
			&device->objects.pipelines, VKR_KEY(libraries->pLibraries[i]));
		any |= library && library->logs;
	}
	return any;
}

static void read_infos(struct work *work, struct vkr_arena *arena)
{
	const struct vkr_pipelines_call *call = work->call;
	const struct vkr_pipelines_kind *kind = call->kind;
	for (uint32_t i = 0; kind->libraries && i < call->count; i++)
		work->by_library |=
			library_logs(call->device, kind->libraries(info_at(call, call->infos, i)));
	work->parts = vkr_arena_alloc(arena, call->count * sizeof *work->parts);
	work->changed = vkr_arena_alloc(arena, call->count * kind->info_bytes);
	work->ready = work->parts && work->changed;
	if (work->ready)
		memcpy(work->changed, work->own, call->count * kind->info_bytes);
	for (uint32_t i = 0; work->ready && i < call->count; i++) {
		work->ready = kind->prepare(call, arena, work->changed + i * kind->info_bytes,
					    &work->parts[i]);
		work->any_changed |= work->parts[i].changed;
	}
	work->any_changed &= work->ready;
	if (!work->ready)
		vkr_record_no_memory(kind->name);
}

static void finish_modules(const struct work *work)
{
	struct vkr_layer_device *device = work->call->device;
	for (uint32_t i = 0; work->parts && i < work->call->count; i++)
		for (uint32_t s = 0; s < work->parts[i].stage_count; s++) {
			const struct vkr_stage_part *part = &work->parts[i].stages[s];
			device->next.DestroyShaderModule(device->handle, part->module, NULL);
			device->next.DestroyShaderModule(device->handle, part->rest_module, NULL);
		}
}

// The driver refused the pipelines with instrumented modules: they were made without.
static void pipeline_calls_refused(const struct work *work)
{
	for (uint32_t i = 0; i < work->call->count; i++)
		for (uint32_t s = 0; s < work->parts[i].stage_count; s++) {
			struct vkr_stage_part *part = &work->parts[i].stages[s];
			if (part->logs)
				vkr_record_coverage(VKR_COVERAGE_SHADER, part->shader->id, 0,
						    "entry point %s is not observed: the driver "
						    "refused a pipeline with the instrumented "
						    "module",
						    part->entry_point);
			part->logs = false;
		}
}

static VkResult create_pipelines(const struct work *work)
{
	const struct vkr_pipelines_call *call = work->call;
	struct vkr_layer_device *device = call->device;
	VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
	if (work->ready || !work->by_library)
		result = call->kind->create(call, work->ready ? work->changed : work->own);
	finish_modules(work);
	if (result >= 0 || !work->any_changed)
		return result;
	// What the call has created nevertheless is destroyed.
	for (uint32_t i = 0; i < call->count; i++) {
		device->next.DestroyPipeline(device->handle, call->pipelines[i], call->allocator);
		call->pipelines[i] = VK_NULL_HANDLE;
	}
	result = call->kind->create(call, work->own);
	if (result >= 0)
		pipeline_calls_refused(work);
	return result;
}

// NULL where there is no pipeline, or for lack of memory.
static struct vkr_layer_pipeline *know_pipeline(const struct work *work, uint32_t at)
{
	const struct vkr_pipelines_call *call = work->call;
	const struct vkr_pipeline_parts *parts = &work->parts[at];
	const VkPipeline pipeline = call->pipelines[at];
	struct vkr_layer_pipeline *kept = NULL;
	if (pipeline)
		kept = vkr_parts_know(call->device, pipeline, call->kind->point, parts);
	if (kept && kept->logs)
		kept->logging = parts->logging;
	else
		vkr_logging_pipeline_destroy(parts->logging);
	return kept;
}

// False where a pipeline that was made could not be kept, for lack of memory.
static bool know_all(const struct work *work)
{
	const struct vkr_pipelines_call *call = work->call;
	bool known = true;
	for (uint32_t i = 0; work->ready && i < call->count; i++) {
		struct vkr_layer_pipeline *kept = know_pipeline(work, i);
		if (kept)
			call->kind->known(call->device, kept, info_at(call, call->infos, i),
					  info_at(call, work->own, i), &work->parts[i]);
		known &= kept || !call->pipelines[i];
	}
	for (uint32_t i = 0; !work->ready && work->parts && i < call->count; i++)
		vkr_logging_pipeline_destroy(work->parts[i].logging);
	return known;
}

// Who binds a pipeline that logs must know it. All are made again as the program gives them, or,
// where they log by their libraries, the call fails.
static VkResult make_again(const struct work *work)
{
	const struct vkr_pipelines_call *call = work->call;
	struct vkr_layer_device *device = call->device;
	for (uint32_t i = 0; i < call->count; i++) {
		struct vkr_layer_pipeline *kept =
			vkr_handles_take(&device->objects.pipelines, VKR_KEY(call->pipelines[i]));
		if (kept)
			vkr_parts_forget(kept);
		device->next.DestroyPipeline(device->handle, call->pipelines[i], call->allocator);
		call->pipelines[i] = VK_NULL_HANDLE;
	}
	return work->by_library ? VK_ERROR_OUT_OF_HOST_MEMORY : call->kind->create(call, work->own);
}

VkResult vkr_pipelines_make(const struct vkr_pipelines_call *call)
{
	VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	for (uint32_t i = 0; i < call->count; i++)
		call->pipelines[i] = VK_NULL_HANDLE;
	struct work work = {.call = call, .own = pipeline_calls_unpack(call, &arena)};
	if (work.own) {
		read_infos(&work, &arena);
		result = create_pipelines(&work);
		if (!know_all(&work))
			result = make_again(&work);
	}
	vkr_arena_finish(&arena);
	return result;
}
