// SPDX-License-Identifier: Apache-2.0
#include "heap_mappings.h"

#include "chain_copy.h"
#include "pipeline_parts.h"

#include "vkrace/gpu_log.h"

#include <stddef.h>
#include <string.h>

#ifdef VK_EXT_descriptor_heap
// Sets that drivers know, whatever the program's numbers are.
#define SETS 32u

static void read_constant(const VkDescriptorMappingSourceConstantOffsetEXT *from,
			  struct vkr_heap_mapping *to)
{
	to->resource = (struct vkr_mapping_half){.heap_offset = from->heapOffset,
						 .array_stride = from->heapArrayStride,
						 .is_embedded = from->pEmbeddedSampler != NULL};
	to->sampler = (struct vkr_mapping_half){.heap_offset = from->samplerHeapOffset,
						.array_stride = from->samplerHeapArrayStride};
}

static void read_push(const VkDescriptorMappingSourcePushIndexEXT *from,
		      struct vkr_heap_mapping *to)
{
	to->has_combined_index = from->useCombinedImageSamplerIndex != VK_FALSE;
	to->resource = (struct vkr_mapping_half){.heap_offset = from->heapOffset,
						 .index_stride = from->heapIndexStride,
						 .array_stride = from->heapArrayStride,
						 .where = from->pushOffset,
						 .is_embedded = from->pEmbeddedSampler != NULL};
	to->sampler = (struct vkr_mapping_half){.heap_offset = from->samplerHeapOffset,
						.index_stride = from->samplerHeapIndexStride,
						.array_stride = from->samplerHeapArrayStride,
						.where = from->samplerPushOffset};
}

static void read_indirect(const VkDescriptorMappingSourceIndirectIndexEXT *from,
			  struct vkr_heap_mapping *to)
{
	to->has_combined_index = from->useCombinedImageSamplerIndex != VK_FALSE;
	to->resource = (struct vkr_mapping_half){.heap_offset = from->heapOffset,
						 .index_stride = from->heapIndexStride,
						 .array_stride = from->heapArrayStride,
						 .where = from->pushOffset,
						 .address_offset = from->addressOffset,
						 .is_embedded = from->pEmbeddedSampler != NULL};
	to->sampler = (struct vkr_mapping_half){.heap_offset = from->samplerHeapOffset,
						.index_stride = from->samplerHeapIndexStride,
						.array_stride = from->samplerHeapArrayStride,
						.where = from->samplerPushOffset,
						.address_offset = from->samplerAddressOffset};
}

static void read_indirect_array(const VkDescriptorMappingSourceIndirectIndexArrayEXT *from,
				struct vkr_heap_mapping *to)
{
	const VkDescriptorMappingSourceIndirectIndexEXT same = {
		.heapOffset = from->heapOffset,
		.pushOffset = from->pushOffset,
		.addressOffset = from->addressOffset,
		.heapIndexStride = from->heapIndexStride,
		.pEmbeddedSampler = from->pEmbeddedSampler,
		.useCombinedImageSamplerIndex = from->useCombinedImageSamplerIndex,
		.samplerHeapOffset = from->samplerHeapOffset,
		.samplerPushOffset = from->samplerPushOffset,
		.samplerAddressOffset = from->samplerAddressOffset,
		.samplerHeapIndexStride = from->samplerHeapIndexStride,
	};
	read_indirect(&same, to);
}

static void read_record(const VkDescriptorMappingSourceShaderRecordIndexEXT *from,
			struct vkr_heap_mapping *to)
{
	const VkDescriptorMappingSourcePushIndexEXT same = {
		.heapOffset = from->heapOffset,
		.pushOffset = from->shaderRecordOffset,
		.heapIndexStride = from->heapIndexStride,
		.heapArrayStride = from->heapArrayStride,
		.pEmbeddedSampler = from->pEmbeddedSampler,
		.useCombinedImageSamplerIndex = from->useCombinedImageSamplerIndex,
		.samplerHeapOffset = from->samplerHeapOffset,
		.samplerPushOffset = from->samplerShaderRecordOffset,
		.samplerHeapIndexStride = from->samplerHeapIndexStride,
		.samplerHeapArrayStride = from->samplerHeapArrayStride,
	};
	read_push(&same, to);
}

static const VkSamplerCreateInfo *
heap_mappings_embedded(const VkDescriptorSetAndBindingMappingEXT *from)
{
	const VkDescriptorMappingSourceDataEXT *data = &from->sourceData;
	switch (from->source) {
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
		return data->constantOffset.pEmbeddedSampler;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
		return data->pushIndex.pEmbeddedSampler;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
		return data->indirectIndex.pEmbeddedSampler;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
		return data->indirectIndexArray.pEmbeddedSampler;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT:
		return data->shaderRecordIndex.pEmbeddedSampler;
	default:
		return NULL;
	}
}

static void read_source(const VkDescriptorSetAndBindingMappingEXT *from,
			struct vkr_heap_mapping *to)
{
	const VkDescriptorMappingSourceDataEXT *data = &from->sourceData;
	switch (from->source) {
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT:
		read_constant(&data->constantOffset, to);
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT:
		read_push(&data->pushIndex, to);
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT:
		read_indirect(&data->indirectIndex, to);
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT:
		read_indirect_array(&data->indirectIndexArray, to);
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT:
		read_record(&data->shaderRecordIndex, to);
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT: // an offset, not an index
		to->resource = (struct vkr_mapping_half){.heap_offset = data->heapData.heapOffset,
							 .index_stride = 1,
							 .where = data->heapData.pushOffset};
		break;
	case VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT:
		to->resource = (struct vkr_mapping_half){
			.where = data->indirectAddress.pushOffset,
			.address_offset = data->indirectAddress.addressOffset};
		break;
	default: // the others have an offset alone
		to->resource.where = data->pushDataOffset;
		break;
	}
}

static bool has_set(const struct vkr_heap_mappings *mappings, uint32_t set)
{
	for (size_t i = 0; i < mappings->count; i++)
		if (mappings->items[i].set == set)
			return true;
	return false;
}

struct vkr_heap_mappings *vkr_mappings_read(struct vkr_arena *arena, const void *chain)
{
	const VkShaderDescriptorSetAndBindingMappingInfoEXT *info = vkr_chain_find(
		chain, VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT);
	struct vkr_heap_mappings *read = vkr_arena_alloc(arena, sizeof *read);
	const size_t count = info ? info->mappingCount : 0;
	if (!read)
		return NULL;
	read->items = vkr_arena_alloc(arena, (count + 1) * sizeof *read->items);
	read->samplers = vkr_arena_alloc(arena, (count + 1) * sizeof *read->samplers);
	if (!read->items || !read->samplers)
		return NULL;
	for (; read->count < count; read->count++) {
		const VkDescriptorSetAndBindingMappingEXT *from = &info->pMappings[read->count];
		struct vkr_heap_mapping *to = &read->items[read->count];
		*to = (struct vkr_heap_mapping){.set = from->descriptorSet,
						.first_binding = from->firstBinding,
						.binding_count = from->bindingCount,
						.resources = from->resourceMask,
						.source = (uint32_t)from->source};
		read_source(from, to);
		if (vkr_push_is_banked(from->pNext))
			to->source = UINT32_MAX;  // none that is known
		if (heap_mappings_embedded(from)) // of one binding
			read->samplers[read->sampler_count++] = (struct vkr_embedded_sampler){
				from->descriptorSet, from->firstBinding,
				heap_mappings_embedded(from)};
	}
	read->heap_set = SETS - 1;
	while (read->heap_set && has_set(read, read->heap_set))
		read->heap_set--;
	return has_set(read, read->heap_set) ? NULL : read;
}

static VkDescriptorSetAndBindingMappingEXT own_mapping(const struct vkr_heap_mappings *mappings,
						       uint32_t binding,
						       VkDescriptorMappingSourceEXT source)
{
	return (VkDescriptorSetAndBindingMappingEXT){
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_AND_BINDING_MAPPING_EXT,
		.descriptorSet = mappings->heap_set,
		.firstBinding = binding,
		.bindingCount = 1,
		.resourceMask = VK_SPIRV_RESOURCE_TYPE_UNIFORM_BUFFER_BIT_EXT,
		.source = source,
	};
}

bool vkr_mappings_extend(struct vkr_arena *arena, const struct vkr_heap_mappings *mappings,
			 VkShaderStageFlagBits stage, uint32_t offset, const void **chain)
{
	const VkStructureType type =
		VK_STRUCTURE_TYPE_SHADER_DESCRIPTOR_SET_AND_BINDING_MAPPING_INFO_EXT;
	const VkShaderDescriptorSetAndBindingMappingInfoEXT *own = vkr_chain_find(*chain, type);
	VkShaderDescriptorSetAndBindingMappingInfoEXT *info = vkr_arena_alloc(arena, sizeof *info);
	VkDescriptorSetAndBindingMappingEXT *all =
		vkr_arena_alloc(arena, (mappings->count + 3) * sizeof *all);
	const void *without = *chain;
	if (!info || !all || !vkr_chain_replace(arena, &without, type, NULL))
		return false;
	*info = (VkShaderDescriptorSetAndBindingMappingInfoEXT){
		.sType = type,
		.pNext = without,
		.mappingCount = (uint32_t)mappings->count,
		.pMappings = all,
	};
	if (mappings->count)
		memcpy(all, own->pMappings, mappings->count * sizeof *all);
	all[info->mappingCount++] = own_mapping(mappings, VKR_HEAP_BINDING_PUSH,
						VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT);
	if (stage & VKR_RAY_TRACING_STAGES)
		all[info->mappingCount++] =
			own_mapping(mappings, VKR_HEAP_BINDING_RECORD,
				    VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT);
	VkDescriptorSetAndBindingMappingEXT *pushed = &all[info->mappingCount++];
	*pushed = own_mapping(mappings, VKR_HEAP_BINDING_PUSHED,
			      VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
	pushed->resourceMask = VK_SPIRV_RESOURCE_TYPE_ALL_EXT;
	pushed->sourceData.indirectAddress = (VkDescriptorMappingSourceIndirectAddressEXT){
		.pushOffset = offset + (uint32_t)offsetof(struct vkr_gpu_place, block),
		.addressOffset = VKR_BLOCK_PUSHED,
	};
	*chain = info;
	return true;
}
#else
struct vkr_heap_mappings *vkr_mappings_read(struct vkr_arena *arena, const void *chain)
{
	(void)arena;
	(void)chain;
	return NULL;
}

bool vkr_mappings_extend(struct vkr_arena *arena, const struct vkr_heap_mappings *mappings,
			 VkShaderStageFlagBits stage, uint32_t offset, const void **chain)
{
	(void)offset;
	(void)arena;
	(void)mappings;
	(void)stage;
	(void)chain;
	return false;
}
#endif
