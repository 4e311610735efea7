// SPDX-License-Identifier: Apache-2.0
#include "host_fault.h"

#include "host_instruction.h"
#include "host_regions.h"
#include "host_signal_calls.h"
#include "host_signals.h"
#include "host_stack.h"
#include "host_string.h"
#include "host_threads.h"
#include "host_vector.h"

#include "vkrace/host_place.h"
#include "vkrace/trace.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static void (*drain_all)(void);
static bool (*has_raced)(uint64_t place);
static _Atomic uint64_t faults, unknown, lost;

// A fault on its way through the handler.
struct fault {
	ucontext_t *context;
	struct vkr_region *region;
	struct vkr_host_access access; // with the stack, once it was asked for
	bool has_stack;
	bool write;
	bool is_new; // at a place of which no race is known
};

static void push_access(struct vkr_host_access *access)
{
	struct vkr_host_thread *thread = vkr_host_thread_self();
	if (!thread) {
		atomic_fetch_add(&lost, 1);
		return;
	}
	// Early enough for the judge to say soon that the place races.
	if (vkr_host_thread_is_filling(thread))
		drain_all();
	if (!vkr_host_thread_push(thread, access))
		atomic_fetch_add(&lost, 1);
}

static void note_operation(struct fault *fault, const struct vkr_region *region, uint64_t offset,
			   uint64_t bytes, uint32_t operation)
{
	if (!fault->has_stack) {
		const uint32_t count =
			vkr_host_stack(fault->context, fault->access.frames, VKR_HOST_FRAMES);
		fault->access.frame_count = vkr_host_stack_trim(fault->access.frames, count);
	}
	fault->has_stack = true;
	fault->access.memory = region->memory;
	fault->access.offset = offset;
	fault->access.bytes = bytes;
	fault->access.operation = operation;
	fault->write = fault->write || operation != VKR_HOST_READ;
	fault->is_new = fault->is_new ||
			!has_raced(vkr_host_place(region->memory, operation, fault->access.frames,
						  fault->access.frame_count));
	push_access(&fault->access);
}

// The part of an access that lies in watched memory.
static void note_access(struct fault *fault, const struct vkr_instruction_access *access)
{
	const struct vkr_region *region = vkr_regions_find(access->address);
	if (!region || !access->bytes)
		return;
	uint64_t offset = access->address - (uint64_t)(uintptr_t)region->watched;
	const uint64_t rest = region->bytes - offset;
	const uint64_t bytes = access->bytes < rest ? access->bytes : rest;
	offset += region->first;
	if (access->locked && access->read && access->write) {
		note_operation(fault, region, offset, bytes, VKR_HOST_ATOMIC);
		return;
	}
	if (access->read)
		note_operation(fault, region, offset, bytes, VKR_HOST_READ);
	if (access->write)
		note_operation(fault, region, offset, bytes, VKR_HOST_WRITE);
}

static void note_string(void *user, uint64_t address, uint64_t bytes, bool write)
{
	const struct vkr_instruction_access access = {
		.address = address,
		.bytes = bytes,
		.read = !write,
		.write = write,
	};
	note_access(user, &access);
}

static void *open_address(uint64_t address)
{
	const struct vkr_region *region = vkr_regions_find(address);
	return region ? vkr_region_open_address(region, address) : (void *)(uintptr_t)address;
}

// Goes on in the instruction's copy, with the scratch register saved where the copy finds it.
static bool run_copy(const struct fault *fault, const struct vkr_host_instruction *instruction)
{
	greg_t *stack = vkr_context_register(fault->context, 4);
	greg_t *scratch = vkr_context_register(fault->context, instruction->scratch);
	uint64_t operand = vkr_host_instruction_operand(instruction, fault->context);
	// The copy of a gather or scatter keeps its displacement.
	if (instruction->way == VKR_WAY_BASE)
		operand -= (uint64_t)instruction->displacement;
	const uint64_t top = (uint64_t)*stack - VKR_COPY_STACK;
	if (!vkr_vectors_make_way(fault->context, top, sizeof *scratch))
		return false;
	*stack = (greg_t)top;
	memcpy((void *)(uintptr_t)*stack, scratch, sizeof *scratch);
	operand += (uint64_t)(fault->region->open - fault->region->watched);
	*scratch = (greg_t)operand;
	*vkr_context_register(fault->context, 16) = (greg_t)(uintptr_t)instruction->copy;
	return true;
}

// push, pop, call and jmp through memory, and xlat.
static void run_in_c(const struct fault *fault, const struct vkr_host_instruction *instruction)
{
	ucontext_t *context = fault->context;
	greg_t *stack = vkr_context_register(context, 4),
	       *place = vkr_context_register(context, 16);
	const size_t bytes = (size_t)instruction->bytes;
	void *operand = open_address(vkr_host_instruction_operand(instruction, context));
	greg_t next = *place + instruction->length;
	uint64_t value = 0;
	if (instruction->way == VKR_WAY_POP) {
		memcpy(&value, (const void *)(uintptr_t)*stack, bytes);
		*stack += (greg_t)bytes;
		memcpy(operand, &value, bytes);
		*place = next;
		return;
	}
	memcpy(&value, operand, bytes);
	if (instruction->way == VKR_WAY_PUSH) {
		*stack -= (greg_t)bytes;
		memcpy((void *)(uintptr_t)*stack, &value, bytes);
	} else if (instruction->way == VKR_WAY_TRANSLATE) {
		greg_t *result = vkr_context_register(context, 0);
		*result = (greg_t)(((uint64_t)*result & ~UINT64_C(0xff)) | value);
	} else {
		if (instruction->way == VKR_WAY_CALL) {
			*stack -= (greg_t)sizeof next;
			memcpy((void *)(uintptr_t)*stack, &next, sizeof next);
		}
		next = (greg_t)value;
	}
	*place = next;
}

// False where some of it lies outside of the region.
static bool all_inside(const struct fault *fault, const struct vkr_instruction_access *accesses,
		       unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!vkr_region_holds(fault->region, accesses[i].address, accesses[i].bytes))
			return false;
	return true;
}

static bool follow_instruction(struct fault *fault, const struct vkr_host_instruction *instruction)
{
	struct vkr_instruction_access accesses[VKR_INSTRUCTION_ACCESSES_MOST];
	if (!instruction || instruction->way == VKR_WAY_NONE)
		return false;
	if (instruction->way == VKR_WAY_STRING) {
		vkr_string_run(instruction, fault->context, open_address, note_string, fault);
		return true;
	}
	const unsigned count = vkr_host_instruction_accesses(instruction, fault->context, accesses);
	if (!all_inside(fault, accesses, count))
		return false;
	// Noted first: a thread that sees what is written now notes that later.
	for (unsigned i = 0; i < count; i++)
		note_access(fault, &accesses[i]);
	if (instruction->way <= VKR_WAY_RDI)
		return run_copy(fault, instruction);
	run_in_c(fault, instruction);
	return true;
}

static bool on_fault(siginfo_t *info, void *context)
{
	const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	struct fault fault = {.context = context};
	if (info->si_code != SEGV_ACCERR)
		return false;
	fault.region = vkr_regions_enter(address);
	if (fault.region) {
		const uint64_t place = (uint64_t)*vkr_context_register(context, 16);
		atomic_fetch_add_explicit(&faults, 1, memory_order_relaxed);
		if (!follow_instruction(&fault, vkr_host_instruction_at(place))) {
			atomic_fetch_add(&unknown, 1);
			vkr_region_open_page(fault.region, address);
		} else if (fault.has_stack && !fault.is_new) {
			vkr_region_sample_page(fault.region, address, fault.write);
		}
	}
	vkr_regions_leave();
	return fault.region != NULL;
}

bool vkr_fault_start(void (*drain)(void), bool (*raced)(uint64_t place))
{
	drain_all = drain;
	has_raced = raced;
	vkr_host_stack_start();
	return vkr_signals_start(on_fault) && vkr_signal_calls_start();
}

void vkr_fault_note(const void *address, uint64_t bytes, uint32_t operation)
{
	ucontext_t context;
	const struct vkr_instruction_access access = {
		.address = (uint64_t)(uintptr_t)address,
		.bytes = bytes,
		.read = operation != VKR_HOST_WRITE,
		.write = operation != VKR_HOST_READ,
		.locked = operation == VKR_HOST_ATOMIC,
	};
	getcontext(&context);
	struct fault fault = {.context = &context};
	vkr_regions_enter(access.address);
	note_access(&fault, &access);
	vkr_regions_leave();
}

struct vkr_fault_counts vkr_fault_counts(void)
{
	return (struct vkr_fault_counts){
		.faults = atomic_load(&faults),
		.unknown = atomic_load(&unknown),
		.lost = atomic_load(&lost),
	};
}
