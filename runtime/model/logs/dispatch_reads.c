// SPDX-License-Identifier: Apache-2.0
#include "dispatch_reads.h"

#include "array.h"
#include "error.h"
#include "filter_judge.h"
#include "site_table.h"
#include "texel_reads.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

// Elements of one variable that may be written: of more, nothing is noted.
#define ELEMENTS_MOST 64u

struct vkr_dispatch_reads {
	bool on;          // accesses are noted
	bool odd;         // what was noted is to be judged one by one, and nothing more is noted
	uint64_t unknown; // of replay->unknown_texels, those noted
	struct {
		bool *items; // by access: it may be noted
		size_t count, capacity;
	} takes;
	struct {
		uint32_t *items; // in which something was noted
		size_t count, capacity;
	} workgroups;
	struct {
		struct vkr_engine_target *items; // what the dispatch may write
		size_t count, capacity;
	} written;
};

void vkr_dispatch_reads_destroy(struct vkr_dispatch_reads *reads)
{
	if (reads == NULL)
		return;
	free(reads->takes.items);
	free(reads->workgroups.items);
	free(reads->written.items);
	free(reads);
}

// ---- What is written ----------------------------------------------------------------------------

static bool site_writes(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_STORE || site->operation == VKR_SITE_ATOMIC_STORE ||
	       site->operation == VKR_SITE_ATOMIC_RMW;
}

// False where it is not known, or there is no memory for it.
static bool add_written(struct vkr_dispatch_reads *reads, struct vkr_dispatch_targets *targets,
			const struct vkr_site *site)
{
	const struct vkr_variable *variable =
		&vkr_site_table_variables(targets->program->shader->sites)[site->variable];
	struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
	const uint32_t elements = targets->variables[site->variable].count;
	if (variable->kind == VKR_VARIABLE_WORKGROUP)
		return true;
	if (site->flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN) ||
	    variable->flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA) ||
	    elements > ELEMENTS_MOST)
		return false;
	for (uint32_t element = 0; element < elements; element++) {
		const uint32_t count =
			vkr_dispatch_ranges(targets, site->variable, element, ranges);
		if (!VKR_ARRAY_RESERVE(&reads->written, count))
			return false;
		for (uint32_t at = 0; at < count; at++)
			reads->written.items[reads->written.count++] = ranges[at];
	}
	return true;
}

static bool find_written(struct vkr_dispatch_reads *reads, const struct vkr_replay_work *work)
{
	const struct vkr_site_table *table = work->program->shader->sites;
	for (uint32_t at = 0; at < table->site_count; at++) {
		const struct vkr_site *site = &vkr_site_table_sites(table)[at];
		if (site_writes(site) && !add_written(reads, work->targets, site))
			return false;
	}
	for (size_t at = 0; at < reads->written.count; at++)
		if (vkr_engine_is_mapped(work->engine, reads->written.items[at].memory))
			return false;
	return true;
}

static bool is_written(const void *user, const struct vkr_engine_target *target)
{
	const struct vkr_replay_work *work = user;
	const struct vkr_dispatch_reads *reads = work->replay->noted;
	for (size_t at = 0; at < reads->written.count; at++) {
		const struct vkr_engine_target *of = &reads->written.items[at];
		if (of->memory == target->memory && of->base < target->base + target->bytes &&
		    target->base < of->base + of->bytes)
			return true;
	}
	return vkr_engine_is_mapped(work->engine, target->memory);
}

// ---- Beginning ----------------------------------------------------------------------------------

// Whether the access is a plain read through a variable that is not written. An element that is
// known only at run time may have several targets, which are checked when the read is noted.
static bool may_take(const struct vkr_replay_work *work, const struct vkr_program_access *access)
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

// Whether reads may be noted at all: only the bytes that the dispatch writes may distinguish one
// invocation's reads from another's.
static bool may_note(const struct vkr_replay_work *work)
{
	const struct vkr_shader *shader = work->program->shader;
	return shader->stage == VK_SHADER_STAGE_COMPUTE_BIT && shader->orders_invocations == 0 &&
	       shader->orders_workgroups == 0 && shader->sites->texel_count > 0 &&
	       !vkr_engine_has_locals(work->engine);
}

static bool begin_reads(struct vkr_replay_work *work, struct vkr_dispatch_reads *reads)
{
	const struct vkr_program *program = work->program;
	const uint32_t count = program->shader->sites->site_count;
	bool any = false;
	reads->takes.count = 0;
	if (!VKR_ARRAY_RESERVE(&reads->takes, count))
		return false;
	for (uint32_t site = 0; site < count; site++) {
		const struct vkr_program_access *access = program->by_site[site];
		if (access == NULL)
			continue;
		const bool takes = may_take(work, access);
		reads->takes.items[access - program->accesses] = takes;
		any = any || takes;
	}
	reads->takes.count = count;
	reads->on = any;
	return !any || vkr_texel_reads_begin(work->replay, program);
}

bool vkr_dispatch_reads_begin(struct vkr_replay_work *work)
{
	struct vkr_replay *replay = work->replay;
	if (replay->noted == NULL)
		replay->noted = calloc(1, sizeof *replay->noted);
	struct vkr_dispatch_reads *reads = replay->noted;
	if (reads == NULL)
		return false;
	reads->on = reads->odd = false;
	reads->unknown = 0;
	reads->workgroups.count = reads->written.count = 0;
	return !may_note(work) || !find_written(reads, work) || begin_reads(work, reads);
}

// ---- Noting -------------------------------------------------------------------------------------

bool vkr_dispatch_reads_takes(const struct vkr_replay_work *work,
			      const struct vkr_program_access *access)
{
	const struct vkr_dispatch_reads *reads = work->replay->noted;
	return reads->on && reads->takes.items[access - work->program->accesses];
}

// The invocation of a workgroup that was noted last.
static uint32_t invocation_of(const struct vkr_replay_work *work, uint32_t local)
{
	const size_t workgroup = work->replay->noted->workgroups.count - 1;
	return (uint32_t)workgroup * work->targets->local_size + local;
}

// One step's reads.
struct noting {
	struct vkr_replay_work *work;
	uint32_t invocation;
};

static bool is_written_here(const void *user, const struct vkr_engine_target *target)
{
	return is_written(((const struct noting *)user)->work, target);
}

static enum vkr_result note_read(void *user, uint32_t filter, uint64_t offset)
{
	const struct noting *noting = user;
	const struct vkr_replay_work *work = noting->work;
	struct vkr_read_filters *filters = &work->replay->reads->filters;
	const enum vkr_filter_note noted =
		vkr_read_filter_note(filters, &filters->items[filter], offset, noting->invocation);
	if (noted == VKR_FILTER_FULL)
		work->replay->noted->odd = true;
	return noted != VKR_FILTER_NO_MEMORY
		       ? VKR_OK
		       : vkr_error_memory(work->error, "the reads of a dispatch");
}

// The workgroup under way is one of those in which something was noted.
static enum vkr_result open_workgroup(struct vkr_replay_work *work)
{
	struct vkr_dispatch_reads *reads = work->replay->noted;
	const size_t last = reads->workgroups.count;
	if (last > 0 && reads->workgroups.items[last - 1] == work->workgroup)
		return VKR_OK;
	if (!VKR_ARRAY_RESERVE(&reads->workgroups, 1))
		return vkr_error_memory(work->error, "the reads of a dispatch");
	reads->workgroups.items[reads->workgroups.count++] = work->workgroup;
	return VKR_OK;
}

enum vkr_result vkr_dispatch_reads_filter(struct vkr_replay_work *work,
					  const struct vkr_program_access *access,
					  const struct vkr_engine_run *like, uint32_t bytes,
					  uint32_t *filter)
{
	struct noting noting = {.work = work};
	struct vkr_texel_reading reading = {.replay = work->replay,
					    .program = work->program,
					    .targets = work->targets,
					    .error = work->error,
					    .user = &noting,
					    .is_written = is_written_here};
	const enum vkr_result result =
		vkr_texel_reads_filter(&reading, access, like, bytes, vkr_low_bit(bytes), filter);
	work->replay->noted->odd |= reading.odd;
	return result;
}

enum vkr_result vkr_dispatch_reads_row(struct vkr_replay_work *work, uint32_t filter,
				       uint32_t local, uint32_t count, uint64_t offset,
				       int64_t stride)
{
	struct vkr_read_filters *filters = &work->replay->reads->filters;
	if (work->replay->noted->odd)
		return VKR_OK;
	const enum vkr_result result = open_workgroup(work);
	if (result != VKR_OK)
		return result;
	const enum vkr_filter_note noted =
		vkr_read_filter_note_row(filters, &filters->items[filter], offset, stride, count,
					 invocation_of(work, local));
	if (noted == VKR_FILTER_FULL)
		work->replay->noted->odd = true;
	return noted != VKR_FILTER_NO_MEMORY
		       ? VKR_OK
		       : vkr_error_memory(work->error, "the reads of a dispatch");
}

enum vkr_result vkr_dispatch_reads_note(struct vkr_replay_work *work,
					const struct vkr_texel_step *step)
{
	struct vkr_dispatch_reads *reads = work->replay->noted;
	struct noting noting = {.work = work};
	struct vkr_texel_reading reading = {.replay = work->replay,
					    .program = work->program,
					    .targets = work->targets,
					    .error = work->error,
					    .user = &noting,
					    .is_written = is_written_here,
					    .note = note_read};
	const uint64_t unknown = work->replay->unknown_texels;
	enum vkr_result result = open_workgroup(work);
	for (uint32_t at = 0; at < step->count && result == VKR_OK && !reads->odd; at++) {
		noting.invocation = invocation_of(work, step->local + at);
		result = vkr_texel_reads_note(&reading, step->access, step->records[at]);
		reads->odd = reads->odd || reading.odd;
	}
	reads->unknown += work->replay->unknown_texels - unknown;
	return result;
}

// ---- Judging ------------------------------------------------------------------------------------

bool vkr_dispatch_reads_fill(const struct vkr_replay_work *work)
{
	const struct vkr_dispatch_reads *reads = work->replay->noted;
	if (!reads->on)
		return false;
	// The next workgroup's invocations have numbers, too.
	return reads->odd || vkr_read_filters_fill(&work->replay->reads->filters) ||
	       (reads->workgroups.count + 1) * (uint64_t)work->targets->local_size >=
		       UINT32_MAX - work->targets->local_size;
}

static struct vkr_filter_reader reader_of(const void *user, uint32_t invocation)
{
	const struct vkr_replay_work *work = user;
	const uint32_t local_size = work->targets->local_size;
	return (struct vkr_filter_reader){
		work->replay->noted->workgroups.items[invocation / local_size],
		invocation % local_size};
}

enum vkr_result vkr_dispatch_reads_judge(struct vkr_replay_work *work, bool *again)
{
	struct vkr_dispatch_reads *reads = work->replay->noted;
	const struct vkr_filter_readers readers = {.reader = reader_of, .user = work};
	enum vkr_result result = VKR_OK;
	*again = false;
	if (!reads->on)
		return VKR_OK;
	if (!reads->odd)
		result = vkr_read_filters_judge(&work->replay->reads->filters, work->engine,
						&readers, NULL, work->error);
	*again = reads->odd;
	if (*again)
		work->replay->unknown_texels -= reads->unknown;
	reads->unknown = 0;
	reads->workgroups.count = 0;
	return result;
}

void vkr_dispatch_reads_next(struct vkr_replay_work *work)
{
	// What does not fit once will not fit again.
	work->replay->noted->on = false;
}
