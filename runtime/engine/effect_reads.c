// SPDX-License-Identifier: Apache-2.0
#include "effect_reads.h"

#include "array.h"
#include "engine_feed.h"
#include "read_deferral.h"

struct vkr_shadow *vkr_effect_memory(struct vkr_engine *engine, uint32_t memory)
{
	return memory == VKR_ENGINE_WORKGROUP ? NULL : vkr_shadow_fed(engine, memory);
}

bool vkr_effect_reads_wait(struct vkr_engine *engine, const struct effect_range *range)
{
	return vkr_deferred_waits(vkr_effect_memory(engine, range->memory), range->low,
				  range->high);
}

// ---- Tables of a range --------------------------------------------------------------------------

// Where the tables of a range are being gone through.
struct places {
	const struct vkr_deferred *deferred;
	const struct effect_range *range;
	size_t group, table;
};

static struct places places_of(struct vkr_engine *engine, const struct effect_range *range)
{
	const struct vkr_deferred *deferred = vkr_effect_memory(engine, range->memory)->deferred;
	return (struct places){.deferred = deferred,
			       .range = range,
			       .group = deferred != NULL ? vkr_deferred_from(deferred, range->low)
							 : 0};
}

static const struct vkr_deferred_group *group_at(const struct places *at)
{
	return at->deferred != NULL && at->group < at->deferred->count &&
			       at->deferred->items[at->group]->low < at->range->high
		       ? at->deferred->items[at->group]
		       : NULL;
}

static const struct vkr_deferred_table *next_table(struct places *at)
{
	for (const struct vkr_deferred_group *group; (group = group_at(at)) != NULL; at->group++) {
		if (at->table < group->tables.count)
			return &group->tables.items[at->table++];
		at->table = 0;
	}
	return NULL;
}

static struct effect_reads hold_table(struct vkr_effect *effect,
				      const struct vkr_deferred_table *table)
{
	struct effect_reads made = {table->filter, table->target};
	made.filter.kept = vkr_read_table_hold(table->reads);
	effect->bytes += vkr_read_table_bytes(table->reads);
	return made;
}

// ---- Before the dispatch ------------------------------------------------------------------------

// Whether logs wait in the range (unread_reads.h).
static bool has_unread(struct vkr_engine *engine, const struct effect_range *range)
{
	struct places at = places_of(engine, range);
	for (const struct vkr_deferred_group *group; (group = group_at(&at)) != NULL; at.group++)
		if (group->unread.count > 0)
			return true;
	return false;
}

// Whether all that waits in the range can be named: it is whole and within the range.
static bool can_name(struct vkr_engine *engine, const struct effect_range *range)
{
	struct places at = places_of(engine, range);
	if (has_unread(engine, range))
		return false;
	for (const struct vkr_deferred_table *table; (table = next_table(&at)) != NULL;) {
		const struct vkr_deferred_group *group = group_at(&at);
		if (group->low < range->low || group->high > range->high || !table->left.is_whole)
			return false;
	}
	return true;
}

enum vkr_result vkr_effect_feed(struct vkr_engine *engine, const struct vkr_effect *effect,
				bool all, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->ranges.count && result == VKR_OK; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		if (!range->waits && (all || !can_name(engine, range)))
			result = vkr_deferral_feed(engine, vkr_effect_memory(engine, range->memory),
						   range->low, range->high, error);
	}
	return result;
}

bool vkr_effect_keep_waiting(struct vkr_engine *engine, struct vkr_effect *effect)
{
	struct places at = places_of(engine, &effect->ranges.items[effect->range]);
	for (const struct vkr_deferred_table *table; (table = next_table(&at)) != NULL;) {
		if (!VKR_ARRAY_RESERVE(&effect->waiting, 1))
			return false;
		effect->waiting.items[effect->waiting.count++] =
			(struct effect_waiting){.reads = hold_table(effect, table),
						.range = effect->range,
						.class = table->epoch,
						.local_size = table->local_size,
						.local_bits = table->local_bits};
	}
	return true;
}

static bool is_alike(const struct effect_waiting *of, const struct vkr_deferred_table *table)
{
	const struct vkr_engine_target *a = &of->reads.target, *b = &table->target;
	return vkr_read_table_equals(table->reads, of->reads.filter.kept) && table->left.is_whole &&
	       table->filter.site == of->reads.filter.site &&
	       table->filter.shift == of->reads.filter.shift && a->memory == b->memory &&
	       a->reference == b->reference && a->base == b->base && a->bytes == b->bytes &&
	       table->local_size == of->local_size && table->local_bits == of->local_bits;
}

// Whether the table's command can be the effect's of a label.
static bool name_command(struct vkr_effect *effect, const struct effect_waiting *of,
			 const struct vkr_deferred_table *table)
{
	uint32_t *commands = effect->commands.items;
	for (uint32_t i = 0; i < effect->commands.count; i++)
		if ((i == of->label) != (commands[i] == table->command) && commands[i] != 0)
			return false;
	commands[of->label] = table->command;
	effect->classes.items[of->class].number = table->epoch;
	return true;
}

bool vkr_effect_waits_alike(struct vkr_engine *engine, struct vkr_effect *effect)
{
	size_t next = 0;
	for (size_t i = 0; i < effect->ranges.count; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		struct places at = places_of(engine, range);
		if (range->waits)
			continue;
		if (has_unread(engine, range))
			return false;
		for (const struct vkr_deferred_table *table; (table = next_table(&at)) != NULL;) {
			if (next == effect->waiting.count)
				return false;
			const struct effect_waiting *of = &effect->waiting.items[next];
			if (of->range != i || !is_alike(of, table) ||
			    !name_command(effect, of, table))
				return false;
			next++;
		}
	}
	return next == effect->waiting.count;
}

void vkr_effect_forget_waiting(struct vkr_engine *engine, const struct vkr_effect *effect)
{
	for (size_t i = 0; i < effect->ranges.count; i++) {
		const struct effect_range *range = &effect->ranges.items[i];
		struct vkr_shadow *shadow = vkr_effect_memory(engine, range->memory);
		while (!range->waits && vkr_effect_reads_wait(engine, range))
			vkr_deferred_group_destroy(
				engine, shadow,
				shadow->deferred
					->items[vkr_deferred_from(shadow->deferred, range->low)]);
	}
}

// ---- The dispatch's own -------------------------------------------------------------------------

bool vkr_effect_keep_reads(struct vkr_engine *engine, struct vkr_effect *effect, uint32_t range)
{
	struct places at = places_of(engine, &effect->ranges.items[range]);
	for (const struct vkr_deferred_table *table; (table = next_table(&at)) != NULL;) {
		if (table->command != engine->dispatch.command)
			continue;
		if (!VKR_ARRAY_RESERVE(&effect->reads, 1))
			return false;
		effect->reads.items[effect->reads.count++] = hold_table(effect, table);
	}
	return true;
}

enum vkr_result vkr_effect_may_read_again(struct vkr_engine *engine, struct vkr_effect *effect,
					  bool *may, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	*may = true;
	for (size_t i = 0; i < effect->reads.count && *may && result == VKR_OK; i++) {
		struct effect_reads *reads = &effect->reads.items[i];
		reads->filter.target = &reads->target;
		result = vkr_deferral_may_read_again(engine, &reads->filter, may, error);
	}
	return result;
}

// They are counted with all others.
enum vkr_result vkr_effect_read_again(struct vkr_engine *engine, struct vkr_effect *effect,
				      struct vkr_error *error)
{
	const uint64_t accesses = engine->accesses;
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < effect->reads.count && result == VKR_OK; i++)
		result = vkr_deferral_read_again(engine, &effect->reads.items[i].filter, error);
	engine->accesses = accesses;
	return result;
}
