// SPDX-License-Identifier: Apache-2.0
// `vkrace dump`: a trace as text. Knows files, and not what events mean.
#include "commands.h"
#include "error.h"
#include "event_text.h"
#include "reader.h"
#include "tool_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum vkr_result dump(const char *path, struct vkr_error *error)
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	uint64_t number = 0;
	enum vkr_result result = vkr_reader_open(&reader, path, error);
	if (result != VKR_OK)
		return result;
	for (;;) {
		result = vkr_reader_next(reader, &event, error);
		if (result != VKR_OK || !event)
			break;
		vkr_event_text(event, ++number, stdout);
		if (ferror(stdout))
			break;
	}
	const char *cut = vkr_reader_cut(reader);
	if (result == VKR_OK && (fflush(stdout) != 0 || ferror(stdout)))
		result = vkr_error_set(error, VKR_ERROR_IO, "cannot print: %s", strerror(errno));
	if (cut)
		fprintf(stderr, "vkrace dump: %s: %s\n", path, cut);
	vkr_reader_close(reader);
	return result;
}

int vkr_command_dump(int argc, char **argv)
{
	struct vkr_tool_options options;
	struct vkr_error error;
	if (!vkr_tool_options_parse(argc, argv, 0, true, &options))
		return VKR_EXIT_FAILURE;
	if (options.operands + 1 != argc) {
		fprintf(stderr, "vkrace dump: give one trace: vkrace dump TRACE\n");
		return VKR_EXIT_FAILURE;
	}
	if (dump(argv[options.operands], &error) != VKR_OK) {
		fflush(stdout);
		fprintf(stderr, "vkrace dump: %s\n", error.message);
		return VKR_EXIT_FAILURE;
	}
	return 0;
}
