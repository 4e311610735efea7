// SPDX-License-Identifier: Apache-2.0
// Reads of texels, noted in filters that are judged together later (access_filters.h). Knows
// records; not whose they are, nor which commands may do without judging each of them.
#pragma once

#include "access_filters.h"
#include "log_replay.h"
#include "texel_plan.h"

// What is prepared for an access of the shader under way.
struct vkr_texel_read {
	bool made;
	bool possible;   // an implementation may read other texels, too
	uint32_t filter; // of the plan's target; UINT32_MAX: none yet
	struct vkr_texel_plan plan;
};

// What is prepared for an access, kept for reads that begin later.
struct vkr_texel_prepared {
	size_t access; // its index
	struct vkr_texel_read read;
};

// Kept from command to command.
struct vkr_texel_reads {
	struct vkr_access_filters filters;
	struct {
		struct vkr_texel_read *items; // by access
		size_t count, capacity;
	} accesses;
	struct vkr_texel_places *places; // of one invocation
	struct {
		struct vkr_draw_reader {
			uint32_t workgroup, local;
		} * items; // of a draw: invocations that stand for others
		size_t count, capacity;
	} readers;
	struct {
		struct vkr_possible_read *items; // where another thread reads
		size_t count, capacity;
	} possible;
	struct {
		struct vkr_texel_column *items; // of invocations that are read together
		size_t count, capacity;
	} columns;
	struct {
		uint32_t *items; // of one of them
		size_t count, capacity;
	} record;
};

// That a view may be read elsewhere, too, which is to be noted by vkr_possible_texels_note.
struct vkr_possible_read {
	struct vkr_bound_texels *bound;
	struct vkr_program_access *access;
};

// One shader's reads being noted.
struct vkr_texel_reading {
	struct vkr_replay *replay;
	const struct vkr_program *program;
	struct vkr_dispatch_targets *targets;
	struct vkr_error *error;
	bool odd;    // they are to be judged one by one
	bool varies; // what is read does not follow from plans alone, or is judged in parts
	bool apart;  // by another thread: what is noted elsewhere than in `replay` is put off
	void *user;
	// Whether the command may write to the target, too.
	bool (*is_written)(const void *user, const struct vkr_engine_target *target);
	// Notes a read by the invocation under way.
	enum vkr_result (*note)(void *user, uint32_t filter, uint64_t offset);
	// The lane that is under way now.
	void (*select)(void *user, uint32_t lane);
};

// Reads of a program begin, in replay->reads. False for lack of memory.
bool vkr_texel_reads_begin(struct vkr_replay *replay, const struct vkr_program *program);

// Reads begin that go on where others stand: what these have prepared is there, and nothing that
// they have noted.
bool vkr_texel_reads_like(struct vkr_replay *replay, const struct vkr_program *program,
			  const struct vkr_texel_reads *like);

// Takes over what other reads, which began like these, have prepared: the filter of each of theirs
// in filters[], and what is possible and lost.
enum vkr_result vkr_texel_reads_join(struct vkr_texel_reading *of,
				     const struct vkr_texel_reading *other,
				     uint32_t *filters) VKR_MUST_USE;
void vkr_texel_reads_destroy(struct vkr_texel_reads *reads);

// The filter of an access's site and target in *filter, unless that is written: then they are odd.
enum vkr_result vkr_texel_reads_filter(struct vkr_texel_reading *of,
				       const struct vkr_program_access *access,
				       const struct vkr_engine_run *like, uint32_t bytes,
				       unsigned shift, uint32_t *filter) VKR_MUST_USE;

// The filter of an access to a buffer, in the same way.
enum vkr_result vkr_texel_reads_buffer(struct vkr_texel_reading *of,
				       const struct vkr_program_access *access,
				       const struct vkr_engine_target *target,
				       uint32_t *filter) VKR_MUST_USE;

// Makes what is prepared for an access to texels.
enum vkr_result vkr_texel_reads_plan(struct vkr_texel_reading *of,
				     struct vkr_program_access *access,
				     struct vkr_texel_read *read) VKR_MUST_USE;

// Takes what was prepared, with plans that all have targets, for reads that begin.
enum vkr_result vkr_texel_reads_again(struct vkr_texel_reading *of,
				      const struct vkr_texel_prepared *prepared,
				      size_t count) VKR_MUST_USE;

// Notes the texels that a record says, which begins after its segment's number.
enum vkr_result vkr_texel_reads_note(struct vkr_texel_reading *of,
				     struct vkr_program_access *access,
				     const uint32_t *record) VKR_MUST_USE;

// A word of the records of invocations that execute a segment together: of each, `step` words after
// that of the one before; 0: all have the same.
struct vkr_texel_column {
	const uint32_t *words;
	uint32_t step;
};

// Such invocations.
struct vkr_texel_lanes_read {
	const struct vkr_texel_column *columns; // by word behind the record's first
	uint32_t words;
	uint32_t first, count; // of the columns' invocations: which, and at most VKR_READ_LANES
	uint32_t *record;      // room for one's words
};
#define VKR_READ_LANES 32u

static inline uint32_t vkr_texel_lane_word(const struct vkr_texel_lanes_read *lanes, uint32_t word,
					   uint32_t lane)
{
	const struct vkr_texel_column *column = &lanes->columns[word];
	return column->words[(size_t)(lanes->first + lane) * column->step];
}

// The record of one, behind its first word, until that of another is asked for.
static inline const uint32_t *vkr_texel_lane_record(const struct vkr_texel_lanes_read *lanes,
						    uint32_t lane)
{
	for (uint32_t word = 0; word < lanes->words; word++)
		lanes->record[word] = vkr_texel_lane_word(lanes, word, lane);
	return lanes->record;
}

// As vkr_texel_reads_note, for each of the lanes.
enum vkr_result vkr_texel_reads_note_lanes(struct vkr_texel_reading *of,
					   struct vkr_program_access *access,
					   const struct vkr_texel_lanes_read *lanes) VKR_MUST_USE;

// The lowest bit that is set in a number of bytes, the highest one for none.
static inline unsigned vkr_low_bit(uint32_t bytes)
{
	return (unsigned)__builtin_ctz(bytes | 1u << 31);
}
