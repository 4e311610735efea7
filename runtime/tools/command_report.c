// SPDX-License-Identifier: Apache-2.0
// `vkrace report`: a report in another form, from a trace or from a JSON report. Knows the forms'
// names, and not what a race is.
#include "array.h"
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "output_file.h"
#include "report_html.h"
#include "report_json.h"
#include "report_junit.h"
#include "report_sarif.h"
#include "tool_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes {
	char *items;
	size_t count, capacity;
};

static enum vkr_result read_file(const char *path, struct bytes *text, struct vkr_error *error)
{
	const size_t step = 65536;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot open: %s", path,
				     strerror(errno));
	enum vkr_result result = VKR_OK;
	while (result == VKR_OK && !feof(file)) {
		if (!VKR_ARRAY_RESERVE(text, step)) {
			result = vkr_error_memory(error, "a report");
			break;
		}
		text->count += fread(text->items + text->count, 1, step, file);
		if (ferror(file))
			result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
					       strerror(errno));
	}
	fclose(file);
	return result;
}

static enum vkr_result is_trace(const char *path, bool *trace, struct vkr_error *error)
{
	char magic[sizeof VKR_TRACE_MAGIC] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file >= 0 ? read(file, magic, sizeof magic) : -1;
	int reason = errno;
	if (file >= 0)
		close(file);
	if (got < 0)
		return vkr_error_set(error, VKR_ERROR_IO, "%s: cannot read: %s", path,
				     strerror(reason));
	*trace = memcmp(magic, VKR_TRACE_MAGIC, sizeof magic) == 0;
	return VKR_OK;
}

static enum vkr_result write_form(const struct vkr_tool_options *options,
				  const struct vkr_report *report, FILE *out,
				  struct vkr_error *error)
{
	if (options->as_json)
		return vkr_report_json(report, out, error);
	if (options->as_sarif)
		return vkr_report_sarif(report, out, error);
	if (options->as_junit)
		return vkr_report_junit(report, out, error);
	if (options->as_html)
		return vkr_report_html(report, out, error);
	return vkr_judging_print(report, out, error);
}

static enum vkr_result write_report(const struct vkr_tool_options *options,
				    const struct vkr_report *report, struct vkr_error *error)
{
	if (!options->output)
		return write_form(options, report, stdout, error);
	struct vkr_output_file file;
	enum vkr_result result =
		vkr_output_file_open(&file, options->output, (uint32_t)getpid(), false, error);
	if (result != VKR_OK)
		return result;
	FILE *out = fdopen(dup(file.descriptor), "w");
	if (!out) {
		result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot write: %s", file.path,
				       strerror(errno));
	} else {
		result = write_form(options, report, out, error);
		if (fclose(out) != 0 && result == VKR_OK)
			result = vkr_error_set(error, VKR_ERROR_IO, "%s: cannot write: %s",
					       file.path, strerror(errno));
	}
	vkr_output_file_close(&file);
	return result;
}

// Fills judging's session from a trace, or `copy` from a JSON report; *report is either's.
static enum vkr_result load(const char *path, struct vkr_judging *judging,
			    struct vkr_report_copy *copy, const struct vkr_report **report,
			    struct vkr_error *error)
{
	bool trace = false;
	struct bytes text = {0};
	enum vkr_result result = is_trace(path, &trace, error);
	if (result == VKR_OK && trace) {
		result = vkr_source_open_file(&judging->source, path, error);
		if (result == VKR_OK) {
			result = vkr_judging_run(judging, error);
			vkr_source_close(judging->source);
		}
		*report = result == VKR_OK ? vkr_session_report(judging->session) : NULL;
	} else if (result == VKR_OK) {
		result = read_file(path, &text, error);
		if (result == VKR_OK)
			result = vkr_report_read_json(copy, path, text.items, text.count, error);
		*report = &copy->report;
	}
	free(text.items);
	return result;
}

static enum vkr_result make_report(const struct vkr_tool_options *options, const char *path,
				   struct vkr_error *error)
{
	struct vkr_judging judging;
	struct vkr_report_copy copy = {0};
	struct vkr_report_view view;
	const struct vkr_report *report = NULL;
	enum vkr_result result =
		vkr_judging_init(&judging, options->suppressions, options->only, error);
	if (result != VKR_OK)
		return result;
	result = load(path, &judging, &copy, &report, error);
	if (result == VKR_OK)
		result = vkr_report_filter_apply(&judging.filter, report, &view, error);
	if (result == VKR_OK) {
		result = write_report(options, &view.report, error);
		vkr_report_view_finish(&view);
	}
	vkr_report_copy_finish(&copy);
	vkr_judging_finish(&judging);
	return result;
}

int vkr_command_report(int argc, char **argv)
{
	const unsigned accepted = VKR_OPTION_JSON | VKR_OPTION_SARIF | VKR_OPTION_JUNIT |
				  VKR_OPTION_HTML | VKR_OPTION_OUTPUT | VKR_OPTION_SUPPRESSIONS |
				  VKR_OPTION_ONLY;
	struct vkr_tool_options options;
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc) {
		fprintf(stderr, "vkrace report: give one trace or JSON report: "
				"vkrace report [options] TRACE|REPORT\n");
		return VKR_EXIT_FAILURE;
	}
	if (make_report(&options, argv[options.operands], &error) != VKR_OK) {
		fprintf(stderr, "vkrace report: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return 0;
}
