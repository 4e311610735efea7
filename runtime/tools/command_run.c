// SPDX-License-Identifier: Apache-2.0
// `vkrace run`: a program under the layer, and its exit status. Knows processes and the layer's
// variables, and not what is recorded.
#include "array.h"
#include "choice.h"
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "layer_environment.h"
#include "memory_names.h"
#include "output_file.h"
#include "program_file.h"
#include "report_file.h"
#include "report_filter.h"
#include "run_channel.h"
#include "run_reports.h"
#include "tool_options.h"
#include "volume_files.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// What makes the exit status another than the program's.
enum fail_on {
	FAIL_ON_RACES = 1 << 0,
	FAIL_ON_INCOMPLETE = 1 << 1,
	FAIL_ON_UNJUDGED = 1 << 2,
};

struct connections {
	struct pollfd *items;
	size_t count, capacity;
};

struct run {
	struct vkr_tool_options options;
	int exit_code;
	struct vkr_run_listener listener;
	int signals;
	sigset_t watched, before;
	pid_t program;
	bool ended;
	int status;        // of the program, once ended
	unsigned signaled; // since then
	int end_signal;    // the one that ends the run before its judges
	struct connections judges;
	size_t judge_count, failed, instances;
	char reason[VKR_RUN_REASON_BYTES]; // why something is not recorded, once known
	struct vkr_run_verdict verdict;    // of all judges
	struct vkr_report_text_options text;
	struct vkr_run_reports reports; // where more is asked for than judges do by themselves
	unsigned fail_on;               // enum fail_on bits
};

// The program may change its folder before it starts Vulkan.
static enum vkr_result set_path(const char *variable, const char *path, struct vkr_error *error)
{
	if (!path)
		return VKR_OK;
	char *folder = *path == '/' ? strdup("") : getcwd(NULL, 0), *whole = NULL;
	if (!folder)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot name the current folder: %s",
				     strerror(errno));
	int length = asprintf(&whole, "%s%s%s", folder, *path == '/' ? "" : "/", path);
	free(folder);
	if (length < 0)
		return vkr_error_memory(error, "a path");
	int failed = setenv(variable, whole, 1);
	free(whole);
	return failed ? vkr_error_memory(error, "the environment") : VKR_OK;
}

// What is chosen of the run.
static bool set_choice(const struct vkr_tool_options *options)
{
	const struct {
		const char *variable, *value;
	} choices[] = {
		{"VKRACE_FRAMES", options->frames},
		{"VKRACE_SAMPLE", options->sample},
		{"VKRACE_SHADER", options->shader},
		{"VKRACE_NOT_SHADER", options->not_shader},
		{"VKRACE_LABEL", options->label},
		{"VKRACE_STOP_AFTER", options->stop_after},
		{"VKRACE_THREADS", options->threads},
		{"VKRACE_BUDGET", options->budget},
		{"VKRACE_PAUSED", options->paused ? "1" : NULL},
		{"VKRACE_TOGGLE_SIGNAL", options->toggle_signal},
	};
	bool set = true;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
		if (choices[i].value)
			set = setenv(choices[i].variable, choices[i].value, 1) == 0 && set;
	return set;
}

static enum vkr_result check_choice(const struct vkr_tool_options *options, struct vkr_error *error)
{
	struct vkr_choice choice;
	uint64_t races;
	unsigned threads;
	double budget;
	int number;
	enum vkr_result result = VKR_OK;
	if (options->frames)
		result = vkr_choice_frames(&choice, options->frames, error);
	if (result == VKR_OK && options->sample)
		result = vkr_choice_sample(&choice, options->sample, error);
	if (result == VKR_OK && options->stop_after)
		result = vkr_choice_races(options->stop_after, &races, error);
	if (result == VKR_OK && options->threads)
		result = vkr_choice_threads(options->threads, &threads, error);
	if (result == VKR_OK && options->budget)
		result = vkr_choice_budget(options->budget, &budget, error);
	if (result == VKR_OK && options->toggle_signal)
		result = vkr_choice_signal(options->toggle_signal, &number, error);
	return result;
}

static enum vkr_result set_variables(const struct run *run, struct vkr_error *error)
{
	const struct vkr_tool_options *options = &run->options;
	enum vkr_result result = vkr_layer_environment_set(error);
	const struct vkr_run_reports *reports = &run->reports;
	if (result == VKR_OK)
		result = set_path("VKRACE_TRACE", reports->trace ? reports->trace : options->trace,
				  error);
	if (result == VKR_OK)
		result = set_path("VKRACE_JSON", reports->json ? reports->json : options->json,
				  error);
	if (result == VKR_OK)
		result = set_path("VKRACE_SUPPRESSIONS", options->suppressions, error);
	if (result == VKR_OK)
		result = set_path("VKRACE_BASELINE", options->baseline, error);
	if (result != VKR_OK)
		return result;
	bool failed =
		setenv(VKR_RUN_VARIABLE, run->listener.address, 1) != 0 ||
		(options->only && setenv("VKRACE_ONLY", options->only, 1) != 0) ||
		(options->model && setenv("VKRACE_MODEL", options->model, 1) != 0) ||
		(options->reading && setenv("VKRACE_READING", options->reading, 1) != 0) ||
		((options->quiet || reports->folder) && setenv("VKRACE_QUIET", "1", 1) != 0) ||
		(!options->quiet && reports->folder && setenv("VKRACE_LIVE", "1", 0) != 0) ||
		(options->on_race && setenv("VKRACE_ON_RACE", options->on_race, 1) != 0) ||
		(options->host && setenv("VKRACE_HOST", options->host, 1) != 0) ||
		(options->noncoherent && setenv("VKRACE_NONCOHERENT", "1", 1) != 0) ||
		(options->host_sync && setenv("VKRACE_HOST_SYNC", "1", 1) != 0) ||
		(options->any_image && setenv("VKRACE_ANY_IMAGE", "1", 1) != 0) ||
		!set_choice(options) || (options->cost && setenv("VKRACE_COST", "1", 1) != 0) ||
		(options->with_sources && setenv("VKRACE_WITH_SOURCES", "1", 1) != 0) ||
		(options->cut && setenv("VKRACE_CUT", options->cut, 1) != 0) ||
		(options->keep && setenv("VKRACE_KEEP", options->keep, 1) != 0) ||
		(options->no_judge && setenv("VKRACE_JUDGE", "0", 1) != 0) ||
		(options->compress && setenv("VKRACE_COMPRESS", "1", 1) != 0) ||
		(options->no_compress && setenv("VKRACE_COMPRESS", "0", 1) != 0);
	return failed ? vkr_error_memory(error, "the environment") : VKR_OK;
}

static enum vkr_result check_baseline(const char *path, struct vkr_error *error)
{
	struct vkr_report_copy copy;
	enum vkr_result result = vkr_report_file_read(&copy, path, error);
	vkr_report_copy_finish(&copy);
	return result;
}

// Sees to it before the program starts that its judges can do their work, and empties the files
// that they write.
static enum vkr_result check_files(const struct vkr_tool_options *options, struct vkr_error *error)
{
	const bool cut = options->cut || options->keep; // its volumes have other names
	const char *const written[] = {cut ? NULL : options->trace, options->json};
	struct vkr_report_filter filter;
	enum vkr_result result = VKR_OK;
	struct vkr_memory_rules rules = {0};
	vkr_report_filter_init(&filter);
	result = check_choice(options, error);
	if (result == VKR_OK && options->model)
		result = vkr_memory_model_parse(options->model, &rules.model, error);
	if (result == VKR_OK && options->reading)
		result = vkr_reading_parse(options->reading, &rules.readings, error);
	if (result == VKR_OK && options->suppressions)
		result = vkr_report_filter_read(&filter, options->suppressions, error);
	if (result == VKR_OK && options->only)
		result = vkr_report_filter_only(&filter, options->only, error);
	vkr_report_filter_finish(&filter);
	if (result == VKR_OK && options->baseline)
		result = check_baseline(options->baseline, error);
	for (size_t i = 0; i < 2 && result == VKR_OK; i++) {
		if (!written[i] || strchr(written[i], '%'))
			continue;
		struct vkr_output_file file;
		result = vkr_output_file_open(&file, written[i], 0, false, error);
		if (result == VKR_OK && file.renamed) {
			unlink(file.path);
			result = vkr_error_set(error, VKR_ERROR_IO, "%s: another run is writing it",
					       written[i]);
		}
		if (file.path)
			vkr_output_file_close(&file);
	}
	return result;
}

// Removes what check_files() made where no judge has written it.
static void remove_unused(const struct run *run)
{
	const char *const written[] = {run->options.trace, run->options.json};
	for (size_t i = 0; i < 2; i++) {
		struct stat status;
		if (written[i] && !strchr(written[i], '%') && lstat(written[i], &status) == 0 &&
		    S_ISREG(status.st_mode) && status.st_size == 0)
			unlink(written[i]);
	}
}

static enum vkr_result watch_signals(struct run *run, struct vkr_error *error)
{
	static const int watched[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	sigemptyset(&run->watched);
	for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++)
		sigaddset(&run->watched, watched[i]);
	sigprocmask(SIG_BLOCK, &run->watched, &run->before);
	run->signals = signalfd(-1, &run->watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (run->signals < 0)
		return vkr_error_set(error, VKR_ERROR_IO, "cannot wait for signals: %s",
				     strerror(errno));
	return VKR_OK;
}

// 0, or the exit status where the program cannot be started.
static int start_program(struct run *run, char **arguments)
{
	posix_spawnattr_t attributes;
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &run->before);
	int reason =
		posix_spawnp(&run->program, arguments[0], NULL, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	if (reason == 0)
		return 0;
	fprintf(stderr, "vkrace run: %s: %s\n", arguments[0], strerror(reason));
	return reason == ENOENT ? 127 : 126;
}

static bool command_run_ends(uint32_t number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

// The first signal after the program's end has the judges stop and report; the second one ends
// them, and the run, which waits for nobody then.
static void tell_judges(struct run *run, int number)
{
	for (size_t i = 2; i < run->judges.count; i++)
		vkr_run_channel_signal(run->judges.items[i].fd, run->ended);
	if (run->ended && ++run->signaled > 1)
		run->end_signal = number;
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;
	while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info) {
		// What the terminal sends (SI_KERNEL) reaches the program by itself.
		if (info.ssi_signo != SIGCHLD && info.ssi_code <= 0 && !run->ended)
			kill(run->program, (int)info.ssi_signo);
		if (command_run_ends(info.ssi_signo))
			tell_judges(run, (int)info.ssi_signo);
	}
	int status;
	if (!run->ended && waitpid(run->program, &status, WNOHANG) == run->program) {
		run->ended = true;
		run->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
}

static enum vkr_result take_messages(struct run *run, struct vkr_error *error)
{
	enum vkr_run_message message;
	int connection;
	while ((message = vkr_run_channel_next(&run->listener, &connection, run->reason)) !=
	       VKR_RUN_NONE) {
		if (message == VKR_RUN_INSTANCE)
			run->instances++;
		if (message != VKR_RUN_JUDGE)
			continue;
		run->judge_count++;
		if (connection < 0) {
			run->failed++;
			continue;
		}
		if (!VKR_ARRAY_RESERVE(&run->judges, 1)) {
			close(connection);
			return vkr_error_memory(error, "the judges");
		}
		run->judges.items[run->judges.count++] =
			(struct pollfd){.fd = connection, .events = POLLIN};
	}
	return VKR_OK;
}

static void take_verdicts(struct run *run)
{
	for (size_t i = 2; i < run->judges.count;) {
		struct pollfd *judge = &run->judges.items[i];
		struct vkr_run_verdict verdict = {0};
		if (!judge->revents) {
			i++;
			continue;
		}
		if (vkr_run_channel_receive(judge->fd, &verdict)) {
			run->verdict.groups += verdict.groups;
			run->verdict.races += verdict.races;
			run->verdict.incomplete |= verdict.incomplete;
			run->verdict.failed |= verdict.failed;
		} else {
			run->failed++;
		}
		close(judge->fd);
		*judge = run->judges.items[--run->judges.count];
	}
}

// Until the program and all judges have ended.
static enum vkr_result wait_for_all(struct run *run, struct vkr_error *error)
{
	if (!VKR_ARRAY_RESERVE(&run->judges, 2))
		return vkr_error_memory(error, "the judges");
	run->judges.items[0] = (struct pollfd){.fd = run->signals, .events = POLLIN};
	run->judges.items[1] = (struct pollfd){.fd = run->listener.socket, .events = POLLIN};
	run->judges.count = 2;
	while (!run->ended || (run->judges.count > 2 && !run->end_signal)) {
		if (poll(run->judges.items, run->judges.count, -1) < 0 && errno != EINTR)
			return vkr_error_set(error, VKR_ERROR_IO, "cannot wait: %s",
					     strerror(errno));
		take_verdicts(run);
		take_signals(run);
		// Behind the look at the program: its judges have spoken before it ended.
		enum vkr_result result = take_messages(run, error);
		if (result != VKR_OK)
			return result;
	}
	run->failed += run->judges.count - 2;
	return VKR_OK;
}

// Why there is no verdict. Without a device there is no judge.
static const char *unjudged_reason(struct run *run, const char *program)
{
	const char *obstacle = run->instances ? NULL : vkr_program_file_obstacle(program);
	if (*run->reason)
		return run->reason;
	if (run->judge_count > 0)
		return "the judge ended without a verdict";
	if (run->instances)
		return "the program made a Vulkan instance under the layer, but no device that "
		       "could be recorded";
	if (!obstacle)
		return "the program made no Vulkan instance under the layer";
	snprintf(run->reason, sizeof run->reason, "%s %s", program, obstacle);
	return run->reason;
}

// As RUN_BEGIN has it, to be freed; NULL for lack of memory.
static char *command_line(char **arguments)
{
	size_t bytes = 1;
	for (char **argument = arguments; *argument; argument++)
		bytes += strlen(*argument) + 1;
	char *line = malloc(bytes), *to = line;
	for (char **argument = arguments; line && *argument; argument++)
		to += sprintf(to, "%s%s", to == line ? "" : " ", *argument);
	return line;
}

// The report that no judge could write, unless another process of the run has one under the name.
static enum vkr_result write_unjudged(const struct run *run, char **arguments, const char *reason,
				      struct vkr_error *error)
{
	struct vkr_output_file file;
	char text[VKR_RUN_REASON_BYTES + 32];
	snprintf(text, sizeof text, "nothing was judged: %s", reason);
	const struct vkr_coverage_report lack = {.kind = "trace", .text = text, .count = 1};
	char *program = command_line(arguments);
	const struct vkr_report report = {.program = program ? program : "",
					  .model = run->options.model ? run->options.model
								      : "vulkan",
					  .verdict = VKR_VERDICT_INCOMPLETE,
					  .coverage = &lack,
					  .coverage_count = 1};
	enum vkr_result result =
		vkr_output_file_open(&file, run->options.json, (uint32_t)run->program, true, error);
	if (result == VKR_OK && file.renamed)
		vkr_output_file_discard(&file);
	else if (result == VKR_OK)
		result = vkr_judging_write_json(&report, &file, error);
	if (file.path)
		vkr_output_file_close(&file);
	free(program);
	return result;
}

static void tell_unjudged(struct run *run, char **arguments)
{
	struct vkr_error error;
	const char *reason = unjudged_reason(run, arguments[0]);
	if (run->judge_count == 0 || run->failed == run->judge_count)
		fprintf(stderr, "vkrace: nothing was judged: %s\n", reason);
	else
		fprintf(stderr, "vkrace: %zu of %zu judges ended without a verdict\n", run->failed,
			run->judge_count);
	// Of several processes some have reports, under names of their own.
	if (run->failed < run->judge_count && run->options.json && strchr(run->options.json, '%'))
		return;
	if (run->options.json && write_unjudged(run, arguments, reason, &error) != VKR_OK)
		fprintf(stderr, "vkrace: %s\n", error.message);
}

// What the judges have found together, in the forms that were asked for. False after an error.
static bool write_reports(struct run *run, bool *races, bool *incomplete)
{
	struct vkr_run_outcome outcome = {0};
	struct vkr_error error;
	*races = run->verdict.groups > 0;
	*incomplete = run->verdict.incomplete;
	if (!run->reports.folder || run->failed == run->judge_count)
		return true;
	if (vkr_run_reports_write(&run->reports, &run->options, &run->text, &outcome, &error) !=
	    VKR_OK) {
		fprintf(stderr, "vkrace run: %s\n", error.message);
		return false;
	}
	*races = outcome.races > 0;
	*incomplete = outcome.incomplete && !*races;
	return true;
}

static int exit_status(struct run *run, char **arguments)
{
	bool races = false, incomplete = false;
	// First, for a judge that is still ending may hold the file that it could not write.
	remove_unused(run);
	if (run->failed == run->judge_count || run->failed > 0)
		tell_unjudged(run, arguments);
	const bool written = write_reports(run, &races, &incomplete);
	if (run->end_signal)
		return 128 + run->end_signal;
	if (races && run->exit_code && run->fail_on & FAIL_ON_RACES)
		return run->exit_code;
	if (run->status != 0)
		return run->status;
	const bool unjudged = run->failed == run->judge_count;
	if (unjudged && run->fail_on & FAIL_ON_UNJUDGED)
		return VKR_EXIT_UNJUDGED;
	if (incomplete && run->fail_on & FAIL_ON_INCOMPLETE)
		return VKR_EXIT_INCOMPLETE;
	const bool some_failed = run->failed && !unjudged;
	return !written || some_failed || run->verdict.failed ? VKR_EXIT_FAILURE : 0;
}

// The bits of a list like "races,incomplete"; false with a message where a word is none.
static bool read_fail_on(struct run *run)
{
	static const char *const words[] = {"races", "incomplete", "unjudged"};
	const char *list = run->options.fail_on;
	run->fail_on = list ? 0 : FAIL_ON_RACES | FAIL_ON_UNJUDGED;
	while (list && *list) {
		const size_t length = strcspn(list, ",");
		unsigned bit = 0;
		for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
			if (strlen(words[i]) == length && memcmp(words[i], list, length) == 0)
				bit = 1u << i;
		}
		if (!bit) {
			fprintf(stderr,
				"vkrace run: option '--fail-on' takes races, incomplete and "
				"unjudged, not '%.*s'\n",
				(int)length, list);
			return false;
		}
		run->fail_on |= bit;
		list += length + (list[length] == ',');
	}
	return true;
}

static bool is_one_of(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

// What is wrong with the options is said before the program starts.
static bool check_options(struct run *run, int argc)
{
	static const char *const modes[] = {"cheap", "precise", "annotated", "off"};
	static const char *const on_race[] = {"continue", "silent", "break", "abort"};
	const struct vkr_tool_options *options = &run->options;
	struct vkr_volume_measure cut, keep;
	if (options->exit_code &&
	    !vkr_tool_option_number("run", "--exit-code", options->exit_code, 255, &run->exit_code))
		return false;
	const bool known = !options->host || is_one_of(options->host, modes, 4);
	if (!known)
		fprintf(stderr,
			"vkrace run: option '--host' takes cheap, precise, annotated or off, "
			"not '%s'\n",
			options->host);
	else if (options->on_race && !is_one_of(options->on_race, on_race, 4))
		fprintf(stderr,
			"vkrace run: option '--on-race' takes continue, silent, break or abort, "
			"not "
			"'%s'\n",
			options->on_race);
	else if (options->on_race && options->no_judge)
		fprintf(stderr, "vkrace run: --no-judge finds no race for --on-race\n");
	else if (options->operands == argc)
		fprintf(stderr, "vkrace run: which program? vkrace run [options] -- CMD...\n");
	else if (options->no_judge && vkr_run_reports_are_wanted(options))
		fprintf(stderr, "vkrace run: --no-judge leaves no report to show or to write\n");
	else if (options->no_judge && !options->trace)
		fprintf(stderr, "vkrace run: --no-judge without --trace FILE does nothing\n");
	else if ((options->cut || options->keep) && !options->trace)
		fprintf(stderr, "vkrace run: --cut and --keep are of --trace FILE\n");
	else if ((options->cut || options->keep) && options->check)
		fprintf(stderr, "vkrace run: --check judges a trace that is whole: it does not go "
				"with --cut and --keep\n");
	else
		return vkr_volume_measures_parse("run", options->cut, options->keep, &cut, &keep);
	return false;
}

// What the program took, its own processes that it has waited for included; judges are none of
// them.
static void print_cost(void)
{
	struct rusage usage;
	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return;
	const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
			       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	fprintf(stderr,
		"vkrace: the program took %.3f s of processor time and %ld MiB of memory at "
		"most\n",
		seconds, usage.ru_maxrss / 1024);
}

int vkr_command_run(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted = VKR_OPTION_SET(
		VKR_OPTION(TRACE), VKR_OPTION(JSON_FILE), VKR_OPTION(SUPPRESSIONS),
		VKR_OPTION(ONLY), VKR_OPTION(ONLY_PRACTICAL), VKR_OPTION(QUIET),
		VKR_OPTION(EXIT_CODE), VKR_OPTION(NO_JUDGE), VKR_OPTION(COMPRESS),
		VKR_OPTION(NO_COMPRESS), VKR_OPTION(HOST), VKR_OPTION(NONCOHERENT),
		VKR_OPTION(HOST_SYNC), VKR_OPTION(SARIF_FILE), VKR_OPTION(JUNIT_FILE),
		VKR_OPTION(HTML_FILE), VKR_OPTION(GITHUB), VKR_OPTION(SOURCE_ROOT),
		VKR_OPTION(BASELINE), VKR_OPTION(BRIEF), VKR_OPTION(ALL_RACES),
		VKR_OPTION(MAX_REPORTS), VKR_OPTION(CHECK), VKR_OPTION(FAIL_ON),
		VKR_OPTION(ON_RACE), VKR_OPTION(WRITE_SUPPRESSIONS), VKR_OPTION(ANY_IMAGE),
		VKR_OPTION(STRICT), VKR_OPTION(MODEL), VKR_OPTION(READING), VKR_OPTION(FRAMES),
		VKR_OPTION(SAMPLE), VKR_OPTION(SHADER), VKR_OPTION(NOT_SHADER), VKR_OPTION(LABEL),
		VKR_OPTION(STOP_AFTER), VKR_OPTION(THREADS), VKR_OPTION(BUDGET), VKR_OPTION(PAUSED),
		VKR_OPTION(TOGGLE_SIGNAL), VKR_OPTION(COST), VKR_OPTION(WITH_SOURCES),
		VKR_OPTION(CUT), VKR_OPTION(KEEP));
	struct run run = {.exit_code = VKR_EXIT_RACES, .signals = -1};
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, &accepted, false, &run.options))
		return VKR_EXIT_FAILURE;
	if (!check_options(&run, argc) || !read_fail_on(&run) ||
	    !vkr_judging_text_options(&run.options, "run", &run.text))
		return VKR_EXIT_FAILURE;
	enum vkr_result result = check_files(&run.options, &error);
	if (result == VKR_OK && vkr_run_reports_are_wanted(&run.options))
		result = vkr_run_reports_prepare(&run.reports, &run.options, &error);
	if (result == VKR_OK)
		result = vkr_run_channel_listen(&run.listener, &error);
	if (result == VKR_OK)
		result = set_variables(&run, &error);
	if (result == VKR_OK)
		result = watch_signals(&run, &error);
	int status = VKR_EXIT_FAILURE;
	if (result == VKR_OK) {
		status = start_program(&run, argv + run.options.operands);
		signal(SIGXFSZ, SIG_IGN); // a report beyond RLIMIT_FSIZE is an error
		if (status != 0)
			remove_unused(&run);
		else if ((result = wait_for_all(&run, &error)) == VKR_OK)
			status = exit_status(&run, argv + run.options.operands);
		if (run.options.cost && run.ended)
			print_cost();
	}
	if (result != VKR_OK) {
		fprintf(stderr, "vkrace run: %s\n", error.message);
		status = VKR_EXIT_FAILURE;
	}
	vkr_run_reports_remove(&run.reports);
	free(run.judges.items);
	return status;
}
