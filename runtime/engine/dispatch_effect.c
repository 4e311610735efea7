// SPDX-License-Identifier: Apache-2.0
#include "dispatch_effect.h"

#include "array.h"
#include "effect_races.h"
#include "effect_reads.h"
#include "error.h"
#include "judge.h"
#include "kept_effects.h"
#include "slot_window.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

// Beyond that, asking how all are ordered takes longer than judging.
#define CLASSES_MOST 64u

// ---- Epochs -------------------------------------------------------------------------------------

static bool is_same_but_command(const struct vkr_epoch *a, const struct vkr_epoch *b)
{
	return a->site == b->site && a->reference == b->reference && a->interval == b->interval &&
	       a->other_site == b->other_site && a->other_interval == b->other_interval &&
	       a->table == b->table && a->high == b->high && a->shape == b->shape &&
	       a->local_bits == b->local_bits && a->against == b->against && a->pair == b->pair &&
	       a->invocation == b->invocation;
}

static uint64_t hash_of(const struct vkr_epoch *of, uint32_t range)
{
	uint64_t h = vkr_map_hash((uint64_t)of->command << 32 | of->site);
	h = vkr_map_hash(h ^ ((uint64_t)of->reference << 32 | of->interval));
	h = vkr_map_hash(h ^ ((uint64_t)of->other_site << 32 | of->other_interval));
	h = vkr_map_hash(h ^ (of->table ? of->table->hash : 0));
	h = vkr_map_hash(h ^ ((uint64_t)of->high << 32 | (uint64_t)of->shape << 16 |
			      (uint64_t)of->against << 8 | of->local_bits));
	return vkr_map_hash(h ^ ((uint64_t)range << 2 | (uint64_t)of->pair << 1 | of->invocation));
}

// A command's label, new or old; UINT32_MAX where there is none any more, or for lack of memory.
static uint32_t label_of(struct vkr_effect *effect, uint32_t command)
{
	for (uint32_t i = 0; i < effect->commands.count; i++)
		if (effect->commands.items[i] == command)
			return i;
	if (effect->is_over || effect->commands.count == CLASSES_MOST ||
	    !VKR_ARRAY_RESERVE(&effect->commands, 1))
		return UINT32_MAX;
	effect->commands.items[effect->commands.count] = command;
	return (uint32_t)effect->commands.count++;
}

// The class of an epoch of the range under way; UINT32_MAX as above.
static uint32_t class_of(struct vkr_effect *effect, const struct vkr_epoch *of, uint32_t number)
{
	const struct effect_range *range = &effect->ranges.items[effect->range];
	for (size_t i = range->first_class; i < effect->classes.count; i++) {
		const struct effect_class *class = &effect->classes.items[i];
		if (class->command == of->command && class->site == of->site &&
		    class->reference == of->reference && class->range == effect->range &&
		    class->invocation == of->invocation)
			return (uint32_t)i;
	}
	// The dispatch's own epochs are never asked about.
	if (of->command == 0)
		return 0;
	if (effect->is_over || effect->classes.count - range->first_class == CLASSES_MOST ||
	    !VKR_ARRAY_RESERVE(&effect->classes, 1))
		return UINT32_MAX;
	effect->classes.items[effect->classes.count] = (struct effect_class){
		of->command, of->site, of->reference, effect->range, of->invocation, number};
	return (uint32_t)effect->classes.count++;
}

struct looking {
	struct vkr_engine *engine;
	struct vkr_effect *effect;
	uint32_t last, last_name;
};

// 1 + the index of the engine's epoch in the range under way.
static uint32_t name_in_effect(void *user, uint32_t number)
{
	struct looking *looking = user;
	struct vkr_effect *effect = looking->effect;
	struct effect_epoch made = {.content = looking->engine->epochs.items[number],
				    .number = number};
	uint64_t at = 0;
	if (looking->last == number)
		return looking->last_name;
	made.content.command = label_of(effect, made.content.command);
	made.content.marked = made.content.used = false;
	if (made.content.command == UINT32_MAX) {
		effect->failed = true;
		return 0;
	}
	const uint64_t hash = hash_of(&made.content, effect->range);
	if (!vkr_map_get(&effect->epoch_of, hash, &at)) {
		made.class = class_of(effect, &made.content, number);
		at = effect->epochs.count;
		if (made.class == UINT32_MAX || !VKR_ARRAY_RESERVE(&effect->epochs, 1) ||
		    !vkr_map_set(&effect->epoch_of, hash, at)) {
			effect->failed = true;
			return 0;
		}
		effect->epochs.items[effect->epochs.count++] = made;
	}
	const struct vkr_epoch *found = &effect->epochs.items[at].content;
	// Two contents of one hash.
	effect->failed |= found->command != made.content.command ||
			  !is_same_but_command(found, &made.content);
	looking->last = number;
	return looking->last_name = (uint32_t)at + 1;
}

// Whether an epoch of shadow memory is now what one of the effect's was.
static bool agrees_now(void *user, uint32_t number, uint32_t name)
{
	struct looking *looking = user;
	struct vkr_effect *effect = looking->effect;
	struct effect_epoch *epoch = &effect->epochs.items[name - 1];
	const struct vkr_epoch *now = &looking->engine->epochs.items[number];
	if (epoch->number != 0 || !is_same_but_command(&epoch->content, now))
		return epoch->number == number;
	uint32_t *commands = effect->commands.items;
	const uint32_t label = epoch->content.command;
	for (uint32_t i = 0; i < effect->commands.count; i++)
		if ((i == label) != (commands[i] == now->command) && commands[i] != 0)
			return false;
	commands[label] = now->command;
	epoch->number = number;
	if (label != 0)
		effect->classes.items[epoch->class].number = number;
	return true;
}

// Of two of the effect's own.
static bool is_equal(void *user, uint32_t a, uint32_t b)
{
	(void)user;
	return a == b;
}

// ---- Ranges and pages ---------------------------------------------------------------------------

static bool is_read(const struct vkr_engine *engine, const struct vkr_effect_use *use)
{
	const uint32_t others = VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS;
	return !(engine->sites.items[use->site - 1].flags & others);
}

static int compare_uses(const void *a, const void *b)
{
	const struct vkr_engine_target *x = &((const struct vkr_effect_use *)a)->target;
	const struct vkr_engine_target *y = &((const struct vkr_effect_use *)b)->target;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return (x->base > y->base) - (x->base < y->base);
}

// Adds a use's bytes to the last range, or a new one.
static bool add_bytes(struct vkr_engine *engine, struct vkr_effect *effect, size_t use)
{
	const struct vkr_engine_target *target = &effect->uses.items[use].target;
	const struct vkr_shadow *shadow = vkr_effect_memory(engine, target->memory);
	if (shadow == NULL || shadow->mappings.count > 0)
		return false;
	const uint64_t end = vkr_target_end(target, shadow);
	struct effect_range *last =
		effect->ranges.count > 0 ? &effect->ranges.items[effect->ranges.count - 1] : NULL;
	if (last == NULL || last->memory != target->memory || target->base >= last->high) {
		if (!VKR_ARRAY_RESERVE(&effect->ranges, 1))
			return false;
		last = &effect->ranges.items[effect->ranges.count++];
		*last = (struct effect_range){
			.memory = target->memory,
			.first = (size_t)(target->base / VKR_PAGE_BYTES),
			.low = target->base,
			.first_use = use,
			.reads_only = true,
		};
	}
	last->high = end > last->high ? end : last->high;
	last->end = (size_t)((last->high + VKR_PAGE_BYTES - 1) / VKR_PAGE_BYTES);
	last->end_use = use + 1;
	last->reads_only = last->reads_only && is_read(engine, &effect->uses.items[use]);
	return true;
}

// Of a range, in what is said of ranges: the last bit is of many.
static uint64_t bit_of(size_t range)
{
	return UINT64_C(1) << (range < 63 ? range : 63);
}

// Whether nothing but pages, and reads that wait or may have been made, says what is remembered of
// the ranges.
static bool are_plain(struct vkr_engine *engine, const struct vkr_effect *effect)
{
	if (vkr_judge_keeps(engine, engine->dispatch.command))
		return false;
	for (size_t i = 0; i < effect->ranges.count; i++) {
		const struct vkr_shadow *shadow =
			vkr_effect_memory(engine, effect->ranges.items[i].memory);
		if (shadow == NULL || shadow->mappings.count > 0)
			return false;
	}
	return true;
}

static struct effect_rules rules_of(const struct vkr_engine *engine)
{
	struct effect_rules rules;
	memset(&rules, 0, sizeof rules);
	rules.local_stages = engine->queues.local_stages;
	rules.local_size = engine->dispatch.local_size;
	rules.subgroup_size = engine->dispatch.subgroup_size;
	rules.private_reads = engine->private_reads;
	rules.private_writes = engine->private_writes;
	rules.private_sharing = engine->private_sharing;
	rules.subgroup_scopes = engine->subgroup_scopes;
	rules.several_families = engine->several_families;
	return rules;
}

// ---- Order --------------------------------------------------------------------------------------

// Whether a read or write through the target is the same to an epoch of the engine's everywhere
// there, and what it is.
static bool is_alike(struct vkr_engine *engine, uint32_t number, const struct vkr_access *access,
		     const struct vkr_engine_target *target, uint16_t *said)
{
	const uint64_t end = vkr_target_end(target, access->shadow);
	bool any = false;
	for (uint64_t at = target->base; at < end;) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, number, access, at);
		const uint16_t says = (uint16_t)(1 | cached->before << 1 | cached->subsumes << 2 |
						 cached->kept << 3 | cached->only_in_order << 4 |
						 cached->race_class << 5);
		if (any && *said != says)
			return false;
		*said = says;
		any = true;
		at = cached->memory != 0 && cached->high < end ? cached->high : end;
	}
	return true;
}

// A use's access by a command, as far as its order with other commands goes.
static struct vkr_access access_of(struct vkr_engine *engine, uint32_t command,
				   const struct vkr_effect_use *use, uint8_t local_bits,
				   uint32_t epoch)
{
	return (struct vkr_access){
		.command = command,
		.site = use->site,
		.reference = use->target.reference,
		.what = &engine->sites.items[use->site - 1],
		.shadow = vkr_effect_memory(engine, use->target.memory),
		.paint = {.shape = VKR_SHAPE_UNIFORM},
		.invocation = true,
		.local_bits = local_bits,
		.epoch = epoch,
	};
}

// That of the open dispatch.
static enum vkr_result order_access(struct vkr_engine *engine, const struct vkr_effect_use *use,
				    struct vkr_access *access, struct vkr_error *error)
{
	*access = access_of(engine, engine->dispatch.command, use, engine->dispatch.local_bits, 0);
	const struct vkr_epoch content = {.command = access->command,
					  .site = access->site,
					  .reference = access->reference,
					  .shape = VKR_SHAPE_UNIFORM,
					  .local_bits = access->local_bits,
					  .invocation = true};
	return vkr_epochs_find(&engine->epochs, &content, &access->epoch, error);
}

// Takes up, or compares, what is said of order. False where it is another, or for lack of memory.
static bool take_order(struct vkr_effect *effect, size_t *at, uint16_t said)
{
	if (!effect->is_over) {
		if (!VKR_ARRAY_RESERVE(&effect->order, 1))
			return false;
		effect->order.items[effect->order.count++] = said;
	}
	return effect->order.items[(*at)++] == said;
}

// How reads that wait are ordered after what was there before them.
static bool look_at_waiting_order(struct vkr_engine *engine, struct vkr_effect *effect,
				  const struct effect_waiting *of, size_t *at)
{
	const struct effect_range *range = &effect->ranges.items[of->range];
	const struct effect_class *classes = effect->classes.items;
	const struct vkr_effect_use use = {of->reads.filter.site, of->reads.target};
	const struct vkr_access access = access_of(engine, effect->commands.items[of->label], &use,
						   of->local_bits, classes[of->class].number);
	for (size_t x = range->first_class; x < of->class; x++) {
		uint16_t said = 0;
		if (classes[x].command != of->label &&
		    (!is_alike(engine, classes[x].number, &access, &use.target, &said) ||
		     !take_order(effect, at, said)))
			return false;
	}
	return true;
}

// How what is there now is ordered: with the uses, and among each other, where that decides what
// stays remembered (drop_superseded in judge_history.c).
static enum vkr_result look_at_order(struct vkr_engine *engine, struct vkr_effect *effect,
				     bool *same, struct vkr_error *error)
{
	*same = true;
	for (size_t i = 0; i < effect->ranges.count && *same; i++) {
		struct effect_range *range = &effect->ranges.items[i];
		const struct effect_class *classes = effect->classes.items;
		if (effect->is_over && range->waits)
			continue;
		if (!effect->is_over)
			range->first_order = effect->order.count;
		size_t at = range->first_order;
		for (size_t use = range->first_use; use < range->end_use && *same; use++) {
			const struct vkr_effect_use *of = &effect->uses.items[use];
			struct vkr_access access;
			const enum vkr_result result = order_access(engine, of, &access, error);
			if (result != VKR_OK)
				return result;
			*same = is_read(engine, of) ||
				vkr_may_access_harmless(engine, &access, of->target.base,
							vkr_target_end(&of->target, access.shadow));
			for (size_t x = range->first_class; x < range->end_class && *same; x++) {
				uint16_t said = 0;
				*same = is_alike(engine, classes[x].number, &access, &of->target,
						 &said) &&
					take_order(effect, &at, said);
			}
		}
		for (size_t w = 0; w < effect->waiting.count && *same; w++)
			if (effect->waiting.items[w].range == i)
				*same = look_at_waiting_order(engine, effect,
							      &effect->waiting.items[w], &at);
		for (size_t x = range->first_class; x < range->end_class && *same; x++)
			for (size_t y = range->first_class; y < range->end_class && *same; y++)
				*same = take_order(
					effect, &at,
					vkr_judge_subsumes(
						engine, &engine->epochs.items[classes[y].number],
						&engine->epochs.items[classes[x].number]));
	}
	return VKR_OK;
}

// ---- Looking ------------------------------------------------------------------------------------

// What a range has of a page. Nothing lies after the end of the memory.
static struct vkr_window window_of(const struct vkr_shadow *shadow,
				   const struct effect_range *range, size_t page)
{
	return (struct vkr_window){.start = page * VKR_PAGE_BYTES,
				   .low = range->low,
				   .high = range->high < shadow->bytes ? range->high : UINT64_MAX};
}

static enum vkr_result cut_page(struct vkr_engine *engine, struct vkr_shadow *shadow,
				const struct effect_range *range, size_t page,
				struct vkr_error *error)
{
	const struct vkr_window of = window_of(shadow, range, page);
	struct vkr_page *cut = &shadow->pages[page];
	uint64_t *trees[2] = {&cut->write, &cut->access};
	enum vkr_result result = VKR_OK;
	if (cut->write == 0 && cut->access == 0)
		return VKR_OK;
	for (unsigned tree = 0; tree < 2 && result == VKR_OK; tree++)
		result = vkr_window_cut(trees[tree], &of, &engine->epochs, &engine->pool, error);
	cut->write_hint = cut->access_hint = (struct vkr_hint){0};
	return result;
}

// Cuts the pages at the ends of ranges.
static enum vkr_result cut_pages(struct vkr_engine *engine, const struct vkr_effect *effect,
				 struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->ranges.count && result == VKR_OK; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		if (range->first >= range->end)
			continue;
		result = cut_page(engine, shadow, range, range->first, error);
		if (result == VKR_OK)
			result = cut_page(engine, shadow, range, range->end - 1, error);
	}
	return result;
}

// The range's next page from *page on of which something is remembered.
static struct vkr_page *next_page(struct vkr_shadow *shadow, const struct effect_range *range,
				  size_t *page)
{
	for (; vkr_shadow_next_page(shadow, page) && *page < range->end; ++*page) {
		const struct vkr_window of = window_of(shadow, range, *page);
		struct vkr_page *found = &shadow->pages[*page];
		if (!vkr_window_is_empty(found->write, &of) ||
		    !vkr_window_is_empty(found->access, &of))
			return found;
	}
	return NULL;
}

static enum vkr_result copy_tree(struct looking *looking, uint64_t slot,
				 const struct vkr_window *of, uint64_t *copy,
				 struct vkr_error *error)
{
	struct vkr_engine *engine = looking->engine;
	const struct vkr_translation by = {name_in_effect, looking};
	const uint64_t held = engine->pool.held;
	const enum vkr_result result =
		vkr_window_translate(slot, of, &by, &engine->pool, copy, error);
	looking->effect->bytes += engine->pool.held - held;
	return result;
}

// Takes up the reads that wait in the range under way. False where that cannot be told.
static bool look_at_waiting(struct vkr_engine *engine, struct vkr_effect *effect)
{
	const size_t first = effect->waiting.count;
	const uint32_t of_pages = (uint32_t)effect->classes.count;
	if (!vkr_effect_keep_waiting(engine, effect))
		return false;
	for (size_t at = first; at < effect->waiting.count; at++) {
		struct effect_waiting *of = &effect->waiting.items[at];
		struct vkr_epoch content = engine->epochs.items[of->class];
		const uint32_t number = of->class;
		of->label = label_of(effect, content.command);
		content.command = of->label;
		of->class =
			of->label != UINT32_MAX ? class_of(effect, &content, number) : UINT32_MAX;
		if (of->class == UINT32_MAX || of->class < of_pages)
			return false;
	}
	return true;
}

// What is there before the dispatch.
static enum vkr_result look_before(struct vkr_engine *engine, struct vkr_effect *effect,
				   size_t pages_most, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->ranges.count && !effect->failed; i++) {
		struct effect_range *range = &effect->ranges.items[i];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		struct looking looking = {.engine = engine, .effect = effect};
		size_t page = range->first;
		effect->range = (uint32_t)i;
		range->first_class = effect->classes.count;
		for (const struct vkr_page *of;
		     !effect->failed && (of = next_page(shadow, range, &page)) != NULL; page++) {
			struct effect_page *made;
			if (effect->pages.count == pages_most ||
			    !VKR_ARRAY_RESERVE(&effect->pages, 1)) {
				effect->failed = true;
				break;
			}
			made = &effect->pages.items[effect->pages.count++];
			*made = (struct effect_page){.page = page, .range = effect->range};
			const struct vkr_window window = window_of(shadow, range, page);
			result = copy_tree(&looking, of->write, &window, &made->before[0], error);
			if (result == VKR_OK)
				result = copy_tree(&looking, of->access, &window, &made->before[1],
						   error);
			if (result != VKR_OK)
				return result;
		}
		if (!effect->failed && !range->waits)
			effect->failed = !look_at_waiting(engine, effect);
		range->end_class = effect->classes.count;
	}
	return result;
}

// What a page says after the dispatch.
static enum vkr_result look_after(struct looking *looking, const struct vkr_page *of,
				  const struct vkr_window *window, struct effect_page *page,
				  struct vkr_error *error)
{
	struct vkr_engine *engine = looking->engine;
	const uint64_t trees[2] = {of->write, of->access};
	const struct vkr_likeness by = {is_equal, NULL};
	for (unsigned tree = 0; tree < 2; tree++) {
		const enum vkr_result result =
			copy_tree(looking, trees[tree], window, &page->after[tree], error);
		if (result != VKR_OK)
			return result;
		if (!vkr_slot_is_like(page->after[tree], page->before[tree], 0, &by))
			continue;
		const uint64_t held = engine->pool.held;
		vkr_slot_release(&page->after[tree], 0, &engine->pool);
		looking->effect->bytes -= held - engine->pool.held;
		page->stays[tree] = true;
	}
	return VKR_OK;
}

static size_t count_pages(struct vkr_engine *engine, const struct vkr_effect *effect)
{
	size_t count = 0;
	for (size_t i = 0; i < effect->ranges.count; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		size_t page = range->first;
		for (; next_page(vkr_effect_memory(engine, range->memory), range, &page); page++)
			count++;
	}
	return count;
}

// Adds what is there after the dispatch to the pages that were there before, or to new ones. Where
// a page was forgotten meanwhile, the effect is of no use.
static enum vkr_result look_at_result(struct vkr_engine *engine, struct vkr_effect *effect,
				      struct vkr_error *error)
{
	struct effect_page *before = effect->pages.items;
	const struct effect_page *end = before + effect->pages.count;
	struct effect_pages made = {0};
	enum vkr_result result = VKR_OK;
	if (!VKR_ARRAY_RESERVE(&made, count_pages(engine, effect) + 1))
		return vkr_error_memory(error, "shadow memory");
	for (uint32_t i = 0; i < effect->ranges.count; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		struct looking looking = {.engine = engine, .effect = effect};
		size_t page = range->first;
		effect->range = i;
		for (const struct vkr_page *of; (of = next_page(shadow, range, &page)) != NULL;
		     page++) {
			struct effect_page *to = &made.items[made.count++];
			*to = (struct effect_page){.page = page, .range = i};
			if (before < end && before->range == i && before->page == page)
				*to = *before++;
			const struct vkr_window window = window_of(shadow, range, page);
			if (result == VKR_OK)
				result = look_after(&looking, of, &window, to, error);
		}
	}
	for (; before < end; before++) {
		vkr_slot_release(&before->before[0], 0, &engine->pool);
		vkr_slot_release(&before->before[1], 0, &engine->pool);
		effect->failed = true;
	}
	free(effect->pages.items);
	effect->pages = made;
	return result;
}

// Ranges whose pages are as they were have been read by what waits, if by anything. Else none may
// wait beside what has changed the pages.
static bool look_what_waits(struct vkr_engine *engine, struct vkr_effect *effect)
{
	struct effect_range *ranges = effect->ranges.items;
	struct effect_page *pages = effect->pages.items;
	size_t kept = 0;
	for (size_t i = 0; i < effect->pages.count; i++) {
		struct effect_range *range = &ranges[pages[i].range];
		if (!range->waits || (pages[i].stays[0] && pages[i].stays[1]))
			continue;
		range->waits = false;
		if (range->waited || vkr_effect_reads_wait(engine, range))
			effect->mixed |= bit_of(pages[i].range);
	}
	if (effect->mixed != 0)
		return false;
	const uint64_t held = engine->pool.held;
	for (size_t i = 0; i < effect->pages.count; i++) {
		if (ranges[pages[i].range].waits)
			vkr_effect_page_release(engine, &pages[i]);
		else
			pages[kept++] = pages[i];
	}
	effect->pages.count = kept;
	effect->bytes -= held - engine->pool.held;
	for (size_t i = 0; i < effect->ranges.count; i++)
		if (ranges[i].waits && !vkr_effect_keep_reads(engine, effect, (uint32_t)i))
			return false;
	return true;
}

static bool make_ranges(struct vkr_engine *engine, struct vkr_effect *effect,
			const struct vkr_effect_use *uses, size_t count, uint64_t feeds)
{
	if (count == 0 || !VKR_ARRAY_RESERVE(&effect->uses, count) ||
	    !VKR_ARRAY_RESERVE(&effect->commands, 1))
		return false;
	memcpy(effect->uses.items, uses, count * sizeof *uses);
	effect->uses.count = count;
	vkr_sort(effect->uses.items, count, sizeof *uses, compare_uses);
	effect->commands.items[effect->commands.count++] = engine->dispatch.command;
	for (size_t use = 0; use < count; use++)
		if (!add_bytes(engine, effect, use))
			return false;
	for (size_t i = 0; i < effect->ranges.count; i++) {
		struct effect_range *range = &effect->ranges.items[i];
		range->waits = range->reads_only && !(feeds & bit_of(i));
		range->waited = vkr_effect_reads_wait(engine, range);
	}
	return true;
}

enum vkr_result vkr_effect_begin(struct vkr_engine *engine, const struct vkr_effect_use *uses,
				 size_t count, size_t pages_most, uint64_t feeds,
				 struct vkr_effect **effect, struct vkr_error *error)
{
	struct vkr_effect *made = calloc(1, sizeof *made);
	bool may = false;
	*effect = NULL;
	if (made == NULL)
		return vkr_error_memory(error, "shadow memory");
	made->next = engine->effects;
	engine->effects = made;
	vkr_map_init(&made->epoch_of);
	made->rules = rules_of(engine);
	enum vkr_result result = VKR_OK;
	may = make_ranges(engine, made, uses, count, feeds) && are_plain(engine, made);
	if (may)
		result = vkr_effect_feed(engine, made, false, error);
	if (result == VKR_OK && may)
		result = cut_pages(engine, made, error);
	if (result == VKR_OK && may)
		result = look_before(engine, made, pages_most, error);
	may = may && !made->failed;
	if (result == VKR_OK && may)
		result = look_at_order(engine, made, &may, error);
	if (result != VKR_OK || !may) {
		vkr_effect_destroy(engine, made);
		return result;
	}
	made->is_over = true;
	made->start = (struct effect_start){.counts = vkr_feed_counts(engine),
					    .may_accesses = engine->may_accesses,
					    .sites = engine->sites.count};
	if (!vkr_effect_races_begin(engine, made)) {
		vkr_effect_destroy(engine, made);
		return vkr_error_memory(error, "shadow memory");
	}
	*effect = made;
	return VKR_OK;
}

enum vkr_result vkr_effect_end(struct vkr_engine *engine, struct vkr_effect **effect,
			       uint64_t *mixed, struct vkr_error *error)
{
	struct vkr_effect *of = *effect;
	const struct effect_rules rules = rules_of(engine);
	const bool plain = are_plain(engine, of);
	enum vkr_result result = plain ? vkr_effect_feed(engine, of, true, error) : VKR_OK;
	const bool may_have = engine->may_accesses != of->start.may_accesses;
	of->counts = vkr_feed_counts(engine);
	of->counts.accesses -= of->start.counts.accesses;
	of->counts.own -= of->start.counts.own;
	if (result == VKR_OK && plain && !may_have && vkr_effect_races_end(engine, of) &&
	    engine->sites.count == of->start.sites && memcmp(&rules, &of->rules, sizeof rules) == 0)
		result = cut_pages(engine, of, error);
	else
		of->failed = true;
	if (result == VKR_OK && !of->failed)
		result = look_at_result(engine, of, error);
	if (result == VKR_OK && !of->failed)
		of->failed = !look_what_waits(engine, of);
	vkr_map_finish(&of->epoch_of);
	*mixed = of->mixed;
	if (result != VKR_OK || of->failed) {
		vkr_effect_destroy(engine, of);
		*effect = NULL;
	}
	return result;
}

// ---- Repeating ----------------------------------------------------------------------------------

static void forget_now(const struct vkr_engine *engine, struct vkr_effect *effect)
{
	memset(effect->commands.items, 0, effect->commands.count * sizeof *effect->commands.items);
	effect->commands.items[0] = engine->dispatch.command;
	for (size_t i = 0; i < effect->epochs.count; i++)
		effect->epochs.items[i].number = 0;
}

// Whether pages say what they said before the dispatch.
static bool are_pages_like(struct vkr_engine *engine, struct vkr_effect *effect)
{
	struct looking looking = {.engine = engine, .effect = effect};
	const struct vkr_likeness by = {agrees_now, &looking};
	const struct effect_page *at = effect->pages.items;
	const struct effect_page *end = at + effect->pages.count;
	for (uint32_t i = 0; i < effect->ranges.count; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		size_t page = range->first;
		const struct vkr_page *of = next_page(shadow, range, &page);
		if (range->waits)
			continue;
		for (; at < end && at->range == i; at++) {
			const bool is_there = of != NULL && page == at->page;
			if (!is_there) {
				if (at->before[0] != 0 || at->before[1] != 0)
					return false;
				continue;
			}
			const struct vkr_window window = window_of(shadow, range, page);
			if (!vkr_window_is_like(of->write, at->before[0], &window, &by) ||
			    !vkr_window_is_like(of->access, at->before[1], &window, &by))
				return false;
			page++;
			of = next_page(shadow, range, &page);
		}
		if (of != NULL)
			return false;
	}
	return true;
}

struct renaming {
	struct vkr_engine *engine;
	struct vkr_effect *effect;
	struct vkr_error *error;
	enum vkr_result result;
};

// The engine's epoch for one of the effect's.
static uint32_t name_now(void *user, uint32_t name)
{
	struct renaming *renaming = user;
	struct effect_epoch *epoch = &renaming->effect->epochs.items[name - 1];
	if (epoch->number != 0 || renaming->result != VKR_OK)
		return epoch->number;
	struct vkr_epoch content = epoch->content;
	content.command = renaming->effect->commands.items[content.command];
	renaming->result = vkr_epochs_find(&renaming->engine->epochs, &content, &epoch->number,
					   renaming->error);
	return epoch->number;
}

static enum vkr_result make_tree(struct renaming *renaming, uint64_t from,
				 const struct vkr_window *window, uint64_t *tree)
{
	struct vkr_engine *engine = renaming->engine;
	const struct vkr_translation by = {name_now, renaming};
	const enum vkr_result result =
		vkr_window_replace(tree, from, window, &by, &engine->pool, renaming->error);
	return result == VKR_OK ? renaming->result : result;
}

// Makes of the pages what they were after the dispatch.
static enum vkr_result make_pages(struct vkr_engine *engine, struct vkr_effect *effect,
				  struct vkr_error *error)
{
	struct renaming renaming = {engine, effect, error, VKR_OK};
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->pages.count && result == VKR_OK; i++) {
		const struct effect_page *from = &effect->pages.items[i];
		const struct effect_range *range = &effect->ranges.items[from->range];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		struct vkr_page *page = vkr_shadow_page(shadow, from->page * VKR_PAGE_BYTES);
		const struct vkr_window window = window_of(shadow, range, from->page);
		if (!from->stays[0])
			result = make_tree(&renaming, from->after[0], &window, &page->write);
		if (result == VKR_OK && !from->stays[1])
			result = make_tree(&renaming, from->after[1], &window, &page->access);
		page->write_hint = page->access_hint = (struct vkr_hint){0};
	}
	return result;
}

// What else of the engine writes change.
static enum vkr_result note_writes(struct vkr_engine *engine, const struct vkr_effect *effect,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->uses.count && result == VKR_OK; i++) {
		const struct vkr_effect_use *use = &effect->uses.items[i];
		struct vkr_access unused;
		if (engine->sites.items[use->site - 1].flags & VKR_ENGINE_WRITE)
			result = vkr_access_shader(engine, use->site, &use->target,
						   vkr_effect_memory(engine, use->target.memory),
						   VKR_SHAPE_UNIFORM, &unused, error);
	}
	return result;
}

enum vkr_result vkr_effect_repeat(struct vkr_engine *engine, struct vkr_effect *effect, bool *done,
				  struct vkr_error *error)
{
	const struct effect_rules rules = rules_of(engine);
	*done = false;
	enum vkr_result result = vkr_engine_check_stop(engine, error);
	if (result != VKR_OK || !are_plain(engine, effect) ||
	    memcmp(&rules, &effect->rules, sizeof rules) != 0)
		return result;
	forget_now(engine, effect);
	if (!vkr_effect_waits_alike(engine, effect))
		return VKR_OK;
	result = cut_pages(engine, effect, error);
	*done = result == VKR_OK && are_pages_like(engine, effect);
	if (*done)
		result = look_at_order(engine, effect, done, error);
	if (result == VKR_OK && *done)
		result = vkr_effect_may_read_again(engine, effect, done, error);
	if (result != VKR_OK || !*done)
		return result;
	result = make_pages(engine, effect, error);
	vkr_effect_forget_waiting(engine, effect);
	if (result == VKR_OK)
		result = vkr_effect_read_again(engine, effect, error);
	vkr_feed_add_counts(engine, &effect->counts);
	vkr_effect_races_repeat(engine, effect);
	return result == VKR_OK ? note_writes(engine, effect, error) : result;
}
