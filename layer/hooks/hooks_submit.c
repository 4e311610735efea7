// SPDX-License-Identifier: Apache-2.0
// Submissions in both forms, written down as the second; each execution is given its log.
// Knows batches and executions; not how logs are drained.
#include "arena.h"
#include "array.h"
#include "command_buffer.h"
#include "descriptor_buffers.h"
#include "log_drain.h"
#include "record.h"
#include "structure_instances.h"

#include <stdlib.h>
#include <string.h>

// A submission as it is put together. Lists are in the order of the batches.
struct submission {
	struct vkr_queue *queue;
	struct vkr_arena arena;
	struct vkr_trace_batch *batches;
	struct vkr_trace_semaphore_operation *waits, *signals;
	struct vkr_trace_execution *executions;
	VkCommandBuffer *updates; // per execution: sets its cell right before it, or NULL
	struct vkr_trace_submit payload;
	struct vkr_flight *flight; // NULL while nothing logs
	bool any_update;
};

static bool alloc_lists(struct submission *submission, uint32_t batches, size_t waits,
			size_t executions, size_t signals)
{
	struct vkr_arena *arena = &submission->arena;
	submission->batches =
		vkr_arena_alloc(arena, (batches + 1) * sizeof(struct vkr_trace_batch));
	submission->waits =
		vkr_arena_alloc(arena, (waits + 1) * sizeof(struct vkr_trace_semaphore_operation));
	submission->signals = vkr_arena_alloc(
		arena, (signals + 1) * sizeof(struct vkr_trace_semaphore_operation));
	submission->executions =
		vkr_arena_alloc(arena, (executions + 1) * sizeof(struct vkr_trace_execution));
	submission->updates = vkr_arena_alloc(arena, (executions + 1) * sizeof(VkCommandBuffer));
	return submission->batches && submission->waits && submission->signals &&
	       submission->executions && submission->updates;
}

static struct vkr_trace_semaphore_operation operation(struct vkr_device *device, VkSemaphore handle,
						      uint64_t value, uint64_t stages)
{
	const struct vkr_semaphore *semaphore =
		vkr_handles_get(&device->semaphores, VKR_KEY(handle));
	return (struct vkr_trace_semaphore_operation){
		.semaphore = semaphore ? semaphore->id : 0,
		.value = semaphore && semaphore->timeline ? value : 0,
		.stages = stages,
	};
}

static void add_wait(struct submission *submission, VkSemaphore handle, uint64_t value,
		     uint64_t stages)
{
	submission->waits[submission->payload.wait_count++] =
		operation(submission->queue->device, handle, value, stages);
}

static void add_signal(struct submission *submission, VkSemaphore handle, uint64_t value,
		       uint64_t stages)
{
	submission->signals[submission->payload.signal_count++] =
		operation(submission->queue->device, handle, value, stages);
}

// Two executions of one track share its cell: on one queue the device sets it in between, but not
// where they are on two queues, or where the host empties the log while they run; nor is there room
// for what two capture.
static bool shares(const struct vkr_track *track, const struct vkr_queue *queue)
{
	return atomic_load(&track->pending) &&
	       (track->filled || track->captures.count > 0 || atomic_load(&track->queue) != queue);
}

static bool wait_until_alone(struct vkr_track *track, const struct vkr_queue *queue)
{
	bool alone = !shares(track, queue) || vkr_drain_wait_track(track);
	for (size_t i = 0; i < track->count; i++)
		alone = alone && (!shares(track->items[i].track, queue) ||
				  vkr_drain_wait_track(track->items[i].track));
	return alone;
}

static void mark_one(struct submission *submission, struct vkr_track *track, uint32_t execution,
		     struct vkr_log_region *region)
{
	struct vkr_flight *flight = submission->flight;
	atomic_store(&track->queue, submission->queue);
	atomic_fetch_add(&track->pending, 1);
	flight->items[flight->count++] = (struct vkr_flight_execution){
		.execution = execution,
		.track = vkr_track_hold(track),
		.region = region,
	};
}

// The execution is under way, and with it all that it calls.
static void mark_pending(struct submission *submission, struct vkr_track *track, uint32_t execution,
			 struct vkr_log_region *region)
{
	for (size_t i = 0; i < track->count; i++)
		mark_one(submission, track->items[i].track, 0, NULL);
	mark_one(submission, track, execution, region);
}

// Sets a cell that executions of the track read, from the host or by `*update`, a command buffer
// right before the execution, made where it is needed. False for lack of memory.
static bool set_cell(struct submission *submission, const struct vkr_track *track,
		     struct vkr_cell_place place, const struct vkr_gpu_cell *cell,
		     VkCommandBuffer *update)
{
	if (!atomic_load(&track->pending)) {
		vkr_cell_set(place, cell);
		return true;
	}
	if (!*update)
		*update = vkr_flight_update(submission->queue, submission->flight);
	if (!*update)
		return false;
	vkr_cell_record(submission->queue->device, *update, place, cell);
	return true;
}

// Sets the execution's cell, and those of its calls. False for lack of memory.
static bool set_cells(struct submission *submission, struct vkr_track *track, size_t index,
		      const struct vkr_gpu_cell *cell)
{
	VkCommandBuffer update = VK_NULL_HANDLE;
	if (!set_cell(submission, track, vkr_track_cell_place(track), cell, &update))
		return false;
	for (size_t i = 0; i < track->count; i++) {
		const struct vkr_call *call = &track->items[i];
		const struct vkr_gpu_cell of_call = vkr_track_call_cell(cell, call);
		if (!set_cell(submission, call->reader, call->place, &of_call, &update))
			return false;
	}
	if (!update)
		return true;
	submission->updates[index] = update;
	submission->any_update = true;
	return submission->queue->device->next.EndCommandBuffer(update) == VK_SUCCESS;
}

// Gives the execution a log. `may_update`: a command buffer of the layer's own may stand before
// it. False for lack of memory: then it must not be submitted, since its cell may lead to a log
// that is no longer its own, and nobody would answer its stops.
static bool give_log(struct submission *submission, struct vkr_track *track, uint32_t execution,
		     size_t index, bool may_update)
{
	struct vkr_queue *queue = submission->queue;
	if (!submission->flight)
		submission->flight = vkr_flight_take(queue);
	struct vkr_flight *flight = submission->flight;
	if (!flight || !VKR_ARRAY_RESERVE(flight, 1 + track->count))
		return false;
	if (!wait_until_alone(track, queue) || (!may_update && !vkr_drain_wait_track(track))) {
		atomic_store(&track->mixed, true);
		mark_pending(submission, track, execution, NULL);
		return true;
	}
	struct vkr_log_region *region =
		track->ambiguous
			? NULL
			: vkr_log_region_take(queue->device, vkr_track_chunks_start(track, 0));
	struct vkr_gpu_cell cell = vkr_track_cell(region);
	if (track->ambiguous)
		vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
				    "a command buffer executes one secondary several times, in "
				    "render passes: its shaders are not observed");
	else if (!region)
		vkr_record_no_memory("a log: a submission is not observed");
	if (!set_cells(submission, track, index, &cell)) {
		if (region)
			vkr_log_region_give(queue->device, region);
		return false;
	}
	mark_pending(submission, track, execution, region);
	return true;
}

static bool add_execution(struct submission *submission, VkCommandBuffer handle, bool may_update)
{
	const struct vkr_command_buffer *buffer = vkr_command_buffer_find(handle);
	size_t index = submission->payload.execution_count++;
	struct vkr_trace_execution *execution = &submission->executions[index];
	*execution = (struct vkr_trace_execution){
		.execution = vkr_record_id(VKR_ID_EXECUTION),
		.recording = buffer ? buffer->recording : 0,
	};
	if (buffer && vkr_track_logs(buffer->track) &&
	    submission->queue->device->descriptor_buffers)
		vkr_descriptor_places_read(buffer->track);
	if (buffer)
		vkr_instances_record(buffer, execution->execution);
	return !buffer || !vkr_track_logs(buffer->track) ||
	       give_log(submission, buffer->track, execution->execution, index, may_update);
}

static bool gather_first(struct submission *submission, uint32_t count, const VkSubmitInfo *infos)
{
	size_t waits = 0, executions = 0, signals = 0;
	for (uint32_t i = 0; i < count; i++) {
		waits += infos[i].waitSemaphoreCount;
		executions += infos[i].commandBufferCount;
		signals += infos[i].signalSemaphoreCount;
	}
	if (!alloc_lists(submission, count, waits, executions, signals))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const VkSubmitInfo *info = &infos[i];
		const VkTimelineSemaphoreSubmitInfo *values = vkr_chain_find(
			info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
		// A device group's structure counts the command buffers.
		bool may_update =
			!vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_SUBMIT_INFO);
		for (uint32_t j = 0; j < info->waitSemaphoreCount; j++)
			add_wait(submission, info->pWaitSemaphores[j],
				 values && j < values->waitSemaphoreValueCount
					 ? values->pWaitSemaphoreValues[j]
					 : 0,
				 info->pWaitDstStageMask[j]);
		for (uint32_t j = 0; j < info->commandBufferCount; j++)
			if (!add_execution(submission, info->pCommandBuffers[j], may_update))
				return false;
		for (uint32_t j = 0; j < info->signalSemaphoreCount; j++)
			add_signal(submission, info->pSignalSemaphores[j],
				   values && j < values->signalSemaphoreValueCount
					   ? values->pSignalSemaphoreValues[j]
					   : 0,
				   VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
		submission->batches[i] = (struct vkr_trace_batch){
			.wait_count = info->waitSemaphoreCount,
			.execution_count = info->commandBufferCount,
			.signal_count = info->signalSemaphoreCount,
		};
	}
	return true;
}

static bool gather_second(struct submission *submission, uint32_t count, const VkSubmitInfo2 *infos)
{
	size_t waits = 0, executions = 0, signals = 0;
	for (uint32_t i = 0; i < count; i++) {
		waits += infos[i].waitSemaphoreInfoCount;
		executions += infos[i].commandBufferInfoCount;
		signals += infos[i].signalSemaphoreInfoCount;
	}
	if (!alloc_lists(submission, count, waits, executions, signals))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const VkSubmitInfo2 *info = &infos[i];
		for (uint32_t j = 0; j < info->waitSemaphoreInfoCount; j++)
			add_wait(submission, info->pWaitSemaphoreInfos[j].semaphore,
				 info->pWaitSemaphoreInfos[j].value,
				 info->pWaitSemaphoreInfos[j].stageMask);
		for (uint32_t j = 0; j < info->commandBufferInfoCount; j++)
			if (!add_execution(submission, info->pCommandBufferInfos[j].commandBuffer,
					   true))
				return false;
		for (uint32_t j = 0; j < info->signalSemaphoreInfoCount; j++)
			add_signal(submission, info->pSignalSemaphoreInfos[j].semaphore,
				   info->pSignalSemaphoreInfos[j].value,
				   info->pSignalSemaphoreInfos[j].stageMask);
		submission->batches[i] = (struct vkr_trace_batch){
			.wait_count = info->waitSemaphoreInfoCount,
			.execution_count = info->commandBufferInfoCount,
			.signal_count = info->signalSemaphoreInfoCount,
		};
	}
	return true;
}

static void record_submission(struct submission *submission, VkFence fence)
{
	struct vkr_device *device = submission->queue->device;
	const struct vkr_fence *known = vkr_handles_get(&device->fences, VKR_KEY(fence));
	struct vkr_trace_submit *payload = &submission->payload;
	payload->submission = vkr_record_id(VKR_ID_SUBMISSION);
	payload->queue = submission->queue->id;
	payload->fence = known ? known->id : 0;
	struct vkr_bytes pieces[] = {
		{submission->batches, payload->batch_count * sizeof *submission->batches},
		{submission->waits, payload->wait_count * sizeof *submission->waits},
		{submission->executions, payload->execution_count * sizeof *submission->executions},
		{submission->signals, payload->signal_count * sizeof *submission->signals},
	};
	vkr_record_pieces(VKR_TRACE_SUBMIT, payload, sizeof *payload, pieces,
			  sizeof pieces / sizeof *pieces);
}

static bool in_flight(const struct vkr_flight *flight, uint32_t execution)
{
	for (size_t i = 0; flight && i < flight->count; i++)
		if (flight->items[i].execution == execution)
			return true;
	return false;
}

// Executions that log nothing have ended as far as logs go.
static void end_silent_executions(const struct submission *submission)
{
	for (uint32_t i = 0; i < submission->payload.execution_count; i++) {
		struct vkr_trace_execution_end payload = {
			.execution = submission->executions[i].execution,
		};
		if (!in_flight(submission->flight, payload.execution))
			vkr_record_event(VKR_TRACE_EXECUTION_END, &payload, sizeof payload, NULL,
					 0);
	}
}

// The layer's fence goes behind the submission, where it changes nothing that the program sees.
static uint64_t launch(struct submission *submission)
{
	struct vkr_queue *queue = submission->queue;
	struct vkr_device *device = queue->device;
	struct vkr_flight *flight = submission->flight;
	if (!flight)
		return vkr_drain_newest(queue);
	VkResult result = device->next.QueueSubmit(queue->handle, 0, NULL, flight->fence);
	if (result == VK_SUCCESS)
		return vkr_flight_add(queue, flight);
	// Nothing tells when the logs are complete.
	vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0, "a submission could not be followed");
	device->next.QueueWaitIdle(queue->handle);
	vkr_flight_cancel(queue, flight);
	return vkr_drain_newest(queue);
}

// Those of the last batch: others are signaled while the device still does what follows them.
static void note_signals(const struct submission *submission)
{
	const struct vkr_trace_submit *payload = &submission->payload;
	if (payload->batch_count == 0)
		return;
	const uint32_t count = submission->batches[payload->batch_count - 1].signal_count;
	const struct vkr_trace_semaphore_operation *last =
		submission->signals + (payload->signal_count - count);
	for (uint32_t i = 0; i < count; i++)
		if (last[i].value != 0)
			vkr_drain_signal(submission->queue, last[i].semaphore, last[i].value);
}

static void finish_submission(struct submission *submission, VkFence fence, VkResult result)
{
	struct vkr_queue *queue = submission->queue;
	if (result != VK_SUCCESS) {
		struct vkr_trace_submit_failed payload = {
			.submission = submission->payload.submission,
			.result = (uint32_t)result,
		};
		vkr_record_event(VKR_TRACE_SUBMIT_FAILED, &payload, sizeof payload, NULL, 0);
		if (submission->flight)
			vkr_flight_cancel(queue, submission->flight);
		return;
	}
	end_silent_executions(submission);
	uint64_t flight = launch(submission);
	note_signals(submission);
	struct vkr_fence *known = vkr_handles_get(&queue->device->fences, VKR_KEY(fence));
	if (known) {
		known->queue = queue;
		known->flight = flight;
	}
}

// There was no memory to put the submission together: the program is told so.
static VkResult give_up(struct submission *submission)
{
	if (submission->flight)
		vkr_flight_cancel(submission->queue, submission->flight);
	vkr_arena_finish(&submission->arena);
	vkr_record_no_memory("a submission: it failed");
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

// Copies of the batches with the layer's command buffers in their places; NULL for lack of memory.
static const VkSubmitInfo *splice_first(struct submission *submission, const VkSubmitInfo *infos)
{
	uint32_t count = submission->payload.batch_count;
	uint32_t room = submission->payload.execution_count * 2;
	VkSubmitInfo *spliced = vkr_arena_alloc(&submission->arena, count * sizeof *spliced);
	VkCommandBuffer *list = vkr_arena_alloc(&submission->arena, room * sizeof *list);
	if (!spliced || !list)
		return NULL;
	size_t execution = 0;
	for (uint32_t i = 0; i < count; i++) {
		spliced[i] = infos[i];
		spliced[i].pCommandBuffers = list;
		for (uint32_t j = 0; j < infos[i].commandBufferCount; j++, execution++) {
			if (submission->updates[execution])
				*list++ = submission->updates[execution];
			*list++ = infos[i].pCommandBuffers[j];
		}
		spliced[i].commandBufferCount = (uint32_t)(list - spliced[i].pCommandBuffers);
	}
	return spliced;
}

static const VkSubmitInfo2 *splice_second(struct submission *submission, const VkSubmitInfo2 *infos)
{
	uint32_t count = submission->payload.batch_count;
	uint32_t room = submission->payload.execution_count * 2;
	VkSubmitInfo2 *spliced = vkr_arena_alloc(&submission->arena, count * sizeof *spliced);
	VkCommandBufferSubmitInfo *list = vkr_arena_alloc(&submission->arena, room * sizeof *list);
	if (!spliced || !list)
		return NULL;
	size_t execution = 0;
	for (uint32_t i = 0; i < count; i++) {
		spliced[i] = infos[i];
		spliced[i].pCommandBufferInfos = list;
		for (uint32_t j = 0; j < infos[i].commandBufferInfoCount; j++, execution++) {
			if (submission->updates[execution])
				*list++ = (VkCommandBufferSubmitInfo){
					.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
					.commandBuffer = submission->updates[execution],
					.deviceMask = infos[i].pCommandBufferInfos[j].deviceMask,
				};
			*list++ = infos[i].pCommandBufferInfos[j];
		}
		spliced[i].commandBufferInfoCount =
			(uint32_t)(list - spliced[i].pCommandBufferInfos);
	}
	return spliced;
}

static VkResult submit_first(VkQueue handle, uint32_t count, const VkSubmitInfo *infos,
			     VkFence fence)
{
	struct submission submission = {.queue = vkr_queue_of(handle)};
	struct vkr_device *device = vkr_device_of(handle);
	if (!submission.queue && !device->logging)
		return device->next.QueueSubmit(handle, count, infos, fence);
	vkr_arena_init(&submission.arena);
	submission.payload.batch_count = count;
	const VkSubmitInfo *passed = infos;
	bool ready = submission.queue && gather_first(&submission, count, infos);
	if (ready && submission.any_update)
		passed = splice_first(&submission, infos);
	if (!ready || (count && !passed))
		return give_up(&submission);
	record_submission(&submission, fence);
	VkResult result = device->next.QueueSubmit(handle, count, passed, fence);
	finish_submission(&submission, fence, result);
	vkr_arena_finish(&submission.arena);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueSubmit(VkQueue handle, uint32_t count,
					       const VkSubmitInfo *infos, VkFence fence)
{
	struct vkr_queue *queue = vkr_queue_of(handle);
	vkr_queue_enter(queue);
	const VkResult result = submit_first(handle, count, infos, fence);
	vkr_queue_leave(queue);
	return result;
}

static VkResult submit_second(VkQueue handle, uint32_t count, const VkSubmitInfo2 *infos,
			      VkFence fence)
{
	struct submission submission = {.queue = vkr_queue_of(handle)};
	struct vkr_device *device = vkr_device_of(handle);
	if (!submission.queue && !device->logging)
		return device->next.QueueSubmit2(handle, count, infos, fence);
	vkr_arena_init(&submission.arena);
	submission.payload.batch_count = count;
	const VkSubmitInfo2 *passed = infos;
	bool ready = submission.queue && gather_second(&submission, count, infos);
	if (ready && submission.any_update)
		passed = splice_second(&submission, infos);
	if (!ready || (count && !passed))
		return give_up(&submission);
	record_submission(&submission, fence);
	VkResult result = device->next.QueueSubmit2(handle, count, passed, fence);
	finish_submission(&submission, fence, result);
	vkr_arena_finish(&submission.arena);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueSubmit2(VkQueue handle, uint32_t count,
						const VkSubmitInfo2 *infos, VkFence fence)
{
	struct vkr_queue *queue = vkr_queue_of(handle);
	vkr_queue_enter(queue);
	const VkResult result = submit_second(handle, count, infos, fence);
	vkr_queue_leave(queue);
	return result;
}
