// SPDX-License-Identifier: Apache-2.0
// Order between commands by atomics, fences and barriers of execution alone, case by case: what the
// appendix "Memory Model" says of each stands beside it, and the oracle says the same. Knows which
// cases there are; nothing of how they are judged.
#include "linked_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DATA, OTHER, FLAG, SECOND }; // words

#define AVAILABLE VKR_ORDER_MAKE_AVAILABLE
#define VISIBLE   VKR_ORDER_MAKE_VISIBLE
#define FAMILY    VKR_SCOPE_QUEUE_FAMILY
#define DEVICE    VKR_SCOPE_DEVICE

static struct linked_event event(enum vkr_site_operation operation, uint32_t word)
{
	return (struct linked_event){.word = word,
				     .site = {.operation = (uint8_t)operation,
					      .storage_class = VKR_CLASS_UNIFORM,
					      .flags = VKR_SITE_NONPRIVATE,
					      .words = 1,
					      .bytes = 4}};
}

static struct linked_event load(uint32_t word)
{
	return event(VKR_SITE_LOAD, word);
}

static struct linked_event store(uint32_t word)
{
	return event(VKR_SITE_STORE, word);
}

// Not for other agents to see.
static struct linked_event private(struct linked_event made)
{
	made.site.flags = 0;
	return made;
}

static struct linked_event coherent(struct linked_event made, uint8_t scope)
{
	made.site.flags |= VKR_SITE_MAKE_AVAILABLE | VKR_SITE_MAKE_VISIBLE;
	made.site.flags &= made.site.operation == VKR_SITE_LOAD ? (uint16_t)~VKR_SITE_MAKE_AVAILABLE
								: (uint16_t)~VKR_SITE_MAKE_VISIBLE;
	made.site.available_scope = made.site.visible_scope = scope;
	return made;
}

static struct linked_event atomic(enum vkr_site_operation operation, uint32_t word, unsigned order,
				  uint8_t scope)
{
	struct linked_event made = event(operation, word);
	made.site.flags |= VKR_SITE_VALUES;
	made.site.words = operation == VKR_SITE_ATOMIC_RMW ? 3 : 2;
	made.site.order = (uint8_t)order;
	made.site.semantics = order ? VKR_CLASS_UNIFORM : 0;
	made.site.scope = scope;
	return made;
}

static struct linked_event release(uint32_t word)
{
	return atomic(VKR_SITE_ATOMIC_STORE, word, VKR_ORDER_RELEASE | AVAILABLE, FAMILY);
}

static struct linked_event acquire(uint32_t word)
{
	return atomic(VKR_SITE_ATOMIC_LOAD, word, VKR_ORDER_ACQUIRE | VISIBLE, FAMILY);
}

static struct linked_event relaxed_update(uint32_t word)
{
	return atomic(VKR_SITE_ATOMIC_RMW, word, 0, FAMILY);
}

static struct linked_event fence(unsigned order)
{
	return (struct linked_event){.site = {.operation = VKR_SITE_MEMORY_BARRIER,
					      .order = (uint8_t)order,
					      .semantics = VKR_CLASS_UNIFORM,
					      .scope = FAMILY,
					      .variable = UINT32_MAX}};
}

#define RELEASES fence(VKR_ORDER_RELEASE | AVAILABLE)
#define ACQUIRES fence(VKR_ORDER_ACQUIRE | VISIBLE)

static struct linked_program *program;

static void add(uint32_t queue, bool barrier, const struct linked_event *events, size_t count)
{
	struct linked_command *command = &program->commands[program->command_count++];
	assert_true(program->command_count <= LINKED_COMMANDS && count <= LINKED_EVENTS);
	*command = (struct linked_command){.queue = queue, .agent_count = 1, .barrier = barrier};
	for (size_t at = 0; at < count; at++) {
		struct linked_event *made = &command->agents[0].events[at];
		*made = events[at];
		made->line = made->site.line =
			program->command_count * LINKED_EVENTS + (uint32_t)at;
	}
	command->agents[0].count = (uint32_t)count;
}

// A command on a queue, with or without a barrier before it there.
#define COMMAND(queue, ...)                                                                        \
	add(queue, false, (const struct linked_event[]){__VA_ARGS__},                              \
	    sizeof((const struct linked_event[]){__VA_ARGS__}) / sizeof(struct linked_event))
#define BEHIND(queue, ...)                                                                         \
	add(queue, true, (const struct linked_event[]){__VA_ARGS__},                               \
	    sizeof((const struct linked_event[]){__VA_ARGS__}) / sizeof(struct linked_event))

// Runs the commands in their order. A bit for each word with races.
static void expect_at(unsigned words)
{
	static const uint32_t turns[] = {0, 1, 2, 3, 4};
	unsigned wanted = 0;
	linked_run(program, NULL, turns);
	assert_true(linked_agree(program, "case", &wanted));
	assert_int_equal(wanted, words);
	*program = (struct linked_program){.chains = true};
}

// At DATA, and nowhere else.
static void expect(bool race)
{
	expect_at(race ? 1u << DATA : 0);
}

static int set_up(void **state)
{
	(void)state;
	program = calloc(1, sizeof *program);
	if (program != NULL)
		program->chains = true;
	return program == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	free(program);
	return 0;
}

// A releases to B on another queue, and behind a barrier there is C, which the barrier's first
// scope does not bring together with A: A's release synchronizes with B's acquire, which is in the
// first scope.
static void chain(struct linked_event written, struct linked_event released,
		  struct linked_event acquired)
{
	COMMAND(1, written, released);
	COMMAND(0, acquired);
}

static void test_acquired_then_barrier(void **state)
{
	(void)state;
	// The reader makes what is available to its family visible to itself.
	chain(store(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(false);
	chain(store(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, ACQUIRES, load(DATA));
	expect(false);
	// A write needs no visibility, and order is all that what reads needs.
	chain(store(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, store(DATA));
	expect(false);
	chain(load(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, store(DATA));
	expect(false);
}

static void test_acquired_then_barrier_racy(void **state)
{
	(void)state;
	// What B made visible is not visible to C.
	chain(store(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, load(DATA));
	expect(true);
	// The flag was not that of A, or was not released, or the data was not made available.
	chain(store(DATA), release(FLAG), acquire(SECOND));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(true);
	chain(store(DATA), atomic(VKR_SITE_ATOMIC_STORE, FLAG, 0, FAMILY), acquire(FLAG));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(true);
	chain(store(DATA), atomic(VKR_SITE_ATOMIC_STORE, FLAG, VKR_ORDER_RELEASE, FAMILY),
	      acquire(FLAG));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(true);
	// Private accesses are ordered by dependencies alone.
	chain(private(store(DATA)), release(FLAG), acquire(FLAG));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(true);
	chain(store(DATA), release(FLAG), acquire(FLAG));
	BEHIND(0, private(store(DATA)));
	expect(true);
	chain(private(load(DATA)), release(FLAG), acquire(FLAG));
	BEHIND(0, store(DATA));
	expect(true);
	// No barrier between B and C.
	chain(store(DATA), release(FLAG), acquire(FLAG));
	COMMAND(0, coherent(load(DATA), FAMILY));
	expect(true);
}

// A, a barrier, and B that releases to C on another queue.
static void test_barrier_then_released(void **state)
{
	(void)state;
	COMMAND(0, coherent(store(DATA), FAMILY));
	BEHIND(0, release(FLAG));
	COMMAND(1, acquire(FLAG), load(DATA));
	expect(false);
	COMMAND(0, store(DATA));
	BEHIND(0, release(FLAG)); // what B makes available is not what A wrote
	COMMAND(1, acquire(FLAG), load(DATA));
	expect(true);
	COMMAND(0, coherent(store(DATA), FAMILY));
	COMMAND(0, release(FLAG));
	COMMAND(1, acquire(FLAG), load(DATA));
	expect(true);
	// Barriers on both sides.
	COMMAND(0, coherent(store(DATA), FAMILY));
	BEHIND(0, release(FLAG));
	COMMAND(1, acquire(FLAG));
	BEHIND(1, coherent(load(DATA), FAMILY));
	expect(false);
}

// What a fence makes available or visible needs no access masks in a barrier.
static void test_fences(void **state)
{
	(void)state;
	COMMAND(0, store(DATA), RELEASES);
	BEHIND(0, ACQUIRES, load(DATA));
	expect(false);
	COMMAND(0, store(DATA), RELEASES);
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(false);
	COMMAND(0, store(DATA), release(FLAG));
	BEHIND(0, coherent(load(DATA), FAMILY));
	expect(false);
	COMMAND(0, coherent(store(DATA), FAMILY));
	BEHIND(0, acquire(FLAG), load(DATA));
	expect(false);
	// Another access of the invocation to the same bytes.
	COMMAND(0, store(DATA), coherent(store(DATA), FAMILY));
	BEHIND(0, coherent(load(DATA), FAMILY), load(DATA));
	expect(false);
}

static void test_fences_racy(void **state)
{
	(void)state;
	COMMAND(0, store(DATA), fence(VKR_ORDER_RELEASE));
	BEHIND(0, ACQUIRES, load(DATA));
	expect(true);
	COMMAND(0, RELEASES, store(DATA));
	BEHIND(0, ACQUIRES, load(DATA));
	expect(true);
	COMMAND(0, store(DATA), RELEASES);
	BEHIND(0, load(DATA), ACQUIRES);
	expect(true);
	COMMAND(0, private(store(DATA)), RELEASES);
	BEHIND(0, ACQUIRES, load(DATA));
	expect(true);
	COMMAND(0, store(DATA), RELEASES);
	COMMAND(0, ACQUIRES, load(DATA));
	expect(true);
}

// Scopes of a queue family reach no other one; the device's do.
static void test_families(void **state)
{
	(void)state;
	for (uint32_t family = 0; family < 2; family++)
		for (int device = 0; device < 2; device++) {
			const uint8_t scope = device ? DEVICE : FAMILY;
			program->families[1] = family;
			COMMAND(1, coherent(store(DATA), scope),
				atomic(VKR_SITE_ATOMIC_STORE, FLAG, VKR_ORDER_RELEASE, DEVICE));
			COMMAND(0, atomic(VKR_SITE_ATOMIC_LOAD, FLAG, VKR_ORDER_ACQUIRE, DEVICE));
			BEHIND(0, coherent(load(DATA), scope));
			expect(family != 0 && !device);
		}
}

// Order is all that a read through another descriptor needs, and not what a read needs that comes
// behind a write.
static void test_references(void **state)
{
	(void)state;
	for (int stores = 0; stores < 2; stores++) {
		struct linked_event other = stores ? store(DATA) : load(DATA);
		other.site.variable = 1;
		COMMAND(1, other, release(FLAG));
		COMMAND(0, acquire(FLAG), stores ? load(DATA) : store(DATA));
		expect(stores);
	}
}

// An update that orders nothing itself continues the release sequence that it read from.
static void test_updates(void **state)
{
	(void)state;
	COMMAND(0, store(DATA), release(FLAG));
	COMMAND(1, relaxed_update(FLAG));
	COMMAND(2, acquire(FLAG), load(DATA));
	expect(false);
	COMMAND(0, store(DATA), release(FLAG));
	COMMAND(1, atomic(VKR_SITE_ATOMIC_STORE, FLAG, 0, FAMILY));
	COMMAND(2, acquire(FLAG), load(DATA));
	expect(true);
}

// An update whose values are not logged: it is unknown who read what it has written.
static void test_silent_updates(void **state)
{
	static const uint32_t turns[] = {0, 1, 2};
	(void)state;
	for (int ordered = 0; ordered < 2; ordered++) {
		struct linked_event update = relaxed_update(FLAG);
		bool coverage = false;
		unsigned open = 0;
		update.site.flags &= (uint16_t)~VKR_SITE_VALUES;
		update.site.words = 1;
		COMMAND(0, store(DATA), release(ordered ? FLAG : SECOND));
		COMMAND(1, update);
		COMMAND(2, acquire(FLAG), load(DATA));
		linked_run(program, NULL, turns);
		assert_int_equal(linked_ask_oracle(program, &open), ordered ? 0 : 1u << DATA);
		assert_int_equal(linked_ask_model(program, false, &coverage),
				 ordered ? 0 : 1u << DATA);
		assert_int_equal(coverage, ordered);
		*program = (struct linked_program){.chains = true};
	}
}

// B's access takes the place of that which A made before, behind which it is by a barrier: what C
// released to B is before the one and not before the other, in whichever order the logs come.
static void test_taken_place(void **state)
{
	(void)state;
	for (int racy = 0; racy < 2; racy++) {
		COMMAND(1, store(DATA), release(FLAG));
		COMMAND(0, load(racy ? DATA : OTHER), acquire(SECOND));
		BEHIND(0, acquire(FLAG), load(DATA));
		expect(racy);
	}
	// Another word of A's is in no order, which is told by itself.
	COMMAND(1, store(OTHER), store(DATA), release(FLAG));
	COMMAND(0, load(DATA), load(OTHER), acquire(SECOND));
	BEHIND(0, acquire(FLAG), load(OTHER));
	expect_at(1u << DATA | 1u << OTHER);
	// C's own read, which C's write has hidden.
	COMMAND(1, store(DATA), release(FLAG), load(DATA));
	COMMAND(0, acquire(FLAG), store(DATA));
	expect(true);
}

// What is not logged, or private: its place is not taken either while
// somebody whose log comes later may be before who is behind it. A, behind nothing, races with C.
static void test_kept(void **state)
{
	(void)state;
	const struct linked_event firsts[] = {private(load(DATA)), private(store(DATA)), load(DATA),
					      store(DATA)};
	for (size_t at = 0; at < 2 * sizeof firsts / sizeof *firsts; at++) {
		COMMAND(1, store(DATA), release(FLAG));
		COMMAND(0, firsts[at / 2]);
		BEHIND(0, acquire(FLAG), store(DATA));
		program->commands[2].memory = at % 2;
		expect(true);
		COMMAND(1, store(DATA), release(FLAG));
		COMMAND(0, firsts[at / 2]);
		BEHIND(0, acquire(FLAG), load(OTHER));
		program->commands[2].memory = at % 2;
		BEHIND(0, store(DATA));
		program->commands[3].memory = at % 2;
		expect(true);
	}
}

// A transfer's place, which the oracle knows nothing of.
static void test_kept_fill(void **state)
{
	(void)state;
	for (int racy = 0; racy < 2; racy++) {
		static const uint32_t turns[] = {0, 1, 2};
		bool coverage = false;
		COMMAND(1, store(racy ? DATA : OTHER), release(FLAG));
		COMMAND(0, private(store(DATA)));
		program->commands[1].fills = true;
		BEHIND(0, acquire(FLAG), store(DATA));
		linked_run(program, NULL, turns);
		for (int put_off = 0; put_off < 2; put_off++)
			assert_int_equal(linked_ask_model(program, put_off, &coverage),
					 racy ? 1u << DATA : 0);
		assert_false(coverage);
		*program = (struct linked_program){.chains = true};
	}
}

static unsigned failures;

// Fixed function, of which the oracle knows nothing: what the model says alone, whichever queue's
// commands come first.
static void expect_model_at(bool race, int line)
{
	static const uint32_t turns[] = {0, 1, 2, 3, 4};
	const unsigned wanted = race ? 1u << DATA : 0;
	for (int swapped = 0; swapped < 2; swapped++) {
		for (uint32_t at = 0; at < program->command_count && swapped; at++)
			program->commands[at].queue = !program->commands[at].queue;
		linked_run(program, NULL, turns);
		for (int put_off = 0; put_off < 2; put_off++) {
			bool coverage = false;
			const unsigned words = linked_ask_model(program, put_off, &coverage);
			if (words == wanted && !coverage)
				continue;
			fprintf(stderr, "line %d%s%s: words %x, wanted %x%s%s\n", line,
				swapped ? ", swapped" : "", put_off ? ", put off" : "", words,
				wanted, coverage ? ", not observed" : "", program->found);
			failures++;
		}
	}
	*program = (struct linked_program){.chains = true};
}

#define expect_model(race) expect_model_at(race, __LINE__)

static void fill(uint32_t queue, bool barrier)
{
	const struct linked_event written = private(store(DATA));
	add(queue, barrier, &written, 1);
	program->commands[program->command_count - 1].fills = true;
}

static void copy(uint32_t queue, bool barrier)
{
	const struct linked_event read = private(load(DATA));
	add(queue, barrier, &read, 1);
	program->commands[program->command_count - 1].copies = true;
}

// The last command's barrier is one of memory, too.
static void with_memory(void)
{
	program->commands[program->command_count - 1].memory = true;
}

// What a barrier orders before a release comes before the acquire. A write that it made available
// to the device domain comes before another one; a read needs a visibility operation of its own,
// after that ("Location-Ordered").
static void test_dependency_carried_on(void **state)
{
	(void)state;
	// A shader's write, by one reference and by two.
	for (uint32_t reference = 0; reference < 2; reference++) {
		struct linked_event first = store(DATA);
		first.site.variable = reference;
		COMMAND(1, first);
		BEHIND(1, release(FLAG));
		with_memory();
		COMMAND(0, acquire(FLAG), store(DATA));
		expect_model(false);
		COMMAND(1, first);
		BEHIND(1, release(FLAG)); // not made available
		COMMAND(0, acquire(FLAG), store(DATA));
		expect_model(true);
	}
	fill(1, false);
	BEHIND(1, release(FLAG));
	COMMAND(0, acquire(FLAG), store(DATA));
	expect_model(false);
	copy(1, false);
	BEHIND(1, release(FLAG));
	COMMAND(0, acquire(FLAG), store(DATA));
	expect_model(false);
	fill(1, false);
	COMMAND(1, release(FLAG)); // nothing between the two
	COMMAND(0, acquire(FLAG), store(DATA));
	expect_model(true);
	fill(1, false);
	BEHIND(1, atomic(VKR_SITE_ATOMIC_STORE, FLAG, 0, FAMILY));
	COMMAND(0, acquire(FLAG), store(DATA));
	expect_model(true);
	// Nobody made it visible to the reader; then the reader's own barrier does.
	fill(1, false);
	BEHIND(1, release(FLAG));
	COMMAND(0, acquire(FLAG), load(DATA));
	expect_model(true);
	fill(1, false);
	BEHIND(1, release(FLAG));
	COMMAND(0, acquire(FLAG));
	BEHIND(0, load(DATA));
	with_memory();
	expect_model(false);
	fill(1, false);
	BEHIND(1, release(FLAG));
	COMMAND(0, acquire(FLAG));
	copy(0, true);
	with_memory();
	expect_model(false);
	assert_int_equal(failures, 0);
}

// A dependency whose source access mask is empty makes nothing available; it makes visible what is
// available ("Availability, Visibility, and Domain Operations": a visibility operation with the
// device domain as its source scope). One whose first scope is empty does so, too, but comes after
// nothing: not after the acquire ("Execution and Memory Dependencies").
static void test_only_seen(void **state)
{
	(void)state;
	for (int reader = 0; reader < 2; reader++)
		for (int alone = 0; alone < 2; alone++) {
			fill(1, false);
			BEHIND(1, release(FLAG));
			COMMAND(0, acquire(FLAG));
			if (reader)
				copy(0, true);
			else
				BEHIND(0, load(DATA));
			with_memory();
			program->commands[3].sees = true;
			program->commands[3].alone = alone;
			expect_model(alone);
		}
	// Nor does it make available what the writer wrote.
	COMMAND(1, store(DATA));
	BEHIND(1, release(FLAG));
	with_memory();
	program->commands[1].sees = true;
	COMMAND(0, acquire(FLAG), store(DATA));
	expect_model(true);
	assert_int_equal(failures, 0);
}

// Private accesses: no atomic carries on what a dependency has ordered of them, as the section
// "Private vs. Non-Private" says: "for private memory operations to be Location-Ordered between
// distinct agents requires using system-synchronizes-with rather than shader-based
// synchronization". A dependency alone orders them.
static void test_private_not_carried(void **state)
{
	(void)state;
	for (int writes = 0; writes < 2; writes++) {
		const struct linked_event first = private(writes ? store(DATA) : load(DATA));
		COMMAND(1, first);
		BEHIND(1, release(FLAG));
		with_memory();
		COMMAND(0, acquire(FLAG), store(DATA));
		expect_model(true);
		COMMAND(1, store(DATA));
		BEHIND(1, release(FLAG));
		with_memory();
		COMMAND(0, acquire(FLAG), private(store(DATA)));
		expect_model(true);
		COMMAND(1, first);
		BEHIND(1, store(DATA), release(FLAG));
		with_memory();
		expect_model(false);
	}
	// A read of fixed function, which atomics carry on, does not stand for a private one.
	COMMAND(0, private(load(DATA)));
	copy(0, true);
	BEHIND(0, release(FLAG));
	COMMAND(1, acquire(FLAG), store(DATA));
	expect_model(true);
	COMMAND(0, private(load(DATA)));
	BEHIND(0, load(DATA), release(FLAG));
	COMMAND(1, acquire(FLAG), store(DATA));
	expect_model(true);
	assert_int_equal(failures, 0);
}

// Fixed function after the acquire.
static void test_carried_to_fixed_function(void **state)
{
	(void)state;
	COMMAND(1, load(DATA), release(FLAG));
	COMMAND(0, acquire(FLAG));
	fill(0, true);
	expect_model(false);
	COMMAND(1, load(DATA), release(FLAG));
	COMMAND(0, acquire(FLAG));
	fill(0, false); // nothing between the two
	expect_model(true);
	// No operation of the API made it available, and a shader's do so to its references alone.
	COMMAND(1, store(DATA), release(FLAG));
	COMMAND(0, acquire(FLAG));
	fill(0, true);
	expect_model(true);
	for (int reads = 0; reads < 2; reads++) {
		if (reads)
			copy(1, false);
		else
			fill(1, false);
		BEHIND(1, release(FLAG));
		COMMAND(0, acquire(FLAG));
		fill(0, true);
		expect_model(false);
	}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_acquired_then_barrier),
		cmocka_unit_test(test_acquired_then_barrier_racy),
		cmocka_unit_test(test_barrier_then_released),
		cmocka_unit_test(test_fences),
		cmocka_unit_test(test_fences_racy),
		cmocka_unit_test(test_families),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_updates),
		cmocka_unit_test(test_silent_updates),
		cmocka_unit_test(test_taken_place),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_kept_fill),
		cmocka_unit_test(test_dependency_carried_on),
		cmocka_unit_test(test_only_seen),
		cmocka_unit_test(test_private_not_carried),
		cmocka_unit_test(test_carried_to_fixed_function),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
