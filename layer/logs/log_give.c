// SPDX-License-Identifier: Apache-2.0
// Which log an execution gets, and how its cells are made to lead there.
// Knows executions under way; not how logs are drained.
#include "log_give.h"

#include "array.h"
#include "record.h"

// Two executions of one track share its cell: on one queue the device sets it in between, but not
// where they are on two queues, or where the host empties the log while they run; nor is there room
// for what two capture.
static bool log_give_shares(const struct vkr_track *track, const struct vkr_layer_queue *queue)
{
	return atomic_load(&track->pending) &&
	       (track->filled || track->snapshots.count > 0 || atomic_load(&track->queue) != queue);
}

static bool wait_until_alone(struct vkr_track *track, const struct vkr_layer_queue *queue)
{
	bool alone = !log_give_shares(track, queue) || vkr_drain_wait_track(track);
	for (size_t i = 0; i < track->count; i++)
		alone = alone && (!log_give_shares(track->items[i].track, queue) ||
				  vkr_drain_wait_track(track->items[i].track));
	return alone;
}

static void mark_one(struct vkr_layer_queue *queue, struct vkr_flight *flight,
		     struct vkr_track *track, uint32_t execution, struct vkr_log_region *region)
{
	atomic_store(&track->queue, queue);
	atomic_fetch_add(&track->pending, 1);
	flight->items[flight->count++] = (struct vkr_flight_execution){
		.execution = execution,
		.track = vkr_track_hold(track),
		.region = region,
	};
}

// The execution is under way, and with it all that it calls.
static void mark_pending(struct vkr_layer_queue *queue, struct vkr_flight *flight,
			 const struct vkr_log_want *want, struct vkr_log_region *region)
{
	struct vkr_track *track = want->track;
	for (size_t i = 0; i < track->count; i++)
		mark_one(queue, flight, track->items[i].track, 0, NULL);
	mark_one(queue, flight, track, want->execution, region);
}

// Sets a cell that executions of the track read: by recording into `update`, a command buffer
// before the execution, or, if `update` is VK_NULL_HANDLE, from the host once no execution is under
// way. False if waiting for that failed.
static bool set_cell(struct vkr_track *track, struct vkr_cell_place place,
		     const struct vkr_gpu_cell *cell, VkCommandBuffer update)
{
	const bool pending = atomic_load(&track->pending) != 0;
	if (pending && update)
		vkr_cell_record(track->device, update, place, cell);
	else if (!pending || vkr_drain_wait_track(track))
		vkr_cell_set(place, cell);
	else
		return false;
	return true;
}

// Sets the execution's cell, and those of its calls.
static bool set_all(struct vkr_track *track, const struct vkr_gpu_cell *cell,
		    VkCommandBuffer update)
{
	bool set = set_cell(track, vkr_track_cell_place(track), cell, update);
	for (size_t i = 0; set && i < track->count; i++) {
		const struct vkr_call *call = &track->items[i];
		const struct vkr_gpu_cell of_call = vkr_track_call_cell(cell, track, i);
		set = set_cell(call->reader, call->place, &of_call, update);
	}
	return set;
}

static bool any_pending(const struct vkr_track *track)
{
	bool pending = atomic_load(&track->pending) != 0;
	for (size_t i = 0; i < track->count; i++)
		pending |= atomic_load(&track->items[i].reader->pending) != 0;
	return pending;
}

// Sets the execution's cells, by a command buffer of the layer's own if executions are under way.
// If none can be made, waits for them instead.
static bool set_cells(struct vkr_layer_queue *queue, struct vkr_flight *flight,
		      struct vkr_track *track, const struct vkr_gpu_cell *cell,
		      VkCommandBuffer *update)
{
	VkCommandBuffer made =
		any_pending(track) ? vkr_flight_update(queue, flight) : VK_NULL_HANDLE;
	bool set = set_all(track, cell, made);
	if (made && queue->device->next.EndCommandBuffer(made) != VK_SUCCESS) {
		made = VK_NULL_HANDLE;
		set = set_all(track, cell, made);
	}
	*update = made;
	return set;
}

static struct vkr_log_region *take_region(struct vkr_layer_queue *queue,
					  const struct vkr_track *track)
{
	if (track->ambiguous) {
		vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
				    "a command buffer executes one secondary several times, in "
				    "render passes: its shaders are not observed");
		return NULL;
	}
	struct vkr_log_region_want want = {
		.first = vkr_track_chunks_start(track, 0),
		.least = vkr_track_least_words(track),
		.is_whole = true,
	};
	struct vkr_log_region *region = vkr_log_region_take(queue->device, &want);
	while (!region && vkr_drain_wait_oldest(queue))
		region = vkr_log_region_take(queue->device, &want);
	want.is_whole = false;
	if (!region)
		region = vkr_log_region_take(queue->device, &want);
	if (!region)
		vkr_record_no_memory("a log: a submission is not observed");
	return region;
}

bool vkr_log_give(struct vkr_layer_queue *queue, struct vkr_flight **flight,
		  const struct vkr_log_want *want, VkCommandBuffer *update)
{
	struct vkr_track *track = want->track;
	if (!*flight)
		*flight = vkr_flight_take(queue);
	if (!*flight || !VKR_ARRAY_RESERVE(*flight, 1 + track->count))
		return false;
	if (vkr_track_is_mixed(track) || !wait_until_alone(track, queue) ||
	    (!want->may_update && !vkr_drain_wait_track(track))) {
		vkr_track_mix(track);
		mark_pending(queue, *flight, want, NULL);
		return true;
	}
	struct vkr_log_region *region = want->nothing ? NULL : take_region(queue, track);
	const struct vkr_gpu_cell cell = vkr_track_cell(track, region);
	if (!set_cells(queue, *flight, track, &cell, update))
		vkr_track_mix(track);
	mark_pending(queue, *flight, want, region);
	return true;
}

// A cell may point to a log that is no longer the execution's own, or that others log into. With no
// execution under way it points nowhere.
bool vkr_log_leave_out(struct vkr_track *track)
{
	const struct vkr_gpu_cell nowhere = vkr_track_cell(track, NULL);
	if (track->filled)
		return false;
	vkr_record_no_memory("a log: a submission is not observed");
	vkr_track_mix(track);
	if (!atomic_load(&track->pending))
		vkr_cell_set(vkr_track_cell_place(track), &nowhere);
	for (size_t i = 0; i < track->count; i++)
		if (!atomic_load(&track->items[i].reader->pending))
			vkr_cell_set(track->items[i].place, &nowhere);
	return true;
}

void vkr_log_without_updates(struct vkr_flight *flight)
{
	for (size_t i = 0; i < flight->count; i++)
		vkr_track_mix(flight->items[i].track);
	vkr_record_no_memory("a submission's logs: it is not observed");
}
