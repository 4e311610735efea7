// SPDX-License-Identifier: Apache-2.0
// A program may end while devices work: that is waited for before the libraries that drivers are
// made of are gone. Knows glibc's order of ending; not what is logged.
#include "log_exit.h"

#include "log_drain.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS 100000

static pid_t process; // that made devices

// Adds a flight after submissions that log nothing and have none. If a thread of the program is
// submitting at this moment, there is no end to wait for.
static void follow_queue(struct vkr_layer_queue *queue)
{
	if (pthread_mutex_trylock(&queue->submitting) != 0)
		return;
	struct vkr_flight *flight = queue->silent ? vkr_flight_take(queue) : NULL;
	queue->silent = false;
	if (flight &&
	    queue->device->next.QueueSubmit(queue->handle, 0, NULL, flight->fence) == VK_SUCCESS)
		vkr_flight_add(queue, flight);
	else if (flight)
		vkr_flight_cancel(queue, flight);
	pthread_mutex_unlock(&queue->submitting);
}

static void wait_for_device(struct vkr_layer_device *device)
{
	const uint64_t naps = VKR_EXIT_PATIENCE_MS * UINT64_C(1000000) / NAP_NS;
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device) {
		follow_queue(queue);
		for (uint64_t i = 0; i < naps && !vkr_drain_is_done(queue); i++)
			nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
	}
}

static void wait_at_exit(void)
{
	if (getpid() == process) // a forked child has none of the threads
		vkr_device_each(wait_for_device);
}

static void wait_first(void *unused)
{
	(void)unused;
	wait_at_exit();
}

// A function of glibc; C++ uses it to destroy thread_local objects.
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);

// exit() first destroys the objects of its own thread, then runs what was registered, last first.
// Libraries register when they are loaded and when they are first used: a device that works on
// after that uses what is destroyed.
void vkr_log_wait_at_exit(void)
{
	static atomic_flag asked = ATOMIC_FLAG_INIT;
	if (atomic_flag_test_and_set(&asked))
		return;
	process = getpid();
	// For lack of memory the wait is that of the layer's own end.
	(void)atexit(wait_at_exit);
	if (gettid() == process) // the thread that main() returns in
		(void)__cxa_thread_atexit_impl(wait_first, NULL, &process);
}
