// SPDX-License-Identifier: Apache-2.0
// To be preloaded: an allocation of the layer's fails, and only of the layer's. What the layer is
// linked with statically is part of it. Knows allocations by where they are asked for; not what
// for.
//
// VKRACE_TEST_MEMORY=PLACE:NUMBER[:all]: the NUMBERth allocation that is asked for at PLACE, an
// offset in the layer, fails; with `all`, so do all of the layer's behind it.
// VKRACE_TEST_PLACES=FILE: each is told there as PLACE, a line each.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// glibc's own.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static _Atomic uintptr_t layer; // where it is loaded; 0: not yet
static _Atomic long number = -1;
static _Atomic bool on;
static uintptr_t place;
static bool all, ready;
static int places = -1;

// While there is one thread.
__attribute__((constructor)) static void read_settings(void)
{
	const char *asked = getenv("VKRACE_TEST_MEMORY");
	const char *told = getenv("VKRACE_TEST_PLACES");
	if (asked) {
		char *end;
		place = strtoul(asked, &end, 16);
		number = strtol(end + 1, &end, 10);
		all = *end == ':';
	}
	if (told)
		places = open(told, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	ready = true;
}

static bool in_layer(uintptr_t caller, uintptr_t *offset)
{
	struct dl_find_object found;
	if (!ready || _dl_find_object((void *)caller, &found) != 0)
		return false;
	const uintptr_t start = (uintptr_t)found.dlfo_map_start;
	if (!atomic_load(&layer) && strstr(found.dlfo_link_map->l_name, "libVkLayer_vkrace"))
		atomic_store(&layer, start);
	*offset = caller - start;
	return atomic_load(&layer) == start;
}

static bool fails(const void *caller)
{
	uintptr_t offset;
	if (!in_layer((uintptr_t)caller, &offset))
		return false;
	if (places >= 0) {
		char line[32];
		const int length = snprintf(line, sizeof line, "%lx\n", (unsigned long)offset);
		(void)!write(places, line, (size_t)length);
	}
	if (atomic_load(&on))
		return true;
	if (offset != place || atomic_fetch_sub(&number, 1) != 1)
		return false;
	atomic_store(&on, all);
	return true;
}

EXPORT void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
