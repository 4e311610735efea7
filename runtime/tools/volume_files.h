// SPDX-License-Identifier: Apache-2.0
// The volumes that a trace is written in: when the next one begins, what they are called, which old
// ones go. Knows files and clocks; not what a volume begins with.
#pragma once

#include "chunk_writer.h"
#include "output_file.h"
#include "session.h"
#include "source.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// An amount of a trace: bytes, milliseconds or submissions.
struct vkr_volume_measure {
	enum vkr_volume_unit {
		VKR_VOLUME_NONE,
		VKR_VOLUME_BYTES,
		VKR_VOLUME_TIME,
		VKR_VOLUME_SUBMISSIONS,
	} unit;
	uint64_t amount;
};

// "256M", "10s", "500sub"; says what is wrong on stderr. NULL: none.
bool vkr_volume_measure_parse(const char *command, const char *option, const char *text,
			      struct vkr_volume_measure *measure);

// What --cut and --keep say, of which either may be NULL: volumes of a tenth of what is kept, if
// only that is said. Says what is wrong on stderr.
bool vkr_volume_measures_parse(const char *command, const char *cut, const char *keep,
			       struct vkr_volume_measure *every, struct vkr_volume_measure *kept);

struct vkr_volumes {
	// Set by the caller.
	const char *path; // of all volumes, without their numbers
	uint32_t process; // whose id %p stands for
	bool compress;
	struct vkr_volume_measure cut, keep; // keep: no unit: all
	struct vkr_source *source;           // that writes its events into the volume; NULL: none
	// Its own.
	struct vkr_output_file file;
	struct vkr_chunk_writer *writer;
	uint64_t run;
	uint32_t number;
	uint64_t first_bytes, looked_bytes, raw_bytes, submissions, begun_ms, retry;
	struct vkr_volume_refusal {
		const char *reason;
		uint64_t submissions; // that went by while it could not be cut for that
	} * refusals;
	size_t refusal_count;
	const char *refused;    // why it was not cut when that was looked through last
	bool whole;             // it is not cut any more
	struct vkr_error error; // why, of volumes that could not be written
	struct {
		struct vkr_past_volume {
			char *path;
			uint64_t bytes, ended_ms;
		} * items;
		size_t count, capacity;
	} past;
};

// Opens the first volume and begins it.
enum vkr_result vkr_volumes_begin(struct vkr_volumes *volumes,
				  struct vkr_error *error) VKR_MUST_USE;

// The session has been given one more event: cuts, where it is due and can be done.
void vkr_volumes_after(struct vkr_volumes *volumes, struct vkr_session *session,
		       const struct vkr_trace_event *event);

// Writes an event, where no source does.
enum vkr_result vkr_volumes_event(struct vkr_volumes *volumes, const struct vkr_trace_event *event,
				  struct vkr_error *error) VKR_MUST_USE;

// Says why volumes have grown, one line a reason.
void vkr_volumes_say(const struct vkr_volumes *volumes, FILE *out);

// The last volume is written to its end, and closed.
enum vkr_result vkr_volumes_end(struct vkr_volumes *volumes, struct vkr_error *error) VKR_MUST_USE;
