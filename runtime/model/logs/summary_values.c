// SPDX-License-Identifier: Apache-2.0
// Arithmetic on forms and on lists. Knows numbers; not what they are for.
#include "summary_values.h"

#include "array.h"
#include "map.h"

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
	free(space->few);
	free(space->few_mask);
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
	space->few = calloc(local_size, sizeof *space->few);
	space->few_mask = calloc(local_size, 1);
	space->mask = calloc(local_size, 1);
	space->lanes_size = local_size;
	return space->few != NULL && space->few_mask != NULL && space->mask != NULL;
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
	space->decisions = 0;
	for (uint32_t at = 0; at < space->register_count; at++) {
		space->registers[at].form = (struct vkr_form){0};
		space->registers[at].error = 0;
		space->registers[at].is_list = false;
	}
	memset(space->mask, 1, space->local_size);
	space->active = space->local_size;
	space->together = true;
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

// Bits of the components of WorkgroupId that by_group names.
static uint8_t axes_of(const uint32_t *by_group)
{
	return (uint8_t)((by_group[0] != 0) | (by_group[1] != 0) << 1 | (by_group[2] != 0) << 2);
}

#define ALL_AXES 7u

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

// What `by_group` makes of a WorkgroupId.
static uint32_t shift_of(const uint32_t *by_group, const uint32_t *id)
{
	uint32_t shift = 0;
	for (unsigned axis = 0; axis < 3; axis++)
		shift += by_group[axis] * id[axis];
	return shift;
}

// ---- Guards -------------------------------------------------------------------------------------

static struct vkr_bounds bounds_of_form(const struct vkr_summary_space *space,
					const struct vkr_form *form)
{
	struct vkr_bounds bounds = {.constant = form->constant};
	memcpy(bounds.by_group, form->by_group, sizeof bounds.by_group);
	for (unsigned axis = 0; axis < 3; axis++) {
		const int64_t reach =
			(int64_t)(int32_t)form->by_local[axis] * (int64_t)(space->size[axis] - 1);
		bounds.below += reach < 0 ? -reach : 0;
		bounds.above += reach < 0 ? 0 : reach;
	}
	return bounds;
}

// Of the lanes of invocations that are here, as signed integers or not.
static struct vkr_bounds bounds_of_lanes(const struct vkr_summary_space *space,
					 const uint32_t *lanes, const uint32_t *by_group,
					 bool is_signed)
{
	const uint32_t sign = is_signed ? UINT32_C(1) << 31 : 0;
	uint32_t least = UINT32_MAX, most = 0;
	for (uint32_t at = 0; at < space->local_size; at++) {
		const uint32_t lane = lanes[at] ^ sign;
		least = space->mask[at] && lane < least ? lane : least;
		most = space->mask[at] && lane > most ? lane : most;
	}
	struct vkr_bounds bounds = {.constant = least ^ sign, .above = (int64_t)most - least};
	memcpy(bounds.by_group, by_group, sizeof bounds.by_group);
	return bounds;
}

// The lowest and the highest value in a workgroup.
struct range {
	int64_t low, high;
};

// Of what bounds are as 32-bit integers; false where these wrap within the workgroup.
static bool find_range(const struct vkr_bounds *bounds, const uint32_t *id, bool is_signed,
		       struct range *range)
{
	const uint32_t start = bounds->constant + shift_of(bounds->by_group, id);
	const int64_t from = is_signed ? (int64_t)(int32_t)start : (int64_t)start;
	*range = (struct range){from - bounds->below, from + bounds->above};
	return is_signed ? range->low >= INT32_MIN && range->high <= INT32_MAX
			 : range->low >= 0 && range->high <= UINT32_MAX;
}

// Whether no value exceeds `most` and none wraps, also on the way.
static bool is_within(const struct vkr_bounds *bounds, uint32_t most, const uint32_t *id)
{
	uint64_t sum = bounds->constant + (uint64_t)bounds->above;
	for (unsigned axis = 0; axis < 3 && sum <= most; axis++) {
		const uint64_t shift = (uint64_t)bounds->by_group[axis] * id[axis];
		sum = shift <= UINT32_MAX ? sum + shift : UINT64_MAX;
	}
	return sum <= most && (int64_t)bounds->constant >= bounds->below;
}

// Whether a guard comes out alike in all invocations of a workgroup, and how.
static bool summary_values_decide(const struct vkr_guard *guard, const uint32_t *id, bool *outcome)
{
	const enum vkr_summary_code code = guard->code;
	const bool is_signed =
		code == VKR_SUMMARY_LESS_SIGNED || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	struct range of_a, of_b;
	if (code == VKR_SUMMARY_DIVIDE) {
		*outcome = is_within(&guard->a, guard->b.constant, id);
		return true;
	}
	if (!find_range(&guard->a, id, is_signed, &of_a))
		return false;
	if (code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL) {
		*outcome = (of_a.low == 0) == (code == VKR_SUMMARY_EQUAL);
		return of_a.low != 0 || of_a.high == 0;
	}
	if (!find_range(&guard->b, id, is_signed, &of_b))
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
		if (!summary_values_decide(guard, id, &outcome) || outcome != guard->outcome)
			return false;
	}
	return true;
}

// Whether a value goes on from workgroup `id` to the one `count` further without wrapping between.
static bool is_straight(const struct vkr_bounds *bounds, const uint32_t *id, uint32_t count,
			bool is_signed)
{
	const uint32_t low = bounds->constant + shift_of(bounds->by_group, id);
	const uint32_t high = low + bounds->by_group[0] * count;
	const int64_t from = is_signed ? (int64_t)(int32_t)low : (int64_t)low;
	const int64_t to = is_signed ? (int64_t)(int32_t)high : (int64_t)high;
	return to - from == (int64_t)(int32_t)bounds->by_group[0] * (int64_t)count;
}

// What is straight and comes out alike at both ends does so between them. What DIVIDE asks about
// grows with the WorkgroupId and never wraps.
bool vkr_summary_guards_hold_row(struct vkr_summary_space *space, const uint32_t *id,
				 uint32_t count)
{
	const uint32_t end[] = {id[0] + count, id[1], id[2]};
	for (size_t at = 0; at < space->guards.count; at++) {
		const struct vkr_guard *guard = &space->guards.items[at];
		const enum vkr_summary_code code = guard->code;
		const bool is_signed =
			code == VKR_SUMMARY_LESS_SIGNED || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
		const bool of_one = code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL;
		if (code != VKR_SUMMARY_DIVIDE &&
		    (!is_straight(&guard->a, id, count, is_signed) ||
		     (!of_one && !is_straight(&guard->b, id, count, is_signed))))
			return false;
	}
	return vkr_summary_guards_hold(space, id) && vkr_summary_guards_hold(space, end);
}

static bool bounds_stay(const struct vkr_bounds *bounds)
{
	return (bounds->by_group[0] | bounds->by_group[1] | bounds->by_group[2]) == 0;
}

void vkr_summary_decided(struct vkr_summary_space *space, uint64_t outcome)
{
	space->decisions = vkr_map_hash(space->decisions ^ (outcome + 1));
}

// Decides in the present workgroup, and notes the guard for others.
static bool decide_here(struct vkr_summary_space *space, struct vkr_guard *guard, bool *outcome)
{
	const bool decided = summary_values_decide(guard, space->id, outcome);
	vkr_summary_decided(space, decided ? *outcome : 2);
	if (!decided)
		return false;
	if (!space->notes || (bounds_stay(&guard->a) && bounds_stay(&guard->b)))
		return true;
	if (!VKR_ARRAY_RESERVE(&space->guards, 1)) {
		space->failed = true;
		return true;
	}
	guard->outcome = *outcome;
	space->guards.items[space->guards.count++] = *guard;
	return true;
}

// ---- Lists --------------------------------------------------------------------------------------

// A form that begins at `start`, one by one.
static void summary_values_fill(const struct vkr_summary_space *space, const struct vkr_form *form,
				uint32_t start, uint32_t *to)
{
	const uint32_t count = space->local_size;
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

// The value one by one, less what its by_group adds: its own list, or in `scratch`.
static const uint32_t *lanes_of(const struct vkr_summary_space *space,
				const struct vkr_summary_value *value, uint32_t *scratch)
{
	if (value->is_list)
		return value->lanes;
	summary_values_fill(space, &value->form, value->form.constant, scratch);
	return scratch;
}

// The value one by one: its own list, or in `scratch`.
static const uint32_t *list_of(const struct vkr_summary_space *space,
			       const struct vkr_summary_value *value, uint32_t *scratch)
{
	const uint32_t shift = shift_of(value->form.by_group, space->id);
	if (value->is_list && shift == 0)
		return value->lanes;
	if (!value->is_list)
		summary_values_fill(space, &value->form, value->form.constant + shift, scratch);
	for (uint32_t at = 0; value->is_list && at < space->local_size; at++)
		scratch[at] = value->lanes[at] + shift;
	return scratch;
}

static bool lanes_move(const struct vkr_summary_value *value)
{
	return value->is_list && value->moves;
}

// The components of WorkgroupId on which the value depends.
static uint8_t summary_values_moves(const struct vkr_summary_value *value)
{
	return (uint8_t)((value->is_list ? value->moves : 0) | axes_of(value->form.by_group));
}

// The components of LocalInvocationId on which the value depends.
static uint8_t summary_values_varies(const struct vkr_summary_value *value)
{
	return value->is_list ? value->varies : axes_of(value->form.by_local);
}

// ---- Samples of invocations ---------------------------------------------------------------------

// Those that stand for all in values that depend on some components of LocalInvocationId.
static struct vkr_lane_samples samples_of(const struct vkr_summary_space *space, uint8_t axes)
{
	const uint32_t *size = space->size;
	if (axes == 0)
		return (struct vkr_lane_samples){1, space->local_size};
	if (axes == 1)
		return (struct vkr_lane_samples){size[0], 1};
	if (axes == 2)
		return (struct vkr_lane_samples){size[1], size[0]};
	if (axes == 4)
		return (struct vkr_lane_samples){size[2], size[0] * size[1]};
	return (struct vkr_lane_samples){space->local_size, 1};
}

struct vkr_lane_samples vkr_summary_samples(const struct vkr_summary_space *space, uint32_t reg)
{
	return samples_of(space, summary_values_varies(&space->registers[reg]));
}

void vkr_lane_samples_spread(const struct vkr_lane_samples *samples, const uint32_t *values,
			     uint32_t count, uint32_t *lanes)
{
	const uint32_t length = samples->count * samples->step;
	for (uint32_t at = 0; at < samples->count; at++)
		for (uint32_t same = 0; same < samples->step; same++)
			lanes[at * samples->step + same] = values[at];
	for (uint32_t at = length; at < count; at += length)
		memcpy(lanes + at, lanes, length * sizeof *lanes);
}

// Which samples stand for some invocation that is here; NULL: all do.
static const uint8_t *mask_samples(struct vkr_summary_space *space,
				   const struct vkr_lane_samples *samples)
{
	if (space->active == space->local_size)
		return NULL;
	if (samples->count == space->local_size)
		return space->mask;
	memset(space->few_mask, 0, samples->count);
	for (uint32_t at = 0; at < space->local_size;)
		for (uint32_t sample = 0; sample < samples->count; sample++)
			for (uint32_t same = 0; same < samples->step; same++, at++)
				space->few_mask[sample] |= space->mask[at];
	return space->few_mask;
}

// The samples' values, plus `shift`, in `to`.
static void take_samples(const struct vkr_summary_space *space,
			 const struct vkr_summary_value *value,
			 const struct vkr_lane_samples *samples, uint32_t shift, uint32_t *to)
{
	const uint32_t *by_local = value->form.by_local;
	for (uint32_t at = 0; at < samples->count; at++) {
		const uint32_t lane = at * samples->step;
		to[at] = shift + (value->is_list ? value->lanes[lane]
						 : value->form.constant +
							   by_local[0] * space->locals[0][lane] +
							   by_local[1] * space->locals[1][lane] +
							   by_local[2] * space->locals[2][lane]);
	}
}

// Whether the register may be overwritten as a whole.
static bool is_free(const struct vkr_summary_space *space,
		    const struct vkr_summary_operation *operation)
{
	return operation->flags & VKR_SUMMARY_NEAR || space->together;
}

static bool has_lanes(struct vkr_summary_space *space, struct vkr_summary_value *value)
{
	if (value->lanes == NULL)
		value->lanes = calloc(space->lanes_size, sizeof *value->lanes);
	space->failed |= value->lanes == NULL;
	return value->lanes != NULL;
}

// Makes a list of a register's value.
static bool summary_values_spread(struct vkr_summary_space *space, struct vkr_summary_value *value)
{
	if (value->is_list)
		return true;
	if (!has_lanes(space, value))
		return false;
	summary_values_fill(space, &value->form, value->form.constant, value->lanes);
	value->varies = axes_of(value->form.by_local);
	value->form.constant = 0;
	memset(value->form.by_local, 0, sizeof value->form.by_local);
	value->moves = 0;
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

static const uint32_t stays[3];

// The components of LocalInvocationId on which it depends who is here.
static uint8_t mask_axes(const struct vkr_summary_space *space)
{
	const uint32_t row = space->size[0], slice = row * space->size[1];
	const uint8_t *mask = space->mask;
	uint8_t along_x = 0, along_y = 0, along_z = 0;
	for (uint32_t at = 0; at < space->local_size; at += row)
		for (uint32_t x = 1; x < row; x++)
			along_x |= mask[at + x] ^ mask[at + x - 1];
	for (uint32_t at = row; at < space->local_size; at++)
		along_y |= space->locals[1][at] > 0 ? mask[at] ^ mask[at - row] : 0;
	for (uint32_t at = slice; at < space->local_size; at++)
		along_z |= mask[at] ^ mask[at - slice];
	return (uint8_t)((along_x != 0) | (along_y != 0) << 1 | (along_z != 0) << 2);
}

// Puts the values of those that are here in a register.
static void summary_values_blend(struct vkr_summary_space *space, struct vkr_summary_value *value,
				 const uint32_t *lanes, const uint32_t *by_group, uint8_t moving,
				 uint8_t varying)
{
	if (!summary_values_spread(space, value))
		return;
	const uint32_t count = space->local_size;
	const uint8_t *mask = space->mask;
	uint32_t *to = value->lanes, old = 0, new = 0; // what each of them is more by
	if (memcmp(value->form.by_group, by_group, sizeof value->form.by_group) != 0) {
		old = shift_of(value->form.by_group, space->id);
		new = shift_of(by_group, space->id);
		moving |= axes_of(value->form.by_group) | axes_of(by_group);
		value->form = (struct vkr_form){0};
	}
	for (uint32_t at = 0; at < count; at++)
		to[at] = mask[at] ? lanes[at] + new : to[at] + old;
	value->moves |= moving;
	value->varies |= varying | mask_axes(space);
}

void vkr_summary_set(struct vkr_summary_space *space, const struct vkr_summary_operation *operation,
		     const struct vkr_form *form)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (is_free(space, operation)) {
		value->form = *form;
		value->is_list = false;
	} else if (value->is_list || memcmp(&value->form, form, sizeof *form) != 0) {
		summary_values_fill(space, form, form->constant, space->scratch[2]);
		summary_values_blend(space, value, space->scratch[2], form->by_group, 0,
				     axes_of(form->by_local));
	}
	set_error(space, operation, 0);
}

static inline uint32_t summary_values_combine(enum vkr_summary_code code, uint32_t a, uint32_t b)
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
	case VKR_SUMMARY_FLOAT_MINIMUM:
	case VKR_SUMMARY_FLOAT_MAXIMUM:
	case VKR_SUMMARY_FLOAT_SQUARE_ROOT:
	case VKR_SUMMARY_CONSTANT:
	case VKR_SUMMARY_PUSHED:
	case VKR_SUMMARY_UNIFORM:
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
		to[at] = summary_values_combine(code, a[at], b[at]);
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
		     const uint32_t *lanes, const uint32_t *by_group, uint8_t moving,
		     uint8_t varying)
{
	struct vkr_summary_value *value = &space->registers[operation->result];
	if (lanes == value->lanes) {
		value->form = (struct vkr_form){0};
		memcpy(value->form.by_group, by_group, sizeof value->form.by_group);
		value->is_list = true;
		value->moves = moving;
		value->varies = varying;
	} else {
		summary_values_blend(space, value, lanes, by_group, moving, varying);
	}
}

void vkr_summary_set_list(struct vkr_summary_space *space,
			  const struct vkr_summary_operation *operation, const uint32_t *lanes,
			  uint8_t moving)
{
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	memcpy(to, lanes, space->local_size * sizeof *to);
	end_list(space, operation, to, stays, moving, ALL_AXES);
	set_error(space, operation, 0);
}

// ---- Operations ---------------------------------------------------------------------------------

static bool is_comparison(enum vkr_summary_code code)
{
	return code >= VKR_SUMMARY_EQUAL && code <= VKR_SUMMARY_LESS_EQUAL_SIGNED;
}

// Compares where all invocations come to the same, and lists only shift.
static bool compare_bounds(struct vkr_summary_space *space, enum vkr_summary_code code,
			   const struct vkr_summary_value *a, const struct vkr_summary_value *b,
			   bool *outcome)
{
	const bool is_signed =
		code == VKR_SUMMARY_LESS_SIGNED || code == VKR_SUMMARY_LESS_EQUAL_SIGNED;
	const bool of_difference = code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL;
	struct vkr_guard guard = {.code = code};
	const struct vkr_form difference = sum_of(&a->form, &b->form, UINT32_MAX);
	const bool of_lists = a->is_list || b->is_list;
	if (lanes_move(a) || lanes_move(b) ||
	    (of_lists && is_fixed(&a->form) && is_fixed(&b->form)))
		return false;
	if (of_difference && of_lists) {
		uint32_t *to = space->scratch[2];
		const uint32_t *of_a = lanes_of(space, a, space->scratch[0]);
		const uint32_t *of_b = lanes_of(space, b, space->scratch[1]);
		for (uint32_t at = 0; at < space->local_size; at++)
			to[at] = of_a[at] - of_b[at];
		guard.a = bounds_of_lanes(space, to, difference.by_group, false);
	} else if (of_difference) {
		guard.a = bounds_of_form(space, &difference);
	} else {
		guard.a = a->is_list ? bounds_of_lanes(space, a->lanes, a->form.by_group, is_signed)
				     : bounds_of_form(space, &a->form);
		guard.b = b->is_list ? bounds_of_lanes(space, b->lanes, b->form.by_group, is_signed)
				     : bounds_of_form(space, &b->form);
	}
	return decide_here(space, &guard, outcome);
}

// The result where it is a form.
static bool find_form(struct vkr_summary_space *space, enum vkr_summary_code code,
		      const struct vkr_summary_value *a, const struct vkr_summary_value *b,
		      struct vkr_form *form)
{
	bool outcome;
	*form = (struct vkr_form){0};
	if (is_comparison(code) && !(is_constant(a) && is_constant(b))) {
		if (!compare_bounds(space, code, a, b, &outcome))
			return false;
		form->constant = outcome;
		return true;
	}
	if (a->is_list || b->is_list)
		return false;
	if (is_constant(a) && is_constant(b)) {
		form->constant = summary_values_combine(code, a->form.constant, b->form.constant);
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
	return false;
}

// The power of two or other number that an operation with a constant divides by, 0: it does not.
static uint32_t divisor_of(enum vkr_summary_code code, uint32_t b)
{
	switch (code) {
	case VKR_SUMMARY_DIVIDE:
	case VKR_SUMMARY_REMAINDER:
		return b;
	case VKR_SUMMARY_DIVIDE_SIGNED:
	case VKR_SUMMARY_REMAINDER_SIGNED:
		return b <= INT32_MAX ? b : 0;
	case VKR_SUMMARY_SHIFT_RIGHT:
	case VKR_SUMMARY_SHIFT_RIGHT_SIGNED:
		return UINT32_C(1) << (b & 31);
	case VKR_SUMMARY_AND:
		return (b & (b + 1)) == 0 ? b + 1 : 0;
	default:
		return 0;
	}
}

static bool is_remainder(enum vkr_summary_code code)
{
	return code == VKR_SUMMARY_REMAINDER || code == VKR_SUMMARY_REMAINDER_SIGNED ||
	       code == VKR_SUMMARY_AND;
}

// Whether a divides into what its lanes come to and what its by_group comes to: where the latter
// are multiples of the divisor, and no invocation's value wraps.
static bool divides_apart(struct vkr_summary_space *space, enum vkr_summary_code code,
			  const struct vkr_summary_value *a, uint32_t divisor)
{
	const bool is_signed = code == VKR_SUMMARY_DIVIDE_SIGNED ||
			       code == VKR_SUMMARY_REMAINDER_SIGNED ||
			       code == VKR_SUMMARY_SHIFT_RIGHT_SIGNED;
	struct vkr_guard guard = {.code = VKR_SUMMARY_DIVIDE,
				  .b.constant = is_signed ? INT32_MAX : UINT32_MAX};
	bool outcome = false;
	for (unsigned axis = 0; axis < 3; axis++)
		if (divisor == 0 || a->form.by_group[axis] % divisor != 0)
			return false;
	guard.a = a->is_list ? bounds_of_lanes(space, a->lanes, a->form.by_group, false)
			     : bounds_of_form(space, &a->form);
	return decide_here(space, &guard, &outcome) && outcome;
}

// What the result's by_group is, where the operation on the lanes alone gives the lanes of the
// result; false where it does not.
static bool find_shift(struct vkr_summary_space *space, enum vkr_summary_code code,
		       const struct vkr_summary_value *a, const struct vkr_summary_value *b,
		       uint32_t *by_group)
{
	const uint32_t *of_a = a->form.by_group, *of_b = b->form.by_group;
	const uint32_t divisor = is_constant(b) ? divisor_of(code, b->form.constant) : 0;
	if (lanes_move(a) || lanes_move(b) || (is_fixed(&a->form) && is_fixed(&b->form)))
		return false;
	const bool is_apart = (code == VKR_SUMMARY_EQUAL || code == VKR_SUMMARY_NOT_EQUAL) &&
			      memcmp(of_a, of_b, sizeof stays) == 0;
	const bool divides = divisor != 0 && divides_apart(space, code, a, divisor);
	for (unsigned axis = 0; axis < 3; axis++) {
		if (code == VKR_SUMMARY_ADD)
			by_group[axis] = of_a[axis] + of_b[axis];
		else if (code == VKR_SUMMARY_SUBTRACT)
			by_group[axis] = of_a[axis] - of_b[axis];
		else if (code == VKR_SUMMARY_MULTIPLY && is_constant(b))
			by_group[axis] = of_a[axis] * b->form.constant;
		else if (code == VKR_SUMMARY_MULTIPLY && is_constant(a))
			by_group[axis] = of_b[axis] * a->form.constant;
		else if (code == VKR_SUMMARY_SHIFT_LEFT && is_constant(b))
			by_group[axis] = of_a[axis] << (b->form.constant & 31);
		else if (is_apart)
			by_group[axis] = 0;
		else if (divides)
			by_group[axis] = is_remainder(code) ? 0 : of_a[axis] / divisor;
		else
			return false;
	}
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
	uint32_t by_group[3];
	memcpy(by_group, from->form.by_group, sizeof by_group);
	if (to != from->lanes)
		memcpy(to, from->lanes, space->local_size * sizeof *to);
	end_list(space, operation, to, by_group, from->moves, from->varies);
	set_error(space, operation, error);
}

static void choose_value(struct vkr_summary_space *space,
			 const struct vkr_summary_operation *operation)
{
	const struct vkr_summary_value *yes = &space->registers[operation->b];
	const struct vkr_summary_value *no = &space->registers[operation->c];
	const uint32_t *which;
	uint8_t moving;
	bool outcome;
	if (vkr_summary_truth(space, operation->a, &outcome, &which, &moving) && !moving) {
		move_value(space, operation, outcome ? yes : no);
		return;
	}
	const bool shifts = !moving && !lanes_move(yes) && !lanes_move(no) &&
			    memcmp(yes->form.by_group, no->form.by_group, sizeof stays) == 0;
	const uint32_t *(*const take)(const struct vkr_summary_space *,
				      const struct vkr_summary_value *, uint32_t *) =
		shifts ? lanes_of : list_of;
	const double error = yes->error > no->error ? yes->error : no->error;
	uint32_t by_group[3] = {0};
	if (shifts)
		memcpy(by_group, yes->form.by_group, sizeof by_group);
	else
		moving |= summary_values_moves(yes) | summary_values_moves(no);
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	// The condition may stand in the first scratch list, and the result in the last.
	const uint32_t *if_yes = take(space, yes, space->scratch[1]);
	for (uint32_t at = 0; at < space->local_size; at++)
		space->scratch[1][at] = which[at] ? if_yes[at] : 0;
	const uint32_t *if_no = take(space, no, space->scratch[2]);
	for (uint32_t at = 0; at < space->local_size; at++)
		to[at] = which[at] ? space->scratch[1][at] : if_no[at];
	end_list(space, operation, to, by_group, moving, ALL_AXES);
	set_error(space, operation, error);
}

// ---- Floats -------------------------------------------------------------------------------------

// What one operation of a driver may be off by, of its result ("Precision of core SPIR-V
// Instructions"): correctly rounded, in a direction that is not known, or within 2.5 units in the
// last place; a square root is the inverse of one that is within 2. Exact results are exact.
#define ROUNDED     (1.0 / (1 << 23))
#define DIVISION    (2.5 / (1 << 23))
#define SQUARE_ROOT (5.0 / (1 << 23))

static bool is_of_floats(enum vkr_summary_code code)
{
	return (code >= VKR_SUMMARY_FLOAT_ADD && code <= VKR_SUMMARY_FLOAT_OF_UNSIGNED) ||
	       code >= VKR_SUMMARY_FLOAT_MINIMUM;
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

static inline double summary_values_exactly(enum vkr_summary_code code, uint32_t a, uint32_t b)
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
	case VKR_SUMMARY_FLOAT_MINIMUM:
		return float_of(a) < float_of(b) ? float_of(a) : float_of(b);
	case VKR_SUMMARY_FLOAT_MAXIMUM:
		return float_of(a) > float_of(b) ? float_of(a) : float_of(b);
	case VKR_SUMMARY_FLOAT_SQUARE_ROOT:
		return sqrt(float_of(a));
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
	double least_a; // not its magnitude
	bool has_nan;   // of a or b: minimum and maximum may be either
	double rounded; // how far results are from what is exact
};

// `mask`: of those that count; NULL: all do.
static inline void operate_floats(enum vkr_summary_code code, const uint32_t *a, const uint32_t *b,
				  uint32_t count, const uint8_t *mask, uint32_t *to,
				  struct extent *extent)
{
	const bool is_whole =
		code == VKR_SUMMARY_FLOAT_OF_SIGNED || code == VKR_SUMMARY_FLOAT_OF_UNSIGNED;
	for (uint32_t at = 0; at < count; at++) {
		const double exact = summary_values_exactly(code, a[at], b[at]);
		to[at] = bits_of(exact);
		if (mask != NULL && !mask[at])
			continue;
		const double of_a = is_whole ? 0 : fabs(float_of(a[at]));
		const double of_b = is_whole ? 0 : fabs(float_of(b[at]));
		const double result = fabs(exact), off = fabs(float_of(to[at]) - exact);
		extent->a = of_a > extent->a ? of_a : extent->a;
		extent->b = of_b > extent->b ? of_b : extent->b;
		extent->least_b = of_b < extent->least_b ? of_b : extent->least_b;
		extent->least_a = is_whole || float_of(a[at]) >= extent->least_a ? extent->least_a
										 : float_of(a[at]);
		extent->has_nan |= isnan(of_a) || isnan(of_b);
		extent->result = result > extent->result ? result : extent->result;
		extent->rounded = off > extent->rounded ? off : extent->rounded;
	}
}

// The common ones apart, so that each has a loop of its own.
static void operate_lists(enum vkr_summary_code code, const uint32_t *a, const uint32_t *b,
			  uint32_t count, const uint8_t *mask, uint32_t *to, struct extent *extent)
{
	if (code == VKR_SUMMARY_FLOAT_ADD && mask == NULL)
		operate_floats(VKR_SUMMARY_FLOAT_ADD, a, b, count, NULL, to, extent);
	else if (code == VKR_SUMMARY_FLOAT_SUBTRACT && mask == NULL)
		operate_floats(VKR_SUMMARY_FLOAT_SUBTRACT, a, b, count, NULL, to, extent);
	else if (code == VKR_SUMMARY_FLOAT_MULTIPLY && mask == NULL)
		operate_floats(VKR_SUMMARY_FLOAT_MULTIPLY, a, b, count, NULL, to, extent);
	else if (code == VKR_SUMMARY_FLOAT_DIVIDE && mask == NULL)
		operate_floats(VKR_SUMMARY_FLOAT_DIVIDE, a, b, count, NULL, to, extent);
	else
		operate_floats(code, a, b, count, mask, to, extent);
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
	case VKR_SUMMARY_FLOAT_MINIMUM:
	case VKR_SUMMARY_FLOAT_MAXIMUM:
		if (extent->has_nan)
			return HUGE_VAL;
		error = a > b ? a : b;
		own = 0;
		break;
	case VKR_SUMMARY_FLOAT_SQUARE_ROOT:
		if (!(extent->least_a > a))
			return HUGE_VAL;
		error = a / (2 * sqrt(extent->least_a - a));
		own = SQUARE_ROOT;
		break;
	default:
		break;
	}
	if (is_exact && code != VKR_SUMMARY_FLOAT_DIVIDE && code != VKR_SUMMARY_FLOAT_SQUARE_ROOT)
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
	const uint8_t moving = summary_values_moves(a) | summary_values_moves(b);
	const bool alike = is_constant(a) && is_constant(b);
	const double error_a = a->error, error_b = b->error;
	struct extent extent = {.least_a = HUGE_VAL, .least_b = HUGE_VAL};
	const uint8_t varying = summary_values_varies(a) | summary_values_varies(b);
	const struct vkr_lane_samples samples = samples_of(space, varying);
	const bool sampled = samples.count < space->local_size;
	const uint32_t *of_a = space->scratch[0], *of_b = space->scratch[1];
	uint32_t *to = alike ? space->scratch[2] : begin_list(space, operation);
	if (to == NULL)
		return;
	if (sampled) {
		take_samples(space, a, &samples, shift_of(a->form.by_group, space->id),
			     space->scratch[0]);
		take_samples(space, b, &samples, shift_of(b->form.by_group, space->id),
			     space->scratch[1]);
	} else {
		of_a = list_of(space, a, space->scratch[0]);
		of_b = list_of(space, b, space->scratch[1]);
	}
	uint32_t *results = sampled ? space->few : to;
	operate_lists(code, of_a, of_b, samples.count, mask_samples(space, &samples), results,
		      &extent);
	if (sampled && !alike)
		vkr_lane_samples_spread(&samples, results, space->local_size, to);
	if (alike)
		vkr_summary_set(space, operation, &(struct vkr_form){.constant = results[0]});
	else
		end_list(space, operation, to, stays, moving, varying);
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
	uint32_t by_group[3] = {0};
	const bool shifts = find_shift(space, code, a, b, by_group);
	if (shifts && !a->is_list && !b->is_list && is_uniform(&a->form) && is_uniform(&b->form)) {
		form.constant = summary_values_combine(code, a->form.constant, b->form.constant);
		memcpy(form.by_group, by_group, sizeof form.by_group);
		vkr_summary_set(space, operation, &form);
		return;
	}
	const uint8_t moving = shifts ? 0 : summary_values_moves(a) | summary_values_moves(b);
	const uint8_t varying = summary_values_varies(a) | summary_values_varies(b);
	const struct vkr_lane_samples samples = samples_of(space, varying);
	if (samples.count < space->local_size) {
		const uint32_t of_group[] = {shifts ? 0 : shift_of(a->form.by_group, space->id),
					     shifts ? 0 : shift_of(b->form.by_group, space->id)};
		take_samples(space, a, &samples, of_group[0], space->scratch[0]);
		take_samples(space, b, &samples, of_group[1], space->scratch[1]);
		uint32_t *to = begin_list(space, operation);
		if (to == NULL)
			return;
		combine_lists(code, space->scratch[0], space->scratch[1], samples.count,
			      space->few);
		vkr_lane_samples_spread(&samples, space->few, space->local_size, to);
		end_list(space, operation, to, by_group, moving, varying);
		return;
	}
	const uint32_t *of_a = shifts ? lanes_of(space, a, space->scratch[0])
				      : list_of(space, a, space->scratch[0]);
	const uint32_t *of_b = shifts ? lanes_of(space, b, space->scratch[1])
				      : list_of(space, b, space->scratch[1]);
	uint32_t *to = begin_list(space, operation);
	if (to == NULL)
		return;
	combine_lists(code, of_a, of_b, space->local_size, to);
	end_list(space, operation, to, by_group, moving, varying);
}

const uint32_t *vkr_summary_list(const struct vkr_summary_space *space, uint32_t reg,
				 uint32_t *scratch, uint32_t *value, uint8_t *moving)
{
	const struct vkr_summary_value *of = &space->registers[reg];
	*moving = summary_values_moves(of);
	*value = of->form.constant;
	if (is_constant(of))
		return NULL;
	return list_of(space, of, scratch);
}

bool vkr_summary_truth(struct vkr_summary_space *space, uint32_t reg, bool *outcome,
		       const uint32_t **lanes, uint8_t *moving)
{
	const struct vkr_summary_value *value = &space->registers[reg];
	const struct vkr_summary_value zero = {0};
	*moving = 0;
	if (!(value->is_list && is_fixed(&value->form)) &&
	    compare_bounds(space, VKR_SUMMARY_NOT_EQUAL, value, &zero, outcome))
		return true;
	*lanes = list_of(space, value, space->scratch[0]);
	*moving = summary_values_moves(value);
	const uint32_t *of = *lanes, count = space->local_size;
	const uint8_t *mask = space->mask;
	uint32_t here = 0;
	for (uint32_t at = 0; at < count; at++)
		here += (mask[at] != 0) & (of[at] != 0);
	*outcome = here > 0;
	return here == 0 || here == space->active;
}
