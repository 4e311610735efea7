// SPDX-License-Identifier: Apache-2.0
// The vkrace command: which command is meant. Knows their names, and not what they do.
#include "commands.h"
#include "instrument_main.h"
#include "litmus_main.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; // NULL: not for people
};

static const struct command commands[] = {
	{"run", vkr_command_run,
	 "run [options] [--] CMD...     run a program under the layer, then report its races\n"
	 "    --trace FILE              record the run (%p: process id)\n"
	 "    --cut SIZE                cut the trace into volumes of a size (256M), a time "
	 "(10s)\n"
	 "                              or a number of submissions (500sub)\n"
	 "    --keep SIZE               keep the last volumes: 1G, 60s\n"
	 "    --json FILE               also write the report as JSON\n"
	 "    --suppressions FILE       leave out what the file's rules match\n"
	 "    --write-suppressions FILE write a rule for each race\n"
	 "    --only CLASS,...          report only these classes of races\n"
	 "    --only-practical          leave out races by the specification's letter only, which "
	 "no\n"
	 "                              known implementation shows\n"
	 "    --baseline REPORT         leave out the races that this JSON report has\n"
	 "    --brief                   a paragraph a cause\n"
	 "    --all-races               print each race in full, not a line a race of one cause\n"
	 "    --max-reports N           print the first N causes\n"
	 "    --check                   judge again with each change that is proposed\n"
	 "    --sarif FILE, --junit FILE, --html FILE  also write the report in this form\n"
	 "    --github                  print annotations of a workflow\n"
	 "    --source-root FOLDER      of --sarif and --github: name files relative to it\n"
	 "    --fail-on WHAT,...        what is a failure: races, unjudged (both by default),\n"
	 "                              incomplete (exit status 68)\n"
	 "    --model M, --reading N=V  another memory model than Vulkan's (docs/models.md)\n"
	 "    --on-race WHAT            continue (default), silent (tell its debug messenger\n"
	 "                              nothing), break (SIGTRAP) or abort where the program has\n"
	 "                              waited for commands that race\n"
	 "    --quiet                   print no report\n"
	 "    --exit-code N             exit status where races were found (66); 0: the program's\n"
	 "    --host MODE               watch accesses of host threads to mapped memory: cheap,\n"
	 "                              precise, annotated, off\n"
	 "    --noncoherent             present host-visible memory as not coherent: what must be\n"
	 "                              flushed and invalidated\n"
	 "    --host-sync               order host threads only by what they synchronize through\n"
	 "    --any-image               take no more order from an acquired image than any image\n"
	 "                              would give\n"
	 "    --strict                  rely on nothing that only some implementations do:\n"
	 "                              --any-image and --noncoherent\n"
	 "    --frames A-B              observe shaders in these frames only, counted by "
	 "presentations\n"
	 "    --sample P                observe shaders in a share of the frames: 10% or 0.1; or\n"
	 "                              of draws and dispatches: 10%:commands\n"
	 "    --shader GLOB,..., --not-shader GLOB,...  observe these shaders, or not these\n"
	 "    --label GLOB,...          observe shaders within these debug labels\n"
	 "    --stop-after N            observe no more shaders once N races are found\n"
	 "    --budget 2x               observe shaders as often as the run stays below this\n"
	 "    --paused                  observe no shaders until the program or a signal says so\n"
	 "    --toggle-signal USR2      switch observing off or on at this signal\n"
	 "    --cost                    print what judging cost, by shader and command\n"
	 "    --with-sources            the trace has the sources that reports show\n"
	 "    --threads N               judge with N threads; half of the processors by default,\n"
	 "                              at least two\n"
	 "    --no-judge                only record\n"
	 "    --compress, --no-compress the trace with zstd, or not\n"},
	{"replay", vkr_command_replay,
	 "replay [options] TRACE        judge a recorded run again; \"-\" is the standard input\n"
	 "    --json, --suppressions, --write-suppressions, --only, --only-practical,\n"
	 "    --baseline, --brief, --all-races, --max-reports, --check,\n"
	 "    --quiet, --exit-code, --any-image, --strict, --cost, --frames, --sample,\n"
	 "    --shader, --not-shader, --label, --stop-after, --threads as above\n"
	 "    --apply FILE              judge with the changes of a report or a list of such\n"
	 "    --model M, --reading N=V  as above\n"
	 "    of several volumes of a run (run --cut), or a folder of them, one report\n"
	 "    --compare A,B             the races that two memory models do not agree on\n"
	 "    --no-repeats              judge dispatches that do the same as earlier ones, too\n"
	 "    --jobs N                  judge with N processes\n"
	 "    --shard I/N --json FILE   judge part I of N of the memory, for merge or report, "
	 "which\n"
	 "                              make the whole report of the N files\n"},
	{"report", vkr_command_report,
	 "report [options] FILE...     a report in another form, from a trace or a JSON report;\n"
	 "                              of several one\n"
	 "    --json, --sarif, --junit, --html, --github (else text), -o FILE\n"
	 "    --source-root FOLDER      of --sarif and --github: name files relative to it\n"
	 "    --suppressions, --write-suppressions, --only, --only-practical, --baseline,\n"
	 "    --brief, --all-races, --max-reports as above\n"},
	{"merge", vkr_command_merge,
	 "merge [options] FILE...      one JSON report of several, with the runs that found each "
	 "race;\n"
	 "                              options of report\n"},
	{"cut", vkr_command_cut,
	 "cut --every SIZE -o NAME TRACE  cut a trace into volumes, each of which can be judged\n"
	 "                              alone; a size is 256M, or a number of submissions as "
	 "500sub\n"
	 "vkrace cut -o NAME TRACE RACE the smallest trace that still shows one race, by its id "
	 "or\n"
	 "                              its number from 1\n"
	 "    --any-image, --strict, --model, --reading, --compress, --no-compress, --quiet\n"
	 "                              as above\n"},
	{"diff", vkr_command_diff,
	 "diff [options] BEFORE AFTER   which races of two traces or JSON reports are new or "
	 "gone;\n"
	 "                              exit status 66 where some are new\n"
	 "    --json, --quiet, --suppressions, --only, --only-practical, --exit-code as above\n"},
	{"export", vkr_command_export,
	 "export --dot RACE FILE       one race, by its id or its number from 1, and what is near "
	 "it\n"
	 "                              as a graph for Graphviz, from a trace or a JSON report\n"
	 "export --perfetto TRACE -o FILE  threads, queues, submissions, what waits for what, and\n"
	 "                              races, for Perfetto (ui.perfetto.dev)\n"},
	{"lint", vkr_command_lint,
	 "lint [options] TRACE          which barriers, dependencies and semaphores no access of "
	 "the\n"
	 "                              trace needs; exit status 66 where there are some\n"
	 "    --narrow                  also which narrower masks are enough for needed ones\n"
	 "    --json                    as changes for replay --apply\n"
	 "    --exit-code as above\n"},
	{"litmus", vkr_litmus_main,
	 "litmus [options] FILE...      judge executions in the litmus format\n"
	 "    --model M[,M...]          the memory model: vulkan (default), vulkan-2018, "
	 "hrf-direct,\n"
	 "                              hrf-indirect, hrf-opencl; or all: one verdict a model\n"
	 "    --reading NAME=VALUE      a reading of the model's document (docs/models.md)\n"
	 "    --candidates              whether the model lets each execution happen\n"},
	{"dump", vkr_command_dump,
	 "dump [options] TRACE          print a trace, an event a line\n"
	 "    --submission N            only what one submission is and executes\n"
	 "    --type GLOB,...           only these events: 'CMD_*,SUBMIT'\n"},
	{"instrument", vkr_instrument_main,
	 "instrument IN.spv -o OUT.spv  rewrite one module; --sites prints its site table\n"},
	{"info", vkr_command_info,
	 "info [TRACE]                  what is in a trace; or what this build knows, and which\n"
	 "                              drivers are here\n"},
	{"judge", vkr_command_judge, NULL},
};

static void print_help(FILE *out)
{
	fputs("vkrace finds data races of Vulkan programs.\n\n", out);
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (commands[i].help)
			fprintf(out, "vkrace %s", commands[i].help);
	}
	fputs("vkrace help [COMMAND], vkrace version\n\n"
	      "Exit status: 0; of run, the program's own; 66 where races were found; 2 for a "
	      "wrong\n"
	      "command line, input that cannot be read or is damaged, output that cannot be "
	      "written;\n"
	      "67 of run where nothing was judged.\n",
	      out);
}

static bool is_one_of(const char *word, const char *first, const char *second)
{
	return strcmp(word, first) == 0 || strcmp(word, second) == 0;
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	fprintf(stderr, "vkrace: there is no command '%s' (see vkrace help)\n", name);
	return NULL;
}

// Whether a command is asked for its help, not a program after it.
static bool wants_help(int argc, char **argv)
{
	for (int i = 2; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		if (is_one_of(argv[i], "-h", "--help"))
			return true;
	}
	return false;
}

static int print_help_of(const char *name)
{
	const struct command *command = find_command(name);
	if (!command || !command->help)
		return VKR_EXIT_FAILURE;
	printf("vkrace %s", command->help);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return VKR_EXIT_FAILURE;
	}
	if (strcmp(argv[1], "help") == 0 && argc > 2)
		return print_help_of(argv[2]);
	if (strcmp(argv[1], "help") == 0 || is_one_of(argv[1], "-h", "--help")) {
		print_help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "version") == 0 || is_one_of(argv[1], "-V", "--version")) {
		printf("vkrace %s\n", VKR_VERSION);
		return 0;
	}
	if (wants_help(argc, argv))
		return print_help_of(argv[1]);
	const struct command *command = find_command(argv[1]);
	if (!command)
		return VKR_EXIT_FAILURE;
	// A file beyond RLIMIT_FSIZE is an error; the program of `run` inherits nothing.
	if (command->run != vkr_command_run)
		signal(SIGXFSZ, SIG_IGN);
	return command->run(argc - 1, argv + 1);
}
