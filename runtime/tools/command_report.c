// SPDX-License-Identifier: Apache-2.0
// `vkrace report`: a report in another form, from a trace or from a JSON report. Knows the forms'
// names, and not what a race is.
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "output_file.h"
#include "report_github.h"
#include "report_html.h"
#include "report_json.h"
#include "report_junit.h"
#include "report_sarif.h"
#include "report_source.h"
#include "tool_options.h"

#include <unistd.h>

struct form {
	const struct vkr_tool_options *options;
	const struct vkr_report_text_options *text;
};

static enum vkr_result write_form(const struct vkr_report *report, FILE *out, const void *of_form,
				  struct vkr_error *error)
{
	const struct form *form = of_form;
	const struct vkr_tool_options *options = form->options;
	if (options->as_json)
		return vkr_report_json(report, out, error);
	if (options->as_sarif)
		return vkr_report_sarif(report, options->source_root, out, error);
	if (options->as_github)
		return vkr_report_github(report, options->source_root, out, error);
	if (options->as_junit)
		return vkr_report_junit(report, out, error);
	if (options->as_html)
		return vkr_report_html(report, out, error);
	return vkr_judging_print(report, out, form->text, error);
}

static enum vkr_result write_report(const struct vkr_tool_options *options,
				    const struct vkr_report_text_options *text,
				    const struct vkr_report *report, struct vkr_error *error)
{
	const struct form form = {options, text};
	if (!options->output)
		return write_form(report, stdout, &form, error);
	struct vkr_output_file file;
	enum vkr_result result =
		vkr_output_file_open(&file, options->output, (uint32_t)getpid(), false, error);
	if (result != VKR_OK)
		return result;
	result = vkr_judging_write(report, write_form, &form, &file, error);
	vkr_output_file_close(&file);
	return result;
}

static enum vkr_result make_report(const struct vkr_tool_options *options,
				   const struct vkr_report_text_options *text, const char *path,
				   bool *failed, struct vkr_error *error)
{
	const struct vkr_judging_options judging = {.suppressions = options->suppressions,
						    .only = options->only,
						    .baseline = options->baseline};
	struct vkr_report_source source;
	struct vkr_report_view view;
	enum vkr_result result = vkr_report_source_open(&source, path, &judging, error);
	if (result == VKR_OK)
		result = vkr_report_filter_apply(&source.judging.filter, source.report, &view,
						 error);
	if (result == VKR_OK) {
		result = write_report(options, text, &view.report, error);
		vkr_report_view_finish(&view);
	}
	*failed = source.failed;
	vkr_report_source_close(&source);
	return result;
}

int vkr_command_report(int argc, char **argv)
{
	const unsigned accepted = VKR_OPTION_JSON | VKR_OPTION_SARIF | VKR_OPTION_JUNIT |
				  VKR_OPTION_HTML | VKR_OPTION_GITHUB | VKR_OPTION_SOURCE_ROOT |
				  VKR_OPTION_OUTPUT | VKR_OPTION_SUPPRESSIONS | VKR_OPTION_ONLY |
				  VKR_OPTION_BASELINE | VKR_OPTION_BRIEF | VKR_OPTION_MAX_REPORTS;
	struct vkr_report_text_options text;
	struct vkr_tool_options options;
	struct vkr_error error;
	bool failed;
	if (!vkr_tool_options_parse(argc, argv, accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc) {
		fprintf(stderr, "vkrace report: give one trace or JSON report: "
				"vkrace report [options] TRACE|REPORT\n");
		return VKR_EXIT_FAILURE;
	}
	if (!vkr_judging_text_options(&options, "report", &text))
		return VKR_EXIT_FAILURE;
	if (make_report(&options, &text, argv[options.operands], &failed, &error) != VKR_OK) {
		fprintf(stderr, "vkrace report: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return failed ? VKR_EXIT_FAILURE : 0;
}
