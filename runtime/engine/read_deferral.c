// SPDX-License-Identifier: Apache-2.0
#include "read_deferral.h"
#include "engine_feed.h"
#include "judge.h"
#include "read_feed.h"
#include "shadow_stripes.h"
#include "standing.h"

#include "array.h"
#include "error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Fewer reads are judged as fast as they are put off.
#define READS_LEAST 256u

// Of a table, as many pages of places as are fed at once.
#define PAGES_MOST ((1u << 20) / VKR_FILTER_PAGE)

// Of one group, commands whose tables wait, and more of them where they have few tables.
#define COMMANDS_LEAST 16u
#define TABLES_MOST    64u
// And epochs that all of them are held against. A buffer that the host writes piece by piece has
// hundreds.
#define EPOCHS_MOST 4096u

// Of all groups together: beyond that, the oldest is fed.
#define BYTES_MOST ((size_t)64 << 20)

// ---- Feeding ------------------------------------------------------------------------------------

// Pages [first, end) of a table's places. `pages` has none of them, and has none afterwards.
static enum vkr_result feed_places(struct vkr_engine *engine, struct vkr_deferred_table *table,
				   size_t first, size_t end, uint32_t *pages, uint32_t *entries,
				   struct vkr_error *error)
{
	uint64_t singly = 0;
	vkr_reads_left_write(&table->left, table->reads, first, end, pages + first, entries);
	table->filter.target = &table->target;
	table->filter.pages.items = pages;
	table->filter.pages.count = end;
	const enum vkr_result result =
		vkr_read_feed(engine, &table->filter, entries, &singly, error);
	memset(pages + first, 0, (end - first) * sizeof *pages);
	return result;
}

// As accesses of a dispatch of its own. They were counted, and held against all writes, when they
// were put off.
static enum vkr_result feed_table(struct vkr_engine *engine, struct vkr_deferred_table *table,
				  struct vkr_error *error)
{
	const size_t all = table->reads->page_count;
	const size_t step = all > PAGES_MOST ? PAGES_MOST : all;
	const size_t used = table->reads->in_use < step ? table->reads->in_use : step;
	uint32_t *pages = calloc(all + 1, sizeof *pages);
	uint32_t *entries = malloc((used + 1) * VKR_FILTER_PAGE * sizeof *entries);
	enum vkr_result result = VKR_OK;
	if (pages == NULL || entries == NULL)
		result = vkr_error_memory(error, "reads that wait");
	engine->dispatch.command = table->command;
	engine->dispatch.local_size = table->local_size;
	engine->dispatch.local_bits = table->local_bits;
	for (size_t first = 0; first < all && result == VKR_OK; first += step)
		result = feed_places(engine, table, first, all - first < step ? all : first + step,
				     pages, entries, error);
	free(pages);
	free(entries);
	return result;
}

// What is unread is newer than all tables, and stays.
static enum vkr_result feed_group(struct vkr_engine *engine, struct vkr_shadow *shadow,
				  struct vkr_deferred_group *group, struct vkr_error *error)
{
	const struct vkr_interrupted was = vkr_dispatch_interrupt(engine);
	enum vkr_result result = VKR_OK;
	assert(engine->found.count == 0);
	engine->feeds_waiting = true;
	for (size_t i = 0; i < group->tables.count && result == VKR_OK; i++)
		result = feed_table(engine, &group->tables.items[i], error);
	vkr_dispatch_resume(engine, &was);
	for (size_t i = 0; i < group->tables.count; i++)
		group->tables.items[i].left.in_use = 0;
	group->looked = false;
	vkr_deferred_group_tidy(engine, shadow, group);
	return result;
}

enum vkr_result vkr_deferral_feed(struct vkr_engine *engine, struct vkr_shadow *shadow,
				  uint64_t low, uint64_t high, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	while (result == VKR_OK && vkr_deferred_waits(shadow, low, high)) {
		struct vkr_deferred_group *group =
			shadow->deferred->items[vkr_deferred_from(shadow->deferred, low)];
		const uint64_t first = group->low;
		low = group->high;
		result = vkr_deferred_read(engine, shadow, first, low, error);
		group = vkr_deferred_find(shadow, first, low);
		if (result == VKR_OK && group != NULL)
			result = feed_group(engine, shadow, group, error);
	}
	return result;
}

enum vkr_result vkr_deferral_feed_all(struct vkr_engine *engine, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t memory = 0; memory < engine->memories.count && result == VKR_OK; memory++)
		result = vkr_deferral_feed(engine, &engine->memories.items[memory], 0, UINT64_MAX,
					   error);
	return result;
}

// The oldest group, and its memory.
static struct vkr_deferred_group *oldest_group(struct vkr_engine *engine, struct vkr_shadow **of)
{
	struct vkr_deferred_group *found = NULL;
	for (size_t memory = 0; memory < engine->memories.count; memory++) {
		struct vkr_shadow *shadow = &engine->memories.items[memory];
		for (size_t at = 0; shadow->deferred != NULL && at < shadow->deferred->count;
		     at++) {
			struct vkr_deferred_group *group = shadow->deferred->items[at];
			if (group->tables.count == 0 ||
			    (found != NULL && group->number >= found->number))
				continue;
			found = group;
			*of = shadow;
		}
	}
	return found;
}

static enum vkr_result feed_oldest(struct vkr_engine *engine, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	while (engine->deferred.bytes > BYTES_MOST && result == VKR_OK) {
		struct vkr_shadow *shadow = NULL;
		struct vkr_deferred_group *group = oldest_group(engine, &shadow);
		if (group == NULL)
			break;
		result = feed_group(engine, shadow, group, error);
	}
	return result;
}

// ---- What shadow memory remembers of a range ----------------------------------------------------

struct looking {
	struct vkr_engine *engine;
	struct vkr_deferred_group *group;
	uint32_t last; // epoch
	bool failed;   // for lack of memory
};

static void look_at(void *context, uint64_t slot)
{
	struct looking *looking = context;
	const struct vkr_engine *engine = looking->engine;
	const uint32_t epoch = vkr_slot_epoch(slot);
	if (epoch == looking->last)
		return;
	looking->last = epoch;
	const uint32_t flags = engine->sites.items[engine->epochs.items[epoch].site - 1].flags;
	struct vkr_deferred_epochs *of =
		flags & VKR_ENGINE_WRITE ? &looking->group->writes : &looking->group->reads;
	uint64_t *seen = &engine->deferred.seen.items[epoch / 64];
	const uint64_t bit = UINT64_C(1) << (epoch % 64);
	if (*seen & bit)
		return;
	*seen |= bit;
	if (of->count == EPOCHS_MOST)
		of->too_many = true;
	else if (!VKR_ARRAY_RESERVE(of, 1))
		looking->failed = true;
	else
		of->items[of->count++] = epoch;
}

static enum vkr_result deferral_look(void *context, struct vkr_leaf *leaf, struct vkr_error *error)
{
	(void)error;
	vkr_slot_each(*leaf->slot, look_at, context);
	return VKR_OK;
}

// What a page's slot says between two of its bytes. Stripes stay as they are: what they say is
// taken to be of all of the page.
static enum vkr_result look_at_page(struct looking *looking, uint64_t *slot, uint64_t start,
				    uint64_t low, uint64_t high, const struct vkr_visit *visit,
				    struct vkr_error *error)
{
	if (vkr_slot_kind(*slot) != VKR_SLOT_STRIPES)
		return vkr_slot_visit(slot, 0, start, low, high, visit, error);
	const struct vkr_stripes *stripes = vkr_slot_stripes(*slot);
	for (unsigned i = 0; i < stripes->count; i++)
		look_at(looking, vkr_slot_single(stripes->items[i]->head.epoch, 0));
	return VKR_OK;
}

// No epoch has been seen. False for lack of memory.
static bool begin_looking(struct vkr_engine *engine)
{
	const size_t words = engine->epochs.count / 64 + 1;
	if (!VKR_ARRAY_RESERVE(&engine->deferred.seen, words))
		return false;
	memset(engine->deferred.seen.items, 0, words * sizeof *engine->deferred.seen.items);
	return true;
}

static enum vkr_result look_in_range(struct vkr_engine *engine, struct vkr_shadow *shadow,
				     struct vkr_deferred_group *group, struct vkr_error *error)
{
	struct looking looking = {.engine = engine, .group = group};
	const struct vkr_visit visit = {.visitor = deferral_look,
					.context = &looking,
					.epochs = &engine->epochs,
					.pool = &engine->pool};
	enum vkr_result result = VKR_OK;
	if (group->looked)
		return VKR_OK;
	if (!begin_looking(engine))
		return vkr_error_memory(error, "reads that wait");
	group->writes.count = group->reads.count = 0;
	group->writes.too_many = group->reads.too_many = false;
	size_t page = (size_t)(group->low / VKR_PAGE_BYTES);
	for (; result == VKR_OK && vkr_shadow_next_page(shadow, &page); page++) {
		const uint64_t start = page * VKR_PAGE_BYTES;
		const uint64_t low = start > group->low ? start : group->low;
		const uint64_t end = start + VKR_PAGE_BYTES;
		const uint64_t high = end < group->high ? end : group->high;
		struct vkr_page *of = &shadow->pages[page];
		if (low >= high)
			break;
		result = look_at_page(&looking, &of->write, start, low, high, &visit, error);
		if (result == VKR_OK)
			result = look_at_page(&looking, &of->access, start, low, high, &visit,
					      error);
	}
	if (looking.failed)
		return vkr_error_memory(error, "reads that wait");
	group->looked = result == VKR_OK;
	return result;
}

// ---- Order --------------------------------------------------------------------------------------

// What an epoch and an access of another command are to each other in all of [low, high).
struct relation {
	bool safe;     // they do not race
	bool subsumes; // the access stands for the epoch's
	bool in_order; // somewhere they are transitions that nothing but their order orders
	bool kept;     // the access does not take the place of the epoch's
};

static struct relation deferral_relate(struct vkr_engine *engine, uint32_t epoch,
				       const struct vkr_access *access, uint64_t low, uint64_t high)
{
	struct relation relation = {.safe = true, .subsumes = true};
	if (engine->epochs.items[epoch].command == access->command)
		return (struct relation){0};
	while (low < high && relation.safe) {
		const struct vkr_cached_verdict *cached =
			vkr_judge_commands(engine, epoch, access, low);
		relation.safe = cached->race_class == VKR_RACE_NONE;
		relation.subsumes = relation.subsumes && cached->subsumes;
		relation.in_order = relation.in_order || cached->only_in_order;
		relation.kept = relation.kept || cached->kept;
		low = cached->memory != 0 && cached->high < high ? cached->high : high;
	}
	return relation;
}

// Whether the access races with nothing of these in [low, high).
static bool is_safe(struct vkr_engine *engine, const struct vkr_deferred_epochs *epochs,
		    const struct vkr_access *access, uint64_t low, uint64_t high)
{
	for (size_t at = 0; at < epochs->count; at++) {
		const struct relation relation =
			deferral_relate(engine, epochs->items[at], access, low, high);
		if (!relation.safe || (!vkr_judge_remembers(access->what) && relation.kept))
			return false;
	}
	return !epochs->too_many;
}

enum vkr_result vkr_deferral_is_clear(struct vkr_engine *engine, const struct vkr_access *access,
				      uint64_t low, uint64_t high, bool *clear,
				      struct vkr_error *error)
{
	struct vkr_deferred_group made = {.low = low, .high = high};
	struct vkr_deferred_group *found = vkr_deferred_find(access->shadow, low, high);
	struct vkr_deferred_group *group = found != NULL ? found : &made;
	const enum vkr_result result = look_in_range(engine, access->shadow, group, error);
	*clear = result == VKR_OK && is_safe(engine, &group->writes, access, low, high);
	free(made.writes.items);
	free(made.reads.items);
	return result;
}

// ---- Taking out ---------------------------------------------------------------------------------

static const uint32_t *left_on(const struct vkr_deferred_table *table, size_t page)
{
	return vkr_reads_left_bits(&table->left, table->reads, page);
}

// Before something is taken out of tables of a group.
static bool open_tables(struct vkr_deferred_group *group)
{
	for (size_t at = 0; at < group->tables.count; at++)
		if (!vkr_reads_left_open(&group->tables.items[at].left,
					 group->tables.items[at].reads))
			return false;
	return true;
}

// Takes out of a page of the table what two newer ones have.
static void take_out_of_page(struct vkr_deferred_table *table, size_t page, const uint32_t *newer,
			     const uint32_t *newest)
{
	uint32_t *bits = vkr_reads_left_own(&table->left, table->reads, page);
	uint32_t left = 0, taken = 0;
	for (uint32_t at = 0; at < VKR_FILTER_PAGE_BITS; at++) {
		taken |= bits[at] & newer[at] & newest[at];
		bits[at] &= ~(newer[at] & newest[at]);
		left |= bits[at];
	}
	table->left.is_whole = table->left.is_whole && taken == 0;
	if (left == 0)
		vkr_reads_left_forget(&table->left, table->reads, page);
}

// Whether something is left of the table on a page of the places that are on this page of another
// one.
static bool has_page(const struct vkr_deferred_table *table, const struct vkr_deferred_table *like,
		     size_t page)
{
	return table->filter.shift == like->filter.shift &&
	       table->filter.bytes == like->filter.bytes &&
	       vkr_reads_left_has(&table->left, table->reads, page);
}

// What a newer table has read, where a read of each page stands for older ones.
static void take_out_read(struct vkr_deferred_table *table, const struct vkr_deferred_table *newer)
{
	for (size_t page = 0; page < newer->reads->page_count; page++) {
		if (!vkr_read_table_has(newer->reads, page) || !has_page(table, newer, page))
			continue;
		const uint32_t *read = vkr_read_table_bits(newer->reads, page);
		take_out_of_page(table, page, read, read);
	}
}

// Finds out of each table whether those of all newer commands that can stand for others stand for
// it.
static void look_who_stands(const struct vkr_engine *engine, struct vkr_deferred_group *group)
{
	const struct vkr_epoch *epochs = engine->epochs.items;
	struct vkr_deferred_table *tables = group->tables.items;
	for (size_t x = group->tables.count; x-- > 0;) {
		tables[x].stands = vkr_judge_stands(engine, tables[x].command);
		tables[x].is_subsumed = true;
		for (size_t y = x + 1; y < group->tables.count && tables[x].is_subsumed; y++)
			tables[x].is_subsumed = !tables[y].stands ||
						tables[y].command == tables[x].command ||
						vkr_judge_subsumes(engine, &epochs[tables[y].epoch],
								   &epochs[tables[x].epoch]);
	}
}

// Takes out of a page of the table what the newest one and another one that stands for it have
// read.
static void take_out_one_by_one(struct vkr_engine *engine, const struct vkr_deferred_group *group,
				struct vkr_deferred_table *table, const uint32_t *newest,
				size_t page)
{
	const struct vkr_epoch *epochs = engine->epochs.items;
	const struct vkr_deferred_table *end = group->tables.items + group->tables.count;
	for (const struct vkr_deferred_table *newer = table + 1; newer < end; newer++)
		if (vkr_reads_left_has(&table->left, table->reads, page) &&
		    has_page(newer, table, page) &&
		    vkr_judge_subsumes(engine, &epochs[newer->epoch], &epochs[table->epoch]))
			take_out_of_page(table, page, left_on(newer, page), newest);
}

static void add_bits(uint32_t *restrict to, const uint32_t *restrict from)
{
	for (uint32_t at = 0; at < VKR_FILTER_PAGE_BITS; at++)
		to[at] |= from[at];
}

// On one page of the newest table: from the newest command on, so that what stands for a table's
// reads has been added up when the table's turn comes.
static void drop_superseded_page(struct vkr_engine *engine, struct vkr_deferred_group *group,
				 const struct vkr_deferred_table *newest, size_t page)
{
	const uint32_t *read = vkr_read_table_bits(newest->reads, page);
	uint32_t newer[VKR_FILTER_PAGE_BITS] = {0}; // where a newer command has read
	uint32_t own[VKR_FILTER_PAGE_BITS] = {0};   // and where the present one has
	uint32_t command = newest->command;
	for (size_t x = group->tables.count; x-- > 0;) {
		struct vkr_deferred_table *table = &group->tables.items[x];
		if (!has_page(table, newest, page))
			continue;
		if (table->command != command) {
			add_bits(newer, own);
			memset(own, 0, sizeof own);
			command = table->command;
		}
		if (table->stands)
			add_bits(own, left_on(table, page));
		if (table->is_subsumed)
			take_out_of_page(table, page, newer, read);
		else
			take_out_one_by_one(engine, group, table, read, page);
	}
}

// Whether a table that is as it was kept, as the newest one is, is between.
static bool has_equal_between(const struct vkr_deferred_group *group, size_t at)
{
	const struct vkr_deferred_table *tables = group->tables.items;
	for (size_t newer = at + 1; newer < group->tables.count; newer++)
		if (tables[newer].reads == tables[at].reads && tables[newer].left.is_whole &&
		    tables[newer].stands && tables[newer].command != tables[at].command)
			return true;
	return false;
}

// Draws that repeat: what is kept of all of them is one table, which need not be looked through.
static void drop_equal_tables(struct vkr_engine *engine, struct vkr_deferred_group *group,
			      const struct vkr_deferred_table *newest)
{
	for (size_t at = group->tables.count; at-- > 0;) {
		const struct vkr_deferred_table *table = &group->tables.items[at];
		if (table->reads == newest->reads && table->is_subsumed &&
		    has_equal_between(group, at))
			vkr_deferred_group_remove(engine, group, at);
	}
}

// Whether a command that stands for older ones is newer than the oldest one.
static bool has_newer(const struct vkr_deferred_group *group)
{
	const struct vkr_deferred_table *tables = group->tables.items;
	for (size_t at = group->tables.count; at-- > 0;)
		if (tables[at].stands && tables[at].command != tables[0].command)
			return true;
	return false;
}

// Where the newest table has read, takes out reads of commands that later ones stand for which are
// over, as shadow memory forgets them there (drop_superseded in judge_history.c). Draws of a render
// pass, which nothing orders, leave two commands' reads of a place in this way, however many they
// are. False for lack of memory.
static bool drop_superseded_tables(struct vkr_engine *engine, struct vkr_deferred_group *group,
				   const struct vkr_deferred_table *newest)
{
	look_who_stands(engine, group);
	drop_equal_tables(engine, group, newest);
	if (!has_newer(group))
		return true;
	if (!open_tables(group))
		return false;
	for (size_t page = 0; page < newest->reads->page_count; page++)
		if (vkr_read_table_has(newest->reads, page))
			drop_superseded_page(engine, group, newest, page);
	return true;
}

// Where a read at an entry ends in the memory.
static uint64_t read_end(const struct vkr_deferred_group *group,
			 const struct vkr_deferred_table *table, uint64_t from)
{
	const uint64_t bytes = table->filter.bytes;
	return bytes < group->high - from ? from + bytes : group->high;
}

// The table's entries on a page that [low, high) of the memory overlaps: taken out if `takes`;
// else, whether they are all within it.
static bool take_out_range(const struct vkr_deferred_group *group, struct vkr_deferred_table *table,
			   size_t page, uint64_t low, uint64_t high, bool takes)
{
	const uint32_t *bits = left_on(table, page);
	for (uint32_t at = 0; at < VKR_FILTER_PAGE; at++) {
		const uint64_t place = (uint64_t)page * VKR_FILTER_PAGE + at;
		const uint64_t from = group->low + (place << table->filter.shift);
		if (from >= high)
			break;
		const uint32_t bit = UINT32_C(1) << (at % 32);
		if (!(bits[at / 32] & bit) || read_end(group, table, from) <= low)
			continue;
		if (takes) {
			vkr_reads_left_own(&table->left, table->reads, page)[at / 32] &= ~bit;
			table->left.is_whole = false;
		} else if (from < low || read_end(group, table, from) > high)
			return false;
	}
	return true;
}

static bool is_empty(const struct vkr_deferred_table *table, size_t page)
{
	const uint32_t *bits = left_on(table, page);
	uint32_t left = 0;
	for (uint32_t at = 0; at < VKR_FILTER_PAGE_BITS; at++)
		left |= bits[at];
	return left == 0;
}

// Goes through the pages of a table that have places in [low, high), as take_out_range does.
static bool take_out_pages(const struct vkr_deferred_group *group, struct vkr_deferred_table *table,
			   uint64_t low, uint64_t high, bool takes)
{
	const uint64_t page_bytes = (uint64_t)VKR_FILTER_PAGE << table->filter.shift;
	// A read on the page before may reach into it.
	const uint64_t reach =
		low > group->low + table->filter.bytes ? low - group->low - table->filter.bytes : 0;
	size_t page = (size_t)(reach / page_bytes);
	for (; page < table->reads->page_count && group->low + page * page_bytes < high; page++) {
		const uint64_t start = group->low + page * page_bytes;
		if (!vkr_reads_left_has(&table->left, table->reads, page))
			continue;
		if (takes && low <= start && start + page_bytes + table->filter.bytes <= high) {
			vkr_reads_left_forget(&table->left, table->reads, page);
			continue;
		}
		if (!take_out_range(group, table, page, low, high, takes))
			return false;
		if (takes && is_empty(table, page))
			vkr_reads_left_forget(&table->left, table->reads, page);
	}
	return true;
}

// Whether something that the range remembers stays beside the write (note_outlived in judge.c).
static bool is_outlived(struct vkr_engine *engine, const struct vkr_deferred_group *group,
			const struct vkr_access *access, uint64_t low, uint64_t high)
{
	const bool is_transition = access->what->stage == VKR_ENGINE_TRANSITION;
	const bool is_rasterized = access->what->flags & VKR_ENGINE_RASTERIZED;
	for (size_t at = 0; at < group->writes.count; at++) {
		const uint32_t epoch = group->writes.items[at];
		const struct vkr_judge_site *site =
			&engine->sites.items[engine->epochs.items[epoch].site - 1];
		if ((is_rasterized && site->flags & VKR_ENGINE_LASTING) ||
		    (is_transition && site->stage == VKR_ENGINE_TRANSITION &&
		     (engine->epochs.items[epoch].command == access->command ||
		      deferral_relate(engine, epoch, access, low, high).in_order)))
			return true;
	}
	return false;
}

// Whether nothing of a read is to be remembered behind the access, a write.
static bool is_over(struct vkr_engine *engine, uint32_t epoch, const struct vkr_access *access,
		    uint64_t low, uint64_t high)
{
	const struct relation relation = deferral_relate(engine, epoch, access, low, high);
	return relation.safe && !relation.kept;
}

// Whether the write takes out what it covers of all tables of the group, and, where it covers all
// of the range, what is unread.
static enum vkr_result may_take_out(struct vkr_engine *engine, struct vkr_deferred_group *group,
				    const struct vkr_access *access, uint64_t low, uint64_t high,
				    bool *may, struct vkr_error *error)
{
	*may = false;
	if (!(access->what->flags & VKR_ENGINE_WRITE) || vkr_judge_remembers(access->what))
		return VKR_OK;
	const uint64_t from = low > group->low ? low : group->low;
	const uint64_t to = high < group->high ? high : group->high;
	if (group->unread.count > 0 && (low > group->low || high < group->high))
		return VKR_OK;
	for (size_t at = 0; at < group->unread.count; at++)
		if (!is_over(engine, group->unread.items[at].epoch, access, from, to))
			return VKR_OK;
	for (size_t at = 0; at < group->tables.count; at++) {
		struct vkr_deferred_table *table = &group->tables.items[at];
		if (!is_over(engine, table->epoch, access, from, to) ||
		    !take_out_pages(group, table, low, high, false))
			return VKR_OK;
	}
	// What waits would also make shadow memory forget reads that others stand for, which is
	// only seen where these race.
	const enum vkr_result result = look_in_range(engine, access->shadow, group, error);
	*may = result == VKR_OK && is_safe(engine, &group->writes, access, from, to) &&
	       is_safe(engine, &group->reads, access, from, to) &&
	       !is_outlived(engine, group, access, from, to);
	return result;
}

// The end of the groups from the first one on that begin before `high`.
static size_t overlapping_end(const struct vkr_shadow *shadow, size_t first, uint64_t high)
{
	size_t end = first;
	while (shadow->deferred != NULL && end < shadow->deferred->count &&
	       shadow->deferred->items[end]->low < high)
		end++;
	return end;
}

// The group at a place in the order of its memory's, if it begins before `high`.
static struct vkr_deferred_group *group_before(const struct vkr_shadow *shadow, size_t at,
					       uint64_t high)
{
	const struct vkr_deferred *deferred = shadow->deferred;
	return deferred != NULL && at < deferred->count && deferred->items[at]->low < high
		       ? deferred->items[at]
		       : NULL;
}

enum vkr_result vkr_deferral_meet_unread(struct vkr_engine *engine, const struct vkr_access *access,
					 uint64_t low, uint64_t high, bool *read,
					 struct vkr_error *error)
{
	struct vkr_shadow *shadow = access->shadow;
	size_t at = shadow->deferred != NULL ? vkr_deferred_from(shadow->deferred, low) : 0;
	struct vkr_deferred_group *group;
	enum vkr_result result = VKR_OK;
	*read = false;
	while (!access->by_range && result == VKR_OK &&
	       (group = group_before(shadow, at, high)) != NULL) {
		const uint64_t end = group->high;
		bool may = false;
		if (group->unread.count > 0 && !*read)
			result = may_take_out(engine, group, access, low, high, &may, error);
		if (result == VKR_OK && may) {
			vkr_deferred_forget(engine, group, group->unread.count);
			vkr_deferred_group_tidy(engine, shadow, group);
		} else if (result == VKR_OK && group->unread.count > 0) {
			*read = true;
			result = vkr_deferred_read(engine, shadow, group->low, end, error);
		}
		at = shadow->deferred != NULL ? vkr_deferred_from(shadow->deferred, end) : 0;
	}
	return result;
}

enum vkr_result vkr_deferral_meet(struct vkr_engine *engine, const struct vkr_access *access,
				  uint64_t low, uint64_t high, bool *fed, struct vkr_error *error)
{
	struct vkr_shadow *shadow = access->shadow;
	enum vkr_result result = VKR_OK;
	*fed = false;
	if (access->by_range)
		return VKR_OK; // what may be read is kept apart (judge_may_access.c)
	const size_t first =
		shadow->deferred != NULL ? vkr_deferred_from(shadow->deferred, low) : 0;
	for (size_t at = overlapping_end(shadow, first, high); at-- > first && result == VKR_OK;) {
		struct vkr_deferred_group *group = shadow->deferred->items[at];
		bool may = false;
		result =
			*fed ? VKR_OK : may_take_out(engine, group, access, low, high, &may, error);
		if (result != VKR_OK)
			return result;
		if (!may) {
			*fed = true;
			result = feed_group(engine, shadow, group, error);
			continue;
		}
		group->looked = false;
		if (!open_tables(group))
			return vkr_error_memory(error, "reads that wait");
		for (size_t i = 0; i < group->tables.count; i++)
			take_out_pages(group, &group->tables.items[i], low, high, true);
		vkr_deferred_group_tidy(engine, shadow, group);
	}
	return result;
}

// ---- Putting off --------------------------------------------------------------------------------

bool vkr_deferral_is_plain(const struct vkr_judge_site *site)
{
	return (site->flags & VKR_ENGINE_READ) &&
	       !(site->flags &
		 (VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS | VKR_ENGINE_ASK)) &&
	       site->piece_count == 0;
}

void vkr_deferral_settle(struct vkr_engine *engine, const struct vkr_shadow *shadow,
			 struct vkr_deferred_group *group)
{
	while (group->tables.count > 0) {
		const struct vkr_deferred_table *oldest = &group->tables.items[0];
		const uint64_t stage = engine->sites.items[oldest->filter.site - 1].stage;
		if (!vkr_engine_is_settled(engine, oldest->command, stage, shadow->memory))
			break;
		vkr_deferred_group_remove(engine, group, 0);
	}
	// A log that is being read waits until it was.
	size_t settled = 0;
	while (settled < group->unread.count && !engine->deferred.reading) {
		const struct vkr_deferred_unread *oldest = &group->unread.items[settled];
		const uint64_t stage = engine->sites.items[oldest->site - 1].stage;
		if (!vkr_engine_is_settled(engine, oldest->log->command, stage, shadow->memory))
			break;
		settled++;
	}
	vkr_deferred_forget(engine, group, settled);
}

// Adds a table of the open dispatch's reads, which takes out those that it stands for. False for
// lack of memory.
static bool add_table(struct vkr_engine *engine, struct vkr_shadow *shadow,
		      struct vkr_deferred_group *group, const struct vkr_deferred_table *like,
		      const struct vkr_access *access)
{
	if (!VKR_ARRAY_RESERVE(&group->tables, 1))
		return false;
	vkr_deferral_settle(engine, shadow, group);
	if (!drop_superseded_tables(engine, group, like))
		return false;
	for (size_t at = group->tables.count; at-- > 0;) {
		struct vkr_deferred_table *older = &group->tables.items[at];
		if (!deferral_relate(engine, older->epoch, access, group->low, group->high)
			     .subsumes)
			continue;
		if (older->reads == like->reads) {
			vkr_deferred_group_remove(engine, group, at);
			continue;
		}
		if (!vkr_reads_left_open(&older->left, older->reads))
			return false;
		take_out_read(older, like);
	}
	group->tables.items[group->tables.count++] = *like;
	engine->deferred.bytes += vkr_read_table_bytes(like->reads);
	vkr_queues_command_hold(&engine->queues, like->command);
	vkr_deferred_group_tidy(engine, shadow, group);
	return true;
}

// Whose tables wait: they stand in the order of their commands.
static size_t count_commands(const struct vkr_deferred_group *group)
{
	size_t count = 0;
	for (size_t at = 0; at < group->tables.count; at++)
		count += at == 0 ||
			 group->tables.items[at].command != group->tables.items[at - 1].command;
	return count;
}

// What the filter has noted: the table of one that waits, where that is the same.
static struct vkr_read_table *make_table(struct vkr_engine *engine,
					 const struct vkr_deferred_group *group,
					 const struct vkr_access_filters *filters,
					 const struct vkr_access_filter *filter)
{
	struct vkr_read_table *made = vkr_read_table_make(&engine->deferred.pages, filters, filter);
	for (size_t at = 0; made != NULL && at < group->tables.count; at++) {
		struct vkr_read_table *older = group->tables.items[at].reads;
		if (!vkr_read_table_equals(older, made))
			continue;
		vkr_read_table_drop(made);
		return vkr_read_table_hold(older);
	}
	return made;
}

// Whether a filter's reads of a range can wait, as long as nothing races with them. *count: how
// many these are.
static bool can_wait(const struct vkr_engine *engine, const struct vkr_access_filters *filters,
		     const struct vkr_access_filter *filter, const struct vkr_shadow *shadow,
		     size_t *count)
{
	const struct vkr_judge_site *site = &engine->sites.items[filter->site - 1];
	const uint64_t low = filter->target->base;
	const uint64_t high = shadow != NULL ? vkr_target_end(filter->target, shadow) : low;
	if (high <= low || shadow->mappings.count > 0 || !vkr_deferral_is_plain(site) ||
	    site->bytes != filter->bytes)
		return false;
	*count = filter->kept != NULL ? filter->kept->reads : vkr_read_table_count(filters, filter);
	if (vkr_deferred_find(shadow, low, high) != NULL)
		return *count > 0;
	return (filter->kept != NULL || *count >= READS_LEAST) &&
	       !vkr_deferred_waits(shadow, low, high);
}

static struct vkr_shadow *memory_of(struct vkr_engine *engine,
				    const struct vkr_access_filter *filter)
{
	return filter->target->memory == VKR_ENGINE_WORKGROUP
		       ? NULL
		       : vkr_shadow_fed(engine, filter->target->memory);
}

enum vkr_result vkr_engine_defer_reads(struct vkr_engine *engine,
				       const struct vkr_access_filters *filters,
				       const struct vkr_access_filter *filter, bool *waits,
				       struct vkr_error *error)
{
	const struct vkr_engine_target *target = filter->target;
	struct vkr_shadow *shadow = memory_of(engine, filter);
	size_t count = 0;
	struct vkr_access access;
	*waits = false;
	assert(engine->dispatch.open);
	if (!can_wait(engine, filters, filter, shadow, &count))
		return VKR_OK;
	const uint64_t low = target->base, high = vkr_target_end(target, shadow);
	enum vkr_result result = vkr_deferred_read(engine, shadow, low, high, error);
	engine->dispatch.workgroup = 0;
	if (result == VKR_OK)
		result = vkr_access_shader(engine, filter->site, target, shadow, VKR_SHAPE_UNIFORM,
					   &access, error);
	if (result != VKR_OK)
		return result;
	struct vkr_deferred_group *group = vkr_deferred_find(shadow, low, high);
	if (group == NULL)
		group = vkr_deferred_group_make(engine, shadow, low, high);
	if (group == NULL)
		return vkr_error_memory(error, "reads that wait");
	result = look_in_range(engine, shadow, group, error);
	if (result != VKR_OK)
		return result;
	if (!is_safe(engine, &group->writes, &access, low, high)) {
		vkr_deferred_group_tidy(engine, shadow, group);
		return VKR_OK;
	}
	struct vkr_deferred_table table = {
		.filter = *filter,
		.target = *target,
		.reads = filter->kept != NULL ? vkr_read_table_hold(filter->kept)
					      : make_table(engine, group, filters, filter),
		.command = access.command,
		.local_size = engine->dispatch.local_size,
		.local_bits = engine->dispatch.local_bits,
		.epoch = access.epoch};
	if (table.reads != NULL)
		table.left = vkr_reads_left_all(table.reads);
	if (table.reads == NULL || !add_table(engine, shadow, group, &table, &access)) {
		vkr_read_table_drop(table.reads);
		return vkr_error_memory(error, "reads that wait");
	}
	engine->accesses += count;
	*waits = true;
	if (group->tables.count > TABLES_MOST && count_commands(group) > COMMANDS_LEAST)
		result = feed_group(engine, shadow, group, error);
	return result == VKR_OK ? feed_oldest(engine, error) : result;
}

enum vkr_result vkr_deferral_may_read_again(struct vkr_engine *engine,
					    const struct vkr_access_filter *filter, bool *may,
					    struct vkr_error *error)
{
	struct vkr_shadow *shadow = memory_of(engine, filter);
	size_t count = 0;
	struct vkr_access access;
	*may = can_wait(engine, NULL, filter, shadow, &count);
	if (!*may)
		return VKR_OK;
	engine->dispatch.workgroup = 0;
	const enum vkr_result result = vkr_access_shader(engine, filter->site, filter->target,
							 shadow, VKR_SHAPE_UNIFORM, &access, error);
	return result == VKR_OK
		       ? vkr_deferral_is_clear(engine, &access, filter->target->base,
					       vkr_target_end(filter->target, shadow), may, error)
		       : result;
}

enum vkr_result vkr_deferral_read_again(struct vkr_engine *engine,
					const struct vkr_access_filter *filter,
					struct vkr_error *error)
{
	bool waits = false;
	const enum vkr_result result = vkr_engine_defer_reads(engine, NULL, filter, &waits, error);
	assert(waits || result != VKR_OK);
	return result;
}
