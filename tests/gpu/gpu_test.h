// SPDX-License-Identifier: Apache-2.0
// The little Vulkan that the GPU tests need: a device, two buffers, kernels over them, a command
// buffer. Knows nothing of the layer: the programs are ordinary ones.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define GPU_TEST_SKIPPED 77

// A compiled shader.
struct gpu_test_kernel {
	const char *name;
	const uint32_t *words;
	size_t bytes;
	VkPipeline pipeline; // made at first use
};

struct gpu_test_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	VkDeviceSize bytes;
};

// Queue families that a device may have: the first that computes, one more that computes, one that
// transfers only, and one of video.
enum gpu_test_lane {
	GPU_LANE_MAIN,
	GPU_LANE_COMPUTE,
	GPU_LANE_TRANSFER,
	GPU_LANE_VIDEO,
	GPU_LANES,
};

struct gpu_test {
	bool fixed; // run the twin without the race
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	uint32_t family, queue_count;
	VkQueue queue;
	uint32_t families[GPU_LANES]; // VK_QUEUE_FAMILY_IGNORED: there is none
	VkQueue queues[GPU_LANES];
	uint32_t video_queue_count;
	VkQueue other_video_queue; // video_queue if the family has only one
	// What the queue can do, and what is enabled because the device has it.
	bool has_graphics, has_timeline; // timeline: semaphores
	bool has_synchronization2, has_bytes, has_scalar_layout;
	bool has_memory_model, has_device_scope;
	bool has_maintenance6;
	bool has_vertex_stores, has_fragment_stores;
	bool has_tessellation, has_geometry;
	bool has_variable_pointers;
	bool has_sync_files; // fences and semaphores are exported as these
	bool has_draw_count, has_query_reset;
	bool has_matrices;                      // cooperative ones
	bool has_objects;                       // shader objects and dynamic rendering
	bool has_interlock;                     // of pixels
	bool has_sample_interlock;              // and an invocation for each sample
	bool has_untyped_pointers;              // where the shader compiler knows them
	bool has_ordered_input, has_local_read; // in rasterization order; in dynamic rendering
	bool has_shared_blocks;                 // of explicit layout
	bool has_shared_zeros;
	bool has_robust_buffers; // where GPU_TEST_ROBUST is set: robustBufferAccess2
	bool has_mesh;           // task and mesh shaders
	bool has_rays;           // ray tracing pipelines and queries
	bool has_headless;       // surfaces without a window, and swapchains for them
	bool has_conditional, has_feedback;
	bool has_implicit_samples;        // of attachments that have one
	bool has_load_none;               // a load operation that leaves attachments alone
	bool has_export;                  // of memory, as file descriptors
	bool has_markers;                 // of buffers
	bool has_identifiers;             // of shader modules
	bool has_binaries;                // of pipelines
	bool has_video, has_encoding;     // video sessions
	bool has_addresses, has_bindless; // buffers have device addresses
	bool has_wide_atomics, has_float_atomics, has_libraries;
	bool has_cube_arrays, has_storage_samples;
	bool has_buffer_arrays; // of descriptors, dynamically indexed
	bool has_sample_shading;
	bool has_anisotropy;
	bool has_terminate, has_demote;
	bool has_multiview, has_dynamic_rendering, has_store_none;
	bool has_address_commands;
	bool has_host_copies; // of images
	bool has_maintenance5, has_maintenance10, has_maintenance11;
	bool has_nested_buffers;      // secondaries call others
	bool has_surface_maintenance; // of the instance
	bool has_present_fences;
	bool has_descriptor_buffers;
	bool has_heaps;                            // of descriptors
	bool has_generated;                        // commands
	bool has_sliced_views;                     // of 3D images
	bool has_memory_copies;                    // whose regions are in memory
	bool has_sparse;                           // residency of buffers and images, aliased
	VkPipelineCreateFlags pipeline_flags;      // of compute pipelines made from now on
	PFN_vkSetDebugUtilsObjectNameEXT set_name; // NULL where there is no VK_EXT_debug_utils

	// Bindings 0 and 1 of set 0; binding 2 is the first bytes of `data` as a uniform buffer.
	struct gpu_test_buffer data, result;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout; // with one uint32_t of push constants
	VkDescriptorPool descriptor_pool;
	VkDescriptorSet set;
	struct gpu_test_kernel *kernels;      // the last one has no name
	VkCommandPool pool, pools[GPU_LANES]; // the pool is one of them
	VkCommandBuffer commands;             // being recorded

	// What gpu_draw.c made, and what destroys it; NULL where nothing was.
	struct gpu_draw_object *draws;
	void (*finish_draws)(struct gpu_test *test);
};

// Makes all of it; skips the test where there is no device of Vulkan 1.2.
void gpu_test_init(struct gpu_test *test, struct gpu_test_kernel *kernels, bool fixed);

// Waits for the device and destroys everything.
void gpu_test_finish(struct gpu_test *test);

// Names an object, where the instance can.
void gpu_test_name(const struct gpu_test *test, VkObjectType type, uint64_t handle,
		   const char *name);

// The first of the `allowed` types that the host can map, or, where none can be, the first one.
uint32_t gpu_test_memory_type(const struct gpu_test *test, uint32_t allowed);

// Whether one of the allowed types can be mapped.
bool gpu_test_mappable(const struct gpu_test *test, uint32_t allowed);

// Memory of gpu_test_memory_type(); `chain`: more of VkMemoryAllocateInfo, or NULL.
VkDeviceMemory gpu_test_allocate(const struct gpu_test *test, const VkMemoryRequirements *needs,
				 const void *chain);

// A buffer that has a device address, with memory of its own; the caller destroys both.
VkBuffer gpu_test_addressed(const struct gpu_test *test, VkDeviceSize bytes,
			    VkBufferUsageFlags usage, const char *name, VkDeviceMemory *memory);
VkDeviceAddress gpu_test_address(const struct gpu_test *test, VkBuffer buffer);

// A set like the test's with its storage buffers the other way round; the caller destroys the pool.
VkDescriptorSet gpu_test_swapped_set(struct gpu_test *test, VkDescriptorPool *pool);

// A pipeline of the named kernel with a layout of the caller's, who destroys it.
VkPipeline gpu_test_pipeline(struct gpu_test *test, const char *kernel, VkPipelineLayout layout);

// Begins a secondary command buffer; ends it, and records that it is executed.
VkCommandBuffer gpu_test_secondary(struct gpu_test *test,
				   const VkCommandBufferInheritanceInfo *inherits);
void gpu_test_execute(struct gpu_test *test, VkCommandBuffer secondary);

// Records a dispatch of the named kernel over `groups` workgroups with the push constant `first`.
void gpu_test_dispatch(struct gpu_test *test, const char *kernel, uint32_t groups, uint32_t first);

// Dispatches with the workgroup counts read from the start of the data buffer.
void gpu_test_dispatch_indirect(struct gpu_test *test, const char *kernel);

// Records a global memory barrier.
void gpu_test_barrier(struct gpu_test *test, VkPipelineStageFlags from_stage, VkAccessFlags from,
		      VkPipelineStageFlags to_stage, VkAccessFlags to);

// Records a barrier for a range of the data buffer, from shader writes to shader reads.
void gpu_test_barrier_range(struct gpu_test *test, VkDeviceSize offset, VkDeviceSize bytes);

// From here on records for a queue of that family, and submits to it; what was begun is forgotten.
// Skips the test where there is none.
void gpu_test_use(struct gpu_test *test, enum gpu_test_lane lane);

// Ends the command buffer for the caller to submit, and begins another.
VkCommandBuffer gpu_test_end(struct gpu_test *test);

// Ends the command buffer, submits it `times` times in batches of their own, and begins another.
void gpu_test_submit(struct gpu_test *test, uint32_t times);

// Ends the command buffer, submits it with a fence, and begins another.
VkFence gpu_test_submit_fence(struct gpu_test *test);

// Waits for the fence and destroys it.
void gpu_test_wait(struct gpu_test *test, VkFence fence);

// The main family's second queue, or its only one. A program may obtain one at any time.
VkQueue gpu_test_other_queue(const struct gpu_test *test);

VkSemaphore gpu_test_semaphore(struct gpu_test *test, VkSemaphoreType type);
// Waits for the device, and destroys it.
void gpu_test_finish_semaphore(struct gpu_test *test, VkSemaphore semaphore);

// Ends the program with GPU_TEST_SKIPPED.
void gpu_test_skip(const char *reason);

// Ends the program with a message where a Vulkan call failed.
void gpu_test_expect(VkResult result, const char *what);
