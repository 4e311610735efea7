// SPDX-License-Identifier: Apache-2.0
// `vkrace judge`: the process that the layer starts beside a program. Knows the ring, the socket
// and the outputs, and not what a race is.
#include "commands.h"
#include "error.h"
#include "judge_process.h"
#include "judge_watch.h"
#include "judging.h"
#include "live_races.h"
#include "output_file.h"
#include "ring.h"
#include "run_channel.h"
#include "source_notes.h"
#include "tool_options.h"
#include "volume_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct judge {
	struct vkr_tool_options options;
	int ring_memory, socket, process, process_descriptor;
	bool unrecorded; // although a trace was asked for
	int run;         // connection to `vkrace run`; -1: none
	struct vkr_ring ring;
	struct vkr_output_file trace, json;
	struct vkr_chunk_writer *writer;
	struct vkr_volumes volumes; // in place of `trace` and `writer`, where it is cut
	struct vkr_source *source;
	struct vkr_source_notes *notes; // NULL: sources are not recorded
	struct vkr_judging judging;
	struct vkr_judge_watch watch;
};

// The end of a program must not be that of its judge.
static void ignore_signals(void)
{
	static const int ignored[] = {SIGPIPE, SIGTSTP, SIGTTOU};
	vkr_judge_watch_block();
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		signal(ignored[i], SIG_IGN);
}

// Where a program has closed standard streams, no file of the judge's may become one.
static void keep_standard_streams(void)
{
	int opened;
	do {
		opened = open("/dev/null", O_RDWR);
	} while (opened >= 0 && opened <= STDERR_FILENO);
	if (opened >= 0)
		close(opened);
}

// The program goes first as long as the ring has room for what it does. The judge is of its
// session: where the kernel schedules these as groups (sched(7), "The autogroup feature") the two
// share one's part, whatever else the machine does.
#define NICENESS 15

static bool command_judge_parse(int argc, char **argv, struct judge *judge)
{
	const struct vkr_tool_option_set accepted = VKR_OPTION_SET(
		VKR_OPTION(TRACE), VKR_OPTION(JSON_FILE), VKR_OPTION(SUPPRESSIONS),
		VKR_OPTION(ONLY), VKR_OPTION(BASELINE), VKR_OPTION(QUIET), VKR_OPTION(COMPRESS),
		VKR_OPTION(NO_JUDGE), VKR_OPTION(RING), VKR_OPTION(LIVE), VKR_OPTION(SOCKET),
		VKR_OPTION(PROCESS), VKR_OPTION(PROCESS_DESCRIPTOR), VKR_OPTION(ANY_IMAGE),
		VKR_OPTION(MODEL), VKR_OPTION(READING), VKR_OPTION(SHADER), VKR_OPTION(NOT_SHADER),
		VKR_OPTION(LABEL), VKR_OPTION(SAMPLE), VKR_OPTION(STOP_AFTER), VKR_OPTION(THREADS),
		VKR_OPTION(COST), VKR_OPTION(CUT), VKR_OPTION(KEEP), VKR_OPTION(WITH_SOURCES));
	struct vkr_tool_options *options = &judge->options;
	if (!vkr_tool_options_parse(argc, argv, &accepted, false, options))
		return false;
	if (!options->ring || !options->socket || !options->process || options->operands != argc) {
		fprintf(stderr, "vkrace judge: it is started by the layer, not by hand\n");
		return false;
	}
	judge->process_descriptor = -1;
	if (!vkr_volume_measures_parse("judge", options->cut, options->keep, &judge->volumes.cut,
				       &judge->volumes.keep))
		return false;
	return vkr_tool_option_number("judge", "--ring", options->ring, INT32_MAX,
				      &judge->ring_memory) &&
	       vkr_tool_option_number("judge", "--socket", options->socket, INT32_MAX,
				      &judge->socket) &&
	       vkr_tool_option_number("judge", "--process", options->process, INT32_MAX,
				      &judge->process) &&
	       (!options->process_descriptor ||
		vkr_tool_option_number("judge", "--process-descriptor", options->process_descriptor,
				       INT32_MAX, &judge->process_descriptor));
}

static enum vkr_result open_output(struct judge *judge, const char *path,
				   struct vkr_output_file *file, struct vkr_error *error)
{
	if (!path)
		return VKR_OK;
	// Under `vkrace run` the file was emptied as the run began: what stands in it is another
	// process's of the same run.
	enum vkr_result result =
		vkr_output_file_open(file, path, (uint32_t)judge->process, judge->run >= 0, error);
	if (result == VKR_OK && file->renamed)
		fprintf(stderr, "vkrace: %s is another process's; writing %s\n", path, file->path);
	return result;
}

// To the program, and as a line to its user, unless the program has its own way to tell him.
static void tell_race(void *user, const struct vkr_race_report *race)
{
	struct judge *judge = user;
	struct vkr_arena arena;
	if (judge->judging.enough)
		vkr_ring_satisfy(&judge->ring);
	vkr_arena_init(&arena);
	const char *line = vkr_live_race_line(race, &arena);
	char *message = vkr_live_race_message(race, &arena);
	if (judge->options.live && line && !vkr_ring_has_messenger(&judge->ring))
		vkr_judge_watch_say(&judge->watch, line);
	if (message)
		vkr_judge_send(judge->socket, VKR_JUDGE_RACE, message, false);
	free(message);
	vkr_arena_finish(&arena);
}

static void mark_place(void *user, uint64_t place)
{
	struct judge *judge = user;
	vkr_ring_mark(&judge->ring, place);
}

static bool is_cut(const struct judge *judge)
{
	return judge->options.trace && judge->volumes.cut.unit != VKR_VOLUME_NONE;
}

static enum vkr_result begin_volumes(struct judge *judge, struct vkr_error *error)
{
	judge->volumes.path = judge->options.trace;
	judge->volumes.process = (uint32_t)judge->process;
	judge->volumes.compress = judge->options.compress != NULL;
	const enum vkr_result result = vkr_volumes_begin(&judge->volumes, error);
	judge->writer = judge->volumes.writer;
	return result;
}

// A verdict stands without its trace, but a recording does not.
static enum vkr_result begin_trace(struct judge *judge, struct vkr_error *error)
{
	enum vkr_result result =
		is_cut(judge) ? begin_volumes(judge, error)
			      : vkr_chunk_writer_create(&judge->writer, judge->trace.descriptor,
							judge->trace.path,
							judge->options.compress != NULL, error);
	if (result == VKR_OK || judge->options.no_judge)
		return result;
	fprintf(stderr, "vkrace: nothing is recorded: %s\n", error->message);
	judge->unrecorded = true;
	return VKR_OK;
}

static enum vkr_result note_sources(struct judge *judge, struct vkr_error *error)
{
	judge->notes = vkr_source_notes_create();
	if (!judge->notes)
		return vkr_error_memory(error, "sources");
	vkr_source_set_notes(judge->source, vkr_source_notes_event, judge->notes);
	return VKR_OK;
}

static enum vkr_result prepare_judge(struct judge *judge, struct vkr_error *error)
{
	const struct vkr_judging_options judging = {.suppressions = judge->options.suppressions,
						    .only = judge->options.only,
						    .baseline = judge->options.baseline,
						    .any_image = judge->options.any_image != NULL,
						    .costs = judge->options.cost != NULL,
						    .model = judge->options.model,
						    .reading = judge->options.reading,
						    .shaders = judge->options.shader,
						    .not_shaders = judge->options.not_shader,
						    .labels = judge->options.label,
						    .sample = judge->options.sample,
						    .stop_after = judge->options.stop_after,
						    .threads = judge->options.threads};
	enum vkr_result result = vkr_run_channel_connect(&judge->run, error);
	if (result == VKR_OK)
		result = vkr_ring_attach(&judge->ring, judge->ring_memory, error);
	close(judge->ring_memory);
	if (result == VKR_OK)
		result = vkr_judging_init(&judge->judging, &judging, error);
	if (result == VKR_OK)
		result = is_cut(judge)
				 ? VKR_OK
				 : open_output(judge, judge->options.trace, &judge->trace, error);
	if (result == VKR_OK)
		result = open_output(judge, judge->options.json, &judge->json, error);
	if (result == VKR_OK && judge->options.trace)
		result = begin_trace(judge, error);
	if (result == VKR_OK)
		result = vkr_source_open_ring(&judge->source, &judge->ring, judge->writer, error);
	if (result == VKR_OK && judge->options.with_sources)
		result = note_sources(judge, error);
	judge->watch = (struct vkr_judge_watch){.process = judge->process,
						.process_descriptor = judge->process_descriptor,
						.socket = judge->socket,
						.run = judge->run,
						.quiet = judge->options.quiet != NULL,
						.records_only = judge->options.no_judge != NULL,
						.ring = &judge->ring,
						.judging = &judge->judging,
						.source = judge->writer ? judge->source : NULL};
	if (result == VKR_OK)
		result = vkr_judge_watch_start(&judge->watch, error);
	if (is_cut(judge) && judge->writer) {
		judge->volumes.source = judge->source;
		judge->judging.volumes = &judge->volumes;
	}
	judge->judging.source = judge->source;
	judge->judging.race_found = tell_race;
	judge->judging.host_raced = mark_place;
	judge->judging.user = judge;
	return result;
}

static enum vkr_result record_only(struct judge *judge, struct vkr_error *error)
{
	const struct vkr_trace_event *event;
	enum vkr_result result;
	// What a volume begins with is what judging leaves. Nothing of it is reported.
	if (judge->judging.volumes) {
		judge->judging.race_found = NULL;
		judge->judging.host_raced = NULL;
		return vkr_judging_run(&judge->judging, error);
	}
	do {
		result = vkr_source_next(judge->source, &event, error);
	} while (result == VKR_OK && event);
	return result;
}

// A verdict stands without its files: what cannot be written is said, and `vkrace run` told.
static bool write_reports(struct judge *judge, const struct vkr_report *report)
{
	struct vkr_error error;
	bool written = true;
	const struct vkr_report_text_options text = {.brief = false};
	if (!judge->options.quiet && vkr_judging_print(report, stderr, &text, &error) != VKR_OK) {
		fprintf(stderr, "vkrace: the report of %" PRIu32 " races cannot be printed: %s\n",
			report->race_count, error.message);
		written = false;
	}
	if (judge->options.cost)
		vkr_judging_print_cost(report, stderr);
	if (judge->json.path && vkr_judging_write_json(report, &judge->json, &error) != VKR_OK) {
		fprintf(stderr, "vkrace: %s\n", error.message);
		written = false;
	}
	return written;
}

// Where there is no memory for a report there is still a verdict.
static void count_races(struct judge *judge, struct vkr_run_verdict *verdict)
{
	const struct vkr_report *report = vkr_session_report(judge->judging.session);
	for (uint32_t i = 0; i < report->race_count; i++) {
		const struct vkr_race_report *race = &report->races[i];
		const bool shown =
			vkr_report_filter_ask(&judge->judging.filter, race) == VKR_FILTER_SHOWS;
		verdict->groups += shown;
		verdict->races += shown ? race->count : 0;
	}
	verdict->incomplete = report->coverage_count > 0 && verdict->groups == 0;
	verdict->failed = true;
	fprintf(stderr, "vkrace: no memory for the report, of %" PRIu32 " races\n",
		verdict->groups);
}

static enum vkr_result judge_run(struct judge *judge, struct vkr_run_verdict *verdict,
				 struct vkr_error *error)
{
	struct vkr_report_view view;
	const enum vkr_result result = vkr_judging_run(&judge->judging, error);
	vkr_judge_watch_report(&judge->watch);
	if (!judge->judging.session)
		return result;
	if (result != VKR_OK && result != VKR_ERROR_STOPPED)
		fprintf(stderr, "vkrace: not all of the run was judged: %s\n", error->message);
	verdict->failed = result != VKR_OK;
	if (vkr_judging_view(&judge->judging, &view, error) != VKR_OK) {
		count_races(judge, verdict);
		return VKR_OK;
	}
	verdict->groups = view.report.race_count;
	verdict->races = view.report.race_total;
	verdict->incomplete = view.report.verdict == VKR_VERDICT_INCOMPLETE;
	verdict->failed |= !write_reports(judge, &view.report);
	vkr_report_view_finish(&view);
	return VKR_OK;
}

static void send_verdict(struct judge *judge, const struct vkr_run_verdict *verdict)
{
	char text[96];
	snprintf(text, sizeof text, "%" PRIu32 " %" PRIu64 " %d", verdict->groups, verdict->races,
		 verdict->incomplete);
	vkr_run_channel_send(judge->run, verdict);
	vkr_judge_send_unless(judge->socket, VKR_JUDGE_VERDICT, text, &judge->watch.program_gone);
}

int vkr_command_judge(int argc, char **argv)
{
	// Static: the watching thread may look at it until the process has ended.
	static struct judge judge = {
		.run = -1, .trace.descriptor = -1, .json.descriptor = -1, .ring.memory = -1};
	struct vkr_run_verdict verdict = {0};
	struct vkr_error error;
	ignore_signals();
	keep_standard_streams();
	setpriority(PRIO_PROCESS, 0, NICENESS);
	if (!command_judge_parse(argc, argv, &judge))
		return VKR_EXIT_FAILURE;
	if (prepare_judge(&judge, &error) != VKR_OK) {
		vkr_judge_send(judge.socket, VKR_JUDGE_FAILED, error.message, true);
		return VKR_EXIT_FAILURE;
	}
	vkr_judge_send(judge.socket, VKR_JUDGE_READY, "", true);
	enum vkr_result result = judge.options.no_judge ? record_only(&judge, &error)
							: judge_run(&judge, &verdict, &error);
	if (result != VKR_OK)
		fprintf(stderr, "vkrace: the run could not be judged: %s\n", error.message);
	const struct vkr_error *copy = vkr_source_copy_failure(judge.source);
	if (copy)
		fprintf(stderr, "vkrace: the trace is not whole: %s\n", copy->message);
	vkr_ring_abandon(&judge.ring);
	vkr_judge_watch_end_trace(&judge.watch);
	// Whoever waits for the verdict may write these files anew while this process is still
	// ending.
	if (judge.trace.path)
		vkr_output_file_close(&judge.trace);
	struct vkr_error second;
	if (judge.judging.volumes)
		vkr_volumes_say(&judge.volumes, stderr);
	if (judge.judging.volumes && vkr_volumes_end(&judge.volumes, &second) != VKR_OK)
		fprintf(stderr, "vkrace: the trace is not whole: %s\n", second.message);
	verdict.failed |= judge.volumes.whole;
	if (judge.json.path)
		vkr_output_file_close(&judge.json);
	verdict.failed |= copy || judge.unrecorded;
	bool told = result == VKR_OK && !(copy && judge.options.no_judge);
	if (told)
		send_verdict(&judge, &verdict);
	return result == VKR_OK && !verdict.failed ? 0 : VKR_EXIT_FAILURE;
}
