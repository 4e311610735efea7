// SPDX-License-Identifier: Apache-2.0
// `vkrace export`: a report or a trace for other tools. Knows their forms' names, and not what a
// race is.
#include "commands.h"
#include "error.h"
#include "report_dot.h"
#include "report_source.h"
#include "tool_options.h"

#include <stdio.h>

static enum vkr_result export_race(const struct vkr_tool_options *options, const char *path,
				   bool *failed, struct vkr_error *error)
{
	const struct vkr_judging_options all = {.only = NULL};
	struct vkr_report_source source;
	uint32_t race = 0;
	enum vkr_result result = vkr_report_source_open(&source, path, &all, error);
	*failed = source.failed;
	if (result == VKR_OK)
		result = vkr_report_find_race(source.report, options->dot, &race, error);
	if (result == VKR_OK)
		result = vkr_report_dot(source.report, race, stdout, error);
	vkr_report_source_close(&source);
	return result;
}

int vkr_command_export(int argc, char **argv)
{
	struct vkr_tool_options options;
	struct vkr_error error;
	bool failed = false;
	if (!vkr_tool_options_parse(argc, argv, VKR_OPTION(DOT), true, &options))
		return VKR_EXIT_FAILURE;
	if (!options.dot || options.operands + 1 != argc) {
		fprintf(stderr, "vkrace export: which race of which report? vkrace export --dot "
				"RACE TRACE|REPORT\n");
		return VKR_EXIT_FAILURE;
	}
	if (export_race(&options, argv[options.operands], &failed, &error) != VKR_OK) {
		fprintf(stderr, "vkrace export: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return failed ? VKR_EXIT_FAILURE : 0;
}
