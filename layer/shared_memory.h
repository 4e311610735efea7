// SPDX-License-Identifier: Apache-2.0
// Memory objects that are of one payload, for one was imported from a file that another was
// exported as: in the trace they are one memory (Vulkan specification, "External Memory Handle
// Types", "Importing Memory Object Payloads": references to the same payload). Knows files; not
// what is done to memory.
#pragma once

#include "objects.h"

// The file of a payload.
struct vkr_payload_file {
	uint64_t device, inode; // 0, 0: it distinguishes no payload from another
};

// Of a descriptor, before a driver owns it.
struct vkr_payload_file vkr_payload_file(int descriptor);

// The memory is known by that file from now on: what is imported from it is its payload.
void vkr_payload_exported(struct vkr_layer_memory *kept, struct vkr_payload_file file);

// The memory, which has no id yet, was imported from that file. True: it has the id of another one
// whose payload it is.
bool vkr_payload_imported(struct vkr_layer_memory *kept, struct vkr_payload_file file);

// The memory is freed: false where others of its payload are left.
bool vkr_payload_left(struct vkr_layer_memory *kept);
