// SPDX-License-Identifier: Apache-2.0
// Random programs of two to four commands on queues of one or two families, whose shaders
// synchronize by atomics and fences of all scopes and semantics, some with barriers of execution
// alone between them: the model finds races at the words at which the oracle does. Knows how to
// make programs; nothing of how they are judged. By hand: --seed N --count N.
#include "linked_program.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint8_t random_scope(struct vkr_random *random)
{
	static const uint8_t scopes[] = {VKR_SCOPE_QUEUE_FAMILY, VKR_SCOPE_QUEUE_FAMILY,
					 VKR_SCOPE_DEVICE,       VKR_SCOPE_DEVICE,
					 VKR_SCOPE_DEVICE,       VKR_SCOPE_WORKGROUP};
	return scopes[vkr_random_below(random, sizeof scopes)];
}

static void make_access(struct vkr_random *random, struct vkr_site *site)
{
	site->words = 1;
	site->operation = vkr_random_percent(random, 50) ? VKR_SITE_STORE : VKR_SITE_LOAD;
	if (vkr_random_percent(random, 15))
		return;
	site->flags = VKR_SITE_NONPRIVATE;
	if (vkr_random_percent(random, 50))
		return;
	if (site->operation == VKR_SITE_STORE) {
		site->flags |= VKR_SITE_MAKE_AVAILABLE;
		site->available_scope = random_scope(random);
	} else {
		site->flags |= VKR_SITE_MAKE_VISIBLE;
		site->visible_scope = random_scope(random);
	}
}

// `allowed`: VKR_ORDER_ACQUIRE, VKR_ORDER_RELEASE.
static void make_order(struct vkr_random *random, struct vkr_site *site, unsigned allowed)
{
	unsigned order = 0;
	site->scope = random_scope(random);
	if (vkr_random_percent(random, 25) && site->operation != VKR_SITE_MEMORY_BARRIER)
		return;
	order = allowed;
	if (allowed == (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE) && vkr_random_percent(random, 40))
		order = vkr_random_percent(random, 50) ? VKR_ORDER_ACQUIRE : VKR_ORDER_RELEASE;
	if (order & VKR_ORDER_RELEASE && vkr_random_percent(random, 70))
		order |= VKR_ORDER_MAKE_AVAILABLE;
	if (order & VKR_ORDER_ACQUIRE && vkr_random_percent(random, 70))
		order |= VKR_ORDER_MAKE_VISIBLE;
	site->order = (uint8_t)order;
	site->semantics = vkr_random_percent(random, 90) ? VKR_CLASS_UNIFORM : VKR_CLASS_IMAGE;
}

static void make_atomic(struct vkr_random *random, struct vkr_site *site)
{
	static const struct {
		uint8_t operation, allowed, words;
	} kinds[] = {
		{VKR_SITE_ATOMIC_LOAD, VKR_ORDER_ACQUIRE, 2},
		{VKR_SITE_ATOMIC_STORE, VKR_ORDER_RELEASE, 2},
		{VKR_SITE_ATOMIC_RMW, VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE, 3},
	};
	const unsigned kind = vkr_random_below(random, 3);
	site->operation = kinds[kind].operation;
	site->words = kinds[kind].words;
	site->flags = VKR_SITE_NONPRIVATE | VKR_SITE_VALUES;
	make_order(random, site, kinds[kind].allowed);
	if (site->scope == VKR_SCOPE_WORKGROUP)
		site->scope = VKR_SCOPE_DEVICE;
}

// The upper half of the words is what atomics work on, mostly.
static void make_event(struct vkr_random *random, struct linked_event *event, uint32_t line)
{
	const uint32_t kind = vkr_random_below(random, 100);
	struct vkr_site *site = &event->site;
	*site = (struct vkr_site){.storage_class = VKR_CLASS_UNIFORM,
				  .execution = VKR_SCOPE_WORKGROUP,
				  .bytes = 4,
				  .line = line};
	event->line = line;
	event->word = vkr_random_below(random, LINKED_WORDS / 2);
	if (kind < 45) {
		make_access(random, site);
	} else if (kind < 85) {
		make_atomic(random, site);
		event->word += LINKED_WORDS / 2;
	} else {
		site->operation = VKR_SITE_MEMORY_BARRIER;
		site->storage_class = 0;
		site->bytes = 0;
		site->flags = 0;
		site->variable = UINT32_MAX;
		make_order(random, site, VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE);
	}
	if (kind < 85 && vkr_random_percent(random, 4))
		event->word = vkr_random_below(random, LINKED_WORDS);
	if (kind < 85 && vkr_random_percent(random, 6))
		site->variable = 1;
}

static void make_program(struct linked_program *program, uint64_t seed)
{
	struct vkr_random state = {seed}, *random = &state;
	uint32_t line = 0;
	*program = (struct linked_program){.chains = vkr_random_percent(random, 70)};
	const uint32_t queues = 1 + vkr_random_below(random, LINKED_QUEUES);
	for (uint32_t at = 0; at < LINKED_QUEUES; at++)
		program->families[at] = at > 0 && vkr_random_percent(random, 30);
	program->command_count = 2 + vkr_random_below(random, LINKED_COMMANDS - 2);
	for (uint32_t at = 0; at < program->command_count; at++) {
		struct linked_command *command = &program->commands[at];
		command->queue = vkr_random_below(random, queues);
		command->barrier = vkr_random_percent(random, 60);
		command->agent_count = 1 + vkr_random_percent(random, 25);
		for (uint32_t i = 0; i < command->agent_count; i++) {
			command->agents[i].count = 1 + vkr_random_below(random, LINKED_EVENTS);
			for (uint32_t k = 0; k < command->agents[i].count; k++)
				make_event(random, &command->agents[i].events[k], ++line);
		}
	}
	linked_run(program, random, NULL);
}

static uint64_t first_seed = 1, seed_count = 5000;

static void test_random(void **state)
{
	(void)state;
	struct linked_program *program = malloc(sizeof *program);
	uint64_t differences = 0, racy = 0;
	assert_non_null(program);
	for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
		char name[32];
		unsigned wanted = 0;
		snprintf(name, sizeof name, "seed %" PRIu64, seed);
		make_program(program, seed);
		differences += !linked_agree(program, name, &wanted);
		racy += wanted != 0;
	}
	free(program);
	print_message("%" PRIu64 " programs, %" PRIu64 " of them racy\n", seed_count, racy);
	assert_int_equal(differences, 0);
}

// Order through a command whose log comes later, also within one command; accesses whose place one
// that comes before them has taken, or one behind them that something yet to come is before; races
// of atomics that a later atomic on the queue has taken the place of.
static void test_found(void **state)
{
	(void)state;
	static const uint64_t seeds[] = {5478,   8026,   14124,  17956,  19181,  24874,  26507,
					 33790,  35498,  48698,  49136,  55431,  69670,  75099,
					 77622,  97432,  266825, 302566, 328532, 354761, 67398,
					 73712,  109125, 139374, 203159, 266798, 288278, 298503,
					 316134, 352158, 13194,  76033,  84448};
	struct linked_program *program = malloc(sizeof *program);
	uint64_t differences = 0;
	assert_non_null(program);
	for (size_t at = 0; at < sizeof seeds / sizeof *seeds; at++) {
		char name[32];
		unsigned wanted = 0;
		snprintf(name, sizeof name, "seed %" PRIu64, seeds[at]);
		make_program(program, seeds[at]);
		differences += !linked_agree(program, name, &wanted);
	}
	free(program);
	assert_int_equal(differences, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_found),
					   cmocka_unit_test(test_random)};
	for (int at = 1; at + 1 < argc; at += 2) {
		if (strcmp(argv[at], "--seed") == 0)
			first_seed = strtoull(argv[at + 1], NULL, 10);
		else if (strcmp(argv[at], "--count") == 0)
			seed_count = strtoull(argv[at + 1], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
