// SPDX-License-Identifier: Apache-2.0
#include "error.h"

#include <stdio.h>

enum vkr_result vkr_error_set(struct vkr_error *error, enum vkr_result result, const char *format,
			      ...)
{
	if (error) {
		va_list args;
		va_start(args, format);
		error->result = result;
		vsnprintf(error->message, sizeof error->message, format, args);
		va_end(args);
	}
	return result;
}

enum vkr_result vkr_error_memory(struct vkr_error *error, const char *what)
{
	return vkr_error_set(error, VKR_ERROR_MEMORY, "out of memory for %s", what);
}
