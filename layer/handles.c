// SPDX-License-Identifier: Apache-2.0
// The map from handles to objects, in shards so that threads seldom meet: open addressing, linear
// probing, backward-shift removal. Knows nothing of the objects.
#include "handles.h"

#include "map.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16u

struct slot {
	_Atomic uint64_t handle; // 0: free
	_Atomic(void *) object;
};

// Tables that were outgrown stay until the map is released, for who may still look into them: as
// each is half of the next, they hold no more than the last one.
struct vkr_handle_table {
	struct vkr_handle_table *outgrown;
	size_t capacity; // a power of two
	struct slot slots[];
};

static struct vkr_handle_shard *shard_of(struct vkr_handles *handles, uint64_t handle)
{
	return &handles->shards[vkr_map_hash(handle) >> 60];
}

void vkr_handles_init(struct vkr_handles *handles)
{
	for (size_t i = 0; i < VKR_HANDLE_SHARDS; i++) {
		struct vkr_handle_shard *shard = &handles->shards[i];
		pthread_mutex_init(&shard->lock, NULL);
		atomic_init(&shard->changes, 0);
		atomic_init(&shard->table, NULL);
		shard->count = 0;
	}
}

static struct vkr_handle_table *table_of(struct vkr_handle_shard *shard)
{
	return atomic_load_explicit(&shard->table, memory_order_acquire);
}

// Loads acquire so that what follows, `changes` above all, is read after them.
static uint64_t handle_at(struct vkr_handle_table *table, size_t at)
{
	return atomic_load_explicit(&table->slots[at].handle, memory_order_acquire);
}

static void *object_at(struct vkr_handle_table *table, size_t at)
{
	return atomic_load_explicit(&table->slots[at].object, memory_order_acquire);
}

static void set_slot(struct vkr_handle_table *table, size_t at, uint64_t handle, void *object)
{
	atomic_store_explicit(&table->slots[at].object, object, memory_order_release);
	atomic_store_explicit(&table->slots[at].handle, handle, memory_order_release);
}

static size_t home_of(const struct vkr_handle_table *table, uint64_t handle)
{
	return (size_t)vkr_map_hash(handle) & (table->capacity - 1);
}

// Where the handle stands or would. It ends also where handles are moved meanwhile.
static size_t find_handle(struct vkr_handle_table *table, uint64_t handle)
{
	size_t at = home_of(table, handle);
	for (size_t looked = 0; looked < table->capacity; looked++) {
		const uint64_t there = handle_at(table, at);
		if (there == handle || there == 0)
			break;
		at = (at + 1) & (table->capacity - 1);
	}
	return at;
}

void vkr_handles_finish(struct vkr_handles *handles, void (*destroy)(void *object))
{
	for (size_t i = 0; i < VKR_HANDLE_SHARDS; i++) {
		struct vkr_handle_shard *shard = &handles->shards[i];
		struct vkr_handle_table *table = table_of(shard);
		for (size_t j = 0; destroy && table && j < table->capacity; j++)
			if (handle_at(table, j))
				destroy(object_at(table, j));
		while (table) {
			struct vkr_handle_table *outgrown = table->outgrown;
			free(table);
			table = outgrown;
		}
		atomic_store(&shard->table, NULL);
		shard->count = 0;
		pthread_mutex_destroy(&shard->lock);
	}
}

static bool make_room(struct vkr_handle_shard *shard)
{
	struct vkr_handle_table *table = table_of(shard);
	if (table && (shard->count + 1) * 4 <= table->capacity * 3)
		return true;
	const size_t capacity = table ? table->capacity * 2 : FIRST_CAPACITY;
	struct vkr_handle_table *larger =
		calloc(1, sizeof *larger + capacity * sizeof larger->slots[0]);
	if (!larger)
		return false;
	larger->outgrown = table;
	larger->capacity = capacity;
	for (size_t i = 0; table && i < table->capacity; i++) {
		const uint64_t handle = handle_at(table, i);
		if (handle)
			set_slot(larger, find_handle(larger, handle), handle, object_at(table, i));
	}
	atomic_store_explicit(&shard->table, larger, memory_order_release);
	return true;
}

bool vkr_handles_put(struct vkr_handles *handles, uint64_t handle, void *object)
{
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	pthread_mutex_lock(&shard->lock);
	const bool put = make_room(shard);
	if (put) {
		struct vkr_handle_table *table = table_of(shard);
		const size_t at = find_handle(table, handle);
		shard->count += handle_at(table, at) != handle;
		set_slot(table, at, handle, object);
	}
	pthread_mutex_unlock(&shard->lock);
	return put;
}

static void *look_up(struct vkr_handle_shard *shard, uint64_t handle)
{
	struct vkr_handle_table *table = table_of(shard);
	if (!table)
		return NULL;
	const size_t at = find_handle(table, handle);
	return handle_at(table, at) == handle ? object_at(table, at) : NULL;
}

void *vkr_handles_get(struct vkr_handles *handles, uint64_t handle)
{
	if (!handle)
		return NULL;
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	const uint64_t changes = atomic_load_explicit(&shard->changes, memory_order_acquire);
	void *object = look_up(shard, handle);
	if (changes % 2 == 0 &&
	    atomic_load_explicit(&shard->changes, memory_order_relaxed) == changes)
		return object;
	pthread_mutex_lock(&shard->lock);
	object = look_up(shard, handle);
	pthread_mutex_unlock(&shard->lock);
	return object;
}

// Frees the slot, and moves later entries into the gap.
static void remove_at(struct vkr_handle_table *table, size_t hole)
{
	const size_t mask = table->capacity - 1;
	for (size_t at = (hole + 1) & mask; handle_at(table, at); at = (at + 1) & mask) {
		// One whose home lies after the hole stays.
		if (((at - home_of(table, handle_at(table, at))) & mask) < ((at - hole) & mask))
			continue;
		set_slot(table, hole, handle_at(table, at), object_at(table, at));
		hole = at;
	}
	set_slot(table, hole, 0, NULL);
}

void *vkr_handles_take(struct vkr_handles *handles, uint64_t handle)
{
	if (!handle)
		return NULL;
	struct vkr_handle_shard *shard = shard_of(handles, handle);
	pthread_mutex_lock(&shard->lock);
	struct vkr_handle_table *table = table_of(shard);
	void *object = look_up(shard, handle);
	if (object) {
		atomic_fetch_add_explicit(&shard->changes, 1, memory_order_acq_rel);
		remove_at(table, find_handle(table, handle));
		shard->count--;
		atomic_fetch_add_explicit(&shard->changes, 1, memory_order_acq_rel);
	}
	pthread_mutex_unlock(&shard->lock);
	return object;
}

uint64_t vkr_handles_find(struct vkr_handles *handles, bool (*is)(const void *object, void *user),
			  void *user)
{
	uint64_t found = 0;
	for (size_t i = 0; i < VKR_HANDLE_SHARDS && !found; i++) {
		struct vkr_handle_shard *shard = &handles->shards[i];
		pthread_mutex_lock(&shard->lock);
		struct vkr_handle_table *table = table_of(shard);
		for (size_t at = 0; table && at < table->capacity && !found; at++) {
			const uint64_t handle = handle_at(table, at);
			if (handle && is(object_at(table, at), user))
				found = handle;
		}
		pthread_mutex_unlock(&shard->lock);
	}
	return found;
}
