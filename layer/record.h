// SPDX-License-Identifier: Apache-2.0
// The layer's side of the recorder: one run a process, thread numbers, ids, coverage said once.
// Knows how facts are written down, not which facts there are.
#pragma once

#include "observed.h"
#include "recorder.h"

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Kinds of ids beyond enum vkr_trace_object.
enum vkr_record_id {
	VKR_ID_RECORDING = VKR_OBJECT_KINDS,
	VKR_ID_SUBMISSION,
	VKR_ID_EXECUTION,
	VKR_ID_COUNT,
};

// Starts the run with the process's first device; later calls do nothing. If a run cannot start,
// that is reported once on stderr, and nothing is recorded.
void vkr_record_start(void);

// Ends the run: the judge writes its reports. Called as the process ends.
void vkr_record_stop(void);

// Who acts before and after each event of a thread of the program's is recorded, and before the run
// ends. From any thread, and outside of the recorder's locks.
struct vkr_record_watch {
	void (*before)(enum vkr_trace_type type, const void *payload,
		       const struct vkr_bytes *pieces, size_t piece_count);
	void (*after)(enum vkr_trace_type type, const void *payload, const struct vkr_bytes *pieces,
		      size_t piece_count);
	void (*stop)(void);
};

void vkr_record_watch(const struct vkr_record_watch *watch);

// The next id of an enum vkr_trace_object or enum vkr_record_id.
uint32_t vkr_record_id(unsigned kind);

// One event of the calling thread, with a tail in one piece or in several.
void vkr_record_event(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		      const void *tail, size_t tail_bytes);
void vkr_record_pieces(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		       const struct vkr_bytes *pieces, size_t piece_count);

// One event with a text as tail: payload's text_bytes must be strlen(text).
void vkr_record_text(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		     const char *text);

// Nanoseconds since the run began.
uint64_t vkr_record_time(void);

// When a call of the calling thread began and returned, as vkr_record_time() had it: after the
// events that it made (CALL_TIME).
void vkr_record_call(enum vkr_trace_timed call, uint32_t object, uint64_t begin, uint64_t end);

// An access of a host thread that is not the calling one, perhaps. Tail: payload's frames.
struct vkr_host_thread;
void vkr_record_host_access(struct vkr_host_thread *thread,
			    const struct vkr_trace_host_access *payload, const uint64_t *frames);

// How far the judge is (observed.h).
struct vkr_observed_judge vkr_record_judge(void);

// Whether the judge has found a race of accesses at the place (vkrace/host_place.h).
// Async-signal-safe: false where that cannot be asked at once.
bool vkr_record_host_raced(uint64_t place);

// True while the calling thread is inside one of these functions: then it must not wait for locks
// that they hold. Async-signal-safe.
bool vkr_record_busy(void);

// One event made by the layer itself (thread 0), from its own threads.
void vkr_record_layer(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		      const struct vkr_bytes *pieces, size_t piece_count);

// A coverage event. The same kind, object and text is recorded once a run.
void vkr_record_coverage(enum vkr_trace_coverage_kind kind, uint32_t object, uint64_t amount,
			 const char *format, ...) VKR_PRINTF(4, 5);

// Coverage for lack of memory, without allocating.
void vkr_record_no_memory(const char *what);

// The name of an object, as vkSetDebugUtilsObjectNameEXT gave it.
void vkr_record_name(enum vkr_trace_object kind, uint32_t id, const char *name);

// The judge may begin with what was recorded so far.
void vkr_record_flush(void);

// Waits until the judge has judged all that was recorded so far.
void vkr_record_drain(void);

// Whether the program has a debug messenger that hears of races.
void vkr_record_messenger(bool there);

// The judge's next message (race_message.h), one for each new group of races, to be released with
// free(). NULL where there is none now.
char *vkr_record_message(void);

// One line on stderr, once for each `said` flag of the caller's (which starts at 0).
void vkr_record_complain(_Atomic bool *said, const char *format, ...) VKR_PRINTF(2, 3);
