// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the items that tails of events are made of, and the values that
// members of events take. Knows nothing of the events themselves, which trace.h lists.
#pragma once

#include <assert.h>
#include <stdint.h>

// Items of tails.

struct vkr_trace_binding {
	uint32_t binding;
	uint32_t type;   // VkDescriptorType
	uint32_t count;  // descriptors; bytes of an inline uniform block
	uint32_t stages; // VkShaderStageFlags
	uint32_t flags;  // VkDescriptorBindingFlags
	uint32_t reserved;
};

// A descriptor's contents. Buffers: buffer, offset, bytes. Texel buffers: view. Others: object 0.
struct vkr_trace_descriptor {
	uint32_t object; // buffer or buffer view; 0 for a null descriptor or one not modelled
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE stays: it ends with the buffer
};

struct vkr_trace_copy {
	uint64_t source_offset, destination_offset, bytes;
};

struct vkr_trace_range {
	uint64_t offset, bytes;
};

enum vkr_trace_barrier_kind {
	VKR_BARRIER_EXECUTION = 1,
	VKR_BARRIER_MEMORY,
	VKR_BARRIER_BUFFER,
	VKR_BARRIER_IMAGE, // the image itself is not modelled yet: execution, and nothing in
			   // buffers
};

struct vkr_trace_barrier {
	uint32_t kind;                         // enum vkr_trace_barrier_kind
	uint32_t object;                       // buffer
	uint64_t source_stages, source_access; // VkPipelineStageFlags2, VkAccessFlags2, as written
	uint64_t destination_stages, destination_access;
	uint64_t offset, bytes;                     // VK_WHOLE_SIZE resolved
	uint32_t source_family, destination_family; // as written
};

// VkSubpassDependency, VkSubpassDependency2 with its VkMemoryBarrier2.
struct vkr_trace_subpass_dependency {
	uint32_t source, destination;          // subpasses; UINT32_MAX: VK_SUBPASS_EXTERNAL
	uint64_t source_stages, source_access; // VkPipelineStageFlags2, VkAccessFlags2
	uint64_t destination_stages, destination_access;
	uint32_t flags; // VkDependencyFlags
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
};

enum vkr_trace_device_flags {
	VKR_DEVICE_AVAILABILITY_CHAINS = 1u << 0, // vulkanMemoryModelAvailabilityVisibilityChains
	VKR_DEVICE_ROBUST_BUFFER = 1u << 1,       // robustBufferAccess enabled by the application
};

enum vkr_trace_memory_flags {
	VKR_MEMORY_IMPORTED = 1u << 0,
	VKR_MEMORY_EXPORTED = 1u << 1,
};

enum vkr_trace_host_operation {
	VKR_HOST_READ = 1,
	VKR_HOST_WRITE = 2,
	VKR_HOST_ATOMIC = 3,
};

enum vkr_trace_shader_flags {
	VKR_SHADER_INSTRUMENTED = 1u << 0,
};

enum vkr_trace_barrier_flags {
	VKR_BARRIER_SYNC2 = 1u << 0, // vkCmdPipelineBarrier2, vkCmdSetEvent2, vkCmdWaitEvents2
};

enum vkr_trace_other_flags {
	VKR_OTHER_ACCESSES = 1u << 0, // may touch memory
	VKR_OTHER_ORDERS = 1u << 1,   // may order memory accesses
};

enum vkr_trace_execution_flags {
	VKR_EXECUTION_UNOBSERVED = 1u << 0, // no log could be kept (a coverage event says why)
	// Not the end yet: the device stands still between commands, or between workgroups of one
	// dispatch, and all that these have logged stands before this event.
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
};

enum vkr_trace_end {
	VKR_END_EXIT = 1,
	VKR_END_SIGNAL,
};

static_assert(sizeof(struct vkr_trace_barrier) == 64, "on disk");
static_assert(sizeof(struct vkr_trace_descriptor) == 24, "on disk");
static_assert(sizeof(struct vkr_trace_subpass_dependency) == 48, "on disk");
