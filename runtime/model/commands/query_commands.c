// SPDX-License-Identifier: Apache-2.0
// Commands on queries: what they do to the queries' state, and to the buffer that results are
// copied to (Vulkan specification, "Query Operation"). Knows these commands only.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"
#include "query_pools.h"
#include "scopes.h"

// Older headers lack these names, or keep them for a beta extension.
#define TIME_ELAPSED          1000173000   // VK_QUERY_TYPE_TIME_ELAPSED_QCOM
#define VIDEO_ENCODE_FEEDBACK 1000299000   // VK_QUERY_TYPE_VIDEO_ENCODE_FEEDBACK_KHR
#define VIDEO_ENCODE_STAGE    (1ull << 27) // VK_PIPELINE_STAGE_2_VIDEO_ENCODE_BIT_KHR

static enum vkr_result unknown_pool(struct vkr_walk *walk, const char *name)
{
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"%s uses a query pool whose creation was not recorded", name);
}

static const char *query_name(uint32_t operation)
{
	switch ((enum vkr_trace_query_operation)operation) {
	case VKR_QUERY_RESET:
		return "vkCmdResetQueryPool";
	case VKR_QUERY_BEGIN:
		return "vkCmdBeginQuery";
	case VKR_QUERY_END:
		return "vkCmdEndQuery";
	case VKR_QUERY_TIMESTAMP:
		return "vkCmdWriteTimestamp";
	}
	return "a query command";
}

static const char *operation_name(uint32_t operation)
{
	switch ((enum vkr_trace_query_operation)operation) {
	case VKR_QUERY_RESET:
		return "query reset";
	case VKR_QUERY_BEGIN:
		return "query begin";
	case VKR_QUERY_END:
		return "query end";
	case VKR_QUERY_TIMESTAMP:
		return "timestamp write";
	}
	return "query";
}

// With multiview a query uses as many consecutive ones as there are views.
static uint32_t queries_used(const struct vkr_walk *walk, const struct vkr_trace_cmd_query *query)
{
	const uint32_t views = (uint32_t)__builtin_popcount(walk->pass.view_mask);
	return query->operation == VKR_QUERY_RESET || views == 0 ? query->count : views;
}

static bool tells_completion(const struct vkr_query_pool *pool)
{
	return pool->type == VK_QUERY_TYPE_RESULT_STATUS_ONLY_KHR ||
	       pool->type == VIDEO_ENCODE_FEEDBACK;
}

// "The first synchronization scope includes all commands which reference the queries" of an end,
// and all commands in its stage of a timestamp; who sees the query available happens-after these.
// What barriers have handed to HOST before a timestamp is in it as in a fence's signal. A status
// says that the video operation has completed ("Result Status").
enum vkr_result vkr_walk_end_queries(struct vkr_walk *walk, const struct vkr_trace_cmd_query *query,
				     struct vkr_query_pool *pool)
{
	const uint32_t count = queries_used(walk, query);
	uint64_t stages = VKR_ENGINE_QUERY;
	enum vkr_result result = VKR_OK;
	if (query->operation == VKR_QUERY_TIMESTAMP)
		stages |= vkr_scope_signal(vkr_scope_first(query->stages, 0).execution);
	if (tells_completion(pool))
		stages |= vkr_scope_signal(VK_PIPELINE_STAGE_2_VIDEO_DECODE_BIT_KHR |
					   VIDEO_ENCODE_STAGE);
	for (uint32_t at = 0; at < count && result == VKR_OK; at++) {
		uint32_t token = 0;
		if (query->first >= pool->count || at >= pool->count - query->first)
			break;
		result = vkr_engine_release(walk->model->engine, walk->queue->timeline, stages,
					    false, &token, walk->error);
		if (result == VKR_OK)
			result = vkr_query_ended(walk->model, pool, query->first + at, token,
						 walk->error);
	}
	return result;
}

enum vkr_result vkr_walk_query(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_query *query = vkr_event_payload(event);
	struct vkr_query_pool *pool = vkr_query_pool_find(walk->model, query->pool);
	if (pool == NULL)
		return unknown_pool(walk, query_name(query->operation));
	const struct vkr_command_info like = {.name = query_name(query->operation),
					      .destination = &pool->locations};
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, query->command, VKR_TRACE_CMD_QUERY, &like),
		.buffer = &pool->locations,
		.write = true,
		.operation = operation_name(query->operation),
		.stage = VKR_ENGINE_QUERY,
		.access = VKR_ENGINE_QUERY,
		.offset = query->first,
		.bytes = queries_used(walk, query)};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	if (result == VKR_OK)
		result = vkr_walk_access(walk, &access);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	if (result == VKR_OK &&
	    (query->operation == VKR_QUERY_END || query->operation == VKR_QUERY_TIMESTAMP))
		result = vkr_walk_end_queries(walk, query, pool);
	return result;
}

// Values of one query's result; 0: not known.
static uint32_t result_values(const struct vkr_query_pool *pool)
{
	switch ((int)pool->type) {
	case VK_QUERY_TYPE_OCCLUSION:
	case VK_QUERY_TYPE_TIMESTAMP:
	case TIME_ELAPSED:
	case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
	case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_NV:
		return 1;
	case VK_QUERY_TYPE_PIPELINE_STATISTICS:
		return (uint32_t)__builtin_popcount(pool->statistics);
	case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
		return 2;
	case VIDEO_ENCODE_FEEDBACK:
		return (uint32_t)__builtin_popcount(pool->feedback);
	default:
		return 0;
	}
}

static uint64_t result_bytes(const struct vkr_query_pool *pool, uint32_t flags)
{
	const uint32_t last =
		VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WITH_STATUS_BIT_KHR;
	const uint32_t values = result_values(pool);
	if (pool->type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
		return (uint64_t)pool->counters * sizeof(VkPerformanceCounterResultKHR);
	if (values == 0 && pool->type != VK_QUERY_TYPE_RESULT_STATUS_ONLY_KHR)
		return 0;
	return (uint64_t)(values + (flags & last ? 1 : 0)) *
	       (flags & VK_QUERY_RESULT_64_BIT ? sizeof(uint64_t) : sizeof(uint32_t));
}

// The results: a range a query, or one where nothing lies between them.
static enum vkr_result write_results(struct vkr_walk *walk, struct vkr_walk_access *access,
				     const struct vkr_trace_cmd_copy_queries *copy,
				     const struct vkr_query_pool *pool)
{
	const uint64_t bytes = result_bytes(pool, copy->flags);
	const uint64_t room = access->buffer->bytes;
	enum vkr_result result = VKR_OK;
	if (bytes == 0)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"what vkCmdCopyQueryPoolResults writes for queries of type "
					"%u is not known: races with it are missed",
					pool->type);
	access->offset = copy->offset;
	access->bytes = bytes;
	if (copy->stride == bytes)
		access->bytes *= copy->count;
	if (copy->stride == bytes || copy->stride == 0 || copy->count == 1)
		return copy->count > 0 ? vkr_walk_access(walk, access) : VKR_OK;
	for (uint32_t at = 0; at < copy->count && access->offset < room && result == VKR_OK; at++) {
		result = vkr_walk_access(walk, access);
		access->offset += copy->stride;
	}
	return result;
}

// Without WAIT the copy has no order with the queries' end, and says whether they were available:
// that is no race.
enum vkr_result vkr_walk_copy_queries(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_copy_queries *copy = vkr_event_payload(event);
	const struct vkr_query_pool *pool = vkr_query_pool_find(walk->model, copy->pool);
	const struct vkr_buffer *buffer = vkr_objects_buffer(&walk->model->objects, copy->buffer);
	if (pool == NULL)
		return unknown_pool(walk, "vkCmdCopyQueryPoolResults");
	if (buffer == NULL)
		return vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"vkCmdCopyQueryPoolResults uses a buffer whose creation was not recorded");
	const struct vkr_command_info like = {.name = "vkCmdCopyQueryPoolResults",
					      .source = &pool->locations,
					      .destination = buffer};
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, copy->command, VKR_TRACE_CMD_COPY_QUERIES, &like),
		.buffer = &pool->locations,
		.operation = "query copy source",
		.stage = VKR_ENGINE_QUERY,
		.access = VKR_ENGINE_QUERY,
		.offset = copy->first,
		.bytes = copy->count};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	if (result == VKR_OK && copy->flags & VK_QUERY_RESULT_WAIT_BIT)
		result = vkr_walk_access(walk, &access);
	access.buffer = buffer;
	access.write = true;
	access.operation = "query results";
	access.stage = VK_PIPELINE_STAGE_2_COPY_BIT;
	access.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
	if (result == VKR_OK)
		result = write_results(walk, &access, copy, pool);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}
