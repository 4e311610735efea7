// SPDX-License-Identifier: Apache-2.0
// To be preloaded: a call of the layer's, or of one of vkrace's commands, fails, and only of
// theirs. What the layer is linked with statically is part of it; of a command all is. Knows calls
// by who makes them, and allocations also by where they are asked for; not what for.
//
// VKRACE_TEST_MEMORY=PLACE:NUMBER[:all]: the NUMBERth allocation that is asked for at PLACE, an
// offset in the layer, fails; with `all`, so do all of the layer's behind it.
// VKRACE_TEST_PLACES=FILE: each is told there as PLACE, a line each.
// VKRACE_TEST_CALL=WHO:KIND:NUMBER: the NUMBERth call of the KIND (memory, mmap, memfd, pipe,
// socket, thread) by WHO fails: `layer`, or the name of a command, as `judge`.
// VKRACE_TEST_MADE=FILE: each is told there as WHO KIND, a line each.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// glibc's own.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

typedef int create_thread(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument);

static _Atomic uintptr_t layer; // where it is loaded; 0: not yet
static char command[16];        // of vkrace; "": this is another program
static create_thread *next_create_thread;
static bool ready;

static struct {
	uintptr_t place;
	_Atomic long number;
	_Atomic bool on;
	bool all;
	int told;
} by_place = {.number = -1, .told = -1};

static struct {
	char who[16], kind[16];
	_Atomic long number;
	int told;
} by_kind = {.number = -1, .told = -1};

static int open_told(const char *path)
{
	return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
}

// While there is one thread.
__attribute__((constructor)) static void read_settings(int argc, char **argv)
{
	const char *place = getenv("VKRACE_TEST_MEMORY"), *call = getenv("VKRACE_TEST_CALL");
	const char *name = strrchr(argv[0], '/');
	long number;
	if (place) {
		char *end;
		by_place.place = strtoul(place, &end, 16);
		by_place.number = strtol(end + 1, &end, 10);
		by_place.all = *end == ':';
	}
	if (call && sscanf(call, "%15[^:]:%15[^:]:%ld", by_kind.who, by_kind.kind, &number) == 3)
		by_kind.number = number;
	if (argc > 1 && strcmp(name ? name + 1 : argv[0], "vkrace") == 0)
		snprintf(command, sizeof command, "%s", argv[1]);
	by_place.told = open_told(getenv("VKRACE_TEST_PLACES"));
	by_kind.told = open_told(getenv("VKRACE_TEST_MADE"));
	void *found = dlsym(RTLD_NEXT, "pthread_create");
	memcpy(&next_create_thread, &found, sizeof found);
	ready = true;
}

static bool in_layer(uintptr_t caller, uintptr_t *offset)
{
	struct dl_find_object found;
	if (_dl_find_object((void *)caller, &found) != 0)
		return false;
	const uintptr_t start = (uintptr_t)found.dlfo_map_start;
	if (!atomic_load(&layer) && strstr(found.dlfo_link_map->l_name, "libVkLayer_vkrace"))
		atomic_store(&layer, start);
	*offset = caller - start;
	return atomic_load(&layer) == start;
}

static void tell(int file, const char *first, const char *second)
{
	char line[40];
	const int length = snprintf(line, sizeof line, "%s %s\n", first, second);
	(void)!write(file, line, (size_t)length);
}

static bool place_fails(uintptr_t offset)
{
	if (by_place.told >= 0) {
		char place[20];
		snprintf(place, sizeof place, "%lx", (unsigned long)offset);
		tell(by_place.told, place, "");
	}
	if (atomic_load(&by_place.on))
		return true;
	if (offset != by_place.place || atomic_fetch_sub(&by_place.number, 1) != 1)
		return false;
	atomic_store(&by_place.on, by_place.all);
	return true;
}

static bool fails(const char *kind, const void *caller)
{
	uintptr_t offset = 0;
	if (!ready)
		return false;
	const bool of_layer = !command[0] && in_layer((uintptr_t)caller, &offset);
	const char *who = of_layer ? "layer" : command;
	if (!*who)
		return false;
	if (by_kind.told >= 0)
		tell(by_kind.told, who, kind);
	if (of_layer && strcmp(kind, "memory") == 0 && place_fails(offset))
		return true;
	return strcmp(who, by_kind.who) == 0 && strcmp(kind, by_kind.kind) == 0 &&
	       atomic_fetch_sub(&by_kind.number, 1) == 1;
}

// Frames are kept (-fno-optimize-sibling-calls): who calls is asked.
#define FAILS(kind) fails(kind, __builtin_return_address(0))

EXPORT void *malloc(size_t size)
{
	return FAILS("memory") ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return FAILS("memory") ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
	return FAILS("memory") ? NULL : __libc_realloc(block, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return FAILS("memory") ? NULL : __libc_memalign(alignment, size);
}

static long failed(int reason)
{
	errno = reason;
	return -1;
}

EXPORT void *mmap(void *place, size_t bytes, int protection, int flags, int file, off_t offset)
{
	return FAILS("mmap")
		       ? (void *)failed(ENOMEM)
		       : (void *)syscall(SYS_mmap, place, bytes, protection, flags, file, offset);
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
	return (int)(FAILS("memfd") ? failed(EMFILE) : syscall(SYS_memfd_create, name, flags));
}

EXPORT int pipe2(int ends[2], int flags)
{
	return (int)(FAILS("pipe") ? failed(EMFILE) : syscall(SYS_pipe2, ends, flags));
}

EXPORT int pipe(int ends[2])
{
	return (int)(FAILS("pipe") ? failed(EMFILE) : syscall(SYS_pipe2, ends, 0));
}

EXPORT int socket(int domain, int type, int protocol)
{
	return (int)(FAILS("socket") ? failed(EMFILE)
				     : syscall(SYS_socket, domain, type, protocol));
}

EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
	return (int)(FAILS("socket") ? failed(EMFILE)
				     : syscall(SYS_socketpair, domain, type, protocol, ends));
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	return FAILS("thread") ? EAGAIN : next_create_thread(thread, attributes, start, argument);
}
