// SPDX-License-Identifier: Apache-2.0
#include "run_channel.h"

#include "error.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// What stands in place of a verdict.
#define INSTANCE "instance"

// An abstract address: no file that could be left behind.
static socklen_t make_address(struct sockaddr_un *address, const char *name)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	size_t length = strnlen(name, sizeof address->sun_path - 1);
	memcpy(address->sun_path + 1, name, length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

enum vkr_result vkr_run_channel_listen(int *listener, char *name, struct vkr_error *error)
{
	struct sockaddr_un address;
	uint64_t random;
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot get a random number: %s",
				     strerror(errno));
	snprintf(name, VKR_RUN_NAME_BYTES, "vkrace-run-%ld-%016" PRIx64, (long)getpid(), random);
	socklen_t bytes = make_address(&address, name);
	*listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*listener < 0 || bind(*listener, (const struct sockaddr *)&address, bytes) != 0 ||
	    listen(*listener, SOMAXCONN) != 0) {
		enum vkr_result result =
			vkr_error_set(error, VKR_ERROR_IO, "cannot make a socket for judges: %s",
				      strerror(errno));
		if (*listener >= 0)
			close(*listener);
		return result;
	}
	return VKR_OK;
}

int vkr_run_channel_accept(int listener)
{
	for (;;) {
		int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (connection < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (connection < 0)
			return -1;
		// An abstract address has no permissions of its own.
		struct ucred peer;
		socklen_t bytes = sizeof peer;
		if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
		    (peer.uid == getuid() || getuid() == 0))
			return connection;
		close(connection);
	}
}

enum vkr_run_message vkr_run_channel_receive(int connection, struct vkr_run_verdict *verdict)
{
	char text[96];
	ssize_t got;
	do {
		got = recv(connection, text, sizeof text - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return VKR_RUN_ENDED;
	text[got] = 0;
	if (strcmp(text, INSTANCE) == 0)
		return VKR_RUN_INSTANCE;
	int incomplete, unwritten;
	if (sscanf(text, "%" SCNu32 " %" SCNu64 " %d %d", &verdict->groups, &verdict->races,
		   &incomplete, &unwritten) != 4)
		return VKR_RUN_ENDED;
	verdict->incomplete = incomplete != 0;
	verdict->unwritten = unwritten != 0;
	return VKR_RUN_VERDICT;
}

enum vkr_result vkr_run_channel_connect(int *connection, struct vkr_error *error)
{
	struct sockaddr_un address;
	const char *name = getenv(VKR_RUN_VARIABLE);
	*connection = -1;
	if (!name || !*name)
		return VKR_OK;
	socklen_t bytes = make_address(&address, name);
	*connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (*connection >= 0 && connect(*connection, (const struct sockaddr *)&address, bytes) == 0)
		return VKR_OK;
	int reason = errno;
	if (*connection >= 0)
		close(*connection);
	*connection = -1;
	// A program that outlives its run, or starts anew elsewhere: nobody asks for a verdict.
	if (reason == ECONNREFUSED)
		return VKR_OK;
	return vkr_error_set(error, VKR_ERROR_IO, "cannot reach vkrace run: %s", strerror(reason));
}

void vkr_run_channel_send(int connection, const struct vkr_run_verdict *verdict)
{
	char text[96];
	if (connection < 0)
		return;
	int length = snprintf(text, sizeof text, "%" PRIu32 " %" PRIu64 " %d %d", verdict->groups,
			      verdict->races, verdict->incomplete, verdict->unwritten);
	if (send(connection, text, (size_t)length, MSG_NOSIGNAL) != length)
		fprintf(stderr, "vkrace: cannot tell vkrace run the verdict: %s\n",
			strerror(errno));
}

void vkr_run_channel_tell_instance(void)
{
	int connection;
	struct vkr_error error;
	// Where the run cannot be reached its judges say so.
	if (vkr_run_channel_connect(&connection, &error) != VKR_OK || connection < 0)
		return;
	(void)send(connection, INSTANCE, sizeof INSTANCE - 1, MSG_NOSIGNAL);
	close(connection);
}
