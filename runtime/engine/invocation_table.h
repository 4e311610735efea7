// SPDX-License-Identifier: Apache-2.0
// Which invocations accessed the elements of a stretch of memory, one after the other. An epoch
// with a table says in its slots the place of an element instead of an invocation, so that one slot
// serves for a page of them. Knows numbers; nothing of what was accessed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_invocation_table {
	uint64_t hash;
	uint32_t next; // 1 + index of the next one with this hash; 0: none
	bool used;     // by some epoch, while unused ones are looked for
	uint32_t count;
	uint32_t items[]; // 1 + an invocation's number (workgroup << local_bits | local); 0: none
};

// Tables by content: programs that do the same again share them. Zeroed before the first.
struct vkr_invocation_tables {
	struct vkr_invocation_table **items;
	size_t count, capacity;
	struct {
		uint32_t *items; // by the hash's low bits: 1 + index of the first one; 0: none
		size_t count, capacity;
	} first;
	size_t bytes;      // of all tables
	size_t collect_at; // bytes at which unused ones should be looked for
};

void vkr_invocation_tables_finish(struct vkr_invocation_tables *tables);

// The table of this content, new or old; NULL for lack of memory.
struct vkr_invocation_table *vkr_invocation_table(struct vkr_invocation_tables *tables,
						  const uint32_t *items, uint32_t count);

// Whether there are so many that unused ones should be looked for.
bool vkr_invocation_tables_fill(const struct vkr_invocation_tables *tables);

// Releases those that are not used.
void vkr_invocation_tables_sweep(struct vkr_invocation_tables *tables);
