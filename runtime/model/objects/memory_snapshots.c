// SPDX-License-Identifier: Apache-2.0
#include "memory_snapshots.h"

#include "array.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum vkr_result vkr_snapshots_add(struct vkr_snapshots *snapshots,
				  const struct vkr_trace_snapshot *event, struct vkr_error *error)
{
	const size_t bytes = (size_t)event->word_count * sizeof(uint32_t);
	uint32_t *words = malloc(bytes + 1);
	if (words == NULL || !VKR_ARRAY_RESERVE(snapshots, 1)) {
		free(words);
		return vkr_error_memory(error, "a command's parameters");
	}
	memcpy(words, event + 1, bytes);
	snapshots->items[snapshots->count++] =
		(struct vkr_snapshot){.execution = event->execution,
				      .command = event->command,
				      .address = event->address,
				      .bytes = bytes,
				      .last = event->flags & VKR_SNAPSHOT_LAST,
				      .words = words};
	return VKR_OK;
}

static bool is_of(const struct vkr_snapshot *piece, uint32_t execution, uint32_t command)
{
	return piece->execution == execution && piece->command == command;
}

bool vkr_snapshots_has(struct vkr_snapshots *snapshots, uint32_t execution, uint32_t command)
{
	for (size_t i = 0; i < snapshots->count; i++) {
		const size_t at = (snapshots->found + i) % snapshots->count;
		if (is_of(&snapshots->items[at], execution, command) && snapshots->items[at].last) {
			snapshots->found = at;
			return true;
		}
	}
	return false;
}

// The piece that holds the byte, or NULL.
static const struct vkr_snapshot *find_snapshot(struct vkr_snapshots *snapshots, uint32_t execution,
						uint32_t command, uint64_t address)
{
	for (size_t i = 0; i < snapshots->count; i++) {
		const size_t at = (snapshots->found + i) % snapshots->count;
		const struct vkr_snapshot *piece = &snapshots->items[at];
		if (is_of(piece, execution, command) && address >= piece->address &&
		    address - piece->address < piece->bytes) {
			snapshots->found = at;
			return piece;
		}
	}
	return NULL;
}

bool vkr_snapshots_read(struct vkr_snapshots *snapshots, uint32_t execution, uint32_t command,
			uint64_t address, void *to, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const struct vkr_snapshot *piece =
			find_snapshot(snapshots, execution, command, address + done);
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

void vkr_snapshots_drop(struct vkr_snapshots *snapshots, uint32_t execution)
{
	size_t kept = 0;
	for (size_t at = 0; at < snapshots->count; at++) {
		if (snapshots->items[at].execution == execution)
			free(snapshots->items[at].words);
		else
			snapshots->items[kept++] = snapshots->items[at];
	}
	snapshots->count = kept;
	snapshots->found = 0;
}

void vkr_snapshots_finish(struct vkr_snapshots *snapshots)
{
	for (size_t at = 0; at < snapshots->count; at++)
		free(snapshots->items[at].words);
	free(snapshots->items);
}
