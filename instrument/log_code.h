// SPDX-License-Identifier: Apache-2.0
// The code that writes the log (include/vkrace/gpu_log.h): variables and functions added to a
// module. Knows the log's protocol, not where accesses happen.
#pragma once

#include "analysis.h"
#include "input_code.h"
#include "spirv_words.h"

// Which records a function logs.
enum vkr_log_kind {
	VKR_LOG_ALL,
	VKR_LOG_NEEDED,   // of draws: those that marks were found to be missing for
	VKR_LOG_UNMARKED, // of dispatches: those whose mark, the first parameter, is not set
};

struct vkr_log_function {
	uint32_t words; // of the record, after its first, without the zero that makes it even
	enum vkr_log_kind kind;
	uint32_t id;
};

struct vkr_log_types {
	uint32_t void_type, bool_type, uvec2, uvec3;
	uint32_t words_pointer, word_pointer;
	uint32_t pairs_pointer, pair_pointer; // to two words at a time, as a device address
};

// Of reads of texels: how many texels of each site have a mark; and functions, 0: not made yet.
struct vkr_log_texels {
	uint32_t count;
	uint32_t sample, fetch;
};

// Of reads that few invocations log for all: where the stage's or dispatch's marks begin, and
// whether this one logs the read under way. 0: there are none.
struct vkr_log_marks {
	uint32_t marks; // word, of the block or behind the log's origin
	uint32_t wanted;
	// Of draws: the block (vkr_build_block); what a mark is; whether the record under way is
	// needed; and the function that marks, 0: not made yet.
	uint32_t block, generation, needed, mark;
	uint32_t words, self; // of dispatches: how many words of a group have a mark, and this
			      // invocation's
	struct vkr_log_texels texels;
};

// Of chunks that a subgroup shares, private variables: the chunk, in the invocation that takes it
// for all; where VKR_IDENTITY_END will stand, 0: nowhere; and of one with room, the distance from
// word to word of a record.
struct vkr_log_sharing {
	uint32_t taken, told, step;
};

// Of a stream: the index of its first word (0: there is none), the number of words logged, and the
// distance from column to column. `cursor` and `left` count words.
struct vkr_log_stream {
	uint32_t start, count, step;
};

struct vkr_log_code {
	struct vkr_maker *maker;
	const struct vkr_analysis *analysis;
	struct vkr_spirv_words functions;

	struct vkr_log_types types;
	uint32_t base; // uvec2, a constant: log_base; 0: there is none
	// Private variables, one value an invocation.
	uint32_t log;    // the device address that records count from; 0: it is `base`
	uint32_t cursor; // the next record: of chunks a word, of a column log a pair
	// Of chunks:
	uint32_t offset; // words from `base` to the log, or VKR_LOG_END_NONE; 0: there is no base
	uint32_t capacity, command, end;
	uint32_t first; // the invocation's first chunk, where that is needed; if it is shared, 1
	struct vkr_log_sharing sharing;
	const struct vkr_block_source *source;
	uint32_t number; // VKR_IDENTITY_NUMBER, in Workgroup memory
	uint32_t chunk;  // the next chunk's words, likewise
	struct vkr_log_marks shared_reads;
	// Of a column log:
	uint32_t pitch, left; // pairs from column to column; columns that are left to write into
	struct vkr_log_stream stream;
	uint32_t iterations; // of the run-length record that is open: times its segment was gone
			     // through
	uint32_t groups;     // NumWorkgroups of the whole dispatch, uvec3
	// For chunks after a column log that is full, with `capacity` and `command`: the device
	// address of the log's word 0, uvec2, and which invocation of the whole grid it is.
	uint32_t words, place;
	bool needs_groups; // the program reads NumWorkgroups
	// Input variables: the module's own, or new. 0 where the stage has no such.
	struct vkr_inputs inputs;
	uint32_t workgroup_id, num_workgroups, local_index, helper;
	// Of VKR_IDENTITY_END: the sample mask as input and as output, 0: there is none.
	uint32_t covered, leaves;
	uint32_t begin;     // the function that main calls first
	uint32_t finish;    // that it calls where it returns; 0: none
	uint32_t make_room; // the function that makes room for this many words
	uint32_t call;      // vkr_log_code_call's, 0: not made yet

	struct {
		struct vkr_log_function *items;
		size_t count, capacity;
	} logs;
};

// Where the program's push constants or a uniform buffer hold the block's address.
struct vkr_block_source {
	uint32_t variable;
	SpvStorageClass storage_class;
	uint32_t first_member; // of four uints: a struct vkr_gpu_place
};

// `end` of an invocation that logs nothing (any more): the host gave no log, or it is full.
#define VKR_LOG_END_NONE UINT32_MAX

// Makes variables and types, and notes which Input variables the module has.
void vkr_log_code_init(struct vkr_log_code *code, struct vkr_maker *maker,
		       const struct vkr_analysis *analysis, bool needs_groups);
void vkr_log_code_finish(struct vkr_log_code *code);

// The invocation logs nothing from here on.
void vkr_log_code_stop(struct vkr_log_code *code, struct vkr_spirv_words *words);

// A run-length record's segment is gone through once more; its record is to be written: how often,
// returned.
void vkr_log_code_iteration(struct vkr_log_code *code, struct vkr_spirv_words *words);
uint32_t vkr_log_code_iterations(struct vkr_log_code *code, struct vkr_spirv_words *words);

// Writes the functions `begin` and `make_room`.
void vkr_log_code_common(struct vkr_log_code *code, const struct vkr_block_source *source);

// The function that logs a shader call, or the return from one: void(segment).
uint32_t vkr_log_code_call(struct vkr_log_code *code);

// The function that finds out whether a mark of a draw's reads makes the record under way needed,
// and sets it: void(mark). Mark 0 is never set.
uint32_t vkr_log_code_mark(struct vkr_log_code *code);

// The function that logs records of this many words: void(segment, words...), of VKR_LOG_UNMARKED
// void(mark, segment, words...), which sets the mark; mark 0 is never set. The zero that makes the
// number of words even is not counted. 0 for lack of memory.
uint32_t vkr_log_code_function(struct vkr_log_code *code, uint32_t words, enum vkr_log_kind kind);
