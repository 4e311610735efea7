// SPDX-License-Identifier: Apache-2.0
#include "host_vector.h"

#include <cpuid.h>
#include <string.h>
#include <sys/mman.h>

// State components, as bits of XSTATE_BV.
#define SSE        1u
#define AVX        2u
#define MASKS      5u
#define ZMM_HIGH   6u
#define ZMM_HIGH16 7u

#define LEGACY_BYTES 512u
#define HEADER_BYTES 64u
#define XMM_OFFSET   160u

static unsigned component_offset(unsigned component, unsigned *bytes)
{
	static _Atomic uint64_t known[64]; // offset << 32 | bytes; 0 not asked yet
	uint64_t value = known[component];
	if (!value) {
		unsigned a = 0, b = 0, c = 0, d = 0;
		__cpuid_count(0xd, component, a, b, c, d);
		value = (uint64_t)b << 32 | a;
		known[component] = value;
	}
	if (bytes)
		*bytes = (unsigned)value;
	return (unsigned)(value >> 32);
}

static uint64_t host_vector_states(const unsigned char *area)
{
	uint64_t bits;
	memcpy(&bits, area + LEGACY_BYTES, sizeof bits);
	return bits;
}

static uint64_t read_at(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;
	memcpy(&value, at, bytes);
	return value;
}

uint64_t vkr_vector_read(const ucontext_t *context, unsigned number, unsigned offset,
			 unsigned bytes)
{
	const unsigned char *area = (const unsigned char *)context->uc_mcontext.fpregs;
	unsigned component = SSE, at = XMM_OFFSET + number * 16 + offset;
	if (number >= 16) {
		component = ZMM_HIGH16;
		at = component_offset(component, NULL) + (number - 16) * 64 + offset;
	} else if (offset >= 32) {
		component = ZMM_HIGH;
		at = component_offset(component, NULL) + number * 32 + offset - 32;
	} else if (offset >= 16) {
		component = AVX;
		at = component_offset(component, NULL) + number * 16 + offset - 16;
	}
	if (!area || (component != SSE && !(host_vector_states(area) >> component & 1)))
		return 0;
	return read_at(area + at, bytes);
}

uint64_t vkr_mask_read(const ucontext_t *context, unsigned number)
{
	const unsigned char *area = (const unsigned char *)context->uc_mcontext.fpregs;
	if (!area || !(host_vector_states(area) >> MASKS & 1))
		return 0;
	return read_at(area + component_offset(MASKS, NULL) + (size_t)number * 8, 8);
}

uint64_t vkr_state_bytes(uint64_t wanted)
{
	uint64_t end = LEGACY_BYTES + HEADER_BYTES;
	for (unsigned component = AVX; component < 63; component++) {
		unsigned bytes = 0;
		if (!(wanted >> component & 1))
			continue;
		unsigned offset = component_offset(component, &bytes);
		if (offset + (uint64_t)bytes > end)
			end = offset + (uint64_t)bytes;
	}
	return end;
}

// The kernel writes the size of the whole area into bytes that the hardware leaves alone (Linux,
// arch/x86/include/uapi/asm/sigcontext.h).
#define SOFTWARE_OFFSET 464u
#define EXTENDED_MAGIC  0x46505853u

static uint64_t area_bytes(const unsigned char *area)
{
	uint32_t words[2];
	memcpy(words, area + SOFTWARE_OFFSET, sizeof words);
	return words[0] == EXTENDED_MAGIC ? words[1] : LEGACY_BYTES;
}

bool vkr_vectors_make_way(ucontext_t *context, uint64_t from, uint64_t bytes)
{
	static _Thread_local struct {
		void *map;
		uint64_t bytes;
	} room __attribute__((tls_model("initial-exec")));
	unsigned char *area = (unsigned char *)context->uc_mcontext.fpregs;
	const uint64_t start = (uint64_t)(uintptr_t)area;
	const uint64_t size = area ? area_bytes(area) : 0;
	if (from + bytes <= start || start + size <= from)
		return true;
	if (room.bytes < size) {
		void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
		if (map == MAP_FAILED)
			return false;
		room.map = map;
		room.bytes = size;
	}
	memcpy(room.map, area, size);
	context->uc_mcontext.fpregs = room.map;
	return true;
}
