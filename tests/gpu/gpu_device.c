// SPDX-License-Identifier: Apache-2.0
// Opens the device that the GPU tests run on, with what they use of it enabled. Knows extensions
// and features; nothing of what the tests do with them.
#include "gpu_device.h"

#include "gpu_newer.h"

#include <stdlib.h>
#include <string.h>

static bool has_instance_extension(const char *name)
{
	uint32_t count = 0;
	gpu_test_expect(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL),
			"vkEnumerateInstanceExtensionProperties");
	VkExtensionProperties *all = calloc(count + 1, sizeof *all);
	if (!all)
		abort();
	gpu_test_expect(vkEnumerateInstanceExtensionProperties(NULL, &count, all),
			"vkEnumerateInstanceExtensionProperties");
	bool found = false;
	for (uint32_t i = 0; i < count; i++)
		found = found || strcmp(all[i].extensionName, name) == 0;
	free(all);
	return found;
}

static void open_instance(struct gpu_test *test)
{
	bool named = has_instance_extension(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
	const char *extensions[5];
	uint32_t extension_count = 0;
	if (named)
		extensions[extension_count++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
	test->has_headless = has_instance_extension(VK_KHR_SURFACE_EXTENSION_NAME) &&
			     has_instance_extension(VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME);
	if (test->has_headless) {
		extensions[extension_count++] = VK_KHR_SURFACE_EXTENSION_NAME;
		extensions[extension_count++] = VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME;
	}
	test->has_surface_maintenance =
		test->has_headless &&
		has_instance_extension(VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME) &&
		has_instance_extension(VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME);
	if (test->has_surface_maintenance) {
		extensions[extension_count++] = VK_KHR_GET_SURFACE_CAPABILITIES_2_EXTENSION_NAME;
		extensions[extension_count++] = VK_EXT_SURFACE_MAINTENANCE_1_EXTENSION_NAME;
	}
	const VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "vkrace GPU test",
		.apiVersion = VK_API_VERSION_1_3,
	};
	const VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
		.enabledExtensionCount = extension_count,
		.ppEnabledExtensionNames = extensions,
	};
	VkResult result = vkCreateInstance(&info, NULL, &test->instance);
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
		gpu_test_skip("no Vulkan driver");
	gpu_test_expect(result, "vkCreateInstance");
	if (named)
		test->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
			test->instance, "vkSetDebugUtilsObjectNameEXT");
}

static void choose_device(struct gpu_test *test)
{
	uint32_t count = 1;
	VkResult result = vkEnumeratePhysicalDevices(test->instance, &count, &test->physical);
	if (result != VK_INCOMPLETE)
		gpu_test_expect(result, "vkEnumeratePhysicalDevices");
	if (!count)
		gpu_test_skip("no Vulkan device");
	VkQueueFamilyProperties families[16];
	count = 16;
	vkGetPhysicalDeviceQueueFamilyProperties(test->physical, &count, families);
	for (int lane = 0; lane < GPU_LANES; lane++)
		test->families[lane] = VK_QUEUE_FAMILY_IGNORED;
	for (uint32_t i = 0; i < count; i++) {
		const VkQueueFlags flags = families[i].queueFlags;
		const bool computes = flags & VK_QUEUE_COMPUTE_BIT;
		const enum gpu_test_lane lane =
			flags & VK_QUEUE_VIDEO_DECODE_BIT_KHR && !computes ? GPU_LANE_VIDEO
			: !computes                                        ? GPU_LANE_TRANSFER
			: test->families[GPU_LANE_MAIN] == VK_QUEUE_FAMILY_IGNORED
				? GPU_LANE_MAIN
				: GPU_LANE_COMPUTE;
		if (test->families[lane] != VK_QUEUE_FAMILY_IGNORED ||
		    (!computes && !(flags & VK_QUEUE_TRANSFER_BIT)))
			continue;
		test->families[lane] = i;
		if (lane == GPU_LANE_VIDEO)
			test->video_queue_count = families[i].queueCount > 1 ? 2 : 1;
		if (lane == GPU_LANE_MAIN)
			test->queue_count = families[i].queueCount > 1 ? 2 : 1;
	}
	test->family = test->families[GPU_LANE_MAIN];
	if (test->family == VK_QUEUE_FAMILY_IGNORED)
		gpu_test_skip("no compute queue");
	test->has_graphics = families[test->family].queueFlags & VK_QUEUE_GRAPHICS_BIT;
	test->has_sparse = families[test->family].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT;
}

static bool has_device_extension(const struct gpu_test *test, const char *name)
{
	uint32_t count = 0;
	gpu_test_expect(vkEnumerateDeviceExtensionProperties(test->physical, NULL, &count, NULL),
			"vkEnumerateDeviceExtensionProperties");
	VkExtensionProperties *all = calloc(count + 1, sizeof *all);
	gpu_test_expect(
		all ? vkEnumerateDeviceExtensionProperties(test->physical, NULL, &count, all)
		    : VK_ERROR_OUT_OF_HOST_MEMORY,
		"vkEnumerateDeviceExtensionProperties");
	bool found = false;
	for (uint32_t i = 0; i < count; i++)
		found = found || strcmp(all[i].extensionName, name) == 0;
	free(all);
	return found;
}

static bool exports_sync_files(const struct gpu_test *test)
{
	const VkPhysicalDeviceExternalFenceInfo fence = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
		.handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	const VkPhysicalDeviceExternalSemaphoreInfo semaphore = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalFenceProperties fences = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
	VkExternalSemaphoreProperties semaphores = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
	vkGetPhysicalDeviceExternalFenceProperties(test->physical, &fence, &fences);
	vkGetPhysicalDeviceExternalSemaphoreProperties(test->physical, &semaphore, &semaphores);
	return fences.externalFenceFeatures & VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT &&
	       semaphores.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

// What the device is asked for beside core features.
struct extensions {
	struct gpu_device_wants all;
	struct gpu_newer_features newer;
	VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional;
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
	VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT implicit;
	VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats;
	VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries;
	VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
	VkPhysicalDeviceAccelerationStructureFeaturesKHR structures;
	VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays;
	VkPhysicalDeviceRayQueryFeaturesKHR queries;
	VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT interlock;
#ifdef VK_KHR_cooperative_matrix
	VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrices;
	VkPhysicalDeviceSubgroupSizeControlFeatures subgroups;
#endif
#ifdef VK_EXT_shader_object
	VkPhysicalDeviceShaderObjectFeaturesEXT objects;
#endif
#ifdef VK_KHR_maintenance6
	VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6;
#endif
};

bool gpu_device_want(const struct gpu_test *test, struct gpu_device_wants *wants, const char *name,
		     void *features)
{
	VkBaseOutStructure *added = features;
	if (!has_device_extension(test, name))
		return false;
	wants->names[wants->count++] = name;
	if (added) {
		added->pNext = wants->chain;
		wants->chain = added;
	}
	return true;
}

static bool want(const struct gpu_test *test, struct extensions *extensions, const char *name,
		 void *features)
{
	return gpu_device_want(test, &extensions->all, name, features);
}

static void want_implicit_samples(struct gpu_test *test, struct extensions *extensions)
{
	extensions->implicit = (VkPhysicalDeviceMultisampledRenderToSingleSampledFeaturesEXT){
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_FEATURES_EXT,
		.multisampledRenderToSingleSampled = VK_TRUE,
	};
	test->has_implicit_samples =
		want(test, extensions, VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME,
		     &extensions->implicit);
}

static void want_interlock(struct gpu_test *test, struct extensions *extensions)
{
	extensions->interlock = (VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT,
	};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &extensions->interlock};
	if (!has_device_extension(test, VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME))
		return;
	vkGetPhysicalDeviceFeatures2(test->physical, &features);
	extensions->interlock.pNext = NULL;
	extensions->interlock.fragmentShaderShadingRateInterlock = VK_FALSE;
	test->has_interlock =
		extensions->interlock.fragmentShaderPixelInterlock &&
		want(test, extensions, VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME,
		     &extensions->interlock);
	test->has_sample_interlock = test->has_interlock && test->has_sample_shading &&
				     extensions->interlock.fragmentShaderSampleInterlock;
}

// Shader stages and instructions that few drivers have.
static void want_stages(struct gpu_test *test, struct extensions *extensions)
{
	extensions->mesh = (VkPhysicalDeviceMeshShaderFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
		.taskShader = VK_TRUE,
		.meshShader = VK_TRUE,
	};
#ifdef VK_KHR_cooperative_matrix
	extensions->matrices = (VkPhysicalDeviceCooperativeMatrixFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
		.cooperativeMatrix = VK_TRUE,
	};
	extensions->subgroups = (VkPhysicalDeviceSubgroupSizeControlFeatures){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
		.computeFullSubgroups = VK_TRUE,
	};
	test->has_matrices = test->has_memory_model &&
			     want(test, extensions, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
				  &extensions->matrices) &&
			     want(test, extensions, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME,
				  &extensions->subgroups);
#endif
#ifdef VK_EXT_shader_object
	extensions->objects = (VkPhysicalDeviceShaderObjectFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
		.shaderObject = VK_TRUE,
	};
	test->has_objects =
		test->has_dynamic_rendering &&
		want(test, extensions, VK_EXT_SHADER_OBJECT_EXTENSION_NAME, &extensions->objects);
#endif
	want_interlock(test, extensions);
	test->has_mesh =
		want(test, extensions, VK_EXT_MESH_SHADER_EXTENSION_NAME, &extensions->mesh);
}

static void want_rays(struct gpu_test *test, struct extensions *extensions)
{
	extensions->structures = (VkPhysicalDeviceAccelerationStructureFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR,
		.accelerationStructure = VK_TRUE,
	};
	extensions->rays = (VkPhysicalDeviceRayTracingPipelineFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR,
		.rayTracingPipeline = VK_TRUE,
		.rayTracingPipelineTraceRaysIndirect = VK_TRUE, // wherever there are pipelines
	};
	extensions->queries = (VkPhysicalDeviceRayQueryFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR,
		.rayQuery = VK_TRUE,
	};
	test->has_rays =
		test->has_addresses &&
		has_device_extension(test, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME) &&
		want(test, extensions, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME,
		     &extensions->structures) &&
		want(test, extensions, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME,
		     &extensions->rays) &&
		want(test, extensions, VK_KHR_RAY_QUERY_EXTENSION_NAME, &extensions->queries);
}

// Enabled and not used: nothing must be reported about them.
static void want_unused(struct gpu_test *test, struct extensions *extensions)
{
	want(test, extensions, VK_AMD_SHADER_FRAGMENT_MASK_EXTENSION_NAME, NULL);
	want(test, extensions, VK_NV_MEMORY_DECOMPRESSION_EXTENSION_NAME, NULL);
}

static void want_stored_pipelines(struct gpu_test *test, struct extensions *extensions)
{
#ifdef VK_KHR_pipeline_binary
	test->has_binaries = want(test, extensions, VK_KHR_PIPELINE_BINARY_EXTENSION_NAME, NULL);
#endif
	test->has_identifiers =
		want(test, extensions, VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME, NULL);
}

static void want_extensions(struct gpu_test *test, struct extensions *extensions)
{
	extensions->conditional = (VkPhysicalDeviceConditionalRenderingFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT,
		.conditionalRendering = VK_TRUE,
	};
	extensions->feedback = (VkPhysicalDeviceTransformFeedbackFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
		.transformFeedback = VK_TRUE,
	};
	extensions->floats = (VkPhysicalDeviceShaderAtomicFloatFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
		.shaderBufferFloat32AtomicAdd = VK_TRUE,
		.shaderBufferFloat32Atomics = VK_TRUE,
	};
	extensions->libraries = (VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
		.graphicsPipelineLibrary = VK_TRUE,
	};
	test->has_conditional = want(test, extensions, VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME,
				     &extensions->conditional);
	want_implicit_samples(test, extensions);
	test->has_load_none =
		want(test, extensions, VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME, NULL);
	test->has_feedback = want(test, extensions, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
				  &extensions->feedback);
	test->has_sync_files =
		exports_sync_files(test) &&
		want(test, extensions, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, NULL);
	test->has_markers = want(test, extensions, VK_AMD_BUFFER_MARKER_EXTENSION_NAME, NULL);
	want_stored_pipelines(test, extensions);
	test->has_video = has_device_extension(test, VK_KHR_VIDEO_DECODE_H264_EXTENSION_NAME) &&
			  want(test, extensions, VK_KHR_VIDEO_QUEUE_EXTENSION_NAME, NULL) &&
			  want(test, extensions, VK_KHR_VIDEO_DECODE_QUEUE_EXTENSION_NAME, NULL) &&
			  want(test, extensions, VK_KHR_VIDEO_DECODE_H264_EXTENSION_NAME, NULL);
#ifdef VK_KHR_video_encode_queue
	test->has_encoding =
		test->has_video &&
		has_device_extension(test, VK_KHR_VIDEO_ENCODE_H264_EXTENSION_NAME) &&
		want(test, extensions, VK_KHR_VIDEO_ENCODE_QUEUE_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_KHR_VIDEO_ENCODE_H264_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_KHR_VIDEO_ENCODE_QUANTIZATION_MAP_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_KHR_VIDEO_MAINTENANCE_1_EXTENSION_NAME, NULL);
#endif
	test->has_export = want(test, extensions, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, NULL);
	test->has_headless =
		test->has_headless && want(test, extensions, VK_KHR_SWAPCHAIN_EXTENSION_NAME, NULL);
	test->has_float_atomics = want(test, extensions, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
				       &extensions->floats);
	test->has_libraries =
		has_device_extension(test, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME) &&
		want(test, extensions, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, NULL) &&
		want(test, extensions, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
		     &extensions->libraries);
#ifdef VK_KHR_maintenance6
	extensions->maintenance6 = (VkPhysicalDeviceMaintenance6FeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR,
		.maintenance6 = VK_TRUE,
	};
	test->has_maintenance6 = want(test, extensions, VK_KHR_MAINTENANCE_6_EXTENSION_NAME,
				      &extensions->maintenance6);
#endif
}

// Leaves of the features of Vulkan 1.2 those that the tests use.
static void choose_features12(struct gpu_test *test, VkPhysicalDeviceVulkan12Features *features)
{
	const VkPhysicalDeviceVulkan12Features has = *features;
	test->has_bytes = has.storageBuffer8BitAccess && has.shaderInt8;
	test->has_scalar_layout = has.scalarBlockLayout;
	test->has_timeline = has.timelineSemaphore;
	test->has_memory_model = has.vulkanMemoryModel;
	test->has_device_scope = has.vulkanMemoryModel && has.vulkanMemoryModelDeviceScope;
	test->has_draw_count = has.drawIndirectCount;
	test->has_query_reset = has.hostQueryReset;
	test->has_addresses = has.bufferDeviceAddress;
	test->has_bindless = has.descriptorIndexing &&
			     has.shaderStorageBufferArrayNonUniformIndexing &&
			     has.descriptorBindingStorageBufferUpdateAfterBind &&
			     has.descriptorBindingPartiallyBound;
	*features = (VkPhysicalDeviceVulkan12Features){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.pNext = has.pNext,
		.storageBuffer8BitAccess = test->has_bytes,
		.shaderInt8 = test->has_bytes,
		.scalarBlockLayout = test->has_scalar_layout,
		.timelineSemaphore = test->has_timeline,
		.vulkanMemoryModel = test->has_memory_model,
		.vulkanMemoryModelDeviceScope = test->has_device_scope,
		.drawIndirectCount = test->has_draw_count,
		.hostQueryReset = test->has_query_reset,
		.bufferDeviceAddress = test->has_addresses,
		.shaderStorageBufferArrayNonUniformIndexing = test->has_bindless,
		.descriptorBindingStorageBufferUpdateAfterBind = test->has_bindless,
		.descriptorBindingPartiallyBound = test->has_bindless,
		.shaderBufferInt64Atomics = has.shaderBufferInt64Atomics,
	};
}

// Views and dynamic rendering, asked for where they exist. Returns the chain with them.
struct pass_features {
	VkPhysicalDeviceMultiviewFeatures views;
	VkPhysicalDeviceDynamicRenderingFeatures rendering; // of Vulkan 1.3
};

static void *want_pass_features(struct gpu_test *test, struct pass_features *passes, void *chain)
{
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	test->has_store_none = properties.apiVersion >= VK_API_VERSION_1_3;
	*passes = (struct pass_features){
		.views = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES},
		.rendering = {
			.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES}};
	if (test->has_store_none)
		passes->views.pNext = &passes->rendering;
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &passes->views};
	vkGetPhysicalDeviceFeatures2(test->physical, &features);
	test->has_multiview = passes->views.multiview;
	test->has_dynamic_rendering = passes->rendering.dynamicRendering;
	passes->views.multiviewGeometryShader = VK_FALSE;
	passes->views.multiviewTessellationShader = VK_FALSE;
	if (test->has_store_none)
		passes->rendering.pNext = chain;
	else
		passes->views.pNext = chain;
	return &passes->views;
}

// Chooses the features of Vulkan 1.0.
static void choose_features(struct gpu_test *test, VkPhysicalDeviceFeatures *features)
{
	test->has_vertex_stores = features->vertexPipelineStoresAndAtomics;
	test->has_fragment_stores = features->fragmentStoresAndAtomics;
	test->has_tessellation = features->tessellationShader;
	test->has_geometry = features->geometryShader;
	test->has_cube_arrays = features->imageCubeArray;
	test->has_buffer_arrays = features->shaderStorageBufferArrayDynamicIndexing;
	test->has_storage_samples = features->shaderStorageImageMultisample;
	test->has_sample_shading = features->sampleRateShading;
	test->has_anisotropy = features->samplerAnisotropy;
	test->has_sparse = test->has_sparse && features->sparseBinding &&
			   features->sparseResidencyBuffer && features->sparseResidencyImage2D &&
			   features->sparseResidencyAliased;
	*features = (VkPhysicalDeviceFeatures){
		.robustBufferAccess = VK_TRUE, // which all drivers have
		.vertexPipelineStoresAndAtomics = test->has_vertex_stores,
		.fragmentStoresAndAtomics = test->has_fragment_stores,
		.tessellationShader = test->has_tessellation,
		.geometryShader = test->has_geometry,
		.imageCubeArray = test->has_cube_arrays,
		.shaderStorageBufferArrayDynamicIndexing = test->has_buffer_arrays,
		.shaderStorageImageMultisample = test->has_storage_samples,
		.sampleRateShading = test->has_sample_shading,
		.samplerAnisotropy = test->has_anisotropy,
		.shaderInt64 = test->has_wide_atomics,
		.shaderStorageImageReadWithoutFormat =
			features->shaderStorageImageReadWithoutFormat,
		.shaderStorageImageWriteWithoutFormat =
			features->shaderStorageImageWriteWithoutFormat,
		.sparseBinding = test->has_sparse,
		.sparseResidencyBuffer = test->has_sparse,
		.sparseResidencyImage2D = test->has_sparse,
		.sparseResidencyAliased = test->has_sparse,
	};
}

static void open_queues(struct gpu_test *test, const struct gpu_device_wants *wants)
{
	const float priorities[2] = {1, 1};
	VkDeviceQueueCreateInfo queues[GPU_LANES];
	uint32_t count = 0;
	for (int lane = 0; lane < GPU_LANES; lane++)
		if (test->families[lane] != VK_QUEUE_FAMILY_IGNORED)
			queues[count++] = (VkDeviceQueueCreateInfo){
				.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
				.queueFamilyIndex = test->families[lane],
				.queueCount = lane == GPU_LANE_MAIN    ? test->queue_count
					      : lane == GPU_LANE_VIDEO ? test->video_queue_count
								       : 1,
				.pQueuePriorities = priorities,
			};
	const VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = wants->chain,
		.queueCreateInfoCount = count,
		.pQueueCreateInfos = queues,
		.enabledExtensionCount = wants->count,
		.ppEnabledExtensionNames = wants->names,
	};
	gpu_test_expect(vkCreateDevice(test->physical, &info, NULL, &test->device),
			"vkCreateDevice");
	for (int lane = 0; lane < GPU_LANES; lane++)
		if (test->families[lane] != VK_QUEUE_FAMILY_IGNORED)
			vkGetDeviceQueue(test->device, test->families[lane], 0,
					 &test->queues[lane]);
	if (test->families[GPU_LANE_VIDEO] != VK_QUEUE_FAMILY_IGNORED)
		vkGetDeviceQueue(test->device, test->families[GPU_LANE_VIDEO],
				 test->video_queue_count - 1, &test->other_video_queue);
}

VkQueue gpu_test_other_queue(const struct gpu_test *test)
{
	VkQueue queue;
	vkGetDeviceQueue(test->device, test->family, test->queue_count - 1, &queue);
	return queue;
}

static void open_device(struct gpu_test *test)
{
	VkPhysicalDeviceSynchronization2Features synchronization2 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES};
	VkPhysicalDeviceShaderTerminateInvocationFeatures terminate = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES,
		.pNext = &synchronization2};
	VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures demote = {
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
		.pNext = &terminate};
	VkPhysicalDeviceVulkan12Features features12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
	VkPhysicalDeviceVariablePointersFeatures pointers = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES,
		.pNext = &features12};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &pointers};
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	if (properties.apiVersion < VK_API_VERSION_1_2)
		gpu_test_skip("no Vulkan 1.2");
	if (properties.apiVersion >= VK_API_VERSION_1_3)
		features12.pNext = &demote; // of Vulkan 1.3, like those behind it
	vkGetPhysicalDeviceFeatures2(test->physical, &features);
	test->has_synchronization2 = synchronization2.synchronization2;
	test->has_terminate = terminate.shaderTerminateInvocation;
	test->has_demote = demote.shaderDemoteToHelperInvocation;
	test->has_variable_pointers = pointers.variablePointers;
	choose_features12(test, &features12);
	test->has_wide_atomics =
		features12.shaderBufferInt64Atomics && features.features.shaderInt64;
	features12.shaderBufferInt64Atomics = test->has_wide_atomics;
	choose_features(test, &features.features);
	struct pass_features passes;
	struct extensions extensions = {.all.chain = want_pass_features(test, &passes, &features)};
	want_extensions(test, &extensions);
	want_stages(test, &extensions);
	want_rays(test, &extensions);
	want_unused(test, &extensions);
	gpu_newer_want(test, &extensions.all, &extensions.newer);
	open_queues(test, &extensions.all);
}

void gpu_device_open(struct gpu_test *test)
{
	open_instance(test);
	choose_device(test);
	open_device(test);
}
