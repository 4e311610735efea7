// SPDX-License-Identifier: Apache-2.0
#include "user_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *vkr_user_file_open(const char *path, const char **reason)
{
	struct stat status;
	// Without waiting for the other end of a pipe.
	const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *stream = NULL;
	*reason = strerror(errno);
	if (descriptor < 0)
		return NULL;
	if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode))
		*reason = "is no regular file";
	else if (!(stream = fdopen(descriptor, "r")))
		*reason = strerror(errno);
	if (!stream)
		close(descriptor);
	return stream;
}
