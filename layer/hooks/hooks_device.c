// SPDX-License-Identifier: Apache-2.0
// Instances, devices and queues: created so that the layer can log, and recorded.
// Knows the loader's link structures; not what is recorded on the device later.
#include "buffer_addresses.h"
#include "copy_queue.h"
#include "descriptor_buffers.h"
#include "descriptor_heaps.h"
#include "device_features.h"
#include "fragment_facts.h"
#include "host_sync.h"
#include "host_watch.h"
#include "layer.h"
#include "log_drain.h"
#include "log_exit.h"
#include "log_memory.h"
#include "memory_types.h"
#include "messages.h"
#include "objects.h"
#include "observed.h"
#include "record.h"
#include "run_channel.h"
#include "settings.h"
#include "shader_cache.h"
#include "shader_combinations.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The version that instances are raised to: what buffer device addresses are core in.
#define WANTED_VERSION VK_API_VERSION_1_2

// How long the end of a device waits for logs of work that is not known to be over. A device must
// be idle when it is destroyed, so only the layer's own fence can be missing.
#define DESTROY_PATIENCE_MS 10000

static pid_t process; // that created the devices

// The link is advanced by each layer below, and the handle brings a value of the loader's in: each
// attempt begins with both as they should be.
static VkResult create_next_instance(VkLayerInstanceCreateInfo *link,
				     const VkInstanceCreateInfo *info,
				     const VkAllocationCallbacks *allocator,
				     struct vkr_instance *instance)
{
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
			NULL, "vkCreateInstance");
	if (!create)
		return VK_ERROR_INITIALIZATION_FAILED;
	VkLayerInstanceLink *next = link->u.pLayerInfo->pNext;
	link->u.pLayerInfo = next;
	VkInstance loaders = instance->handle;
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
	if (info->pApplicationInfo)
		application = *info->pApplicationInfo;
	instance->asked_version =
		application.apiVersion ? application.apiVersion : VK_API_VERSION_1_0;
	if (instance->asked_version < WANTED_VERSION) {
		VkInstanceCreateInfo raised = *info;
		raised.pApplicationInfo = &application;
		application.apiVersion = instance->version = WANTED_VERSION;
		VkResult result = create(&raised, allocator, &instance->handle);
		if (result != VK_ERROR_INCOMPATIBLE_DRIVER)
			return result;
		link->u.pLayerInfo = next;
		instance->handle = loaders;
	}
	instance->version = instance->asked_version;
	return create(info, allocator, &instance->handle);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateInstance(const VkInstanceCreateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkInstance *handle)
{
	VkLayerInstanceCreateInfo *link = vkr_instance_link(info);
	if (!link || !link->u.pLayerInfo)
		return VK_ERROR_INITIALIZATION_FAILED;
	vkr_settings_of_application(info);
	PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	PFN_GetPhysicalDeviceProcAddr get_physical =
		link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
	struct vkr_instance *instance = calloc(1, sizeof *instance);
	if (!instance)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	instance->handle = *handle;
	// Here and now, while there is nothing to destroy: loaders take down what they have begun
	// themselves. The handle is the loader's own, its key in it.
	if (!vkr_instance_add(instance)) {
		free(instance);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	VkResult result = create_next_instance(link, info, allocator, instance);
	if (result != VK_SUCCESS) {
		vkr_instance_remove(instance);
		free(instance);
		return result;
	}
	vkr_instance_load(instance, get, get_physical);
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (strcmp(info->ppEnabledExtensionNames[i], VK_EXT_DEBUG_UTILS_EXTENSION_NAME) ==
		    0)
			instance->debug_utils = true;
	*handle = instance->handle;
	vkr_observed_start(); // from now on the signal that switches is no longer the program's end
	vkr_run_channel_tell_instance();
	return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyInstance(VkInstance handle,
					       const VkAllocationCallbacks *allocator)
{
	if (!handle)
		return;
	struct vkr_instance *instance = vkr_instance_of(handle);
	vkr_messages_instance_gone(instance);
	vkr_instance_remove(instance);
	instance->next.DestroyInstance(handle, allocator);
	free(instance);
}

static VkLayerDeviceCreateInfo *device_link(const VkDeviceCreateInfo *info,
					    VkLayerFunction function)
{
	for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
		VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)(uintptr_t)at;
		if (at->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO &&
		    link->function == function)
			return link;
	}
	return NULL;
}

#define EACH_OBJECT_MAP(device, X)                                                                 \
	X(&(device)->objects.memories)                                                             \
	X(&(device)->objects.buffers)                                                              \
	X(&(device)->objects.images)                                                               \
	X(&(device)->objects.views)                                                                \
	X(&(device)->objects.image_views)                                                          \
	X(&(device)->objects.samplers)                                                             \
	X(&(device)->objects.conversions)                                                          \
	X(&(device)->objects.set_layouts)                                                          \
	X(&(device)->objects.sets)                                                                 \
	X(&(device)->objects.set_pools)                                                            \
	X(&(device)->objects.templates)                                                            \
	X(&(device)->objects.pipeline_layouts)                                                     \
	X(&(device)->objects.modules)                                                              \
	X(&(device)->objects.pipelines)                                                            \
	X(&(device)->combinations)                                                                 \
	X(&(device)->objects.shader_objects)                                                       \
	X(&(device)->objects.command_pools)                                                        \
	X(&(device)->objects.fences)                                                               \
	X(&(device)->objects.semaphores)                                                           \
	X(&(device)->objects.events)                                                               \
	X(&(device)->objects.query_pools)                                                          \
	X(&(device)->objects.structures)                                                           \
	X(&(device)->objects.deferred)                                                             \
	X(&(device)->objects.video_sessions)                                                       \
	X(&(device)->objects.indirect_layouts)                                                     \
	X(&(device)->objects.framebuffers)                                                         \
	X(&(device)->objects.swapchains)                                                           \
	X(&(device)->objects.render_passes)

static struct vkr_layer_device *device_alloc(struct vkr_instance *instance,
					     VkPhysicalDevice physical)
{
	struct vkr_layer_device *device =
		aligned_alloc(_Alignof(struct vkr_layer_device), sizeof *device);
	if (!device)
		return NULL;
	memset(device, 0, sizeof *device);
	device->instance = instance;
	device->physical = physical;
	pthread_mutex_init(&device->addressed.lock, NULL);
	pthread_mutex_init(&device->log_lock, NULL);
	pthread_mutex_init(&device->shader_lock, NULL);
#define INIT(map) vkr_handles_init(map);
	EACH_OBJECT_MAP(device, INIT)
#undef INIT
	instance->next.GetPhysicalDeviceProperties(physical, &device->properties);
	instance->next.GetPhysicalDeviceMemoryProperties(physical, &device->memory);
	device->version = device->properties.apiVersion < instance->version
				  ? device->properties.apiVersion
				  : instance->version;
	return device;
}

static void device_free(struct vkr_layer_device *device)
{
#define FINISH(map) vkr_handles_finish(map, free);
	EACH_OBJECT_MAP(device, FINISH)
#undef FINISH
	while (device->queues) {
		struct vkr_layer_queue *queue = device->queues;
		device->queues = queue->next_of_device;
		pthread_cond_destroy(&queue->changed);
		pthread_mutex_destroy(&queue->lock);
		pthread_mutex_destroy(&queue->submitting);
		free(queue);
	}
	vkr_buffer_addresses_finish(device);
	pthread_mutex_destroy(&device->shader_lock);
	pthread_mutex_destroy(&device->log_lock);
	free(device);
}

static bool availability_chains(const VkDeviceCreateInfo *asked)
{
	const VkPhysicalDeviceVulkanMemoryModelFeatures *model = vkr_chain_find(
		asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES);
	const VkPhysicalDeviceVulkan12Features *core =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
	return (model && model->vulkanMemoryModelAvailabilityVisibilityChains) ||
	       (core && core->vulkanMemoryModelAvailabilityVisibilityChains);
}

// Extensions by which a fragment may be of several pixels.
static bool coarse_fragments(const VkDeviceCreateInfo *asked)
{
	return vkr_device_enables(asked, "VK_KHR_fragment_shading_rate") ||
	       vkr_device_enables(asked, "VK_NV_shading_rate_image") ||
	       vkr_device_enables(asked, "VK_EXT_fragment_density_map");
}

// Extensions by which shaders read what draws of the same dynamic rendering have written.
static bool writes_alone(const VkDeviceCreateInfo *asked)
{
	if (vkr_device_enables(asked, "VK_KHR_dynamic_rendering_local_read") ||
	    vkr_device_enables(asked, "VK_EXT_attachment_feedback_loop_layout") ||
	    vkr_device_enables(asked, "VK_KHR_unified_image_layouts"))
		return true;
#ifdef VK_API_VERSION_1_4
	const VkPhysicalDeviceVulkan14Features *core =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES);
	return core && core->dynamicRenderingLocalRead;
#else
	return false;
#endif
}

static bool maintenance9_enabled(const VkDeviceCreateInfo *asked)
{
#ifdef VK_KHR_maintenance9
	const VkPhysicalDeviceMaintenance9FeaturesKHR *features = vkr_chain_find(
		asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_9_FEATURES_KHR);
	return features && features->maintenance9;
#else
	(void)asked;
	return false;
#endif
}

static bool robust_buffers(const VkDeviceCreateInfo *asked)
{
	const VkPhysicalDeviceFeatures2 *features =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	return (features && features->features.robustBufferAccess) ||
	       (asked->pEnabledFeatures && asked->pEnabledFeatures->robustBufferAccess);
}

static bool tightly_robust_buffers(const VkDeviceCreateInfo *asked)
{
	const VkPhysicalDeviceRobustness2FeaturesEXT *features = vkr_chain_find(
		asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
	return features && features->robustBufferAccess2;
}

// Whether writes of a depth attachment leave the stencil aspect of its image alone, and the
// reverse.
static bool separate_aspects(const struct vkr_layer_device *device, const VkDeviceCreateInfo *asked)
{
#ifdef VK_KHR_maintenance7
	VkPhysicalDeviceMaintenance7PropertiesKHR separate = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &separate,
	};
	if (!vkr_device_enables(asked, VK_KHR_MAINTENANCE_7_EXTENSION_NAME) ||
	    !device->instance->next.GetPhysicalDeviceProperties2)
		return false;
	device->instance->next.GetPhysicalDeviceProperties2(device->physical, &properties);
	return separate.separateDepthStencilAttachmentAccess;
#else
	(void)device;
	(void)asked;
	return false;
#endif
}

// What subgroups can do. *size: 0 where it is not known; where sizes vary, shaders may have others
// than the device's.
static void find_subgroups(struct vkr_layer_device *device, uint32_t *size)
{
	VkPhysicalDeviceSubgroupSizeControlProperties control = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES,
	};
	VkPhysicalDeviceSubgroupProperties subgroups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
		.pNext = &control,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &subgroups,
	};
	if (device->version < VK_API_VERSION_1_1 ||
	    !device->instance->next.GetPhysicalDeviceProperties2)
		return;
	device->instance->next.GetPhysicalDeviceProperties2(device->physical, &properties);
	if (control.minSubgroupSize == control.maxSubgroupSize)
		*size = subgroups.subgroupSize;
	const VkSubgroupFeatureFlags needed =
		VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT;
	const VkPhysicalDeviceLimits *limits = &properties.properties.limits;
	device->fragments_share = subgroups.supportedStages & VK_SHADER_STAGE_FRAGMENT_BIT &&
				  (subgroups.supportedOperations & needed) == needed &&
				  limits->maxFramebufferWidth <= VKR_SHARED_GOES_ON &&
				  limits->maxFramebufferHeight <= UINT32_C(1) << 16;
}

static void record_device(const struct vkr_layer_device *device, const VkDeviceCreateInfo *asked,
			  uint32_t subgroup_size)
{
	const VkPhysicalDeviceProperties *properties = &device->properties;
	VkPhysicalDeviceLimits limits = properties->limits;
	vkr_memory_types_limit(&limits);
	struct vkr_trace_device payload = {
		.device = device->id,
		.api_version = properties->apiVersion < device->instance->asked_version
				       ? properties->apiVersion
				       : device->instance->asked_version,
		.driver_version = properties->driverVersion,
		.vendor = properties->vendorID,
		.subgroup_size = subgroup_size,
		.flags = (availability_chains(asked) ? VKR_DEVICE_AVAILABILITY_CHAINS : 0u) |
			 (robust_buffers(asked) ? VKR_DEVICE_ROBUST_BUFFER : 0u) |
			 (tightly_robust_buffers(asked) ? VKR_DEVICE_ROBUST_BUFFER_2 : 0u) |
			 (maintenance9_enabled(asked) ? VKR_DEVICE_MAINTENANCE9 : 0u) |
			 (coarse_fragments(asked) ? VKR_DEVICE_COARSE_FRAGMENTS : 0u) |
			 (writes_alone(asked) ? VKR_DEVICE_LOCAL_READ : 0u) |
			 (separate_aspects(device, asked) ? VKR_DEVICE_SEPARATE_ASPECTS : 0u),
		.non_coherent_atom = limits.nonCoherentAtomSize,
		.text_bytes = (uint32_t)strlen(properties->deviceName),
	};
	vkr_record_text(VKR_TRACE_DEVICE, &payload, sizeof payload, properties->deviceName);
	vkr_extension_coverage(device->id, payload.api_version, asked);
}

// Logging for a device that has what it needs; without it the device runs on, unobserved.
static void start_logging(struct vkr_layer_device *device, const struct vkr_device_plan *plan)
{
	const char *reason = plan->reason;
	if (!vkr_setting_flag(VKR_SETTING_SHADERS, true)) {
		reason = "VKRACE_SHADERS is off";
	} else if (plan->logging) {
		device->device_addresses_ext = plan->device_addresses_ext;
		device->logged_stages = plan->logged_stages;
		device->logging = vkr_log_memory_start(device, plan);
		reason = "no memory for the log";
	}
	if (!device->logging)
		vkr_record_coverage(VKR_COVERAGE_DEVICE, device->id, 0,
				    "shaders are not observed: %s", reason);
}

static struct vkr_layer_queue *queue_create(struct vkr_layer_device *device, VkQueue handle,
					    const VkDeviceQueueInfo2 *info)
{
	struct vkr_layer_queue *queue = calloc(1, sizeof *queue);
	if (!queue)
		return NULL;
	queue->handle = handle;
	queue->device = device;
	queue->family = info->queueFamilyIndex;
	queue->index = info->queueIndex;
	queue->newest = &queue->oldest;
	if (!vkr_queue_add(queue)) {
		free(queue);
		return NULL;
	}
	pthread_mutex_init(&queue->lock, NULL);
	pthread_mutex_init(&queue->submitting, NULL);
	pthread_cond_init(&queue->changed, NULL);
	queue->id = vkr_record_id(VKR_OBJECT_QUEUE);
	queue->next_of_device = device->queues;
	device->queues = queue;
	return queue;
}

static void know_queue(struct vkr_layer_device *device, VkQueue handle,
		       const VkDeviceQueueInfo2 *info)
{
	const uint32_t family = info->queueFamilyIndex;
	if (!handle)
		return;
	pthread_mutex_lock(&device->log_lock);
	struct vkr_layer_queue *queue = vkr_queue_of(handle);
	bool known = queue != NULL;
	if (!known)
		queue = queue_create(device, handle, info);
	pthread_mutex_unlock(&device->log_lock);
	if (!queue)
		vkr_record_no_memory("a queue: what is submitted to it is not observed");
	if (!queue || known)
		return;

	uint32_t count = family + 1;
	VkQueueFamilyProperties *families = calloc(count, sizeof *families);
	if (families)
		device->instance->next.GetPhysicalDeviceQueueFamilyProperties(device->physical,
									      &count, families);
	struct vkr_trace_queue payload = {
		.queue = queue->id,
		.device = device->id,
		.family = family,
		.index = info->queueIndex,
		.queue_flags = families && family < count ? families[family].queueFlags : 0,
	};
	free(families);
	vkr_record_event(VKR_TRACE_QUEUE, &payload, sizeof payload, NULL, 0);
}

// All queues that the device has, whether the program obtains them or not: what the judge must keep
// of a command depends on which queues may yet have commands that shaders order after it.
static void know_queues(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked)
{
	for (uint32_t at = 0; at < asked->queueCreateInfoCount; at++) {
		const VkDeviceQueueCreateInfo *of = &asked->pQueueCreateInfos[at];
		VkDeviceQueueInfo2 info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_INFO_2,
					   .flags = of->flags,
					   .queueFamilyIndex = of->queueFamilyIndex};
		for (; info.queueIndex < of->queueCount; info.queueIndex++) {
			VkQueue handle = VK_NULL_HANDLE;
			if (of->flags == 0)
				device->next.GetDeviceQueue(device->handle, info.queueFamilyIndex,
							    info.queueIndex, &handle);
			else if (device->next.GetDeviceQueue2)
				device->next.GetDeviceQueue2(device->handle, &info, &handle);
			know_queue(device, handle, &info);
		}
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateDevice(VkPhysicalDevice physical,
						const VkDeviceCreateInfo *asked,
						const VkAllocationCallbacks *allocator,
						VkDevice *handle)
{
	struct vkr_instance *instance = vkr_instance_of(physical);
	VkLayerDeviceCreateInfo *link = device_link(asked, VK_LAYER_LINK_INFO);
	VkLayerDeviceCreateInfo *data = device_link(asked, VK_LOADER_DATA_CALLBACK);
	if (!instance || !link || !link->u.pLayerInfo || !data)
		return VK_ERROR_INITIALIZATION_FAILED;
	PFN_vkGetDeviceProcAddr get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
	PFN_vkGetInstanceProcAddr get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;

	struct vkr_layer_device *device = device_alloc(instance, physical);
	if (!device)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	PFN_vkCreateDevice create =
		(PFN_vkCreateDevice)get_instance(instance->handle, "vkCreateDevice");
	VkLayerDeviceLink *next = link->u.pLayerInfo->pNext;
	link->u.pLayerInfo = next; // before the plan, which may copy the link
	device->handle = *handle;  // brings a value of the loader's in
	device->writes_alone = writes_alone(asked);
	if (device->writes_alone)
		vkr_fragments_note(device, VKR_FRAGMENTS_LOCAL);
	struct vkr_device_plan plan;
	vkr_device_plan_init(&plan, instance, physical, device->version, asked);
	vkr_copy_queue_plan(&plan, device);
	VkResult result = VK_ERROR_INITIALIZATION_FAILED;
	if (create)
		result = create(physical, &plan.info, allocator, &device->handle);
	if (create && result != VK_SUCCESS && (plan.logging || plan.external_host_memory)) {
		plan.logging = plan.external_host_memory = plan.copy_queue.is_there = false;
		strcpy(plan.reason, "the driver refused the device with the layer's features");
		link->u.pLayerInfo = next; // the layers below have moved it on
		device->handle = *handle;
		result = create(physical, asked, allocator, &device->handle);
	}
	if (result != VK_SUCCESS)
		goto fail;
	device->set_loader_data = data->u.pfnSetDeviceLoaderData;
	vkr_device_load(device, get);
	if (!vkr_device_add(device)) {
		device->next.DestroyDevice(device->handle, allocator);
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
		goto fail;
	}
	process = getpid();
	vkr_log_wait_at_exit();
	vkr_record_start();
	vkr_host_sync_start(device);
	device->id = vkr_record_id(VKR_OBJECT_DEVICE);
	uint32_t subgroup_size = 0;
	find_subgroups(device, &subgroup_size);
	record_device(device, asked, subgroup_size);
	device->external_host_memory = plan.external_host_memory;
	vkr_host_watch_start();
	know_queues(device, asked);
	start_logging(device, &plan);
	vkr_descriptor_buffers_start(device, asked);
	vkr_heaps_start(device, asked);
	vkr_device_plan_finish(&plan);
	*handle = device->handle;
	return VK_SUCCESS;
fail:
	vkr_device_plan_finish(&plan);
	device_free(device);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyDevice(VkDevice handle,
					     const VkAllocationCallbacks *allocator)
{
	if (!handle)
		return;
	struct vkr_layer_device *device = vkr_device_of(handle);
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_drain_stop(queue, DESTROY_PATIENCE_MS);
	struct vkr_trace_device_destroy payload = {.device = device->id};
	vkr_record_event(VKR_TRACE_DEVICE_DESTROY, &payload, sizeof payload, NULL, 0);
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_drain_finish(queue);
	vkr_messages_deliver_last(device);
	vkr_combinations_finish(device);
	vkr_shader_cache_finish(device);
	vkr_log_memory_stop(device);
	vkr_descriptor_buffers_stop(device);
	vkr_heaps_stop(device);
	vkr_device_remove(device);
	device->next.DestroyDevice(handle, allocator);
	device_free(device);
	vkr_record_flush();
}

VKAPI_ATTR void VKAPI_CALL vkr_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index,
					      VkQueue *queue)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.GetDeviceQueue(handle, family, index, queue);
	know_queue(device, *queue,
		   &(VkDeviceQueueInfo2){.queueFamilyIndex = family, .queueIndex = index});
}

VKAPI_ATTR void VKAPI_CALL vkr_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
					       VkQueue *queue)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.GetDeviceQueue2(handle, info, queue);
	know_queue(device, *queue, info);
}

static void drain_as_the_process_ends(struct vkr_layer_device *device)
{
	for (struct vkr_layer_queue *queue = device->queues; queue; queue = queue->next_of_device)
		vkr_drain_stop(queue, VKR_EXIT_PATIENCE_MS);
}

__attribute__((destructor)) static void end_process(void)
{
	// A forked child has neither the parent's threads nor its judge.
	if (getpid() != process)
		return;
	vkr_device_each(drain_as_the_process_ends);
	vkr_record_stop();
}
