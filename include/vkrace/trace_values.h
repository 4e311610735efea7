// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the items that tails of events are made of, and the values that
// members of events take. Knows nothing of the events themselves, which trace.h lists.
#pragma once

#include <assert.h>
#include <stdint.h>

// Items of tails.

struct vkr_trace_binding {
	uint32_t binding;
	uint32_t type;     // VkDescriptorType
	uint32_t count;    // descriptors; bytes of an inline uniform block
	uint32_t stages;   // VkShaderStageFlags
	uint32_t flags;    // VkDescriptorBindingFlags
	uint32_t samplers; // immutable: 0, or as many as count
};

// A descriptor's contents. Buffers: object, offset, bytes. Texel buffers: object. Images: object,
// layout; with samplers sampler too, which is 0 where the set layout has an immutable one.
// Acceleration structures: object.
struct vkr_trace_descriptor {
	uint32_t object; // buffer, view or structure; 0 for none or one not modelled
	uint32_t sampler;
	uint32_t layout; // VkImageLayout
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE stays: it ends with the buffer
};

// A range of an image's subresources, VK_REMAINING_MIP_LEVELS and _ARRAY_LAYERS resolved.
struct vkr_trace_subresources {
	uint32_t aspects; // VkImageAspectFlags
	uint32_t first_mip, mip_count, first_layer, layer_count;
};

// VkSubresourceLayout of layer 0 of a mip level.
struct vkr_trace_image_subresource {
	uint32_t aspect; // VkImageAspectFlagBits
	uint32_t mip;
	uint64_t offset; // from where the image, or the plane of a disjoint one, is bound
	uint64_t bytes, row_pitch, layer_pitch, slice_pitch;
};

struct vkr_trace_copy {
	uint64_t source_offset, destination_offset, bytes;
};

// A box of texels of one mip level of an image, VK_REMAINING_ARRAY_LAYERS resolved.
struct vkr_trace_image_box {
	uint32_t aspects; // VkImageAspectFlags
	uint32_t mip, first_layer, layer_count;
	uint32_t offset[3], extent[3]; // texels
};

// Both sides of a region of a copy, blit or resolve between images. Of a blit's bounds, whichever
// is less stands first.
struct vkr_trace_image_region {
	struct vkr_trace_image_box source, destination;
};

// A region of a copy between an image and a buffer (VkBufferImageCopy).
struct vkr_trace_image_rows {
	uint64_t offset;                   // in the buffer, bytes
	uint32_t row_length, image_height; // texels; 0: as tight as the box
	struct vkr_trace_image_box box;
};

enum vkr_trace_barrier_kind {
	VKR_BARRIER_EXECUTION = 1,
	VKR_BARRIER_MEMORY,
	VKR_BARRIER_BUFFER,
	VKR_BARRIER_IMAGE,
};

struct vkr_trace_barrier {
	uint32_t kind;                         // enum vkr_trace_barrier_kind
	uint32_t object;                       // buffer or image
	uint64_t source_stages, source_access; // VkPipelineStageFlags2, VkAccessFlags2, as written
	uint64_t destination_stages, destination_access; // VkPipelineStageFlags2, VkAccessFlags2
	uint64_t offset, bytes;                          // VK_WHOLE_SIZE resolved
	uint32_t source_family, destination_family;      // as written; UINT32_MAX: ignored
	// Of an image.
	uint32_t old_layout, new_layout; // VkImageLayout
	struct vkr_trace_subresources subresources;
	uint32_t reserved;
};

// An event of vkCmdWaitEvents.
struct vkr_trace_event_wait {
	uint32_t event;
	uint32_t barrier_count; // its own barriers, 0 in the first form
};

struct vkr_trace_batch {
	uint32_t wait_count, execution_count, signal_count, reserved;
};

struct vkr_trace_semaphore_operation {
	uint32_t semaphore, reserved;
	uint64_t value;  // of a timeline semaphore
	uint64_t stages; // VkPipelineStageFlags2
};

struct vkr_trace_execution {
	uint32_t execution; // a new id for each command buffer of each submission
	uint32_t recording;
};

// Values of members.

enum vkr_trace_object {
	VKR_OBJECT_DEVICE = 1,
	VKR_OBJECT_QUEUE,
	VKR_OBJECT_MEMORY,
	VKR_OBJECT_BUFFER,
	VKR_OBJECT_BUFFER_VIEW,
	VKR_OBJECT_SET_LAYOUT,
	VKR_OBJECT_SET,
	VKR_OBJECT_PIPELINE_LAYOUT,
	VKR_OBJECT_SHADER, // VkShaderModule names reach the shaders made of the module
	VKR_OBJECT_PIPELINE,
	VKR_OBJECT_COMMAND_BUFFER,
	VKR_OBJECT_FENCE,
	VKR_OBJECT_SEMAPHORE,
	VKR_OBJECT_EVENT,
	VKR_OBJECT_RENDER_PASS,
	VKR_OBJECT_IMAGE,
	VKR_OBJECT_IMAGE_VIEW,
	VKR_OBJECT_SAMPLER,
	VKR_OBJECT_FRAMEBUFFER,
	VKR_OBJECT_QUERY_POOL,
	VKR_OBJECT_STRUCTURE, // "acceleration structure"
	VKR_OBJECT_VIDEO_SESSION,
	VKR_OBJECT_KINDS,
};

enum vkr_trace_device_flags {
	VKR_DEVICE_AVAILABILITY_CHAINS = 1u << 0, // vulkanMemoryModelAvailabilityVisibilityChains
	VKR_DEVICE_ROBUST_BUFFER = 1u << 1,       // robustBufferAccess enabled by the application
	VKR_DEVICE_COARSE_FRAGMENTS = 1u << 2,    // a fragment may be of several pixels
	VKR_DEVICE_MAINTENANCE9 = 1u << 3,        // maintenance9 is enabled
	VKR_DEVICE_LOCAL_READ = 1u << 4, // shaders may read attachments of dynamic rendering in it
	VKR_DEVICE_SEPARATE_ASPECTS = 1u << 5, // separateDepthStencilAttachmentAccess, asked for
	VKR_DEVICE_ROBUST_BUFFER_2 = 1u << 6,  // robustBufferAccess2, but for some pipelines
};

enum vkr_trace_pipeline_flags {
	VKR_PIPELINE_LESS_ROBUST = 1u << 0, // some of its storage buffers are without the above
};

enum vkr_trace_memory_flags {
	VKR_MEMORY_IMPORTED = 1u << 0,
	VKR_MEMORY_EXPORTED = 1u << 1,
	// Not the program's own memory: it stands for the memory of one image or buffer that has
	// none (a swapchain image, a sparse resource), or too little to hold its texels one after
	// the other.
	VKR_MEMORY_STAND_IN = 1u << 2,
};

enum vkr_trace_image_transfer {
	VKR_TRANSFER_COPY = 1,
	VKR_TRANSFER_BLIT,
	VKR_TRANSFER_RESOLVE,
};

enum vkr_trace_image_flags {
	VKR_IMAGE_SWAPCHAIN = 1u << 0, // made by vkCreateSwapchainKHR
};

enum vkr_trace_host_operation {
	VKR_HOST_READ = 1,
	VKR_HOST_WRITE = 2,
	VKR_HOST_ATOMIC = 3,
};

enum vkr_trace_shader_flags {
	VKR_SHADER_INSTRUMENTED = 1u << 0,
	VKR_SHADER_PARTIAL = 1u << 1, // fragments may end without writing, or write some samples
	VKR_SHADER_EARLY = 1u << 2,   // they come after the tests (EarlyFragmentTests)
	VKR_SHADER_LAYERS = 1u << 3,  // it says in which layer primitives are
};

enum vkr_trace_barrier_flags {
	VKR_BARRIER_SYNC2 = 1u << 0, // vkCmdPipelineBarrier2, vkCmdSetEvent2, vkCmdWaitEvents2
};

enum vkr_trace_other_flags {
	VKR_OTHER_ACCESSES = 1u << 0, // may access memory
	VKR_OTHER_ORDERS = 1u << 1,   // may order memory accesses
};

enum vkr_trace_execution_flags {
	VKR_EXECUTION_UNOBSERVED = 1u << 0, // no log could be kept (a coverage event says why)
	// Not the end yet: the device stands still between two commands, or between two workgroups
	// of one dispatch. All that they have logged stands before this event.
	VKR_EXECUTION_PAUSED = 1u << 1,
};

// What was not observed. The verdict of a run with any of them is at best `incomplete`.
enum vkr_trace_coverage_kind {
	VKR_COVERAGE_SHADER =
		1, // a shader, or some of its accesses, could not be instrumented (object: shader)
	VKR_COVERAGE_COMMAND,   // a command that is not modelled was recorded
	VKR_COVERAGE_EXTENSION, // an enabled extension or feature that is not modelled
	VKR_COVERAGE_LOG,    // a log overflowed or was damaged (object: execution; amount: words)
	VKR_COVERAGE_DEVICE, // a device that cannot be observed (object: device)
	VKR_COVERAGE_MEMORY, // no memory for the tool itself: events were lost
	VKR_COVERAGE_HOST,   // host accesses are not observed (object: memory, or 0 for all)
	VKR_COVERAGE_TRACE,  // the trace could not be written, or is damaged (amount: bytes)
	VKR_COVERAGE_SYNC,   // synchronization that is not modelled was used
	VKR_COVERAGE_CHOICE, // what the user chose not to observe
};

enum vkr_trace_timed {
	VKR_TIMED_SUBMIT = 1, // vkQueueSubmit and its kin
	VKR_TIMED_PRESENT,
	VKR_TIMED_ACQUIRE,
	VKR_TIMED_WAIT, // for fences, semaphores, a queue, the device
	VKR_TIMED_EXECUTED,
};

enum vkr_trace_end {
	VKR_END_EXIT = 1,
	VKR_END_SIGNAL,
};

static_assert(sizeof(struct vkr_trace_barrier) == 96, "on disk");
static_assert(sizeof(struct vkr_trace_image_region) == 80, "on disk");
static_assert(sizeof(struct vkr_trace_image_rows) == 56, "on disk");
static_assert(sizeof(struct vkr_trace_descriptor) == 32, "on disk");
static_assert(sizeof(struct vkr_trace_subresources) == 20, "on disk");
static_assert(sizeof(struct vkr_trace_image_subresource) == 48, "on disk");
