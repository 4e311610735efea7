// SPDX-License-Identifier: Apache-2.0
// Files that a run leaves: whole or not there, whatever stood under the name. Knows the files by
// their header and their folder; nothing of what is in them.
#include "error.h"
#include "output_file.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT "a report that is longer than a file may be"

struct folder {
	char path[32], file[48];
	struct vkr_output_file output;
	struct vkr_error error;
};

static struct folder opened(void)
{
	struct folder made = {.path = "/tmp/test_output_XXXXXX"};
	assert_non_null(mkdtemp(made.path));
	snprintf(made.file, sizeof made.file, "%s/report", made.path);
	assert_int_equal(vkr_output_file_open(&made.output, made.file, 1, false, &made.error),
			 VKR_OK);
	return made;
}

// Expects the folder to have the file alone, with these bytes, and removes both.
static void expect(struct folder *made, off_t bytes)
{
	struct stat status;
	unsigned count = 0;
	DIR *entries = opendir(made->path);
	assert_non_null(entries);
	for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
		count += entry->d_name[0] != '.';
	closedir(entries);
	assert_int_equal(count, 1);
	assert_int_equal(stat(made->file, &status), 0);
	assert_int_equal(status.st_size, bytes);
	assert_int_equal(status.st_mode & 0777, 0600);
	vkr_output_file_close(&made->output);
	assert_int_equal(unlink(made->file), 0);
	assert_int_equal(rmdir(made->path), 0);
}

// Who is killed while it writes leaves nothing half done under the name: what is written gets the
// name at the end.
static void test_named_at_the_end(void **state)
{
	(void)state;
	struct folder made = opened();
	struct stat before, after;
	assert_int_equal(stat(made.file, &before), 0);
	assert_int_equal(vkr_output_file_write(&made.output, TEXT, strlen(TEXT), &made.error),
			 VKR_OK);
	assert_int_equal(stat(made.file, &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	expect(&made, (off_t)strlen(TEXT));
}

// Through a link the file itself is written.
static void test_through_link(void **state)
{
	(void)state;
	struct folder made = opened();
	struct vkr_output_file through;
	char link[64];
	snprintf(link, sizeof link, "%s/.link", made.path);
	vkr_output_file_close(&made.output);
	assert_int_equal(symlink(made.file, link), 0);
	assert_int_equal(vkr_output_file_open(&through, link, 1, false, &made.error), VKR_OK);
	assert_int_equal(vkr_output_file_write(&through, TEXT, strlen(TEXT), &made.error), VKR_OK);
	vkr_output_file_close(&through);
	assert_int_equal(unlink(link), 0);
	expect(&made, (off_t)strlen(TEXT));
}

static void test_no_room(void **state)
{
	(void)state;
	for (int linked = 0; linked < 2; linked++) {
		struct folder made = opened();
		struct rlimit limit;
		char other[64];
		// Of a link, what it leads to is written, and emptied again.
		snprintf(other, sizeof other, "%s/.other", made.path);
		if (linked) {
			assert_int_equal(rename(made.file, other), 0);
			assert_int_equal(symlink(other, made.file), 0);
		}
		assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
		const struct rlimit small = {.rlim_cur = 8, .rlim_max = limit.rlim_max};
		signal(SIGXFSZ, SIG_IGN);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
		const enum vkr_result result =
			vkr_output_file_write(&made.output, TEXT, strlen(TEXT), &made.error);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		assert_int_equal(result, VKR_ERROR_IO);
		if (linked)
			assert_int_equal(rename(other, made.file), 0);
		expect(&made, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_at_the_end),
		cmocka_unit_test(test_through_link),
		cmocka_unit_test(test_no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
