// SPDX-License-Identifier: Apache-2.0
// Query pools and what the host does to queries (Vulkan specification, "Queries"). Knows nothing
// of commands.
#include "query_pools.h"

#include "error.h"
#include "event_payload.h"
#include "model_state.h"
#include "object_table.h"
#include "stand_ins.h"

static uint64_t key_of(const struct vkr_query_pool *pool, uint32_t query)
{
	return (uint64_t)pool->id << 32 | query;
}

static uint32_t end_of(uint32_t first, uint32_t count, uint32_t end)
{
	return first > end || count > end - first ? end : first + count;
}

void vkr_query_tokens_finish(struct vkr_query_tokens *tokens)
{
	vkr_map_finish(&tokens->ends);
}

struct vkr_query_pool *vkr_query_pool_find(const struct vkr_model *model, uint32_t id)
{
	return vkr_table_find(&model->objects.query_pools, id);
}

enum vkr_result vkr_query_ended(struct vkr_model *model, struct vkr_query_pool *pool,
				uint32_t query, uint32_t token, struct vkr_error *error)
{
	uint64_t before = 0;
	if (vkr_map_get(&model->query_tokens.ends, key_of(pool, query), &before))
		vkr_engine_token_drop(model->engine, (uint32_t)before);
	if (!vkr_map_set(&model->query_tokens.ends, key_of(pool, query), token))
		return vkr_error_memory(error, "a query");
	if (pool->ended <= query)
		pool->ended = query + 1;
	return VKR_OK;
}

bool vkr_queries_ended(const struct vkr_model *model, const struct vkr_query_pool *pool,
		       uint32_t first, uint32_t count)
{
	uint64_t token = 0;
	const uint32_t end = end_of(first, count, pool->count);
	if (end > pool->ended)
		return false;
	for (uint32_t query = first; query < end; query++)
		if (!vkr_map_get(&model->query_tokens.ends, key_of(pool, query), &token))
			return false;
	return true;
}

enum vkr_result vkr_queries_seen(struct vkr_model *model, const struct vkr_query_pool *pool,
				 uint32_t first, uint32_t count, struct vkr_error *error)
{
	const uint32_t end = end_of(first, count, pool->ended);
	enum vkr_result result = VKR_OK;
	for (uint32_t query = first; query < end && result == VKR_OK; query++) {
		uint64_t token = 0;
		if (vkr_map_get(&model->query_tokens.ends, key_of(pool, query), &token))
			result = vkr_engine_acquire(model->engine, model->host.timeline,
						    (uint32_t)token, 0, error);
	}
	return result;
}

static enum vkr_result make_query_pool(struct vkr_model *model,
				       const struct vkr_trace_query_pool *made,
				       struct vkr_error *error)
{
	struct vkr_objects *objects = &model->objects;
	struct vkr_query_pool *pool = NULL;
	enum vkr_result result = vkr_table_make(objects, &objects->query_pools, made->pool,
						sizeof *pool, "query pool", &pool, error);
	if (result != VKR_OK)
		return result;
	pool->id = made->pool;
	pool->device = made->device;
	pool->type = made->type;
	pool->count = made->count;
	pool->statistics = made->statistics;
	pool->counters = made->counters;
	pool->feedback = made->feedback;
	pool->locations.bytes = made->count;
	pool->locations.memory = vkr_objects_memory(objects, made->memory);
	vkr_stand_in_used(pool->locations.memory);
	return vkr_table_name(objects, &pool->locations.name, "query pool", pool->id, error);
}

// Queries are reset by the host, and their pool is destroyed, when all commands on them have
// completed: who sees them available from now on has not seen these.
static void forget_ends(struct vkr_model *model, const struct vkr_query_pool *pool, uint32_t first,
			uint32_t count)
{
	const uint32_t end = end_of(first, count, pool->ended);
	for (uint32_t query = first; query < end; query++) {
		uint64_t token = 0;
		if (!vkr_map_get(&model->query_tokens.ends, key_of(pool, query), &token))
			continue;
		vkr_engine_token_drop(model->engine, (uint32_t)token);
		vkr_map_remove(&model->query_tokens.ends, key_of(pool, query));
	}
}

enum vkr_result vkr_query_pools_event(struct vkr_model *model, const struct vkr_trace_event *event,
				      struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_query_reset *reset = payload;
	const struct vkr_query_pool *pool = NULL;
	switch (event->type) {
	case VKR_TRACE_QUERY_POOL:
		return make_query_pool(model, payload, error);
	case VKR_TRACE_QUERY_POOL_DESTROY:
		pool = vkr_query_pool_find(
			model, ((const struct vkr_trace_query_pool_destroy *)payload)->pool);
		if (pool != NULL)
			forget_ends(model, pool, 0, pool->ended);
		return vkr_stand_ins_event(model, event, error);
	default:
		pool = vkr_query_pool_find(model, reset->pool);
		if (pool == NULL)
			return VKR_OK;
		forget_ends(model, pool, reset->first, reset->count);
		if (pool->locations.memory == NULL)
			return VKR_OK;
		return vkr_model_host_writes(model, event->thread, "vkResetQueryPool",
					     pool->locations.memory->id, reset->first, reset->count,
					     error);
	}
}
