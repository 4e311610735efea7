// SPDX-License-Identifier: Apache-2.0
// Order between commands: random timelines against a brute-force reading of "Execution and Memory
// Dependencies".
#include "engine_world.h"
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NODES 26u
#define LINES 2u

// MARK: where a first scope may end. SECTION: begins one, or ends the one that is open.
enum node_kind { ACCESS, BARRIER, RELEASE, ACQUIRE, MARK, SECTION };

// A stage that commands have in sections only.
#define INSIDE UINT64_C(4)

struct node {
	enum node_kind kind;
	uint32_t timeline, place, command, from; // from: the release of an acquire
	uint64_t stage, access;                  // of an access
	uint64_t source, destination;            // stages
	uint64_t source_access, destination_access;
	uint64_t low, high;
	uint32_t memory; // 1 or 2, of low and high
	bool everywhere;
	bool local;       // of a barrier
	uint32_t at;      // one of two places, of an access
	uint32_t section; // that it stands in; 0: none
	uint32_t since;   // of a barrier: its first scope ends at this node
	bool beyond;      // a barrier that is not limited to its section
	bool over;        // of a section's end: no barrier comes since a mark in any so far
};

// What random nodes were made, and where sections stand on each timeline.
struct sketch {
	struct node nodes[NODES];
	uint32_t count;
	struct {
		uint32_t section, begun, over; // section: that is open; 0: none
	} lines[LINES];
};

// The section that a barrier's first scope is limited to, and its second one; 0: to none.
static uint32_t first_section(const struct node *nodes, const struct node *node)
{
	return node->kind != BARRIER || (node->beyond && node->since == node->place)
		       ? 0
		       : nodes[node->since].section;
}

static uint32_t second_section(const struct node *node)
{
	return node->kind != BARRIER || node->beyond ? 0 : node->section;
}

// Whether sections leave something that may be in the scopes of both.
static bool in_section(const struct node *nodes, const struct node *x, const struct node *y)
{
	const uint32_t out = second_section(x), in = first_section(nodes, y);
	if (x->kind == ACCESS)
		return in == 0 || in == x->section;
	if (y->kind == ACCESS)
		return out == 0 || out == y->section;
	return in == 0 || out == 0 || in == out;
}

// What is at a place, or is of one, and everything else.
#define ANYWHERE 2u

// A local barrier is two: one at each place.
static uint32_t firsts(const struct node *node)
{
	return node->local ? 0 : ANYWHERE;
}

static uint32_t place_of(const struct node *node)
{
	return node->kind == ACCESS ? node->at : ANYWHERE;
}

static bool meet(uint32_t a, uint32_t b)
{
	return a == ANYWHERE || b == ANYWHERE || a == b;
}

static bool edge(const struct node *nodes, uint32_t a, uint32_t at, uint32_t b, uint32_t bt)
{
	const struct node *x = &nodes[a], *y = &nodes[b];
	const uint64_t out = x->kind == ACCESS ? x->stage : x->destination;
	const uint64_t in = y->kind == ACCESS ? y->stage : y->source;
	if (y->kind == ACQUIRE)
		return x->kind == RELEASE && y->from == a;
	if (x->kind == RELEASE || x->timeline != y->timeline || x->place >= y->since ||
	    !in_section(nodes, x, y))
		return false;
	// Only places that are told apart must meet: those of local barriers.
	if ((x->local || y->local) && !meet(at, bt))
		return false;
	return (out & in) && !(x->kind == ACCESS && y->kind == ACCESS);
}

static bool path(const struct node *nodes, uint32_t a, uint32_t at, uint32_t b, uint32_t bt)
{
	if (edge(nodes, a, at, b, bt))
		return true;
	for (uint32_t i = a + 1; i < b; i++)
		for (uint32_t it = firsts(&nodes[i]); it <= (nodes[i].local ? 1 : ANYWHERE); it++)
			if (nodes[i].kind != ACCESS && edge(nodes, a, at, i, it) &&
			    path(nodes, i, it, b, bt))
				return true;
	return false;
}

// A byte of memory 2 counts from here.
#define SECOND_MEMORY 16u

static bool in_range(const struct node *node, uint64_t byte)
{
	return node->everywhere ||
	       (node->memory == 1 + byte / SECOND_MEMORY && node->low <= byte % SECOND_MEMORY &&
		byte % SECOND_MEMORY < node->high);
}

// Whether what is available by a barrier, or a place of it, becomes visible to y.
static bool visible(const struct node *nodes, uint32_t a, uint32_t at, uint32_t y, uint64_t offset)
{
	for (uint32_t v = a; v < y; v++) {
		const bool shows = nodes[v].kind == ACQUIRE ||
				   (nodes[v].kind == BARRIER &&
				    (nodes[v].destination_access & nodes[y].access) &&
				    in_range(&nodes[v], offset));
		for (uint32_t vt = firsts(&nodes[v]); vt <= (nodes[v].local ? 1 : ANYWHERE); vt++)
			if (shows && edge(nodes, v, vt, y, nodes[y].at) &&
			    (v == a ? vt == at : path(nodes, a, at, v, vt)))
				return true;
	}
	return false;
}

static enum vkr_race_class brute(const struct node *nodes, uint32_t x, uint32_t y, uint64_t offset,
				 bool write, bool read)
{
	bool available = false;
	if (!path(nodes, x, place_of(&nodes[x]), y, place_of(&nodes[y])))
		return VKR_RACE_UNORDERED;
	if (!write)
		return VKR_RACE_NONE;
	for (uint32_t a = x + 1; a < y; a++) {
		const bool makes =
			nodes[a].kind == RELEASE ||
			(nodes[a].kind == BARRIER && (nodes[a].source_access & nodes[x].access) &&
			 in_range(&nodes[a], offset));
		for (uint32_t at = firsts(&nodes[a]); at <= (nodes[a].local ? 1 : ANYWHERE); at++) {
			if (!makes || !edge(nodes, x, nodes[x].at, a, at) ||
			    !path(nodes, a, at, y, nodes[y].at))
				continue;
			available = true;
			if (visible(nodes, a, at, y, offset))
				return VKR_RACE_NONE;
		}
	}
	if (!available)
		return VKR_RACE_UNAVAILABLE;
	return read ? VKR_RACE_INVISIBLE : VKR_RACE_NONE;
}

// A mark whose first scope a barrier may have; else itself.
static uint32_t random_mark(uint64_t *random, const struct sketch *sketch, const struct node *node)
{
	const uint32_t since = world_random(random, node->place + 1);
	const struct node *mark = &sketch->nodes[since];
	const bool over = mark->section != 0 && mark->section <= sketch->lines[node->timeline].over;
	return mark->kind == MARK && mark->timeline == node->timeline && !over ? since
									       : node->place;
}

// False where it is an acquire that found no release, or an access that stands in no section.
static bool random_node(uint64_t *random, struct sketch *sketch)
{
	static const enum node_kind kinds[] = {ACCESS, BARRIER, RELEASE, ACQUIRE,
					       ACCESS, BARRIER, MARK,    SECTION};
	struct node *node = &sketch->nodes[sketch->count];
	*node = (struct node){.timeline = world_random(random, LINES), .place = sketch->count};
	node->stage = UINT64_C(1) << world_random(random, 3);
	node->access = UINT64_C(1) << world_random(random, 2);
	node->source = 1 + world_random(random, 7);
	node->destination = 1 + world_random(random, 7);
	node->source_access = world_random(random, 4);
	node->destination_access = world_random(random, 4);
	node->everywhere = world_random(random, 2);
	node->low = world_random(random, 3);
	node->high = node->low + 1 + world_random(random, 2);
	node->memory = 1;
	node->kind = kinds[world_random(random, 8)];
	node->at = world_random(random, 2);
	node->section = sketch->lines[node->timeline].section;
	node->beyond = world_random(random, 4) == 0;
	node->over = world_random(random, 2);
	node->since = node->kind == BARRIER ? random_mark(random, sketch, node) : node->place;
	if (node->kind == RELEASE || node->kind >= MARK)
		node->destination = 0;
	if (node->kind == ACQUIRE) {
		node->from = world_random(random, sketch->count + 1);
		if (sketch->nodes[node->from].kind != RELEASE)
			return false;
	}
	if (node->kind == ACQUIRE || node->kind >= MARK)
		node->source = 0;
	return node->kind != ACCESS || node->section != 0 || node->stage != INSIDE;
}

static void end_node(struct sketch *sketch)
{
	const struct node *node = &sketch->nodes[sketch->count++];
	uint32_t *section = &sketch->lines[node->timeline].section;
	if (node->kind != SECTION)
		return;
	if (*section != 0 && node->over)
		sketch->lines[node->timeline].over = *section;
	*section = *section != 0 ? 0 : ++sketch->lines[node->timeline].begun;
}

// Random nodes and what the queues made of them.
struct round {
	struct vkr_queues queues;
	struct sketch sketch;
	struct vkr_engine_mark marks[NODES];
	uint32_t tokens[NODES], lines[3];
	uint64_t seed;
};

static void feed_barrier(struct round *round, const struct node *node)
{
	const struct vkr_engine_barrier_access access = {
		.source_accesses = node->source_access,
		.destination_accesses = node->destination_access,
		.memory = node->everywhere ? 0 : node->memory,
		.offset = node->low,
		.bytes = node->high - node->low};
	const struct vkr_engine_dependency dependency = {.source_stages = node->source,
							 .destination_stages = node->destination,
							 .local = node->local ? VKR_ENGINE_BY_REGION
									      : 0u,
							 .beyond = node->beyond,
							 .accesses = &access,
							 .access_count = 1};
	struct vkr_error error;
	OK(vkr_queues_dependencies(&round->queues, round->lines[node->timeline],
				   node->since != node->place ? &round->marks[node->since] : NULL,
				   0, &dependency, 1, &error));
}

static void feed(struct round *round, uint32_t number)
{
	struct node *node = &round->sketch.nodes[number];
	const uint32_t line = round->lines[node->timeline];
	struct vkr_error error;
	switch (node->kind) {
	case ACCESS:
		OK(vkr_queues_command(&round->queues, line, 0, &node->command, &error));
		break;
	case BARRIER:
		feed_barrier(round, node);
		break;
	case RELEASE:
		OK(vkr_queues_release(&round->queues, line, node->source, false,
				      &round->tokens[number], &error));
		break;
	case ACQUIRE:
		OK(vkr_queues_acquire(&round->queues, line, round->tokens[node->from],
				      node->destination, &error));
		break;
	case MARK:
		round->marks[number] = vkr_queues_mark(&round->queues, line);
		break;
	case SECTION:
		if (node->section == 0)
			OK(vkr_queues_section_begin(&round->queues, line, INSIDE, &error));
		else
			vkr_queues_section_end(&round->queues, line);
		break;
	}
}

static void compare(const struct round *round, uint32_t x, uint32_t y, uint64_t byte, bool write,
		    bool read)
{
	const struct node *nodes = round->sketch.nodes;
	const uint64_t base = byte - byte % SECOND_MEMORY;
	struct vkr_verdict_range place = {.memory = 1 + (uint32_t)(byte / SECOND_MEMORY),
					  .offset = byte % SECOND_MEMORY,
					  .high = UINT64_MAX};
	const struct vkr_side from = {.command = nodes[x].command,
				      .stage = nodes[x].stage,
				      .access = nodes[x].access,
				      .read = !write,
				      .write = write,
				      .coherent = true};
	const bool apart = nodes[x].at != nodes[y].at &&
			   vkr_queues_tells_apart(&round->queues, nodes[y].command, 0);
	const struct vkr_side to = {.command = nodes[y].command,
				    .stage = nodes[y].stage,
				    .access = nodes[y].access,
				    .read = read,
				    .write = !read,
				    .coherent = true,
				    .apart = apart};
	uint32_t shortfall;
	const enum vkr_race_class got =
		vkr_queues_verdict(&round->queues, &from, &to, &place, &shortfall);
	const enum vkr_race_class want = brute(nodes, x, y, byte, write, read);
	if (got != want)
		fail_msg("seed %llu, nodes %u and %u, byte %llu: engine %d, brute force %d",
			 (unsigned long long)round->seed, x, y, (unsigned long long)byte, got,
			 want);
	// The range in which the verdict is said to hold.
	for (uint64_t other = 0; other < 4; other++) {
		if (other >= place.low && other < place.high)
			assert_int_equal(brute(nodes, x, y, base + other, write, read), want);
	}
}

static void random_round(uint64_t seed)
{
	struct round round = {.seed = seed};
	const struct node *nodes = round.sketch.nodes;
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	struct vkr_error error;

	vkr_queues_init(&round.queues);
	for (uint32_t i = 0; i < 3; i++)
		OK(vkr_queues_timeline(&round.queues, false, 0, &round.lines[i], &error));
	while (round.sketch.count < NODES) {
		struct node *node = &round.sketch.nodes[round.sketch.count];
		if (!random_node(&random, &round.sketch))
			continue;
		node->local = node->kind == BARRIER && !node->beyond && world_random(&random, 2);
		node->memory = 1 + world_random(&random, 2);
		feed(&round, round.sketch.count);
		end_node(&round.sketch);
	}
	for (uint32_t x = 0; x < NODES; x++) {
		for (uint32_t y = x + 1; y < NODES; y++) {
			for (uint32_t bits = 0; bits < 32; bits++) {
				const uint64_t byte = (bits >> 2) % 4 + (bits >> 4) * SECOND_MEMORY;
				if (nodes[x].kind == ACCESS && nodes[y].kind == ACCESS)
					compare(&round, x, y, byte, bits & 1, bits & 2);
			}
		}
	}
	for (uint32_t at = 0; at < NODES; at++)
		if (nodes[at].kind == MARK)
			vkr_state_drop(round.marks[at].state);
	vkr_queues_finish(&round.queues);
}

// These timelines go through the whole engine, on three bytes: whatever it forgets on the way, it
// reports a race for each byte that has one, and only such races.
struct history {
	struct sketch sketch;
	struct vkr_engine_mark *marks[NODES];
	uint32_t tokens[NODES], lines[LINES];
	bool write[NODES], raced[3];
	uint64_t seed;
};

static void history_race(void *context, const struct vkr_engine_race *race)
{
	struct history *history = context;
	const uint32_t x = (uint32_t)race->first.tag, y = (uint32_t)race->second.tag;
	if (brute(history->sketch.nodes, x, y, race->offset, history->write[x],
		  !history->write[y]) != race->race_class)
		fail_msg("seed %llu: no race between nodes %u and %u",
			 (unsigned long long)history->seed, x, y);
	history->raced[race->offset] = true;
}

static void history_section(const struct node *node, struct vkr_engine *engine, uint32_t line)
{
	struct vkr_error error;
	if (node->section == 0) {
		OK(vkr_engine_section_begin(engine, line, INSIDE, &error));
		return;
	}
	vkr_engine_section_end(engine, line);
	if (node->over)
		vkr_engine_sections_over(engine, line);
}

static void history_node(struct history *history, struct vkr_engine *engine, uint32_t i)
{
	const struct node *node = &history->sketch.nodes[i];
	const uint32_t line = history->lines[node->timeline];
	const struct vkr_engine_site site = {.stage = node->stage,
					     .access = node->access,
					     .flags = history->write[i] ? VKR_ENGINE_WRITE
									: VKR_ENGINE_READ};
	const struct vkr_engine_barrier_access access = {.source_accesses = node->source_access,
							 .destination_accesses =
								 node->destination_access,
							 .memory = node->everywhere ? 0 : 1,
							 .offset = node->low,
							 .bytes = node->high - node->low};
	const struct vkr_engine_dependency dependency = {.source_stages = node->source,
							 .destination_stages = node->destination,
							 .beyond = node->beyond,
							 .accesses = &access,
							 .access_count = 1};
	struct vkr_error error;
	uint32_t command, id;

	switch (node->kind) {
	case ACCESS:
		OK(vkr_engine_command(engine, line, i, &command, &error));
		OK(vkr_engine_site_add(engine, &site, &id, &error));
		OK(vkr_engine_access_range(engine, command, id, 1, node->low, 1, &error));
		vkr_engine_command_end(engine, command);
		break;
	case BARRIER:
		OK(vkr_engine_dependencies_since(
			engine, line, node->since != i ? history->marks[node->since] : NULL, i,
			&dependency, 1, &error));
		break;
	case RELEASE:
		OK(vkr_engine_release(engine, line, node->source, false, &history->tokens[i],
				      &error));
		break;
	case ACQUIRE:
		OK(vkr_engine_acquire(engine, line, history->tokens[node->from], node->destination,
				      &error));
		break;
	case MARK:
		OK(vkr_engine_mark_create(engine, line, &history->marks[i], &error));
		break;
	case SECTION:
		history_section(node, engine, line);
		break;
	}
}

static void history_round(uint64_t seed)
{
	struct history history = {.seed = seed};
	const struct vkr_engine_options options = {.context = &history, .race = history_race};
	struct vkr_engine *engine;
	struct vkr_error error;
	struct sketch *sketch = &history.sketch;
	const struct node *nodes = sketch->nodes;
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	bool wanted[3] = {false};

	OK(vkr_engine_create(&options, &engine, &error));
	OK(vkr_engine_queue(engine, 0, &history.lines[0], &error));
	OK(vkr_engine_queue(engine, 0, &history.lines[1], &error));
	OK(vkr_engine_memory(engine, 1, 3, true, &error));
	while (sketch->count < NODES) {
		if (!random_node(&random, sketch))
			continue;
		history.write[sketch->count] = world_random(&random, 3) == 0;
		history_node(&history, engine, sketch->count);
		end_node(sketch);
	}
	for (uint32_t y = 0; y < sketch->count; y++) {
		for (uint32_t x = 0; x < y; x++) {
			const uint64_t byte = nodes[x].low;
			if (nodes[x].kind == ACCESS && nodes[y].kind == ACCESS &&
			    byte == nodes[y].low && (history.write[x] || history.write[y]) &&
			    brute(nodes, x, y, byte, history.write[x], !history.write[y]))
				wanted[byte] = true;
		}
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (wanted[i] != history.raced[i])
			fail_msg("seed %llu, byte %u: the engine tells %d, brute force %d",
				 (unsigned long long)seed, i, history.raced[i], wanted[i]);
	}
	for (uint32_t at = 0; at < NODES; at++)
		if (nodes[at].kind == MARK)
			vkr_engine_mark_drop(history.marks[at]);
	vkr_engine_destroy(engine);
}

static void test_random(void **state)
{
	const char *given = getenv("VKRACE_TEST_SEED");
	const uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
	(void)state;
	print_message("seed %llu (VKRACE_TEST_SEED sets it)\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < 500; i++)
		random_round(seed + i);
	for (uint64_t i = 0; i < 3000; i++)
		history_round(seed + i);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
