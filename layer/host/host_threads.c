// SPDX-License-Identifier: Apache-2.0
#include "host_threads.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// A ring of 8-byte words; head and tail count words ever written and read.
#define QUEUE_WORDS (UINT64_C(1) << 16)
#define HEAD_WORDS  (offsetof(struct vkr_host_access, frames) / sizeof(uint64_t))

struct vkr_host_thread {
	struct vkr_host_thread *next; // of all; never unlinked
	_Atomic uint32_t number;
	_Atomic uint32_t system_id;
	_Alignas(64) _Atomic uint64_t head;
	_Alignas(64) _Atomic uint64_t tail;
	uint64_t words[QUEUE_WORDS];
};

static struct vkr_host_thread *_Atomic all;
static _Atomic bool waiting;

// Reachable from a signal handler without allocation.
static _Thread_local struct vkr_host_thread *self __attribute__((tls_model("initial-exec")));

// The place of a thread that is gone, with nothing left in it.
static struct vkr_host_thread *take_over(uint32_t system_id)
{
	for (struct vkr_host_thread *at = atomic_load(&all); at; at = at->next) {
		uint32_t old = atomic_load(&at->system_id);
		if (atomic_load(&at->head) == atomic_load(&at->tail) &&
		    syscall(SYS_tgkill, getpid(), old, 0) != 0 &&
		    atomic_compare_exchange_strong(&at->system_id, &old, system_id)) {
			atomic_store(&at->number, 0);
			return at;
		}
	}
	return NULL;
}

struct vkr_host_thread *vkr_host_thread_self(void)
{
	if (self)
		return self;
	const uint32_t system_id = (uint32_t)syscall(SYS_gettid);
	struct vkr_host_thread *thread = take_over(system_id);
	if (!thread) {
		void *map = mmap(NULL, sizeof *thread, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		thread = map;
		atomic_store(&thread->system_id, system_id);
		thread->next = atomic_load(&all);
		while (!atomic_compare_exchange_weak(&all, &thread->next, thread)) {
		}
	}
	self = thread;
	return thread;
}

_Atomic uint32_t *vkr_host_thread_number(struct vkr_host_thread *thread)
{
	return &thread->number;
}

uint32_t vkr_host_thread_system_id(const struct vkr_host_thread *thread)
{
	return atomic_load(&thread->system_id);
}

static void copy_in(struct vkr_host_thread *thread, uint64_t at, const uint64_t *words,
		    uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		thread->words[(at + i) % QUEUE_WORDS] = words[i];
}

bool vkr_host_thread_push(struct vkr_host_thread *thread, const struct vkr_host_access *access)
{
	const uint64_t count = HEAD_WORDS + access->frame_count;
	const uint64_t head = atomic_load_explicit(&thread->head, memory_order_relaxed);
	const uint64_t tail = atomic_load_explicit(&thread->tail, memory_order_acquire);
	if (head + count - tail > QUEUE_WORDS)
		return false;
	copy_in(thread, head, (const uint64_t *)(const void *)access, count);
	atomic_store_explicit(&thread->head, head + count, memory_order_release);
	atomic_store(&waiting, true);
	return true;
}

bool vkr_host_thread_is_filling(const struct vkr_host_thread *thread)
{
	const uint64_t head = atomic_load_explicit(&thread->head, memory_order_relaxed);
	return head - atomic_load_explicit(&thread->tail, memory_order_relaxed) > QUEUE_WORDS / 8;
}

bool vkr_host_threads_waiting(void)
{
	return atomic_load_explicit(&waiting, memory_order_relaxed);
}

static uint64_t copy_out(const struct vkr_host_thread *thread, uint64_t at,
			 struct vkr_host_access *access)
{
	uint64_t *words = (uint64_t *)(void *)access;
	for (uint64_t i = 0; i < HEAD_WORDS; i++)
		words[i] = thread->words[(at + i) % QUEUE_WORDS];
	for (uint64_t i = HEAD_WORDS; i < HEAD_WORDS + access->frame_count; i++)
		words[i] = thread->words[(at + i) % QUEUE_WORDS];
	return HEAD_WORDS + access->frame_count;
}

// Extends `into` where both are of one place and their bytes meet.
static bool join_access(struct vkr_host_access *into, const struct vkr_host_access *access)
{
	if (into->memory != access->memory || into->operation != access->operation ||
	    into->frame_count != access->frame_count ||
	    access->offset > into->offset + into->bytes ||
	    into->offset > access->offset + access->bytes ||
	    memcmp(into->frames, access->frames, access->frame_count * sizeof *access->frames) != 0)
		return false;
	uint64_t end = into->offset + into->bytes;
	if (access->offset + access->bytes > end)
		end = access->offset + access->bytes;
	if (access->offset < into->offset)
		into->offset = access->offset;
	into->bytes = end - into->offset;
	return true;
}

// How many places a loop may alternate between. A joined access counts as made at the first of
// them: nothing orders a thread's accesses between two Vulkan calls.
#define OPEN_PLACES 8u

struct places {
	struct vkr_host_access items[OPEN_PLACES];
	unsigned count;
};

static void take_one(struct vkr_host_thread *thread, struct places *places,
		     void (*take)(struct vkr_host_thread *thread,
				  const struct vkr_host_access *access))
{
	take(thread, &places->items[0]);
	places->count--;
	memmove(places->items, places->items + 1, places->count * sizeof *places->items);
}

static void take_thread(struct vkr_host_thread *thread,
			void (*take)(struct vkr_host_thread *thread,
				     const struct vkr_host_access *access))
{
	static struct places places;
	const uint64_t head = atomic_load_explicit(&thread->head, memory_order_acquire);
	uint64_t tail = atomic_load_explicit(&thread->tail, memory_order_relaxed);
	struct vkr_host_access access;
	while (tail != head) {
		tail += copy_out(thread, tail, &access);
		atomic_store_explicit(&thread->tail, tail, memory_order_release);
		unsigned at = 0;
		while (at < places.count && !join_access(&places.items[at], &access))
			at++;
		if (at < places.count)
			continue;
		if (places.count == OPEN_PLACES)
			take_one(thread, &places, take);
		places.items[places.count++] = access;
	}
	while (places.count)
		take_one(thread, &places, take);
}

void vkr_host_threads_take(void (*take)(struct vkr_host_thread *thread,
					const struct vkr_host_access *access))
{
	if (!atomic_exchange(&waiting, false))
		return;
	for (struct vkr_host_thread *at = atomic_load(&all); at; at = at->next)
		take_thread(at, take);
}
