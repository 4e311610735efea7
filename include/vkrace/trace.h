// SPDX-License-Identifier: Apache-2.0
// The trace format: what a recorded run is made of, byte by byte. Facts only: what the program, the
// GPU and the host did. Knows nothing of what they mean.
//
// File:   struct vkr_trace_file, then chunks until the end of the file.
// Chunk:  struct vkr_trace_chunk, then stored_bytes bytes: raw_bytes bytes of events, plain or
//         compressed with zstd (enum vkr_trace_chunk_flags), padded with zeros to 8 bytes. The
//         checksum is XXH3 (64 bits) of the chunk's header with the checksum itself zero, followed
//         by the stored bytes.
// Event:  struct vkr_trace_event, its payload (one of the structures below), its tail, padded with
//         zeros to 8 bytes. An event never crosses a chunk. Members of the payload say how much of
//         the tail is in use. Texts are UTF-8 without a NUL.
//
// All numbers are little-endian. Ids are dense, from 1, each kind of object on its own; 0 is none;
// an id is never used twice in one trace. The number of an event is never given another meaning.
// Structs and their comments are read by runtime/trace/event_layouts.py, which says in what form.
//
// Order: releases and destroys are recorded before the call is passed down, acquires and creates
// after it has returned. So when A happens-before B, A stands earlier.
#pragma once

#include "vkrace/trace_commands.h"
#include "vkrace/trace_descriptors.h"
#include "vkrace/trace_draws.h"
#include "vkrace/trace_host.h"
#include "vkrace/trace_host_images.h"
#include "vkrace/trace_logs.h"
#include "vkrace/trace_parameters.h"
#include "vkrace/trace_passes.h"
#include "vkrace/trace_present.h"
#include "vkrace/trace_queries.h"
#include "vkrace/trace_structures.h"
#include "vkrace/trace_values.h"
#include "vkrace/trace_video.h"
#include "vkrace/trace_volumes.h"

#include <assert.h>
#include <stdint.h>

#define VKR_TRACE_MAGIC       "vkrace\n" // 8 bytes with the NUL
#define VKR_TRACE_VERSION     1u
#define VKR_TRACE_CHUNK_MAGIC 0x43524b56u // "VKRC"

struct vkr_trace_file {
	char magic[8];
	uint32_t version; // VKR_TRACE_VERSION
	uint32_t reserved;
};

enum vkr_trace_chunk_flags {
	VKR_CHUNK_ZSTD = 1u << 0,
	// Of a compressed chunk: the first bytes of all 8-byte words of the events were compressed
	// first, then all second bytes, and so on to the eighth.
	VKR_CHUNK_PLANES = 1u << 1,
};

struct vkr_trace_chunk {
	uint32_t magic;  // VKR_TRACE_CHUNK_MAGIC
	uint32_t flags;  // enum vkr_trace_chunk_flags
	uint64_t number; // from 0, without gaps
	uint64_t raw_bytes, stored_bytes;
	uint64_t checksum;
};

struct vkr_trace_event {
	uint32_t bytes; // of the whole event, this header included; a multiple of 8
	uint16_t type;  // enum vkr_trace_type
	uint16_t reserved;
	union {
		struct {
			uint32_t thread; // host thread that made it; 0 the layer itself
			uint32_t reserved2;
		};
		// Inside a recording: address within the instruction of the program that called the
		// command; 0 not known.
		uint64_t caller;
	};
};

// X(NAME, number, structure, payload bytes): every event there is.
#define VKR_TRACE_EVENTS(X)                                                                        \
	X(RUN_BEGIN, 1, vkr_trace_run_begin, 16)                                                   \
	X(THREAD, 2, vkr_trace_thread, 16)                                                         \
	X(DEVICE, 3, vkr_trace_device, 40)                                                         \
	X(DEVICE_DESTROY, 4, vkr_trace_device_destroy, 8)                                          \
	X(QUEUE, 5, vkr_trace_queue, 24)                                                           \
	X(NAME, 6, vkr_trace_name, 16)                                                             \
	X(COVERAGE, 7, vkr_trace_coverage, 24)                                                     \
	X(RUN_END, 8, vkr_trace_run_end, 8)                                                        \
	X(CALL_TIME, 9, vkr_trace_call_time, 24)                                                   \
	X(CALL_PLACE, 10, vkr_trace_call_place, 16)                                                \
	X(SOURCE, 11, vkr_trace_source, 24)                                                        \
	X(MEMORY, 16, vkr_trace_memory, 32)                                                        \
	X(MEMORY_FREE, 17, vkr_trace_memory_free, 8)                                               \
	X(MAP, 18, vkr_trace_map, 24)                                                              \
	X(UNMAP, 19, vkr_trace_unmap, 8)                                                           \
	X(FLUSH, 20, vkr_trace_flush, 24)                                                          \
	X(INVALIDATE, 21, vkr_trace_invalidate, 24)                                                \
	X(HOST_ACCESS, 22, vkr_trace_host_access, 32)                                              \
	X(BUFFER, 32, vkr_trace_buffer, 40)                                                        \
	X(BUFFER_BIND, 33, vkr_trace_buffer_bind, 16)                                              \
	X(BUFFER_DESTROY, 34, vkr_trace_buffer_destroy, 8)                                         \
	X(BUFFER_ADDRESS, 35, vkr_trace_buffer_address, 16)                                        \
	X(BUFFER_VIEW, 36, vkr_trace_buffer_view, 32)                                              \
	X(BUFFER_VIEW_DESTROY, 37, vkr_trace_buffer_view_destroy, 8)                               \
	X(IMAGE, 38, vkr_trace_image, 88)                                                          \
	X(IMAGE_BIND, 39, vkr_trace_image_bind, 24)                                                \
	X(IMAGE_DESTROY, 40, vkr_trace_image_destroy, 8)                                           \
	X(IMAGE_VIEW, 41, vkr_trace_image_view, 56)                                                \
	X(IMAGE_VIEW_DESTROY, 42, vkr_trace_image_view_destroy, 8)                                 \
	X(SAMPLER, 43, vkr_trace_sampler, 80)                                                      \
	X(SAMPLER_DESTROY, 44, vkr_trace_sampler_destroy, 8)                                       \
	X(SET_LAYOUT, 48, vkr_trace_set_layout, 24)                                                \
	X(SET, 49, vkr_trace_set, 24)                                                              \
	X(SET_DESTROY, 50, vkr_trace_set_destroy, 8)                                               \
	X(SET_WRITE, 51, vkr_trace_set_write, 24)                                                  \
	X(SET_COPY, 52, vkr_trace_set_copy, 32)                                                    \
	X(PIPELINE_LAYOUT, 53, vkr_trace_pipeline_layout, 8)                                       \
	X(SHADER, 64, vkr_trace_shader, 24)                                                        \
	X(SHADER_CODE, 63, vkr_trace_shader_code, 16)                                              \
	X(PIPELINE, 65, vkr_trace_pipeline, 24)                                                    \
	X(PIPELINE_DESTROY, 66, vkr_trace_pipeline_destroy, 8)                                     \
	X(COMMAND_BUFFER, 80, vkr_trace_command_buffer, 24)                                        \
	X(RECORDING, 81, vkr_trace_recording, 24)                                                  \
	X(COMMAND_BUFFER_DESTROY, 82, vkr_trace_command_buffer_destroy, 8)                         \
	X(CMD_BIND_PIPELINE, 96, vkr_trace_cmd_bind_pipeline, 8)                                   \
	X(CMD_BIND_SETS, 97, vkr_trace_cmd_bind_sets, 24)                                          \
	X(CMD_PUSH_SET, 98, vkr_trace_cmd_push_set, 32)                                            \
	X(CMD_DISPATCH, 99, vkr_trace_cmd_dispatch, 40)                                            \
	X(CMD_DISPATCH_INDIRECT, 100, vkr_trace_cmd_dispatch_indirect, 16)                         \
	X(CMD_COPY_BUFFER, 101, vkr_trace_cmd_copy_buffer, 16)                                     \
	X(CMD_FILL_BUFFER, 102, vkr_trace_cmd_fill_buffer, 24)                                     \
	X(CMD_UPDATE_BUFFER, 103, vkr_trace_cmd_update_buffer, 24)                                 \
	X(CMD_BARRIER, 104, vkr_trace_cmd_barrier, 16)                                             \
	X(CMD_EXECUTE, 105, vkr_trace_cmd_execute, 8)                                              \
	X(CMD_LABEL_BEGIN, 106, vkr_trace_cmd_label_begin, 8)                                      \
	X(CMD_LABEL_END, 107, vkr_trace_cmd_label_end, 8)                                          \
	X(CMD_LABEL, 108, vkr_trace_cmd_label, 8)                                                  \
	X(CMD_OTHER, 109, vkr_trace_cmd_other, 16)                                                 \
	X(CMD_SET_EVENT, 111, vkr_trace_cmd_set_event, 24)                                         \
	X(CMD_RESET_EVENT, 112, vkr_trace_cmd_reset_event, 16)                                     \
	X(CMD_WAIT_EVENTS, 113, vkr_trace_cmd_wait_events, 16)                                     \
	X(CMD_IMAGE_TRANSFER, 160, vkr_trace_cmd_image_transfer, 32)                               \
	X(CMD_IMAGE_BUFFER, 161, vkr_trace_cmd_image_buffer, 24)                                   \
	X(CMD_CLEAR_IMAGE, 162, vkr_trace_cmd_clear_image, 16)                                     \
	X(SUBMIT, 128, vkr_trace_submit, 32)                                                       \
	X(SUBMIT_FAILED, 129, vkr_trace_submit_failed, 8)                                          \
	X(FENCE, 144, vkr_trace_fence, 16)                                                         \
	X(FENCE_DESTROY, 145, vkr_trace_fence_destroy, 8)                                          \
	X(FENCE_RESET, 146, vkr_trace_fence_reset, 8)                                              \
	X(FENCE_WAIT, 147, vkr_trace_fence_wait, 8)                                                \
	X(QUEUE_IDLE, 148, vkr_trace_queue_idle, 8)                                                \
	X(DEVICE_IDLE, 149, vkr_trace_device_idle, 8)                                              \
	X(SEMAPHORE, 150, vkr_trace_semaphore, 24)                                                 \
	X(SEMAPHORE_DESTROY, 151, vkr_trace_semaphore_destroy, 8)                                  \
	X(SEMAPHORE_SIGNAL, 152, vkr_trace_semaphore_signal, 16)                                   \
	X(SEMAPHORE_WAIT, 153, vkr_trace_semaphore_wait, 16)                                       \
	X(EVENT, 154, vkr_trace_sync_event, 16)                                                    \
	X(EVENT_DESTROY, 155, vkr_trace_sync_event_destroy, 8)                                     \
	X(EVENT_SET, 156, vkr_trace_sync_event_set, 8)                                             \
	X(EVENT_RESET, 157, vkr_trace_sync_event_reset, 8)                                         \
	X(EVENT_SEEN, 158, vkr_trace_sync_event_seen, 8)                                           \
	VKR_TRACE_DRAW_EVENTS(X)                                                                   \
	VKR_TRACE_HOST_EVENTS(X)                                                                   \
	VKR_TRACE_PASS_EVENTS(X)                                                                   \
	VKR_TRACE_FEED_EVENTS(X)                                                                   \
	VKR_TRACE_ORDER_EVENTS(X)                                                                  \
	VKR_TRACE_PRESENT_EVENTS(X)                                                                \
	VKR_TRACE_DESCRIPTOR_EVENTS(X)                                                             \
	VKR_TRACE_HOST_IMAGE_EVENTS(X)                                                             \
	VKR_TRACE_LOG_EVENTS(X)                                                                    \
	VKR_TRACE_STRUCTURE_EVENTS(X)                                                              \
	VKR_TRACE_VIDEO_EVENTS(X)                                                                  \
	VKR_TRACE_VOLUME_EVENTS(X)

enum vkr_trace_type {
#define VKR_TRACE_TYPE(name, number, structure, size) VKR_TRACE_##name = (number),
	VKR_TRACE_EVENTS(VKR_TRACE_TYPE)
#undef VKR_TRACE_TYPE
};

// First event of a run. Tail: text_bytes bytes of text "command".
struct vkr_trace_run_begin {
	uint64_t time_ns; // wall clock at the start, since 1970
	uint32_t process, text_bytes;
};

// A host thread, before its first other event. Tail: text_bytes bytes of text "name".
struct vkr_trace_thread {
	uint32_t thread;
	uint32_t system_id; // gettid()
	uint32_t text_bytes, reserved;
};

// A VkDevice was created. Tail: text_bytes bytes of text "name": of the physical device.
struct vkr_trace_device {
	uint32_t device;
	uint32_t api_version; // Vulkan version, as the application sees it
	uint32_t driver_version, vendor, subgroup_size;
	uint32_t flags;             // enum vkr_trace_device_flags
	uint64_t non_coherent_atom; // bytes
	uint32_t text_bytes, reserved;
};

struct vkr_trace_device_destroy {
	uint32_t device, reserved;
};

// A queue of a device: after DEVICE all that it has, before anything is submitted. (Older traces:
// when the program has obtained it.)
struct vkr_trace_queue {
	uint32_t queue, device, family, index;
	uint32_t queue_flags; // VkQueueFlags of the family
	uint32_t reserved;
};

// vkSetDebugUtilsObjectNameEXT, vkDebugMarkerSetObjectNameEXT. Tail: text_bytes bytes of text
// "name".
struct vkr_trace_name {
	uint32_t kind; // enum vkr_trace_object
	uint32_t object, text_bytes, reserved;
};

// Something could not be observed. Tail: text_bytes bytes of text "text": one line that says what
// and why.
struct vkr_trace_coverage {
	uint32_t kind;   // enum vkr_trace_coverage_kind
	uint32_t object; // id of the object that it concerns, whose kind follows from `kind`; 0:
			 // none
	uint64_t amount; // how much, in the unit of the kind; else 0
	uint32_t text_bytes, reserved;
};

// Last event of a run that ended in an orderly way, or by a signal that could be seen.
struct vkr_trace_run_end {
	uint32_t status; // enum vkr_trace_end
	uint32_t reserved;
};

// When a call of the thread began and returned, after the events that it made; of EXECUTED: when
// the layer knew that the execution was complete. Nothing is judged by it.
struct vkr_trace_call_time {
	uint32_t call;     // enum vkr_trace_timed
	uint32_t object;   // submission of SUBMIT and PRESENT, image of ACQUIRE, execution; else 0
	uint64_t begin_ns; // since the run began
	uint64_t end_ns;
};

// What debug information says of an address within an instruction of the program, where sources are
// recorded, before the first event that has the address. Tail: text_bytes bytes of text "text": a
// call a line, innermost first.
struct vkr_trace_call_place {
	uint64_t address;
	uint32_t text_bytes, reserved;
};

// Lines of a source file, where these are recorded, before what comes from them. Tail: path_bytes
// bytes of text "path"; text_bytes bytes of text "text".
struct vkr_trace_source {
	uint64_t content_hash; // of the shader's SPIR-V; 0: the program's file
	uint32_t first_line;   // from 1
	uint32_t path_bytes, text_bytes, reserved;
};

// vkAllocateMemory.
struct vkr_trace_memory {
	uint32_t memory, device;
	uint64_t bytes;
	uint64_t handle;         // VkDeviceMemory
	uint32_t property_flags; // VkMemoryPropertyFlags of its type
	uint32_t flags;          // enum vkr_trace_memory_flags
};

// vkFreeMemory.
struct vkr_trace_memory_free {
	uint32_t memory, reserved;
};

// vkMapMemory.
struct vkr_trace_map {
	uint32_t memory, reserved;
	uint64_t offset, bytes;
};

// vkUnmapMemory.
struct vkr_trace_unmap {
	uint32_t memory, reserved;
};

// One range of vkFlushMappedMemoryRanges.
struct vkr_trace_flush {
	uint32_t memory, reserved;
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE resolved
};

// One range of vkInvalidateMappedMemoryRanges.
struct vkr_trace_invalidate {
	uint32_t memory, reserved;
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE resolved
};

// A host thread accessed mapped memory. Tail: frame_count x uint64_t: addresses within
// instructions, innermost first: of the access, then of the calls that led to it (a return address
// less one).
struct vkr_trace_host_access {
	uint32_t memory;
	uint32_t operation; // enum vkr_trace_host_operation
	uint64_t offset, bytes;
	uint32_t frame_count, reserved;
};

// vkCreateBuffer.
struct vkr_trace_buffer {
	uint32_t buffer, device;
	uint64_t bytes;
	uint64_t handle;  // VkBuffer
	uint32_t usage;   // VkBufferUsageFlags
	uint32_t flags;   // VkBufferCreateFlags
	uint32_t sharing; // VkSharingMode
	uint32_t reserved;
};

// vkBindBufferMemory, vkBindBufferMemory2.
struct vkr_trace_buffer_bind {
	uint32_t buffer, memory;
	uint64_t offset;
};

struct vkr_trace_buffer_destroy {
	uint32_t buffer, reserved;
};

// vkGetBufferDeviceAddress.
struct vkr_trace_buffer_address {
	uint32_t buffer, reserved;
	uint64_t address;
};

// vkCreateBufferView.
struct vkr_trace_buffer_view {
	uint32_t view, buffer;
	uint64_t offset;
	uint64_t bytes;  // VK_WHOLE_SIZE resolved
	uint32_t format; // VkFormat
	uint32_t reserved;
};

struct vkr_trace_buffer_view_destroy {
	uint32_t view, reserved;
};

// vkCreateImage, or an image of a swapchain. Tail: subresource_count x struct
// vkr_trace_image_subresource: where a linear image's texels lie, by vkGetImageSubresourceLayout.
struct vkr_trace_image {
	uint32_t image, device;
	uint64_t handle; // VkImage
	uint64_t bytes;  // VkMemoryRequirements::size; of a disjoint image, of all planes; else 0
	uint32_t create_flags; // VkImageCreateFlags
	uint32_t type;         // VkImageType
	uint32_t format;       // VkFormat
	uint32_t extent[3];    // texels
	uint32_t mips, layers, samples;
	uint32_t tiling;         // VkImageTiling
	uint32_t usage;          // VkImageUsageFlags
	uint32_t sharing;        // VkSharingMode
	uint32_t initial_layout; // VkImageLayout
	uint32_t flags;          // enum vkr_trace_image_flags
	uint32_t subresource_count, reserved;
};

// vkBindImageMemory, vkBindImageMemory2.
struct vkr_trace_image_bind {
	uint32_t image, memory;
	uint64_t offset;
	uint32_t aspects; // VkImageAspectFlagBits: the plane of a disjoint image; 0: all of the
			  // image
	uint32_t reserved;
};

struct vkr_trace_image_destroy {
	uint32_t image, reserved;
};

// vkCreateImageView.
struct vkr_trace_image_view {
	uint32_t view, image;
	uint32_t type;   // VkImageViewType
	uint32_t format; // VkFormat
	uint32_t flags;  // VkImageViewCreateFlags
	uint32_t usage;  // VkImageUsageFlags, the image's where the view names none
	// Of a view of slices of a 3D image (VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT), layers are
	// slices.
	struct vkr_trace_subresources subresources;
	float min_lod; // VkImageViewMinLodCreateInfoEXT
	// Of a 3D view (VkImageViewSlicedCreateInfoEXT); a count of 0: all from the first on.
	uint32_t first_slice, slice_count;
};

struct vkr_trace_image_view_destroy {
	uint32_t view, reserved;
};

// vkCreateSampler.
struct vkr_trace_sampler {
	uint32_t sampler, device;
	uint32_t create_flags;           // VkSamplerCreateFlags
	uint32_t mag_filter, min_filter; // VkFilter
	uint32_t mip_mode;               // VkSamplerMipmapMode
	uint32_t address[3];             // VkSamplerAddressMode: u, v, w
	float mip_bias, min_lod, max_lod;
	float max_anisotropy;   // 0: anisotropyEnable is VK_FALSE
	uint32_t compare;       // 0: none; else 1 + VkCompareOp
	uint32_t border;        // VkBorderColor
	uint32_t unnormalized;  // 1: unnormalizedCoordinates
	uint32_t reduction;     // VkSamplerReductionMode
	uint32_t chroma_filter; // VkFilter of its Y'CbCr conversion; UINT32_MAX: it has none
	uint32_t reserved[2];
};

struct vkr_trace_sampler_destroy {
	uint32_t sampler, reserved;
};

// vkCreateDescriptorSetLayout. Tail: binding_count x struct vkr_trace_binding, by binding number;
// sampler_count x uint32_t: immutable samplers, those of each binding in turn.
struct vkr_trace_set_layout {
	uint32_t layout, device;
	uint32_t flags; // VkDescriptorSetLayoutCreateFlags
	uint32_t binding_count, sampler_count, reserved;
};

// A descriptor set was allocated.
struct vkr_trace_set {
	uint32_t set, layout;
	uint32_t variable_count; // descriptors of the variable-count binding, or UINT32_MAX
	uint32_t reserved;
	uint64_t handle; // VkDescriptorSet
};

// Freed, or its pool reset or destroyed.
struct vkr_trace_set_destroy {
	uint32_t set, reserved;
};

// One VkWriteDescriptorSet, or the entry of an update template. Tail: descriptor_count x struct
// vkr_trace_descriptor.
struct vkr_trace_set_write {
	uint32_t set, binding;
	uint32_t element; // first array element; runs on into the next bindings as Vulkan says
	uint32_t type;    // VkDescriptorType
	uint32_t descriptor_count, reserved;
};

// One VkCopyDescriptorSet.
struct vkr_trace_set_copy {
	uint32_t source_set, source_binding, source_element, set, binding, element,
		descriptor_count, reserved;
};

// vkCreatePipelineLayout. Tail: set_count x uint32_t: set layouts, 0 for none.
struct vkr_trace_pipeline_layout {
	uint32_t layout, set_count;
};

// One entry point of one module as a pipeline uses it. Tail: sites_bytes bytes of a site table
// (vkrace/site.h).
struct vkr_trace_shader {
	uint32_t shader;
	uint32_t sites_bytes;  // 0 when nothing is logged
	uint64_t content_hash; // XXH3 of the original SPIR-V
	uint32_t stage;        // VkShaderStageFlagBits
	uint32_t flags;        // enum vkr_trace_shader_flags
};

// The original SPIR-V of shaders, before the first of these, where it has instructions that access
// memory and no line of source; the text of sources in it is replaced by OpNops. Tail: word_count x
// uint32_t.
struct vkr_trace_shader_code {
	uint64_t content_hash; // XXH3 of the original SPIR-V
	uint32_t word_count, reserved;
};

// A pipeline was created. Tail: shader_count x uint32_t: shaders.
struct vkr_trace_pipeline {
	uint32_t pipeline, device;
	uint32_t bind_point; // VkPipelineBindPoint
	uint32_t layout;     // pipeline layout
	uint32_t shader_count;
	uint32_t flags; // enum vkr_trace_pipeline_flags
};

struct vkr_trace_pipeline_destroy {
	uint32_t pipeline, reserved;
};

// vkAllocateCommandBuffers.
struct vkr_trace_command_buffer {
	uint32_t command_buffer, queue_family;
	uint32_t level; // VkCommandBufferLevel
	uint32_t reserved;
	uint64_t handle; // VkCommandBuffer
};

// vkEndCommandBuffer: all that was recorded. Tail: event_bytes bytes of CMD_ events "events".
struct vkr_trace_recording {
	uint32_t recording; // a new id each time a command buffer is recorded
	uint32_t command_buffer;
	uint32_t usage;         // VkCommandBufferUsageFlags
	uint32_t command_count; // indices used: those of executed secondaries included
	uint32_t event_bytes, reserved;
};

// Freed, or its pool destroyed.
struct vkr_trace_command_buffer_destroy {
	uint32_t command_buffer, reserved;
};

// vkQueueSubmit, vkQueueSubmit2. The first form is written as the second: wait stages per
// semaphore, signals at ALL_COMMANDS. Tail: batch_count x struct vkr_trace_batch; then of all
// batches wait_count x struct vkr_trace_semaphore_operation, execution_count x struct
// vkr_trace_execution, signal_count x struct vkr_trace_semaphore_operation.
struct vkr_trace_submit {
	uint32_t submission, queue;
	uint32_t fence; // 0: none
	uint32_t batch_count;
	uint32_t wait_count; // of all batches
	uint32_t execution_count, signal_count;
	uint32_t sparse; // 1: vkQueueBindSparse, whose one batch has no executions
};

// The call returned an error: the submission did not happen.
struct vkr_trace_submit_failed {
	uint32_t submission;
	uint32_t result; // VkResult, as unsigned
};

// vkCreateFence.
struct vkr_trace_fence {
	uint32_t fence, device, signaled, reserved;
};

struct vkr_trace_fence_destroy {
	uint32_t fence, reserved;
};

struct vkr_trace_fence_reset {
	uint32_t fence, reserved;
};

// vkWaitForFences or vkGetFenceStatus showed the fence signaled.
struct vkr_trace_fence_wait {
	uint32_t fence, reserved;
};

// vkQueueWaitIdle returned.
struct vkr_trace_queue_idle {
	uint32_t queue, reserved;
};

// vkDeviceWaitIdle returned.
struct vkr_trace_device_idle {
	uint32_t device, reserved;
};

// vkCreateSemaphore.
struct vkr_trace_semaphore {
	uint32_t semaphore, device;
	uint32_t type; // VkSemaphoreType
	uint32_t reserved;
	uint64_t value; // initial
};

struct vkr_trace_semaphore_destroy {
	uint32_t semaphore, reserved;
};

// vkSignalSemaphore.
struct vkr_trace_semaphore_signal {
	uint32_t semaphore, reserved;
	uint64_t value;
};

// vkWaitSemaphores or vkGetSemaphoreCounterValue showed at least this value; or a binary semaphore
// was exported as a file that the host may wait for.
struct vkr_trace_semaphore_wait {
	uint32_t semaphore, reserved;
	uint64_t value;
};

// vkCreateEvent.
struct vkr_trace_sync_event {
	uint32_t event, device;
	uint32_t flags; // VkEventCreateFlags
	uint32_t reserved;
};

struct vkr_trace_sync_event_destroy {
	uint32_t event, reserved;
};

// vkSetEvent.
struct vkr_trace_sync_event_set {
	uint32_t event, reserved;
};

// vkResetEvent.
struct vkr_trace_sync_event_reset {
	uint32_t event, reserved;
};

// vkGetEventStatus showed the event set.
struct vkr_trace_sync_event_seen {
	uint32_t event, reserved;
};

#define VKR_TRACE_SIZE(name, number, structure, size)                                              \
	static_assert(sizeof(struct structure) == (size) && (size) % 8 == 0, #structure " on "     \
											"disk");
VKR_TRACE_EVENTS(VKR_TRACE_SIZE)
#undef VKR_TRACE_SIZE
static_assert(sizeof(struct vkr_trace_file) == 16, "on disk");
static_assert(sizeof(struct vkr_trace_chunk) == 40, "on disk");
static_assert(sizeof(struct vkr_trace_event) == 16, "on disk");
