// SPDX-License-Identifier: Apache-2.0
// Opening files that a user names. Knows that a name may be that of a device or a pipe, on which
// reading would never end; not what files hold.
#pragma once

#include <stdio.h>

// The file, for reading; NULL with *reason in words where it cannot be opened or is no regular
// file.
FILE *vkr_user_file_open(const char *path, const char **reason);
