// SPDX-License-Identifier: Apache-2.0
// Reports in JSON that are damaged: each is refused with a message that says where and why.
#include "report_json.h"
#include "sample_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refuse(const char *json, size_t bytes, enum vkr_result result, const char *message)
{
	struct vkr_report_copy copy;
	struct vkr_error error = {0};
	assert_int_equal(vkr_report_read_json(&copy, "r.json", json, bytes, &error), result);
	if (!strstr(error.message, message))
		fail_msg("\"%s\" does not say \"%s\"", error.message, message);
}

static void sample_json(const char *name, char **text)
{
	size_t bytes;
	FILE *memory = open_memstream(text, &bytes);
	assert_int_equal(vkr_report_json(vkr_sample_report(name), memory, NULL), VKR_OK);
	fclose(memory);
}

// The sample with the first occurrence of one text replaced.
static void refuse_changed(const char *sample, const char *from, const char *to,
			   enum vkr_result result, const char *message)
{
	char *json = NULL, *changed = NULL;
	sample_json(sample, &json);
	char *at = strstr(json, from);
	assert_non_null(at);
	*at = 0;
	assert_true(asprintf(&changed, "%s%s%s", json, to, at + strlen(from)) > 0);
	refuse(changed, strlen(changed), result, message);
	free(changed);
	free(json);
}

static void test_no_json(void **state)
{
	(void)state;
	refuse("", 0, VKR_ERROR_FORMAT, "r.json: offset 0: ");
	refuse("{\"a\": }", 7, VKR_ERROR_FORMAT, "r.json: offset 7: ");
	refuse("{\"a\":1,\"a\":1}", 13, VKR_ERROR_FORMAT, "duplicate object key");
	refuse("[]", 2, VKR_ERROR_FORMAT, "no vkrace report: version is missing");
	refuse("{}", 2, VKR_ERROR_FORMAT, "no vkrace report: version is missing");
}

static void test_damaged_member(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to;
		enum vkr_result result;
		const char *message;
	} cases[] = {
		{"\"version\": 1", "\"version\": 2", VKR_ERROR_VERSION, "report version 2"},
		{"\"program\"", "\"x\"", VKR_ERROR_FORMAT, "report.program: is missing"},
		{"\"races\": [", "\"races\": 1, \"x\": [", VKR_ERROR_FORMAT,
		 "races: is missing or no list"},
		{"\"class\": \"unordered\"", "\"class\": \"disorder\"", VKR_ERROR_FORMAT,
		 "races[0].class: is no class of races"},
		{"\"kind\": \"barrier before\"", "\"kind\": \"fence\"", VKR_ERROR_FORMAT,
		 "changes[0].kind: is no kind of change"},
		{"\"VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT\"", "\"COMPUTE\"", VKR_ERROR_FORMAT,
		 "changes[0].masks.source_stages: is no list of pipeline stages"},
		{"\"command\": 8", "\"command\": 0", VKR_ERROR_FORMAT,
		 "changes[1].place: names neither a call nor a command of a command buffer"},
		{"\"places\": 4", "\"places\": \"x\"", VKR_ERROR_FORMAT,
		 "changes[0].checked: has no number of places"},
		{"\"agent\": \"invocation\"", "\"agent\": 3", VKR_ERROR_FORMAT,
		 "races[0].first.agent: is no agent"},
		{"\"offset\": 128", "\"offset\": -1", VKR_ERROR_FORMAT,
		 "races[0].first.offset: is no number from 0"},
		{"\"offset\": 128", "\"offset\": \"18446744073709551616\"", VKR_ERROR_FORMAT,
		 "races[0].first.offset: is no number from 0"},
		{"\"offset\": 128", "\"offset\": \"-1\"", VKR_ERROR_FORMAT,
		 "races[0].first.offset: is no number from 0"},
		{"\"line\": 7", "\"line\": 4294967296", VKR_ERROR_FORMAT,
		 "races[0].first.source.line: is no number from 0 to 4294967295"},
		{"\"atomic\": false", "\"atomic\": 0", VKR_ERROR_FORMAT,
		 "races[0].first.atomic: is neither true nor false"},
		{"\"subgroup\": 5", "\"subgroup\": false", VKR_ERROR_FORMAT,
		 "races[0].first.subgroup: is neither null nor a number"},
		{"\"fedcba9876543210\"", "\"fedcba987654321\"", VKR_ERROR_FORMAT,
		 "races[0].first.source.shader_hash: is not 16 hexadecimal digits"},
		{"\"workgroup\": [", "\"workgroup\": [7,", VKR_ERROR_FORMAT,
		 "races[0].first.workgroup: is not three numbers"},
		{"\"source\": {", "\"source\": [], \"x\": {", VKR_ERROR_FORMAT,
		 "races[0].first.source: is missing or no object"},
		{"\"command\": {", "\"command\": null, \"x\": {", VKR_ERROR_FORMAT,
		 "races[0].first.command: is missing or no object"},
		{"\"second\"", "\"x\"", VKR_ERROR_FORMAT,
		 "races[0].second: is missing or no object"},
		{"\"thread\"", "\"x\"", VKR_ERROR_FORMAT, "races[3].first.thread: is missing"},
		{"\"kind\": \"shader\"", "\"kind\": null", VKR_ERROR_FORMAT,
		 "coverage[0].kind: is no text"},
		{"\"suppressed\"", "\"x\"", VKR_ERROR_FORMAT, "suppressed: is missing"},
		{"\"verdict\": \"races\"", "\"verdict\": \"none\"", VKR_ERROR_FORMAT,
		 "verdict: does not agree with races and coverage"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		refuse_changed("full", cases[i].from, cases[i].to, cases[i].result,
			       cases[i].message);
}

// Every prefix of a report is refused, without a crash.
static void test_prefixes(void **state)
{
	(void)state;
	char *json = NULL;
	sample_json("odd", &json);
	for (size_t bytes = 0; bytes + 2 < strlen(json); bytes++)
		refuse(json, bytes, VKR_ERROR_FORMAT, "r.json: offset ");
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_damaged_member),
		cmocka_unit_test(test_prefixes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
