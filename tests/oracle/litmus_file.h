// SPDX-License-Identifier: Apache-2.0
// A .vlit file by its path. Knows nothing of what is done with the execution.
#pragma once

#include "litmus.h"

// VKR_ERROR_IO, or what vkr_litmus_read returns. *execution is released by vkr_litmus_finish.
enum vkr_result vkr_litmus_read_file(struct vkr_litmus *execution, const char *path,
				     struct vkr_error *error) VKR_MUST_USE;
