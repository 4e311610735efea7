// SPDX-License-Identifier: Apache-2.0
// The ring between threads and between processes: nothing lost, nothing torn, also when the
// producer is killed. Knows the ring by its header, and reads it through a source.
#include "error.h"
#include "ring.h"
#include "source.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RING_BYTES 65536

// splitmix64: the same numbers each time.
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

// Event `number` of `thread`: a GPU_LOG whose words tell all that.
static void write_numbered(struct vkr_ring *ring, uint32_t thread, uint32_t number, uint32_t words)
{
	struct vkr_trace_gpu_log log = {.execution = number, .word_count = words};
	struct vkr_trace_event event = {
		.bytes = (uint32_t)(sizeof event + sizeof log + (words + 1) / 2 * 8),
		.type = VKR_TRACE_GPU_LOG,
		.thread = thread};
	uint32_t *tail = calloc((words + 1) / 2 * 2 + 1, sizeof *tail);
	for (uint32_t i = 0; i < words; i++)
		tail[i] = number * 31 + thread * 7 + i;
	vkr_ring_begin(ring, &event);
	vkr_ring_put(ring, &log, sizeof log);
	vkr_ring_put(ring, tail, (words + 1) / 2 * 8);
	vkr_ring_commit(ring);
	free(tail);
}

static void check_numbered(const struct vkr_trace_event *event, uint32_t number)
{
	const struct vkr_trace_gpu_log *log = (const void *)(event + 1);
	const uint32_t *words = (const void *)(log + 1);
	assert_int_equal(event->type, VKR_TRACE_GPU_LOG);
	assert_int_equal(log->execution, number);
	for (uint32_t i = 0; i < log->word_count; i++) {
		if (words[i] != number * 31 + event->thread * 7 + i)
			fail_msg("word %u of event %u is torn", i, number);
	}
}

struct producer {
	struct vkr_ring *ring;
	uint32_t thread, events, most_words;
};

static void *produce(void *argument)
{
	const struct producer *producer = argument;
	uint64_t random = producer->thread;
	for (uint32_t i = 0; i < producer->events; i++)
		write_numbered(producer->ring, producer->thread, i,
			       (uint32_t)(next_random(&random) % producer->most_words));
	// A sleeping consumer waits for more than a few events.
	vkr_ring_flush(producer->ring);
	return NULL;
}

struct pair {
	struct vkr_ring producer, consumer;
	struct vkr_source *source;
};

static void make_pair(struct pair *pair, bool (*gone)(void *))
{
	struct vkr_error error;
	assert_int_equal(vkr_ring_create(&pair->producer, RING_BYTES, gone, NULL, &error), VKR_OK);
	assert_int_equal(vkr_ring_attach(&pair->consumer, pair->producer.memory, &error), VKR_OK);
	assert_int_equal(vkr_source_open_ring(&pair->source, &pair->consumer, NULL, &error),
			 VKR_OK);
}

static void finish_pair(struct pair *pair)
{
	vkr_source_close(pair->source);
	vkr_ring_finish(&pair->consumer);
	vkr_ring_finish(&pair->producer);
}

static const struct vkr_trace_event *next_event(struct pair *pair)
{
	const struct vkr_trace_event *event;
	struct vkr_error error;
	assert_int_equal(vkr_source_next(pair->source, &event, &error), VKR_OK);
	return event;
}

// Several threads of `events` events each, up to `most_words` words: all come, each thread's in
// its order.
static void run_producers(uint32_t threads, uint32_t events, uint32_t most_words)
{
	struct pair pair;
	struct producer producers[8];
	pthread_t handles[8];
	uint32_t expected[8] = {0}, ended = 0;
	make_pair(&pair, NULL);
	for (uint32_t i = 0; i < threads; i++) {
		producers[i] = (struct producer){&pair.producer, i, events, most_words};
		pthread_create(&handles[i], NULL, produce, &producers[i]);
	}
	while (ended < threads) {
		const struct vkr_trace_event *event = next_event(&pair);
		check_numbered(event, expected[event->thread]++);
		ended += expected[event->thread] == events;
	}
	for (uint32_t i = 0; i < threads; i++)
		pthread_join(handles[i], NULL);
	vkr_ring_end(&pair.producer, false);
	assert_null(next_event(&pair));
	assert_false(pair.producer.lost);
	finish_pair(&pair);
}

static void test_one_thread(void **state)
{
	(void)state;
	run_producers(1, 20000, 100);
}

static void test_many_threads(void **state)
{
	(void)state;
	run_producers(8, 4000, 200);
}

static void test_events_larger_than_the_ring(void **state)
{
	(void)state;
	run_producers(3, 60, RING_BYTES);
}

static void test_full_ring_blocks(void **state)
{
	struct pair pair;
	pthread_t handle;
	(void)state;
	make_pair(&pair, NULL);
	struct producer producer = {&pair.producer, 1, 5000, 100};
	pthread_create(&handle, NULL, produce, &producer);
	while (!atomic_load(&pair.consumer.shared->producer_waits))
		sched_yield();
	uint64_t head = atomic_load(&pair.consumer.shared->head);
	assert_true(head <= RING_BYTES && head > RING_BYTES - 1000);
	for (uint32_t i = 0; i < producer.events; i++)
		check_numbered(next_event(&pair), i);
	pthread_join(handle, NULL);
	assert_false(pair.producer.lost);
	finish_pair(&pair);
}

static void *consume_all(void *argument)
{
	struct pair *pair = argument;
	while (next_event(pair))
		continue;
	return NULL;
}

static void *produce_large(void *argument)
{
	write_numbered(argument, 1, 1, RING_BYTES);
	vkr_ring_flush(argument);
	return NULL;
}

// Room for half a header is left: the consumer must not see that half alone.
static void test_large_event_in_a_nearly_full_ring(void **state)
{
	struct pair pair;
	pthread_t handle;
	(void)state;
	make_pair(&pair, NULL);
	// Header and payload take 32 bytes.
	write_numbered(&pair.producer, 1, 0, (RING_BYTES - 8 - 32) / 4);
	pthread_create(&handle, NULL, produce_large, &pair.producer);
	while (!atomic_load(&pair.consumer.shared->producer_waits))
		sched_yield();
	check_numbered(next_event(&pair), 0);
	check_numbered(next_event(&pair), 1);
	pthread_join(handle, NULL);
	assert_false(pair.producer.lost);
	finish_pair(&pair);
}

static void test_drain_waits_for_the_consumer(void **state)
{
	struct pair pair;
	pthread_t handle;
	(void)state;
	make_pair(&pair, NULL);
	pthread_create(&handle, NULL, consume_all, &pair);
	for (uint32_t i = 0; i < 200; i++) {
		write_numbered(&pair.producer, 1, i, 3);
		vkr_ring_drain(&pair.producer);
		assert_int_equal(atomic_load(&pair.consumer.shared->tail), pair.producer.head);
	}
	vkr_ring_end(&pair.producer, false);
	pthread_join(handle, NULL);
	finish_pair(&pair);
}

static bool is_gone(void *peer)
{
	(void)peer;
	return true;
}

static void test_consumer_gone(void **state)
{
	struct pair pair;
	(void)state;
	make_pair(&pair, is_gone);
	for (uint32_t i = 0; i < 3000; i++)
		write_numbered(&pair.producer, 1, i, 20);
	assert_true(pair.producer.lost);
	uint64_t head = atomic_load(&pair.consumer.shared->head);
	assert_true(head <= RING_BYTES);
	write_numbered(&pair.producer, 1, 3000, RING_BYTES);
	assert_int_equal(atomic_load(&pair.consumer.shared->head), head);
	finish_pair(&pair);
}

static void test_consumer_abandons(void **state)
{
	struct pair pair;
	(void)state;
	make_pair(&pair, NULL);
	write_numbered(&pair.producer, 1, 0, 20);
	assert_false(pair.producer.lost);
	vkr_ring_abandon(&pair.consumer);
	write_numbered(&pair.producer, 1, 1, 20);
	assert_true(pair.producer.lost);
	finish_pair(&pair);
}

static void test_forked_child_writes_nothing(void **state)
{
	struct pair pair;
	(void)state;
	make_pair(&pair, NULL);
	write_numbered(&pair.producer, 1, 0, 20);
	// As another thread of the parent may hold it in the moment of the fork.
	pthread_mutex_lock(&pair.producer.mutex);
	pid_t child = fork();
	if (child == 0) {
		write_numbered(&pair.producer, 1, 1, 20);
		vkr_ring_drain(&pair.producer);
		vkr_ring_end(&pair.producer, false);
		_exit(vkr_ring_is_owner(&pair.producer) ? 1 : 0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	pthread_mutex_unlock(&pair.producer.mutex);
	write_numbered(&pair.producer, 1, 1, 20);
	vkr_ring_end(&pair.producer, false);
	check_numbered(next_event(&pair), 0);
	check_numbered(next_event(&pair), 1);
	assert_null(next_event(&pair));
	finish_pair(&pair);
}

// The state that the killed process has shared.
struct shared_state {
	_Atomic int memory; // its descriptor + 1
	_Atomic uint32_t committed;
};

static _Noreturn void produce_until_killed(struct shared_state *shared, uint64_t random)
{
	struct vkr_ring ring;
	prctl(PR_SET_PDEATHSIG, SIGKILL); // a failed test leaves nothing running
	if (vkr_ring_create(&ring, RING_BYTES, NULL, NULL, NULL) != VKR_OK)
		_exit(1);
	atomic_store(&shared->memory, ring.memory + 1);
	for (uint32_t i = 0;; i++) {
		// One of some events is larger than the ring.
		uint64_t size = next_random(&random);
		write_numbered(&ring, 1, i, (uint32_t)(size % (size >> 60 ? 300 : 40000)));
		atomic_store(&shared->committed, i + 1);
	}
}

static void kill_one(struct shared_state *shared, uint64_t *random)
{
	char path[64];
	struct pair pair = {0};
	struct vkr_error error;
	uint64_t seed = next_random(random);
	atomic_store(&shared->memory, 0);
	atomic_store(&shared->committed, 0);
	pid_t child = fork();
	if (child == 0)
		produce_until_killed(shared, seed);
	while (!atomic_load(&shared->memory))
		sched_yield();
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)child, atomic_load(&shared->memory) - 1);
	int memory = open(path, O_RDWR);
	assert_true(memory >= 0);
	assert_int_equal(vkr_ring_attach(&pair.consumer, memory, &error), VKR_OK);
	assert_int_equal(vkr_source_open_ring(&pair.source, &pair.consumer, NULL, &error), VKR_OK);
	uint32_t number = 0;
	for (uint64_t until = next_random(random) % 2000; number < until; number++)
		check_numbered(next_event(&pair), number);
	for (uint64_t wait = next_random(random) % 50; wait; wait--)
		sched_yield();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	vkr_ring_end_for_producer(&pair.consumer);
	const struct vkr_trace_event *event;
	while ((event = next_event(&pair)) && event->type == VKR_TRACE_GPU_LOG)
		check_numbered(event, number++);
	// All that was committed; and behind it, at most a note that a large one is not whole.
	assert_true(number >= atomic_load(&shared->committed));
	if (event) {
		assert_int_equal(event->type, VKR_TRACE_COVERAGE);
		assert_null(next_event(&pair));
	}
	vkr_source_close(pair.source);
	vkr_ring_finish(&pair.consumer);
	close(memory);
}

static void test_killed_producer(void **state)
{
	uint64_t random = 5;
	(void)state;
	struct shared_state *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
					   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 100; i++)
		kill_one(shared, &random);
	munmap(shared, sizeof *shared);
}

// What a program might write over the shared memory: an end with a notice, no crash.
static void test_overwritten_ring(void **state)
{
	struct pair pair;
	uint64_t random = 7;
	(void)state;
	for (int i = 0; i < 2000; i++) {
		make_pair(&pair, NULL);
		write_numbered(&pair.producer, 1, 0, 50);
		write_numbered(&pair.producer, 1, 1, 50);
		for (int n = 0; n < 4; n++)
			pair.producer.bytes[next_random(&random) % 480] =
				(unsigned char)next_random(&random);
		vkr_ring_end(&pair.producer, false);
		while (next_event(&pair))
			continue;
		finish_pair(&pair);
	}
}

// What a program might write over one of the ring's cursors is no end of the run: it is said.
static void check_cursor(size_t offset, uint64_t value)
{
	struct pair pair;
	make_pair(&pair, NULL);
	for (uint32_t i = 0; i < 3; i++)
		write_numbered(&pair.producer, 1, i, 50);
	check_numbered(next_event(&pair), 0);
	memcpy((unsigned char *)pair.producer.shared + offset, &value, sizeof value);
	const struct vkr_trace_event *event = next_event(&pair);
	assert_non_null(event);
	assert_int_equal(event->type, VKR_TRACE_COVERAGE);
	assert_null(next_event(&pair));
	// The program is not held up.
	write_numbered(&pair.producer, 1, 3, RING_BYTES);
	assert_true(pair.producer.lost);
	finish_pair(&pair);
}

static void test_overwritten_cursors(void **state)
{
	const size_t head = offsetof(struct vkr_ring_shared, head);
	const size_t tail = offsetof(struct vkr_ring_shared, tail);
	(void)state;
	check_cursor(head, 0);
	check_cursor(head, UINT64_MAX);
	check_cursor(head, RING_BYTES * UINT64_C(3));
	check_cursor(tail, 8);
	check_cursor(tail, RING_BYTES);
	check_cursor(tail, UINT64_MAX);
}

// A length that is no multiple of 8 would leave all that follows misaligned.
static void test_overwritten_length(void **state)
{
	static const char wanted[] = "the ring of events was overwritten by the program";
	const uint32_t lengths[] = {12, RING_BYTES + 12, RING_BYTES + 1, UINT32_MAX, 0};
	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct pair pair;
		make_pair(&pair, NULL);
		write_numbered(&pair.producer, 1, 0, 50);
		memcpy(pair.producer.bytes, &lengths[i], sizeof lengths[i]);
		vkr_ring_end(&pair.producer, false);
		const struct vkr_trace_event *event = next_event(&pair);
		assert_non_null(event);
		assert_int_equal(event->type, VKR_TRACE_COVERAGE);
		const struct vkr_trace_coverage *said = (const void *)(event + 1);
		assert_int_equal(said->text_bytes, strlen(wanted));
		assert_memory_equal(said + 1, wanted, strlen(wanted));
		assert_null(next_event(&pair));
		finish_pair(&pair);
	}
}

// The producer believes no tail that is before what it knows, or beyond what it wrote.
static void test_overwritten_tail_of_full_ring(void **state)
{
	struct pair pair;
	(void)state;
	make_pair(&pair, NULL);
	write_numbered(&pair.producer, 1, 0, RING_BYTES / 8);
	atomic_store(&pair.producer.shared->tail, RING_BYTES * UINT64_C(3));
	write_numbered(&pair.producer, 1, 1, RING_BYTES / 4);
	assert_true(pair.producer.lost);
	finish_pair(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_many_threads),
		cmocka_unit_test(test_events_larger_than_the_ring),
		cmocka_unit_test(test_full_ring_blocks),
		cmocka_unit_test(test_large_event_in_a_nearly_full_ring),
		cmocka_unit_test(test_drain_waits_for_the_consumer),
		cmocka_unit_test(test_consumer_gone),
		cmocka_unit_test(test_consumer_abandons),
		cmocka_unit_test(test_forked_child_writes_nothing),
		cmocka_unit_test(test_killed_producer),
		cmocka_unit_test(test_overwritten_ring),
		cmocka_unit_test(test_overwritten_cursors),
		cmocka_unit_test(test_overwritten_length),
		cmocka_unit_test(test_overwritten_tail_of_full_ring),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
