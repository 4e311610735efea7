// SPDX-License-Identifier: Apache-2.0
#include "captured_memory.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum vkr_result vkr_captures_add(struct vkr_captures *captures,
				 const struct vkr_trace_captured *event, struct vkr_error *error)
{
	const size_t bytes = (size_t)event->word_count * sizeof(uint32_t);
	uint32_t *words = malloc(bytes + 1);
	if (words == NULL || !VKR_ARRAY_RESERVE(captures, 1)) {
		free(words);
		return vkr_error_memory(error, "a command's parameters");
	}
	memcpy(words, event + 1, bytes);
	captures->items[captures->count++] =
		(struct vkr_captured){.execution = event->execution,
				      .command = event->command,
				      .address = event->address,
				      .bytes = bytes,
				      .last = event->flags & VKR_CAPTURED_LAST,
				      .words = words};
	return VKR_OK;
}

static bool is_of(const struct vkr_captured *piece, uint32_t execution, uint32_t command)
{
	return piece->execution == execution && piece->command == command;
}

bool vkr_captures_has(struct vkr_captures *captures, uint32_t execution, uint32_t command)
{
	for (size_t i = 0; i < captures->count; i++) {
		const size_t at = (captures->found + i) % captures->count;
		if (is_of(&captures->items[at], execution, command) && captures->items[at].last) {
			captures->found = at;
			return true;
		}
	}
	return false;
}

// The piece that holds the byte, or NULL.
static const struct vkr_captured *find(struct vkr_captures *captures, uint32_t execution,
				       uint32_t command, uint64_t address)
{
	for (size_t i = 0; i < captures->count; i++) {
		const size_t at = (captures->found + i) % captures->count;
		const struct vkr_captured *piece = &captures->items[at];
		if (is_of(piece, execution, command) && address >= piece->address &&
		    address - piece->address < piece->bytes) {
			captures->found = at;
			return piece;
		}
	}
	return NULL;
}

bool vkr_captures_read(struct vkr_captures *captures, uint32_t execution, uint32_t command,
		       uint64_t address, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const struct vkr_captured *piece =
			find(captures, execution, command, address + done);
		if (piece == NULL)
			return false;
		const uint64_t from = address + done - piece->address;
		const uint64_t left = piece->bytes - from;
		const size_t part = left < bytes - done ? (size_t)left : bytes - done;
		memcpy((char *)to + done, (const char *)piece->words + from, part);
		done += part;
	}
	return true;
}

void vkr_captures_drop(struct vkr_captures *captures, uint32_t execution)
{
	size_t kept = 0;
	for (size_t at = 0; at < captures->count; at++) {
		if (captures->items[at].execution == execution)
			free(captures->items[at].words);
		else
			captures->items[kept++] = captures->items[at];
	}
	captures->count = kept;
	captures->found = 0;
}

void vkr_captures_finish(struct vkr_captures *captures)
{
	for (size_t at = 0; at < captures->count; at++)
		free(captures->items[at].words);
	free(captures->items);
}
