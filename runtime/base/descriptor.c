// SPDX-License-Identifier: Apache-2.0
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int vkr_descriptor_above_streams(int descriptor)
{
	if (descriptor < 0 || descriptor > STDERR_FILENO)
		return descriptor;
	const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int reason = errno;
	close(descriptor);
	errno = reason;
	return copy;
}

// SIGXFSZ comes to the thread that makes a file larger than RLIMIT_FSIZE allows: it is blocked, and
// taken away where it was not pending before.
static int set_size(int file, off_t bytes)
{
	const struct timespec now = {0};
	sigset_t limit, pending, before;
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	const bool was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
	const int result = ftruncate(file, bytes), reason = errno;
	if (result != 0 && reason == EFBIG && !was_pending)
		(void)sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = reason;
	return result;
}

int vkr_descriptor_of_memory(const char *name, unsigned flags, uint64_t bytes)
{
	const int file = vkr_descriptor_above_streams(memfd_create(name, flags));
	if (file < 0 || set_size(file, (off_t)bytes) == 0)
		return file;
	const int reason = errno;
	close(file);
	errno = reason;
	return -1;
}
