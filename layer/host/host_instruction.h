// SPDX-License-Identifier: Apache-2.0
// One machine instruction that accesses memory: which bytes, how, and a copy of it that accesses
// the same bytes at another address. Knows x86-64; not what is watched, nor who asks.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

// How an instruction can be run on another mapping of its memory.
enum vkr_host_instruction_way {
	VKR_WAY_NONE,   // not at all
	VKR_WAY_COPY,   // a copy whose memory operand is the scratch register alone
	VKR_WAY_BASE,   // a copy whose base is the scratch register: gather, scatter
	VKR_WAY_RDI,    // the instruction itself with RDI moved: maskmovdqu
	VKR_WAY_STRING, // in C: movs, stos, lods, cmps, scas
	VKR_WAY_PUSH,   // in C, as are the next ones
	VKR_WAY_POP,
	VKR_WAY_CALL,
	VKR_WAY_JUMP,
	VKR_WAY_TRANSLATE, // xlat
};

enum vkr_host_instruction_bytes {
	VKR_BYTES_ALL,        // of the operand
	VKR_BYTES_BIT,        // bt, bts, btr, btc with the bit in a register
	VKR_BYTES_MASK,       // elements whose bit is set in mask register `mask`
	VKR_BYTES_PACKED,     // the same, but stored one after the other: compress, expand
	VKR_BYTES_SIGNS,      // elements whose sign bit is set in vector register `mask`
	VKR_BYTES_LANES,      // gather, scatter: a place for each element, chosen by mask register
	VKR_BYTES_LANES_SIGN, // the same, chosen by signs
	VKR_BYTES_STATE,      // xsave, xrstor
};

// What is known of an instruction at an address. Immutable once made.
struct vkr_host_instruction {
	struct vkr_host_instruction *next; // of the same slot
	uint64_t address;
	unsigned char code[15];
	uint8_t length;
	uint8_t way;        // enum vkr_host_instruction_way
	uint8_t extent;     // enum vkr_host_instruction_bytes
	bool read, write;   // of the memory operand
	bool locked;        // one atomic operation
	int8_t base, index; // general registers; -1: none. base 16: RIP
	uint8_t scale;
	int64_t displacement;
	uint64_t bytes;      // of the operand
	uint8_t element;     // bytes of an element
	uint8_t mask;        // register that chooses elements
	uint8_t lanes;       // of gather and scatter
	uint8_t index_bytes; // of an element of the vector of indices
	uint8_t bit;         // general register with the bit's number
	int8_t scratch;      // register that the copy uses
	uint8_t mnemonic;    // of a string instruction: its letter, m s l c or a
	bool repeat, repeat_not_equal;
	const void *copy; // where execution continues; it ends after the instruction
};

// Bytes accessed at an address of the program's.
struct vkr_instruction_access {
	uint64_t address, bytes;
	bool read, write, locked;
};

// How far the fault handler moves the stack pointer down: beyond the red zone, with the scratch
// register's value at its top (System V ABI, 3.2.2).
#define VKR_COPY_STACK 136

// More elements than an instruction has.
#define VKR_INSTRUCTION_ACCESSES_MOST 64u

// The instruction at this address; NULL for lack of memory. Allocates nothing from malloc and
// takes no lock but against others in this function.
const struct vkr_host_instruction *vkr_host_instruction_at(uint64_t address);

// The accesses that it is about to make with these registers: at most
// VKR_INSTRUCTION_ACCESSES_MOST, none for clflush, for example. Not for string instructions.
unsigned vkr_host_instruction_accesses(const struct vkr_host_instruction *instruction,
				       const ucontext_t *context,
				       struct vkr_instruction_access *accesses);

// The address that the copy's scratch register stands for.
uint64_t vkr_host_instruction_operand(const struct vkr_host_instruction *instruction,
				      const ucontext_t *context);

// The value of general register `number` (RAX 0, in the order of their encoding).
greg_t *vkr_context_register(ucontext_t *context, int number);
