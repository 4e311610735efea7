// SPDX-License-Identifier: Apache-2.0
// Registers of all invocations of a workgroup at once must hold what each invocation computes
// alone. Knows operations; nothing of shaders.
#include "summary_values.h"

// cmocka.h wants these first.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REGISTERS 12u
#define LOCALS    24u

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

static uint32_t alone(enum vkr_summary_code code, uint32_t a, uint32_t b)
{
	const bool is_odd = b == 0 || (a == 0x80000000 && b == UINT32_MAX); // no quotient
	switch (code) {
	case VKR_SUMMARY_ADD:
		return a + b;
	case VKR_SUMMARY_SUBTRACT:
		return a - b;
	case VKR_SUMMARY_MULTIPLY:
		return a * b;
	case VKR_SUMMARY_SHIFT_LEFT:
		return a << (b % 32);
	case VKR_SUMMARY_SHIFT_RIGHT:
		return a >> (b % 32);
	case VKR_SUMMARY_SHIFT_RIGHT_SIGNED:
		return a >> (b % 32) | (a >> 31 && b % 32 ? UINT32_MAX << (32 - b % 32) : 0);
	case VKR_SUMMARY_AND:
		return a & b;
	case VKR_SUMMARY_OR:
		return a | b;
	case VKR_SUMMARY_XOR:
		return a ^ b;
	case VKR_SUMMARY_DIVIDE:
		return b ? a / b : 0;
	case VKR_SUMMARY_REMAINDER:
		return b ? a % b : 0;
	case VKR_SUMMARY_DIVIDE_SIGNED:
		return is_odd ? 0 : (uint32_t)((int32_t)a / (int32_t)b);
	case VKR_SUMMARY_REMAINDER_SIGNED:
		return is_odd ? 0 : (uint32_t)((int32_t)a % (int32_t)b);
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
	default:
		return (int32_t)a <= (int32_t)b;
	}
}

struct both {
	struct vkr_summary_space space;
	uint32_t values[REGISTERS][LOCALS];
	uint64_t seed;
};

// A register's value in workgroup `id`.
static uint32_t value_in(struct both *both, const uint32_t *id, uint32_t reg, uint32_t local)
{
	const struct vkr_summary_value *value = &both->space.registers[reg];
	uint32_t sum = value->is_list ? value->lanes[local] : value->form.constant;
	for (unsigned axis = 0; axis < 3; axis++) {
		sum += value->form.by_group[axis] * id[axis];
		if (!value->is_list)
			sum += value->form.by_local[axis] * both->space.locals[axis][local];
	}
	return sum;
}

static uint32_t value_at(struct both *both, uint32_t reg, uint32_t local)
{
	return value_in(both, both->space.id, reg, local);
}

// A form whose numbers are small, or at the edges of what 32 bits hold.
static struct vkr_form random_form(struct both *both)
{
	static const uint32_t edges[] = {0, 1, 2, 4, 7, 0x7fffffff, 0x80000000, UINT32_MAX};
	struct vkr_form form = {.constant = edges[next(&both->seed) % 8]};
	for (unsigned axis = 0; axis < 3; axis++) {
		if (next(&both->seed) % 3 == 0)
			form.by_group[axis] = edges[next(&both->seed) % 8];
		if (next(&both->seed) % 3 == 0)
			form.by_local[axis] = edges[next(&both->seed) % 8];
	}
	return form;
}

static void set_both(struct both *both, uint32_t reg)
{
	const struct vkr_summary_operation operation = {.code = VKR_SUMMARY_CONSTANT,
							.result = reg};
	const struct vkr_form form = random_form(both);
	vkr_summary_set(&both->space, &operation, &form);
	for (uint32_t local = 0; local < LOCALS; local++) {
		uint32_t sum = form.constant;
		for (unsigned axis = 0; axis < 3; axis++)
			sum += form.by_group[axis] * both->space.id[axis] +
			       form.by_local[axis] * both->space.locals[axis][local];
		if (both->space.mask[local])
			both->values[reg][local] = sum;
	}
}

static void operate_both(struct both *both)
{
	const struct vkr_summary_operation operation = {
		.code = (uint8_t)(VKR_SUMMARY_MOVE +
				  next(&both->seed) %
					  (VKR_SUMMARY_LESS_EQUAL_SIGNED - VKR_SUMMARY_MOVE + 1)),
		.result = next(&both->seed) % REGISTERS,
		.a = next(&both->seed) % REGISTERS,
		.b = next(&both->seed) % REGISTERS,
		.c = next(&both->seed) % REGISTERS};
	uint32_t made[LOCALS];
	for (uint32_t local = 0; local < LOCALS; local++) {
		const uint32_t a = both->values[operation.a][local];
		const uint32_t b = both->values[operation.b][local];
		if (operation.code == VKR_SUMMARY_MOVE)
			made[local] = a;
		else if (operation.code == VKR_SUMMARY_SELECT)
			made[local] = a ? b : both->values[operation.c][local];
		else
			made[local] = alone((enum vkr_summary_code)operation.code, a, b);
	}
	vkr_summary_operate(&both->space, &operation);
	for (uint32_t local = 0; local < LOCALS; local++)
		if (both->space.mask[local])
			both->values[operation.result][local] = made[local];
}

// Some are not here: they have ended, or go on elsewhere.
static void mask_some(struct both *both, bool ended)
{
	both->space.together = ended;
	both->space.active = 0;
	for (uint32_t local = 0; local < LOCALS; local++) {
		both->space.mask[local] = next(&both->seed) % 3 != 0;
		both->space.active += both->space.mask[local];
	}
}

// What is in the registers of all that have not ended.
static void compare(struct both *both)
{
	for (uint32_t reg = 0; reg < REGISTERS; reg++)
		for (uint32_t local = 0; local < LOCALS; local++)
			if ((both->space.mask[local] || !both->space.together) &&
			    value_at(both, reg, local) != both->values[reg][local])
				fail_msg("seed %llx: register %u of invocation %u",
					 (unsigned long long)both->seed, reg, local);
}

static void computes_what_each_does(void **state)
{
	(void)state;
	struct both both = {.seed = 1};
	const uint32_t size[3] = {4, 3, 2};
	for (uint32_t round = 0; round < 3000; round++) {
		const uint32_t id[3] = {next(&both.seed) % 3, next(&both.seed) % 70000, round % 2};
		assert_true(vkr_summary_space_begin(&both.space, REGISTERS, size));
		vkr_summary_space_enter(&both.space, id);
		memset(both.values, 0, sizeof both.values);
		for (uint32_t reg = 0; reg < REGISTERS / 2; reg++)
			set_both(&both, reg);
		for (uint32_t step = 0; step < 30; step++) {
			if (step == 10)
				mask_some(&both, round % 3 == 0);
			operate_both(&both);
		}
		set_both(&both, round % REGISTERS);
		compare(&both);
	}
	assert_false(both.space.failed);
	vkr_summary_space_finish(&both.space);
}

// What came out alike, and is said to come out so elsewhere, does.
static void guards_are_right(void **state)
{
	(void)state;
	struct both both = {.seed = 7};
	const uint32_t size[3] = {4, 3, 2}, first[3] = {1, 1, 1};
	uint32_t held = 0;
	for (uint32_t round = 0; round < 3000; round++) {
		const struct vkr_summary_operation less = {
			.code = (uint8_t)(VKR_SUMMARY_EQUAL + round % 6), .result = 2, .b = 1};
		assert_true(vkr_summary_space_begin(&both.space, REGISTERS, size));
		both.space.notes = true;
		vkr_summary_space_enter(&both.space, first);
		set_both(&both, 0);
		set_both(&both, 1);
		const struct vkr_form a = both.space.registers[0].form;
		const struct vkr_form b = both.space.registers[1].form;
		vkr_summary_operate(&both.space, &less);
		if (both.space.registers[2].is_list)
			continue;
		const uint32_t outcome = both.space.registers[2].form.constant;
		const uint32_t id[3] = {next(&both.seed) % 5, next(&both.seed) % 70000, 0};
		if (!vkr_summary_guards_hold(&both.space, id))
			continue;
		held++;
		both.space.notes = false;
		vkr_summary_space_enter(&both.space, id);
		both.space.registers[0].form = a;
		both.space.registers[1].form = b;
		for (uint32_t local = 0; local < LOCALS; local++)
			assert_int_equal(alone((enum vkr_summary_code)less.code,
					       value_at(&both, 0, local),
					       value_at(&both, 1, local)),
					 outcome);
	}
	assert_true(held > 100);
	vkr_summary_space_finish(&both.space);
}

// Where an invocation of workgroup `id` is, as shaders know it, and some numbers.
static void set_as_shaders_do(struct both *both, const uint32_t *ids, uint32_t other[][LOCALS],
			      uint32_t reg)
{
	static const uint32_t numbers[] = {0, 1, 2, 3, 4, 8, 12, 15, 16, 17, 24, 31, 64, 100, 256};
	const struct vkr_summary_operation operation = {.code = VKR_SUMMARY_CONSTANT,
							.result = reg};
	struct vkr_form form = {.constant = numbers[next(&both->seed) % 15]};
	if (next(&both->seed) % 2 == 0) {
		form.by_group[0] = numbers[next(&both->seed) % 15];
		form.by_group[1] = next(&both->seed) % 2 * 96;
		form.by_local[0] = numbers[next(&both->seed) % 4];
		form.by_local[1] = next(&both->seed) % 2 * 4;
	}
	vkr_summary_set(&both->space, &operation, &form);
	for (uint32_t local = 0; local < LOCALS; local++)
		for (unsigned which = 0; which < 2; which++) {
			uint32_t sum = form.constant;
			for (unsigned axis = 0; axis < 3; axis++)
				sum += form.by_group[axis] * ids[3 * which + axis] +
				       form.by_local[axis] * both->space.locals[axis][local];
			(which ? other[reg] : both->values[reg])[local] = sum;
		}
}

static uint32_t make(const struct vkr_summary_operation *operation, uint32_t values[][LOCALS],
		     uint32_t local)
{
	const uint32_t a = values[operation->a][local], b = values[operation->b][local];
	if (operation->code == VKR_SUMMARY_MOVE)
		return a;
	if (operation->code == VKR_SUMMARY_SELECT)
		return a ? b : values[operation->c][local];
	return alone((enum vkr_summary_code)operation->code, a, b);
}

// Where the guards of one workgroup hold in another one, what registers hold that do not move is
// what each invocation of that one computes.
static void registers_hold_elsewhere(void **state)
{
	(void)state;
	struct both both = {.seed = 23};
	const uint32_t size[3] = {4, 3, 2};
	static uint32_t other[REGISTERS][LOCALS];
	uint32_t held = 0, shifted = 0, quotients = 0;
	for (uint32_t round = 0; round < 20000; round++) {
		const uint32_t ids[6] = {next(&both.seed) % 5, next(&both.seed) % 3,     0,
					 next(&both.seed) % 9, next(&both.seed) % 70000, 0};
		assert_true(vkr_summary_space_begin(&both.space, REGISTERS, size));
		both.space.notes = true;
		vkr_summary_space_enter(&both.space, ids);
		memset(both.values, 0, sizeof both.values);
		memset(other, 0, sizeof other);
		for (uint32_t reg = 0; reg < 7; reg++)
			set_as_shaders_do(&both, ids, other, reg);
		bool divides = false;
		for (uint32_t step = 0; step < 10; step++) {
			const struct vkr_summary_operation operation = {
				.code = (uint8_t)(VKR_SUMMARY_MOVE +
						  next(&both.seed) %
							  (VKR_SUMMARY_LESS_EQUAL_SIGNED -
							   VKR_SUMMARY_MOVE + 1)),
				.result = 7 + next(&both.seed) % (REGISTERS - 7),
				.a = next(&both.seed) % REGISTERS,
				.b = next(&both.seed) % REGISTERS,
				.c = next(&both.seed) % REGISTERS};
			uint32_t made[2][LOCALS];
			if (step == 5)
				mask_some(&both, false);
			for (uint32_t local = 0; local < LOCALS; local++) {
				made[0][local] = make(&operation, both.values, local);
				made[1][local] = make(&operation, other, local);
			}
			vkr_summary_operate(&both.space, &operation);
			for (uint32_t local = 0; local < LOCALS; local++) {
				if (!both.space.mask[local])
					continue;
				both.values[operation.result][local] = made[0][local];
				other[operation.result][local] = made[1][local];
			}
		}
		compare(&both);
		for (size_t at = 0; at < both.space.guards.count; at++)
			divides |= both.space.guards.items[at].code == VKR_SUMMARY_DIVIDE &&
				   both.space.guards.items[at].outcome;
		if (!vkr_summary_guards_hold(&both.space, ids + 3))
			continue;
		held++;
		quotients += divides;
		for (uint32_t reg = 0; reg < REGISTERS; reg++) {
			const struct vkr_summary_value *value = &both.space.registers[reg];
			if (value->is_list && value->moves)
				continue;
			shifted += value->is_list && value->form.by_group[0] != 0;
			for (uint32_t local = 0; local < LOCALS; local++)
				if (both.space.mask[local] &&
				    value_in(&both, ids + 3, reg, local) != other[reg][local])
					fail_msg("round %u: register %u of invocation %u", round,
						 reg, local);
		}
	}
	assert_true(held > 10000 && shifted > 200 && quotients > 1000);
	vkr_summary_space_finish(&both.space);
}

static float float_at(struct both *both, uint32_t reg, uint32_t local)
{
	const uint32_t bits = value_at(both, reg, local);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

// What a driver may come to: rounded down, up or to the nearest one; quotients some units in the
// last place further away.
static float round_somehow(uint64_t *seed, bool is_quotient, double exact)
{
	const uint32_t way = next(seed) % 3;
	float value = (float)exact;
	if (way == 1 && (double)value > exact)
		value = nextafterf(value, -INFINITY);
	if (way == 2 && (double)value < exact)
		value = nextafterf(value, INFINITY);
	for (uint32_t step = is_quotient ? next(seed) % 2 : 0; step > 0; step--)
		value = nextafterf(value, way == 1 ? -INFINITY : INFINITY);
	return value;
}

static double apply(enum vkr_summary_code code, double a, double b)
{
	switch (code) {
	case VKR_SUMMARY_FLOAT_ADD:
		return a + b;
	case VKR_SUMMARY_FLOAT_SUBTRACT:
		return a - b;
	case VKR_SUMMARY_FLOAT_MULTIPLY:
		return a * b;
	case VKR_SUMMARY_FLOAT_MINIMUM:
		return a < b ? a : b;
	case VKR_SUMMARY_FLOAT_MAXIMUM:
		return a > b ? a : b;
	case VKR_SUMMARY_FLOAT_SQUARE_ROOT:
		return sqrt(a);
	default: // VKR_SUMMARY_FLOAT_DIVIDE
		return a / b;
	}
}

// Floats are no further from what any driver comes to than their registers say, and exact where
// that follows.
static void floats_are_as_exact_as_they_say(void **state)
{
	(void)state;
	struct both both = {.seed = 11};
	const uint32_t size[3] = {4, 3, 2}, id[3] = {5, 7, 1};
	static const uint8_t codes[] = {VKR_SUMMARY_FLOAT_ADD,        VKR_SUMMARY_FLOAT_SUBTRACT,
					VKR_SUMMARY_FLOAT_MULTIPLY,   VKR_SUMMARY_FLOAT_DIVIDE,
					VKR_SUMMARY_FLOAT_MINIMUM,    VKR_SUMMARY_FLOAT_MAXIMUM,
					VKR_SUMMARY_FLOAT_SQUARE_ROOT};
	float of_driver[REGISTERS][LOCALS];
	uint32_t exact = 0, bounded = 0;
	for (uint32_t round = 0; round < 2000; round++) {
		assert_true(vkr_summary_space_begin(&both.space, REGISTERS, size));
		vkr_summary_space_enter(&both.space, id);
		for (uint32_t reg = 0; reg < 4; reg++) {
			const struct vkr_form form = {.constant = 1 + next(&both.seed) % 2000,
						      .by_local = {reg % 2, reg / 2, 0}};
			const struct vkr_summary_operation whole = {.result = reg};
			const struct vkr_summary_operation made = {
				.code = VKR_SUMMARY_FLOAT_OF_SIGNED, .result = reg + 4, .a = reg};
			vkr_summary_set(&both.space, &whole, &form);
			vkr_summary_operate(&both.space, &made);
			for (uint32_t local = 0; local < LOCALS; local++)
				of_driver[reg + 4][local] = float_at(&both, reg + 4, local);
		}
		for (uint32_t reg = 8; reg < REGISTERS; reg++) {
			const struct vkr_summary_operation operation = {
				.code = codes[next(&both.seed) % sizeof codes],
				.result = reg,
				.a = 4 + next(&both.seed) % (reg - 4),
				.b = 4 + next(&both.seed) % (reg - 4)};
			const enum vkr_summary_code code = (enum vkr_summary_code)operation.code;
			vkr_summary_operate(&both.space, &operation);
			const double error = both.space.registers[reg].error;
			for (uint32_t local = 0; local < LOCALS; local++) {
				const double found =
					apply(code, (double)of_driver[operation.a][local],
					      (double)of_driver[operation.b][local]);
				of_driver[reg][local] =
					round_somehow(&both.seed,
						      code == VKR_SUMMARY_FLOAT_DIVIDE ||
							      code == VKR_SUMMARY_FLOAT_SQUARE_ROOT,
						      found);
				const double off = fabs((double)of_driver[reg][local] -
							(double)float_at(&both, reg, local));
				assert_true(isnan(off) || isinf(off) || off <= error);
			}
			exact += error == 0;
			bounded += error > 0 && error < HUGE_VAL;
		}
	}
	assert_true(exact > 500 && bounded > 500);
	vkr_summary_space_finish(&both.space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floats_are_as_exact_as_they_say),
		cmocka_unit_test(computes_what_each_does),
		cmocka_unit_test(guards_are_right),
		cmocka_unit_test(registers_hold_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
