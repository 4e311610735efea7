// SPDX-License-Identifier: Apache-2.0
#include "log_texel_marks.h"

#include "log_build.h"

#include <string.h>

#define CELL_TEXEL_MARKS VKR_WORD_OF(vkr_gpu_cell, texel_marks)

// Samples nearer than this to the middle of a texel, or to its edge, may be any implementation's
// own (DOUBT in texel_footprint.c); floats are not to be trusted so far on both sides.
#define DOUBT (1.0f / 16)
#define GUARD (1.0f / 128)
// Nearer to the middle than this, a sample hits the texel: what floats make of it is no nearer, and
// what is beside it has no weight in eight bits of precision.
#define HIT (1.0f / 1024)

// Of images that are larger, floats would not tell texels apart well enough.
#define SIZE_MOST 16384.0f

// A sample's place along one axis: ids.
struct axis {
	uint32_t at, beside; // texels
	uint32_t is_hit;     // there is none beside
	uint32_t is_inside;  // both are texels of the image
	uint32_t is_certain; // every filter reads the first
	uint32_t is_middle;  // a gather may read the one on its other side
};

struct sample {
	const uint32_t *operands;
	struct axis x, y;
	uint32_t layer, is_layer;
};

static uint32_t float_type(struct vkr_log_code *code)
{
	return vkr_maker_type(code->maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
}

static uint32_t float_constant(struct vkr_log_code *code, float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return vkr_maker_integer(code->maker, float_type(code), bits);
}

static uint32_t log_texel_marks_compare(struct vkr_log_code *code, SpvOp opcode, uint32_t a,
					uint32_t b)
{
	return vkr_build_binary(code, opcode, code->types.bool_type, a, b);
}

static uint32_t log_texel_marks_both(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return log_texel_marks_compare(code, SpvOpLogicalAnd, a, b);
}

static uint32_t log_texel_marks_either(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return log_texel_marks_compare(code, SpvOpLogicalOr, a, b);
}

static uint32_t log_texel_marks_negation(struct vkr_log_code *code, uint32_t a)
{
	return vkr_build_unary(code, SpvOpLogicalNot, code->types.bool_type, a);
}

static uint32_t log_texel_marks_add(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_binary(code, SpvOpIAdd, code->maker->uint_type, a, b);
}

static uint32_t log_texel_marks_multiply(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_binary(code, SpvOpIMul, code->maker->uint_type, a, b);
}

static uint32_t float_of(struct vkr_log_code *code, uint32_t value)
{
	return vkr_build_unary(code, SpvOpConvertUToF, float_type(code), value);
}

static uint32_t as_float(struct vkr_log_code *code, uint32_t word)
{
	return vkr_build_unary(code, SpvOpBitcast, float_type(code), word);
}

// value < constant; a value that is no number is not.
static uint32_t is_below(struct vkr_log_code *code, uint32_t value, float constant)
{
	return log_texel_marks_compare(code, SpvOpFOrdLessThan, value,
				       float_constant(code, constant));
}

static uint32_t is_within(struct vkr_log_code *code, uint32_t value, float least, float most)
{
	return log_texel_marks_both(code,
				    log_texel_marks_compare(code, SpvOpFOrdGreaterThanEqual, value,
							    float_constant(code, least)),
				    is_below(code, value, most));
}

// ---- Where the marks are ------------------------------------------------------------------------

void vkr_log_texels_init(struct vkr_log_code *code)
{
	const uint32_t u = code->maker->uint_type;
	code->shared_reads.texels.count =
		vkr_maker_variable(code->maker, SpvStorageClassPrivate, u, 0);
	code->shared_reads.needed = vkr_maker_variable(code->maker, SpvStorageClassPrivate, u, 0);
}

void vkr_log_texels_nowhere(struct vkr_log_code *code)
{
	vkr_build_store(code, code->shared_reads.texels.count, vkr_build_number(code, 0));
}

void vkr_log_texels_begin(struct vkr_log_code *code, uint32_t cell, uint32_t is_some)
{
	const uint32_t u = code->maker->uint_type, zero = vkr_build_number(code, 0);
	const uint32_t sites = code->analysis->texel_sites;
	const uint32_t words = vkr_build_load_word(code, cell, CELL_TEXEL_MARKS);
	const uint32_t of_each = vkr_build_number(code, VKR_TEXEL_MARK_WORDS * sites);
	vkr_build_store(code, code->shared_reads.texels.count,
			vkr_build_select(code, u, is_some,
					 vkr_build_binary(code, SpvOpUDiv, u, words, of_each),
					 zero));
}

// A pointer to the mark at this word.
static uint32_t mark_at(struct vkr_log_code *code, uint32_t word)
{
	const uint32_t first = vkr_build_load(code, code->maker->uint_type, code->capacity);
	return vkr_build_log_at(code, log_texel_marks_add(code, first, word));
}

static uint32_t load_generation(struct vkr_log_code *code)
{
	return vkr_build_load(code, code->maker->uint_type, code->shared_reads.generation);
}

static uint32_t is_marked(struct vkr_log_code *code, uint32_t word)
{
	const uint32_t seen = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->maker->uint_type, seen, mark_at(code, word),
		SpvMemoryAccessAlignedMask, 4);
	return log_texel_marks_compare(code, SpvOpIEqual, seen, load_generation(code));
}

// Several invocations may do so at once, and all of them log: marks only spare records.
static void mark_if(struct vkr_log_code *code, uint32_t condition, uint32_t word)
{
	const uint32_t merge = vkr_build_open_if(code, condition);
	VKR_PUT(&code->functions, SpvOpAtomicStore, mark_at(code, word), vkr_build_log_scope(code),
		vkr_build_number(code, SpvMemorySemanticsMaskNone), load_generation(code));
	vkr_build_close_if(code, merge);
}

// The word of a texel's mark.
static uint32_t texel_word(struct vkr_log_code *code, const uint32_t *operands, uint32_t row,
			   uint32_t x)
{
	const uint32_t sites =
		vkr_build_number(code, VKR_TEXEL_MARK_WORDS * code->analysis->texel_sites);
	const uint32_t texel = log_texel_marks_add(
		code, log_texel_marks_multiply(code, row, operands[VKR_OPERAND_WIDTH]), x);
	return log_texel_marks_add(code, log_texel_marks_multiply(code, texel, sites),
				   operands[VKR_OPERAND_SITE]);
}

static uint32_t row_of(struct vkr_log_code *code, const uint32_t *operands, uint32_t layer,
		       uint32_t y)
{
	return log_texel_marks_add(
		code, log_texel_marks_multiply(code, layer, operands[VKR_OPERAND_HEIGHT]), y);
}

// Whether all texels of the rows up to the one after this have marks: whatever a product of
// integers would be.
static uint32_t has_marks(struct vkr_log_code *code, const uint32_t *operands, uint32_t row)
{
	const uint32_t type = float_type(code);
	const uint32_t rows = vkr_build_binary(code, SpvOpFAdd, type, float_of(code, row),
					       float_constant(code, 3));
	const uint32_t texels = vkr_build_binary(code, SpvOpFMul, type, rows,
						 float_of(code, operands[VKR_OPERAND_WIDTH]));
	const uint32_t count =
		vkr_build_load(code, code->maker->uint_type, code->shared_reads.texels.count);
	return log_texel_marks_both(
		code,
		log_texel_marks_compare(code, SpvOpFOrdLessThan, texels, float_of(code, count)),
		log_texel_marks_compare(code, SpvOpINotEqual, load_generation(code),
					vkr_build_number(code, 0)));
}

// ---- Functions ----------------------------------------------------------------------------------

// Opens the function, and in it `if (the invocation logs) {`; returns its merge label.
static uint32_t open_function(struct vkr_log_code *code, uint32_t id, uint32_t *operands,
			      uint32_t count)
{
	vkr_build_open_function(code, id, count);
	for (uint32_t i = 0; i < count; i++) {
		operands[i] = vkr_maker_id(code->maker);
		VKR_PUT(&code->functions, SpvOpFunctionParameter, code->maker->uint_type,
			operands[i]);
	}
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	return vkr_build_open_if(code, vkr_build_alive(code));
}

// Opens `if (has_marks) {`, without which the record is needed. `*before`: whether it was already.
static uint32_t open_marks(struct vkr_log_code *code, uint32_t has_marks, uint32_t *before)
{
	*before = vkr_build_load(code, code->maker->uint_type, code->shared_reads.needed);
	vkr_build_store(code, code->shared_reads.needed, vkr_build_number(code, 1));
	return vkr_build_open_if(code, has_marks);
}

// The record is not needed because of this, if the condition is met.
static void spare_if(struct vkr_log_code *code, uint32_t condition, uint32_t before)
{
	vkr_build_store(code, code->shared_reads.needed,
			vkr_build_select(code, code->maker->uint_type, condition, before,
					 vkr_build_number(code, 1)));
}

static struct axis find_axis(struct vkr_log_code *code, uint32_t coordinate, uint32_t size)
{
	const uint32_t u = code->maker->uint_type, type = float_type(code);
	const uint32_t scaled = vkr_build_binary(code, SpvOpFMul, type, as_float(code, coordinate),
						 float_of(code, size));
	const uint32_t is_number = is_within(code, scaled, 0, SIZE_MOST);
	const uint32_t place =
		vkr_build_select(code, type, is_number, scaled, float_constant(code, 0));
	const uint32_t whole = vkr_build_unary(code, SpvOpConvertFToU, u, place);
	const uint32_t rest = vkr_build_binary(code, SpvOpFSub, type, place, float_of(code, whole));
	const uint32_t from_middle =
		vkr_build_binary(code, SpvOpFSub, type, rest, float_constant(code, 0.5f));
	const uint32_t is_low = is_below(code, from_middle, 0);
	// Without a sign: the module may not import GLSL.std.450.
	const uint32_t far = vkr_build_select(
		code, type, is_low, vkr_build_unary(code, SpvOpFNegate, type, from_middle),
		from_middle);
	struct axis axis = {.at = whole};
	axis.is_hit = is_below(code, far, HIT);
	const uint32_t step = vkr_build_select(code, u, is_low, vkr_build_number(code, UINT32_MAX),
					       vkr_build_number(code, 1));
	axis.beside = log_texel_marks_add(
		code, axis.at,
		vkr_build_select(code, u, axis.is_hit, vkr_build_number(code, 0), step));
	axis.is_inside = log_texel_marks_both(
		code, is_number,
		log_texel_marks_both(
			code, log_texel_marks_compare(code, SpvOpULessThan, axis.at, size),
			log_texel_marks_compare(code, SpvOpULessThan, axis.beside, size)));
	axis.is_certain = is_below(code, far, 0.5f - DOUBT - GUARD);
	axis.is_middle = is_below(code, far, DOUBT + GUARD);
	return axis;
}

static struct sample find_sample(struct vkr_log_code *code, const uint32_t *operands)
{
	const uint32_t u = code->maker->uint_type, type = float_type(code);
	struct sample sample = {
		.operands = operands,
		.x = find_axis(code, operands[VKR_OPERAND_X], operands[VKR_OPERAND_WIDTH]),
		.y = find_axis(code, operands[VKR_OPERAND_Y], operands[VKR_OPERAND_HEIGHT]),
	};
	// "(u,v,w,a) to (i,j,k,l,n) Transformation": halves may be rounded up or to even.
	const uint32_t layer = as_float(code, operands[VKR_OPERAND_LAYER]);
	const uint32_t is_number = is_within(code, layer, 0, SIZE_MOST);
	const uint32_t place = vkr_build_binary(
		code, SpvOpFAdd, type,
		vkr_build_select(code, type, is_number, layer, float_constant(code, 0)),
		float_constant(code, 0.5f));
	sample.layer = vkr_build_unary(code, SpvOpConvertFToU, u, place);
	const uint32_t rest =
		vkr_build_binary(code, SpvOpFSub, type, place, float_of(code, sample.layer));
	sample.is_layer = log_texel_marks_both(
		code,
		log_texel_marks_both(code, is_number, is_within(code, rest, GUARD, 1 - GUARD)),
		log_texel_marks_compare(code, SpvOpULessThan, sample.layer,
					operands[VKR_OPERAND_LAYERS]));
	return sample;
}

// One level, that the sample's level is sure to be: it is any number.
static uint32_t has_one_level(struct vkr_log_code *code, const uint32_t *operands)
{
	const uint32_t bits =
		vkr_build_binary(code, SpvOpBitwiseAnd, code->maker->uint_type,
				 operands[VKR_OPERAND_LEVEL], vkr_build_number(code, INT32_MAX));
	return log_texel_marks_both(
		code,
		log_texel_marks_compare(code, SpvOpIEqual, operands[VKR_OPERAND_LEVELS],
					vkr_build_number(code, 1)),
		log_texel_marks_compare(code, SpvOpULessThanEqual, bits,
					vkr_build_number(code, 0x7f800000u))); // infinity
}

// The words of the marks of the texels that either filter reads, that of both first; and of the
// mark that says enough where it is there: of the four together, or of the one that is hit.
struct cell {
	uint32_t texels[4];
	uint32_t enough;
	uint32_t is_whole; // there are four
};

static uint32_t log_texel_marks_smaller(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_select(code, code->maker->uint_type,
				log_texel_marks_compare(code, SpvOpULessThan, a, b), a, b);
}

static struct cell find_cell(struct vkr_log_code *code, const struct sample *sample, uint32_t row)
{
	const uint32_t *operands = sample->operands;
	const struct axis *x = &sample->x, *y = &sample->y;
	const uint32_t beside = row_of(code, operands, sample->layer, y->beside);
	const uint32_t first =
		texel_word(code, operands, log_texel_marks_smaller(code, row, beside),
			   log_texel_marks_smaller(code, x->at, x->beside));
	const uint32_t whole = log_texel_marks_add(
		code, first, vkr_build_number(code, code->analysis->texel_sites));
	const uint32_t at = texel_word(code, operands, row, x->at);
	return (struct cell){
		.texels = {at, texel_word(code, operands, row, x->beside),
			   texel_word(code, operands, beside, x->at),
			   texel_word(code, operands, beside, x->beside)},
		.enough = vkr_build_select(code, code->maker->uint_type,
					   log_texel_marks_both(code, x->is_hit, y->is_hit), at,
					   whole),
		.is_whole = log_texel_marks_negation(
			code, log_texel_marks_either(code, x->is_hit, y->is_hit)),
	};
}

// A sample in a cell of which not all is known to be marked.
static void write_cell_sample(struct vkr_log_code *code, const struct sample *sample,
			      const struct cell *cell, uint32_t before)
{
	uint32_t all = is_marked(code, cell->texels[0]);
	for (size_t i = 1; i < sizeof cell->texels / sizeof *cell->texels; i++)
		all = log_texel_marks_both(code, all, is_marked(code, cell->texels[i]));
	const uint32_t is_certain =
		log_texel_marks_both(code, sample->x.is_certain, sample->y.is_certain);
	const uint32_t is_known = log_texel_marks_both(code, all, cell->is_whole);
	spare_if(code, all, before);
	mark_if(code, log_texel_marks_either(code, is_known, is_certain),
		vkr_build_select(code, code->maker->uint_type, is_known, cell->enough,
				 cell->texels[0]));
}

static void write_sample(struct vkr_log_code *code)
{
	uint32_t operands[VKR_SAMPLE_OPERANDS], before;
	const uint32_t logs = open_function(code, code->shared_reads.texels.sample, operands,
					    VKR_SAMPLE_OPERANDS);
	const struct sample sample = find_sample(code, operands);
	const uint32_t row = row_of(code, operands, sample.layer, sample.y.at);
	const uint32_t is_inside = log_texel_marks_both(
		code, sample.is_layer,
		log_texel_marks_both(code, sample.x.is_inside, sample.y.is_inside));
	const uint32_t is_plain =
		log_texel_marks_both(code, is_inside, has_one_level(code, operands));
	const uint32_t has_middle =
		log_texel_marks_either(code, sample.x.is_middle, sample.y.is_middle);
	const uint32_t is_gather = log_texel_marks_compare(
		code, SpvOpINotEqual, operands[VKR_OPERAND_GATHERS], vkr_build_number(code, 0));
	const uint32_t is_sure =
		log_texel_marks_negation(code, log_texel_marks_both(code, is_gather, has_middle));
	const uint32_t merge =
		open_marks(code,
			   log_texel_marks_both(code, log_texel_marks_both(code, is_plain, is_sure),
						has_marks(code, operands, row)),
			   &before);
	const struct cell cell = find_cell(code, &sample, row);
	const uint32_t is_known = is_marked(code, cell.enough);
	spare_if(code, is_known, before);
	const uint32_t rest = vkr_build_open_if(code, log_texel_marks_negation(code, is_known));
	write_cell_sample(code, &sample, &cell, before);
	vkr_build_close_if(code, rest);
	vkr_build_close_if(code, merge);
	vkr_build_close_if(code, logs);
	vkr_build_close_function(code);
}

static void write_fetch(struct vkr_log_code *code)
{
	uint32_t operands[VKR_FETCH_OPERANDS], before;
	const uint32_t logs =
		open_function(code, code->shared_reads.texels.fetch, operands, VKR_FETCH_OPERANDS);
	const uint32_t layer = operands[VKR_OPERAND_LAYER], y = operands[VKR_OPERAND_Y];
	const uint32_t x = operands[VKR_OPERAND_X], row = row_of(code, operands, layer, y);
	const uint32_t is_texel = log_texel_marks_both(
		code, log_texel_marks_compare(code, SpvOpULessThan, x, operands[VKR_OPERAND_WIDTH]),
		log_texel_marks_both(code,
				     log_texel_marks_compare(code, SpvOpULessThan, y,
							     operands[VKR_OPERAND_HEIGHT]),
				     log_texel_marks_compare(code, SpvOpULessThan, layer,
							     operands[VKR_OPERAND_LAYERS])));
	const uint32_t is_plain = log_texel_marks_both(
		code, is_texel,
		log_texel_marks_compare(code, SpvOpIEqual, operands[VKR_OPERAND_LEVEL],
					vkr_build_number(code, 0)));
	const uint32_t merge = open_marks(
		code, log_texel_marks_both(code, is_plain, has_marks(code, operands, row)),
		&before);
	const uint32_t at = texel_word(code, operands, row, x);
	const uint32_t is_known = is_marked(code, at);
	spare_if(code, is_known, before);
	mark_if(code, log_texel_marks_negation(code, is_known), at);
	vkr_build_close_if(code, merge);
	vkr_build_close_if(code, logs);
	vkr_build_close_function(code);
}

uint32_t vkr_log_texels_sample(struct vkr_log_code *code)
{
	if (!code->shared_reads.texels.sample) {
		code->shared_reads.texels.sample = vkr_maker_id(code->maker);
		write_sample(code);
	}
	return code->shared_reads.texels.sample;
}

uint32_t vkr_log_texels_fetch(struct vkr_log_code *code)
{
	if (!code->shared_reads.texels.fetch) {
		code->shared_reads.texels.fetch = vkr_maker_id(code->maker);
		write_fetch(code);
	}
	return code->shared_reads.texels.fetch;
}
