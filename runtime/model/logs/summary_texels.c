// SPDX-License-Identifier: Apache-2.0
// Accesses of a summary to texels, and the sizes of what is bound. Knows registers, views and
// accesses; nothing of control flow.
#include "array.h"
#include "error.h"
#include "image_layout.h"
#include "noted_texels.h"
#include "site_table.h"
#include "summary_state.h"
#include "texel_rows.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

#define PACKED_MOST 0xffffu

// ---- Sizes --------------------------------------------------------------------------------------

// SPIR-V's Dim, by how many coordinates name a texel of it, layers not counted.
static uint32_t axes_of(const struct vkr_variable *variable)
{
	static const uint8_t axes[] = {1, 2, 3, 2, 2, 1, 2};
	return variable->dim < sizeof axes ? axes[variable->dim] : 2;
}

bool vkr_summary_size_find(struct vkr_dispatch_targets *targets,
			   const struct vkr_summary_operation *operation, uint32_t element,
			   uint32_t *size)
{
	const uint32_t component = operation->c & 3, level = operation->c >> 2;
	const struct vkr_variable *variable =
		&vkr_site_table_variables(targets->program->shader->sites)[operation->a];
	uint32_t extent[3] = {0};
	*size = 0;
	if (variable->kind == VKR_VARIABLE_BUFFER) { // maxStorageBufferRange has 32 bits
		const struct vkr_engine_target *buffer =
			vkr_dispatch_target(targets, operation->a, element);
		*size = buffer != NULL ? (uint32_t)buffer->bytes : 0;
		return true;
	}
	const struct vkr_bound_texels *bound = vkr_dispatch_texels(targets, operation->a, element);
	if (bound == NULL || bound->kind == VKR_BOUND_NOTHING)
		return true;
	if (bound->kind == VKR_BOUND_UNKNOWN)
		return false;
	if (bound->kind == VKR_BOUND_BUFFER) {
		if (bound->texel_bytes > 0)
			*size = (uint32_t)(bound->planes[0].bytes / bound->texel_bytes);
		return true;
	}
	const bool is_cube = bound->view->type == VK_IMAGE_VIEW_TYPE_CUBE ||
			     bound->view->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
	vkr_view_extent(bound->view, level, extent);
	*size = component < axes_of(variable) ? extent[component]
		: is_cube                     ? extent[2] / 6
					      : extent[2];
	return true;
}

static uint32_t size_of(struct vkr_summary_running *running,
			const struct vkr_summary_operation *operation, uint32_t element)
{
	uint32_t size = 0;
	if (!vkr_summary_size_find(running->work->targets, operation, element, &size))
		running->work->replay->unknown_texels++;
	return size;
}

void vkr_summary_size(struct vkr_summary_running *running,
		      const struct vkr_summary_operation *operation)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_summary_space *space = &state->space;
	struct vkr_form form = {0};
	uint32_t element = 0;
	uint8_t moves = 0;
	const uint32_t *elements =
		vkr_summary_list(space, operation->b, state->words, &element, &moves);
	if (elements == NULL) {
		form.constant = size_of(running, operation, element);
		vkr_summary_set(space, operation, &form);
		return;
	}
	for (uint32_t local = 0; local < space->local_size; local++)
		state->words[local] =
			space->mask[local] ? size_of(running, operation, elements[local]) : 0;
	vkr_summary_set_list(space, operation, state->words, moves);
}

// ---- Accesses -----------------------------------------------------------------------------------

// Each word's values by invocation.
static void take_words(struct vkr_summary_state *state, struct vkr_texel_lanes *lanes,
		       uint8_t axes[VKR_SUMMARY_TEXEL_WORDS])
{
	const struct vkr_summary_space *space = &state->space;
	for (uint32_t word = 0; word < state->texel_word_count; word++) {
		const uint32_t reg = state->texel_words[word];
		uint32_t *own = state->texel_lanes + (size_t)word * space->local_size, value = 0;
		uint8_t moves = 0;
		lanes->words[word] = vkr_summary_list(space, reg, own, &value, &moves);
		lanes->errors[word] = space->registers[reg].error;
		axes[word] = moves;
		if (lanes->words[word] != NULL)
			continue;
		for (uint32_t local = 0; local < space->local_size; local++)
			own[local] = value;
		lanes->words[word] = own;
	}
}

// The words of one invocation as they would have been logged.
static void make_record(const struct vkr_program_access *access,
			const struct vkr_texel_lanes *lanes, uint32_t words, uint32_t lane,
			uint32_t *record)
{
	const uint32_t x = access->arrayed; // its word
	uint32_t count = 0;
	for (uint32_t word = 0; word < words; word++) {
		const uint32_t value = lanes->words[word][lane];
		const bool is_packed =
			access->texel->flags & VKR_TEXEL_PACKED && (word == x || word == x + 1);
		const uint32_t most = value < PACKED_MOST ? value : PACKED_MOST;
		if (is_packed && word == x + 1)
			record[count - 1] |= most << 16;
		else
			record[count++] = is_packed ? most : value;
	}
}

// Accesses that rows know nothing of, one by one.
static enum vkr_result do_records(struct vkr_summary_running *running,
				  struct vkr_program_access *access,
				  const struct vkr_texel_lanes *lanes, bool noted)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_replay *replay = work->replay;
	enum vkr_result result = vkr_replay_flush(replay, work->engine, work->error);
	replay->copies.count = 0;
	if (!VKR_ARRAY_RESERVE(&replay->copies, access->word + VKR_SUMMARY_TEXEL_WORDS))
		return vkr_error_memory(work->error, "texels");
	const uint32_t *record = replay->copies.items;
	for (uint32_t lane = 0; lane < lanes->count && result == VKR_OK; lane++) {
		const struct vkr_texel_step step = {.access = access,
						    .local = lanes->local + lane,
						    .count = 1,
						    .records = &record};
		make_record(access, lanes, running->state->texel_word_count, lane,
			    replay->copies.items + access->word);
		result = noted ? vkr_noted_texels_note(work, &step)
			       : vkr_replay_texels(replay, work->engine, work->targets, &step,
						   work->error);
	}
	return result;
}

// Which of columns and rows depend on the first component of WorkgroupId; false where one depends
// on others, too, or what else is accessed depends on any.
static bool find_along(const struct vkr_summary_state *state,
		       const struct vkr_program_access *access, const uint8_t *axes, uint8_t *along)
{
	uint8_t of[VKR_ROWS_WORD_FIXED + 1] = {0};
	for (uint32_t word = 0; word < state->texel_word_count; word++)
		of[vkr_texel_rows_words(access, word)] |= axes[word];
	const uint8_t columns = of[VKR_ROWS_WORD_COLUMN], rows = of[VKR_ROWS_WORD_ROW];
	*along = (uint8_t)((columns & 1 ? VKR_COLUMNS_ALONG : 0u) |
			   (rows & 1 ? VKR_ROWS_ALONG : 0u));
	return of[VKR_ROWS_WORD_FIXED] == 0 && (!(columns & 1) || columns == 1) &&
	       (!(rows & 1) || rows == 1);
}

// Has the access recorded, if other workgroups may find their texels by that.
static void begin_record(struct vkr_summary_running *running,
			 const struct vkr_program_access *access, const uint8_t *axes, bool noted)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_replay_work *work = running->work;
	if (!noted || state->repeats.count == 0 || !find_along(state, access, axes, &work->along))
		vkr_pattern_spoil(&work->replay->pattern);
	work->record = NULL;
	if (!work->replay->pattern.taking)
		return;
	// What does not follow from the first component is the pattern's own.
	for (uint32_t word = 0; word < state->texel_word_count; word++)
		if (axes[word] & ~1u)
			vkr_pattern_keep_row(&work->replay->pattern);
	state->texels = true;
	work->record = &state->repeats.items[work->id[0] - running->dispatch->base[0]];
}

enum vkr_result vkr_summary_texel(struct vkr_summary_running *running,
				  const struct vkr_summary_operation *operation)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	const struct vkr_summary_space *space = &state->space;
	struct vkr_program_access *access = work->program->by_site[operation->a];
	struct vkr_texel_lanes all = {.is_apart = true};
	if (running->has_fences)
		for (uint32_t local = 0; local < space->local_size; local++)
			if (space->mask[local])
				vkr_fence_access(&state->fences[local]);
	enum vkr_result result = VKR_OK;
	if (vkr_noted_texels_passes(work, access))
		return VKR_OK;
	const bool noted = vkr_noted_texels_takes(work, access);
	uint8_t axes[VKR_SUMMARY_TEXEL_WORDS];
	take_words(state, &all, axes);
	begin_record(running, access, axes, noted);
	for (uint32_t local = 0; local < space->local_size && result == VKR_OK;) {
		struct vkr_texel_lanes of = all;
		bool done = false;
		if (!space->mask[local]) {
			local++;
			continue;
		}
		const uint32_t *elements = access->arrayed ? all.words[0] : NULL;
		const uint32_t most = vkr_summary_neighbours(space, local);
		of.local = local;
		of.count = elements != NULL ? 1 : most;
		while (of.count < most && elements[local + of.count] == elements[local])
			of.count++;
		for (uint32_t word = 0; word < state->texel_word_count; word++) {
			of.words[word] = all.words[word] + local;
			if (of.count == space->local_size)
				of.samples[word] =
					vkr_summary_samples(space, state->texel_words[word]);
		}
		result = vkr_texel_rows_do(work, access, elements != NULL ? elements[local] : 0,
					   &of, noted, &done);
		if (result == VKR_OK && !done) {
			vkr_pattern_spoil(&work->replay->pattern);
			result = do_records(running, access, &of, noted);
		}
		local += of.count;
	}
	work->record = NULL;
	return result;
}
