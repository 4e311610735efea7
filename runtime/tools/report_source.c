// SPDX-License-Identifier: Apache-2.0
#include "report_source.h"

#include "error.h"

#include "report_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum vkr_result vkr_report_find_race(const struct vkr_report *report, const char *text,
				     uint32_t *race, struct vkr_error *error)
{
	char *end;
	for (*race = 0; *race < report->race_count; ++*race) {
		if (strcmp(report->races[*race].id, text) == 0)
			return VKR_OK;
	}
	errno = 0;
	const unsigned long number = strtoul(text, &end, 10);
	if (errno == 0 && *text >= '0' && *text <= '9' && !*end && number > 0 &&
	    number <= report->race_count) {
		*race = (uint32_t)number - 1;
		return VKR_OK;
	}
	return vkr_error_set(error, VKR_ERROR_FORMAT,
			     "'%s' is neither the id of a race nor a number from 1 to %" PRIu32,
			     text, report->race_count);
}
