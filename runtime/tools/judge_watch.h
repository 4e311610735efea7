// SPDX-License-Identifier: Apache-2.0
// Who waits for a judge: it lives as long as somebody does, and no longer. Knows the program's
// process, `vkrace run`, and signals; not what is judged.
//
// While the program lives the judge does not end, whatever signals say. Once it has ended, or waits
// for the verdict as its last act, the first signal (to the judge, or to `vkrace run`) stops the
// judgement: what was found so far is reported. The second one ends the judge at once. A judgement
// that nobody waits for any more is stopped as by a signal; but without `vkrace run` a program that
// was killed leaves its report, whoever reads it.
#pragma once

#include "judging.h"
#include "ring.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct vkr_judge_watch {
	int process, process_descriptor; // the program's; no descriptor: -1
	int socket;                      // to the program
	int run;                         // to `vkrace run`; -1: there is none
	bool quiet, records_only;
	struct vkr_ring *ring;
	struct vkr_judging *judging;
	struct vkr_source *source; // NULL: no trace is written; under `lock` once it watches
	_Atomic bool program_gone;
	// The watching thread's.
	int signals;
	bool run_gone;
	unsigned asked;         // signals that count
	uint64_t over_since;    // milliseconds; 0: the program goes on
	uint64_t progress_due;  // milliseconds
	uint64_t progress_step; // between two words of progress
	uint64_t deadline;      // 0: none
	uint64_t write_due;     // of the trace
	pthread_mutex_t lock;   // of what stands on standard error, too
	bool reporting, on_line;
};

// Blocks the signals that are watched, in this thread and those that it makes.
void vkr_judge_watch_block(void);

// Starts a thread that watches, for as long as the process lives; the members above `program_gone`
// are set.
enum vkr_result vkr_judge_watch_start(struct vkr_judge_watch *watch,
				      struct vkr_error *error) VKR_MUST_USE;

// Says a line of a race while the program goes on; not once the report is what comes next.
void vkr_judge_watch_say(struct vkr_judge_watch *watch, const char *line);

// The trace is about to be closed: it is written no more.
void vkr_judge_watch_end_trace(struct vkr_judge_watch *watch);

// The report comes: nothing is said of progress any more.
void vkr_judge_watch_report(struct vkr_judge_watch *watch);
