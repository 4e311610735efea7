// SPDX-License-Identifier: Apache-2.0
// Video sessions whose operations do nothing but end their queries, for which timestamps stand.
// Knows handles; nothing of pictures.
#include "families_layer.h"

#include <stdlib.h>
#include <string.h>

#define NEXT(of, name, alias) ((PFN_##name)families_next(of, #name, alias))
#define SESSION_BYTES         4096u

// VK_QUERY_TYPE_VIDEO_ENCODE_FEEDBACK_KHR, which the oldest headers keep for a beta extension.
#define ENCODE_FEEDBACK 1000299000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	VkQueryPool pool;
	uint32_t values; // of a query
} * pools;
static size_t pool_count;
static uintptr_t handles = 0x1000; // of what is made of nothing

static uintptr_t new_handle(void)
{
	pthread_mutex_lock(&lock);
	const uintptr_t handle = handles++;
	pthread_mutex_unlock(&lock);
	return handle;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_capabilities(VkPhysicalDevice physical,
						       const VkVideoProfileInfoKHR *profile,
						       VkVideoCapabilitiesKHR *capabilities)
{
	(void)physical;
	(void)profile;
	capabilities->pictureAccessGranularity = (VkExtent2D){16, 16};
	capabilities->maxCodedExtent = (VkExtent2D){4096, 4096};
	capabilities->maxDpbSlots = capabilities->maxActiveReferencePictures = 16;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_session(VkDevice device,
						     const VkVideoSessionCreateInfoKHR *info,
						     const VkAllocationCallbacks *allocator,
						     VkVideoSessionKHR *session)
{
	(void)device;
	(void)info;
	(void)allocator;
	*session = (VkVideoSessionKHR)new_handle();
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_session(VkDevice device, VkVideoSessionKHR session,
						  const VkAllocationCallbacks *allocator)
{
	(void)device;
	(void)session;
	(void)allocator;
}

static VKAPI_ATTR VkResult VKAPI_CALL get_needs(VkDevice device, VkVideoSessionKHR session,
						uint32_t *count,
						VkVideoSessionMemoryRequirementsKHR *needs)
{
	(void)device;
	(void)session;
	if (needs && *count > 0)
		needs->memoryRequirements =
			(VkMemoryRequirements){SESSION_BYTES, SESSION_BYTES, UINT32_MAX};
	*count = 1;
	return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_session(VkDevice device, VkVideoSessionKHR session,
						   uint32_t count,
						   const VkBindVideoSessionMemoryInfoKHR *infos)
{
	(void)device;
	(void)session;
	(void)count;
	(void)infos;
	return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL begin_coding(VkCommandBuffer commands,
					       const VkVideoBeginCodingInfoKHR *info)
{
	(void)commands;
	(void)info;
}

static VKAPI_ATTR void VKAPI_CALL control_coding(VkCommandBuffer commands,
						 const VkVideoCodingControlInfoKHR *info)
{
	(void)commands;
	(void)info;
}

static VKAPI_ATTR void VKAPI_CALL end_coding(VkCommandBuffer commands,
					     const VkVideoEndCodingInfoKHR *info)
{
	(void)commands;
	(void)info;
}

static void end_inline_query(VkCommandBuffer commands, const void *chain)
{
#ifdef VK_KHR_video_maintenance1
	const VkBaseInStructure *at = chain;
	while (at && at->sType != VK_STRUCTURE_TYPE_VIDEO_INLINE_QUERY_INFO_KHR)
		at = at->pNext;
	const VkVideoInlineQueryInfoKHR *query = (const void *)at;
	if (query)
		NEXT(commands, vkCmdWriteTimestamp, NULL)
	(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, query->queryPool, query->firstQuery);
#else
	(void)commands;
	(void)chain;
#endif
}

static VKAPI_ATTR void VKAPI_CALL decode(VkCommandBuffer commands, const VkVideoDecodeInfoKHR *info)
{
	end_inline_query(commands, info->pNext);
}

#ifdef VK_KHR_video_encode_queue
static VKAPI_ATTR void VKAPI_CALL encode(VkCommandBuffer commands, const VkVideoEncodeInfoKHR *info)
{
	end_inline_query(commands, info->pNext);
}
#endif

// ---- Queries ------------------------------------------------------------------------------------

// Values of each query, without its status; UINT32_MAX: the pool is none of video.
static uint32_t values_of(VkQueryPool pool)
{
	uint32_t values = UINT32_MAX;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < pool_count; i++)
		if (pools[i].pool == pool)
			values = pools[i].values;
	pthread_mutex_unlock(&lock);
	return values;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice device,
						  const VkQueryPoolCreateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkQueryPool *pool)
{
	const bool status = info->queryType == VK_QUERY_TYPE_RESULT_STATUS_ONLY_KHR;
	VkQueryPoolCreateInfo real = *info;
	if (!status && (int)info->queryType != ENCODE_FEEDBACK)
		return NEXT(device, vkCreateQueryPool, NULL)(device, info, allocator, pool);
	real.pNext = NULL;
	real.queryType = VK_QUERY_TYPE_TIMESTAMP;
	const VkResult result =
		NEXT(device, vkCreateQueryPool, NULL)(device, &real, allocator, pool);
	pthread_mutex_lock(&lock);
	pools = realloc(pools, (pool_count + 1) * sizeof *pools);
	if (!pools)
		abort();
	pools[pool_count].pool = *pool;
	pools[pool_count++].values = status ? 0 : 2; // the bitstream's offset and bytes
	pthread_mutex_unlock(&lock);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL begin_query(VkCommandBuffer commands, VkQueryPool pool,
					      uint32_t query, VkQueryControlFlags flags)
{
	if (values_of(pool) == UINT32_MAX)
		NEXT(commands, vkCmdBeginQuery, NULL)(commands, pool, query, flags);
}

static VKAPI_ATTR void VKAPI_CALL end_query(VkCommandBuffer commands, VkQueryPool pool,
					    uint32_t query)
{
	if (values_of(pool) == UINT32_MAX)
		NEXT(commands, vkCmdEndQuery, NULL)(commands, pool, query);
	else
		NEXT(commands, vkCmdWriteTimestamp, NULL)
	(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, query);
}

// One query of 32-bit values with its status.
static VKAPI_ATTR VkResult VKAPI_CALL get_results(VkDevice device, VkQueryPool pool, uint32_t first,
						  uint32_t count, size_t bytes, void *data,
						  VkDeviceSize stride, VkQueryResultFlags flags)
{
	const uint32_t values = values_of(pool);
	uint64_t real[2] = {0, 0};
	if (values == UINT32_MAX)
		return NEXT(device, vkGetQueryPoolResults, NULL)(device, pool, first, count, bytes,
								 data, stride, flags);
	const VkQueryResultFlags wait = flags & VK_QUERY_RESULT_WAIT_BIT;
	const VkResult result = NEXT(device, vkGetQueryPoolResults, NULL)(
		device, pool, first, 1, sizeof real, real, sizeof real,
		VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | wait);
	for (uint32_t i = 0; i <= values && (i + 1) * sizeof(uint32_t) <= bytes; i++)
		((uint32_t *)data)[i] = i < values ? 0 : (uint32_t)real[1];
	return result;
}

PFN_vkVoidFunction families_video_hook(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} hooks[] = {
		{"vkGetPhysicalDeviceVideoCapabilitiesKHR", (PFN_vkVoidFunction)get_capabilities},
		{"vkCreateVideoSessionKHR", (PFN_vkVoidFunction)create_session},
		{"vkDestroyVideoSessionKHR", (PFN_vkVoidFunction)destroy_session},
		{"vkGetVideoSessionMemoryRequirementsKHR", (PFN_vkVoidFunction)get_needs},
		{"vkBindVideoSessionMemoryKHR", (PFN_vkVoidFunction)bind_session},
		{"vkCmdBeginVideoCodingKHR", (PFN_vkVoidFunction)begin_coding},
		{"vkCmdControlVideoCodingKHR", (PFN_vkVoidFunction)control_coding},
		{"vkCmdEndVideoCodingKHR", (PFN_vkVoidFunction)end_coding},
		{"vkCmdDecodeVideoKHR", (PFN_vkVoidFunction)decode},
#ifdef VK_KHR_video_encode_queue
		{"vkCmdEncodeVideoKHR", (PFN_vkVoidFunction)encode},
#endif
		{"vkCreateQueryPool", (PFN_vkVoidFunction)create_pool},
		{"vkCmdBeginQuery", (PFN_vkVoidFunction)begin_query},
		{"vkCmdEndQuery", (PFN_vkVoidFunction)end_query},
		{"vkGetQueryPoolResults", (PFN_vkVoidFunction)get_results},
	};
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
