// SPDX-License-Identifier: Apache-2.0
#include "descriptor_contents.h"

#include "buffer_addresses.h"
#include "descriptors.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct vkr_known_descriptor {
	uint32_t type; // VkDescriptorType
	struct vkr_described is;
	size_t count;
	unsigned char bytes[];
};

static size_t size_of(const struct vkr_descriptor_buffers *all, VkDescriptorType type)
{
	const VkPhysicalDeviceDescriptorBufferPropertiesEXT *of = &all->properties;
	switch (type) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		return of->samplerDescriptorSize;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
		// Otherwise all images stand before all samplers: the former are what is read.
		return of->combinedImageSamplerDescriptorSingleArray
			       ? of->combinedImageSamplerDescriptorSize
			       : of->sampledImageDescriptorSize;
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
		return of->sampledImageDescriptorSize;
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		return of->storageImageDescriptorSize;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
		return all->robust ? of->robustUniformTexelBufferDescriptorSize
				   : of->uniformTexelBufferDescriptorSize;
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		return all->robust ? of->robustStorageTexelBufferDescriptorSize
				   : of->storageTexelBufferDescriptorSize;
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
		return all->robust ? of->robustUniformBufferDescriptorSize
				   : of->uniformBufferDescriptorSize;
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		return all->robust ? of->robustStorageBufferDescriptorSize
				   : of->storageBufferDescriptorSize;
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		return of->inputAttachmentDescriptorSize;
	case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
		return of->accelerationStructureDescriptorSize;
	default:
		return 0;
	}
}

// One of several types: as large as the largest of them (VK_EXT_mutable_descriptor_type).
static size_t size_of_mutable(const struct vkr_descriptor_buffers *all,
			      const VkDescriptorSetLayoutCreateInfo *info, uint32_t binding)
{
	size_t most = 0;
	const VkMutableDescriptorTypeCreateInfoEXT *lists = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
	if (!lists || binding >= lists->mutableDescriptorTypeListCount)
		return 0;
	const VkMutableDescriptorTypeListEXT *list = &lists->pMutableDescriptorTypeLists[binding];
	for (uint32_t i = 0; i < list->descriptorTypeCount; i++) {
		const size_t bytes = size_of(all, list->pDescriptorTypes[i]);
		most = bytes > most ? bytes : most;
	}
	return most;
}

static void record_rows(const struct vkr_descriptor_shape *shape)
{
	const struct vkr_trace_descriptor_rows payload = {
		.layout = shape->layout, .row_count = shape->row_count, .bytes = shape->bytes};
	struct vkr_trace_descriptor_row *rows = calloc(shape->row_count + 1, sizeof *rows);
	if (!rows) {
		vkr_record_no_memory("a descriptor set layout");
		return;
	}
	for (uint32_t i = 0; i < shape->row_count; i++)
		rows[i] = (struct vkr_trace_descriptor_row){.binding = shape->rows[i].binding,
							    .bytes = shape->rows[i].bytes,
							    .offset = shape->rows[i].offset};
	vkr_record_event(VKR_TRACE_DESCRIPTOR_ROWS, &payload, sizeof payload, rows,
			 shape->row_count * sizeof *rows);
	free(rows);
}

struct vkr_descriptor_shape *
vkr_descriptor_shape_create(struct vkr_layer_device *device, uint32_t layout,
			    VkDescriptorSetLayout handle,
			    const VkDescriptorSetLayoutCreateInfo *info)
{
	struct vkr_descriptor_buffers *all = device->descriptor_buffers;
	struct vkr_descriptor_shape *shape =
		calloc(1, sizeof *shape + info->bindingCount * sizeof shape->rows[0]);
	if (!shape)
		return NULL;
	shape->layout = layout;
	vkr_handles_init(&shape->places);
	const bool embedded =
		info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT;
	if (!embedded) // in no buffer
		device->next.GetDescriptorSetLayoutSizeEXT(device->handle, handle, &shape->bytes);
	for (uint32_t i = 0; !embedded && i < info->bindingCount; i++) {
		const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
		struct vkr_descriptor_row *row = &shape->rows[shape->row_count];
		*row = (struct vkr_descriptor_row){
			.binding = binding->binding,
			.type = (uint32_t)binding->descriptorType,
			.count = binding->descriptorCount,
			.bytes = (uint32_t)size_of(all, binding->descriptorType)};
		if (!row->bytes)
			row->bytes = (uint32_t)size_of_mutable(all, info, i);
		device->next.GetDescriptorSetLayoutBindingOffsetEXT(device->handle, handle,
								    binding->binding, &row->offset);
		if (row->bytes &&
		    binding->descriptorType != VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK)
			shape->row_count++;
	}
	record_rows(shape);
	pthread_mutex_lock(&all->lock);
	shape->next = all->shapes;
	all->shapes = shape;
	pthread_mutex_unlock(&all->lock);
	return shape;
}

static uint64_t hash_of(const void *bytes, size_t count)
{
	const uint64_t hash = XXH3_64bits_withSeed(bytes, count, count);
	return hash ? hash : 1; // 0 is no handle
}

// The descriptor that these bytes encode, or NULL. The lock is held.
static struct vkr_known_descriptor *find_known(struct vkr_descriptor_buffers *all,
					       const void *bytes, size_t count)
{
	struct vkr_known_descriptor *known = vkr_handles_get(&all->known, hash_of(bytes, count));
	return known && known->count == count && memcmp(known->bytes, bytes, count) == 0 ? known
											 : NULL;
}

// A texel buffer's descriptor has no VkBufferView behind it: the trace gets a view all the same.
static uint32_t make_view(const struct vkr_address_range *in, uint32_t buffer,
			  const VkDescriptorAddressInfoEXT *info)
{
	const uint64_t offset = info->address - in->first;
	const struct vkr_trace_buffer_view payload = {
		.view = vkr_record_id(VKR_OBJECT_BUFFER_VIEW),
		.buffer = buffer,
		.offset = offset,
		.bytes = info->range == VK_WHOLE_SIZE ? in->bytes - offset : info->range,
		.format = (uint32_t)info->format,
	};
	vkr_record_event(VKR_TRACE_BUFFER_VIEW, &payload, sizeof payload, NULL, 0);
	return payload.view;
}

void vkr_describe_address(struct vkr_layer_device *device, const VkDescriptorAddressInfoEXT *info,
			  bool texels, const struct vkr_described *before, struct vkr_described *to)
{
	vkr_buffer_addresses_lock(device);
	const struct vkr_address_range *found =
		info && info->address ? vkr_buffer_addresses_find(device, info->address) : NULL;
	const struct vkr_address_range in = found ? *found : (struct vkr_address_range){0};
	vkr_buffer_addresses_unlock(device);
	const struct vkr_layer_buffer *buffer =
		vkr_handles_get(&device->objects.buffers, in.buffer);
	if (!buffer || !info)
		return;
	if (!texels) {
		to->content.object = buffer->id;
		to->content.offset = info->address - in.first;
		to->content.bytes = info->range;
		return;
	}
	to->viewed = buffer->id;
	to->content.object = before && before->viewed == buffer->id
				     ? before->content.object
				     : make_view(&in, buffer->id, info);
}

static void describe_descriptor(struct vkr_layer_device *device, const VkDescriptorGetInfoEXT *info,
				const struct vkr_known_descriptor *before,
				struct vkr_known_descriptor *to)
{
	VkDescriptorImageInfo sampler = {0};
	const void *image = NULL;
	switch (info->type) {
	case VK_DESCRIPTOR_TYPE_SAMPLER:
		if (info->data.pSampler)
			sampler.sampler = *info->data.pSampler;
		image = &sampler;
		break;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
		image = info->data.pSampledImage; // of these types all are alike
		break;
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		vkr_describe_address(device, info->data.pUniformTexelBuffer, true,
				     before ? &before->is : NULL, &to->is);
		return;
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
		vkr_describe_address(device, info->data.pUniformBuffer, false, NULL, &to->is);
		return;
	default:
		return;
	}
	if (image)
		to->is.content = vkr_descriptor_of_image(device, info->type, image);
}

void vkr_descriptor_known(struct vkr_layer_device *device, const VkDescriptorGetInfoEXT *info,
			  const void *bytes, size_t count)
{
	struct vkr_descriptor_buffers *all = device->descriptor_buffers;
	// If a combined image sampler's parts are stored separately, the image's are found.
	const size_t first = size_of(all, info->type);
	if (first && first < count)
		count = first;
	struct vkr_known_descriptor *made = calloc(1, sizeof *made + count);
	if (!made) {
		vkr_record_no_memory("a descriptor");
		return;
	}
	made->type = (uint32_t)info->type;
	made->count = count;
	memcpy(made->bytes, bytes, count);
	pthread_mutex_lock(&all->lock);
	const uint64_t key = hash_of(bytes, count);
	struct vkr_known_descriptor *old = vkr_handles_get(&all->known, key);
	describe_descriptor(device, info, find_known(all, bytes, count), made);
	if (!vkr_handles_put(&all->known, key, made)) {
		old = made;
		vkr_record_no_memory("a descriptor");
	}
	free(old);
	pthread_mutex_unlock(&all->lock);
}

// The descriptor that an element holds now. A mutable one may have fewer bytes than the element.
static const struct vkr_known_descriptor *read_element(struct vkr_descriptor_buffers *all,
						       const struct vkr_descriptor_row *row,
						       const unsigned char *bytes)
{
	static const VkDescriptorType types[] = {
		VK_DESCRIPTOR_TYPE_SAMPLER,
		VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
		VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
		VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
		VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
		VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
	};
	const struct vkr_known_descriptor *known = find_known(all, bytes, row->bytes);
	for (size_t i = 0; !known && i < sizeof types / sizeof *types; i++) {
		const size_t count = size_of(all, types[i]);
		if (count && count < row->bytes)
			known = find_known(all, bytes, count);
	}
	return known;
}

static bool is_nothing(const unsigned char *bytes, size_t count)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static void record_row(struct vkr_descriptor_buffers *all, struct vkr_descriptor_place *place,
		       const struct vkr_descriptor_row *row, const unsigned char *now,
		       uint64_t bytes)
{
	for (uint32_t i = 0; i < row->count; i++) {
		const uint64_t at = row->offset + (uint64_t)i * row->bytes;
		if (at + row->bytes > bytes)
			return;
		if (memcmp(place->seen + at, now + at, row->bytes) == 0)
			continue;
		const struct vkr_known_descriptor *known = read_element(all, row, now + at);
		const struct vkr_trace_set_write payload = {
			.set = place->set,
			.binding = row->binding,
			.element = i,
			.type = known ? known->type : row->type,
			.descriptor_count = 1,
		};
		const struct vkr_trace_descriptor nothing = {0};
		if (!known && !is_nothing(now + at, row->bytes))
			vkr_record_coverage(
				VKR_COVERAGE_SHADER, 0, 0,
				"bytes in a descriptor buffer that did not come from "
				"vkGetDescriptorEXT: accesses through them are not observed");
		vkr_record_event(VKR_TRACE_SET_WRITE, &payload, sizeof payload,
				 known ? &known->is.content : &nothing, sizeof nothing);
	}
}

void vkr_descriptor_contents_record(struct vkr_descriptor_buffers *all,
				    struct vkr_descriptor_place *place, const unsigned char *now,
				    uint64_t bytes)
{
	for (uint32_t i = 0; i < place->shape->row_count; i++)
		record_row(all, place, &place->shape->rows[i], now, bytes);
	memcpy(place->seen, now, bytes);
}
