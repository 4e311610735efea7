// SPDX-License-Identifier: Apache-2.0
#include "noted_texels.h"

#include "array.h"
#include "error.h"
#include "filter_judge.h"
#include "site_table.h"
#include "texel_reads.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// Elements of one variable that are looked at one by one: of more, nothing is noted.
#define ELEMENTS_MOST 64u

// What one element of a variable is bound to, that some site accesses.
struct accessed {
	uint32_t variable;
	bool written;
	struct vkr_engine_target range;
};

// Accesses of one kind.
struct noted {
	bool on;          // they are noted
	bool odd;         // what was noted is to be judged one by one, and nothing more is noted
	uint64_t unknown; // of replay->unknown_texels, those noted
};

struct vkr_noted_texels {
	struct noted kinds[VKR_NOTED_WRITES + 1]; // by enum vkr_noted
	struct {
		uint8_t *items; // by access: as what it may be noted, enum vkr_noted
		size_t count, capacity;
	} takes;
	struct {
		uint32_t *items; // in which something was noted
		size_t count, capacity;
	} workgroups;
	bool in_order;       // their numbers ascend by one
	unsigned local_bits; // of an invocation's number
	struct {
		struct accessed *items; // what the dispatch writes, or all that it accesses
		size_t count, capacity;
	} accessed;
	struct {
		uint8_t *items; // by variable: enum variable_use bits
		size_t count, capacity;
	} uses;
	uint8_t open; // through pointers and chosen variables
};

// What sites do with a variable.
enum variable_use {
	USE_ACCESSED = 1u << 0,
	USE_WRITTEN = 1u << 1,
	USE_NOT_STORED = 1u << 2, // some do something else than plain writes of texels
	USE_OPEN = 1u << 3,       // which bytes are accessed is not known beforehand
};

void vkr_noted_texels_destroy(struct vkr_noted_texels *noted)
{
	if (noted == NULL)
		return;
	free(noted->takes.items);
	free(noted->workgroups.items);
	free(noted->accessed.items);
	free(noted->uses.items);
	free(noted);
}

// ---- What is accessed ---------------------------------------------------------------------------

static bool site_writes(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_STORE || site->operation == VKR_SITE_ATOMIC_STORE ||
	       site->operation == VKR_SITE_ATOMIC_RMW;
}

static bool is_texel_store(const struct vkr_replay_work *work, uint32_t site)
{
	const struct vkr_program_access *access = work->program->by_site[site];
	return access != NULL && access->texel != NULL && access->lines == 0 && !access->apart &&
	       vkr_site_table_sites(work->program->shader->sites)[site].operation == VKR_SITE_STORE;
}

// Finds out what sites do with variables; *stores: some write texels.
static bool find_uses(struct vkr_noted_texels *noted, const struct vkr_replay_work *work,
		      bool *stores)
{
	const struct vkr_site_table *table = work->program->shader->sites;
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	*stores = false;
	noted->open = 0;
	noted->uses.count = 0;
	if (!VKR_ARRAY_RESERVE(&noted->uses, table->variable_count))
		return false;
	noted->uses.count = table->variable_count;
	memset(noted->uses.items, 0, table->variable_count);
	for (uint32_t at = 0; at < table->site_count; at++) {
		const struct vkr_site *site = &vkr_site_table_sites(table)[at];
		if (vkr_dispatch_access(work->targets, at) == NULL)
			continue;
		if (site->flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN)) {
			noted->open |=
				(uint8_t)(USE_ACCESSED | (site_writes(site) ? USE_WRITTEN : 0u));
			continue;
		}
		if (variables[site->variable].kind == VKR_VARIABLE_WORKGROUP)
			continue;
		const bool is_store = is_texel_store(work, at);
		const bool is_open = variables[site->variable].flags &
					     (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA) ||
				     work->targets->variables[site->variable].count > ELEMENTS_MOST;
		noted->uses.items[site->variable] |=
			(uint8_t)(USE_ACCESSED | (site_writes(site) ? USE_WRITTEN : 0u) |
				  (is_store ? 0u : USE_NOT_STORED) | (is_open ? USE_OPEN : 0u));
		*stores = *stores || is_store;
	}
	return true;
}

// False for lack of memory.
static bool add_accessed(struct vkr_noted_texels *noted, const struct vkr_replay_work *work,
			 uint32_t variable)
{
	struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
	const bool written = noted->uses.items[variable] & USE_WRITTEN;
	for (uint32_t element = 0; element < work->targets->variables[variable].count; element++) {
		const uint32_t count =
			vkr_dispatch_ranges(work->targets, variable, element, ranges);
		if (!VKR_ARRAY_RESERVE(&noted->accessed, count))
			return false;
		for (uint32_t at = 0; at < count; at++)
			noted->accessed.items[noted->accessed.count++] =
				(struct accessed){variable, written, ranges[at]};
	}
	return true;
}

// Whether reads may be noted, and writes: where all that is written is known, or all that is
// accessed. False for lack of memory.
static bool find_accessed(struct vkr_noted_texels *noted, const struct vkr_replay_work *work,
			  bool *for_reads, bool *for_writes)
{
	noted->accessed.count = 0;
	if (!find_uses(noted, work, for_writes))
		return false;
	*for_reads = !(noted->open & USE_WRITTEN);
	*for_writes = *for_writes && noted->open == 0;
	for (uint32_t at = 0; at < noted->uses.count; at++) {
		const uint8_t use = noted->uses.items[at];
		*for_writes = *for_writes && !(use & USE_OPEN);
		*for_reads =
			*for_reads && (use & (USE_OPEN | USE_WRITTEN)) != (USE_OPEN | USE_WRITTEN);
	}
	for (uint32_t at = 0; at < noted->uses.count; at++) {
		const uint8_t use = noted->uses.items[at];
		if (use & (*for_writes ? USE_ACCESSED : USE_WRITTEN) && !(use & USE_OPEN) &&
		    !add_accessed(noted, work, at))
			return false;
	}
	for (size_t at = 0; at < noted->accessed.count; at++) {
		const struct accessed *of = &noted->accessed.items[at];
		const bool mapped = vkr_engine_is_mapped(work->engine, of->range.memory);
		*for_writes = *for_writes && !mapped;
		*for_reads = *for_reads && !(of->written && mapped);
	}
	return true;
}

static bool noted_texels_overlap(const struct vkr_engine_target *a,
				 const struct vkr_engine_target *b)
{
	return a->memory == b->memory && a->base < b->base + b->bytes &&
	       b->base < a->base + a->bytes;
}

static bool is_written(const struct vkr_replay_work *work, const struct vkr_engine_target *target)
{
	const struct vkr_noted_texels *noted = work->replay->noted;
	for (size_t at = 0; at < noted->accessed.count; at++) {
		const struct accessed *of = &noted->accessed.items[at];
		if (of->written && noted_texels_overlap(&of->range, target))
			return true;
	}
	return vkr_engine_is_mapped(work->engine, target->memory);
}

// Whether a written variable's elements share no bytes with each other, nor with anything else.
static bool is_alone(const struct vkr_noted_texels *noted, uint32_t variable)
{
	const struct accessed *items = noted->accessed.items;
	for (size_t at = 0; at < noted->accessed.count; at++)
		for (size_t other = 0; other < noted->accessed.count; other++)
			if (items[at].variable == variable && other != at &&
			    (other > at || items[other].variable != variable) &&
			    noted_texels_overlap(&items[at].range, &items[other].range))
				return false;
	return true;
}

// ---- Beginning ----------------------------------------------------------------------------------

// Whether the access is a plain read through a variable that is not written. An element that is
// known only at run time may have several targets, which are checked when the read is noted.
static bool may_read(const struct vkr_replay_work *work, const struct vkr_program_access *access)
{
	const struct vkr_site_table *table = work->program->shader->sites;
	const uint32_t flags = vkr_site_table_variables(table)[access->variable].flags;
	struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
	if (access->texel == NULL || access->lines > 0 ||
	    vkr_site_table_sites(table)[access->table_site].operation != VKR_SITE_LOAD)
		return false;
	if (access->arrayed || access->chosen || flags & VKR_VARIABLE_HEAP)
		return true;
	const uint32_t count = vkr_dispatch_ranges(work->targets, access->variable, 0, ranges);
	for (uint32_t at = 0; at < count; at++)
		if (is_written(work, &ranges[at]))
			return false;
	return true;
}

// Whether the access is a plain write of texels that nothing but such writes through the same
// variable accesses.
static bool may_write(const struct vkr_replay_work *work, const struct vkr_program_access *access)
{
	const struct vkr_noted_texels *noted = work->replay->noted;
	return is_texel_store(work, access->table_site) &&
	       !(noted->uses.items[access->variable] & USE_NOT_STORED) &&
	       is_alone(noted, access->variable);
}

// Whether accesses may be noted at all: only the bytes that the dispatch writes may distinguish one
// invocation's reads from another's. Dependencies by region or by view do not: a compute shader's
// invocations have no place in a framebuffer.
static bool may_note(const struct vkr_replay_work *work)
{
	const struct vkr_shader *shader = work->program->shader;
	return shader->stage == VK_SHADER_STAGE_COMPUTE_BIT && shader->orders_invocations == 0 &&
	       shader->orders_workgroups == 0;
}

// Whether the access is a read of a buffer through one descriptor.
static bool reads_buffer(const struct vkr_replay_work *work,
			 const struct vkr_program_access *access)
{
	const struct vkr_site_table *table = work->program->shader->sites;
	const struct vkr_variable *variable = &vkr_site_table_variables(table)[access->variable];
	return variable->kind == VKR_VARIABLE_BUFFER && !access->arrayed && !access->chosen &&
	       !access->pointer && access->lines == 0 && access->texel == NULL &&
	       !(variable->flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA)) &&
	       vkr_site_table_sites(table)[access->table_site].operation == VKR_SITE_LOAD;
}

// Tells the engine which reads of buffers are of what the dispatch does not write.
static enum vkr_result note_buffers(struct vkr_replay_work *work)
{
	const struct vkr_program *program = work->program;
	enum vkr_result result = VKR_OK;
	for (uint32_t site = 0; site < program->shader->sites->site_count && result == VKR_OK;
	     site++) {
		const struct vkr_program_access *access = vkr_dispatch_access(work->targets, site);
		if (access == NULL || !reads_buffer(work, access))
			continue;
		const struct vkr_engine_target *target =
			vkr_dispatch_target(work->targets, access->variable, 0);
		if (target != NULL && !is_written(work, target))
			result = vkr_engine_note_reads(work->engine, access->site, target,
						       work->error);
	}
	return result;
}

static bool begin_accesses(struct vkr_replay_work *work, bool for_reads, bool for_writes)
{
	struct vkr_noted_texels *noted = work->replay->noted;
	const struct vkr_program *program = work->program;
	const uint32_t count = program->shader->sites->site_count;
	noted->takes.count = 0;
	if (!VKR_ARRAY_RESERVE(&noted->takes, count))
		return false;
	for (uint32_t site = 0; site < count; site++) {
		const struct vkr_program_access *access = vkr_dispatch_access(work->targets, site);
		enum vkr_noted kind = VKR_NOTED_NONE;
		if (access == NULL)
			continue;
		if (for_reads && may_read(work, access))
			kind = VKR_NOTED_READS;
		else if (for_writes && may_write(work, access))
			kind = VKR_NOTED_WRITES;
		noted->takes.items[access - program->accesses] = (uint8_t)kind;
		noted->kinds[kind].on = kind != VKR_NOTED_NONE;
	}
	noted->takes.count = count;
	return (!noted->kinds[VKR_NOTED_READS].on && !noted->kinds[VKR_NOTED_WRITES].on) ||
	       vkr_texel_reads_begin(work->replay, program);
}

bool vkr_noted_texels_begin(struct vkr_replay_work *work)
{
	struct vkr_replay *replay = work->replay;
	if (replay->noted == NULL)
		replay->noted = calloc(1, sizeof *replay->noted);
	struct vkr_noted_texels *noted = replay->noted;
	bool for_reads = false, for_writes = false;
	if (noted == NULL)
		return false;
	noted->takes.count = 0;
	memset(noted->kinds, 0, sizeof noted->kinds);
	noted->workgroups.count = 0;
	noted->local_bits = vkr_engine_local_bits(work->targets->local_size);
	if (!may_note(work))
		return true;
	if (!find_accessed(noted, work, &for_reads, &for_writes) ||
	    (for_reads && note_buffers(work) != VKR_OK))
		return false;
	return work->program->shader->sites->texel_count == 0 ||
	       begin_accesses(work, for_reads, for_writes);
}

bool vkr_noted_texels_like(struct vkr_replay *replay, const struct vkr_replay *like)
{
	const struct vkr_noted_texels *of = like->noted;
	if (replay->noted == NULL)
		replay->noted = calloc(1, sizeof *replay->noted);
	struct vkr_noted_texels *noted = replay->noted;
	if (noted == NULL)
		return false;
	noted->takes.count = 0;
	if (!VKR_ARRAY_RESERVE(&noted->takes, of->takes.count))
		return false;
	if (of->takes.count > 0)
		memcpy(noted->takes.items, of->takes.items,
		       of->takes.count * sizeof *of->takes.items);
	noted->takes.count = of->takes.count;
	memcpy(noted->kinds, of->kinds, sizeof noted->kinds);
	return true;
}

// ---- Noting -------------------------------------------------------------------------------------

static enum vkr_noted kind_of(const struct vkr_replay_work *work,
			      const struct vkr_program_access *access)
{
	const struct vkr_noted_texels *noted = work->replay->noted;
	const enum vkr_noted kind =
		noted->takes.count > 0 && (noted->kinds[VKR_NOTED_READS].on ||
					   noted->kinds[VKR_NOTED_WRITES].on)
			? (enum vkr_noted)noted->takes.items[access - work->program->accesses]
			: VKR_NOTED_NONE;
	return noted->kinds[kind].on ? kind : VKR_NOTED_NONE;
}

bool vkr_noted_texels_takes(const struct vkr_replay_work *work,
			    const struct vkr_program_access *access)
{
	return work->again == VKR_NOTED_NONE && kind_of(work, access) != VKR_NOTED_NONE;
}

bool vkr_noted_texels_passes(const struct vkr_replay_work *work,
			     const struct vkr_program_access *access)
{
	return work->again != VKR_NOTED_NONE && kind_of(work, access) != work->again;
}

// The invocation of a workgroup that was noted last.
static uint32_t invocation_of(const struct vkr_replay_work *work, uint32_t local)
{
	const size_t workgroup = work->replay->noted->workgroups.count - 1;
	return (uint32_t)workgroup << work->replay->noted->local_bits | local;
}

// One step's accesses.
struct noting {
	struct vkr_replay_work *work;
	enum vkr_noted kind;
	uint32_t invocation;
};

static bool is_written_here(const void *user, const struct vkr_engine_target *target)
{
	const struct noting *noting = user;
	return noting->kind == VKR_NOTED_READS
		       ? is_written(noting->work, target)
		       : vkr_engine_is_mapped(noting->work->engine, target->memory);
}

static struct vkr_texel_reading reading_of(struct noting *noting)
{
	struct vkr_replay_work *work = noting->work;
	return (struct vkr_texel_reading){.replay = work->replay,
					  .program = work->program,
					  .targets = work->targets,
					  .error = work->error,
					  .user = noting,
					  .is_written = is_written_here};
}

// What a filter made of an access: a second write of the same texel was not foreseen.
static enum vkr_result take_note(struct vkr_replay_work *work,
				 const struct vkr_access_filter *filter, enum vkr_filter_note noted)
{
	const enum vkr_noted kind = filter->writes ? VKR_NOTED_WRITES : VKR_NOTED_READS;
	if (noted == VKR_FILTER_NO_MEMORY)
		return vkr_error_memory(work->error, "the accesses of a dispatch");
	if (noted == VKR_FILTER_FULL || (noted == VKR_FILTER_KNOWN && filter->writes))
		work->replay->noted->kinds[kind].odd = true;
	return VKR_OK;
}

// Whether what lies from `low` on up to an access at `last` is not judged here.
static enum vkr_result is_elsewhere(struct vkr_replay_work *work,
				    const struct vkr_access_filter *filter, uint64_t low,
				    uint64_t last, bool *elsewhere)
{
	*elsewhere = false;
	if (!vkr_engine_has_part(work->engine))
		return VKR_OK;
	return vkr_engine_is_elsewhere(work->engine, filter->target, low, last + filter->bytes,
				       elsewhere, work->error);
}

static enum vkr_result note_access(void *user, uint32_t filter, uint64_t offset)
{
	const struct noting *noting = user;
	struct vkr_access_filters *filters = &noting->work->replay->reads->filters;
	struct vkr_access_filter *of = &filters->items[filter];
	bool elsewhere = false;
	const enum vkr_result result = is_elsewhere(noting->work, of, offset, offset, &elsewhere);
	if (result != VKR_OK || elsewhere)
		return result;
	return take_note(noting->work, of,
			 vkr_access_filter_note(filters, of, offset, noting->invocation));
}

// The workgroup under way is one of those in which something was noted.
static enum vkr_result open_workgroup(struct vkr_replay_work *work)
{
	struct vkr_noted_texels *noted = work->replay->noted;
	const size_t last = noted->workgroups.count;
	if (last > 0 && noted->workgroups.items[last - 1] == work->workgroup)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&noted->workgroups, 1))
		return vkr_error_memory(work->error, "the accesses of a dispatch");
	noted->in_order = last == 0 || (noted->in_order &&
					noted->workgroups.items[last - 1] + 1 == work->workgroup);
	noted->workgroups.items[noted->workgroups.count++] = work->workgroup;
	return VKR_OK;
}

enum vkr_result vkr_noted_texels_filter(struct vkr_replay_work *work,
					const struct vkr_program_access *access,
					const struct vkr_engine_run *like, uint32_t bytes,
					uint32_t *filter)
{
	if (work->replay->tape != NULL) { // filters are made in the order in which they are needed
		work->replay->tape->missed = true;
		return VKR_ERROR_STOPPED;
	}
	struct noting noting = {.work = work, .kind = kind_of(work, access)};
	struct vkr_texel_reading reading = reading_of(&noting);
	const enum vkr_result result =
		vkr_texel_reads_filter(&reading, access, like, bytes, vkr_low_bit(bytes), filter);
	work->replay->noted->kinds[noting.kind].odd |= reading.odd;
	return result;
}

enum vkr_result vkr_noted_texels_row(struct vkr_replay_work *work, uint32_t filter, uint32_t local,
				     uint32_t count, uint64_t offset, int64_t stride)
{
	if (work->replay->tape != NULL)
		return vkr_tape_add_row(
			work->replay->tape,
			&(struct vkr_tape_row){filter, local, count, offset, stride});
	struct vkr_access_filters *filters = &work->replay->reads->filters;
	struct vkr_access_filter *of = &filters->items[filter];
	if (work->replay->noted->kinds[of->writes ? VKR_NOTED_WRITES : VKR_NOTED_READS].odd)
		return VKR_OK;
	const uint64_t last = offset + (uint64_t)(stride * (int64_t)(count - 1));
	bool elsewhere = false;
	enum vkr_result result = is_elsewhere(work, of, offset < last ? offset : last,
					      offset < last ? last : offset, &elsewhere);
	if (result != VKR_OK || elsewhere)
		return result;
	result = open_workgroup(work);
	if (result != VKR_OK)
		return result;
	return take_note(work, of,
			 vkr_access_filter_note_row(filters, of, offset, stride, count,
						    invocation_of(work, local)));
}

enum vkr_result vkr_noted_texels_note(struct vkr_replay_work *work,
				      const struct vkr_texel_step *step)
{
	if (work->replay->tape != NULL) {
		work->replay->tape->missed = true;
		return VKR_ERROR_STOPPED;
	}
	struct noting noting = {.work = work, .kind = kind_of(work, step->access)};
	struct noted *noted = &work->replay->noted->kinds[noting.kind];
	struct vkr_texel_reading reading = reading_of(&noting);
	const uint64_t unknown = work->replay->unknown_texels;
	enum vkr_result result = open_workgroup(work);
	reading.note = note_access;
	vkr_engine_count_accesses(work->engine, step->count);
	for (uint32_t at = 0; at < step->count && result == VKR_OK && !noted->odd; at++) {
		noting.invocation = invocation_of(work, step->local + at);
		result = vkr_texel_reads_note(&reading, step->access, step->records[at]);
		noted->odd = noted->odd || reading.odd;
	}
	noted->unknown += work->replay->unknown_texels - unknown;
	return result;
}

// ---- Judging ------------------------------------------------------------------------------------

bool vkr_noted_texels_fill(const struct vkr_replay_work *work)
{
	const struct vkr_noted_texels *noted = work->replay->noted;
	const struct noted *kinds = noted->kinds;
	if (!kinds[VKR_NOTED_READS].on && !kinds[VKR_NOTED_WRITES].on)
		return false;
	// The next workgroup's invocations have numbers, too.
	return kinds[VKR_NOTED_READS].odd || kinds[VKR_NOTED_WRITES].odd ||
	       vkr_access_filters_fill(&work->replay->reads->filters) ||
	       (noted->workgroups.count + 2) << noted->local_bits > UINT32_MAX;
}

// Turns invocations, of which workgroups are counted as they come, into the engine's numbers. False
// where one has none.
static bool number_entries(const struct vkr_replay_work *work)
{
	const struct vkr_noted_texels *noted = work->replay->noted;
	const struct vkr_access_filters *filters = &work->replay->reads->filters;
	const unsigned bits = noted->local_bits;
	const uint32_t mask = (UINT32_C(1) << bits) - 1;
	for (size_t at = 0; at < noted->workgroups.count; at++)
		if (noted->workgroups.items[at] >= UINT32_MAX >> bits)
			return false;
	if (noted->in_order && noted->workgroups.items[0] == 0)
		return true;
	for (size_t at = 0; vkr_access_filters_next(filters, &at); at++) {
		uint32_t *entry = &filters->entries[at];
		const uint32_t workgroup = noted->workgroups.items[(*entry - 1) >> bits];
		*entry = (workgroup << bits | ((*entry - 1) & mask)) + 1;
	}
	return true;
}

// Writes that did not fit once will not fit in the shader's next dispatches, either.
static void stop_writes(struct vkr_replay_work *work)
{
	const struct vkr_program *program = work->program;
	for (uint32_t site = 0; site < program->shader->sites->site_count; site++)
		if (program->by_site[site] != NULL &&
		    kind_of(work, program->by_site[site]) == VKR_NOTED_WRITES)
			program->by_site[site]->apart = true;
}

static enum vkr_result judge_writes(struct vkr_replay_work *work, bool *stops)
{
	struct noted *writes = &work->replay->noted->kinds[VKR_NOTED_WRITES];
	enum vkr_filter_writes outcome = VKR_FILTER_SHARED;
	enum vkr_result result = VKR_OK;
	if (!writes->odd)
		result = vkr_filters_judge_writes(work->engine, &work->replay->reads->filters,
						  &outcome, work->error);
	writes->odd = outcome != VKR_FILTER_JUDGED;
	*stops = outcome == VKR_FILTER_SHARED || outcome == VKR_FILTER_APART;
	return result;
}

// Goes through what is of a kind once more.
static enum vkr_result noted_texels_redo(struct vkr_replay_work *work, enum vkr_noted kind,
					 vkr_noted_texels_redo *steps, const void *user)
{
	struct vkr_replay *replay = work->replay;
	const uint64_t damaged = replay->rows.damaged, unfinished = replay->unfinished;
	replay->unknown_texels -= replay->noted->kinds[kind].unknown;
	vkr_pattern_reset(&replay->pattern);
	work->again = kind;
	const enum vkr_result result = steps(work, user);
	work->again = VKR_NOTED_NONE;
	vkr_pattern_reset(&replay->pattern);
	replay->rows.damaged = damaged; // counted before
	replay->unfinished = unfinished;
	return result;
}

enum vkr_result vkr_noted_texels_settle(struct vkr_replay_work *work, vkr_noted_texels_redo *steps,
					const void *user)
{
	struct vkr_noted_texels *noted = work->replay->noted;
	struct noted *kinds = noted->kinds;
	enum vkr_result result = VKR_OK;
	bool stops = false;
	vkr_engine_count_pause(work->engine); // they were counted as they were noted
	if (noted->workgroups.count > 0 && !number_entries(work))
		kinds[VKR_NOTED_READS].odd = kinds[VKR_NOTED_WRITES].odd = true;
	if (kinds[VKR_NOTED_WRITES].on) {
		result = judge_writes(work, &stops);
		if (kinds[VKR_NOTED_WRITES].odd)
			vkr_engine_part_differs(work->engine);
		if (result == VKR_OK && kinds[VKR_NOTED_WRITES].odd)
			result = noted_texels_redo(work, VKR_NOTED_WRITES, steps, user);
		if (stops)
			stop_writes(work);
		kinds[VKR_NOTED_WRITES] = (struct noted){.on = !stops};
	}
	if (kinds[VKR_NOTED_READS].on && result == VKR_OK) {
		const bool odd = kinds[VKR_NOTED_READS].odd;
		if (odd)
			vkr_engine_part_differs(work->engine);
		result = odd ? noted_texels_redo(work, VKR_NOTED_READS, steps, user)
			     : vkr_filters_judge(work->engine, &work->replay->reads->filters,
						 work->error);
		// What does not fit once will not fit again.
		kinds[VKR_NOTED_READS] = (struct noted){.on = !odd};
	}
	// A pattern's accesses may not be noted any more.
	vkr_pattern_reset(&work->replay->pattern);
	if (noted->takes.count > 0 && work->replay->reads != NULL)
		vkr_access_filters_clear(&work->replay->reads->filters);
	noted->workgroups.count = 0;
	vkr_engine_count_resume(work->engine);
	return result;
}
