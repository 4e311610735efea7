// SPDX-License-Identifier: Apache-2.0
// A race's identity: what changes from run to run or by an edit elsewhere is no part of it.
#include "race_identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ACCESS(kind, made_by)                                                                      \
	{                                                                                          \
		.agent = kind, .operation = made_by, .object = "buffer 3", .storage_class = "",    \
		.stack = "main nbody.c:12 in nbody\nstart", .image = {.aspect = ""},               \
		.source = {.shader = "forces",                                                     \
			   .entry_point = "main",                                                  \
			   .file = "shaders/forces.comp",                                          \
			   .line = 35,                                                             \
			   .expression = "bodies[]",                                               \
			   .instruction = ""},                                                     \
		.command = {                                                                       \
			.name = "vkCmdDispatch",                                                   \
			.recorded = "record_step() nbody.c:81 in nbody+0x1f20"                     \
		}                                                                                  \
	}

static const struct vkr_race_report sample = {
	.race_class = VKR_RACE_UNORDERED,
	.first = ACCESS(VKR_AGENT_INVOCATION, "OpStore"),
	.second = ACCESS(VKR_AGENT_HOST, "host read"),
};

static void test_same(void **state)
{
	(void)state;
	struct vkr_race_report race = sample;
	race.first.object = "buffer 17";
	race.first.offset = 64;
	race.first.source.line = 36;
	race.first.source.file = "/elsewhere/forces.comp";
	race.first.command.recorded = "record_step() /src/nbody.c:9 in nbody+0x2a";
	race.first.command.submission = 7;
	race.second.stack = "main ../nbody.c:1200 in nbody\nother";
	race.count = 12;
	assert_int_equal(vkr_race_identity(&race), vkr_race_identity(&sample));
	race.first = sample.second;
	race.second = sample.first;
	assert_int_equal(vkr_race_identity(&race), vkr_race_identity(&sample));
}

static void test_other(void **state)
{
	(void)state;
	struct vkr_race_report races[7] = {sample, sample, sample, sample, sample, sample, sample};
	races[0].race_class = VKR_RACE_PRIVATE;
	races[1].first.object = "buffers 3";
	races[2].first.source.expression = "bodies[].velocity";
	races[3].first.source.file = "integrate.comp";
	races[4].first.command.recorded = "record_end() nbody.c:81 in nbody+0x1f20";
	races[5].second.stack = "other nbody.c:12 in nbody";
	races[6].second.operation = "host write";
	for (size_t i = 0; i < sizeof races / sizeof *races; i++)
		assert_int_not_equal(vkr_race_identity(&races[i]), vkr_race_identity(&sample));
	// Without lines an instruction is told by its word.
	struct vkr_race_report first = sample, second;
	first.first.source.line = 0;
	second = first;
	second.first.source.spirv_word = 9;
	assert_int_not_equal(vkr_race_identity(&first), vkr_race_identity(&second));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_other),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
