// SPDX-License-Identifier: Apache-2.0
// Order between commands: random timelines against a brute-force reading of "Execution and Memory
// Dependencies".
#include "engine_world.h"
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NODES 24u

enum node_kind { ACCESS, BARRIER, RELEASE, ACQUIRE };

struct node {
	enum node_kind kind;
	uint32_t timeline, place, command, from; // from: the release of an acquire
	uint64_t stage, access;                  // of an access
	uint64_t source, destination;            // stages
	uint64_t source_access, destination_access;
	uint64_t low, high;
	uint32_t memory; // 1 or 2, of low and high
	bool everywhere;
	bool local;  // of a barrier
	uint32_t at; // one of two places, of an access
};

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
	if (x->kind == RELEASE || x->timeline != y->timeline || x->place >= y->place)
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

// An acquire that found no release has itself for one.
static void random_node(uint64_t *random, struct node *nodes, uint32_t count)
{
	struct node *node = &nodes[count];
	*node = (struct node){.timeline = world_random(random, 2), .place = count};
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
	node->kind = (enum node_kind)(world_random(random, 5) % 4);
	node->at = world_random(random, 2);
	if (node->kind == RELEASE)
		node->destination = 0;
	if (node->kind == ACQUIRE) {
		node->source = 0;
		node->from = world_random(random, count + 1);
		if (nodes[node->from].kind != RELEASE)
			node->from = count;
	}
}

// Random nodes and what the queues made of them.
struct round {
	struct vkr_queues queues;
	struct node nodes[NODES];
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
							 .accesses = &access,
							 .access_count = 1};
	struct vkr_error error;
	OK(vkr_queues_dependencies(&round->queues, round->lines[node->timeline], NULL, 0,
				   &dependency, 1, &error));
}

static void feed(struct round *round, uint32_t number)
{
	struct node *node = &round->nodes[number];
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
	}
}

static void compare(const struct round *round, uint32_t x, uint32_t y, uint64_t byte, bool write,
		    bool read)
{
	const struct node *nodes = round->nodes;
	const uint64_t base = byte - byte % SECOND_MEMORY;
	struct vkr_place place = {.memory = 1 + (uint32_t)(byte / SECOND_MEMORY),
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
	const struct node *nodes = round.nodes;
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	struct vkr_error error;

	vkr_queues_init(&round.queues);
	for (uint32_t i = 0; i < 3; i++)
		OK(vkr_queues_timeline(&round.queues, false, 0, &round.lines[i], &error));
	for (uint32_t count = 0; count < NODES;) {
		struct node *node = &round.nodes[count];
		random_node(&random, round.nodes, count);
		node->local = node->kind == BARRIER && world_random(&random, 2);
		node->memory = 1 + world_random(&random, 2);
		if (node->kind != ACQUIRE || node->from != count)
			feed(&round, count++);
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
	vkr_queues_finish(&round.queues);
}

// The same timelines through the whole engine, on three bytes: whatever is forgotten on the way, a
// byte that has a race is told to have one, and each race told is one.
struct history {
	struct node nodes[NODES];
	bool write[NODES], raced[3];
	uint64_t seed;
};

static void history_race(void *context, const struct vkr_engine_race *race)
{
	struct history *history = context;
	const uint32_t x = (uint32_t)race->first.tag, y = (uint32_t)race->second.tag;
	if (brute(history->nodes, x, y, race->offset, history->write[x], !history->write[y]) !=
	    race->race_class)
		fail_msg("seed %llu: no race between nodes %u and %u",
			 (unsigned long long)history->seed, x, y);
	history->raced[race->offset] = true;
}

static void history_node(struct history *history, struct vkr_engine *engine, const uint32_t *lines,
			 uint32_t *tokens, uint32_t i)
{
	const struct node *node = &history->nodes[i];
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
							 .accesses = &access,
							 .access_count = 1};
	struct vkr_error error;
	uint32_t command, id;

	switch (node->kind) {
	case ACCESS:
		OK(vkr_engine_command(engine, lines[node->timeline], i, &command, &error));
		OK(vkr_engine_site_add(engine, &site, &id, &error));
		OK(vkr_engine_access_range(engine, command, id, 1, node->low, 1, &error));
		vkr_engine_command_end(engine, command);
		break;
	case BARRIER:
		OK(vkr_engine_dependencies(engine, lines[node->timeline], i, &dependency, 1,
					   &error));
		break;
	case RELEASE:
		OK(vkr_engine_release(engine, lines[node->timeline], node->source, false,
				      &tokens[i], &error));
		break;
	case ACQUIRE:
		OK(vkr_engine_acquire(engine, lines[node->timeline], tokens[node->from],
				      node->destination, &error));
		break;
	}
}

static void history_round(uint64_t seed)
{
	struct history history = {.seed = seed};
	const struct vkr_engine_options options = {.context = &history, .race = history_race};
	struct vkr_engine *engine;
	struct vkr_error error;
	uint32_t tokens[NODES], lines[2], count = 0;
	uint64_t random = seed * 2654435761u + 88172645463325252u;
	bool wanted[3] = {false};

	OK(vkr_engine_create(&options, &engine, &error));
	OK(vkr_engine_queue(engine, 0, &lines[0], &error));
	OK(vkr_engine_queue(engine, 0, &lines[1], &error));
	OK(vkr_engine_memory(engine, 1, 3, true, &error));
	while (count < NODES) {
		random_node(&random, history.nodes, count);
		history.write[count] = world_random(&random, 3) == 0;
		if (history.nodes[count].kind == ACQUIRE && history.nodes[count].from == count)
			continue;
		history_node(&history, engine, lines, tokens, count++);
	}
	for (uint32_t y = 0; y < count; y++) {
		for (uint32_t x = 0; x < y; x++) {
			const uint64_t byte = history.nodes[x].low;
			if (history.nodes[x].kind == ACCESS && history.nodes[y].kind == ACCESS &&
			    byte == history.nodes[y].low &&
			    (history.write[x] || history.write[y]) &&
			    brute(history.nodes, x, y, byte, history.write[x], !history.write[y]))
				wanted[byte] = true;
		}
	}
	for (uint32_t i = 0; i < 3; i++) {
		if (wanted[i] != history.raced[i])
			fail_msg("seed %llu, byte %u: the engine tells %d, brute force %d",
				 (unsigned long long)seed, i, history.raced[i], wanted[i]);
	}
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
