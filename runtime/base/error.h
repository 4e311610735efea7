// SPDX-License-Identifier: Apache-2.0
// Filling in a struct vkr_error. Knows nothing of the errors' causes.
#pragma once

#include "vkrace/result.h"

// Writes result and the formatted message to *error (which may be NULL) and returns result, so
// that a failing function can say `return vkr_error_set(error, VKR_ERROR_IO, "...", ...)`.
enum vkr_result vkr_error_set(struct vkr_error *error, enum vkr_result result, const char *format,
			      ...) VKR_PRINTF(3, 4);

// Reports lack of memory: `what` names what was being allocated.
enum vkr_result vkr_error_memory(struct vkr_error *error, const char *what);
