// SPDX-License-Identifier: Apache-2.0
// The map from handles to objects, in shards so that threads seldom meet.
// Knows nothing of the objects.
#include "handles.h"

#include <stdlib.h>

static struct vkr_handle_shard *shard_of(struct vkr_handles *handles, uint64_t handle)
{
	return &handles->shards[vkr_map_hash(handle) >> 60];
}

void vkr_handles_init(struct vkr_handles *handles)
{
	for (size_t i = 0; i < VKR_HANDLE_SHARDS; i++) {
		pthread_rwlock_init(&handles->shards[i].lock, NULL);
		vkr_map_init(&handles->shards[i].map);
	}
}

void vkr_handles_finish(struct vkr_handles *handles, void (*destroy)(void *object))
{
	for (size_t i = 0; i < VKR_HANDLE_SHARDS; i++) {
		struct vkr_handle_shard *shard = &handles->shards[i];
		for (size_t j = 0; destroy && j < shard->map.capacity; j++)
			if (shard->map.slots[j].used)
				destroy((void *)(uintptr_t)shard->map.slots[j].value);
		vkr_map_finish(&shard->map);
		pthread_rwlock_destroy(&shard->lock);
	}
}

bool vkr_handles_put(struct vkr_handles *handles, uint64_t handle, void *object)
{
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	pthread_rwlock_wrlock(&shard->lock);
	bool put = vkr_map_set(&shard->map, handle, (uint64_t)(uintptr_t)object);
	pthread_rwlock_unlock(&shard->lock);
	return put;
}

void *vkr_handles_get(struct vkr_handles *handles, uint64_t handle)
{
	if (!handle)
		return NULL;
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	uint64_t object = 0;
	pthread_rwlock_rdlock(&shard->lock);
	if (!vkr_map_get(&shard->map, handle, &object))
		object = 0;
	pthread_rwlock_unlock(&shard->lock);
	return (void *)(uintptr_t)object;
}

void *vkr_handles_take(struct vkr_handles *handles, uint64_t handle)
{
	if (!handle)
		return NULL;
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	uint64_t object = 0;
	pthread_rwlock_wrlock(&shard->lock);
	if (vkr_map_get(&shard->map, handle, &object))
		vkr_map_remove(&shard->map, handle);
	else
		object = 0;
	pthread_rwlock_unlock(&shard->lock);
	return (void *)(uintptr_t)object;
}
