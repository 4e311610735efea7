// SPDX-License-Identifier: Apache-2.0
// One part of a run's memory, to be judged apart from the others, and what its judge found out for
// those who put the parts together. Knows places as numbers; nothing of accesses or races.
//
// The parts of one trace, `count` of them, hold every byte once, or all of them hold it, and reads
// of it are dealt out. What orders accesses is replayed in each of them. Whatever a report says of
// a race depends only on the pages in which accesses conflicted: so where some part has found a
// race, a last judge goes through the conflicting pages of all parts, together, and its report is
// the whole one. Without races every part's report is, but for how many accesses it has judged.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Places with neighbouring numbers: pages of the memory `place`, or workgroups of the dispatch
// VKR_SHARD_DISPATCH | n, which have memory of their own. Memories, and dispatches whose workgroups
// have memory, are counted in the order of the trace.
#define VKR_SHARD_DISPATCH (UINT64_C(1) << 63)
struct vkr_shard_run {
	uint64_t place, first, count;
};

struct vkr_shard_pages {
	struct vkr_shard_run *items;
	size_t count, capacity;
};

// Adds a page after those that are there, in any order. False for lack of memory.
bool vkr_shard_pages_add(struct vkr_shard_pages *pages, uint64_t place, uint64_t page);
bool vkr_shard_pages_join(struct vkr_shard_pages *pages, const struct vkr_shard_pages *more);
// Sorts by place and number, each page once, neighbours joined.
void vkr_shard_pages_sort(struct vkr_shard_pages *pages);
// Of sorted ones: the index of the first run of a place, or where that would be.
size_t vkr_shard_pages_find(const struct vkr_shard_pages *pages, uint64_t place);
bool vkr_shard_pages_have(const struct vkr_shard_pages *pages, uint64_t place, uint64_t page);
// As words, "5:0+16 d7:3+1", on the heap, NULL for lack of memory; and back, after those that are
// there: false where the text is something else, or memory lacks.
char *vkr_shard_pages_text(const struct vkr_shard_pages *pages);
bool vkr_shard_pages_parse(struct vkr_shard_pages *pages, const char *text);
void vkr_shard_pages_finish(struct vkr_shard_pages *pages);

struct vkr_shard {
	uint32_t index, count;       // part `index` of `count`, from 0; index == count: only `also`
	struct vkr_shard_pages also; // judged whatever the part; sorted
	// Set by the judge:
	struct vkr_shard_pages conflicts; // where accesses conflicted, reported or not
	struct vkr_shard_pages wanted; // that something else depended on and that were not judged
	bool together;     // something was reported that the other parts may have to do with
	uint64_t accesses; // of those counted, those that no other part counts
};

void vkr_shard_finish(struct vkr_shard *shard);

// "I/N", I from 1 to N; false where it is something else.
bool vkr_shard_parse(const char *text, uint32_t *index, uint32_t *count);
