// SPDX-License-Identifier: Apache-2.0
// What invocations log beside a summary (vkrace/summary.h): record by record. Knows where records
// stand in chunks; not what their words mean.
#pragma once

#include "log_rows.h"

#include "vkrace/summary.h"

// Where an invocation's records are.
struct vkr_record_place {
	const uint32_t *record; // the last one's number
	const uint32_t *at;     // the next one
	size_t pitch;           // words from a pair to the next one
	uint32_t left;          // pairs from `at` to the end of the chunk; of a stream words
	uint32_t next;          // of a stream: words between `record` and the next record's
	uint32_t skipped;       // words of a stream between `record` and the last record's
	uint32_t mark;          // of a stream: what its words' bits were turned by
	bool ended;             // of a stream: it has all that the invocation logged
	uint32_t chunks;        // its next ones, as in struct vkr_row_chunks
};

// A workgroup's invocations begin with its chunks: `places` by local index. False for lack of
// memory.
bool vkr_records_begin(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
		       struct vkr_record_place *places);

// Moves to the chunk that holds the next record; false if there is none, or if it is not the record
// of this number and this many pairs, which means damage.
bool vkr_record_find(struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place,
		     uint32_t number, uint32_t pairs);

// Finds a stream whose next record has this many words; false as above.
bool vkr_record_find_stream(struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place,
			    uint32_t words);

static inline bool vkr_record_take_stream(struct vkr_rows *rows, uint32_t local,
					  struct vkr_record_place *place, uint32_t words)
{
	if (place->left < words && !vkr_record_find_stream(rows, local, place, words))
		return false;
	place->skipped = place->next;
	place->next += words;
	place->left -= words;
	return true;
}

// Takes the next record, which VKR_SUMMARY_RECORD `wanted` says; false as above.
static inline bool vkr_record_take(struct vkr_rows *rows, uint32_t local,
				   struct vkr_record_place *place,
				   const struct vkr_summary_operation *wanted)
{
	const uint32_t pairs = (wanted->b + 1) / 2;
	if (rows->program->shader->sites->streams)
		return vkr_record_take_stream(rows, local, place, wanted->b);
	if ((place->left < pairs || *place->at != wanted->a) &&
	    !vkr_record_find(rows, local, place, wanted->a, pairs))
		return false;
	place->record = place->at;
	place->at += pairs * place->pitch;
	place->left -= pairs;
	return true;
}

// A word of the last record, counted after its number or the words before it.
static inline uint32_t vkr_record_word(const struct vkr_record_place *place, uint32_t word)
{
	const size_t at = (size_t)place->skipped + word + 1;
	return place->record[(at >> 1) * place->pitch + (at & 1)] ^ place->mark;
}

// How many invocations share a subgroup, as all of a dispatch's say in their first records
// (VKR_SITE_SUBGROUP): *size neighbours by local index, 0 where they are no such stretches, or some
// do not say. Between vkr_rows_begin and the first workgroup. False for lack of memory.
bool vkr_records_subgroups(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
			   uint32_t *size);

// Whether there is another one in the chunk.
static inline bool vkr_record_is_next(const struct vkr_record_place *place)
{
	return place->left > 0 && *place->at != 0;
}
