// SPDX-License-Identifier: Apache-2.0
#include "draw_reads.h"

#include "array.h"
#include "draw_members.h"
#include "draw_numbers.h"
#include "error.h"
#include "filter_judge.h"
#include "read_repeats.h"
#include "shader_logs.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

// One shader's log.
struct reading {
	struct vkr_draw_sorting *sorting;
	struct vkr_walk *walk;
	const struct vkr_chunk *chunks;
	uint32_t invocation;      // under way
	const uint32_t *identity; // its own, where it shares a chunk; else NULL
	struct {
		const uint32_t *first; // the first one's part
		uint32_t words;        // of a part
		uint32_t under_way;
		uint32_t readers[VKR_READ_LANES]; // by lane: its number, or UINT32_MAX
	} lanes;                                  // invocations that share a chunk
	uint32_t reader;                          // its number among readers, if it becomes one
	uint32_t local_size;             // of a workgroup, as far as invocations have numbers
	uint64_t bytes;                  // of the log
	struct vkr_texel_reading texels; // odd: the draw is to be replayed
};

// ---- Which draws --------------------------------------------------------------------------------

enum vkr_result vkr_draw_only_reads(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				    bool *only)
{
	enum vkr_result result = VKR_OK;
	*only = pipeline->bind_point == VK_PIPELINE_BIND_POINT_GRAPHICS &&
		!vkr_engine_has_locals(walk->model->engine);
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

// Whether the draw may write there as an attachment: who has read the bytes is asked then.
static bool is_attachment(const void *user, const struct vkr_engine_target *target)
{
	const struct vkr_walk *walk = ((const struct reading *)user)->walk;
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

// ---- Judging ------------------------------------------------------------------------------------

static struct vkr_filter_reader reader_of(const void *user, uint32_t reader)
{
	return ((const struct vkr_texel_reads *)user)->readers.items[reader];
}

// Judges what was noted, and empties the filters.
static enum vkr_result judge_filters(struct reading *of)
{
	struct vkr_engine *engine = of->walk->model->engine;
	struct vkr_texel_reads *reads = of->texels.replay->reads;
	const struct vkr_filter_readers readers = {.reader = reader_of,
						   .user = reads,
						   .list = reads->readers.items,
						   .count = reads->readers.count};
	enum vkr_result result = vkr_engine_dispatch_begin(engine, of->walk->command,
							   of->local_size, 0, of->walk->error);
	if (result != VKR_OK)
		return result;
	result = vkr_access_filters_judge(&reads->filters, engine, &readers, &of->texels.odd,
					  of->walk->error);
	vkr_engine_dispatch_end(engine);
	return result;
}

// ---- Noting -------------------------------------------------------------------------------------

// Makes the invocation under way, which stands for others, a reader: it gets its number.
static enum vkr_result add_reader(struct reading *of)
{
	const struct vkr_draw_logs *logs = of->sorting->logs;
	struct vkr_texel_reads *reads = of->texels.replay->reads;
	if (of->reader < reads->readers.count)
		return VKR_OK;
	struct vkr_draw_invocation reader = logs->invocations.items[of->invocation];
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
	const uint32_t *identity = of->chunks[reader.first_chunk].words + VKR_CHUNK_HEADER_WORDS;
	if (of->identity != NULL) {
		memcpy(words, of->identity, of->sorting->like.word_count * sizeof *words);
		words[0] &= ~VKR_IDENTITY_GOES_ON;
		identity = words;
	}
	if (!VKR_ARRAY_RESERVE(&reads->readers, 1) ||
	    !vkr_draw_number(of->sorting, &reader, identity))
		return vkr_error_memory(of->walk->error, "the invocations of a draw");
	reads->readers.items[reads->readers.count++] =
		(struct vkr_filter_reader){logs->accessed.items[reader.group], reader.local};
	if (of->identity != NULL)
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
		const enum vkr_result result = judge_filters(of);
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

static enum vkr_result read_buffer(struct reading *of, struct vkr_program_access *access,
				   const uint32_t *record, uint32_t iteration)
{
	const uint32_t word = access->factor != 0 ? record[access->offset_word] : 0;
	const uint32_t offset =
		access->addend + access->factor * word + access->by_iteration * iteration;
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
	return result != VKR_OK || texels->odd ? result : note_read(of, filter, offset);
}

// ---- Records ------------------------------------------------------------------------------------

static enum vkr_result read_record(struct reading *of, const struct vkr_program_step *step,
				   const uint32_t *record, uint32_t iteration)
{
	enum vkr_result result = VKR_OK;
	for (;; step++) {
		for (uint32_t at = 0; at < step->access_count; at++) {
			struct vkr_program_access *access =
				&of->texels.program->accesses[step->first_access + at];
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
	of->identity = of->lanes.first + (size_t)lane * of->lanes.words;
	of->reader = of->lanes.readers[lane];
	if (of->reader == UINT32_MAX)
		of->reader = (uint32_t)of->texels.replay->reads->readers.count;
}

// Whether all lanes go on with a record of the same segment, which has room, and is gone through
// once.
static bool agree(const struct reading *of, const struct vkr_texel_lanes_read *lanes, uint32_t left)
{
	const struct vkr_program *program = of->texels.program;
	const uint32_t segment = *lanes->record - 1;
	if (segment >= program->segment_count || program->starts[segment].words / 2 >= left ||
	    program->starts[segment].kind != VKR_SEGMENT_ONCE ||
	    program->starts[segment].iteration != 0)
		return false;
	for (uint32_t lane = 1; lane < lanes->count; lane++)
		if (lanes->record[(size_t)lane * lanes->stride] != segment + 1)
			return false;
	return true;
}

static enum vkr_result read_step(struct reading *of, const struct vkr_program_step *step,
				 const struct vkr_texel_lanes_read *lanes)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < step->access_count && result == VKR_OK && !of->texels.odd;
	     at++) {
		struct vkr_program_access *access =
			&of->texels.program->accesses[step->first_access + at];
		if (access->texel != NULL)
			result = vkr_texel_reads_note_lanes(&of->texels, access, lanes);
		for (uint32_t lane = 0; access->texel == NULL && lane < lanes->count &&
					result == VKR_OK && !of->texels.odd;
		     lane++) {
			select_lane(of, lane);
			result = read_buffer(of, access,
					     lanes->record + (size_t)lane * lanes->stride, 0);
		}
	}
	return result;
}

// Reads the records of all lanes, `left` pairs of words each: together as long as they agree, then
// lane by lane.
static enum vkr_result read_lanes(struct reading *of, struct vkr_texel_lanes_read *lanes,
				  uint32_t left)
{
	const struct vkr_program *program = of->texels.program;
	enum vkr_result result = VKR_OK;
	while (left > 0 && result == VKR_OK && !of->texels.odd && agree(of, lanes, left)) {
		const struct vkr_segment_start *start = &program->starts[*lanes->record - 1];
		const uint32_t pairs = start->words / 2 + 1;
		const struct vkr_program_step *step = start->step;
		lanes->record++;
		do
			result = read_step(of, step, lanes);
		while (result == VKR_OK && !of->texels.odd && !step++->last);
		lanes->record += 2 * (size_t)pairs - 1;
		left -= pairs;
	}
	for (uint32_t lane = 0;
	     left > 0 && lane < lanes->count && result == VKR_OK && !of->texels.odd; lane++) {
		select_lane(of, lane);
		result = read_records(of, lanes->record + (size_t)lane * lanes->stride, left);
	}
	return result;
}

static enum vkr_result read_members(struct reading *of, const uint32_t *words)
{
	const uint32_t own = of->sorting->like.word_count;
	struct vkr_draw_members members;
	enum vkr_result result = VKR_OK;
	if (!vkr_draw_members_find(words, own, &members)) {
		of->texels.odd = true; // damage is reported by who replays it
		return VKR_OK;
	}
	of->lanes.words = members.words;
	for (uint32_t at = 0; at < members.count && result == VKR_OK && !of->texels.odd;
	     at += VKR_READ_LANES) {
		const uint32_t left = members.count - at;
		of->lanes.first = vkr_draw_member(&members, at);
		memset(of->lanes.readers, 0xff, sizeof of->lanes.readers);
		struct vkr_texel_lanes_read lanes = {
			.record = of->lanes.first + own,
			.stride = members.words,
			.count = left < VKR_READ_LANES ? left : VKR_READ_LANES};
		result = read_lanes(of, &lanes, (members.words - own) / 2);
	}
	return result;
}

// ---- Invocations ------------------------------------------------------------------------------

static enum vkr_result read_invocation(struct reading *of)
{
	const struct vkr_draw_invocation *invocation =
		&of->sorting->logs->invocations.items[of->invocation];
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
	vkr_draw_numbers_begin(of->sorting->logs);
	return true;
}

static enum vkr_result read_log(struct reading *of)
{
	const struct vkr_draw_logs *logs = of->sorting->logs;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < logs->invocations.count && result == VKR_OK && !of->texels.odd;
	     at++) {
		of->invocation = (uint32_t)at;
		of->reader = (uint32_t)of->texels.replay->reads->readers.count;
		if (logs->invocations.items[at].shader == of->sorting->shader)
			result = read_invocation(of);
	}
	return result;
}

static uint64_t bytes_of(const struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks)
{
	const struct vkr_draw_logs *logs = sorting->logs;
	uint64_t words = 0;
	for (size_t at = 0; at < logs->invocations.count; at++) {
		const struct vkr_draw_invocation *of = &logs->invocations.items[at];
		for (uint32_t i = 0; of->shader == sorting->shader && i < of->chunk_count; i++)
			words += vkr_chunk_words(&chunks[of->first_chunk + i]);
	}
	return words * sizeof *chunks->words;
}

// Logs of fewer bytes are read as fast as they are found again.
#define REPEAT_LEAST 8192u

// What the chunks say, whatever their order, without the command and their places in the log.
static struct vkr_repeat_key key_of(const struct reading *of)
{
	const struct vkr_draw_logs *logs = of->sorting->logs;
	struct vkr_repeat_key key = {.shader = of->texels.program->shader->id};
	for (size_t at = 0; at < logs->invocations.count; at++) {
		const struct vkr_draw_invocation *by = &logs->invocations.items[at];
		for (uint32_t i = 0; by->shader == of->sorting->shader && i < by->chunk_count;
		     i++) {
			const struct vkr_chunk *chunk = &of->chunks[by->first_chunk + i];
			const uint32_t size = chunk->words[3];
			for (uint32_t k = 0; k < chunk->count; k++) {
				const XXH128_hash_t hash =
					XXH3_128bits(chunk->words + (size_t)k * size + 2,
						     (size - 2) * sizeof *chunk->words);
				key.low += hash.low64;
				key.high += hash.high64;
			}
		}
	}
	return key;
}

// Reads the log, unless an earlier draw's said the same.
static enum vkr_result read_all(struct reading *of)
{
	struct vkr_replay *replay = of->texels.replay;
	const bool may_repeat =
		of->bytes >= REPEAT_LEAST &&
		vkr_read_repeats_expected(&replay->repeats, of->texels.program->shader->id);
	enum vkr_result result = VKR_OK;
	struct vkr_repeat_key key = {0};
	bool found = false;
	if (!begin_reading(of))
		return vkr_error_memory(of->walk->error, "the reads of a draw");
	if (may_repeat) {
		key = key_of(of);
		result = vkr_read_repeats_find(replay->repeats, &of->texels, &key, &of->local_size,
					       &found);
	}
	if (result == VKR_OK && !found && !of->texels.odd) {
		result = read_log(of);
		if (result == VKR_OK && may_repeat)
			vkr_read_repeats_keep(replay->repeats, &of->texels, &key, of->local_size);
	}
	return result == VKR_OK && !of->texels.odd ? judge_filters(of) : result;
}

enum vkr_result vkr_draw_reads(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       bool *judged)
{
	struct vkr_walk *walk = sorting->walk;
	const struct vkr_shader_log log = {
		.program = sorting->program,
		.point = vkr_walk_point(walk, walk->info->pipeline->bind_point),
		.local_size = 1};
	struct vkr_log_targets bound;
	const struct vkr_cost_start start = vkr_cost_begin(walk->model);
	enum vkr_result result = vkr_walk_targets(walk, &log, &bound);
	struct reading of = {.sorting = sorting,
			     .walk = walk,
			     .chunks = chunks,
			     .local_size = 1,
			     .bytes = bytes_of(sorting, chunks),
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
	if (result == VKR_OK && *judged)
		result = vkr_walk_replayed(walk, &bound.targets);
	if (result == VKR_OK && !vkr_dispatch_targets_whole(&bound.targets))
		result = vkr_error_memory(walk->error, "a draw");
	vkr_walk_targets_finish(&bound);
	if (walk->model->options.costs && *judged)
		vkr_cost_end(walk->model, &start, sorting->program->shader, walk->info->name,
			     of.bytes);
	return result;
}
