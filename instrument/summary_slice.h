// SPDX-License-Identifier: Apache-2.0
// The part of an entry point that its control flow and the offsets of its accesses are computed by.
// Knows SPIR-V; not how summaries are written.
#pragma once

#include "analysis.h"

// A block of the entry point's function.
struct vkr_block {
	uint32_t first, terminator; // instructions: the label, and the last one
	uint32_t merge, next;       // of a header: its merge block and continue target; else
				    // VKR_BLOCK_NONE
	bool is_loop;
	uint32_t loops; // that it is in
	bool matters;   // something needed happens in it, or depends on having passed it
	bool reached;   // from the entry, without blocks that are passed over
	bool passed;    // a header: control goes on with `merge`, nothing between matters
	// Values that are logged in it: their number and words. 0: none.
	uint32_t record, record_words;
};
#define VKR_NO_BLOCK UINT32_MAX

enum vkr_origin_kind {
	VKR_ORIGIN_OTHER, // nothing that a summary knows
	VKR_ORIGIN_LOCAL,
	VKR_ORIGIN_INPUT,
	VKR_ORIGIN_PUSHED,
	VKR_ORIGIN_UNIFORM,
};

// What an OpLoad loads.
struct vkr_origin {
	enum vkr_origin_kind kind;
	uint32_t variable;  // id, of local ones and of buffers
	uint32_t component; // the first one
	uint32_t builtin;   // of inputs
	uint32_t offset;    // bytes, of push constants and of buffers
	// Of these, an element of an array: the value that chooses one of `count`, `stride` bytes
	// apart from the offset on. 0: none does.
	uint32_t chooser, stride;
	uint64_t count;
};

// An edge of the graph of needs, which the logged values cut (summary_cut.c). Nodes are the ids of
// values and of local variables; for each block, that it matters, and the condition of its branch;
// the accesses, which need all else; and the unknown, which is needed for what cannot be computed.
struct vkr_need {
	uint32_t of, what;
};

struct vkr_slice {
	const struct vkr_analysis *analysis;
	const struct vkr_function *function;
	// By instruction: which it was before calls were written out (inline_calls.h); NULL: the
	// same one.
	const uint32_t *origins;
	const uint8_t *copies; // by instruction of the analysis: how often it stands in the slice
	struct vkr_block *blocks;
	uint32_t block_count;
	uint32_t *block_of; // by label id
	bool *needed;       // by id: values, and local variables
	bool *is_far;       // by id: used in another block than the one that defines it
	uint32_t *home;     // by id: the block that defines it, from 1
	bool *is_odd;       // by id: a local variable that is not only loaded and stored
	bool *is_logged;    // by id: a needed value that the invocation logs
	const bool *is_cut; // by id: it is logged, though it could be computed; NULL: none is
	bool *is_placed;    // by id: computed from which invocation it is, not only what it finds
	struct vkr_uniform_draft *uniforms; // that are needed
	uint32_t uniform_count, uniform_words;
	bool is_full;        // there are more than can be told
	uint32_t *worklist;  // ids
	uint32_t *seen_list; // blocks
	bool *seen;
	uint32_t work;
	bool changed, failed;
	bool lacks; // a value that is needed can neither be computed nor logged
	struct {
		struct vkr_need *items;
		size_t count, capacity;
	} needs;
	bool notes; // needs are noted, of `needy`
	uint32_t needy;
};

// The slice's instruction as the analysis that has the sites has it, or VKR_NO_ORIGIN.
static inline uint32_t vkr_slice_original(const struct vkr_slice *slice, uint32_t index)
{
	return slice->origins ? slice->origins[index] : index;
}

static inline uint32_t vkr_slice_node_of_block(const struct vkr_slice *slice, uint32_t block)
{
	return slice->analysis->module->bound + 2 * block;
}

static inline uint32_t vkr_slice_node_of_condition(const struct vkr_slice *slice, uint32_t block)
{
	return vkr_slice_node_of_block(slice, block) + 1;
}

static inline uint32_t vkr_slice_node_of_accesses(const struct vkr_slice *slice)
{
	return vkr_slice_node_of_block(slice, slice->block_count);
}

static inline uint32_t vkr_slice_node_of_unknown(const struct vkr_slice *slice)
{
	return vkr_slice_node_of_accesses(slice) + 1;
}

// Components of a value that summaries know, of 32-bit integers, booleans or 32-bit floats; 0: it
// is another one.
uint32_t vkr_slice_components(const struct vkr_module *module, uint32_t type);

// Whether these are floats.
bool vkr_slice_is_float(const struct vkr_module *module, uint32_t type);

// What the size of an image is asked of, or the length of the array at a buffer's end.
struct vkr_size_query {
	struct vkr_pointer_target of; // a variable, or an element of it
	uint64_t level;               // of an image
	uint32_t offset, stride;      // of an array, in bytes; stride 0: it is an image
};

// False where the instruction asks for none, or it is not known of what, or there is no memory.
bool vkr_slice_query(const struct vkr_slice *slice, const struct vkr_instruction *in,
		     struct vkr_size_query *query);

// Whether a summary knows an access to texels: which image, which sampler, and of each of the
// coordinates and the level a value.
bool vkr_slice_takes_texels(const struct vkr_site_draft *draft);

// The words that a needed value takes in the log: an integer of any width takes one.
uint32_t vkr_slice_words(const struct vkr_module *module, uint32_t id);

struct vkr_origin vkr_slice_origin(const struct vkr_slice *slice, const struct vkr_instruction *in);

// The first word of those that one invocation tells for a needed load (VKR_ORIGIN_UNIFORM), if it
// is of this element.
uint32_t vkr_slice_uniform(const struct vkr_slice *slice, const struct vkr_instruction *in,
			   uint32_t element);

// The local variable that a store or its initializer writes, 0 none that matters; which component
// from, and the value.
uint32_t vkr_slice_stored(const struct vkr_slice *slice, const struct vkr_instruction *in,
			  uint32_t *component, uint32_t *value);

// Calls visit for the blocks that control goes on with after a block, merge block and continue
// target first.
void vkr_slice_successors(const struct vkr_slice *slice, const struct vkr_block *block, void *user,
			  void (*visit)(uint32_t block, void *user));

// Calls visit for the blocks that a block's branch leads to. (summary_flow.c)
void vkr_slice_targets(const struct vkr_slice *slice, const struct vkr_block *block, void *user,
		       void (*visit)(uint32_t block, void *user));

// Finds the function's blocks. False for lack of memory. (summary_flow.c)
bool vkr_slice_read_blocks(struct vkr_slice *slice);

// Gives the blocks in which values are logged their records, and the analysis the segments that log
// them. False where there would be too many words; *no_memory: it is for lack of memory.
// (summary_records.c)
bool vkr_slice_records(struct vkr_slice *slice, struct vkr_analysis *analysis, bool *no_memory);

// What can be reached of blocks from the entry, and which headers are passed over.
// (summary_flow.c)
void vkr_slice_reach(struct vkr_slice *slice);

// The blocks of the entry point's function and what is defined in them, and no more. *is_there is
// false where there are too many of them. False for lack of memory.
bool vkr_slice_read(struct vkr_slice *slice, const struct vkr_analysis *analysis, bool *is_there);

// Marks in slice->seen what can be reached from a block without passing what is marked.
// (summary_flow.c)
void vkr_slice_reach_from(struct vkr_slice *slice, uint32_t block);

// Whether the accesses of the entry point are such as summaries have.
bool vkr_slice_may_be(const struct vkr_slice *slice);

// Finds what is needed, and what is logged: `is_cut`, and what follows from nothing else. Uniforms
// are found anew. False where the entry point has no summary; *no_memory: it is for lack of memory.
bool vkr_slice_find(struct vkr_slice *slice, const bool *is_cut, bool *no_memory);

// Whether an invocation can log a value.
bool vkr_slice_may_log(const struct vkr_slice *slice, uint32_t id);

// Notes all needs of a slice that has been found. False for lack of memory.
bool vkr_slice_note_needs(struct vkr_slice *slice);

// By id, which values are to be logged so that all that is needed follows from the fewest words.
// NULL where nothing can be logged that it follows from; or, *no_memory, for lack of memory.
// (summary_cut.c)
const bool *vkr_slice_cut(const struct vkr_slice *slice, bool *no_memory);

// What decides where an entry point accesses memory; `sites` has its sites where calls have been
// written out for `analysis`. False where it has no summary, or is better off without;
// *no_memory: it is for lack of memory. (summary_make.c)
bool vkr_slice_make(struct vkr_slice *slice, const struct vkr_analysis *analysis,
		    const struct vkr_analysis *sites, const uint32_t *origins, bool *no_memory);
