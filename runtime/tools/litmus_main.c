// SPDX-License-Identifier: Apache-2.0
#include "litmus_main.h"

#include "error.h"
#include "litmus.h"
#include "litmus_judge.h"
#include "memory_names.h"

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

// What is asked of every file.
struct question {
	struct vkr_memory_rules rules;
	bool candidates; // of files that do not speak of it, too
};

static void print_verdict(const char *path, const struct vkr_litmus *execution,
			  const struct question *question, const struct vkr_litmus_verdict *verdict)
{
	bool candidates = question->candidates;
	printf("%s: %s\n", path, verdict->count ? "race" : "norace");
	for (size_t i = 0; i < verdict->count; i++) {
		const struct vkr_litmus_race *race = &verdict->races[i];
		printf("  %s %s %s %u:%u %s\n", execution->events[race->first].label,
		       execution->events[race->second].label,
		       execution->locations[race->location].name, race->offset, race->size,
		       race->reason);
	}
	for (unsigned i = 0; i < VKR_MEMORY_MODEL_COUNT; i++)
		candidates = candidates || execution->candidate[i] != VKR_LITMUS_CANDIDATE_NOTHING;
	if (candidates)
		printf("  candidate %s%s\n", verdict->broken ? "no " : "yes",
		       verdict->broken ? verdict->broken : "");
}

static bool is_expected(const struct vkr_litmus *execution, enum vkr_memory_model model,
			const struct vkr_litmus_verdict *verdict)
{
	const enum vkr_litmus_expect expect = execution->expect[model];
	const enum vkr_litmus_candidate candidate = execution->candidate[model];
	return (expect == VKR_LITMUS_EXPECT_NOTHING ||
		(expect == VKR_LITMUS_EXPECT_RACE) == (verdict->count > 0)) &&
	       (candidate == VKR_LITMUS_CANDIDATE_NOTHING ||
		(candidate == VKR_LITMUS_CANDIDATE_NO) == (verdict->broken != NULL));
}

static enum outcome judge_file(const char *path, const struct question *question)
{
	struct vkr_error error;
	struct vkr_litmus execution = {0};
	struct vkr_litmus_verdict verdict = {0};
	char *text = NULL;
	size_t length = 0;
	enum outcome outcome = OUTCOME_UNREADABLE;
	enum vkr_result result = read_file(path, &text, &length, &error);
	if (result == VKR_OK)
		result = vkr_litmus_read(&execution, path, text, length, &error);
	if (result == VKR_OK)
		result = vkr_litmus_judge(&execution, &question->rules, &verdict, &error);
	if (result == VKR_OK) {
		print_verdict(path, &execution, question, &verdict);
		outcome = is_expected(&execution, question->rules.model, &verdict)
				  ? OUTCOME_AS_EXPECTED
				  : OUTCOME_UNEXPECTED;
	} else {
		fprintf(stderr, "%s\n", error.message);
	}
	free(verdict.races);
	vkr_litmus_finish(&execution);
	free(text);
	return outcome;
}

// The value of an option at argv[*at], "NAME VALUE" or "NAME=VALUE"; NULL where it is none.
static const char *option_value(int argc, char **argv, int *at, const char *name)
{
	const size_t length = strlen(name);
	if (strncmp(argv[*at], name, length) != 0)
		return NULL;
	if (argv[*at][length] == '=')
		return argv[*at] + length + 1;
	return argv[*at][length] == 0 && *at + 1 < argc ? argv[++*at] : NULL;
}

// The index of the first file, or 0 where an option is wrong.
static int read_options(int argc, char **argv, struct question *question)
{
	int at = 1;
	for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
		struct vkr_error error;
		enum vkr_result result = VKR_ERROR_UNSUPPORTED;
		const char *value = NULL;
		if (strcmp(argv[at], "--") == 0)
			return at + 1;
		if (strcmp(argv[at], "--candidates") == 0) {
			question->candidates = true;
			continue;
		}
		if ((value = option_value(argc, argv, &at, "--model")))
			result = vkr_memory_model_parse(value, &question->rules.model, &error);
		else if ((value = option_value(argc, argv, &at, "--reading")))
			result = vkr_reading_parse(value, &question->rules.readings, &error);
		else
			vkr_error_set(&error, result,
				      "there is no option '%s', or it needs a value", argv[at]);
		if (result != VKR_OK) {
			fprintf(stderr, "%s: %s\n", argv[0], error.message);
			return 0;
		}
	}
	return at;
}

int vkr_litmus_main(int argc, char **argv)
{
	enum outcome worst = OUTCOME_AS_EXPECTED;
	struct question question = {0};
	const int first = read_options(argc, argv, &question);
	if (first == 0)
		return 2;
	if (first >= argc) {
		fprintf(stderr,
			"usage: %s [--model MODEL] [--reading NAME=VALUE] [--candidates] FILE...\n",
			argv[0]);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		enum outcome outcome = judge_file(argv[i], &question);
		if (outcome > worst)
			worst = outcome;
	}
	if (fflush(stdout) != 0) {
		fprintf(stderr, "standard output: %s\n", strerror(errno));
		return 2;
	}
	return (int)worst;
}
