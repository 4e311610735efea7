// SPDX-License-Identifier: Apache-2.0
#include "host_calls.h"

#include "got_patch.h"
#include "host_fault.h"
#include "host_regions.h"

#include "vkrace/trace.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

// X(name, result, parameters, arguments): a call with one stretch of memory, `data` and `bytes`,
// that the kernel fills.
#define FILLING(X)                                                                                 \
	X(read, ssize_t, (int file, void *data, size_t bytes), (file, data, bytes))                \
	X(pread, ssize_t, (int file, void *data, size_t bytes, off_t at), (file, data, bytes, at)) \
	X(pread64, ssize_t, (int file, void *data, size_t bytes, off_t at),                        \
	  (file, data, bytes, at))                                                                 \
	X(recv, ssize_t, (int file, void *data, size_t bytes, int flags),                          \
	  (file, data, bytes, flags))                                                              \
	X(recvfrom, ssize_t,                                                                       \
	  (int file, void *data, size_t bytes, int flags, struct sockaddr *from,                   \
	   socklen_t *length),                                                                     \
	  (file, data, bytes, flags, from, length))                                                \
	X(getrandom, ssize_t, (void *data, size_t bytes, unsigned flags), (data, bytes, flags))

// X(name, result, parameters, arguments): calls whose data the kernel reads.
#define READING(X)                                                                                 \
	X(write, ssize_t, (int file, const void *data, size_t bytes), (file, data, bytes))         \
	X(pwrite, ssize_t, (int file, const void *data, size_t bytes, off_t at),                   \
	  (file, data, bytes, at))                                                                 \
	X(pwrite64, ssize_t, (int file, const void *data, size_t bytes, off_t at),                 \
	  (file, data, bytes, at))                                                                 \
	X(send, ssize_t, (int file, const void *data, size_t bytes, int flags),                    \
	  (file, data, bytes, flags))                                                              \
	X(sendto, ssize_t,                                                                         \
	  (int file, const void *data, size_t bytes, int flags, const struct sockaddr *to,         \
	   socklen_t length),                                                                      \
	  (file, data, bytes, flags, to, length))

// X(name, parameters, arguments): with a list of stretches.
#define LISTED(X)                                                                                  \
	X(readv, (int file, const struct iovec *list, int count), (file, moved, count),            \
	  VKR_HOST_WRITE)                                                                          \
	X(writev, (int file, const struct iovec *list, int count), (file, moved, count),           \
	  VKR_HOST_READ)                                                                           \
	X(preadv, (int file, const struct iovec *list, int count, off_t at),                       \
	  (file, moved, count, at), VKR_HOST_WRITE)                                                \
	X(pwritev, (int file, const struct iovec *list, int count, off_t at),                      \
	  (file, moved, count, at), VKR_HOST_READ)

// The C library's functions.
#define MEMBER(name, result, parameters, arguments)    result(*name) parameters;
#define MEMBER_LISTED(name, parameters, arguments, op) ssize_t(*name) parameters;
static struct {
	FILLING(MEMBER)
	READING(MEMBER)
	LISTED(MEMBER_LISTED)
	size_t (*fread)(void *data, size_t size, size_t count, FILE *stream);
	size_t (*fwrite)(const void *data, size_t size, size_t count, FILE *stream);
	ssize_t (*recvmsg)(int file, struct msghdr *message, int flags);
	ssize_t (*sendmsg)(int file, const struct msghdr *message, int flags);
} real;

// The address of this byte in the mapping whose pages are never closed. A range lies in one region,
// or the program is wrong.
static void *moved_to(const void *data)
{
	const uint64_t address = (uint64_t)(uintptr_t)data;
	const struct vkr_region *region = vkr_regions_enter(address);
	void *moved = region ? vkr_region_open_address(region, address) : (void *)(uintptr_t)data;
	vkr_regions_leave();
	return moved;
}

static void note_access(const void *data, ssize_t bytes, uint32_t operation)
{
	const int error = errno;
	if (bytes > 0)
		vkr_fault_note(data, (uint64_t)bytes, operation);
	errno = error;
}

// The kernel sees the same call; only the address differs.
#define WRAP(name, result, parameters, arguments, constant, operation)                             \
	static result our_##name parameters                                                        \
	{                                                                                          \
		constant void *const program = data;                                               \
		data = moved_to(program);                                                          \
		const result done = real.name arguments;                                           \
		if (data != program)                                                               \
			note_access(program, done, operation);                                     \
		return done;                                                                       \
	}
#define PLAIN
#define WRAP_FILLING(name, result, parameters, arguments)                                          \
	WRAP(name, result, parameters, arguments, PLAIN, VKR_HOST_WRITE)
#define WRAP_READING(name, result, parameters, arguments)                                          \
	WRAP(name, result, parameters, arguments, const, VKR_HOST_READ)
FILLING(WRAP_FILLING)
READING(WRAP_READING)

// The kernel takes no longer lists (IOV_MAX).
#define LIST_LIMIT 1024

// True where any stretch lies elsewhere now.
static bool move_list(const struct iovec *list, size_t count, struct iovec *moved)
{
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		moved[i].iov_base = moved_to(list[i].iov_base);
		moved[i].iov_len = list[i].iov_len;
		any = any || moved[i].iov_base != list[i].iov_base;
	}
	return any;
}

// The first `done` bytes of the list.
static void note_list(const struct iovec *list, size_t count, ssize_t done, uint32_t operation)
{
	for (size_t i = 0; i < count && done > 0; i++) {
		const ssize_t part =
			(size_t)done < list[i].iov_len ? done : (ssize_t)list[i].iov_len;
		note_access(list[i].iov_base, part, operation);
		done -= part;
	}
}

#define WRAP_LISTED(name, parameters, arguments, operation)                                        \
	static ssize_t our_##name parameters                                                       \
	{                                                                                          \
		struct iovec room[LIST_LIMIT];                                                     \
		const struct iovec *moved = list;                                                  \
		const bool known = count > 0 && count <= LIST_LIMIT;                               \
		if (known && move_list(list, (size_t)count, room))                                 \
			moved = room;                                                              \
		const ssize_t done = real.name arguments;                                          \
		if (moved != list)                                                                 \
			note_list(list, (size_t)count, done, operation);                           \
		return done;                                                                       \
	}
LISTED(WRAP_LISTED)

static ssize_t our_recvmsg(int file, struct msghdr *message, int flags)
{
	struct iovec room[LIST_LIMIT], *list = message->msg_iov;
	if (message->msg_iovlen > LIST_LIMIT || !move_list(list, message->msg_iovlen, room))
		return real.recvmsg(file, message, flags);
	message->msg_iov = room;
	const ssize_t done = real.recvmsg(file, message, flags);
	message->msg_iov = list;
	note_list(list, message->msg_iovlen, done, VKR_HOST_WRITE);
	return done;
}

static ssize_t our_sendmsg(int file, const struct msghdr *message, int flags)
{
	struct iovec room[LIST_LIMIT];
	struct msghdr copy = *message;
	if (message->msg_iovlen > LIST_LIMIT ||
	    !move_list(message->msg_iov, message->msg_iovlen, room))
		return real.sendmsg(file, message, flags);
	copy.msg_iov = room;
	const ssize_t done = real.sendmsg(file, &copy, flags);
	note_list(message->msg_iov, message->msg_iovlen, done, VKR_HOST_READ);
	return done;
}

// The C library reads into large destinations straight by read(2), which it does not call by name.
static size_t our_fread(void *data, size_t size, size_t count, FILE *stream)
{
	void *moved = moved_to(data);
	const size_t done = real.fread(moved, size, count, stream);
	if (moved != data)
		note_access(data, (ssize_t)(done * size), VKR_HOST_WRITE);
	return done;
}

static size_t our_fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
	const void *moved = moved_to(data);
	const size_t done = real.fwrite(moved, size, count, stream);
	if (moved != data)
		note_access(data, (ssize_t)(done * size), VKR_HOST_READ);
	return done;
}

#define EACH(X)                                                                                    \
	X(read)                                                                                    \
	X(pread)                                                                                   \
	X(pread64)                                                                                 \
	X(recv)                                                                                    \
	X(recvfrom)                                                                                \
	X(getrandom)                                                                               \
	X(write)                                                                                   \
	X(pwrite)                                                                                  \
	X(pwrite64)                                                                                \
	X(send)                                                                                    \
	X(sendto)                                                                                  \
	X(readv)                                                                                   \
	X(writev)                                                                                  \
	X(preadv)                                                                                  \
	X(pwritev)                                                                                 \
	X(recvmsg)                                                                                 \
	X(sendmsg)                                                                                 \
	X(fread)                                                                                   \
	X(fwrite)

bool vkr_calls_start(void)
{
#define PATCH(name) {#name, (void (*)(void))our_##name, (void (**)(void)) & real.name},
	static const struct vkr_got_patch patches[] = {EACH(PATCH)};
#undef PATCH
	return vkr_got_patch_add(patches, sizeof patches / sizeof *patches, NULL);
}
