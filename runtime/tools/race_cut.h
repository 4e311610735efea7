// SPDX-License-Identifier: Apache-2.0
// The smallest part of a trace that still shows one race: submissions, events, objects and commands
// are left out as long as judging finds the race as before. Knows which events belong together; not
// what orders accesses.
#pragma once

#include "judging.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_race_cut {
	// Set by the caller.
	const char *trace; // path
	const char *race;  // its id, or its number in the report, from 1
	const char *output;
	bool compress;
	const struct vkr_judging_options *how; // vkr_judging_rules()
	// What came of it.
	char id[32];
	struct vkr_race_cut_size {
		uint64_t events, submissions, commands;
	} before, after;
	uint64_t judged; // how often
};

// Writes the trace, and judges what is written: where the race is not found in it as it was in the
// whole trace (its place, both accesses, what is missing and the change), or one that the whole
// does not have, there is no file.
enum vkr_result vkr_race_cut(struct vkr_race_cut *cut, struct vkr_error *error) VKR_MUST_USE;
