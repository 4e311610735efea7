// SPDX-License-Identifier: Apache-2.0
// Reading descriptors out of the program's structures, for sets and for push descriptors alike.
// Knows VkWriteDescriptorSet and update templates; not where the descriptors go.
#pragma once

#include "objects.h"

// One of an image or a sampler.
struct vkr_trace_descriptor vkr_descriptor_of_image(struct vkr_layer_device *device,
						    VkDescriptorType type,
						    const VkDescriptorImageInfo *info);

// The descriptors of one write, in room for write->descriptorCount of them. Returns how many are
// described: none for an inline uniform block, whose bytes are no memory.
uint32_t vkr_descriptors_of_write(struct vkr_layer_device *device,
				  const VkWriteDescriptorSet *write,
				  struct vkr_trace_descriptor *out);

// The descriptors of one entry of an update template.
uint32_t vkr_descriptors_of_entry(struct vkr_layer_device *device,
				  const VkDescriptorUpdateTemplateEntry *entry, const void *data,
				  struct vkr_trace_descriptor *out);
