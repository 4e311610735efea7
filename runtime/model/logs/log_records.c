// SPDX-License-Identifier: Apache-2.0
#include "log_records.h"

bool vkr_records_begin(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
		       struct vkr_record_place *places)
{
	if (!vkr_rows_take(rows, chunks, count))
		return false;
	for (uint32_t local = 0; local < rows->local_size; local++)
		places[local] = (struct vkr_record_place){.chunks = rows->head[local]};
	return true;
}

static bool next_chunk(const struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place)
{
	if (place->chunks == 0)
		return false;
	const struct vkr_row_chunks *chunks = &rows->chunks.items[place->chunks - 1];
	place->at = chunks->words + (size_t)(local - chunks->local) * chunks->size;
	place->pitch = chunks->pitch;
	place->left = chunks->columns;
	if (chunks->columns == 0) {
		place->at += rows->program->header_words;
		place->left = (chunks->size - rows->program->header_words) / 2;
	}
	place->chunks = chunks->next;
	return true;
}

bool vkr_record_find(struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place,
		     uint32_t number, uint32_t pairs)
{
	while (!vkr_record_is_next(place))
		if (!next_chunk(rows, local, place))
			return false;
	if (*place->at == number && place->left >= pairs)
		return true;
	vkr_rows_note_damage(rows, local, 1);
	return false;
}
