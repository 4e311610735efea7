// SPDX-License-Identifier: Apache-2.0
// A fast path of judge.c for plain reads and writes of some words of a line that need not be split
// into words: neighbours that several sites read at shifted places, and words at a stride. A part
// remembers what each of its words would. All other cases are left to judge.c; knows no rule of its
// own.
#include "judge.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static_assert(offsetof(struct vkr_parts, slots) == 2 * sizeof(uint64_t),
	      "the head of a line's parts is compared and copied as two words");

#define LINE_WORDS ((uint32_t)(VKR_LINE_BYTES / VKR_WORD_BYTES))

// Single words are kept apart from one another in the line's words where they are more than this.
#define MOST_SINGLE_WORDS 6u

// A line's parts being changed: two more than there may be when it is done.
struct list {
	struct vkr_part items[VKR_PARTS_MOST + 2];
	unsigned count;
};

// False where a slot does not consist of parts, even of one.
static bool list_of(uint64_t slot, struct list *list)
{
	list->count = 0;
	if (slot == 0)
		return true;
	if (vkr_slot_kind(slot) == VKR_SLOT_SINGLE) {
		list->items[list->count++] = (struct vkr_part){slot, 0, LINE_WORDS};
		return true;
	}
	if (vkr_slot_kind(slot) != VKR_SLOT_PARTS)
		return false;
	for (unsigned i = 0; i < vkr_slot_parts(slot)->count; i++)
		list->items[list->count++] = vkr_part_at(vkr_slot_parts(slot), i);
	return true;
}

static void remove_part(struct list *list, unsigned i)
{
	list->count--;
	memmove(&list->items[i], &list->items[i + 1], (list->count - i) * sizeof list->items[0]);
}

// What a part becomes from word `low` on; false where that is within what one invocation has.
static bool part_behind(const struct vkr_engine *engine, const struct vkr_part *part, uint32_t low,
			struct vkr_part *behind)
{
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(part->slot)];
	const uint64_t distance = (low - part->low) * VKR_WORD_BYTES;
	if (x->shape != VKR_SHAPE_UNIFORM && (distance & (((uint64_t)1 << x->shape) - 1)) != 0)
		return false;
	*behind = (struct vkr_part){vkr_slot_advance(part->slot, distance, &engine->epochs), low,
				    part->high};
	return true;
}

// Takes [low, high) out of part i; false where there is no room or it cannot be said. *i is the
// last one that is done.
static bool cut_part(const struct vkr_engine *engine, struct list *list, unsigned *i, uint32_t low,
		     uint32_t high)
{
	struct vkr_part *part = &list->items[*i];
	struct vkr_part behind;
	if (low <= part->low && high >= part->high) {
		remove_part(list, *i);
		--*i; // wraps below the first, and back
		return true;
	}
	if (high < part->high) {
		if (!part_behind(engine, part, high, &behind))
			return false;
		if (low <= part->low) {
			*part = behind;
			return true;
		}
		if (list->count == sizeof list->items / sizeof list->items[0])
			return false;
		memmove(part + 2, part + 1, (list->count - *i - 1) * sizeof *part);
		part[1] = behind;
		list->count++;
		++*i;
	}
	part->high = low;
	return true;
}

static bool cut_all(const struct vkr_engine *engine, struct list *list, uint32_t low, uint32_t high)
{
	for (unsigned i = 0; i < list->count; i++) {
		if (list->items[i].low < high && list->items[i].high > low &&
		    !cut_part(engine, list, &i, low, high))
			return false;
	}
	return true;
}

// Adds a part, or lengthens one of the same invocations' neighbours by it.
static bool add_part(const struct vkr_engine *engine, struct list *list,
		     const struct vkr_part *part)
{
	const uint32_t epoch = vkr_slot_epoch(part->slot);
	const struct vkr_epoch *x = &engine->epochs.items[epoch];
	struct vkr_part behind;
	for (unsigned i = 0; i < list->count && x->shape != VKR_SHAPE_UNIFORM; i++) {
		struct vkr_part *before = &list->items[i];
		if (before->high != part->low || vkr_slot_epoch(before->slot) != epoch ||
		    vkr_slot_number(before->slot, x, 0, false) >> x->local_bits !=
			    vkr_slot_number(part->slot, x, 0, false) >> x->local_bits ||
		    !part_behind(engine, before, part->low, &behind) || behind.slot != part->slot)
			continue;
		before->high = part->high;
		return true;
	}
	if (list->count >= VKR_PARTS_MOST ||
	    (x->shape == VKR_SHAPE_UNIFORM && list->count >= MOST_SINGLE_WORDS))
		return false;
	list->items[list->count++] = *part;
	return true;
}

// Whether a list's parts in [low, high) do not race with the access. `line`: its first byte.
static bool list_is_safe(struct vkr_fast *fast, const struct list *list, uint64_t line,
			 uint32_t low, uint32_t high, struct vkr_known *safe)
{
	for (unsigned i = 0; i < list->count; i++) {
		const struct vkr_part *part = &list->items[i];
		const uint32_t at = part->low > low ? part->low : low;
		if (at >= part->high || at >= high || vkr_known_has(safe, part->slot, line))
			continue;
		if (!vkr_judge_harmless(fast, part->slot, (at - part->low) * VKR_WORD_BYTES,
					line + at * VKR_WORD_BYTES, safe))
			return false;
	}
	return true;
}

static bool is_known(const struct vkr_known *safe, uint64_t slot, uint64_t line)
{
	return vkr_slot_kind(slot) == VKR_SLOT_SINGLE && vkr_known_has(safe, slot, line);
}

// Does so for the slot of a line of any kind.
static bool line_is_safe(struct vkr_fast *fast, uint64_t slot, uint64_t line, uint32_t low,
			 uint32_t high, struct vkr_known *safe)
{
	struct list list;
	if (slot == 0 || is_known(safe, slot, line))
		return true;
	if (vkr_slot_kind(slot) != VKR_SLOT_SPLIT)
		return list_of(slot, &list) && list_is_safe(fast, &list, line, low, high, safe);
	for (uint32_t at = low; at < high; at++) {
		const uint64_t word = vkr_slot_children(slot)[at];
		if (word != 0 && vkr_known_has(safe, word, line) &&
		    vkr_slot_kind(word) == VKR_SLOT_SINGLE)
			continue;
		if (word != 0 &&
		    !vkr_judge_harmless(fast, word, 0, line + at * VKR_WORD_BYTES, safe))
			return false;
	}
	return true;
}

bool vkr_judge_is_simple_beside(const struct vkr_fast *fast, const struct vkr_epoch *x)
{
	const struct vkr_command *commands = fast->engine->queues.commands.items;
	const struct vkr_command *older = &commands[x->command - 1];
	const struct vkr_command *own = &commands[fast->access->command - 1];
	return !(fast->engine->sites.items[x->site - 1].flags & VKR_ENGINE_WRITE) &&
	       !(older->timeline == own->timeline && older->position > own->position);
}

// What the access makes of part i of another command.
static bool meet_other(struct vkr_fast *fast, struct list *list, unsigned *i, uint64_t line,
		       uint32_t low, uint32_t high, uint32_t *other)
{
	const struct vkr_part *part = &list->items[*i];
	const uint32_t epoch = vkr_slot_epoch(part->slot);
	const struct vkr_epoch *x = &fast->engine->epochs.items[epoch];
	const uint32_t at = part->low > low ? part->low : low;
	const struct vkr_cached_verdict *cached;
	struct vkr_known known;

	// Of two other commands one might stand for the other.
	if (*other != 0 && *other != x->command)
		return false;
	*other = x->command;
	if (!vkr_judge_is_simple_beside(fast, x))
		return false;
	if (vkr_known_has(&fast->replaced, part->slot, line))
		return cut_part(fast->engine, list, i, low, high);
	cached = vkr_judge_commands(fast->engine, epoch, fast->access, line + at * VKR_WORD_BYTES);
	known = vkr_known_of(epoch, cached);
	if (!vkr_known_has(&known, part->slot, line))
		return false;
	if (!cached->subsumes)
		return true;
	fast->replaced = known;
	return cut_part(fast->engine, list, i, low, high);
}

// Takes from `mine` what an earlier part remembers already.
static bool meet_same(const struct vkr_fast *fast, const struct vkr_part *part,
		      struct vkr_part *mine)
{
	const struct vkr_engine *engine = fast->engine;
	const struct vkr_epoch *x = &engine->epochs.items[vkr_slot_epoch(part->slot)];
	const uint32_t low = part->low > mine->low ? part->low : mine->low;
	const uint32_t high = part->high < mine->high ? part->high : mine->high;
	struct vkr_part old, own;

	if (low >= high)
		return true;
	if (!x->invocation || !part_behind(engine, part, low, &old) ||
	    !part_behind(engine, mine, low, &own))
		return false;
	// Another workgroup's, or the very same: judge_history.c keeps the old one.
	if (vkr_slot_is_mate(part->slot, x, fast->access) && old.slot != own.slot)
		return false;
	if (high == mine->high) {
		mine->high = low;
		return true;
	}
	return low == mine->low && part_behind(engine, mine, high, mine);
}

// Puts a plain read beside what was accessed since the last write.
static bool remember_read(struct vkr_fast *fast, struct list *list, uint64_t line,
			  struct vkr_part mine)
{
	const struct vkr_access *access = fast->access;
	const uint32_t low = mine.low, high = mine.high;
	uint32_t other = 0;
	for (unsigned i = 0; i < list->count; i++) {
		const struct vkr_part *part = &list->items[i];
		const struct vkr_epoch *x = &fast->engine->epochs.items[vkr_slot_epoch(part->slot)];
		if (part->low >= high || part->high <= low)
			continue;
		if (x->against != VKR_AGAINST_ALL)
			return false;
		if (x->command != access->command) {
			if (!meet_other(fast, list, &i, line, low, high, &other))
				return false;
		} else if (fast->engine->sites.items[x->site - 1].flags & VKR_ENGINE_WRITE) {
			return false;
		} else if (x->site == access->site && x->reference == access->reference) {
			if (!meet_same(fast, part, &mine))
				return false;
		}
	}
	return mine.low >= mine.high || add_part(fast->engine, list, &mine);
}

// ---- Lines that are alike -----------------------------------------------------------------------

// Whether a read of words [low, high) leaves a part of another epoch as it is, in *stays, or stands
// for it; false where that is not simple. Narrows where the answer holds. *other: the command whose
// reads it stands for.
static bool meet_part(const struct vkr_fast *fast, uint64_t slot, uint64_t line, uint32_t *other,
		      struct vkr_line_change *change, bool *stays)
{
	const struct vkr_access *access = fast->access;
	const uint32_t epoch = vkr_slot_epoch(slot);
	const struct vkr_epoch *x = &fast->engine->epochs.items[epoch];
	if (x->against != VKR_AGAINST_ALL)
		return false;
	*stays = x->command == access->command;
	if (*stays)
		return !(fast->engine->sites.items[x->site - 1].flags & VKR_ENGINE_WRITE) &&
		       (x->site != access->site || x->reference != access->reference);
	// Of two other commands one might stand for the other.
	if ((*other != 0 && *other != x->command) || !vkr_judge_is_simple_beside(fast, x))
		return false;
	*other = x->command;
	const struct vkr_cached_verdict *cached =
		vkr_judge_commands(fast->engine, epoch, access, line);
	const struct vkr_known known = vkr_known_of(epoch, cached);
	change->low = known.low > change->low ? known.low : change->low;
	change->high = known.high < change->high ? known.high : change->high;
	return cached->subsumes && vkr_known_has(&known, slot, line);
}

// What is left of a part that the access stands for: nothing where part->low == part->high. False
// where that is more than one part, or cannot be said.
static bool leave_part(const struct vkr_engine *engine, uint32_t low, uint32_t high,
		       struct vkr_part *part)
{
	const struct vkr_part whole = *part;
	if (low > whole.low) {
		part->high = low;
		return high >= whole.high;
	}
	part->high = whole.low;
	return high >= whole.high || part_behind(engine, &whole, high, part);
}

// What the access makes of part i of a line, which may be none of its own epoch's that it overlaps.
static bool change_part(const struct vkr_fast *fast, const struct vkr_parts *parts, unsigned i,
			uint64_t line, const struct vkr_part *mine, uint32_t *other,
			struct vkr_line_change *change)
{
	uint8_t *spans = (uint8_t *)change->after + offsetof(struct vkr_parts, spans);
	struct vkr_part part = vkr_part_at(parts, i);
	const uint64_t slot = part.slot;
	const bool overlaps = part.low < mine->high && part.high > mine->low;
	bool stays = true;
	change->epochs[i] = vkr_slot_epoch(slot);
	if (change->epochs[i] == fast->access->epoch) {
		if (overlaps)
			return false;
		if (part.high == mine->low)
			change->abuts = (uint8_t)(i + 1);
	} else if (overlaps && !meet_part(fast, slot, line, other, change, &stays)) {
		return false;
	}
	if (!stays) {
		change->cuts = true;
		if (!leave_part(fast->engine, mine->low, mine->high, &part))
			return false;
		if (part.low == part.high)
			return true;
	}
	spans[change->kept] = (uint8_t)(part.low << 4 | (part.high - 1));
	change->from[change->kept] = (uint8_t)i;
	change->more[change->kept++] = part.slot - slot;
	return true;
}

static uint8_t span_of(const struct vkr_part *part)
{
	return (uint8_t)(part->low << 4 | (part->high - 1));
}

// Finds out what the access makes of a line; false where it is not put after the other parts, or
// there is no room.
static bool find_change(const struct vkr_fast *fast, const struct vkr_parts *parts, uint64_t line,
			const struct vkr_part *mine, struct vkr_line_change *change)
{
	struct vkr_parts *after = (struct vkr_parts *)(void *)change->after;
	uint32_t other = 0;
	*change = (struct vkr_line_change){
		.memory = fast->access->shadow->serial, .high = UINT64_MAX, .mine = span_of(mine)};
	for (unsigned i = 0; i < parts->count; i++)
		if (!change_part(fast, parts, i, line, mine, &other, change))
			return false;
	if (change->kept == 0 || change->kept == parts->capacity)
		return false;
	memcpy(change->before, parts, sizeof change->before);
	after->spans[change->kept] = change->mine;
	after->count = (uint8_t)(change->kept + 1);
	after->capacity = parts->capacity;
	change->epoch = fast->access->epoch;
	return true;
}

// Whether it was found out of a line in such parts.
static bool has_change(const struct vkr_line_change *change, const struct vkr_access *access,
		       const struct vkr_parts *parts, uint64_t line, const struct vkr_part *mine)
{
	uint64_t head[2];
	uint32_t apart = 0;
	memcpy(head, parts, sizeof head);
	if (change->epoch != access->epoch || change->memory != access->shadow->serial ||
	    change->mine != span_of(mine) || head[0] != change->before[0] ||
	    head[1] != change->before[1] || line - change->low >= change->high - change->low)
		return false;
	for (unsigned i = 0; i < parts->count; i++)
		apart |= vkr_slot_epoch(parts->slots[i]) ^ change->epochs[i];
	return apart == 0;
}

// Remembers a read as remember_read does, in a line in parts that stays so and has room. False:
// nothing has changed.
static bool remember_in_place(struct vkr_fast *fast, struct vkr_parts *parts, uint64_t line,
			      const struct vkr_part *mine)
{
	const struct vkr_access *access = fast->access;
	struct vkr_line_change *change =
		&fast->engine->line_changes[(access->epoch * 11 + mine->low * 5 + parts->count) %
					    VKR_LINE_CHANGES];
	if (access->paint.shape == VKR_SHAPE_UNIFORM ||
	    (!has_change(change, access, parts, line, mine) &&
	     !find_change(fast, parts, line, mine, change)))
		return false;
	// One of the same workgroup would be lengthened.
	if (change->abuts != 0 && (parts->slots[change->abuts - 1] ^ mine->slot) >>
						  (VKR_SLOT_FIELD_SHIFT + access->local_bits) ==
					  0)
		return false;
	for (unsigned i = 0; i < change->kept && change->cuts; i++)
		parts->slots[i] = parts->slots[change->from[i]] + change->more[i];
	parts->slots[change->kept] = mine->slot;
	memcpy(parts, change->after, sizeof change->after);
	return true;
}

static enum vkr_result store_parts(struct vkr_fast *fast, uint64_t *slot, const struct list *list,
				   struct vkr_error *error)
{
	struct vkr_pool *pool = &fast->engine->pool;
	const bool whole =
		list->count == 1 && list->items[0].low == 0 && list->items[0].high == LINE_WORDS;
	if (list->count != 0 && !whole)
		return vkr_slot_set_parts(slot, list->items, list->count, pool, error);
	vkr_slot_release(slot, 1, pool);
	if (whole)
		*slot = list->items[0].slot;
	return VKR_OK;
}

// The slot of a line, where its page is split; NULL: it is not.
static uint64_t *line_slot(uint64_t *page, uint64_t offset)
{
	if (vkr_slot_kind(*page) != VKR_SLOT_SPLIT)
		return NULL;
	return &vkr_slot_children(*page)[offset % VKR_PAGE_BYTES / VKR_LINE_BYTES];
}

// The line's own slots, after splitting the page if nothing is remembered in it.
static enum vkr_result own_line(struct vkr_fast *fast, uint64_t *page, uint64_t offset,
				uint64_t **slot, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (*page == 0)
		result = vkr_slot_split(page, 0, &fast->engine->epochs, &fast->engine->pool, error);
	*slot = result == VKR_OK ? line_slot(page, offset) : NULL;
	return result;
}

static enum vkr_result judge_read(struct vkr_fast *fast, struct vkr_page *page, uint64_t line,
				  struct vkr_part mine, bool *done, struct vkr_error *error)
{
	const uint64_t *write = line_slot(&page->write, line);
	uint64_t *access;
	struct list list;
	enum vkr_result result;
	if (write ? !line_is_safe(fast, *write, line, mine.low, mine.high, &fast->safe_write)
		  : page->write != 0 && !is_known(&fast->safe_write, page->write, line) &&
			    !vkr_judge_harmless(fast, page->write,
						(line + mine.low * VKR_WORD_BYTES) % VKR_PAGE_BYTES,
						line + mine.low * VKR_WORD_BYTES,
						&fast->safe_write))
		return VKR_OK;
	result = own_line(fast, &page->access, line, &access, error);
	if (result != VKR_OK || !access)
		return result;
	*done = vkr_slot_kind(*access) == VKR_SLOT_PARTS &&
		remember_in_place(fast, vkr_slot_parts(*access), line, &mine);
	if (*done || !list_of(*access, &list) || !remember_read(fast, &list, line, mine) ||
	    list.count > VKR_PARTS_MOST)
		return result;
	*done = true;
	return store_parts(fast, access, &list, error);
}

static enum vkr_result judge_write(struct vkr_fast *fast, struct vkr_page *page, uint64_t line,
				   struct vkr_part mine, bool *done, struct vkr_error *error)
{
	uint64_t *access = line_slot(&page->access, line), *write;
	struct list accesses = {.count = 0}, writes;
	enum vkr_result result;
	if (access ? !list_of(*access, &accesses) : page->access != 0)
		return VKR_OK;
	result = own_line(fast, &page->write, line, &write, error);
	if (result != VKR_OK || !write || !list_of(*write, &writes))
		return result;
	if (!list_is_safe(fast, &accesses, line, mine.low, mine.high, &fast->safe_access) ||
	    !list_is_safe(fast, &writes, line, mine.low, mine.high, &fast->safe_write) ||
	    !cut_all(fast->engine, &accesses, mine.low, mine.high) ||
	    !cut_all(fast->engine, &writes, mine.low, mine.high) ||
	    !add_part(fast->engine, &writes, &mine) || accesses.count > VKR_PARTS_MOST ||
	    writes.count > VKR_PARTS_MOST)
		return VKR_OK;
	*done = true;
	result = store_parts(fast, write, &writes, error);
	if (result == VKR_OK && access && *access != 0)
		result = store_parts(fast, access, &accesses, error);
	return result;
}

// Whether the line's slot in one tree, that of the access, can be changed where it stands: a part
// of the same words that the access stands for, or none and room for one. `subsumes`: epochs of
// other commands that the access was found to stand for, or to be safe from and to overwrite.
static bool change_in_place(uint64_t slot, const struct vkr_part *mine, uint64_t line,
			    const struct vkr_known *subsumes)
{
	struct vkr_parts *parts = vkr_slot_parts(slot);
	const uint8_t span = (uint8_t)(mine->low << 4 | (mine->high - 1));
	unsigned same = VKR_PARTS_MOST;
	for (unsigned i = 0; i < parts->count; i++) {
		const struct vkr_part part = vkr_part_at(parts, i);
		if (part.low >= mine->high || part.high <= mine->low)
			continue;
		if (parts->spans[i] != span || same != VKR_PARTS_MOST ||
		    !vkr_known_has(subsumes, part.slot, line))
			return false;
		same = i;
	}
	if (same == VKR_PARTS_MOST) {
		if (parts->count == parts->capacity || parts->count >= MOST_SINGLE_WORDS)
			return false;
		same = parts->count++;
		parts->spans[same] = span;
	}
	parts->slots[same] = mine->slot;
	return true;
}

// The common case of words at a stride: nothing stands in the other tree, and in its own the line
// is in parts already.
static bool judge_in_place(const struct vkr_fast *fast, const struct vkr_page *page, uint64_t line,
			   const struct vkr_part *mine)
{
	const uint64_t own = fast->read_only ? page->access : page->write;
	const uint64_t other = fast->read_only ? page->write : page->access;
	const unsigned index = (unsigned)(line % VKR_PAGE_BYTES / VKR_LINE_BYTES);
	uint64_t slot;
	if (vkr_slot_kind(own) != VKR_SLOT_SPLIT ||
	    (other != 0 &&
	     (vkr_slot_kind(other) != VKR_SLOT_SPLIT || vkr_slot_children(other)[index] != 0)))
		return false;
	slot = vkr_slot_children(own)[index];
	return vkr_slot_kind(slot) == VKR_SLOT_PARTS &&
	       change_in_place(slot, mine, line,
			       fast->read_only ? &fast->replaced : &fast->safe_write);
}

bool vkr_judge_in_place(const struct vkr_fast *fast, uint64_t low, uint64_t high)
{
	const uint64_t line = low & ~(VKR_LINE_BYTES - 1);
	const struct vkr_part mine = {fast->access->paint.slot,
				      (uint32_t)((low - line) / VKR_WORD_BYTES),
				      (uint32_t)((high - line) / VKR_WORD_BYTES)};
	return !((low | high) & (VKR_WORD_BYTES - 1)) && high <= line + VKR_LINE_BYTES &&
	       judge_in_place(fast, vkr_shadow_page(fast->access->shadow, low), line, &mine);
}

enum vkr_result vkr_judge_parts(struct vkr_fast *fast, uint64_t low, uint64_t high, uint64_t *done,
				struct vkr_error *error)
{
	const struct vkr_access *access = fast->access;
	const uint64_t line = low & ~(VKR_LINE_BYTES - 1);
	const uint64_t end = high < line + VKR_LINE_BYTES ? high : line + VKR_LINE_BYTES;
	struct vkr_page *page = vkr_shadow_page(access->shadow, low);
	const struct vkr_part mine = {vkr_paint_at(&access->paint, low),
				      (uint32_t)((low - line) / VKR_WORD_BYTES),
				      (uint32_t)((end - line) / VKR_WORD_BYTES)};
	bool judged = false;
	enum vkr_result result;

	*done = low;
	// Workgroup memory is small, and its words are used again and again.
	if (((low | end) & (VKR_WORD_BYTES - 1)) || (access->what->flags & VKR_ENGINE_ATOMIC) ||
	    !access->invocation || access->shadow->memory == VKR_ENGINE_WORKGROUP)
		return VKR_OK;
	if (access->paint.shape == VKR_SHAPE_UNIFORM && judge_in_place(fast, page, line, &mine)) {
		*done = end;
		return VKR_OK;
	}
	result = fast->read_only ? judge_read(fast, page, line, mine, &judged, error)
				 : judge_write(fast, page, line, mine, &judged, error);
	if (judged)
		*done = end;
	return result;
}
