// SPDX-License-Identifier: Apache-2.0
#include "log_records.h"

#include "vkrace/gpu_log.h"

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

static bool find_next(const struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place)
{
	while (!vkr_record_is_next(place))
		if (!next_chunk(rows, local, place))
			return false;
	return true;
}

bool vkr_record_find(struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place,
		     uint32_t number, uint32_t pairs)
{
	if (!find_next(rows, local, place))
		return false;
	if (*place->at == number && place->left >= pairs)
		return true;
	vkr_rows_note_damage(rows, local, 1);
	return false;
}

// How many words a cut-off invocation has logged in a stream with this much room.
static uint32_t count_logged(const struct vkr_record_place *place, uint32_t room)
{
	while (room > 0 && place->at[(size_t)(room >> 1) * place->pitch + (room & 1)] == 0)
		room--;
	return room;
}

// Goes on to the invocation's stream, if it has one.
static void begin_stream(const struct vkr_rows *rows, uint32_t local,
			 struct vkr_record_place *place)
{
	if (!next_chunk(rows, local, place) || place->left == 0)
		return;
	const uint32_t written = *place->at;
	const uint32_t room = place->left <= UINT32_MAX / 2 ? 2 * place->left - 1 : UINT32_MAX;
	place->record = place->at;
	place->mark = VKR_STREAM_MARK;
	place->ended = written > 0 && written - 1 <= room;
	place->left = room;
	if (written == 0)
		place->left = count_logged(place, room);
	else if (place->ended)
		place->left = written - 1;
}

bool vkr_record_find_stream(struct vkr_rows *rows, uint32_t local, struct vkr_record_place *place,
			    uint32_t words)
{
	if (place->record == NULL)
		begin_stream(rows, local, place);
	if (place->left >= words)
		return true;
	if (place->ended)
		vkr_rows_note_damage(rows, local, 1);
	return false;
}

// ---- Subgroups ----------------------------------------------------------------------------------

// What is known so far of the subgroups of a dispatch.
struct subgroups {
	uint32_t size;  // 0: all those seen so far were the first subgroup
	uint32_t alike; // after the last invocation of the first
};

// Finds a workgroup's subgroups; false where they are not stretches of one size.
static bool read_subgroups(const struct vkr_rows *rows, struct subgroups *known)
{
	for (uint32_t local = 0; local < rows->local_size; local++) {
		struct vkr_record_place place = {.chunks = rows->head[local]};
		if (!find_next(rows, local, &place))
			continue; // it has not begun
		place.record = place.at;
		if (*place.at != rows->program->subgroup_segment)
			return false;
		const uint32_t subgroup = vkr_record_word(&place, 0);
		if (subgroup > 0 && known->size == 0 && local >= known->alike)
			known->size = local;
		if (subgroup != (known->size > 0 ? local / known->size : 0))
			return false;
		if (subgroup == 0 && local >= known->alike)
			known->alike = local + 1;
	}
	return true;
}

bool vkr_records_subgroups(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
			   uint32_t *size)
{
	struct subgroups known = {0};
	*size = 0;
	for (size_t at = 0; at < count;) {
		size_t length = 1;
		while (at + length < count && chunks[at + length].key == chunks[at].key)
			length++;
		if (!vkr_rows_take(rows, chunks + at, length))
			return false;
		if (!read_subgroups(rows, &known))
			return true;
		at += length;
	}
	*size = known.size > 0 || known.alike == 0 ? known.size : rows->most;
	return true;
}
