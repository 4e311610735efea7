// SPDX-License-Identifier: Apache-2.0
#include "texel_repeats.h"

#include "array.h"

#include <stdlib.h>

bool vkr_texel_repeats_begin(struct vkr_texel_repeats *repeats, size_t count)
{
	repeats->count = 0;
	if (!VKR_ARRAY_RESERVE(repeats, count))
		return false;
	for (; repeats->made < count; repeats->made++)
		repeats->items[repeats->made] = (struct vkr_texel_record){0};
	for (size_t at = 0; at < count; at++)
		repeats->items[at].whole = false;
	repeats->count = count;
	return true;
}

void vkr_texel_repeats_finish(struct vkr_texel_repeats *repeats)
{
	for (size_t at = 0; at < repeats->made; at++) {
		free(repeats->items[at].accesses.items);
		free(repeats->items[at].segments.items);
	}
	free(repeats->items);
	*repeats = (struct vkr_texel_repeats){0};
}

bool vkr_texel_record_access(struct vkr_texel_record *record, const struct vkr_texel_repeat *access)
{
	if (!VKR_ARRAY_RESERVE(&record->accesses, 1) ||
	    !VKR_ARRAY_RESERVE(&record->segments, access->count))
		return false;
	struct vkr_texel_repeat *made = &record->accesses.items[record->accesses.count++];
	*made = *access;
	made->first = made->end = record->segments.count;
	return true;
}

bool vkr_texel_records_agree(const struct vkr_texel_record *a, const struct vkr_texel_record *b)
{
	if (!a->whole || !b->whole || a->decisions != b->decisions ||
	    a->accesses.count != b->accesses.count)
		return false;
	for (size_t at = 0; at < a->accesses.count; at++) {
		const struct vkr_texel_repeat *of_a = &a->accesses.items[at];
		const struct vkr_texel_repeat *of_b = &b->accesses.items[at];
		if (of_a->prepared != of_b->prepared || of_a->level != of_b->level ||
		    of_a->local != of_b->local || of_a->count != of_b->count ||
		    of_a->along != of_b->along)
			return false;
	}
	return true;
}

void vkr_texel_merge_begin(struct vkr_texel_merge *merge, const struct vkr_texel_record *along,
			   const struct vkr_texel_record *across, size_t access)
{
	const uint8_t which = along->accesses.items[access].along;
	const struct vkr_texel_record *columns = which & VKR_COLUMNS_ALONG ? along : across;
	const struct vkr_texel_record *rows = which & VKR_ROWS_ALONG ? along : across;
	*merge = (struct vkr_texel_merge){
		.columns = columns->segments.items + columns->accesses.items[access].first,
		.columns_end = columns->segments.items + columns->accesses.items[access].end,
		.rows = rows->segments.items + rows->accesses.items[access].first,
		.rows_end = rows->segments.items + rows->accesses.items[access].end};
}

bool vkr_texel_merge_next(struct vkr_texel_merge *merge, struct vkr_texel_segment *segment)
{
	const struct vkr_texel_segment *columns = merge->columns, *rows = merge->rows;
	if (columns == merge->columns_end || rows == merge->rows_end)
		return false;
	const uint32_t lane = merge->lane;
	const uint32_t columns_end = columns->lane + columns->count;
	const uint32_t rows_end = rows->lane + rows->count;
	// Two rows of each go on in one column alone.
	const bool is_apart =
		rows->row_step != 0 && rows->rows[1] != rows->rows[0] && columns->column_step != 0;
	const uint32_t least = columns_end < rows_end ? columns_end : rows_end;
	const uint32_t end = is_apart ? lane + 1 : least;
	const int32_t right = (int32_t)(lane - columns->lane) * columns->column_step;
	const int32_t down = (int32_t)(lane - rows->lane) * rows->row_step;
	*segment = (struct vkr_texel_segment){
		.lane = lane,
		.count = end - lane,
		.columns = {columns->columns[0] + right, columns->columns[1] + right},
		.column_step = columns->column_step,
		.rows = {rows->rows[0] + down, rows->rows[1] + down},
		.row_step = rows->row_step,
		.slice = rows->slice};
	merge->columns += columns_end == end;
	merge->rows += rows_end == end;
	merge->lane = end;
	return true;
}
