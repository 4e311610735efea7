// SPDX-License-Identifier: Apache-2.0
// A command buffer and the private list of events that its commands append to.
// Knows how events are laid out; not which commands there are.
#pragma once

#include "log_track.h"
#include "objects.h"
#include "shader_combinations.h"

#include "vkrace/summary.h"

// Where a build reads this many instances, or pointers to them.
struct vkr_instance_read {
	uint64_t address;
	uint32_t count;
	bool is_pointers;
};

// The render pass under way.
struct vkr_recorded_pass {
	bool is_open, suspends; // suspends: dynamic rendering that another one resumes
	uint64_t pixels;
	uint64_t words; // that its fragments are expected to log
	VkRenderPass handle;
	uint32_t subpass;
};

struct vkr_recorded_push {
	uint32_t words[VKR_SUMMARY_PUSHED_BYTES / 4];
	uint64_t known; // which of these words were set: a bit for each
};

struct vkr_layer_command_buffer {
	VkCommandBuffer handle;
	struct vkr_layer_device *device;
	struct vkr_command_pool *pool;
	struct vkr_layer_command_buffer *next, **link; // in the pool
	uint32_t id, level;

	uint64_t caller; // address within the instruction that called the command under way

	// The recording under way, or the last one. The program serializes use of all this.
	unsigned char *items; // events
	size_t count, capacity;
	uint32_t commands;  // indices given out
	uint32_t usage;     // VkCommandBufferUsageFlags
	bool lost;          // there was no memory for an event
	uint32_t recording; // its id once it has ended, else 0
	struct {
		uint64_t *items; // addresses of the descriptor buffers bound, by index
		size_t count, capacity;
	} descriptor_buffers;
	// The state that counts is that of descriptor heaps, not of sets and push constants.
	bool uses_heaps;
	struct vkr_push_data push_data;
	struct vkr_track *track; // NULL where the device does not log, or nothing does
	struct vkr_layer_pipeline *compute, *graphics, *rays; // bound
	const struct vkr_layer_pipeline
		*objects[VKR_OBJECT_STAGES];  // graphics shader objects bound
	struct vkr_layer_video_session video; // of the video coding scope under way
	struct vkr_recorded_push push;        // constants of compute shaders
	bool is_conditional; // commands may be discarded (VK_EXT_conditional_rendering)
	struct vkr_recorded_pass render_pass;
	uint32_t asked; // stages of which each invocation is to log that it was
	// The pipelines of this layout, of all bind points, are led to the block that logs nothing
	// (log_commands.c).
	VkPipelineLayout quiet;
	struct {
		struct vkr_snapshot_source *items;
		size_t count, capacity;
	} draw_sources; // read by its draws, to be copied after it (snapshots.h)
	struct {
		struct vkr_instance_read *items;
		size_t count, capacity;
	} instances; // of all builds (structure_instances.h)
};

// NULL for a command buffer that could not be kept.
struct vkr_layer_command_buffer *vkr_command_buffer_find(VkCommandBuffer handle);

// A command buffer is there, with what is kept of it, and is there no more. False for lack of
// memory.
bool vkr_command_buffer_know(VkCommandBuffer handle, struct vkr_layer_command_buffer *buffer);
void vkr_command_buffer_forget(VkCommandBuffer handle);

// The command buffer with this id; VK_NULL_HANDLE where it is gone.
VkCommandBuffer vkr_command_buffer_of_id(uint32_t id);

// The command buffer of a command that is being recorded; notes where the program called the hook.
// Functions that several hooks share are declared VKR_OF_HOOKS, so that they are inlined and the
// caller is the program.
#define VKR_OF_HOOKS                  inline __attribute__((always_inline))
#define vkr_command_buffer_of(handle) vkr_command_buffer_called(handle, __builtin_return_address(0))
static inline struct vkr_layer_command_buffer *vkr_command_buffer_called(VkCommandBuffer handle,
									 const void *caller)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_find(handle);
	if (buffer)
		buffer->caller = (uintptr_t)caller - 1;
	return buffer;
}

// The device of a command; `buffer` may be NULL.
static inline struct vkr_layer_device *
vkr_command_device(const struct vkr_layer_command_buffer *buffer, VkCommandBuffer handle)
{
	return buffer ? buffer->device : vkr_device_of(handle);
}

// Appends an event: its payload, and room for its tail. Returns the tail, zeroed to a multiple of
// 8 bytes; where there is no memory, NULL, and the recording counts as lost.
void *vkr_command_event(struct vkr_layer_command_buffer *buffer, enum vkr_trace_type type,
			const void *payload, size_t payload_bytes, size_t tail_bytes);

// The index of the next command.
static inline uint32_t vkr_command_index(struct vkr_layer_command_buffer *buffer)
{
	return buffer->commands++;
}

// A command that is not modelled: an enum vkr_trace_other_flags and its name.
void vkr_command_other(struct vkr_layer_command_buffer *buffer, uint32_t flags, const char *name);

// The next command may run shaders of the bound pipelines in a way that is not modelled: they log
// nothing (log_commands.c).
void vkr_command_unobserved(struct vkr_layer_command_buffer *buffer);

// State of sets, descriptor buffers or push constants is set: that of heaps, push data among it, is
// there no more ("Descriptor Heaps").
static inline void vkr_command_uses_sets(struct vkr_layer_command_buffer *buffer)
{
	if (buffer)
		buffer->uses_heaps = buffer->push_data.has_hidden = false;
}

// A secondary command buffer begins: the heaps that it is said to find bound (hooks_heap.c).
void vkr_heaps_inherit(struct vkr_layer_command_buffer *buffer,
		       const VkCommandBufferBeginInfo *info);

// The event of a label: CMD_LABEL_BEGIN or CMD_LABEL.
void vkr_command_label(struct vkr_layer_command_buffer *buffer, enum vkr_trace_type type,
		       const char *text);

// NULL for a buffer that is not known.
struct vkr_layer_buffer *vkr_command_find_buffer(const struct vkr_layer_command_buffer *buffer,
						 VkBuffer handle);
// 0 for a buffer that is not known.
uint32_t vkr_command_buffer_id(const struct vkr_layer_command_buffer *buffer, VkBuffer handle);
// NULL for an image that is not known.
struct vkr_layer_image *vkr_command_find_image(const struct vkr_layer_command_buffer *buffer,
					       VkImage handle);
