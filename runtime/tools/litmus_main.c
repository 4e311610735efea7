// SPDX-License-Identifier: Apache-2.0
#include "litmus_main.h"

#include "error.h"
#include "litmus.h"
#include "litmus_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum outcome {
	OUTCOME_AS_EXPECTED,
	OUTCOME_UNEXPECTED,
	OUTCOME_UNREADABLE,
};

// The whole file in *text, the caller's.
static enum vkr_result read_file(const char *path, char **text, size_t *length,
				 struct vkr_error *error)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 0, count = 0;
	char *bytes = NULL;
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(errno));
	do {
		capacity = capacity ? capacity * 2 : 4096;
		char *larger = realloc(bytes, capacity);
		if (!larger) {
			free(bytes);
			fclose(file);
			return vkr_error_memory(error, path);
		}
		bytes = larger;
		count += fread(bytes + count, 1, capacity - count, file);
	} while (count == capacity);
	bool failed = ferror(file) != 0;
	int reason = errno;
	fclose(file);
	if (failed) {
		free(bytes);
		return vkr_error_set(error, VKR_ERROR_IO, "%s: %s", path, strerror(reason));
	}
	*text = bytes;
	*length = count;
	return VKR_OK;
}

static void print_races(const char *path, const struct vkr_litmus *execution,
			const struct vkr_litmus_race *races, size_t count)
{
	printf("%s: %s\n", path, count ? "race" : "norace");
	for (size_t i = 0; i < count; i++)
		printf("  %s %s %s %u:%u %s\n", execution->events[races[i].first].label,
		       execution->events[races[i].second].label,
		       execution->locations[races[i].location].name, races[i].offset, races[i].size,
		       races[i].reason);
}

static enum outcome judge_file(const char *path)
{
	struct vkr_error error;
	struct vkr_litmus execution = {0};
	struct vkr_litmus_race *races = NULL;
	char *text = NULL;
	size_t length = 0, count = 0;
	enum outcome outcome = OUTCOME_UNREADABLE;
	enum vkr_result result = read_file(path, &text, &length, &error);
	if (result == VKR_OK)
		result = vkr_litmus_read(&execution, path, text, length, &error);
	if (result == VKR_OK)
		result = vkr_litmus_judge(&execution, &races, &count, &error);
	if (result == VKR_OK) {
		print_races(path, &execution, races, count);
		bool against = (execution.expect == VKR_LITMUS_EXPECT_RACE && count == 0) ||
			       (execution.expect == VKR_LITMUS_EXPECT_NO_RACE && count != 0);
		outcome = against ? OUTCOME_UNEXPECTED : OUTCOME_AS_EXPECTED;
	} else {
		fprintf(stderr, "%s\n", error.message);
	}
	free(races);
	vkr_litmus_finish(&execution);
	free(text);
	return outcome;
}

int vkr_litmus_main(int argc, char **argv)
{
	enum outcome worst = OUTCOME_AS_EXPECTED;
	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		enum outcome outcome = judge_file(argv[i]);
		if (outcome > worst)
			worst = outcome;
	}
	if (fflush(stdout) != 0) {
		fprintf(stderr, "standard output: %s\n", strerror(errno));
		return 2;
	}
	return (int)worst;
}
