// SPDX-License-Identifier: Apache-2.0
// Log memory that a program and its judge both have mapped: the ring carries where words lie in
// place of the words. Knows memory and who is done with it; not what a log says.
//
// The program makes the memory (a memfd) and sends its descriptor through the judge's socket before
// it first speaks of it in the ring. Words that were lent are the judge's until it gives them back,
// zeroed; it may write in them. Memory of a program that has died stays with the judge.
#pragma once

#include "ring.h"

#include "vkrace/trace.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The type of an event in a ring, and in no file: words of a GPU_LOG or GPU_COLUMN_LOG event that
// lie in shared memory.
#define VKR_RING_LOG 0xffffu

struct vkr_ring_log {
	struct vkr_trace_event event;
	uint32_t share;      // id, from 1
	uint32_t type;       // enum vkr_trace_type; 0: the program is done with the share
	uint64_t first_byte; // of the words, in the share
	uint64_t pitch;      // of a column log: words from column to column
	union {
		struct vkr_trace_gpu_log log;
		struct vkr_trace_gpu_column_log column_log;
	};
};

// Behind the share's bytes.
struct vkr_log_share_end {
	_Atomic uint64_t returned; // words given back
};

// ---- The program's side -------------------------------------------------------------------------

struct vkr_log_share {
	uint32_t id;
	unsigned char *memory; // zeros; page-aligned
	uint64_t bytes;        // a multiple of the page size
	struct vkr_log_share_end *end;
	_Atomic uint64_t lent; // words
};

// False where the memory cannot be had, or not be sent: then nothing is left.
bool vkr_log_share_create(struct vkr_log_share *share, uint32_t id, uint64_t bytes, int socket);

// Moves the memory, which is still empty, to an address where a mapping of vkr_log_share_mapped
// bytes may be replaced. False if that fails: then it stays where it was.
bool vkr_log_share_move(struct vkr_log_share *share, void *place);
uint64_t vkr_log_share_mapped(const struct vkr_log_share *share);

// Unmaps the memory; what is lent stays the judge's.
void vkr_log_share_finish(struct vkr_log_share *share);

// Whether all that was lent is back.
bool vkr_log_share_is_back(struct vkr_log_share *share);

// ---- The judge's side ---------------------------------------------------------------------------

// Words that belong to their holder until they are given back: columns of equal length, in the
// order of the event's words. Words between the columns are not included.
struct vkr_lent_words {
	uint32_t *words;
	size_t count;   // of all columns
	size_t columns; // at least 1
	size_t pitch;   // words from column to column
	void (*give_back)(const struct vkr_lent_words *lent);
	void *lender;
};

static inline size_t vkr_lent_words_of_column(const struct vkr_lent_words *lent)
{
	return lent->count / lent->columns;
}

static inline void vkr_lent_words_give_back(const struct vkr_lent_words *lent)
{
	lent->give_back(lent);
}

struct vkr_lent_share;

struct vkr_log_shares {
	struct vkr_ring *ring;
	int socket;
	struct {
		struct vkr_lent_share **items; // by id, from 1
		size_t count, capacity;
	} shares;
};

// `socket` (-1: none) is where descriptors come from. It and the ring stay the caller's, and all
// words must be back before `finish`.
void vkr_log_shares_init(struct vkr_log_shares *shares, struct vkr_ring *ring, int socket);
void vkr_log_shares_finish(struct vkr_log_shares *shares);

// The words that the event, whose counts fit one another, speaks of; false where they cannot be
// had.
bool vkr_log_shares_lend(struct vkr_log_shares *shares, const struct vkr_ring_log *event,
			 struct vkr_lent_words *lent);

// The program is done with the share.
void vkr_log_shares_end(struct vkr_log_shares *shares, uint32_t id);
