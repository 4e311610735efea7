// SPDX-License-Identifier: Apache-2.0
#include "watch_pending.h"

#include "array.h"
#include "host_regions.h"
#include "watch_writes.h"

#include <stdlib.h>
#include <string.h>

struct signal {
	uint32_t semaphore, queue;
	uint64_t number, value; // of the submission; of a timeline
};

// A submission that is not known to be over.
struct submission {
	struct submission *next;
	uint32_t id, queue;
	uint64_t number; // in its queue, from 1
	struct vkr_watch_ranges ranges;
	// Submissions that it waits for: all up to these are over when it is.
	struct {
		struct signal *items;
		size_t count, capacity;
	} waits;
	struct vkr_watch_ranges handed; // written bytes that a barrier in it brings to the host
};

struct mapped {
	uint32_t memory;
	struct vkr_region *region;
};

struct queue {
	uint32_t id, device;
	uint64_t newest;
};

static struct submission *pending, **last_pending = &pending;
static struct {
	struct mapped *items;
	size_t count, capacity;
} mapped, orphans;
static struct {
	struct queue *items;
	size_t count, capacity;
} queues;
static struct {
	struct signal *items;
	size_t count, capacity;
} signals;
static struct {
	struct signal *items; // `semaphore` is the fence
	size_t count, capacity;
} fences;
static struct vkr_watch_unhanded unhanded;

// `range->memory` 0: all of every one.
static void close_range(const struct vkr_watch_range *range, bool close)
{
	for (size_t i = 0; i < mapped.count; i++) {
		struct vkr_region *region = mapped.items[i].region;
		uint64_t offset = 0, bytes = region->bytes;
		if (range->memory && range->memory != mapped.items[i].memory)
			continue;
		if (range->memory) {
			const uint64_t end = range->offset + range->bytes;
			const uint64_t region_end = region->first + region->bytes;
			// The region may begin before the memory's first byte, or after it.
			const uint64_t first = (int64_t)(range->offset - region->first) > 0
						       ? range->offset
						       : region->first;
			if ((int64_t)(region_end - first) <= 0 || (int64_t)(end - first) <= 0)
				continue;
			offset = first - region->first;
			bytes = (end < region_end ? end : region_end) - first;
		}
		if (close)
			vkr_region_close(region, offset, bytes);
		else
			vkr_region_reopen(region, offset, bytes);
	}
}

static void close_write(const struct vkr_watch_range *range)
{
	close_range(range, true);
}

static void close_all(const struct vkr_watch_ranges *ranges, bool close)
{
	for (size_t i = 0; i < ranges->count; i++)
		close_range(&ranges->items[i], close);
}

static bool ranges_hold_memory(const struct vkr_watch_ranges *ranges, uint32_t memory)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].memory == memory)
			return true;
	return false;
}

static bool in_use(uint32_t memory)
{
	for (const struct submission *at = pending; at; at = at->next)
		if (ranges_hold_memory(&at->ranges, memory))
			return true;
	return false;
}

static struct queue *find_queue(uint32_t id)
{
	for (size_t i = 0; i < queues.count; i++)
		if (queues.items[i].id == id)
			return &queues.items[i];
	return NULL;
}

// Walking a submission.
struct walking {
	struct submission *submission;
	bool lost;
};

static void on_access(void *user, const struct vkr_watch_range *range, enum vkr_event_writer writer)
{
	struct walking *walking = user;
	bool added = false;
	walking->lost |= !vkr_watch_ranges_add(&walking->submission->ranges, range, &added);
	if (added)
		close_range(range, true);
	if (writer == VKR_WRITER_NONE)
		return;
	walking->lost |= !vkr_watch_unhanded_add(&unhanded, range, writer,
						 walking->submission->queue, &added);
	if (added)
		close_range(range, true);
}

static bool on_barrier(void *user, const struct vkr_trace_barrier *barrier,
		       const struct vkr_watch_range *range)
{
	struct walking *walking = user;
	const uint64_t moves = unhanded.moves;
	walking->lost |=
		!vkr_watch_unhanded_barrier(&unhanded, barrier, range, walking->submission->queue,
					    &walking->submission->handed);
	return unhanded.moves != moves;
}

static bool add_wait(struct submission *submission,
		     const struct vkr_trace_semaphore_operation *wait)
{
	const struct signal *best = NULL;
	for (size_t i = 0; i < signals.count; i++) {
		const struct signal *at = &signals.items[i];
		if (at->semaphore == wait->semaphore && at->value >= wait->value &&
		    (!best || at->value < best->value))
			best = at;
	}
	// What is signaled later may be anything: the submission alone is known to be over.
	if (!best)
		return true;
	if (!vkr_watch_unhanded_follow(&unhanded, best->queue, submission->queue) ||
	    !VKR_ARRAY_RESERVE(&submission->waits, 1))
		return false;
	submission->waits.items[submission->waits.count++] = *best;
	return true;
}

// A binary semaphore has one signal at a time; a timeline all that were not reached yet.
static bool add_signal(const struct submission *submission,
		       const struct vkr_trace_semaphore_operation *operation)
{
	const struct signal made = {operation->semaphore, submission->queue, submission->number,
				    operation->value};
	for (size_t i = 0; i < signals.count; i++)
		if (signals.items[i].semaphore == made.semaphore &&
		    signals.items[i].value == made.value) {
			signals.items[i] = made;
			return true;
		}
	if (!VKR_ARRAY_RESERVE(&signals, 1))
		return false;
	signals.items[signals.count++] = made;
	return true;
}

static bool set_fence(uint32_t fence, const struct submission *submission)
{
	const struct signal made = {fence, submission->queue, submission->number, 0};
	if (!fence)
		return true;
	for (size_t i = 0; i < fences.count; i++)
		if (fences.items[i].semaphore == fence) {
			fences.items[i] = made;
			return true;
		}
	if (!VKR_ARRAY_RESERVE(&fences, 1))
		return false;
	fences.items[fences.count++] = made;
	return true;
}

static bool watch_pending_submit(const struct vkr_trace_submit *payload, const void *tail)
{
	const struct vkr_trace_batch *batches = tail;
	const struct vkr_trace_semaphore_operation *waits =
		(const struct vkr_trace_semaphore_operation *)(batches + payload->batch_count);
	const struct vkr_trace_execution *executions =
		(const struct vkr_trace_execution *)(waits + payload->wait_count);
	const struct vkr_trace_semaphore_operation *done =
		(const struct vkr_trace_semaphore_operation *)(executions +
							       payload->execution_count);
	struct queue *queue = find_queue(payload->queue);
	struct submission *made = calloc(1, sizeof *made);
	if (!queue || !made) {
		free(made);
		return false;
	}
	made->id = payload->submission;
	made->queue = queue->id;
	made->number = ++queue->newest;
	*last_pending = made;
	last_pending = &made->next;
	struct walking walking = {.submission = made};
	struct vkr_watch_sink sink = {&walking, on_access, on_barrier, 0};
	bool kept = set_fence(payload->fence, made);
	for (uint32_t i = 0; i < payload->wait_count; i++)
		kept = add_wait(made, &waits[i]) && kept;
	for (uint32_t i = 0; i < payload->execution_count; i++)
		vkr_watch_walk(executions[i].recording, &sink);
	for (uint32_t i = 0; i < payload->signal_count; i++)
		kept = add_signal(made, &done[i]) && kept;
	return kept && !walking.lost;
}

static void free_submission(struct submission *submission)
{
	close_all(&submission->ranges, false);
	close_all(&submission->handed, false);
	vkr_watch_ranges_finish(&submission->ranges);
	vkr_watch_ranges_finish(&submission->handed);
	free(submission->waits.items);
	free(submission);
}

// Unlinks the first one that `device` or the queue has up to the number; NULL where none is left.
static struct submission *take_submission(uint32_t queue, uint64_t number)
{
	for (struct submission **at = &pending; *at; at = &(*at)->next) {
		struct submission *found = *at;
		if (found->queue != queue || found->number > number)
			continue;
		*at = found->next;
		if (!found->next)
			last_pending = at;
		return found;
	}
	return NULL;
}

static bool is_of(const struct signal *signal, uint32_t queue, uint64_t number)
{
	return signal->queue == queue && signal->number <= number;
}

// Whether a later one says as much of what is over.
static bool is_outdone(const struct signal *signal, uint32_t queue, uint64_t number)
{
	for (size_t i = 0; i < signals.count; i++)
		if (signals.items[i].semaphore == signal->semaphore &&
		    signals.items[i].value > signal->value &&
		    is_of(&signals.items[i], queue, number))
			return true;
	return false;
}

// Of the values of a timeline that are over, the last one is enough: a timeline may count for as
// long as the program runs, and nobody ask for its values.
static void forget_outdone(uint32_t queue, uint64_t number)
{
	size_t kept = 0;
	for (size_t i = 0; i < signals.count; i++)
		if (signals.items[i].value == 0 || // binary
		    !is_of(&signals.items[i], queue, number) ||
		    !is_outdone(&signals.items[i], queue, number))
			signals.items[kept++] = signals.items[i];
	signals.count = kept;
}

// The queue's submissions up to the number are over, and what they have waited for.
static void watch_pending_over(uint32_t queue, uint64_t number)
{
	forget_outdone(queue, number);
	struct submission *found;
	while ((found = take_submission(queue, number))) {
		for (size_t i = 0; i < found->waits.count; i++)
			watch_pending_over(found->waits.items[i].queue,
					   found->waits.items[i].number);
		free_submission(found);
	}
}

static void release_orphans(void)
{
	for (size_t i = 0; i < orphans.count;) {
		if (in_use(orphans.items[i].memory)) {
			i++;
			continue;
		}
		vkr_region_destroy(orphans.items[i].region);
		orphans.items[i] = orphans.items[--orphans.count];
	}
}

static void fence_seen(uint32_t fence)
{
	for (size_t i = 0; i < fences.count; i++)
		if (fences.items[i].semaphore == fence) {
			watch_pending_over(fences.items[i].queue, fences.items[i].number);
			fences.items[i] = fences.items[--fences.count];
			return;
		}
}

static void value_seen(uint32_t semaphore, uint64_t value)
{
	for (size_t i = 0; i < signals.count;) {
		const struct signal at = signals.items[i];
		if (at.semaphore != semaphore || at.value > value) {
			i++;
			continue;
		}
		signals.items[i] = signals.items[--signals.count];
		watch_pending_over(at.queue, at.number);
		i = 0; // others may have gone
	}
}

static void forget_waiter(uint32_t object, bool fence)
{
	struct signal *items = fence ? fences.items : signals.items;
	size_t *count = fence ? &fences.count : &signals.count;
	for (size_t i = 0; i < *count;)
		if (items[i].semaphore == object)
			items[i] = items[--*count];
		else
			i++;
}

static void device_idle(uint32_t device)
{
	for (size_t i = 0; i < queues.count; i++)
		if (queues.items[i].device == device)
			watch_pending_over(queues.items[i].id, UINT64_MAX);
}

static void submit_failed(uint32_t id)
{
	for (struct submission *at = pending; at; at = at->next)
		if (at->id == id) {
			close_all(&at->ranges, false);
			vkr_watch_ranges_finish(&at->ranges);
			return;
		}
}

static bool add_queue(const struct vkr_trace_queue *payload)
{
	if (!VKR_ARRAY_RESERVE(&queues, 1))
		return false;
	queues.items[queues.count++] =
		(struct queue){.id = payload->queue, .device = payload->device};
	return true;
}

bool vkr_watch_pending_event(enum vkr_trace_type type, const void *payload, const void *tail)
{
	const uint32_t *words = payload;
	const struct vkr_trace_semaphore_wait *wait = payload;
	switch ((int)type) {
	case VKR_TRACE_QUEUE:
		return add_queue(payload);
	case VKR_TRACE_SUBMIT:
		return watch_pending_submit(payload, tail);
	case VKR_TRACE_SUBMIT_FAILED:
		submit_failed(words[0]);
		break;
	case VKR_TRACE_FENCE_WAIT:
		fence_seen(words[0]);
		break;
	case VKR_TRACE_MEMORY_FREE:
		vkr_watch_unhanded_forget(&unhanded, words[0]);
		return true;
	case VKR_TRACE_FENCE_DESTROY:
		forget_waiter(words[0], true);
		return true;
	case VKR_TRACE_SEMAPHORE_WAIT:
		value_seen(wait->semaphore, wait->value);
		break;
	case VKR_TRACE_SEMAPHORE_DESTROY:
		forget_waiter(words[0], false);
		return true;
	case VKR_TRACE_QUEUE_IDLE:
		watch_pending_over(words[0], UINT64_MAX);
		break;
	case VKR_TRACE_DEVICE_IDLE:
	case VKR_TRACE_DEVICE_DESTROY:
		device_idle(words[0]);
		break;
	default:
		return true;
	}
	release_orphans();
	return true;
}

bool vkr_watch_pending_map(uint32_t memory, struct vkr_region *region)
{
	if (!VKR_ARRAY_RESERVE(&mapped, 1))
		return false;
	// Closed by all that is known by now, as if it had been mapped before.
	const size_t others = mapped.count;
	const struct mapped only = {memory, region};
	struct mapped *items = mapped.items;
	items[others] = only;
	mapped.items = &items[others];
	mapped.count = 1;
	for (const struct submission *at = pending; at; at = at->next) {
		close_all(&at->ranges, true);
		close_all(&at->handed, true);
	}
	vkr_watch_unhanded_each(&unhanded, close_write);
	mapped.items = items;
	mapped.count = others + 1;
	return true;
}

void vkr_watch_pending_unmap(const struct vkr_region *region)
{
	for (size_t i = 0; i < mapped.count; i++)
		if (mapped.items[i].region == region) {
			vkr_region_reopen_all(mapped.items[i].region);
			mapped.items[i] = mapped.items[--mapped.count];
			return;
		}
}

bool vkr_watch_pending_free(uint32_t memory, struct vkr_region *region)
{
	vkr_watch_pending_unmap(region);
	vkr_watch_unhanded_forget(&unhanded, memory);
	if (!in_use(memory))
		return true;
	if (!VKR_ARRAY_RESERVE(&orphans, 1))
		return false; // never destroyed: the device may still use it
	orphans.items[orphans.count++] = (struct mapped){memory, region};
	return false;
}

void vkr_watch_pending_give_up(void)
{
	const struct vkr_watch_range all = {.bytes = UINT64_MAX};
	close_range(&all, true);
}
