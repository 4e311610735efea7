// SPDX-License-Identifier: Apache-2.0
// The oracle's verdict on .vlit files, in the words of `vkrace litmus`, without reasons. Knows the
// files' expectations, and no rule of the memory model.
#include "litmus_file.h"
#include "oracle.h"

#include <stdio.h>

// True where the verdict is the expected one.
static bool print_verdict(const char *path, const struct vkr_litmus *execution,
			  const struct vkr_oracle_races *races)
{
	bool agrees = execution->expect == VKR_LITMUS_EXPECT_NOTHING ||
		      (execution->expect == VKR_LITMUS_EXPECT_RACE) == (races->count > 0);
	printf("%s: %s%s\n", path, races->count > 0 ? "race" : "norace",
	       agrees ? "" : " (not as expected)");
	for (size_t i = 0; i < races->count; i++) {
		const struct vkr_litmus_race *race = &races->items[i];
		printf("  %s %s %s %u:%u\n", execution->events[race->first].label,
		       execution->events[race->second].label,
		       execution->locations[race->location].name, race->offset, race->size);
	}
	return agrees;
}

static enum vkr_result judge_file(const char *path, bool *agrees, struct vkr_error *error)
{
	struct vkr_litmus execution;
	struct vkr_oracle_races races = {0};
	enum vkr_result result = vkr_litmus_read_file(&execution, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_oracle_judge(&execution, 0, &races, error);
	if (result == VKR_OK)
		*agrees = print_verdict(path, &execution, &races);
	vkr_oracle_races_finish(&races);
	vkr_litmus_finish(&execution);
	return result;
}

int main(int argc, char **argv)
{
	int status = 0;
	unsigned wrong = 0;
	if (argc < 2) {
		fprintf(stderr, "usage: oracle_judge FILE...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		struct vkr_error error;
		bool agrees = false;
		if (judge_file(argv[i], &agrees, &error) != VKR_OK) {
			fprintf(stderr, "%s\n", error.message);
			status = 2;
		} else {
			wrong += !agrees;
		}
	}
	printf("%d files, %u not as expected\n", argc - 1, wrong);
	return status == 0 && wrong > 0 ? 1 : status;
}
