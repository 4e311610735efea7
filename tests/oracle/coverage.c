// SPDX-License-Identifier: Apache-2.0
// Measures what random executions reach: how many race, and for each clause of a model how many
// change their verdict when the oracle leaves it out. Fails where a clause decides none.
#include "generate.h"
#include "memory_names.h"
#include "oracle.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct coverage {
	uint64_t executions, racy, events;
	uint64_t decided[64]; // executions that the clause decides
};

static enum vkr_result measure(struct coverage *coverage, const struct vkr_memory_rules *rules,
			       uint64_t seed, uint64_t count, struct vkr_error *error)
{
	struct vkr_oracle_races races = {0}, without = {0};
	enum vkr_result result = VKR_OK;
	for (uint64_t i = 0; i < count; i++) {
		struct vkr_oracle_sample sample;
		vkr_generate_for(&sample, rules->model, seed + i);
		result = vkr_oracle_judge(&sample.execution, rules, 0, &races, error);
		if (result != VKR_OK)
			goto fail;
		coverage->executions++;
		coverage->events += sample.execution.event_count;
		coverage->racy += races.count > 0;
		for (unsigned clause = 0; clause < vkr_oracle_clause_count(rules->model);
		     clause++) {
			result = vkr_oracle_judge(&sample.execution, rules, UINT64_C(1) << clause,
						  &without, error);
			if (result != VKR_OK)
				goto fail;
			coverage->decided[clause] += !vkr_oracle_races_equal(&races, &without);
		}
	}
fail:
	vkr_oracle_races_finish(&races);
	vkr_oracle_races_finish(&without);
	return result;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"count", required_argument, NULL, 'c'},
		{"model", required_argument, NULL, 'm'},
		{0},
	};
	uint64_t seed = 1, count = 10000;
	struct coverage coverage = {0};
	struct vkr_memory_rules rules = {0};
	struct vkr_error error;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 'c')
			count = strtoull(optarg, NULL, 0);
		else if (option != 'm' ||
			 vkr_memory_model_parse(optarg, &rules.model, &error) != VKR_OK)
			return 2;
	}
	if (measure(&coverage, &rules, seed, count, &error) != VKR_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 2;
	}
	printf("seed %" PRIu64 ": %" PRIu64 " executions, %" PRIu64 " events, %" PRIu64 " racy\n",
	       seed, coverage.executions, coverage.events, coverage.racy);
	unsigned idle = 0;
	for (unsigned number = 0; number < vkr_oracle_clause_count(rules.model); number++) {
		const struct vkr_oracle_clause clause = vkr_oracle_clause(rules.model, number);
		if (!clause.in_model)
			continue;
		printf("%8" PRIu64 "  %-20s %s: %s\n", coverage.decided[number], clause.name,
		       clause.section, clause.gist);
		idle += coverage.decided[number] == 0;
	}
	if (idle > 0)
		printf("%u clauses decide no verdict\n", idle);
	return idle > 0;
}
