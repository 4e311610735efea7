// SPDX-License-Identifier: Apache-2.0
// Leaving out races that the user does not want to see: suppression files, baselines and --only.
// Knows what a race's report says; nothing of how the race was found.
//
// A suppression file has one rule a line:
//
//     CLASS[,CLASS...]  OBJECT  PLACE  [PLACE]
//
// separated by blanks. CLASS is a race class or `*`. OBJECT is a glob pattern for the object's
// name. PLACE is a glob pattern for one access, matched against each of its
//
//     file:line     "forces.comp:41", with its directory or without
//     shader        "forces"
//     command       "vkCmdCopyBuffer"
//     operation     "host write": of accesses outside shaders
//
//     shader:PATTERN    the shader's name or its hash
//     function:PATTERN  a function of the host's call stack, or of the calls that recorded the
//                       command: "upload" for upload() and for upload(int)
//     label:PATTERN     a debug label around the command, or all joined by " / "
//
// A rule with one PLACE matches a race of which either access matches; with two, each access must
// match one of them. In patterns `*` is any text, `?` any one byte, [...] a set, `\` takes the
// next character as it is; a pattern in "double quotes" may hold blanks, with \" for a quote. `#`
// begins a comment; blank lines are skipped. The comment in a rule's line, or else those above it
// up to a blank line, is its reason, which reports show.
#pragma once

#include "arena.h"
#include "vkrace/report.h"
#include "vkrace/result.h"

#include <stddef.h>

struct vkr_filter_rule {
	uint32_t classes;                   // bits 1 << enum vkr_race_class
	const char *object, *place, *other; // patterns; `other` is NULL in a rule of one place
	const char *file, *reason;
	uint32_t line;
};

struct vkr_filter_ids {
	const char **items; // sorted by strcmp()
	size_t count, capacity;
};

struct vkr_report_filter {
	struct vkr_filter_rule *items; // the suppressions, in file order
	size_t count, capacity;
	struct vkr_filter_ids known;    // of the baselines' races
	struct vkr_filter_ids possible; // of their possible races
	uint32_t only;                  // classes that are shown, bits 1 << enum vkr_race_class
	bool practical;                 // without races by the specification's letter only
	struct vkr_arena arena;         // the patterns
};

// What is left of a report; borrows its texts.
struct vkr_report_view {
	struct vkr_report report;
	struct vkr_race_report *races, *possible;
	struct vkr_change_report *changes; // the report's, with those for shown races only
	struct vkr_rule_report *rules;     // the report's, and the filter's
	struct vkr_arena arena;
};

// A filter that lets everything through.
void vkr_report_filter_init(struct vkr_report_filter *filter);
void vkr_report_filter_finish(struct vkr_report_filter *filter);

// Shows only the classes of a list like "unordered,private"; "practical" among them, or alone:
// without races that no known implementation shows.
enum vkr_result vkr_report_filter_only(struct vkr_report_filter *filter, const char *classes,
				       struct vkr_error *error) VKR_MUST_USE;

// Adds the rules of a file. An error names the line.
enum vkr_result vkr_report_filter_read(struct vkr_report_filter *filter, const char *path,
				       struct vkr_error *error) VKR_MUST_USE;

// Adds the races of a report to those that are known. What is only possible there is known as
// possible, and new where it is certain. `report` is read during the call only.
enum vkr_result vkr_report_filter_baseline(struct vkr_report_filter *filter,
					   const struct vkr_report *report,
					   struct vkr_error *error) VKR_MUST_USE;

enum vkr_filter_answer {
	VKR_FILTER_SHOWS,
	VKR_FILTER_SUPPRESSES, // --only or a rule
	VKR_FILTER_KNOWS,      // a baseline has it
	VKR_FILTER_PASSES,     // it is one by the specification's letter only
};

enum vkr_filter_answer vkr_report_filter_ask(const struct vkr_report_filter *filter,
					     const struct vkr_race_report *race);

// The report without the races that are not shown: they are counted as suppressed or known, and the
// verdict follows from what is left. The changes are those of the races that are shown.
enum vkr_result vkr_report_filter_apply(const struct vkr_report_filter *filter,
					const struct vkr_report *report,
					struct vkr_report_view *view,
					struct vkr_error *error) VKR_MUST_USE;

void vkr_report_view_finish(struct vkr_report_view *view);
