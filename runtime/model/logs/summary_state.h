// SPDX-License-Identifier: Apache-2.0
// What the parts of going through a summary share. Knows invocations of one workgroup; not where
// they came from.
#pragma once

#include "log_records.h"
#include "log_spans.h"
#include "summary_reach.h"
#include "summary_run.h"
#include "summary_values.h"
#include "texel_repeats.h"

// The last read of a site through a variable that only reads: where it was, and whose.
struct vkr_summary_read {
	uint64_t interval; // of vkr_summary_state
	struct vkr_form form;
};

struct vkr_summary_state {
	struct vkr_summary_space space;
	uint32_t lanes_size;
	uint32_t *at;    // by invocation, unless `space.together`: the operation it stands at
	uint32_t *pairs; // offsets by invocation, as in columns: each after another word
	struct vkr_release_fences *fences; // by invocation
	uint32_t live;                     // invocations that have not ended
	uint32_t limit;                    // where the next ones stand that are not here
	uint32_t current;                  // the operation
	// The control barrier last passed, which waits for the acquire fences right after it.
	struct vkr_barrier_join passed;
	bool passed_is_open;
	uint64_t interval; // a number for what is between two barriers or fences of a workgroup
	struct {
		struct vkr_summary_read *items; // by site of the table
		uint8_t *lanes;                 // by site, then by invocation
		size_t count;                   // sites
		uint32_t local_size;
	} reads;
	// Stands for the log of any workgroup where patterns want one: a column that nobody reads.
	struct vkr_chunk chunk;
	uint32_t column[2];
	// What the workgroup of the pattern has logged.
	const struct vkr_chunk *logged;
	size_t logged_count;
	struct vkr_record_place *places; // by invocation: its records
	uint32_t *words;                 // by invocation: a word of its record
	// Of the access to texels that follows: registers, and each one's values by invocation.
	uint32_t texel_words[VKR_SUMMARY_TEXEL_WORDS], texel_word_count;
	uint32_t *texel_lanes;
	// Of the workgroup of the pattern: whether it accessed texels, which are in its record, and
	// up to which first component of WorkgroupId its guards are known to hold.
	struct vkr_texel_repeats repeats;
	const struct vkr_texel_repeats *known; // to the thread that judges; NULL: it is that one
	bool texels;
	uint32_t row_end;
	struct vkr_summary_reach reach; // where memory is judged in parts
};

void vkr_summary_state_destroy(struct vkr_summary_state *state);

// Makes room for as many invocations. False for lack of memory.
bool vkr_summary_state_lanes(struct vkr_summary_state *state, uint32_t local_size);

// Makes room for the reads of as many sites of a workgroup of this size. False as above.
bool vkr_summary_state_reads(struct vkr_summary_state *state, size_t sites, uint32_t local_size);

struct vkr_summary_running {
	struct vkr_replay_work *work;
	struct vkr_summary_state *state;
	const struct vkr_summary_dispatch *dispatch;
	const struct vkr_site_table *table;
	const struct vkr_summary_operation *operations;
	bool has_fences;
};

// The workgroup's course depends on these components of WorkgroupId, a bit each, in a way that
// guards do not say: of others the pattern says nothing, or only of its row.
static inline void vkr_summary_depends(struct vkr_summary_running *running, uint8_t axes)
{
	struct vkr_pattern *pattern = &running->work->replay->pattern;
	if (axes & 1)
		vkr_pattern_spoil(pattern);
	else if (axes != 0)
		vkr_pattern_keep_row(pattern);
}

// Does an access of the invocations that are here. (summary_access.c)
enum vkr_result vkr_summary_access(struct vkr_summary_running *running,
				   const struct vkr_summary_operation *operation) VKR_MUST_USE;

// Feeds an access to texels, whose words have been named. (summary_texels.c)
enum vkr_result vkr_summary_texel(struct vkr_summary_running *running,
				  const struct vkr_summary_operation *operation) VKR_MUST_USE;

// Sets a register to a size of an image, or of a buffer. (summary_texels.c)
void vkr_summary_size(struct vkr_summary_running *running,
		      const struct vkr_summary_operation *operation);

// Neighbouring invocations that are here, from `first` on.
static inline uint32_t vkr_summary_neighbours(const struct vkr_summary_space *space, uint32_t first)
{
	uint32_t end = first + 1;
	if (space->active == space->local_size)
		return space->local_size - first;
	while (end < space->local_size && space->mask[end])
		end++;
	return end - first;
}

// The passed barrier has all its fences: tells the engine.
static inline enum vkr_result vkr_summary_close_barrier(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	if (!state->passed_is_open)
		return VKR_OK;
	state->passed_is_open = false;
	return vkr_replay_barrier(running->work, &state->passed);
}
