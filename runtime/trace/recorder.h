// SPDX-License-Identifier: Apache-2.0
// Recording a run: events go to a judge process that is started beside the program, or straight
// into a file. Knows how to start a judge and talk to it; not what the events mean.
//
// The judge is a separate process, so that a program that ends by _exit() or a signal, even
// SIGKILL, still leaves its report and its trace. The program cannot see it as its child: there is
// no SIGCHLD, and none of the program's wait() calls returns it.
//
// After fork() the child's recorder does nothing; the judge is the parent's.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_recorder;

// Bytes of somebody else's.
struct vkr_bytes {
	const void *data;
	size_t bytes;
};

// Strings may be NULL or "" for none; they are copied.
struct vkr_recorder_options {
	const char *judge;        // path of the vkrace executable
	const char *trace;        // file to write the trace to; %p is the process id
	const char *cut;          // into volumes of this size, time or number of submissions
	const char *keep;         // the volumes of this size or time
	const char *json;         // file to write the JSON report to; %p as above
	const char *suppressions; // file
	const char *model;        // memory model, by name
	const char *reading;      // of the model's document
	const char *baseline;     // JSON report whose races are known
	const char *only;         // race classes to report, separated by commas
	const char *shaders, *not_shaders, *labels; // patterns (choice.h)
	const char *sample;                         // of commands; NULL: all
	uint64_t stop_after;                        // races; 0: goes on
	uint32_t threads;                           // that judge; 0: the default
	bool quiet;                                 // no text report
	bool live;                                  // a line on stderr for each race as it is found
	bool compress;                              // the trace, with zstd
	bool any_image;      // an acquired image orders no more than any would
	bool cost;           // what judging cost is printed
	bool with_sources;   // the trace has sources
	bool no_judge;       // write the trace only
	uint64_t ring_bytes; // 0: the default
};

// What the judge found.
struct vkr_recorder_verdict {
	bool known;           // false: the judge is gone, or was told not to judge
	uint32_t race_groups; // as reported: suppressed ones and filtered classes excluded
	uint64_t races;
	bool incomplete; // something was not observed
};

// Starts a judge, waits until it is ready (so that a trace that cannot be written is an error
// here) and records RUN_BEGIN.
enum vkr_result vkr_recorder_start(struct vkr_recorder **out,
				   const struct vkr_recorder_options *options,
				   struct vkr_error *error) VKR_MUST_USE;

// Records one event: payload_bytes bytes of payload as trace.h defines it for the type, then the
// pieces of its tail one after the other. May be called from any thread; allocates nothing; blocks
// while the judge is a whole ring behind. An event beyond 4 GiB is replaced by a coverage event.
void vkr_recorder_event(struct vkr_recorder *recorder, enum vkr_trace_type type, uint32_t thread,
			const void *payload, size_t payload_bytes, const struct vkr_bytes *pieces,
			size_t piece_count);

// Records an event whose tail is one text of payload.text_bytes bytes; bytes that are not UTF-8,
// and NULs, become '?'.
void vkr_recorder_text(struct vkr_recorder *recorder, enum vkr_trace_type type, uint32_t thread,
		       const void *payload, size_t payload_bytes, const char *text,
		       size_t text_bytes);

// Whether the judge has found a race of accesses that host threads make at this place
// (host_place.h). Async-signal-safe.
bool vkr_recorder_host_raced(const struct vkr_recorder *recorder, uint64_t place);

// Whether the judge has found as many races as `stop_after` says.
bool vkr_recorder_has_enough(const struct vkr_recorder *recorder);

// Whether the judge is behind with what was recorded. Without one it is not.
bool vkr_recorder_is_behind(const struct vkr_recorder *recorder);

// Wakes the judge for what was recorded so far. Without it the judge begins when some tens of KiB
// are there, or the program ends. Cheap; call it where the program waits for the GPU anyway.
void vkr_recorder_flush(struct vkr_recorder *recorder);

// Waits until the judge has judged all that was recorded so far.
void vkr_recorder_drain(struct vkr_recorder *recorder);

// Whether the program's own messenger gets the messages: the judge then prints none of them.
void vkr_recorder_messenger(struct vkr_recorder *recorder, bool there);

// The next message of the judge (race_message.h; one for each new race group), to be released with
// free(). NULL where there is none now; never blocks.
char *vkr_recorder_message(struct vkr_recorder *recorder) VKR_MUST_USE;

// Records RUN_END, waits until the judge has written its reports, and releases everything.
// `message` (may be NULL) gets the messages not yet read. *verdict may be NULL.
void vkr_recorder_stop(struct vkr_recorder *recorder, enum vkr_trace_end end,
		       void (*message)(void *user, const char *line), void *user,
		       struct vkr_recorder_verdict *verdict);
