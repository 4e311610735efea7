// SPDX-License-Identifier: Apache-2.0
// One dispatch of very many accesses, direct or indirect, many that share them, or one of
// which the first workgroup has all, judged whole:
// how many accesses were judged, the most memory that the program and its judge took, and how long
// it all lasted. Knows the vkrace command's options and its JSON report; nothing of how the layer
// works.
//
//   bench_volume VKRACE direct|indirect|many|uneven MILLIONS
#include "gpu_test.h"
#include "temporary_file.h"
#include "volume.spv.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUPS      4096u          // of all dispatches
#define INVOCATIONS (GROUPS * 64u) // of all dispatches
#define MANY        16u

static struct gpu_test_kernel kernels[] = {
	{"volume", volume, sizeof volume, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

static void dispatch(const char *kind, uint32_t millions)
{
	const uint32_t dispatches = strcmp(kind, "many") == 0 ? MANY : 1;
	const bool uneven = strcmp(kind, "uneven") == 0;
	const uint32_t head[7] = {
		GROUPS, 1,
		1,      (uint32_t)((uint64_t)millions * 1000000 / (uneven ? 64 : INVOCATIONS)),
		0,      0,
		uneven};
	struct gpu_test test;
	memset(&test, 0, sizeof test);
	gpu_test_init(&test, kernels, false);
	vkCmdUpdateBuffer(test.commands, test.data.handle, 0, sizeof head, head);
	gpu_test_barrier(&test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
			 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	if (strcmp(kind, "indirect") == 0)
		gpu_test_dispatch_indirect(&test, "volume");
	for (uint32_t at = 0; at < dispatches && strcmp(kind, "indirect") != 0; at++) {
		gpu_test_dispatch(&test, "volume", GROUPS / dispatches, 0);
		gpu_test_barrier(&test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_SHADER_READ_BIT);
	}
	gpu_test_submit(&test, 1);
	gpu_test_finish(&test);
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("program    %8ld MiB at most\n", usage.ru_maxrss / 1024);
}

static void fail(const char *what)
{
	fprintf(stderr, "bench_volume: %s\n", what);
	exit(EXIT_FAILURE);
}

static void judge(char **argv, const char *json, uint64_t asked)
{
	char *arguments[] = {argv[1], "run",   "--exit-code", "0",     "--quiet", "--json", NULL,
			     "--",    argv[0], argv[1],       argv[2], argv[3],   "child",  NULL};
	char *path = strdup(json);
	struct timespec begin, end;
	int status = 0;
	arguments[6] = path;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t child = fork();
	if (child == 0) {
		execv(argv[1], arguments);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		fail("no run");
	if (WEXITSTATUS(status) != 0)
		exit(WEXITSTATUS(status));
	clock_gettime(CLOCK_MONOTONIC, &end);
	free(path);
	struct rusage usage;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("any        %8ld MiB at most\n", usage.ru_maxrss / 1024);
	json_t *report = json_load_file(json, 0, NULL);
	if (!report)
		fail("no report");
	uint64_t judged = (uint64_t)json_integer_value(json_object_get(report, "accesses_judged"));
	size_t races = json_array_size(json_object_get(report, "races"));
	const size_t lacks = json_array_size(json_object_get(report, "coverage"));
	json_decref(report);
	printf("judged     %8.1f million accesses in %.1f s\n", (double)judged / 1e6,
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
	if (judged < asked)
		fail("accesses were lost");
	if (races != 2 || lacks != 0)
		fail("two races were expected, and everything observed");
}

int main(int argc, char **argv)
{
	uint32_t millions = argc >= 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	if (millions == 0) {
		fprintf(stderr,
			"usage: bench_volume VKRACE direct|indirect|many|uneven MILLIONS\n");
		return EXIT_FAILURE;
	}
	if (argc == 5) {
		dispatch(argv[2], millions);
		return EXIT_SUCCESS;
	}
	char *json = temporary_file_make(NULL, 0);
	judge(argv, json,
	      (uint64_t)millions * 1000000 - (strcmp(argv[2], "uneven") == 0 ? 64 : INVOCATIONS));
	temporary_file_remove(json);
	return EXIT_SUCCESS;
}
