// SPDX-License-Identifier: Apache-2.0
// Accesses of a summary: their offsets, as forms or one by one, on to the engine. Knows registers
// and accesses; nothing of control flow.
#include "summary_state.h"

#include "array.h"
#include "error.h"
#include "site_table.h"

#include <stdlib.h>
#include <string.h>

static void summary_access_compute(const struct vkr_form *form, const uint32_t *size,
				   struct vkr_program_access *access)
{
	access->factor = 0;
	access->addend = form->constant;
	memcpy(access->by_group, form->by_group, sizeof access->by_group);
	memcpy(access->by_local, form->by_local, sizeof access->by_local);
	access->is_linear =
		(size[1] == 1 || access->by_local[1] == access->by_local[0] * size[0]) &&
		(size[2] == 1 || access->by_local[2] == access->by_local[0] * size[0] * size[1]);
}

// The offset is in the words of `pairs`.
static void read_list(struct vkr_summary_running *running, const struct vkr_summary_value *value,
		      struct vkr_program_access *access)
{
	struct vkr_summary_state *state = running->state;
	for (uint32_t local = 0; local < state->space.local_size; local++)
		state->pairs[2 * (size_t)local + 1] = value->lanes[local];
	access->factor = 1;
	access->offset_word = 0;
	access->addend = 0;
	memcpy(access->by_group, value->form.by_group, sizeof access->by_group);
	memset(access->by_local, 0, sizeof access->by_local);
	access->is_linear = true;
}

// Offsets that no pattern can use, of neighbours from `local` on.
static enum vkr_result emit_list(struct vkr_replay_work *work,
				 const struct vkr_program_access *access, uint32_t local,
				 uint32_t count, const uint32_t *offsets,
				 const struct vkr_engine_target *target)
{
	const struct vkr_engine_scatter accesses = {.site = access->site,
						    .local = local,
						    .count = count,
						    .offsets = offsets,
						    .target = target};
	vkr_replay_count_beyond(work->replay, access, target, offsets, count);
	return vkr_replay_accesses(work->replay, work->engine, &accesses, work->error);
}

// Accesses of neighbours to one target.
static enum vkr_result emit_access(struct vkr_summary_running *running,
				   const struct vkr_program_access *access,
				   const struct vkr_summary_value *value, uint32_t local,
				   uint32_t count, const struct vkr_engine_target *target)
{
	uint32_t *pairs = running->state->pairs + 2 * (size_t)local;
	struct vkr_row row = {.local = local,
			      .count = count,
			      .size = 2,
			      .pitch = 2,
			      .header = pairs,
			      .record = pairs};
	const struct vkr_span span = {&row, 1, local, count};
	if (target == NULL)
		return VKR_OK;
	if (value->is_list && value->moves)
		return emit_list(running->work, access, local, count, value->lanes + local, target);
	return vkr_replay_span(running->work, access, &span, target);
}

// Which element of a descriptor array invocations access.
struct elements {
	uint32_t element;      // of all of them
	const uint32_t *lanes; // not NULL: one by one
};

static uint32_t element_at(const struct elements *elements, uint32_t local)
{
	return elements->lanes != NULL ? elements->lanes[local] : elements->element;
}

static struct elements elements_of(struct vkr_summary_running *running,
				   const struct vkr_program_access *access,
				   const struct vkr_summary_operation *operation)
{
	struct vkr_summary_state *state = running->state;
	struct elements elements = {0};
	uint8_t moves = 0;
	if (!access->arrayed)
		return elements;
	elements.lanes = vkr_summary_list(&state->space, operation->c, state->words,
					  &elements.element, &moves);
	vkr_summary_depends(running, moves);
	return elements;
}

// How many of the neighbours from `first` on access the same element.
static uint32_t count_alike(const struct elements *elements, uint32_t first, uint32_t count)
{
	uint32_t alike = 1;
	if (elements->lanes == NULL)
		return count;
	while (alike < count && elements->lanes[first + alike] == elements->lanes[first])
		alike++;
	return alike;
}

// Whether those that are here have read the same bytes before, at this site and since the last
// barrier or fence, through a variable that only reads: then nothing new comes of it.
static bool summary_access_repeats(struct vkr_summary_running *running,
				   const struct vkr_program_access *access,
				   const struct vkr_summary_value *value)
{
	struct vkr_summary_state *state = running->state;
	const uint32_t local_size = state->space.local_size;
	const struct vkr_site *site = &vkr_site_table_sites(running->table)[access->table_site];
	const struct vkr_variable *variable =
		&vkr_site_table_variables(running->table)[access->variable];
	if (value->is_list || access->arrayed || site->operation != VKR_SITE_LOAD ||
	    !(variable->flags & VKR_VARIABLE_READ_ONLY))
		return false;
	struct vkr_summary_read *last = &state->reads.items[access->table_site];
	uint8_t *lanes = state->reads.lanes + (size_t)access->table_site * local_size;
	const uint8_t *mask = state->space.mask;
	if (last->interval != state->interval ||
	    memcmp(&last->form, &value->form, sizeof last->form) != 0) {
		*last = (struct vkr_summary_read){state->interval, value->form};
		memcpy(lanes, mask, local_size);
		return false;
	}
	uint8_t more = 0;
	for (uint32_t local = 0; local < local_size; local++) {
		more |= mask[local] & (uint8_t)~lanes[local];
		lanes[local] |= mask[local];
	}
	return more == 0;
}

enum vkr_result vkr_summary_access(struct vkr_summary_running *running,
				   const struct vkr_summary_operation *operation)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	const struct vkr_summary_space *space = &state->space;
	const struct vkr_program_access *known = work->program->by_site[operation->a];
	const struct vkr_summary_value *value = &space->registers[operation->b];
	const struct elements elements = elements_of(running, known, operation);
	if (running->has_fences)
		for (uint32_t local = 0; local < space->local_size; local++)
			if (space->mask[local])
				vkr_fence_access(&state->fences[local]);
	if (!known->arrayed && vkr_dispatch_target(work->targets, known->variable, 0) == NULL)
		return VKR_OK;
	if (summary_access_repeats(running, known, value))
		return VKR_OK;
	const enum vkr_result closed = vkr_summary_close_barrier(running);
	if (closed != VKR_OK || work->again)
		return closed;
	struct vkr_program_access access = *known;
	access.summarized = true;
	if (value->is_list && value->moves)
		vkr_pattern_spoil(&work->replay->pattern);
	else if (value->is_list)
		read_list(running, value, &access);
	else
		summary_access_compute(&value->form, space->size, &access);
	for (uint32_t local = 0; local < space->local_size;) {
		if (!space->mask[local]) {
			local++;
			continue;
		}
		const uint32_t count =
			count_alike(&elements, local, vkr_summary_neighbours(space, local));
		const struct vkr_engine_target *target = vkr_dispatch_target(
			work->targets, known->variable, element_at(&elements, local));
		const enum vkr_result result =
			emit_access(running, &access, value, local, count, target);
		if (result != VKR_OK)
			return result;
		local += count;
	}
	return VKR_OK;
}
