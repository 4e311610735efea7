// SPDX-License-Identifier: Apache-2.0
// What one entry point does to shared memory: its sites, cut into segments, and their variables.
// Knows what must be logged, not how the log is written.
#pragma once

#include "address.h"
#include "image_use.h"
#include "instrument.h"
#include "vkrace/summary.h"

#include <stdbool.h>

// A site while the table is made. Instructions are indices into the module.
struct vkr_draft {
	struct vkr_site site;
	uint32_t instruction;
	uint32_t pointer;                  // id; 0 for barriers and image instructions
	const struct vkr_image_use *image; // of accesses to texels; else NULL
	bool is_traced;                    // an acceleration structure's descriptor: no offset
	// The site's address follows from a mapping (heap_homes.h), NULL: it does not. reads_index:
	// it is that of the half's index itself.
	const struct vkr_home_half *mapped;
	bool reads_index;
	struct vkr_place place;
	// place.offset, see affine.h; of places in known variables. Of VKR_SITE_COMPUTED what the
	// word is, or would be.
	struct vkr_sum spread;
	uint32_t value_type; // of what is accessed
	uint32_t stride;     // id, of VKR_SITE_STRIDED
};

// Logged as one record, in front of instruction `before`.
struct vkr_run {
	struct vkr_segment segment;
	uint32_t before;
	bool is_call; // one site, of a shader call or the return from it
	// Of a list: in front of this instruction it is counted how often the segment is gone
	// through. 0: it is none.
	uint32_t turned_at;
	uint32_t way_words; // of ways; 0: it is none
	// In place of sites: values of a summary (vkrace/summary.h), ids.
	const uint32_t *values;
	uint32_t value_count;
};

// In front of instruction `before`, the invocation makes sure that its chunk has room for so many
// words.
struct vkr_point {
	uint32_t before;
	uint32_t words;
};

// What is done to the bits of a loop's ways in front of instruction `before`: bit `bit` of the
// present turn is set in word `word`, or, of turn_bits, the turn ends.
struct vkr_way_step {
	uint32_t before;
	uint32_t word, bit;
	uint32_t turn_bits; // 0: a bit is set
};

// Words of ways that a loop may have; of one with more runs each turn logs them.
#define VKR_WAY_WORDS 8u

struct vkr_strings {
	char *items;
	size_t count, capacity;
	uint32_t *offsets; // of the strings so far
	size_t offset_count, offset_capacity;
};

struct vkr_survey {
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
	bool has_evidence;     // atomics may synchronize: log their values
	bool tells_subgroups;  // the first site of main is VKR_SITE_SUBGROUP
	uint32_t identity;     // enum vkr_identity bits of the stage
	bool is_patch;         // tessellation control: the patch is the workgroup
	bool *shared_outputs;  // of patches, by id: another invocation may touch the variable's
			       // same part
	bool has_workgroups;   // task, mesh, compute: the workgroup size is of the entry point
	uint32_t header_words; // of a chunk
	bool has_helpers;      // fragments: some invocations only help others
	bool all_log;          // every invocation takes a chunk
	bool asks;             // where it does not: it does so where the draw asks
	uint32_t chunk_words;  // of the first chunk, header included
	uint32_t most_room;    // words that are made room for at once
	uint32_t entry_room;   // words up to the first point behind main's start
	bool spills;           // invocations whose columns are full go on in chunks
	bool chunks_grow;      // an invocation may take several: each twice the last
	uint32_t workgroup_size[3];
	struct vkr_home **homes;         // of heap_homes.h, by id
	struct vkr_pointer_base **bases; // of pointer_bases.h, NULL at the end
	uint8_t *interlocked;            // by instruction, see interlock.h; NULL: none is
	struct vkr_line *block_lines;    // by id, see debug_lines.h
	bool *reached;                   // by function: called from the entry point
	bool *logs;                      // by function: it or what it calls has sites

	struct {
		struct vkr_draft *items;
		size_t count, capacity;
	} drafts;
	struct {
		struct vkr_run *items;
		size_t count, capacity;
	} runs;
	struct {
		struct vkr_point *items; // by `before`
		size_t count, capacity;
	} points;
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
	struct {
		struct vkr_way_step *items; // by `before`
		size_t count, capacity;
	} way_steps;
	uint32_t way_words; // the most that a loop has
	struct {
		uint32_t *items; // of struct vkr_site's turn_values
		size_t count, capacity;
	} turn_values;
	bool has_lists;      // some run is one
	bool queries_levels; // some texel access logs what OpImageQueryLod says
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
		struct vkr_run *items;
		size_t count, capacity;
	} records;          // by `before`, of what the summary wants logged
	bool wants_streams; // instead of records
	bool streams;       // the runs are these
	uint32_t summary_registers;
};

// Finds the sites, and what they depend on, and no more: of a module that is only looked into.
enum vkr_result vkr_survey_read(struct vkr_survey *survey, struct vkr_error *error) VKR_MUST_USE;

// Finds everything above for options->entry_point. Errors: VKR_ERROR_UNSUPPORTED, _MEMORY.
enum vkr_result vkr_survey_make(struct vkr_survey *survey, struct vkr_error *error) VKR_MUST_USE;
void vkr_survey_finish(struct vkr_survey *survey);

// What chunks say of the shader: its stage, or the tag of a ray tracing shader.
uint32_t vkr_survey_shader_word(const struct vkr_survey *survey);

// The function that an OpFunctionCall calls: its index in module->functions.
uint32_t vkr_survey_callee(const struct vkr_survey *survey, const struct vkr_instruction *call);

// The string's offset in the table's strings; false for lack of memory. "" is 0.
bool vkr_survey_string(struct vkr_survey *survey, const char *text, uint32_t *offset);

// Notes once what is not observed. False for lack of memory.
bool vkr_survey_unobserved(struct vkr_survey *survey, const char *what);

// Finds survey->shared_outputs. False for lack of memory. (survey_outputs.c)
bool vkr_survey_outputs(struct vkr_survey *survey);

// Every site of one function, in order. (survey_accesses.c)
enum vkr_result vkr_survey_accesses(struct vkr_survey *survey, const struct vkr_function *function,
				    struct vkr_error *error) VKR_MUST_USE;

// Cuts the sites into runs. (survey_runs.c)
enum vkr_result vkr_survey_runs(struct vkr_survey *survey, struct vkr_error *error) VKR_MUST_USE;
bool vkr_is_terminator(uint16_t opcode);

// The first instruction of a block behind its phis. (survey_room.c)
uint32_t vkr_survey_behind_phis(const struct vkr_module *module, uint32_t label);

// Finds the points, and how many words the first chunk has. (survey_room.c)
enum vkr_result vkr_survey_room(struct vkr_survey *survey, struct vkr_error *error) VKR_MUST_USE;

// From here on the runs are the records that the summary wants, with points of their own.
enum vkr_result vkr_survey_use_records(struct vkr_survey *survey,
				       struct vkr_error *error) VKR_MUST_USE;

// The instruction behind the variables of a function's first block.
uint32_t vkr_survey_entry(const struct vkr_module *module, const struct vkr_function *function);

// The serialized table, to be freed with free(). (site_writer.c)
enum vkr_result vkr_survey_write(struct vkr_survey *survey, struct vkr_site_table **table,
				 struct vkr_error *error) VKR_MUST_USE;

// The index of the OpVariable's entry in survey->variables, made where it is missing; 0 stands for
// device addresses. False for lack of memory. (site_writer.c)
bool vkr_survey_variable(struct vkr_survey *survey, const struct vkr_place *place, uint32_t *index);

// The entry that is there already; UINT32_MAX for none.
uint32_t vkr_survey_variable_index(const struct vkr_survey *survey, const struct vkr_place *place);

// The same of what tells where descriptors are: memory behind an address. (site_writer.c)
bool vkr_survey_index_variable(struct vkr_survey *survey, uint32_t *index);

// Entries for every variable that the place may be in, *index that of the first. One site's are of
// one kind: else *is_alike is false. What tells at run time which it is will be computed. False for
// lack of memory. (site_writer.c)
bool vkr_survey_variables(struct vkr_survey *survey, const struct vkr_place *place, uint32_t *index,
			  bool *is_alike);

// The lines of a matrix as pieces, where they do not lie back to back. False for lack of memory.
// (site_writer.c)
struct vkr_matrix_use;
bool vkr_survey_lines(struct vkr_survey *survey, struct vkr_draft *draft,
		      const struct vkr_matrix_use *use);

// The site of an instruction that accesses texels, or of an atomic on what `pointer`
// (OpImageTexelPointer) leads to. *fault names what keeps it from being observed; NULL: nothing.
// False for lack of memory. (survey_images.c)
bool vkr_survey_image(struct vkr_survey *survey, const struct vkr_instruction *in,
		      struct vkr_draft *draft, const char **fault);
bool vkr_survey_texel_pointer(struct vkr_survey *survey, const struct vkr_instruction *pointer,
			      struct vkr_draft *draft, const char **fault);

// The site of an instruction that traces rays; *fault as above. False for lack of memory.
// (shader_calls.c)
bool vkr_survey_trace(struct vkr_survey *survey, const struct vkr_instruction *in,
		      struct vkr_draft *draft, const char **fault);

// Fills in a variable of images, texel buffers, samplers or acceleration structures, its type
// below arrays `type_id`. (survey_images.c)
void vkr_survey_describe_image(struct vkr_survey *survey, uint32_t id, uint32_t type_id,
			       struct vkr_variable *variable);
