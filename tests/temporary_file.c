// SPDX-License-Identifier: Apache-2.0
// Files that tests and benchmarks make for themselves. Knows nothing of what is in them.
#include "temporary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static void fail(const char *path)
{
	perror(path);
	abort();
}

char *temporary_file_make(const void *contents, size_t bytes)
{
	const char *folder = getenv("TMPDIR");
	char *path = NULL;
	if (asprintf(&path, "%s/vkrace_test_XXXXXX", folder ? folder : P_tmpdir) < 0)
		fail("asprintf");
	const int handle = mkstemp(path);
	if (handle < 0)
		fail(path);
	const char *at = contents;
	while (bytes) {
		const ssize_t written = write(handle, at, bytes);
		if (written <= 0)
			fail(path);
		at += written;
		bytes -= (size_t)written;
	}
	if (close(handle) != 0)
		fail(path);
	return path;
}

void temporary_file_remove(char *path)
{
	unlink(path);
	free(path);
}
