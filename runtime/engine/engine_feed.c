// SPDX-License-Identifier: Apache-2.0
// Feeding accesses: ranges, dispatches, workgroups, runs. Knows how accesses arrive and how to cut
// them into touches of neighbouring bytes; nothing of what races.
#include "array.h"
#include "error.h"
#include "judge.h"

#include <assert.h>

#define MOST_LOCAL_BITS 16u

// ---- Touches ------------------------------------------------------------------------------------

// Interval of the stamp of a memory's end: its verdicts are not those of a host write.
#define FREEING UINT32_MAX

// The stamp of a site's accesses now; the last one is kept, for most often it is the same again.
static enum vkr_result stamp_of(struct vkr_engine *engine, struct vkr_judge_site *site,
				uint32_t site_id, const struct vkr_touch *touch, uint32_t high,
				uint32_t *stamp, struct vkr_error *error)
{
	const bool uniform = touch->paint.shape == VKR_SHAPE_UNIFORM;
	const uint32_t interval = touch->freeing ? FREEING : touch->interval;
	enum vkr_result result;
	struct vkr_stamp content;

	if (site->last[uniform].stamp != 0 && site->last[uniform].command == touch->command &&
	    site->last[uniform].interval == interval &&
	    site->last[uniform].reference == touch->reference && site->last[uniform].high == high &&
	    site->last[uniform].shape == touch->paint.shape) {
		*stamp = site->last[uniform].stamp;
		return VKR_OK;
	}
	result = vkr_engine_collect_stamps(engine, error);
	if (result != VKR_OK)
		return result;
	content = (struct vkr_stamp){.command = touch->command,
				     .site = site_id,
				     .reference = touch->reference,
				     .interval = interval,
				     .high = high,
				     .shape = touch->paint.shape,
				     .local_bits = touch->local_bits,
				     .invocation = touch->invocation};
	result = vkr_stamps_find(&engine->stamps, &content, stamp, error);
	if (result != VKR_OK)
		return result;
	site->last[uniform].command = touch->command;
	site->last[uniform].interval = interval;
	site->last[uniform].reference = touch->reference;
	site->last[uniform].high = high;
	site->last[uniform].shape = touch->paint.shape;
	site->last[uniform].stamp = *stamp;
	return VKR_OK;
}

static struct vkr_judge_site *site_of(struct vkr_engine *engine, uint32_t site)
{
	assert(site >= 1 && site <= engine->sites.count);
	return &engine->sites.items[site - 1];
}

// Where a target ends in its memory.
static uint64_t target_end(const struct vkr_engine_target *target, const struct vkr_shadow *shadow)
{
	if (target->base >= shadow->bytes)
		return 0;
	return target->bytes < shadow->bytes - target->base ? target->base + target->bytes
							    : shadow->bytes;
}

static struct vkr_marks_range marks_range(const struct vkr_engine_target *target,
					  const struct vkr_shadow *shadow)
{
	return (struct vkr_marks_range){shadow->memory, target->base, target_end(target, shadow)};
}

// What the dispatch writes is not marked as read.
static bool note_written(struct vkr_engine *engine, const struct vkr_engine_target *target,
			 const struct vkr_shadow *shadow)
{
	const struct vkr_marks_range range = marks_range(target, shadow);
	return shadow == &engine->workgroup_memory ||
	       vkr_read_marks_written(&engine->marks, &range);
}

static enum vkr_result touch_shader(struct vkr_engine *engine, uint32_t site_id,
				    const struct vkr_engine_target *target,
				    struct vkr_shadow *shadow, uint8_t shape,
				    struct vkr_touch *touch, struct vkr_error *error)
{
	struct vkr_judge_site *site = site_of(engine, site_id);
	*touch = (struct vkr_touch){.command = engine->dispatch.command,
				    .site = site_id,
				    .reference = target->reference,
				    .interval = engine->intervals.current,
				    .what = site,
				    .shadow = shadow,
				    .paint = {.shape = shape},
				    .invocation = true,
				    .workgroup = engine->dispatch.workgroup,
				    .local_bits = engine->dispatch.local_bits};
	shadow->beside_writes = shadow->beside_writes || site->flags & VKR_ENGINE_WRITE;
	if (site->flags & VKR_ENGINE_WRITE && !note_written(engine, target, shadow))
		return vkr_error_memory(error, "marks of reads");
	return stamp_of(engine, site, site_id, touch,
			(uint32_t)(((uint64_t)touch->workgroup << touch->local_bits) >>
				   VKR_SLOT_FIELD_BITS),
			&touch->stamp, error);
}

static enum vkr_result touch_plain(struct vkr_engine *engine, uint32_t command, uint32_t site_id,
				   struct vkr_shadow *shadow, bool freeing, struct vkr_touch *touch,
				   struct vkr_error *error)
{
	struct vkr_judge_site *site = site_of(engine, site_id);
	enum vkr_result result;
	*touch = (struct vkr_touch){.command = command,
				    .site = site_id,
				    .what = site,
				    .shadow = shadow,
				    .paint = {.shape = VKR_SHAPE_UNIFORM},
				    .freeing = freeing};
	touch->by_range = (touch->what->flags & (VKR_ENGINE_POSSIBLE | VKR_ENGINE_WRITE)) ==
			  VKR_ENGINE_POSSIBLE;
	shadow->beside_writes = shadow->beside_writes ||
				(touch->what->flags & VKR_ENGINE_WRITE &&
				 (touch->what->stage == VKR_ENGINE_TRANSITION ||
				  touch->what->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_POSSIBLE)));
	if (engine->dispatch.open && site->flags & VKR_ENGINE_WRITE &&
	    !vkr_read_marks_written(&engine->marks,
				    &(struct vkr_marks_range){shadow->memory, 0, UINT64_MAX}))
		return vkr_error_memory(error, "marks of reads");
	result = stamp_of(engine, site, site_id, touch, 0, &touch->stamp, error);
	vkr_touch_aim(touch, 0, 0);
	return result;
}

// ---- Ranges -------------------------------------------------------------------------------------

static struct vkr_shadow *shadow_of(struct vkr_engine *engine, uint32_t memory)
{
	if (memory == VKR_ENGINE_WORKGROUP) {
		engine->dispatch.touches = true;
		return &engine->workgroup_memory;
	}
	if (memory == 0 || memory > engine->memories.count ||
	    !engine->memories.items[memory - 1].live)
		return NULL;
	return &engine->memories.items[memory - 1];
}

enum vkr_result vkr_engine_access_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
					uint32_t memory, uint64_t offset, uint64_t bytes,
					struct vkr_error *error)
{
	const struct vkr_engine_range range = {memory, offset, bytes};
	const struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : shadow_of(engine, memory);
	if (shadow && shadow->mappings.count > 0)
		return vkr_mapped_range(engine, command, site, &range, error);
	return vkr_judge_access(engine, command, site, &range, error);
}

enum vkr_result vkr_judge_access(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range, struct vkr_error *error)
{
	struct vkr_shadow *shadow =
		range->memory == VKR_ENGINE_WORKGROUP ? NULL : shadow_of(engine, range->memory);
	const uint64_t offset = range->offset;
	uint64_t bytes = range->bytes;
	struct vkr_touch touch;
	enum vkr_result result;

	if (!shadow || bytes == 0 || offset >= shadow->bytes)
		return VKR_OK;
	if (bytes > shadow->bytes - offset)
		bytes = shadow->bytes - offset;
	assert(engine->queues.commands.items[command - 1].state);
	result = touch_plain(engine, command, site, shadow, false, &touch, error);
	if (result != VKR_OK)
		return result;
	engine->accesses++;
	result = vkr_judge_range(engine, &touch, offset, offset + bytes, error);
	if (result == VKR_OK && touch.what->flags & VKR_ENGINE_WRITE)
		result = vkr_possible_judge(engine, &touch, offset, offset + bytes, error);
	if (result == VKR_OK && touch.by_range)
		result = vkr_possible_add(engine, &touch, offset, offset + bytes, error);
	return result;
}

enum vkr_result vkr_engine_memory_free(struct vkr_engine *engine, uint32_t memory, uint32_t command,
				       uint32_t site, struct vkr_error *error)
{
	struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : shadow_of(engine, memory);
	struct vkr_touch touch;
	enum vkr_result result;

	if (!shadow)
		return VKR_OK;
	result = touch_plain(engine, command, site, shadow, true, &touch, error);
	if (result == VKR_OK)
		result = vkr_judge_free(engine, &touch, error);
	vkr_shadow_finish(shadow, &engine->pool);
	return result;
}

void vkr_engine_memory_drop(struct vkr_engine *engine, uint32_t memory)
{
	struct vkr_shadow *shadow =
		memory == VKR_ENGINE_WORKGROUP ? NULL : shadow_of(engine, memory);
	if (shadow)
		vkr_shadow_finish(shadow, &engine->pool);
}

// ---- Dispatches ---------------------------------------------------------------------------------

enum vkr_result vkr_engine_dispatch_begin(struct vkr_engine *engine, uint32_t command,
					  uint32_t local_size, uint32_t workgroup_bytes,
					  struct vkr_error *error)
{
	uint8_t bits = 0;
	assert(!engine->dispatch.open);
	if (local_size == 0 || local_size > 1u << MOST_LOCAL_BITS)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED, "a workgroup of %u invocations",
				     local_size);
	while ((1u << bits) < local_size)
		bits++;
	engine->dispatch.open = true;
	engine->dispatch.in_workgroup = false;
	engine->dispatch.command = command;
	engine->dispatch.local_size = local_size;
	engine->dispatch.subgroup_size = 0;
	engine->dispatch.local_bits = bits;
	vkr_read_marks_begin(&engine->marks);
	if (engine->workgroup_memory.bytes == workgroup_bytes && engine->workgroup_memory.live)
		return VKR_OK;
	vkr_shadow_finish(&engine->workgroup_memory, &engine->pool);
	return vkr_shadow_init(&engine->workgroup_memory, VKR_ENGINE_WORKGROUP, 0, workgroup_bytes,
			       true, error);
}

void vkr_engine_subgroups(struct vkr_engine *engine, uint32_t size)
{
	assert(engine->dispatch.open);
	engine->dispatch.subgroup_size = size;
}

enum vkr_result vkr_engine_workgroup(struct vkr_engine *engine, uint32_t workgroup,
				     struct vkr_error *error)
{
	assert(engine->dispatch.open);
	if (!vkr_read_marks_workgroup(&engine->marks, workgroup))
		return vkr_error_memory(error, "marks of reads");
	engine->dispatch.workgroup = workgroup;
	engine->dispatch.in_workgroup = true;
	vkr_intervals_begin(&engine->intervals);
	if (engine->dispatch.touches)
		vkr_shadow_wipe(&engine->workgroup_memory, &engine->pool);
	engine->dispatch.touches = engine->dispatch.conflicts = false;
	vkr_shared_begin(engine);
	return VKR_OK;
}

bool vkr_engine_workgroup_conflicts(const struct vkr_engine *engine)
{
	return engine->dispatch.conflicts;
}

void vkr_engine_workgroup_repeats(struct vkr_engine *engine, uint64_t accesses)
{
	assert(engine->dispatch.in_workgroup);
	engine->accesses += accesses;
}

enum vkr_result vkr_engine_control_barrier(struct vkr_engine *engine, uint8_t scope, uint8_t order,
					   uint8_t classes, struct vkr_error *error)
{
	assert(engine->dispatch.in_workgroup);
	const enum vkr_result result = vkr_shared_barrier(engine, scope, order, classes, error);
	vkr_intervals_barrier(&engine->intervals, scope, order, classes);
	return result;
}

void vkr_engine_dispatch_end(struct vkr_engine *engine)
{
	assert(engine->dispatch.open);
	vkr_shared_begin(engine);
	engine->dispatch.open = false;
	engine->dispatch.in_workgroup = false;
}

// ---- Runs ---------------------------------------------------------------------------------------

enum vkr_result vkr_judge_one(struct vkr_fast *fast, struct vkr_touch *touch, uint32_t local,
			      uint64_t at, uint64_t end, struct vkr_error *error)
{
	const struct vkr_judge_site *site = touch->what;
	enum vkr_result result = VKR_OK;

	if (at >= end)
		return VKR_OK;
	vkr_touch_aim(touch, local, at);
	if (fast->in_place && site->bytes <= end - at &&
	    vkr_judge_in_place(fast, at, at + site->bytes))
		return VKR_OK;
	if (site->piece_count == 0)
		return vkr_judge_words(fast, at, site->bytes < end - at ? at + site->bytes : end,
				       error);
	for (uint32_t i = 0; i < site->piece_count && result == VKR_OK; i++) {
		const struct vkr_piece *piece = &fast->engine->pieces.items[site->first_piece + i];
		if (piece->offset < end - at)
			result = vkr_judge_words(fast, at + piece->offset,
						 piece->bytes < end - at - piece->offset
							 ? at + piece->offset + piece->bytes
							 : end,
						 error);
	}
	if (result == VKR_OK && fast->engine->found.count != 0)
		result = vkr_judge_found_end(fast->engine, touch, error);
	return result;
}

// All invocations touch the same bytes. Two of them decide whether there is a race: any older
// access that races with a third one is not made by both. Only where there is one, the others are
// counted. Atomics of a subgroup race with those of the next one.
static enum vkr_result judge_same(struct vkr_fast *fast, struct vkr_touch *touch,
				  const struct vkr_engine_run *run, uint64_t at, uint64_t end,
				  struct vkr_error *error)
{
	const uint64_t before = fast->engine->races;
	const bool two_decide = fast->engine->dispatch.subgroup_size == 0 ||
				touch->what->scope != VKR_SCOPE_SUBGROUP;
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < run->count && result == VKR_OK; i++) {
		if (i == 2 && two_decide && fast->engine->races == before)
			break;
		result = vkr_judge_one(fast, touch, run->local + i, at, end, error);
	}
	return result;
}

// Whether neighbours in the run, each of so many elements, are neighbours in memory, in the way
// that a stamp's shape says.
static inline bool run_shape(const struct vkr_judge_site *site, const struct vkr_engine_run *run,
			     uint32_t turns, uint64_t at, uint8_t *shape)
{
	const uint64_t bytes = (uint64_t)site->bytes * turns;
	if (run->count < 2 || run->stride != (int64_t)bytes || site->piece_count != 0 ||
	    bytes == 0 || site->bytes > 16 || bytes > VKR_PAGE_BYTES ||
	    (bytes & (bytes - 1)) != 0 || at % bytes != 0)
		return false;
	*shape = (uint8_t)__builtin_ctzll(bytes);
	return true;
}

// Strides from which on the words of a line are few, and from which on they are taken for random.
#define SPARSE_STRIDE 16
#define RANDOM_STRIDE 512

// Invocations' writes against reads of the whole that may have been made: all of them at once where
// that is harmless, else one by one.
static enum vkr_result judge_possible(struct vkr_engine *engine, struct vkr_touch *touch,
				      const struct vkr_engine_run *run,
				      const struct vkr_engine_scatter *scatter, uint64_t end,
				      struct vkr_error *error)
{
	const uint32_t bytes = touch->what->bytes, count = run ? run->count : scatter->count;
	const uint64_t base = run ? run->target->base : scatter->target->base;
	enum vkr_result result = VKR_OK;
	if (!(touch->what->flags & VKR_ENGINE_WRITE) || touch->shadow->possible.count == 0 ||
	    vkr_possible_harmless(engine, touch, base, end))
		return VKR_OK;
	for (uint32_t i = 0; i < count && result == VKR_OK; i++) {
		const uint64_t at = base + (run ? run->offset + (uint64_t)(run->stride * (int64_t)i)
						: scatter->offsets[i]);
		const uint32_t local = run               ? run->local + i
				       : scatter->locals ? scatter->locals[i]
							 : scatter->local + i;
		if (at < base || at >= end || local >= engine->dispatch.local_size)
			continue;
		vkr_touch_aim(touch, local, at);
		result = vkr_possible_judge(engine, touch, at, bytes < end - at ? at + bytes : end,
					    error);
	}
	return result;
}

// `turns`: elements of each invocation; more than one only where run_shape says so.
static enum vkr_result judge_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
				 uint32_t turns, struct vkr_error *error)
{
	const struct vkr_engine_target *target = run->target;
	const struct vkr_judge_site *site = site_of(engine, run->site);
	struct vkr_shadow *shadow = shadow_of(engine, target->memory);
	struct vkr_engine_run own = *run;
	struct vkr_touch touch;
	struct vkr_fast fast;
	uint64_t at, end;
	uint8_t shape = VKR_SHAPE_UNIFORM;
	bool waits = false;
	enum vkr_result result = VKR_OK;

	if (!shadow || run->local >= engine->dispatch.local_size || run->count == 0)
		return VKR_OK;
	if (shadow == &engine->workgroup_memory)
		result = vkr_shared_access(engine, run, NULL, turns == 1, &waits, error);
	if (result != VKR_OK || waits)
		return result;
	if (own.count > engine->dispatch.local_size - own.local)
		own.count = engine->dispatch.local_size - own.local;
	engine->accesses += (uint64_t)own.count * turns;
	end = target_end(target, shadow);
	if (own.stride >= 0 && (end == 0 || own.offset >= end - target->base))
		return VKR_OK;
	at = target->base + own.offset;
	run_shape(site, &own, turns, at, &shape);
	result = touch_shader(engine, own.site, target, shadow, shape, &touch, error);
	if (result == VKR_OK)
		result = judge_possible(engine, &touch, &own, NULL, end, error);
	if (result != VKR_OK)
		return result;
	if (shape != VKR_SHAPE_UNIFORM) {
		const uint64_t all = (uint64_t)own.count << shape;
		vkr_touch_aim(&touch, own.local, at);
		return vkr_judge_lines(engine, &touch, at, all < end - at ? at + all : end, error);
	}
	vkr_fast_begin(&fast, engine, &touch);
	const uint64_t stride = (uint64_t)(own.stride < 0 ? -own.stride : own.stride);
	fast.sparse = stride >= SPARSE_STRIDE && stride < RANDOM_STRIDE;
	fast.in_place = fast.sparse && site->piece_count == 0 &&
			!(site->flags & VKR_ENGINE_ATOMIC) &&
			target->memory != VKR_ENGINE_WORKGROUP;
	if (own.stride == 0)
		return judge_same(&fast, &touch, &own, at, end, error);
	return end == 0 ? VKR_OK : vkr_judge_strided(&fast, &touch, &own, end, error);
}

enum vkr_result vkr_judge_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
			      struct vkr_error *error)
{
	return judge_run(engine, run, 1, error);
}

static bool is_mapped(struct vkr_engine *engine, const struct vkr_engine_run *run)
{
	const struct vkr_shadow *shadow = shadow_of(engine, run->target->memory);
	return shadow && shadow->mappings.count > 0;
}

// Runs that are the turns of a loop: as one where these fill what is between neighbours.
static enum vkr_result judge_turns(struct vkr_engine *engine, const struct vkr_engine_run *first,
				   uint32_t turns, struct vkr_error *error)
{
	const struct vkr_judge_site *site = site_of(engine, first->site);
	const bool mapped = is_mapped(engine, first);
	const uint64_t at = first->target->base + first->offset;
	struct vkr_engine_run run = *first;
	enum vkr_result result = VKR_OK;
	uint8_t shape;
	if (!mapped && first->local < engine->dispatch.local_size &&
	    first->count <= engine->dispatch.local_size - first->local &&
	    run_shape(site, first, turns, at, &shape))
		return judge_run(engine, first, turns, error);
	for (uint32_t turn = 0; turn < turns && result == VKR_OK; turn++) {
		result = mapped ? vkr_mapped_runs(engine, &run, error)
				: vkr_judge_run(engine, &run, error);
		run.offset += site->bytes;
	}
	return result;
}

enum vkr_result vkr_engine_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				size_t count, struct vkr_error *error)
{
	const bool repeat = vkr_turns_repeat(runs, count);
	enum vkr_result result = VKR_OK;
	assert(engine->dispatch.in_workgroup);
	if (repeat && !vkr_turns_join(engine, runs, count))
		return vkr_error_memory(error, "runs");
	for (size_t i = 0; i < count && result == VKR_OK; i++) {
		const uint32_t turns = repeat ? engine->turns.items[i] : 1;
		if (turns > 1)
			result = judge_turns(engine, &runs[i], turns, error);
		else if (turns == 1)
			result = is_mapped(engine, &runs[i])
					 ? vkr_mapped_runs(engine, &runs[i], error)
					 : judge_run(engine, &runs[i], 1, error);
	}
	return result;
}

enum vkr_result vkr_engine_try_runs(struct vkr_engine *engine, const struct vkr_engine_run *runs,
				    size_t count, bool *raced, struct vkr_error *error)
{
	engine->trying = true;
	engine->raced = false;
	const enum vkr_result result = vkr_engine_runs(engine, runs, count, error);
	engine->trying = false;
	*raced = *raced || engine->raced;
	return result;
}

// Reads, of which those are left out that are marked.
static enum vkr_result judge_unmarked(struct vkr_fast *fast, struct vkr_touch *touch,
				      const struct vkr_engine_scatter *scatter, uint64_t end,
				      struct vkr_error *error)
{
	struct vkr_engine *engine = fast->engine;
	struct vkr_read_marks *marks = &engine->marks;
	const struct vkr_marks_range range = marks_range(scatter->target, touch->shadow);
	const uint64_t conflicts = engine->conflicts;
	struct vkr_engine_scatter left = *scatter;
	struct vkr_marks *of;
	enum vkr_result result = VKR_OK;
	if (!vkr_read_marks_find(marks, scatter->site, touch->reference, &range, &of))
		return vkr_error_memory(error, "marks of reads");
	if (of == NULL)
		return vkr_judge_scatter(fast, touch, scatter, end, error);
	if (!vkr_read_marks_sift(marks, of, scatter->offsets, scatter->locals, scatter->local,
				 scatter->count))
		return vkr_error_memory(error, "marks of reads");
	left.count = (uint32_t)marks->offsets.count;
	left.offsets = marks->offsets.items;
	left.locals = marks->locals.items;
	if (left.count > 0)
		result = vkr_judge_scatter(fast, touch, &left, end, error);
	if (result == VKR_OK && engine->conflicts == conflicts && !vkr_read_marks_add(marks, of))
		return vkr_error_memory(error, "marks of reads");
	return result;
}

static bool may_mark(const struct vkr_engine *engine, const struct vkr_touch *touch)
{
	return !(touch->what->flags & (VKR_ENGINE_WRITE | VKR_ENGINE_POSSIBLE)) &&
	       touch->what->piece_count == 0 && touch->shadow != &engine->workgroup_memory;
}

enum vkr_result vkr_judge_list(struct vkr_engine *engine, const struct vkr_engine_scatter *scatter,
			       struct vkr_error *error)
{
	const struct vkr_engine_target *target = scatter->target;
	struct vkr_shadow *shadow = shadow_of(engine, target->memory);
	const uint64_t end = target_end(target, shadow);
	struct vkr_touch touch;
	struct vkr_fast fast;
	enum vkr_result result;

	engine->accesses += scatter->count;
	result = touch_shader(engine, scatter->site, target, shadow, VKR_SHAPE_UNIFORM, &touch,
			      error);
	if (result == VKR_OK)
		result = judge_possible(engine, &touch, NULL, scatter, end, error);
	if (result != VKR_OK)
		return result;
	vkr_fast_begin(&fast, engine, &touch);
	return may_mark(engine, &touch) ? judge_unmarked(&fast, &touch, scatter, end, error)
					: vkr_judge_scatter(&fast, &touch, scatter, end, error);
}

enum vkr_result vkr_engine_scatter(struct vkr_engine *engine,
				   const struct vkr_engine_scatter *scatter,
				   struct vkr_error *error)
{
	const struct vkr_engine_run list = {.site = scatter->site,
					    .local = scatter->local,
					    .count = scatter->count,
					    .target = scatter->target};
	const struct vkr_shadow *shadow = shadow_of(engine, scatter->target->memory);
	bool waits = false;
	enum vkr_result result = VKR_OK;

	assert(engine->dispatch.in_workgroup);
	if (!shadow || scatter->count == 0)
		return VKR_OK;
	if (shadow->mappings.count > 0)
		return vkr_mapped_scatter(engine, scatter, error);
	if (shadow == &engine->workgroup_memory)
		result = vkr_shared_access(engine, &list, scatter->offsets, scatter->locals == NULL,
					   &waits, error);
	return result != VKR_OK || waits ? result : vkr_judge_list(engine, scatter, error);
}
