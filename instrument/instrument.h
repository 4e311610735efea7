// SPDX-License-Identifier: Apache-2.0
// SPIR-V in, SPIR-V that logs its memory accesses and the table of its sites out.
// Pure: knows no Vulkan object, no file, no global state.
#pragma once

#include "vkrace/result.h"
#include "vkrace/site.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_INSTRUMENT_NO_SET UINT32_MAX

// Bytes from a log_base on, within which all column logs and chunks are: what 31 bits count in
// words, as an index is signed (SPIR-V, "OpAccessChain").
#define VKR_INSTRUMENT_LOG_REACH (UINT64_C(1) << 33)

// Data that is left out of the log because it follows from what is logged. No reduction changes a
// verdict.
enum vkr_reduction {
	VKR_REDUCE_WORDS = 1u << 0, // an offset that differs from another one of its record by a
				    // constant
	VKR_REDUCE_REPEATS =
		1u << 1, // and with it a load that stands in one source line with an earlier one
			 // of the same bytes, nothing between them that could matter
	VKR_REDUCE_AFFINE = 1u << 2,     // the part of an offset that follows from the invocation's
					 // IDs
	VKR_REDUCE_ITERATIONS = 1u << 4, // and what follows from how often a loop was gone through
	VKR_REDUCE_RUN_LENGTHS =
		1u << 5,              // records of a loop's iterations, but for how many there were
	VKR_REDUCE_UNIFORM = 1u << 8, // of a draw's reads of the same bytes all but one, in shaders
				      // that only read
	VKR_REDUCE_READERS = 1u << 9, // of a dispatch's reads of the same bytes all but those of
				      // two invocations, in shaders that order nothing
	VKR_REDUCE_CHUNKS = 1u << 6,  // headers of chunks: fragments that only read share one
	VKR_REDUCE_STREAMS = 1u << 7, // the numbers of records that a summary wants
	VKR_REDUCE_SUMMARIES = 1u << 3, // all, of shaders that have a summary (vkrace/summary.h)
};

struct vkr_specialization {
	uint32_t id;    // SpecId
	uint32_t bytes; // 1, 2, 4 or 8 (a VkBool32 is 4)
	uint64_t value;
};

// Where variables of descriptor sets lead to in shaders that use descriptor heaps
// (VkDescriptorSetAndBindingMappingEXT).
struct vkr_mapping_half {
	uint32_t heap_offset, index_stride, array_stride; // bytes
	// Byte offset, in the push data or the shader record, of the index, of an address, or of
	// the address of the memory that holds it.
	uint32_t where, address_offset;
	uint32_t is_embedded; // 1: a sampler that the pipeline holds
};

struct vkr_heap_mapping {
	uint32_t set, first_binding, binding_count;
	uint32_t resources;                        // VkSpirvResourceTypeFlagsEXT
	uint32_t source;                           // VkDescriptorMappingSourceEXT
	uint32_t has_combined_index;               // 1: useCombinedImageSamplerIndex
	struct vkr_mapping_half resource, sampler; // sampler: of combined ones
};

// Bindings of heap_set in such shaders: uniform blocks of the push data and of the shader record,
// and a storage block with the program's push data where struct vkr_gpu_place hides some of it.
enum {
	VKR_HEAP_BINDING_PUSH,
	VKR_HEAP_BINDING_RECORD,
	VKR_HEAP_BINDING_PUSHED,
};

struct vkr_instrument_options {
	const char *entry_point; // which entry point the pipeline uses; all others are left out
	uint32_t stage;          // VkShaderStageFlagBits
	const struct vkr_specialization *specializations;
	size_t specialization_count;
	// How the shader finds its struct vkr_gpu_place: in the push constants at this byte offset
	// (a multiple of 4) where block_set is VKR_INSTRUMENT_NO_SET, else in the uniform buffer
	// (at offset 0) at binding 0 of descriptor set block_set.
	uint32_t push_constant_offset;
	uint32_t block_set;
	// The shader uses descriptor heaps: the place stands in the push data at this offset, read
	// through a set that the program does not name.
	bool has_heaps;
	uint32_t heap_set;
	const struct vkr_heap_mapping *mappings;
	size_t mapping_count;
	bool lacks_pushed; // nothing is bound to VKR_HEAP_BINDING_PUSHED
	// Environment of the validator, as in libspirv.h's spv_target_env:
	// vkr_instrument_environment.
	uint32_t environment;
	uint32_t without; // enum vkr_reduction bits: what is not to be left out of the log
	uint32_t tag;     // of ray tracing stages: not 0, another one for each shader of a pipeline
	// A device address, a multiple of 4 GiB, that dispatches' logs are counted from, so that
	// the address of every logged word is a constant plus an index. Logs out of its reach stay
	// empty. 0: none is known.
	uint64_t log_base;
	// Blocks and cells are within its reach, too: struct vkr_gpu_place.
	bool near_blocks;
	// A compute shader's invocation whose columns are full goes on in chunks, instead of
	// logging nothing any more: costly where a driver runs both sides of every branch.
	bool spills;
	// So many invocations run at once that marks of reads are taken by exchanges: costly where
	// few do, as on drivers of CPUs.
	bool exchanges;
	// Of stages without a grid of workgroups: every invocation takes a chunk if the draw asks
	// for it, whether or not it accesses anything.
	bool asks;
	// Fragments of a subgroup may take a chunk together: the device has ballots and votes in
	// their stage, and pixels have coordinates below VKR_SHARED_GOES_ON and 2^16.
	bool shares;
	bool asks_samples; // of fragments that do: they log which samples they cover
	// Atomics log what they read and wrote even where nothing in this shader orders: another
	// one that runs with it may.
	bool tells_values;
};

// How much an invocation of a rewritten module logs.
struct vkr_instrumented_log {
	uint32_t words_most;  // words in all; 0: it may go on in loops
	uint32_t room_most;   // that an invocation makes room for at once
	uint32_t room_first;  // the same where it begins
	uint32_t record_most; // of the longest record
	bool spills;          // as asked for, and invocations may lack room
	bool streams;         // instead of records (gpu_log.h)
	// Marks (gpu_log.h): words that the block of a draw has for the stage; of a dispatch groups
	// of reads, and one. 0: none.
	uint32_t marks;
	bool only_marked; // and nothing else is logged
};

struct vkr_instrumented {
	uint32_t *words;
	size_t word_count;
	struct vkr_site_table *sites; // serialized form, sites->bytes long
	struct vkr_instrumented_log log;
	// Where the sites have a summary that wants records: the module that logs nothing else.
	uint32_t *rest_words; // NULL: it wants none
	size_t rest_word_count;
	struct vkr_instrumented_log rest;
	bool reads_pushed; // it finds the program's push data at VKR_HEAP_BINDING_PUSHED
	bool changed;      // false: nothing to log (no site); words are the original ones
	bool only_asked;   // there is no site: nothing is logged but where the draw asks
	// The accesses of the entry point that are not logged, a reason each ("storage image
	// accesses").
	char **unobserved;
	size_t unobserved_count;
	char **broken; // the rules of SPIR-V that the module breaks, in the validator's words
	size_t broken_count;
};

// The environment of a Vulkan version (VK_MAKE_API_VERSION). A newer one takes older SPIR-V, too.
uint32_t vkr_instrument_environment(uint32_t api_version);

// Reads which reductions to switch off: those not named between commas ("words", "repeats",
// "affine", "iterations", "run-lengths", "chunks", "uniform", "readers", "streams", "summaries";
// "none" of them, or NULL for all). False for any other name.
bool vkr_instrument_reductions(const char *list, uint32_t *without);

// Rewrites one module for one entry point. Errors: VKR_ERROR_FORMAT
// (invalid SPIR-V: offset in words and reason), VKR_ERROR_UNSUPPORTED (names the instruction or
// capability), VKR_ERROR_MEMORY. Released with vkr_instrumented_finish.
enum vkr_result vkr_instrument(const uint32_t *words, size_t word_count,
			       const struct vkr_instrument_options *options,
			       struct vkr_instrumented *out, struct vkr_error *error) VKR_MUST_USE;

void vkr_instrumented_finish(struct vkr_instrumented *out);
