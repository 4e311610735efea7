// SPDX-License-Identifier: Apache-2.0
// Runs and lists of a dispatch's accesses, cut into accesses of neighbouring bytes and judged.
// Knows nothing of what waits, is mapped or noted, nor of what races.
#include "array.h"
#include "engine_feed.h"
#include "error.h"
#include "judge.h"

#include <assert.h>

static const struct vkr_judge_site *site_of(const struct vkr_engine *engine, uint32_t site)
{
	assert(site >= 1 && site <= engine->sites.count);
	return &engine->sites.items[site - 1];
}

// All invocations access the same bytes. Two of them decide whether there is a race: any older
// access that races with a third one is not made by both. Only where there is one, the others are
// counted. What an access of Subgroup scope has written races with what the next subgroup does, so
// that where there are such, and subgroups are known, all decide.
static enum vkr_result judge_same(struct vkr_fast *fast, struct vkr_access *access,
				  const struct vkr_engine_run *run, uint64_t at, uint64_t end,
				  struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	const uint64_t races = engine->races, conflicts = engine->conflicts;
	const bool by_subgroup = engine->subgroup_scopes && engine->dispatch.subgroup_size != 0;
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < run->count && result == VKR_OK; i++) {
		const bool alike = engine->dispatch.subgroup_size == 0
					   ? engine->races == races
					   : engine->conflicts == conflicts;
		if (i == 2 && !by_subgroup && alike)
			break;
		result = vkr_judge_one(fast, access, run->local + i, at, end, error);
	}
	return result;
}

bool vkr_run_shape(const struct vkr_judge_site *site, int64_t stride, uint32_t count,
		   uint32_t iterations, uint64_t at, uint8_t *shape)
{
	const uint64_t bytes = (uint64_t)site->bytes * iterations;
	if (count < 2 || stride != (int64_t)bytes || site->piece_count != 0 || bytes == 0 ||
	    site->bytes > 16 || bytes > VKR_PAGE_BYTES || (bytes & (bytes - 1)) != 0 ||
	    at % bytes != 0)
		return false;
	*shape = (uint8_t)__builtin_ctzll(bytes);
	return true;
}

// Strides from which on the words of a line are few, and from which on they are taken for random.
#define SPARSE_STRIDE 16
#define RANDOM_STRIDE 512

// A run as it is judged: without invocations beyond the target, and with its position in the
// memory.
struct aimed {
	const struct vkr_engine_run *run;
	uint64_t at, end;
	uint32_t count;
	uint8_t shape;
};

// Invocations' writes against may-access reads of the whole range: all at once where that is
// harmless, otherwise one by one.
static enum vkr_result judge_may_access(struct vkr_engine *engine, struct vkr_access *access,
					const struct aimed *row,
					const struct vkr_engine_scatter *scatter, uint64_t end,
					struct vkr_error *error)
{
	const struct vkr_engine_run *run = row ? row->run : NULL;
	const uint32_t bytes = access->what->bytes, count = row ? row->count : scatter->count;
	const uint64_t base = run ? run->target->base : scatter->target->base;
	enum vkr_result result = VKR_OK;
	if (!(access->what->flags & VKR_ENGINE_WRITE) || access->shadow->possible.count == 0 ||
	    vkr_may_access_harmless(engine, access, base, end))
		return VKR_OK;
	for (uint32_t i = 0; i < count && result == VKR_OK; i++) {
		const uint64_t at = base + (run ? run->offset + (uint64_t)(run->stride * (int64_t)i)
						: scatter->offsets[i]);
		const uint32_t local = run               ? run->local + i
				       : scatter->locals ? scatter->locals[i]
							 : scatter->local + i;
		if (at < base || at >= end || local >= engine->dispatch.local_size)
			continue;
		vkr_access_aim(access, local, at);
		result = vkr_may_access_judge(engine, access, at,
					      bytes < end - at ? at + bytes : end, error);
	}
	return result;
}

// False where there is nothing to judge. `end`: of the target in its memory; `iterations`: elements
// of each invocation, more than one only where run_shape says so.
static inline bool feed_runs_aim(struct vkr_engine *engine, const struct vkr_engine_run *run,
				 uint32_t iterations, uint64_t end, struct aimed *aimed)
{
	const uint64_t base = run->target->base;
	const uint32_t local_size = engine->dispatch.local_size;
	if (run->local >= local_size || run->count == 0)
		return false;
	const uint32_t room = local_size - run->local;
	const uint32_t count = run->count < room ? run->count : room;
	engine->accesses += (uint64_t)count * iterations;
	if (run->stride >= 0 && (end == 0 || run->offset >= end - base))
		return false;
	uint8_t shape = VKR_SHAPE_UNIFORM;
	vkr_run_shape(site_of(engine, run->site), run->stride, count, iterations,
		      base + run->offset, &shape);
	*aimed = (struct aimed){run, base + run->offset, end, count, shape};
	return true;
}

// One whose neighbours are neighbours in memory; the access is of its shape.
static enum vkr_result judge_row(struct vkr_fast *fast, struct vkr_access *access,
				 const struct aimed *aimed, struct vkr_error *error)
{
	const uint64_t all = (uint64_t)aimed->count << aimed->shape;
	const uint64_t room = aimed->end - aimed->at;
	const uint64_t high = all < room ? aimed->at + all : aimed->end;
	uint64_t low = aimed->at, end;
	enum vkr_result result = VKR_OK;
	// Elements do not lie across the ends of pages.
	for (; result == VKR_OK && vkr_share_next(&access->shadow->share, &low, high, &end);
	     low = end) {
		const uint64_t before = (low - aimed->at) >> aimed->shape;
		vkr_access_aim(access, aimed->run->local + (uint32_t)before, low);
		result = vkr_judge_lines(fast, low, end, error);
	}
	return result;
}

// Atomics may order one workgroup's non-private reads before a write of the dispatch, and not those
// of another.
static bool may_mark(const struct vkr_engine *engine, const struct vkr_access *access)
{
	return !(access->what->flags &
		 (VKR_ENGINE_WRITE | VKR_ENGINE_MAY_ACCESS | VKR_ENGINE_NONPRIVATE)) &&
	       access->what->piece_count == 0 && access->shadow != &engine->workgroup_memory;
}

// The marks of reads by a site through a target, in *of; NULL where none are kept.
static enum vkr_result find_marks(struct vkr_engine *engine, const struct vkr_access *access,
				  uint32_t site, const struct vkr_engine_target *target,
				  struct vkr_marks **of, struct vkr_error *error)
{
	*of = NULL;
	if (!may_mark(engine, access))
		return VKR_OK;
	const struct vkr_marks_range range = vkr_marks_range_of(target, access->shadow);
	return vkr_read_marks_find(&engine->marks, site, access->reference, &range, of)
		       ? VKR_OK
		       : vkr_error_memory(error, "marks of reads");
}

// Judges the accesses that were not marked, and marks them.
static enum vkr_result judge_unmarked(struct vkr_fast *fast, struct vkr_access *access,
				      const struct vkr_engine_scatter *scatter,
				      struct vkr_marks *of, uint64_t end, struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	struct vkr_read_marks *marks = &engine->marks;
	const uint64_t conflicts = engine->conflicts;
	struct vkr_engine_scatter left = *scatter;
	enum vkr_result result = VKR_OK;
	left.count = (uint32_t)marks->offsets.count;
	left.offsets = marks->offsets.items;
	left.locals = marks->locals.items;
	if (left.count > 0)
		result = vkr_judge_scatter(fast, access, &left, end, error);
	if (result == VKR_OK && engine->conflicts == conflicts && !vkr_read_marks_add(marks, of))
		return vkr_error_memory(error, "marks of reads");
	return result;
}

// Larger rows are rarely read again by another workgroup in a random pattern: if all read them,
// they read them in the same way, or in tiles.
#define MARKED_MOST 16u

// Whether marks are worth it, and all of the run's offsets are of 32 bits.
static bool may_repeat(const struct vkr_engine_run *run)
{
	if (run->stride != 0 && run->count > MARKED_MOST)
		return false;
	const uint64_t reach =
		(uint64_t)(run->stride < 0 ? -run->stride : run->stride) * (run->count - 1);
	return run->offset <= UINT32_MAX && reach <= UINT32_MAX &&
	       (run->stride < 0 ? reach <= run->offset : run->offset + reach <= UINT32_MAX);
}

// A row of equal offsets, or of a large stride: only reads that are not marked are judged.
static enum vkr_result judge_apart(struct vkr_fast *fast, struct vkr_access *access,
				   const struct vkr_engine_run *run, const struct aimed *aimed,
				   struct vkr_error *error)
{
	const struct vkr_engine_scatter scatter = {.site = run->site, .target = run->target};
	struct vkr_read_marks *marks = &fast->engine->marks;
	const uint64_t conflicts = fast->engine->conflicts;
	struct vkr_marks *of = NULL;
	enum vkr_result result = VKR_OK;
	if (may_repeat(run))
		result = find_marks(fast->engine, access, run->site, run->target, &of, error);
	if (result != VKR_OK)
		return result;
	if (of != NULL && !vkr_read_marks_sift_row(marks, of, run->offset, run->stride, run->local,
						   run->stride == 0 ? 1 : run->count))
		return vkr_error_memory(error, "marks of reads");
	if (of != NULL && marks->offsets.count == 0)
		return VKR_OK;
	if (of != NULL && run->stride != 0 && marks->offsets.count < run->count) {
		fast->sparse = fast->in_place = false;
		return judge_unmarked(fast, access, &scatter, of, aimed->end, error);
	}
	result = run->stride == 0 && run->count > 1
			 ? judge_same(fast, access, run, aimed->at, aimed->end, error)
			 : vkr_judge_strided(fast, access, run, aimed->end, error);
	if (result == VKR_OK && of != NULL && fast->engine->conflicts == conflicts &&
	    !vkr_read_marks_add(marks, of))
		return vkr_error_memory(error, "marks of reads");
	return result;
}

static enum vkr_result judge_aimed(struct vkr_fast *fast, struct vkr_access *access,
				   const struct aimed *aimed, struct vkr_error *error)
{
	if (access->shadow->possible.count != 0) {
		const enum vkr_result result =
			judge_may_access(fast->engine, access, aimed, NULL, aimed->end, error);
		if (result != VKR_OK)
			return result;
	}
	if (aimed->shape != VKR_SHAPE_UNIFORM)
		return judge_row(fast, access, aimed, error);
	struct vkr_engine_run own = *aimed->run, *run = &own;
	const uint64_t stride = (uint64_t)(run->stride < 0 ? -run->stride : run->stride);
	own.count = aimed->count;
	fast->sparse = stride >= SPARSE_STRIDE && stride < RANDOM_STRIDE;
	fast->in_place = fast->sparse && access->what->piece_count == 0 &&
			 !(access->what->flags & VKR_ENGINE_ATOMIC) &&
			 run->target->memory != VKR_ENGINE_WORKGROUP;
	if (aimed->end == 0)
		return VKR_OK;
	return judge_apart(fast, access, run, aimed, error);
}

void vkr_feed_run_count(struct vkr_engine *engine, const struct vkr_engine_run *run,
			uint32_t iterations)
{
	struct aimed aimed;
	feed_runs_aim(engine, run, iterations, 0, &aimed);
}

enum vkr_result vkr_feed_run(struct vkr_engine *engine, struct vkr_shadow *shadow,
			     const struct vkr_engine_run *run, uint32_t iterations,
			     struct vkr_error *error)
{
	struct vkr_access access;
	struct vkr_fast fast;
	struct aimed aimed;
	if (!feed_runs_aim(engine, run, iterations, vkr_target_end(run->target, shadow), &aimed))
		return VKR_OK;
	const enum vkr_result result = vkr_access_shader(engine, run->site, run->target, shadow,
							 aimed.shape, &access, error);
	if (result != VKR_OK)
		return result;
	vkr_fast_begin(&fast, engine, &access);
	return judge_aimed(&fast, &access, &aimed, error);
}

// Fewer runs, or ones of more invocations, are not worth a list.
#define LISTED_LEAST 2u
#define LISTED_MOST  4u

// Puts runs of few invocations each, whose neighbours do something else, into one list; of none
// where they are not such. False for lack of memory.
static bool list_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs, size_t count,
		      struct vkr_engine_scatter *list)
{
	const uint32_t local_size = engine->dispatch.local_size;
	*list = (struct vkr_engine_scatter){.site = runs->site, .target = runs->target};
	if (count < LISTED_LEAST)
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct vkr_engine_run *run = &runs[i];
		if (run->count > LISTED_MOST || run->local >= local_size ||
		    run->count > local_size - run->local || run->stride < 0 ||
		    run->stride > INT32_MAX || run->offset > INT32_MAX)
			return true;
	}
	if (!VKR_ARRAY_RESERVE(&engine->listed.offsets, count * LISTED_MOST) ||
	    !VKR_ARRAY_RESERVE(&engine->listed.locals, count * LISTED_MOST))
		return false;
	uint32_t *offsets = engine->listed.offsets.items, *locals = engine->listed.locals.items;
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < runs[i].count; k++) {
			offsets[list->count] =
				(uint32_t)(runs[i].offset + (uint64_t)runs[i].stride * k);
			locals[list->count++] = runs[i].local + k;
		}
	list->offsets = offsets;
	list->locals = locals;
	return true;
}

enum vkr_result vkr_feed_rows(struct vkr_engine *engine, struct vkr_shadow *shadow,
			      const struct vkr_engine_run *runs, size_t count,
			      struct vkr_error *error)
{
	struct vkr_engine_scatter list;
	if (!list_runs(engine, runs, count, &list))
		return vkr_error_memory(error, "runs");
	if (list.count > 0)
		return vkr_feed_list(engine, shadow, &list, error);
	struct vkr_access access = {.paint = {.shape = VKR_SHAPE_UNIFORM}};
	struct vkr_fast fast;
	const uint64_t end = vkr_target_end(runs->target, shadow);
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < count && result == VKR_OK; at++) {
		struct aimed aimed;
		if (!feed_runs_aim(engine, &runs[at], 1, end, &aimed))
			continue;
		if (aimed.shape == VKR_SHAPE_UNIFORM || aimed.shape != access.paint.shape) {
			result = vkr_access_shader(engine, runs->site, runs->target, shadow,
						   aimed.shape, &access, error);
			if (result != VKR_OK)
				return result;
			vkr_fast_begin(&fast, engine, &access);
		}
		result = judge_aimed(&fast, &access, &aimed, error);
	}
	return result;
}

enum vkr_result vkr_feed_list(struct vkr_engine *engine, struct vkr_shadow *shadow,
			      const struct vkr_engine_scatter *scatter, struct vkr_error *error)
{
	const struct vkr_engine_target *target = scatter->target;
	const uint64_t end = vkr_target_end(target, shadow);
	struct vkr_access access;
	struct vkr_fast fast;
	engine->accesses += scatter->count;
	enum vkr_result result = vkr_access_shader(engine, scatter->site, target, shadow,
						   VKR_SHAPE_UNIFORM, &access, error);
	if (result == VKR_OK)
		result = judge_may_access(engine, &access, NULL, scatter, end, error);
	if (result != VKR_OK)
		return result;
	vkr_fast_begin(&fast, engine, &access);
	struct vkr_marks *of;
	result = find_marks(engine, &access, scatter->site, target, &of, error);
	if (result != VKR_OK || of == NULL)
		return result == VKR_OK ? vkr_judge_scatter(&fast, &access, scatter, end, error)
					: result;
	if (!vkr_read_marks_sift(&engine->marks, of, scatter->offsets, scatter->locals,
				 scatter->local, scatter->count))
		return vkr_error_memory(error, "marks of reads");
	return judge_unmarked(&fast, &access, scatter, of, end, error);
}
