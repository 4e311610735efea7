// SPDX-License-Identifier: Apache-2.0
// Judging a run and writing what was found: the same for a live run and a replayed trace. Knows the
// order of the steps, and not what a race is.
#pragma once

#include "output_file.h"
#include "report_filter.h"
#include "report_text.h"
#include "session.h"
#include "source.h"
#include "tool_options.h"
#include "trace_editor.h"
#include "volume_files.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdio.h>

struct vkr_judging {
	struct vkr_source *source;       // borrowed
	struct vkr_trace_editor *editor; // borrowed: changes events before they are judged, or NULL
	struct vkr_memory_rules rules;
	struct vkr_choice choice;
	uint64_t stop_after; // races that the filter shows; 0: goes on
	uint64_t shown;      // of them so far
	bool enough;
	struct vkr_report_filter filter;
	struct vkr_session *session;
	bool any_image, costs, no_repeats;
	const char *lost;            // what is missing before the events, "" or NULL for nothing
	struct vkr_shard *shard;     // borrowed: the part of memory that is judged, or NULL
	struct vkr_volumes *volumes; // borrowed: that the trace is cut into, or NULL
	unsigned threads;            // that judge
	struct vkr_crew *crew;       // of these; made as judging begins
	// Called for each new group of races that the filter shows. May be NULL.
	void (*race_found)(void *user, const struct vkr_race_report *race);
	// Called for each access of a host thread that races as a group of races says: the place
	// (host_place.h) at which it was made. May be NULL.
	void (*host_raced)(void *user, uint64_t place);
	void *user;
	// Command buffers submitted, among the events read so far, and those whose judgement has
	// begun. Another thread may read them, and set `stop`: then no more is judged.
	_Atomic uint64_t submitted, begun;
	_Atomic bool stop;
};

// How it is judged, and what the report leaves out; each may be NULL.
struct vkr_judging_options {
	const char *suppressions;          // a file of rules
	const char *only;                  // "unordered,private"
	const char *baseline;              // a JSON report, whose races are known
	bool any_image, costs, no_repeats; // as in struct vkr_session_options
	const char *model;                 // a memory model by name
	const char *reading;               // "direct-union=agent,join=one"
	const char *frames, *sample, *shaders, *not_shaders, *labels; // choice.h
	const char *stop_after;                                       // a number of races
	const char *threads; // a number of threads, from 1; NULL: vkr_crew_default
};

// What decides what is found, without what a report leaves out.
struct vkr_judging_options vkr_judging_rules(const struct vkr_judging_options *options);

// Prepares judging. Also after a failure vkr_judging_finish() may be called.
enum vkr_result vkr_judging_init(struct vkr_judging *judging,
				 const struct vkr_judging_options *options,
				 struct vkr_error *error) VKR_MUST_USE;

// Judges the source's events up to the end. A trace that is cut off, or an event that does not fit
// what stands before it, makes the verdict incomplete. So does an error, after which nothing more
// can be judged: what was found before it can still be viewed, unless there is no session. Also
// then the source has been read to its end, if it could be.
enum vkr_result vkr_judging_run(struct vkr_judging *judging, struct vkr_error *error) VKR_MUST_USE;

// Judges the trace at a path, which may be "-". Of a part of memory it is judged again, with what
// was needed of other parts, until nothing is.
enum vkr_result vkr_judging_run_file(struct vkr_judging *judging, const char *path,
				     struct vkr_error *error) VKR_MUST_USE;

// What was found, less what the filter hides. Borrows from `judging`; finished by
// vkr_report_view_finish.
enum vkr_result vkr_judging_view(struct vkr_judging *judging, struct vkr_report_view *view,
				 struct vkr_error *error) VKR_MUST_USE;

void vkr_judging_finish(struct vkr_judging *judging);

// Prints the report as text, in one piece, so that several judges do not mix their lines; in colour
// on terminals, unless NO_COLOR is set. Of `options` the colour and the quotes are not read.
// Prints what judging cost.
void vkr_judging_print_cost(const struct vkr_report *report, FILE *out);

enum vkr_result vkr_judging_print(const struct vkr_report *report, FILE *out,
				  const struct vkr_report_text_options *options,
				  struct vkr_error *error) VKR_MUST_USE;

// The options for texts of the words of --brief and --max-reports; false with a message where one
// is wrong.
bool vkr_judging_text_options(const struct vkr_tool_options *tool, const char *command,
			      struct vkr_report_text_options *options);

// Writes a report in some form; `options` is its own.
typedef enum vkr_result vkr_report_form(const struct vkr_report *report, FILE *out,
					const void *options, struct vkr_error *error);

// Writes the report to an open file, whole or not at all.
enum vkr_result vkr_judging_write(const struct vkr_report *report, vkr_report_form *form,
				  const void *options, const struct vkr_output_file *file,
				  struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_judging_write_json(const struct vkr_report *report,
				       const struct vkr_output_file *file,
				       struct vkr_error *error) VKR_MUST_USE;
