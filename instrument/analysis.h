// SPDX-License-Identifier: Apache-2.0
// What one entry point does to shared memory: its sites, cut into segments, and their variables.
// Knows what must be logged, not how the log is written.
#pragma once

#include "instrument.h"
#include "site_draft.h"
#include "vkrace/summary.h"

#include <stdbool.h>

struct vkr_strings {
	char *items;
	size_t count, capacity;
	uint32_t *offsets; // of the strings so far
	size_t offset_count, offset_capacity;
};

struct vkr_analysis {
	const struct vkr_module *module;
	const struct vkr_types *types;
	const struct vkr_constants *constants;
	const struct vkr_instrument_options *options;
	struct vkr_arena *arena;
	struct vkr_address_book book;
	uint32_t *arguments;   // by id, see vkr_address_book
	uint32_t entry_point;  // index of OpEntryPoint
	uint32_t main;         // index in module->functions
	bool is_legacy;        // memory model is not Vulkan
	bool logs_values;      // atomics may synchronize: log their values
	bool tells_subgroups;  // the first site of main is VKR_SITE_SUBGROUP
	uint32_t identity;     // enum vkr_identity bits of the stage
	bool is_patch;         // tessellation control: the patch is the workgroup
	bool *shared_outputs;  // of patches, by id: another invocation may access the variable's
			       // same part
	bool has_workgroups;   // task, mesh, compute: the workgroup size is of the entry point
	uint32_t header_words; // of a chunk
	bool has_helpers;      // fragments: some invocations only help others
	bool all_log;          // every invocation takes a chunk
	bool asks;             // where it does not: it does so where the draw asks
	uint32_t chunk_words;  // of the first chunk, header included
	uint32_t most_room;    // words that are made room for at once
	uint32_t entry_room;   // words up to the first point after main's start
	bool spills;           // invocations whose columns are full go on in chunks
	bool shares;           // a chunk has several invocations, see VKR_IDENTITY_SHARED
	bool shares_room;      // with room for many records
	bool chunks_grow;      // an invocation may take several: each twice the last
	uint32_t marks;        // in use, see struct vkr_mark_group
	uint32_t texel_sites;  // that have marks of texels (gpu_log.h)
	bool marked_grow;      // chunks_grow, if they had none
	bool marks_groups;     // marks of a dispatch tell workgroups apart, not invocations
	uint32_t workgroup_size[3];
	struct vkr_home **homes;         // of heap_homes.h, by id
	struct vkr_pointer_base **bases; // of pointer_bases.h, NULL at the end
	uint8_t *interlocked;            // by instruction, see interlock.h; NULL: none is
	struct vkr_line *block_lines;    // by id, see debug_lines.h
	bool *reached;                   // by function: called from the entry point
	bool *logs;                      // by function: it or what it calls has sites

	struct {
		struct vkr_site_draft *items;
		size_t count, capacity;
	} drafts;
	struct {
		struct vkr_segment_draft *items;
		size_t count, capacity;
	} segments;
	struct {
		struct vkr_reservation *items; // by `before`
		size_t count, capacity;
	} reservations;
	struct {
		struct vkr_variable *items;
		size_t count, capacity;
	} variables;
	struct {
		struct vkr_piece *items;
		size_t count, capacity;
	} pieces;
	struct {
		struct vkr_texel *items;
		size_t count, capacity;
	} texels;
	bool has_run_lengths; // some segment is one
	bool queries_levels;  // some texel access logs what OpImageQueryLod says
	struct {
		uint32_t *items; // strings
		size_t count, capacity;
	} unobserved;
	struct vkr_strings strings;
	struct {
		struct vkr_summary_operation *items;
		size_t count, capacity;
	} summary; // none: there is no summary
	struct {
		struct vkr_segment_draft *items;
		size_t count, capacity;
	} records; // by `before`: the records of values that the summary needs
	const struct vkr_uniform_draft *uniforms; // that the summary needs
	uint32_t uniform_count;
	bool tells_uniforms; // this is what the module logs, as the summary wants it
	bool wants_streams;  // instead of records
	bool streams;        // the segments are these records
	uint32_t summary_registers;
};

// Finds the sites, and what they depend on, and no more: of a module that is only looked into.
enum vkr_result vkr_analysis_read(struct vkr_analysis *analysis,
				  struct vkr_error *error) VKR_MUST_USE;

// Finds everything above for options->entry_point. Errors: VKR_ERROR_UNSUPPORTED, _MEMORY.
enum vkr_result vkr_analysis_make(struct vkr_analysis *analysis,
				  struct vkr_error *error) VKR_MUST_USE;
void vkr_analysis_finish(struct vkr_analysis *analysis);

// The word by which chunks name the shader: its stage, or the tag of a ray tracing shader.
uint32_t vkr_analysis_shader_word(const struct vkr_analysis *analysis);

// The string's offset in the table's strings; false for lack of memory. "" is 0.
bool vkr_analysis_string(struct vkr_analysis *analysis, const char *text, uint32_t *offset);

// Notes once what is not observed. False for lack of memory.
bool vkr_analysis_unobserved(struct vkr_analysis *analysis, const char *what);

// Finds analysis->shared_outputs. False for lack of memory. (analysis_outputs.c)
bool vkr_analysis_outputs(struct vkr_analysis *analysis);

// Every site of one function, in order. (analysis_accesses.c)
enum vkr_result vkr_analysis_accesses(struct vkr_analysis *analysis,
				      const struct vkr_function *function,
				      struct vkr_error *error) VKR_MUST_USE;

// Cuts the sites into segments. (analysis_segments.c)
enum vkr_result vkr_analysis_segments(struct vkr_analysis *analysis,
				      struct vkr_error *error) VKR_MUST_USE;

// The first instruction of a block after its phis. (analysis_reserve.c)
uint32_t vkr_analysis_behind_phis(const struct vkr_module *module, uint32_t label);

// Finds the points, and how many words the first chunk has. (analysis_reserve.c)
enum vkr_result vkr_analysis_reserve(struct vkr_analysis *analysis,
				     struct vkr_error *error) VKR_MUST_USE;

// Finds them anew, after segments were changed. (analysis_reserve.c)
enum vkr_result vkr_analysis_reserve_again(struct vkr_analysis *analysis,
					   struct vkr_error *error) VKR_MUST_USE;

// From here on the segments are the records that the summary wants, with points of their own.
enum vkr_result vkr_analysis_use_records(struct vkr_analysis *analysis,
					 struct vkr_error *error) VKR_MUST_USE;

// The instruction after the variables of a function's first block.
uint32_t vkr_analysis_entry(const struct vkr_module *module, const struct vkr_function *function);

// The serialized table, to be freed with free(). (site_writer.c)
enum vkr_result vkr_analysis_write(struct vkr_analysis *analysis, struct vkr_site_table **table,
				   struct vkr_error *error) VKR_MUST_USE;

// The index of the OpVariable's entry in analysis->variables, made where it is missing; 0 stands
// for device addresses. False for lack of memory. (site_writer.c)
bool vkr_analysis_variable(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			   uint32_t *index);

// The entry that is there already; UINT32_MAX for none.
uint32_t vkr_analysis_variable_index(const struct vkr_analysis *analysis,
				     const struct vkr_pointer_target *place);

// Makes the entry for memory behind an address that holds the positions of descriptors. False for
// lack of memory. (site_writer.c)
bool vkr_analysis_index_variable(struct vkr_analysis *analysis, uint32_t *index);

// Entries for every variable that the place may be in, *index that of the first. One site's are of
// one kind: else *is_alike is false. Code computes at run time which it is. False for
// lack of memory. (site_writer.c)
bool vkr_analysis_variables(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			    uint32_t *index, bool *is_alike);

// The lines of a matrix as pieces, where they do not lie back to back. False for lack of memory.
// (site_writer.c)
struct vkr_matrix_use;
bool vkr_analysis_lines(struct vkr_analysis *analysis, struct vkr_site_draft *draft,
			const struct vkr_matrix_use *use);

// The site of an instruction that accesses texels, or of an atomic on what `pointer`
// (OpImageTexelPointer) leads to. *fault names what keeps it from being observed; NULL: nothing.
// False for lack of memory. (analysis_images.c)
bool vkr_analysis_image(struct vkr_analysis *analysis, const struct vkr_instruction *in,
			struct vkr_site_draft *draft, const char **fault);
bool vkr_analysis_texel_pointer(struct vkr_analysis *analysis,
				const struct vkr_instruction *pointer, struct vkr_site_draft *draft,
				const char **fault);

// The site of an instruction that traces rays; *fault as above. False for lack of memory.
// (shader_calls.c)
bool vkr_analysis_trace(struct vkr_analysis *analysis, const struct vkr_instruction *in,
			struct vkr_site_draft *draft, const char **fault);
