// SPDX-License-Identifier: Apache-2.0
#include "judge_process.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)64 * 1024)

struct start {
	const char *path;
	char *const *arguments;
	const int *kept;
	size_t kept_count;
	int reason; // errno where it could not start
};

// Runs in the caller's memory, which waits for it: only system calls.
static int run_child(void *argument)
{
	struct start *start = argument;
	setsid(); // so that what ends the program's process group leaves the judge alone
	for (size_t i = 0; i < start->kept_count; i++)
		fcntl(start->kept[i], F_SETFD, 0);
	execve(start->path, start->arguments, environ);
	start->reason = errno;
	_exit(127);
}

// As posix_spawn() does it, but without the signal to the parent at its end: a program may have a
// handler for SIGCHLD, or wait for any child of its own.
enum vkr_result vkr_judge_spawn(const char *path, char *const *arguments, const int *kept,
				size_t kept_count, pid_t *process, struct vkr_error *error)
{
	struct start start = {path, arguments, kept, kept_count, 0};
	sigset_t all, before;
	unsigned char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return vkr_error_memory(error, "the judge's start");
	// No handler of the program may run in the child, on the program's memory.
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pid_t child = clone(run_child, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &start);
	int reason = child < 0 ? errno : start.reason;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	munmap(stack, STACK_BYTES);
	if (reason != 0) {
		if (child > 0)
			waitpid(child, NULL, __WALL);
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot start the judge: %s", path,
				     strerror(reason));
	}
	*process = child;
	return VKR_OK;
}

bool vkr_judge_gone(pid_t process)
{
	siginfo_t info = {0};
	if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0)
		return errno == ECHILD;
	return info.si_pid == process;
}

bool vkr_judge_send(int descriptor, enum vkr_judge_message kind, const char *text, bool wait)
{
	char packet[VKR_JUDGE_MESSAGE_BYTES];
	size_t length = strnlen(text, sizeof packet - 1);
	packet[0] = (char)kind;
	memcpy(packet + 1, text, length);
	ssize_t sent;
	do {
		sent = send(descriptor, packet, length + 1,
			    MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
	} while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

bool vkr_judge_receive(int descriptor, bool wait, enum vkr_judge_message *kind, char *text,
		       size_t capacity)
{
	char packet[VKR_JUDGE_MESSAGE_BYTES];
	ssize_t got;
	do {
		got = recv(descriptor, packet, sizeof packet, wait ? 0 : MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	size_t length = (size_t)got - 1;
	if (length >= capacity)
		length = capacity - 1;
	memcpy(text, packet + 1, length);
	text[length] = 0;
	*kind = (enum vkr_judge_message)packet[0];
	return true;
}
