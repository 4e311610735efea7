// SPDX-License-Identifier: Apache-2.0
// Where finished workgroups of the open dispatch have read without a pattern and no race was found.
// Another workgroup's reads there by the same site find nothing new and change nothing that is
// remembered, as long as the dispatch does not write there. Knows sites and offsets in targets; not
// what races, nor what is remembered.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A target's bytes in its memory.
struct vkr_marks_range {
	uint32_t memory;
	uint64_t base, end;
};

// The reads of one site through one target.
struct vkr_marks {
	uint32_t site, reference;
	struct vkr_marks_range range;
	struct {
		uint32_t *items; // by page of offsets: 1 + which of the pages of bits; 0: none
		size_t count, capacity;
	} pages;
	struct {
		uint32_t *items; // offsets, of the present workgroup
		size_t count, capacity;
	} fresh;
};

// Zeroed before the first dispatch.
struct vkr_read_marks {
	struct vkr_marks *items;
	size_t count, capacity; // of items
	size_t made;            // items whose arrays are to be released
	struct {
		uint64_t *items; // by offset / 4
		size_t count, capacity;
	} bits;
	struct {
		struct vkr_marks_range *items; // what the dispatch has written
		size_t count, capacity;
	} written;
	bool off; // nothing is marked in this dispatch any more
	struct {
		uint32_t *items;
		size_t count, capacity;
	} offsets, locals; // of the reads that are left
	uint32_t workgroup;
};

void vkr_read_marks_finish(struct vkr_read_marks *marks);

// A dispatch begins.
void vkr_read_marks_begin(struct vkr_read_marks *marks);

// A workgroup begins: the one before it is over. False for lack of memory.
bool vkr_read_marks_workgroup(struct vkr_read_marks *marks, uint32_t workgroup);

// The open dispatch writes within a range; false for lack of memory.
bool vkr_read_marks_written(struct vkr_read_marks *marks, const struct vkr_marks_range *range);

// The marks of a site's reads through a target, in *found; NULL where none are kept. False for lack
// of memory.
bool vkr_read_marks_find(struct vkr_read_marks *marks, uint32_t site, uint32_t reference,
			 const struct vkr_marks_range *range, struct vkr_marks **found);

// Reads at `count` offsets by the invocations `locals`, or if that is NULL by `local` and those
// after it: puts those that are not marked into marks->offsets and marks->locals. False for lack of
// memory.
bool vkr_read_marks_sift(struct vkr_read_marks *marks, const struct vkr_marks *of,
			 const uint32_t *offsets, const uint32_t *locals, uint32_t local,
			 uint32_t count);

// Does so for reads at `first` and every `stride` bytes after it, all within 32 bits, by `local`
// and the invocations after it.
bool vkr_read_marks_sift_row(struct vkr_read_marks *marks, const struct vkr_marks *of,
			     uint64_t first, int64_t stride, uint32_t local, uint32_t count);

// Whether each byte of [low, high), offsets in the target, is one of some read of `bytes` bytes
// that is marked.
bool vkr_read_marks_cover(const struct vkr_read_marks *marks, uint32_t site, uint32_t reference,
			  const struct vkr_marks_range *range, uint64_t low, uint64_t high,
			  uint32_t bytes);

// Nothing races with what was left: it is marked when the workgroup is over. False for lack of
// memory.
bool vkr_read_marks_add(struct vkr_read_marks *marks, struct vkr_marks *of);
