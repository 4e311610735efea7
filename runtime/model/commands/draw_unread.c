// SPDX-License-Identifier: Apache-2.0
#include "draw_unread.h"

#include "draw_numbers.h"
#include "draw_reads.h"
#include "error.h"
#include "filter_judge.h"
#include "model_state.h"
#include "shader_logs.h"
#include "site_table.h"
#include "texel_reads.h"
#include "unread_reads.h"

#include <stdlib.h>
#include <string.h>

// Of all logs together: beyond that, the oldest are read.
#define BYTES_MOST (UINT64_C(128) << 20)
// As many bytes at least are added before it is looked what is settled.
#define SETTLE_LEAST (UINT64_C(4) << 20)

// What an access reads from.
struct unread_access {
	uint32_t site;                          // the engine's; 0: it is in no record
	const struct vkr_engine_target *target; // the draw's
	struct vkr_draw_limit limit;            // of a buffer
	bool waits;
};

// What one shader of a draw has logged.
struct unread_draw {
	struct vkr_unread_log log; // the first
	uint32_t references;       // of the engine's
	struct vkr_model *model;
	struct vkr_unread_draws *draws;
	const struct vkr_queue *queue;
	struct vkr_command_info info;
	uint32_t execution;
	uint64_t changes; // of the order on the queue's timeline before the draw
	struct vkr_program *program;
	struct vkr_dispatch_targets targets; // sealed
	bool missed;                         // something was asked of these that they do not say
	struct vkr_texel_prepared *prepared; // of the accesses to texels
	size_t prepared_count;
	struct unread_access *accesses;          // by access
	bool *skipped;                           // by access
	struct vkr_chunk *chunks;                // in the log store's words, as are the next, and
	struct vkr_draw_invocation *invocations; // what was logged
	size_t invocation_count;
	unsigned room;  // of these words
	uint64_t bytes; // of them
};

void vkr_unread_draws_destroy(struct vkr_unread_draws *draws)
{
	if (draws == NULL)
		return;
	vkr_replay_finish(&draws->replay);
	vkr_draw_numbers_finish(&draws->numbers);
	free(draws);
}

static void free_draw(struct unread_draw *draw)
{
	if (draw->chunks != NULL) {
		draw->draws->bytes -= draw->bytes;
		vkr_log_words_give(&draw->model->logs, (uint32_t *)draw->chunks, draw->room);
	}
	vkr_dispatch_targets_finish(&draw->targets);
	free(draw->prepared);
	free(draw->accesses);
	free(draw->skipped);
	free(draw);
}

static void release_draw(struct unread_draw *draw)
{
	if (--draw->references == 0)
		free_draw(draw);
}

static void drop_access(struct vkr_unread_log *log, uint32_t access)
{
	struct unread_draw *draw = (struct unread_draw *)log;
	draw->accesses[access].waits = false;
	release_draw(draw);
}

// ---- Reading ------------------------------------------------------------------------------------

// Leaves out the accesses that are not to the range; NULL: none.
static void choose_accesses(struct unread_draw *draw, const struct vkr_engine_range *range)
{
	const uint32_t count = draw->program->shader->sites->site_count;
	for (uint32_t at = 0; at < count; at++) {
		const struct unread_access *access = &draw->accesses[at];
		draw->skipped[at] = !access->waits ||
				    (range != NULL && (access->target->memory != range->memory ||
						       access->target->base != range->offset));
	}
}

static enum vkr_result read_draw(struct vkr_unread_log *log, const struct vkr_engine_range *range,
				 struct vkr_error *error)
{
	struct unread_draw *draw = (struct unread_draw *)log;
	struct vkr_unread_draws *draws = draw->draws;
	struct vkr_walk walk = {.model = draw->model,
				.queue = draw->queue,
				.execution = draw->execution,
				.info = &draw->info,
				.command = log->command,
				.error = error};
	const struct vkr_draw_late late = {.log = log,
					   .replay = &draws->replay,
					   .targets = &draw->targets,
					   .prepared = draw->prepared,
					   .prepared_count = draw->prepared_count,
					   .skipped = draw->skipped};
	struct vkr_draw_sorting sorting =
		vkr_draw_sorting(&walk, draw->program->shader, draw->program);
	bool whole = false;
	sorting.numbers = &draws->numbers;
	choose_accesses(draw, range);
	draws->numbers.invocations.items = draw->invocations;
	draws->numbers.invocations.count = draw->invocation_count;
	enum vkr_result result = vkr_draw_reads_late(&sorting, draw->chunks, &late, &whole);
	draws->numbers.invocations.items = NULL;
	draws->numbers.invocations.count = 0;
	if (result == VKR_OK)
		result = vkr_walk_possible_texels(&walk, draw->program, &draws->replay.possible,
						  draw->changes);
	if (result == VKR_OK)
		result = vkr_walk_note_losses(&walk, draw->program->shader, &draws->replay);
	if (result == VKR_OK && (!whole || draw->missed))
		result = vkr_model_missed(draw->model, error, VKR_COVERAGE_LOG, 0,
					  "the log of execution %u, command %u could not be read",
					  draw->execution, draw->info.index + 1);
	return result;
}

// ---- Putting off --------------------------------------------------------------------------------

// Whether the access is through one descriptor of a set.
static bool is_direct(const struct vkr_program *program, const struct vkr_program_access *access)
{
	const struct vkr_variable *variables = vkr_site_table_variables(program->shader->sites);
	return vkr_access_is_direct(access) &&
	       !(variables[access->variable].flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA));
}

// Whether all accesses are direct, once a record.
static bool is_simple(const struct vkr_program *program)
{
	for (uint32_t at = 0; at < program->segment_count; at++)
		if (program->starts[at].kind != VKR_SEGMENT_ONCE ||
		    program->starts[at].iteration != 0)
			return false;
	for (uint32_t at = 0; at < program->step_count; at++) {
		const struct vkr_program_step *step = &program->steps[at];
		for (uint32_t i = 0; i < step->access_count; i++)
			if (!is_direct(program, &program->accesses[step->first_access + i]))
				return false;
	}
	return true;
}

static bool is_attachment(const void *user, const struct vkr_engine_target *target)
{
	return vkr_draw_may_write(user, target);
}

// Two ranges that overlap, but are not the same.
static bool overlap_partly(const struct vkr_engine_target *a, const struct vkr_engine_target *b)
{
	return a->memory == b->memory && (a->base != b->base || a->bytes != b->bytes) &&
	       a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

// Finds what an access to texels reads from; leaves its site 0 where that is not one image.
static enum vkr_result find_texels(struct vkr_texel_reading *of, size_t at,
				   struct unread_access *found)
{
	struct vkr_texel_reads *reads = of->replay->reads;
	struct vkr_texel_read *read = &reads->accesses.items[at];
	const enum vkr_result result = vkr_texel_reads_plan(of, &of->program->accesses[at], read);
	if (result == VKR_OK && !of->odd && read->plan.kind != VKR_PLAN_NONE &&
	    read->plan.kind != VKR_PLAN_OPEN)
		*found = (struct unread_access){.site = reads->filters.items[read->filter].site,
						.target = read->plan.target};
	return result;
}

// Finds what an access to a buffer reads from, with the limit of its offsets; leaves its site 0
// where that is not one.
static enum vkr_result find_buffer(struct vkr_texel_reading *of, size_t at,
				   struct unread_access *found)
{
	const struct vkr_program_access *access = &of->program->accesses[at];
	const struct vkr_engine_target *target =
		vkr_dispatch_target(of->targets, access->variable, 0);
	uint32_t filter = 0;
	if (target == NULL || target->bytes < access->bytes)
		return VKR_OK;
	const uint64_t most = target->bytes - access->bytes;
	const enum vkr_result result = vkr_texel_reads_buffer(of, access, target, &filter);
	if (result == VKR_OK && !of->odd)
		*found = (struct unread_access){
			.site = access->site,
			.target = target,
			.limit = {most < UINT32_MAX ? (uint32_t)most : UINT32_MAX,
				  (UINT32_C(1) << of->replay->reads->filters.items[filter].shift) -
					  1}};
	return result;
}

// Whether the reads of an access may wait, beside those of accesses that were looked at before.
static enum vkr_result may_wait(struct vkr_texel_reading *of, size_t at,
				struct unread_access *accesses, bool *may)
{
	const size_t count = of->replay->reads->accesses.count;
	struct unread_access *found = &accesses[at];
	if (found->site != 0)
		return VKR_OK;
	const enum vkr_result result = of->program->accesses[at].texel != NULL
					       ? find_texels(of, at, found)
					       : find_buffer(of, at, found);
	*may = result == VKR_OK && found->site != 0;
	for (size_t other = 0; other < count && *may; other++)
		*may = accesses[other].site == 0 ||
		       !overlap_partly(accesses[other].target, found->target);
	return *may ? vkr_unread_may_wait(of->program->engine, found->site, found->target, may,
					  of->error)
		    : result;
}

// Finds what all accesses of the program read from. *may: all reads may wait.
static enum vkr_result find_accesses(struct vkr_texel_reading *of, struct unread_access *accesses,
				     bool *may)
{
	const struct vkr_program *program = of->program;
	const struct vkr_walk *walk = of->user;
	enum vkr_result result =
		vkr_engine_dispatch_begin(program->engine, walk->command, 1, 0, of->error);
	if (result != VKR_OK)
		return result;
	*may = true;
	for (uint32_t at = 0; at < program->step_count; at++) {
		const struct vkr_program_step *step = &program->steps[at];
		for (uint32_t i = 0; i < step->access_count && *may && result == VKR_OK; i++)
			result = may_wait(of, step->first_access + i, accesses, may);
	}
	vkr_engine_dispatch_end(program->engine);
	return result;
}

// Copies what the shader has logged. False for lack of memory.
static bool copy_log(struct unread_draw *draw, const struct vkr_draw_sorting *sorting,
		     const struct vkr_chunk *chunks)
{
	const struct vkr_draw_numbers *numbers = sorting->numbers;
	size_t invocations = 0, count = 0;
	for (size_t at = 0; at < numbers->invocations.count; at++) {
		const struct vkr_draw_invocation *by = &numbers->invocations.items[at];
		invocations += by->shader == sorting->shader;
		count += by->shader == sorting->shader ? by->chunk_count : 0;
	}
	draw->bytes = vkr_draw_reads_bytes(sorting, chunks) + count * sizeof *draw->chunks +
		      invocations * sizeof *draw->invocations;
	draw->chunks = (struct vkr_chunk *)vkr_log_words_take(
		&draw->model->logs, draw->bytes / sizeof *draw->chunks->words, &draw->room);
	if (draw->chunks == NULL)
		return false;
	draw->draws->bytes += draw->bytes;
	draw->invocations = (struct vkr_draw_invocation *)(draw->chunks + count);
	uint32_t *to = (uint32_t *)(draw->invocations + invocations);
	uint32_t copied = 0; // chunks
	for (size_t at = 0; at < numbers->invocations.count; at++) {
		const struct vkr_draw_invocation *by = &numbers->invocations.items[at];
		if (by->shader != sorting->shader)
			continue;
		struct vkr_draw_invocation *copy = &draw->invocations[draw->invocation_count++];
		*copy = *by;
		copy->first_chunk = copied;
		for (uint32_t i = 0; i < by->chunk_count; i++) {
			const struct vkr_chunk *chunk = &chunks[by->first_chunk + i];
			const size_t of_chunk = (size_t)vkr_chunk_words(chunk);
			memcpy(to, chunk->words, of_chunk * sizeof *to);
			draw->chunks[copied] = *chunk;
			draw->chunks[copied++].words = to;
			to += of_chunk;
		}
	}
	return true;
}

// Copies what is prepared for accesses to texels. False for lack of memory.
static bool copy_prepared(struct unread_draw *draw, const struct vkr_texel_reads *reads)
{
	size_t count = 0;
	for (size_t at = 0; at < reads->accesses.count; at++)
		count += reads->accesses.items[at].made;
	draw->prepared = malloc((count + 1) * sizeof *draw->prepared);
	if (draw->prepared == NULL)
		return false;
	for (size_t at = 0; at < reads->accesses.count; at++)
		if (reads->accesses.items[at].made)
			draw->prepared[draw->prepared_count++] =
				(struct vkr_texel_prepared){at, reads->accesses.items[at]};
	return true;
}

// All but the targets, with the accesses, which are the draw's then; NULL for lack of memory.
static struct unread_draw *make_draw(const struct vkr_draw_sorting *sorting,
				     const struct vkr_texel_reading *of,
				     const struct vkr_chunk *chunks,
				     struct unread_access **accesses)
{
	const struct vkr_walk *walk = sorting->walk;
	const struct vkr_texel_reads *reads = of->replay->reads;
	const size_t count = reads->accesses.count;
	struct unread_draw *draw = calloc(1, sizeof *draw);
	if (draw == NULL)
		return NULL;
	draw->draws = walk->model->draw_logs.kept.unread;
	draw->log = (struct vkr_unread_log){walk->command, draw->draws->number++, read_draw,
					    drop_access};
	draw->references = 1;
	draw->model = walk->model;
	draw->queue = walk->queue;
	draw->info = *walk->info;
	draw->execution = walk->execution;
	draw->changes = vkr_engine_changes(walk->model->engine, walk->queue->timeline);
	draw->program = sorting->program;
	draw->skipped = malloc(count + 1);
	if (draw->skipped == NULL || !copy_prepared(draw, reads) ||
	    !copy_log(draw, sorting, chunks)) {
		free_draw(draw);
		return NULL;
	}
	draw->accesses = *accesses;
	*accesses = NULL;
	return draw;
}

// Has each access wait.
static enum vkr_result wait_all(struct unread_draw *draw, struct vkr_error *error)
{
	struct vkr_engine *engine = draw->model->engine;
	enum vkr_result result = vkr_engine_dispatch_begin(engine, draw->log.command, 1, 0, error);
	if (result != VKR_OK)
		return result;
	for (uint32_t at = 0; at < draw->program->shader->sites->site_count && result == VKR_OK;
	     at++) {
		struct unread_access *access = &draw->accesses[at];
		if (access->site == 0)
			continue;
		result = vkr_unread_wait(engine, access->site, access->target, &draw->log, at,
					 error);
		access->waits = result == VKR_OK;
		draw->references += access->waits;
	}
	vkr_engine_dispatch_end(engine);
	return result;
}

// Has the accesses wait, with the targets that they are of, which then are the draw's.
static enum vkr_result put_off(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       const struct vkr_texel_reading *of, struct unread_access **accesses)
{
	struct vkr_walk *walk = sorting->walk;
	struct unread_draw *draw = make_draw(sorting, of, chunks, accesses);
	if (draw == NULL)
		return vkr_error_memory(walk->error, "the reads of a draw");
	draw->targets = *of->targets;
	of->targets->variables = NULL;
	const enum vkr_result result =
		vkr_dispatch_targets_seal(&draw->targets, &draw->missed)
			? wait_all(draw, walk->error)
			: vkr_error_memory(walk->error, "the reads of a draw");
	release_draw(draw);
	return result;
}

// Makes room for so many bytes. *has: there is.
static enum vkr_result make_room(struct vkr_walk *walk, uint64_t bytes, bool *has)
{
	struct vkr_engine *engine = walk->model->engine;
	struct vkr_unread_draws **made = &walk->model->draw_logs.kept.unread;
	if (*made == NULL)
		*made = calloc(1, sizeof **made);
	struct vkr_unread_draws *draws = *made;
	enum vkr_result result = VKR_OK;
	bool waits = draws != NULL;
	if (draws != NULL && draws->bytes + bytes > draws->settle_at) {
		vkr_unread_settle(engine);
		draws->settle_at = 2 * draws->bytes + SETTLE_LEAST;
	}
	while (waits && draws->bytes + bytes > BYTES_MOST && result == VKR_OK)
		result = vkr_unread_read(engine, &waits, walk->error);
	*has = waits;
	return result;
}

// Looks whether all accesses can wait, by what they are bound to and by what was logged, and has
// them wait then. *count: how many there are.
static enum vkr_result try_to_wait(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
				   struct vkr_texel_reading *of, uint64_t *count, bool *waits)
{
	struct vkr_walk *walk = sorting->walk;
	const size_t sites = of->program->shader->sites->site_count;
	struct unread_access *accesses = calloc(sites + 1, sizeof *accesses);
	struct vkr_draw_limit *limits = calloc(sites + 1, sizeof *limits);
	enum vkr_result result = VKR_OK;
	if (accesses == NULL || limits == NULL || !vkr_texel_reads_begin(of->replay, of->program) ||
	    !vkr_replay_begin(of->replay, of->targets))
		result = vkr_error_memory(walk->error, "the reads of a draw");
	if (result == VKR_OK)
		result = find_accesses(of, accesses, waits);
	for (size_t at = 0; result == VKR_OK && *waits && at < sites; at++)
		limits[at] = accesses[at].limit;
	if (result == VKR_OK && *waits)
		*waits = vkr_draw_reads_count(sorting, chunks, limits, count);
	if (result == VKR_OK && *waits)
		result = vkr_walk_replayed(walk, of->targets);
	if (result == VKR_OK && *waits)
		result = put_off(sorting, chunks, of, &accesses);
	free(accesses);
	free(limits);
	return result;
}

enum vkr_result vkr_draw_put_off(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
				 bool *waits)
{
	struct vkr_walk *walk = sorting->walk;
	struct vkr_model *model = walk->model;
	const struct vkr_cost_start start = vkr_cost_begin(model);
	const uint64_t before = vkr_engine_accesses(model->engine);
	const uint64_t bytes = vkr_draw_reads_bytes(sorting, chunks);
	struct vkr_log_targets bound;
	uint64_t count = 0;
	enum vkr_result result = VKR_OK;
	*waits = is_simple(sorting->program) && !vkr_draw_reads_may_repeat(sorting, bytes);
	if (*waits)
		result = make_room(walk, bytes, waits);
	if (result != VKR_OK || !*waits)
		return result;
	result = vkr_draw_find_targets(sorting, &bound);
	struct vkr_texel_reading of = {.replay = &model->replay,
				       .program = sorting->program,
				       .targets = &bound.targets,
				       .error = walk->error,
				       .user = walk,
				       .is_written = is_attachment};
	if (result == VKR_OK)
		result = try_to_wait(sorting, chunks, &of, &count, waits);
	vkr_walk_targets_finish(&bound);
	if (result != VKR_OK || !*waits)
		return result;
	vkr_filters_count_as(model->engine, before, count);
	if (model->options.costs)
		vkr_cost_end(model, &start, sorting->program->shader, walk->info->name, bytes);
	return VKR_OK;
}
