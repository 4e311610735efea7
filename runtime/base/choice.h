// SPDX-License-Identifier: Apache-2.0
// The part of a run that its user chose to observe: frames, a share of them, shaders, labels. Knows
// how choices are written and what they mean; not how shaders are left unobserved.
//
// Commands, host accesses and synchronization are always observed: what is chosen is whether the
// accesses of a command's shaders are.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_choice {
	uint64_t first_frame, last_frame; // from 1; 0: all frames
	uint64_t share;                   // of frames, of 2^32 parts; 0: all
	uint64_t command_share;           // of draws and dispatches
	// Lists of patterns (fnmatch(3)), separated by commas, NULL for none. They stay the
	// caller's.
	const char *shaders, *not_shaders, *labels;
};

// Where a run stands. The first frame ends with the first presentation.
struct vkr_choice_place {
	uint64_t presents, submissions;
};

// "10-20", "10-" or "10".
enum vkr_result vkr_choice_frames(struct vkr_choice *choice, const char *text,
				  struct vkr_error *error) VKR_MUST_USE;

// "10%" or "0.1": of frames; "10%:commands": of draws and dispatches.
enum vkr_result vkr_choice_sample(struct vkr_choice *choice, const char *text,
				  struct vkr_error *error) VKR_MUST_USE;

// Whether a sample is one of commands. NULL is none.
bool vkr_choice_samples_commands(const char *text);

// A number of races, at least one.
enum vkr_result vkr_choice_races(const char *text, uint64_t *races,
				 struct vkr_error *error) VKR_MUST_USE;

// A number of threads, at least one.
enum vkr_result vkr_choice_threads(const char *text, unsigned *threads,
				   struct vkr_error *error) VKR_MUST_USE;

// How many times as long as without vkrace: "2x" or "2.5", more than 1.
enum vkr_result vkr_choice_budget(const char *text, double *budget,
				  struct vkr_error *error) VKR_MUST_USE;

// "USR2": the number of a signal that a program may be sent by hand.
enum vkr_result vkr_choice_signal(const char *text, int *number,
				  struct vkr_error *error) VKR_MUST_USE;

// Why the next submission's shaders are not observed. Sampled are frames, two in a row, and
// submissions while nothing was presented.
enum vkr_trace_left_out vkr_choice_submission(const struct vkr_choice *choice,
					      const struct vkr_choice_place *place);

// Whether a command, by its number in its submission's recordings, is in the sample of commands.
bool vkr_choice_takes_command(const struct vkr_choice *choice, uint32_t submission,
			      uint32_t command);

// Names that a shader may be chosen by; each may be NULL.
struct vkr_choice_shader {
	const char *name, *entry_point, *source_file;
	uint64_t hash; // in 16 hexadecimal digits, as reports print it
};

// Whether a shader is observed.
bool vkr_choice_takes_shader(const struct vkr_choice *choice,
			     const struct vkr_choice_shader *shader);

// Whether commands within labels, separated by " / ", are observed.
bool vkr_choice_takes_labels(const struct vkr_choice *choice, const char *labels);
