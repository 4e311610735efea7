// SPDX-License-Identifier: Apache-2.0
// The report as JSON (json/report.schema.json), written and read back. Knows the JSON form of a
// report; nothing of how races are found.
#pragma once

#include "arena.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stddef.h>
#include <stdio.h>

#define VKR_REPORT_JSON_VERSION 1

// A report with its own storage.
struct vkr_report_copy {
	struct vkr_report report;
	struct vkr_arena arena;
};

// Writes the report. Texts that are not UTF-8 get U+FFFD for each wrong byte.
enum vkr_result vkr_report_json(const struct vkr_report *report, FILE *out,
				struct vkr_error *error) VKR_MUST_USE;

// Writes a report's changes alone, as vkr_report_read_changes() takes them.
enum vkr_result vkr_report_changes_json(const struct vkr_report *report, FILE *out,
					struct vkr_error *error) VKR_MUST_USE;

// Reads `bytes` bytes of JSON; `name` is the file's name for messages. An error names the offset of
// what is no JSON, or the path of the member that is no report's ("races[2].first.bytes").
enum vkr_result vkr_report_read_json(struct vkr_report_copy *copy, const char *name,
				     const char *text, size_t bytes,
				     struct vkr_error *error) VKR_MUST_USE;

// Reads a list of changes: a JSON object with `changes` as a report has them, of which only `kind`,
// `place` and `masks` must be there. Fills the copy's report.changes alone.
enum vkr_result vkr_report_read_changes(struct vkr_report_copy *copy, const char *name,
					const char *text, size_t bytes,
					struct vkr_error *error) VKR_MUST_USE;

// Releases what a successful read has filled; also fine after a failed one.
void vkr_report_copy_finish(struct vkr_report_copy *copy);
