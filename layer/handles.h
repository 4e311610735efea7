// SPDX-License-Identifier: Apache-2.0
// A map from a Vulkan handle to what the layer knows of the object, usable from any thread.
// Knows nothing of the objects.
#pragma once

#include "map.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_HANDLE_SHARDS 16u

struct vkr_handle_shard {
	_Alignas(64) pthread_rwlock_t lock; // innermost: nothing is locked or called under it
	struct vkr_map map;
};

struct vkr_handles {
	struct vkr_handle_shard shards[VKR_HANDLE_SHARDS];
};

void vkr_handles_init(struct vkr_handles *handles);

// Releases the map, and each object still in it with `destroy` (may be NULL).
void vkr_handles_finish(struct vkr_handles *handles, void (*destroy)(void *object));

// False for lack of memory. An object that stood there already is replaced.
bool vkr_handles_put(struct vkr_handles *handles, uint64_t handle, void *object);

// NULL for an unknown handle, VK_NULL_HANDLE included.
void *vkr_handles_get(struct vkr_handles *handles, uint64_t handle);

// The same, and the handle is forgotten.
void *vkr_handles_take(struct vkr_handles *handles, uint64_t handle);

// A handle of any kind as a key: non-dispatchable handles are pointers or 64-bit integers.
#define VKR_KEY(handle) ((uint64_t)(uintptr_t)(handle))
