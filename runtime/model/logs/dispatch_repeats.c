// SPDX-License-Identifier: Apache-2.0
#include "dispatch_repeats.h"

#include "array.h"
#include "descriptor_sets.h"
#include "dispatch_effect.h"
#include "engine_parts.h"
#include "error.h"
#include "map.h"
#include "possible_texels.h"
#include "site_summary.h"
#include "site_table.h"

#include <stdlib.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY // the size of XXH3_state_t
#include <xxhash.h>

// Dispatches that are told apart; where there are more, those that came up longest ago go.
#define ENTRIES_MOST 4096u

// Bytes of all effects: beyond that, the one that came up longest ago goes.
#define BYTES_MOST (UINT64_C(256) << 20)

// While they are fewer, also what a dispatch does the first time is kept, if it makes at least as
// many accesses: where nothing is logged, one that comes up again is likely to be like it.
#define BYTES_EARLY    (UINT64_C(32) << 20)
#define ACCESSES_EARLY 4096u

// A page of shadow memory takes as long to compare and make again as so many accesses to judge; a
// few pages do not matter.
#define PAGE_ACCESSES 16u
#define PAGES_LEAST   8u

// After so many times in which no effect could be made again, one is looked for seldom.
#define FAILURES_MOST 4u
#define SELDOM        16u

// Of a shader whose logs have not repeated for so many dispatches, few are looked at.
#define MISSES_MOST 16u
#define LOOK_EVERY  17u

// Hashing more bytes of a log takes as long as judging an access. A shader that logs more, and
// much, is left alone.
#define BYTES_AN_ACCESS 32u
#define BYTES_LEAST     65536u
#define LEFT_ALONE      UINT64_MAX

// Elements of a variable: all of them are looked at.
#define ELEMENTS_MOST 64u

// The first dispatch of a frame finds other things than the next ones.
#define EFFECTS_MOST 4u

// Samples through an element of a variable may read more than was judged (possible_texels.h).
struct possible {
	struct vkr_program_access *access;
	uint32_t element;
};

struct entry {
	XXH128_hash_t key;
	struct {
		struct possible *items;
		size_t count, capacity;
	} possible;
	struct vkr_beyond beyond;
	// What it did in the states of memory in which it came up, the last one first.
	struct vkr_effect *effects[EFFECTS_MOST];
	uint32_t effect_count;
	uint64_t last;            // when it came up, among all
	uint64_t accesses;        // as many as it has made
	uint32_t times, failures; // ever; since an effect was made again
	uint64_t mixed;           // ranges of which some reads wait and others do not
};

struct vkr_dispatch_repeats {
	struct {
		struct entry *items;
		size_t count, capacity;
	} entries;
	struct vkr_map by_key; // low half -> index
	struct vkr_map misses; // shader -> dispatches since a log of it has repeated, or LEFT_ALONE
	uint64_t clock;
	uint64_t bytes; // of effects
	uint64_t done;  // dispatches that were not judged
	struct {
		struct vkr_effect_use *items;
		size_t count, capacity;
	} uses; // of the dispatch under way
	// Under way: the entry's index, its effect that is being looked at or NULL, what the engine
	// had counted before, and what was logged.
	size_t at;
	bool is_open;
	struct vkr_effect *effect;
	uint64_t accesses;
	uint32_t shader;
	uint64_t log_bytes;
};

static void drop_last_effect(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
			     struct entry *entry)
{
	struct vkr_effect *effect = entry->effects[--entry->effect_count];
	repeats->bytes -= vkr_effect_bytes(effect);
	vkr_effect_destroy(engine, effect);
}

static void drop_effects(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
			 struct entry *entry)
{
	while (entry->effect_count > 0)
		drop_last_effect(repeats, engine, entry);
}

static void finish_entry(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
			 struct entry *entry)
{
	drop_effects(repeats, engine, entry);
	free(entry->possible.items);
}

// Puts an effect before the first `behind` ones.
static void put_first(struct entry *entry, struct vkr_effect *effect, uint32_t behind)
{
	memmove(&entry->effects[1], &entry->effects[0], behind * sizeof *entry->effects);
	entry->effects[0] = effect;
}

void vkr_dispatch_repeats_destroy(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine)
{
	if (repeats == NULL)
		return;
	for (size_t i = 0; i < repeats->entries.count; i++)
		finish_entry(repeats, engine, &repeats->entries.items[i]);
	vkr_effect_destroy(engine, repeats->effect);
	vkr_map_finish(&repeats->by_key);
	vkr_map_finish(&repeats->misses);
	free(repeats->entries.items);
	free(repeats->uses.items);
	free(repeats);
}

uint64_t vkr_dispatch_repeats_done(const struct vkr_dispatch_repeats *repeats)
{
	return repeats != NULL ? repeats->done : 0;
}

// ---- What a dispatch is given -------------------------------------------------------------------

static const struct vkr_variable *variable_of(const struct vkr_dispatch_targets *targets,
					      uint32_t variable)
{
	return &vkr_site_table_variables(targets->program->shader->sites)[variable];
}

static bool add_use(struct vkr_dispatch_repeats *repeats, uint32_t site,
		    const struct vkr_engine_target *target)
{
	if (!VKR_ARRAY_RESERVE(&repeats->uses, 1))
		return false;
	repeats->uses.items[repeats->uses.count++] = (struct vkr_effect_use){site, *target};
	return true;
}

// Takes up what an access through an element of its variable reaches. False where that is more than
// a range of memory, or for lack of memory. Sites of texels that are made later are seen by
// vkr_effect_end.
static bool add_element(struct vkr_dispatch_repeats *repeats, struct vkr_dispatch_targets *targets,
			const struct vkr_program_access *access, uint32_t element)
{
	struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
	const uint32_t count = vkr_dispatch_ranges(targets, access->variable, element, ranges);
	if (count == 0 || ranges[0].memory == VKR_ENGINE_WORKGROUP)
		return true;
	if (count > 1 || !vkr_dispatch_is_in_set(targets, access->variable))
		return false;
	if (access->texel == NULL)
		return add_use(repeats, access->site, &ranges[0]);
	for (const struct vkr_texel_sites *at = access->texel_sites; at != NULL; at = at->next)
		if (!add_use(repeats, at->site, &ranges[0]))
			return false;
	return true;
}

// Which elements a variable has; false: they are too many, or in a heap.
static bool count_elements(const struct vkr_dispatch_targets *targets, uint32_t variable,
			   uint32_t *count)
{
	*count = targets->variables[variable].count;
	return *count <= ELEMENTS_MOST && !(variable_of(targets, variable)->flags &
					    (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA));
}

// Takes up what an access reaches through any element that it may choose.
static bool add_access(struct vkr_dispatch_repeats *repeats, struct vkr_dispatch_targets *targets,
		       const struct vkr_program_access *access)
{
	uint32_t count = 1;
	if (access->arrayed && !count_elements(targets, access->variable, &count))
		return false;
	for (uint32_t element = 0; element < count; element++)
		if (!add_element(repeats, targets, access, element))
			return false;
	return true;
}

// Takes up what all sites access. False where that cannot be told, or there is nothing.
static bool find_uses(struct vkr_dispatch_repeats *repeats, struct vkr_dispatch_targets *targets)
{
	const struct vkr_program *program = targets->program;
	const struct vkr_shader *shader = program->shader;
	repeats->uses.count = 0;
	if (shader->orders_invocations || shader->orders_workgroups || shader->orders_calls ||
	    shader->orders_commands || shader->carries_on || shader->counts_apart ||
	    program->subgroup_segment != 0)
		return false;
	for (uint32_t site = 0; site < shader->sites->site_count; site++) {
		const struct vkr_program_access *access = vkr_dispatch_access(targets, site);
		if (access != NULL &&
		    (!vkr_access_is_alone(access) || !add_access(repeats, targets, access)))
			return false;
	}
	return repeats->uses.count > 0;
}

static void hash_words(XXH3_state_t *state, const void *words, size_t bytes)
{
	XXH3_128bits_update(state, words, bytes);
}

static void hash_uses(XXH3_state_t *state, const struct vkr_dispatch_repeats *repeats)
{
	for (size_t i = 0; i < repeats->uses.count; i++) {
		const struct vkr_effect_use *use = &repeats->uses.items[i];
		const uint64_t of[4] = {(uint64_t)use->site << 32 | use->target.memory,
					use->target.reference, use->target.base, use->target.bytes};
		hash_words(state, of, sizeof of);
	}
}

// What it is made of.
static void hash_sampler(XXH3_state_t *state, const struct vkr_sampler *sampler)
{
	const size_t first = offsetof(struct vkr_trace_sampler, create_flags);
	if (sampler != NULL)
		hash_words(state, (const char *)&sampler->made + first,
			   sizeof sampler->made - first);
}

static void hash_texels(XXH3_state_t *state, const struct vkr_bound_texels *bound)
{
	if (bound == NULL)
		return;
	const uint32_t of[3] = {(uint32_t)bound->kind, bound->texel_bytes,
				bound->view != NULL ? bound->view->reference : 0};
	hash_words(state, of, sizeof of);
	hash_sampler(state, bound->sampler);
}

static void hash_element(XXH3_state_t *state, struct vkr_dispatch_targets *targets,
			 uint32_t variable, uint32_t element)
{
	const uint32_t of[2] = {variable, element};
	hash_words(state, of, sizeof of);
	if (variable_of(targets, variable)->kind == VKR_VARIABLE_SAMPLER)
		hash_sampler(state, vkr_dispatch_sampler(targets, variable, element));
	else
		hash_texels(state, vkr_dispatch_texels(targets, variable, element));
}

// Through which views and samplers texels are found. False where that cannot be told.
static bool hash_views(XXH3_state_t *state, struct vkr_dispatch_targets *targets)
{
	for (uint32_t at = 0; at < targets->program->shader->sites->variable_count; at++) {
		const uint32_t kind = variable_of(targets, at)->kind;
		uint32_t count = 0;
		if (kind < VKR_VARIABLE_STORAGE_IMAGE || kind > VKR_VARIABLE_SAMPLER)
			continue;
		if (!count_elements(targets, at, &count))
			return false;
		for (uint32_t element = 0; element < count; element++)
			hash_element(state, targets, at, element);
	}
	return true;
}

static void hash_summary(XXH3_state_t *state, const struct vkr_program *program,
			 const struct vkr_summary_dispatch *summary)
{
	hash_words(state, summary->base, sizeof summary->base);
	hash_words(state, summary->groups, sizeof summary->groups);
	hash_words(state, &summary->pushed_count, sizeof summary->pushed_count);
	hash_words(state, summary->pushed, summary->pushed_count * sizeof *summary->pushed);
	hash_words(state, summary->uniforms,
		   vkr_site_summary_uniforms(program->shader->sites) * sizeof *summary->uniforms);
}

// What was logged by columns: chunks say where in the log they are.
static bool hash_log(XXH3_state_t *state, const struct vkr_chunk *chunks, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		const struct vkr_chunk *chunk = &chunks[at];
		const uint32_t head[5] = {vkr_chunk_workgroup(chunk), chunk->count, chunk->columns,
					  chunk->groups[0], chunk->groups[1]};
		if (chunk->columns == 0)
			return false;
		hash_words(state, head, sizeof head);
		for (uint32_t column = 0; column < chunk->columns; column++)
			hash_words(state, chunk->words + column * chunk->pitch,
				   (size_t)2 * chunk->count * sizeof *chunk->words);
	}
	return true;
}

static const struct vkr_chunk *chunks_of(const struct vkr_dispatch_run *run, size_t *count)
{
	*count = run->summary != NULL ? run->summary->count : run->count;
	return run->summary != NULL ? run->summary->chunks : run->chunks;
}

// Whether it is worth while to look for what the log says.
static bool is_expected(const struct vkr_dispatch_repeats *repeats,
			const struct vkr_dispatch_run *run)
{
	uint64_t misses = 0;
	size_t count;
	chunks_of(run, &count);
	return count == 0 ||
	       !vkr_map_get(&repeats->misses, run->targets->program->shader->id, &misses) ||
	       misses < MISSES_MOST || (misses != LEFT_ALONE && misses % LOOK_EVERY == 0);
}

// Notes whether the log has repeated. False for lack of memory.
static bool note_miss(struct vkr_dispatch_repeats *repeats, const struct vkr_dispatch_run *run,
		      bool repeated)
{
	const uint32_t shader = run->targets->program->shader->id;
	uint64_t misses = 0;
	vkr_map_get(&repeats->misses, shader, &misses);
	return misses == LEFT_ALONE ||
	       vkr_map_set(&repeats->misses, shader, repeated ? 0 : misses + 1);
}

// A hash of all that decides what the dispatch accesses. False where that cannot be told.
static bool find_key(struct vkr_dispatch_repeats *repeats, const struct vkr_dispatch_run *run,
		     XXH128_hash_t *key)
{
	struct vkr_dispatch_targets *targets = run->targets;
	const struct vkr_summary_dispatch *summary = run->summary;
	const uint64_t given[4] = {(uint64_t)(uintptr_t)targets->program,
				   (uint64_t)targets->local_size << 32 | targets->subgroup_size,
				   (uint64_t)targets->robust << 1 | (summary != NULL), run->count};
	XXH3_state_t state;
	XXH3_INITSTATE(&state);
	XXH3_128bits_reset(&state);
	hash_words(&state, given, sizeof given);
	hash_words(&state, targets->base, sizeof targets->base);
	hash_uses(&state, repeats);
	if (!hash_views(&state, targets))
		return false;
	if (summary != NULL)
		hash_summary(&state, targets->program, summary);
	size_t count;
	const struct vkr_chunk *chunks = chunks_of(run, &count);
	if (!hash_log(&state, chunks, count))
		return false;
	*key = XXH3_128bits_digest(&state);
	return true;
}

// ---- Entries ------------------------------------------------------------------------------------

// Makes room by forgetting the half that came up longest ago.
static void forget_old(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine)
{
	size_t kept = 0;
	for (size_t i = 0; i < repeats->entries.count; i++) {
		struct entry *entry = &repeats->entries.items[i];
		if (repeats->clock - entry->last >= ENTRIES_MOST / 2) {
			finish_entry(repeats, engine, entry);
			vkr_map_remove(&repeats->by_key, entry->key.low64);
			continue;
		}
		vkr_map_set(&repeats->by_key, entry->key.low64, kept);
		repeats->entries.items[kept++] = *entry;
	}
	repeats->entries.count = kept;
}

// The entry of a key, new or old; NULL for lack of memory.
static struct entry *entry_of(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
			      XXH128_hash_t key)
{
	uint64_t at = 0;
	repeats->clock++;
	if (!vkr_map_get(&repeats->by_key, key.low64, &at)) {
		if (repeats->entries.count == ENTRIES_MOST)
			forget_old(repeats, engine);
		at = repeats->entries.count;
		if (!VKR_ARRAY_RESERVE(&repeats->entries, 1) ||
		    !vkr_map_set(&repeats->by_key, key.low64, at))
			return NULL;
		repeats->entries.items[repeats->entries.count++] = (struct entry){.key = key};
	}
	struct entry *entry = &repeats->entries.items[at];
	if (entry->key.high64 != key.high64) {
		finish_entry(repeats, engine, entry);
		*entry = (struct entry){.key = key};
	}
	entry->last = repeats->clock;
	entry->times++;
	repeats->at = (size_t)at;
	return entry;
}

// How many accesses the dispatch makes; the first time, one an invocation.
static uint64_t expect_accesses(const struct entry *entry, const struct vkr_dispatch_run *run)
{
	const uint32_t *groups = run->summary != NULL ? run->summary->groups : NULL;
	if (entry->times > 1 || groups == NULL)
		return entry->accesses;
	return (uint64_t)groups[0] * groups[1] * groups[2] * run->targets->local_size;
}

// Whether to look at what this time of the dispatch does.
static bool is_worth_it(const struct vkr_dispatch_repeats *repeats, const struct entry *entry,
			uint64_t accesses, size_t chunks)
{
	if (entry->times == 1)
		return chunks == 0 && accesses >= ACCESSES_EARLY && repeats->bytes < BYTES_EARLY;
	return entry->failures <= FAILURES_MOST || entry->times % SELDOM == 0;
}

// Makes one of the entry's effects again. *done: there was one that could be.
static enum vkr_result make_again(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
				  struct entry *entry, bool *done, struct vkr_error *error)
{
	for (uint32_t i = 0; i < entry->effect_count; i++) {
		struct vkr_effect *effect = entry->effects[i];
		const enum vkr_result result = vkr_effect_repeat(engine, effect, done, error);
		if (result != VKR_OK)
			return result;
		if (!*done)
			continue;
		put_first(entry, effect, i);
		entry->failures = 0;
		repeats->done++;
		return VKR_OK;
	}
	entry->failures += entry->effect_count > 0;
	return VKR_OK;
}

enum vkr_result vkr_dispatch_repeats_begin(struct vkr_dispatch_repeats **repeats,
					   struct vkr_engine *engine,
					   const struct vkr_dispatch_run *run, bool *done,
					   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	XXH128_hash_t key;
	*done = false;
	if (*repeats == NULL)
		*repeats = calloc(1, sizeof **repeats);
	struct vkr_dispatch_repeats *all = *repeats;
	if (all == NULL)
		return vkr_error_memory(error, "dispatches that repeat");
	all->is_open = false;
	if (!find_uses(all, run->targets))
		return VKR_OK;
	const bool looks = is_expected(all, run) && find_key(all, run, &key);
	struct entry *entry = looks ? entry_of(all, engine, key) : NULL;
	if ((looks && entry == NULL) || !note_miss(all, run, looks && entry->times > 1))
		return vkr_error_memory(error, "dispatches that repeat");
	if (!looks)
		return VKR_OK;
	result = make_again(all, engine, entry, done, error);
	if (result != VKR_OK || *done)
		return result;
	all->is_open = true;
	all->effect = NULL;
	all->accesses = vkr_engine_accesses(engine);
	all->shader = run->targets->program->shader->id;
	size_t count;
	const struct vkr_chunk *chunks = chunks_of(run, &count);
	all->log_bytes = vkr_chunks_bytes(chunks, count);
	const uint64_t accesses = expect_accesses(entry, run);
	if (!is_worth_it(all, entry, accesses, count))
		return VKR_OK;
	result = vkr_effect_begin(engine, all->uses.items, all->uses.count,
				  (size_t)(accesses / PAGE_ACCESSES) + PAGES_LEAST, entry->mixed,
				  &all->effect, error);
	entry->failures += all->effect == NULL;
	return result;
}

// Forgets effects while they take too much memory.
static void bound_effects(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine)
{
	while (repeats->bytes > BYTES_MOST) {
		struct entry *oldest = NULL;
		for (size_t i = 0; i < repeats->entries.count; i++) {
			struct entry *entry = &repeats->entries.items[i];
			if (entry->effect_count > 0 &&
			    (oldest == NULL || entry->last < oldest->last))
				oldest = entry;
		}
		drop_last_effect(repeats, engine, oldest);
	}
}

// Keeps the effect that was looked at.
static void keep_effect(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine,
			struct entry *entry)
{
	if (entry->effect_count == EFFECTS_MOST)
		drop_last_effect(repeats, engine, entry);
	put_first(entry, repeats->effect, entry->effect_count++);
	repeats->bytes += vkr_effect_bytes(repeats->effect);
	repeats->effect = NULL;
	bound_effects(repeats, engine);
}

// Keeps what is to be said of the dispatch besides its accesses. False for lack of memory.
static bool keep_notes(struct entry *entry, struct vkr_dispatch_targets *targets,
		       const struct vkr_replay *replay)
{
	const struct vkr_possible_texels *possible = &replay->possible;
	entry->beyond = replay->beyond;
	entry->possible.count = 0;
	if (!VKR_ARRAY_RESERVE(&entry->possible, possible->views.count))
		return false;
	for (size_t at = 0; at < possible->views.count; at++) {
		const struct vkr_possible_view *of = &possible->views.items[at];
		const uint32_t count = targets->variables[of->access->variable].count;
		uint32_t element = 0;
		while (element < count &&
		       vkr_dispatch_texels(targets, of->access->variable, element) != of->bound)
			element++;
		entry->possible.items[entry->possible.count++] =
			(struct possible){of->access, element};
	}
	return true;
}

bool vkr_dispatch_repeats_note(const struct vkr_dispatch_repeats *repeats,
			       struct vkr_dispatch_targets *targets, struct vkr_replay *replay)
{
	const struct entry *entry = &repeats->entries.items[repeats->at];
	bool noted = true;
	replay->beyond = entry->beyond;
	for (size_t at = 0; at < entry->possible.count && noted; at++) {
		const struct possible *of = &entry->possible.items[at];
		struct vkr_bound_texels *bound =
			vkr_dispatch_texels(targets, of->access->variable, of->element);
		noted = bound != NULL &&
			vkr_possible_texels_note(&replay->possible, bound, of->access);
	}
	return noted;
}

// Whether all that is to be said of the dispatch is kept.
static bool is_whole(const struct vkr_replay *replay, const struct vkr_dispatch_targets *targets)
{
	return !vkr_replay_has_unknown(replay) && replay->divergent == NULL &&
	       targets->unknown_descriptors == 0;
}

enum vkr_result vkr_dispatch_repeats_end(struct vkr_dispatch_repeats *repeats,
					 struct vkr_engine *engine,
					 struct vkr_dispatch_targets *targets,
					 const struct vkr_replay *replay, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (repeats == NULL || !repeats->is_open)
		return VKR_OK;
	struct entry *entry = &repeats->entries.items[repeats->at];
	if (!keep_notes(entry, targets, replay))
		return vkr_error_memory(error, "dispatches that repeat");
	entry->accesses = vkr_engine_accesses(engine) - repeats->accesses;
	// What is counted is a part's own; the log is of all parts.
	const uint64_t of_all = entry->accesses * vkr_engine_part_count(engine);
	if (repeats->log_bytes >= BYTES_LEAST && repeats->log_bytes / BYTES_AN_ACCESS > of_all &&
	    !vkr_map_set(&repeats->misses, repeats->shader, LEFT_ALONE))
		return vkr_error_memory(error, "dispatches that repeat");
	const bool looked = repeats->effect != NULL;
	if (!is_whole(replay, targets)) {
		vkr_effect_destroy(engine, repeats->effect);
		repeats->effect = NULL;
	} else if (looked) {
		uint64_t mixed = 0;
		result = vkr_effect_end(engine, &repeats->effect, &mixed, error);
		entry->mixed = mixed;
	}
	entry->failures += looked && repeats->effect == NULL;
	repeats->is_open = false;
	if (repeats->effect != NULL)
		keep_effect(repeats, engine, entry);
	return result;
}
