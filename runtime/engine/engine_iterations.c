// SPDX-License-Identifier: Apache-2.0
// Joins the iterations of a loop: runs of one site by the same invocations, each right after the
// one before, become one run with more elements. Knows where runs are, and which must stay in their
// order; not what races.
#include "array.h"
#include "engine_feed.h"

#include <string.h>

#define OPEN_BITS 8u

// More are not looked at together, for each is held against those between.
#define ITERATIONS_MOST 256u

static uint32_t open_index(const struct vkr_engine_run *run)
{
	return (run->site * 0x9e3779b1u + run->local * 0x85ebca6bu) >> (32u - OPEN_BITS);
}

static const struct vkr_judge_site *site_of(const struct vkr_engine *engine,
					    const struct vkr_engine_run *run)
{
	return &engine->sites.items[run->site - 1];
}

// Where a run's accesses begin in its memory, and the bytes up to the end of the last one.
static uint64_t extent_of(const struct vkr_engine *engine, const struct vkr_engine_run *run,
			  uint64_t *bytes)
{
	const uint64_t from = run->target->base + run->offset;
	const uint64_t reach = (uint64_t)run->stride * (run->count - 1);
	*bytes = (run->stride < 0 ? -reach : reach) + site_of(engine, run)->bytes;
	return run->stride < 0 ? from + reach : from;
}

// Memory of others' bytes.
static bool is_mapped(const struct vkr_engine *engine, uint32_t memory)
{
	return memory != VKR_ENGINE_WORKGROUP && memory - 1 < engine->memories.count &&
	       engine->memories.items[memory - 1].mappings.count > 0;
}

static bool may_overlap(const struct vkr_engine *engine, const struct vkr_engine_run *a,
			const struct vkr_engine_run *b)
{
	uint64_t of_a, of_b;
	const uint64_t at_a = extent_of(engine, a, &of_a), at_b = extent_of(engine, b, &of_b);
	if (is_mapped(engine, a->target->memory) || is_mapped(engine, b->target->memory))
		return true;
	if (a->target->memory != b->target->memory ||
	    (at_a < at_b ? at_b - at_a >= of_a : at_a - at_b >= of_b))
		return false;
	if (a->stride != b->stride || a->stride <= 0)
		return true;
	// Rows of one pitch, side by side.
	const uint64_t pitch = (uint64_t)a->stride;
	const uint64_t behind = (at_a < at_b ? at_b - at_a : pitch - (at_a - at_b) % pitch) % pitch;
	return behind < site_of(engine, a)->bytes || pitch - behind < site_of(engine, b)->bytes;
}

// Whether run `at` may be made before all that was made since run `first`, or what went on with
// that one: of accesses to the same bytes, of which one writes, what is remembered depends on their
// order.
static bool may_go_before(const struct vkr_engine *engine, const struct vkr_engine_run *runs,
			  uint32_t first, uint32_t at)
{
	const uint32_t flags = site_of(engine, &runs[at])->flags;
	for (uint32_t i = first + 1; i < at; i++) {
		if ((flags | site_of(engine, &runs[i])->flags) & VKR_ENGINE_WRITE &&
		    may_overlap(engine, &runs[i], &runs[at]))
			return false;
	}
	return true;
}

// Of one that writes itself, or has runs that write before it, from `written` back.
static bool goes_on(const struct vkr_engine *engine, const struct vkr_engine_run *runs,
		    uint32_t first, uint32_t iterations, uint32_t at, uint32_t written)
{
	const struct vkr_engine_run *from = &runs[first], *run = &runs[at];
	const struct vkr_judge_site *site = site_of(engine, run);
	return from->site == run->site && from->local == run->local && from->count == run->count &&
	       from->stride == run->stride && from->target == run->target &&
	       run->offset == from->offset + (uint64_t)site->bytes * iterations &&
	       iterations < ITERATIONS_MOST && site->piece_count == 0 &&
	       !(site->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS)) &&
	       (written <= first + 1 || may_go_before(engine, runs, first, at));
}

bool vkr_iterations_repeat(const struct vkr_engine_run *runs, size_t count)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t site = UINT64_C(1) << (runs[i].site % 64);
		if (seen & site)
			return true;
		seen |= site;
	}
	return false;
}

bool vkr_iterations_join(struct vkr_engine *engine, const struct vkr_engine_run *runs, size_t count)
{
	uint32_t open[1u << OPEN_BITS]; // runs that later ones may go on with, from 1 on
	uint32_t written = 0;           // the last one that writes, from 1 on
	engine->iterations.count = 0;
	if (count > UINT32_MAX || !VKR_ARRAY_RESERVE(&engine->iterations, count))
		return false;
	uint32_t *iterations = engine->iterations.items;
	memset(open, 0, sizeof open);
	for (uint32_t at = 0; at < count; at++) {
		uint32_t *from = &open[open_index(&runs[at])];
		if (site_of(engine, &runs[at])->flags & VKR_ENGINE_WRITE)
			written = at + 1;
		iterations[at] = 1;
		if (*from != 0 &&
		    goes_on(engine, runs, *from - 1, iterations[*from - 1], at, written)) {
			iterations[*from - 1]++;
			iterations[at] = 0;
		} else {
			*from = at + 1;
		}
	}
	return true;
}
