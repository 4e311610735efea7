// SPDX-License-Identifier: Apache-2.0
#include "host_own_stack.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

// Decoding, unwinding and draining take some 10 KiB; what is not accessed costs nothing.
#define STACK_BYTES ((size_t)256 << 10)
#define GUARD_BYTES ((size_t)4096)

// Stands at the top of the stack that it describes.
struct own_stack {
	_Alignas(16) struct own_stack *next;
};

// Stacks that no thread is using: as many are made as threads fault at once. Protected by
// `changing`, which is held with all signals blocked.
static struct own_stack *unused;
static atomic_flag changing = ATOMIC_FLAG_INIT;

// A stack grows downwards from `top` (System V ABI, 3.2.2); debuggers find their way back by RBP.
bool vkr_own_stack_switch(void *argument, bool (*call)(void *), void *top);
__asm__(".pushsection .text\n"
	".hidden vkr_own_stack_switch\n"
	".globl vkr_own_stack_switch\n"
	".type vkr_own_stack_switch, @function\n"
	"vkr_own_stack_switch:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov %rdx, %rsp\n"
	"	call *%rsi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size vkr_own_stack_switch, . - vkr_own_stack_switch\n"
	".popsection\n");

static struct own_stack *make_own_stack(void)
{
	char *map = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	if (mprotect(map, GUARD_BYTES, PROT_NONE) != 0) {
		munmap(map, STACK_BYTES);
		return NULL;
	}
	return (struct own_stack *)(void *)(map + STACK_BYTES) - 1;
}

static void host_own_stack_lock(void)
{
	while (atomic_flag_test_and_set_explicit(&changing, memory_order_acquire))
		sched_yield();
}

static struct own_stack *take_own_stack(void)
{
	host_own_stack_lock();
	struct own_stack *taken = unused;
	if (taken)
		unused = taken->next;
	atomic_flag_clear_explicit(&changing, memory_order_release);
	return taken ? taken : make_own_stack();
}

static void host_own_stack_give(struct own_stack *stack)
{
	host_own_stack_lock();
	stack->next = unused;
	unused = stack;
	atomic_flag_clear_explicit(&changing, memory_order_release);
}

void vkr_own_stack_start(void)
{
	struct own_stack *first = take_own_stack();
	if (first)
		host_own_stack_give(first);
}

bool vkr_own_stack_call(bool (*call)(void *argument), void *argument)
{
	struct own_stack *stack = take_own_stack();
	if (!stack)
		return call(argument);
	const bool result = vkr_own_stack_switch(argument, call, stack);
	host_own_stack_give(stack);
	return result;
}
