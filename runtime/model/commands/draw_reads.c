// SPDX-License-Identifier: Apache-2.0
#include "draw_reads.h"

#include "array.h"
#include "draw_numbers.h"
#include "error.h"
#include "shader_logs.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

void vkr_draw_reads_finish(struct vkr_draw_reads *reads)
{
	vkr_read_sheets_finish(&reads->sheets);
	free(reads->accesses.items);
	free(reads->places);
	*reads = (struct vkr_draw_reads){0};
}

// One shader's log.
struct reading {
	struct vkr_draw_sorting *sorting;
	struct vkr_walk *walk;
	struct vkr_draw_reads *reads;
	struct vkr_replay *replay;
	const struct vkr_program *program;
	const struct vkr_chunk *chunks;
	struct vkr_dispatch_targets *targets;
	uint32_t invocation; // under way
	uint32_t local_size; // of a workgroup, as far as invocations have numbers
	bool odd;            // to be replayed
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
static bool is_attachment(const struct vkr_walk *walk, const struct vkr_engine_target *target)
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

// ---- Judging ------------------------------------------------------------------------------------

// Readers that are neighbours, of bytes that are.
static uint32_t take_run(const struct reading *of, const struct vkr_read_sheet *sheet,
			 uint32_t *entries, uint32_t first)
{
	const struct vkr_draw_invocation *invocations = of->sorting->logs->invocations.items;
	const struct vkr_draw_invocation *reader = &invocations[entries[first] - 1];
	const uint32_t step = sheet->bytes >> sheet->shift;
	uint32_t count = 1;
	entries[first] = 0;
	for (uint32_t at = first + step; at < VKR_SHEET_PAGE && entries[at] != 0; at += step) {
		const struct vkr_draw_invocation *next = &invocations[entries[at] - 1];
		if (next->group != reader->group || next->local != reader->local + count)
			break;
		entries[at] = 0;
		count++;
	}
	return count;
}

static enum vkr_result judge_page(struct reading *of, const struct vkr_read_sheet *sheet,
				  size_t page)
{
	const struct vkr_draw_logs *logs = of->sorting->logs;
	struct vkr_engine *engine = of->walk->model->engine;
	uint32_t *entries =
		of->reads->sheets.entries + (size_t)(sheet->pages.items[page] - 1) * VKR_SHEET_PAGE;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < VKR_SHEET_PAGE && result == VKR_OK && !of->odd; at++) {
		if (entries[at] == 0)
			continue;
		const struct vkr_draw_invocation *reader =
			&logs->invocations.items[entries[at] - 1];
		const struct vkr_engine_run run = {.site = sheet->site,
						   .local = reader->local,
						   .count = take_run(of, sheet, entries, at),
						   .stride = sheet->bytes,
						   .offset = ((uint64_t)page * VKR_SHEET_PAGE + at)
							     << sheet->shift,
						   .target = sheet->target};
		result = vkr_engine_workgroup(engine, logs->touched.items[reader->group],
					      of->walk->error);
		if (result == VKR_OK)
			result = vkr_engine_try_runs(engine, &run, 1, &of->odd, of->walk->error);
	}
	return result;
}

// Judges what was noted, and empties the sheets.
static enum vkr_result judge_sheets(struct reading *of)
{
	struct vkr_read_sheets *sheets = &of->reads->sheets;
	struct vkr_engine *engine = of->walk->model->engine;
	enum vkr_result result = vkr_engine_dispatch_begin(engine, of->walk->command,
							   of->local_size, 0, of->walk->error);
	if (result != VKR_OK)
		return result;
	for (size_t at = 0; at < sheets->count; at++) {
		const struct vkr_read_sheet *sheet = &sheets->items[at];
		for (size_t page = 0; page < sheet->pages.count && result == VKR_OK && !of->odd;
		     page++)
			if (sheet->pages.items[page] != 0)
				result = judge_page(of, sheet, page);
	}
	vkr_engine_dispatch_end(engine);
	vkr_read_sheets_clear(sheets);
	return result;
}

// ---- Noting -------------------------------------------------------------------------------------

// Gives the invocation under way, which stands for others, its number.
static enum vkr_result number_reader(struct reading *of)
{
	struct vkr_draw_invocation *reader = &of->sorting->logs->invocations.items[of->invocation];
	const uint32_t *words = of->chunks[reader->first_chunk].words;
	if (reader->group != UINT32_MAX)
		return VKR_OK;
	if (!vkr_draw_number(of->sorting, reader, words + VKR_CHUNK_HEADER_WORDS))
		return vkr_error_memory(of->walk->error, "the invocations of a draw");
	if (reader->local >= of->local_size)
		of->local_size = reader->local + 1;
	return VKR_OK;
}

static enum vkr_result note(struct reading *of, uint32_t sheet, uint64_t offset)
{
	struct vkr_read_sheets *sheets = &of->reads->sheets;
	enum vkr_sheet_note noted =
		vkr_read_sheet_note(sheets, &sheets->items[sheet], offset, of->invocation);
	if (noted == VKR_SHEET_FULL) {
		const enum vkr_result result = judge_sheets(of);
		if (result != VKR_OK || of->odd)
			return result;
		noted = vkr_read_sheet_note(sheets, &sheets->items[sheet], offset, of->invocation);
	}
	if (noted == VKR_SHEET_KNOWN)
		return VKR_OK;
	return noted == VKR_SHEET_NOTED ? number_reader(of)
					: vkr_error_memory(of->walk->error, "the reads of a draw");
}

static unsigned low_bit(uint32_t bytes)
{
	return (unsigned)__builtin_ctz(bytes | 1u << 31);
}

// The sheet of an access's site and target in *sheet.
static enum vkr_result find_sheet(struct reading *of, const struct vkr_program_access *access,
				  const struct vkr_engine_run *like, uint32_t bytes, unsigned shift,
				  uint32_t *sheet)
{
	struct vkr_read_sheets *sheets = &of->reads->sheets;
	const size_t before = sheets->count;
	*sheet = vkr_read_sheet(sheets, (size_t)(access - of->program->accesses), like, bytes,
				shift);
	if (*sheet == UINT32_MAX)
		return vkr_error_memory(of->walk->error, "the reads of a draw");
	of->odd = of->odd || (sheets->count > before && is_attachment(of->walk, like->target));
	return VKR_OK;
}

// As vkr_replay_texels looks for them.
static enum vkr_result read_places(struct reading *of, struct vkr_program_access *access,
				   const uint32_t *record)
{
	struct vkr_texel_places *places = of->reads->places;
	enum vkr_result result = VKR_OK;
	vkr_texel_places_find(of->targets, access, record + access->word, places);
	of->replay->unknown_texels += places->is_unknown;
	if (places->possible != NULL &&
	    !vkr_possible_texels_note(&of->replay->possible, places->possible, access))
		return vkr_error_memory(of->walk->error, "texels");
	for (uint32_t at = 0; at < places->count && result == VKR_OK && !of->odd; at++) {
		const struct vkr_texel_place *place = &places->items[at];
		const struct vkr_texel_sites *sites = NULL;
		const unsigned shift = low_bit(place->bytes);
		uint32_t sheet = 0;
		result = vkr_program_texel_sites(of->program, access, place->bytes, &sites,
						 of->walk->error);
		if (result == VKR_OK)
			result = find_sheet(of, access,
					    &(struct vkr_engine_run){.site = sites->site,
								     .target = place->target},
					    place->bytes, shift, &sheet);
		of->odd = of->odd || place->offset % (UINT64_C(1) << shift) != 0;
		if (result == VKR_OK && !of->odd)
			result = note(of, sheet, place->offset);
	}
	return result;
}

static enum vkr_result make_plan(struct reading *of, struct vkr_program_access *access,
				 struct vkr_draw_read *read)
{
	struct vkr_texel_plan *plan = &read->plan;
	const struct vkr_texel_sites *sites = NULL;
	read->made = true;
	vkr_texel_plan_make(of->targets, access, plan);
	if (plan->kind == VKR_PLAN_NONE)
		return VKR_OK;
	const unsigned shift = low_bit(plan->bytes);
	uint64_t aligned = 0;
	for (uint32_t mip = 0; mip < plan->level_count; mip++)
		aligned |= plan->levels[mip].base | plan->levels[mip].pitch;
	if (aligned % (UINT64_C(1) << shift) != 0) {
		plan->kind = VKR_PLAN_NONE;
		return VKR_OK;
	}
	const enum vkr_result result =
		vkr_program_texel_sites(of->program, access, plan->bytes, &sites, of->walk->error);
	if (result != VKR_OK)
		return result;
	return find_sheet(of, access,
			  &(struct vkr_engine_run){.site = sites->site, .target = plan->target},
			  plan->bytes, shift, &read->sheet);
}

static enum vkr_result read_texels(struct reading *of, struct vkr_program_access *access,
				   const uint32_t *record)
{
	struct vkr_draw_read *read =
		&of->reads->accesses.items[(size_t)(access - of->program->accesses)];
	uint64_t offsets[VKR_PLAN_TEXELS];
	uint32_t count = 0;
	bool possible = false;
	enum vkr_result result = read->made ? VKR_OK : make_plan(of, access, read);
	if (result != VKR_OK || of->odd)
		return result;
	if (!vkr_texel_plan_find(&read->plan, record, offsets, &count, &possible))
		return read_places(of, access, record);
	if (possible && !read->plan.bound->possible &&
	    !vkr_possible_texels_note(&of->replay->possible, read->plan.bound, access))
		return vkr_error_memory(of->walk->error, "texels");
	for (uint32_t at = 0; at < count && result == VKR_OK && !of->odd; at++)
		result = note(of, read->sheet, offsets[at]);
	return result;
}

static enum vkr_result read_buffer(struct reading *of, struct vkr_program_access *access,
				   const uint32_t *record)
{
	// Words and what is smaller, wherever they begin.
	const unsigned of_bytes = low_bit(access->bytes), shift = of_bytes < 2 ? of_bytes : 2;
	const uint32_t offset = access->addend + record[access->offset_word];
	const uint32_t element = access->arrayed ? record[access->word] : 0;
	const struct vkr_engine_target *target =
		vkr_dispatch_target(of->targets, access->variable, element);
	uint32_t sheet = 0;
	if (target == NULL)
		return VKR_OK;
	of->replay->out_of_range += (uint64_t)offset + access->bytes > target->bytes;
	if (offset >= target->bytes)
		return VKR_OK;
	of->odd = of->odd || offset % (1u << shift) != 0;
	const enum vkr_result result = find_sheet(
		of, access, &(struct vkr_engine_run){.site = access->site, .target = target},
		access->bytes, shift, &sheet);
	return result != VKR_OK || of->odd ? result : note(of, sheet, offset);
}

// ---- Records ------------------------------------------------------------------------------------

static enum vkr_result read_record(struct reading *of, const struct vkr_step *step,
				   const uint32_t *record)
{
	enum vkr_result result = VKR_OK;
	for (;; step++) {
		for (uint32_t at = 0; at < step->access_count; at++) {
			struct vkr_program_access *access =
				&of->program->accesses[step->first_access + at];
			result = access->texel != NULL ? read_texels(of, access, record)
						       : read_buffer(of, access, record);
			if (result != VKR_OK || of->odd)
				return result;
		}
		if (step->last)
			return VKR_OK;
	}
}

static enum vkr_result read_chunk(struct reading *of, const uint32_t *words)
{
	const struct vkr_program *program = of->program;
	const uint32_t header = program->header_words;
	enum vkr_result result = VKR_OK;
	if (words[3] < header || (words[3] - header) % 2 != 0) {
		of->odd = true; // damage is told by who replays it
		return VKR_OK;
	}
	uint32_t left = (words[3] - header) / 2;
	const uint32_t *at = words + header;
	while (left > 0 && *at != 0 && result == VKR_OK && !of->odd) {
		const uint32_t segment = *at - 1;
		if (segment >= program->segment_count ||
		    program->starts[segment].words / 2 >= left) {
			of->odd = true;
			return VKR_OK;
		}
		const struct vkr_segment_start *start = &program->starts[segment];
		const uint32_t pairs = start->words / 2 + 1;
		result = read_record(of, start->step, at + 1);
		at += 2 * (size_t)pairs;
		left -= pairs;
	}
	return result;
}

static enum vkr_result read_invocation(struct reading *of)
{
	const struct vkr_draw_invocation *invocation =
		&of->sorting->logs->invocations.items[of->invocation];
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < invocation->chunk_count; at++) {
		const struct vkr_chunk *chunk = &of->chunks[invocation->first_chunk + at];
		for (uint32_t i = 0; i < chunk->count && result == VKR_OK && !of->odd; i++)
			result = read_chunk(of, chunk->words + (size_t)i * chunk->words[3]);
	}
	return result;
}

static bool begin(struct reading *of)
{
	struct vkr_draw_reads *reads = of->reads;
	const size_t count = of->program->shader->sites->site_count;
	if (reads->places == NULL)
		reads->places = malloc(sizeof *reads->places);
	reads->accesses.count = 0;
	if (reads->places == NULL || !VKR_ARRAY_RESERVE(&reads->accesses, count) ||
	    !vkr_read_sheets_begin(&reads->sheets, count) ||
	    !vkr_replay_begin(of->replay, of->targets))
		return false;
	if (count > 0)
		memset(reads->accesses.items, 0, count * sizeof *reads->accesses.items);
	reads->accesses.count = count;
	vkr_draw_numbers_begin(of->sorting->logs);
	return true;
}

static enum vkr_result read_all(struct reading *of)
{
	const struct vkr_draw_logs *logs = of->sorting->logs;
	enum vkr_result result = VKR_OK;
	if (!begin(of))
		return vkr_error_memory(of->walk->error, "the reads of a draw");
	for (size_t at = 0; at < logs->invocations.count && result == VKR_OK && !of->odd; at++) {
		of->invocation = (uint32_t)at;
		if (logs->invocations.items[at].shader == of->sorting->shader)
			result = read_invocation(of);
	}
	return result == VKR_OK && !of->odd ? judge_sheets(of) : result;
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
	enum vkr_result result = vkr_walk_targets(walk, &log, &bound);
	struct reading of = {.sorting = sorting,
			     .walk = walk,
			     .reads = &walk->model->draw_reads,
			     .replay = &walk->model->replay,
			     .program = sorting->program,
			     .chunks = chunks,
			     .targets = &bound.targets,
			     .local_size = 1};
	if (result == VKR_OK)
		result = read_all(&of);
	*judged = !of.odd;
	if (result == VKR_OK && *judged)
		result = vkr_walk_replayed(walk, &bound.targets);
	if (result == VKR_OK && !vkr_dispatch_targets_whole(&bound.targets))
		result = vkr_error_memory(walk->error, "a draw");
	vkr_walk_targets_finish(&bound);
	return result;
}
