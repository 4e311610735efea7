// SPDX-License-Identifier: Apache-2.0
// `vkrace export`: a report or a trace for other tools. Knows their forms' names, and not what a
// race is.
#include "commands.h"
#include "error.h"
#include "perfetto.h"
#include "report_dot.h"
#include "report_source.h"
#include "tool_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

static enum vkr_result write_perfetto(const char *output, const struct vkr_run_line *timeline,
				      const struct vkr_report *report, struct vkr_error *error)
{
	FILE *out = output ? fopen(output, "we") : stdout;
	if (!out)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot write '%s': %s", output,
				     strerror(errno));
	enum vkr_result result = vkr_perfetto_write(timeline, report, out, error);
	if (output && fclose(out) != 0 && result == VKR_OK)
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot write '%s': %s", output,
				       strerror(errno));
	return result;
}

static enum vkr_result export_trace(const struct vkr_tool_options *options, const char *path,
				    bool *failed, struct vkr_error *error)
{
	const struct vkr_judging_options all = {.only = NULL};
	struct vkr_run_line timeline;
	struct vkr_report_source source = {0};
	enum vkr_result result = vkr_run_line_make(&timeline, path, error);
	if (result == VKR_OK)
		result = vkr_report_source_open(&source, path, &all, error);
	*failed = source.failed;
	if (result == VKR_OK)
		result = write_perfetto(options->output, &timeline, source.report, error);
	vkr_report_source_close(&source);
	vkr_run_line_finish(&timeline);
	return result;
}

int vkr_command_export(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted =
		VKR_OPTION_SET(VKR_OPTION(DOT), VKR_OPTION(PERFETTO), VKR_OPTION(OUTPUT));
	struct vkr_tool_options options;
	struct vkr_error error;
	bool failed = false;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (!options.dot == !options.perfetto || options.operands + 1 != argc ||
	    (options.dot && options.output)) {
		fprintf(stderr, "vkrace export: what of which report? vkrace export --dot RACE "
				"TRACE|REPORT, or vkrace export --perfetto TRACE -o FILE\n");
		return VKR_EXIT_FAILURE;
	}
	const char *path = argv[options.operands];
	if ((options.dot ? export_race(&options, path, &failed, &error)
			 : export_trace(&options, path, &failed, &error)) != VKR_OK) {
		fprintf(stderr, "vkrace export: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return failed ? VKR_EXIT_FAILURE : 0;
}
