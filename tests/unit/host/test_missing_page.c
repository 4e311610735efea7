// SPDX-License-Identifier: Apache-2.0
// A thread that writes to a missing page sleeps until the page is given, each time that it was
// taken.
#include "missing_page.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 20

struct writer {
	_Atomic int thread;  // its number; 0: it has not begun
	_Atomic int written; // what the page holds
	volatile int *to;
	int value;
};

static void *write_value(void *argument)
{
	struct writer *writer = argument;
	atomic_store(&writer->thread, (int)syscall(SYS_gettid));
	*writer->to = writer->value;
	atomic_store(&writer->written, *writer->to);
	return NULL;
}

// Whether the thread waits for something: its state is the word after its name.
static bool sleeps(int thread)
{
	char path[64], text[256] = "";
	snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_true(read(file, text, sizeof text - 1) > 0);
	close(file);
	const char *state = strrchr(text, ')');
	assert_non_null(state);
	return state[2] == 'S' || state[2] == 'D';
}

static void writers_sleep(void **state)
{
	struct vkr_missing_page page;
	(void)state;
	if (!vkr_missing_page_init(&page))
		skip();
	for (int round = 1; round <= ROUNDS; round++) {
		struct writer writer = {.to = page.memory, .value = round};
		pthread_t thread;
		assert_int_equal(pthread_create(&thread, NULL, write_value, &writer), 0);
		while (atomic_load(&writer.thread) == 0 || !sleeps(atomic_load(&writer.thread)))
			sched_yield();
		assert_int_equal(atomic_load(&writer.written), 0);
		vkr_missing_page_give(&page);
		assert_int_equal(pthread_join(thread, NULL), 0);
		assert_int_equal(atomic_load(&writer.written), round);
		vkr_missing_page_take(&page);
	}
	vkr_missing_page_finish(&page);
	assert_null(page.memory);
}

// What is present is not waited for.
static void given_before(void **state)
{
	struct vkr_missing_page page;
	(void)state;
	if (!vkr_missing_page_init(&page))
		skip();
	vkr_missing_page_give(&page);
	struct writer writer = {.to = page.memory, .value = 1};
	write_value(&writer);
	vkr_missing_page_give(&page);
	assert_int_equal(*writer.to, 1);
	vkr_missing_page_finish(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(writers_sleep),
					   cmocka_unit_test(given_before)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
