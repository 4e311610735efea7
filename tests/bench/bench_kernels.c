// SPDX-License-Identifier: Apache-2.0
// What the layer costs: each kernel alone and under the layer, in pairs, and the ratios. Knows the
// vkrace command's options and its JSON report; nothing of how the layer works.
//
//   bench_kernels VKRACE [ROUNDS [REPETITIONS [KERNEL]]]
//
// Columns: `dispatch`, a dispatch until its fence under the layer / without; `whole`, the whole
// process with all its dispatches, judged to the end, under the layer / without; `create`, making
// the pipeline until it is ready to run, without a cache, in processor time, likewise; accesses
// judged; bytes of log an access; accesses judged a second of the whole process. Ratios are medians
// over the rounds.
#include "kernel_run.h"
#include "temporary_file.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct run {
	struct kernel_times times;
	double whole; // seconds
};

struct bench {
	const char *self, *vkrace, *json;
	uint32_t rounds, repetitions;
};

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what)
{
	fprintf(stderr, "bench_kernels: %s\n", what);
	exit(EXIT_FAILURE);
}

// Runs arguments as a process; its standard output is one struct kernel_times.
static struct run run_process(char *const *arguments)
{
	struct run run;
	int output[2];
	if (pipe(output) != 0)
		fail("no pipe");
	double start = now();
	pid_t child = fork();
	if (child < 0)
		fail("no process");
	if (child == 0) {
		dup2(output[1], STDOUT_FILENO);
		close(output[0]);
		close(output[1]);
		execv(arguments[0], arguments);
		_exit(127);
	}
	close(output[1]);
	size_t got = 0;
	ssize_t part;
	while (got < sizeof run.times &&
	       (part = read(output[0], (char *)&run.times + got, sizeof run.times - got)) > 0)
		got += (size_t)part;
	close(output[0]);
	int status;
	waitpid(child, &status, 0);
	run.whole = now() - start;
	if (got != sizeof run.times || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail("a run failed");
	return run;
}

static struct run run_kernel(const struct bench *bench, uint32_t kernel, int layered)
{
	char number[16], repetitions[16];
	snprintf(number, sizeof number, "%u", kernel);
	snprintf(repetitions, sizeof repetitions, "%u", bench->repetitions);
	char *arguments[] = {(char *)(uintptr_t)bench->vkrace,
			     "run",
			     "--quiet",
			     "--json",
			     (char *)(uintptr_t)bench->json,
			     "--",
			     (char *)(uintptr_t)bench->self,
			     "--child",
			     number,
			     repetitions,
			     NULL};
	return run_process(layered ? arguments : arguments + 6);
}

static uint64_t report_number(const char *path, const char *name)
{
	json_error_t error;
	json_t *report = json_load_file(path, 0, &error);
	if (!report)
		fail("no JSON report");
	const char *verdict = json_string_value(json_object_get(report, "verdict"));
	if (!verdict || strcmp(verdict, "races") == 0)
		fail("a race was reported in a kernel that has none");
	uint64_t number = (uint64_t)json_integer_value(json_object_get(report, name));
	json_decref(report);
	return number;
}

static int compare_ratios(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

static double median(double *ratios, uint32_t count)
{
	qsort(ratios, count, sizeof *ratios, compare_ratios);
	return ratios[count / 2];
}

// Returns the dispatch ratio.
static double bench_kernel(const struct bench *bench, uint32_t kernel)
{
	double *dispatch = calloc(bench->rounds, sizeof *dispatch);
	double *whole = calloc(bench->rounds, sizeof *whole);
	double *create = calloc(bench->rounds, sizeof *create);
	double *seconds = calloc(bench->rounds, sizeof *seconds);
	if (!dispatch || !whole || !create || !seconds)
		fail("out of memory");
	for (uint32_t round = 0; round < bench->rounds; round++) {
		struct run plain = run_kernel(bench, kernel, 0);
		struct run layered = run_kernel(bench, kernel, 1);
		dispatch[round] = layered.times.dispatch / plain.times.dispatch;
		whole[round] = layered.whole / plain.whole;
		create[round] = layered.times.pipeline / plain.times.pipeline;
		seconds[round] = layered.whole;
	}
	uint64_t accesses = report_number(bench->json, "accesses_judged");
	uint64_t log_bytes = report_number(bench->json, "log_bytes");
	double ratio = median(dispatch, bench->rounds);
	printf("%-10s %9.2f %9.2f %9.2f %14llu %9.2f %12.1f\n", kernel_name(kernel), ratio,
	       median(whole, bench->rounds), median(create, bench->rounds),
	       (unsigned long long)accesses, (double)log_bytes / (double)(accesses ? accesses : 1),
	       (double)accesses / median(seconds, bench->rounds) / 1e6);
	fflush(stdout);
	free(dispatch);
	free(whole);
	free(create);
	free(seconds);
	return ratio;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--child") == 0) {
		struct kernel_times times =
			kernel_run((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]));
		return write(STDOUT_FILENO, &times, sizeof times) == sizeof times ? EXIT_SUCCESS
										  : EXIT_FAILURE;
	}
	if (argc < 2 || argc > 5) {
		fprintf(stderr, "usage: %s VKRACE [ROUNDS [REPETITIONS [KERNEL]]]\n", argv[0]);
		return 2;
	}
	char *json = temporary_file_make(NULL, 0);
	struct bench bench = {.self = argv[0],
			      .vkrace = argv[1],
			      .json = json,
			      .rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 5,
			      .repetitions = argc > 3 ? (uint32_t)atoi(argv[3]) : 10};
	if (bench.rounds == 0 || bench.repetitions == 0)
		fail("ROUNDS and REPETITIONS are at least 1");
	setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
	printf("%-10s %9s %9s %9s %14s %9s %12s\n", "kernel", "dispatch", "whole", "create",
	       "accesses", "log B/acc", "Maccess/s");
	double logarithms = 0;
	uint32_t kernels = 0;
	for (uint32_t kernel = 0; kernel_name(kernel); kernel++) {
		if (argc > 4 && strcmp(argv[4], kernel_name(kernel)) != 0)
			continue;
		logarithms += log(bench_kernel(&bench, kernel));
		kernels++;
	}
	if (kernels)
		printf("geometric mean of dispatch ratios: %.2f\n", exp(logarithms / kernels));
	temporary_file_remove(json);
	return kernels ? EXIT_SUCCESS : EXIT_FAILURE;
}
