// SPDX-License-Identifier: Apache-2.0
#include "submit_edits.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// Numbers of new semaphores are beyond those of any trace's own.
#define FIRST_NEW_SEMAPHORE 0x80000000u

// VkSemaphoreType; this floor has no Vulkan.
#define SEMAPHORE_TYPE_TIMELINE 1u

// VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT.
#define STAGE_ALL_COMMANDS UINT64_C(0x10000)

bool vkr_submit_edits_init(struct vkr_submit_edits *edits, const struct vkr_change *const *changes,
			   size_t count)
{
	*edits = (struct vkr_submit_edits){.changes = changes, .count = count};
	edits->edits = calloc(count + 1, sizeof *edits->edits);
	return edits->edits != NULL;
}

void vkr_submit_edits_finish(struct vkr_submit_edits *edits)
{
	for (size_t i = 0; i < edits->count && edits->edits; i++) {
		vkr_map_finish(&edits->edits[i].places);
		vkr_map_finish(&edits->edits[i].from);
		vkr_map_finish(&edits->edits[i].unsignaled);
		vkr_map_finish(&edits->edits[i].signals);
	}
	vkr_map_finish(&edits->devices);
	free(edits->edits);
	free(edits->out.items);
	free(edits->waits.items);
	free(edits->signals.items);
}

uint32_t vkr_submit_edits_signal(const struct vkr_submit_edits *edits, size_t index,
				 uint64_t *value)
{
	*value = edits->edits[index].signaled;
	return *value ? FIRST_NEW_SEMAPHORE + (uint32_t)index : 0;
}

bool vkr_is_submit_edit(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_WAIT || kind == VKR_CHANGE_SIGNAL ||
	       kind == VKR_CHANGE_SEMAPHORE || kind == VKR_CHANGE_HOST_WAIT ||
	       kind == VKR_CHANGE_REMOVE_SEMAPHORE;
}

uint64_t vkr_submit_signal_key(const struct vkr_trace_semaphore_operation *operation)
{
	return vkr_map_hash(vkr_map_hash(operation->semaphore) ^ operation->value);
}

static bool hand_on(struct vkr_map *recordings, uint32_t recording, uint32_t secondary)
{
	uint64_t there = 0;
	return !vkr_map_get(recordings, secondary, &there) || vkr_map_set(recordings, recording, 1);
}

bool vkr_submit_edits_execute(struct vkr_submit_edits *edits, uint32_t recording,
			      uint32_t secondary)
{
	bool whole = true;
	for (size_t i = 0; i < edits->count && whole; i++)
		whole = hand_on(&edits->edits[i].places, recording, secondary) &&
			hand_on(&edits->edits[i].from, recording, secondary);
	return whole;
}

bool vkr_submit_edits_queue(struct vkr_submit_edits *edits, const struct vkr_trace_queue *queue)
{
	return vkr_map_set(&edits->devices, queue->queue, queue->device);
}

static bool submit_edits_executes(const struct vkr_map *recordings,
				  const struct vkr_trace_execution *executions, uint32_t count)
{
	uint64_t there = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (vkr_map_get(recordings, executions[i].recording, &there))
			return true;
	}
	return false;
}

static bool submit_edits_put(struct vkr_submit_edits *edits, const void *words, size_t bytes)
{
	const size_t count = bytes / sizeof *edits->out.items;
	if (!bytes)
		return true;
	if (!VKR_ARRAY_RESERVE(&edits->out, count))
		return false;
	memcpy(edits->out.items + edits->out.count, words, bytes);
	edits->out.count += count;
	return true;
}

static bool create_semaphore(struct vkr_submit_edits *edits, size_t index, uint32_t queue)
{
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_semaphore semaphore;
	} made = {{.bytes = sizeof made, .type = VKR_TRACE_SEMAPHORE},
		  {.semaphore = FIRST_NEW_SEMAPHORE + (uint32_t)index,
		   .type = SEMAPHORE_TYPE_TIMELINE}};
	uint64_t device = 0;
	if (edits->edits[index].created)
		return true;
	vkr_map_get(&edits->devices, queue, &device);
	made.semaphore.device = (uint32_t)device;
	edits->edits[index].created = true;
	return submit_edits_put(edits, &made, sizeof made);
}

// One batch: where its operations begin in edits->waits and edits->signals.
struct batch_edit {
	struct vkr_trace_batch *batch;
	const struct vkr_trace_execution *executions;
	size_t first_wait, first_signal;
	uint32_t queue;
};

// More stages in the signals of the batch. A batch that signals nothing is in the first scope of
// the next signals of its queue ("Semaphore Signaling").
static bool edit_signals(struct vkr_submit_edits *edits, size_t index, const struct batch_edit *of,
			 bool here, uint64_t *made)
{
	struct vkr_map *unsignaled = &edits->edits[index].unsignaled;
	uint64_t before = 0;
	vkr_map_get(unsignaled, of->queue, &before);
	if (!here && !before)
		return true;
	const bool signals = edits->signals.count > of->first_signal;
	for (size_t i = of->first_signal; i < edits->signals.count; i++)
		edits->signals.items[i].stages |= edits->changes[index]->masks.source_stages;
	made[index] += signals;
	return vkr_map_set(unsignaled, of->queue, !signals);
}

// Takes out what the batch waits for, if it is at the change's place, of what batches of `from`
// have signaled. The signals stay: without a wait they order nothing but later signals.
static bool remove_waits(struct vkr_submit_edits *edits, size_t index, const struct batch_edit *of,
			 bool here, uint64_t *made)
{
	struct vkr_submit_edit *edit = &edits->edits[index];
	const bool signals =
		submit_edits_executes(&edit->from, of->executions, of->batch->execution_count);
	size_t kept = of->first_wait;
	for (size_t i = of->first_wait; i < edits->waits.count; i++) {
		uint64_t meant = 0;
		if (here)
			vkr_map_get(&edit->signals, vkr_submit_signal_key(&edits->waits.items[i]),
				    &meant);
		if (!meant)
			edits->waits.items[kept++] = edits->waits.items[i];
	}
	made[index] += kept < edits->waits.count;
	of->batch->wait_count -= (uint32_t)(edits->waits.count - kept);
	edits->waits.count = kept;
	for (size_t i = of->first_signal; i < edits->signals.count; i++) {
		if (!vkr_map_set(&edit->signals, vkr_submit_signal_key(&edits->signals.items[i]),
				 signals))
			return false;
	}
	return true;
}

static bool edit_batch(struct vkr_submit_edits *edits, size_t index, const struct batch_edit *of,
		       uint64_t *made)
{
	const struct vkr_change *change = edits->changes[index];
	struct vkr_submit_edit *edit = &edits->edits[index];
	const uint32_t count = of->batch->execution_count;
	const bool here = submit_edits_executes(&edit->places, of->executions, count);
	if (change->kind == VKR_CHANGE_WAIT && here) {
		for (size_t i = of->first_wait; i < edits->waits.count; i++)
			edits->waits.items[i].stages |= change->masks.destination_stages;
		made[index] += edits->waits.count > of->first_wait;
	} else if (change->kind == VKR_CHANGE_REMOVE_SEMAPHORE) {
		return remove_waits(edits, index, of, here, made);
	} else if (change->kind == VKR_CHANGE_SIGNAL) {
		return edit_signals(edits, index, of, here, made);
	} else if (change->kind == VKR_CHANGE_SEMAPHORE || change->kind == VKR_CHANGE_HOST_WAIT) {
		struct vkr_trace_semaphore_operation operation = {
			.semaphore = FIRST_NEW_SEMAPHORE + (uint32_t)index,
			.value = edit->signaled,
			.stages = change->masks.destination_stages};
		if (here && edit->signaled > 0) {
			if (!VKR_ARRAY_RESERVE(&edits->waits, 1))
				return false;
			edits->waits.items[edits->waits.count++] = operation;
			of->batch->wait_count++;
			made[index]++;
		}
		if (submit_edits_executes(&edit->from, of->executions, count)) {
			if (!create_semaphore(edits, index, of->queue) ||
			    !VKR_ARRAY_RESERVE(&edits->signals, 1))
				return false;
			operation.value = ++edit->signaled;
			operation.stages = change->kind == VKR_CHANGE_HOST_WAIT
						   ? STAGE_ALL_COMMANDS
						   : change->masks.source_stages;
			edits->signals.items[edits->signals.count++] = operation;
			of->batch->signal_count++;
		}
	}
	return true;
}

static bool submit_edits_take(struct vkr_submit_edits *edits,
			      const struct vkr_trace_semaphore_operation *waits,
			      uint32_t wait_count,
			      const struct vkr_trace_semaphore_operation *signals,
			      uint32_t signal_count)
{
	if (!VKR_ARRAY_RESERVE(&edits->waits, wait_count) ||
	    !VKR_ARRAY_RESERVE(&edits->signals, signal_count))
		return false;
	for (uint32_t i = 0; i < wait_count; i++)
		edits->waits.items[edits->waits.count++] = waits[i];
	for (uint32_t i = 0; i < signal_count; i++)
		edits->signals.items[edits->signals.count++] = signals[i];
	return true;
}

// The batches, into `batches`; the operations of all into edits->waits and edits->signals.
static bool edit_batches(struct vkr_submit_edits *edits, const struct vkr_trace_submit *submit,
			 struct vkr_trace_batch *batches, uint64_t *made)
{
	const struct vkr_trace_batch *was = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(was + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	const struct vkr_trace_semaphore_operation *signals =
		(const void *)(executions + submit->execution_count);
	for (uint32_t at = 0; at < submit->batch_count; at++) {
		const struct batch_edit of = {&batches[at], executions, edits->waits.count,
					      edits->signals.count, submit->queue};
		batches[at] = was[at];
		if (!submit_edits_take(edits, waits, was[at].wait_count, signals,
				       was[at].signal_count))
			return false;
		for (size_t i = 0; i < edits->count; i++) {
			if (!edit_batch(edits, i, &of, made))
				return false;
		}
		waits += was[at].wait_count;
		executions += was[at].execution_count;
		signals += was[at].signal_count;
	}
	return true;
}

bool vkr_submit_edits_submit(struct vkr_submit_edits *edits, const struct vkr_trace_event *event,
			     uint64_t *made)
{
	const struct vkr_trace_submit *submit = (const void *)(event + 1);
	const struct vkr_trace_batch *was = (const void *)(submit + 1);
	const struct vkr_trace_execution *executions =
		(const void *)((const struct vkr_trace_semaphore_operation
					*)(const void *)(was + submit->batch_count) +
			       submit->wait_count);
	struct vkr_trace_batch *batches = calloc(submit->batch_count + (size_t)1, sizeof *batches);
	edits->out.count = edits->waits.count = edits->signals.count = 0;
	bool whole = batches && edit_batches(edits, submit, batches, made);
	if (whole) {
		struct vkr_trace_event head = *event;
		struct vkr_trace_submit changed = *submit;
		changed.wait_count = (uint32_t)edits->waits.count;
		changed.signal_count = (uint32_t)edits->signals.count;
		head.bytes = (uint32_t)(sizeof head + sizeof changed +
					changed.batch_count * sizeof *batches +
					(edits->waits.count + edits->signals.count) *
						sizeof *edits->waits.items +
					changed.execution_count * sizeof *executions);
		whole = submit_edits_put(edits, &head, sizeof head) &&
			submit_edits_put(edits, &changed, sizeof changed) &&
			submit_edits_put(edits, batches, changed.batch_count * sizeof *batches) &&
			submit_edits_put(edits, edits->waits.items,
					 edits->waits.count * sizeof *edits->waits.items) &&
			submit_edits_put(edits, executions,
					 changed.execution_count * sizeof *executions) &&
			submit_edits_put(edits, edits->signals.items,
					 edits->signals.count * sizeof *edits->signals.items);
	}
	free(batches);
	return whole;
}
