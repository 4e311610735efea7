// SPDX-License-Identifier: Apache-2.0
// The litmus reader on damaged and on odd input, and the writer on what it read. Knows the format;
// no verdict.
#include "litmus.h"
#include "litmus_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER                                                                                     \
	"vlit 1\n"                                                                                 \
	"agent A invocation device=0 queuefamily=0 workgroup=0 subgroup=0\n"                       \
	"agent H host\n"                                                                           \
	"location x 4\n"

#define SECOND                                                                                     \
	"vlit 2\n"                                                                                 \
	"agent A invocation device=0 queuefamily=0 workgroup=0 subgroup=0\n"

// Damaged input, and the whole message it gets.
static const struct {
	const char *text, *message;
} damaged[] = {
	{"", "f:1: the first statement is not `vlit 1` or `vlit 2`"},
	{"# nothing\n\n", "f:1: the first statement is not `vlit 1` or `vlit 2`"},
	{"\nname x\n", "f:2: the first statement is not `vlit 1` or `vlit 2`"},
	{"vlit 3\n", "f:1: vlit version 3 is not known; this build reads versions 1 and 2"},
	{"vlit 1\nname\n", "f:2: expected: name TEXT"},
	{"vlit 1\nname# x\n", "f:2: expected: name TEXT"},
	{"vlit 1\n  name  # x\n", "f:2: expected: name TEXT"},
	{"vlit 1\nexpect maybe\n", "f:2: expected: expect race|norace"},
	{"vlit 1\nchains\n", "f:2: expected: chains on|off"},
	{"vlit 1\nlocation x 0\n", "f:2: expected: location NAME BYTES"},
	{"vlit 1\nlocation x 4294967295\n", "f:2: expected: location NAME BYTES"},
	{"vlit 1\nagent A host\nagent A host\n", "f:3: agent A is there already"},
	{"vlit 1\nagent A invocation device=0 queuefamily=0 workgroup=0\n",
	 "f:2: expected: agent NAME host, or agent NAME invocation device=N queuefamily=N "
	 "workgroup=N "
	 "subgroup=N"},
	{"vlit 1\nagent A invocation device=0 queuefamily=0 workgroup=0 subgroup=0\n"
	 "agent B invocation device=0 queuefamily=0 workgroup=1 subgroup=0\n",
	 "f:3: agent B shares its subgroup with A, but not what holds it"},
	{HEADER "reference z x 2 3\n", "f:5: reference z is not within x of 4 bytes"},
	{HEADER "reference x x\n", "f:5: reference x is there already"},
	{HEADER "reference z y\n", "f:5: unknown location y"},
	{HEADER "ssw A B\n", "f:5: unknown agent B"},
	{HEADER "e A\n", "f:5: an event needs a label, an agent and an operation"},
	{HEADER "e B load x\n", "f:5: unknown agent B"},
	{HEADER "e A jump x\n", "f:5: unknown operation jump"},
	{HEADER "e A load\n", "f:5: load needs a reference"},
	{HEADER "e A load z\n", "f:5: unknown reference z"},
	{HEADER "e A load x\ne A load x\n", "f:6: label e is there already"},
	{HEADER "e A load x bytes=1\n", "f:5: bytes= is not OFFSET:LENGTH"},
	{HEADER "e A load x bytes=1:4\n", "f:5: bytes=1:4 is not within x of 4 bytes"},
	{HEADER "e A load x class=stack\n", "f:5: unknown value class=stack"},
	{HEADER "e A load x colour=red\n", "f:5: unknown word colour=red"},
	{HEADER "e A load x available=device\n", "f:5: available=device does not belong here"},
	{HEADER "e A fence atomic\n", "f:5: atomic does not belong here"},
	{HEADER "e A store x order=release\n",
	 "f:5: scope, order, sem, makeavailable and makevisible belong to atomics, fences and "
	 "barriers"},
	{HEADER "e A load x from=f\n", "f:5: unknown label f"},
	{HEADER "f H flush x\ne A load x from=f\n", "f:6: e cannot read from f"},
	{HEADER "e A rmw x scope=device after=f\nf A store x\n",
	 "f:5: f is no atomic write to the bytes of e"},
	{HEADER "e A load x\ne ssw f\n", "f:6: unknown label f"},
	{HEADER "e A load x\ne ssw e\n", "f:6: event e cannot synchronize with itself"},
	{HEADER "e A domain host host\n",
	 "f:5: a domain operation is `host device` or `device host`"},
	{HEADER "e A flush\n", "f:5: flush needs a reference"},
	// Version 2, and the parts of it that version 1 does not know.
	{"vlit 2\nexpect hrf-direct\n", "f:2: expected: expect [MODEL] race|norace"},
	{"vlit 2\nexpect hrf race\n", "f:2: there is no memory model hrf"},
	{"vlit 1\nexpect vulkan race\n", "f:2: expected: expect race|norace"},
	{"vlit 2\nlocation x 4 space=private\n",
	 "f:2: expected: location NAME BYTES [space=global|local] [alloc=coarse|fine|atomic]"},
	{"vlit 1\nlocation x 4 space=local\n", "f:2: expected: location NAME BYTES"},
	{HEADER "e A fence order=seqcst\n", "f:5: unknown value order=seqcst"},
	{HEADER "e A fence scope=invocation\n", "f:5: unknown value scope=invocation"},
	{HEADER "e A fence spaces=local\n", "f:5: unknown word spaces=local"},
	{SECOND "e A fence spaces=all\n", "f:3: unknown value spaces=all"},
	{SECOND "e A available spaces=local\n", "f:3: spaces=local does not belong here"},
};

static void read_damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
		struct vkr_litmus execution;
		struct vkr_error error;
		enum vkr_result result = vkr_litmus_read(&execution, "f", damaged[i].text,
							 strlen(damaged[i].text), &error);
		assert_int_not_equal(result, VKR_OK);
		assert_int_equal(result, error.result);
		assert_string_equal(error.message, damaged[i].message);
	}
}

static void read_nul(void **state)
{
	(void)state;
	static const char text[] = "vlit 1\nname a\0b\n";
	struct vkr_litmus execution;
	struct vkr_error error;
	assert_int_equal(vkr_litmus_read(&execution, "f", text, sizeof text - 1, &error),
			 VKR_ERROR_FORMAT);
	assert_string_equal(error.message, "f:2: a NUL byte");
}

static const char odd[] = "# a comment\r\n"
			  "vlit   1 # another\r\n"
			  "name  a.test#chains  # third\r\n"
			  "location x 8\r\n"
			  "reference half x 4 4\r\n"
			  "location y 4\r\n"
			  "agent A invocation subgroup=3 workgroup=2 queuefamily=1 device=0\r\n"
			  "agent H host\r\n"
			  "e1 A store half bytes=1:2 available=workgroup\r\n"
			  "e2 H rmw y order=acqrel\r\n"
			  "e3 A load x\r\n"
			  "e4 A barrier id=a_1 order=relaxed scope=device\r\n"
			  "e5 A barrier id=a_1\r\n"
			  "e6 H flush half y\r\n"
			  "e7 A rmw y scope=device from=e2 after=e2\r\n"
			  "e1 ssw e2\r\n"
			  "ssw A H";

static void check_odd(const struct vkr_litmus *execution)
{
	const struct vkr_litmus_event *events = execution->events;
	assert_string_equal(execution->name, "a.test#chains");
	assert_true(execution->chains);
	assert_int_equal(execution->reference_count, 3);
	assert_string_equal(execution->references[1].name, "y");
	assert_string_equal(execution->references[2].name, "half");
	assert_int_equal(events[0].reference, 2);
	assert_int_equal(events[0].offset, 5);
	assert_int_equal(events[0].size, 2);
	assert_true(events[0].nonprivate);
	assert_int_equal(events[0].storage_class, VKR_LITMUS_UNIFORM);
	assert_int_equal(events[1].scope, VKR_LITMUS_CROSS_DEVICE);
	assert_int_equal(events[1].storage_class, 0);
	assert_int_equal(events[1].from, VKR_LITMUS_NONE);
	assert_int_equal(events[2].from, 0);
	assert_true(events[3].fence);
	assert_int_equal(events[3].execution, VKR_LITMUS_WORKGROUP_SCOPE);
	assert_false(events[4].fence);
	assert_int_equal(events[3].instance, events[4].instance);
	assert_int_equal(events[5].references[0], 2);
	assert_int_equal(events[5].references[1], 1);
	assert_int_equal(events[6].from, 1);
	assert_int_equal(events[6].after, 1);
	assert_int_equal(events[6].available, VKR_LITMUS_DEVICE);
	assert_int_equal(execution->event_edges[0].second, 1);
	assert_int_equal(execution->agent_edges[0].second, 1);
}

static void read_odd(void **state)
{
	(void)state;
	struct vkr_litmus execution;
	struct vkr_error error;
	assert_int_equal(vkr_litmus_read(&execution, "f", odd, sizeof odd - 1, &error), VKR_OK);
	check_odd(&execution);
	vkr_litmus_finish(&execution);
}

static void write_and_read(void **state)
{
	(void)state;
	struct vkr_litmus execution;
	struct vkr_error error;
	char *text = NULL;
	size_t length = 0;
	assert_int_equal(vkr_litmus_read(&execution, "f", odd, sizeof odd - 1, &error), VKR_OK);
	FILE *file = open_memstream(&text, &length);
	assert_non_null(file);
	assert_int_equal(vkr_litmus_write(&execution, file, &error), VKR_OK);
	fclose(file);
	vkr_litmus_finish(&execution);
	assert_int_equal(vkr_litmus_read(&execution, "f", text, length, &error), VKR_OK);
	check_odd(&execution);
	vkr_litmus_finish(&execution);
	free(text);
}

// Synchronization both ways, as no execution can have it, still gets a verdict.
static void judge_cycle(void **state)
{
	(void)state;
	static const char text[] =
		"vlit 1\nlocation x 4\n"
		"agent A invocation device=0 queuefamily=0 workgroup=0 subgroup=0\n"
		"agent B invocation device=0 queuefamily=0 workgroup=1 subgroup=1\n"
		"ssw A B\nssw B A\n"
		"e1 A load x\ne2 B store x\ne3 A load x\n";
	struct vkr_litmus execution;
	struct vkr_litmus_verdict verdict = {.count = 1};
	struct vkr_error error;
	assert_int_equal(vkr_litmus_read(&execution, "f", text, sizeof text - 1, &error), VKR_OK);
	assert_int_equal(
		vkr_litmus_judge(&execution, &(struct vkr_memory_rules){0}, &verdict, &error),
		VKR_OK);
	assert_int_equal(verdict.count, 0);
	free(verdict.races);
	vkr_litmus_finish(&execution);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_damaged), cmocka_unit_test(read_nul),
		cmocka_unit_test(read_odd),     cmocka_unit_test(write_and_read),
		cmocka_unit_test(judge_cycle),
	};
	return cmocka_run_group_tests_name("litmus read", tests, NULL, NULL);
}
