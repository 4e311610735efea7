// SPDX-License-Identifier: Apache-2.0
// Where accesses of a workgroup's invocations lie. Knows rows and accesses; not what is done with
// the offsets.
#include "log_offsets.h"

// Rows of a workgroup narrower than this are looked at invocation by invocation.
#define WIDTH_LEAST 4u

struct vkr_offsets vkr_offsets_of(const struct vkr_program *program,
				  const struct vkr_program_access *access, const uint32_t *id)
{
	const uint32_t *size = program->shader->sites->workgroup_size;
	struct vkr_offsets offsets = {
		.access = access, .start = access->addend, .width = size[0], .height = size[1]};
	for (unsigned axis = 0; axis < 3; axis++)
		offsets.start += access->by_group[axis] * id[axis];
	return offsets;
}

// The part of an offset that follows from the invocation's IDs.
static uint32_t own_part(const struct vkr_offsets *offsets, uint32_t local)
{
	const struct vkr_program_access *access = offsets->access;
	if (access->is_linear)
		return offsets->start + access->by_local[0] * local;
	const uint32_t row = local / offsets->width;
	return offsets->start + access->by_local[0] * (local % offsets->width) +
	       access->by_local[1] * (row % offsets->height) +
	       access->by_local[2] * (row / offsets->height);
}

void vkr_offsets_iteration(struct vkr_offsets *offsets, const struct vkr_row *row)
{
	offsets->start += offsets->access->by_iteration * row->iteration;
}

uint32_t vkr_offset_at(const struct vkr_offsets *offsets, uint32_t local, const uint32_t *record)
{
	const struct vkr_program_access *access = offsets->access;
	const uint32_t own = own_part(offsets, local);
	return access->factor == 0 ? own : own + access->factor * record[access->offset_word];
}

static void read_row(const struct vkr_offsets *offsets, const struct vkr_row *row, uint32_t *to)
{
	const struct vkr_program_access *access = offsets->access;
	const uint32_t factor = access->factor;
	const uint32_t iteration = access->by_iteration * row->iteration;
	const uint32_t first = iteration + own_part(offsets, row->local),
		       step = access->by_local[0];
	for (uint32_t i = 0; i < row->count && access->is_linear; i++)
		to[i] = first + step * i;
	for (uint32_t i = 0; i < row->count && !access->is_linear; i++)
		to[i] = iteration + own_part(offsets, row->local + i);
	if (factor == 0)
		return;
	const uint32_t *words = vkr_row_word(row, access->offset_word);
	const size_t size = row->size;
	for (uint32_t i = 0; i < row->count; i++)
		to[i] += factor * words[i * size];
}

void vkr_offsets_read(const struct vkr_offsets *offsets, const struct vkr_span *span, uint32_t *to)
{
	for (uint32_t at = 0; at < span->row_count; at++) {
		read_row(offsets, &span->rows[at], to);
		to += span->rows[at].count;
	}
}

// Invocations of a row whose offsets grow by the same from each to the next.
struct piece {
	uint32_t first, count; // counted in the row
	uint32_t offset, step;
};

// The piece that begins at invocation `first` of the row; of one invocation where nothing is known
// of the next ones.
static struct piece piece_at(const struct vkr_offsets *offsets, struct vkr_row *row, uint32_t first)
{
	const struct vkr_program_access *access = offsets->access;
	const uint32_t local = row->local + first;
	struct piece piece = {.first = first,
			      .count = row->count - first,
			      .offset = own_part(offsets, local) +
					access->by_iteration * row->iteration,
			      .step = access->by_local[0]};
	if (!access->is_linear) {
		const uint32_t left = offsets->width - local % offsets->width;
		piece.count = piece.count < left ? piece.count : left;
	}
	if (access->factor == 0)
		return piece;
	const uint32_t *words = vkr_row_word(row, access->offset_word) + (size_t)first * row->size;
	// Looked at once a row of the workgroup: what is uneven there goes one by one.
	const bool is_start = first == 0 || (!access->is_linear && local % offsets->width == 0);
	const bool even =
		is_start && (piece.count == row->count
				     ? vkr_row_is_even(row, words)
				     : offsets->width >= WIDTH_LEAST &&
					       vkr_text_are_even(words, row->size, piece.count));
	piece.offset += access->factor * words[0];
	if (!even)
		piece.count = 1;
	else if (piece.count > 1)
		piece.step += access->factor * (words[row->size] - words[0]);
	return piece;
}

bool vkr_offsets_are_uneven(const struct vkr_offsets *offsets, const struct vkr_span *span)
{
	const struct vkr_program_access *access = offsets->access;
	struct vkr_row *row = &span->rows[0];
	const uint32_t *words;
	if (access->factor == 0)
		return false;
	words = vkr_row_word(row, access->offset_word);
	return !vkr_row_is_even(row, words) &&
	       (access->is_linear || offsets->width >= row->count || offsets->width < WIDTH_LEAST ||
		!vkr_text_are_even(words, row->size, offsets->width));
}

bool vkr_offsets_join(const struct vkr_offsets *offsets, const struct vkr_span *span,
		      struct vkr_joining *joining)
{
	for (uint32_t at = 0; at < span->row_count; at++) {
		struct vkr_row *row = &span->rows[at];
		for (uint32_t first = 0; first < row->count;) {
			const struct piece piece = piece_at(offsets, row, first);
			if (!vkr_join(joining, piece.offset, piece.step, piece.count))
				return false;
			first += piece.count;
		}
	}
	return true;
}

uint64_t vkr_offsets_beyond(const struct vkr_offsets *offsets, const struct vkr_span *span,
			    uint64_t room)
{
	const uint64_t bytes = offsets->access->bytes;
	uint64_t beyond = 0;
	for (uint32_t at = 0; at < span->row_count; at++) {
		struct vkr_row *row = &span->rows[at];
		for (uint32_t first = 0; first < row->count;) {
			const struct piece piece = piece_at(offsets, row, first);
			const int64_t last = (int64_t)piece.offset +
					     (int64_t)(int32_t)piece.step * (piece.count - 1);
			first += piece.count;
			// Neither end lies beyond, nor what is between them.
			if (piece.offset + bytes <= room && last >= 0 &&
			    (uint64_t)last + bytes <= room)
				continue;
			for (uint32_t i = 0; i < piece.count; i++)
				beyond += (uint32_t)(piece.offset + i * piece.step) + bytes > room;
		}
	}
	return beyond;
}
