// SPDX-License-Identifier: Apache-2.0
// Leaves each clause of a model out of the oracle in turn, and fails where no .vlit file's races
// change: a clause that no case needs. Knows no rule of any model.
#include "litmus_file.h"
#include "memory_names.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

enum { CLAUSES = 64 };

static enum vkr_result judge_file(const char *path, const struct vkr_memory_rules *rules,
				  const char *caught[CLAUSES], struct vkr_error *error)
{
	struct vkr_litmus execution;
	struct vkr_oracle_races races = {0}, without = {0};
	enum vkr_result result = vkr_litmus_read_file(&execution, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_oracle_judge(&execution, rules, 0, &races, error);
	for (unsigned clause = 0;
	     clause < vkr_oracle_clause_count(rules->model) && result == VKR_OK; clause++) {
		result =
			vkr_oracle_judge(&execution, rules, UINT64_C(1) << clause, &without, error);
		if (result == VKR_OK && !vkr_oracle_races_equal(&races, &without))
			caught[clause] = path;
	}
	vkr_oracle_races_finish(&races);
	vkr_oracle_races_finish(&without);
	vkr_litmus_finish(&execution);
	return result;
}

int main(int argc, char **argv)
{
	const char *caught[CLAUSES] = {0};
	struct vkr_memory_rules rules = {0};
	struct vkr_error error;
	unsigned survivors = 0, clauses = 0;
	if (argc < 3 || vkr_memory_model_parse(argv[1], &rules.model, &error) != VKR_OK) {
		fprintf(stderr, "usage: oracle_mutants MODEL FILE...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++) {
		if (judge_file(argv[i], &rules, caught, &error) != VKR_OK) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
	}
	for (unsigned number = 0; number < vkr_oracle_clause_count(rules.model); number++) {
		const struct vkr_oracle_clause clause = vkr_oracle_clause(rules.model, number);
		const char *name = caught[number] ? strrchr(caught[number], '/') : NULL;
		if (!clause.in_model)
			continue;
		printf("%-20s %s\n", clause.name,
		       !caught[number] ? "SURVIVES"
		       : name          ? name + 1
				       : caught[number]);
		clauses++;
		survivors += !caught[number];
	}
	printf("%u clauses, %u of them survive\n", clauses, survivors);
	return survivors > 0;
}
