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

// The message to the run after the secret: one letter.
#define INSTANCE 'I'
#define JUDGE    'J' // with one end of a socket pair
#define FAILED   'F' // and a text after it

#define MESSAGE_BYTES (VKR_RUN_SECRET_BYTES + 1)

// Control data of a message: one descriptor, and who sent it.
union control {
	struct cmsghdr align;
	char descriptor[CMSG_SPACE(sizeof(int))];
	char all[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
};

// An abstract address: no file that could be left behind.
static socklen_t make_address(struct sockaddr_un *address, const char *name, size_t length)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (length > sizeof address->sun_path - 1)
		length = sizeof address->sun_path - 1;
	memcpy(address->sun_path + 1, name, length);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static enum vkr_result open_listener(struct vkr_run_listener *listener, size_t name_bytes,
				     struct vkr_error *error)
{
	struct sockaddr_un address;
	const socklen_t bytes = make_address(&address, listener->address, name_bytes);
	const int on = 1;
	listener->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->socket >= 0 &&
	    setsockopt(listener->socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
	    bind(listener->socket, (const struct sockaddr *)&address, bytes) == 0)
		return VKR_OK;
	vkr_error_set(error, VKR_ERROR_IO, "cannot make a socket for judges: %s", strerror(errno));
	if (listener->socket >= 0)
		close(listener->socket);
	listener->socket = -1;
	return VKR_ERROR_IO;
}

enum vkr_result vkr_run_channel_listen(struct vkr_run_listener *listener, struct vkr_error *error)
{
	uint64_t random[3];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot get a random number: %s",
				     strerror(errno));
	snprintf(listener->secret, sizeof listener->secret, "%016" PRIx64 "%016" PRIx64, random[0],
		 random[1]);
	// Everybody can see the name in /proc/net/unix; the secret follows it only in the
	// environment.
	const int name_bytes = snprintf(listener->address, sizeof listener->address,
					"vkrace-run-%ld-%016" PRIx64, (long)getpid(), random[2]);
	snprintf(listener->address + name_bytes, sizeof listener->address - (size_t)name_bytes,
		 ":%s", listener->secret);
	return open_listener(listener, (size_t)name_bytes, error);
}

// The descriptor that came with a message, or -1; and whether its sender may speak to this run:
// one of its own user, or any where the run is root's, whose programs may have become another's.
static bool take_control(struct msghdr *message, int *descriptor)
{
	bool known = false;
	*descriptor = -1;
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		struct ucred sender;
		if (part->cmsg_level != SOL_SOCKET)
			continue;
		if (part->cmsg_type == SCM_RIGHTS)
			memcpy(descriptor, CMSG_DATA(part), sizeof *descriptor);
		if (part->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&sender, CMSG_DATA(part), sizeof sender);
			known = sender.uid == getuid() || getuid() == 0;
		}
	}
	return known;
}

// In the same time for any text: who guesses learns nothing from how long it takes.
static bool is_secret(const struct vkr_run_listener *listener, const char *text)
{
	unsigned differs = 0;
	for (size_t i = 0; i < VKR_RUN_SECRET_BYTES; i++)
		differs |= (unsigned char)(text[i] ^ listener->secret[i]);
	return differs == 0;
}

enum vkr_run_message vkr_run_channel_next(const struct vkr_run_listener *listener, int *connection,
					  char *reason)
{
	for (;;) {
		char text[MESSAGE_BYTES + VKR_RUN_REASON_BYTES - 1];
		union control control;
		struct iovec piece = {.iov_base = text, .iov_len = sizeof text};
		struct msghdr message = {.msg_iov = &piece,
					 .msg_iovlen = 1,
					 .msg_control = &control,
					 .msg_controllen = sizeof control};
		const ssize_t got = recvmsg(listener->socket, &message, MSG_CMSG_CLOEXEC);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return VKR_RUN_NONE;
		const bool known = take_control(&message, connection) && got >= MESSAGE_BYTES &&
				   is_secret(listener, text);
		const char kind = text[VKR_RUN_SECRET_BYTES];
		if (known && kind == JUDGE)
			return VKR_RUN_JUDGE;
		if (*connection >= 0)
			close(*connection);
		*connection = -1;
		if (known && kind == INSTANCE)
			return VKR_RUN_INSTANCE;
		if (known && kind == FAILED) {
			memcpy(reason, text + MESSAGE_BYTES, (size_t)got - MESSAGE_BYTES);
			reason[got - MESSAGE_BYTES] = 0;
			return VKR_RUN_FAILED;
		}
	}
}

// The message of the run to a judge: one letter.
#define SIGNALED 's'
#define STOP     'S'

void vkr_run_channel_signal(int connection, bool program_ended)
{
	const char kind = program_ended ? STOP : SIGNALED;
	(void)!send(connection, &kind, sizeof kind, MSG_NOSIGNAL | MSG_DONTWAIT);
}

enum vkr_run_wish vkr_run_channel_asked(int connection)
{
	char kind;
	ssize_t got;
	do {
		got = recv(connection, &kind, sizeof kind, MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return VKR_RUN_NOTHING;
	if (got != 1)
		return VKR_RUN_GONE;
	return kind == STOP ? VKR_RUN_STOP : VKR_RUN_SIGNALED;
}

bool vkr_run_channel_receive(int connection, struct vkr_run_verdict *verdict)
{
	char text[96];
	ssize_t got;
	do {
		got = recv(connection, text, sizeof text - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return false;
	text[got] = 0;
	int incomplete, failed;
	if (sscanf(text, "%" SCNu32 " %" SCNu64 " %d %d", &verdict->groups, &verdict->races,
		   &incomplete, &failed) != 4)
		return false;
	verdict->incomplete = incomplete != 0;
	verdict->failed = failed != 0;
	return true;
}

// Sends one message to the run that the environment names; 0, or why not (errno). *reached is
// false where there is no run: none is named, or it has ended. A program may outlive its run.
static int send_to_run(char kind, int descriptor, const char *text_behind, bool *reached)
{
	const char *named = secure_getenv(VKR_RUN_VARIABLE);
	const char *secret = named ? strchr(named, ':') : NULL;
	*reached = false;
	if (!secret || strlen(secret + 1) != VKR_RUN_SECRET_BYTES)
		return 0;
	struct sockaddr_un address;
	char text[MESSAGE_BYTES];
	memcpy(text, secret + 1, VKR_RUN_SECRET_BYTES);
	text[VKR_RUN_SECRET_BYTES] = kind;
	union control control = {0};
	struct iovec pieces[2] = {
		{.iov_base = text, .iov_len = sizeof text},
		{.iov_base = (void *)(uintptr_t)text_behind, // sendmsg() takes no const
		 .iov_len = strnlen(text_behind, VKR_RUN_REASON_BYTES - 1)},
	};
	struct msghdr message = {.msg_name = &address,
				 .msg_namelen =
					 make_address(&address, named, (size_t)(secret - named)),
				 .msg_iov = pieces,
				 .msg_iovlen = 2};
	if (descriptor >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof control.descriptor;
		struct cmsghdr *part = CMSG_FIRSTHDR(&message);
		*part = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS,
					 .cmsg_len = CMSG_LEN(sizeof descriptor)};
		memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
	}
	const int socket_to_run = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ssize_t sent;
	do {
		sent = sendmsg(socket_to_run, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	const int reason = sent < 0 ? errno : 0;
	if (socket_to_run >= 0)
		close(socket_to_run);
	*reached = reason == 0;
	return reason == ECONNREFUSED ? 0 : reason;
}

enum vkr_result vkr_run_channel_connect(int *connection, struct vkr_error *error)
{
	int ends[2];
	bool reached;
	*connection = -1;
	if (!secure_getenv(VKR_RUN_VARIABLE))
		return VKR_OK;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot make a socket for vkrace run: %s",
				     strerror(errno));
	const int reason = send_to_run(JUDGE, ends[1], "", &reached);
	close(ends[1]);
	if (reached) {
		*connection = ends[0];
		return VKR_OK;
	}
	close(ends[0]);
	return reason == 0 ? VKR_OK
			   : vkr_error_set(error, VKR_ERROR_IO, "cannot reach vkrace run: %s",
					   strerror(reason));
}

void vkr_run_channel_send(int connection, const struct vkr_run_verdict *verdict)
{
	char text[96];
	if (connection < 0)
		return;
	int length = snprintf(text, sizeof text, "%" PRIu32 " %" PRIu64 " %d %d", verdict->groups,
			      verdict->races, verdict->incomplete, verdict->failed);
	if (send(connection, text, (size_t)length, MSG_NOSIGNAL) != length && errno != EPIPE)
		fprintf(stderr, "vkrace: cannot send the verdict to vkrace run: %s\n",
			strerror(errno));
}

void vkr_run_channel_tell_instance(void)
{
	bool reached;
	// Where the run cannot be reached its judges say so.
	(void)send_to_run(INSTANCE, -1, "", &reached);
}

void vkr_run_channel_tell_failed(const char *reason)
{
	bool reached;
	(void)send_to_run(FAILED, -1, reason, &reached);
}
