// SPDX-License-Identifier: Apache-2.0
// Where a branch may go both ways, execution goes on at the earlier operation and waits at the
// other, and the intervals of both are joined where they meet.
#include "summary_reach.h"

#include "array.h"
#include "error.h"
#include "site_table.h"
#include "texel_footprint.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// Operations that are gone through for a box: where that is not enough, nothing is found out.
#define STEPS_MOST 65536u
// To find out about sites: so many times the summary's length.
#define SITE_TURNS 8u
#define SITE_STEPS 256u
// Places at which execution waits.
#define WAITING_MOST 32u
// Elements of a descriptor array that are looked at one by one.
#define ELEMENTS_MOST 16u
// Bytes that are looked at word by word.
#define TABLE_MOST 4096u
// What boxes that do not pass may cost, in summaries gone through: so many, and one for each few
// workgroups that are done with.
#define COST_MOST  64u
#define COST_SHARE 8u

#define WRAP ((int64_t)1 << 32)

// What a register may be: an integer of [low, high], modulo 2^32, which are less than 2^32 apart;
// or a float of [from, to].
struct vkr_reach_value {
	bool is_float;
	union {
		int64_t low;
		double from;
	};
	union {
		int64_t high;
		double to;
	};
};

// A texel access through one element.
struct vkr_reach_plan {
	const struct vkr_program_access *access;
	uint32_t element;
	struct vkr_texel_plan plan;
};

void vkr_summary_reach_finish(struct vkr_summary_reach *reach)
{
	free(reach->values.items);
	free(reach->waiting.items);
	free(reach->plans.items);
	free(reach->sites.items);
	*reach = (struct vkr_summary_reach){0};
}

// What a heap's descriptors lead to is read, too, by those that use them.
static bool has_heaps(const struct vkr_site_table *table)
{
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	for (uint32_t at = 0; at < table->variable_count; at++)
		if (variables[at].flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA))
			return true;
	return false;
}

void vkr_summary_reach_begin(struct vkr_summary_reach *reach, struct vkr_engine *engine,
			     struct vkr_dispatch_targets *targets,
			     const struct vkr_summary_dispatch *dispatch,
			     struct vkr_possible_texels *possible)
{
	const struct vkr_site_table *table = targets->program->shader->sites;
	reach->targets = targets;
	reach->dispatch = dispatch;
	reach->engine = engine;
	reach->possible = possible;
	memcpy(reach->size, table->workgroup_size, sizeof reach->size);
	reach->registers = table->summary_registers;
	reach->steps = 0;
	reach->steps_most = STEPS_MOST;
	reach->only_sites = false;
	reach->plans.count = 0;
	reach->on = !has_heaps(table);
}

// ---- Intervals ----------------------------------------------------------------------------------

static const struct vkr_reach_value anything = {.low = 0, .high = WRAP - 1};

static struct vkr_reach_value summary_reach_integers(int64_t low, int64_t high)
{
	if (high - low >= WRAP)
		return anything;
	// Near 0, so that sums of many do not overflow.
	const int64_t shift = low >= WRAP || low < -WRAP / 2 ? low - (int64_t)(uint32_t)low : 0;
	return (struct vkr_reach_value){.low = low - shift, .high = high - shift};
}

static struct vkr_reach_value summary_reach_number(uint32_t value)
{
	return (struct vkr_reach_value){.low = value, .high = value};
}

static bool is_number(const struct vkr_reach_value *value)
{
	return !value->is_float && value->low == value->high;
}

// As unsigned integers: 0 <= low <= high < 2^32.
static struct vkr_reach_value as_unsigned(const struct vkr_reach_value *value)
{
	if (value->is_float || (value->low < 0 && value->high >= 0) ||
	    (value->low < WRAP && value->high >= WRAP))
		return anything;
	const int64_t shift = value->low < 0 ? WRAP : value->low >= WRAP ? -WRAP : 0;
	return (struct vkr_reach_value){.low = value->low + shift, .high = value->high + shift};
}

// As signed ones.
static struct vkr_reach_value as_signed(const struct vkr_reach_value *value)
{
	static const struct vkr_reach_value all = {.low = INT32_MIN, .high = INT32_MAX};
	if (value->is_float)
		return all;
	for (int64_t shift = -2 * WRAP; shift <= WRAP; shift += WRAP)
		if (value->low + shift >= INT32_MIN && value->high + shift <= INT32_MAX)
			return (struct vkr_reach_value){.low = value->low + shift,
							.high = value->high + shift};
	return all;
}

static struct vkr_reach_value summary_reach_join(const struct vkr_reach_value *a,
						 const struct vkr_reach_value *b)
{
	if (a->is_float != b->is_float)
		return anything;
	if (a->is_float)
		return (struct vkr_reach_value){
			.is_float = true, .from = fmin(a->from, b->from), .to = fmax(a->to, b->to)};
	return summary_reach_integers(a->low < b->low ? a->low : b->low,
				      a->high > b->high ? a->high : b->high);
}

// ---- Arithmetic on integers ---------------------------------------------------------------------

static struct vkr_reach_value summary_reach_multiply(const struct vkr_reach_value *a,
						     const struct vkr_reach_value *b)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (unsigned at = 0; at < 4; at++) {
		int64_t product;
		if (__builtin_mul_overflow(at & 1 ? a->low : a->high, at & 2 ? b->low : b->high,
					   &product))
			return anything;
		low = product < low ? product : low;
		high = product > high ? product : high;
	}
	if (low < INT64_MIN / 2 || high > INT64_MAX / 2)
		return anything;
	return summary_reach_integers(low, high);
}

// The least 2^n - 1 that is not below.
static int64_t ones_of(int64_t value)
{
	int64_t ones = 0;
	while (ones < value)
		ones = ones * 2 + 1;
	return ones;
}

static struct vkr_reach_value combine_bits(enum vkr_summary_code code,
					   const struct vkr_reach_value *a,
					   const struct vkr_reach_value *b)
{
	const struct vkr_reach_value x = as_unsigned(a), y = as_unsigned(b);
	if (code == VKR_SUMMARY_AND) {
		const struct vkr_reach_value *of = is_number(&y) ? &x : &y;
		const struct vkr_reach_value *mask = is_number(&y) ? &y : &x;
		const int64_t least = x.high < y.high ? x.high : y.high;
		// Numbers with the same bits above a mask of the lowest ones keep their distances.
		if (is_number(mask) && ones_of(mask->low) == mask->low &&
		    (of->low & ~mask->low) == (of->high & ~mask->low))
			return summary_reach_integers(of->low & mask->low, of->high & mask->low);
		return is_number(&x) && is_number(&y)
			       ? summary_reach_integers(x.low & y.low, x.low & y.low)
			       : summary_reach_integers(0, least);
	}
	if (is_number(&x) && is_number(&y))
		return summary_reach_number(code == VKR_SUMMARY_OR ? (uint32_t)(x.low | y.low)
								   : (uint32_t)(x.low ^ y.low));
	const int64_t most = ones_of(x.high > y.high ? x.high : y.high);
	const int64_t least = x.low > y.low ? x.low : y.low;
	return summary_reach_integers(code == VKR_SUMMARY_OR ? least : 0, most);
}

static struct vkr_reach_value summary_reach_divide(enum vkr_summary_code code,
						   const struct vkr_reach_value *a,
						   const struct vkr_reach_value *b)
{
	const bool is_signed =
		code == VKR_SUMMARY_DIVIDE_SIGNED || code == VKR_SUMMARY_REMAINDER_SIGNED;
	const struct vkr_reach_value x = is_signed ? as_signed(a) : as_unsigned(a);
	const struct vkr_reach_value y = is_signed ? as_signed(b) : as_unsigned(b);
	if (y.low <= 0)
		return anything;
	const int64_t low = x.low / (x.low < 0 ? y.low : y.high);
	const int64_t high = x.high / (x.high < 0 ? y.high : y.low);
	if (code == VKR_SUMMARY_DIVIDE || code == VKR_SUMMARY_DIVIDE_SIGNED)
		return summary_reach_integers(low, high);
	if (is_number(&y) && x.low >= 0 && low == high)
		return summary_reach_integers(x.low % y.low, x.high % y.low);
	return summary_reach_integers(x.low < 0 ? -(y.high - 1) : 0,
				      x.high < y.high ? (x.high > 0 ? x.high : 0) : y.high - 1);
}

static struct vkr_reach_value summary_reach_shift(enum vkr_summary_code code,
						  const struct vkr_reach_value *a,
						  const struct vkr_reach_value *b)
{
	if (!is_number(b))
		return anything;
	const unsigned bits = (unsigned)b->low & 31;
	if (code == VKR_SUMMARY_SHIFT_LEFT) {
		const struct vkr_reach_value factor = summary_reach_number(UINT32_C(1) << bits);
		return summary_reach_multiply(a, &factor);
	}
	const int64_t divisor = (int64_t)1 << bits;
	const struct vkr_reach_value x =
		code == VKR_SUMMARY_SHIFT_RIGHT ? as_unsigned(a) : as_signed(a);
	const int64_t low = x.low >= 0 ? x.low / divisor : -((-x.low + divisor - 1) / divisor);
	const int64_t high = x.high >= 0 ? x.high / divisor : -((-x.high + divisor - 1) / divisor);
	return summary_reach_integers(low, high);
}

static struct vkr_reach_value summary_reach_compare(enum vkr_summary_code code,
						    const struct vkr_reach_value *a,
						    const struct vkr_reach_value *b)
{
	const bool is_signed =
		code == VKR_SUMMARY_LESS_SIGNED || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	const bool or_equal =
		code == VKR_SUMMARY_LESS_EQUAL || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	const struct vkr_reach_value x = is_signed ? as_signed(a) : as_unsigned(a);
	const struct vkr_reach_value y = is_signed ? as_signed(b) : as_unsigned(b);
	if (code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL) {
		if (is_number(&x) && is_number(&y))
			return summary_reach_number((x.low == y.low) ==
						    (code == VKR_SUMMARY_EQUAL));
		if (x.high < y.low || y.high < x.low)
			return summary_reach_number(code == VKR_SUMMARY_NOT_EQUAL);
		return summary_reach_integers(0, 1);
	}
	if (or_equal ? x.high <= y.low : x.high < y.low)
		return summary_reach_number(1);
	return (or_equal ? x.low > y.high : x.low >= y.high) ? summary_reach_number(0)
							     : summary_reach_integers(0, 1);
}

// ---- Arithmetic on floats -----------------------------------------------------------------------

// More than any driver's operation is off by, of its result (summary_values.c).
#define FLOAT_ERROR (8.0 / (1 << 23))

static struct vkr_reach_value summary_reach_floats(double from, double to)
{
	if (!(from <= to))
		return (struct vkr_reach_value){
			.is_float = true, .from = -HUGE_VAL, .to = HUGE_VAL};
	return (struct vkr_reach_value){.is_float = true,
					.from = from - fabs(from) * FLOAT_ERROR - (double)FLT_MIN,
					.to = to + fabs(to) * FLOAT_ERROR + (double)FLT_MIN};
}

// Of an integer, the float of its bits. NaN is in no interval: where it may be, nothing is known.
static struct vkr_reach_value as_float(const struct vkr_reach_value *value)
{
	if (value->is_float)
		return *value;
	const uint32_t bits = (uint32_t)value->low;
	float known;
	memcpy(&known, &bits, sizeof known);
	if (!is_number(value) || isnan(known))
		return (struct vkr_reach_value){
			.is_float = true, .from = -HUGE_VAL, .to = HUGE_VAL};
	return (struct vkr_reach_value){.is_float = true, .from = known, .to = known};
}

static bool is_bounded(const struct vkr_reach_value *value)
{
	return value->from > -HUGE_VAL && value->to < HUGE_VAL;
}

static struct vkr_reach_value operate_floats(enum vkr_summary_code code,
					     const struct vkr_reach_value *a,
					     const struct vkr_reach_value *b)
{
	static const struct vkr_reach_value unknown = {
		.is_float = true, .from = -HUGE_VAL, .to = HUGE_VAL};
	if (code == VKR_SUMMARY_FLOAT_OF_SIGNED || code == VKR_SUMMARY_FLOAT_OF_UNSIGNED) {
		const struct vkr_reach_value of =
			code == VKR_SUMMARY_FLOAT_OF_SIGNED ? as_signed(a) : as_unsigned(a);
		return summary_reach_floats((double)of.low, (double)of.high);
	}
	const struct vkr_reach_value x = as_float(a);
	if (!is_bounded(&x))
		return unknown;
	if (code == VKR_SUMMARY_FLOAT_SQUARE_ROOT)
		return x.from < 0 ? unknown : summary_reach_floats(sqrt(x.from), sqrt(x.to));
	const struct vkr_reach_value y = as_float(b);
	if (!is_bounded(&y))
		return unknown;
	const double products[] = {x.from * y.from, x.from * y.to, x.to * y.from, x.to * y.to};
	switch (code) {
	case VKR_SUMMARY_FLOAT_ADD:
		return summary_reach_floats(x.from + y.from, x.to + y.to);
	case VKR_SUMMARY_FLOAT_SUBTRACT:
		return summary_reach_floats(x.from - y.to, x.to - y.from);
	case VKR_SUMMARY_FLOAT_MULTIPLY:
		return summary_reach_floats(
			fmin(fmin(products[0], products[1]), fmin(products[2], products[3])),
			fmax(fmax(products[0], products[1]), fmax(products[2], products[3])));
	case VKR_SUMMARY_FLOAT_DIVIDE:
		if (y.from <= 0)
			return unknown;
		return summary_reach_floats(x.from / (x.from < 0 ? y.from : y.to),
					    x.to / (x.to < 0 ? y.to : y.from));
	case VKR_SUMMARY_FLOAT_MINIMUM:
		return summary_reach_floats(fmin(x.from, y.from), fmin(x.to, y.to));
	case VKR_SUMMARY_FLOAT_MAXIMUM:
		return summary_reach_floats(fmax(x.from, y.from), fmax(x.to, y.to));
	default:
		return unknown;
	}
}

static struct vkr_reach_value summary_reach_operate(const struct vkr_summary_operation *operation,
						    const struct vkr_reach_value *registers)
{
	const enum vkr_summary_code code = (enum vkr_summary_code)operation->code;
	const struct vkr_reach_value *a = &registers[operation->a], *b = &registers[operation->b];
	switch (code) {
	case VKR_SUMMARY_MOVE:
		return *a;
	case VKR_SUMMARY_SELECT: {
		const struct vkr_reach_value which = as_unsigned(a);
		if (which.low > 0)
			return *b;
		return which.high == 0 ? registers[operation->c]
				       : summary_reach_join(b, &registers[operation->c]);
	}
	case VKR_SUMMARY_ADD:
		return a->is_float || b->is_float
			       ? anything
			       : summary_reach_integers(a->low + b->low, a->high + b->high);
	case VKR_SUMMARY_SUBTRACT:
		return a->is_float || b->is_float
			       ? anything
			       : summary_reach_integers(a->low - b->high, a->high - b->low);
	case VKR_SUMMARY_MULTIPLY:
		return a->is_float || b->is_float ? anything : summary_reach_multiply(a, b);
	case VKR_SUMMARY_SHIFT_LEFT:
	case VKR_SUMMARY_SHIFT_RIGHT:
	case VKR_SUMMARY_SHIFT_RIGHT_SIGNED:
		return a->is_float ? anything : summary_reach_shift(code, a, b);
	case VKR_SUMMARY_AND:
	case VKR_SUMMARY_OR:
	case VKR_SUMMARY_XOR:
		return combine_bits(code, a, b);
	case VKR_SUMMARY_DIVIDE:
	case VKR_SUMMARY_REMAINDER:
	case VKR_SUMMARY_DIVIDE_SIGNED:
	case VKR_SUMMARY_REMAINDER_SIGNED:
		return summary_reach_divide(code, a, b);
	case VKR_SUMMARY_EQUAL:
	case VKR_SUMMARY_NOT_EQUAL:
	case VKR_SUMMARY_LESS:
	case VKR_SUMMARY_LESS_EQUAL:
	case VKR_SUMMARY_LESS_SIGNED:
	case VKR_SUMMARY_LESS_EQUAL_SIGNED:
		return summary_reach_compare(code, a, b);
	default:
		return operate_floats(code, a, b);
	}
}

// ---- Accesses -----------------------------------------------------------------------------------

// Those of [0, size) that an integer may be: false where it is none.
static bool find_within(const struct vkr_reach_value *value, uint64_t size, uint64_t *low,
			uint64_t *high)
{
	const struct vkr_reach_value of = value->is_float ? anything : *value;
	bool any = false;
	for (int64_t shift = -2 * WRAP; shift <= WRAP; shift += WRAP) {
		const int64_t from = of.low + shift > 0 ? of.low + shift : 0;
		const int64_t to =
			of.high + shift < (int64_t)size - 1 ? of.high + shift : (int64_t)size - 1;
		if (from > to || from >= WRAP)
			continue;
		*low = !any || (uint64_t)from < *low ? (uint64_t)from : *low;
		*high = !any || (uint64_t)to > *high ? (uint64_t)to : *high;
		any = true;
	}
	return any;
}

static enum vkr_result summary_reach_ask(const struct vkr_summary_reach *reach,
					 const struct vkr_engine_target *target, uint64_t low,
					 uint64_t high, bool *passes, struct vkr_error *error)
{
	return vkr_engine_is_elsewhere(reach->engine, target, low, high, passes, error);
}

// Elements of the access's variable that may be accessed; false where these are too many.
static bool find_elements(const struct vkr_summary_reach *reach,
			  const struct vkr_program_access *access,
			  const struct vkr_reach_value *value, uint64_t *first, uint64_t *last)
{
	const uint32_t count = reach->targets->variables[access->variable].count;
	*first = *last = 0;
	if (!access->arrayed)
		return true;
	if (!find_within(value, count, first, last)) {
		*first = 1;
		return true;
	}
	return *last - *first < ELEMENTS_MOST;
}

static enum vkr_result access_memory(struct vkr_summary_reach *reach,
				     const struct vkr_summary_operation *operation,
				     const struct vkr_reach_value *registers, bool *passes,
				     struct vkr_error *error)
{
	const struct vkr_program_access *access = reach->targets->program->by_site[operation->a];
	enum vkr_result result = VKR_OK;
	uint64_t first, last;
	*passes = !access->pointer && !access->chosen && !access->traced && access->lines == 0 &&
		  find_elements(reach, access, &registers[operation->c], &first, &last);
	for (uint64_t at = *passes ? first : 1; *passes && result == VKR_OK && at <= last; at++) {
		const struct vkr_engine_target *target =
			vkr_dispatch_target(reach->targets, access->variable, (uint32_t)at);
		uint64_t low, high;
		if (target == NULL || target->memory == VKR_ENGINE_WORKGROUP ||
		    !find_within(&registers[operation->b], target->bytes, &low, &high))
			continue;
		high += access->bytes;
		high = high < target->bytes ? high : target->bytes;
		result = summary_reach_ask(reach, target, low, high, passes, error);
		// What every workgroup reads: a table, or parameters.
		*passes = *passes || (high - low <= TABLE_MOST &&
				      vkr_engine_reads_again(reach->engine, access->site, target,
							     low, high, access->bytes));
	}
	return result;
}

// The plan of an element, made on first use; NULL for lack of memory.
static const struct vkr_texel_plan *
plan_of(struct vkr_summary_reach *reach, const struct vkr_program_access *access, uint32_t element)
{
	for (size_t at = 0; at < reach->plans.count; at++)
		if (reach->plans.items[at].access == access &&
		    reach->plans.items[at].element == element)
			return &reach->plans.items[at].plan;
	if (!VKR_ARRAY_RESERVE(&reach->plans, 1))
		return NULL;
	struct vkr_reach_plan *made = &reach->plans.items[reach->plans.count++];
	made->access = access;
	made->element = element;
	vkr_texel_plan_make(reach->targets, access, element, &made->plan);
	return &made->plan;
}

// What the word of a record is that a plan asks for; NULL: 0 was not logged.
static const struct vkr_reach_value *word_of(const struct vkr_summary_reach *reach,
					     const struct vkr_program_access *access,
					     const struct vkr_texel_plan *plan, unsigned axis,
					     const struct vkr_reach_value *registers)
{
	uint32_t word = plan->words[axis];
	// Here x and y stand apart.
	if (plan->packed && axis == 1)
		word = plan->words[0] + 1;
	else if (word != VKR_PLAN_NO_WORD && plan->packed && axis == 2)
		word++;
	return word == VKR_PLAN_NO_WORD ? NULL : &registers[reach->words[word - access->word]];
}

// The texels along an axis that fetches find.
static bool find_fetches(const struct vkr_reach_value *value, int32_t offset, uint32_t size,
			 uint64_t *low, uint64_t *high)
{
	const struct vkr_reach_value none = summary_reach_number(0);
	const struct vkr_reach_value *of = value != NULL ? value : &none;
	const struct vkr_reach_value at =
		of->is_float ? anything
			     : summary_reach_integers(of->low + offset, of->high + offset);
	return find_within(&at, size, low, high);
}

// The texels along an axis that samples may read.
static void find_samples(const struct vkr_texel_plan *plan, const struct vkr_reach_value *value,
			 unsigned axis, uint32_t size, uint64_t *low, uint64_t *high)
{
	const struct vkr_reach_value at = as_float(value);
	const double scale = plan->unnormalized ? 1 : size;
	const double from = floor(at.from * scale + plan->offset[axis] - 1);
	const double to = floor(at.to * scale + plan->offset[axis] + 1);
	const bool clamps = plan->address[axis] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE ||
			    plan->address[axis] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
	*low = 0;
	*high = size - 1;
	if (!(from >= 0 && to <= size - 1.0) && !clamps)
		return;
	if (from > 0)
		*low = from < size - 1.0 ? (uint64_t)from : size - 1;
	if (to < size - 1.0)
		*high = to > 0 ? (uint64_t)to : 0;
}

static enum vkr_result
access_level(struct vkr_summary_reach *reach, const struct vkr_program_access *access,
	     const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
	     const struct vkr_reach_value *registers, bool *passes, struct vkr_error *error)
{
	uint64_t low[3] = {0}, high[3] = {0};
	for (unsigned axis = 0; axis < 3; axis++) {
		const struct vkr_reach_value *value = word_of(reach, access, plan, axis, registers);
		if (plan->kind == VKR_PLAN_SAMPLE && axis < 2)
			find_samples(plan, value, axis, level->size[axis], &low[axis], &high[axis]);
		else if (plan->kind == VKR_PLAN_FETCH &&
			 !find_fetches(value, plan->offset[axis], level->size[axis], &low[axis],
				       &high[axis]))
			return VKR_OK;
	}
	// Whatever the axes' order in memory, offsets grow with each of them.
	const uint64_t first = vkr_texel_plan_offset(plan, level, (uint32_t)low[0],
						     (uint32_t)low[1], (uint32_t)low[2]);
	const uint64_t last = vkr_texel_plan_offset(plan, level, (uint32_t)high[0],
						    (uint32_t)high[1], (uint32_t)high[2]);
	return summary_reach_ask(reach, plan->target, first, last + plan->bytes, passes, error);
}

// Which texels a sample reads may be up to the implementation (possible_texels.h). Who passes over
// its workgroup does not know that it is not.
static bool note_possible(struct vkr_summary_reach *reach, struct vkr_program_access *access,
			  uint32_t element)
{
	struct vkr_bound_texels *bound =
		vkr_dispatch_texels(reach->targets, access->variable, element);
	return access->texel->form == VKR_TEXEL_INTEGER || bound == NULL ||
	       bound->kind != VKR_BOUND_IMAGE ||
	       vkr_possible_texels_note(reach->possible, bound, access);
}

static enum vkr_result access_element(struct vkr_summary_reach *reach,
				      struct vkr_program_access *access, uint32_t element,
				      const struct vkr_reach_value *registers, bool *passes,
				      struct vkr_error *error)
{
	const struct vkr_texel_plan *plan = plan_of(reach, access, element);
	enum vkr_result result = VKR_OK;
	if (plan == NULL || !note_possible(reach, access, element))
		return vkr_error_memory(error, "texels");
	if (plan->kind == VKR_PLAN_FETCH || plan->kind == VKR_PLAN_SAMPLE) {
		for (uint32_t at = 0; at < plan->level_count && *passes && result == VKR_OK; at++)
			result = access_level(reach, access, plan, &plan->levels[at], registers,
					      passes, error);
		return result;
	}
	struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
	const uint32_t count =
		vkr_dispatch_ranges(reach->targets, access->variable, element, ranges);
	for (uint32_t at = 0; at < count && *passes && result == VKR_OK; at++)
		result = summary_reach_ask(reach, &ranges[at], 0, ranges[at].bytes, passes, error);
	return result;
}

static enum vkr_result access_texels(struct vkr_summary_reach *reach,
				     const struct vkr_summary_operation *operation,
				     const struct vkr_reach_value *registers, bool *passes,
				     struct vkr_error *error)
{
	struct vkr_program_access *access = reach->targets->program->by_site[operation->a];
	enum vkr_result result = VKR_OK;
	uint64_t first, last;
	*passes = !access->chosen &&
		  find_elements(reach, access, &registers[reach->words[0]], &first, &last);
	for (uint64_t at = *passes ? first : 1; *passes && result == VKR_OK && at <= last; at++)
		result = access_element(reach, access, (uint32_t)at, registers, passes, error);
	return result;
}

// ---- Control flow -------------------------------------------------------------------------------

static struct vkr_reach_value *registers_at(const struct vkr_summary_reach *reach, size_t waiting)
{
	return reach->values.items + waiting * reach->registers;
}

static struct vkr_reach_value summary_reach_leaf(const struct vkr_summary_reach *reach,
						 const struct vkr_summary_operation *operation,
						 const struct vkr_reach_box *box)
{
	const struct vkr_summary_dispatch *dispatch = reach->dispatch;
	switch (operation->code) {
	case VKR_SUMMARY_CONSTANT:
		return summary_reach_number(operation->a);
	case VKR_SUMMARY_PUSHED:
		return summary_reach_number(operation->a / 4 < dispatch->pushed_count
						    ? dispatch->pushed[operation->a / 4]
						    : 0);
	case VKR_SUMMARY_UNIFORM:
		return summary_reach_number(dispatch->uniforms[operation->a]);
	case VKR_SUMMARY_GROUP:
		return summary_reach_integers(box->low[operation->a], box->high[operation->a]);
	case VKR_SUMMARY_LOCAL:
		return summary_reach_integers(0, (int64_t)reach->size[operation->a] - 1);
	case VKR_SUMMARY_INDEX:
		return summary_reach_integers(
			0, (int64_t)reach->size[0] * reach->size[1] * reach->size[2] - 1);
	case VKR_SUMMARY_GROUPS:
		return summary_reach_number(dispatch->groups[operation->a]);
	case VKR_SUMMARY_SIZE: {
		const struct vkr_reach_value *element = &registers_at(reach, 0)[operation->b];
		uint32_t size = 0;
		return is_number(element) && vkr_summary_size_find(reach->targets, operation,
								   (uint32_t)element->low, &size)
			       ? summary_reach_number(size)
			       : anything;
	}
	default: // logged
		return anything;
	}
}

// Execution waits at an operation, too, with the registers where it is. False: no more can.
static bool wait_at(struct vkr_summary_reach *reach, uint32_t operation)
{
	const struct vkr_reach_value *now = registers_at(reach, 0);
	for (size_t at = 0; at < reach->waiting.count; at++) {
		struct vkr_reach_value *there = registers_at(reach, at + 1);
		if (reach->waiting.items[at] != operation)
			continue;
		for (uint32_t reg = 0; reg < reach->registers; reg++)
			there[reg] = summary_reach_join(&there[reg], &now[reg]);
		return true;
	}
	if (reach->waiting.count == WAITING_MOST)
		return false;
	reach->waiting.items[reach->waiting.count++] = operation;
	memcpy(registers_at(reach, reach->waiting.count), now, reach->registers * sizeof *now);
	return true;
}

// Goes on where execution waits earliest; false where it waits nowhere.
static bool take_earliest(struct vkr_summary_reach *reach, uint32_t *operation)
{
	size_t first = 0;
	const size_t last = reach->waiting.count;
	const size_t bytes = reach->registers * sizeof *reach->values.items;
	if (last == 0)
		return false;
	for (size_t at = 1; at < last; at++)
		if (reach->waiting.items[at] < reach->waiting.items[first])
			first = at;
	*operation = reach->waiting.items[first];
	memcpy(registers_at(reach, 0), registers_at(reach, first + 1), bytes);
	reach->waiting.items[first] = reach->waiting.items[last - 1];
	if (first + 1 != last)
		memcpy(registers_at(reach, first + 1), registers_at(reach, last), bytes);
	reach->waiting.count--;
	return true;
}

// The earliest operation at which execution waits.
static uint32_t limit_of(const struct vkr_summary_reach *reach)
{
	uint32_t limit = UINT32_MAX;
	for (size_t at = 0; at < reach->waiting.count; at++)
		limit = reach->waiting.items[at] < limit ? reach->waiting.items[at] : limit;
	return limit;
}

// Where execution goes on after an operation that says so; false: nowhere. *passes is false where
// that cannot be found out.
static bool go_on(struct vkr_summary_reach *reach, const struct vkr_summary_operation *operation,
		  uint32_t *next, bool *passes)
{
	if (operation->code == VKR_SUMMARY_JUMP)
		*next = operation->a;
	if (operation->code == VKR_SUMMARY_BRANCH) {
		const struct vkr_reach_value truth =
			as_unsigned(&registers_at(reach, 0)[operation->a]);
		*next = truth.low > 0 ? operation->b : operation->c;
		if (truth.low == 0 && truth.high > 0)
			*passes = wait_at(reach, operation->b);
	}
	return operation->code != VKR_SUMMARY_END;
}

static enum vkr_result come_to(struct vkr_summary_reach *reach,
			       const struct vkr_summary_operation *access, bool *passes,
			       struct vkr_error *error)
{
	const struct vkr_reach_value *registers = registers_at(reach, 0);
	if (reach->only_sites) {
		reach->sites.items[access->a] = true;
		return VKR_OK;
	}
	return access->code == VKR_SUMMARY_TEXEL
		       ? access_texels(reach, access, registers, passes, error)
		       : access_memory(reach, access, registers, passes, error);
}

static enum vkr_result do_operation(struct vkr_summary_reach *reach,
				    const struct vkr_summary_operation *operation,
				    const struct vkr_reach_box *box, bool *passes,
				    struct vkr_error *error)
{
	struct vkr_reach_value *registers = registers_at(reach, 0);
	switch ((enum vkr_summary_code)operation->code) {
	case VKR_SUMMARY_CONSTANT:
	case VKR_SUMMARY_PUSHED:
	case VKR_SUMMARY_UNIFORM:
	case VKR_SUMMARY_GROUP:
	case VKR_SUMMARY_LOCAL:
	case VKR_SUMMARY_INDEX:
	case VKR_SUMMARY_GROUPS:
	case VKR_SUMMARY_LOGGED:
	case VKR_SUMMARY_SIZE:
		registers[operation->result] = summary_reach_leaf(reach, operation, box);
		return VKR_OK;
	case VKR_SUMMARY_ACCESS:
	case VKR_SUMMARY_TEXEL:
		return come_to(reach, operation, passes, error);
	case VKR_SUMMARY_WORD:
		reach->words[operation->b] = operation->a;
		return VKR_OK;
	case VKR_SUMMARY_SYNC:
	case VKR_SUMMARY_RECORD:
	case VKR_SUMMARY_JUMP:
	case VKR_SUMMARY_BRANCH:
	case VKR_SUMMARY_END:
		return VKR_OK;
	default:
		registers[operation->result] = summary_reach_operate(operation, registers);
		return VKR_OK;
	}
}

static bool summary_reach_begin(struct vkr_summary_reach *reach)
{
	const size_t count = (size_t)reach->registers * (WAITING_MOST + 1);
	reach->values.count = reach->waiting.count = 0;
	if (!VKR_ARRAY_RESERVE(&reach->values, count) ||
	    !VKR_ARRAY_RESERVE(&reach->waiting, WAITING_MOST))
		return false;
	for (uint32_t reg = 0; reg < reach->registers; reg++)
		reach->values.items[reg] = summary_reach_number(0);
	return true;
}

static enum vkr_result summary_reach_follow(struct vkr_summary_reach *reach,
					    const struct vkr_reach_box *box, bool *passes,
					    struct vkr_error *error)
{
	const struct vkr_summary_operation *operations =
		vkr_site_table_summary(reach->targets->program->shader->sites);
	enum vkr_result result = VKR_OK;
	uint32_t at = 0, limit = UINT32_MAX, steps = 0;
	bool goes = true;
	for (; goes && *passes && result == VKR_OK; steps++) {
		const struct vkr_summary_operation *operation = &operations[at];
		if (steps == reach->steps_most) {
			reach->on = *passes = false;
			break;
		}
		result = do_operation(reach, operation, box, passes, error);
		const bool decides = operation->code == VKR_SUMMARY_JUMP ||
				     operation->code == VKR_SUMMARY_BRANCH ||
				     operation->code == VKR_SUMMARY_END;
		at++;
		if (decides) {
			goes = go_on(reach, operation, &at, passes);
			limit = limit_of(reach);
		}
		if (goes && at >= limit) {
			*passes = *passes && wait_at(reach, at);
			goes = false;
		}
		if (!goes && *passes) {
			goes = take_earliest(reach, &at);
			limit = limit_of(reach);
		}
	}
	reach->steps += *passes ? 0 : steps;
	return result;
}

enum vkr_result vkr_summary_reach_passes(struct vkr_summary_reach *reach,
					 const struct vkr_reach_box *box, uint64_t done,
					 bool *passes, struct vkr_error *error)
{
	const uint64_t summary = reach->targets->program->shader->sites->summary_count;
	*passes = reach->on && reach->steps <= summary * (COST_MOST + done / COST_SHARE);
	if (!*passes)
		return VKR_OK;
	if (!summary_reach_begin(reach))
		return vkr_error_memory(error, "a summary");
	return summary_reach_follow(reach, box, passes, error);
}

bool vkr_summary_reach_sites(struct vkr_summary_reach *reach, struct vkr_dispatch_targets *targets,
			     const struct vkr_summary_dispatch *dispatch)
{
	const struct vkr_site_table *table = targets->program->shader->sites;
	struct vkr_reach_box box;
	struct vkr_error error; // of lack of memory alone
	bool passes = true;
	vkr_summary_reach_begin(reach, NULL, targets, dispatch, NULL);
	reach->only_sites = true;
	reach->steps_most = (uint64_t)table->summary_count * SITE_TURNS + SITE_STEPS;
	reach->sites.count = 0;
	if (!summary_reach_begin(reach) || !VKR_ARRAY_RESERVE(&reach->sites, table->site_count))
		return false;
	memset(reach->sites.items, 0, table->site_count * sizeof *reach->sites.items);
	for (unsigned axis = 0; axis < 3; axis++) {
		box.low[axis] = dispatch->base[axis];
		box.high[axis] = dispatch->base[axis] + dispatch->groups[axis] - 1;
	}
	if (summary_reach_follow(reach, &box, &passes, &error) != VKR_OK)
		return false;
	targets->reached = passes ? reach->sites.items : NULL;
	return true;
}
