// SPDX-License-Identifier: Apache-2.0
#include "log_traversals.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

// The structure that an invocation has traversed, and through which reference; NULL: not known.
static struct vkr_structure *structure_of(struct vkr_dispatch_targets *targets,
					  const struct vkr_program_access *access,
					  const uint32_t *record, struct vkr_reference *reference)
{
	const uint32_t *words = record + access->word;
	*reference = (struct vkr_reference){.address = true};
	if (access->pointer)
		return vkr_objects_structure_at(targets->objects,
						words[0] | (uint64_t)words[1] << 32);
	if (access->chosen)
		return vkr_dispatch_structure(targets, words[0], words[1], reference);
	return vkr_dispatch_structure(targets, access->variable, access->arrayed ? words[0] : 0,
				      reference);
}

static bool is_same_reference(const struct vkr_reference *a, const struct vkr_reference *b)
{
	return a->address == b->address && a->heap == b->heap && a->set == b->set &&
	       a->binding == b->binding && a->element == b->element;
}

static bool find_targets(struct vkr_replay *replay, struct vkr_dispatch_targets *targets,
			 struct vkr_structure *structure, const struct vkr_reference *reference)
{
	struct vkr_traversal_log *log = replay->traversals;
	if (log == NULL)
		log = replay->traversals = calloc(1, sizeof *log);
	if (log == NULL)
		return false;
	if (log->structure == structure && is_same_reference(&log->reference, reference))
		return true;
	log->structure = structure;
	log->reference = *reference;
	return vkr_traversal_targets(targets->names, structure, reference, &log->traversal);
}

// Invocations local, local + 1, ... have traversed one structure.
static enum vkr_result emit_traversal(struct vkr_replay *replay, struct vkr_engine *engine,
				      struct vkr_dispatch_targets *targets,
				      const struct vkr_texel_step *step, uint32_t at,
				      uint32_t count, struct vkr_error *error)
{
	struct vkr_reference reference;
	struct vkr_structure *structure =
		structure_of(targets, step->access, step->records[at], &reference);
	enum vkr_result result = VKR_OK;
	if (replay->tape != NULL) { // the targets are found anew for each traversal
		replay->tape->missed = true;
		return VKR_ERROR_STOPPED;
	}
	if (structure == NULL) {
		replay->unknown_structures += count;
		return VKR_OK;
	}
	if (!find_targets(replay, targets, structure, &reference))
		return vkr_error_memory(error, "acceleration structures");
	const struct vkr_traversal *traversal = &replay->traversals->traversal;
	replay->unknown_structures += traversal->unknown ? count : 0;
	for (size_t i = 0; i < traversal->count && result == VKR_OK; i++) {
		const struct vkr_engine_target *target = &traversal->items[i];
		const struct vkr_texel_sites *sites = NULL;
		if (target->bytes > UINT32_MAX) {
			replay->unknown_structures += count;
			continue;
		}
		result = vkr_program_texel_sites(targets->program, step->access,
						 (uint32_t)target->bytes, &sites, error);
		if (result == VKR_OK)
			result = vkr_engine_runs(engine,
						 &(struct vkr_engine_run){.site = sites->site,
									  .local = step->local + at,
									  .count = count,
									  .target = target},
						 1, error);
	}
	return result;
}

static bool is_same(const struct vkr_program_access *access, const uint32_t *a, const uint32_t *b)
{
	const size_t words = access->pointer || access->chosen ? 2 : access->arrayed;
	return memcmp(a + access->word, b + access->word, words * sizeof *a) == 0;
}

enum vkr_result vkr_replay_traversals(struct vkr_replay *replay, struct vkr_engine *engine,
				      struct vkr_dispatch_targets *targets,
				      const struct vkr_texel_step *step, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < step->count && result == VKR_OK;) {
		uint32_t count = 1;
		while (at + count < step->count &&
		       is_same(step->access, step->records[at], step->records[at + count]))
			count++;
		result = emit_traversal(replay, engine, targets, step, at, count, error);
		at += count;
	}
	return result;
}

void vkr_traversal_log_forget(struct vkr_replay *replay)
{
	if (replay->traversals != NULL)
		replay->traversals->structure = NULL;
}

void vkr_traversal_log_destroy(struct vkr_traversal_log *log)
{
	if (log != NULL)
		vkr_traversal_finish(&log->traversal);
	free(log);
}
