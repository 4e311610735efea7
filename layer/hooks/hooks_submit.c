// SPDX-License-Identifier: Apache-2.0
// Submissions in both forms, written down as the second; each execution is given its log.
// Knows batches and executions; not how logs are drained.
#include "arena.h"
#include "array.h"
#include "command_buffer.h"
#include "descriptor_buffers.h"
#include "descriptor_heaps.h"
#include "log_give.h"
#include "record.h"
#include "structure_instances.h"

#include <stdlib.h>
#include <string.h>

// A submission as it is put together. Lists are in the order of the batches.
struct submission {
	struct vkr_layer_queue *queue;
	struct vkr_arena arena;
	struct vkr_trace_batch *batches;
	struct vkr_trace_semaphore_operation *waits, *signals;
	struct vkr_trace_execution *executions;
	VkCommandBuffer *updates; // per execution: sets its cell right before it, or NULL
	bool *left_out;           // per execution: what it logs goes nowhere
	struct vkr_trace_submit payload;
	struct vkr_flight *flight;      // NULL while nothing logs
	enum vkr_trace_left_out reason; // why its shaders are not observed
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
	submission->left_out = vkr_arena_alloc(arena, (executions + 1) * sizeof(bool));
	return submission->batches && submission->waits && submission->signals &&
	       submission->executions && submission->updates && submission->left_out;
}

static struct vkr_trace_semaphore_operation
operation(struct vkr_layer_device *device, VkSemaphore handle, uint64_t value, uint64_t stages)
{
	const struct vkr_layer_semaphore *semaphore =
		vkr_handles_get(&device->objects.semaphores, VKR_KEY(handle));
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

static bool leave_out_buffer(VkCommandBuffer handle)
{
	const struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(handle);
	return !buffer || !vkr_track_logs(buffer->track) || vkr_log_leave_out(buffer->track);
}

// False where it must not be submitted.
static bool add_execution(struct submission *submission, VkCommandBuffer handle, bool may_update)
{
	const struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(handle);
	size_t index = submission->payload.execution_count++;
	struct vkr_trace_execution *execution = &submission->executions[index];
	*execution = (struct vkr_trace_execution){
		.execution = vkr_record_id(VKR_ID_EXECUTION),
		.recording = buffer ? buffer->recording : 0,
	};
	if (submission->reason != VKR_LEFT_OUT_NOT)
		vkr_record_event(
			VKR_TRACE_EXECUTION_LEFT_OUT,
			&(struct vkr_trace_execution_left_out){.execution = execution->execution,
							       .reason = submission->reason},
			sizeof(struct vkr_trace_execution_left_out), NULL, 0);
	if (buffer && vkr_track_logs(buffer->track) &&
	    submission->queue->device->descriptor_buffers)
		vkr_descriptor_places_read(buffer->track);
	if (buffer && vkr_track_logs(buffer->track) && submission->queue->device->heaps)
		vkr_heaps_read(buffer->track);
	if (buffer)
		vkr_instances_record(buffer, execution->execution);
	if (!buffer || !vkr_track_logs(buffer->track))
		return true;
	struct vkr_log_want want = {.track = buffer->track,
				    .execution = execution->execution,
				    .may_update = may_update,
				    .nothing = submission->reason != VKR_LEFT_OUT_NOT};
	if (vkr_log_give(submission->queue, &submission->flight, &want,
			 &submission->updates[index])) {
		submission->any_update |= submission->updates[index] != VK_NULL_HANDLE;
		return true;
	}
	submission->left_out[index] = true;
	return vkr_log_leave_out(buffer->track);
}

static bool alloc_first(struct submission *submission, uint32_t count, const void *given)
{
	const VkSubmitInfo *infos = given;
	size_t waits = 0, executions = 0, signals = 0;
	for (uint32_t i = 0; i < count; i++) {
		waits += infos[i].waitSemaphoreCount;
		executions += infos[i].commandBufferCount;
		signals += infos[i].signalSemaphoreCount;
	}
	return alloc_lists(submission, count, waits, executions, signals);
}

static bool gather_first(struct submission *submission, uint32_t count, const void *given)
{
	const VkSubmitInfo *infos = given;
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

static bool alloc_second(struct submission *submission, uint32_t count, const void *given)
{
	const VkSubmitInfo2 *infos = given;
	size_t waits = 0, executions = 0, signals = 0;
	for (uint32_t i = 0; i < count; i++) {
		waits += infos[i].waitSemaphoreInfoCount;
		executions += infos[i].commandBufferInfoCount;
		signals += infos[i].signalSemaphoreInfoCount;
	}
	return alloc_lists(submission, count, waits, executions, signals);
}

static bool gather_second(struct submission *submission, uint32_t count, const void *given)
{
	const VkSubmitInfo2 *infos = given;
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
	struct vkr_layer_device *device = submission->queue->device;
	const struct vkr_layer_fence *known =
		vkr_handles_get(&device->objects.fences, VKR_KEY(fence));
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

// Executions without a log have ended as far as logs go.
static void end_other_executions(const struct submission *submission)
{
	for (uint32_t i = 0; i < submission->payload.execution_count; i++) {
		struct vkr_trace_execution_end payload = {
			.execution = submission->executions[i].execution,
			.flags = submission->left_out[i] ? VKR_EXECUTION_UNOBSERVED : 0u,
		};
		if (!in_flight(submission->flight, payload.execution))
			vkr_record_event(VKR_TRACE_EXECUTION_END, &payload, sizeof payload, NULL,
					 0);
	}
}

// Submits the layer's fence after the submission, if that changes nothing that the program sees.
static uint64_t hooks_submit_launch(struct submission *submission)
{
	struct vkr_layer_queue *queue = submission->queue;
	struct vkr_layer_device *device = queue->device;
	struct vkr_flight *flight = submission->flight;
	queue->silent = !flight;
	if (!flight)
		return vkr_drain_newest(queue);
	VkResult result = device->next.QueueSubmit(queue->handle, 0, NULL, flight->fence);
	if (result == VK_SUCCESS)
		return vkr_flight_add(queue, flight);
	// Nothing says when the logs are complete.
	vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0, "a submission could not be followed");
	vkr_flight_abandon(queue, flight);
	return vkr_drain_newest(queue);
}

// Notes the signals of the last batch: others are signaled while the device still executes later
// batches.
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
	struct vkr_layer_queue *queue = submission->queue;
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
	end_other_executions(submission);
	uint64_t flight = hooks_submit_launch(submission);
	note_signals(submission);
	struct vkr_layer_fence *known =
		vkr_handles_get(&queue->device->objects.fences, VKR_KEY(fence));
	if (known) {
		known->queue = queue;
		known->flight = flight;
	}
}

// Nobody would answer the stops of a command buffer, so the program gets an out-of-memory error.
static VkResult give_up(struct submission *submission)
{
	if (submission->flight)
		vkr_flight_cancel(submission->queue, submission->flight);
	vkr_arena_finish(&submission->arena);
	vkr_record_no_memory("a submission: it failed");
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

// There is no memory to write the submission down, or its queue is not known.
static void say_unknown(void)
{
	vkr_record_no_memory("a submission: what it does is not observed, and accesses that it "
			     "orders may be reported");
}

static bool leave_out_first(uint32_t count, const void *given)
{
	const VkSubmitInfo *infos = given;
	say_unknown();
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < infos[i].commandBufferCount; j++)
			if (!leave_out_buffer(infos[i].pCommandBuffers[j]))
				return false;
	return true;
}

static bool leave_out_second(uint32_t count, const void *given)
{
	const VkSubmitInfo2 *infos = given;
	say_unknown();
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < infos[i].commandBufferInfoCount; j++)
			if (!leave_out_buffer(infos[i].pCommandBufferInfos[j].commandBuffer))
				return false;
	return true;
}

// Copies of the batches with the layer's command buffers in their places; NULL for lack of memory.
static const void *splice_first(struct submission *submission, const void *given)
{
	const VkSubmitInfo *infos = given;
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

static const void *splice_second(struct submission *submission, const void *given)
{
	const VkSubmitInfo2 *infos = given;
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

static VkResult pass_first(VkQueue handle, uint32_t count, const void *infos, VkFence fence)
{
	return vkr_device_of(handle)->next.QueueSubmit(handle, count, infos, fence);
}

static VkResult pass_second(VkQueue handle, uint32_t count, const void *infos, VkFence fence)
{
	return vkr_device_of(handle)->next.QueueSubmit2(handle, count, infos, fence);
}

// What a submission's batches are: vkQueueSubmit's or vkQueueSubmit2's.
struct form {
	bool (*alloc)(struct submission *submission, uint32_t count, const void *infos);
	bool (*gather)(struct submission *submission, uint32_t count, const void *infos);
	bool (*leave_out)(uint32_t count, const void *infos);
	const void *(*splice)(struct submission *submission, const void *infos);
	VkResult (*pass)(VkQueue handle, uint32_t count, const void *infos, VkFence fence);
};

static VkResult submit_batches(VkQueue handle, const struct form *form, uint32_t count,
			       const void *infos, VkFence fence)
{
	const struct vkr_observed_judge judge = vkr_record_judge();
	struct submission submission = {.queue = vkr_queue_of(handle),
					.reason = vkr_observed_submission(&judge)};
	if (!submission.queue && !vkr_device_of(handle)->logging)
		return form->pass(handle, count, infos, fence);
	vkr_arena_init(&submission.arena);
	submission.payload.batch_count = count;
	if (!submission.queue || !form->alloc(&submission, count, infos)) {
		vkr_arena_finish(&submission.arena);
		return form->leave_out(count, infos) ? form->pass(handle, count, infos, fence)
						     : VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (!form->gather(&submission, count, infos))
		return give_up(&submission);
	const void *passed = infos;
	if (submission.any_update && !(passed = form->splice(&submission, infos))) {
		vkr_log_without_updates(submission.flight);
		passed = infos;
	}
	record_submission(&submission, fence);
	const uint64_t begin = vkr_record_time();
	VkResult result = form->pass(handle, count, passed, fence);
	const uint64_t end = vkr_record_time();
	finish_submission(&submission, fence, result);
	vkr_record_call(VKR_TIMED_SUBMIT, submission.payload.submission, begin, end);
	vkr_arena_finish(&submission.arena);
	return result;
}

static VkResult submit_form(VkQueue handle, const struct form *form, uint32_t count,
			    const void *infos, VkFence fence)
{
	struct vkr_layer_queue *queue = vkr_queue_of(handle);
	vkr_queue_enter(queue);
	const VkResult result = submit_batches(handle, form, count, infos, fence);
	vkr_queue_leave(queue);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueSubmit(VkQueue handle, uint32_t count,
					       const VkSubmitInfo *infos, VkFence fence)
{
	static const struct form first = {alloc_first, gather_first, leave_out_first, splice_first,
					  pass_first};
	return submit_form(handle, &first, count, infos, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueSubmit2(VkQueue handle, uint32_t count,
						const VkSubmitInfo2 *infos, VkFence fence)
{
	static const struct form second = {alloc_second, gather_second, leave_out_second,
					   splice_second, pass_second};
	return submit_form(handle, &second, count, infos, fence);
}
