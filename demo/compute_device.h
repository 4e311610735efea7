// SPDX-License-Identifier: Apache-2.0
// A compute device with buffers in mapped memory and pipelines over two of them. Plain Vulkan 1.1;
// knows nothing of what is computed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct compute_device {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	uint32_t family;
	VkQueue queue;
	VkDescriptorSetLayout set_layout; // bindings 0 and 1: storage buffers
	VkPipelineLayout layout;
	VkDescriptorPool descriptor_pool;
	VkDescriptorSet set;
	VkCommandPool pool;
	// NULL where there is no VK_EXT_debug_utils.
	PFN_vkSetDebugUtilsObjectNameEXT set_name;
	PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
	PFN_vkCmdEndDebugUtilsLabelEXT end_label;
};

struct compute_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	void *mapped; // coherent
};

// Every function below ends the program with a message where Vulkan fails.
void compute_check(VkResult result, const char *what);

void compute_init(struct compute_device *device, uint32_t push_constant_bytes);
void compute_finish(struct compute_device *device);

struct compute_buffer compute_make_buffer(struct compute_device *device, VkDeviceSize bytes,
					  const char *name);
void compute_free_buffer(struct compute_device *device, struct compute_buffer *buffer);

// Binds the buffers to bindings 0 and 1.
void compute_bind(struct compute_device *device, const struct compute_buffer *first,
		  const struct compute_buffer *second);

// `fixed` is the shader's specialization constant 0.
VkPipeline compute_make_pipeline(struct compute_device *device, const uint32_t *words, size_t bytes,
				 bool fixed, const char *name);

VkCommandBuffer compute_begin(struct compute_device *device, const char *name);
void compute_submit_and_wait(struct compute_device *device, VkCommandBuffer commands);

void compute_begin_label(struct compute_device *device, VkCommandBuffer commands, const char *text);
void compute_end_label(struct compute_device *device, VkCommandBuffer commands);
