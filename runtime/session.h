// SPDX-License-Identifier: Apache-2.0
// One run's judgement: trace events in, a report out; the same code for a live run and a replayed
// trace. Knows the events' order rules; not where events come from or where the report goes.
//
// The report depends only on the events, not on when parts of GPU logs arrive: what cannot be
// judged yet waits, together with everything that must come after it.
//
// One thread at a time may use a session.
#pragma once

#include "choice.h"

#include "vkrace/memory_model.h"
#include "vkrace/report.h"
#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_session;
struct vkr_crew;
struct vkr_shard;

struct vkr_session_options {
	// Called within vkr_session_event and vkr_session_end for each new group of races, with its
	// first example. The report's strings live as long as the session. NULL: not called.
	void (*race_found)(void *user, const struct vkr_race_report *race);
	// Called for each access of a host thread that races as a group of races says: the place
	// (host_place.h) at which it was made. NULL: not called.
	void (*host_raced)(void *user, uint64_t place);
	void *user;
	// Classes that are not to be reported: bit (1u << enum vkr_race_class).
	uint32_t hidden_classes;
	// Acquiring an image of a swapchain orders what is done to that image, and nothing else:
	// which image it is, and so which presentation is over, is the driver's choice.
	bool any_image;
	// The report says what judging each shader took (struct vkr_cost_report).
	bool costs;
	// Dispatches that do what an earlier one has done are judged like others.
	bool no_repeats;
	// The trace of the events may be cut (vkr_session_cut).
	bool may_cut;
	struct vkr_memory_rules rules; // the memory model; zeroed: the default
	// The part of memory that is judged, and what was found in it: only a report of all parts
	// together says everything about the races (shard.h). NULL: all memory.
	struct vkr_shard *shard;
	struct vkr_choice choice; // whose shaders are judged; zeroed: all
	// Set within race_found: no more shaders are judged. NULL: never.
	const bool *enough;
	// Set by another thread: calls return VKR_ERROR_STOPPED soon. NULL: never.
	const _Atomic bool *stop;
	struct vkr_crew *crew; // borrowed: threads that help; NULL: none
};

// A new session in *session. NULL options: the defaults (all zero). Options are copied.
enum vkr_result vkr_session_create(const struct vkr_session_options *options,
				   struct vkr_session **session,
				   struct vkr_error *error) VKR_MUST_USE;

// The next event of the trace; its `bytes` bytes are read during the call only. An event whose
// own members disagree, or that names an object that cannot exist, is VKR_ERROR_FORMAT: the message
// names the event and the reason, the event has no effect, and the session can go on with the next
// one. Any other error: the session can only be abandoned, reported and destroyed.
enum vkr_result vkr_session_event(struct vkr_session *session, const struct vkr_trace_event *event,
				  struct vkr_error *error) VKR_MUST_USE;

// Writes the beginning of the next volume of the trace (vkrace/trace_volumes.h) to `into`. The
// present volume is at `path`: a VOLUME event and all events that the session was given since it
// was made; after a cut, what the cut has written and all events since. *reason: why the trace
// cannot be cut here, and nothing was written; else NULL, and further events belong in `into`.
// After an error the session is as before, but the trace cannot be cut again.
struct vkr_chunk_writer;
// Why it cannot be cut here, as far as that is seen at once, or NULL.
const char *vkr_session_cannot_cut(const struct vkr_session *session);
enum vkr_result vkr_session_cut(struct vkr_session *session, const char *path,
				const struct vkr_trace_volume *next, struct vkr_chunk_writer *into,
				const char **reason, struct vkr_error *error) VKR_MUST_USE;

// Tells that events are missing here: the trace ended early or was damaged, for the reason in the
// text (one line). The verdict is at best `incomplete`.
enum vkr_result vkr_session_lost(struct vkr_session *session, const char *text,
				 struct vkr_error *error) VKR_MUST_USE;

// No further events: judges what is still pending. Executions whose log never became complete are
// judged by what is there, and become coverage. May be called once.
enum vkr_result vkr_session_end(struct vkr_session *session, struct vkr_error *error) VKR_MUST_USE;

// Ends a session after an error of any call, or before its end: what is missing, in words, becomes
// the last entry of the report's coverage. Cannot fail.
void vkr_session_abandon(struct vkr_session *session, enum vkr_trace_coverage_kind kind,
			 uint64_t amount, const char *text);

// Command buffers whose judgement has begun.
uint64_t vkr_session_executions(const struct vkr_session *session);

// What has been found so far, whole after vkr_session_end. Borrowed: valid until the next call on
// the session. Never NULL.
const struct vkr_report *vkr_session_report(struct vkr_session *session);

// Has the report count accesses that other parts of the memory have judged. The session has ended.
void vkr_session_add_accesses(struct vkr_session *session, uint64_t accesses);

// NULL is allowed.
void vkr_session_destroy(struct vkr_session *session);
