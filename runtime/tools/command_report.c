// SPDX-License-Identifier: Apache-2.0
// `vkrace report` and `vkrace merge`: a report in another form, from traces or JSON reports, of
// which several make one. Knows the forms' names, and not what a race is.
#include "array.h"
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "output_file.h"
#include "part_files.h"
#include "report_forms.h"
#include "report_merge.h"
#include "report_source.h"
#include "tool_options.h"

#include <stdlib.h>
#include <unistd.h>

static enum vkr_form form_of(const struct vkr_tool_options *options)
{
	return options->as_json     ? VKR_FORM_JSON
	       : options->as_sarif  ? VKR_FORM_SARIF
	       : options->as_junit  ? VKR_FORM_JUNIT
	       : options->as_html   ? VKR_FORM_HTML
	       : options->as_github ? VKR_FORM_GITHUB
				    : VKR_FORM_TEXT;
}

static enum vkr_result write_report(const struct vkr_tool_options *options,
				    const struct vkr_report_text_options *text,
				    const struct vkr_report *report, struct vkr_error *error)
{
	const struct vkr_report_forms forms = {form_of(options), options->source_root, text};
	const struct vkr_report_forms rules = {.form = VKR_FORM_SUPPRESSIONS};
	const enum vkr_result result =
		options->output ? vkr_report_form_save(report, options->output, &forms, error)
				: vkr_report_form_write(report, stdout, &forms, error);
	if (result != VKR_OK || !options->write_suppressions)
		return result;
	return vkr_report_form_save(report, options->write_suppressions, &rules, error);
}

// Reports or traces that make one report.
struct inputs {
	struct vkr_report_source *sources;
	struct vkr_report_view *views;
	const struct vkr_report **reports;
	int opened, viewed;
	bool failed; // what could be judged of one is not all of it
};

static enum vkr_result open_all(struct inputs *inputs, const struct vkr_tool_options *options,
				char **paths, int count, struct vkr_error *error)
{
	const struct vkr_judging_options judging = {.suppressions = options->suppressions,
						    .only = options->only,
						    .baseline = options->baseline};
	inputs->sources = calloc((size_t)count, sizeof *inputs->sources);
	inputs->views = calloc((size_t)count, sizeof *inputs->views);
	inputs->reports = calloc((size_t)count, sizeof *inputs->reports);
	if (!inputs->sources || !inputs->views || !inputs->reports)
		return vkr_error_memory(error, "the reports");
	for (int i = 0; i < count; i++) {
		struct vkr_report_source *source = &inputs->sources[i];
		enum vkr_result result = vkr_report_source_open(source, paths[i], &judging, error);
		inputs->opened++;
		inputs->failed |= source->failed;
		if (result == VKR_OK)
			result = vkr_report_filter_apply(&source->judging.filter, source->report,
							 &inputs->views[i], error);
		if (result != VKR_OK)
			return result;
		inputs->viewed++;
		inputs->reports[i] = &inputs->views[i].report;
	}
	return VKR_OK;
}

static void close_all(struct inputs *inputs)
{
	for (int i = 0; i < inputs->viewed; i++)
		vkr_report_view_finish(&inputs->views[i]);
	for (int i = 0; i < inputs->opened; i++)
		vkr_report_source_close(&inputs->sources[i]);
	free(inputs->sources);
	free(inputs->views);
	free(inputs->reports);
}

// Parts of a trace that stand for the whole one, as one report.
struct united {
	struct vkr_part_set set;
	struct vkr_judging judging;
	struct vkr_shard shard;
	struct vkr_report_view view;
	struct vkr_report report;
};

struct unions {
	struct united **items;
	size_t count, capacity;
};

static void forget_unions(struct unions *unions)
{
	for (size_t i = 0; i < unions->count; i++) {
		struct united *united = unions->items[i];
		vkr_report_view_finish(&united->view);
		vkr_judging_finish(&united->judging);
		vkr_shard_finish(&united->shard);
		free(united->set.reports);
		free(united);
	}
	free(unions->items);
}

// What the parts, one of which is reports[first], are the whole of.
static enum vkr_result command_report_unite(struct inputs *inputs,
					    const struct vkr_tool_options *options,
					    const char **names, size_t count, size_t first,
					    struct united *united, struct vkr_error *error)
{
	const struct vkr_part_report part = *inputs->reports[first]->part;
	struct vkr_judging_options judging = vkr_part_options(&part);
	judging.suppressions = options->suppressions;
	judging.only = options->only;
	judging.baseline = options->baseline;
	enum vkr_result result =
		vkr_part_set_take(&united->set, inputs->reports, names, count, first, error);
	if (result == VKR_OK)
		result = vkr_judging_init(&united->judging, &judging, error);
	if (result != VKR_OK)
		return result;
	united->report = *united->set.reports[0];
	if (vkr_parts_need_union(united->set.reports, united->set.count)) {
		result = vkr_part_set_judge(&united->set, &united->judging, &united->shard, error);
		if (result == VKR_OK)
			united->report = *vkr_session_report(united->judging.session);
	} else {
		united->report.accesses_judged =
			vkr_parts_accesses(united->set.reports, united->set.count);
	}
	united->report.part = NULL;
	if (result == VKR_OK)
		result = vkr_report_filter_apply(&united->judging.filter, &united->report,
						 &united->view, error);
	inputs->reports[first] = &united->view.report;
	names[first] = part.trace;
	return result;
}

// Puts the parts of each trace together. What stays are whole reports, at the front.
static enum vkr_result unite_parts(struct inputs *inputs, const struct vkr_tool_options *options,
				   const char **names, size_t *count, struct unions *unions,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	size_t kept = 0;
	for (size_t i = 0; i < *count && result == VKR_OK; i++) {
		if (!inputs->reports[i] || !inputs->reports[i]->part)
			continue;
		struct united *united = calloc(1, sizeof *united);
		if (!united || !VKR_ARRAY_RESERVE(unions, 1)) {
			free(united);
			return vkr_error_memory(error, "parts of a trace");
		}
		unions->items[unions->count++] = united;
		result = command_report_unite(inputs, options, names, *count, i, united, error);
	}
	for (size_t i = 0; i < *count; i++) {
		if (!inputs->reports[i])
			continue;
		names[kept] = names[i];
		inputs->reports[kept++] = inputs->reports[i];
	}
	*count = kept;
	return result;
}

static enum vkr_result make_report(const struct vkr_tool_options *options,
				   const struct vkr_report_text_options *text, char **paths,
				   int path_count, bool *failed, struct vkr_error *error)
{
	const char **names = (const char **)paths;
	size_t count = (size_t)path_count;
	struct unions unions = {.count = 0};
	struct inputs inputs = {.opened = 0};
	struct vkr_report merged;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	enum vkr_result result = open_all(&inputs, options, paths, path_count, error);
	if (result == VKR_OK)
		result = unite_parts(&inputs, options, names, &count, &unions, error);
	if (result == VKR_OK && count > 1)
		result = vkr_report_merge(inputs.reports, names, count, &arena, &merged, error);
	if (result == VKR_OK)
		result =
			write_report(options, text, count > 1 ? &merged : inputs.reports[0], error);
	*failed = inputs.failed;
	forget_unions(&unions);
	close_all(&inputs);
	vkr_arena_finish(&arena);
	return result;
}

// `as_json`: without an option for another form.
static int run_report(int argc, char **argv, bool as_json)
{
	const struct vkr_tool_option_set accepted = VKR_OPTION_SET(
		VKR_OPTION(JSON), VKR_OPTION(SARIF), VKR_OPTION(JUNIT), VKR_OPTION(HTML),
		VKR_OPTION(GITHUB), VKR_OPTION(SOURCE_ROOT), VKR_OPTION(OUTPUT),
		VKR_OPTION(SUPPRESSIONS), VKR_OPTION(ONLY), VKR_OPTION(ONLY_PRACTICAL),
		VKR_OPTION(BASELINE), VKR_OPTION(BRIEF), VKR_OPTION(WRITE_SUPPRESSIONS),
		VKR_OPTION(ALL_RACES), VKR_OPTION(MAX_REPORTS));
	const char *const command = argv[0];
	struct vkr_report_text_options text;
	struct vkr_tool_options options;
	struct vkr_error error;
	bool failed;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	const int forms = !!options.as_json + !!options.as_sarif + !!options.as_junit +
			  !!options.as_html + !!options.as_github;
	if (forms > 1) {
		fprintf(stderr,
			"vkrace %s: give one of --json, --sarif, --junit, --html, --github\n",
			command);
		return VKR_EXIT_FAILURE;
	}
	if (as_json && !forms)
		options.as_json = "";
	if (options.operands == argc) {
		fprintf(stderr,
			"vkrace %s: give traces or JSON reports: "
			"vkrace %s [options] TRACE|REPORT...\n",
			command, command);
		return VKR_EXIT_FAILURE;
	}
	if (!vkr_judging_text_options(&options, command, &text))
		return VKR_EXIT_FAILURE;
	if (make_report(&options, &text, argv + options.operands, argc - options.operands, &failed,
			&error) != VKR_OK) {
		fprintf(stderr, "vkrace %s: %s\n", command, error.message);
		return VKR_EXIT_FAILURE;
	}
	return failed ? VKR_EXIT_FAILURE : 0;
}

int vkr_command_report(int argc, char **argv)
{
	return run_report(argc, argv, false);
}

int vkr_command_merge(int argc, char **argv)
{
	return run_report(argc, argv, true);
}
