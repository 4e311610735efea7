// SPDX-License-Identifier: Apache-2.0
#include "summary_state.h"

#include <stdlib.h>

static void free_lanes(struct vkr_summary_state *state)
{
	free(state->at);
	free(state->pairs);
	free(state->fences);
	free(state->places);
	free(state->words);
	free(state->texel_lanes);
	state->texel_lanes = NULL;
	state->places = NULL;
	state->words = NULL;
	state->at = state->pairs = NULL;
	state->fences = NULL;
	state->lanes_size = 0;
}

bool vkr_summary_state_reads(struct vkr_summary_state *state, size_t sites, uint32_t local_size)
{
	if (sites <= state->reads.count && local_size == state->reads.local_size)
		return true;
	free(state->reads.items);
	free(state->reads.lanes);
	state->reads.items = calloc(sites, sizeof *state->reads.items);
	state->reads.lanes = calloc(sites, local_size);
	state->reads.local_size = local_size;
	state->reads.count = state->reads.items != NULL && state->reads.lanes != NULL ? sites : 0;
	return state->reads.count == sites;
}

void vkr_summary_state_destroy(struct vkr_summary_state *state)
{
	if (state == NULL)
		return;
	free_lanes(state);
	free(state->reads.items);
	free(state->reads.lanes);
	vkr_summary_space_finish(&state->space);
	vkr_texel_repeats_finish(&state->repeats);
	vkr_summary_reach_finish(&state->reach);
	free(state);
}

bool vkr_summary_state_lanes(struct vkr_summary_state *state, uint32_t local_size)
{
	if (local_size <= state->lanes_size)
		return true;
	free_lanes(state);
	state->at = calloc(local_size, sizeof *state->at);
	state->pairs = calloc(local_size, 2 * sizeof *state->pairs);
	state->fences = calloc(local_size, sizeof *state->fences);
	state->places = calloc(local_size, sizeof *state->places);
	state->words = calloc(local_size, sizeof *state->words);
	state->texel_lanes =
		calloc(local_size, VKR_SUMMARY_TEXEL_WORDS * sizeof *state->texel_lanes);
	if (state->at == NULL || state->pairs == NULL || state->fences == NULL ||
	    state->places == NULL || state->words == NULL || state->texel_lanes == NULL)
		return false;
	state->lanes_size = local_size;
	return true;
}
