// SPDX-License-Identifier: Apache-2.0
// Judges random executions with the oracle and with the engine, and compares the sets of racing
// pairs and bytes. A disagreement is shrunk and printed as a .vlit file. Knows no rule of the
// memory model.
#include "deliver.h"
#include "error.h"
#include "generate.h"
#include "litmus_judge.h"
#include "memory_names.h"
#include "oracle.h"
#include "shrink.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	ROUND_TRIPS = 64, // one execution in this many goes through a .vlit file as well
};

// What the engine is asked, for the oracle's answer to be compared with.
enum form {
	AS_MADE,
	IN_ANOTHER_ORDER,
	AS_A_FILE,
};

struct comparison {
	uint64_t seed, count, seconds, most;
	struct vkr_memory_rules rules;
	const char *directory; // where disagreements are written, or NULL
	uint64_t executions, racy, candidates, pairs, disagreements;
	// Of the execution at hand:
	struct vkr_oracle_races expected;
	struct vkr_litmus_race *races; // the engine's
	size_t race_count;
	bool candidate;                // by the engine
	struct vkr_litmus_race *plain; // the engine's own list where the events come as made
	size_t plain_count;
	enum form form;
	uint64_t order_seed;
	bool same_list; // in another order the engine's own list is the same, reasons included
	bool failed;
	struct vkr_error error;
};

static int order_races(const void *a, const void *b)
{
	const struct vkr_litmus_race *x = a, *y = b;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

// One entry a run of bytes: the engine has one for each reason as well.
static void merge_runs(struct comparison *comparison)
{
	size_t kept = 0;
	for (size_t i = 0; i < comparison->race_count; i++) {
		const struct vkr_litmus_race *race = &comparison->races[i];
		struct vkr_litmus_race *last = &comparison->races[kept > 0 ? kept - 1 : 0];
		if (kept > 0 && last->first == race->first && last->second == race->second &&
		    last->location == race->location && last->offset + last->size == race->offset)
			last->size += race->size;
		else
			comparison->races[kept++] = *race;
	}
	comparison->race_count = kept;
}

static enum vkr_result ask_engine(struct comparison *comparison, const struct vkr_litmus *execution)
{
	free(comparison->races);
	struct vkr_litmus_verdict verdict;
	enum vkr_result result =
		vkr_litmus_judge(execution, &comparison->rules, &verdict, &comparison->error);
	comparison->races = verdict.races;
	comparison->race_count = verdict.count;
	comparison->candidate = !verdict.broken;
	return result;
}

static enum vkr_result judge_as_made(struct comparison *comparison,
				     const struct vkr_litmus *execution)
{
	enum vkr_result result = ask_engine(comparison, execution);
	if (result != VKR_OK)
		return result;
	free(comparison->plain);
	comparison->plain = malloc((comparison->race_count + 1) * sizeof *comparison->plain);
	if (!comparison->plain)
		return vkr_error_memory(&comparison->error, "races");
	comparison->plain_count = comparison->race_count;
	for (size_t i = 0; i < comparison->race_count; i++)
		comparison->plain[i] = comparison->races[i];
	merge_runs(comparison);
	return VKR_OK;
}

// Delivers the events in another order, and names the races by the first one.
static enum vkr_result judge_in_another_order(struct comparison *comparison,
					      const struct vkr_oracle_sample *sample)
{
	struct vkr_random random = {comparison->order_seed};
	uint32_t order[VKR_SAMPLE_EVENTS];
	struct vkr_oracle_sample other;
	vkr_sample_copy(&other, sample);
	vkr_deliver_order(sample, vkr_memory_is_hrf(&comparison->rules), &random, order);
	vkr_sample_permute(&other, order);
	enum vkr_result result = judge_as_made(comparison, &sample->execution);
	if (result == VKR_OK)
		result = ask_engine(comparison, &other.execution);
	if (result != VKR_OK)
		return result;
	for (size_t i = 0; i < comparison->race_count; i++) {
		struct vkr_litmus_race *race = &comparison->races[i];
		uint32_t first = order[race->first], second = order[race->second];
		race->first = first < second ? first : second;
		race->second = first < second ? second : first;
	}
	if (comparison->race_count > 1)
		qsort(comparison->races, comparison->race_count, sizeof *comparison->races,
		      order_races);
	comparison->same_list = comparison->race_count == comparison->plain_count;
	for (size_t i = 0; i < comparison->race_count && comparison->same_list; i++) {
		const struct vkr_litmus_race *x = &comparison->races[i], *y = &comparison->plain[i];
		comparison->same_list = order_races(x, y) == 0 && x->size == y->size &&
					strcmp(x->reason, y->reason) == 0;
	}
	merge_runs(comparison);
	return VKR_OK;
}

static enum vkr_result judge_as_a_file(struct comparison *comparison,
				       const struct vkr_litmus *execution)
{
	struct vkr_litmus read = {0};
	char *text = NULL;
	size_t length = 0;
	enum vkr_result result = VKR_ERROR_MEMORY;
	FILE *file = open_memstream(&text, &length);
	if (!file)
		return vkr_error_memory(&comparison->error, "a .vlit file");
	result = vkr_litmus_write(execution, file, &comparison->error);
	if (fclose(file) != 0 && result == VKR_OK)
		result = vkr_error_memory(&comparison->error, "a .vlit file");
	if (result == VKR_OK)
		result = vkr_litmus_read(&read, "random.vlit", text, length, &comparison->error);
	if (result == VKR_OK) {
		result = judge_as_made(comparison, &read);
		vkr_litmus_finish(&read);
	}
	free(text);
	return result;
}

static enum vkr_result judge(struct comparison *comparison, const struct vkr_oracle_sample *sample)
{
	enum vkr_result result = vkr_oracle_judge(&sample->execution, &comparison->rules, 0,
						  &comparison->expected, &comparison->error);
	if (result != VKR_OK)
		return result;
	switch (comparison->form) {
	case AS_MADE:
		return judge_as_made(comparison, &sample->execution);
	case IN_ANOTHER_ORDER:
		return judge_in_another_order(comparison, sample);
	case AS_A_FILE:
		return judge_as_a_file(comparison, &sample->execution);
	}
	return VKR_OK;
}

static bool answers_agree(const struct comparison *comparison)
{
	if (comparison->form == IN_ANOTHER_ORDER && !comparison->same_list)
		return false;
	if (comparison->race_count != comparison->expected.count ||
	    comparison->candidate != comparison->expected.candidate)
		return false;
	for (size_t i = 0; i < comparison->race_count; i++) {
		const struct vkr_litmus_race *x = &comparison->races[i];
		const struct vkr_litmus_race *y = &comparison->expected.items[i];
		if (order_races(x, y) != 0 || x->size != y->size || x->location != y->location)
			return false;
	}
	return true;
}

// For shrinking: what has to stay true of a smaller execution.
static bool disagrees(const struct vkr_oracle_sample *sample, void *context)
{
	struct comparison *comparison = context;
	if (!vkr_oracle_is_in_order(&sample->execution))
		return false;
	if (judge(comparison, sample) != VKR_OK) {
		comparison->failed = true;
		return false;
	}
	return !answers_agree(comparison);
}

static void print_races(FILE *file, const char *who, const struct vkr_oracle_sample *sample,
			const struct vkr_litmus_race *races, size_t count, bool candidate)
{
	fprintf(file, "# %s: %s%s\n", who, count == 0 ? "norace" : "race",
		candidate ? "" : ", no candidate");
	for (size_t i = 0; i < count; i++)
		fprintf(file, "#   %s %s %s %u:%u %s\n", sample->events[races[i].first].label,
			sample->events[races[i].second].label,
			sample->locations[races[i].location].name, races[i].offset, races[i].size,
			races[i].reason ? races[i].reason : "");
}

static enum vkr_result print_disagreement(struct comparison *comparison,
					  const struct vkr_oracle_sample *sample, uint64_t seed,
					  FILE *file)
{
	static const char *const forms[] = {"", ", its events delivered in another order",
					    ", through a file"};
	fprintf(file, "# --seed %" PRIu64 " --count 1, shrunk%s\n", seed, forms[comparison->form]);
	print_races(file, "oracle", sample, comparison->expected.items, comparison->expected.count,
		    comparison->expected.candidate);
	print_races(file, "engine", sample, comparison->races, comparison->race_count,
		    comparison->candidate);
	if (comparison->form == IN_ANOTHER_ORDER)
		print_races(file, "engine, events as below", sample, comparison->plain,
			    comparison->plain_count, comparison->candidate);
	return vkr_litmus_write(&sample->execution, file, &comparison->error);
}

static enum vkr_result report(struct comparison *comparison, struct vkr_oracle_sample *sample,
			      uint64_t seed)
{
	vkr_shrink(sample, disagrees, comparison);
	if (comparison->failed || judge(comparison, sample) != VKR_OK)
		return comparison->error.result;
	comparison->disagreements++;
	enum vkr_result result = print_disagreement(comparison, sample, seed, stdout);
	printf("\n");
	if (result != VKR_OK || !comparison->directory)
		return result;
	char path[4096];
	snprintf(path, sizeof path, "%s/%" PRIu64 ".vlit", comparison->directory, seed);
	FILE *file = fopen(path, "w");
	if (!file)
		return vkr_error_set(&comparison->error, VKR_ERROR_IO, "%s: %s", path,
				     strerror(errno));
	result = print_disagreement(comparison, sample, seed, file);
	if (fclose(file) != 0 && result == VKR_OK)
		result = vkr_error_set(&comparison->error, VKR_ERROR_IO, "%s: %s", path,
				       strerror(errno));
	return result;
}

static enum vkr_result compare_one(struct comparison *comparison, uint64_t seed)
{
	struct vkr_oracle_sample sample;
	vkr_generate_for(&sample, comparison->rules.model, seed);
	comparison->order_seed = seed;
	for (enum form form = AS_MADE; form <= AS_A_FILE; form++) {
		if (form == AS_A_FILE && seed % ROUND_TRIPS != 0)
			continue;
		comparison->form = form;
		if (judge(comparison, &sample) != VKR_OK)
			return comparison->error.result;
		if (!answers_agree(comparison))
			return report(comparison, &sample, seed);
	}
	comparison->racy += comparison->expected.count > 0;
	comparison->candidates += comparison->expected.candidate;
	comparison->pairs += comparison->expected.count;
	return VKR_OK;
}

static enum vkr_result compare_all(struct comparison *comparison)
{
	time_t begin = time(NULL);
	while (comparison->executions < comparison->count &&
	       comparison->disagreements < comparison->most) {
		if (comparison->executions % 1024 == 0 && comparison->seconds > 0 &&
		    (uint64_t)(time(NULL) - begin) >= comparison->seconds)
			break;
		uint64_t seed = comparison->seed + comparison->executions;
		enum vkr_result result = compare_one(comparison, seed);
		if (result != VKR_OK) {
			fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, comparison->error.message);
			return result;
		}
		comparison->executions++;
	}
	return VKR_OK;
}

static const char usage[] =
	"usage: oracle_compare [--model M] [--reading NAME=VALUE] [--seed N] [--count N]\n"
	"                      [--seconds N] [--most N] [--directory DIR]\n"
	"Compares engine and oracle on random executions: --count of them (default 5000), or as\n"
	"many as --seconds allow; stops after --most disagreements (default 1), which are shrunk,\n"
	"printed, and written to --directory. The default seed is the time. Every execution is\n"
	"judged in another order of its events as well, and the engine's list must then be the\n"
	"same, reasons included.\n";

static bool read_options(struct comparison *comparison, int argc, char **argv)
{
	static const struct option options[] = {
		{"seed", required_argument, NULL, 's'},
		{"count", required_argument, NULL, 'c'},
		{"seconds", required_argument, NULL, 't'},
		{"most", required_argument, NULL, 'm'},
		{"directory", required_argument, NULL, 'd'},
		{"model", required_argument, NULL, 'M'},
		{"reading", required_argument, NULL, 'R'},
		{0},
	};
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		bool numeric = option == 's' || option == 'c' || option == 'm' || option == 't';
		char *end = NULL;
		uint64_t number = numeric ? strtoull(optarg, &end, 0) : 0;
		if (option == '?' || (numeric && (end == optarg || *end != 0)))
			return false;
		if ((option == 'M' && vkr_memory_model_parse(optarg, &comparison->rules.model,
							     &comparison->error) != VKR_OK) ||
		    (option == 'R' && vkr_reading_parse(optarg, &comparison->rules.readings,
							&comparison->error) != VKR_OK)) {
			fprintf(stderr, "%s\n", comparison->error.message);
			return false;
		}
		if (option == 'M' || option == 'R')
			continue;
		if (option == 'd')
			comparison->directory = optarg;
		else if (option == 's')
			comparison->seed = number;
		else if (option == 'c')
			comparison->count = number;
		else if (option == 'm')
			comparison->most = number;
		else
			comparison->seconds = number;
	}
	if (comparison->count == 0)
		comparison->count = comparison->seconds > 0 ? UINT64_MAX : 5000;
	return optind == argc;
}

int main(int argc, char **argv)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	struct comparison comparison = {
		.seed = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec,
		.most = 1,
	};
	if (!read_options(&comparison, argc, argv)) {
		fputs(usage, stderr);
		return 2;
	}
	printf("seed %" PRIu64 "\n", comparison.seed);
	enum vkr_result result = compare_all(&comparison);
	printf("%" PRIu64 " executions, %" PRIu64 " racy, %" PRIu64 " candidates, %" PRIu64
	       " racing pairs, %" PRIu64 " disagreements\n",
	       comparison.executions, comparison.racy, comparison.candidates, comparison.pairs,
	       comparison.disagreements);
	vkr_oracle_races_finish(&comparison.expected);
	free(comparison.races);
	free(comparison.plain);
	return result != VKR_OK ? 2 : comparison.disagreements > 0;
}
