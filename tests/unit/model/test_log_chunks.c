// SPDX-License-Identifier: Apache-2.0
// The chunks of a log in order: by command and workgroup, and in the log's order where these are
// equal, whether few or many of them stand elsewhere. Knows chunks' headers alone.
#include "log_store.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define CHUNKS 4000u
#define WORDS  6u

static uint32_t draw(uint64_t *random, uint32_t below)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (uint32_t)((*random >> 11) % below);
}

// Chunks that tell where they stand in their fifth word; every `odd`th is out of order. Those of
// draws are numbered by their places, while commands take turns.
static void fill(uint32_t *words, uint64_t *random, uint32_t odd, bool of_draws)
{
	for (uint32_t at = 0; at < CHUNKS; at++) {
		const bool is_odd = odd > 0 && draw(random, odd) == 0;
		uint32_t *chunk = words + (size_t)at * WORDS;
		chunk[0] = is_odd || of_draws ? 1 + draw(random, 3) : 1 + at * 3 / CHUNKS;
		chunk[1] = is_odd ? draw(random, CHUNKS) : of_draws ? at : at / 3;
		chunk[2] = 0;
		chunk[3] = WORDS;
		chunk[4] = at;
		chunk[5] = 0;
	}
}

static void check(const struct vkr_chunks *chunks)
{
	uint64_t key = 0;
	uint32_t total = 0, last = 0;
	for (size_t at = 0; at < chunks->count; at++) {
		const struct vkr_chunk *chunk = &chunks->items[at];
		for (uint32_t i = 0; i < chunk->count; i++, total++) {
			const uint32_t *words = chunk->words + (size_t)i * WORDS;
			assert_int_equal(chunk->key, (uint64_t)words[0] << 32 | words[1]);
			assert_true(chunk->key > key || (chunk->key == key && words[4] > last) ||
				    total == 0);
			key = chunk->key;
			last = words[4];
		}
	}
	assert_int_equal(total, CHUNKS);
	assert_int_equal(chunks->total, CHUNKS);
}

static void chunks_are_in_order(void **state)
{
	static const uint32_t odd[] = {0, 3000, 1000, 200, 20, 1};
	uint32_t *words = malloc((size_t)CHUNKS * WORDS * sizeof *words);
	struct vkr_chunks chunks = {0};
	uint64_t random = 11;
	(void)state;
	assert_non_null(words);
	for (size_t i = 0; i < 60; i++) {
		struct vkr_log_store store;
		vkr_log_store_init(&store);
		struct vkr_log *log = vkr_log_store_get(&store, 1);
		fill(words, &random, odd[i % 6], i % 12 >= 6);
		assert_non_null(log);
		assert_true(
			vkr_log_append(&store, log, words,
				       &(struct vkr_log_part){.count = (size_t)CHUNKS * WORDS}));
		assert_true(vkr_chunks_gather(&chunks, log, 1, 3));
		check(&chunks);
		vkr_log_store_finish(&store);
	}
	vkr_chunks_finish(&chunks);
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_are_in_order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
