// SPDX-License-Identifier: Apache-2.0
// Atomics by the bytes that they are of, and the runs that their writes make in the coherent order.
// Knows what has been fed; nothing of what synchronizes, or of clocks.
#include "array.h"
#include "order_hrf.h"
#include "search.h"
#include "sort.h"

#include <stdlib.h>

// Sites are found by the 64 bytes that theirs are among. A site that reaches over more than two of
// these is in the cell of its memory.
#define CELL_BYTES 64u
#define WHOLE      UINT64_MAX

struct cell {
	uint64_t memory, at; // offset / CELL_BYTES, or WHOLE
	struct {
		struct vkr_hrf_site **items;
		size_t count, capacity;
	} sites;
	struct cell *next; // of the same hash
};

struct vkr_order_hrf {
	struct vkr_map cells;   // hash to struct cell *
	struct vkr_map classes; // of writes: to struct vkr_hrf_class *
	struct {
		struct cell **items;
		size_t count, capacity;
	} all;
	struct {
		struct vkr_hrf_site **items;
		size_t count, capacity;
	} sites;
};

bool vkr_hrf_begin(struct vkr_order *order)
{
	order->hrf = calloc(1, sizeof *order->hrf);
	if (!order->hrf)
		return false;
	vkr_map_init(&order->hrf->cells);
	vkr_map_init(&order->hrf->classes);
	return true;
}

static void finish_site(struct vkr_hrf_site *site)
{
	for (size_t i = 0; i < site->runs.count; i++)
		free(site->runs.items[i]->writes.items);
	free(site->runs.items);
	free(site->atomics.items);
	vkr_map_finish(&site->by_since);
	free(site);
}

void vkr_hrf_finish(struct vkr_order *order)
{
	struct vkr_order_hrf *hrf = order->hrf;
	if (!hrf)
		return;
	for (size_t i = 0; i < hrf->all.count; i++) {
		free(hrf->all.items[i]->sites.items);
		free(hrf->all.items[i]);
	}
	for (size_t i = 0; i < hrf->sites.count; i++)
		finish_site(hrf->sites.items[i]);
	for (size_t i = 0; i < hrf->classes.capacity; i++) {
		if (hrf->classes.slots[i].used)
			free(((struct vkr_hrf_class *)(uintptr_t)hrf->classes.slots[i].value)
				     ->writes.items);
	}
	free(hrf->all.items);
	free(hrf->sites.items);
	vkr_map_finish(&hrf->classes);
	vkr_map_finish(&hrf->cells);
	free(hrf);
	order->hrf = NULL;
}

// ---- Sites --------------------------------------------------------------------------------------

static struct cell *find_cell(const struct vkr_order_hrf *hrf, uint64_t memory, uint64_t at)
{
	uint64_t value = 0;
	if (!vkr_map_get(&hrf->cells, vkr_map_hash(vkr_map_hash(memory) ^ at), &value))
		return NULL;
	struct cell *cell = (struct cell *)(uintptr_t)value;
	while (cell && (cell->memory != memory || cell->at != at))
		cell = cell->next;
	return cell;
}

static bool add_to_cell(struct vkr_order_hrf *hrf, uint64_t at, struct vkr_hrf_site *site)
{
	struct cell *cell = find_cell(hrf, site->memory, at);
	if (!cell) {
		const uint64_t key = vkr_map_hash(vkr_map_hash(site->memory) ^ at);
		uint64_t value = 0;
		cell = calloc(1, sizeof *cell);
		if (!cell || !VKR_ARRAY_RESERVE(&hrf->all, 1)) {
			free(cell);
			return false;
		}
		hrf->all.items[hrf->all.count++] = cell;
		cell->memory = site->memory;
		cell->at = at;
		if (vkr_map_get(&hrf->cells, key, &value))
			cell->next = (struct cell *)(uintptr_t)value;
		if (!vkr_map_set(&hrf->cells, key, (uint64_t)(uintptr_t)cell))
			return false;
	}
	if (!VKR_ARRAY_RESERVE(&cell->sites, 1))
		return false;
	cell->sites.items[cell->sites.count++] = site;
	return true;
}

static struct vkr_hrf_site *make_site(struct vkr_order_hrf *hrf,
				      const struct vkr_order_access *access)
{
	const uint64_t first = access->offset / CELL_BYTES;
	const uint64_t last = (access->offset + access->size - 1) / CELL_BYTES;
	const uint64_t at = last - first > 1 ? WHOLE : first;
	const struct cell *cell = find_cell(hrf, access->memory, at);
	for (size_t i = 0; cell && i < cell->sites.count; i++) {
		struct vkr_hrf_site *site = cell->sites.items[i];
		if (site->offset == access->offset && site->size == access->size)
			return site;
	}
	struct vkr_hrf_site *site = calloc(1, sizeof *site);
	if (!site || !VKR_ARRAY_RESERVE(&hrf->sites, 1)) {
		free(site);
		return NULL;
	}
	hrf->sites.items[hrf->sites.count++] = site;
	site->memory = access->memory;
	site->offset = access->offset;
	site->size = access->size;
	vkr_map_init(&site->by_since);
	return add_to_cell(hrf, at, site) &&
			       (at == WHOLE || first == last || add_to_cell(hrf, last, site))
		       ? site
		       : NULL;
}

static bool meet_cell(const struct cell *cell, const struct vkr_order_access *access,
		      bool (*meet)(void *context, struct vkr_hrf_site *site), void *context)
{
	for (size_t i = 0; cell && i < cell->sites.count; i++) {
		struct vkr_hrf_site *site = cell->sites.items[i];
		if (site->offset < access->offset + access->size &&
		    access->offset < site->offset + site->size && !meet(context, site))
			return false;
	}
	return true;
}

bool vkr_hrf_each_site(const struct vkr_order *order, const struct vkr_order_access *access,
		       bool (*meet)(void *context, struct vkr_hrf_site *site), void *context)
{
	const struct vkr_order_hrf *hrf = order->hrf;
	const uint64_t first = access->offset / CELL_BYTES;
	const uint64_t last = (access->offset + access->size - 1) / CELL_BYTES;
	if (last - first > hrf->all.count) {
		for (size_t i = 0; i < hrf->all.count; i++) {
			if (hrf->all.items[i]->memory == access->memory &&
			    !meet_cell(hrf->all.items[i], access, meet, context))
				return false;
		}
		return true;
	}
	for (uint64_t at = first; at <= last; at++) {
		if (!meet_cell(find_cell(hrf, access->memory, at), access, meet, context))
			return false;
	}
	return meet_cell(find_cell(hrf, access->memory, WHOLE), access, meet, context);
}

// ---- Runs ---------------------------------------------------------------------------------------

struct vkr_hrf_run *vkr_hrf_run_of(const struct vkr_hrf_site *site, uint64_t since)
{
	uint64_t value = 0;
	return vkr_map_get(&site->by_since, since, &value) ? (struct vkr_hrf_run *)(uintptr_t)value
							   : NULL;
}

static struct vkr_hrf_run *make_run(struct vkr_order *order, struct vkr_hrf_site *site,
				    uint64_t since)
{
	struct vkr_hrf_run *run = vkr_hrf_run_of(site, since);
	if (run)
		return run;
	run = vkr_arena_alloc(&order->memory.arena, sizeof *run);
	if (!run || !VKR_ARRAY_RESERVE(&site->runs, 1) ||
	    !vkr_map_set(&site->by_since, since, (uint64_t)(uintptr_t)run))
		return NULL;
	run->since = since;
	run->site = site;
	site->runs.items[site->runs.count++] = run;
	return run;
}

const struct vkr_hrf_node *vkr_hrf_last_of(const struct vkr_hrf_run *run, uint64_t modification)
{
	size_t low = 0;
	VKR_SEARCH(low, run->writes.count, at,
		   run->writes.items[at]->event.modification <= modification);
	return low ? vkr_hrf_node_of(run->writes.items[low - 1]) : NULL;
}

static void sort_from(struct vkr_hrf_run *run, size_t first)
{
	vkr_sort(&run->writes.items[first], run->writes.count - first, sizeof *run->writes.items,
		 vkr_order_compare_modifications);
}

// Puts the writes of the call into order. Mostly they come last; those of earlier calls that one
// comes before are moved.
static void hrf_site_settle(struct vkr_hrf_run *run)
{
	struct vkr_order_node **writes = run->writes.items;
	sort_from(run, run->settled);
	run->latest = run->settled;
	while (run->latest > 0 &&
	       vkr_order_compare_modifications(&writes[run->latest - 1], &writes[run->settled]) > 0)
		run->latest--;
	if (run->latest < run->settled)
		sort_from(run, run->latest);
	for (size_t i = run->latest; i < run->writes.count; i++)
		vkr_hrf_node_of(writes[i])->previous =
			i > 0 ? vkr_hrf_node_of(writes[i - 1]) : NULL;
	run->settled = run->writes.count;
}

void vkr_hrf_place(const struct vkr_order *order, struct vkr_order_node *node)
{
	struct vkr_hrf_run *run = vkr_hrf_node_of(node)->run;
	(void)order;
	if (run && run->settled < run->writes.count)
		hrf_site_settle(run);
}

static bool add_write(struct vkr_order *order, struct vkr_hrf_site *site, struct vkr_hrf_node *node)
{
	struct vkr_hrf_run *run = make_run(order, site, node->node.event.since);
	node->run = run;
	return run && vkr_order_append(&run->writes, &node->node);
}

// ---- Classes ------------------------------------------------------------------------------------

struct vkr_hrf_class *vkr_hrf_class_of(const struct vkr_order *order, uint64_t number)
{
	uint64_t value = 0;
	return number && vkr_map_get(&order->hrf->classes, number, &value)
		       ? (struct vkr_hrf_class *)(uintptr_t)value
		       : NULL;
}

static bool add_to_class(struct vkr_order *order, uint64_t number, struct vkr_order_node *node)
{
	struct vkr_hrf_class *class = vkr_hrf_class_of(order, number);
	if (!number)
		return true;
	if (!class) {
		class = vkr_arena_alloc(&order->memory.arena, sizeof *class);
		if (!class ||
		    !vkr_map_set(&order->hrf->classes, number, (uint64_t)(uintptr_t) class))
			return false;
	}
	return vkr_order_append(&class->writes, node);
}

bool vkr_hrf_add(struct vkr_order *order, struct vkr_order_node *of)
{
	struct vkr_hrf_node *node = vkr_hrf_node_of(of);
	const struct vkr_order_access *access = &of->access;
	const bool fence = of->event.kind == VKR_ORDER_FENCE || of->event.kind == VKR_ORDER_BARRIER;
	node->spaces = fence              ? of->event.spaces
		       : access->size > 0 ? vkr_hrf_space_of(access)
					  : VKR_ORDER_GLOBAL | VKR_ORDER_LOCAL;
	if (of->event.kind != VKR_ORDER_ATOMIC)
		return true;
	struct vkr_hrf_site *site = make_site(order->hrf, access);
	return site && vkr_order_append(&site->atomics, of) &&
	       (!access->write || (add_write(order, site, node) &&
				   add_to_class(order, of->event.writes_class[0], of) &&
				   add_to_class(order, of->event.writes_class[1], of)));
}
