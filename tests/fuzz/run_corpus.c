// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target on files where libFuzzer is not at hand: inputs that have found faults find
// them again. Knows nothing of what is in them.
//
// run_corpus FILE...
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0) {
		perror(path);
		return 1;
	}
	const long bytes = ftell(file);
	uint8_t *data = malloc(bytes > 0 ? (size_t)bytes : 1); // to the byte, for sanitizers
	rewind(file);
	if (!data || bytes < 0 || fread(data, 1, (size_t)bytes, file) != (size_t)bytes) {
		perror(path);
		return 1;
	}
	fclose(file);
	LLVMFuzzerTestOneInput(data, (size_t)bytes);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (run_file(argv[i]) != 0)
			return 1;
	return argc > 1 ? 0 : 1;
}
