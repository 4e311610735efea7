// SPDX-License-Identifier: Apache-2.0
// Which values of a slice are logged: those of a minimum cut, by words and how often these are
// logged, between the accesses and what nothing is known of (L. R. Ford and D. R. Fulkerson, "Flows
// in Networks", found by the algorithm of E. A. Dinic). Knows who needs what; not why.
#include "summary_slice.h"

#include <stdlib.h>
#include <string.h>

// How many iterations a loop is taken to have, as a power of two, and how deeply loops count.
#define ITERATION_BITS 3u
#define LOOPS_MOST     8u

// What cannot be cut.
#define ENDLESS (UINT64_MAX / 4)

struct edge {
	uint32_t to;       // a side
	uint64_t capacity; // left
};

// Each node has two sides and an edge between them: edges of needs come in at the first and leave
// at the second. An edge and its reverse are neighbours.
struct network {
	const struct vkr_slice *slice;
	struct edge *edges;
	uint32_t edge_count, side_count;
	uint32_t *first; // by side: where its edges begin in `order`
	uint32_t *order; // edges by the side that they leave
	uint32_t *distance, *next, *queue, *path;
};

static uint32_t side_in(uint32_t node)
{
	return 2 * node;
}

static uint32_t side_out(uint32_t node)
{
	return 2 * node + 1;
}

static void network_connect(struct network *network, uint32_t from, uint32_t to, uint64_t capacity)
{
	network->edges[network->edge_count++] = (struct edge){to, capacity};
	network->edges[network->edge_count++] = (struct edge){from, 0};
}

// What it costs to log a value.
static uint64_t price_of(const struct vkr_slice *slice, uint32_t id)
{
	if (!vkr_slice_may_log(slice, id))
		return ENDLESS;
	const uint32_t loops = slice->blocks[slice->home[id] - 1].loops;
	// What invocations, or workgroups, log alike is easier to judge: it tends to be what they
	// find in memory, not where they go from there.
	const uint64_t words = vkr_slice_words(slice->analysis->module, id);
	return words * (slice->is_placed[id] ? 4 : 3)
	       << ITERATION_BITS * (loops < LOOPS_MOST ? loops : LOOPS_MOST);
}

// ---- Which conditions are needed ----------------------------------------------------------------

// The header of the innermost construct around a block, or VKR_NO_BLOCK. Compilers write its blocks
// before its merge block; where one does not, the cut may not be the cheapest one.
static uint32_t construct_around(const struct vkr_slice *slice, uint32_t block)
{
	for (uint32_t b = block; b-- > 0;)
		if (slice->blocks[b].merge != VKR_NO_BLOCK && block < slice->blocks[b].merge)
			return b;
	return VKR_NO_BLOCK;
}

struct leaving {
	uint32_t header, merge;
	bool leaves;
};

static void note_leaving(uint32_t block, void *user)
{
	struct leaving *leaving = user;
	leaving->leaves |= block < leaving->header || block > leaving->merge;
}

// Whether control leaves a header's construct otherwise than for its merge block, to go on.
static bool leaves_construct(const struct vkr_slice *slice, uint32_t header)
{
	struct leaving leaving = {header, slice->blocks[header].merge, false};
	for (uint32_t b = header; b < leaving.merge; b++)
		vkr_slice_targets(slice, &slice->blocks[b], &leaving, note_leaving);
	return leaving.leaves;
}

// Whether the function may end within the construct.
static bool ends_inside(const struct vkr_slice *slice, uint32_t header)
{
	const struct vkr_module *module = slice->analysis->module;
	bool ends = false;
	for (uint32_t b = header; b < slice->blocks[header].merge; b++) {
		const uint16_t opcode = module->instructions[slice->blocks[b].terminator].opcode;
		ends |= opcode == SpvOpReturn || opcode == SpvOpReturnValue;
	}
	return ends;
}

// What matters in a construct needs the conditions that lead through it (summary_flow.c).
static void connect_conditions(struct network *network)
{
	const struct vkr_slice *slice = network->slice;
	for (uint32_t b = 0; b < slice->block_count; b++) {
		const struct vkr_block *block = &slice->blocks[b];
		const uint32_t around = construct_around(slice, b);
		const uint32_t own = vkr_slice_node_of_condition(slice, b);
		const uint32_t outer = around == VKR_NO_BLOCK
					       ? vkr_slice_node_of_accesses(slice)
					       : vkr_slice_node_of_condition(slice, around);
		if (around != VKR_NO_BLOCK) {
			network_connect(network, side_out(vkr_slice_node_of_block(slice, b)),
					side_in(outer), ENDLESS);
			network_connect(network, side_out(own), side_in(outer), ENDLESS);
		}
		if (block->is_loop)
			network_connect(network, side_out(vkr_slice_node_of_block(slice, b)),
					side_in(own), ENDLESS);
		if (block->merge == VKR_NO_BLOCK || leaves_construct(slice, b))
			network_connect(network, side_out(outer), side_in(own), ENDLESS);
		else if (ends_inside(slice, b))
			network_connect(network, side_out(vkr_slice_node_of_accesses(slice)),
					side_in(own), ENDLESS);
	}
}

// ---- The flow -----------------------------------------------------------------------------------

static bool network_begin(struct network *network, const struct vkr_slice *slice)
{
	const uint32_t nodes = vkr_slice_node_of_unknown(slice) + 1;
	// Of each node one, of each need one, and up to four of each block.
	const size_t edges = 2 * (nodes + slice->needs.count + 4 * (size_t)slice->block_count);
	*network = (struct network){.slice = slice, .side_count = 2 * nodes};
	if (edges > UINT32_MAX)
		return false;
	network->edges = malloc(edges * sizeof *network->edges);
	network->first = calloc(network->side_count + (size_t)1, sizeof *network->first);
	network->order = malloc(edges * sizeof *network->order);
	network->distance = malloc(network->side_count * sizeof *network->distance);
	network->next = malloc(network->side_count * sizeof *network->next);
	network->queue = malloc(network->side_count * sizeof *network->queue);
	network->path = malloc(network->side_count * sizeof *network->path);
	return network->edges && network->first && network->order && network->distance &&
	       network->next && network->queue && network->path;
}

static void network_finish(struct network *network)
{
	free(network->edges);
	free(network->first);
	free(network->order);
	free(network->distance);
	free(network->next);
	free(network->queue);
	free(network->path);
}

static void network_build(struct network *network)
{
	const struct vkr_slice *slice = network->slice;
	const uint32_t bound = slice->analysis->module->bound;
	for (uint32_t node = 0; node < network->side_count / 2; node++)
		network_connect(network, side_in(node), side_out(node),
				node < bound && slice->needed[node] ? price_of(slice, node)
								    : ENDLESS);
	for (size_t at = 0; at < slice->needs.count; at++)
		network_connect(network, side_out(slice->needs.items[at].of),
				side_in(slice->needs.items[at].what), ENDLESS);
	connect_conditions(network);
	for (uint32_t at = 0; at < network->edge_count; at++)
		network->first[network->edges[at ^ 1].to + 1]++;
	for (uint32_t side = 0; side < network->side_count; side++)
		network->first[side + 1] += network->first[side];
	memcpy(network->next, network->first, network->side_count * sizeof *network->next);
	for (uint32_t at = 0; at < network->edge_count; at++)
		network->order[network->next[network->edges[at ^ 1].to]++] = at;
}

// How far each side is from the first, by edges with capacity left; whether the last is reached.
static bool find_distances(struct network *network, uint32_t from, uint32_t to)
{
	uint32_t count = 0;
	memset(network->distance, 0xff, network->side_count * sizeof *network->distance);
	network->distance[from] = 0;
	network->queue[count++] = from;
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t side = network->queue[at];
		for (uint32_t i = network->first[side]; i < network->first[side + 1]; i++) {
			const uint32_t edge = network->order[i], next = network->edges[edge].to;
			if (network->edges[edge].capacity == 0 ||
			    network->distance[next] != UINT32_MAX)
				continue;
			network->distance[next] = network->distance[side] + 1;
			network->queue[count++] = next;
		}
	}
	return network->distance[to] != UINT32_MAX;
}

// The edge by which a path goes on from a side; UINT32_MAX: there is none.
static uint32_t edge_onward(struct network *network, uint32_t side)
{
	uint32_t *at = &network->next[side];
	for (; *at < network->first[side + 1]; ++*at) {
		const uint32_t edge = network->order[*at], to = network->edges[edge].to;
		if (network->edges[edge].capacity > 0 &&
		    network->distance[to] == network->distance[side] + 1)
			return edge;
	}
	return UINT32_MAX;
}

// Fills a path with what it can hold, and returns that.
static uint64_t fill_path(struct network *network, uint32_t length)
{
	uint64_t least = UINT64_MAX;
	for (uint32_t at = 0; at < length; at++) {
		const uint64_t capacity = network->edges[network->path[at]].capacity;
		least = capacity < least ? capacity : least;
	}
	for (uint32_t at = 0; at < length; at++) {
		network->edges[network->path[at]].capacity -= least;
		network->edges[network->path[at] ^ 1].capacity += least;
	}
	return least;
}

// Fills all paths of least distance; how much they hold.
static uint64_t fill_paths(struct network *network, uint32_t from, uint32_t to)
{
	uint32_t side = from, length = 0;
	uint64_t flow = 0;
	memcpy(network->next, network->first, network->side_count * sizeof *network->next);
	while (flow < ENDLESS) {
		if (side == to) {
			flow += fill_path(network, length);
			side = from;
			length = 0;
			continue;
		}
		const uint32_t edge = edge_onward(network, side);
		if (edge != UINT32_MAX) {
			network->path[length++] = edge;
			side = network->edges[edge].to;
			continue;
		}
		if (length == 0)
			break;
		side = network->edges[network->path[--length] ^ 1].to;
		network->next[side]++;
	}
	return flow;
}

const bool *vkr_slice_cut(const struct vkr_slice *slice, bool *no_memory)
{
	const uint32_t bound = slice->analysis->module->bound;
	bool *is_cut = vkr_arena_alloc(slice->analysis->arena, bound);
	struct network network;
	*no_memory = !is_cut || !network_begin(&network, slice);
	if (*no_memory) {
		if (is_cut)
			network_finish(&network);
		return NULL;
	}
	const uint32_t from = side_out(vkr_slice_node_of_accesses(slice));
	const uint32_t to = side_in(vkr_slice_node_of_unknown(slice));
	uint64_t flow = 0;
	network_build(&network);
	while (flow < ENDLESS && find_distances(&network, from, to))
		flow += fill_paths(&network, from, to);
	for (uint32_t id = 0; id < bound; id++)
		is_cut[id] = network.distance[side_in(id)] != UINT32_MAX &&
			     network.distance[side_out(id)] == UINT32_MAX;
	network_finish(&network);
	return flow < ENDLESS ? is_cut : NULL;
}
