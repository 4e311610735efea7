// SPDX-License-Identifier: Apache-2.0
#include "host_decode.h"

#include <string.h>

// Of a general register of any width; -1 for any other.
static int general_number(ZydisRegister reg)
{
	ZydisRegister wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	if (wide == ZYDIS_REGISTER_RIP)
		return 16;
	return wide >= ZYDIS_REGISTER_RAX && wide <= ZYDIS_REGISTER_R15
		       ? (int)(wide - ZYDIS_REGISTER_RAX)
		       : -1;
}

// The operand that is memory chosen by the program; the stack that push and call use is not one.
static int memory_operand(const struct vkr_decoded *decoded)
{
	for (int i = 0; i < decoded->in.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    operand->mem.base == ZYDIS_REGISTER_RSP)
			continue;
		return i;
	}
	return -1;
}

static const ZydisDecodedOperand *host_decode_chooser(const struct vkr_decoded *decoded)
{
	for (int i = 0; i < decoded->in.operand_count; i++)
		if (decoded->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    decoded->operands[i].encoding == ZYDIS_OPERAND_ENCODING_NDSNDD)
			return &decoded->operands[i];
	return NULL;
}

static bool has_opmask(const struct vkr_decoded *decoded)
{
	ZydisRegister reg = decoded->in.avx.mask.reg;
	return decoded->in.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && reg > ZYDIS_REGISTER_K0 &&
	       reg <= ZYDIS_REGISTER_K7;
}

// "vpgatherdq": indices of 4 bytes, elements of 8.
static void decode_lanes(const struct vkr_decoded *decoded, const char *letters,
			 struct vkr_host_instruction *instruction)
{
	const ZydisDecodedOperand *memory = &decoded->operands[decoded->memory];
	const ZydisDecodedOperand *signs = host_decode_chooser(decoded);
	unsigned element = strcmp(letters + 1, "q") == 0 || strcmp(letters + 1, "pd") == 0 ? 8 : 4;
	unsigned index = letters[0] == 'q' ? 8 : 4;
	instruction->way = VKR_WAY_BASE;
	instruction->element = (uint8_t)element;
	instruction->index_bytes = (uint8_t)index;
	instruction->lanes =
		(uint8_t)(decoded->in.avx.vector_length / 8 / (element > index ? element : index));
	instruction->index = (int8_t)ZydisRegisterGetId(memory->mem.index);
	if (has_opmask(decoded)) {
		instruction->extent = VKR_BYTES_LANES;
		instruction->mask = (uint8_t)(decoded->in.avx.mask.reg - ZYDIS_REGISTER_K0);
	} else if (signs) {
		instruction->extent = VKR_BYTES_LANES_SIGN;
		instruction->mask = (uint8_t)ZydisRegisterGetId(signs->reg.value);
	} else {
		instruction->way = VKR_WAY_NONE;
	}
}

static void decode_opmask(const struct vkr_decoded *decoded, const char *name,
			  struct vkr_host_instruction *instruction)
{
	bool packed = strstr(name, "compress") || strstr(name, "expand");
	// Elsewhere the mask chooses among what is computed, not among what is loaded.
	if (!packed && strncmp(name, "vmov", 4) != 0 && strncmp(name, "vpmov", 5) != 0)
		return;
	instruction->extent = packed ? VKR_BYTES_PACKED : VKR_BYTES_MASK;
	instruction->mask = (uint8_t)(decoded->in.avx.mask.reg - ZYDIS_REGISTER_K0);
}

static void decode_signs(const struct vkr_decoded *decoded,
			 struct vkr_host_instruction *instruction, unsigned element)
{
	const ZydisDecodedOperand *signs = host_decode_chooser(decoded);
	if (!signs) {
		instruction->way = VKR_WAY_NONE;
		return;
	}
	instruction->extent = VKR_BYTES_SIGNS;
	instruction->element = (uint8_t)element;
	instruction->mask = (uint8_t)ZydisRegisterGetId(signs->reg.value);
}

static void decode_string(const struct vkr_decoded *decoded, const char *name,
			  struct vkr_host_instruction *instruction)
{
	const ZydisInstructionAttributes attributes = decoded->in.attributes;
	instruction->way = VKR_WAY_STRING;
	instruction->mnemonic = (uint8_t)name[0];
	if (strncmp(name, "scas", 4) == 0)
		instruction->mnemonic = 'a';
	instruction->repeat_not_equal = attributes & ZYDIS_ATTRIB_HAS_REPNE;
	instruction->repeat = (attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE)) ||
			      instruction->repeat_not_equal;
	if (strncmp(name, "ins", 3) == 0 || strncmp(name, "outs", 4) == 0 ||
	    decoded->in.address_width != 64)
		instruction->way = VKR_WAY_NONE;
}

// maskmovdqu xmm1, xmm2: bytes of xmm1 whose sign is set in xmm2, at RDI.
static void decode_mask_move(const struct vkr_decoded *decoded,
			     struct vkr_host_instruction *instruction)
{
	const ZydisDecodedOperand *signs = NULL;
	for (int i = 0; i < decoded->in.operand_count; i++)
		if (decoded->operands[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM &&
		    decoded->operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER)
			signs = &decoded->operands[i];
	if (!signs || ZydisRegisterGetClass(signs->reg.value) != ZYDIS_REGCLASS_XMM)
		return;
	instruction->way = VKR_WAY_RDI;
	instruction->scratch = 7;
	instruction->extent = VKR_BYTES_SIGNS;
	instruction->element = 1;
	instruction->bytes = 16;
	instruction->mask = (uint8_t)ZydisRegisterGetId(signs->reg.value);
	instruction->base = 7;
	instruction->write = true;
	instruction->read = false;
}

static bool only_a_hint(const char *name)
{
	return strncmp(name, "clflush", 7) == 0 || strncmp(name, "clwb", 4) == 0 ||
	       strncmp(name, "cldemote", 8) == 0 || strncmp(name, "prefetch", 8) == 0 ||
	       strcmp(name, "nop") == 0;
}

static void decode_bit(const struct vkr_decoded *decoded, struct vkr_host_instruction *instruction)
{
	const ZydisDecodedOperand *bit = &decoded->operands[1];
	if (bit->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return;
	instruction->extent = VKR_BYTES_BIT;
	instruction->bit = (uint8_t)general_number(bit->reg.value);
}

// Which bytes of its header xsave reads does not matter. Only the compacted forms themselves know
// where their components lie, so only the legacy part and the header are certain.
static void decode_state(const char *name, struct vkr_host_instruction *instruction)
{
	const bool compacted = strncmp(name, "xsavec", 6) == 0 || strncmp(name, "xsaves", 6) == 0 ||
			       strncmp(name, "xrstor", 6) == 0;
	instruction->write = name[1] == 's';
	instruction->read = !instruction->write;
	instruction->bytes = 576;
	if (!compacted)
		instruction->extent = VKR_BYTES_STATE;
}

// Sets what depends on the mnemonic.
static void decode_mnemonic(const struct vkr_decoded *decoded,
			    struct vkr_host_instruction *instruction)
{
	const char *name = ZydisMnemonicGetString(decoded->in.mnemonic);
	const char *lanes = strstr(name, "gather");
	if (lanes)
		decode_lanes(decoded, lanes + 6, instruction);
	else if ((lanes = strstr(name, "scatter")))
		decode_lanes(decoded, lanes + 7, instruction);
	else if (strstr(name, "maskmovp") || strncmp(name, "vpmaskmov", 9) == 0)
		decode_signs(decoded, instruction,
			     name[strlen(name) - 1] == 'd' && name[1] == 'm' ? 8
			     : name[strlen(name) - 1] == 'q'                 ? 8
									     : 4);
	else if (strcmp(name, "maskmovdqu") == 0 || strcmp(name, "vmaskmovdqu") == 0)
		decode_mask_move(decoded, instruction);
	else if (decoded->in.meta.category == ZYDIS_CATEGORY_STRINGOP)
		decode_string(decoded, name, instruction);
	else if (strcmp(name, "bt") == 0 || strcmp(name, "bts") == 0 || strcmp(name, "btr") == 0 ||
		 strcmp(name, "btc") == 0)
		decode_bit(decoded, instruction);
	else if (strcmp(name, "push") == 0)
		instruction->way = VKR_WAY_PUSH;
	else if (strcmp(name, "pop") == 0)
		instruction->way = VKR_WAY_POP;
	else if (strcmp(name, "call") == 0)
		instruction->way = VKR_WAY_CALL;
	else if (strcmp(name, "jmp") == 0)
		instruction->way = VKR_WAY_JUMP;
	else if (strcmp(name, "xlat") == 0)
		instruction->way = VKR_WAY_TRANSLATE;
	else if (strncmp(name, "xsave", 5) == 0 || strncmp(name, "xrstor", 6) == 0)
		decode_state(name, instruction);
	else if (only_a_hint(name))
		instruction->read = instruction->write = false;
	else if (has_opmask(decoded) &&
		 decoded->in.avx.broadcast.mode == ZYDIS_BROADCAST_MODE_INVALID)
		decode_opmask(decoded, name, instruction);
}

static void decode_memory(const struct vkr_decoded *decoded,
			  struct vkr_host_instruction *instruction)
{
	const ZydisDecodedOperand *memory = &decoded->operands[decoded->memory];
	instruction->base = (int8_t)general_number(memory->mem.base);
	instruction->index = (int8_t)general_number(memory->mem.index);
	instruction->scale = memory->mem.scale;
	instruction->displacement = memory->mem.disp.has_displacement ? memory->mem.disp.value : 0;
	instruction->bytes = memory->size / 8;
	instruction->element = (uint8_t)(memory->element_size / 8);
	instruction->read = memory->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	instruction->write = memory->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	// xchg with memory locks by itself (Intel SDM 3A, 9.1.2.1).
	instruction->locked = (decoded->in.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
			      decoded->in.mnemonic == ZYDIS_MNEMONIC_XCHG;
}

static bool host_decode_uses(const struct vkr_decoded *decoded, int number)
{
	for (int i = 0; i < decoded->in.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    general_number(operand->reg.value) == number)
			return true;
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY && i != decoded->memory &&
		    (general_number(operand->mem.base) == number ||
		     general_number(operand->mem.index) == number))
			return true;
	}
	return false;
}

// A register that needs no prefix and stands in no other operand. RSP and RBP have no such form.
static int find_scratch(const struct vkr_decoded *decoded)
{
	static const int free_ones[] = {0, 1, 2, 3, 6, 7};
	for (unsigned i = 0; i < sizeof free_ones / sizeof *free_ones; i++)
		if (!host_decode_uses(decoded, free_ones[i]))
			return free_ones[i];
	return -1;
}

void vkr_decode(uint64_t address, struct vkr_decoded *decoded,
		struct vkr_host_instruction *instruction)
{
	ZydisDecoder decoder;
	instruction->way = VKR_WAY_NONE;
	instruction->base = instruction->index = -1;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, (const void *)(uintptr_t)address,
						 ZYDIS_MAX_INSTRUCTION_LENGTH, &decoded->in,
						 decoded->operands)))
		return;
	instruction->length = decoded->in.length;
	decoded->memory = memory_operand(decoded);
	if (decoded->memory < 0)
		return;
	const ZydisRegister segment = decoded->operands[decoded->memory].mem.segment;
	if (segment == ZYDIS_REGISTER_FS || segment == ZYDIS_REGISTER_GS ||
	    decoded->in.address_width != 64)
		return;
	instruction->way = VKR_WAY_COPY;
	decode_memory(decoded, instruction);
	decode_mnemonic(decoded, instruction);
	if (instruction->way == VKR_WAY_COPY || instruction->way == VKR_WAY_BASE) {
		instruction->scratch = (int8_t)find_scratch(decoded);
		if (instruction->scratch < 0 || host_decode_uses(decoded, 4))
			instruction->way = VKR_WAY_NONE;
	}
}
