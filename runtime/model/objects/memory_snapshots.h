// SPDX-License-Identifier: Apache-2.0
// What memory held as commands read it as their parameters, kept by execution until that is judged.
// Knows bytes and addresses; not what they say.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_snapshot {
	uint32_t execution, command;
	uint64_t address, bytes;
	bool last; // nothing more of the command comes
	uint32_t *words;
};

struct vkr_snapshots {
	struct vkr_snapshot *items; // in the order of arrival
	size_t count, capacity;
	size_t found; // the piece that was found last: the next one is near
};

// SNAPSHOT.
enum vkr_result vkr_snapshots_add(struct vkr_snapshots *snapshots,
				  const struct vkr_trace_snapshot *event,
				  struct vkr_error *error) VKR_MUST_USE;

// Whether all that was captured for the command has arrived.
bool vkr_snapshots_has(struct vkr_snapshots *snapshots, uint32_t execution, uint32_t command);

// Copies what the memory held there; false where not all of it was captured for the command.
bool vkr_snapshots_read(struct vkr_snapshots *snapshots, uint32_t execution, uint32_t command,
			uint64_t address, void *to, size_t bytes);

// The execution is judged.
void vkr_snapshots_drop(struct vkr_snapshots *snapshots, uint32_t execution);
void vkr_snapshots_finish(struct vkr_snapshots *snapshots);
