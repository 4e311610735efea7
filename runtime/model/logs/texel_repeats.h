// SPDX-License-Identifier: Apache-2.0
// Where the invocations of workgroups found their texels, for workgroups that go through a summary
// in the same way: where columns follow from one component of WorkgroupId and rows from the others,
// those of a workgroup are known from one beside it and one above it. Knows taps; not how they were
// found, nor what is accessed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Neighbouring invocations with columns that go on by one step, and rows by another. [0] and, if
// there is a second one, [1]: texels of the first invocation along an axis; -1 for none.
struct vkr_texel_segment {
	uint32_t lane, count;
	int32_t columns[2], column_step;
	int32_t rows[2], row_step;
	uint32_t slice;
};

// Of a texel access, what depends on the first component of WorkgroupId; the other one does not.
enum vkr_texel_along {
	VKR_COLUMNS_ALONG = 1u << 0,
	VKR_ROWS_ALONG = 1u << 1, // and slices
};

// One access of neighbouring invocations to one level.
struct vkr_texel_repeat {
	uint32_t prepared, level; // texel_rows.c knows them
	uint32_t local, count;
	uint8_t along;     // enum vkr_texel_along
	size_t first, end; // segments
};

// All accesses to texels of a workgroup, in order.
struct vkr_texel_record {
	uint64_t decisions; // with which it went through the summary
	bool whole;
	struct {
		struct vkr_texel_repeat *items;
		size_t count, capacity;
	} accesses;
	struct {
		struct vkr_texel_segment *items;
		size_t count, capacity;
	} segments;
};

// Of the last workgroup with each first component. Zeroed before the first.
struct vkr_texel_repeats {
	struct vkr_texel_record *items;
	size_t count, capacity, made;
};

// Workgroups begin of which the first component has `count` values. False for lack of memory.
bool vkr_texel_repeats_begin(struct vkr_texel_repeats *repeats, size_t count);
void vkr_texel_repeats_finish(struct vkr_texel_repeats *repeats);

// An access begins to be recorded. False for lack of memory.
bool vkr_texel_record_access(struct vkr_texel_record *record,
			     const struct vkr_texel_repeat *access);

// Whether two workgroups of records made the same accesses.
bool vkr_texel_records_agree(const struct vkr_texel_record *a, const struct vkr_texel_record *b);

// The next segment of a workgroup whose first component is that of `along`, and whose others are
// those of `across`: of their accesses number `access`. *lane is where the last one ended. False
// where there are no more.
struct vkr_texel_merge {
	const struct vkr_texel_segment *columns, *columns_end, *rows, *rows_end;
	uint32_t lane;
};

void vkr_texel_merge_begin(struct vkr_texel_merge *merge, const struct vkr_texel_record *along,
			   const struct vkr_texel_record *across, size_t access);
bool vkr_texel_merge_next(struct vkr_texel_merge *merge, struct vkr_texel_segment *segment);
