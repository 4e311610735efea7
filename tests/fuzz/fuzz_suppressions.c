// SPDX-License-Identifier: Apache-2.0
// Any bytes as a suppression file: refused, or asked about a race.
#include "report_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vkr_race_report race = {
		.id = "0123456789abcdef",
		.first = {.operation = "OpStore",
			  .object = "positions",
			  .source = {.shader = "forces", .file = "shaders/forces.comp", .line = 41},
			  .stack = "",
			  .command = {.command = 2,
				      .name = "vkCmdDispatch",
				      .labels = "frame 3 / simulate",
				      .recorded = "record() scene.c:12"}},
		.second = {.agent = VKR_AGENT_HOST,
			   .operation = "host write",
			   .object = "positions",
			   .source = {.shader = "", .file = ""},
			   .stack = "upload() scene.c:7\nmain() main.c:3",
			   .command = {.name = "", .labels = "", .recorded = ""}},
	};
	struct vkr_report_filter filter;
	struct vkr_error error;
	char path[64];
	const int file = memfd_create("suppressions", MFD_CLOEXEC);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	vkr_report_filter_init(&filter);
	if (vkr_report_filter_read(&filter, path, &error) == VKR_OK)
		(void)vkr_report_filter_ask(&filter, &race);
	vkr_report_filter_finish(&filter);
	close(file);
	return 0;
}
