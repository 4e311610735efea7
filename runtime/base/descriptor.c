// SPDX-License-Identifier: Apache-2.0
#include "descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int vkr_descriptor_above_streams(int descriptor)
{
	if (descriptor < 0 || descriptor > STDERR_FILENO)
		return descriptor;
	const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int reason = errno;
	close(descriptor);
	errno = reason;
	return copy;
}
