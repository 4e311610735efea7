// SPDX-License-Identifier: Apache-2.0
// The thread that waits for executions and records what they logged.
// Knows a log's chunks (vkrace/gpu_log.h), and not what its records mean.
#include "log_drain.h"

#include "array.h"
#include "column_logs.h"
#include "descriptor_buffers.h"
#include "descriptor_heaps.h"
#include "log_copy.h"
#include "record.h"
#include "snapshots.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Words of one GPU_LOG event, unless a single chunk is longer.
#define EVENT_WORDS (UINT64_C(1) << 16)

// How long one wait for a fence lasts, with and without a stop of the device to look out for.
#define WAIT_NS      UINT64_C(100000000)
#define WAIT_STOP_NS UINT64_C(20000)

// Flights that the device is done with and whose logs are still in memory: a program that is ahead
// of its judge by more waits as it submits.
#define BACKLOG_MOST 3

// How long a submission waits for an earlier execution of the same command buffer on another
// queue, or for room. It could be one that waits for what the program submits next.
#define TRACK_PATIENCE_MS 2000

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void log_drain_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

// Records words [from, to), which become zero.
static void record_log(uint32_t execution, struct vkr_log_region *region, uint64_t from,
		       uint64_t to)
{
	struct vkr_trace_gpu_log payload = {
		.execution = execution,
		.word_count = (uint32_t)(to - from),
		.first_word = region->drained + from - VKR_LOG_HEADER_WORDS,
	};
	struct vkr_bytes words = {region->words + from, (to - from) * sizeof *region->words};
	vkr_record_layer(VKR_TRACE_GPU_LOG, &payload, sizeof payload, &words, 1);
	vkr_log_region_wipe(region, from, to);
}

// Records the log's whole chunks and empties it. Returns how many words were asked for in vain or
// are damaged; *used is how many words may have differed from zero.
static uint64_t drain_chunks(uint32_t execution, struct vkr_log_region *region, uint64_t *used)
{
	uint64_t capacity = region->bytes / sizeof *region->words;
	uint64_t head = region->words[VKR_LOG_HEAD];
	uint64_t end = head < capacity ? head : capacity;
	*used = capacity;
	if (head < region->first) { // something wrote over it: nothing in it can be trusted
		vkr_log_region_clear(region, 0, capacity);
		region->failed = region->is_local;
		return capacity;
	}
	uint64_t at = region->first, first = at;
	vkr_log_region_need(region, at, end);
	while (at + VKR_CHUNK_HEADER_WORDS <= end) {
		uint64_t words = region->words[at + 3];
		if (words < VKR_CHUNK_HEADER_WORDS || words > end - at)
			break;
		vkr_chunk_prefetch(region->words + at, words, end - at);
		if (at + words - first > EVENT_WORDS && at > first) {
			record_log(execution, region, first, at);
			first = at;
		}
		at += words;
	}
	if (at > first)
		record_log(execution, region, first, at);
	*used = end;
	vkr_log_region_clear(region, at, end);
	return head - at;
}

// The words of a log in device memory that experience says were written. False where it has none
// that could be read.
static bool fetch_stretch(struct vkr_layer_queue *queue,
			  const struct vkr_flight_execution *execution)
{
	struct vkr_log_region *region = execution->region;
	const struct vkr_track *track = execution->track;
	if (!queue->mirror)
		queue->mirror = vkr_log_mirror_create(queue->device);
	region->failed |= !queue->mirror;
	if (region->failed)
		return false;
	const bool is_last = execution->stretch == track->stretches.count;
	vkr_log_mirror_open(queue->mirror, region);
	vkr_column_logs_ask(track, execution->stretch, region);
	vkr_log_mirror_ask(queue->mirror, region->first, region->first + queue->mirror->chunk_words,
			   region->bytes / sizeof *region->words);
	// An execution of the same command buffer follows, if any does.
	if (vkr_log_mirror_fetch(
		    queue->mirror,
		    vkr_track_chunks_start(track, is_last ? 0 : execution->stretch + 1)))
		return true;
	vkr_log_mirror_close(queue->mirror);
	return false;
}

// Records what one stretch of the execution's command buffer logged, and empties the log for the
// next. Returns how many words were lost.
static uint64_t drain_stretch(struct vkr_layer_queue *queue, struct vkr_flight_execution *execution)
{
	struct vkr_log_region *region = execution->region;
	const struct vkr_track *track = execution->track;
	const bool is_there = !region->is_local || fetch_stretch(queue, execution);
	uint64_t lost = 0, used = VKR_LOG_HEADER_WORDS;
	if (is_there)
		lost = vkr_column_logs_drain(execution->execution, track, execution->stretch,
					     region);
	vkr_snapshots_record(execution->execution, track, execution->stretch);
	if (is_there)
		lost += drain_chunks(execution->execution, region, &used);
	if (region->failed)
		lost += region->bytes / sizeof *region->words;
	region->drained += used - VKR_LOG_HEADER_WORDS;
	execution->stretch++;
	region->first = vkr_track_chunks_start(track, execution->stretch);
	if (region->mirror)
		vkr_log_mirror_close(region->mirror);
	else if (!region->is_local)
		region->words[VKR_LOG_HEAD] = (uint32_t)region->first;
	return lost;
}

// Where nothing is logged, what commands read as parameters is recorded all the same.
static void pass_stretch(struct vkr_flight_execution *execution)
{
	vkr_snapshots_record(execution->execution, execution->track, execution->stretch);
	execution->stretch++;
}

static void record_end(uint32_t execution, uint64_t lost, uint32_t flags)
{
	struct vkr_trace_execution_end payload = {
		.execution = execution,
		.flags = flags,
		.lost_words = lost,
	};
	vkr_record_layer(VKR_TRACE_EXECUTION_END, &payload, sizeof payload, NULL, 0);
}

static void drain_execution(struct vkr_layer_queue *queue, struct vkr_flight_execution *execution,
			    const char *failure)
{
	uint32_t id = execution->execution;
	struct vkr_log_region *region = execution->region;
	const uint64_t now = vkr_record_time();
	const struct vkr_trace_call_time executed = {VKR_TIMED_EXECUTED, id, now, now};
	if (id && !failure)
		vkr_record_layer(VKR_TRACE_CALL_TIME, &executed, sizeof executed, NULL, 0);
	if (!id) {
		// A secondary command buffer: its primary's execution has the log.
	} else if (failure) {
		vkr_record_coverage(VKR_COVERAGE_LOG, id, 0, "%s", failure);
		record_end(id, 0, VKR_EXECUTION_UNOBSERVED);
	} else if (vkr_track_is_mixed(execution->track)) {
		// Its region is not used again: another execution may still log into it.
		vkr_record_coverage(VKR_COVERAGE_LOG, id, 0,
				    "a command buffer was executed twice at once, and the logs of "
				    "its dispatches cannot be distinguished");
		record_end(id, 0, VKR_EXECUTION_UNOBSERVED);
	} else if (!region) {
		pass_stretch(execution);
		vkr_heaps_check(execution->track, id);
		record_end(id, 0, VKR_EXECUTION_UNOBSERVED);
	} else {
		vkr_descriptor_places_check(execution->track);
		vkr_heaps_check(execution->track, id);
		uint64_t lost = region->lost + drain_stretch(queue, execution);
		record_end(id, lost, 0);
		vkr_log_region_give(queue->device, region);
	}
	execution->region = NULL;
	atomic_fetch_sub(&execution->track->pending, 1);
	vkr_track_release(execution->track);
}

// The device stops in the execution's command buffer until its log is drained.
static void answer_stop(struct vkr_layer_queue *queue, struct vkr_flight_execution *execution)
{
	struct vkr_layer_device *device = queue->device;
	struct vkr_track *track = execution->track;
	struct vkr_log_region *region = execution->region;
	if (!track->filled ||
	    device->next.GetEventStatus(device->handle, track->filled) != VK_EVENT_SET)
		return;
	if (region) {
		region->lost += drain_stretch(queue, execution);
		record_end(execution->execution, 0, VKR_EXECUTION_PAUSED);
		vkr_record_flush();
	} else if (execution->execution && !vkr_track_is_mixed(track)) {
		pass_stretch(execution);
	}
	device->next.ResetEvent(device->handle, track->filled);
	device->next.SetEvent(device->handle, track->drained);
	vkr_track_pass(track);
	pthread_mutex_lock(&queue->lock);
	queue->answered++;
	pthread_mutex_unlock(&queue->lock);
}

static bool has_stops(const struct vkr_flight *flight)
{
	for (size_t i = 0; i < flight->count; i++)
		if (flight->items[i].track->filled)
			return true;
	return false;
}

static bool give_up(struct vkr_layer_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	bool late = queue->stop && now_ns() >= queue->stop_ns;
	pthread_mutex_unlock(&queue->lock);
	return late;
}

// NULL once the flight is over, else why it is given up.
static const char *wait_flight(struct vkr_layer_queue *queue, struct vkr_flight *flight)
{
	struct vkr_layer_device *device = queue->device;
	bool stops = has_stops(flight);
	uint64_t patience = stops ? WAIT_STOP_NS : WAIT_NS;
	for (;;) {
		VkResult result = device->next.WaitForFences(device->handle, 1, &flight->fence,
							     VK_TRUE, patience);
		for (size_t i = 0; stops && result == VK_SUCCESS && i < flight->count; i++)
			vkr_track_passed(flight->items[i].track);
		if (result == VK_SUCCESS)
			return NULL;
		if (result != VK_TIMEOUT)
			return "the device was lost";
		if (give_up(queue))
			return "the program ended before the device was done";
		for (size_t i = 0; stops && i < flight->count; i++) {
			vkr_track_passed(flight->items[i].track);
			answer_stop(queue, &flight->items[i]);
		}
	}
}

static void set_copying(struct vkr_layer_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->copying = true;
	pthread_mutex_unlock(&queue->lock);
}

// Drains the oldest flight. Called with the queue locked, and returns so.
static void drain_oldest(struct vkr_layer_queue *queue)
{
	struct vkr_flight *flight = queue->oldest;
	pthread_mutex_unlock(&queue->lock);
	const char *failure = wait_flight(queue, flight);
	set_copying(queue);
	for (size_t i = 0; i < flight->count; i++)
		drain_execution(queue, &flight->items[i], failure);
	flight->count = 0;
	vkr_record_flush();

	pthread_mutex_lock(&queue->lock);
	queue->oldest = flight->next;
	if (!queue->oldest)
		queue->newest = &queue->oldest;
	queue->drained = flight->number;
	queue->copying = false;
	flight->signal_count = 0;
	flight->next = queue->spent;
	queue->spent = flight;
	pthread_cond_broadcast(&queue->changed);
}

static void *drain_flights(void *argument)
{
	struct vkr_layer_queue *queue = argument;
	pthread_mutex_lock(&queue->lock);
	for (;;) {
		while (!queue->oldest && !queue->stop)
			pthread_cond_wait(&queue->changed, &queue->lock);
		if (!queue->oldest)
			break;
		drain_oldest(queue);
	}
	pthread_mutex_unlock(&queue->lock);
	return NULL;
}

static struct vkr_flight *flight_create(struct vkr_layer_device *device)
{
	struct vkr_flight *flight = calloc(1, sizeof *flight);
	VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	if (!flight ||
	    device->next.CreateFence(device->handle, &info, NULL, &flight->fence) != VK_SUCCESS) {
		free(flight);
		return NULL;
	}
	return flight;
}

// Waits until few flights are left that the device is done with: what it has yet to do may wait for
// this very submission. Called with the queue locked, and returns so.
static void wait_backlog(struct vkr_layer_queue *queue)
{
	while (queue->flown - queue->drained >= BACKLOG_MOST) {
		const struct vkr_flight *oldest = queue->oldest;
		if (!queue->copying) {
			if (!oldest || !queue->draining)
				return;
			// A flight is used again by who submits alone: its fence stays as it is.
			const VkFence fence = oldest->fence;
			pthread_mutex_unlock(&queue->lock);
			const VkResult status =
				queue->device->next.GetFenceStatus(queue->device->handle, fence);
			pthread_mutex_lock(&queue->lock);
			if (queue->oldest != oldest)
				continue;
			if (status != VK_SUCCESS)
				return;
		}
		pthread_cond_wait(&queue->changed, &queue->lock);
	}
}

struct vkr_flight *vkr_flight_take(struct vkr_layer_queue *queue)
{
	struct vkr_layer_device *device = queue->device;
	pthread_mutex_lock(&queue->lock);
	wait_backlog(queue);
	struct vkr_flight *flight = queue->spent;
	if (flight)
		queue->spent = flight->next;
	pthread_mutex_unlock(&queue->lock);
	if (!flight)
		return flight_create(device);
	flight->next = NULL;
	flight->updates_used = 0;
	if (device->next.ResetFences(device->handle, 1, &flight->fence) != VK_SUCCESS) {
		vkr_flight_cancel(queue, flight);
		return NULL;
	}
	return flight;
}

static VkCommandBuffer new_update(struct vkr_layer_queue *queue)
{
	struct vkr_layer_device *device = queue->device;
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT |
			 VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = queue->family,
	};
	if (!queue->pool && device->next.CreateCommandPool(device->handle, &pool, NULL,
							   &queue->pool) != VK_SUCCESS) {
		queue->pool = VK_NULL_HANDLE;
		return VK_NULL_HANDLE;
	}
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = queue->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBuffer buffer;
	if (device->next.AllocateCommandBuffers(device->handle, &info, &buffer) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	// A dispatchable handle that the loader did not see being made.
	if (device->set_loader_data(device->handle, buffer) != VK_SUCCESS) {
		device->next.FreeCommandBuffers(device->handle, queue->pool, 1, &buffer);
		return VK_NULL_HANDLE;
	}
	return buffer;
}

VkCommandBuffer vkr_flight_update(struct vkr_layer_queue *queue, struct vkr_flight *flight)
{
	if (flight->updates_used == flight->update_count) {
		if (!vkr_array_reserve((void **)&flight->updates, &flight->update_capacity,
				       flight->update_count + 1, sizeof *flight->updates))
			return VK_NULL_HANDLE;
		VkCommandBuffer made = new_update(queue);
		if (!made)
			return VK_NULL_HANDLE;
		flight->updates[flight->update_count++] = made;
	}
	VkCommandBuffer buffer = flight->updates[flight->updates_used];
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	if (queue->device->next.BeginCommandBuffer(buffer, &begin) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	flight->updates_used++;
	return buffer;
}

void vkr_flight_cancel(struct vkr_layer_queue *queue, struct vkr_flight *flight)
{
	for (size_t i = 0; i < flight->count; i++) {
		struct vkr_flight_execution *execution = &flight->items[i];
		if (execution->region)
			vkr_log_region_give(queue->device, execution->region);
		atomic_fetch_sub(&execution->track->pending, 1);
		vkr_track_release(execution->track);
	}
	flight->count = 0;
	pthread_mutex_lock(&queue->lock);
	flight->next = queue->spent;
	queue->spent = flight;
	pthread_mutex_unlock(&queue->lock);
}

// Answers each of the execution's stops, which nobody else does.
static void answer_stops(struct vkr_layer_queue *queue, struct vkr_flight_execution *execution)
{
	const struct vkr_layer_device *device = queue->device;
	const struct vkr_track *track = execution->track;
	for (size_t i = 0; track->filled && i < track->stretches.count; i++) {
		VkResult filled;
		while ((filled = device->next.GetEventStatus(device->handle, track->filled)) ==
		       VK_EVENT_RESET)
			log_drain_nap();
		if (filled != VK_EVENT_SET) // the device is lost
			return;
		answer_stop(queue, execution);
	}
}

void vkr_flight_abandon(struct vkr_layer_queue *queue, struct vkr_flight *flight)
{
	for (size_t i = 0; i < flight->count; i++) {
		struct vkr_flight_execution *execution = &flight->items[i];
		vkr_track_mix(execution->track);
		execution->region = NULL; // not used again: the device may log into it
		answer_stops(queue, execution);
		if (execution->execution)
			record_end(execution->execution, 0, VKR_EXECUTION_UNOBSERVED);
	}
	vkr_flight_cancel(queue, flight);
}

// The thread gets none of the program's signals.
static bool start_drainer(struct vkr_layer_queue *queue)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(&queue->drainer, NULL, drain_flights, queue) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

uint64_t vkr_flight_add(struct vkr_layer_queue *queue, struct vkr_flight *flight)
{
	pthread_mutex_lock(&queue->lock);
	flight->number = ++queue->flown;
	flight->next = NULL;
	*queue->newest = flight;
	queue->newest = &flight->next;
	if (!queue->draining && !queue->stop)
		queue->draining = start_drainer(queue);
	pthread_cond_broadcast(&queue->changed);
	uint64_t number = flight->number;
	// Without a thread, here and now: the device may wait for it.
	while (!queue->draining && queue->oldest)
		drain_oldest(queue);
	pthread_mutex_unlock(&queue->lock);
	return number;
}

uint64_t vkr_drain_newest(struct vkr_layer_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	uint64_t number = queue->flown;
	pthread_mutex_unlock(&queue->lock);
	return number;
}

void vkr_drain_wait(struct vkr_layer_queue *queue, uint64_t number)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->draining && queue->drained < number)
		pthread_cond_wait(&queue->changed, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
}

// Called with the queue locked.
static struct vkr_flight *newest_flight(const struct vkr_layer_queue *queue)
{
	struct vkr_flight *flight = queue->oldest;
	while (flight && flight->next)
		flight = flight->next;
	return flight;
}

// For lack of memory it is as if nobody waited for the semaphore.
void vkr_drain_signal(struct vkr_layer_queue *queue, uint32_t semaphore, uint64_t value)
{
	pthread_mutex_lock(&queue->lock);
	struct vkr_flight *flight = newest_flight(queue);
	if (flight && vkr_array_reserve((void **)&flight->signals, &flight->signal_capacity,
					flight->signal_count + 1, sizeof *flight->signals))
		flight->signals[flight->signal_count++] =
			(struct vkr_flight_signal){semaphore, value};
	pthread_mutex_unlock(&queue->lock);
}

static bool is_over(const struct vkr_flight *flight, uint32_t semaphore, uint64_t value)
{
	for (size_t i = 0; i < flight->signal_count; i++)
		if (flight->signals[i].semaphore == semaphore && flight->signals[i].value <= value)
			return true;
	return false;
}

void vkr_drain_wait_signal(struct vkr_layer_device *device, uint32_t semaphore, uint64_t value)
{
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device) {
		uint64_t number = 0;
		pthread_mutex_lock(&queue->lock);
		for (const struct vkr_flight *flight = queue->oldest; flight; flight = flight->next)
			if (is_over(flight, semaphore, value))
				number = flight->number;
		pthread_mutex_unlock(&queue->lock);
		vkr_drain_wait(queue, number);
	}
}

bool vkr_drain_wait_track(struct vkr_track *track)
{
	const uint64_t end = now_ns() + TRACK_PATIENCE_MS * UINT64_C(1000000);
	while (atomic_load(&track->pending)) {
		if (now_ns() >= end)
			return false;
		log_drain_nap();
	}
	return true;
}

bool vkr_drain_wait_oldest(struct vkr_layer_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	const uint64_t oldest = queue->drained + 1;
	const bool is_there = queue->draining && oldest <= queue->flown;
	bool waits = is_there && oldest != queue->held_up;
	while (waits && queue->drained < oldest) {
		const uint64_t before = queue->answered;
		struct timespec end;
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_sec += TRACK_PATIENCE_MS / 1000;
		waits = pthread_cond_clockwait(&queue->changed, &queue->lock, CLOCK_MONOTONIC,
					       &end) == 0 ||
			queue->answered != before;
	}
	const bool drained = queue->drained >= oldest;
	queue->held_up = is_there && !drained ? oldest : 0;
	pthread_mutex_unlock(&queue->lock);
	return drained;
}

bool vkr_drain_is_done(struct vkr_layer_queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	const bool done = queue->drained == queue->flown;
	pthread_mutex_unlock(&queue->lock);
	return done;
}

void vkr_drain_stop(struct vkr_layer_queue *queue, uint64_t patience_ms)
{
	pthread_mutex_lock(&queue->lock);
	queue->stop = true;
	queue->stop_ns = now_ns() + patience_ms * UINT64_C(1000000);
	bool draining = queue->draining;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
	if (draining)
		pthread_join(queue->drainer, NULL);
	else
		drain_flights(queue);
	pthread_mutex_lock(&queue->lock);
	queue->draining = false;
	pthread_cond_broadcast(&queue->changed);
	pthread_mutex_unlock(&queue->lock);
}

void vkr_drain_finish(struct vkr_layer_queue *queue)
{
	struct vkr_layer_device *device = queue->device;
	while (queue->spent) {
		struct vkr_flight *flight = queue->spent;
		queue->spent = flight->next;
		device->next.DestroyFence(device->handle, flight->fence, NULL);
		free(flight->items);
		free(flight->updates);
		free(flight->signals);
		free(flight);
	}
	vkr_log_mirror_destroy(queue->mirror);
	device->next.DestroyCommandPool(device->handle, queue->pool, NULL);
}
