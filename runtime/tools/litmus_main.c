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
	enum vkr_memory_model models[VKR_MEMORY_MODEL_COUNT];
	unsigned model_count;
	struct vkr_readings readings;
	bool reads;      // some are chosen
	bool candidates; // of files that do not speak of it, too
};

static void print_verdict(const char *path, const struct vkr_litmus *execution,
			  const struct question *question, enum vkr_memory_model model,
			  const struct vkr_litmus_verdict *verdict)
{
	const bool several = question->model_count > 1;
	bool candidates = question->candidates;
	printf("%s: %s%s%s\n", path, several ? vkr_memory_model_name(model) : "",
	       several ? ": " : "", verdict->count ? "race" : "norace");
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

static enum vkr_result judge_under(const char *path, const struct vkr_litmus *execution,
				   const struct question *question, enum vkr_memory_model model,
				   enum outcome *outcome, struct vkr_error *error)
{
	const struct vkr_memory_rules rules = {.model = model, .readings = question->readings};
	struct vkr_litmus_verdict verdict = {0};
	const enum vkr_result result = vkr_litmus_judge(execution, &rules, &verdict, error);
	if (result == VKR_OK)
		print_verdict(path, execution, question, model, &verdict);
	if (result == VKR_OK && !is_expected(execution, model, &verdict))
		*outcome = OUTCOME_UNEXPECTED;
	free(verdict.races);
	return result;
}

static enum outcome judge_file(const char *path, const struct question *question)
{
	struct vkr_error error;
	struct vkr_litmus execution = {0};
	char *text = NULL;
	size_t length = 0;
	enum outcome outcome = OUTCOME_AS_EXPECTED;
	enum vkr_result result = read_file(path, &text, &length, &error);
	if (result == VKR_OK)
		result = vkr_litmus_read(&execution, path, text, length, &error);
	for (unsigned i = 0; i < question->model_count && result == VKR_OK; i++)
		result = judge_under(path, &execution, question, question->models[i], &outcome,
				     &error);
	if (result != VKR_OK) {
		fprintf(stderr, "%s\n", error.message);
		outcome = OUTCOME_UNREADABLE;
	}
	vkr_litmus_finish(&execution);
	free(text);
	return outcome;
}

// "all", or names between commas; a later one takes the place of an earlier option.
static enum vkr_result read_models(const char *list, struct question *question,
				   struct vkr_error *error)
{
	bool chosen[VKR_MEMORY_MODEL_COUNT] = {false};
	const bool all = strcmp(list, "all") == 0;
	question->model_count = 0;
	for (const char *name = list; !all && name;) {
		enum vkr_memory_model model;
		char *one = strndup(name, strcspn(name, ","));
		const enum vkr_result result = one ? vkr_memory_model_parse(one, &model, error)
						   : vkr_error_memory(error, "a model's name");
		free(one);
		if (result != VKR_OK)
			return result;
		chosen[model] = true;
		name = strchr(name, ',');
		name = name ? name + 1 : NULL;
	}
	for (unsigned i = 0; i < VKR_MEMORY_MODEL_COUNT; i++)
		if (all || chosen[i])
			question->models[question->model_count++] = (enum vkr_memory_model)i;
	return VKR_OK;
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

static bool has_readings(const struct question *question)
{
	for (unsigned i = 0; i < question->model_count; i++)
		if (vkr_memory_is_hrf(&(struct vkr_memory_rules){.model = question->models[i]}))
			return true;
	return false;
}

static enum vkr_result read_reading(const char *value, struct question *question,
				    struct vkr_error *error)
{
	question->reads = true;
	return vkr_reading_parse(value, &question->readings, error);
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
			result = read_models(value, question, &error);
		else if ((value = option_value(argc, argv, &at, "--reading")))
			result = read_reading(value, question, &error);
		else if (strcmp(argv[at], "--model") == 0 || strcmp(argv[at], "--reading") == 0)
			vkr_error_set(&error, result, "%s needs a value", argv[at]);
		else
			vkr_error_set(&error, result, "there is no option '%s'", argv[at]);
		if (result != VKR_OK) {
			fprintf(stderr, "vkrace litmus: %s\n", error.message);
			return 0;
		}
	}
	if (question->reads && !has_readings(question)) {
		fprintf(stderr, "vkrace litmus: --reading is for the HRF models\n");
		return 0;
	}
	return at;
}

int vkr_litmus_main(int argc, char **argv)
{
	enum outcome worst = OUTCOME_AS_EXPECTED;
	struct question question = {.models = {VKR_MEMORY_VULKAN}, .model_count = 1};
	const int first = read_options(argc, argv, &question);
	if (first == 0)
		return 2;
	if (first >= argc) {
		fprintf(stderr,
			"usage: vkrace litmus [--model MODEL,...|all] [--reading NAME=VALUE] "
			"[--candidates] FILE...\n");
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
