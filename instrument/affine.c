// SPDX-License-Identifier: Apache-2.0
#include "affine.h"

// A sum is split into at most this many terms: with more, offsets merely compare as different more
// often.
#define TERMS_MOST 16u
#define DEPTH_MOST 8u

struct spreading {
	const struct vkr_address_book *book;
	const struct vkr_values *values;
	struct vkr_sum *sum;
	bool *is_long; // more than TERMS_MOST terms
};

static void affine_add(const struct spreading *spreading, uint32_t id, uint32_t factor,
		       unsigned depth);

static void add_term(const struct spreading *spreading, uint32_t id, uint32_t factor)
{
	struct vkr_sum *sum = spreading->sum;
	for (uint32_t t = 0; t < sum->term_count; t++) {
		if (vkr_same_value(spreading->values, sum->terms[t].index, id)) {
			sum->terms[t].factor += factor;
			return;
		}
	}
	if (sum->term_count < TERMS_MOST)
		sum->terms[sum->term_count++] = (struct vkr_term){id, factor, 0};
	else
		*spreading->is_long = true;
}

// Bits of an integer type; 0: it is none.
static uint32_t width_of(const struct vkr_module *module, uint32_t type)
{
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	return def->opcode == SpvOpTypeInt ? vkr_module_word(module, def, 2) : 0;
}

// A product with a constant, or a shift by one.
static bool add_product(const struct spreading *spreading, const struct vkr_instruction *in,
			uint32_t factor, unsigned depth)
{
	const struct vkr_constants *constants = spreading->book->types->constants;
	const struct vkr_module *module = spreading->book->module;
	uint32_t a = vkr_module_word(module, in, 3), b = vkr_module_word(module, in, 4);
	uint64_t value;
	if (in->opcode == SpvOpShiftLeftLogical) {
		if (!vkr_constant_value(constants, b, &value) || value >= 32)
			return false;
		affine_add(spreading, a, factor << value, depth);
	} else if (vkr_constant_value(constants, b, &value)) {
		affine_add(spreading, a, factor * (uint32_t)value, depth);
	} else if (vkr_constant_value(constants, a, &value)) {
		affine_add(spreading, b, factor * (uint32_t)value, depth);
	} else {
		return false;
	}
	return true;
}

// The value of another one of at least 32 bits, of which the low 32 bits are the same.
static bool add_same(const struct spreading *spreading, uint32_t id, uint32_t factor,
		     unsigned depth)
{
	const struct vkr_module *module = spreading->book->module;
	if (width_of(module, vkr_module_definition(module, id)->type) < 32)
		return false;
	affine_add(spreading, id, factor, depth);
	return true;
}

// Adds id * factor modulo 2^32. Integers of less than 32 bits wrap earlier: they stay whole.
static void affine_add(const struct spreading *spreading, uint32_t id, uint32_t factor,
		       unsigned depth)
{
	const struct vkr_module *module = spreading->book->module;
	uint64_t value;
	id = vkr_value_source(spreading->values, id);
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	if (vkr_constant_value(spreading->book->types->constants, id, &value)) {
		spreading->sum->constant += (uint32_t)value * factor;
		return;
	}
	bool is_affine = false;
	if (depth < DEPTH_MOST && width_of(module, in->type) >= 32) {
		switch (in->opcode) {
		case SpvOpIAdd:
		case SpvOpISub:
			affine_add(spreading, vkr_module_word(module, in, 3), factor, depth + 1);
			affine_add(spreading, vkr_module_word(module, in, 4),
				   in->opcode == SpvOpIAdd ? factor : 0 - factor, depth + 1);
			is_affine = true;
			break;
		case SpvOpIMul:
		case SpvOpShiftLeftLogical:
			is_affine = add_product(spreading, in, factor, depth + 1);
			break;
		case SpvOpBitcast:
		case SpvOpUConvert:
		case SpvOpSConvert:
			is_affine = add_same(spreading, vkr_module_word(module, in, 3), factor,
					     depth + 1);
			break;
		default:
			break;
		}
	}
	if (!is_affine)
		add_term(spreading, id, factor);
}

bool vkr_sum_flatten(const struct vkr_address_book *book, const struct vkr_values *values,
		     const struct vkr_sum *sum, struct vkr_sum *affine)
{
	bool is_long = false;
	struct spreading spreading = {book, values, affine, &is_long};
	*affine = (struct vkr_sum){.constant = sum->constant};
	affine->terms = vkr_arena_alloc(book->arena, TERMS_MOST * sizeof *affine->terms);
	if (!affine->terms)
		return false;
	for (uint32_t t = 0; t < sum->term_count; t++)
		affine_add(&spreading, sum->terms[t].index, sum->terms[t].factor, 0);
	uint32_t kept = 0;
	for (uint32_t t = 0; t < affine->term_count; t++) {
		if (affine->terms[t].factor)
			affine->terms[kept++] = affine->terms[t];
	}
	affine->term_count = is_long ? VKR_SUM_LONG : kept;
	return true;
}

// A term of the sum that is not taken yet, of this value and factor: its bit; 0 for none.
static uint32_t find_term(const struct vkr_values *values, const struct vkr_sum *sum,
			  uint32_t taken, const struct vkr_term *term)
{
	for (uint32_t t = 0; t < sum->term_count; t++) {
		if (!(taken >> t & 1) && sum->terms[t].factor == term->factor &&
		    vkr_same_value(values, sum->terms[t].index, term->index))
			return 1u << t;
	}
	return 0;
}

bool vkr_sum_is_near(const struct vkr_values *values, const struct vkr_sum *a,
		     const struct vkr_sum *b)
{
	uint32_t taken = 0;
	if (a->term_count != b->term_count || a->term_count == VKR_SUM_LONG)
		return false;
	for (uint32_t t = 0; t < a->term_count; t++) {
		uint32_t found = find_term(values, b, taken, &a->terms[t]);
		if (!found)
			return false;
		taken |= found;
	}
	return true;
}
