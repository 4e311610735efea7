// SPDX-License-Identifier: Apache-2.0
// A shader's site table prepared for reading its log fast: each segment as steps between its
// synchronization. Knows site tables and the engine's sites; not what is bound.
#pragma once

#include "access_names.h"
#include "engine.h"

enum vkr_step_kind {
	VKR_STEP_ACCESSES = 1,
	VKR_STEP_FENCE,   // a memory barrier, a control barrier of less than a workgroup, or a
			  // shader call or return: these stand in a segment of their own
	VKR_STEP_BARRIER, // a control barrier of a workgroup or more
};

// The engine's sites of an access of one size: to texels, of which the view that is bound decides
// on it, or to a whole acceleration structure.
struct vkr_texel_sites {
	uint32_t bytes, site, wrote_site;
	struct vkr_texel_sites *next;
};

struct vkr_program_access {
	uint32_t word; // of its first word, from the record's second word on
	// The offset: factor times this word, and what follows from the invocation
	// (VKR_SITE_COMPUTED).
	uint32_t offset_word, factor, addend, by_group[3], by_local[3], by_iteration;
	bool is_linear;      // it grows by by_local[0] from each invocation to the next
	uint32_t value_word; // of an atomic's values
	uint32_t variable;   // index in the site table
	uint32_t bytes;
	uint32_t table_site; // index in the site table
	uint32_t site;       // the engine's
	uint32_t wrote_site; // the same of a compare-exchange that wrote; else 0
	uint32_t wrote_word; // of a compare-exchange: whether it wrote; else UINT32_MAX
	bool arrayed, pointer, chosen;
	bool storage_buffer; // through a descriptor of one
	// Of VKR_SITE_COOPERATIVE: lines of `bytes` bytes each (one line if pieces say what is
	// accessed), and the scope of the invocations that make the access together (enum
	// vkr_scope). 0 lines: each invocation makes its own access.
	uint32_t lines;
	uint32_t words;                    // of its own
	uint32_t stride_word, stride_unit; // unit 0: one line
	uint8_t scope;
	bool traced; // an acceleration structure: no site above, but of its size, below
	const struct vkr_texel *texel; // of images and texel buffers: no site above; else NULL
	struct vkr_texel_sites *texel_sites; // made so far
	uint32_t possible_site;              // made on demand: 0 until then
	bool apart;      // writes that are not noted (noted_texels.h), as they did not fit
	bool summarized; // its offset is not of a log, and in another workgroup differs by by_group
};

// Whether it is through descriptors of one variable, by each invocation alone, and does not hang on
// values.
static inline bool vkr_access_is_alone(const struct vkr_program_access *access)
{
	return !access->traced && access->lines == 0 && !access->pointer && !access->chosen &&
	       access->wrote_word == UINT32_MAX;
}

// Whether it is through one descriptor, besides.
static inline bool vkr_access_is_direct(const struct vkr_program_access *access)
{
	return vkr_access_is_alone(access) && !access->arrayed;
}

struct vkr_program_step {
	enum vkr_step_kind kind;
	bool last; // of its segment
	uint32_t first_access, access_count;
	const struct vkr_site *site; // of synchronization
};

struct vkr_segment_start {
	const struct vkr_program_step *step; // its first
	uint32_t words;                      // of a record, after its first
	uint8_t kind;                        // enum vkr_segment_kind
	uint32_t deciding;                   // words from its second on that decide what was done
	uint32_t iteration; // 1 + which of the segments it is whose records are counted; 0: none
};

struct vkr_program {
	const struct vkr_shader *shader;
	uint32_t segment_count;
	struct vkr_segment_start *starts; // by segment
	struct vkr_program_step *steps;
	uint32_t step_count;
	struct vkr_program_access *accesses;
	struct vkr_program_access **by_site; // the same by table_site; NULL: synchronization
	uint32_t local_size, workgroup_bytes;
	uint32_t header_words; // of a chunk
	bool has_barriers;     // control barriers of a workgroup or more
	// 1 + that which begins with SubgroupId, an invocation's first; 0: none does.
	uint32_t subgroup_segment;
	bool only_reads;   // plain ones through descriptors, and nothing orders its invocations
	bool joins_slowly; // of a draw: what threads note of its log apart (draw_reads.c)
	uint32_t *workgroup_bases; // by variable: where a Workgroup variable lies
	struct vkr_arena *arena;   // borrowed, as are the next two: for sites made later
	struct vkr_access_names *names;
	struct vkr_engine *engine;
	// Of a copy, by which another thread reads: set where sites are asked for that are not made
	// yet, which then fails. NULL: they are made.
	bool *missed;
};

// The bits by which the shader's invocations identify themselves with their records.
static inline uint32_t vkr_program_identity(const struct vkr_site_table *table)
{
	const bool is_shared = table->identity & VKR_IDENTITY_SHARED;
	return table->identity & ~(is_shared ? VKR_SHARED_IDENTITY_ASKED : 0);
}

// The program of a shader with sites: its sites become the engine's. Lives in the arena.
enum vkr_result vkr_program_create(const struct vkr_shader *shader, struct vkr_arena *arena,
				   struct vkr_access_names *names, struct vkr_engine *engine,
				   struct vkr_program **program,
				   struct vkr_error *error) VKR_MUST_USE;

// The sites of an access to texels or a structure with this many bytes in *sites, made if they are
// missing.
enum vkr_result vkr_program_texel_sites(const struct vkr_program *program,
					struct vkr_program_access *access, uint32_t bytes,
					const struct vkr_texel_sites **sites,
					struct vkr_error *error) VKR_MUST_USE;

// The site of the reads that an access to texels may make besides those that it certainly makes.
enum vkr_result vkr_program_possible_site(const struct vkr_program *program,
					  struct vkr_program_access *access, uint32_t *site,
					  struct vkr_error *error) VKR_MUST_USE;

// VkPipelineStageFlags2 of a VkShaderStageFlagBits.
uint64_t vkr_shader_pipeline_stage(uint32_t stage);
