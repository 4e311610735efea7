// SPDX-License-Identifier: Apache-2.0
// Twins of host threads and the device, told by nobody: what the host touches must be observed.
// Knows nothing of what is to be reported.
#include "twins.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// What the kernels touch from the start of the data buffer, in two workgroups.
#define BYTES 512u
#define HOST  VK_PIPELINE_STAGE_HOST_BIT

static unsigned char *map_data(struct gpu_test *test)
{
	void *mapped = NULL;
	gpu_test_expect(vkMapMemory(test->device, test->data.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	return mapped;
}

// By the library, as one place of the program's: not what a compiler makes of memset.
static void fill(unsigned char *to, int value, size_t bytes)
{
	void *(*volatile set)(void *, int, size_t) = memset;
	set(to, value, bytes);
}

static void expect(bool right, const char *what)
{
	gpu_test_expect(right ? VK_SUCCESS : VK_ERROR_UNKNOWN, what);
}

// A fence alone does not bring the device's writes to the host.
static void watch_read_back(struct gpu_test *test)
{
	const volatile unsigned char *mapped = map_data(test);
	unsigned sum = 0;
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	for (unsigned i = 0; i < BYTES; i++)
		sum += mapped[i];
	expect(sum > 0, "reading back");
}

static void read_all(const volatile uint32_t *words)
{
	uint32_t sum = 0;
	for (unsigned i = 0; i < BYTES / sizeof *words; i++)
		sum += words[i];
	expect(sum > 0, "reading back");
}

// Read again and again, so that the pages are opened once the race is known. Other places are still
// observed: what they write, and what they read after another submission.
static void watch_known_race(struct gpu_test *test)
{
	volatile uint32_t *mapped = (volatile uint32_t *)(void *)map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, HOST,
				 VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	for (unsigned round = 0; round < 200; round++)
		read_all(mapped);
	mapped[1] = 5;
	expect(mapped[1] == 5, "a write");
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	expect(mapped[2] > 0, "reading back");
}

// The write races with the device's reads until they are known to be over.
static void write_late(struct gpu_test *test, void (*write)(unsigned char *to))
{
	unsigned char *mapped = map_data(test);
	fill(mapped, 0, BYTES);
	gpu_test_dispatch(test, "read_words", 2, 0);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	write(mapped);
	if (!test->fixed)
		gpu_test_wait(test, fence);
}

static void write_plain(unsigned char *to)
{
	volatile uint32_t *word = (volatile uint32_t *)(void *)(to + 64);
	*word = 5;
	expect(*(volatile uint32_t *)(void *)(to + 64) == 5, "a write");
}

static void watch_write_late(struct gpu_test *test)
{
	write_late(test, write_plain);
}

static void write_copied(unsigned char *to)
{
	static const unsigned char from[BYTES] = {1, 2, 3};
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	copy(to, from, BYTES);
	expect(memcmp(to, from, BYTES) == 0, "memcpy");
}

static void watch_memcpy(struct gpu_test *test)
{
	write_late(test, write_copied);
}

static void write_atomic(unsigned char *to)
{
	atomic_fetch_add((_Atomic uint32_t *)(void *)(to + 16), 3);
}

static void watch_atomic(struct gpu_test *test)
{
	write_late(test, write_atomic);
}

#ifdef __x86_64__
static void write_repeated(unsigned char *to)
{
	uint64_t count = 100;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(7) : "memory");
}

static void watch_rep_stos(struct gpu_test *test)
{
	write_late(test, write_repeated);
}

static void write_vector(unsigned char *to)
{
	__asm__ volatile("pcmpeqd %%xmm1, %%xmm1; movdqu %%xmm1, 33(%0)" ::"r"(to)
			 : "memory", "xmm1");
}

static void watch_vector(struct gpu_test *test)
{
	write_late(test, write_vector);
}
#endif

static void write_by_kernel(unsigned char *to)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	expect(file >= 0 && read(file, to + 8, 40) == 40 && to[9] == 'E', "read");
	close(file);
}

static void watch_read_call(struct gpu_test *test)
{
	write_late(test, write_by_kernel);
}

// Unbuffered, the C library hands the destination to the kernel as it is.
static void write_by_stream(unsigned char *to)
{
	FILE *file = fopen("/proc/self/exe", "re");
	expect(file != NULL, "fopen");
	setvbuf(file, NULL, _IONBF, 0);
	expect(fread(to + 8, 8, 5, file) == 5 && to[9] == 'E', "fread");
	fclose(file);
}

static void watch_stream(struct gpu_test *test)
{
	write_late(test, write_by_stream);
}

static void *write_on_thread(void *to)
{
	write_plain(to);
	return NULL;
}

static void write_elsewhere(unsigned char *to)
{
	pthread_t thread;
	expect(pthread_create(&thread, NULL, write_on_thread, to) == 0, "pthread_create");
	pthread_join(thread, NULL);
}

static void watch_thread(struct gpu_test *test)
{
	write_late(test, write_elsewhere);
}

static unsigned char *own_page;
static volatile sig_atomic_t own_faults;

static void on_own_fault(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	own_faults++;
	if ((unsigned char *)info->si_addr != own_page + 5)
		_exit(EXIT_FAILURE);
	mprotect(own_page, 4096, PROT_READ | PROT_WRITE);
}

// The program's own handler gets the program's faults, and nothing else.
static void write_beside_handler(unsigned char *to)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO}, old;
	action.sa_sigaction = on_own_fault;
	own_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	expect(own_page != MAP_FAILED && sigaction(SIGSEGV, &action, &old) == 0, "sigaction");
	*(volatile unsigned char *)(own_page + 5) = 1;
	write_plain(to);
	expect(own_faults == 1 && sigaction(SIGSEGV, &old, &action) == 0 &&
		       action.sa_sigaction == on_own_fault,
	       "a handler of the program's");
}

static void watch_handler(struct gpu_test *test)
{
	write_late(test, write_beside_handler);
}

// A signal handler that blocks everything touches mapped memory.
static unsigned char *written_by_handler;

static void on_alarm(int number)
{
	(void)number;
	write_plain(written_by_handler);
}

static void write_in_handler(unsigned char *to)
{
	struct sigaction action = {.sa_handler = on_alarm};
	sigset_t all;
	sigfillset(&all);
	sigfillset(&action.sa_mask);
	written_by_handler = to;
	expect(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
	raise(SIGUSR1);
	expect(pthread_sigmask(SIG_BLOCK, &all, &action.sa_mask) == 0, "pthread_sigmask");
	write_plain(to);
	pthread_sigmask(SIG_SETMASK, &action.sa_mask, NULL);
}

static void watch_blocked(struct gpu_test *test)
{
	write_late(test, write_in_handler);
}

// An alternate stack that the kernel's frame of a signal all but fills (sigaltstack(2)).
static void write_on_small_stack(unsigned char *to)
{
	const size_t page = 4096;
	const size_t bytes = ((size_t)sysconf(_SC_MINSIGSTKSZ) + 1024 + page - 1) / page * page;
	char *map = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	const size_t used = (size_t)sysconf(_SC_MINSIGSTKSZ) + 1024;
	stack_t small = {.ss_sp = map + page + bytes - used, .ss_size = used}, old;
	expect(map != MAP_FAILED && mprotect(map, page, PROT_NONE) == 0 &&
		       sigaltstack(&small, &old) == 0,
	       "a small alternate stack");
	write_plain(to);
	expect(sigaltstack(&old, NULL) == 0 && munmap(map, page + bytes) == 0, "its end");
}

static void watch_small_stack(struct gpu_test *test)
{
	write_late(test, write_on_small_stack);
}

// The child of a fork is nobody's business, and must not fault.
static void write_in_child(unsigned char *to)
{
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		write_plain(to + 128);
		_exit(EXIT_SUCCESS);
	}
	expect(child > 0 && waitpid(child, &status, 0) == child && status == 0, "fork");
	write_plain(to);
}

static void watch_fork(struct gpu_test *test)
{
	write_late(test, write_in_child);
}

// Bytes of one page, and here of one word, that the device and the host use at once.
static void watch_neighbours(struct gpu_test *test)
{
	unsigned char *mapped = map_data(test);
	gpu_test_dispatch(test, "read_words", 2, 0);
	VkFence fence = gpu_test_submit_fence(test);
	fill(mapped + (test->fixed ? BYTES : BYTES - 1), 1, 100);
	gpu_test_wait(test, fence);
}

// While the device reads one page, the host writes the other, or the same.
static void watch_double_buffer(struct gpu_test *test)
{
	unsigned char *mapped = map_data(test);
	VkFence fences[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
	for (unsigned frame = 0; frame < 6; frame++) {
		const unsigned half = test->fixed ? frame % 2 : 0;
		const VkBufferCopy region = {.srcOffset = half * 4096u, .size = 256};
		if (fences[frame % 2])
			gpu_test_wait(test, fences[frame % 2]);
		fill(mapped + half * 4096, (int)frame, 256);
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_WRITE_BIT);
		vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
		fences[frame % 2] = gpu_test_submit_fence(test);
	}
	gpu_test_wait(test, fences[0]);
	gpu_test_wait(test, fences[1]);
}

// One mapping for a thousand frames; once the host reads what no barrier has brought to it.
static void watch_frames(struct gpu_test *test)
{
	unsigned char *mapped = map_data(test);
	for (unsigned frame = 0; frame < 1000; frame++) {
		fill(mapped, (int)frame, 64);
		gpu_test_dispatch(test, "update_words", 1, 0);
		if (test->fixed || frame != 700)
			gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
		gpu_test_wait(test, gpu_test_submit_fence(test));
		volatile const uint32_t *word = (volatile const uint32_t *)(void *)(mapped + 64);
		expect(*word != UINT32_MAX, "a frame");
	}
}

// A later submission brings to the host what an earlier one wrote.
static void watch_later_barrier(struct gpu_test *test)
{
	const volatile unsigned char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	expect(mapped[0] < 255, "reading back");
}

// A submission of nothing, in both forms, whose fence is behind all that was submitted before it.
static void watch_fence_only(struct gpu_test *test)
{
	const volatile unsigned char *mapped = map_data(test);
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fences[2];
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_submit(test, 1);
	for (unsigned i = 0; i < 2; i++)
		gpu_test_expect(vkCreateFence(test->device, &info, NULL, &fences[i]),
				"vkCreateFence");
	PFN_vkQueueSubmit2 second =
		(PFN_vkQueueSubmit2)vkGetDeviceProcAddr(test->device, "vkQueueSubmit2");
	if (test->has_synchronization2 && second)
		gpu_test_expect(second(test->queue, 0, NULL, fences[1]), "vkQueueSubmit2");
	else
		gpu_test_expect(vkQueueSubmit(test->queue, 0, NULL, fences[1]), "vkQueueSubmit");
	gpu_test_expect(vkQueueSubmit(test->queue, 0, NULL, fences[0]), "vkQueueSubmit");
	if (test->fixed)
		gpu_test_wait(test, fences[1]);
	expect(mapped[0] < 255, "reading back");
	gpu_test_wait(test, fences[0]);
	if (!test->fixed)
		gpu_test_wait(test, fences[1]);
}

const struct gpu_twin gpu_watch_twins[] = {
	{"watch_read_back", watch_read_back, 0},
	{"watch_known_race", watch_known_race, 0},
	{"watch_write_late", watch_write_late, 0},
	{"watch_memcpy", watch_memcpy, 0},
	{"watch_atomic", watch_atomic, 0},
#ifdef __x86_64__
	{"watch_rep_stos", watch_rep_stos, 0},
	{"watch_vector", watch_vector, 0},
#endif
	{"watch_read_call", watch_read_call, 0},
	{"watch_stream", watch_stream, 0},
	{"watch_thread", watch_thread, 0},
	{"watch_handler", watch_handler, 0},
	{"watch_small_stack", watch_small_stack, 0},
	{"watch_blocked", watch_blocked, 0},
	{"watch_fork", watch_fork, 0},
	{"watch_neighbours", watch_neighbours, 0},
	{"watch_double_buffer", watch_double_buffer, 0},
	{"watch_frames", watch_frames, 0},
	{"watch_later_barrier", watch_later_barrier, 0},
	{"watch_fence_only", watch_fence_only, 0},
	{NULL, NULL, 0},
};
