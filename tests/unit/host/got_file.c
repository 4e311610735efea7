// SPDX-License-Identifier: Apache-2.0
// A file that calls libc through its global offset table, and through a pointer that the loader
// sets behind others that are its own. Knows no more.
#include <unistd.h>

__attribute__((visibility("default"))) pid_t got_file_call(void);
__attribute__((visibility("default"))) pid_t got_file_call_pointer(void);

pid_t got_file_call(void)
{
	return getppid();
}

static pid_t own(void)
{
	return 0;
}

static pid_t (*volatile pointers[])(void) = {own, getppid, own};

pid_t got_file_call_pointer(void)
{
	return pointers[1]();
}
