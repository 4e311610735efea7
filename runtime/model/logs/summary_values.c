// SPDX-License-Identifier: Apache-2.0
// Arithmetic on forms and on lists. Knows numbers; not what they are for.
#include "summary_values.h"

#include "array.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void vkr_summary_space_finish(struct vkr_summary_space *space)
{
	for (uint32_t at = 0; at < space->register_capacity; at++)
		free(space->registers[at].lanes);
	free(space->registers);
	for (unsigned at = 0; at < 3; at++) {
		free(space->locals[at]);
		free(space->scratch[at]);
	}
	free(space->mask);
	free(space->guards.items);
	*space = (struct vkr_summary_space){0};
}

static bool make_lanes(struct vkr_summary_space *space, uint32_t local_size)
{
	for (unsigned at = 0; at < 3; at++) {
		space->locals[at] = calloc(local_size, sizeof(uint32_t));
		space->scratch[at] = calloc(local_size, sizeof(uint32_t));
		if (space->locals[at] == NULL || space->scratch[at] == NULL)
			return false;
	}
	space->mask = calloc(local_size, 1);
	space->lanes_size = local_size;
	return space->mask != NULL;
}

bool vkr_summary_space_begin(struct vkr_summary_space *space, uint32_t registers,
			     const uint32_t *size)
{
	const uint32_t local_size = size[0] * size[1] * size[2];
	if (local_size > space->lanes_size || registers > space->register_capacity) {
		vkr_summary_space_finish(space);
		space->registers = calloc(registers, sizeof *space->registers);
		if (space->registers == NULL || !make_lanes(space, local_size)) {
			vkr_summary_space_finish(space);
			return false;
		}
		space->register_capacity = registers;
	}
	space->register_count = registers;
	memcpy(space->size, size, sizeof space->size);
	space->local_size = local_size;
	space->guards.count = 0;
	space->failed = false;
	for (uint32_t local = 0; local < local_size; local++) {
		space->locals[0][local] = local % size[0];
		space->locals[1][local] = local / size[0] % size[1];
		space->locals[2][local] = local / size[0] / size[1];
	}
	return true;
}

void vkr_summary_space_enter(struct vkr_summary_space *space, const uint32_t *id)
{
	memcpy(space->id, id, sizeof space->id);
	for (uint32_t at = 0; at < space->register_count; at++) {
		space->registers[at].form = (struct vkr_form){0};
		space->registers[at].error = 0;
		space->registers[at].is_list = false;
	}
	memset(space->mask, 1, space->local_size);
	space->active = space->local_size;
}

// ---- Forms --------------------------------------------------------------------------------------

static bool is_uniform(const struct vkr_form *form)
{
	return (form->by_local[0] | form->by_local[1] | form->by_local[2]) == 0;
}

static bool is_fixed(const struct vkr_form *form)
{
	return (form->by_group[0] | form->by_group[1] | form->by_group[2]) == 0;
}

static bool is_constant(const struct vkr_summary_value *value)
{
	return !value->is_list && is_uniform(&value->form) && is_fixed(&value->form);
}

static struct vkr_form sum_of(const struct vkr_form *a, const struct vkr_form *b, uint32_t factor)
{
	struct vkr_form sum = {.constant = a->constant + factor * b->constant};
	for (unsigned axis = 0; axis < 3; axis++) {
		sum.by_group[axis] = a->by_group[axis] + factor * b->by_group[axis];
		sum.by_local[axis] = a->by_local[axis] + factor * b->by_local[axis];
	}
	return sum;
}

static uint32_t start_of(const struct vkr_form *form, const uint32_t *id)
{
	uint32_t start = form->constant;
	for (unsigned axis = 0; axis < 3; axis++)
		start += form->by_group[axis] * id[axis];
	return start;
}

// The lowest and the highest value in a workgroup, of integers without bounds that begin at
// `start`.
struct range {
	int64_t low, high;
};

static struct range range_of(const struct vkr_summary_space *space, const struct vkr_form *form,
			     int64_t start)
{
	struct range range = {start, start};
	for (unsigned axis = 0; axis < 3; axis++) {
		const int64_t reach =
			(int64_t)(int32_t)form->by_local[axis] * (int64_t)(space->size[axis] - 1);
		*(reach < 0 ? &range.low : &range.high) += reach;
	}
	return range;
}

// The same of what forms are as 32-bit integers; false where these wrap within the workgroup.
static bool find_range(const struct vkr_summary_space *space, const struct vkr_form *form,
		       const uint32_t *id, bool is_signed, struct range *range)
{
	const uint32_t start = start_of(form, id);
	*range = range_of(space, form, is_signed ? (int64_t)(int32_t)start : (int64_t)start);
	return is_signed ? range->low >= INT32_MIN && range->high <= INT32_MAX
			 : range->low >= 0 && range->high <= UINT32_MAX;
}

// Whether a comparison comes out alike in all invocations of a workgroup, and how.
static bool decide(const struct vkr_summary_space *space, enum vkr_summary_code code,
		   const struct vkr_form *a, const struct vkr_form *b, const uint32_t *id,
		   bool *outcome)
{
	const bool is_signed =
		code == VKR_SUMMARY_LESS_SIGNED || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	struct range of_a, of_b;
	if (code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL) {
		const struct vkr_form difference = sum_of(a, b, UINT32_MAX);
		if (!find_range(space, &difference, id, false, &of_a) ||
		    (of_a.low == 0 && of_a.high != 0))
			return false;
		*outcome = (of_a.low == 0) == (code == VKR_SUMMARY_EQUAL);
		return true;
	}
	if (!find_range(space, a, id, is_signed, &of_a) ||
	    !find_range(space, b, id, is_signed, &of_b))
		return false;
	const bool or_equal =
		code == VKR_SUMMARY_LESS_EQUAL || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	if (or_equal ? of_a.high <= of_b.low : of_a.high < of_b.low)
		*outcome = true;
	else if (or_equal ? of_a.low > of_b.high : of_a.low >= of_b.high)
		*outcome = false;
	else
		return false;
	return true;
}

bool vkr_summary_guards_hold(struct vkr_summary_space *space, const uint32_t *id)
{
	for (size_t at = 0; at < space->guards.count; at++) {
		const struct vkr_guard *guard = &space->guards.items[at];
		bool outcome = false;
		if (!decide(space, guard->code, &guard->a, &guard->b, id, &outcome) ||
		    outcome != guard->outcome)
			return false;
	}
	return true;
}

static bool decide_here(struct vkr_summary_space *space, enum vkr_summary_code code,
			const struct vkr_form *a, const struct vkr_form *b, bool *outcome)
{
	if (!decide(space, code, a, b, space->id, outcome))
		return false;
	if (!space->notes || (is_fixed(a) && is_fixed(b)))
		return true;
	if (!VKR_ARRAY_RESERVE(&space->guards, 1)) {
		space->failed = true;
		return true;
	}
	space->guards.items[space->guards.count++] =
		(struct vkr_guard){.code = code, .outcome = *outcome, .a = *a, .b = *b};
	return true;
}

// ---- Lists --------------------------------------------------------------------------------------

static void fill(const struct vkr_summary_space *space, const struct vkr_form *form, uint32_t *to)
{
	const uint32_t start = start_of(form, space->id), count = space->local_size;
	const uint32_t *x = space->locals[0], *y = space->locals[1], *z = space->locals[2];
	const uint32_t by_x = form->by_local[0], by_y = form->by_local[1];
	const uint32_t by_z = form->by_local[2];
	if (is_uniform(form)) {
		for (uint32_t at = 0; at < count; at++)
			to[at] = start;
		return;
	}
	if (space->size[0] == count) {
		for (uint32_t at = 0; at < count; at++)
			to[at] = start + by_x * at;
		return;
	}
	for (uint32_t at = 0; at < count; at++)
		to[at] = start + by_x * x[at] + by_y * y[at] + by_z * z[at];
}

// The value one by one: its own list, or in `scratch`.
static const uint32_t *list_of(const struct vkr_summary_space *space,
			       const struct vkr_summary_value *value, uint32_t *scratch)
{
	if (value->is_list)
		return value->lanes;
	fill(space, &value->form, scratch);
	return scratch;
}

static bool moves(const struct vkr_summary_value *value)
{
	return value->is_list ? value->moves : !is_fixed(&value->form);
}

// Whether the register may be overwritten as a whole.
static bool is_free(const struct vkr_summary_space *space,
		    const struct vkr_summary_operation *operation)
{
	return operation->flags & VKR_SUMMARY_NEAR || space->active == space->local_size;
}

static bool has_lanes(struct vkr_summary_space *space, struct vkr_summary_value *value)
{
	if (value->lanes == NULL)
		value->lanes = calloc(space->lanes_size, sizeof *value->lanes);
	space->failed |= value->lanes == NULL;
	return value->lanes != NULL;
}

// Makes a list of a register's value.
static bool spread(struct vkr_summary_space *space, struct vkr_summary_value *value)
{
	if (value->is_list)
		return true;
	if (!has_lanes(space, value))
		return false;
	fill(space, &value->form, value->lanes);
	value->moves = !is_fixed(&value->form);
	value->is_list = true;
	return true;
}

// A register's values, which have just been set, are as exact as this.
static void set_error(struct vkr_summary_space *space,
		      const struct vkr_summary_operation *operation, double error)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (is_free(space, operation) || error > value->error)
		value->error = error;
}

// Puts the values of those that are here in a register.
static void blend(struct vkr_summary_space *space, struct vkr_summary_value *value,
		  const uint32_t *lanes, bool moving)
{
	if (!spread(space, value))
		return;
	const uint32_t count = space->local_size;
	const uint8_t *mask = space->mask;
	uint32_t *to = value->lanes;
	for (uint32_t at = 0; at < count; at++)
		to[at] = mask[at] ? lanes[at] : to[at];
	value->moves |= moving;
}

void vkr_summary_set(struct vkr_summary_space *space, const struct vkr_summary_operation *operation,
		     const struct vkr_form *form)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (is_free(space, operation)) {
		value->form = *form;
		value->is_list = false;
	} else if (value->is_list || memcmp(&value->form, form, sizeof *form) != 0) {
		fill(space, form, space->scratch[2]);
		blend(space, value, space->scratch[2], !is_fixed(form));
	}
	set_error(space, operation, 0);
}

static inline uint32_t combine(enum vkr_summary_code code, uint32_t a, uint32_t b)
{
	const bool is_minus = a == (uint32_t)INT32_MIN && b == UINT32_MAX; // no quotient
	switch (code) {
	case VKR_SUMMARY_ADD:
		return a + b;
	case VKR_SUMMARY_SUBTRACT:
		return a - b;
	case VKR_SUMMARY_MULTIPLY:
		return a * b;
	case VKR_SUMMARY_SHIFT_LEFT:
		return a << (b & 31);
	case VKR_SUMMARY_SHIFT_RIGHT:
		return a >> (b & 31);
	case VKR_SUMMARY_SHIFT_RIGHT_SIGNED:
		return (uint32_t)((int32_t)a >> (b & 31));
	case VKR_SUMMARY_AND:
		return a & b;
	case VKR_SUMMARY_OR:
		return a | b;
	case VKR_SUMMARY_XOR:
		return a ^ b;
	case VKR_SUMMARY_DIVIDE:
		return b == 0 ? 0 : a / b;
	case VKR_SUMMARY_REMAINDER:
		return b == 0 ? 0 : a % b;
	case VKR_SUMMARY_DIVIDE_SIGNED:
		return b == 0 || is_minus ? 0 : (uint32_t)((int32_t)a / (int32_t)b);
	case VKR_SUMMARY_REMAINDER_SIGNED:
		return b == 0 || is_minus ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
	case VKR_SUMMARY_EQUAL:
		return a == b;
	case VKR_SUMMARY_NOT_EQUAL:
		return a != b;
	case VKR_SUMMARY_LESS:
		return a < b;
	case VKR_SUMMARY_LESS_EQUAL:
		return a <= b;
	case VKR_SUMMARY_LESS_SIGNED:
		return (int32_t)a < (int32_t)b;
	case VKR_SUMMARY_LESS_EQUAL_SIGNED:
		return (int32_t)a <= (int32_t)b;
	case VKR_SUMMARY_FLOAT_ADD:
	case VKR_SUMMARY_FLOAT_SUBTRACT:
	case VKR_SUMMARY_FLOAT_MULTIPLY:
	case VKR_SUMMARY_FLOAT_DIVIDE:
	case VKR_SUMMARY_FLOAT_OF_SIGNED:
	case VKR_SUMMARY_FLOAT_OF_UNSIGNED:
	case VKR_SUMMARY_CONSTANT:
	case VKR_SUMMARY_PUSHED:
	case VKR_SUMMARY_GROUP:
	case VKR_SUMMARY_LOCAL:
	case VKR_SUMMARY_INDEX:
	case VKR_SUMMARY_GROUPS:
	case VKR_SUMMARY_MOVE:
	case VKR_SUMMARY_SELECT:
	case VKR_SUMMARY_ACCESS:
	case VKR_SUMMARY_SYNC:
	case VKR_SUMMARY_JUMP:
	case VKR_SUMMARY_BRANCH:
	case VKR_SUMMARY_END:
	case VKR_SUMMARY_RECORD:
	case VKR_SUMMARY_LOGGED:
	case VKR_SUMMARY_SIZE:
	case VKR_SUMMARY_WORD:
	case VKR_SUMMARY_TEXEL:
		break;
	}
	return 0;
}

static inline void combine_all(enum vkr_summary_code code, const uint32_t *a, const uint32_t *b,
			       uint32_t count, uint32_t *to)
{
	for (uint32_t at = 0; at < count; at++)
		to[at] = combine(code, a[at], b[at]);
}

// The common ones apart, so that each has a loop of its own.
static void combine_lists(enum vkr_summary_code code, const uint32_t *a, const uint32_t *b,
			  uint32_t count, uint32_t *to)
{
	if (code == VKR_SUMMARY_ADD)
		combine_all(VKR_SUMMARY_ADD, a, b, count, to);
	else if (code == VKR_SUMMARY_MULTIPLY)
		combine_all(VKR_SUMMARY_MULTIPLY, a, b, count, to);
	else if (code == VKR_SUMMARY_LESS)
		combine_all(VKR_SUMMARY_LESS, a, b, count, to);
	else if (code == VKR_SUMMARY_AND)
		combine_all(VKR_SUMMARY_AND, a, b, count, to);
	else
		combine_all(code, a, b, count, to);
}

// Where a list for the operation's result is to be made: NULL for lack of memory.
static uint32_t *begin_list(struct vkr_summary_space *space,
			    const struct vkr_summary_operation *operation)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (!is_free(space, operation))
		return space->scratch[2];
	return has_lanes(space, value) ? value->lanes : NULL;
}

static void end_list(struct vkr_summary_space *space, const struct vkr_summary_operation *operation,
		     const uint32_t *lanes, bool moving)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (lanes == value->lanes) {
		value->is_list = true;
		value->moves = moving;
	} else {
		blend(space, value, lanes, moving);
	}
}

void vkr_summary_set_list(struct vkr_summary_space *space,
			  const struct vkr_summary_operation *operation, const uint32_t *lanes)
{
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	memcpy(to, lanes, space->local_size * sizeof *to);
	end_list(space, operation, to, true);
	set_error(space, operation, 0);
}

// ---- Operations ---------------------------------------------------------------------------------

static bool is_comparison(enum vkr_summary_code code)
{
	return code >= VKR_SUMMARY_EQUAL && code <= VKR_SUMMARY_LESS_EQUAL_SIGNED;
}

// The result where it is a form.
static bool find_form(struct vkr_summary_space *space, enum vkr_summary_code code,
		      const struct vkr_summary_value *a, const struct vkr_summary_value *b,
		      struct vkr_form *form)
{
	bool outcome;
	*form = (struct vkr_form){0};
	if (a->is_list || b->is_list)
		return false;
	if (is_constant(a) && is_constant(b)) {
		form->constant = combine(code, a->form.constant, b->form.constant);
		return true;
	}
	if (code == VKR_SUMMARY_ADD || code == VKR_SUMMARY_SUBTRACT) {
		*form = sum_of(&a->form, &b->form, code == VKR_SUMMARY_ADD ? 1 : UINT32_MAX);
		return true;
	}
	if (code == VKR_SUMMARY_MULTIPLY && (is_constant(a) || is_constant(b))) {
		const struct vkr_summary_value *factor = is_constant(a) ? a : b;
		*form = sum_of(form, factor == a ? &b->form : &a->form, factor->form.constant);
		return true;
	}
	if (code == VKR_SUMMARY_SHIFT_LEFT && is_constant(b)) {
		*form = sum_of(form, &a->form, 1u << (b->form.constant & 31));
		return true;
	}
	if (!is_comparison(code) || !decide_here(space, code, &a->form, &b->form, &outcome))
		return false;
	form->constant = outcome;
	return true;
}

static void move_value(struct vkr_summary_space *space,
		       const struct vkr_summary_operation *operation,
		       const struct vkr_summary_value *from)
{
	const double error = from->error;
	if (!from->is_list) {
		const struct vkr_form form = from->form;
		vkr_summary_set(space, operation, &form);
		set_error(space, operation, error);
		return;
	}
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	if (to != from->lanes)
		memcpy(to, from->lanes, space->local_size * sizeof *to);
	end_list(space, operation, to, from->moves);
	set_error(space, operation, error);
}

static void choose_value(struct vkr_summary_space *space,
			 const struct vkr_summary_operation *operation)
{
	const struct vkr_summary_value *yes = &space->registers[operation->b];
	const struct vkr_summary_value *no = &space->registers[operation->c];
	const uint32_t *which;
	bool outcome, moving;
	if (vkr_summary_truth(space, operation->a, &outcome, &which, &moving)) {
		move_value(space, operation, outcome ? yes : no);
		return;
	}
	moving |= moves(yes) || moves(no);
	const double error = yes->error > no->error ? yes->error : no->error;
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	// The condition may stand in the first scratch list, and the result in the last.
	const uint32_t *if_yes = list_of(space, yes, space->scratch[1]);
	for (uint32_t at = 0; at < space->local_size; at++)
		space->scratch[1][at] = which[at] ? if_yes[at] : 0;
	const uint32_t *if_no = list_of(space, no, space->scratch[2]);
	for (uint32_t at = 0; at < space->local_size; at++)
		to[at] = which[at] ? space->scratch[1][at] : if_no[at];
	end_list(space, operation, to, moving);
	set_error(space, operation, error);
}

// ---- Floats -------------------------------------------------------------------------------------

// What one operation of a driver may be off by, of its result ("Precision of core SPIR-V
// Instructions"): correctly rounded, in a direction that is not known, or within 2.5 units in the
// last place. Exact results are exact.
#define ROUNDED  (1.0 / (1 << 23))
#define DIVISION (2.5 / (1 << 23))

static bool is_of_floats(enum vkr_summary_code code)
{
	return code >= VKR_SUMMARY_FLOAT_ADD && code <= VKR_SUMMARY_FLOAT_OF_UNSIGNED;
}

static inline double float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return (double)value;
}

static inline uint32_t bits_of(double value)
{
	const float rounded = (float)value;
	uint32_t bits;
	memcpy(&bits, &rounded, sizeof bits);
	return bits;
}

static inline double exactly(enum vkr_summary_code code, uint32_t a, uint32_t b)
{
	switch (code) {
	case VKR_SUMMARY_FLOAT_ADD:
		return float_of(a) + float_of(b);
	case VKR_SUMMARY_FLOAT_SUBTRACT:
		return float_of(a) - float_of(b);
	case VKR_SUMMARY_FLOAT_MULTIPLY:
		return float_of(a) * float_of(b);
	case VKR_SUMMARY_FLOAT_DIVIDE:
		return float_of(a) / float_of(b);
	case VKR_SUMMARY_FLOAT_OF_SIGNED:
		return (double)(int32_t)a;
	default: // VKR_SUMMARY_FLOAT_OF_UNSIGNED
		return (double)a;
	}
}

// The extremes of an operation's operands and results.
struct extent {
	double a, b, result; // the largest magnitudes
	double least_b;
	double rounded; // how far results are from what is exact
};

static inline void operate_floats(const struct vkr_summary_space *space, enum vkr_summary_code code,
				  const uint32_t *a, const uint32_t *b, uint32_t *to,
				  struct extent *extent)
{
	const bool is_whole = code >= VKR_SUMMARY_FLOAT_OF_SIGNED;
	for (uint32_t at = 0; at < space->local_size; at++) {
		const double exact = exactly(code, a[at], b[at]);
		to[at] = bits_of(exact);
		if (!space->mask[at])
			continue;
		const double of_a = is_whole ? 0 : fabs(float_of(a[at]));
		const double of_b = is_whole ? 0 : fabs(float_of(b[at]));
		const double result = fabs(exact), off = fabs(float_of(to[at]) - exact);
		extent->a = of_a > extent->a ? of_a : extent->a;
		extent->b = of_b > extent->b ? of_b : extent->b;
		extent->least_b = of_b < extent->least_b ? of_b : extent->least_b;
		extent->result = result > extent->result ? result : extent->result;
		extent->rounded = off > extent->rounded ? off : extent->rounded;
	}
}

// What the operands' errors come to, and the operation's own. What is exact of exact operands is so
// on every driver.
static double error_of(enum vkr_summary_code code, const struct extent *extent, double a, double b)
{
	const bool is_exact = extent->rounded <= 0 && a <= 0 && b <= 0;
	double error = 0, own = ROUNDED;
	switch (code) {
	case VKR_SUMMARY_FLOAT_ADD:
	case VKR_SUMMARY_FLOAT_SUBTRACT:
		error = a + b;
		break;
	case VKR_SUMMARY_FLOAT_MULTIPLY:
		error = a * extent->b + b * extent->a + a * b;
		break;
	case VKR_SUMMARY_FLOAT_DIVIDE:
		if (!(extent->least_b > b))
			return HUGE_VAL;
		error = (a + extent->result * b) / (extent->least_b - b);
		own = DIVISION;
		break;
	default:
		break;
	}
	if (is_exact && code != VKR_SUMMARY_FLOAT_DIVIDE)
		return 0;
	error += (extent->result + error) * own + (double)FLT_MIN; // denormals may be flushed
	return error < HUGE_VAL ? error : HUGE_VAL;                // no number: nothing is known
}

static void operate_on_floats(struct vkr_summary_space *space,
			      const struct vkr_summary_operation *operation)
{
	const enum vkr_summary_code code = (enum vkr_summary_code)operation->code;
	const struct vkr_summary_value *a = &space->registers[operation->a];
	const struct vkr_summary_value *b = &space->registers[operation->b];
	const bool moving = moves(a) || moves(b), alike = is_constant(a) && is_constant(b);
	const double error_a = a->error, error_b = b->error;
	struct extent extent = {.least_b = HUGE_VAL};
	const uint32_t *of_a = list_of(space, a, space->scratch[0]);
	const uint32_t *of_b = list_of(space, b, space->scratch[1]);
	uint32_t *to = alike ? space->scratch[2] : begin_list(space, operation);
	if (to == NULL)
		return;
	operate_floats(space, code, of_a, of_b, to, &extent);
	if (alike)
		vkr_summary_set(space, operation, &(struct vkr_form){.constant = to[0]});
	else
		end_list(space, operation, to, moving);
	set_error(space, operation, error_of(code, &extent, error_a, error_b));
}

void vkr_summary_operate(struct vkr_summary_space *space,
			 const struct vkr_summary_operation *operation)
{
	const enum vkr_summary_code code = (enum vkr_summary_code)operation->code;
	const struct vkr_summary_value *a = &space->registers[operation->a];
	const struct vkr_summary_value *b = &space->registers[operation->b];
	struct vkr_form form;
	if (code == VKR_SUMMARY_MOVE) {
		move_value(space, operation, a);
		return;
	}
	if (code == VKR_SUMMARY_SELECT) {
		choose_value(space, operation);
		return;
	}
	if (is_of_floats(code)) {
		operate_on_floats(space, operation);
		return;
	}
	if (find_form(space, code, a, b, &form)) {
		vkr_summary_set(space, operation, &form);
		return;
	}
	const bool moving = moves(a) || moves(b);
	const uint32_t *of_a = list_of(space, a, space->scratch[0]);
	const uint32_t *of_b = list_of(space, b, space->scratch[1]);
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	combine_lists(code, of_a, of_b, space->local_size, to);
	end_list(space, operation, to, moving);
}

const uint32_t *vkr_summary_list(const struct vkr_summary_space *space, uint32_t reg,
				 uint32_t *scratch, uint32_t *value, bool *moving)
{
	const struct vkr_summary_value *of = &space->registers[reg];
	*moving = moves(of);
	*value = of->form.constant;
	if (is_constant(of))
		return NULL;
	return list_of(space, of, scratch);
}

bool vkr_summary_truth(struct vkr_summary_space *space, uint32_t reg, bool *outcome,
		       const uint32_t **lanes, bool *moving)
{
	const struct vkr_summary_value *value = &space->registers[reg];
	const struct vkr_form zero = {0};
	*moving = false;
	if (!value->is_list &&
	    decide_here(space, VKR_SUMMARY_NOT_EQUAL, &value->form, &zero, outcome))
		return true;
	*lanes = list_of(space, value, space->scratch[0]);
	*moving = moves(value);
	const uint32_t *of = *lanes, count = space->local_size;
	const uint8_t *mask = space->mask;
	uint32_t here = 0;
	for (uint32_t at = 0; at < count; at++)
		here += (mask[at] != 0) & (of[at] != 0);
	*outcome = here > 0;
	return here == 0 || here == space->active;
}
