// SPDX-License-Identifier: Apache-2.0
// Atomics and futexes that a program uses on its own are not observed: vkrace/annotate.h names
// them.
#include "host_sync.h"

#include "got_patch.h"
#include "host_order.h"
#include "host_sync_threads.h"
#include "record.h"
#include "settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

// What each name meant before, and what stands for it: NAME(result, name, parameters).
#define NEXT(result, name, ...)                                                                    \
	static result (*next_##name)(__VA_ARGS__);                                                 \
	static result my_##name(__VA_ARGS__)

#define LOCK(name, type)                                                                           \
	NEXT(int, name, type *lock)                                                                \
	{                                                                                          \
		int result = next_##name(lock);                                                    \
		if (result == 0 || result == EOWNERDEAD)                                           \
			vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);                          \
		return result;                                                                     \
	}
#define UNLOCK(name, type)                                                                         \
	NEXT(int, name, type *lock)                                                                \
	{                                                                                          \
		vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);                            \
		return next_##name(lock);                                                          \
	}

LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
UNLOCK(pthread_mutex_unlock, pthread_mutex_t)
LOCK(pthread_spin_lock, pthread_spinlock_t)
LOCK(pthread_spin_trylock, pthread_spinlock_t)
UNLOCK(pthread_spin_unlock, pthread_spinlock_t)
LOCK(mtx_lock, mtx_t)
LOCK(mtx_trylock, mtx_t)
UNLOCK(mtx_unlock, mtx_t)

NEXT(int, pthread_mutex_timedlock, pthread_mutex_t *lock, const struct timespec *until)
{
	int result = next_pthread_mutex_timedlock(lock, until);
	if (result == 0 || result == EOWNERDEAD)
		vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, pthread_mutex_clocklock, pthread_mutex_t *lock, clockid_t clock,
     const struct timespec *until)
{
	int result = next_pthread_mutex_clocklock(lock, clock, until);
	if (result == 0 || result == EOWNERDEAD)
		vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, mtx_timedlock, mtx_t *lock, const struct timespec *until)
{
	int result = next_mtx_timedlock(lock, until);
	if (result == thrd_success)
		vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

// A condition variable orders nothing by itself: its mutex does, which is released while waiting.
NEXT(int, pthread_cond_wait, pthread_cond_t *condition, pthread_mutex_t *lock)
{
	vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);
	int result = next_pthread_cond_wait(condition, lock);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, pthread_cond_timedwait, pthread_cond_t *condition, pthread_mutex_t *lock,
     const struct timespec *until)
{
	vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);
	int result = next_pthread_cond_timedwait(condition, lock, until);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, pthread_cond_clockwait, pthread_cond_t *condition, pthread_mutex_t *lock, clockid_t clock,
     const struct timespec *until)
{
	vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);
	int result = next_pthread_cond_clockwait(condition, lock, clock, until);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, cnd_wait, cnd_t *condition, mtx_t *lock)
{
	vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);
	int result = next_cnd_wait(condition, lock);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

NEXT(int, cnd_timedwait, cnd_t *condition, mtx_t *lock, const struct timespec *until)
{
	vkr_host_sync_release(lock, VKR_HOST_SYNC_MUTEX, true);
	int result = next_cnd_timedwait(condition, lock, until);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_MUTEX);
	return result;
}

// Read-write locks that the thread holds for writing: unlocking does not say which it was.
static _Thread_local struct {
	const void *locks[16];
	unsigned count, more; // more: held beyond those, taken for writing all
} writing;

static int took_read(pthread_rwlock_t *lock, int result)
{
	if (result == 0)
		vkr_host_sync_acquire(lock, VKR_HOST_SYNC_RWLOCK);
	return result;
}

static int took_write(pthread_rwlock_t *lock, int result)
{
	if (result != 0)
		return result;
	if (writing.count < sizeof writing.locks / sizeof *writing.locks)
		writing.locks[writing.count++] = lock;
	else
		writing.more++;
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_RWLOCK);
	vkr_host_sync_acquire(lock, VKR_HOST_SYNC_READERS);
	return result;
}

static bool host_sync_wrote(const pthread_rwlock_t *lock)
{
	for (unsigned i = writing.count; i > 0; i--)
		if (writing.locks[i - 1] == lock) {
			writing.locks[i - 1] = writing.locks[--writing.count];
			return true;
		}
	if (writing.more == 0)
		return false;
	writing.more--;
	return true;
}

#define READ_LOCK(name)                                                                            \
	NEXT(int, name, pthread_rwlock_t *lock)                                                    \
	{                                                                                          \
		return took_read(lock, next_##name(lock));                                         \
	}
#define WRITE_LOCK(name)                                                                           \
	NEXT(int, name, pthread_rwlock_t *lock)                                                    \
	{                                                                                          \
		return took_write(lock, next_##name(lock));                                        \
	}
READ_LOCK(pthread_rwlock_rdlock)
READ_LOCK(pthread_rwlock_tryrdlock)
WRITE_LOCK(pthread_rwlock_wrlock)
WRITE_LOCK(pthread_rwlock_trywrlock)

NEXT(int, pthread_rwlock_timedrdlock, pthread_rwlock_t *lock, const struct timespec *until)
{
	return took_read(lock, next_pthread_rwlock_timedrdlock(lock, until));
}

NEXT(int, pthread_rwlock_timedwrlock, pthread_rwlock_t *lock, const struct timespec *until)
{
	return took_write(lock, next_pthread_rwlock_timedwrlock(lock, until));
}

NEXT(int, pthread_rwlock_unlock, pthread_rwlock_t *lock)
{
	const bool writer = host_sync_wrote(lock);
	vkr_host_sync_release(lock, writer ? VKR_HOST_SYNC_RWLOCK : VKR_HOST_SYNC_READERS, writer);
	return next_pthread_rwlock_unlock(lock);
}

NEXT(int, sem_post, sem_t *semaphore)
{
	vkr_host_sync_release(semaphore, VKR_HOST_SYNC_SEMAPHORE, false);
	return next_sem_post(semaphore);
}

static int took_semaphore(sem_t *semaphore, int result)
{
	if (result == 0)
		vkr_host_sync_acquire(semaphore, VKR_HOST_SYNC_SEMAPHORE);
	return result;
}

NEXT(int, sem_wait, sem_t *semaphore)
{
	return took_semaphore(semaphore, next_sem_wait(semaphore));
}

NEXT(int, sem_trywait, sem_t *semaphore)
{
	return took_semaphore(semaphore, next_sem_trywait(semaphore));
}

NEXT(int, sem_timedwait, sem_t *semaphore, const struct timespec *until)
{
	return took_semaphore(semaphore, next_sem_timedwait(semaphore, until));
}

NEXT(int, sem_clockwait, sem_t *semaphore, clockid_t clock, const struct timespec *until)
{
	return took_semaphore(semaphore, next_sem_clockwait(semaphore, clock, until));
}

// A thread that comes late acquires what others have released for the next round, too.
NEXT(int, pthread_barrier_wait, pthread_barrier_t *barrier)
{
	vkr_host_sync_release(barrier, VKR_HOST_SYNC_BARRIER, false);
	int result = next_pthread_barrier_wait(barrier);
	vkr_host_sync_acquire(barrier, VKR_HOST_SYNC_BARRIER);
	return result;
}

// The routine that this thread may be about to run, and for what.
static _Thread_local struct {
	void (*routine)(void);
	const void *control;
} once;

static void run_once(void)
{
	const void *control = once.control;
	once.routine();
	vkr_host_sync_release(control, VKR_HOST_SYNC_ONCE, true);
}

NEXT(int, pthread_once, pthread_once_t *control, void (*routine)(void))
{
	void (*outer)(void) = once.routine;
	const void *outer_control = once.control;
	once.routine = routine;
	once.control = control;
	int result = next_pthread_once(control, run_once);
	once.routine = outer;
	once.control = outer_control;
	vkr_host_sync_acquire(control, VKR_HOST_SYNC_ONCE);
	return result;
}

NEXT(void, call_once, once_flag *control, void (*routine)(void))
{
	void (*outer)(void) = once.routine;
	const void *outer_control = once.control;
	once.routine = routine;
	once.control = control;
	next_call_once(control, run_once);
	once.routine = outer;
	once.control = outer_control;
	vkr_host_sync_acquire(control, VKR_HOST_SYNC_ONCE);
}

// The C++ ABI's guards of local static variables.
NEXT(int, __cxa_guard_acquire, uint64_t *guard)
{
	int result = next___cxa_guard_acquire(guard);
	vkr_host_sync_acquire(guard, VKR_HOST_SYNC_ONCE);
	return result;
}

NEXT(void, __cxa_guard_release, uint64_t *guard)
{
	vkr_host_sync_release(guard, VKR_HOST_SYNC_ONCE, true);
	next___cxa_guard_release(guard);
}

#define PATCH(name)                                                                                \
	{                                                                                          \
#name, (void (*)(void))my_##name, (void (**)(void)) & next_##name                  \
	}

static const struct vkr_got_patch patches[] = {
	PATCH(pthread_mutex_lock),
	PATCH(pthread_mutex_trylock),
	PATCH(pthread_mutex_unlock),
	PATCH(pthread_mutex_timedlock),
	PATCH(pthread_mutex_clocklock),
	PATCH(pthread_spin_lock),
	PATCH(pthread_spin_trylock),
	PATCH(pthread_spin_unlock),
	PATCH(mtx_lock),
	PATCH(mtx_trylock),
	PATCH(mtx_unlock),
	PATCH(mtx_timedlock),
	PATCH(pthread_cond_wait),
	PATCH(pthread_cond_timedwait),
	PATCH(pthread_cond_clockwait),
	PATCH(cnd_wait),
	PATCH(cnd_timedwait),
	PATCH(pthread_rwlock_rdlock),
	PATCH(pthread_rwlock_tryrdlock),
	PATCH(pthread_rwlock_timedrdlock),
	PATCH(pthread_rwlock_wrlock),
	PATCH(pthread_rwlock_trywrlock),
	PATCH(pthread_rwlock_timedwrlock),
	PATCH(pthread_rwlock_unlock),
	PATCH(sem_post),
	PATCH(sem_wait),
	PATCH(sem_trywait),
	PATCH(sem_timedwait),
	PATCH(sem_clockwait),
	PATCH(pthread_barrier_wait),
	PATCH(pthread_once),
	PATCH(call_once),
	PATCH(__cxa_guard_acquire),
	PATCH(__cxa_guard_release),
};

// The loader, layers, and the driver with its compiler; the last two are the driver's own file.
static const char *spared[] = {"libvulkan", "libVkLayer", "libLLVM", NULL, NULL};

static void start_host_sync(void)
{
	const struct vkr_trace_host_order payload = {.order = VKR_HOST_ORDER_OWN};
	vkr_record_layer(VKR_TRACE_HOST_ORDER, &payload, sizeof payload, NULL, 0);
	if (!vkr_host_sync_threads_start(spared) ||
	    !vkr_got_patch_add(patches, sizeof patches / sizeof *patches, spared))
		vkr_record_no_memory("the synchronization of host threads");
}

void vkr_host_sync_start(const struct vkr_layer_device *device)
{
	static pthread_once_t begun = PTHREAD_ONCE_INIT;
	Dl_info driver;
	if (!vkr_setting_flag(VKR_SETTING_HOST_SYNC, false))
		return;
	if (!spared[3] && dladdr((void *)(uintptr_t)device->next.QueueSubmit, &driver))
		spared[3] = driver.dli_fname;
	pthread_once(&begun, start_host_sync);
}
