// SPDX-License-Identifier: Apache-2.0
// Pipeline binaries as objects of the layer's own (pipeline_binaries.h). Knows the commands; not
// what stands in a binary.
#include "objects.h"
#include "pipeline_binaries.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#ifdef VK_KHR_pipeline_binary
static const struct vkr_shader_binary *binary_of(VkPipelineBinaryKHR handle)
{
	return (const struct vkr_shader_binary *)(uintptr_t)handle;
}

static VkPipelineBinaryKHR copy_of(const void *data, size_t bytes)
{
	struct vkr_shader_binary *made = malloc(sizeof *made + bytes);
	if (!made)
		return VK_NULL_HANDLE;
	made->bytes = bytes;
	memcpy(made->data, data, bytes);
	return (VkPipelineBinaryKHR)(uintptr_t)made;
}

// Whether it is what the program has got from the layer.
static bool is_whole(const VkPipelineBinaryDataKHR *data)
{
	const unsigned char *bytes = data->pData;
	struct vkr_arena arena;
	bool whole = true;
	vkr_arena_init(&arena);
	for (size_t at = 0, length = 0; whole && at < data->dataSize; at += length) {
		length = vkr_binary_bytes(bytes + at, data->dataSize - at);
		VkShaderCreateInfoEXT opened = {.codeSize = length, .pCode = bytes + at};
		whole = length && vkr_binary_open(&arena, &opened) == VKR_BINARY_OPENED;
	}
	vkr_arena_finish(&arena);
	return whole;
}

// vkCreatePipelineBinariesKHR for this many pieces of data.
static VkResult make_binaries(const VkPipelineBinaryDataKHR *data, uint32_t count,
			      VkPipelineBinaryHandlesInfoKHR *binaries)
{
	const uint32_t room = binaries->pipelineBinaryCount;
	VkResult result = binaries->pPipelineBinaries && room < count ? VK_INCOMPLETE : VK_SUCCESS;
	binaries->pipelineBinaryCount = result == VK_INCOMPLETE ? room : count;
	if (!binaries->pPipelineBinaries)
		return VK_SUCCESS;
	for (uint32_t i = 0; i < binaries->pipelineBinaryCount; i++) {
		const bool whole = result >= 0 && is_whole(&data[i]);
		binaries->pPipelineBinaries[i] =
			whole ? copy_of(data[i].pData, data[i].dataSize) : VK_NULL_HANDLE;
		if (result >= 0 && !binaries->pPipelineBinaries[i])
			result = whole ? VK_ERROR_OUT_OF_HOST_MEMORY
				       : VK_ERROR_INITIALIZATION_FAILED;
	}
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreatePipelineBinariesKHR(
	VkDevice handle, const VkPipelineBinaryCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkPipelineBinaryHandlesInfoKHR *binaries)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	if (!vkr_binary_wraps())
		return device->next.CreatePipelineBinariesKHR(handle, info, allocator, binaries);
	if (info->pKeysAndDataInfo)
		return make_binaries(info->pKeysAndDataInfo->pPipelineBinaryData,
				     info->pKeysAndDataInfo->binaryCount, binaries);
	const struct vkr_layer_pipeline *pipeline =
		vkr_handles_get(&device->objects.pipelines, VKR_KEY(info->pipeline));
	if (info->pipeline && (!pipeline || !pipeline->binary))
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	if (pipeline) {
		struct vkr_shader_binary *binary = pipeline->binary;
		const VkPipelineBinaryDataKHR data = {binary->bytes, binary->data};
		return make_binaries(&data, binary->bytes > 0, binaries);
	}
	// Binaries that a driver has kept from other runs are unknown to the layer.
	for (uint32_t i = 0; binaries->pPipelineBinaries && i < binaries->pipelineBinaryCount; i++)
		binaries->pPipelineBinaries[i] = VK_NULL_HANDLE;
	binaries->pipelineBinaryCount = 0;
	return VK_PIPELINE_BINARY_MISSING_KHR;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipelineBinaryKHR(VkDevice handle, VkPipelineBinaryKHR binary,
							const VkAllocationCallbacks *allocator)
{
	if (vkr_binary_wraps())
		free((void *)(uintptr_t)binary_of(binary));
	else
		vkr_device_of(handle)->next.DestroyPipelineBinaryKHR(handle, binary, allocator);
}

static void fill_key(VkPipelineBinaryKeyKHR *key, XXH128_hash_t hash)
{
	static_assert(sizeof hash <= VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR, "all of it");
	key->keySize = sizeof hash;
	memcpy(key->key, &hash, sizeof hash);
}

// Without a pipeline: the key that says who stored what.
VKAPI_ATTR VkResult VKAPI_CALL vkr_GetPipelineKeyKHR(VkDevice handle,
						     const VkPipelineCreateInfoKHR *info,
						     VkPipelineBinaryKeyKHR *key)
{
	const VkResult result = vkr_device_of(handle)->next.GetPipelineKeyKHR(handle, info, key);
	if (result == VK_SUCCESS && !info && vkr_binary_wraps())
		fill_key(key, vkr_binary_identity(key->key, key->keySize));
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetPipelineBinaryDataKHR(VkDevice handle,
							    const VkPipelineBinaryDataInfoKHR *info,
							    VkPipelineBinaryKeyKHR *key,
							    size_t *bytes, void *data)
{
	if (!vkr_binary_wraps())
		return vkr_device_of(handle)->next.GetPipelineBinaryDataKHR(handle, info, key,
									    bytes, data);
	const struct vkr_shader_binary *binary = binary_of(info->pipelineBinary);
	const bool fits = !data || *bytes >= binary->bytes;
	fill_key(key, XXH3_128bits(binary->data, binary->bytes));
	*bytes = binary->bytes;
	if (data && fits)
		memcpy(data, binary->data, binary->bytes);
	return fits ? VK_SUCCESS : VK_ERROR_NOT_ENOUGH_SPACE_KHR;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ReleaseCapturedPipelineDataKHR(
	VkDevice handle, const VkReleaseCapturedPipelineDataInfoKHR *info,
	const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_pipeline *pipeline =
		vkr_handles_get(&device->objects.pipelines, VKR_KEY(info->pipeline));
	if (!vkr_binary_wraps())
		return device->next.ReleaseCapturedPipelineDataKHR(handle, info, allocator);
	if (pipeline) {
		free(pipeline->binary);
		pipeline->binary = NULL;
	}
	return VK_SUCCESS;
}
#endif
