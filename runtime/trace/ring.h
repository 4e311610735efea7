// SPDX-License-Identifier: Apache-2.0
// A ring of bytes in shared memory, from the threads of one process to one consumer process.
// Knows that what passes is trace events, and not what they mean or who reads them.
//
// The consumer maps the same memory (a memfd) and reads events where they lie. Both sides map the
// bytes twice in a row, so that whatever fits in the ring is contiguous. An event that is larger
// than the ring passes through it in parts.
//
// Waiting is by futex, never by spinning, and never by a file descriptor: a program that closes
// descriptors it does not know must not make us write to its files.
//
// After fork() the child shares the ring but is not its producer: every write there does nothing.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_RING_MARKS 256u

// First page of the shared memory. Cursors count bytes since the start and never wrap in practice
// (2^64); the byte at cursor c lies at c modulo the capacity.
struct vkr_ring_shared {
	_Alignas(64) _Atomic uint64_t head; // written up to here, by the producer
	_Atomic uint32_t producer_waits;    // futex: 1 while the producer sleeps for room
	_Atomic uint32_t ended;             // producer: no byte follows
	_Atomic uint32_t awaited;           // producer: it waits for the consumer's end
	_Atomic uint64_t submitted;         // producer: command buffers, in events so far
	_Atomic uint32_t messenger;         // producer: it tells the program of races itself
	_Alignas(64) _Atomic uint64_t tail; // read up to here, by the consumer
	_Atomic uint32_t consumer_waits;    // futex: 1 while the consumer sleeps for bytes
	_Atomic uint32_t abandoned;         // consumer: reads no more
	_Alignas(64) uint64_t capacity;     // bytes, a power of two and a multiple of the page size
	_Alignas(64) _Atomic uint64_t marks[VKR_RING_MARKS]; // consumer: vkr_ring_mark()
	_Atomic uint32_t satisfied; // consumer: it has found what it was to look for
};

// One side of a ring.
struct vkr_ring {
	struct vkr_ring_shared *shared;
	unsigned char *bytes; // capacity bytes, and the same again after them
	uint64_t capacity;
	int memory; // memfd; -1 once closed
	// Producer only, but for known_tail.
	pthread_mutex_t mutex;
	uint64_t head;             // ahead of shared->head within an event
	uint64_t end;              // of the event being written
	uint64_t known_tail;       // shared->tail as last seen; the consumer's: as it wrote it
	uint32_t *owner;           // 1 in the producer, 0 in its forked children
	bool (*peer_gone)(void *); // asked while the ring stays full; NULL: never gone
	void *peer;
	bool dropping; // the event being written comes to nothing
	// The consumer is gone, and something was written since; the consumer's: somebody has
	// written over its cursor.
	bool lost;
};

// The producer's side: `capacity` is rounded up. peer_gone(peer) is asked now and then while a
// write waits for room; once it says true, writes do nothing.
enum vkr_result vkr_ring_create(struct vkr_ring *ring, uint64_t capacity, bool (*peer_gone)(void *),
				void *peer, struct vkr_error *error) VKR_MUST_USE;

// The consumer's side of the ring in `memory`, a descriptor that stays the caller's.
enum vkr_result vkr_ring_attach(struct vkr_ring *ring, int memory,
				struct vkr_error *error) VKR_MUST_USE;

void vkr_ring_finish(struct vkr_ring *ring);

// Closes the producer's descriptor of the memory, once the consumer has its own.
void vkr_ring_close_memory(struct vkr_ring *ring);

// Writes one event in three steps, of which the first takes the ring's lock and the last returns
// it: the header, then the rest in any pieces, event->bytes in all. From any thread; blocks while
// the ring is full. Until the last step the consumer sees nothing of it, unless it is larger than
// the ring.
void vkr_ring_begin(struct vkr_ring *ring, const struct vkr_trace_event *event);
void vkr_ring_put(struct vkr_ring *ring, const void *data, size_t bytes);
void vkr_ring_commit(struct vkr_ring *ring);

// Lets the consumer see what was written, even where it is little: it wakes up.
void vkr_ring_flush(struct vkr_ring *ring);

// Waits until the consumer has read everything, or is gone.
void vkr_ring_drain(struct vkr_ring *ring);

// Counts command buffers that were submitted, for who wants to know how far the consumer is.
void vkr_ring_submit(struct vkr_ring *ring, uint64_t count);

// Whether the program's own debug messenger gets the races.
void vkr_ring_set_messenger(struct vkr_ring *ring, bool there);

// No write follows. `awaited`: the producer waits until the consumer has ended.
void vkr_ring_end(struct vkr_ring *ring, bool awaited);

// False in a child that the producer has forked.
bool vkr_ring_is_owner(const struct vkr_ring *ring);

enum vkr_ring_state {
	VKR_RING_BYTES,  // there are bytes to read
	VKR_RING_END,    // the producer has ended, everything is read
	VKR_RING_BROKEN, // a cursor makes no sense: the program has written over the ring
	VKR_RING_IDLE,   // nothing came for the time given
};

// The consumer's: waits for bytes, at most `milliseconds` (-1: without end). *data and *bytes are
// all there is. They begin with an event, and unless that is larger than the ring, with a whole
// one.
enum vkr_ring_state vkr_ring_wait(struct vkr_ring *ring, int milliseconds,
				  const unsigned char **data, uint64_t *bytes);

// The consumer's: gives `bytes` bytes of room back to the producer.
void vkr_ring_release(struct vkr_ring *ring, uint64_t bytes);

// The consumer's: it reads no more; the producer's writes do nothing from now on.
void vkr_ring_abandon(struct vkr_ring *ring);

// Ends the ring in place of a producer that has died (from any thread of the consumer).
void vkr_ring_end_for_producer(struct vkr_ring *ring);

// The consumer's: tells the producer a number that both know the meaning of. A newer one may take
// its place.
void vkr_ring_mark(struct vkr_ring *ring, uint64_t mark);

// Whether the consumer has told it. Async-signal-safe.
bool vkr_ring_is_marked(const struct vkr_ring *ring, uint64_t mark);

// The consumer's: it has found what it was to look for.
void vkr_ring_satisfy(struct vkr_ring *ring);
bool vkr_ring_is_satisfied(const struct vkr_ring *ring);

// Whether the consumer still has much to read.
bool vkr_ring_is_behind(const struct vkr_ring *ring);

// What the producer has said, from any thread of the consumer.
bool vkr_ring_is_awaited(const struct vkr_ring *ring);
bool vkr_ring_has_messenger(const struct vkr_ring *ring);
uint64_t vkr_ring_submitted(const struct vkr_ring *ring);
