// SPDX-License-Identifier: Apache-2.0
// Any bytes as a litmus file: refused, or read, written and read again.
#include "litmus.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vkr_litmus execution, again;
	struct vkr_error error;
	if (vkr_litmus_read(&execution, "input", (const char *)data, size, &error) != VKR_OK)
		return 0;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory || vkr_litmus_write(&execution, memory, &error) != VKR_OK ||
	    fclose(memory) != 0 || vkr_litmus_read(&again, "again", text, bytes, &error) != VKR_OK)
		abort();
	vkr_litmus_finish(&again);
	vkr_litmus_finish(&execution);
	free(text);
	return 0;
}
