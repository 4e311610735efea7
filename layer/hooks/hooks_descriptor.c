// SPDX-License-Identifier: Apache-2.0
// Descriptor set layouts, pools, sets and their contents, as they are written.
// Knows how sets come and go; not which shader reads them.
#include "descriptor_buffers.h"
#include "descriptors.h"
#include "record.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

static int by_binding(const void *left, const void *right)
{
	const struct vkr_trace_binding *a = left, *b = right;
	return (a->binding > b->binding) - (a->binding < b->binding);
}

// Immutable samplers of sorted bindings, in their order. `samplers` has room for all of them.
static uint32_t list_samplers(struct vkr_layer_device *device,
			      const VkDescriptorSetLayoutCreateInfo *info,
			      const struct vkr_trace_binding *bindings, uint32_t *samplers)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < info->bindingCount; i++) {
		uint32_t from = 0;
		while (bindings[i].samplers && info->pBindings[from].binding != bindings[i].binding)
			from++;
		for (uint32_t n = 0; n < bindings[i].samplers; n++) {
			const struct vkr_layer_sampler *sampler = vkr_handles_get(
				&device->objects.samplers,
				VKR_KEY(info->pBindings[from].pImmutableSamplers[n]));
			samplers[count++] = sampler ? sampler->id : 0;
		}
	}
	return count;
}

// pImmutableSamplers is ignored for other types.
static uint32_t immutable_samplers(const VkDescriptorSetLayoutBinding *binding)
{
	const bool samples = binding->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
			     binding->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	return samples && binding->pImmutableSamplers ? binding->descriptorCount : 0;
}

static void record_layout(struct vkr_layer_device *device,
			  const VkDescriptorSetLayoutCreateInfo *info,
			  struct vkr_layer_set_layout *kept)
{
	const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
	size_t sampler_count = 0;
	for (uint32_t i = 0; i < info->bindingCount; i++)
		sampler_count += immutable_samplers(&info->pBindings[i]);
	struct vkr_trace_binding *bindings = calloc(1, (info->bindingCount + 1) * sizeof *bindings +
							       sampler_count * sizeof(uint32_t));
	if (!bindings) {
		vkr_record_no_memory("a descriptor set layout");
		return;
	}
	for (uint32_t i = 0; i < info->bindingCount; i++) {
		const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
		bindings[i] = (struct vkr_trace_binding){
			.binding = binding->binding,
			.type = (uint32_t)binding->descriptorType,
			.count = binding->descriptorCount,
			.stages = binding->stageFlags,
			.flags = flags && flags->bindingCount ? flags->pBindingFlags[i] : 0,
			.samplers = immutable_samplers(binding),
		};
		if (binding->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC)
			kept->dynamic_uniforms += binding->descriptorCount;
	}
	vkr_sort(bindings, info->bindingCount, sizeof *bindings, by_binding);
	struct vkr_trace_set_layout payload = {
		.layout = kept->id,
		.device = device->id,
		.flags = info->flags,
		.binding_count = info->bindingCount,
		.sampler_count = list_samplers(device, info, bindings,
					       (uint32_t *)(bindings + info->bindingCount)),
	};
	vkr_record_event(VKR_TRACE_SET_LAYOUT, &payload, sizeof payload, bindings,
			 info->bindingCount * sizeof *bindings + sampler_count * sizeof(uint32_t));
	free(bindings);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo *info,
			      const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *layout)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateDescriptorSetLayout(handle, info, allocator, layout);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_set_layout *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a descriptor set layout");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_SET_LAYOUT);
	record_layout(device, info, kept);
	if (device->descriptor_buffers &&
	    info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT) {
		kept->shape = vkr_descriptor_shape_create(device, kept->id, *layout, info);
		if (!kept->shape)
			vkr_record_no_memory("a descriptor set layout");
	}
	vkr_object_keep(&device->objects.set_layouts, VKR_KEY(*layout), kept,
			"a descriptor set layout");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyDescriptorSetLayout(VkDevice handle,
							  VkDescriptorSetLayout layout,
							  const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	free(vkr_handles_take(&device->objects.set_layouts, VKR_KEY(layout)));
	device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateDescriptorPool(VkDevice handle,
							const VkDescriptorPoolCreateInfo *info,
							const VkAllocationCallbacks *allocator,
							VkDescriptorPool *pool)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateDescriptorPool(handle, info, allocator, pool);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_set_pool *kept = calloc(1, sizeof *kept);
	if (kept)
		vkr_object_keep(&device->objects.set_pools, VKR_KEY(*pool), kept,
				"a descriptor pool");
	else
		vkr_record_no_memory("a descriptor pool");
	return result;
}

static void set_destroy(struct vkr_layer_device *device, struct vkr_layer_set *set)
{
	struct vkr_trace_set_destroy payload = {.set = set->id};
	vkr_record_event(VKR_TRACE_SET_DESTROY, &payload, sizeof payload, NULL, 0);
	vkr_handles_take(&device->objects.sets, VKR_KEY(set->handle));
	*set->link = set->next;
	if (set->next)
		set->next->link = set->link;
	free(set);
}

static void pool_empty(struct vkr_layer_device *device, struct vkr_set_pool *pool)
{
	for (struct vkr_layer_set *next, *at = pool ? pool->sets : NULL; at; at = next) {
		next = at->next;
		set_destroy(device, at);
	}
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyDescriptorPool(VkDevice handle, VkDescriptorPool pool,
						     const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_set_pool *kept = vkr_handles_take(&device->objects.set_pools, VKR_KEY(pool));
	pool_empty(device, kept);
	free(kept);
	device->next.DestroyDescriptorPool(handle, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_ResetDescriptorPool(VkDevice handle, VkDescriptorPool pool,
						       VkDescriptorPoolResetFlags flags)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	pool_empty(device, vkr_handles_get(&device->objects.set_pools, VKR_KEY(pool)));
	return device->next.ResetDescriptorPool(handle, pool, flags);
}

static void know_set(struct vkr_layer_device *device, struct vkr_set_pool *pool,
		     VkDescriptorSetLayout layout, uint32_t variable_count, VkDescriptorSet handle)
{
	const struct vkr_layer_set_layout *known =
		vkr_handles_get(&device->objects.set_layouts, VKR_KEY(layout));
	struct vkr_layer_set *set = calloc(1, sizeof *set);
	if (!set || !pool || !known ||
	    !vkr_handles_put(&device->objects.sets, VKR_KEY(handle), set)) {
		free(set);
		vkr_record_no_memory("a descriptor set");
		return;
	}
	set->id = vkr_record_id(VKR_OBJECT_SET);
	set->handle = handle;
	set->pool = pool;
	set->next = pool->sets;
	set->link = &pool->sets;
	if (set->next)
		set->next->link = &set->next;
	pool->sets = set;
	struct vkr_trace_set payload = {
		.set = set->id,
		.layout = known->id,
		.variable_count = variable_count,
		.handle = VKR_KEY(handle),
	};
	vkr_record_event(VKR_TRACE_SET, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_AllocateDescriptorSets(VkDevice handle,
							  const VkDescriptorSetAllocateInfo *info,
							  VkDescriptorSet *sets)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.AllocateDescriptorSets(handle, info, sets);
	if (result != VK_SUCCESS)
		return result;
	const VkDescriptorSetVariableDescriptorCountAllocateInfo *variable = vkr_chain_find(
		info->pNext,
		VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
	struct vkr_set_pool *pool =
		vkr_handles_get(&device->objects.set_pools, VKR_KEY(info->descriptorPool));
	for (uint32_t i = 0; i < info->descriptorSetCount; i++)
		know_set(device, pool, info->pSetLayouts[i],
			 variable && variable->descriptorSetCount ? variable->pDescriptorCounts[i]
								  : UINT32_MAX,
			 sets[i]);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_FreeDescriptorSets(VkDevice handle, VkDescriptorPool pool,
						      uint32_t count, const VkDescriptorSet *sets)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_layer_set *set =
			vkr_handles_get(&device->objects.sets, VKR_KEY(sets[i]));
		if (set)
			set_destroy(device, set);
	}
	return device->next.FreeDescriptorSets(handle, pool, count, sets);
}

static void record_write(struct vkr_layer_device *device, const VkWriteDescriptorSet *write)
{
	const struct vkr_layer_set *set =
		vkr_handles_get(&device->objects.sets, VKR_KEY(write->dstSet));
	if (!set)
		return;
	struct vkr_trace_descriptor *list = calloc(write->descriptorCount + 1, sizeof *list);
	if (!list) {
		vkr_record_no_memory("a descriptor update");
		return;
	}
	struct vkr_trace_set_write payload = {
		.set = set->id,
		.binding = write->dstBinding,
		.element = write->dstArrayElement,
		.type = (uint32_t)write->descriptorType,
		.descriptor_count = vkr_descriptors_of_write(device, write, list),
	};
	vkr_record_event(VKR_TRACE_SET_WRITE, &payload, sizeof payload, list,
			 payload.descriptor_count * sizeof *list);
	free(list);
}

static void record_copy(struct vkr_layer_device *device, const VkCopyDescriptorSet *copy)
{
	const struct vkr_layer_set *from =
		vkr_handles_get(&device->objects.sets, VKR_KEY(copy->srcSet));
	const struct vkr_layer_set *to =
		vkr_handles_get(&device->objects.sets, VKR_KEY(copy->dstSet));
	if (!from || !to)
		return;
	struct vkr_trace_set_copy payload = {
		.source_set = from->id,
		.source_binding = copy->srcBinding,
		.source_element = copy->srcArrayElement,
		.set = to->id,
		.binding = copy->dstBinding,
		.element = copy->dstArrayElement,
		.descriptor_count = copy->descriptorCount,
	};
	vkr_record_event(VKR_TRACE_SET_COPY, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR void VKAPI_CALL vkr_UpdateDescriptorSets(VkDevice handle, uint32_t write_count,
						    const VkWriteDescriptorSet *writes,
						    uint32_t copy_count,
						    const VkCopyDescriptorSet *copies)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.UpdateDescriptorSets(handle, write_count, writes, copy_count, copies);
	for (uint32_t i = 0; i < write_count; i++)
		record_write(device, &writes[i]);
	for (uint32_t i = 0; i < copy_count; i++)
		record_copy(device, &copies[i]);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateDescriptorUpdateTemplate(
	VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo *info,
	const VkAllocationCallbacks *allocator, VkDescriptorUpdateTemplate *template)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result =
		device->next.CreateDescriptorUpdateTemplate(handle, info, allocator, template);
	if (result != VK_SUCCESS)
		return result;
	size_t bytes = info->descriptorUpdateEntryCount * sizeof *info->pDescriptorUpdateEntries;
	struct vkr_template *kept = calloc(1, sizeof *kept + bytes);
	if (!kept) {
		vkr_record_no_memory("a descriptor update template");
		return result;
	}
	kept->entry_count = info->descriptorUpdateEntryCount;
	memcpy(kept->entries, info->pDescriptorUpdateEntries, bytes);
	if (info->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR)
		kept->bind_point = info->pipelineBindPoint;
	vkr_object_keep(&device->objects.templates, VKR_KEY(*template), kept,
			"a descriptor update template");
	return result;
}

VKAPI_ATTR void VKAPI_CALL
vkr_DestroyDescriptorUpdateTemplate(VkDevice handle, VkDescriptorUpdateTemplate template,
				    const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	free(vkr_handles_take(&device->objects.templates, VKR_KEY(template)));
	device->next.DestroyDescriptorUpdateTemplate(handle, template, allocator);
}

static void record_entry(struct vkr_layer_device *device, const struct vkr_layer_set *set,
			 const VkDescriptorUpdateTemplateEntry *entry, const void *data)
{
	struct vkr_trace_descriptor *list = calloc(entry->descriptorCount + 1, sizeof *list);
	if (!list) {
		vkr_record_no_memory("a descriptor update");
		return;
	}
	struct vkr_trace_set_write payload = {
		.set = set->id,
		.binding = entry->dstBinding,
		.element = entry->dstArrayElement,
		.type = (uint32_t)entry->descriptorType,
		.descriptor_count = vkr_descriptors_of_entry(device, entry, data, list),
	};
	vkr_record_event(VKR_TRACE_SET_WRITE, &payload, sizeof payload, list,
			 payload.descriptor_count * sizeof *list);
	free(list);
}

VKAPI_ATTR void VKAPI_CALL vkr_UpdateDescriptorSetWithTemplate(VkDevice handle, VkDescriptorSet set,
							       VkDescriptorUpdateTemplate template,
							       const void *data)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.UpdateDescriptorSetWithTemplate(handle, set, template, data);
	const struct vkr_layer_set *known = vkr_handles_get(&device->objects.sets, VKR_KEY(set));
	const struct vkr_template *kept =
		vkr_handles_get(&device->objects.templates, VKR_KEY(template));
	for (uint32_t i = 0; known && kept && i < kept->entry_count; i++)
		record_entry(device, known, &kept->entries[i], data);
}
