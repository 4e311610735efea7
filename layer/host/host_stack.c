// SPDX-License-Identifier: Apache-2.0
#include "host_stack.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

// Stacks seen by this thread: a place, and where on the stack its return addresses stand. As long
// as they stand there, unwinding would go the same way. RBP is not asked: code without frame
// pointers counts loops in it.
#define KNOWN_STACKS 32u
#define KNOWN_FRAMES 64u

struct known_stack {
	uint64_t place, top; // RIP, RSP
	uint32_t count;
	uint64_t slots[KNOWN_FRAMES];  // of return address i + 1
	uint64_t frames[KNOWN_FRAMES]; // [0] is `place`
};

static _Thread_local struct known_stack *known __attribute__((tls_model("initial-exec")));

static uint64_t word_at(uint64_t address)
{
	uint64_t word;
	memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
	return word;
}

static bool still_stands(const struct known_stack *stack, const greg_t *registers)
{
	if (!stack->count || stack->place != (uint64_t)registers[REG_RIP] ||
	    stack->top != (uint64_t)registers[REG_RSP])
		return false;
	for (uint32_t i = 1; i < stack->count; i++)
		if (word_at(stack->slots[i - 1]) != stack->frames[i])
			return false;
	return true;
}

// The return address stands right below the caller's frame (System V ABI, 3.2.2). Where it does
// not, as in a signal frame, the stack is not kept.
static uint32_t host_stack_unwind(const ucontext_t *context, struct known_stack *stack)
{
	unw_cursor_t cursor;
	unw_word_t value = 0;
	unw_context_t copy = *context;
	bool regular = true;
	stack->count = 0;
	stack->place = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	stack->top = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
	uint32_t count = 0;
	stack->frames[count++] = stack->place;
	if (unw_init_local2(&cursor, &copy, UNW_INIT_SIGNAL_FRAME) == 0) {
		while (count < KNOWN_FRAMES && unw_step(&cursor) > 0) {
			if (unw_get_reg(&cursor, UNW_REG_IP, &value) != 0 || !value)
				break;
			stack->frames[count] = value;
			if (unw_get_reg(&cursor, UNW_REG_SP, &value) != 0)
				break;
			stack->slots[count - 1] = value - sizeof value;
			if (word_at(value - sizeof value) != stack->frames[count])
				regular = false;
			count++;
		}
	}
	stack->count = regular ? count : 0;
	return count;
}

static struct known_stack *slot_for(const greg_t *registers)
{
	if (!known) {
		void *map = mmap(NULL, KNOWN_STACKS * sizeof *known, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		known = map;
	}
	const uint64_t mixed = (uint64_t)registers[REG_RIP] * UINT64_C(0x9e3779b97f4a7c15) ^
			       (uint64_t)registers[REG_RSP] * UINT64_C(0xc2b2ae3d27d4eb4f);
	return &known[(mixed >> 40) % KNOWN_STACKS];
}

uint32_t vkr_host_stack(const ucontext_t *context, uint64_t *frames, uint32_t limit)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	struct known_stack *stack = slot_for(registers);
	if (!stack) {
		frames[0] = (uint64_t)registers[REG_RIP];
		return 1;
	}
	uint32_t count = stack->count;
	if (!still_stands(stack, registers))
		count = host_stack_unwind(context, stack);
	if (count > limit)
		count = limit;
	memcpy(frames, stack->frames, count * sizeof *frames);
	for (uint32_t i = 1; i < count; i++)
		frames[i]--; // into the call instruction
	return count;
}

// Code of libraries that act for the program. Written once, before any fault.
static struct {
	uint64_t first, end;
} helpers[8];
static unsigned helper_count;

static bool segment_holds(const struct dl_phdr_info *info, const ElfW(Phdr) * segment,
			  uint64_t address)
{
	const uint64_t first = info->dlpi_addr + segment->p_vaddr;
	return address >= first && address - first < segment->p_memsz;
}

static int find_helpers(struct dl_phdr_info *info, size_t bytes, void *own)
{
	(void)bytes;
	bool helper = strstr(info->dlpi_name, "/libc.so.6") != NULL;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		helper = helper ||
			 (info->dlpi_phdr[i].p_type == PT_LOAD &&
			  segment_holds(info, &info->dlpi_phdr[i], (uint64_t)(uintptr_t)own));
	for (unsigned i = 0; helper && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const unsigned room = sizeof helpers / sizeof *helpers;
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) ||
		    helper_count == room)
			continue;
		helpers[helper_count].first = info->dlpi_addr + segment->p_vaddr;
		helpers[helper_count].end = helpers[helper_count].first + segment->p_memsz;
		helper_count++;
	}
	return 0;
}

void vkr_host_stack_start(void)
{
	dl_iterate_phdr(find_helpers, (void *)(uintptr_t)vkr_host_stack_start);
}

static bool in_helper(uint64_t address)
{
	for (unsigned i = 0; i < helper_count; i++)
		if (address >= helpers[i].first && address < helpers[i].end)
			return true;
	return false;
}

uint32_t vkr_host_stack_trim(uint64_t *frames, uint32_t count)
{
	uint32_t first = 0;
	while (first + 1 < count && in_helper(frames[first]))
		first++;
	memmove(frames, frames + first, (count - first) * sizeof *frames);
	return count - first;
}
