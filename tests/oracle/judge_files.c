// SPDX-License-Identifier: Apache-2.0
// The oracle's verdict on .vlit files, in the words of `vkrace litmus`, without reasons. Knows the
// files' expectations, and no rule of the memory model.
#include "litmus_file.h"
#include "memory_names.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

// True where the verdict is the expected one.
static bool print_verdict(const char *path, const struct vkr_litmus *execution,
			  enum vkr_memory_model model, const struct vkr_oracle_races *races)
{
	enum vkr_litmus_expect expect = execution->expect[model];
	enum vkr_litmus_candidate candidate = execution->candidate[model];
	bool agrees = (expect == VKR_LITMUS_EXPECT_NOTHING ||
		       (expect == VKR_LITMUS_EXPECT_RACE) == (races->count > 0)) &&
		      (candidate == VKR_LITMUS_CANDIDATE_NOTHING ||
		       (candidate == VKR_LITMUS_CANDIDATE_YES) == races->candidate);
	printf("%s: %s%s\n", path, races->count > 0 ? "race" : "norace",
	       agrees ? "" : " (not as expected)");
	for (size_t i = 0; i < races->count; i++) {
		const struct vkr_litmus_race *race = &races->items[i];
		printf("  %s %s %s %u:%u\n", execution->events[race->first].label,
		       execution->events[race->second].label,
		       execution->locations[race->location].name, race->offset, race->size);
	}
	if (candidate != VKR_LITMUS_CANDIDATE_NOTHING)
		printf("  candidate %s\n", races->candidate ? "yes" : "no");
	return agrees;
}

static enum vkr_result judge_file(const char *path, const struct vkr_memory_rules *rules,
				  bool *agrees, struct vkr_error *error)
{
	struct vkr_litmus execution;
	struct vkr_oracle_races races = {0};
	enum vkr_result result = vkr_litmus_read_file(&execution, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_oracle_judge(&execution, rules, 0, &races, error);
	if (result == VKR_OK)
		*agrees = print_verdict(path, &execution, rules->model, &races);
	vkr_oracle_races_finish(&races);
	vkr_litmus_finish(&execution);
	return result;
}

int main(int argc, char **argv)
{
	struct vkr_memory_rules rules = {0};
	struct vkr_error error;
	int status = 0, first = 1;
	unsigned wrong = 0;
	for (; first + 1 < argc; first += 2) {
		enum vkr_result result = VKR_OK;
		if (strcmp(argv[first], "--model") == 0)
			result = vkr_memory_model_parse(argv[first + 1], &rules.model, &error);
		else if (strcmp(argv[first], "--reading") == 0)
			result = vkr_reading_parse(argv[first + 1], &rules.readings, &error);
		else
			break;
		if (result != VKR_OK) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
	}
	if (first >= argc) {
		fprintf(stderr, "usage: oracle_judge [--model M] [--reading NAME=VALUE] FILE...\n");
		return 2;
	}
	for (int i = first; i < argc; i++) {
		bool agrees = false;
		if (judge_file(argv[i], &rules, &agrees, &error) != VKR_OK) {
			fprintf(stderr, "%s\n", error.message);
			status = 2;
		} else {
			wrong += !agrees;
		}
	}
	printf("%d files, %u not as expected\n", argc - first, wrong);
	return status == 0 && wrong > 0 ? 1 : status;
}
