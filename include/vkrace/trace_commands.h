// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the events of commands, which stand in a recording. Does not know
// what commands do.
#pragma once

#include <stdint.h>

// Device: bindings.
struct vkr_trace_cmd_bind_pipeline {
	uint32_t bind_point; // VkPipelineBindPoint
	uint32_t pipeline;
};

// vkCmdBindDescriptorSets. Tail: set_count x uint32_t: sets; dynamic_count x uint32_t "dynamic":
// offsets. Device: bindings.
struct vkr_trace_cmd_bind_sets {
	uint32_t bind_point; // VkPipelineBindPoint
	uint32_t layout;     // pipeline layout
	uint32_t first_set, set_count, dynamic_count, reserved;
};

// One write of vkCmdPushDescriptorSetKHR. Tail: descriptor_count x struct vkr_trace_descriptor.
// Device: bindings.
struct vkr_trace_cmd_push_set {
	uint32_t bind_point; // VkPipelineBindPoint
	uint32_t layout;     // pipeline layout
	uint32_t set_number, binding, element;
	uint32_t type; // VkDescriptorType
	uint32_t descriptor_count, reserved;
};

enum vkr_trace_dispatch_flags {
	// It logs nothing: what its invocations do follows from the summary of its shader
	// (vkrace/summary.h) and from push constants.
	VKR_DISPATCH_SUMMARIZED = 1u << 0,
};

// vkCmdDispatch, vkCmdDispatchBase. Tail: pushed_count x uint32_t "pushed": the first words of the
// push constants, as far as the summary reads them. Device: runs compute.
struct vkr_trace_cmd_dispatch {
	uint32_t command;
	uint32_t flags; // enum vkr_trace_dispatch_flags
	uint32_t base[3], groups[3];
	uint32_t pushed_count, reserved;
};

// vkCmdDispatchIndirect: 12 bytes are read. Device: reads buffer at offset, 12 bytes; runs compute.
struct vkr_trace_cmd_dispatch_indirect {
	uint32_t command, buffer;
	uint64_t offset;
};

// vkCmdCopyBuffer, vkCmdCopyBuffer2. Tail: region_count x struct vkr_trace_copy. Device: reads
// source at region.source_offset, region.bytes bytes; transfers to destination at
// region.destination_offset, region.bytes bytes.
struct vkr_trace_cmd_copy_buffer {
	uint32_t command, source, destination, region_count;
};

// vkCmdFillBuffer. Device: transfers to buffer at offset, bytes bytes.
struct vkr_trace_cmd_fill_buffer {
	uint32_t command, buffer;
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE resolved
};

// vkCmdUpdateBuffer. Device: transfers to buffer at offset, bytes bytes.
struct vkr_trace_cmd_update_buffer {
	uint32_t command, buffer;
	uint64_t offset, bytes;
};

// vkCmdPipelineBarrier and vkCmdPipelineBarrier2. The first form is written as the second: each of
// its barriers carries both stage masks, and one barrier of kind EXECUTION stands for the masks
// alone. Tail: barrier_count x struct vkr_trace_barrier. Device: bindings.
struct vkr_trace_cmd_barrier {
	uint32_t command;
	uint32_t dependency_flags; // VkDependencyFlags
	uint32_t barrier_count;
	uint32_t flags; // enum vkr_trace_barrier_flags
};

// One command buffer of vkCmdExecuteCommands; the indices of its commands are added to `command`.
// Device: bindings.
struct vkr_trace_cmd_execute {
	uint32_t command;   // first index given to the secondary
	uint32_t recording; // of the secondary
};

// Tail: text_bytes bytes of text "label". Device: nothing.
struct vkr_trace_cmd_label_begin {
	uint32_t text_bytes, reserved;
};

// Device: nothing.
struct vkr_trace_cmd_label_end {
	uint32_t reserved[2];
};

// vkCmdInsertDebugUtilsLabelEXT. Tail: text_bytes bytes of text "label". Device: nothing.
struct vkr_trace_cmd_label {
	uint32_t text_bytes, reserved;
};

// A command that is not modelled yet: it may access or order memory unseen. Tail: text_bytes bytes
// of text "name": of the command. Device: anything if flags has VKR_OTHER_ACCESSES.
struct vkr_trace_cmd_other {
	uint32_t command;
	uint32_t flags; // enum vkr_trace_other_flags
	uint32_t text_bytes, reserved;
};

// vkCmdCopyImage, vkCmdBlitImage, vkCmdResolveImage (and 2). Tail: region_count x struct
// vkr_trace_image_region. Device: images.
struct vkr_trace_cmd_image_transfer {
	uint32_t command;
	uint32_t kind; // enum vkr_trace_image_transfer
	uint32_t source, destination;
	uint32_t source_layout, destination_layout; // VkImageLayout
	uint32_t region_count, reserved;
};

// vkCmdCopyBufferToImage and vkCmdCopyImageToBuffer (and 2). Tail: region_count x struct
// vkr_trace_image_rows. Device: images; reads buffer at region.offset if to_image; transfers to
// buffer at region.offset unless to_image.
struct vkr_trace_cmd_image_buffer {
	uint32_t command;
	uint32_t to_image; // 1: the buffer is read; 0: written
	uint32_t buffer, image;
	uint32_t layout; // VkImageLayout
	uint32_t region_count;
};

// vkCmdClearColorImage, vkCmdClearDepthStencilImage. Tail: range_count x struct
// vkr_trace_subresources. Device: images.
struct vkr_trace_cmd_clear_image {
	uint32_t command, image;
	uint32_t layout; // VkImageLayout
	uint32_t range_count;
};

// vkCmdSetEvent and vkCmdSetEvent2. The first form is one barrier of kind EXECUTION with the stages
// as its source. Tail: barrier_count x struct vkr_trace_barrier. Device: nothing.
struct vkr_trace_cmd_set_event {
	uint32_t command, event;
	uint32_t dependency_flags; // VkDependencyFlags
	uint32_t flags;            // enum vkr_trace_barrier_flags
	uint32_t barrier_count, reserved;
};

// vkCmdResetEvent, vkCmdResetEvent2. Device: nothing.
struct vkr_trace_cmd_reset_event {
	uint32_t command, event;
	uint64_t stages; // VkPipelineStageFlags2
};

// vkCmdWaitEvents and vkCmdWaitEvents2. Tail: wait_count x struct vkr_trace_event_wait, then
// barrier_count x struct vkr_trace_barrier: in the first form, written as CMD_BARRIER's, for all
// events together; in the second each event's own, one event after the other. Device: nothing.
struct vkr_trace_cmd_wait_events {
	uint32_t command;
	uint32_t flags; // enum vkr_trace_barrier_flags
	uint32_t wait_count, barrier_count;
};
