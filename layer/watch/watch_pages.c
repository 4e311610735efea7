// SPDX-License-Identifier: Apache-2.0
#include "watch_pages.h"

#include "got_patch.h"
#include "host_regions.h"
#include "host_signals.h"
#include "record.h"
#include "watch_pending.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_wait(enum vkr_trace_type type)
{
	switch ((int)type) {
	case VKR_TRACE_SUBMIT_FAILED:
	case VKR_TRACE_FENCE_WAIT:
	case VKR_TRACE_SEMAPHORE_WAIT:
	case VKR_TRACE_QUEUE_IDLE:
	case VKR_TRACE_DEVICE_IDLE:
	case VKR_TRACE_DEVICE_DESTROY:
		return true;
	default:
		return false;
	}
}

// The tail in one piece; *made is what must be freed. False for lack of memory.
static bool join_pieces(const struct vkr_bytes *pieces, size_t piece_count, const void **tail,
			size_t *bytes, void **made)
{
	*made = NULL;
	*tail = piece_count ? pieces[0].data : NULL;
	*bytes = 0;
	for (size_t i = 0; i < piece_count; i++)
		*bytes += pieces[i].bytes;
	if (piece_count < 2)
		return true;
	unsigned char *joined = malloc(*bytes + 1);
	*tail = *made = joined;
	for (size_t i = 0; joined && i < piece_count; i++) {
		if (pieces[i].bytes)
			memcpy(joined, pieces[i].data, pieces[i].bytes);
		joined += pieces[i].bytes;
	}
	return joined != NULL;
}

static void take_event(enum vkr_trace_type type, const void *payload,
		       const struct vkr_bytes *pieces, size_t piece_count)
{
	const void *tail;
	void *made;
	size_t bytes;
	bool kept = join_pieces(pieces, piece_count, &tail, &bytes, &made);
	pthread_mutex_lock(&lock);
	if (type == VKR_TRACE_SUBMIT || is_wait(type))
		vkr_regions_arm_again();
	kept = kept && vkr_watch_objects_event(type, payload, tail, bytes) &&
	       vkr_watch_pending_event(type, payload, tail);
	if (!kept)
		vkr_watch_pending_give_up();
	pthread_mutex_unlock(&lock);
	free(made);
	if (!kept)
		vkr_record_no_memory("what submitted work accesses: host threads run slower");
}

void vkr_watch_pages_before(enum vkr_trace_type type, const void *payload,
			    const struct vkr_bytes *pieces, size_t piece_count)
{
	if (is_wait(type))
		return;
	if (type == VKR_TRACE_SUBMIT) {
		vkr_signals_check();
		vkr_got_patch_update();
	}
	take_event(type, payload, pieces, piece_count);
}

void vkr_watch_pages_after(enum vkr_trace_type type, const void *payload,
			   const struct vkr_bytes *pieces, size_t piece_count)
{
	if (is_wait(type))
		take_event(type, payload, pieces, piece_count);
}

bool vkr_watch_pages_map(uint32_t memory, struct vkr_region *region)
{
	pthread_mutex_lock(&lock);
	bool kept = vkr_watch_pending_map(memory, region);
	pthread_mutex_unlock(&lock);
	return kept;
}

void vkr_watch_pages_close(struct vkr_region *region)
{
	pthread_mutex_lock(&lock);
	vkr_region_close_always(region);
	pthread_mutex_unlock(&lock);
}

void vkr_watch_pages_unmap(const struct vkr_region *region)
{
	pthread_mutex_lock(&lock);
	vkr_watch_pending_unmap(region);
	pthread_mutex_unlock(&lock);
}

bool vkr_watch_pages_free(uint32_t memory, struct vkr_region *region)
{
	pthread_mutex_lock(&lock);
	bool unused = vkr_watch_pending_free(memory, region);
	pthread_mutex_unlock(&lock);
	return unused;
}
