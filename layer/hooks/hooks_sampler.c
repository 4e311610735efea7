// SPDX-License-Identifier: Apache-2.0
// Samplers and their conversions: recorded as they come and go.
// Knows their creation structures; not which image is sampled.
#include "fragment_facts.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>

static uint32_t chroma_filter(struct vkr_layer_device *device, const VkSamplerCreateInfo *info)
{
	const VkSamplerYcbcrConversionInfo *with =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
	const struct vkr_conversion *conversion =
		with ? vkr_handles_get(&device->objects.conversions, VKR_KEY(with->conversion))
		     : NULL;
	return conversion ? (uint32_t)conversion->chroma_filter : UINT32_MAX;
}

struct vkr_trace_sampler vkr_sampler_describe(struct vkr_layer_device *device,
					      const VkSamplerCreateInfo *info)
{
	const VkSamplerReductionModeCreateInfo *reduction =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO);
	return (struct vkr_trace_sampler){
		.device = device->id,
		.create_flags = info->flags,
		.mag_filter = (uint32_t)info->magFilter,
		.min_filter = (uint32_t)info->minFilter,
		.mip_mode = (uint32_t)info->mipmapMode,
		.address = {(uint32_t)info->addressModeU, (uint32_t)info->addressModeV,
			    (uint32_t)info->addressModeW},
		.mip_bias = info->mipLodBias,
		.min_lod = info->minLod,
		.max_lod = info->maxLod,
		.max_anisotropy = info->anisotropyEnable ? info->maxAnisotropy : 0,
		.compare = info->compareEnable ? 1 + (uint32_t)info->compareOp : 0,
		.border = (uint32_t)info->borderColor,
		.unnormalized = info->unnormalizedCoordinates != 0,
		.reduction = reduction ? (uint32_t)reduction->reductionMode : 0,
		.chroma_filter = chroma_filter(device, info),
	};
}

static bool is_plain_filter(VkFilter filter)
{
	return filter == VK_FILTER_NEAREST || filter == VK_FILTER_LINEAR;
}

static bool is_odd(const VkSamplerCreateInfo *info)
{
	return info->flags || info->unnormalizedCoordinates || !is_plain_filter(info->magFilter) ||
	       !is_plain_filter(info->minFilter) ||
	       vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
}

uint32_t vkr_sampler_record(struct vkr_layer_device *device, const VkSamplerCreateInfo *info)
{
	struct vkr_trace_sampler payload = vkr_sampler_describe(device, info);
	payload.sampler = vkr_record_id(VKR_OBJECT_SAMPLER);
	if (is_odd(info))
		vkr_fragments_note(device, VKR_SAMPLERS_ODD);
	vkr_record_event(VKR_TRACE_SAMPLER, &payload, sizeof payload, NULL, 0);
	return payload.sampler;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateSampler(VkDevice handle, const VkSamplerCreateInfo *info,
						 const VkAllocationCallbacks *allocator,
						 VkSampler *sampler)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateSampler(handle, info, allocator, sampler);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_sampler *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a sampler");
		return result;
	}
	kept->id = vkr_sampler_record(device, info);
	vkr_object_keep(&device->objects.samplers, VKR_KEY(*sampler), kept, "a sampler");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroySampler(VkDevice handle, VkSampler sampler,
					      const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_sampler *kept =
		vkr_handles_take(&device->objects.samplers, VKR_KEY(sampler));
	if (kept) {
		struct vkr_trace_sampler_destroy payload = {.sampler = kept->id};
		vkr_record_event(VKR_TRACE_SAMPLER_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroySampler(handle, sampler, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateSamplerYcbcrConversion(
	VkDevice handle, const VkSamplerYcbcrConversionCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkSamplerYcbcrConversion *conversion)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result =
		device->next.CreateSamplerYcbcrConversion(handle, info, allocator, conversion);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_conversion *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a sampler conversion");
		return result;
	}
	kept->chroma_filter = info->chromaFilter;
	vkr_object_keep(&device->objects.conversions, VKR_KEY(*conversion), kept,
			"a sampler conversion");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroySamplerYcbcrConversion(VkDevice handle,
							     VkSamplerYcbcrConversion conversion,
							     const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	free(vkr_handles_take(&device->objects.conversions, VKR_KEY(conversion)));
	device->next.DestroySamplerYcbcrConversion(handle, conversion, allocator);
}
