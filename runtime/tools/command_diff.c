// SPDX-License-Identifier: Apache-2.0
// `vkrace diff`: which races of two reports or traces are new, which are gone. Knows the outputs,
// and not what a race is.
#include "commands.h"
#include "report_diff.h"
#include "report_source.h"
#include "tool_options.h"

#include <stdio.h>
#include <unistd.h>

static enum vkr_result print_diff(const struct vkr_tool_options *options,
				  const struct vkr_report *before, const struct vkr_report *after,
				  uint32_t *added, struct vkr_error *error)
{
	const struct vkr_report_text_options text = {.colour = isatty(STDOUT_FILENO) == 1,
						     .quote = true};
	struct vkr_report_diff diff;
	enum vkr_result result = vkr_report_diff_make(&diff, before, after, error);
	if (result != VKR_OK)
		return result;
	if (options->as_json)
		result = vkr_report_diff_json(&diff, stdout, error);
	else if (!options->quiet)
		result = vkr_report_diff_text(&diff, stdout, &text, error);
	*added = diff.races.added;
	vkr_report_diff_finish(&diff);
	return result;
}

static enum vkr_result command_diff_compare(const struct vkr_tool_options *options, char **paths,
					    uint32_t *added, struct vkr_error *error)
{
	const struct vkr_judging_options leave_out = {.suppressions = options->suppressions,
						      .only = options->only};
	struct vkr_report_source sources[2] = {{.report = NULL}, {.report = NULL}};
	struct vkr_report_view views[2] = {{.races = NULL}, {.races = NULL}};
	enum vkr_result result = VKR_OK;
	for (int i = 0; i < 2 && result == VKR_OK; i++) {
		result = vkr_report_source_open(&sources[i], paths[i], &leave_out, error);
		if (result == VKR_OK)
			result = vkr_report_filter_apply(&sources[i].judging.filter,
							 sources[i].report, &views[i], error);
	}
	if (result == VKR_OK)
		result = print_diff(options, &views[0].report, &views[1].report, added, error);
	for (int i = 0; i < 2; i++) {
		vkr_report_view_finish(&views[i]);
		vkr_report_source_close(&sources[i]);
	}
	return result;
}

int vkr_command_diff(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted = VKR_OPTION_SET(
		VKR_OPTION(JSON), VKR_OPTION(SUPPRESSIONS), VKR_OPTION(ONLY),
		VKR_OPTION(ONLY_PRACTICAL), VKR_OPTION(QUIET), VKR_OPTION(EXIT_CODE));
	struct vkr_tool_options options;
	struct vkr_error error;
	uint32_t added = 0;
	int exit_code = VKR_EXIT_RACES;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.exit_code &&
	    !vkr_tool_option_number("diff", "--exit-code", options.exit_code, 255, &exit_code))
		return VKR_EXIT_FAILURE;
	if (options.operands + 2 != argc) {
		fprintf(stderr, "vkrace diff: give two traces or JSON reports: "
				"vkrace diff [options] BEFORE AFTER\n");
		return VKR_EXIT_FAILURE;
	}
	if (command_diff_compare(&options, argv + options.operands, &added, &error) != VKR_OK) {
		fprintf(stderr, "vkrace diff: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return added ? exit_code : 0;
}
