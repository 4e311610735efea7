// SPDX-License-Identifier: Apache-2.0
// Programs that end, or use Vulkan, in ways that a layer may trip over. `hostile NAME` runs one.
// Knows nothing of the layer; prints what Vulkan answered, which must be the same without it.
#include "gpu_test.h"
#include "many_adds.spv.h"
#include "signals.h"
#include "write_words.spv.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct gpu_test_kernel kernels[] = {
	{"many_adds", many_adds, sizeof many_adds, VK_NULL_HANDLE},
	{"write_words", write_words, sizeof write_words, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

// Two dispatches write the same words, unordered: the race that every report must have.
static void race(struct gpu_test *test)
{
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static void start(struct gpu_test *test)
{
	memset(test, 0, sizeof *test);
	for (size_t i = 0; kernels[i].name; i++)
		kernels[i].pipeline = VK_NULL_HANDLE;
	gpu_test_init(test, kernels, false);
	race(test);
}

static void end_now(void)
{
	struct gpu_test test;
	start(&test);
	_exit(3);
}

static void end_by(int number)
{
	struct gpu_test test;
	start(&test);
	signal(number, SIG_DFL);
	raise(number);
}

static void end_killed(void)
{
	end_by(SIGKILL);
}

static void end_faulting(void)
{
	end_by(SIGSEGV);
}

static void end_aborting(void)
{
	end_by(SIGABRT);
}

// The device is lost to the program, never destroyed.
static void end_without_destroy(void)
{
	struct gpu_test test;
	start(&test);
}

static void end_submitted(void)
{
	struct gpu_test test;
	start(&test);
	gpu_test_dispatch(&test, "write_words", 1, 0);
	gpu_test_submit(&test, 1);
	_exit(3);
}

static void wait_for(pid_t child)
{
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		exit(EXIT_FAILURE);
}

// The child of a program with a device uses no Vulkan and ends as `end` does.
static void fork_once(void (*end)(int status))
{
	struct gpu_test test;
	start(&test);
	pid_t child = fork();
	if (child == 0)
		end(EXIT_SUCCESS);
	wait_for(child);
	race(&test);
	gpu_test_finish(&test);
}

// Some drivers wait in the child's exit() for threads that are only the parent's (lavapipe of Mesa
// 26): such a child never ends, with a layer or without.
static void forks(void)
{
	fork_once(exit);
}

static void forks_ended_at_once(void)
{
	fork_once(_exit);
}

// Two processes of one run, each with a device.
static void two_processes(void)
{
	pid_t child = fork();
	struct gpu_test test;
	start(&test);
	gpu_test_finish(&test);
	if (child != 0)
		wait_for(child);
}

// Some interpreters let their children inherit nothing, the standard streams neither.
static void inherits_nothing(void)
{
	struct gpu_test test;
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		fcntl(stream, F_SETFD, FD_CLOEXEC);
	start(&test);
	gpu_test_finish(&test);
}

// Daemons close them, and what is opened next takes their numbers.
static void closed_streams(void)
{
	struct gpu_test test;
	// So that no file of the driver's has their numbers.
	setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
	close(STDIN_FILENO);
	close(STDERR_FILENO);
	start(&test);
	// No file of the layer's has their numbers: the same is printed without it.
	printf("%d %d\n", fcntl(STDIN_FILENO, F_GETFD), fcntl(STDERR_FILENO, F_GETFD));
	gpu_test_finish(&test);
}

static void two_devices(void)
{
	for (int round = 0; round < 2; round++) {
		struct gpu_test test;
		start(&test);
		gpu_test_finish(&test);
	}
}

// The device is there until standard input ends.
static void waits(void)
{
	struct gpu_test test;
	char byte;
	start(&test);
	while (read(STDIN_FILENO, &byte, sizeof byte) > 0)
		continue;
	gpu_test_finish(&test);
}

static void count(struct gpu_test *test, uint32_t groups, uint32_t few, uint32_t times)
{
	gpu_test_dispatch(test, "many_adds", groups, few);
	gpu_test_submit(test, times);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

// False at the end of the standard input.
static bool wait_for_byte(void)
{
	char byte;
	ssize_t got;
	do {
		got = read(STDIN_FILENO, &byte, sizeof byte);
	} while (got < 0);
	return got > 0;
}

// Several submissions at once; on a first byte of standard input, dispatches that take long to
// judge, because none repeats another; on a second one, a large dispatch of few accesses.
static void ahead_of_judge(void)
{
	struct gpu_test test;
	start(&test);
	count(&test, 1024, 0, 6);
	wait_for_byte();
	for (uint32_t i = 0; i < 5; i++)
		count(&test, 512 + i, 0, 1);
	printf("ahead\n");
	fflush(stdout);
	if (wait_for_byte())
		count(&test, 16384, 1, 1);
	gpu_test_finish(&test);
}

// A child that goes on when the program has ended, with all that it inherited, until its standard
// input ends.
static void leaves_child(void)
{
	struct gpu_test test;
	start(&test);
	const pid_t child = fork();
	if (child < 0)
		exit(EXIT_FAILURE);
	if (child == 0) {
		while (wait_for_byte())
			;
		_exit(write(STDOUT_FILENO, "child\n", 6) == 6 ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	race(&test);
	gpu_test_finish(&test);
}

#define BLOCK_BYTES 65536u
#define BLOCKS      128u

// Takes memory, writes in it and frees it, as drivers do for each frame, on a thread of its own,
// and counts the faults of the second time.
static void *take_memory(void *faults)
{
	struct rusage before, after;
	void *blocks[BLOCKS];
	for (int round = 0; round < 2; round++) {
		getrusage(RUSAGE_THREAD, &before);
		for (uint32_t at = 0; at < BLOCKS; at++) {
			blocks[at] = malloc(BLOCK_BYTES);
			if (!blocks[at])
				exit(EXIT_FAILURE);
			memset(blocks[at], 1, BLOCK_BYTES);
		}
		getrusage(RUSAGE_THREAD, &after);
		for (uint32_t at = 0; at < BLOCKS; at++)
			free(blocks[at]);
	}
	*(long *)faults = after.ru_minflt - before.ru_minflt;
	return NULL;
}

// While there is a device, freed memory is kept for what takes it again.
static void takes_memory(void)
{
	struct gpu_test test;
	pthread_t thread;
	long faults = 0;
	VkPhysicalDeviceProperties properties;
	start(&test);
	vkGetPhysicalDeviceProperties(test.physical, &properties);
	if (properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
		gpu_test_skip("no driver on the CPU");
	if (pthread_create(&thread, NULL, take_memory, &faults) != 0)
		exit(EXIT_FAILURE);
	pthread_join(thread, NULL);
	gpu_test_finish(&test);
	printf("%ld faults\n", faults);
	if (faults > BLOCKS)
		exit(EXIT_FAILURE);
}

static void *make_instances(void *unused)
{
	// No application info: API 1.0.
	const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	for (int round = 0; round < 20; round++) {
		VkInstance instance;
		uint32_t count = 0;
		gpu_test_expect(vkCreateInstance(&info, NULL, &instance), "vkCreateInstance");
		gpu_test_expect(vkEnumeratePhysicalDevices(instance, &count, NULL),
				"vkEnumeratePhysicalDevices");
		vkDestroyInstance(instance, NULL);
	}
	return unused;
}

static void threads(void)
{
	pthread_t other;
	if (pthread_create(&other, NULL, make_instances, NULL) != 0)
		exit(EXIT_FAILURE);
	make_instances(NULL);
	pthread_join(other, NULL);
	struct gpu_test test;
	start(&test);
	gpu_test_finish(&test);
}

static void invalid_shader(void)
{
	static const uint32_t words[] = {0x07230203, 0x00010000, 0, 8, 0, 0x0005ffff, 1, 2};
	struct gpu_test test;
	start(&test);
	const VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof words,
		.pCode = words,
	};
	VkShaderModule module = VK_NULL_HANDLE;
	printf("vkCreateShaderModule: %d\n",
	       (int)vkCreateShaderModule(test.device, &info, NULL, &module));
	vkDestroyShaderModule(test.device, module, NULL);
	gpu_test_finish(&test);
}

// A program may call what it finds, though it enabled no extension.
static void unenabled(void)
{
	struct gpu_test test;
	start(&test);
	const PFN_vkCmdPushDescriptorSetKHR push =
		(PFN_vkCmdPushDescriptorSetKHR)vkGetDeviceProcAddr(test.device,
								   "vkCmdPushDescriptorSetKHR");
	const PFN_vkCmdSetCullModeEXT cull =
		(PFN_vkCmdSetCullModeEXT)vkGetDeviceProcAddr(test.device, "vkCmdSetCullModeEXT");
	if (cull)
		cull(test.commands, VK_CULL_MODE_NONE);
	printf("vkCmdPushDescriptorSetKHR: %s\n", push ? "found" : "not found");
	race(&test);
	gpu_test_finish(&test);
}

// What the program's own faults and signals do.
static void handles_signals(void)
{
	struct gpu_test test;
	start(&test);
	signals_all();
	gpu_test_finish(&test);
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
	{"end_now", end_now},
	{"end_killed", end_killed},
	{"end_faulting", end_faulting},
	{"end_aborting", end_aborting},
	{"end_without_destroy", end_without_destroy},
	{"end_submitted", end_submitted},
	{"forks", forks},
	{"forks_ended_at_once", forks_ended_at_once},
	{"two_processes", two_processes},
	{"inherits_nothing", inherits_nothing},
	{"closed_streams", closed_streams},
	{"two_devices", two_devices},
	{"waits", waits},
	{"ahead_of_judge", ahead_of_judge},
	{"leaves_child", leaves_child},
	{"threads", threads},
	{"takes_memory", takes_memory},
	{"invalid_shader", invalid_shader},
	{"unenabled", unenabled},
	{"handles_signals", handles_signals},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof programs / sizeof *programs; i++) {
		if (strcmp(programs[i].name, argv[1]) == 0) {
			programs[i].run();
			return EXIT_SUCCESS;
		}
	}
	fprintf(stderr, "usage: hostile NAME\n");
	return EXIT_FAILURE;
}
