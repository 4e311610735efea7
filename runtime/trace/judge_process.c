// SPDX-License-Identifier: Apache-2.0
#include "judge_process.h"

#include "descriptor.h"
#include "error.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)64 * 1024)

// How often a thread that waits for room checks whether the judge still lives.
#define GONE_CHECK_MS 100

typedef int (*clone_function)(int (*function)(void *), void *stack, int flags, void *argument, ...);

struct start {
	clone_function clone;
	const char *path;
	char *const *arguments;
	const int *kept;
	size_t kept_count;
	unsigned char *stack; // two stacks
	pid_t judge;
	int reason; // errno where it could not start
};

enum vkr_result vkr_judge_connect(struct vkr_judge *judge, int *other, struct vkr_error *error)
{
	int sockets[2];
	struct stat status;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0 ||
	    fstat(sockets[0], &status) != 0)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot make a socket: %s",
				     strerror(errno));
	judge->identity = status.st_ino;
	judge->socket = vkr_descriptor_above_streams(sockets[0]);
	*other = vkr_descriptor_above_streams(sockets[1]);
	if (judge->socket >= 0 && *other >= 0)
		return VKR_OK;
	vkr_error_set(error, VKR_ERROR_IO, "cannot keep a socket: %s", strerror(errno));
	if (judge->socket >= 0)
		close(judge->socket);
	if (*other >= 0)
		close(*other);
	judge->socket = *other = -1;
	return VKR_ERROR_IO;
}

// The functions below run in the caller's memory, which waits for them: system calls only.

// Where a program has closed its standard error, the next file that is opened has its number. As
// standard error files are opened for writing, or inherited.
static bool is_a_librarys(int descriptor)
{
	struct stat status;
	return fcntl(descriptor, F_GETFD) == FD_CLOEXEC && fstat(descriptor, &status) == 0 &&
	       S_ISREG(status.st_mode) && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_WRONLY;
}

static int run_judge(void *argument)
{
	struct start *start = argument;
	setpgid(0, 0); // so that what ends the program's process group leaves the judge alone
	for (size_t i = 0; i < start->kept_count; i++)
		fcntl(start->kept[i], F_SETFD, 0);
	// The report goes there, also where the program lets its own children inherit nothing.
	if (!is_a_librarys(STDERR_FILENO))
		fcntl(STDERR_FILENO, F_SETFD, 0);
	execve(start->path, start->arguments, environ);
	start->reason = errno;
	_exit(127);
}

static int run_between(void *argument)
{
	struct start *start = argument;
	start->judge =
		start->clone(run_judge, start->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, start);
	if (start->judge < 0)
		start->reason = errno;
	_exit(0);
}

// The C library's own: ThreadSanitizer's before it takes the child for one with memory of its own,
// and ends the program.
static clone_function clone_of_library(void)
{
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, "clone") : NULL;
	clone_function function = clone;
	if (found)
		memcpy(&function, &found, sizeof function);
	if (library)
		dlclose(library);
	return function;
}

// As posix_spawn() does it, but through a process between that ends without a signal, so that the
// judge is handed on to init: a program may have a handler for SIGCHLD, or wait for any child.
enum vkr_result vkr_judge_spawn(struct vkr_judge *judge, const char *path, char *const *arguments,
				const int *kept, size_t kept_count, struct vkr_error *error)
{
	struct start start = {clone_of_library(), path, arguments, kept, kept_count, NULL, 0, 0};
	sigset_t all, before;
	start.stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (start.stack == MAP_FAILED)
		return vkr_error_memory(error, "the judge's start");
	// No handler of the program may run in the child, on the program's memory.
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid_t between = start.clone(run_between, start.stack + 2 * STACK_BYTES,
				    CLONE_VM | CLONE_VFORK, &start);
	int reason = between < 0 ? errno : 0;
	if (between > 0)
		waitpid(between, NULL, __WALL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(start.stack, 2 * STACK_BYTES);
	if (reason == 0)
		reason = start.reason;
	if (reason != 0)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot start the judge: %s", path,
				     strerror(reason));
	judge->process = start.judge;
	return VKR_OK;
}

bool vkr_judge_connected(const struct vkr_judge *judge)
{
	struct stat status;
	return fstat(judge->socket, &status) == 0 && S_ISSOCK(status.st_mode) &&
	       status.st_ino == judge->identity;
}

bool vkr_judge_gone(const struct vkr_judge *judge)
{
	struct pollfd socket = {.fd = judge->socket};
	if (vkr_judge_connected(judge))
		return poll(&socket, 1, 0) == 1 && (socket.revents & POLLHUP) != 0;
	return kill(judge->process, 0) != 0 && errno == ESRCH;
}

bool vkr_judge_send(int descriptor, enum vkr_judge_message kind, const char *text, bool wait)
{
	char first = (char)kind;
	struct iovec pieces[2] = {
		{.iov_base = &first, .iov_len = 1},
		{.iov_base = (void *)(uintptr_t)text, // sendmsg() takes no const
		 .iov_len = strnlen(text, VKR_JUDGE_MESSAGE_BYTES)},
	};
	const struct msghdr packet = {.msg_iov = pieces, .msg_iovlen = 2};
	ssize_t sent;
	do {
		sent = sendmsg(descriptor, &packet, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
	} while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

bool vkr_judge_send_unless(int descriptor, enum vkr_judge_message kind, const char *text,
			   const _Atomic bool *gone)
{
	struct pollfd room = {.fd = descriptor, .events = POLLOUT};
	while (!vkr_judge_send(descriptor, kind, text, false)) {
		if (errno != EAGAIN || atomic_load(gone))
			return false;
		(void)poll(&room, 1, GONE_CHECK_MS);
	}
	return true;
}

char *vkr_judge_receive(int descriptor, bool wait, enum vkr_judge_message *kind)
{
	const int flags = wait ? 0 : MSG_DONTWAIT;
	ssize_t length, got;
	do {
		length = recv(descriptor, NULL, 0, flags | MSG_PEEK | MSG_TRUNC);
	} while (length < 0 && errno == EINTR);
	char *packet = length > 0 ? malloc((size_t)length) : NULL;
	if (!packet)
		return NULL;
	do {
		got = recv(descriptor, packet, (size_t)length, flags);
	} while (got < 0 && errno == EINTR);
	if (got <= 0) {
		free(packet);
		return NULL;
	}
	*kind = (enum vkr_judge_message)packet[0];
	memmove(packet, packet + 1, (size_t)got - 1);
	packet[got - 1] = '\0';
	return packet;
}
