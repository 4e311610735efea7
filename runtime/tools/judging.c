// SPDX-License-Identifier: Apache-2.0
#include "judging.h"

#include "crew.h"
#include "error.h"
#include "memory_names.h"
#include "report_cost.h"
#include "report_file.h"
#include "report_json.h"
#include "report_text.h"
#include "shard.h"
#include "volume_set.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void pass_race(void *user, const struct vkr_race_report *race)
{
	struct vkr_judging *judging = user;
	if (vkr_report_filter_ask(&judging->filter, race) != VKR_FILTER_SHOWS)
		return;
	judging->shown++;
	judging->enough = judging->stop_after && judging->shown >= judging->stop_after;
	if (judging->race_found)
		judging->race_found(judging->user, race);
}

static void pass_place(void *user, uint64_t place)
{
	const struct vkr_judging *judging = user;
	if (judging->host_raced)
		judging->host_raced(judging->user, place);
}

static enum vkr_result judging_choose(struct vkr_judging *judging,
				      const struct vkr_judging_options *options,
				      struct vkr_error *error)
{
	struct vkr_choice *choice = &judging->choice;
	enum vkr_result result = VKR_OK;
	choice->shaders = options->shaders;
	choice->not_shaders = options->not_shaders;
	choice->labels = options->labels;
	if (options->frames)
		result = vkr_choice_frames(choice, options->frames, error);
	if (result == VKR_OK && options->sample)
		result = vkr_choice_sample(choice, options->sample, error);
	if (result == VKR_OK && options->stop_after)
		result = vkr_choice_races(options->stop_after, &judging->stop_after, error);
	return result;
}

static enum vkr_result read_baseline(struct vkr_report_filter *filter, const char *path,
				     struct vkr_error *error)
{
	struct vkr_report_copy copy;
	enum vkr_result result = vkr_report_file_read(&copy, path, error);
	if (result == VKR_OK)
		result = vkr_report_filter_baseline(filter, &copy.report, error);
	vkr_report_copy_finish(&copy);
	return result;
}

struct vkr_judging_options vkr_judging_rules(const struct vkr_judging_options *options)
{
	return (struct vkr_judging_options){.any_image = options->any_image,
					    .model = options->model,
					    .reading = options->reading,
					    .frames = options->frames,
					    .sample = options->sample,
					    .shaders = options->shaders,
					    .not_shaders = options->not_shaders,
					    .labels = options->labels,
					    .threads = options->threads};
}

enum vkr_result vkr_judging_init(struct vkr_judging *judging,
				 const struct vkr_judging_options *options, struct vkr_error *error)
{
	*judging = (struct vkr_judging){.any_image = options->any_image,
					.costs = options->costs,
					.no_repeats = options->no_repeats,
					.threads = vkr_crew_default()};
	vkr_report_filter_init(&judging->filter);
	enum vkr_result result = VKR_OK;
	if (options->threads)
		result = vkr_choice_threads(options->threads, &judging->threads, error);
	if (result == VKR_OK && options->model)
		result = vkr_memory_model_parse(options->model, &judging->rules.model, error);
	if (result == VKR_OK && options->reading && !vkr_memory_is_hrf(&judging->rules))
		result = vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				       "--reading is for the HRF models: '%s' has no readings",
				       vkr_memory_model_name(judging->rules.model));
	if (result == VKR_OK && options->reading)
		result = vkr_reading_parse(options->reading, &judging->rules.readings, error);
	if (result == VKR_OK)
		result = judging_choose(judging, options, error);
	if (result == VKR_OK && options->suppressions)
		result = vkr_report_filter_read(&judging->filter, options->suppressions, error);
	if (result == VKR_OK && options->only)
		result = vkr_report_filter_only(&judging->filter, options->only, error);
	if (result == VKR_OK && options->baseline)
		result = read_baseline(&judging->filter, options->baseline, error);
	if (result != VKR_OK)
		vkr_judging_finish(judging);
	return result;
}

static enum vkr_result judge_one(struct vkr_judging *judging, const struct vkr_trace_event *event,
				 struct vkr_error *error)
{
	struct vkr_error cause;
	const enum vkr_result result = vkr_session_event(judging->session, event, &cause);
	if (result == VKR_ERROR_FORMAT)
		return vkr_session_lost(judging->session, cause.message, error);
	if (result != VKR_OK)
		return vkr_error_set(error, result, "%s", cause.message);
	return VKR_OK;
}

static enum vkr_result judge_event(struct vkr_judging *judging, const struct vkr_trace_event *event,
				   struct vkr_error *error)
{
	struct vkr_edited_events edited = {event, event->bytes};
	enum vkr_result result = VKR_OK;
	if (judging->editor)
		result = vkr_trace_editor_edit(judging->editor, event, &edited, error);
	for (size_t at = 0; at < edited.bytes && result == VKR_OK;) {
		const struct vkr_trace_event *one = (const void *)((const char *)edited.first + at);
		result = judge_one(judging, one, error);
		at += one->bytes;
	}
	return result;
}

// What a program does last is recorded as it ends: what its threads have touched, and what its
// devices have logged.
static enum vkr_result check_end(struct vkr_judging *judging, bool ended, struct vkr_error *error)
{
	const char *cut = vkr_source_cut(judging->source);
	if (!cut && !ended)
		cut = "the program was killed, or ended by _exit(): what it did last may be "
		      "missing";
	return cut ? vkr_session_lost(judging->session, cut, error) : VKR_OK;
}

// The next event, or NULL.
static enum vkr_result next_event(struct vkr_judging *judging, const struct vkr_trace_event **event,
				  struct vkr_error *error)
{
	enum vkr_result result = vkr_source_next(judging->source, event, error);
	if (result == VKR_OK && *event && (*event)->type == VKR_TRACE_SUBMIT)
		judging->submitted +=
			((const struct vkr_trace_submit *)(*event + 1))->execution_count;
	return result;
}

// Reads on without judging, so that a program is not held up and its trace is whole.
static void read_on(struct vkr_judging *judging)
{
	const struct vkr_trace_event *event;
	while (next_event(judging, &event, NULL) == VKR_OK && event)
		continue;
}

static enum vkr_result judge_all(struct vkr_judging *judging, struct vkr_error *error)
{
	const struct vkr_trace_event *event = NULL;
	bool ended = false;
	struct vkr_error cause;
	enum vkr_result result = judging->lost && *judging->lost
					 ? vkr_session_lost(judging->session, judging->lost, error)
					 : VKR_OK;
	if (result != VKR_OK)
		return result;
	while ((result = next_event(judging, &event, error)) == VKR_OK && event) {
		if (judging->stop)
			return vkr_error_set(error, VKR_ERROR_STOPPED, "judging was stopped");
		ended |= event->type == VKR_TRACE_RUN_END || event->type == VKR_TRACE_VOLUME_END;
		if (judging->volumes && !judging->volumes->source)
			result = vkr_volumes_event(judging->volumes, event, error);
		if (result == VKR_OK)
			result = judge_event(judging, event, error);
		if (result != VKR_OK)
			return result;
		if (judging->volumes)
			vkr_volumes_after(judging->volumes, judging->session, event);
		judging->begun = vkr_session_executions(judging->session);
	}
	if (result == VKR_OK)
		result = check_end(judging, ended, error);
	if (result != VKR_OK)
		return result;
	result = vkr_session_end(judging->session, &cause);
	judging->begun = vkr_session_executions(judging->session);
	if (result == VKR_ERROR_FORMAT)
		return vkr_session_lost(judging->session, cause.message, error);
	return result == VKR_OK ? result : vkr_error_set(error, result, "%s", cause.message);
}

// What was found so far is reported; what comes later is not known.
static void give_up(struct vkr_judging *judging, const struct vkr_error *error)
{
	char text[sizeof error->message + 128];
	const uint64_t all = judging->submitted, begun = judging->begun;
	if (all > begun)
		snprintf(text, sizeof text,
			 "%s: %" PRIu64 " of %" PRIu64 " command buffers were not judged",
			 error->message, all - begun, all);
	else
		snprintf(text, sizeof text, "%s: what came later was not judged", error->message);
	vkr_session_abandon(judging->session, VKR_COVERAGE_TRACE, all > begun ? all - begun : 0,
			    text);
}

// Words of a log that are worth a job. Tests ask for few, so that short logs are, too.
static uint32_t job_words(void)
{
	const char *text = getenv("VKRACE_TEST_JOB_WORDS");
	const unsigned long words = text ? strtoul(text, NULL, 10) : 0;
	return words > 0 && words < VKR_CREW_LEAST ? (uint32_t)words : VKR_CREW_LEAST;
}

// One crew serves until the judging is finished.
static enum vkr_result begin_crew(struct vkr_judging *judging, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (!judging->crew)
		result = vkr_crew_create(judging->threads, job_words(), &judging->crew, error);
	return result == VKR_OK ? vkr_source_help(judging->source, judging->crew, error) : result;
}

enum vkr_result vkr_judging_run(struct vkr_judging *judging, struct vkr_error *error)
{
	enum vkr_result result = begin_crew(judging, error);
	if (result != VKR_OK)
		return result;
	const struct vkr_session_options options = {.race_found = pass_race,
						    .host_raced = pass_place,
						    .user = judging,
						    .any_image = judging->any_image,
						    .costs = judging->costs,
						    .no_repeats = judging->no_repeats,
						    .rules = judging->rules,
						    .shard = judging->shard,
						    .may_cut = judging->volumes != NULL,
						    .choice = judging->choice,
						    .enough = &judging->enough,
						    .stop = &judging->stop,
						    .crew = judging->crew};
	result = vkr_session_create(&options, &judging->session, error);
	if (result == VKR_OK)
		result = judge_all(judging, error);
	if (result == VKR_OK)
		return result;
	read_on(judging);
	if (judging->session)
		give_up(judging, error);
	return result;
}

// Whether the part depended on what is not of it; then it is of the part from now on.
static enum vkr_result take_wanted(struct vkr_judging *judging, bool *again,
				   struct vkr_error *error)
{
	struct vkr_shard *shard = judging->shard;
	*again = shard && shard->wanted.count > 0;
	if (!*again)
		return VKR_OK;
	if (!vkr_shard_pages_join(&shard->also, &shard->wanted))
		return vkr_error_memory(error, "a part of memory");
	vkr_shard_pages_sort(&shard->also);
	shard->wanted.count = shard->conflicts.count = 0;
	shard->together = false;
	shard->accesses = 0;
	judging->submitted = judging->begun = 0;
	vkr_session_destroy(judging->session);
	judging->session = NULL;
	return VKR_OK;
}

enum vkr_result vkr_judging_run_file(struct vkr_judging *judging, const char *path,
				     struct vkr_error *error)
{
	enum vkr_result result;
	bool again;
	do {
		again = false;
		result = vkr_trace_open(&judging->source, path, error);
		if (result != VKR_OK)
			return result;
		result = vkr_judging_run(judging, error);
		vkr_source_close(judging->source);
		if (result == VKR_OK)
			result = take_wanted(judging, &again, error);
	} while (again);
	return result;
}

enum vkr_result vkr_judging_view(struct vkr_judging *judging, struct vkr_report_view *view,
				 struct vkr_error *error)
{
	return vkr_report_filter_apply(&judging->filter, vkr_session_report(judging->session), view,
				       error);
}

void vkr_judging_finish(struct vkr_judging *judging)
{
	vkr_session_destroy(judging->session);
	vkr_report_filter_finish(&judging->filter);
	vkr_crew_destroy(judging->crew);
	judging->session = NULL;
	judging->crew = NULL;
}

bool vkr_judging_text_options(const struct vkr_tool_options *tool, const char *command,
			      struct vkr_report_text_options *options)
{
	int most = 0;
	if (tool->max_reports &&
	    !vkr_tool_option_number(command, "--max-reports", tool->max_reports, INT_MAX, &most))
		return false;
	*options = (struct vkr_report_text_options){.brief = tool->brief != NULL,
						    .all = tool->all_races != NULL,
						    .most = (uint32_t)most};
	return true;
}

void vkr_judging_print_cost(const struct vkr_report *report, FILE *out)
{
	struct rusage usage = {.ru_maxrss = 0};
	(void)getrusage(RUSAGE_SELF, &usage);
	const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	vkr_report_cost(report, seconds, (uint64_t)usage.ru_maxrss / 1024, out);
}

enum vkr_result vkr_judging_print(const struct vkr_report *report, FILE *out,
				  const struct vkr_report_text_options *options,
				  struct vkr_error *error)
{
	const char *plain = getenv("NO_COLOR"); // https://no-color.org
	struct vkr_report_text_options here = *options;
	here.colour = isatty(fileno(out)) == 1 && !(plain && *plain);
	here.quote = true;
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	if (!memory)
		return vkr_error_memory(error, "the report");
	enum vkr_result result = vkr_report_text(report, memory, &here, error);
	if ((fclose(memory) != 0 || !text) && result == VKR_OK)
		result = vkr_error_memory(error, "the report");
	if (result == VKR_OK && (fwrite(text, 1, bytes, out) != bytes || fflush(out) != 0))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot print the report: %s",
				       strerror(errno));
	free(text);
	return result;
}

enum vkr_result vkr_judging_write(const struct vkr_report *report, vkr_report_form *form,
				  const void *options, const struct vkr_output_file *file,
				  struct vkr_error *error)
{
	char *text = NULL;
	size_t bytes = 0;
	struct vkr_error reason;
	FILE *memory = open_memstream(&text, &bytes);
	enum vkr_result result = memory ? form(report, memory, options, &reason)
					: vkr_error_memory(&reason, "the report");
	// Without memory, closing may leave no text and say nothing.
	if (memory && (fclose(memory) != 0 || !text) && result == VKR_OK)
		result = vkr_error_memory(&reason, "the report");
	if (result == VKR_OK)
		result = vkr_output_file_write(file, text, bytes, error);
	else
		vkr_error_set(error, result, "%s: %s", file->path, reason.message);
	if (result != VKR_OK)
		vkr_output_file_discard(file);
	free(text);
	return result;
}

static enum vkr_result as_json(const struct vkr_report *report, FILE *out, const void *options,
			       struct vkr_error *error)
{
	(void)options;
	return vkr_report_json(report, out, error);
}

enum vkr_result vkr_judging_write_json(const struct vkr_report *report,
				       const struct vkr_output_file *file, struct vkr_error *error)
{
	return vkr_judging_write(report, as_json, NULL, file, error);
}
