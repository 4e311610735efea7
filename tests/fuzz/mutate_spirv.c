// SPDX-License-Identifier: Apache-2.0
// Runs the instrumenter's fuzz target on mutated modules where libFuzzer is not at hand:
// reproducible, a few thousand rounds. Knows words, not their meaning.
//
// mutate_spirv ROUNDS FILE.spvasm...

// The C header defines this constant without `static`: two files that include it do not link.
#define kDefaultMaxIdBound kMutateMaxIdBound
#include <spirv-tools/libspirv.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint32_t next_random(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % below;
}

// A bit, a word by a near value, a word by another one of the module, or an instruction left out.
static size_t mutate(uint32_t *words, size_t count)
{
	size_t at = 5 + next_random((uint32_t)count - 5);
	size_t other = 5 + next_random((uint32_t)count - 5);
	switch (next_random(8)) {
	case 0:
		words[at] ^= 1u << next_random(32);
		break;
	case 1:
		words[at] += next_random(5) - 2;
		break;
	case 2:
	case 3:
	case 4:
		words[at] = words[other];
		break;
	case 5:
		words[at] = next_random(24);
		break;
	case 6: {
		uint32_t kept = words[at];
		words[at] = words[other];
		words[other] = kept;
		break;
	}
	default: {
		size_t i = 5;
		while (i + (words[i] >> 16) <= at && words[i] >> 16)
			i += words[i] >> 16;
		size_t length = words[i] >> 16;
		if (length && i + length <= count) {
			memmove(&words[i], &words[i + length], (count - i - length) * 4);
			count -= length;
		}
		break;
	}
	}
	return count;
}

// The environment of a text's "; version: spv1.N" or "; Version: 1.N".
static spv_target_env environment(const char *text)
{
	static const spv_target_env versions[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1,
						  SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
						  SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5,
						  SPV_ENV_UNIVERSAL_1_6};
	const char *version = strstr(text, "ersion: ");
	const char *digit = version ? strstr(version, "1.") : NULL;
	int minor = digit ? digit[2] - '0' : 0;
	return versions[minor >= 0 && minor <= 6 ? minor : 0];
}

// *optional: only newer assemblers know it ("; needs: EXTENSION").
static spv_binary assemble(const char *path, bool *optional)
{
	spv_binary binary = NULL;
	static char text[1 << 20];
	FILE *file = fopen(path, "rb");
	if (!file)
		return NULL;
	size_t length = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[length] = 0;
	*optional = strstr(text, "; needs: ") != NULL;
	spv_context context = spvContextCreate(environment(text));
	if (spvTextToBinary(context, text, length, &binary, NULL) != SPV_SUCCESS)
		binary = NULL;
	spvContextDestroy(context);
	return binary;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: mutate_spirv ROUNDS FILE.spvasm...\n");
		return 2;
	}
	long rounds = strtol(argv[1], NULL, 10);
	for (int f = 2; f < argc; f++) {
		bool optional = false;
		spv_binary seed = assemble(argv[f], &optional);
		if (!seed && optional)
			continue;
		if (!seed) {
			fprintf(stderr, "%s: does not assemble\n", argv[f]);
			return 1;
		}
		uint32_t *words = malloc(seed->wordCount * 4);
		for (long round = 0; words && round < rounds; round++) {
			size_t count = seed->wordCount;
			memcpy(words, seed->code, count * 4);
			for (uint32_t m = 1 + next_random(3); m > 0; m--)
				count = mutate(words, count);
			LLVMFuzzerTestOneInput((const uint8_t *)words, count * 4);
		}
		free(words);
		spvBinaryDestroy(seed);
	}
	return 0;
}
