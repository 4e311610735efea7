// SPDX-License-Identifier: Apache-2.0
// Places of addresses: a function of this program, found with all memory, and with each allocation
// of libdw's, glibc's and vkrace's own failing in turn. Knows no program but itself, which is
// linked without a build id.
#include "stack_places.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// glibc's own; the program's take their place in all libraries.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

#define EXPORT __attribute__((visibility("default")))

static unsigned made, fails_at; // 0: none

static bool fails(void)
{
	return ++made == fails_at;
}

EXPORT void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}

// What is known of the test itself where the `number`th allocation fails; 0: none.
static char *ask(unsigned number, unsigned *allocations)
{
	Dl_info self;
	void (*const function)(void **) = (void (*)(void **))(uintptr_t)ask;
	assert_true(dladdr((void *)(uintptr_t)function, &self) != 0);
	struct vkr_stack_places *places = vkr_stack_places_create();
	assert_non_null(places);
	made = 0;
	fails_at = number;
	char *words = vkr_stack_places_words(places, "/proc/self/exe", "",
					     (uintptr_t)function - (uintptr_t)self.dli_fbase + 1);
	*allocations = made;
	fails_at = 0;
	vkr_stack_places_destroy(places);
	return words;
}

static void test_memory(void **state)
{
	(void)state;
	unsigned allocations = 0, unused = 0;
	char *words = ask(0, &allocations);
	assert_non_null(words);
	assert_non_null(strstr(words, "ask() "));
	assert_non_null(strstr(words, "test_stack_places.c:"));
	free(words);
	for (unsigned number = 1; number <= allocations; number++)
		free(ask(number, &unused));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
