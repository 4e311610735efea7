// SPDX-License-Identifier: Apache-2.0
// Leaves each clause of the appendix out of the oracle in turn, and fails where no .vlit file's
// races change: a clause that no case needs. Knows no rule of the memory model.
#include "litmus_file.h"
#include "oracle.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
#define VKR_CLAUSE(name, section, gist) #name,
	VKR_CLAUSES(VKR_CLAUSE)
#undef VKR_CLAUSE
};

static enum vkr_result judge_file(const char *path, const char *caught[VKR_CLAUSE_COUNT],
				  struct vkr_error *error)
{
	struct vkr_litmus execution;
	struct vkr_oracle_races races = {0}, without = {0};
	enum vkr_result result = vkr_litmus_read_file(&execution, path, error);
	if (result != VKR_OK)
		return result;
	result = vkr_oracle_judge(&execution, 0, &races, error);
	for (unsigned clause = 0; clause < VKR_CLAUSE_COUNT && result == VKR_OK; clause++) {
		result = vkr_oracle_judge(&execution, UINT64_C(1) << clause, &without, error);
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
	const char *caught[VKR_CLAUSE_COUNT] = {0};
	unsigned survivors = 0;
	for (int i = 1; i < argc; i++) {
		struct vkr_error error;
		if (judge_file(argv[i], caught, &error) != VKR_OK) {
			fprintf(stderr, "%s\n", error.message);
			return 2;
		}
	}
	for (unsigned clause = 0; clause < VKR_CLAUSE_COUNT; clause++) {
		const char *name = caught[clause] ? strrchr(caught[clause], '/') : NULL;
		printf("%-20s %s\n", names[clause],
		       !caught[clause] ? "SURVIVES"
		       : name          ? name + 1
				       : caught[clause]);
		survivors += !caught[clause];
	}
	printf("%d clauses, %u of them survive\n", VKR_CLAUSE_COUNT, survivors);
	return survivors > 0;
}
