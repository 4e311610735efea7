// SPDX-License-Identifier: Apache-2.0
// Descriptors as the trace describes them.
// Knows which kinds lead to which objects; not where the descriptors go.
#include "descriptors.h"

static struct vkr_trace_descriptor of_buffer(struct vkr_layer_device *device,
					     const VkDescriptorBufferInfo *info)
{
	const struct vkr_layer_buffer *buffer =
		vkr_handles_get(&device->objects.buffers, VKR_KEY(info->buffer));
	return (struct vkr_trace_descriptor){
		.object = buffer ? buffer->id : 0,
		.offset = info->offset,
		.bytes = info->range,
	};
}

static struct vkr_trace_descriptor of_view(struct vkr_layer_device *device, VkBufferView handle)
{
	const struct vkr_layer_buffer_view *view =
		vkr_handles_get(&device->objects.views, VKR_KEY(handle));
	return (struct vkr_trace_descriptor){.object = view ? view->id : 0};
}

struct vkr_trace_descriptor vkr_descriptor_of_image(struct vkr_layer_device *device,
						    VkDescriptorType type,
						    const VkDescriptorImageInfo *info)
{
	// A member that the type does not use need not be a valid handle ("VkDescriptorImageInfo").
	const bool samples = type == VK_DESCRIPTOR_TYPE_SAMPLER ||
			     type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	const struct vkr_layer_image_view *view =
		type == VK_DESCRIPTOR_TYPE_SAMPLER
			? NULL
			: vkr_handles_get(&device->objects.image_views, VKR_KEY(info->imageView));
	const struct vkr_layer_sampler *sampler =
		samples ? vkr_handles_get(&device->objects.samplers, VKR_KEY(info->sampler)) : NULL;
	return (struct vkr_trace_descriptor){
		.object = view ? view->id : 0,
		.sampler = sampler ? sampler->id : 0,
		.layout = view ? (uint32_t)info->imageLayout : 0,
	};
}

static struct vkr_trace_descriptor of_structure(struct vkr_layer_device *device,
						VkAccelerationStructureKHR handle)
{
	const struct vkr_layer_structure *structure =
		vkr_handles_get(&device->objects.structures, VKR_KEY(handle));
	return (struct vkr_trace_descriptor){.object = structure ? structure->id : 0};
}

static struct vkr_trace_descriptor describe_descriptor(struct vkr_layer_device *device,
						       VkDescriptorType type, const void *data)
{
	switch (type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
		return of_buffer(device, data);
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return of_view(device, *(const VkBufferView *)data);
	case VK_DESCRIPTOR_TYPE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		return vkr_descriptor_of_image(device, type, data);
	case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
		return of_structure(device, *(const VkAccelerationStructureKHR *)data);
	default:
		return (struct vkr_trace_descriptor){0};
	}
}

uint32_t vkr_descriptors_of_write(struct vkr_layer_device *device,
				  const VkWriteDescriptorSet *write,
				  struct vkr_trace_descriptor *out)
{
	if (write->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
		return 0;
	const VkWriteDescriptorSetAccelerationStructureKHR *structures = vkr_chain_find(
		write->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
	for (uint32_t i = 0; i < write->descriptorCount; i++) {
		static const VkAccelerationStructureKHR none;
		const void *data = NULL;
		switch (write->descriptorType) {
		case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
		case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
			data = &write->pTexelBufferView[i];
			break;
		case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
		case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
		case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
			data = &write->pBufferInfo[i];
			break;
		case VK_DESCRIPTOR_TYPE_SAMPLER:
		case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
		case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
			data = &write->pImageInfo[i];
			break;
		case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
			data = structures ? &structures->pAccelerationStructures[i] : &none;
			break;
		default:
			break;
		}
		out[i] = describe_descriptor(device, write->descriptorType, data);
	}
	return write->descriptorCount;
}

uint32_t vkr_descriptors_of_entry(struct vkr_layer_device *device,
				  const VkDescriptorUpdateTemplateEntry *entry, const void *data,
				  struct vkr_trace_descriptor *out)
{
	if (entry->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
		return 0;
	const char *at = (const char *)data + entry->offset;
	for (uint32_t i = 0; i < entry->descriptorCount; i++, at += entry->stride)
		out[i] = describe_descriptor(device, entry->descriptorType, at);
	return entry->descriptorCount;
}
