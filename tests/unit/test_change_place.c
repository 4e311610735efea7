// SPDX-License-Identifier: Apache-2.0
// Places of changes at which several instructions of the host stand. Knows their texts alone.
#include "change_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CALLS "nbody+0x10, nbody+0x90; nbody+0x14, nbody+0x90; nbody+0x18"

static void calls_have_lengths(void **state)
{
	(void)state;
	assert_int_equal(vkr_change_call_length(CALLS), sizeof "nbody+0x10, nbody+0x90" - 1);
	assert_int_equal(vkr_change_call_length("nbody+0x10"), sizeof "nbody+0x10" - 1);
	assert_int_equal(vkr_change_call_length(""), 0);
}

static bool has_call(const char *call)
{
	bool there = false;
	vkr_change_call_find(CALLS, call, &there);
	return there;
}

static void calls_are_found_whole(void **state)
{
	(void)state;
	assert_true(has_call("nbody+0x10, nbody+0x90"));
	assert_true(has_call("nbody+0x14, nbody+0x90"));
	assert_true(has_call("nbody+0x18"));
	assert_false(has_call("nbody+0x14"));
	assert_false(has_call("nbody+0x18, nbody+0x90"));
	assert_false(has_call("nbody+0x1c"));
}

static const char *calls_from(const char *call)
{
	bool there = false;
	return vkr_change_call_find(CALLS, call, &there);
}

static void calls_have_an_order(void **state)
{
	(void)state;
	assert_string_equal(calls_from("nbody+0x0f"), CALLS);
	assert_string_equal(calls_from("nbody+0x10"), CALLS);
	assert_string_equal(calls_from("nbody+0x10, nbody+0x91"),
			    "nbody+0x14, nbody+0x90; nbody+0x18");
	assert_string_equal(calls_from("nbody+0x15"), "nbody+0x18");
	assert_string_equal(calls_from("nbody+0x18, nbody+0x90"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_have_lengths),
		cmocka_unit_test(calls_are_found_whole),
		cmocka_unit_test(calls_have_an_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
