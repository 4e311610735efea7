// SPDX-License-Identifier: Apache-2.0
// `vkrace replay`: judges a recorded trace. Knows the outputs, and not what a race is.
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "output_file.h"
#include "tool_options.h"

#include <unistd.h>

static enum vkr_result write_reports(const struct vkr_tool_options *options,
				     const struct vkr_report_text_options *text,
				     const struct vkr_report *report, struct vkr_error *error)
{
	struct vkr_output_file file;
	enum vkr_result result = VKR_OK;
	if (!options->quiet)
		result = vkr_judging_print(report, stdout, text, error);
	if (result != VKR_OK || !options->json)
		return result;
	result = vkr_output_file_open(&file, options->json, (uint32_t)getpid(), false, error);
	if (result != VKR_OK)
		return result;
	result = vkr_judging_write_json(report, file.descriptor, file.path, error);
	vkr_output_file_close(&file);
	return result;
}

static enum vkr_result replay(const struct vkr_tool_options *options,
			      const struct vkr_report_text_options *text, const char *path,
			      bool *races, struct vkr_error *error)
{
	struct vkr_judging judging;
	struct vkr_report_view view;
	const struct vkr_judging_options leave_out = {.suppressions = options->suppressions,
						      .only = options->only,
						      .baseline = options->baseline};
	enum vkr_result result = vkr_judging_init(&judging, &leave_out, error);
	if (result != VKR_OK)
		return result;
	result = vkr_source_open_file(&judging.source, path, error);
	if (result == VKR_OK) {
		result = vkr_judging_run(&judging, error);
		vkr_source_close(judging.source);
	}
	if (result == VKR_OK)
		result = vkr_judging_view(&judging, &view, error);
	if (result == VKR_OK) {
		result = write_reports(options, text, &view.report, error);
		*races = view.report.race_count > 0;
		vkr_report_view_finish(&view);
	}
	vkr_judging_finish(&judging);
	return result;
}

int vkr_command_replay(int argc, char **argv)
{
	const unsigned accepted = VKR_OPTION_JSON_FILE | VKR_OPTION_SUPPRESSIONS | VKR_OPTION_ONLY |
				  VKR_OPTION_QUIET | VKR_OPTION_EXIT_CODE | VKR_OPTION_BASELINE |
				  VKR_OPTION_BRIEF | VKR_OPTION_MAX_REPORTS;
	struct vkr_report_text_options text;
	struct vkr_tool_options options;
	struct vkr_error error;
	bool races = false;
	int exit_code = VKR_EXIT_RACES;
	if (!vkr_tool_options_parse(argc, argv, accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.exit_code &&
	    !vkr_tool_option_number("replay", "--exit-code", options.exit_code, 255, &exit_code))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc) {
		fprintf(stderr, "vkrace replay: give one trace: vkrace replay [options] TRACE\n");
		return VKR_EXIT_FAILURE;
	}
	if (!vkr_judging_text_options(&options, "replay", &text))
		return VKR_EXIT_FAILURE;
	if (replay(&options, &text, argv[options.operands], &races, &error) != VKR_OK) {
		fprintf(stderr, "vkrace replay: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return races ? exit_code : 0;
}
