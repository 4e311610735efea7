// SPDX-License-Identifier: Apache-2.0
// Registers of all invocations of a workgroup at once must hold what each invocation computes
// alone. Knows operations; nothing of shaders.
#include "summary_values.h"

// cmocka.h wants these first.
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

static uint32_t value_at(struct both *both, uint32_t reg, uint32_t local)
{
	const struct vkr_summary_value *value = &both->space.registers[reg];
	uint32_t sum = value->form.constant;
	for (unsigned axis = 0; axis < 3; axis++)
		sum += value->form.by_group[axis] * both->space.id[axis] +
		       value->form.by_local[axis] * both->space.locals[axis][local];
	return value->is_list ? value->lanes[local] : sum;
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

static void mask_some(struct both *both)
{
	both->space.active = 0;
	for (uint32_t local = 0; local < LOCALS; local++) {
		both->space.mask[local] = next(&both->seed) % 3 != 0;
		both->space.active += both->space.mask[local];
	}
}

static void compare(struct both *both)
{
	for (uint32_t reg = 0; reg < REGISTERS; reg++)
		for (uint32_t local = 0; local < LOCALS; local++)
			if (value_at(both, reg, local) != both->values[reg][local])
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
				mask_some(&both);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(computes_what_each_does),
		cmocka_unit_test(guards_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
