// SPDX-License-Identifier: Apache-2.0
// Files that tests and benchmarks make for themselves. Knows nothing of what is in them.
#pragma once

#include <stddef.h>

// The path of a new file of these bytes (none: NULL and 0). Ends the program where there is no such
// file: no test can go on without it. Given back to temporary_file_remove.
char *temporary_file_make(const void *contents, size_t bytes);

// Removes the file, if it is still there, and forgets its path.
void temporary_file_remove(char *path);
