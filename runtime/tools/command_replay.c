// SPDX-License-Identifier: Apache-2.0
// `vkrace replay`: judges a recorded trace. Knows the outputs, and not what a race is.
#include "change_check.h"
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "model_compare.h"
#include "output_file.h"
#include "part_files.h"
#include "part_jobs.h"
#include "report_diff.h"
#include "report_file.h"
#include "report_forms.h"
#include "tool_options.h"
#include "volume_replay.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct vkr_judging_options options_of(const struct vkr_tool_options *options)
{
	return (struct vkr_judging_options){
		.model = options->model,
		.reading = options->reading,
		.suppressions = options->suppressions,
		.only = options->only,
		.any_image = options->any_image != NULL,
		.costs = options->cost != NULL,
		.no_repeats = options->no_repeats != NULL,
		.baseline = options->baseline,
		.frames = options->frames,
		.sample = options->sample,
		.shaders = options->shader,
		.not_shaders = options->not_shader,
		.labels = options->label,
		.stop_after = options->stop_after,
		// Processes share the machine by themselves.
		.threads = options->jobs && !options->threads ? "1" : options->threads};
}

static enum vkr_result write_file(const struct vkr_report *report, const char *path,
				  enum vkr_form form, struct vkr_error *error)
{
	const struct vkr_report_forms forms = {.form = form};
	return vkr_report_form_save(report, path, &forms, error);
}

static enum vkr_result write_reports(const struct vkr_tool_options *options,
				     const struct vkr_report_text_options *text,
				     const struct vkr_report *report, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (!options->quiet)
		result = vkr_judging_print(report, stdout, text, error);
	if (result == VKR_OK && options->cost)
		vkr_judging_print_cost(report, stderr);
	if (result == VKR_OK)
		result = write_file(report, options->json, VKR_FORM_JSON, error);
	if (result == VKR_OK)
		result = write_file(report, options->write_suppressions, VKR_FORM_SUPPRESSIONS,
				    error);
	return result;
}

// What the changes have made of the trace's races, compared to the trace as it is.
static enum vkr_result print_effect(const struct vkr_judging *with,
				    const struct vkr_judging_options *how, const char *path,
				    const struct vkr_report *changes, struct vkr_error *error)
{
	const struct vkr_judging_options whole = vkr_judging_rules(how);
	struct vkr_judging without;
	struct vkr_report_diff diff;
	uint64_t places = 0;
	for (uint32_t i = 0; i < changes->change_count; i++) {
		const uint64_t made = vkr_trace_editor_made(with->editor, i);
		places += made;
		if (!made)
			fprintf(stderr,
				"vkrace replay: change %" PRIu32 " was made nowhere: no "
				"command is at its place\n",
				i + 1);
	}
	enum vkr_result result = vkr_judging_init(&without, &whole, error);
	if (result == VKR_OK)
		result = vkr_judging_run_file(&without, path, error);
	if (result == VKR_OK)
		result = vkr_report_diff_make(&diff, vkr_session_report(without.session),
					      vkr_session_report(with->session), error);
	if (result == VKR_OK) {
		printf("vkrace: with %" PRIu32 " change%s at %" PRIu64 " place%s: %" PRIu32
		       " of %" PRIu32 " races gone, %" PRIu32 " new\n",
		       changes->change_count, changes->change_count == 1 ? "" : "s", places,
		       places == 1 ? "" : "s", diff.races.gone, diff.before->race_count,
		       diff.races.added);
		vkr_report_diff_finish(&diff);
	}
	vkr_judging_finish(&without);
	return result;
}

// Reports what was found; `whole`: all that there is.
static enum vkr_result command_replay_report(struct vkr_judging *judging,
					     const struct vkr_tool_options *options,
					     const struct vkr_report_text_options *text,
					     const char *path, bool whole, bool *races,
					     struct vkr_error *error)
{
	const struct vkr_judging_options how = options_of(options);
	struct vkr_report_view view;
	enum vkr_result result = vkr_judging_view(judging, &view, error);
	if (result != VKR_OK)
		return result;
	if (options->check && whole)
		result = vkr_change_check(path, &how, &view, vkr_session_report(judging->session),
					  error);
	if (result == VKR_OK)
		result = write_reports(options, text, &view.report, error);
	*races = view.report.race_count > 0;
	vkr_report_view_finish(&view);
	return result;
}

static enum vkr_result replay_trace(const struct vkr_tool_options *options,
				    const struct vkr_report_text_options *text, const char *path,
				    uint32_t jobs, bool *races, struct vkr_error *error)
{
	struct vkr_judging judging;
	struct vkr_report_copy applied = {.report = {.change_count = 0}};
	const struct vkr_judging_options leave_out = options_of(options);
	enum vkr_result result = vkr_judging_init(&judging, &leave_out, error);
	if (result == VKR_OK && options->apply) {
		result = vkr_report_file_read_changes(&applied, options->apply, error);
		const struct vkr_change *const *list =
			result == VKR_OK ? vkr_change_list(&applied.report, &applied.arena) : NULL;
		if (result == VKR_OK)
			result = list ? vkr_trace_editor_create(list, applied.report.change_count,
								&judging.editor, error)
				      : vkr_error_memory(error, "changes");
	}
	if (result == VKR_OK)
		result = jobs > 1 ? vkr_part_jobs_judge(&judging, path, &leave_out, jobs, error)
				  : vkr_judging_run_file(&judging, path, error);
	// After an error, too: what was found before it.
	struct vkr_error second;
	const enum vkr_result reported =
		judging.session ? command_replay_report(&judging, options, text, path,
							result == VKR_OK, races, &second)
				: VKR_OK;
	if (result == VKR_OK && reported != VKR_OK)
		result = vkr_error_set(error, reported, "%s", second.message);
	if (result == VKR_OK && options->apply && !options->quiet)
		result = print_effect(&judging, &leave_out, path, &applied.report, error);
	vkr_trace_editor_destroy(judging.editor);
	vkr_report_copy_finish(&applied);
	vkr_judging_finish(&judging);
	return result;
}

static enum vkr_result replay_volumes(const struct vkr_tool_options *options,
				      const struct vkr_report_text_options *text, char **operands,
				      size_t count, bool *races, struct vkr_error *error)
{
	const struct vkr_judging_options how = options_of(options);
	struct vkr_volume_replay replay;
	struct vkr_error second;
	enum vkr_result result = vkr_volume_replay(&replay, operands, count, &how, error);
	const enum vkr_result reported =
		replay.count > 0 ? write_reports(options, text, &replay.report, &second) : VKR_OK;
	*races = replay.count > 0 && replay.report.race_count > 0;
	if (result == VKR_OK && reported != VKR_OK)
		result = vkr_error_set(error, reported, "%s", second.message);
	vkr_volume_replay_finish(&replay);
	return result;
}

// Whether the trace is judged more than once, or by others.
static bool judges_again(const struct vkr_tool_options *options)
{
	return options->check || options->apply || options->compare || options->shard ||
	       options->jobs;
}

// Judges one part of the trace's memory, and writes what it has to say to those who put the parts
// together: all of it, or nothing.
static enum vkr_result replay_part(const struct vkr_tool_options *options, const char *path,
				   struct vkr_shard *shard, struct vkr_error *error)
{
	struct vkr_judging judging;
	struct vkr_part_words words = {.path = NULL};
	struct vkr_output_file file;
	const struct vkr_judging_options how = options_of(options);
	enum vkr_result result = vkr_judging_init(&judging, &how, error);
	judging.shard = shard;
	if (result == VKR_OK)
		result = vkr_judging_run_file(&judging, path, error);
	if (result == VKR_OK)
		result = vkr_part_words_make(&words, shard, path, &how, error);
	if (result == VKR_OK)
		result = vkr_output_file_open(&file, options->json, (uint32_t)getpid(), false,
					      error);
	if (result == VKR_OK) {
		struct vkr_report report = *vkr_session_report(judging.session);
		report.part = &words.part;
		result = vkr_judging_write_json(&report, &file, error);
		vkr_output_file_close(&file);
	}
	if (result == VKR_OK && !options->quiet)
		printf("vkrace: part %" PRIu32 " of %" PRIu32
		       " is judged: vkrace merge puts the parts together\n",
		       shard->index + 1, shard->count);
	vkr_part_words_finish(&words);
	vkr_judging_finish(&judging);
	return result;
}

// False with a message where --shard or --jobs do not go with the other options.
static bool check_parts(const struct vkr_tool_options *options, const char *path,
			struct vkr_shard *shard, int *jobs)
{
	*jobs = 1;
	if (options->jobs &&
	    !vkr_tool_option_number("replay", "--jobs", options->jobs, INT_MAX, jobs))
		return false;
	if (options->shard && !vkr_shard_parse(options->shard, &shard->index, &shard->count)) {
		fprintf(stderr,
			"vkrace replay: option '--shard' takes a part and how many there are, as "
			"3/8, not '%s'\n",
			options->shard);
		return false;
	}
	if (options->shard && (!options->json || options->jobs || options->suppressions ||
			       options->only || options->baseline || options->check ||
			       options->apply || options->compare || options->write_suppressions)) {
		fprintf(stderr, "vkrace replay: --shard writes a part's report for vkrace merge, "
				"which says what to leave out: it goes with --json FILE, and with "
				"--model, --reading, --any-image, --frames, --sample, --shader, "
				"--not-shader, --label and --quiet alone\n");
		return false;
	}
	if (*jobs > 1 && (options->apply || options->compare)) {
		fprintf(stderr, "vkrace replay: --jobs does not go with --apply and --compare\n");
		return false;
	}
	if ((options->shard || *jobs > 1) && strcmp(path, "-") == 0) {
		fprintf(stderr, "vkrace replay: --shard and --jobs read the trace several times: "
				"it cannot be the standard input\n");
		return false;
	}
	return true;
}

int vkr_command_replay(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted = VKR_OPTION_SET(
		VKR_OPTION(JSON_FILE), VKR_OPTION(SUPPRESSIONS), VKR_OPTION(ONLY),
		VKR_OPTION(ONLY_PRACTICAL), VKR_OPTION(QUIET), VKR_OPTION(EXIT_CODE),
		VKR_OPTION(BASELINE), VKR_OPTION(BRIEF), VKR_OPTION(ALL_RACES),
		VKR_OPTION(MAX_REPORTS), VKR_OPTION(CHECK), VKR_OPTION(APPLY),
		VKR_OPTION(ANY_IMAGE), VKR_OPTION(STRICT), VKR_OPTION(MODEL), VKR_OPTION(READING),
		VKR_OPTION(COMPARE), VKR_OPTION(WRITE_SUPPRESSIONS), VKR_OPTION(SHARD),
		VKR_OPTION(JOBS), VKR_OPTION(FRAMES), VKR_OPTION(SAMPLE), VKR_OPTION(SHADER),
		VKR_OPTION(NOT_SHADER), VKR_OPTION(LABEL), VKR_OPTION(STOP_AFTER),
		VKR_OPTION(THREADS), VKR_OPTION(COST), VKR_OPTION(NO_REPEATS));
	struct vkr_report_text_options text;
	struct vkr_tool_options options;
	struct vkr_error error;
	bool races = false;
	int exit_code = VKR_EXIT_RACES, jobs = 1;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.exit_code &&
	    !vkr_tool_option_number("replay", "--exit-code", options.exit_code, 255, &exit_code))
		return VKR_EXIT_FAILURE;
	const size_t count = (size_t)(argc - options.operands);
	char **operands = argv + options.operands;
	if (count == 0) {
		fprintf(stderr, "vkrace replay: give one trace, or the volumes of one, or their "
				"folder: vkrace replay [options] TRACE\n");
		return VKR_EXIT_FAILURE;
	}
	if (count > 1 && judges_again(&options)) {
		fprintf(stderr,
			"vkrace replay: --check, --apply, --compare, --shard and --jobs read "
			"the volumes again: put them in a folder, and give that\n");
		return VKR_EXIT_FAILURE;
	}
	if (vkr_volume_set_is_meant(operands, count) && !judges_again(&options)) {
		if (!vkr_judging_text_options(&options, "replay", &text))
			return VKR_EXIT_FAILURE;
		if (replay_volumes(&options, &text, operands, count, &races, &error) != VKR_OK) {
			fprintf(stderr, "vkrace replay: %s\n", error.message);
			return VKR_EXIT_FAILURE;
		}
		return races ? exit_code : 0;
	}
	if (strcmp(argv[options.operands], "-") == 0 &&
	    (options.check || options.apply || options.compare)) {
		fprintf(stderr,
			"vkrace replay: --check, --apply and --compare read the trace again: it "
			"cannot be the standard input\n");
		return VKR_EXIT_FAILURE;
	}
	if (options.compare && (options.model || options.check || options.apply || options.json ||
				options.write_suppressions)) {
		fprintf(stderr, "vkrace replay: --compare names the models, and prints: it goes "
				"with --reading, --only, --suppressions, --frames, --sample, "
				"--shader, --not-shader, --label and --exit-code alone\n");
		return VKR_EXIT_FAILURE;
	}
	if (judges_again(&options) && options.stop_after) {
		fprintf(stderr, "vkrace replay: where --stop-after stops follows from what is "
				"found: it does not go with --check, --apply, --compare, --shard "
				"and --jobs\n");
		return VKR_EXIT_FAILURE;
	}
	if (options.check && options.apply) {
		fprintf(stderr,
			"vkrace replay: --check tries what the report proposes, --apply what "
			"a file says: give one of them\n");
		return VKR_EXIT_FAILURE;
	}
	struct vkr_shard shard = {.index = 0};
	if (!check_parts(&options, argv[options.operands], &shard, &jobs))
		return VKR_EXIT_FAILURE;
	if (options.shard) {
		const enum vkr_result result =
			replay_part(&options, argv[options.operands], &shard, &error);
		vkr_shard_finish(&shard);
		if (result != VKR_OK)
			fprintf(stderr, "vkrace replay: %s\n", error.message);
		return result == VKR_OK ? 0 : VKR_EXIT_FAILURE;
	}
	if (options.compare)
		return vkr_model_compare(&options, argv[options.operands], exit_code);
	if (!vkr_judging_text_options(&options, "replay", &text))
		return VKR_EXIT_FAILURE;
	if (replay_trace(&options, &text, argv[options.operands], (uint32_t)jobs, &races, &error) !=
	    VKR_OK) {
		fprintf(stderr, "vkrace replay: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return races ? exit_code : 0;
}
