// SPDX-License-Identifier: Apache-2.0
#include "ring.h"

#include "descriptor.h"
#include "error.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A sleeping consumer is woken when this much is there, or by a flush: a wake-up costs as much as
// judging some hundred events.
#define WAKE_BYTES UINT64_C(65536)

// How long a producer sleeps for room before it asks whether its consumer still lives.
#define PEER_CHECK_MS 100

static void futex_wait(_Atomic uint32_t *word, uint32_t expected, int milliseconds)
{
	struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
	syscall(SYS_futex, word, FUTEX_WAIT, expected, milliseconds < 0 ? NULL : &time, NULL, 0);
}

static void ring_wake(_Atomic uint32_t *waits)
{
	if (atomic_exchange(waits, 0))
		syscall(SYS_futex, waits, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

// Maps the first page, and the bytes twice in a row.
static enum vkr_result map_memory(struct vkr_ring *ring, size_t page, struct vkr_error *error)
{
	ring->shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ring->memory, 0);
	if (ring->shared == MAP_FAILED) {
		ring->shared = NULL;
		return vkr_error_set(error, VKR_ERROR_MEMORY, "cannot map the event ring: %s",
				     strerror(errno));
	}
	unsigned char *place = mmap(NULL, 2 * ring->capacity, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (place == MAP_FAILED)
		return vkr_error_memory(error, "the event ring's addresses");
	ring->bytes = place;
	for (size_t half = 0; half < 2; half++) {
		if (mmap(place + half * ring->capacity, ring->capacity, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, ring->memory, (off_t)page) == MAP_FAILED)
			return vkr_error_set(error, VKR_ERROR_MEMORY,
					     "cannot map the event ring: %s", strerror(errno));
	}
	return VKR_OK;
}

// The page that a forked child finds zeroed.
static enum vkr_result map_owner(struct vkr_ring *ring, size_t page, struct vkr_error *error)
{
	void *owner = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (owner == MAP_FAILED)
		return vkr_error_memory(error, "the event ring");
	ring->owner = owner;
	if (madvise(owner, page, MADV_WIPEONFORK) != 0)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "this kernel lacks MADV_WIPEONFORK (Linux 4.14): %s",
				     strerror(errno));
	*ring->owner = 1;
	return VKR_OK;
}

enum vkr_result vkr_ring_create(struct vkr_ring *ring, uint64_t capacity, bool (*peer_gone)(void *),
				void *peer, struct vkr_error *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t rounded = page;
	while (rounded < capacity)
		rounded *= 2;
	*ring = (struct vkr_ring){.capacity = rounded, .peer_gone = peer_gone, .peer = peer};
	pthread_mutex_init(&ring->mutex, NULL);
	ring->memory = vkr_descriptor_of_memory("vkrace-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING,
						page + rounded);
	enum vkr_result result = VKR_OK;
	if (ring->memory < 0) {
		result = vkr_error_set(error, VKR_ERROR_MEMORY, "cannot make the event ring: %s%s",
				       strerror(errno), errno == EFBIG ? " (ulimit -f)" : "");
		goto fail;
	}
	result = map_memory(ring, page, error);
	if (result == VKR_OK)
		result = map_owner(ring, page, error);
	if (result != VKR_OK)
		goto fail;
	assert(ring->shared != NULL);
	ring->shared->capacity = rounded;
	return VKR_OK;
fail:
	vkr_ring_finish(ring);
	return result;
}

enum vkr_result vkr_ring_attach(struct vkr_ring *ring, int memory, struct vkr_error *error)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct stat status;
	*ring = (struct vkr_ring){.memory = -1};
	pthread_mutex_init(&ring->mutex, NULL);
	enum vkr_result result = VKR_OK;
	if (fstat(memory, &status) != 0 || status.st_size <= (off_t)page) {
		result = vkr_error_set(error, VKR_ERROR_FORMAT, "descriptor %d is no event ring",
				       memory);
		goto fail;
	}
	ring->capacity = (uint64_t)status.st_size - page;
	ring->memory = memory;
	result = map_memory(ring, page, error);
	ring->memory = -1;
	if (result != VKR_OK)
		goto fail;
	assert(ring->shared != NULL);
	if (ring->shared->capacity != ring->capacity ||
	    (ring->capacity & (ring->capacity - 1)) != 0) {
		result = vkr_error_set(error, VKR_ERROR_FORMAT,
				       "descriptor %d is an event ring of another build", memory);
		goto fail;
	}
	return VKR_OK;
fail:
	vkr_ring_finish(ring);
	return result;
}

void vkr_ring_finish(struct vkr_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (ring->shared)
		munmap(ring->shared, page);
	if (ring->bytes)
		munmap(ring->bytes, 2 * ring->capacity);
	if (ring->owner)
		munmap(ring->owner, page);
	vkr_ring_close_memory(ring);
	pthread_mutex_destroy(&ring->mutex);
	*ring = (struct vkr_ring){.memory = -1};
}

void vkr_ring_close_memory(struct vkr_ring *ring)
{
	if (ring->memory >= 0)
		close(ring->memory);
	ring->memory = -1;
}

static void ring_publish(struct vkr_ring *ring, bool wake_up)
{
	struct vkr_ring_shared *shared = ring->shared;
	atomic_store_explicit(&shared->head, ring->head, memory_order_release);
	// Against the consumer that sets consumer_waits and then looks at head once more.
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(&shared->consumer_waits, memory_order_relaxed))
		return;
	uint64_t tail = atomic_load_explicit(&shared->tail, memory_order_relaxed);
	if (wake_up || ring->head - tail >= WAKE_BYTES)
		ring_wake(&shared->consumer_waits);
}

// Takes the consumer's tail over. A program may write over the ring's memory: false where the tail
// is before the one that was known, or beyond the head.
static bool know_tail(struct vkr_ring *ring)
{
	const uint64_t tail = atomic_load_explicit(&ring->shared->tail, memory_order_acquire);
	if (tail < ring->known_tail || tail > ring->head)
		return false;
	ring->known_tail = tail;
	return true;
}

// Sleeps until the consumer's tail is at least `tail`. False where the consumer is gone.
static bool wait_for_tail(struct vkr_ring *ring, uint64_t tail)
{
	struct vkr_ring_shared *shared = ring->shared;
	ring_publish(ring, true);
	for (;;) {
		const bool sensible = know_tail(ring);
		if (sensible && ring->known_tail >= tail)
			return true;
		if (!sensible)
			atomic_store(&shared->abandoned, 1);
		if (atomic_load_explicit(&shared->abandoned, memory_order_acquire))
			return false;
		atomic_store(&shared->producer_waits, 1);
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load(&shared->tail) < tail && !atomic_load(&shared->abandoned)) {
			futex_wait(&shared->producer_waits, 1, PEER_CHECK_MS);
			if (ring->peer_gone && ring->peer_gone(ring->peer)) {
				atomic_store(&shared->abandoned, 1);
				return false;
			}
		}
		atomic_store_explicit(&shared->producer_waits, 0, memory_order_relaxed);
	}
}

// Waits for `bytes` bytes of room, or marks the event as dropped.
static void make_room(struct vkr_ring *ring, uint64_t bytes)
{
	uint64_t end = ring->head + bytes;
	if (end > ring->known_tail + ring->capacity && !wait_for_tail(ring, end - ring->capacity))
		ring->dropping = ring->lost = true;
}

void vkr_ring_begin(struct vkr_ring *ring, const struct vkr_trace_event *event)
{
	assert(event->bytes % 8 == 0 && event->bytes >= sizeof *event);
	// A forked child may find the lock taken for good: it never takes it.
	if (!*ring->owner)
		return;
	pthread_mutex_lock(&ring->mutex);
	ring->end = ring->head + event->bytes;
	ring->dropping = atomic_load_explicit(&ring->shared->abandoned, memory_order_relaxed);
	if (ring->dropping)
		ring->lost = true;
	else // of a larger event at least the header is published whole
		make_room(ring, event->bytes <= ring->capacity ? event->bytes : sizeof *event);
	vkr_ring_put(ring, event, sizeof *event);
}

void vkr_ring_put(struct vkr_ring *ring, const void *data, size_t bytes)
{
	if (!*ring->owner)
		return;
	const unsigned char *from = data;
	while (bytes > 0 && !ring->dropping) {
		assert(ring->head + bytes <= ring->end);
		uint64_t room = ring->known_tail + ring->capacity - ring->head;
		if (room == 0) {
			// Only within an event larger than the ring: half of it at once, so that
			// both sides work at the same time.
			uint64_t left = ring->end - ring->head;
			make_room(ring, left < ring->capacity / 2 ? left : ring->capacity / 2);
			continue;
		}
		size_t part = bytes < room ? bytes : (size_t)room;
		memcpy(ring->bytes + (ring->head & (ring->capacity - 1)), from, part);
		ring->head += part;
		from += part;
		bytes -= part;
	}
}

void vkr_ring_commit(struct vkr_ring *ring)
{
	if (!*ring->owner)
		return;
	if (!ring->dropping) {
		assert(ring->head == ring->end);
		ring_publish(ring, false);
	}
	pthread_mutex_unlock(&ring->mutex);
}

void vkr_ring_flush(struct vkr_ring *ring)
{
	if (!*ring->owner)
		return;
	struct vkr_ring_shared *shared = ring->shared;
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&shared->consumer_waits, memory_order_relaxed) &&
	    atomic_load_explicit(&shared->head, memory_order_relaxed) !=
		    atomic_load_explicit(&shared->tail, memory_order_relaxed))
		ring_wake(&shared->consumer_waits);
}

void vkr_ring_drain(struct vkr_ring *ring)
{
	if (!*ring->owner)
		return;
	pthread_mutex_lock(&ring->mutex);
	if (!wait_for_tail(ring, ring->head))
		ring->lost = true;
	pthread_mutex_unlock(&ring->mutex);
}

void vkr_ring_submit(struct vkr_ring *ring, uint64_t count)
{
	if (*ring->owner)
		atomic_fetch_add_explicit(&ring->shared->submitted, count, memory_order_relaxed);
}

void vkr_ring_end(struct vkr_ring *ring, bool awaited)
{
	if (!*ring->owner)
		return;
	atomic_store(&ring->shared->awaited, awaited);
	vkr_ring_end_for_producer(ring);
}

bool vkr_ring_is_awaited(const struct vkr_ring *ring)
{
	return atomic_load(&ring->shared->awaited) != 0;
}

void vkr_ring_set_messenger(struct vkr_ring *ring, bool there)
{
	if (*ring->owner)
		atomic_store_explicit(&ring->shared->messenger, there, memory_order_relaxed);
}

bool vkr_ring_has_messenger(const struct vkr_ring *ring)
{
	return atomic_load_explicit(&ring->shared->messenger, memory_order_relaxed) != 0;
}

uint64_t vkr_ring_submitted(const struct vkr_ring *ring)
{
	return atomic_load_explicit(&ring->shared->submitted, memory_order_relaxed);
}

bool vkr_ring_is_owner(const struct vkr_ring *ring)
{
	return *ring->owner != 0;
}

enum vkr_ring_state vkr_ring_wait(struct vkr_ring *ring, int milliseconds,
				  const unsigned char **data, uint64_t *bytes)
{
	struct vkr_ring_shared *shared = ring->shared;
	const uint64_t tail = ring->known_tail;
	bool slept = false;
	for (;;) {
		bool ended = atomic_load_explicit(&shared->ended, memory_order_acquire);
		uint64_t head = atomic_load_explicit(&shared->head, memory_order_acquire);
		// The producer's process is not to be trusted: it may overwrite the ring's memory.
		if (ring->lost || head < tail || head - tail > ring->capacity)
			return VKR_RING_BROKEN;
		if (head != tail) {
			*data = ring->bytes + (tail & (ring->capacity - 1));
			*bytes = head - tail;
			return VKR_RING_BYTES;
		}
		if (ended)
			return VKR_RING_END;
		if (slept && milliseconds >= 0)
			return VKR_RING_IDLE;
		atomic_store(&shared->consumer_waits, 1);
		atomic_thread_fence(memory_order_seq_cst);
		if (atomic_load(&shared->head) == tail && !atomic_load(&shared->ended)) {
			futex_wait(&shared->consumer_waits, 1, milliseconds);
			slept = true;
		}
		atomic_store_explicit(&shared->consumer_waits, 0, memory_order_relaxed);
	}
}

void vkr_ring_release(struct vkr_ring *ring, uint64_t bytes)
{
	struct vkr_ring_shared *shared = ring->shared;
	const uint64_t tail = ring->known_tail;
	ring->known_tail += bytes;
	if (atomic_exchange_explicit(&shared->tail, ring->known_tail, memory_order_release) != tail)
		ring->lost = true; // the producer may have written over what was not read
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&shared->producer_waits, memory_order_relaxed))
		ring_wake(&shared->producer_waits);
}

void vkr_ring_abandon(struct vkr_ring *ring)
{
	atomic_store(&ring->shared->abandoned, 1);
	ring_wake(&ring->shared->producer_waits);
}

void vkr_ring_end_for_producer(struct vkr_ring *ring)
{
	atomic_store(&ring->shared->ended, 1);
	ring_wake(&ring->shared->consumer_waits);
}

// ---- Marks --------------------------------------------------------------------------------------

// Each has one row of places in which it may stand.
#define MARK_ROW 8u

static_assert(sizeof(struct vkr_ring_shared) <= 4096, "the first page");

static _Atomic uint64_t *mark_row(const struct vkr_ring *ring, uint64_t mark)
{
	const uint64_t mixed = mark * UINT64_C(0x9e3779b97f4a7c15) >> 32;
	return ring->shared->marks + mixed % (VKR_RING_MARKS / MARK_ROW) * MARK_ROW;
}

bool vkr_ring_is_marked(const struct vkr_ring *ring, uint64_t mark)
{
	const _Atomic uint64_t *row = mark_row(ring, mark);
	for (unsigned i = 0; i < MARK_ROW; i++)
		if (atomic_load_explicit(&row[i], memory_order_relaxed) == mark)
			return true;
	return false;
}

void vkr_ring_mark(struct vkr_ring *ring, uint64_t mark)
{
	if (vkr_ring_is_marked(ring, mark))
		return;
	_Atomic uint64_t *row = mark_row(ring, mark);
	for (unsigned i = MARK_ROW; --i > 0;)
		atomic_store_explicit(&row[i],
				      atomic_load_explicit(&row[i - 1], memory_order_relaxed),
				      memory_order_relaxed);
	atomic_store_explicit(&row[0], mark, memory_order_relaxed);
}

void vkr_ring_satisfy(struct vkr_ring *ring)
{
	atomic_store(&ring->shared->satisfied, 1);
}

bool vkr_ring_is_satisfied(const struct vkr_ring *ring)
{
	return atomic_load_explicit(&ring->shared->satisfied, memory_order_relaxed) != 0;
}

bool vkr_ring_is_behind(const struct vkr_ring *ring)
{
	return atomic_load(&ring->shared->head) - atomic_load(&ring->shared->tail) > WAKE_BYTES;
}
