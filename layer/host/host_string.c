// SPDX-License-Identifier: Apache-2.0
#include "host_string.h"

#include <string.h>

#define PAGE UINT64_C(4096)

// Bits of RFLAGS.
#define CARRY     0x001u
#define PARITY    0x004u
#define ADJUST    0x010u
#define ZERO      0x040u
#define SIGN      0x080u
#define DIRECTION 0x400u
#define OVERFLOW  0x800u

enum { RAX = 0, RCX = 1, RSI = 6, RDI = 7 };

struct run {
	const struct vkr_host_instruction *instruction;
	ucontext_t *context;
	void *(*translate)(uint64_t address);
	uint64_t source, destination, left; // addresses of the next elements, repetitions left
	uint64_t element;
	bool down, reads_source, reads_destination, writes;
};

// The flags of a comparison (Intel SDM 2, CMP).
static unsigned compare_elements(uint64_t left, uint64_t right, uint64_t bytes)
{
	const unsigned top = (unsigned)bytes * 8 - 1;
	const uint64_t mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << bytes * 8) - 1;
	const uint64_t result = (left - right) & mask;
	unsigned flags = 0;
	flags |= left < right ? CARRY : 0;
	flags |= __builtin_parity((unsigned)(result & 0xff)) ? 0 : PARITY;
	flags |= (left ^ right ^ result) & 0x10 ? ADJUST : 0;
	flags |= result ? 0 : ZERO;
	flags |= result >> top & 1 ? SIGN : 0;
	flags |= ((left ^ right) & (left ^ result)) >> top & 1 ? OVERFLOW : 0;
	return flags;
}

static uint64_t load_element(const struct run *run, uint64_t address)
{
	uint64_t value = 0;
	unsigned char *to = (unsigned char *)&value;
	// An element may lie in two pages.
	for (uint64_t done = 0; done < run->element;) {
		uint64_t part = PAGE - (address + done) % PAGE;
		if (part > run->element - done)
			part = run->element - done;
		memcpy(to + done, run->translate(address + done), part);
		done += part;
	}
	return value;
}

static void store_element(const struct run *run, uint64_t address, uint64_t value)
{
	const unsigned char *from = (const unsigned char *)&value;
	for (uint64_t done = 0; done < run->element;) {
		uint64_t part = PAGE - (address + done) % PAGE;
		if (part > run->element - done)
			part = run->element - done;
		memcpy(run->translate(address + done), from + done, part);
		done += part;
	}
}

static void set_flags(struct run *run, unsigned flags)
{
	greg_t *at = &run->context->uc_mcontext.gregs[REG_EFL];
	*at = (*at & ~(greg_t)(CARRY | PARITY | ADJUST | ZERO | SIGN | OVERFLOW)) | (greg_t)flags;
}

static uint64_t host_string_accumulator(const struct run *run)
{
	const uint64_t value = (uint64_t)*vkr_context_register(run->context, RAX);
	return run->element == 8 ? value : value & ((UINT64_C(1) << run->element * 8) - 1);
}

static void set_accumulator(const struct run *run, uint64_t value)
{
	greg_t *at = vkr_context_register(run->context, RAX);
	// A 32-bit register clears what is above it.
	if (run->element >= 4)
		*at = (greg_t)value;
	else
		memcpy(at, &value, run->element);
}

// One element. False where a comparison ends the repetition.
static bool step_element(struct run *run)
{
	unsigned flags = 0;
	switch (run->instruction->mnemonic) {
	case 'm':
		store_element(run, run->destination, load_element(run, run->source));
		return true;
	case 's':
		store_element(run, run->destination, host_string_accumulator(run));
		return true;
	case 'l':
		set_accumulator(run, load_element(run, run->source));
		return true;
	case 'c':
		flags = compare_elements(load_element(run, run->source),
					 load_element(run, run->destination), run->element);
		break;
	default:
		flags = compare_elements(host_string_accumulator(run),
					 load_element(run, run->destination), run->element);
		break;
	}
	set_flags(run, flags);
	return !!(flags & ZERO) != run->instruction->repeat_not_equal;
}

static void host_string_advance(struct run *run, uint64_t bytes)
{
	const uint64_t by = run->down ? 0 - bytes : bytes;
	if (run->reads_source)
		run->source += by;
	if (run->reads_destination || run->writes)
		run->destination += by;
	run->left -= bytes / run->element;
}

static uint64_t host_string_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

// As many bytes forward as one memcpy or memset can do; 0: none.
static uint64_t host_string_bulk(struct run *run)
{
	const char kind = (char)run->instruction->mnemonic;
	uint64_t bytes =
		host_string_least(run->left * run->element, PAGE - run->destination % PAGE);
	if (run->down || (kind != 'm' && kind != 's'))
		return 0;
	if (kind == 's') {
		const uint64_t value = host_string_accumulator(run);
		if (run->element != 1)
			return 0;
		memset(run->translate(run->destination), (int)value, bytes);
		return bytes;
	}
	bytes = host_string_least(bytes, PAGE - run->source % PAGE);
	bytes -= bytes % run->element;
	// Bytes that an earlier step writes are read by a later one.
	if (run->destination - run->source < bytes)
		return 0;
	memmove(run->translate(run->destination), run->translate(run->source), bytes);
	return bytes;
}

static void host_string_repeat(struct run *run)
{
	while (run->left) {
		uint64_t bytes = host_string_bulk(run);
		bool on = true;
		if (!bytes) {
			on = step_element(run);
			bytes = run->element;
		}
		host_string_advance(run, bytes);
		if (!on)
			return;
	}
}

static void
host_string_report(const struct run *run, uint64_t first, uint64_t end, bool write, void *user,
		   void (*accessed)(void *user, uint64_t address, uint64_t bytes, bool write))
{
	if (first == end)
		return;
	if (run->down)
		accessed(user, end + run->element, first - end, write);
	else
		accessed(user, first, end - first, write);
}

void vkr_string_run(const struct vkr_host_instruction *instruction, ucontext_t *context,
		    void *(*translate)(uint64_t address),
		    void (*accessed)(void *user, uint64_t address, uint64_t bytes, bool write),
		    void *user)
{
	const char kind = (char)instruction->mnemonic;
	greg_t *source = vkr_context_register(context, RSI);
	greg_t *destination = vkr_context_register(context, RDI);
	greg_t *count = vkr_context_register(context, RCX);
	struct run run = {
		.instruction = instruction,
		.context = context,
		.translate = translate,
		.source = (uint64_t)*source,
		.destination = (uint64_t)*destination,
		.left = instruction->repeat ? (uint64_t)*count : 1,
		.element = instruction->bytes ? instruction->bytes : 1,
		.down = context->uc_mcontext.gregs[REG_EFL] & DIRECTION,
		.reads_source = kind == 'm' || kind == 'l' || kind == 'c',
		.reads_destination = kind == 'c' || kind == 'a',
		.writes = kind == 'm' || kind == 's',
	};
	host_string_repeat(&run);
	if (run.reads_source)
		host_string_report(&run, (uint64_t)*source, run.source, false, user, accessed);
	if (run.reads_destination || run.writes)
		host_string_report(&run, (uint64_t)*destination, run.destination, run.writes, user,
				   accessed);
	if (run.reads_source)
		*source = (greg_t)run.source;
	if (run.reads_destination || run.writes)
		*destination = (greg_t)run.destination;
	if (instruction->repeat)
		*count = (greg_t)run.left;
	*vkr_context_register(context, 16) += instruction->length;
}
