// SPDX-License-Identifier: Apache-2.0
#include "draw_reads.h"

#include "array.h"
#include "crew.h"
#include "draw_members.h"
#include "draw_numbers.h"
#include "error.h"
#include "filter_judge.h"
#include "read_repeats.h"
#include "read_table.h"
#include "shader_logs.h"
#include "site_table.h"
#include "unread_reads.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

struct block;

// One shader's log.
struct reading {
	struct vkr_draw_sorting *sorting;
	struct vkr_walk *walk;
	const struct vkr_chunk *chunks;
	uint32_t invocation;             // under way
	struct vkr_draw_sharing sharing; // where they share chunks
	struct vkr_draw_member member;   // the invocation's, where it does; else of no chunk
	struct {
		uint32_t first; // of the chunk's members, or the invocation
		uint32_t under_way;
		uint32_t readers[VKR_READ_LANES]; // by lane: its number, or UINT32_MAX
	} lanes;                                  // invocations that are read together
	uint32_t reader;                          // its number among readers, if it becomes one
	uint32_t local_size;              // of a workgroup, as far as invocations have numbers
	struct block *block;              // of which these are the invocations; NULL: of none
	const struct vkr_draw_late *late; // NULL: the draw is under way
	struct vkr_texel_reading texels;  // odd: the draw is to be replayed
};

// ---- Which draws --------------------------------------------------------------------------------

enum vkr_result vkr_draw_only_reads(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				    bool *only)
{
	enum vkr_result result = VKR_OK;
	*only = pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS;
	for (uint32_t at = 0; at < pipeline->shader_count && *only && result == VKR_OK; at++) {
		const struct vkr_shader *shader = pipeline->shaders[at];
		struct vkr_program *program = NULL;
		if (!(shader->flags & VKR_SHADER_INSTRUMENTED) || shader->sites == NULL)
			continue;
		result = vkr_walk_program(walk, shader, &program);
		*only = result == VKR_OK && program->only_reads;
		if (result == VKR_ERROR_FORMAT)
			result = VKR_OK;
	}
	return result;
}

bool vkr_draw_may_write(const struct vkr_walk *walk, const struct vkr_engine_target *target)
{
	for (size_t at = 0; at < walk->pass.uses.count; at++) {
		const struct vkr_image *image = walk->pass.uses.items[at].view->image;
		for (uint32_t plane = 0; plane < image->plane_count; plane++) {
			const struct vkr_image_plane *of = &image->planes[plane];
			if (of->memory != NULL && of->memory->id == target->memory &&
			    of->offset < target->base + target->bytes &&
			    target->base < of->offset + of->bytes)
				return true;
		}
	}
	return false;
}

// Who has read the bytes is asked then.
static bool is_attachment(const void *user, const struct vkr_engine_target *target)
{
	return vkr_draw_may_write(((const struct reading *)user)->walk, target);
}

enum vkr_result vkr_draw_find_targets(struct vkr_draw_sorting *sorting,
				      struct vkr_log_targets *bound)
{
	struct vkr_walk *walk = sorting->walk;
	const struct vkr_shader_log log = {
		.program = sorting->program,
		.point = vkr_walk_point(walk, walk->info->pipeline->bind_point),
		.local_size = 1};
	return vkr_walk_targets(walk, &log, bound);
}

// Elements of an array beyond this many are not looked at.
#define COMMON_MOST 64u

static bool is_common(struct vkr_dispatch_targets *targets, uint32_t index)
{
	const struct vkr_variable *variable =
		&vkr_site_table_variables(targets->program->shader->sites)[index];
	const uint32_t count = targets->variables[index].count;
	uint32_t binding;
	if (variable->kind == VKR_VARIABLE_SAMPLER && !(variable->flags & VKR_VARIABLE_HEAP))
		return true;
	const struct vkr_descriptor_set *set = vkr_dispatch_set(targets, variable, &binding);
	if (variable->flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA) ||
	    variable->kind == VKR_VARIABLE_POINTER || set == NULL ||
	    set->layout->bindings[binding].row_bytes != 0 || count > COMMON_MOST)
		return false;
	for (uint32_t element = 0; element < count; element++) {
		struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
		const uint32_t planes = vkr_dispatch_ranges(targets, index, element, ranges);
		for (uint32_t at = 0; at < planes; at++)
			if (!vkr_engine_is_common(targets->program->engine, &ranges[at]))
				return false;
	}
	return true;
}

enum vkr_result vkr_draw_reads_common(struct vkr_draw_sorting *sorting, bool *common)
{
	struct vkr_log_targets bound;
	const enum vkr_result result = vkr_draw_find_targets(sorting, &bound);
	*common = result == VKR_OK && sorting->program->only_reads;
	for (uint32_t at = 0; at < sorting->program->shader->sites->variable_count && *common; at++)
		*common = is_common(&bound.targets, at);
	vkr_walk_targets_finish(&bound);
	return result;
}

// ---- Judging ------------------------------------------------------------------------------------

// Turns readers, of which entries are 1 + the index, into the engine's numbers. False where one has
// none.
static bool number_readers(const struct reading *of)
{
	const struct vkr_texel_reads *reads = of->texels.replay->reads;
	const unsigned bits = vkr_engine_local_bits(of->local_size);
	for (size_t at = 0; at < reads->readers.count; at++)
		if (reads->readers.items[at].workgroup >= UINT32_MAX >> bits)
			return false;
	for (size_t at = 0; vkr_access_filters_next(&reads->filters, &at); at++) {
		uint32_t *entry = &reads->filters.entries[at];
		const struct vkr_draw_reader *reader = &reads->readers.items[*entry - 1];
		*entry = (reader->workgroup << bits | reader->local) + 1;
	}
	return true;
}

// Judges what was noted, and empties the filters.
static enum vkr_result judge_filters(struct reading *of)
{
	struct vkr_engine *engine = of->walk->model->engine;
	struct vkr_access_filters *filters = &of->texels.replay->reads->filters;
	enum vkr_result result = VKR_OK;
	if (of->late != NULL)
		vkr_unread_dispatch(engine, of->late->log, of->local_size);
	else
		result = vkr_engine_dispatch_begin(engine, of->walk->command, of->local_size, 0,
						   of->walk->error);
	if (result != VKR_OK)
		return result;
	result = vkr_filters_defer(engine, filters, of->walk->error);
	if (result == VKR_OK)
		result = vkr_filters_apart(engine, filters, &of->texels.odd, of->walk->error);
	if (result == VKR_OK && !of->texels.odd)
		result = vkr_filters_judge(engine, filters, of->walk->error);
	if (of->late == NULL)
		vkr_engine_dispatch_end(engine);
	return result;
}

// ---- Noting -------------------------------------------------------------------------------------

// Makes the invocation under way, which stands for others, a reader: it gets its number.
static enum vkr_result add_reader(struct reading *of)
{
	const struct vkr_draw_numbers *numbers = of->sorting->numbers;
	struct vkr_texel_reads *reads = of->texels.replay->reads;
	if (of->reader < reads->readers.count)
		return VKR_OK;
	struct vkr_draw_invocation reader = numbers->invocations.items[of->invocation];
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
	const uint32_t *identity = of->chunks[reader.first_chunk].words + VKR_CHUNK_HEADER_WORDS;
	bool goes_on = false;
	if (of->member.chunk != NULL) {
		goes_on = vkr_draw_member_identity(&of->sharing, &of->member, words);
		identity = words;
	}
	if (!VKR_ARRAY_RESERVE(&reads->readers, 1) ||
	    !vkr_draw_number(of->sorting, &reader, identity, goes_on))
		return vkr_error_memory(of->walk->error, "the invocations of a draw");
	reads->readers.items[reads->readers.count++] =
		(struct vkr_draw_reader){numbers->accessed.items[reader.group], reader.local};
	of->lanes.readers[of->lanes.under_way] = of->reader;
	if (reader.local >= of->local_size)
		of->local_size = reader.local + 1;
	return VKR_OK;
}

static enum vkr_result note_read(void *user, uint32_t filter, uint64_t offset)
{
	struct reading *of = user;
	struct vkr_access_filters *filters = &of->texels.replay->reads->filters;
	enum vkr_filter_note noted =
		vkr_access_filter_note(filters, &filters->items[filter], offset, of->reader);
	if (noted == VKR_FILTER_FULL) {
		of->texels.varies = true;
		of->texels.odd = !number_readers(of);
		const enum vkr_result result = of->texels.odd ? VKR_OK : judge_filters(of);
		if (result != VKR_OK || of->texels.odd)
			return result;
		noted = vkr_access_filter_note(filters, &filters->items[filter], offset,
					       of->reader);
	}
	if (noted == VKR_FILTER_KNOWN)
		return VKR_OK;
	return noted == VKR_FILTER_NOTED ? add_reader(of)
					 : vkr_error_memory(of->walk->error, "the reads of a draw");
}

static uint32_t buffer_offset(const struct vkr_program_access *access, uint32_t word)
{
	return access->addend + access->factor * word;
}

static enum vkr_result read_buffer(struct reading *of, struct vkr_program_access *access,
				   const uint32_t *record, uint32_t iteration)
{
	const uint32_t word = access->factor != 0 ? record[access->offset_word] : 0;
	const uint32_t offset = buffer_offset(access, word) + access->by_iteration * iteration;
	const uint32_t element = access->arrayed ? record[access->word] : 0;
	struct vkr_texel_reading *texels = &of->texels;
	const struct vkr_engine_target *target =
		vkr_dispatch_target(texels->targets, access->variable, element);
	uint32_t filter = 0;
	const bool is_beyond = target == NULL || (uint64_t)offset + access->bytes > target->bytes;
	texels->varies = texels->varies || is_beyond;
	if (target == NULL)
		return VKR_OK;
	vkr_replay_note_beyond(texels->replay, access, target, is_beyond);
	if (offset >= target->bytes)
		return VKR_OK;
	const enum vkr_result result = vkr_texel_reads_buffer(texels, access, target, &filter);
	if (result == VKR_OK)
		texels->odd =
			texels->odd ||
			offset % (1u << texels->replay->reads->filters.items[filter].shift) != 0;
	return result != VKR_OK || texels->odd ? result : texels->note(of, filter, offset);
}

// ---- Records ------------------------------------------------------------------------------------

static bool is_skipped(const struct reading *of, size_t access)
{
	return of->late != NULL && of->late->skipped[access];
}

static enum vkr_result read_record(struct reading *of, const struct vkr_program_step *step,
				   const uint32_t *record, uint32_t iteration)
{
	enum vkr_result result = VKR_OK;
	for (;; step++) {
		for (uint32_t at = 0; at < step->access_count; at++) {
			struct vkr_program_access *access =
				&of->texels.program->accesses[step->first_access + at];
			if (is_skipped(of, step->first_access + at))
				continue;
			result = access->texel != NULL
					 ? vkr_texel_reads_note(&of->texels, access, record)
					 : read_buffer(of, access, record, iteration);
			if (result != VKR_OK || of->texels.odd)
				return result;
		}
		if (step->last)
			return VKR_OK;
	}
}

// Of a run-length record that goes on for longer, or one whose iterations are counted from record
// to record, more is known where the draw is replayed.
#define ITERATIONS_MOST 65536u

static enum vkr_result read_whole(struct reading *of, const struct vkr_segment_start *start,
				  const uint32_t *record)
{
	const uint32_t count = start->kind == VKR_SEGMENT_RUN_LENGTH ? *record : 1;
	enum vkr_result result = VKR_OK;
	of->texels.odd = count > ITERATIONS_MOST || start->iteration != 0;
	for (uint32_t at = 0; at < count && result == VKR_OK && !of->texels.odd; at++)
		result = read_record(of, start->step, record, at);
	return result;
}

// Reads `left` pairs of words.
static enum vkr_result read_records(struct reading *of, const uint32_t *at, uint32_t left)
{
	const struct vkr_program *program = of->texels.program;
	enum vkr_result result = VKR_OK;
	while (left > 0 && *at != 0 && result == VKR_OK && !of->texels.odd) {
		const uint32_t segment = *at - 1;
		if (segment >= program->segment_count ||
		    program->starts[segment].words / 2 >= left) {
			of->texels.odd = true;
			return VKR_OK;
		}
		const struct vkr_segment_start *start = &program->starts[segment];
		const uint32_t pairs = start->words / 2 + 1;
		result = read_whole(of, start, at + 1);
		at += 2 * (size_t)pairs;
		left -= pairs;
	}
	return result;
}

static enum vkr_result read_chunk(struct reading *of, const uint32_t *words)
{
	const uint32_t header = of->texels.program->header_words;
	if (words[3] < header || (words[3] - header) % 2 != 0) {
		of->texels.odd = true; // damage is reported by who replays it
		return VKR_OK;
	}
	return read_records(of, words + header, (words[3] - header) / 2);
}

// ---- Invocations that share a chunk ----------------------------------------------------------

static void select_lane(void *user, uint32_t lane)
{
	struct reading *of = user;
	of->lanes.under_way = lane;
	if (of->member.chunk != NULL)
		of->member.at = of->lanes.first + lane;
	else
		of->invocation = of->lanes.first + lane;
	of->reader = of->lanes.readers[lane];
	if (of->reader == UINT32_MAX)
		of->reader = (uint32_t)of->texels.replay->reads->readers.count;
}

static enum vkr_result read_step(struct reading *of, const struct vkr_program_step *step,
				 const struct vkr_texel_lanes_read *lanes)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < step->access_count && result == VKR_OK && !of->texels.odd;
	     at++) {
		struct vkr_program_access *access =
			&of->texels.program->accesses[step->first_access + at];
		if (is_skipped(of, step->first_access + at))
			continue;
		if (access->texel != NULL)
			result = vkr_texel_reads_note_lanes(&of->texels, access, lanes);
		for (uint32_t lane = 0; access->texel == NULL && lane < lanes->count &&
					result == VKR_OK && !of->texels.odd;
		     lane++) {
			select_lane(of, lane);
			result = read_buffer(of, access, vkr_texel_lane_record(lanes, lane), 0);
		}
	}
	return result;
}

// Reads the records of a segment that is gone through once, site by site.
static enum vkr_result read_steps(struct reading *of, const struct vkr_program_step *step,
				  const struct vkr_texel_lanes_read *lanes)
{
	enum vkr_result result = VKR_OK;
	do
		result = read_step(of, step, lanes);
	while (result == VKR_OK && !of->texels.odd && !step++->last);
	return result;
}

static enum vkr_result read_lanes(struct reading *of, uint32_t segment,
				  const struct vkr_texel_lanes_read *lanes)
{
	const struct vkr_segment_start *start = &of->texels.program->starts[segment - 1];
	enum vkr_result result = VKR_OK;
	memset(of->lanes.readers, 0xff, sizeof of->lanes.readers);
	if (start->kind == VKR_SEGMENT_ONCE && start->iteration == 0)
		return read_steps(of, start->step, lanes);
	for (uint32_t lane = 0; lane < lanes->count && result == VKR_OK && !of->texels.odd;
	     lane++) {
		select_lane(of, lane);
		result = read_whole(of, start, vkr_texel_lane_record(lanes, lane));
	}
	return result;
}

// Room for so many columns, and for one invocation's record.
static bool reserve_columns(struct reading *of, uint32_t words)
{
	struct vkr_texel_reads *reads = of->texels.replay->reads;
	reads->columns.count = reads->record.count = 0;
	return VKR_ARRAY_RESERVE(&reads->columns, words) &&
	       VKR_ARRAY_RESERVE(&reads->record, words);
}

// Records that invocations have logged one after the other: where the first one's begin, and how
// far it is from word to word, and to the next invocation's.
struct record_rows {
	const uint32_t *words;
	uint32_t word_step, lane_step;
	uint32_t count; // invocations
	uint32_t left;  // pairs of words of each
};

// Whether all go on with a record of one segment, which has room, and is gone through once.
static bool draw_reads_agree(const struct vkr_program *program, const struct record_rows *rows)
{
	const uint32_t segment = *rows->words - 1;
	if (segment >= program->segment_count || program->starts[segment].words / 2 >= rows->left ||
	    program->starts[segment].kind != VKR_SEGMENT_ONCE ||
	    program->starts[segment].iteration != 0)
		return false;
	for (uint32_t lane = 1; lane < rows->count; lane++)
		if (rows->words[(size_t)lane * rows->lane_step] != segment + 1)
			return false;
	return true;
}

// Reads what is left of one invocation's.
static enum vkr_result read_row(struct reading *of, const struct record_rows *rows, uint32_t lane)
{
	const uint32_t *from = rows->words + (size_t)lane * rows->lane_step;
	select_lane(of, lane);
	if (rows->word_step == 1)
		return read_records(of, from, rows->left);
	if (!reserve_columns(of, 2 * rows->left))
		return vkr_error_memory(of->texels.error, "the reads of a draw");
	uint32_t *record = of->texels.replay->reads->record.items;
	for (uint32_t word = 0; word < 2 * rows->left; word++)
		record[word] = from[(size_t)word * rows->word_step];
	return read_records(of, record, rows->left);
}

// Reads records together as long as they agree, then invocation by invocation.
static enum vkr_result read_rows(struct reading *of, struct record_rows rows)
{
	const struct vkr_program *program = of->texels.program;
	struct vkr_texel_reads *reads = of->texels.replay->reads;
	enum vkr_result result = VKR_OK;
	memset(of->lanes.readers, 0xff, sizeof of->lanes.readers);
	while (rows.left > 0 && result == VKR_OK && !of->texels.odd &&
	       draw_reads_agree(program, &rows)) {
		const struct vkr_segment_start *start = &program->starts[*rows.words - 1];
		if (!reserve_columns(of, start->words))
			return vkr_error_memory(of->texels.error, "the reads of a draw");
		for (uint32_t word = 0; word < start->words; word++)
			reads->columns.items[word] = (struct vkr_texel_column){
				rows.words + (size_t)(1 + word) * rows.word_step, rows.lane_step};
		result = read_steps(of, start->step,
				    &(struct vkr_texel_lanes_read){.columns = reads->columns.items,
								   .words = start->words,
								   .count = rows.count,
								   .record = reads->record.items});
		const uint32_t pairs = start->words / 2 + 1;
		rows.words += 2 * (size_t)pairs * rows.word_step;
		rows.left -= pairs;
	}
	for (uint32_t lane = 0;
	     rows.left > 0 && lane < rows.count && result == VKR_OK && !of->texels.odd; lane++)
		result = read_row(of, &rows, lane);
	return result;
}

// The columns of a chunk's record. False for lack of memory.
static bool find_columns(struct reading *of, const struct vkr_draw_members *members)
{
	const struct vkr_texel_reads *reads = of->texels.replay->reads;
	if (!reserve_columns(of, members->words))
		return false;
	for (uint32_t word = 0; word < members->words; word++) {
		struct vkr_texel_column *column = &reads->columns.items[word];
		column->words =
			vkr_draw_members_column(members, of->sharing.columns + word, &column->step);
	}
	return true;
}

static enum vkr_result read_members(struct reading *of, const uint32_t *chunk)
{
	const struct vkr_texel_reads *reads = of->texels.replay->reads;
	struct vkr_draw_members members;
	enum vkr_result result = VKR_OK;
	uint32_t step = 0;
	if (!vkr_draw_members_find(&of->sharing, chunk, &members)) {
		of->texels.odd = true; // damage is reported by who replays it
		return VKR_OK;
	}
	if (members.segment == 0)
		return VKR_OK;
	if (members.segment != VKR_SHARED_ROOM && !find_columns(of, &members))
		return vkr_error_memory(of->texels.error, "the reads of a draw");
	const uint32_t *room = vkr_draw_members_column(&members, of->sharing.columns, &step);
	of->member.chunk = chunk;
	for (uint32_t at = 0; at < members.count && result == VKR_OK && !of->texels.odd;
	     at += VKR_READ_LANES) {
		const uint32_t left = members.count - at;
		const uint32_t count = left < VKR_READ_LANES ? left : VKR_READ_LANES;
		of->lanes.first = at;
		result = members.segment == VKR_SHARED_ROOM
				 ? read_rows(of, (struct record_rows){room + at, members.count, 1,
								      count, members.words / 2})
				 : read_lanes(of, members.segment,
					      &(struct vkr_texel_lanes_read){
						      .columns = reads->columns.items,
						      .words = members.words,
						      .first = at,
						      .count = count,
						      .record = reads->record.items});
	}
	of->member.chunk = NULL;
	return result;
}

// ---- Invocations with chunks side by side -------------------------------------------------------

// The words of an invocation's chunk, if it has one, of the shader; else NULL.
static uint32_t *only_chunk(const struct reading *of, size_t invocation)
{
	const struct vkr_draw_invocation *by = &of->sorting->numbers->invocations.items[invocation];
	const struct vkr_chunk *chunk = &of->chunks[by->first_chunk];
	const bool is_one =
		by->shader == of->sorting->shader && by->chunk_count == 1 && chunk->count == 1;
	return is_one && !(of->sorting->like.identity & VKR_IDENTITY_SHARED) ? chunk->words : NULL;
}

// How many invocations are read together from one on: it and those whose chunks of the same size
// follow each other. The same for all threads.
static uint32_t group_at(const struct reading *of, size_t invocation)
{
	const size_t all = of->sorting->numbers->invocations.count - invocation;
	const size_t most = all < VKR_READ_LANES ? all : VKR_READ_LANES;
	const uint32_t *first = only_chunk(of, invocation);
	uint32_t count = 1;
	if (first == NULL || first[3] < of->texels.program->header_words || first[3] % 2 != 0)
		return 1;
	for (; count < most; count++) {
		const uint32_t *next = only_chunk(of, invocation + count);
		if (next != first + (size_t)count * first[3] || next[3] != first[3])
			break;
	}
	return count;
}

// ---- Invocations ------------------------------------------------------------------------------

static enum vkr_result read_invocation(struct reading *of)
{
	const struct vkr_draw_invocation *invocation =
		&of->sorting->numbers->invocations.items[of->invocation];
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < invocation->chunk_count; at++) {
		const struct vkr_chunk *chunk = &of->chunks[invocation->first_chunk + at];
		for (uint32_t i = 0; i < chunk->count && result == VKR_OK && !of->texels.odd; i++) {
			const uint32_t *words = chunk->words + (size_t)i * chunk->words[3];
			result = of->sorting->like.identity & VKR_IDENTITY_SHARED
					 ? read_members(of, words)
					 : read_chunk(of, words);
		}
	}
	return result;
}

static bool begin_reading(struct reading *of)
{
	if (!vkr_texel_reads_begin(of->texels.replay, of->texels.program) ||
	    !vkr_replay_begin(of->texels.replay, of->texels.targets))
		return false;
	vkr_draw_numbers_begin(of->sorting->numbers);
	return true;
}

// Those from `first` on, before `end`.
static enum vkr_result read_invocations(struct reading *of, size_t first, size_t end)
{
	const struct vkr_draw_numbers *numbers = of->sorting->numbers;
	enum vkr_result result = VKR_OK;
	for (size_t at = first, next; at < end && result == VKR_OK && !of->texels.odd; at = next) {
		const uint32_t count = group_at(of, at);
		next = at + count;
		of->invocation = of->lanes.first = (uint32_t)at;
		of->reader = (uint32_t)of->texels.replay->reads->readers.count;
		if (count > 1) {
			const uint32_t *words = only_chunk(of, at);
			const uint32_t header = of->texels.program->header_words;
			result =
				read_rows(of, (struct record_rows){words + header, 1, words[3],
								   count, (words[3] - header) / 2});
		} else if (numbers->invocations.items[at].shader == of->sorting->shader) {
			result = read_invocation(of);
		}
	}
	return result;
}

// The words that an invocation has logged, if it is of the shader.
static uint64_t words_of(const struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			 size_t invocation)
{
	const struct vkr_draw_invocation *of = &sorting->numbers->invocations.items[invocation];
	uint64_t words = 0;
	for (uint32_t i = 0; of->shader == sorting->shader && i < of->chunk_count; i++)
		words += vkr_chunk_words(&chunks[of->first_chunk + i]);
	return words;
}

uint64_t vkr_draw_reads_bytes(const struct vkr_draw_sorting *sorting,
			      const struct vkr_chunk *chunks)
{
	uint64_t words = 0;
	for (size_t at = 0; at < sorting->numbers->invocations.count; at++)
		words += words_of(sorting, chunks, at);
	return words * sizeof *chunks->words;
}

// ---- Blocks -------------------------------------------------------------------------------------

// Invocations are read in blocks by several threads, each with filters of its own, from which a
// block's first read of each place is taken over in the order in which the block has made them:
// what the others say of a place is known then. So the filters become what they become where all
// invocations are read one after the other. A block that meets something that was not looked up
// before it began is read again where it comes.

struct block_note {
	uint64_t offset;
	uint32_t filter, reader;
};

struct block {
	struct vkr_job job;
	size_t first, end;         // invocations
	struct reading of;         // its readers are invocations
	struct vkr_repeat_key key; // of the invocations
	struct vkr_replay replay;
	struct vkr_program program;
	struct vkr_dispatch_targets targets;
	bool missed;
	enum vkr_result result;
	struct {
		struct block_note *items; // in order
		size_t count, capacity;
	} notes;
	struct {
		struct vkr_draw_member *items; // by reader
		size_t count, capacity;
	} members;
	struct {
		uint32_t *items; // by filter, or reader: the one that it is taken over as
		size_t count, capacity;
	} filters, readers;
};

struct vkr_read_blocks {
	struct block *items;
	size_t count;    // of the draw
	size_t capacity; // of items
};

void vkr_read_blocks_destroy(struct vkr_read_blocks *blocks)
{
	if (blocks == NULL)
		return;
	for (size_t at = 0; at < blocks->capacity; at++) {
		struct block *block = &blocks->items[at];
		vkr_replay_finish(&block->replay);
		free(block->notes.items);
		free(block->members.items);
		free(block->filters.items);
		free(block->readers.items);
	}
	free(blocks->items);
	free(blocks);
}

// Whether so many words are worth several threads, for which there are blocks then.
static bool prepare_blocks(const struct reading *of, uint64_t words)
{
	const struct vkr_crew *crew = of->walk->model->options.crew;
	const unsigned threads = vkr_crew_threads(crew);
	struct vkr_read_blocks **blocks = &of->sorting->logs->kept.read_blocks;
	if (threads == 1 || words < 3 * (uint64_t)vkr_crew_least(crew))
		return false;
	if (*blocks == NULL)
		*blocks = calloc(1, sizeof **blocks);
	if (*blocks != NULL && (*blocks)->items == NULL) {
		(*blocks)->items = calloc(2 * (size_t)threads, sizeof *(*blocks)->items);
		(*blocks)->capacity = (*blocks)->items != NULL ? 2 * (size_t)threads : 0;
	}
	return *blocks != NULL && (*blocks)->items != NULL;
}

// The invocation behind the group that begins at one; adds what the group has logged to *words.
static size_t pass_group(const struct reading *of, size_t at, uint64_t *words)
{
	const size_t end = at + group_at(of, at);
	for (; at < end; at++)
		*words += words_of(of->sorting, of->chunks, at);
	return end;
}

// Cuts the invocations from `first` on, which have logged so many words, into blocks of groups.
static void cut_blocks(const struct reading *of, struct vkr_read_blocks *blocks, size_t first,
		       uint64_t words)
{
	const size_t count = of->sorting->numbers->invocations.count;
	const size_t most = (size_t)(words / vkr_crew_least(of->walk->model->options.crew));
	const size_t parts = most < blocks->capacity ? most : blocks->capacity;
	uint64_t before = 0;
	blocks->count = 0;
	for (size_t at = first; at < count && parts > 0; at = pass_group(of, at, &before)) {
		struct block *block = &blocks->items[blocks->count];
		if (blocks->count == 0 || before >= words / parts * blocks->count) {
			if (blocks->count == parts)
				break;
			block->first = at;
			blocks->count++;
		}
	}
	for (size_t at = 0; at < blocks->count; at++)
		blocks->items[at].end =
			at + 1 < blocks->count ? blocks->items[at + 1].first : count;
}

static enum vkr_result note_apart(void *user, uint32_t filter, uint64_t offset)
{
	struct reading *of = user;
	struct block *block = of->block;
	struct vkr_texel_reads *reads = block->replay.reads;
	const enum vkr_filter_note noted = vkr_access_filter_note(
		&reads->filters, &reads->filters.items[filter], offset, of->reader);
	if (noted == VKR_FILTER_KNOWN)
		return VKR_OK;
	const bool is_new = of->reader == reads->readers.count;
	if (noted != VKR_FILTER_NOTED || !VKR_ARRAY_RESERVE(&block->notes, 1) ||
	    (is_new &&
	     (!VKR_ARRAY_RESERVE(&reads->readers, 1) || !VKR_ARRAY_RESERVE(&block->members, 1)))) {
		block->missed = true;
		return VKR_ERROR_STOPPED;
	}
	block->notes.items[block->notes.count++] = (struct block_note){offset, filter, of->reader};
	if (!is_new)
		return VKR_OK;
	reads->readers.items[reads->readers.count++] =
		(struct vkr_draw_reader){.workgroup = of->invocation};
	block->members.items[block->members.count++] = of->member;
	of->lanes.readers[of->lanes.under_way] = of->reader;
	return VKR_OK;
}

static void read_block(void *user)
{
	struct block *block = user;
	block->result = read_invocations(&block->of, block->first, block->end);
}

// Has another thread read the block, if there is memory for it.
static void start_block(struct reading *of, struct block *block)
{
	const struct vkr_texel_reading *texels = &of->texels;
	block->missed = false;
	block->notes.count = block->members.count = 0;
	block->program = *texels->program;
	block->program.missed = &block->missed;
	block->targets = *texels->targets;
	block->targets.program = &block->program;
	block->targets.missed = &block->missed;
	block->of = *of;
	block->of.block = block;
	block->of.texels.replay = &block->replay;
	block->of.texels.program = &block->program;
	block->of.texels.targets = &block->targets;
	block->of.texels.error = NULL;
	block->of.texels.apart = true;
	block->of.texels.note = note_apart;
	block->of.texels.user = &block->of;
	block->job.run = read_block;
	block->job.user = block;
	if (vkr_replay_begin(&block->replay, texels->targets) &&
	    vkr_texel_reads_like(&block->replay, texels->program, texels->replay->reads))
		vkr_crew_start(of->walk->model->options.crew, &block->job);
	else
		block->result = vkr_error_memory(NULL, "a draw");
}

// Takes over what the block has noted.
static enum vkr_result join_notes(struct reading *of, struct block *block)
{
	const struct vkr_access_filters *filters = &of->texels.replay->reads->filters;
	const struct vkr_draw_reader *readers = block->replay.reads->readers.items;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < block->notes.count && result == VKR_OK; at++) {
		const struct block_note *note = &block->notes.items[at];
		const uint32_t filter = block->filters.items[note->filter];
		uint32_t *reader = &block->readers.items[note->reader];
		if (vkr_access_filter_knows(filters, &filters->items[filter], note->offset))
			continue;
		if (*reader == UINT32_MAX)
			*reader = (uint32_t)of->texels.replay->reads->readers.count;
		of->invocation = readers[note->reader].workgroup;
		of->member = block->members.items[note->reader];
		of->reader = *reader;
		result = note_read(of, filter, note->offset);
	}
	of->member.chunk = NULL;
	return result;
}

static enum vkr_result join_block(struct reading *of, struct block *block)
{
	const struct vkr_texel_reads *reads = block->replay.reads;
	of->texels.odd = of->texels.odd || block->of.texels.odd;
	if (of->texels.odd)
		return VKR_OK;
	block->filters.count = block->readers.count = 0;
	if (!VKR_ARRAY_RESERVE(&block->filters, reads->filters.count) ||
	    !VKR_ARRAY_RESERVE(&block->readers, reads->readers.count))
		return vkr_error_memory(of->walk->error, "the reads of a draw");
	if (reads->readers.count > 0)
		memset(block->readers.items, 0xff,
		       reads->readers.count * sizeof *block->readers.items);
	const enum vkr_result result =
		vkr_texel_reads_join(&of->texels, &block->of.texels, block->filters.items);
	return result != VKR_OK || of->texels.odd ? result : join_notes(of, block);
}

// Waits for a block, and for all those after it where it has to be read again: these read what was
// looked up before.
static bool await_block(const struct reading *of, struct vkr_read_blocks *blocks, size_t at)
{
	struct vkr_crew *crew = of->walk->model->options.crew;
	const struct block *block = &blocks->items[at];
	vkr_crew_wait(crew, &blocks->items[at].job);
	const bool good = block->result == VKR_OK && !block->missed &&
			  vkr_access_filters_have_room(&of->texels.replay->reads->filters,
						       &block->replay.reads->filters);
	for (size_t next = at + 1; !good && next < blocks->count; next++)
		vkr_crew_wait(crew, &blocks->items[next].job);
	return good;
}

static enum vkr_result join_blocks(struct reading *of, struct vkr_read_blocks *blocks)
{
	enum vkr_result result = VKR_OK;
	size_t at = 0;
	for (; at < blocks->count && result == VKR_OK && !of->texels.odd; at++) {
		struct block *block = &blocks->items[at];
		result = await_block(of, blocks, at)
				 ? join_block(of, block)
				 : read_invocations(of, block->first, block->end);
	}
	for (; at < blocks->count; at++)
		vkr_crew_wait(of->walk->model->options.crew, &blocks->items[at].job);
	return result;
}

// What blocks have noted is joined place by place: they pay where a log tells of few places, one in
// so many words at most, divided by the threads that share the reading.
#define JOIN_WORDS 32u

static bool joins_slowly(const struct vkr_access_filters *filters, uint64_t words, unsigned threads)
{
	uint64_t places = 0;
	for (size_t at = 0; at < filters->count; at++)
		places += vkr_read_table_count(filters, &filters->items[at]);
	return places > words / JOIN_WORDS * threads;
}

// Reads the log, most of it in blocks.
static enum vkr_result read_in_blocks(struct reading *of, uint64_t words)
{
	const size_t count = of->sorting->numbers->invocations.count;
	struct vkr_read_blocks *blocks = of->sorting->logs->kept.read_blocks;
	size_t first = 0;
	uint64_t before = 0;
	while (first < count && before < vkr_crew_least(of->walk->model->options.crew))
		first = pass_group(of, first, &before);
	enum vkr_result result = read_invocations(of, 0, first);
	if (result != VKR_OK || of->texels.odd)
		return result;
	cut_blocks(of, blocks, first, words - before);
	for (size_t at = 0; at < blocks->count; at++)
		start_block(of, &blocks->items[at]);
	return join_blocks(of, blocks);
}

// In blocks where the log is long and there is a crew, unless the shader's last one was joined
// slowly.
static enum vkr_result read_log(struct reading *of, uint64_t words)
{
	const size_t count = of->sorting->numbers->invocations.count;
	struct vkr_program *program = of->sorting->program;
	if (!prepare_blocks(of, words))
		return read_invocations(of, 0, count);
	const enum vkr_result result =
		program->joins_slowly ? read_invocations(of, 0, count) : read_in_blocks(of, words);
	program->joins_slowly = joins_slowly(&of->texels.replay->reads->filters, words,
					     vkr_crew_threads(of->walk->model->options.crew));
	return result;
}

// ---- Counting -----------------------------------------------------------------------------------

struct counting {
	const struct vkr_program *program;
	struct vkr_draw_sharing sharing;
	const struct vkr_draw_limit *limits; // NULL: none
	uint64_t count;
};

// Whether an access to a buffer is within its limit. The rows are of its record's words.
static bool is_within(const struct vkr_program_access *access, const struct vkr_draw_limit *limit,
		      const struct record_rows *rows)
{
	const uint32_t *word = rows->words + (size_t)access->offset_word * rows->word_step;
	const uint32_t lanes = access->factor != 0 ? rows->count : 1;
	for (uint32_t lane = 0; lane < lanes; lane++) {
		const uint32_t offset = buffer_offset(
			access, access->factor != 0 ? word[lane * (size_t)rows->lane_step] : 0);
		if (offset > limit->most || (offset & limit->bits) != 0)
			return false;
	}
	return true;
}

// Adds the accesses of a record, of several invocations. The rows begin behind its first word.
static bool count_record(struct counting *of, const struct vkr_segment_start *start,
			 const struct record_rows *rows)
{
	const struct vkr_program_step *step = start->step;
	do {
		for (uint32_t i = 0; of->limits != NULL && i < step->access_count; i++) {
			const uint32_t at = step->first_access + i;
			const struct vkr_program_access *access = &of->program->accesses[at];
			if (access->texel == NULL && !is_within(access, &of->limits[at], rows))
				return false;
		}
		of->count += (uint64_t)rows->count * step->access_count;
	} while (!step++->last);
	return true;
}

// Adds the accesses of one invocation's records. False: damage, or an access beyond its limit.
static bool count_records(struct counting *of, struct record_rows rows)
{
	while (rows.left > 0 && *rows.words != 0) {
		const uint32_t segment = *rows.words - 1;
		if (segment >= of->program->segment_count ||
		    of->program->starts[segment].words / 2 >= rows.left)
			return false;
		const struct vkr_segment_start *start = &of->program->starts[segment];
		const uint32_t pairs = start->words / 2 + 1;
		struct record_rows record = rows;
		record.words += rows.word_step;
		const uint64_t before = of->count;
		if (!count_record(of, start, &record))
			return false;
		if (start->kind == VKR_SEGMENT_RUN_LENGTH)
			of->count = before + (of->count - before) * *record.words;
		rows.words += 2 * (size_t)pairs * rows.word_step;
		rows.left -= pairs;
	}
	return true;
}

// Adds the accesses of several invocations' records, together as long as they agree.
static bool count_rows(struct counting *of, struct record_rows rows)
{
	bool known = true;
	while (rows.left > 0 && known && draw_reads_agree(of->program, &rows)) {
		const struct vkr_segment_start *start = &of->program->starts[*rows.words - 1];
		const uint32_t pairs = start->words / 2 + 1;
		struct record_rows record = rows;
		record.words += rows.word_step;
		known = count_record(of, start, &record);
		rows.words += 2 * (size_t)pairs * rows.word_step;
		rows.left -= pairs;
	}
	for (uint32_t lane = 0; rows.left > 0 && known && lane < rows.count; lane++)
		known = count_records(
			of, (struct record_rows){rows.words + (size_t)lane * rows.lane_step,
						 rows.word_step, 1, 1, rows.left});
	return known;
}

static bool count_members(struct counting *of, const uint32_t *chunk)
{
	struct vkr_draw_members members;
	uint32_t step = 0;
	if (!vkr_draw_members_find(&of->sharing, chunk, &members))
		return false;
	if (members.segment == 0)
		return true;
	const uint32_t *room = vkr_draw_members_column(&members, of->sharing.columns, &step);
	struct record_rows rows = {room, members.count, 1, members.count, members.words / 2};
	return members.segment == VKR_SHARED_ROOM
		       ? count_rows(of, rows)
		       : count_record(of, &of->program->starts[members.segment - 1], &rows);
}

static bool count_chunk(struct counting *of, const uint32_t *words, bool is_shared)
{
	const uint32_t header = of->program->header_words;
	if (is_shared)
		return count_members(of, words);
	return words[3] >= header && (words[3] - header) % 2 == 0 &&
	       count_records(of, (struct record_rows){words + header, 1, words[3], 1,
						      (words[3] - header) / 2});
}

bool vkr_draw_reads_count(const struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			  const struct vkr_draw_limit *limits, uint64_t *count)
{
	const bool is_shared = sorting->like.identity & VKR_IDENTITY_SHARED;
	const struct vkr_draw_numbers *numbers = sorting->numbers;
	struct counting of = {.program = sorting->program,
			      .sharing = vkr_draw_sharing(sorting->program->shader->sites),
			      .limits = limits};
	for (size_t at = 0; at < numbers->invocations.count; at++) {
		const struct vkr_draw_invocation *by = &numbers->invocations.items[at];
		for (uint32_t i = 0; by->shader == sorting->shader && i < by->chunk_count; i++) {
			const struct vkr_chunk *chunk = &chunks[by->first_chunk + i];
			for (uint32_t k = 0; k < chunk->count; k++)
				if (!count_chunk(&of, chunk->words + (size_t)k * chunk->words[3],
						 is_shared))
					return false;
		}
	}
	*count = of.count;
	return true;
}

// ---- The whole log ------------------------------------------------------------------------------

// Logs of fewer bytes are read as fast as they are found again.
#define REPEAT_LEAST 8192u

bool vkr_draw_reads_may_repeat(const struct vkr_draw_sorting *sorting, uint64_t bytes)
{
	return bytes >= REPEAT_LEAST &&
	       vkr_read_repeats_lately(sorting->walk->model->replay.repeats,
				       sorting->program->shader->id);
}

// What chunks of invocations say, whatever their order, without the command and their places in the
// log.
static void add_to_key(const struct reading *of, size_t first, size_t end,
		       struct vkr_repeat_key *key)
{
	for (size_t at = first; at < end; at++) {
		const struct vkr_draw_invocation *by = &of->sorting->numbers->invocations.items[at];
		for (uint32_t i = 0; by->shader == of->sorting->shader && i < by->chunk_count;
		     i++) {
			const struct vkr_chunk *chunk = &of->chunks[by->first_chunk + i];
			const uint32_t size = chunk->words[3];
			for (uint32_t k = 0; k < chunk->count; k++) {
				const XXH128_hash_t hash =
					XXH3_128bits(chunk->words + (size_t)k * size + 2,
						     (size - 2) * sizeof *chunk->words);
				key->low += hash.low64;
				key->high += hash.high64;
			}
		}
	}
}

static void key_of_block(void *user)
{
	struct block *block = user;
	add_to_key(&block->of, block->first, block->end, &block->key);
}

static struct vkr_repeat_key key_of(const struct reading *of, uint64_t words)
{
	struct vkr_crew *crew = of->walk->model->options.crew;
	struct vkr_draw_logs *logs = of->sorting->logs;
	struct vkr_repeat_key key = {.shader = of->texels.program->shader->id};
	if (!prepare_blocks(of, words)) {
		add_to_key(of, 0, of->sorting->numbers->invocations.count, &key);
		return key;
	}
	struct vkr_read_blocks *blocks = logs->kept.read_blocks;
	cut_blocks(of, blocks, 0, words);
	for (size_t at = 0; at < blocks->count; at++) {
		struct block *block = &blocks->items[at];
		block->of = *of;
		block->key = (struct vkr_repeat_key){0};
		block->job.run = key_of_block;
		block->job.user = block;
		vkr_crew_start(crew, &block->job);
	}
	for (size_t at = 0; at < blocks->count; at++) {
		vkr_crew_wait(crew, &blocks->items[at].job);
		key.low += blocks->items[at].key.low;
		key.high += blocks->items[at].key.high;
	}
	return key;
}

// Reads the log, unless an earlier draw's said the same.
static enum vkr_result read_all(struct reading *of)
{
	struct vkr_replay *replay = of->texels.replay;
	const uint64_t bytes = vkr_draw_reads_bytes(of->sorting, of->chunks);
	const uint64_t words = bytes / sizeof *of->chunks->words;
	const bool may_repeat =
		bytes >= REPEAT_LEAST &&
		vkr_read_repeats_expected(&replay->repeats, of->texels.program->shader->id);
	enum vkr_result result = VKR_OK;
	struct vkr_repeat_key key = {0};
	bool found = false;
	if (!begin_reading(of))
		return vkr_error_memory(of->walk->error, "the reads of a draw");
	if (may_repeat) {
		key = key_of(of, words);
		result = vkr_read_repeats_find(replay->repeats, &of->texels, &key, &of->local_size,
					       &found);
	}
	if (result == VKR_OK && !found && !of->texels.odd) {
		result = read_log(of, words);
		of->texels.odd = of->texels.odd || (result == VKR_OK && !number_readers(of));
		if (result == VKR_OK && may_repeat)
			vkr_read_repeats_keep(replay->repeats, &of->texels, &key, of->local_size);
	}
	return result == VKR_OK && !of->texels.odd ? judge_filters(of) : result;
}

enum vkr_result vkr_draw_reads(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       bool *judged)
{
	struct vkr_walk *walk = sorting->walk;
	struct vkr_log_targets bound;
	const struct vkr_cost_start start = vkr_cost_begin(walk->model);
	const uint64_t before = vkr_engine_accesses(walk->model->engine);
	uint64_t count = 0;
	enum vkr_result result = vkr_draw_find_targets(sorting, &bound);
	struct reading of = {.sorting = sorting,
			     .sharing = vkr_draw_sharing(sorting->program->shader->sites),
			     .walk = walk,
			     .chunks = chunks,
			     .local_size = 1,
			     .texels = {.replay = &walk->model->replay,
					.program = sorting->program,
					.targets = &bound.targets,
					.error = walk->error,
					.is_written = is_attachment,
					.note = note_read,
					.select = select_lane}};
	of.texels.user = &of;
	if (result == VKR_OK)
		result = read_all(&of);
	*judged = !of.texels.odd;
	if (*judged && vkr_draw_reads_count(sorting, chunks, NULL, &count))
		vkr_filters_count_as(walk->model->engine, before, count);
	if (result == VKR_OK && *judged)
		result = vkr_walk_replayed(walk, &bound.targets);
	if (result == VKR_OK && !vkr_dispatch_targets_whole(&bound.targets))
		result = vkr_error_memory(walk->error, "a draw");
	vkr_walk_targets_finish(&bound);
	if (!*judged)
		vkr_cost_add(walk->model, &start, sorting->program->shader, walk->info->name);
	else if (walk->model->options.costs)
		vkr_cost_end(walk->model, &start, sorting->program->shader, walk->info->name,
			     vkr_draw_reads_bytes(sorting, chunks));
	return result;
}

// ---- Later --------------------------------------------------------------------------------------

// The draw writes to nothing that its logs wait for.
static bool is_never_written(const void *user, const struct vkr_engine_target *target)
{
	(void)user;
	(void)target;
	return false;
}

enum vkr_result vkr_draw_reads_late(struct vkr_draw_sorting *sorting,
				    const struct vkr_chunk *chunks,
				    const struct vkr_draw_late *late, bool *whole)
{
	const size_t count = sorting->numbers->invocations.count;
	struct reading of = {.sorting = sorting,
			     .sharing = vkr_draw_sharing(sorting->program->shader->sites),
			     .walk = sorting->walk,
			     .chunks = chunks,
			     .local_size = 1,
			     .late = late,
			     .texels = {.replay = late->replay,
					.program = sorting->program,
					.targets = late->targets,
					.error = sorting->walk->error,
					.is_written = is_never_written,
					.note = note_read,
					.select = select_lane}};
	of.texels.user = &of;
	if (!begin_reading(&of))
		return vkr_error_memory(sorting->walk->error, "the reads of a draw");
	enum vkr_result result =
		vkr_texel_reads_again(&of.texels, late->prepared, late->prepared_count);
	if (result == VKR_OK)
		result = read_invocations(&of, 0, count);
	of.texels.odd = of.texels.odd || (result == VKR_OK && !number_readers(&of));
	if (result == VKR_OK && !of.texels.odd)
		result = judge_filters(&of);
	*whole = !of.texels.odd;
	return result;
}
