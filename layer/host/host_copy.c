// SPDX-License-Identifier: Apache-2.0
// Writing an instruction again with another memory operand (Intel SDM 2, chapter 2: instruction
// format). Knows encodings; not what the instruction does.
#include "host_decode.h"

#include <string.h>

// Index and base extension bits: as they are in REX, inverted in VEX and EVEX.
static bool clear_extensions(const struct vkr_decoded *decoded, unsigned char *code,
			     bool keep_index)
{
	const ZydisDecodedInstruction *in = &decoded->in;
	switch (in->encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		for (unsigned i = 0; i < in->raw.prefix_count; i++)
			if (in->raw.prefixes[i].value >> 4 == 4)
				code[i] &= (unsigned char)~(keep_index ? 1u : 3u);
		return true;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
		if (in->raw.vex.size == 3)
			code[in->raw.vex.offset + 1] |= keep_index ? 0x20 : 0x60;
		return true;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		code[in->raw.evex.offset + 1] |= keep_index ? 0x20 : 0x60;
		return true;
	default:
		return false;
	}
}

// Length of the changed instruction; 0 where it cannot be changed.
static size_t change_operand(const struct vkr_decoded *decoded,
			     const struct vkr_host_instruction *instruction, unsigned char *out)
{
	const ZydisDecodedInstruction *in = &decoded->in;
	const unsigned scratch = (unsigned)instruction->scratch;
	const bool base_only = instruction->way == VKR_WAY_BASE;
	const size_t modrm = in->raw.modrm.offset;
	memcpy(out, instruction->code, in->length);
	if (instruction->way == VKR_WAY_RDI)
		return in->length;
	if (!(in->attributes & ZYDIS_ATTRIB_HAS_MODRM) || in->raw.modrm.mod == 3 ||
	    !clear_extensions(decoded, out, base_only))
		return 0;
	if (base_only) {
		const size_t sib = in->raw.sib.offset;
		if (!(in->attributes & ZYDIS_ATTRIB_HAS_SIB) || instruction->base < 0)
			return 0;
		out[sib] = (unsigned char)((out[sib] & 0xf8) | scratch);
		return in->length;
	}
	size_t rest = modrm + 1;
	if (in->attributes & ZYDIS_ATTRIB_HAS_SIB)
		rest++;
	rest += in->raw.disp.size / 8;
	out[modrm] = (unsigned char)((unsigned)in->raw.modrm.reg << 3 | scratch);
	memcpy(out + modrm + 1, instruction->code + rest, in->length - rest);
	return modrm + 1 + in->length - rest;
}

bool vkr_copy_write(const struct vkr_decoded *decoded,
		    const struct vkr_host_instruction *instruction, unsigned char *out)
{
	// lea rsp, [rsp + VKR_COPY_STACK]; jmp [rip]: no flag changes.
	static const unsigned char end[] = {
		0x48, 0x8d, 0xa4, 0x24, VKR_COPY_STACK, 0, 0, 0, 0xff, 0x25, 0, 0, 0, 0};
	size_t at = change_operand(decoded, instruction, out);
	if (!at)
		return false;
	// mov scratch, [rsp]
	out[at++] = 0x48;
	out[at++] = 0x8b;
	out[at++] = (unsigned char)(instruction->scratch << 3 | 4);
	out[at++] = 0x24;
	memcpy(out + at, end, sizeof end);
	at += sizeof end;
	const uint64_t next = instruction->address + instruction->length;
	memcpy(out + at, &next, sizeof next);
	return true;
}
