// SPDX-License-Identifier: Apache-2.0
// A shader's site table prepared for reading its log fast. Knows site tables and the engine's
// sites; not what is bound.
#include "shader_program.h"

#include "error.h"
#include "scopes.h"
#include "shader_sync.h"
#include "site_scope.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

#include <string.h>
#include <vulkan/vulkan_core.h>

static bool is_access(const struct vkr_site *site)
{
	return site->operation < VKR_SITE_CONTROL_BARRIER;
}

uint64_t vkr_shader_pipeline_stage(uint32_t stage)
{
	switch (stage) {
	case VK_SHADER_STAGE_VERTEX_BIT:
		return VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT;
	case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
		return VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT;
	case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
		return VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT;
	case VK_SHADER_STAGE_GEOMETRY_BIT:
		return VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT;
	case VK_SHADER_STAGE_FRAGMENT_BIT:
		return VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
	case VK_SHADER_STAGE_TASK_BIT_NV: // the EXT stage has the same value
		return VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_NV;
	case VK_SHADER_STAGE_MESH_BIT_NV:
		return VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_NV;
	case VK_SHADER_STAGE_RAYGEN_BIT_KHR:
	case VK_SHADER_STAGE_ANY_HIT_BIT_KHR:
	case VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR:
	case VK_SHADER_STAGE_MISS_BIT_KHR:
	case VK_SHADER_STAGE_INTERSECTION_BIT_KHR:
	case VK_SHADER_STAGE_CALLABLE_BIT_KHR:
		return VK_PIPELINE_STAGE_2_RAY_TRACING_SHADER_BIT_KHR;
	default:
		return VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
	}
}

static unsigned flags_of(const struct vkr_site *site, const struct vkr_shader *shader)
{
	unsigned flags = 0;
	switch ((enum vkr_site_operation)site->operation) {
	case VKR_SITE_LOAD:
		flags = VKR_ENGINE_READ;
		break;
	case VKR_SITE_STORE:
		flags = VKR_ENGINE_WRITE;
		break;
	case VKR_SITE_ATOMIC_LOAD:
		flags = VKR_ENGINE_READ | VKR_ENGINE_ATOMIC;
		break;
	case VKR_SITE_ATOMIC_STORE:
		flags = VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC;
		break;
	case VKR_SITE_ATOMIC_RMW:
		flags = VKR_ENGINE_READ | VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC;
		break;
	case VKR_SITE_CONTROL_BARRIER:
	case VKR_SITE_MEMORY_BARRIER:
	case VKR_SITE_SHADER_CALL:
	case VKR_SITE_SHADER_RETURN:
	case VKR_SITE_SUBGROUP:
		break;
	}
	if (shader->stage == VK_SHADER_STAGE_FRAGMENT_BIT)
		flags |= VKR_ENGINE_PLACED;
	if (site->flags & VKR_SITE_INTERLOCKED || vkr_sync_is_nonprivate(site))
		flags |= VKR_ENGINE_ASK;
	if (shader->orders_commands && vkr_sync_is_nonprivate(site))
		flags |= VKR_ENGINE_LINKS;
	if (flags & VKR_ENGINE_ATOMIC && flags & VKR_ENGINE_WRITE &&
	    !(site->flags & VKR_SITE_VALUES) && vkr_scope_is_far(site->scope))
		flags |= VKR_ENGINE_SILENT;
	if (site->flags & VKR_SITE_NONPRIVATE)
		flags |= VKR_ENGINE_NONPRIVATE;
	if (site->flags & VKR_SITE_MAKE_AVAILABLE &&
	    vkr_scope_exceeds_subgroup(site->available_scope))
		flags |= VKR_ENGINE_MAKE_AVAILABLE;
	if (site->flags & VKR_SITE_MAKE_VISIBLE && vkr_scope_exceeds_subgroup(site->visible_scope))
		flags |= VKR_ENGINE_MAKE_VISIBLE;
	if (site->flags & VKR_SITE_MAKE_AVAILABLE && site->available_scope == VKR_SCOPE_SUBGROUP)
		flags |= VKR_ENGINE_NEAR_AVAILABLE;
	if (site->flags & VKR_SITE_MAKE_VISIBLE && site->visible_scope == VKR_SCOPE_SUBGROUP)
		flags |= VKR_ENGINE_NEAR_VISIBLE;
	if (site->flags & VKR_SITE_MAKE_AVAILABLE && vkr_scope_is_far(site->available_scope))
		flags |= VKR_ENGINE_FAR_AVAILABLE;
	if (site->flags & VKR_SITE_MAKE_VISIBLE && vkr_scope_is_far(site->visible_scope))
		flags |= VKR_ENGINE_FAR_VISIBLE;
	if (site->flags & VKR_SITE_MAKE_AVAILABLE && vkr_scope_is_device(site->available_scope))
		flags |= VKR_ENGINE_DEVICE_AVAILABLE;
	if (site->flags & VKR_SITE_MAKE_VISIBLE && vkr_scope_is_device(site->visible_scope))
		flags |= VKR_ENGINE_DEVICE_VISIBLE;
	return flags;
}

// VkAccessFlagBits2 of a site that reads or writes.
static uint64_t access_of(const struct vkr_variable *variable, unsigned flags)
{
	if (flags & VKR_ENGINE_WRITE)
		return VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
	// A uniform buffer, in a heap: which of the two reads that is the specification leaves
	// open.
	if (variable->flags & VKR_VARIABLE_HEAP_DATA)
		return VK_ACCESS_2_UNIFORM_READ_BIT | VKR_ACCESS_RESOURCE_HEAP_READ;
	switch ((enum vkr_variable_kind)variable->kind) {
	case VKR_VARIABLE_BUFFER:
	case VKR_VARIABLE_POINTER:
		return variable->flags & VKR_VARIABLE_UNIFORM ? VK_ACCESS_2_UNIFORM_READ_BIT
							      : VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
	case VKR_VARIABLE_TEXEL_BUFFER:
		return variable->flags & VKR_VARIABLE_UNIFORM ? VK_ACCESS_2_SHADER_SAMPLED_READ_BIT
							      : VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
	case VKR_VARIABLE_SAMPLED_IMAGE:
		return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
	case VKR_VARIABLE_INPUT_ATTACHMENT:
		return VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
	case VKR_VARIABLE_ACCELERATION_STRUCTURE:
		return VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR;
	case VKR_VARIABLE_WORKGROUP:
	case VKR_VARIABLE_STORAGE_IMAGE:
	case VKR_VARIABLE_SAMPLER:
		break;
	}
	return VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
}

struct making {
	const struct vkr_program *program;
	uint32_t bytes; // of the access
	struct vkr_error *error;
};

static enum vkr_result add_site(struct making *making, uint32_t index, unsigned flags, uint32_t *id)
{
	const struct vkr_shader *shader = making->program->shader;
	const struct vkr_site *site = &vkr_site_table_sites(shader->sites)[index];
	const struct vkr_variable *variable =
		&vkr_site_table_variables(shader->sites)[site->variable];
	struct vkr_engine_site made = {
		.stage = vkr_shader_pipeline_stage(shader->stage),
		.access = access_of(variable, flags),
		.flags = flags,
		.bytes = making->bytes,
		.piece_count = site->piece_count,
		.storage_class = site->storage_class,
		.scope = site->scope,
	};
	if (site->piece_count > 0)
		made.pieces = vkr_site_table_pieces(shader->sites) + site->first_piece;
	if (!vkr_access_names_site(
		    making->program->names,
		    &(struct vkr_access_site){.kind = VKR_SITE_OF_SHADER,
					      .shader = shader,
					      .site = index,
					      .possible = flags & VKR_ENGINE_MAY_ACCESS,
					      .read = flags & VKR_ENGINE_READ,
					      .write = flags & VKR_ENGINE_WRITE,
					      .stage = made.stage,
					      .access = made.access},
		    &made.tag))
		return vkr_error_memory(making->error, "sites");
	return vkr_engine_site_add(making->program->engine, &made, id, making->error);
}

static void shader_program_compute(struct vkr_program_access *access, const struct vkr_site *site,
				   const struct vkr_site_table *table)
{
	const uint32_t *size = table->workgroup_size;
	access->factor = site->factor;
	access->addend = site->addend;
	access->by_iteration = site->by_iteration;
	memcpy(access->by_group, site->by_group, sizeof access->by_group);
	memcpy(access->by_local, site->by_local, sizeof access->by_local);
	access->is_linear =
		(size[1] == 1 || access->by_local[1] == access->by_local[0] * size[0]) &&
		(size[2] == 1 || access->by_local[2] == access->by_local[0] * size[0] * size[1]);
}

// Where in the record the offset stands, and an atomic's values. The segment's earlier accesses
// stand before `access`.
static void place_words(struct vkr_program_access *access, const struct vkr_site *site,
			const struct vkr_site_table *table)
{
	access->offset_word = access->word + (access->chosen ? 2 : access->arrayed);
	access->value_word = access->offset_word + (access->pointer ? 2 : 1);
	if (access->texel != NULL)
		access->value_word = access->word + access->texel->words;
	access->factor = 1;
	access->is_linear = true;
	if (site->flags & VKR_SITE_COMPUTED)
		shader_program_compute(access, site, table);
	if (access->factor == 0)
		access->value_word--;
	if (site->flags & VKR_SITE_SHARED) {
		const struct vkr_program_access *shared = access - 1;
		while (shared->table_site != site->offset_site)
			shared--;
		access->value_word--;
		access->offset_word = shared->offset_word;
		access->addend = site->addend;
	}
}

// A compare-exchange is two sites: one that fails only reads.
static enum vkr_result add_sites(struct making *making, uint32_t index, uint32_t *id,
				 uint32_t *wrote_id)
{
	const struct vkr_shader *shader = making->program->shader;
	const struct vkr_site *site = &vkr_site_table_sites(shader->sites)[index];
	const unsigned flags = flags_of(site, shader);
	if (!(site->flags & VKR_SITE_CONDITIONAL))
		return add_site(making, index, flags, id);
	const unsigned writes = VKR_ENGINE_WRITE | VKR_ENGINE_SILENT;
	const enum vkr_result result = add_site(making, index, flags & ~writes, id);
	return result == VKR_OK ? add_site(making, index, flags, wrote_id) : result;
}

static enum vkr_result add_access(const struct vkr_program *program, uint32_t index, uint32_t word,
				  struct vkr_program_access *access, struct vkr_error *error)
{
	const struct vkr_site_table *table = program->shader->sites;
	const struct vkr_site *site = &vkr_site_table_sites(table)[index];
	const bool conditional = site->flags & VKR_SITE_CONDITIONAL;
	*access = (struct vkr_program_access){.word = word,
					      .variable = site->variable,
					      .bytes = site->bytes,
					      .table_site = index,
					      .wrote_word = conditional ? word + site->words - 1
									: UINT32_MAX,
					      .arrayed = site->flags & VKR_SITE_ARRAYED,
					      .pointer = site->flags & VKR_SITE_POINTER,
					      .chosen = site->flags & VKR_SITE_CHOSEN,
					      .texel = vkr_site_table_texel(table, site)};
	if (site->flags & VKR_SITE_COOPERATIVE) {
		access->lines = site->flags & VKR_SITE_STRIDED ? site->lines : 1;
		access->words = site->words;
		access->stride_word = word + site->words - 1;
		access->stride_unit = site->stride_unit;
		access->scope = site->execution;
	}
	const struct vkr_variable *variable = &vkr_site_table_variables(table)[site->variable];
	access->traced = variable->kind == VKR_VARIABLE_ACCELERATION_STRUCTURE;
	access->storage_buffer =
		variable->kind == VKR_VARIABLE_BUFFER &&
		!(variable->flags & (VKR_VARIABLE_UNIFORM | VKR_VARIABLE_HEAP_DATA));
	place_words(access, site, table);
	if (access->texel != NULL || access->traced)
		return VKR_OK;
	struct making making = {program, site->bytes, error};
	return add_sites(&making, index, &access->site, &access->wrote_site);
}

enum vkr_result vkr_program_texel_sites(const struct vkr_program *program,
					struct vkr_program_access *access, uint32_t bytes,
					const struct vkr_texel_sites **sites,
					struct vkr_error *error)
{
	for (*sites = access->texel_sites; *sites != NULL; *sites = (*sites)->next)
		if ((*sites)->bytes == bytes)
			return VKR_OK;
	if (program->missed != NULL) {
		*program->missed = true;
		return VKR_ERROR_STOPPED;
	}
	struct vkr_texel_sites *made = vkr_arena_alloc(program->arena, sizeof *made);
	if (made == NULL)
		return vkr_error_memory(error, "sites");
	*made = (struct vkr_texel_sites){.bytes = bytes, .next = access->texel_sites};
	access->texel_sites = made;
	*sites = made;
	struct making making = {program, bytes, error};
	return add_sites(&making, access->table_site, &made->site, &made->wrote_site);
}

enum vkr_result vkr_program_possible_site(const struct vkr_program *program,
					  struct vkr_program_access *access, uint32_t *site,
					  struct vkr_error *error)
{
	struct making making = {program, 0, error};
	enum vkr_result result = VKR_OK;
	if (access->possible_site == 0)
		result = add_site(&making, access->table_site,
				  VKR_ENGINE_READ | VKR_ENGINE_MAY_ACCESS, &access->possible_site);
	*site = access->possible_site;
	return result;
}

// Where in the program its steps and accesses are filled in.
struct filling {
	struct vkr_program *program;
	uint32_t steps, accesses, iterations;
	struct vkr_program_step *step; // the last one of the segment; NULL: none yet
	struct vkr_error *error;
};

static struct vkr_program_step *add_step(struct filling *filling, enum vkr_step_kind kind)
{
	filling->step = &filling->program->steps[filling->steps++];
	*filling->step = (struct vkr_program_step){.kind = kind, .first_access = filling->accesses};
	return filling->step;
}

// Site `at`, whose words stand at `word`.
static enum vkr_result fill_site(struct filling *filling, uint32_t at, uint32_t word)
{
	struct vkr_program *program = filling->program;
	const struct vkr_site *site = &vkr_site_table_sites(program->shader->sites)[at];
	if (!is_access(site)) {
		const bool barrier = vkr_site_is_workgroup_barrier(site);
		program->has_barriers |= barrier;
		add_step(filling, barrier ? VKR_STEP_BARRIER : VKR_STEP_FENCE)->site = site;
		return VKR_OK;
	}
	if (filling->step == NULL || filling->step->kind != VKR_STEP_ACCESSES)
		add_step(filling, VKR_STEP_ACCESSES);
	program->by_site[at] = &program->accesses[filling->accesses];
	filling->step->access_count++;
	return add_access(program, at, word, &program->accesses[filling->accesses++],
			  filling->error);
}

// Completes the segment.
static void close_steps(struct filling *filling)
{
	if (filling->step == NULL)
		add_step(filling, VKR_STEP_ACCESSES);
	filling->step->last = true;
	filling->step = NULL;
}

static enum vkr_result fill_segment(struct filling *filling, const struct vkr_segment *of,
				    struct vkr_segment_start *start)
{
	struct vkr_program *program = filling->program;
	const struct vkr_site *sites = vkr_site_table_sites(program->shader->sites);
	uint32_t word = 0;
	*start = (struct vkr_segment_start){.step = &program->steps[filling->steps],
					    .words = of->words,
					    .kind = (uint8_t)of->kind};
	for (uint32_t at = of->first_site; at < of->first_site + of->site_count; at++) {
		const struct vkr_site *site = &sites[at];
		if (site->by_iteration != 0 && of->kind == VKR_SEGMENT_ONCE &&
		    start->iteration == 0)
			start->iteration = ++filling->iterations;
		if (site->operation == VKR_SITE_SUBGROUP) {
			program->subgroup_segment = (uint32_t)(start - program->starts) + 1;
		} else {
			const enum vkr_result result = fill_site(filling, at, word);
			if (result != VKR_OK)
				return result;
		}
		word += site->words;
	}
	close_steps(filling);
	if (of->kind == VKR_SEGMENT_RUN_LENGTH)
		start->deciding = 1;
	return VKR_OK;
}

static enum vkr_result add_segments(struct vkr_program *program, struct vkr_error *error)
{
	const struct vkr_segment *segments = vkr_site_table_segments(program->shader->sites);
	struct filling filling = {.program = program, .error = error};
	enum vkr_result result = VKR_OK;
	for (uint32_t segment = 0; segment < program->segment_count && result == VKR_OK; segment++)
		result = fill_segment(&filling, &segments[segment], &program->starts[segment]);
	program->step_count = filling.steps;
	return result;
}

static bool has_only_reads(const struct vkr_site_table *table)
{
	const struct vkr_site *sites = vkr_site_table_sites(table);
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	for (uint32_t at = 0; at < table->site_count; at++) {
		const uint32_t kind = sites[at].operation == VKR_SITE_LOAD
					      ? variables[sites[at].variable].kind
					      : VKR_VARIABLE_POINTER;
		if (sites[at].flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_INTERLOCKED |
				       VKR_SITE_COOPERATIVE) ||
		    kind == VKR_VARIABLE_POINTER || kind == VKR_VARIABLE_WORKGROUP ||
		    kind == VKR_VARIABLE_INPUT_ATTACHMENT ||
		    kind == VKR_VARIABLE_ACCELERATION_STRUCTURE)
			return false;
	}
	return table->identity && !(table->identity & VKR_IDENTITY_NUMBER);
}

enum vkr_result vkr_program_create(const struct vkr_shader *shader, struct vkr_arena *arena,
				   struct vkr_access_names *names, struct vkr_engine *engine,
				   struct vkr_program **program, struct vkr_error *error)
{
	const struct vkr_site_table *table = shader->sites;
	struct vkr_program *made = vkr_arena_alloc(arena, sizeof *made);
	if (made == NULL)
		return vkr_error_memory(error, "a shader");
	made->shader = shader;
	made->arena = arena;
	made->names = names;
	made->engine = engine;
	made->segment_count = table->segment_count;
	made->only_reads = has_only_reads(table);
	made->header_words =
		VKR_CHUNK_HEADER_WORDS + vkr_identity_total(vkr_program_identity(table));
	const uint64_t size = (uint64_t)table->workgroup_size[0] * table->workgroup_size[1] *
			      table->workgroup_size[2];
	made->local_size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;

	const size_t sites = table->site_count;
	made->starts = vkr_arena_alloc(arena, made->segment_count * sizeof *made->starts);
	made->steps = vkr_arena_alloc(arena, (sites + made->segment_count) * sizeof *made->steps);
	made->accesses = vkr_arena_alloc(arena, sites * sizeof *made->accesses);
	made->by_site = vkr_arena_alloc(arena, sites * sizeof *made->by_site);
	made->workgroup_bases = vkr_arena_alloc(arena, table->variable_count * sizeof(uint32_t));
	if (made->starts == NULL || made->steps == NULL || made->accesses == NULL ||
	    made->by_site == NULL || made->workgroup_bases == NULL)
		return vkr_error_memory(error, "a shader");
	for (uint32_t at = 0; at < table->variable_count; at++) {
		const struct vkr_variable *variable = &vkr_site_table_variables(table)[at];
		if (variable->kind != VKR_VARIABLE_WORKGROUP)
			continue;
		made->workgroup_bases[at] = made->workgroup_bytes;
		if (variable->bytes > UINT32_MAX - 15 - made->workgroup_bytes)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "shader %u: workgroup memory beyond 4 GiB",
					     shader->id);
		made->workgroup_bytes += (variable->bytes + 15) & ~15u;
	}
	*program = made;
	return add_segments(made, error);
}
