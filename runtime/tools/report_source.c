// SPDX-License-Identifier: Apache-2.0
#include "report_source.h"

#include "report_file.h"

#include <stdio.h>

enum vkr_result vkr_report_source_open(struct vkr_report_source *source, const char *path,
				       const struct vkr_judging_options *options,
				       struct vkr_error *error)
{
	bool trace = false;
	*source = (struct vkr_report_source){0};
	enum vkr_result result = vkr_judging_init(&source->judging, options, error);
	if (result == VKR_OK)
		result = vkr_report_file_is_trace(path, &trace, error);
	if (result != VKR_OK)
		return result;
	if (!trace) {
		source->report = &source->copy.report;
		return vkr_report_file_read(&source->copy, path, error);
	}
	result = vkr_judging_run_file(&source->judging, path, error);
	if (!source->judging.session)
		return result;
	source->report = vkr_session_report(source->judging.session);
	source->failed = result != VKR_OK;
	if (source->failed)
		fprintf(stderr, "vkrace: %s: %s\n", path, error->message);
	return VKR_OK;
}

void vkr_report_source_close(struct vkr_report_source *source)
{
	vkr_report_copy_finish(&source->copy);
	vkr_judging_finish(&source->judging);
}
