// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of each object that the program creates on a device.
// Knows no hook and no event.
#pragma once

#include "pipeline_objects.h"

struct vkr_layer_memory {
	uint32_t id, property_flags;
	uint64_t bytes;
	uint64_t map_offset, map_bytes; // of the current mapping
	struct vkr_region *region;      // what host threads see of it (host_memory.h), or NULL
	bool imported;                  // the region is what the memory is made of
	const char *foreign;            // why it cannot be watched, or NULL
	const void *mapped;             // of the current mapping, or NULL
	bool sparse;                    // it was bound to sparse resources
	bool mip_tail;                  // to one as what has no known place of texels
	struct vkr_payload *payload;    // shared with other memory (shared_memory.h), or NULL
};

// Of VK_EXT_device_generated_commands.
enum vkr_generated_action {
	VKR_ACTION_OTHER, // rays
	VKR_ACTION_DISPATCH,
	VKR_ACTION_DRAW,
	VKR_ACTION_DRAW_MESH,
	VKR_ACTION_DRAW_INDEXED,
};

struct vkr_indirect_layout {
	enum vkr_generated_action action;
	uint32_t counted;       // bytes of a draw's arguments, if a sequence says where they are
	uint32_t stride, bytes; // of a sequence; read of it
	bool has_set;           // shaders come from an execution set
	bool has_index;         // shaders are told the sequence's number
	bool binds_buffers;     // of vertices and indices
};

struct vkr_layer_buffer {
	uint32_t id;
	uint64_t bytes;
	uint64_t memory, offset; // VkDeviceMemory; 0: not bound
	bool addressed;          // known to buffer_addresses.h
	bool device_writes;      // commands or shaders may write it through its usage
	bool copies;             // it may be copied from
};

struct vkr_layer_image {
	uint32_t id;
	VkFormat format; // as the program said
	uint32_t mips, layers;
	uint32_t slices;   // of a 3D image, whose views may count slices as layers
	uint32_t usage;    // VkImageUsageFlags
	uint32_t stand_in; // memory that represents its own; 0: none
	uint32_t sparse_count;
	VkSparseImageMemoryRequirements sparse[]; // of one with sparse residency
};

struct vkr_layer_image_view {
	uint32_t id;
};

struct vkr_layer_sampler {
	uint32_t id;
};

// VkSamplerYcbcrConversion.
struct vkr_conversion {
	VkFilter chroma_filter;
};

struct vkr_layer_buffer_view {
	uint32_t id;
};

struct vkr_layer_set_layout {
	uint32_t id;
	uint32_t dynamic_uniforms;          // descriptors of type UNIFORM_BUFFER_DYNAMIC
	bool push;                          // for push descriptors
	struct vkr_descriptor_shape *shape; // for descriptor buffers, or NULL
};

struct vkr_set_pool {
	struct vkr_layer_set *sets; // allocated from it; the program serializes use of a pool
};

struct vkr_layer_set {
	uint32_t id;
	VkDescriptorSet handle;
	struct vkr_set_pool *pool;
	struct vkr_layer_set *next, **link;
};

struct vkr_template {
	uint32_t entry_count;
	VkPipelineBindPoint bind_point;
	VkDescriptorUpdateTemplateEntry entries[];
};

struct vkr_command_pool {
	uint32_t family;
	struct vkr_layer_command_buffer *buffers; // the program serializes use of a pool
};

struct vkr_layer_fence {
	uint32_t id;
	// When the last submission has signaled the fence, the flights of this queue up to number
	// `flight` are complete.
	struct vkr_layer_queue *queue;
	uint64_t flight;
};

struct vkr_layer_event {
	uint32_t id;
};

enum vkr_subpass_uses {
	VKR_SUBPASS_COLOR = 1u << 0,
	VKR_SUBPASS_DEPTH_STENCIL = 1u << 1,
	// Draws of the subpass access texels that no load or store operation covers.
	VKR_SUBPASS_ALONE = 1u << 2,
};

struct vkr_layer_render_pass {
	uint32_t id;
	uint32_t subpass_count;
	uint8_t subpass_uses[]; // enum vkr_subpass_uses
};

struct vkr_layer_framebuffer {
	uint32_t id;
};

#define VKR_VALUES_UNKNOWN UINT32_MAX
struct vkr_layer_query_pool {
	uint32_t id;
	uint32_t values; // of a result, without availability; or VKR_VALUES_UNKNOWN
};

// VkAccelerationStructureKHR.
struct vkr_layer_structure {
	uint32_t id;
};

// VkVideoSessionKHR.
struct vkr_layer_video_session {
	uint32_t id;
	bool has_separate_fields; // the lines of a field lie together (H.264)
};

struct vkr_swapchain {
	uint32_t image_count;
	bool is_shared; // with the presentation engine: VK_KHR_shared_presentable_image
	VkImage images[];
};

// The image of a swapchain by its index; null where the swapchain is not known.
VkImage vkr_swapchain_image(struct vkr_layer_device *device, VkSwapchainKHR handle, uint32_t index);

struct vkr_layer_semaphore {
	uint32_t id;
	bool timeline;
};

// Keeps a malloc'd object under the handle; for lack of memory it is freed, and that is recorded.
void vkr_object_keep(struct vkr_handles *handles, uint64_t handle, void *object, const char *what);

// The handle of the object with this id, of the device or of a command buffer or queue of it, and
// its type; 0 where the program has destroyed it since (hooks_names.c).
void vkr_object_handle(struct vkr_layer_device *device, enum vkr_trace_object kind, uint32_t id,
		       VkObjectType *type, uint64_t *handle);

// A range of an image's subresources, VK_REMAINING_* resolved; a NULL image leaves those.
struct vkr_trace_subresources vkr_image_subresources(const struct vkr_layer_image *image,
						     const VkImageSubresourceRange *range);

// A box of texels in layers of one mip level, VK_REMAINING_ARRAY_LAYERS resolved.
struct vkr_trace_image_box vkr_image_box(const struct vkr_layer_image *image,
					 const VkImageSubresourceLayers *layers, VkOffset3D offset,
					 VkExtent3D extent);

// Records a view, or a sampler, that has no handle of its own, or not yet (hooks_image.c,
// hooks_sampler.c); their ids.
uint32_t vkr_image_view_record(const struct vkr_layer_image *image,
			       const VkImageViewCreateInfo *info);
uint32_t vkr_sampler_record(struct vkr_layer_device *device, const VkSamplerCreateInfo *info);
// A sampler as the trace describes it, with id 0.
struct vkr_trace_sampler vkr_sampler_describe(struct vkr_layer_device *device,
					      const VkSamplerCreateInfo *info);

// Notes memory that is imported from others (hooks_shared.c).
void vkr_shared_import(uint32_t device, const VkMemoryAllocateInfo *info);
