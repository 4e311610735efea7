// SPDX-License-Identifier: Apache-2.0
// Reads a whole .vlit file. Knows nothing of what is done with the execution.
#include "litmus_file.h"

#include "error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum vkr_result read_text(const char *path, char **text, size_t *length,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	FILE *file = fopen(path, "rb");
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	FILE *copy = open_memstream(text, length);
	if (!copy) {
		fclose(file);
		return vkr_error_memory(error, path);
	}
	for (int byte; (byte = getc(file)) != EOF;)
		putc(byte, copy);
	if (ferror(file))
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot be read", path);
	fclose(file);
	if (fclose(copy) != 0 && result == VKR_OK)
		result = vkr_error_memory(error, path);
	return result;
}

enum vkr_result vkr_litmus_read_file(struct vkr_litmus *execution, const char *path,
				     struct vkr_error *error)
{
	char *text = NULL;
	size_t length = 0;
	*execution = (struct vkr_litmus){0};
	enum vkr_result result = read_text(path, &text, &length, error);
	if (result == VKR_OK)
		result = vkr_litmus_read(execution, path, text, length, error);
	free(text);
	return result;
}
