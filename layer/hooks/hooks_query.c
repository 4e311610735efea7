// SPDX-License-Identifier: Apache-2.0
// Query pools and the commands on their queries.
// Knows their parameters; not what they order.
#include "buffer_addresses.h"
#include "call_stack.h"
#include "command_buffer.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

static uint32_t pool_id(struct vkr_layer_device *device, VkQueryPool pool)
{
	const struct vkr_layer_query_pool *kept =
		vkr_handles_get(&device->objects.query_pools, VKR_KEY(pool));
	return kept ? kept->id : 0;
}

// The memory represents the memory in which the driver keeps queries.
static uint32_t record_memory(const struct vkr_layer_device *device, uint32_t queries)
{
	struct vkr_trace_memory memory = {
		.memory = vkr_record_id(VKR_OBJECT_MEMORY),
		.device = device->id,
		.bytes = queries,
		.property_flags = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
		.flags = VKR_MEMORY_STAND_IN,
	};
	vkr_record_event(VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
	return memory.memory;
}

// VkVideoEncodeFeedbackFlagsKHR; 0: none, or how the results lie is not known.
static uint32_t encode_feedback(const VkQueryPoolCreateInfo *info)
{
#ifdef VK_KHR_video_encode_queue
	const VkQueryPoolVideoEncodeFeedbackCreateInfoKHR *feedback = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_QUERY_POOL_VIDEO_ENCODE_FEEDBACK_CREATE_INFO_KHR);
	bool by_partition = false;
#ifdef VK_KHR_video_encode_feedback2
	by_partition = vkr_chain_find(
		info->pNext,
		VK_STRUCTURE_TYPE_QUERY_POOL_VIDEO_ENCODE_PER_PARTITION_FEEDBACK_CREATE_INFO_KHR);
#endif
	return feedback && !by_partition ? feedback->encodeFeedbackFlags : 0;
#else
	(void)info;
	return 0;
#endif
}

// Of a query pool's results.
static uint32_t values_of(const VkQueryPoolCreateInfo *info)
{
	switch (info->queryType) {
	case VK_QUERY_TYPE_OCCLUSION:
	case VK_QUERY_TYPE_TIMESTAMP:
#ifdef VK_QCOM_elapsed_timer_query
	case VK_QUERY_TYPE_TIME_ELAPSED_QCOM:
#endif
	case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
	case VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR:
	case VK_QUERY_TYPE_ACCELERATION_STRUCTURE_SIZE_KHR:
		return 1;
	case VK_QUERY_TYPE_PIPELINE_STATISTICS:
		return (uint32_t)__builtin_popcount(info->pipelineStatistics);
	case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
		return 2;
	case VK_QUERY_TYPE_RESULT_STATUS_ONLY_KHR:
		return 0;
	default:
		return encode_feedback(info) ? (uint32_t)__builtin_popcount(encode_feedback(info))
					     : VKR_VALUES_UNKNOWN;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateQueryPool(VkDevice handle,
						   const VkQueryPoolCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkQueryPool *pool)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateQueryPool(handle, info, allocator, pool);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_query_pool *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a query pool");
		return result;
	}
	const VkQueryPoolPerformanceCreateInfoKHR *performance = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR);
	kept->id = vkr_record_id(VKR_OBJECT_QUERY_POOL);
	kept->values = values_of(info);
	struct vkr_trace_query_pool payload = {
		.pool = kept->id,
		.device = device->id,
		.memory = record_memory(device, info->queryCount),
		.type = (uint32_t)info->queryType,
		.count = info->queryCount,
		.statistics = info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS
				      ? info->pipelineStatistics
				      : 0,
		.counters = performance ? performance->counterIndexCount : 0,
		.feedback = encode_feedback(info),
	};
	vkr_record_event(VKR_TRACE_QUERY_POOL, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.query_pools, VKR_KEY(*pool), kept, "a query pool");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyQueryPool(VkDevice handle, VkQueryPool pool,
						const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_query_pool *kept =
		vkr_handles_take(&device->objects.query_pools, VKR_KEY(pool));
	if (kept) {
		struct vkr_trace_query_pool_destroy payload = {.pool = kept->id};
		vkr_record_event(VKR_TRACE_QUERY_POOL_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyQueryPool(handle, pool, allocator);
}

VKAPI_ATTR void VKAPI_CALL vkr_ResetQueryPool(VkDevice handle, VkQueryPool pool, uint32_t first,
					      uint32_t count)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_trace_query_reset payload = {
		.pool = pool_id(device, pool), .first = first, .count = count};
	if (payload.pool) {
		vkr_call_stack_record();
		vkr_record_event(VKR_TRACE_QUERY_RESET, &payload, sizeof payload, NULL, 0);
	}
	device->next.ResetQueryPool(handle, pool, first, count);
}

struct vkr_query_results {
	const unsigned char *data;
	size_t bytes;
	VkDeviceSize stride;
	VkQueryResultFlags flags;
};

static void record_seen(struct vkr_layer_device *device, VkQueryPool pool, uint32_t first,
			uint32_t count)
{
	struct vkr_trace_query_seen payload = {
		.pool = pool_id(device, pool), .first = first, .count = count};
	if (payload.pool)
		vkr_record_event(VKR_TRACE_QUERY_SEEN, &payload, sizeof payload, NULL, 0);
}

// A status stands in the place of availability, and is 0 for a query that has not ended, too
// ("VkQueryResultStatusKHR").
#define SHOWS_AVAILABLE                                                                            \
	(VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_WITH_STATUS_BIT_KHR)

// The queries whose results say that they are available.
static void record_available(struct vkr_layer_device *device, VkQueryPool pool, uint32_t first,
			     uint32_t count, const struct vkr_query_results *results)
{
	const struct vkr_layer_query_pool *kept =
		vkr_handles_get(&device->objects.query_pools, VKR_KEY(pool));
	const size_t word =
		results->flags & VK_QUERY_RESULT_64_BIT ? sizeof(uint64_t) : sizeof(uint32_t);
	static const uint64_t nothing;
	// Where availability stands in results of other types is not known.
	if (kept && kept->values == VKR_VALUES_UNKNOWN) {
		vkr_record_coverage(
			VKR_COVERAGE_SYNC, 0, 0,
			"which queries vkGetQueryPoolResults showed to be available is not known "
			"for their type: all are treated as ended, so races are missed");
		record_seen(device, pool, first, count);
		return;
	}
	for (uint32_t i = 0; kept && i < count; i++) {
		const size_t at = i * (size_t)results->stride + kept->values * word;
		if (at + word <= results->bytes && memcmp(results->data + at, &nothing, word) != 0)
			record_seen(device, pool, first + i, 1);
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetQueryPoolResults(VkDevice handle, VkQueryPool pool,
						       uint32_t first, uint32_t count,
						       size_t data_bytes, void *data,
						       VkDeviceSize stride,
						       VkQueryResultFlags flags)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.GetQueryPoolResults(handle, pool, first, count, data_bytes,
							   data, stride, flags);
	const struct vkr_query_results results = {data, data_bytes, stride, flags};
	const bool waited = result == VK_SUCCESS && flags & VK_QUERY_RESULT_WAIT_BIT;
	const bool all = result == VK_SUCCESS && !(flags & VK_QUERY_RESULT_PARTIAL_BIT);
	if (!waited && flags & SHOWS_AVAILABLE && result >= VK_SUCCESS)
		record_available(device, pool, first, count, &results);
	else if (waited || all)
		record_seen(device, pool, first, count);
	if (result == VK_SUCCESS)
		vkr_record_flush();
	return result;
}

static VKR_OF_HOOKS void record_query(VkCommandBuffer handle,
				      const struct vkr_trace_cmd_query *query, VkQueryPool pool)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_trace_cmd_query payload = *query;
	if (!buffer)
		return;
	payload.command = vkr_command_index(buffer);
	payload.pool = pool_id(buffer->device, pool);
	vkr_command_event(buffer, VKR_TRACE_CMD_QUERY, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdResetQueryPool(VkCommandBuffer handle, VkQueryPool pool,
						 uint32_t first, uint32_t count)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){
			     .operation = VKR_QUERY_RESET, .first = first, .count = count},
		     pool);
	vkr_device_of(handle)->next.CmdResetQueryPool(handle, pool, first, count);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginQuery(VkCommandBuffer handle, VkQueryPool pool,
					     uint32_t query, VkQueryControlFlags flags)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){
			     .operation = VKR_QUERY_BEGIN, .first = query, .count = 1},
		     pool);
	vkr_device_of(handle)->next.CmdBeginQuery(handle, pool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndQuery(VkCommandBuffer handle, VkQueryPool pool, uint32_t query)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){
			     .operation = VKR_QUERY_END, .first = query, .count = 1},
		     pool);
	vkr_device_of(handle)->next.CmdEndQuery(handle, pool, query);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool,
						       uint32_t query, VkQueryControlFlags flags,
						       uint32_t index)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){
			     .operation = VKR_QUERY_BEGIN, .first = query, .count = 1},
		     pool);
	vkr_device_of(handle)->next.CmdBeginQueryIndexedEXT(handle, pool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEndQueryIndexedEXT(VkCommandBuffer handle, VkQueryPool pool,
						     uint32_t query, uint32_t index)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){
			     .operation = VKR_QUERY_END, .first = query, .count = 1},
		     pool);
	vkr_device_of(handle)->next.CmdEndQueryIndexedEXT(handle, pool, query, index);
}

static VKR_OF_HOOKS void record_timestamp(VkCommandBuffer handle, VkQueryPool pool, uint32_t query,
					  VkPipelineStageFlags2 stages)
{
	record_query(handle,
		     &(struct vkr_trace_cmd_query){.operation = VKR_QUERY_TIMESTAMP,
						   .first = query,
						   .count = 1,
						   .stages = stages},
		     pool);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteTimestamp(VkCommandBuffer handle,
						 VkPipelineStageFlagBits stage, VkQueryPool pool,
						 uint32_t query)
{
	record_timestamp(handle, pool, query, (VkPipelineStageFlags2)stage);
	vkr_device_of(handle)->next.CmdWriteTimestamp(handle, stage, pool, query);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdWriteTimestamp2(VkCommandBuffer handle,
						  VkPipelineStageFlags2 stage, VkQueryPool pool,
						  uint32_t query)
{
	record_timestamp(handle, pool, query, stage);
	vkr_device_of(handle)->next.CmdWriteTimestamp2(handle, stage, pool, query);
}

static void record_copy(struct vkr_layer_command_buffer *buffer, VkQueryPool pool,
			struct vkr_buffer_place to, struct vkr_trace_cmd_copy_queries payload)
{
	payload.command = vkr_command_index(buffer);
	payload.pool = pool_id(buffer->device, pool);
	payload.buffer = to.buffer ? vkr_command_buffer_id(buffer, to.buffer) : 0;
	payload.offset = to.offset;
	vkr_command_event(buffer, VKR_TRACE_CMD_COPY_QUERIES, &payload, sizeof payload, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdCopyQueryPoolResults(VkCommandBuffer handle, VkQueryPool pool,
						       uint32_t first, uint32_t count,
						       VkBuffer destination, VkDeviceSize offset,
						       VkDeviceSize stride,
						       VkQueryResultFlags flags)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_copy(
			buffer, pool, (struct vkr_buffer_place){destination, offset},
			(struct vkr_trace_cmd_copy_queries){
				.first = first, .count = count, .flags = flags, .stride = stride});
	vkr_command_device(buffer, handle)
		->next.CmdCopyQueryPoolResults(handle, pool, first, count, destination, offset,
					       stride, flags);
}

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR void VKAPI_CALL
vkr_CmdCopyQueryPoolResultsToMemoryKHR(VkCommandBuffer handle, VkQueryPool pool, uint32_t first,
				       uint32_t count, const VkStridedDeviceAddressRangeKHR *to,
				       VkAddressCommandFlagsKHR to_flags, VkQueryResultFlags flags)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_copy(buffer, pool, vkr_buffer_addresses_place(buffer->device, to->address),
			    (struct vkr_trace_cmd_copy_queries){.first = first,
								.count = count,
								.flags = flags,
								.stride = to->stride});
	vkr_command_device(buffer, handle)
		->next.CmdCopyQueryPoolResultsToMemoryKHR(handle, pool, first, count, to, to_flags,
							  flags);
}
#endif
