// SPDX-License-Identifier: Apache-2.0
// Which pages of the process can be read and not written, as the kernel lists them at one moment.
// Knows nothing of what is in them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_mapped_pages {
	struct vkr_closed_pages {
		uintptr_t begin, end;
	} * items; // ascending: those that cannot be written
	size_t count, capacity;
};

// False where the list cannot be read, or for lack of memory.
bool vkr_mapped_pages_read(struct vkr_mapped_pages *pages);
void vkr_mapped_pages_finish(struct vkr_mapped_pages *pages);

// Whether the address is mapped, and cannot be written.
bool vkr_mapped_pages_closed(const struct vkr_mapped_pages *pages, uintptr_t address);
