// SPDX-License-Identifier: Apache-2.0
// Tests of the generator and of what is done with its executions: determinism, order, consistency,
// reading back, shrinking, delivery. Knows no rule of the memory model.
#include "deliver.h"
#include "generate.h"
#include "oracle.h"
#include "shrink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 2000 };

static const struct vkr_memory_rules vulkan;

// The execution as a .vlit file, to be freed.
static char *text_of(const struct vkr_litmus *execution, size_t *length)
{
	struct vkr_error error;
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	assert_non_null(file);
	assert_int_equal(vkr_litmus_write(execution, file, &error), VKR_OK);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void one_seed_gives_one_execution(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		static struct vkr_oracle_sample first, second;
		size_t first_length = 0, second_length = 0;
		memset(&first, 0xff, sizeof first);
		memset(&second, 0, sizeof second);
		vkr_generate(&first, seed);
		vkr_generate(&second, seed);
		char *first_text = text_of(&first.execution, &first_length);
		char *second_text = text_of(&second.execution, &second_length);
		assert_string_equal(first_text, second_text);
		free(first_text);
		free(second_text);
	}
}

static void seeds_give_different_executions(void **state)
{
	(void)state;
	unsigned same = 0;
	char *previous = NULL;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		size_t length = 0;
		vkr_generate(&sample, seed);
		char *text = text_of(&sample.execution, &length);
		same += previous && strcmp(previous, text) == 0;
		free(previous);
		previous = text;
	}
	free(previous);
	assert_int_equal(same, 0);
}

static void executions_can_have_taken_place(void **state)
{
	(void)state;
	unsigned inconsistent = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		vkr_generate(&sample, seed);
		assert_true(vkr_oracle_is_in_order(&sample.execution));
		inconsistent += !vkr_oracle_is_consistent(&sample.execution);
	}
	// A read of partly overwritten bytes names one write only, which is then not all of the
	// truth. There are few of them.
	assert_true(inconsistent <= SEEDS / 50);
}

static void both_verdicts_are_common(void **state)
{
	(void)state;
	struct vkr_error error;
	struct vkr_oracle_races races = {0};
	unsigned racy = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		vkr_generate(&sample, seed);
		assert_int_equal(vkr_oracle_judge(&sample.execution, &vulkan, 0, &races, &error),
				 VKR_OK);
		racy += races.count > 0;
	}
	vkr_oracle_races_finish(&races);
	assert_true(racy >= SEEDS / 4 && racy <= SEEDS * 3 / 4);
}

// The verdict survives the file, so the generator stays within the format.
static void executions_read_back(void **state)
{
	(void)state;
	struct vkr_oracle_races made = {0}, read_back = {0};
	struct vkr_error error;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample;
		struct vkr_litmus execution;
		size_t length = 0;
		vkr_generate(&sample, seed);
		char *text = text_of(&sample.execution, &length);
		assert_int_equal(vkr_litmus_read(&execution, "random.vlit", text, length, &error),
				 VKR_OK);
		assert_int_equal(vkr_oracle_judge(&sample.execution, &vulkan, 0, &made, &error),
				 VKR_OK);
		assert_int_equal(vkr_oracle_judge(&execution, &vulkan, 0, &read_back, &error),
				 VKR_OK);
		assert_true(vkr_oracle_races_equal(&made, &read_back));
		vkr_litmus_finish(&execution);
		free(text);
	}
	vkr_oracle_races_finish(&made);
	vkr_oracle_races_finish(&read_back);
}

static size_t count_races(const struct vkr_oracle_sample *sample)
{
	struct vkr_oracle_races races = {0};
	struct vkr_error error;
	size_t count = 0;
	assert_int_equal(vkr_oracle_judge(&sample->execution, &vulkan, 0, &races, &error), VKR_OK);
	for (size_t i = 0; i < races.count; i++)
		count += races.items[i].size;
	vkr_oracle_races_finish(&races);
	return count;
}

// The oracle too judges the execution, and not the order of its lines.
static void delivery_order_does_not_matter(void **state)
{
	(void)state;
	unsigned moved = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct vkr_oracle_sample sample, other;
		struct vkr_random random = {seed};
		uint32_t order[VKR_SAMPLE_EVENTS];
		vkr_generate(&sample, seed);
		vkr_deliver_order(&sample, false, &random, order);
		vkr_sample_copy(&other, &sample);
		vkr_sample_permute(&other, order);
		assert_true(vkr_oracle_is_in_order(&other.execution));
		assert_int_equal(count_races(&sample), count_races(&other));
		for (uint32_t i = 0; i < sample.execution.event_count; i++) {
			if (order[i] != i) {
				moved++;
				break;
			}
		}
	}
	assert_true(moved >= SEEDS / 4 && moved <= SEEDS);
}

static bool is_racy(const struct vkr_oracle_sample *sample, void *context)
{
	(void)context;
	return count_races(sample) > 0;
}

static void races_shrink_to_two_accesses(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct vkr_oracle_sample sample;
		vkr_generate(&sample, seed);
		if (!is_racy(&sample, NULL))
			continue;
		vkr_shrink(&sample, is_racy, NULL);
		assert_int_equal(sample.execution.event_count, 2);
		assert_int_equal(count_races(&sample), 1);
		assert_int_equal(sample.execution.event_edge_count, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_seed_gives_one_execution),
		cmocka_unit_test(seeds_give_different_executions),
		cmocka_unit_test(executions_can_have_taken_place),
		cmocka_unit_test(both_verdicts_are_common),
		cmocka_unit_test(executions_read_back),
		cmocka_unit_test(delivery_order_does_not_matter),
		cmocka_unit_test(races_shrink_to_two_accesses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
