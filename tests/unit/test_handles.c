// SPDX-License-Identifier: Apache-2.0
// The layer's map of handles: what was put is found, also while other threads put and take others.
// Knows the map by its header.
#include "handles.h"
#include "map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define KEYS 4096u

// splitmix64: the same numbers each time.
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

// Against an array, with handles as pointers and as small numbers.
static void test_one_thread(void **state)
{
	static struct vkr_handles handles;
	static uint32_t objects[KEYS];
	static bool there[KEYS];
	uint64_t random = 3;
	(void)state;
	vkr_handles_init(&handles);
	for (uint32_t step = 0; step < 400000; step++) {
		const uint32_t n = (uint32_t)next_random(&random) % KEYS;
		const uint64_t handle = n % 2 ? n : UINT64_C(0x7f0000000000) + n * 64;
		void *const expected = there[n] ? &objects[n] : NULL;
		assert_ptr_equal(vkr_handles_get(&handles, handle), expected);
		if (next_random(&random) % 3) {
			assert_true(vkr_handles_put(&handles, handle, &objects[n]));
			there[n] = true;
		} else {
			assert_ptr_equal(vkr_handles_take(&handles, handle), expected);
			there[n] = false;
		}
	}
	assert_null(vkr_handles_get(&handles, 0));
	vkr_handles_finish(&handles, NULL);
}

static void free_object(void *object)
{
	free(object);
}

static void test_finish(void **state)
{
	struct vkr_handles handles;
	(void)state;
	vkr_handles_init(&handles);
	for (uint64_t handle = 1; handle <= 1000; handle++)
		assert_true(vkr_handles_put(&handles, handle, malloc(16)));
	vkr_handles_finish(&handles, free_object); // a sanitizer counts
}

// Handles of one shard, as many as it holds before it grows: removing one moves many.
#define CROWD 384u

static struct {
	struct vkr_handles handles;
	uint64_t crowd[CROWD];
	uint32_t objects[CROWD];
	_Atomic bool stop;
	_Atomic uint64_t missing, wrong;
} shared;

// The odd ones stay.
static void *look(void *argument)
{
	uint64_t random = (uintptr_t)argument;
	while (!atomic_load(&shared.stop)) {
		const uint32_t n = (uint32_t)next_random(&random) % CROWD | 1;
		void *found = vkr_handles_get(&shared.handles, shared.crowd[n]);
		if (!found)
			atomic_fetch_add(&shared.missing, 1);
		else if (found != &shared.objects[n])
			atomic_fetch_add(&shared.wrong, 1);
	}
	return NULL;
}

// The odd ones were put between the even ones: they are moved as these go.
static void run_round(uint64_t seed)
{
	pthread_t threads[2];
	uint64_t random = seed;
	vkr_handles_init(&shared.handles);
	atomic_store(&shared.stop, false);
	for (uint32_t n = 0; n < CROWD; n++)
		assert_true(vkr_handles_put(&shared.handles, shared.crowd[n], &shared.objects[n]));
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, look, (void *)(uintptr_t)(seed * 2 + i));
	for (uint32_t step = 0; step < 4000; step++) {
		const uint32_t n = (uint32_t)next_random(&random) % CROWD & ~1u;
		if (next_random(&random) % 4 == 0)
			vkr_handles_put(&shared.handles, shared.crowd[n], &shared.objects[n]);
		else
			vkr_handles_take(&shared.handles, shared.crowd[n]);
	}
	atomic_store(&shared.stop, true);
	for (uint32_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	vkr_handles_finish(&shared.handles, NULL);
}

static void test_many_threads(void **state)
{
	uint64_t handle = 1;
	(void)state;
	for (uint32_t n = 0; n < CROWD; handle++)
		if (vkr_map_hash(handle) >> 60 == 0)
			shared.crowd[n++] = handle;
	for (uint64_t round = 0; round < 300; round++)
		run_round(round);
	assert_int_equal(shared.missing, 0);
	assert_int_equal(shared.wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_thread),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_many_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
