// SPDX-License-Identifier: Apache-2.0
// Which remembered accesses race with a new one. Knows slots and verdicts; what to remember is
// judge_history.c's.
#include "judge.h"

#include "array.h"
#include "error.h"

#include <string.h>

// ---- Checking one leaf --------------------------------------------------------------------------

// The bytes of a page where something outlives a plain write.
struct outlived {
	bool any;
	uint64_t bytes[VKR_PAGE_BYTES / 64]; // a bit each; not set where there is none
};

struct check {
	struct vkr_engine *engine;
	struct outlived *outlived; // NULL: not looked for
	const struct vkr_access *access;
	struct vkr_interval_access step; // the access's
};

static enum vkr_result check_other_command(const struct check *check, uint64_t slot,
					   const struct vkr_leaf *leaf, struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	const uint32_t number = vkr_slot_epoch(slot);
	enum vkr_result result = VKR_OK;
	uint64_t at = leaf->low;

	// Range-limited barriers: the verdict may change within the leaf.
	while (at < leaf->high && result == VKR_OK) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, number, check->access, at);
		const uint64_t end =
			cached->memory && cached->high < leaf->high ? cached->high : leaf->high;
		if (cached->race_class != VKR_RACE_NONE) {
			const struct vkr_epoch *x = &engine->epochs.items[number];
			const struct vkr_found_race found = {
				.first = *x,
				.first_number = vkr_slot_number(slot, x, at - leaf->start, false),
				.low = at,
				.high = end,
				.race_class = (enum vkr_race_class)cached->race_class,
				.shortfall = cached->shortfall};
			result = vkr_judge_found(engine, check->access, &found, error);
		}
		at = end;
	}
	return result;
}

static enum vkr_result check_part(const struct check *check, uint64_t slot, struct vkr_epoch x,
				  const struct vkr_leaf *leaf, uint64_t low, uint64_t high,
				  struct vkr_error *error)
{
	const struct vkr_access *access = check->access;
	const uint64_t own = vkr_access_invocation(access, low);
	struct vkr_found_race found = {.low = low, .high = high};
	struct vkr_interval_access from;
	enum vkr_relation relation;

	found.first_number = vkr_slot_number(slot, &x, low - leaf->start, false);
	if (vkr_epoch_invocation(&x, found.first_number) == own && x.pair) {
		found.first_number = vkr_slot_number(slot, &x, low - leaf->start, true);
		x.site = x.other_site;
		x.interval = x.other_interval;
	}
	from = vkr_judge_step(&check->engine->sites.items[x.site - 1], x.reference, x.interval);
	relation = vkr_judge_relation(check->engine, access, own,
				      vkr_epoch_invocation(&x, found.first_number), x.local_bits);
	found.race_class = vkr_intervals_verdict(&check->engine->intervals, &from, &check->step,
						 relation, &found.shortfall);
	if (found.race_class == VKR_RACE_NONE)
		return VKR_OK;
	found.first = x;
	return vkr_judge_found(check->engine, access, &found, error);
}

// Two accesses of one dispatch.
static enum vkr_result check_dispatch(const struct check *check, uint64_t slot,
				      const struct vkr_leaf *leaf, struct vkr_error *error)
{
	const struct vkr_engine *engine = check->engine;
	const struct vkr_access *access = check->access;
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(slot)];
	const struct vkr_judge_site *site = &engine->sites.items[x->site - 1];
	const struct vkr_interval_access from = vkr_judge_step(site, x->reference, x->interval);
	// What a table is of was accessed by several workgroups.
	const bool tabled = x->table || access->table;
	const bool mates = !tabled && vkr_slot_number(slot, x, leaf->low - leaf->start, false) >>
						      x->local_bits ==
					      access->workgroup;
	uint64_t step = UINT64_MAX, at = leaf->low;
	enum vkr_result result = VKR_OK;
	uint32_t unused = 0;

	if (!((site->flags | access->what->flags) & VKR_ENGINE_WRITE))
		return VKR_OK;
	// Usually the verdict is the same for all bytes, whichever invocations accessed them.
	if (mates && x->reference == access->reference &&
	    vkr_intervals_verdict(&engine->intervals, &from, &check->step, VKR_SAME_WORKGROUP,
				  &unused) == VKR_RACE_NONE)
		return VKR_OK;
	// Otherwise in steps of bytes that belong to one invocation on both sides; between
	// workgroups, too, where the model may know an order between single invocations.
	if (mates || tabled || engine->options.ask) {
		if (x->shape != VKR_SHAPE_UNIFORM)
			step = (uint64_t)1 << x->shape;
		if (access->paint.shape != VKR_SHAPE_UNIFORM &&
		    (uint64_t)1 << access->paint.shape < step)
			step = (uint64_t)1 << access->paint.shape;
	}
	while (at < leaf->high && result == VKR_OK) {
		const uint64_t next = step == UINT64_MAX ? leaf->high : (at & ~(step - 1)) + step;
		const uint64_t end = next < leaf->high ? next : leaf->high;
		result = check_part(check, slot, *x, leaf, at, end, error);
		at = end;
	}
	return result;
}

// A possible access and an invocation of its own command.
static enum vkr_result check_may_access(const struct check *check, uint64_t slot,
					const struct vkr_leaf *leaf, struct vkr_error *error)
{
	const struct vkr_engine *engine = check->engine;
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(slot)];
	const unsigned flags = engine->sites.items[x->site - 1].flags | check->access->what->flags;
	const struct vkr_found_race found = {
		.first = *x,
		.first_number = vkr_slot_number(slot, x, leaf->low - leaf->start, false),
		.low = leaf->low,
		.high = leaf->high,
		.race_class = VKR_RACE_UNORDERED};
	if (!(flags & VKR_ENGINE_MAY_ACCESS) || !(flags & VKR_ENGINE_WRITE))
		return VKR_OK;
	return vkr_judge_found(check->engine, check->access, &found, error);
}

// Whether the access is one that what a slot says is remembered against.
static bool is_against(const struct check *check, uint64_t slot, const struct vkr_epoch *x)
{
	const struct vkr_access *access = check->access;
	const uint32_t flags = access->what->flags;
	if (x->against == VKR_AGAINST_ALL)
		return true;
	return x->command == access->command && access->invocation &&
	       vkr_slot_is_mate(slot, x, access) && !(flags & VKR_ENGINE_NONPRIVATE) &&
	       (flags & VKR_ENGINE_WRITE || x->against == VKR_AGAINST_PRIVATE);
}

static enum vkr_result check_slot(const struct check *check, uint64_t slot,
				  const struct vkr_leaf *leaf, struct vkr_error *error)
{
	const struct vkr_epoch *x = &check->engine->epochs.items[vkr_slot_epoch(slot)];
	const struct vkr_judge_site *site = &check->engine->sites.items[x->site - 1];
	if (!((site->flags | check->access->what->flags) & VKR_ENGINE_WRITE) ||
	    !is_against(check, slot, x))
		return VKR_OK;
	if (x->command != check->access->command)
		return check_other_command(check, slot, leaf, error);
	if (x->invocation && check->access->invocation)
		return check_dispatch(check, slot, leaf, error);
	// What fixed function and host do within one command is in order.
	return x->invocation || check->access->invocation
		       ? check_may_access(check, slot, leaf, error)
		       : VKR_OK;
}

enum vkr_result vkr_judge_slot(struct vkr_engine *engine, const struct vkr_access *access,
			       uint64_t slot, uint64_t low, uint64_t high, struct vkr_error *error)
{
	const struct check check = {
		.engine = engine,
		.access = access,
		.step = vkr_judge_step(access->what, access->reference, access->interval)};
	const struct vkr_leaf leaf = {.start = low, .low = low, .high = high};
	return check_slot(&check, slot, &leaf, error);
}

static void note_bytes(struct outlived *outlived, uint64_t low, uint64_t high)
{
	if (!outlived->any)
		memset(outlived->bytes, 0, sizeof outlived->bytes);
	outlived->any = true;
	for (uint64_t at = low, end; at < high; at = end) {
		end = (at | 63) < high ? (at | 63) + 1 : high;
		outlived->bytes[at % VKR_PAGE_BYTES / 64] |= UINT64_MAX >> (64 - (end - at))
										   << (at % 64);
	}
}

// Whether the access is a rasterized write that an older one of its group, of another stage, lasts
// beside.
static bool is_lasting(const struct check *check, const struct vkr_epoch *x)
{
	const struct vkr_engine *engine = check->engine;
	const struct vkr_command *commands = engine->queues.commands.items;
	const struct vkr_command *from = &commands[x->command - 1];
	const struct vkr_command *to = &commands[check->access->command - 1];
	const struct vkr_judge_site *site = &engine->sites.items[x->site - 1];
	return site->flags & VKR_ENGINE_LASTING && site->stage != check->access->what->stage &&
	       check->access->what->flags & VKR_ENGINE_RASTERIZED &&
	       (from == to ||
		(from->group != 0 && from->group == to->group && from->timeline == to->timeline));
}

// An access of another command whose place the write does not take.
static void note_kept(const struct check *check, uint64_t slot, const struct vkr_leaf *leaf)
{
	for (uint64_t at = leaf->low; at < leaf->high;) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(check->engine, vkr_slot_epoch(slot), check->access, at);
		const uint64_t end =
			cached->memory && cached->high < leaf->high ? cached->high : leaf->high;
		if (cached->kept || cached->only_in_order)
			note_bytes(check->outlived, at, end);
		at = end;
	}
}

// Whether two invocations of one dispatch race as far as control barriers go.
static bool is_undecided(const struct check *check, uint64_t slot, const struct vkr_epoch *x,
			 const struct vkr_leaf *leaf)
{
	const struct vkr_engine *engine = check->engine;
	const struct vkr_interval_access from =
		vkr_judge_step(&engine->sites.items[x->site - 1], x->reference, x->interval);
	const uint64_t own = vkr_access_invocation(check->access, leaf->low);
	const uint64_t other =
		vkr_epoch_invocation(x, vkr_slot_number(slot, x, leaf->low - leaf->start, false));
	uint32_t unused = 0;
	if (x->table || check->access->table)
		return true; // of several invocations, some may be
	return vkr_intervals_verdict(
		       &engine->intervals, &from, &check->step,
		       vkr_judge_relation(engine, check->access, own, other, x->local_bits),
		       &unused) != VKR_RACE_NONE;
}

// Whether the command's own atomics may bring the two into order: only when all of its log has been
// read is it known which one is before the other.
static bool may_be_ordered(const struct check *check, const struct vkr_epoch *x)
{
	return x->invocation && check->access->invocation &&
	       check->access->shadow != &check->engine->workgroup_memory &&
	       check->engine->sites.items[x->site - 1].flags & check->access->what->flags &
		       VKR_ENGINE_LINKS;
}

static void note_outlived(const struct check *check, uint64_t slot, const struct vkr_leaf *leaf)
{
	const struct vkr_engine *engine = check->engine;
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(slot)];
	const struct vkr_judge_site *site = &engine->sites.items[x->site - 1];

	if (x->against != VKR_AGAINST_ALL)
		return;
	if (is_lasting(check, x))
		note_bytes(check->outlived, leaf->low, leaf->high);
	else if (x->command != check->access->command &&
		 (check->access->what->stage == VKR_ENGINE_TRANSITION ||
		  vkr_judge_keeps(engine, check->access->command)))
		note_kept(check, slot, leaf);
	else if (x->command != check->access->command)
		return;
	else if ((may_be_ordered(check, x) && is_undecided(check, slot, x, leaf)) ||
		 (x->invocation && check->access->invocation &&
		  vkr_slot_is_mate(slot, x, check->access) &&
		  vkr_judge_must_keep(&engine->intervals, site, x->interval, check->access->what)))
		note_bytes(check->outlived, leaf->low, leaf->high);
}

// A part of a line where it begins in what is asked for of the leaf.
static enum vkr_result check_part_at(const struct check *check, const struct vkr_leaf *leaf,
				     const struct vkr_part *part, uint64_t low,
				     struct vkr_error *error)
{
	const uint64_t end = leaf->start + part->high * VKR_WORD_BYTES;
	const struct vkr_leaf own = {.start = leaf->start + part->low * VKR_WORD_BYTES,
				     .low = low,
				     .high = end < leaf->high ? end : leaf->high,
				     .level = leaf->level};
	if (low >= own.high)
		return VKR_OK;
	if (check->outlived)
		note_outlived(check, part->slot, &own);
	return check_slot(check, part->slot, &own, error);
}

// The word from which on a part is asked for.
static uint32_t first_word(const struct vkr_leaf *leaf, const struct vkr_part *part)
{
	const uint32_t first = (uint32_t)((leaf->low - leaf->start) / VKR_WORD_BYTES);
	return part->low > first ? part->low : first;
}

// A line's parts, in the order in which its words one by one would be come to.
static enum vkr_result check_parts(const struct check *check, const struct vkr_leaf *leaf,
				   struct vkr_error *error)
{
	const struct vkr_parts *parts = vkr_slot_parts(*leaf->slot);
	enum vkr_result result = VKR_OK;
	uint32_t words = 0; // a bit for each at which parts begin
	for (unsigned i = 0; i < parts->count; i++) {
		const struct vkr_part part = vkr_part_at(parts, i);
		words |= 1u << first_word(leaf, &part);
	}
	for (; words != 0 && result == VKR_OK; words &= words - 1) {
		const uint32_t word = (uint32_t)__builtin_ctz(words);
		const uint64_t start = leaf->start + word * VKR_WORD_BYTES;
		const uint64_t low = start > leaf->low ? start : leaf->low;
		for (unsigned i = 0; i < parts->count && result == VKR_OK; i++) {
			const struct vkr_part part = vkr_part_at(parts, i);
			if (first_word(leaf, &part) == word)
				result = check_part_at(check, leaf, &part, low, error);
		}
	}
	return result;
}

static enum vkr_result check_leaf(const struct check *check, const struct vkr_leaf *leaf,
				  struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (*leaf->slot == 0)
		return VKR_OK;
	if (vkr_slot_kind(*leaf->slot) == VKR_SLOT_PARTS)
		return check_parts(check, leaf, error);
	if (vkr_slot_kind(*leaf->slot) == VKR_SLOT_SET) {
		const struct vkr_slot_set *set = vkr_slot_set(*leaf->slot);
		for (uint32_t i = 0; i < set->count && result == VKR_OK; i++)
			result = check_slot(check, set->slots[i], leaf, error);
		for (uint32_t i = 0; i < set->count && check->outlived; i++)
			note_outlived(check, set->slots[i], leaf);
		return result;
	}
	if (check->outlived)
		note_outlived(check, *leaf->slot, leaf);
	return check_slot(check, *leaf->slot, leaf, error);
}

static enum vkr_result visit_check(void *context, struct vkr_leaf *leaf, struct vkr_error *error)
{
	return check_leaf(context, leaf, error);
}

static enum vkr_result visit_check_and_remember(void *context, struct vkr_leaf *leaf,
						struct vkr_error *error)
{
	const struct check *check = context;
	enum vkr_result result = check_leaf(check, leaf, error);
	if (result != VKR_OK)
		return result;
	return vkr_judge_remember(check->engine, check->access, leaf, error);
}

// ---- Ranges -------------------------------------------------------------------------------------

static enum vkr_result visit_remember(void *context, struct vkr_leaf *leaf, struct vkr_error *error)
{
	const struct check *check = context;
	return vkr_judge_remember(check->engine, check->access, leaf, error);
}

// What stays remembered of the bytes of a page, against private accesses alone, where a plain write
// takes the place of all.
struct remainder {
	const struct check *check;
	bool any;
	uint64_t slots[VKR_PAGE_BYTES]; // of each byte, 0 for none
};

// Notes for [low, high) a slot of kind single or pair, of a node or part that begins at `start`.
static enum vkr_result note_remainder(struct remainder *remainder, uint64_t slot, uint64_t start,
				      uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_engine *engine = remainder->check->engine;
	const struct vkr_access *access = remainder->check->access;
	const struct vkr_epoch x = engine->epochs.items[vkr_slot_epoch(slot)];
	const uint8_t against = vkr_judge_remainder(engine, access->what);
	const uint8_t shape = x.shape < access->paint.shape ? x.shape : access->paint.shape;
	enum vkr_result result = VKR_OK;

	if (x.command != access->command || !x.invocation || !vkr_slot_is_mate(slot, &x, access))
		return VKR_OK;
	// As far as one invocation goes on both sides.
	for (uint64_t at = low, end; at < high && result == VKR_OK; at = end) {
		const uint64_t own = vkr_access_invocation(access, at);
		const bool is_own = vkr_slot_number(slot, &x, at - start, false) == own;
		uint64_t made = 0;
		end = shape == VKR_SHAPE_UNIFORM ? high : ((at >> shape) + 1) << shape;
		end = end < high ? end : high;
		if (is_own && !x.pair)
			continue;
		result = vkr_judge_restrict(engine, slot, at - start, is_own, VKR_SHAPE_UNIFORM,
					    against, &made, error);
		for (uint64_t byte = at; byte < end && result == VKR_OK; byte++) {
			uint64_t *noted = &remainder->slots[byte % VKR_PAGE_BYTES];
			if (x.against == VKR_AGAINST_ALL || *noted == 0)
				*noted = made;
		}
		remainder->any = true;
	}
	return result;
}

static enum vkr_result visit_remainder(void *context, struct vkr_leaf *leaf,
				       struct vkr_error *error)
{
	const uint64_t slot = *leaf->slot;
	enum vkr_result result = VKR_OK;
	if (slot == 0)
		return VKR_OK;
	if (vkr_slot_kind(slot) == VKR_SLOT_SET) {
		const struct vkr_slot_set *set = vkr_slot_set(slot);
		for (uint32_t i = 0; i < set->count && result == VKR_OK; i++)
			result = note_remainder(context, set->slots[i], leaf->start, leaf->low,
						leaf->high, error);
		return result;
	}
	if (vkr_slot_kind(slot) != VKR_SLOT_PARTS)
		return note_remainder(context, slot, leaf->start, leaf->low, leaf->high, error);
	for (unsigned i = 0; i < vkr_slot_parts(slot)->count && result == VKR_OK; i++) {
		const struct vkr_part part = vkr_part_at(vkr_slot_parts(slot), i);
		const uint64_t start = leaf->start + part.low * VKR_WORD_BYTES;
		const uint64_t end = leaf->start + part.high * VKR_WORD_BYTES;
		result = note_remainder(context, part.slot, start,
					start > leaf->low ? start : leaf->low,
					end < leaf->high ? end : leaf->high, error);
	}
	return result;
}

static enum vkr_result paint_remainder(const struct check *check, const struct remainder *remainder,
				       uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	struct vkr_page *page = vkr_shadow_page(check->access->shadow, low);
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	enum vkr_result result = VKR_OK;
	for (uint64_t end; low < high && result == VKR_OK; low = end) {
		const struct vkr_paint paint = {.slot = remainder->slots[low - start],
						.base = low,
						.shape = VKR_SHAPE_UNIFORM};
		end = low + 1;
		while (end < high && remainder->slots[end - start] == paint.slot)
			end++;
		if (paint.slot != 0)
			result = vkr_slot_paint(&page->access, 0, start, low, end, &paint,
						&engine->epochs, &engine->pool, error);
	}
	return result;
}

// Takes the place of all that is remembered of a part of a page.
static enum vkr_result judge_overwrite(const struct check *check, uint64_t low, uint64_t high,
				       struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	const struct vkr_access *access = check->access;
	struct vkr_page *page = vkr_shadow_page(access->shadow, low);
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	const struct vkr_paint nothing = {.shape = VKR_SHAPE_UNIFORM};
	enum vkr_result result = vkr_slot_paint(&page->write, 0, start, low, high, &access->paint,
						&engine->epochs, &engine->pool, error);
	if (result != VKR_OK)
		return result;
	return vkr_slot_paint(&page->access, 0, start, low, high, &nothing, &engine->epochs,
			      &engine->pool, error);
}

// Does so, but for what stays of other invocations' accesses before a barrier.
static enum vkr_result overwrite_in_part(const struct check *check, uint64_t low, uint64_t high,
					 struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	struct vkr_page *page = vkr_shadow_page(check->access->shadow, low);
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	struct remainder remainder;
	const struct vkr_visit visit = {.visitor = visit_remainder,
					.context = &remainder,
					.epochs = &engine->epochs,
					.pool = &engine->pool};
	enum vkr_result result;
	remainder.check = check;
	remainder.any = false;
	memset(&remainder.slots[low - start], 0, (high - low) * sizeof remainder.slots[0]);
	result = vkr_slot_visit(&page->write, 0, start, low, high, &visit, error);
	if (result == VKR_OK)
		result = vkr_slot_visit(&page->access, 0, start, low, high, &visit, error);
	if (result == VKR_OK)
		result = judge_overwrite(check, low, high, error);
	return result == VKR_OK && remainder.any
		       ? paint_remainder(check, &remainder, low, high, error)
		       : result;
}

// A plain write stands for all that it does not race with, if nothing outlives it:
//
//   of another command      order after the write is order after the older one, by transitivity,
//                           and the older one is available already.
//   of a workgroup-mate     the two are ordered by a barrier, which is before all that is ordered
//                           after the write; both are non-private and the older one is available.
//   of the same invocation  what is ordered after the write is ordered after the older one, which
//                           would only have to be as little private and as available as the write:
//                           else it outlives the write, which is remembered beside it.
//
// Where there may be private writes, one access of another invocation stays, the last, against
// those that the write's invocation makes: other invocations' race with the write itself.
//
// What it races with in its own command outlives it where shaders may have brought the two into
// order, for the write may be the earlier one. So does what a command that keeps must not take the
// place of (vkr_engine_command_keeps): something before the write, by what shaders synchronize, may
// be fed yet, and race with the older one.
//
// So does a layout transition that another one follows in submission order alone. What the first
// one subsumes is not kept beside the second one: it is ordered before the first, which is ordered
// before the second.
//
// The writer's own invocation is held against its write alone, be it private or without visibility
// of what was overwritten: it gets the value that it wrote. What the write races with has just been
// reported.
static enum vkr_result write_part(const struct check *check, uint64_t low, uint64_t high,
				  bool outlived, struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	const struct vkr_access *access = check->access;
	struct vkr_page *page = vkr_shadow_page(access->shadow, low);
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	const struct vkr_visit visit = {.visitor = visit_remember,
					.context = (void *)(uintptr_t)check,
					.cut = true,
					.epochs = &engine->epochs,
					.pool = &engine->pool};

	if (outlived)
		return vkr_slot_visit(&page->access, 0, start, low, high, &visit, error);
	if (access->invocation && engine->intervals.current > 0 &&
	    vkr_judge_remainder(engine, access->what))
		return overwrite_in_part(check, low, high, error);
	return judge_overwrite(check, low, high, error);
}

// The end of the bytes from `at` on of which the same holds. Both are within one page.
static uint64_t run_end(const struct outlived *outlived, uint64_t at, uint64_t high, bool *is_noted)
{
	*is_noted = outlived->bytes[at % VKR_PAGE_BYTES / 64] >> (at % 64) & 1;
	while (at < high) {
		const uint64_t word = outlived->bytes[at % VKR_PAGE_BYTES / 64];
		const uint64_t others = (*is_noted ? ~word : word) >> (at % 64);
		if (others == 0) {
			at = (at | 63) + 1;
			continue;
		}
		at += (uint64_t)__builtin_ctzll(others);
		break;
	}
	return at < high ? at : high;
}

static enum vkr_result write_page(const struct check *check, uint64_t low, uint64_t high,
				  struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (!check->outlived->any)
		return write_part(check, low, high, false, error);
	while (low < high && result == VKR_OK) {
		bool outlived;
		const uint64_t end = run_end(check->outlived, low, high, &outlived);
		result = write_part(check, low, end, outlived, error);
		low = end;
	}
	return result;
}

static enum vkr_result judge_slots(struct check *check, uint64_t low, uint64_t high,
				   struct vkr_error *error)
{
	struct vkr_engine *engine = check->engine;
	const struct vkr_access *access = check->access;
	struct vkr_page *page = vkr_shadow_page(access->shadow, low);
	const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
	const bool remembers = vkr_judge_remembers(access->what);
	struct vkr_visit visit = {.visitor = visit_check,
				  .context = check,
				  .epochs = &engine->epochs,
				  .pool = &engine->pool};
	enum vkr_result result = VKR_OK;

	if (page->write != 0)
		result = vkr_slot_visit(&page->write, 0, start, low, high, &visit, error);
	if (result != VKR_OK)
		return result;
	if (access->by_range && !access->shadow->beside_writes)
		return VKR_OK; // reads beside reads
	if (remembers && !access->freeing && !access->by_range) {
		visit.visitor = visit_check_and_remember;
		visit.cut = true;
		return vkr_slot_visit(&page->access, 0, start, low, high, &visit, error);
	}
	if (page->access != 0)
		result = vkr_slot_visit(&page->access, 0, start, low, high, &visit, error);
	if (result != VKR_OK || access->freeing || access->by_range)
		return result;
	return write_page(check, low, high, error);
}

// One page of a range: [low, high) lies within it.
static enum vkr_result judge_page(struct check *check, uint64_t low, uint64_t high,
				  struct vkr_error *error)
{
	const struct vkr_access *access = check->access;
	struct outlived outlived;
	outlived.any = false; // the bytes are cleared where one is
	if (!vkr_judge_remembers(access->what) && !access->freeing)
		check->outlived = &outlived;
	const enum vkr_result result = judge_slots(check, low, high, error);
	check->outlived = NULL;
	return result;
}

enum vkr_result vkr_judge_range(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct check check = {
		.engine = engine,
		.access = access,
		.step = vkr_judge_step(access->what, access->reference, access->interval)};
	enum vkr_result result = VKR_OK;
	while (low < high && result == VKR_OK) {
		size_t page = low / VKR_PAGE_BYTES;
		if (access->freeing) { // which remembers nothing
			if (!vkr_shadow_next_page(access->shadow, &page))
				break;
			low = low < page * VKR_PAGE_BYTES ? page * VKR_PAGE_BYTES : low;
		}
		const uint64_t page_end = (low & ~(VKR_PAGE_BYTES - 1)) + VKR_PAGE_BYTES;
		const uint64_t end = page_end < high ? page_end : high;
		result = judge_page(&check, low, end, error);
		low = end;
	}
	if (result == VKR_OK && engine->found.count != 0 && access->what->piece_count == 0)
		result = vkr_judge_found_end(engine, access, error);
	return result;
}

enum vkr_result vkr_judge_probe(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct check check = {
		.engine = engine,
		.access = access,
		.step = vkr_judge_step(access->what, access->reference, access->interval)};
	const struct vkr_visit visit = {.visitor = visit_check,
					.context = &check,
					.epochs = &engine->epochs,
					.pool = &engine->pool};
	enum vkr_result result = VKR_OK;
	while (low < high && result == VKR_OK && !engine->raced) {
		struct vkr_page *page = vkr_shadow_page(access->shadow, low);
		const uint64_t start = low & ~(VKR_PAGE_BYTES - 1);
		const uint64_t end = start + VKR_PAGE_BYTES < high ? start + VKR_PAGE_BYTES : high;
		if (page->write != 0)
			result = vkr_slot_visit(&page->write, 0, start, low, end, &visit, error);
		if (result == VKR_OK && page->access != 0)
			result = vkr_slot_visit(&page->access, 0, start, low, end, &visit, error);
		low = end;
	}
	return result;
}
