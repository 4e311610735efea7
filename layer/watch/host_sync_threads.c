// SPDX-License-Identifier: Apache-2.0
#include "host_sync_threads.h"

#include "got_patch.h"
#include "host_order.h"
#include "map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

// A thread's number stands for its start and its end; the C library gives a thread's own id to
// another one later.
static struct {
	pthread_mutex_t lock;
	struct vkr_map numbers; // pthread_t -> number, until it is joined
	_Atomic uintptr_t newest;
	pthread_key_t key; // runs at the thread's end
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct beginning {
	uintptr_t number;
	void *(*routine)(void *argument);
	thrd_start_t routine11;
	void *argument;
};

// At a thread's end, among the destructors of the program's own thread-specific data: rounds pass
// so that it is after them.
struct ending {
	uintptr_t number;
	int rounds;
};

static void end_thread(void *data)
{
	struct ending *ending = data;
	if (++ending->rounds < 3 && pthread_setspecific(threads.key, ending) == 0)
		return;
	vkr_host_sync_release((void *)ending->number, VKR_HOST_SYNC_THREAD_END, true);
	free(ending);
}

static void keep_number(pthread_t thread, uintptr_t number)
{
	pthread_mutex_lock(&threads.lock);
	(void)vkr_map_set(&threads.numbers, (uint64_t)thread, number); // else its join is not seen
	pthread_mutex_unlock(&threads.lock);
}

static void host_sync_threads_joined(pthread_t thread)
{
	uint64_t number = 0;
	pthread_mutex_lock(&threads.lock);
	const bool known = vkr_map_get(&threads.numbers, (uint64_t)thread, &number);
	if (known)
		vkr_map_remove(&threads.numbers, (uint64_t)thread);
	pthread_mutex_unlock(&threads.lock);
	if (known)
		vkr_host_sync_acquire((void *)(uintptr_t)number, VKR_HOST_SYNC_THREAD_END);
}

static struct beginning begin_thread(void *data)
{
	struct beginning begun = *(struct beginning *)data;
	struct ending *ending = calloc(1, sizeof *ending);
	free(data);
	keep_number(pthread_self(), begun.number);
	vkr_host_sync_acquire((void *)begun.number, VKR_HOST_SYNC_THREAD_START);
	if (ending)
		ending->number = begun.number;
	if (ending && pthread_setspecific(threads.key, ending) != 0)
		free(ending);
	return begun;
}

static void *run_thread(void *data)
{
	const struct beginning begun = begin_thread(data);
	return begun.routine(begun.argument);
}

static int run_thread11(void *data)
{
	const struct beginning begun = begin_thread(data);
	return begun.routine11(begun.argument);
}

// NULL for lack of memory.
static struct beginning *prepare_thread(void *argument)
{
	struct beginning *made = calloc(1, sizeof *made);
	if (!made)
		return NULL;
	made->number = atomic_fetch_add(&threads.newest, 1) + 1;
	made->argument = argument;
	vkr_host_sync_release((void *)made->number, VKR_HOST_SYNC_THREAD_START, true);
	return made;
}

static int (*next_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static int my_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
		     void *argument)
{
	struct beginning *made = prepare_thread(argument);
	if (!made)
		return next_create(thread, attributes, routine, argument);
	const uintptr_t number = made->number;
	made->routine = routine;
	int result = next_create(thread, attributes, run_thread, made);
	if (result == 0)
		keep_number(*thread, number);
	else
		free(made);
	return result;
}

static int (*next_join)(pthread_t, void **);
static int my_join(pthread_t thread, void **value)
{
	int result = next_join(thread, value);
	if (result == 0)
		host_sync_threads_joined(thread);
	return result;
}

static int (*next_tryjoin)(pthread_t, void **);
static int my_tryjoin(pthread_t thread, void **value)
{
	int result = next_tryjoin(thread, value);
	if (result == 0)
		host_sync_threads_joined(thread);
	return result;
}

static int (*next_timedjoin)(pthread_t, void **, const struct timespec *);
static int my_timedjoin(pthread_t thread, void **value, const struct timespec *until)
{
	int result = next_timedjoin(thread, value, until);
	if (result == 0)
		host_sync_threads_joined(thread);
	return result;
}

static int (*next_create11)(thrd_t *, thrd_start_t, void *);
static int my_create11(thrd_t *thread, thrd_start_t routine, void *argument)
{
	struct beginning *made = prepare_thread(argument);
	if (!made)
		return next_create11(thread, routine, argument);
	const uintptr_t number = made->number;
	made->routine11 = routine;
	int result = next_create11(thread, run_thread11, made);
	if (result == thrd_success)
		keep_number((pthread_t)*thread, number);
	else
		free(made);
	return result;
}

static int (*next_join11)(thrd_t, int *);
static int my_join11(thrd_t thread, int *value)
{
	int result = next_join11(thread, value);
	if (result == thrd_success)
		host_sync_threads_joined((pthread_t)thread);
	return result;
}

bool vkr_host_sync_threads_start(const char *const *spared)
{
	static const struct vkr_got_patch patches[] = {
		{"pthread_create", (void (*)(void))my_create, (void (**)(void)) & next_create},
		{"pthread_join", (void (*)(void))my_join, (void (**)(void)) & next_join},
		{"pthread_tryjoin_np", (void (*)(void))my_tryjoin,
		 (void (**)(void)) & next_tryjoin},
		{"pthread_timedjoin_np", (void (*)(void))my_timedjoin,
		 (void (**)(void)) & next_timedjoin},
		{"thrd_create", (void (*)(void))my_create11, (void (**)(void)) & next_create11},
		{"thrd_join", (void (*)(void))my_join11, (void (**)(void)) & next_join11},
	};
	return pthread_key_create(&threads.key, end_thread) == 0 &&
	       vkr_got_patch_add(patches, sizeof patches / sizeof *patches, spared);
}
