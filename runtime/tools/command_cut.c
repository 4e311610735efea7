// SPDX-License-Identifier: Apache-2.0
// `vkrace cut`: cuts a recorded trace into volumes, each of which can be judged alone, or down to
// what one race needs. Knows the files; not what a volume begins with, nor what a race needs.
#include "commands.h"
#include "error.h"
#include "judging.h"
#include "race_cut.h"
#include "tool_options.h"
#include "volume_files.h"
#include "volume_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static enum vkr_result cut_trace(const char *path, const struct vkr_judging_options *how,
				 struct vkr_volumes *volumes, struct vkr_error *error)
{
	struct vkr_judging judging;
	struct vkr_source *source = NULL;
	enum vkr_result result = vkr_judging_init(&judging, how, error);
	if (result != VKR_OK)
		return result;
	result = vkr_trace_open(&source, path, error);
	if (result == VKR_OK)
		result = vkr_volumes_begin(volumes, error);
	if (result == VKR_OK) {
		judging.source = source;
		judging.volumes = volumes;
		result = vkr_judging_run(&judging, error);
	}
	vkr_volumes_say(volumes, stderr);
	struct vkr_error second;
	const enum vkr_result ended = vkr_volumes_end(volumes, &second);
	if (result == VKR_OK && ended != VKR_OK)
		result = vkr_error_set(error, ended, "%s", second.message);
	if (result == VKR_OK && volumes->whole)
		result = vkr_error_set(error, VKR_ERROR_IO, "%s", volumes->error.message);
	vkr_source_close(source);
	vkr_judging_finish(&judging);
	return result;
}

// What one race needs of a trace.
static int cut_race(const struct vkr_tool_options *options, const struct vkr_judging_options *how,
		    char **operands)
{
	struct vkr_race_cut cut = {.trace = operands[0],
				   .race = operands[1],
				   .output = options->output,
				   .compress = !options->no_compress,
				   .how = how};
	struct vkr_error error;
	if (vkr_race_cut(&cut, &error) != VKR_OK) {
		fprintf(stderr, "vkrace cut: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	if (!options->quiet)
		printf("vkrace: race %s needs %" PRIu64 " of %" PRIu64 " events, %" PRIu64
		       " of %" PRIu64 " submissions, %" PRIu64 " of %" PRIu64 " commands\n",
		       cut.id, cut.after.events, cut.before.events, cut.after.submissions,
		       cut.before.submissions, cut.after.commands, cut.before.commands);
	return 0;
}

int vkr_command_cut(int argc, char **argv)
{
	const struct vkr_tool_option_set accepted =
		VKR_OPTION_SET(VKR_OPTION(EVERY), VKR_OPTION(OUTPUT), VKR_OPTION(COMPRESS),
			       VKR_OPTION(NO_COMPRESS), VKR_OPTION(QUIET), VKR_OPTION(MODEL),
			       VKR_OPTION(READING), VKR_OPTION(ANY_IMAGE), VKR_OPTION(STRICT));
	struct vkr_tool_options options;
	struct vkr_volumes volumes = {.process = (uint32_t)getpid()};
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, &accepted, true, &options))
		return VKR_EXIT_FAILURE;
	const struct vkr_judging_options how = {.model = options.model,
						.reading = options.reading,
						.any_image = options.any_image || options.strict};
	if (options.operands + 2 == argc && !options.every && options.output)
		return cut_race(&options, &how, argv + options.operands);
	if (options.operands + 1 != argc || !options.every || !options.output) {
		fprintf(stderr, "vkrace cut: give one trace, a size and a name: vkrace cut --every "
				"256M -o PARTS.vkrace TRACE, or a trace, a race and a name: vkrace "
				"cut -o RACE.vkrace TRACE RACE\n");
		return VKR_EXIT_FAILURE;
	}
	if (!vkr_volume_measure_parse("cut", "--every", options.every, &volumes.cut))
		return VKR_EXIT_FAILURE;
	if (volumes.cut.unit == VKR_VOLUME_TIME) {
		fprintf(stderr, "vkrace cut: a trace does not say when something was: --every "
				"takes a size or a number of submissions, as 256M or 500sub\n");
		return VKR_EXIT_FAILURE;
	}
	volumes.path = options.output;
	volumes.compress = !options.no_compress;
	if (cut_trace(argv[options.operands], &how, &volumes, &error) != VKR_OK) {
		fprintf(stderr, "vkrace cut: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	if (!options.quiet)
		printf("vkrace: %u volume%s\n", volumes.number, volumes.number == 1 ? "" : "s");
	return 0;
}
