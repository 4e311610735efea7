// SPDX-License-Identifier: Apache-2.0
// Jobs of a crew: each is done once, by the time that its owner has waited for it, for every number
// of threads.
#include "crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define JOBS   200u
#define ROUNDS 20u

struct sum {
	struct vkr_job job;
	uint32_t first, done; // how often
	uint64_t result;
};

static void add(void *user)
{
	struct sum *sum = user;
	sum->result = 0;
	for (uint32_t i = 0; i < 1000; i++)
		sum->result += sum->first + i;
	sum->done++;
}

static void check(struct vkr_crew *crew)
{
	static struct sum sums[JOBS];
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t at = 0; at < JOBS; at++) {
			sums[at].job.run = add;
			sums[at].job.user = &sums[at];
			sums[at].first = round * JOBS + at;
			sums[at].done = 0;
			vkr_crew_start(crew, &sums[at].job);
		}
		// In an order of its own, so that jobs are taken out of the middle of the queue.
		for (uint32_t i = 0; i < JOBS; i++) {
			struct sum *sum = &sums[i * 7 % JOBS];
			vkr_crew_wait(crew, &sum->job);
			vkr_crew_wait(crew, &sum->job); // it is done
			assert_int_equal(sum->done, 1);
			assert_int_equal(sum->result, UINT64_C(1000) * sum->first + 499500);
		}
	}
}

static void test_jobs(void **state)
{
	static const unsigned counts[] = {1, 2, 3, 8};
	(void)state;
	for (size_t at = 0; at < sizeof counts / sizeof *counts; at++) {
		struct vkr_crew *crew = NULL;
		struct vkr_error error;
		assert_int_equal(vkr_crew_create(counts[at], 1, &crew, &error), VKR_OK);
		assert_int_equal(vkr_crew_threads(crew), counts[at]);
		check(crew);
		vkr_crew_destroy(crew);
	}
}

static void test_default(void **state)
{
	(void)state;
	assert_true(vkr_crew_default() >= 1);
	assert_int_equal(vkr_crew_threads(NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_default),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
