// SPDX-License-Identifier: Apache-2.0
// Instructions seen so far with their copies, and the bytes that each is about to access.
#include "host_instruction.h"

#include "descriptor.h"
#include "host_decode.h"
#include "host_vector.h"

#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static_assert(VKR_COPY_STACK < 256, "one byte in the copy's end");

#define SLOTS       4096u
#define CHUNK_BYTES (UINT64_C(1) << 16)

static struct vkr_host_instruction *_Atomic slots[SLOTS];

// Where instructions and copies are made, one after the other. Under `making`, which is held with
// all signals blocked or in a fault handler that blocks them.
static struct {
	atomic_flag making;
	unsigned char *data, *data_end;
	unsigned char *code, *code_end; // writable
	unsigned char *run;             // the same bytes, executable
} room = {.making = ATOMIC_FLAG_INIT};

static unsigned char *take_data(size_t bytes)
{
	if ((size_t)(room.data_end - room.data) < bytes) {
		void *map = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		room.data = map;
		room.data_end = room.data + CHUNK_BYTES;
	}
	unsigned char *taken = room.data;
	room.data += bytes;
	return taken;
}

// Code is written through one mapping and run through another: no page is both.
static bool make_code_room(void)
{
	if (room.code && (size_t)(room.code_end - room.code) >= VKR_COPY_BYTES)
		return true;
	int file = vkr_descriptor_of_memory("vkrace-code", MFD_CLOEXEC, CHUNK_BYTES);
	void *code = MAP_FAILED, *run = MAP_FAILED;
	if (file >= 0) {
		code = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		run = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	}
	if (file >= 0)
		close(file);
	if (code == MAP_FAILED || run == MAP_FAILED)
		return false;
	room.code = code;
	room.code_end = room.code + CHUNK_BYTES;
	room.run = run;
	return true;
}

static void make_copy(const struct vkr_decoded *decoded, struct vkr_host_instruction *instruction)
{
	if (instruction->way > VKR_WAY_RDI || instruction->way == VKR_WAY_NONE)
		return;
	if (!make_code_room() || !vkr_copy_write(decoded, instruction, room.code)) {
		instruction->way = VKR_WAY_NONE;
		return;
	}
	instruction->copy = room.run;
	room.code += VKR_COPY_BYTES;
	room.run += VKR_COPY_BYTES;
}

static struct vkr_host_instruction *make_instruction(uint64_t address)
{
	struct vkr_decoded decoded = {.memory = -1};
	struct vkr_host_instruction *made =
		(struct vkr_host_instruction *)(void *)take_data(sizeof *made);
	if (!made)
		return NULL;
	memset(made, 0, sizeof *made);
	made->address = address;
	vkr_decode(address, &decoded, made);
	memcpy(made->code, (const void *)(uintptr_t)address, made->length);
	make_copy(&decoded, made);
	return made;
}

// Code may have been replaced since it was seen.
static struct vkr_host_instruction *find_instruction(uint64_t address)
{
	struct vkr_host_instruction *at = atomic_load_explicit(
		&slots[(address ^ address >> 12) % SLOTS], memory_order_acquire);
	while (at && (at->address != address ||
		      memcmp(at->code, (const void *)(uintptr_t)address, at->length) != 0))
		at = at->next;
	return at;
}

const struct vkr_host_instruction *vkr_host_instruction_at(uint64_t address)
{
	struct vkr_host_instruction *found = find_instruction(address);
	if (found)
		return found;
	while (atomic_flag_test_and_set_explicit(&room.making, memory_order_acquire))
		sched_yield();
	found = find_instruction(address);
	if (!found && (found = make_instruction(address))) {
		struct vkr_host_instruction *_Atomic *slot =
			&slots[(address ^ address >> 12) % SLOTS];
		found->next = atomic_load_explicit(slot, memory_order_relaxed);
		atomic_store_explicit(slot, found, memory_order_release);
	}
	atomic_flag_clear_explicit(&room.making, memory_order_release);
	return found;
}

greg_t *vkr_context_register(ucontext_t *context, int number)
{
	static const uint8_t places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					 REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	return &context->uc_mcontext.gregs[places[number]];
}

static uint64_t value_of(const ucontext_t *context, int number)
{
	ucontext_t *writable = (ucontext_t *)(uintptr_t)context;
	return number < 0 ? 0 : (uint64_t)*vkr_context_register(writable, number);
}

// Without the index of gather and scatter. RIP counts from the next instruction.
uint64_t vkr_host_instruction_operand(const struct vkr_host_instruction *instruction,
				      const ucontext_t *context)
{
	uint64_t address =
		value_of(context, instruction->base) + (uint64_t)instruction->displacement;
	if (instruction->base == 16 && instruction->way != VKR_WAY_BASE)
		address += instruction->length;
	if (instruction->way != VKR_WAY_BASE)
		address += value_of(context, instruction->index) * instruction->scale;
	// pop counts from the stack pointer after what is popped.
	if (instruction->way == VKR_WAY_POP && instruction->base == 4)
		address += instruction->bytes;
	if (instruction->way == VKR_WAY_TRANSLATE)
		address = value_of(context, 3) + (value_of(context, 0) & 0xff);
	return address;
}

static bool host_instruction_chosen(const struct vkr_host_instruction *instruction,
				    const ucontext_t *context, unsigned lane)
{
	if (instruction->extent == VKR_BYTES_LANES || instruction->extent == VKR_BYTES_MASK ||
	    instruction->extent == VKR_BYTES_PACKED)
		return vkr_mask_read(context, instruction->mask) >> lane & 1;
	const unsigned sign = lane * instruction->element + instruction->element - 1u;
	return vkr_vector_read(context, instruction->mask, sign, 1) >> 7;
}

static unsigned access_lanes(const struct vkr_host_instruction *instruction,
			     const ucontext_t *context, uint64_t base,
			     const struct vkr_instruction_access *kind,
			     struct vkr_instruction_access *accesses)
{
	unsigned count = 0;
	for (unsigned lane = 0; lane < instruction->lanes; lane++) {
		if (!host_instruction_chosen(instruction, context, lane))
			continue;
		uint64_t index =
			vkr_vector_read(context, (unsigned)instruction->index,
					lane * instruction->index_bytes, instruction->index_bytes);
		if (instruction->index_bytes == 4)
			index = (uint64_t)(int64_t)(int32_t)(uint32_t)index;
		accesses[count] = *kind;
		accesses[count].address = base + index * instruction->scale;
		accesses[count++].bytes = instruction->element;
	}
	return count;
}

// Neighbouring elements are one access.
static unsigned access_chosen(const struct vkr_host_instruction *instruction,
			      const ucontext_t *context, uint64_t base,
			      const struct vkr_instruction_access *kind,
			      struct vkr_instruction_access *accesses)
{
	const bool packed = instruction->extent == VKR_BYTES_PACKED;
	const unsigned element = instruction->element ? instruction->element : 1;
	unsigned count = 0, elements = 0;
	uint64_t end = 0;
	for (unsigned lane = 0; lane < instruction->bytes / element; lane++) {
		if (!host_instruction_chosen(instruction, context, lane))
			continue;
		const uint64_t address = base + (packed ? elements++ : lane) * (uint64_t)element;
		if (!count || address != end) {
			accesses[count] = *kind;
			accesses[count].address = address;
			accesses[count++].bytes = 0;
		}
		accesses[count - 1].bytes += element;
		end = address + element;
	}
	return count;
}

// The bit's number counts from the operand on, in units of the operand (Intel SDM 2, BT).
static int64_t bit_offset(const struct vkr_host_instruction *instruction, const ucontext_t *context)
{
	int64_t number = (int64_t)value_of(context, instruction->bit);
	const int64_t bits = (int64_t)instruction->bytes * 8;
	if (instruction->bytes == 2)
		number = (int16_t)number;
	else if (instruction->bytes == 4)
		number = (int32_t)number;
	return (number >= 0 ? number / bits : -((bits - 1 - number) / bits)) *
	       (int64_t)instruction->bytes;
}

unsigned vkr_host_instruction_accesses(const struct vkr_host_instruction *instruction,
				       const ucontext_t *context,
				       struct vkr_instruction_access *accesses)
{
	const struct vkr_instruction_access kind = {
		.address = vkr_host_instruction_operand(instruction, context),
		.bytes = instruction->bytes,
		.read = instruction->read,
		.write = instruction->write,
		.locked = instruction->locked,
	};
	if (!kind.read && !kind.write)
		return 0;
	switch ((enum vkr_host_instruction_bytes)instruction->extent) {
	case VKR_BYTES_LANES:
	case VKR_BYTES_LANES_SIGN:
		return access_lanes(instruction, context, kind.address, &kind, accesses);
	case VKR_BYTES_MASK:
	case VKR_BYTES_PACKED:
	case VKR_BYTES_SIGNS:
		return access_chosen(instruction, context, kind.address, &kind, accesses);
	case VKR_BYTES_BIT:
		accesses[0] = kind;
		accesses[0].address += (uint64_t)bit_offset(instruction, context);
		return 1;
	case VKR_BYTES_STATE:
		accesses[0] = kind;
		accesses[0].bytes = vkr_state_bytes((value_of(context, 0) & UINT32_MAX) |
						    value_of(context, 2) << 32);
		return 1;
	case VKR_BYTES_ALL:
		break;
	}
	accesses[0] = kind;
	return 1;
}
