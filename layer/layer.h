// SPDX-License-Identifier: Apache-2.0
// What the layer keeps of instances, devices and queues, and how a handle leads there.
// Knows the loader's plumbing; not what is recorded of the calls that pass through.
//
// Locks, outermost first; only the first two are held across a Vulkan call, a callback or a log
// line:
//   that of a logging pipeline, while the driver makes it; vkr_layer_queue.submitting,
//   vkr_layer_device.log_lock, vkr_layer_device.shader_lock, vkr_layer_queue.lock, that of
//   descriptor buffers, that of addresses, the shards of vkr_handles.
#pragma once

#include "handles.h"
#include "push_data.h"

#include "vkrace/trace.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define VKR_LAYER_NAME "VK_LAYER_VKRACE_race"

// VkShaderStageFlags.
#define VKR_RAY_TRACING_STAGES                                                                     \
	(VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR |                        \
	 VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR | VK_SHADER_STAGE_MISS_BIT_KHR |                      \
	 VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

// The hooks: vkr_<Name> has the prototype of vk<Name>.
#define VKR_PROTOTYPE(name)                           __typeof__(vk##name) vkr_##name;
#define VKR_GLOBAL(name)                              VKR_PROTOTYPE(name)
#define VKR_INSTANCE(name)                            VKR_PROTOTYPE(name)
#define VKR_DEVICE(name)                              VKR_PROTOTYPE(name)
#define VKR_DEVICE_OWN(name)                          VKR_PROTOTYPE(name)
#define VKR_OTHER(name, flags, parameters, arguments) VKR_PROTOTYPE(name)
#include "hooks.def"
#undef VKR_PROTOTYPE

// The next layer's commands; NULL where it has none.
#define VKR_MEMBER(name) PFN_vk##name name;
struct vkr_instance_table {
	PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
	PFN_GetPhysicalDeviceProcAddr GetPhysicalDeviceProcAddr;
#define VKR_INSTANCE(name)      VKR_MEMBER(name)
#define VKR_INSTANCE_CALL(name) VKR_MEMBER(name)
#include "hooks.def"
};

struct vkr_device_table {
#define VKR_DEVICE(name)                              VKR_MEMBER(name)
#define VKR_DEVICE_OWN(name)                          VKR_MEMBER(name)
#define VKR_DEVICE_CALL(name)                         VKR_MEMBER(name)
#define VKR_OTHER(name, flags, parameters, arguments) VKR_MEMBER(name)
#include "hooks.def"
};
#undef VKR_MEMBER

struct vkr_instance {
	VkInstance handle;
	struct vkr_instance_table next;
	uint32_t asked_version; // the application's; never 0
	uint32_t version;       // the one the instance was created with
	bool debug_utils;       // VK_EXT_debug_utils is enabled
	// Messengers that take what the layer has to say (messages.h).
	_Atomic uint32_t messengers;
};

struct vkr_layer_queue {
	VkQueue handle;
	struct vkr_layer_device *device;
	uint32_t id, family, index;
	struct vkr_layer_queue *next_of_device;
	// Submissions whose logs are still to be drained (log_drain.h). Under `lock`.
	pthread_mutex_t lock;
	pthread_cond_t changed; // a flight was added or drained, or `stop` was set
	struct vkr_flight *oldest, **newest;
	uint64_t flown, drained;  // numbers of the newest flight added and drained
	uint64_t held_up;         // of the last one that was waited for in vain; 0: none was
	uint64_t answered;        // stops of flights (log_track.h) that were answered
	struct vkr_flight *spent; // flights that are over, for use again
	pthread_t drainer;
	bool draining, stop;
	struct vkr_log_mirror *mirror; // where it reads logs in device memory; NULL: none yet
	bool copying; // the device is done with the oldest flight, and its logs are being recorded
	uint64_t stop_ns;   // by the monotonic clock: when to give up what is not over
	VkCommandPool pool; // of command buffers that set cells; used by the submitting thread
	// Held while a thread submits, also in the driver: where several threads may do so at once
	// (VK_KHR_internally_synchronized_queues), they are recorded in the driver's order.
	pthread_mutex_t submitting;
	bool silent; // since the newest flight something was submitted that logs nothing
};

static inline void vkr_queue_enter(struct vkr_layer_queue *queue)
{
	if (queue)
		pthread_mutex_lock(&queue->submitting);
}

static inline void vkr_queue_leave(struct vkr_layer_queue *queue)
{
	if (queue)
		pthread_mutex_unlock(&queue->submitting);
}

// Buffers that have a device address.
struct vkr_addressed {
	pthread_mutex_t lock; // innermost
	struct vkr_address_range {
		uint64_t first, bytes, buffer; // VkBuffer
	} * items;
	size_t count, capacity;
};

// What the layer keeps of the device's objects (objects.h), by their handles.
struct vkr_layer_objects {
	struct vkr_handles memories, buffers, images, views, set_layouts, sets, set_pools,
		templates, pipeline_layouts, modules, pipelines, shader_objects, command_pools,
		fences, semaphores, events, render_passes, framebuffers, image_views, samplers,
		conversions, query_pools, swapchains, structures, deferred, video_sessions,
		indirect_layouts;
};

struct vkr_layer_device {
	VkDevice handle;
	VkPhysicalDevice physical;
	struct vkr_instance *instance;
	struct vkr_device_table next;
	PFN_vkSetDeviceLoaderData set_loader_data;
	uint32_t id;
	uint32_t version;          // the lesser of the instance's and the physical device's
	bool device_addresses_ext; // addresses are those of VK_EXT_buffer_device_address
	bool fragments_share;      // they may take chunks together (vkrace/gpu_log.h)
	bool external_host_memory; // VK_EXT_external_memory_host is enabled
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceMemoryProperties memory;
	struct vkr_layer_device *next_of_process; // under the process's lock
	struct vkr_layer_queue *_Atomic queues;   // only ever prepended to
	struct vkr_layer_objects objects;

	struct vkr_addressed addressed;                    // buffer_addresses.h
	struct vkr_descriptor_buffers *descriptor_buffers; // NULL: not enabled
	struct vkr_heaps *heaps;                           // descriptor_heaps.h; NULL: not enabled
	struct vkr_push_room push_room;                    // all 0: there is no push data

	// Shader logging (log_memory.h, shader_cache.h).
	bool logging;
	VkShaderStageFlags logged_stages; // that may write the log
	bool writes_alone; // what draws write in dynamic rendering may be read within it
	_Atomic uint32_t fragment_facts; // enum vkr_fragment_facts
	pthread_mutex_t log_lock;
	struct vkr_log_memory *log;
	pthread_mutex_t shader_lock;
	struct vkr_layer_shader *shaders;
	struct vkr_handles combinations; // by a hash of what is bound (shader_combinations.h)
	struct vkr_combination *combination_list; // under shader_lock
};

// By the handle of any dispatchable object of the instance or device: all share the loader's
// dispatch pointer, which is their first word.
struct vkr_instance *vkr_instance_of(const void *dispatchable);
struct vkr_layer_device *vkr_device_of(const void *dispatchable);

// The loader's link of an instance that is being created; NULL where there is none.
VkLayerInstanceCreateInfo *vkr_instance_link(const VkInstanceCreateInfo *info);

// False for lack of memory.
bool vkr_instance_add(struct vkr_instance *instance);
bool vkr_device_add(struct vkr_layer_device *device);
void vkr_instance_remove(struct vkr_instance *instance);
void vkr_device_remove(struct vkr_layer_device *device);

// Whether the layer has a hook for the command.
bool vkr_layer_hooks(const char *name);

// Calls visit for each device that is there as the process ends.
void vkr_device_each(void (*visit)(struct vkr_layer_device *device));

struct vkr_layer_queue *vkr_queue_of(VkQueue queue);
bool vkr_queue_add(struct vkr_layer_queue *queue);

// Fills the tables. A command that is not enabled under any of its names stays NULL; its hook is
// not handed out, so the program reaches what it would reach without the layer.
void vkr_instance_load(struct vkr_instance *instance, PFN_vkGetInstanceProcAddr get,
		       PFN_GetPhysicalDeviceProcAddr get_physical);
void vkr_device_load(struct vkr_layer_device *device, PFN_vkGetDeviceProcAddr get);

// The first structure of this type in a pNext chain, or NULL.
const void *vkr_chain_find(const void *chain, VkStructureType type);
