// SPDX-License-Identifier: Apache-2.0
// Where an invocation ensures that its chunk has room: seldom enough to be cheap, often enough that
// no record ever lacks it. Knows control flow and the words of records, not how they are written.
//
// Room is made at *reservations*: at the start of a function or of a loop's iteration, after a
// loop, and after a call of a function that has reservations itself. Every cycle passes one, so the
// longest path from a reservation to the next ones is finite: that is how much room a reservation
// makes. A loop that is known to be gone through a few times has none: before it there is room for
// all of its iterations.
#include "analysis.h"
#include "array.h"
#include "error.h"
#include "loop_trips.h"
#include "search.h"
#include "vkrace/gpu_log.h"

#include <assert.h>
#include <string.h>

// The first chunk of shaders with several points: a cache line, so that short-lived invocations
// waste little.
#define CHUNK_WORDS 16u

// Loops are folded that are gone through at most so often, and log at most so many words in all.
#define TRIPS_MOST        64u
#define FOLDED_WORDS_MOST 64u

// A stretch of code: a block, or the part of one after a call that has points.
struct stretch {
	uint32_t start;      // instruction in front of which room is made
	uint32_t terminator; // instruction index; 0: goes on in the next stretch
	uint64_t own;        // words logged in it, calls without points included
	uint64_t room;       // words from its start to the next points
	uint32_t points;     // why it is a point: calls and loops; 0: it is none
	// A loop's header whose own words are those of all iterations: from there on control goes
	// on after the loop, in `merge`.
	bool is_folded;
	size_t merge;
};

struct function_room {
	bool is_known, has_points;
	uint64_t room; // of a call, where it has no points
};

struct room {
	struct vkr_analysis *analysis;
	struct function_room *functions;
	uint32_t *block_of;  // by label id: index in stretches
	uint64_t entry_room; // of main
	bool is_unstructured;
};

struct graph {
	struct stretch *stretches;
	size_t count;
};

static bool analysis_reserve_measure(struct room *room, uint32_t f);

uint32_t vkr_analysis_entry(const struct vkr_module *module, const struct vkr_function *function)
{
	uint32_t behind = function->body + 1;
	for (uint32_t i = function->body + 1; i < function->end; i++) {
		uint16_t opcode = module->instructions[i].opcode;
		if (opcode == SpvOpVariable)
			behind = i + 1;
		if (vkr_opcode_is(opcode, VKR_OPCODE_TERMINATOR))
			break;
	}
	return behind;
}

uint32_t vkr_analysis_behind_phis(const struct vkr_module *module, uint32_t label)
{
	uint32_t behind = label + 1;
	for (uint32_t i = label + 1;
	     !vkr_opcode_is(module->instructions[i].opcode, VKR_OPCODE_TERMINATOR); i++) {
		if (module->instructions[i].opcode == SpvOpPhi)
			behind = i + 1;
	}
	return behind;
}

static size_t first_segment(const struct vkr_analysis *analysis, uint32_t instruction)
{
	size_t low = 0;
	VKR_SEARCH(low, analysis->segments.count, at,
		   analysis->segments.items[at].before < instruction);
	return low;
}

// Splits the function into stretches with their own words. False for lack of memory.
static bool read_stretches(struct room *room, const struct vkr_function *function,
			   struct graph *graph)
{
	const struct vkr_analysis *analysis = room->analysis;
	const struct vkr_module *module = analysis->module;
	size_t segment = first_segment(analysis, function->first);
	struct stretch *at = NULL;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpLabel) {
			room->block_of[in->result] = (uint32_t)graph->count;
			at = &graph->stretches[graph->count++];
			*at = (struct stretch){.start = vkr_analysis_behind_phis(module, i)};
		}
		assert(at); // a body begins with a label
		for (; segment < analysis->segments.count &&
		       analysis->segments.items[segment].before == i;
		     segment++)
			// In draws room for records with marks is made as they are logged.
			if (!analysis->identity || !analysis->segments.items[segment].group_count)
				at->own += analysis->segments.items[segment].segment.words + 1u;
		if (vkr_opcode_is(in->opcode, VKR_OPCODE_TERMINATOR))
			at->terminator = i;
		if (in->opcode != SpvOpFunctionCall)
			continue;
		uint32_t callee = vkr_module_callee(analysis->module, in);
		if (!analysis_reserve_measure(room, callee))
			return false;
		if (room->functions[callee].has_points) {
			at = &graph->stretches[graph->count++];
			*at = (struct stretch){.start = i + 1, .points = 1};
		} else {
			at->own += room->functions[callee].room;
		}
	}
	return true;
}

// Calls visit for each stretch that control goes to next.
static void for_successors(const struct room *room, struct graph *graph, size_t s, void *user,
			   void (*visit)(struct graph *graph, size_t successor, void *user))
{
	const struct vkr_module *module = room->analysis->module;
	if (!graph->stretches[s].terminator) {
		visit(graph, s + 1, user);
		return;
	}
	const struct vkr_instruction *in = &module->instructions[graph->stretches[s].terminator];
	for (uint16_t u = 0; u < in->use_count; u++) {
		uint32_t id = module->words[module->uses[in->first_use + u]];
		if (vkr_module_definition(module, id)->opcode == SpvOpLabel)
			visit(graph, room->block_of[id], user);
	}
}

struct search {
	bool *seen;
	size_t *list;
	size_t count;
};

static void visit_once(struct graph *graph, size_t successor, void *user)
{
	(void)graph;
	struct search *search = user;
	if (!search->seen[successor]) {
		search->seen[successor] = true;
		search->list[search->count++] = successor;
	}
}

// A loop of the function: instruction of its OpLoopMerge, its blocks, and whether it logs.
struct loop {
	uint32_t at;
	size_t header, merge;
	bool logs;
};

// Lists the stretches between a loop's header, the first of them, and its merge block.
static void list_loop(const struct room *room, struct graph *graph, const struct loop *loop,
		      struct search *search)
{
	search->count = 0;
	search->seen[loop->merge] = true;
	visit_once(graph, loop->header, search);
	for (size_t i = 0; i < search->count; i++)
		for_successors(room, graph, search->list[i], search, visit_once);
	search->seen[loop->merge] = false;
	for (size_t i = 0; i < search->count; i++)
		search->seen[search->list[i]] = false;
}

// Whether a point lies behind the header of the listed loop.
static bool has_points_inside(const struct graph *graph, const struct search *search)
{
	for (size_t i = 1; i < search->count; i++)
		if (graph->stretches[search->list[i]].points)
			return true;
	return false;
}

static bool has_words_inside(const struct graph *graph, const struct search *search)
{
	for (size_t i = 0; i < search->count; i++)
		if (graph->stretches[search->list[i]].own)
			return true;
	return false;
}

// The function's loops in order, outer ones before inner ones; NULL for lack of memory.
static struct loop *find_loops(const struct room *room, const struct vkr_function *function,
			       size_t *count)
{
	const struct vkr_module *module = room->analysis->module;
	struct loop *loops = vkr_arena_alloc(room->analysis->arena,
					     (function->end - function->body) * sizeof *loops);
	uint32_t header = 0;
	*count = 0;
	for (uint32_t i = function->body; loops && i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpLabel)
			header = room->block_of[in->result];
		if (in->opcode == SpvOpLoopMerge)
			loops[(*count)++] = (struct loop){
				.at = i,
				.header = header,
				.merge = room->block_of[vkr_module_word(module, in, 1)]};
	}
	return loops;
}

// Makes points of the headers and merge blocks of loops that log. Inner loops follow their outer
// one's header, so their points are not needed to find that it logs.
static void mark_points(const struct room *room, struct graph *graph, struct loop *loops,
			size_t count, struct search *search)
{
	for (size_t i = 0; i < count; i++) {
		list_loop(room, graph, &loops[i], search);
		loops[i].logs = has_words_inside(graph, search) || has_points_inside(graph, search);
		graph->stretches[loops[i].header].points += loops[i].logs;
		graph->stretches[loops[i].merge].points += loops[i].logs;
	}
}

static void take_longest(struct graph *graph, size_t successor, void *user)
{
	uint64_t *most = user;
	const struct stretch *at = &graph->stretches[successor];
	if (!at->points && at->room > *most)
		*most = at->room;
}

// Longest paths from the stretches [first, end) by relaxation, last stretch first: nearly always
// one round, and one that finds no change. More rounds than stretches mean a cycle without a point:
// no structured control flow.
static bool find_room(struct room *room, struct graph *graph, size_t first, size_t end)
{
	for (size_t round = 0; round <= end - first; round++) {
		bool changed = false;
		for (size_t s = end; s-- > first;) {
			uint64_t most = 0;
			if (graph->stretches[s].is_folded)
				take_longest(graph, graph->stretches[s].merge, &most);
			else
				for_successors(room, graph, s, &most, take_longest);
			most += graph->stretches[s].own;
			changed |= most != graph->stretches[s].room;
			graph->stretches[s].room = most;
		}
		if (!changed)
			return true;
	}
	room->is_unstructured = true;
	return false;
}

// What the last iteration logs before it leaves the loop.
static uint64_t words_of_test(const struct room *room, const struct graph *graph,
			      const struct vkr_loop_trips *trips)
{
	uint64_t words = 0;
	for (uint32_t at = 0; at < trips->block_count; at++)
		words += graph->stretches[room->block_of[trips->blocks[at]]].own;
	return words;
}

// Folds the loop where that is worth it: it is a point no longer. Inner loops come before. False
// where there is a cycle without a point.
static bool fold_loop(struct room *room, const struct vkr_function *function, struct graph *graph,
		      const struct loop *loop, struct search *search)
{
	const struct vkr_analysis *analysis = room->analysis;
	struct stretch *header = &graph->stretches[loop->header];
	if (!loop->logs)
		return true;
	list_loop(room, graph, loop, search);
	if (has_points_inside(graph, search))
		return true;
	struct vkr_loop_trips trips;
	if (!vkr_loop_trips_find(analysis->module, analysis->constants, function, loop->at,
				 TRIPS_MOST, &trips))
		return true;
	size_t last = loop->header;
	for (size_t i = 0; i < search->count; i++)
		if (search->list[i] > last)
			last = search->list[i];
	if (!find_room(room, graph, loop->header, last + 1))
		return false;
	const uint64_t words = header->room * trips.most + words_of_test(room, graph, &trips);
	if (words > FOLDED_WORDS_MOST)
		return true;
	header->is_folded = true;
	header->merge = loop->merge;
	header->own = words;
	header->points--;
	graph->stretches[loop->merge].points--;
	return true;
}

// Finds the points, and the room from each to the next ones. False for lack of memory, or where
// there is a cycle without one.
static bool find_points(struct room *room, const struct vkr_function *function, struct graph *graph)
{
	const struct vkr_analysis *analysis = room->analysis;
	struct search search = {
		.seen = vkr_arena_alloc(analysis->arena, graph->count * sizeof *search.seen),
		.list = vkr_arena_alloc(analysis->arena, graph->count * sizeof *search.list),
	};
	size_t count;
	struct loop *loops = find_loops(room, function, &count);
	if (!search.seen || !search.list || !loops)
		return false;
	mark_points(room, graph, loops, count, &search);
	for (size_t i = count; i-- > 0;)
		if (!fold_loop(room, function, graph, &loops[i], &search))
			return false;
	return find_room(room, graph, 0, graph->count);
}

static bool add_point(struct room *room, uint32_t before, uint64_t words)
{
	struct vkr_analysis *analysis = room->analysis;
	if (!words)
		return true;
	if (words > UINT32_MAX / 2 || !VKR_ARRAY_RESERVE(&analysis->reservations, 1))
		return false;
	if (analysis->most_room < words)
		analysis->most_room = (uint32_t)words;
	size_t at = analysis->reservations.count++;
	for (; at > 0 && analysis->reservations.items[at - 1].before > before; at--)
		analysis->reservations.items[at] = analysis->reservations.items[at - 1];
	analysis->reservations.items[at] = (struct vkr_reservation){before, (uint32_t)words};
	return true;
}

// Where main makes its first room: at its start, or in the one arm of a leading `if` that holds all
// that is logged, so that invocations outside of it take no chunk.
static size_t sink_entry(const struct room *room, const struct graph *graph)
{
	const struct vkr_module *module = room->analysis->module;
	size_t s = 0;
	for (;;) {
		const struct stretch *at = &graph->stretches[s];
		if (at->own || !at->terminator)
			return s;
		const struct vkr_instruction *branch = &module->instructions[at->terminator];
		const struct vkr_instruction *merge = branch - 1;
		if (branch->opcode != SpvOpBranchConditional ||
		    merge->opcode != SpvOpSelectionMerge)
			return s;
		uint32_t arms[2] = {room->block_of[vkr_module_word(module, branch, 2)],
				    room->block_of[vkr_module_word(module, branch, 3)]};
		uint32_t join = room->block_of[vkr_module_word(module, merge, 1)];
		int quiet = arms[0] == join ? 0 : 1;
		size_t next = arms[!quiet];
		if (arms[quiet] != join || next == join || next <= s ||
		    graph->stretches[join].room || graph->stretches[join].points ||
		    graph->stretches[next].points)
			return s;
		s = next;
	}
}

static bool add_points(struct room *room, uint32_t f, struct graph *graph)
{
	struct vkr_analysis *analysis = room->analysis;
	const struct vkr_module *module = analysis->module;
	bool is_main = f == analysis->main;
	size_t entry = is_main ? sink_entry(room, graph) : 0;
	if (!is_main && !room->functions[f].has_points)
		return true;
	for (size_t s = 0; s < graph->count; s++) {
		const struct stretch *at = &graph->stretches[s];
		uint32_t start = s ? at->start : vkr_analysis_entry(module, &module->functions[f]);
		if ((at->points || s == entry) && !add_point(room, start, at->room))
			return false;
	}
	if (is_main) {
		room->entry_room = graph->stretches[entry].room;
		analysis->all_log = entry == 0 && room->entry_room > 0;
	}
	return true;
}

// Fills in functions[f] and all that it calls. Calls do not recurse (SPIR-V 2.16.1).
static bool analysis_reserve_measure(struct room *room, uint32_t f)
{
	struct vkr_analysis *analysis = room->analysis;
	const struct vkr_function *function = &analysis->module->functions[f];
	struct function_room *known = &room->functions[f];
	struct graph graph = {0};
	if (known->is_known)
		return true;
	known->is_known = true;
	graph.stretches = vkr_arena_alloc(analysis->arena, (function->end - function->body) *
								   sizeof *graph.stretches);
	if (!graph.stretches || !read_stretches(room, function, &graph) ||
	    !find_points(room, function, &graph))
		return false;
	for (size_t s = 0; s < graph.count; s++)
		known->has_points |= graph.stretches[s].points > 0;
	known->room = graph.count ? graph.stretches[0].room : 0;
	return add_points(room, f, &graph);
}

// A chunk for each record costs more than one for all where there are more segments.
#define SHARED_SEGMENTS_MOST 2u

// Nothing depends on which invocation of a subgroup is which in shaders that only read.
static bool may_share(const struct vkr_analysis *analysis)
{
	if (!analysis->options->shares || analysis->options->without & VKR_REDUCE_CHUNKS ||
	    !(analysis->identity & VKR_IDENTITY_FRAGMENT) || analysis->chunks_grow)
		return false;
	for (size_t i = 0; i < analysis->drafts.count; i++)
		if (analysis->drafts.items[i].site.operation != VKR_SITE_LOAD)
			return false;
	return true;
}

// Whether chunks that are shared have room for many records: where some are logged more than once,
// or there are many.
static bool shares_room(const struct vkr_analysis *analysis, const struct room *room)
{
	uint64_t words = 0;
	for (size_t i = 0; i < analysis->segments.count; i++)
		words += analysis->segments.items[i].segment.words + 1;
	return room->entry_room > words || analysis->segments.count > SHARED_SEGMENTS_MOST;
}

static uint32_t label_of(const struct vkr_module *module, uint32_t id)
{
	return (uint32_t)(vkr_module_definition(module, id) - module->instructions);
}

// Whether every invocation logs the first segment's record before it may end.
static bool begins_with_record(const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_segment_draft *first = analysis->segments.items;
	if (analysis->segments.count == 0 || first->group_count > 0 ||
	    first->segment.kind != VKR_SEGMENT_ONCE)
		return false;
	uint32_t i = vkr_analysis_entry(module, &module->functions[analysis->main]);
	while (i != first->before) {
		const struct vkr_instruction *in = &module->instructions[i];
		const bool goes_on = in->opcode == SpvOpBranch;
		if (in->opcode == SpvOpSelectionMerge || in->opcode == SpvOpLoopMerge ||
		    in->opcode == SpvOpFunctionCall ||
		    in->opcode == SpvOpDemoteToHelperInvocation ||
		    (vkr_opcode(in->opcode)->flags & VKR_OPCODE_TERMINATOR && !goes_on))
			return false;
		i = goes_on ? label_of(module, vkr_module_word(module, in, 1)) : i + 1;
	}
	return true;
}

enum vkr_result vkr_analysis_reserve_again(struct vkr_analysis *analysis, struct vkr_error *error)
{
	analysis->reservations.count = 0;
	analysis->most_room = 0;
	return vkr_analysis_reserve(analysis, error);
}

enum vkr_result vkr_analysis_use_records(struct vkr_analysis *analysis, struct vkr_error *error)
{
	if (!VKR_ARRAY_RESERVE(&analysis->segments, analysis->records.count))
		return vkr_error_memory(error, "records");
	analysis->segments.count = 0;
	while (analysis->segments.count < analysis->records.count) {
		const size_t at = analysis->segments.count++;
		analysis->segments.items[at] = analysis->records.items[at];
	}
	analysis->streams = analysis->wants_streams && analysis->records.count > 0;
	analysis->tells_uniforms = analysis->uniform_count > 0;
	enum vkr_result result = vkr_analysis_reserve_again(analysis, error);
	if (analysis->streams)
		analysis->reservations.count = 0; // each record finds out for itself
	return result;
}

enum vkr_result vkr_analysis_reserve(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	struct room room = {.analysis = analysis};
	room.functions =
		vkr_arena_alloc(analysis->arena, module->function_count * sizeof *room.functions);
	room.block_of = vkr_arena_alloc(analysis->arena, module->bound * sizeof *room.block_of);
	bool is_measured =
		room.functions && room.block_of && analysis_reserve_measure(&room, analysis->main);
	if (room.is_unstructured)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "control flow with a cycle that is no structured loop");
	if (!is_measured)
		return vkr_error_memory(error, "the log's room");
	analysis->chunks_grow = room.functions[analysis->main].has_points || analysis->marked_grow;
	analysis->spills =
		analysis->options->spills && analysis->chunks_grow && !analysis->identity;
	analysis->shares = may_share(analysis);
	analysis->shares_room = analysis->shares && shares_room(analysis, &room);
	const uint32_t more =
		analysis->shares ? VKR_SHARED_HEADER_WORDS - VKR_CHUNK_HEADER_WORDS : 0;
	uint64_t least = room.entry_room + analysis->header_words + more;
	analysis->entry_room = (uint32_t)room.entry_room;
	if (analysis->shares && !analysis->shares_room) { // each record finds room for itself
		analysis->reservations.count = 0;
		analysis->all_log = begins_with_record(analysis);
	}
	analysis->asks = analysis->options->asks && analysis->identity && !analysis->all_log;
	if (analysis->identity && analysis->chunks_grow && least < CHUNK_WORDS)
		least = CHUNK_WORDS;
	analysis->chunk_words = (uint32_t)least;
	return VKR_OK;
}
