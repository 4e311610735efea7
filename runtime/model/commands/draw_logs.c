// SPDX-License-Identifier: Apache-2.0
// What the shaders of a draw have logged. Knows chunks and identities; not what the accesses are.
#include "draw_logs.h"

#include "array.h"
#include "draw_fetch.h"
#include "draw_members.h"
#include "draw_numbers.h"
#include "draw_reads.h"
#include "draw_unread.h"
#include "error.h"
#include "fetch_reads.h"
#include "shader_logs.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

void vkr_draw_logs_finish(struct vkr_draw_logs *logs)
{
	free(logs->firsts.items);
	free(logs->chunks.items);
	free(logs->split.items);
	free(logs->split.words.items);
	free(logs->vertices.items);
	free(logs->pixels.items);
	vkr_draw_numbers_finish(&logs->numbers);
	vkr_map_finish(&logs->apart);
	vkr_read_blocks_destroy(logs->kept.read_blocks);
	vkr_fetch_reads_destroy(logs->kept.fetch_reads);
	vkr_unread_draws_destroy(logs->kept.unread);
	*logs = (struct vkr_draw_logs){0};
}

// The chunks of a draw under way.
struct draw_chunks {
	const struct vkr_chunk *items;
	size_t count;
	const struct vkr_site_table *shared; // of fragments that share chunks; NULL: they do not
	bool are_split;                      // there is one for each invocation
	const struct vkr_chunk *logged;      // all, as they were logged
	size_t logged_count;
};

// ---- Invocations --------------------------------------------------------------------------------

// Finds the invocations of all stages; false for lack of memory.
static bool find_invocations(struct vkr_draw_logs *logs, const struct vkr_chunk *chunks,
			     size_t count)
{
	logs->numbers.invocations.count = 0;
	if (!VKR_ARRAY_RESERVE(&logs->numbers.invocations, count))
		return false;
	for (size_t at = 0, length; at < count; at += length) {
		length = 1;
		while (at + length < count && chunks[at + length].key == chunks[at].key &&
		       chunks[at + length].shader == chunks[at].shader)
			length++;
		logs->numbers.invocations.items[logs->numbers.invocations.count++] =
			(struct vkr_draw_invocation){.shader = chunks[at].shader,
						     .group = UINT32_MAX,
						     .first_chunk = (uint32_t)at,
						     .chunk_count = (uint32_t)length};
	}
	return true;
}

// ---- Chunks -------------------------------------------------------------------------------------

// Numbers the chunks of an invocation like those of a dispatch, after those of its group. Adjacent
// chunks become one entry, as in vkr_chunks_gather.
static void add_chunks(struct vkr_draw_logs *logs, const struct vkr_draw_invocation *of,
		       const struct vkr_chunk *from, const uint32_t *first_of_group)
{
	const uint32_t id = logs->numbers.accessed.items[of->group];
	uint32_t *next = &logs->numbers.counts.items[of->group];
	for (uint32_t i = 0; i < from->count; i++) {
		uint32_t *words = from->words + (size_t)i * from->words[3];
		words[1] = id;
		words[2] = of->local;
	}
	if (*next > first_of_group[of->group]) {
		struct vkr_chunk *last = &logs->chunks.items[*next - 1];
		if (last->words[3] == from->words[3] &&
		    last->words + (size_t)last->count * last->words[3] == from->words) {
			last->count += from->count;
			return;
		}
	}
	logs->chunks.items[(*next)++] =
		(struct vkr_chunk){.key = (from->key & UINT64_C(0xffffffff00000000)) | id,
				   .words = from->words,
				   .count = from->count,
				   .pitch = from->pitch};
}

// Leaves no gaps between the groups.
static void close_gaps(struct vkr_draw_logs *logs, const uint32_t *first_of_group)
{
	size_t to = 0;
	for (size_t group = 0; group < logs->numbers.counts.count; group++)
		for (uint32_t at = first_of_group[group]; at < logs->numbers.counts.items[group];
		     at++)
			logs->chunks.items[to++] = logs->chunks.items[at];
	logs->chunks.count = to;
}

// The shader's chunks group by group. False for lack of memory.
static bool sort_chunks(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			uint32_t *local_size)
{
	struct vkr_draw_logs *logs = sorting->logs;
	uint32_t next = 0;
	*local_size = 1;
	logs->firsts.count = 0;
	if (!VKR_ARRAY_RESERVE(&logs->firsts, logs->numbers.counts.count))
		return false;
	if (logs->numbers.counts.count > 0)
		memset(logs->numbers.counts.items, 0,
		       logs->numbers.counts.count * sizeof *logs->numbers.counts.items);
	for (size_t at = 0; at < logs->numbers.invocations.count; at++) {
		const struct vkr_draw_invocation *of = &logs->numbers.invocations.items[at];
		if (of->shader != sorting->shader)
			continue;
		logs->numbers.counts.items[of->group] += of->chunk_count;
		if (*local_size <= of->local)
			*local_size = of->local + 1;
	}
	for (size_t group = 0; group < logs->numbers.counts.count; group++) {
		const uint32_t of_group = logs->numbers.counts.items[group];
		logs->numbers.counts.items[group] = logs->firsts.items[group] = next;
		next += of_group;
	}
	logs->chunks.count = 0;
	if (!VKR_ARRAY_RESERVE(&logs->chunks, next))
		return false;
	for (size_t at = 0; at < logs->numbers.invocations.count; at++) {
		const struct vkr_draw_invocation *of = &logs->numbers.invocations.items[at];
		for (uint32_t chunk = 0; of->shader == sorting->shader && chunk < of->chunk_count;
		     chunk++)
			add_chunks(logs, of, &chunks[of->first_chunk + chunk], logs->firsts.items);
	}
	close_gaps(logs, logs->firsts.items);
	return true;
}

// ---- What is told -------------------------------------------------------------------------------

// Notes where those fragments of a chunk were that have no earlier one; false for lack of memory.
static bool note_members(const struct vkr_draw_sorting *sorting,
			 const struct vkr_draw_sharing *sharing, const uint32_t *chunk)
{
	struct vkr_draw_members members;
	bool noted = true;
	if (!vkr_draw_members_find(sharing, chunk, &members))
		return true;
	for (uint32_t at = 0; at < members.count && noted; at++) {
		const struct vkr_draw_member member = {chunk, at};
		uint32_t words[VKR_IDENTITY_WORDS_MOST];
		if (!vkr_draw_member_identity(sharing, &member, words))
			noted = vkr_draw_logs_pixel(sorting->logs, sharing->identity, words,
						    vkr_draw_member_samples(sharing, &members, at),
						    sorting->walk->pass.view_mask);
	}
	return noted;
}

static bool note_shared(const struct vkr_draw_sorting *sorting, const struct draw_chunks *drawn)
{
	const struct vkr_draw_sharing sharing = vkr_draw_sharing(sorting->program->shader->sites);
	bool noted = true;
	for (size_t at = 0; at < drawn->logged_count && noted; at++)
		if (drawn->logged[at].shader == sorting->shader)
			noted = note_members(sorting, &sharing, drawn->logged[at].words);
	return noted;
}

// Notes which vertices were shaded, or where fragments were, each of which says so; false for lack
// of memory.
static bool note_told(const struct vkr_draw_sorting *sorting, const struct draw_chunks *drawn)
{
	const struct vkr_chunk *chunks = drawn->items;
	struct vkr_draw_logs *logs = sorting->logs;
	const uint32_t stage = sorting->like.stage;
	const bool pixels = stage == VK_SHADER_STAGE_FRAGMENT_BIT && logs->wants_pixels;
	bool noted = true;
	if (stage != VK_SHADER_STAGE_VERTEX_BIT && !pixels)
		return true;
	if (sorting->like.identity & VKR_IDENTITY_SHARED)
		return note_shared(sorting, drawn);
	for (size_t at = 0; at < logs->numbers.invocations.count && noted; at++) {
		const struct vkr_draw_invocation *of = &logs->numbers.invocations.items[at];
		const uint32_t *words = chunks[of->first_chunk].words;
		if (of->shader != sorting->shader || words[3] < sorting->program->header_words)
			continue;
		words += VKR_CHUNK_HEADER_WORDS;
		const uint32_t *samples =
			vkr_invocation_told(sorting->like.identity, words, VKR_IDENTITY_END);
		noted = pixels ? vkr_draw_logs_pixel(logs, sorting->like.identity, words,
						     samples != NULL ? *samples : UINT32_MAX,
						     sorting->walk->pass.view_mask)
			       : vkr_draw_logs_vertex(logs, words[0]);
	}
	return noted;
}

// ---- Draws --------------------------------------------------------------------------------------

// Several patches that say the same of themselves share a group, and with it their barriers.
static bool mixes_patches(const struct vkr_draw_sorting *sorting, uint32_t local_size)
{
	return sorting->like.stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT &&
	       local_size > 1u << sorting->like.slot_bits;
}

static bool has_outputs(const struct vkr_program *program)
{
	const struct vkr_site_table *table = program->shader->sites;
	for (uint32_t at = 0; at < table->variable_count; at++)
		if (vkr_site_table_variables(table)[at].flags & VKR_VARIABLE_OUTPUT)
			return true;
	return false;
}

static enum vkr_result note_patches(struct vkr_draw_sorting *sorting, uint32_t local_size)
{
	const struct vkr_program *program = sorting->program;
	if (!mixes_patches(sorting, local_size))
		return VKR_OK;
	enum vkr_result result = VKR_OK;
	if (program->has_barriers)
		result = vkr_model_missed(
			sorting->walk->model, sorting->walk->error, VKR_COVERAGE_SYNC, 0,
			"patches of several instances cannot be distinguished in %s: all that the "
			"barriers of one could order in another is treated as ordered",
			vkr_shader_title(program->shader));
	if (result == VKR_OK && has_outputs(program))
		result = vkr_model_missed(sorting->walk->model, sorting->walk->error,
					  VKR_COVERAGE_SHADER, 0,
					  "patches of several instances cannot be distinguished in "
					  "%s: their accesses to outputs are not judged",
					  vkr_shader_title(program->shader));
	return result;
}

// Where invocations began, by group << 32 | local; false for lack of memory.
static bool find_begins(const struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			struct vkr_map *begins)
{
	const struct vkr_draw_logs *logs = sorting->logs;
	for (size_t at = 0; at < logs->numbers.invocations.count; at++) {
		const struct vkr_draw_invocation *of = &logs->numbers.invocations.items[at];
		const uint64_t group =
			of->shader == sorting->shader ? logs->numbers.accessed.items[of->group] : 0;
		if (of->shader == sorting->shader &&
		    !vkr_map_set(begins, group << 32 | of->local,
				 (uint32_t)chunks[of->first_chunk].key))
			return false;
	}
	return true;
}

// Replays what the shader has logged or, where `begins` is not NULL, collects it for the order of
// shader calls, or to be judged with others.
static enum vkr_result replay_shader(struct vkr_draw_sorting *sorting, uint32_t local_size,
				     const struct vkr_map *begins, bool is_joint)
{
	struct vkr_walk *walk = sorting->walk;
	const struct vkr_draw_logs *logs = sorting->logs;
	if (logs->chunks.count == 0)
		return VKR_OK;
	return vkr_walk_replay(
		walk, &(struct vkr_shader_log){
			      .program = sorting->program,
			      .point = vkr_walk_point(walk, walk->info->pipeline->bind_point),
			      .chunks = logs->chunks.items,
			      .count = logs->chunks.count,
			      .local_size = local_size,
			      .mixes_patches = mixes_patches(sorting, local_size),
			      .begins = begins,
			      .is_joint = is_joint});
}

// A chunk for each invocation: those that fragments share are split, once a draw. False for lack of
// memory.
static bool split_chunks(const struct vkr_draw_sorting *sorting, struct draw_chunks *chunks)
{
	struct vkr_draw_logs *logs = sorting->logs;
	if (chunks->are_split || chunks->shared == NULL)
		return true;
	const struct vkr_draw_sharing sharing = vkr_draw_sharing(chunks->shared);
	if (!vkr_draw_members_split(logs, &sharing, chunks->items, chunks->count) ||
	    !find_invocations(logs, logs->split.items, logs->split.count))
		return false;
	chunks->items = logs->split.items;
	chunks->count = logs->split.count;
	chunks->are_split = true;
	return true;
}

// Invocation by invocation.
static enum vkr_result replay_all(struct vkr_draw_sorting *sorting, struct draw_chunks *chunks)
{
	struct vkr_walk *walk = sorting->walk;
	const struct vkr_cost_start start = vkr_cost_begin(walk->model);
	uint32_t local_size = 0;
	uint64_t damaged = 0;
	if (!split_chunks(sorting, chunks) ||
	    !vkr_draw_number_all(sorting, chunks->items, &damaged) ||
	    !sort_chunks(sorting, chunks->items, &local_size))
		return vkr_error_memory(walk->error, "the invocations of a draw");
	vkr_cost_add(walk->model, &start, sorting->program->shader, walk->info->name);
	enum vkr_result result = replay_shader(sorting, local_size, NULL, false);
	if (result == VKR_OK && damaged > 0)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_LOG, damaged,
					  "the log of execution %u, command %u is damaged",
					  walk->execution, walk->info->index + 1);
	return result == VKR_OK ? note_patches(sorting, local_size) : result;
}

// Of a shader whose reads are judged one by one, as those that race are, one draw in so many is
// read.
#define APART_MOST 8u

// Whether the shader's reads are expected to be judged together. Where memory is short they are.
static bool reads_together(struct vkr_draw_logs *logs, uint32_t shader)
{
	uint64_t draws = 0;
	if (!vkr_map_get(&logs->apart, shader, &draws))
		return true;
	return vkr_map_set(&logs->apart, shader, draws + 1) ? draws % APART_MOST == 0 : true;
}

static enum vkr_result replay_or_read(struct vkr_draw_sorting *sorting, struct draw_chunks *chunks,
				      bool only_reads)
{
	const uint32_t shader = sorting->program->shader->id;
	struct vkr_draw_logs *logs = sorting->logs;
	enum vkr_result result = VKR_OK;
	bool judged = false;
	if (only_reads && !chunks->are_split && reads_together(logs, shader)) {
		result = vkr_draw_put_off(sorting, chunks->items, &judged);
		if (result == VKR_OK && !judged)
			result = vkr_draw_reads(sorting, chunks->items, &judged);
		if (judged)
			vkr_map_remove(&logs->apart, shader);
		else if (result == VKR_OK && !vkr_map_set(&logs->apart, shader, 1))
			result = vkr_error_memory(sorting->walk->error, "a draw");
	}
	return result == VKR_OK && !judged ? replay_all(sorting, chunks) : result;
}

// Words that the shader has logged.
static uint64_t words_of(const struct vkr_draw_sorting *sorting, const struct draw_chunks *chunks)
{
	uint64_t words = 0;
	for (size_t at = 0; at < chunks->logged_count; at++)
		if (chunks->logged[at].shader == sorting->shader)
			words += vkr_chunk_words(&chunks->logged[at]);
	return words;
}

// Reads of memory that all parts judge are one part's. All parts find the same.
static enum vkr_result deal_out(struct vkr_draw_sorting *sorting, struct draw_chunks *chunks)
{
	struct vkr_engine *engine = sorting->walk->model->engine;
	bool own = false;
	enum vkr_result result =
		vkr_engine_deal(engine, words_of(sorting, chunks), &own, sorting->walk->error);
	if (result != VKR_OK || !own)
		return result;
	result = replay_or_read(sorting, chunks, true);
	vkr_engine_deal_end(engine);
	return result;
}

static enum vkr_result judge_shader(struct vkr_walk *walk, const struct vkr_shader *shader,
				    struct draw_chunks *chunks, bool only_reads)
{
	struct vkr_program *program = NULL;
	enum vkr_result result = vkr_walk_program(walk, shader, &program);
	bool common = false;
	if (result == VKR_ERROR_FORMAT || (result == VKR_OK && shader->sites->identity == 0))
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
					"the site table of %s is invalid",
					vkr_shader_title(shader));
	if (result != VKR_OK)
		return result;
	struct vkr_draw_sorting sorting = vkr_draw_sorting(walk, shader, program);
	if (!note_told(&sorting, chunks))
		return vkr_error_memory(walk->error, "the invocations of a draw");
	if (only_reads && vkr_engine_has_part(walk->model->engine))
		result = vkr_draw_reads_common(&sorting, &common);
	if (result != VKR_OK)
		return result;
	return common ? deal_out(&sorting, chunks) : replay_or_read(&sorting, chunks, only_reads);
}

// Collects these invocations again, for shader call order or to be judged with other commands.
static enum vkr_result collect_shader(struct vkr_walk *walk, const struct vkr_shader *shader,
				      struct draw_chunks *chunks, bool is_joint)
{
	struct vkr_program *program = NULL;
	enum vkr_result result = vkr_walk_program(walk, shader, &program);
	struct vkr_map begins;
	uint32_t local_size = 0;
	uint64_t damaged = 0; // told before
	if (result != VKR_OK)
		return result == VKR_ERROR_FORMAT ? VKR_OK : result;
	struct vkr_draw_sorting sorting = vkr_draw_sorting(walk, shader, program);
	vkr_map_init(&begins);
	if (!split_chunks(&sorting, chunks) ||
	    !vkr_draw_number_all(&sorting, chunks->items, &damaged) ||
	    !sort_chunks(&sorting, chunks->items, &local_size) ||
	    !find_begins(&sorting, chunks->items, &begins))
		result = vkr_error_memory(walk->error, "the invocations of a command");
	else
		result = replay_shader(&sorting, local_size, &begins, is_joint);
	vkr_map_finish(&begins);
	return result;
}

bool vkr_draw_logs_all(const struct vkr_draw_logs *logs, const struct vkr_shader *shader)
{
	const uint32_t identity = shader->sites->identity;
	return identity & VKR_IDENTITY_ALL ||
	       (identity & VKR_IDENTITY_ASKED && logs->asked & shader->stage);
}

static bool logs_accesses(const struct vkr_shader *shader)
{
	return shader->flags & VKR_SHADER_INSTRUMENTED && shader->sites != NULL;
}

// Only dispatches have column logs: elsewhere they are damage.
static size_t without_filters(struct vkr_chunk *chunks, size_t count)
{
	size_t kept = 0;
	while (kept < count && chunks[kept].columns == 0)
		kept++;
	for (size_t at = kept; at < count; at++)
		if (chunks[at].columns == 0)
			chunks[kept++] = chunks[at];
	return kept;
}

// Chunks of two ray tracing shaders with the same tag cannot be distinguished.
static bool is_ambiguous(const struct vkr_pipeline *pipeline, uint32_t index)
{
	const struct vkr_shader *shader = pipeline->shaders[index];
	for (uint32_t at = 0; at < pipeline->shader_count && shader->sites->tag != 0; at++)
		if (at != index && logs_accesses(pipeline->shaders[at]) &&
		    pipeline->shaders[at]->sites->tag == shader->sites->tag)
			return true;
	return false;
}

static enum vkr_result judge_at(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				uint32_t index, struct draw_chunks *chunks, bool only_reads)
{
	const struct vkr_shader *shader = pipeline->shaders[index];
	if (!logs_accesses(shader))
		return VKR_OK;
	if (!is_ambiguous(pipeline, index))
		return judge_shader(walk, shader, chunks, only_reads);
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
				"%s is not judged: its log cannot be distinguished from that of "
				"another shader of its pipeline",
				vkr_shader_title(shader));
}

static enum vkr_result collect_all(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				   struct draw_chunks *chunks, bool is_joint)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < pipeline->shader_count && result == VKR_OK; at++)
		if (logs_accesses(pipeline->shaders[at]) && !is_ambiguous(pipeline, at))
			result = collect_shader(walk, pipeline->shaders[at], chunks, is_joint);
	return result;
}

// Judges the bytes that are left open between invocations that shader calls, or atomics, may order.
static enum vkr_result judge_calls(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				   struct draw_chunks *chunks)
{
	struct vkr_model *model = walk->model;
	enum vkr_result result = VKR_OK;
	if (model->order.calls.failed)
		return vkr_error_memory(walk->error, "shader calls");
	if (model->order.between)
		result = vkr_model_missed(model, walk->error, VKR_COVERAGE_SYNC, 0,
					  "several shaders of one %s synchronize by atomics: all "
					  "that these could order is treated as ordered",
					  walk->info->name);
	model->order.between = false;
	if (result != VKR_OK || model->order.calls.ranges.count == 0)
		return result;
	vkr_sync_ranges_merge(&model->order.calls.ranges);
	result = collect_all(walk, pipeline, chunks, false);
	return result == VKR_OK ? vkr_calls_judge(&model->order.calls, model->engine, walk->command,
						  walk->error)
				: result;
}

// Judges the bytes that are left open between invocations of all shaders that atomics may order.
static enum vkr_result judge_joint(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				   struct draw_chunks *chunks)
{
	struct vkr_model *model = walk->model;
	if (model->order.joint.logs.sync.ranges.count == 0)
		return VKR_OK;
	vkr_sync_ranges_merge(&model->order.joint.logs.sync.ranges);
	const enum vkr_result result = collect_all(walk, pipeline, chunks, true);
	return result == VKR_OK
		       ? vkr_joint_judge(model,
					 vkr_objects_device(&model->objects, walk->queue->device),
					 walk->command, walk->info->name, walk->error)
		       : result;
}

// The sites of the fragment shader, if its invocations share chunks; else NULL.
static const struct vkr_site_table *shared_by(const struct vkr_pipeline *pipeline)
{
	for (uint32_t at = 0; at < pipeline->shader_count; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		if (logs_accesses(shader) && shader->sites->identity & VKR_IDENTITY_SHARED)
			return shader->sites;
	}
	return NULL;
}

static enum vkr_result replay_draw(struct vkr_walk *walk, void *user, struct vkr_chunk *chunks,
				   size_t count)
{
	const struct vkr_pipeline *pipeline = user;
	enum vkr_result result = VKR_OK;
	bool only_reads = false;
	const size_t kept = without_filters(chunks, count);
	struct draw_chunks of = {.items = chunks,
				 .count = kept,
				 .shared = shared_by(pipeline),
				 .logged = chunks,
				 .logged_count = kept};
	walk->chunks_used -= count - kept;
	count = kept;
	if (count > UINT32_MAX)
		return vkr_error_set(walk->error, VKR_ERROR_UNSUPPORTED,
				     "more than 4,294,967,295 chunks of one draw");
	if (!find_invocations(&walk->model->draw_logs, chunks, count))
		return vkr_error_memory(walk->error, "the invocations of a draw");
	walk->model->order.joint.kind = vkr_joint_is_for(pipeline);
	result = vkr_draw_only_reads(walk, pipeline, &only_reads);
	for (uint32_t at = 0; at < pipeline->shader_count && result == VKR_OK; at++)
		result = judge_at(walk, pipeline, at, &of, only_reads);
	if (result == VKR_OK)
		result = judge_joint(walk, pipeline, &of);
	walk->model->order.joint.kind = VKR_JOINT_NONE;
	return result == VKR_OK ? judge_calls(walk, pipeline, &of) : result;
}

enum vkr_result vkr_walk_draw_log(struct vkr_walk *walk)
{
	struct vkr_draw_logs *logs = &walk->model->draw_logs;
	const struct vkr_pipeline *pipeline = walk->info->pipeline;
	const struct vkr_shader *logging = NULL;
	if (pipeline == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SHADER, 0,
					"%s ran with a pipeline whose creation was not recorded",
					walk->info->name);
	bool left_out = false;
	enum vkr_result result = vkr_walk_leave_out(walk, pipeline, &left_out);
	if (result != VKR_OK || left_out)
		return result;
	for (uint32_t at = 0; at < pipeline->shader_count; at++)
		if (logs_accesses(pipeline->shaders[at]))
			logging = pipeline->shaders[at];
	result = vkr_walk_note_unobserved(walk, pipeline);
	if (result != VKR_OK || logging == NULL)
		return result;
	result = vkr_walk_log(walk, vkr_joint_is_for(pipeline) != VKR_JOINT_NONE, replay_draw,
			      (void *)(uintptr_t)pipeline);
	if (result != VKR_OK || walk->waiting)
		return result;
	const struct vkr_log *log = vkr_log_store_find(&walk->model->logs, walk->execution);
	for (uint32_t at = 0; at < pipeline->shader_count; at++)
		logs->vertices_logged |=
			log != NULL && log->lost_words == 0 &&
			logs_accesses(pipeline->shaders[at]) &&
			pipeline->shaders[at]->stage == VK_SHADER_STAGE_VERTEX_BIT &&
			vkr_draw_logs_all(logs, pipeline->shaders[at]);
	return vkr_walk_log_missing(walk, vkr_pipeline_commands(pipeline), logging);
}

void vkr_walk_draw_log_begin(struct vkr_walk *walk, uint32_t asked)
{
	walk->model->draw_logs.asked = asked;
	walk->model->draw_logs.vertices.count = 0;
	walk->model->draw_logs.vertices_logged = false;
	walk->model->draw_logs.pixels.count = 0;
	walk->model->draw_logs.wants_pixels = false;
}
