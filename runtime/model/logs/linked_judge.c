// SPDX-License-Identifier: Apache-2.0
// Several commands judged as one. Knows what is kept of commands and how they stand to each other;
// not why it is asked.
#include "command_links.h"

#include "array.h"
#include "error.h"
#include "site_table.h"
#include "sort.h"
#include "sync_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void vkr_link_bytes_clear(struct vkr_link_bytes *bytes, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		free(bytes[at].ranges.items);
		for (unsigned kind = 0; kind < 4; kind++)
			free(bytes[at].judged[kind].items);
		free(bytes[at].examples[0].items);
		free(bytes[at].examples[1].items);
	}
}

// One attempt. By index of links->commands:
struct joining {
	struct vkr_command_links *links;
	struct vkr_joined_at *places;
	uint32_t *parts;                  // index of its part, or VKR_SYNC_NONE: it takes no part
	const struct vkr_linked **linked; // by part
	struct vkr_link_question *question;
	size_t from;   // entries of links->bytes that are judged
	bool fits;     // there are numbers for all workgroups
	bool reversed; // vkr_sync's
	struct vkr_engine *engine;
};

// ---- Parts --------------------------------------------------------------------------------------

// Finds the commands whose accesses are judged, and those that may stand between them.
static bool find_parts(struct joining *joining)
{
	struct vkr_command_links *links = joining->links;
	const size_t count = links->commands.count;
	bool *wanted = calloc(count, 2 * sizeof *wanted);
	if (wanted == NULL)
		return false;
	bool *second = wanted + count;
	for (size_t at = 0; at < count; at++)
		second[at] = vkr_linked_is(&links->commands.items[at], joining->question->number);
	for (size_t at = 0; at < links->bytes.count; at++)
		wanted[links->bytes.items[at].first] = true;
	const bool good =
		vkr_link_reach_find(&links->reach, links->commands.items, count, second, wanted);
	for (size_t at = 0; at < count; at++)
		joining->parts[at] = wanted[at] ? 0 : VKR_SYNC_NONE;
	free(wanted);
	return good;
}

static bool add_part(struct joining *joining, size_t index, uint64_t *workgroup)
{
	struct vkr_command_links *links = joining->links;
	struct vkr_linked *linked = &links->commands.items[index];
	struct vkr_sync *sync = &links->logs.sync;
	const uint32_t begin = (uint32_t)*workgroup;
	joining->parts[index] = (uint32_t)links->parts.count;
	links->parts.items[links->parts.count++] = (struct vkr_sync_part){
		.workgroup = begin, .command = linked->command, .family = linked->family};
	*workgroup += linked->workgroup_end > 0 ? linked->workgroup_end : 1;
	sync->chains = sync->chains || linked->chains;
	joining->places[index] = (struct vkr_joined_at){.workgroup = begin};
	if (!vkr_linked_is_logged(linked))
		return true;
	vkr_joined_logs_close(&linked->logs);
	return vkr_joined_logs_append(&links->logs, &linked->logs.sync, begin,
				      &joining->places[index]);
}

// All but accesses.
static bool join_parts(struct joining *joining)
{
	struct vkr_command_links *links = joining->links;
	struct vkr_sync *sync = &links->logs.sync;
	uint64_t workgroup = 0;
	links->parts.count = 0;
	if (!VKR_ARRAY_RESERVE(&links->parts, links->commands.count))
		return false;
	for (size_t at = 0; at < links->commands.count; at++)
		if (joining->parts[at] != VKR_SYNC_NONE && !add_part(joining, at, &workgroup))
			return false;
	joining->fits = workgroup < UINT32_MAX && sync->events.count < VKR_SYNC_NONE;
	sync->commands.parts = links->parts.items;
	sync->commands.part_count = (uint32_t)links->parts.count;
	sync->commands.workgroup_end = (uint32_t)workgroup;
	return true;
}

// ---- Order of parts -----------------------------------------------------------------------------

// For each part a bit for each one that it is known to be after.
struct behind {
	uint64_t *bits;
	size_t words; // a part
};

static bool is_behind(const struct behind *behind, uint32_t part, uint32_t other)
{
	return behind->bits[part * behind->words + other / 64] >> other % 64 & 1;
}

static void put_behind(struct behind *behind, uint32_t part, uint32_t other)
{
	for (size_t at = 0; at < behind->words; at++)
		behind->bits[part * behind->words + at] |= behind->bits[other * behind->words + at];
	behind->bits[part * behind->words + other / 64] |= UINT64_C(1) << other % 64;
}

static bool is_available(void *context, const struct vkr_sync_range *bytes, uint32_t of,
			 uint32_t at)
{
	const struct joining *joining = context;
	const struct vkr_linked *one = joining->linked[of], *other = joining->linked[at];
	return vkr_engine_stands_available(&one->standing, one->stage, one->written,
					   &other->standing, other->stage, (uint32_t)bytes->memory,
					   bytes->low, bytes->high);
}

static bool is_visible(void *context, const struct vkr_sync_range *bytes, uint32_t of, uint32_t at)
{
	const struct joining *joining = context;
	const struct vkr_linked *one = joining->linked[of], *other = joining->linked[at];
	return vkr_engine_stands_seeing(&one->standing, one->stage, &other->standing, other->stage,
					other->read, (uint32_t)bytes->memory, bytes->low,
					bytes->high);
}

static bool order_part(struct vkr_command_links *links, struct behind *behind,
		       const struct vkr_linked *const *linked, uint32_t part)
{
	struct vkr_sync_part *of = &links->parts.items[part];
	for (uint32_t other = part; other-- > 0;) {
		assert(linked[other] != NULL && linked[part] != NULL);
		if (is_behind(behind, part, other) ||
		    !vkr_engine_stands_before(&linked[other]->standing, linked[other]->stage,
					      &linked[part]->standing, linked[part]->stage))
			continue;
		if (!VKR_ARRAY_RESERVE(&links->after, 1))
			return false;
		links->after.items[links->after.count++] = other;
		links->parts.items[other].leads = true;
		of->after_count++;
		put_behind(behind, part, other);
	}
	return true;
}

// Finds which parts dependencies order after which: the nearest ones, from which the others follow.
static bool order_parts(struct joining *joining)
{
	struct vkr_command_links *links = joining->links;
	const uint32_t count = (uint32_t)links->parts.count;
	struct behind behind = {.words = ((size_t)count + 63) / 64};
	const struct vkr_linked **linked = joining->linked;
	behind.bits = calloc(count * behind.words, sizeof *behind.bits);
	bool good = behind.bits != NULL;
	links->after.count = 0;
	for (size_t at = 0; good && at < links->commands.count; at++)
		if (joining->parts[at] != VKR_SYNC_NONE)
			linked[joining->parts[at]] = &links->commands.items[at];
	for (uint32_t part = 0; part < count && good; part++)
		good = order_part(links, &behind, linked, part);
	for (size_t part = 0, first = 0; good && part < count; part++) {
		if (links->parts.items[part].after_count > 0)
			links->parts.items[part].after = links->after.items + first;
		first += links->parts.items[part].after_count;
	}
	free(behind.bits);
	return good;
}

// ---- Accesses -----------------------------------------------------------------------------------

static int compare_examples(const void *a, const void *b)
{
	const struct vkr_sync_access *x = &((const struct vkr_link_example *)a)->access;
	const struct vkr_sync_access *y = &((const struct vkr_link_example *)b)->access;
	const uint64_t keys[][2] = {{x->workgroup, y->workgroup},
				    {x->local, y->local},
				    {x->site, y->site},
				    {x->reference, y->reference},
				    {x->memory, y->memory},
				    {x->low, y->low},
				    {x->high, y->high}};
	for (size_t at = 0; at < sizeof keys / sizeof *keys; at++)
		if (keys[at][0] != keys[at][1])
			return keys[at][0] < keys[at][1] ? -1 : 1;
	return 0;
}

// Each once, with a site of its own for each run of one site's.
static bool add_examples(struct joining *joining, struct vkr_link_examples *examples, size_t index)
{
	struct vkr_joined_logs *logs = &joining->links->logs;
	struct vkr_joined_at at = joining->places[index];
	vkr_sort(examples->items, examples->count, sizeof *examples->items, compare_examples);
	for (size_t i = 0; i < examples->count; i++) {
		const struct vkr_link_example *example = &examples->items[i];
		const struct vkr_link_example *last = i > 0 ? example - 1 : NULL;
		if (last != NULL && compare_examples(last, example) == 0)
			continue;
		if (last == NULL || last->access.site != example->access.site) {
			if (!VKR_ARRAY_RESERVE(&logs->sites, 1) ||
			    !VKR_ARRAY_RESERVE(&logs->numbers, 1))
				return false;
			logs->sites.items[logs->sites.count++] = example->of;
			logs->numbers.items[logs->numbers.count++] = example->access.table_site;
		}
		struct vkr_sync_access access = example->access;
		access.table_site = 0;
		at.site = logs->sites.count - 1;
		if (access.local >= logs->sync.local_size)
			logs->sync.local_size = access.local + 1;
		if (!vkr_joined_logs_access(logs, &at, &access))
			return false;
	}
	return true;
}

static bool add_side(struct joining *joining, struct vkr_link_bytes *bytes, size_t index,
		     unsigned side, bool writes)
{
	struct vkr_command_links *links = joining->links;
	return vkr_linked_accesses(&links->commands.items[index], &bytes->ranges,
				   bytes->is_rest || !writes, bytes->is_rest || writes,
				   &links->logs, &joining->places[index]) &&
	       add_examples(joining, &bytes->examples[side], index);
}

static size_t find_second(const struct joining *joining, uint64_t stage)
{
	const struct vkr_linked *commands = joining->links->commands.items;
	size_t at = joining->links->commands.count;
	while (at-- > 0)
		if (commands[at].stage == stage &&
		    vkr_linked_is(&commands[at], joining->question->number))
			break;
	return at;
}

static bool add_accesses(struct joining *joining)
{
	struct vkr_command_links *links = joining->links;
	for (size_t at = joining->from; at < links->bytes.count; at++) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		vkr_sync_ranges_merge(&bytes->ranges);
		for (unsigned kind = 0; kind < 4; kind++)
			vkr_sync_ranges_merge(&bytes->judged[kind]);
		if (bytes->within &&
		    !vkr_linked_accesses(&links->commands.items[bytes->first], &bytes->ranges, true,
					 true, &links->logs, &joining->places[bytes->first]))
			return false;
		if (bytes->within) {
			bytes->accesses = links->logs.sync.accesses.count;
			continue;
		}
		if (!add_side(joining, bytes, bytes->first, 0, bytes->first_writes) ||
		    !add_side(joining, bytes, find_second(joining, bytes->second_stage), 1,
			      bytes->second_writes))
			return false;
		bytes->accesses = links->logs.sync.accesses.count;
	}
	return true;
}

// ---- Judging ------------------------------------------------------------------------------------

static bool add_ranges(struct vkr_sync_ranges *to, const struct vkr_sync_ranges *from)
{
	for (size_t at = 0; at < from->count; at++)
		if (!vkr_sync_ranges_add(to, &from->items[at]))
			return false;
	return true;
}

// Where later commands, which a dependency orders after the entry's, have written and are asked
// about, too (vkr_engine_command_keeps), and not after the second command. False for lack of
// memory.
static bool find_overwritten(const struct vkr_command_links *links, size_t entry,
			     struct vkr_sync_ranges *found)
{
	const struct vkr_link_bytes *of = &links->bytes.items[entry];
	const struct vkr_linked *one = &links->commands.items[of->first];
	found->count = 0;
	for (size_t at = 0; at < links->bytes.count; at++) {
		const struct vkr_link_bytes *bytes = &links->bytes.items[at];
		const struct vkr_linked *other = &links->commands.items[bytes->first];
		if (bytes->first <= of->first || bytes->is_rest || bytes->within ||
		    bytes->reversed || !bytes->first_writes ||
		    !vkr_engine_stands_before(&one->standing, one->stage, &other->standing,
					      other->stage))
			continue;
		if (!add_ranges(found, &bytes->ranges))
			return false;
	}
	vkr_sync_ranges_merge(found);
	return true;
}

// Judges the accesses of each entry of links->bytes by themselves: those of other commands that
// race with the second command's if nothing else orders them.
static enum vkr_result judge_each(const struct joining *joining, struct vkr_engine *engine,
				  bool without_doubts, struct vkr_error *error)
{
	struct vkr_command_links *links = joining->links;
	struct vkr_sync *sync = &links->logs.sync;
	struct vkr_sync_access *items = sync->accesses.items;
	const size_t count = sync->accesses.count;
	enum vkr_result result = vkr_sync_feed(sync, error);
	sync->judging.only_count = joining->question->waits;
	sync->judging.possible = without_doubts;
	struct vkr_sync_ranges overwritten = {0};
	for (size_t at = joining->from; at < links->bytes.count; at++)
		links->bytes.items[at].reversed = true; // as far as is known
	// What comes after an entry's command was asked about later, most often.
	for (size_t at = links->bytes.count;
	     at-- > joining->from && result == VKR_OK && !sync->in_circle;) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		const size_t first = at > joining->from ? bytes[-1].accesses : 0;
		const bool reversed = sync->commands.reversed;
		sync->accesses.items = items ? items + first : NULL;
		sync->accesses.count = bytes->accesses - first;
		sync->judging.races = 0;
		sync->commands.reversed = false;
		sync->commands.between = bytes->race_class;
		sync->commands.within = bytes->within;
		sync->judging.judged = bytes->is_rest ? bytes->judged : NULL;
		if (!bytes->is_rest && !bytes->within && !find_overwritten(links, at, &overwritten))
			result = vkr_error_memory(error, "order between commands");
		sync->judging.overwritten =
			bytes->is_rest || bytes->within || overwritten.count == 0 ? NULL
										  : &overwritten;
		if (result == VKR_OK)
			result = vkr_sync_judge(sync, engine, error);
		*(without_doubts ? &bytes->certain : &bytes->races) = sync->judging.races;
		bytes->reversed = sync->commands.reversed;
		sync->commands.reversed = sync->commands.reversed || reversed;
	}
	free(overwritten.items);
	sync->judging.overwritten = NULL;
	sync->accesses.items = items;
	sync->accesses.count = count;
	return result;
}

// Updates by shaders that order nothing, which log no values.
static bool is_silent(void *context, const struct vkr_sync_atomic *atomic)
{
	struct joining *joining = context;
	const struct vkr_engine_range range = {.memory = (uint32_t)atomic->memory,
					       .offset = atomic->offset,
					       .bytes = atomic->bytes};
	struct vkr_error unused;
	bool silent = joining->question->silent;
	if (atomic->memory > UINT32_MAX)
		return false;
	if (!joining->question->ended &&
	    vkr_engine_silent(joining->engine, joining->question->command,
			      joining->links->bytes.items[0].second_stage, &range, &silent,
			      &unused) != VKR_OK)
		joining->links->failed = true;
	joining->question->silent = joining->question->silent || silent;
	return silent;
}

// Judges all commands as one. With `certain`, ambiguous values order nothing; if there are some,
// races are reported as possible.
static enum vkr_result judge_joined(struct joining *joining, struct vkr_engine *engine,
				    bool certain, struct vkr_error *error)
{
	struct vkr_link_question *question = joining->question;
	struct vkr_command_links *links = joining->links;
	struct vkr_sync *sync = &links->logs.sync;
	enum vkr_result result = VKR_OK;
	if (!find_parts(joining) || !join_parts(joining) || !order_parts(joining) ||
	    !add_accesses(joining))
		result = vkr_error_memory(error, "order between commands");
	vkr_joined_logs_close(&links->logs);
	sync->commands.is_silent = is_silent;
	sync->commands.silent_context = joining;
	if (!vkr_memory_is_hrf(&sync->rules)) {
		sync->commands.is_available = is_available;
		sync->commands.is_visible = is_visible;
		sync->commands.parts_context = joining;
	}
	if (result == VKR_OK && joining->fits)
		result = vkr_sync_match(sync, error);
	if (result == VKR_OK && links->failed)
		result = vkr_error_memory(error, "order between commands");
	question->ambiguous = sync->ambiguous;
	const bool without_doubts = certain && sync->ambiguous;
	if (without_doubts)
		vkr_sync_drop_doubts(sync);
	if (result == VKR_OK && joining->fits && !sync->in_circle)
		result = judge_each(joining, engine, without_doubts, error);
	question->unknown = !joining->fits || sync->in_circle;
	joining->reversed = sync->commands.reversed;
	vkr_joined_logs_clear(&links->logs);
	return result;
}

// ---- What others have taken the place of --------------------------------------------------------

// Adds what one stage of the command did, if the first `count` entries have bytes of it or of later
// commands.
static bool add_rest_of(struct vkr_command_links *links, size_t count, size_t first,
			const struct vkr_link_bytes *like)
{
	if (!VKR_ARRAY_RESERVE(&links->bytes, 1))
		return false;
	struct vkr_link_bytes *kept = &links->bytes.items[links->bytes.count++];
	*kept = (struct vkr_link_bytes){.first = first,
					.second_stage = like->second_stage,
					.race_class = VKR_RACE_UNORDERED,
					.first_tag = like->first_tag,
					.second_tag = like->second_tag,
					.is_rest = true};
	for (size_t at = 0; at < count; at++) {
		const struct vkr_link_bytes *of = &links->bytes.items[at];
		if (of->is_rest || of->within || of->second_stage != like->second_stage ||
		    of->first < first)
			continue;
		if (!add_ranges(&kept->ranges, &of->ranges) ||
		    (of->first == first &&
		     !add_ranges(&kept->judged[2 * of->first_writes + of->second_writes],
				 &of->ranges)))
			return false;
	}
	return true;
}

static bool is_first_of_stage(const struct vkr_command_links *links, size_t entry)
{
	for (size_t at = 0; at < entry; at++)
		if (links->bytes.items[at].second_stage == links->bytes.items[entry].second_stage)
			return false;
	return true;
}

// Whether its accesses can be reported: the engine may have given a command's number to another
// one.
static bool can_be_rest(const struct joining *joining, size_t index)
{
	const struct vkr_linked *linked = &joining->links->commands.items[index];
	return vkr_linked_is_logged(linked) &&
	       vkr_engine_is_standing(joining->engine, linked->command, &linked->standing);
}

static bool add_rest(const struct joining *joining, size_t count)
{
	struct vkr_command_links *links = joining->links;
	size_t last = 0;
	bool good = true;
	for (size_t at = 0; at < count; at++)
		last = links->bytes.items[at].first > last ? links->bytes.items[at].first : last;
	for (size_t at = 0; at < count && good; at++) {
		const struct vkr_link_bytes like = links->bytes.items[at];
		for (size_t first = 0; is_first_of_stage(links, at) && first <= last && good;
		     first++)
			good = !can_be_rest(joining, first) ||
			       add_rest_of(links, count, first, &like);
	}
	return good;
}

// Where dependencies order several accesses, the engine remembers only the last one: what is
// ordered after the last is ordered after all. But what shader synchronization orders before the
// last need not be ordered with the others.
static enum vkr_result judge_rest(struct joining *joining, struct vkr_engine *engine,
				  struct vkr_error *error)
{
	struct vkr_command_links *links = joining->links;
	const size_t count = links->bytes.count;
	if (!add_rest(joining, count))
		return vkr_error_memory(error, "order between commands");
	joining->from = count;
	return links->bytes.count > count ? judge_joined(joining, engine, false, error) : VKR_OK;
}

enum vkr_result vkr_links_judge(struct vkr_command_links *links, struct vkr_engine *engine,
				struct vkr_link_question *question, struct vkr_error *error)
{
	const size_t count = links->commands.count;
	struct joining joining = {.links = links,
				  .places = calloc(count, sizeof *joining.places),
				  .parts = calloc(count, sizeof *joining.parts),
				  .linked = calloc(count, sizeof *joining.linked),
				  .question = question,
				  .engine = engine};
	enum vkr_result result = VKR_OK;
	uint64_t certain = 0;
	if (joining.places == NULL || joining.parts == NULL || joining.linked == NULL) {
		result = vkr_error_memory(error, "order between commands");
		goto done;
	}
	result = judge_joined(&joining, engine, true, error);
	for (size_t at = 0; at < links->bytes.count; at++)
		certain += links->bytes.items[at].certain;
	if (result == VKR_OK && question->ambiguous && certain > 0 && !question->unknown)
		result = judge_joined(&joining, engine, false, error);
	question->reversed = joining.reversed;
	if (result == VKR_OK && joining.reversed && !question->waits && !question->ambiguous &&
	    !question->unknown)
		result = judge_rest(&joining, engine, error);
done:
	free(joining.places);
	free(joining.linked);
	free(joining.parts);
	return result;
}
