// SPDX-License-Identifier: Apache-2.0
// A map from a Vulkan handle to what the layer knows of the object, usable from any thread.
// Knows nothing of the objects.
//
// Looking up takes no lock, for that is what recording commands does: whoever finds that the map
// was changed meanwhile looks again with the lock held.
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VKR_HANDLE_SHARDS 16u

struct vkr_handle_table;

struct vkr_handle_shard {
	_Alignas(64) pthread_mutex_t lock; // of writers; innermost: nothing is called under it
	_Atomic uint64_t changes;          // odd while handles are moved or removed
	_Atomic(struct vkr_handle_table *) table; // NULL: empty
	size_t count;                             // of handles; under the lock
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

// As vkr_handles_get, and forgets the handle.
void *vkr_handles_take(struct vkr_handles *handles, uint64_t handle);

// The handle of an object that `is` says is the one, asked with the map's lock held; 0 for none.
// Looks at all of them.
uint64_t vkr_handles_find(struct vkr_handles *handles, bool (*is)(const void *object, void *user),
			  void *user);

// A handle of any kind as a key: non-dispatchable handles are pointers or 64-bit integers.
#define VKR_KEY(handle) ((uint64_t)(uintptr_t)(handle))
