// SPDX-License-Identifier: Apache-2.0
// A file that calls libc through its global offset table. Knows no more.
#include <unistd.h>

__attribute__((visibility("default"))) pid_t got_file_call(void);

pid_t got_file_call(void)
{
	return getppid();
}
