// SPDX-License-Identifier: Apache-2.0
#include "linked_logs.h"

#include "array.h"
#include "engine.h"
#include "site_scope.h"

#include <stdlib.h>
#include <string.h>

void vkr_linked_finish(struct vkr_linked *linked)
{
	vkr_joined_logs_finish(&linked->logs);
	free(linked->kinds.items);
	free(linked->runs.items);
	free(linked->accesses.items);
	vkr_map_finish(&linked->kind_places);
	if (linked->standing.state != NULL)
		vkr_engine_standing_drop(&linked->standing);
	*linked = (struct vkr_linked){0};
}

void vkr_linked_take_log(struct vkr_linked *linked, struct vkr_linked *from)
{
	from->command = linked->command;
	from->family = linked->family;
	from->tag = linked->tag;
	from->standing = linked->standing;
	linked->standing.state = NULL;
	vkr_linked_finish(linked);
	*linked = *from;
	*from = (struct vkr_linked){0};
}

// A value that an update writes continues the release sequence that it read from, whatever the
// update itself does; a fence makes available or visible even without an atomic.
static bool reaches_others(const struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const uint8_t scope = sync->sites[sync->events.items[atomic->event].site].scope;
		if (atomic->memory <= UINT32_MAX && vkr_scope_is_far(scope) &&
		    (atomic->acquires || atomic->releases || (atomic->reads && atomic->writes)))
			return true;
	}
	for (size_t at = 0; at < sync->site_count; at++)
		if (sync->sites[at].order & (VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE) &&
		    vkr_scope_is_far(sync->sites[at].scope))
			return true;
	return false;
}

// ---- Accesses -----------------------------------------------------------------------------------

static bool is_kind(const struct vkr_kept_kind *x, const struct vkr_kept_kind *y)
{
	return x->memory == y->memory && x->table_site == y->table_site && x->site == y->site &&
	       x->reference == y->reference && x->bytes == y->bytes && x->read == y->read &&
	       x->write == y->write;
}

static bool find_kind(struct vkr_linked *linked, const struct vkr_kept_kind *kind, uint32_t *index)
{
	const uint64_t words[] = {kind->memory, (uint64_t)kind->table_site << 32 | kind->site,
				  (uint64_t)kind->reference << 32 | kind->bytes,
				  (uint64_t)kind->read << 1 | kind->write};
	uint64_t hash = 0, place = 0;
	for (size_t at = 0; at < sizeof words / sizeof *words; at++)
		hash = vkr_map_hash(hash ^ words[at]);
	if (vkr_map_get(&linked->kind_places, hash, &place) &&
	    is_kind(&linked->kinds.items[place - 1], kind)) {
		*index = (uint32_t)place - 1;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&linked->kinds, 1))
		return false;
	*index = (uint32_t)linked->kinds.count;
	linked->kinds.items[linked->kinds.count++] = *kind;
	return vkr_map_set(&linked->kind_places, hash, linked->kinds.count);
}

static bool is_of_run(const struct vkr_kept_run *run, const struct vkr_kept_run *next)
{
	return run->workgroup == next->workgroup && run->local == next->local &&
	       run->agent == next->agent && run->events == next->events &&
	       run->barriers == next->barriers;
}

static bool keep_access(struct vkr_linked *linked, const struct vkr_joined_at *at,
			const struct vkr_sync_access *access)
{
	const struct vkr_kept_kind kind = {
		.memory = access->memory,
		.table_site = access->table_site + (uint32_t)at->site,
		.site = access->site,
		.reference = access->reference,
		.bytes = (uint32_t)(access->high - access->low),
		.read = access->read,
		.write = access->write,
	};
	const struct vkr_kept_run run = {
		.first = (uint32_t)linked->accesses.count,
		.workgroup = access->workgroup,
		.local = access->local,
		.agent = vkr_joined_index(access->agent, at->agent),
		.events = access->events,
		.barriers = access->barriers,
	};
	struct vkr_kept_access kept = {.low = access->low,
				       .atomic = vkr_joined_index(access->atomic, at->atomic)};
	if (!find_kind(linked, &kind, &kept.kind) || !VKR_ARRAY_RESERVE(&linked->accesses, 1) ||
	    !VKR_ARRAY_RESERVE(&linked->runs, 1))
		return false;
	if (linked->runs.count == 0 ||
	    !is_of_run(&linked->runs.items[linked->runs.count - 1], &run))
		linked->runs.items[linked->runs.count++] = run;
	linked->accesses.items[linked->accesses.count++] = kept;
	if (access->workgroup >= linked->workgroup_end)
		linked->workgroup_end = access->workgroup + 1;
	return true;
}

bool vkr_linked_add(struct vkr_linked *linked, const struct vkr_sync *sync)
{
	struct vkr_joined_at at;
	linked->far = linked->far || reaches_others(sync);
	linked->chains = sync->chains;
	if (!vkr_joined_logs_append(&linked->logs, sync, 0, &at))
		return false;
	for (size_t i = 0; i < sync->agents.count; i++)
		if (sync->agents.items[i].workgroup >= linked->workgroup_end)
			linked->workgroup_end = sync->agents.items[i].workgroup + 1;
	for (size_t i = 0; i < sync->accesses.count; i++)
		if (!keep_access(linked, &at, &sync->accesses.items[i]))
			return false;
	return true;
}

bool vkr_linked_accesses(const struct vkr_linked *linked, const struct vkr_sync_ranges *ranges,
			 bool reads, bool writes, struct vkr_joined_logs *logs,
			 const struct vkr_joined_at *at)
{
	const struct vkr_kept_run *run = linked->runs.items;
	for (uint32_t i = 0; i < linked->accesses.count; i++) {
		const struct vkr_kept_access *kept = &linked->accesses.items[i];
		const struct vkr_kept_kind *kind = &linked->kinds.items[kept->kind];
		const struct vkr_kept_run *end = linked->runs.items + linked->runs.count;
		while (run + 1 < end && run[1].first <= i)
			run++;
		const struct vkr_sync_access access = {
			.memory = kind->memory,
			.low = kept->low,
			.high = kept->low + kind->bytes,
			.agent = run->agent,
			.workgroup = run->workgroup,
			.local = run->local,
			.events = run->events,
			.barriers = run->barriers,
			.step = i, // they were kept in program order
			.table_site = kind->table_site,
			.site = kind->site,
			.reference = kind->reference,
			.atomic = kept->atomic,
			.read = kind->read,
			.write = kind->write,
		};
		if (((writes && kind->write) || (reads && kind->read)) &&
		    vkr_sync_ranges_access(ranges, &access) &&
		    !vkr_joined_logs_access(logs, at, &access))
			return false;
	}
	return true;
}
