// SPDX-License-Identifier: Apache-2.0
#include "litmus_candidate.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

// A relation between the accesses of an execution, as rows of bits.
struct relation {
	size_t count, words;
	uint64_t *rows;
};

struct search {
	const struct vkr_litmus_orders *orders;
	uint32_t *events; // those that are accesses, in the order of the file
	size_t count;
	struct relation before;  // happens-before (of Vulkan's: location-ordered)
	struct relation scratch; // the one that is made up at the moment
	struct relation demands; // what a total order of the sequentially consistent must hold
	size_t *path;            // of a walk, and how far each access on it is
	uint8_t *state;
};

static bool make_relation(struct relation *relation, size_t count)
{
	relation->count = count;
	relation->words = (count + 63) / 64;
	relation->rows = calloc(count * relation->words + 1, sizeof *relation->rows);
	return relation->rows != NULL;
}

static void litmus_candidate_clear(struct relation *relation)
{
	memset(relation->rows, 0, relation->count * relation->words * sizeof *relation->rows);
}

static void litmus_candidate_copy(struct relation *to, const struct relation *from)
{
	memcpy(to->rows, from->rows, from->count * from->words * sizeof *from->rows);
}

static void litmus_candidate_relate(struct relation *relation, size_t x, size_t y)
{
	relation->rows[x * relation->words + y / 64] |= UINT64_C(1) << (y % 64);
}

static bool litmus_candidate_related(const struct relation *relation, size_t x, size_t y)
{
	return relation->rows[x * relation->words + y / 64] >> (y % 64) & 1;
}

static void close_transitively(struct relation *relation)
{
	for (size_t via = 0; via < relation->count; via++) {
		for (size_t x = 0; x < relation->count; x++) {
			if (!litmus_candidate_related(relation, x, via))
				continue;
			for (size_t word = 0; word < relation->words; word++)
				relation->rows[x * relation->words + word] |=
					relation->rows[via * relation->words + word];
		}
	}
}

// Depth-first, with a stack of its own: `path` holds the accesses on the way, `state` 0 for those
// not met, 1 on the way, 2 left.
static bool reaches_itself(struct search *search, const struct relation *relation, size_t root,
			   size_t *next)
{
	size_t depth = 0;
	search->path[depth++] = root;
	search->state[root] = 1;
	next[root] = 0;
	while (depth > 0) {
		const size_t x = search->path[depth - 1];
		while (next[x] < relation->count &&
		       (!litmus_candidate_related(relation, x, next[x]) ||
			search->state[next[x]] == 2))
			next[x]++;
		if (next[x] == relation->count) {
			search->state[x] = 2;
			depth--;
		} else if (search->state[next[x]] == 1) {
			return true;
		} else {
			const size_t y = next[x]++;
			search->state[y] = 1;
			next[y] = 0;
			search->path[depth++] = y;
		}
	}
	return false;
}

static bool has_cycle(struct search *search, const struct relation *relation)
{
	size_t *next = search->path + search->count;
	memset(search->state, 0, search->count);
	for (size_t x = 0; x < search->count; x++) {
		if (search->state[x] == 0 && reaches_itself(search, relation, x, next))
			return true;
	}
	return false;
}

static const struct vkr_litmus_event *event_of(const struct search *search, size_t x)
{
	return &search->orders->execution->events[search->events[x]];
}

static const struct vkr_order_access *access_of(const struct search *search, size_t x)
{
	return &search->orders->accesses[search->events[x]];
}

static uint64_t turn_of(const struct search *search, size_t x)
{
	return search->orders->sort->turns[search->events[x]];
}

static bool litmus_candidate_overlap(const struct search *search, size_t x, size_t y)
{
	const struct vkr_order_access *a = access_of(search, x), *b = access_of(search, y);
	return x != y && a->memory == b->memory && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

static void find_program_order(const struct search *search, struct relation *relation)
{
	litmus_candidate_clear(relation);
	for (size_t x = 0; x < search->count; x++) {
		for (size_t y = x + 1; y < search->count; y++) {
			if (event_of(search, x)->agent == event_of(search, y)->agent)
				litmus_candidate_relate(relation, x, y);
		}
	}
}

// ---- HRF ----------------------------------------------------------------------------------------

// "Coherent Order": stores by their turns, a load right after the store that it reads from. Loads
// of one store may come in any order.
static uint64_t place_of(const struct search *search, size_t x)
{
	return access_of(search, x)->write ? 2 * turn_of(search, x)
					   : 2 * search->orders->sort->seen[search->events[x]] + 1;
}

// Adds the coherent order of one memory, or of all where `memory` is 0.
static void add_coherent(const struct search *search, uint64_t memory, struct relation *relation)
{
	for (size_t x = 0; x < search->count; x++) {
		if (memory && access_of(search, x)->memory != memory)
			continue;
		for (size_t y = 0; y < search->count; y++) {
			if (litmus_candidate_overlap(search, x, y) &&
			    place_of(search, x) < place_of(search, y))
				litmus_candidate_relate(relation, x, y);
		}
	}
}

static bool is_consistent_with_coherent(struct search *search, const struct relation *order,
					bool united)
{
	const size_t count = united ? 1 : search->orders->execution->location_count;
	for (size_t memory = 1; memory <= count; memory++) {
		litmus_candidate_copy(&search->scratch, order);
		add_coherent(search, united ? 0 : memory, &search->scratch);
		if (has_cycle(search, &search->scratch))
			return false;
	}
	return true;
}

// "The read and write components of an atomic read-modify-write must be adjacent".
static bool is_adjacent(const struct search *search, size_t x)
{
	uint64_t turn = 0;
	for (size_t y = 0; y < search->count; y++) {
		if (litmus_candidate_overlap(search, x, y) && access_of(search, y)->write &&
		    turn_of(search, y) < turn_of(search, x) && turn_of(search, y) > turn)
			turn = turn_of(search, y);
	}
	return turn == search->orders->sort->seen[search->events[x]];
}

static bool is_seq_cst(const struct search *search, size_t x)
{
	return event_of(search, x)->atomic && event_of(search, x)->order == VKR_LITMUS_SEQ_CST;
}

// OpenCL: "iff all atomics use scope mo_svm and are to a fine-grained allocation with platform
// atomics or all atomics use scope mo_dev and none are".
static bool has_sequential_order(const struct search *search)
{
	const struct vkr_memory_rules *rules = search->orders->rules;
	bool system = true, device = true;
	for (size_t x = 0; x < search->count && rules->model == VKR_MEMORY_HRF_OPENCL; x++) {
		const struct vkr_order_access *access = access_of(search, x);
		const bool shared = !access->local && !access->coarse;
		const bool wide = access->scope == VKR_ORDER_CROSS_DEVICE;
		const bool on_device = access->scope == VKR_ORDER_DEVICE ||
				       access->scope == VKR_ORDER_QUEUE_FAMILY;
		if (!is_seq_cst(search, x) &&
		    !(rules->readings.sequential_atomics && access->atomic))
			continue;
		system = system && wide && shared;
		device = device && on_device && !shared;
	}
	return system || device;
}

static void litmus_candidate_demand(struct search *search, struct relation *order)
{
	close_transitively(order);
	for (size_t x = 0; x < search->count; x++) {
		for (size_t y = 0; y < search->count; y++) {
			if (is_seq_cst(search, x) && is_seq_cst(search, y) &&
			    litmus_candidate_related(order, x, y))
				litmus_candidate_relate(&search->demands, x, y);
		}
	}
}

// "There is an apparent total order of all the memory_order_seq_cst atomic operations", consistent
// with program order, the coherent orders and happens-before, each by itself: so it has what each
// of them orders of these, and there is one where that has no cycle.
static bool can_be_sequential(struct search *search)
{
	litmus_candidate_clear(&search->demands);
	find_program_order(search, &search->scratch);
	litmus_candidate_demand(search, &search->scratch);
	for (size_t memory = 1; memory <= search->orders->execution->location_count; memory++) {
		litmus_candidate_clear(&search->scratch);
		add_coherent(search, memory, &search->scratch);
		litmus_candidate_demand(search, &search->scratch);
	}
	litmus_candidate_copy(&search->scratch, &search->before);
	litmus_candidate_demand(search, &search->scratch);
	return !has_cycle(search, &search->demands);
}

static const char *broken_by_hrf(struct search *search)
{
	const bool united = search->orders->rules->readings.coherence;
	for (size_t x = 0; x < search->count; x++) {
		const struct vkr_order_access *access = access_of(search, x);
		if (access->read && access->write && !is_adjacent(search, x))
			return "read-modify-write";
	}
	// Happens-before has the program order of a location, and of a space.
	if (!is_consistent_with_coherent(search, &search->before, united))
		return "happens-before";
	return has_sequential_order(search) && !can_be_sequential(search) ? "sequential-order"
									  : NULL;
}

// ---- Vulkan -------------------------------------------------------------------------------------

// The writes of one scoped modification order.
static bool is_modified_before(const struct search *search, size_t x, size_t y)
{
	const struct vkr_order_access *a = access_of(search, x), *b = access_of(search, y);
	return a->write && b->write && vkr_order_mutual(search->orders->order, a, b) &&
	       turn_of(search, x) < turn_of(search, y);
}

static size_t find_access(const struct search *search, uint32_t event)
{
	for (size_t x = 0; x < search->count; x++) {
		if (search->events[x] == event)
			return x;
	}
	return SIZE_MAX;
}

// Whether the read's value is an earlier one than the write's: by the scoped modification order, or
// by location-order, in which "visible-to" says as much of ordinary accesses.
static bool is_from_read(const struct search *search, size_t read, size_t write)
{
	if (!access_of(search, read)->read || !access_of(search, write)->write ||
	    !litmus_candidate_overlap(search, read, write))
		return false;
	const size_t from = find_access(search, event_of(search, read)->from);
	return from == SIZE_MAX || is_modified_before(search, from, write) ||
	       litmus_candidate_related(&search->before, from, write);
}

// "Acyclicity" of today's appendix.
static const char *broken_by_vulkan(struct search *search)
{
	struct relation *all = &search->scratch;
	litmus_candidate_copy(all, &search->before);
	for (size_t x = 0; x < search->count; x++) {
		const size_t from = access_of(search, x)->read
					    ? find_access(search, event_of(search, x)->from)
					    : SIZE_MAX;
		if (from != SIZE_MAX)
			litmus_candidate_relate(all, from, x);
		for (size_t y = 0; y < search->count; y++) {
			if (is_modified_before(search, x, y) || is_from_read(search, x, y))
				litmus_candidate_relate(all, x, y);
		}
	}
	return has_cycle(search, all) ? "acyclicity" : NULL;
}

// Of two events, or initial values, the first is a write earlier in a modification order.
static bool is_earlier(const struct search *search, uint32_t one, uint32_t other)
{
	const struct vkr_litmus_orders *orders = search->orders;
	if (one == VKR_LITMUS_NONE || other == VKR_LITMUS_NONE)
		return other != VKR_LITMUS_NONE;
	const struct vkr_order_access *a = &orders->accesses[one], *b = &orders->accesses[other];
	return a->atomic && a->write && b->atomic && b->write && a->memory == b->memory &&
	       a->offset == b->offset && a->size == b->size &&
	       orders->sort->turns[one] < orders->sort->turns[other];
}

// "Scoped Modification Order Coherence" of 2018: of a write its own place in the order, of a read
// that of the write whose value it takes.
static bool is_incoherent(const struct search *search, size_t x, size_t y)
{
	const struct vkr_order_access *a = access_of(search, x), *b = access_of(search, y);
	const struct vkr_order *order = search->orders->order;
	if (x == y || !vkr_order_mutual(order, a, b) || !vkr_order_happens_before(order, a, b))
		return false;
	const uint32_t one = search->events[x], other = search->events[y];
	const uint32_t from = event_of(search, x)->from, later = event_of(search, y)->from;
	return (a->write && b->write && !is_earlier(search, one, other)) ||
	       (a->read && b->read && is_earlier(search, later, from)) ||
	       (a->write && b->read && is_earlier(search, later, one)) ||
	       (a->read && b->write && !is_earlier(search, from, other));
}

// "Visible-To": a write between that is location-ordered hides the one before it.
static bool is_hidden(const struct search *search, size_t read)
{
	const uint32_t from = event_of(search, read)->from;
	const size_t source = find_access(search, from);
	for (size_t z = 0; z < search->count; z++) {
		if (z != source && litmus_candidate_overlap(search, read, z) &&
		    access_of(search, z)->write &&
		    litmus_candidate_related(&search->before, z, read) &&
		    (source == SIZE_MAX || litmus_candidate_related(&search->before, source, z)))
			return true;
	}
	return false;
}

static const char *broken_by_vulkan_2018(const struct search *search)
{
	for (size_t x = 0; x < search->count; x++) {
		if (access_of(search, x)->read && is_hidden(search, x))
			return "visible-to";
		for (size_t y = 0; y < search->count; y++) {
			if (is_incoherent(search, x, y))
				return "modification-order";
		}
	}
	return NULL;
}

// ---- All ----------------------------------------------------------------------------------------

static bool is_located(const struct search *search, size_t x, size_t y)
{
	const struct vkr_order_access *a = access_of(search, x), *b = access_of(search, y);
	const uint64_t begin = a->offset > b->offset ? a->offset : b->offset;
	const uint64_t a_end = a->offset + a->size, b_end = b->offset + b->size;
	if (!litmus_candidate_overlap(search, x, y))
		return false;
	for (uint64_t byte = begin; byte < a_end && byte < b_end; byte++) {
		if (vkr_order_located(search->orders->order, a, b, byte))
			return true;
	}
	return false;
}

static void find_before(struct search *search)
{
	const bool hrf = vkr_memory_is_hrf(search->orders->rules);
	for (size_t x = 0; x < search->count; x++) {
		for (size_t y = 0; y < search->count; y++) {
			if (x != y &&
			    (hrf ? vkr_order_is_before(search->orders->order, access_of(search, x),
						       access_of(search, y))
				 : is_located(search, x, y)))
				litmus_candidate_relate(&search->before, x, y);
		}
	}
}

static const char *find_broken(struct search *search)
{
	find_before(search);
	if (vkr_memory_is_hrf(search->orders->rules))
		return broken_by_hrf(search);
	return search->orders->rules->model == VKR_MEMORY_VULKAN_2018
		       ? broken_by_vulkan_2018(search)
		       : broken_by_vulkan(search);
}

enum vkr_result vkr_litmus_find_broken(const struct vkr_litmus_orders *orders, const char **broken,
				       struct vkr_error *error)
{
	struct search search = {.orders = orders};
	const size_t events = orders->execution->event_count;
	search.events = calloc(events + 1, sizeof *search.events);
	for (uint32_t i = 0; search.events && i < events; i++) {
		if (orders->execution->events[i].reference != VKR_LITMUS_NONE)
			search.events[search.count++] = i;
	}
	search.path = calloc(2 * search.count + 1, sizeof *search.path);
	search.state = calloc(search.count + 1, sizeof *search.state);
	const bool room = search.events && search.path && search.state &&
			  make_relation(&search.before, search.count) &&
			  make_relation(&search.scratch, search.count) &&
			  make_relation(&search.demands, search.count);
	*broken = room ? find_broken(&search) : NULL;
	free(search.events);
	free(search.path);
	free(search.state);
	free(search.before.rows);
	free(search.scratch.rows);
	free(search.demands.rows);
	return room ? VKR_OK : vkr_error_memory(error, "orders of a litmus execution");
}
