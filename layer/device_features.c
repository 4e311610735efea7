// SPDX-License-Identifier: Apache-2.0
// Enabling buffer device addresses, stores of all stages and host memory imports beside what the
// program enables.
// Knows features and extensions; not what the log is for.
#include "device_features.h"

#include "chain_copy.h"
#include "host_regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extension_list {
	VkExtensionProperties *items;
	uint32_t count;
};

static struct extension_list list_extensions(const struct vkr_instance *instance,
					     VkPhysicalDevice physical)
{
	struct extension_list list = {0};
	uint32_t count = 0;
	PFN_vkEnumerateDeviceExtensionProperties enumerate =
		instance->next.EnumerateDeviceExtensionProperties;
	if (enumerate(physical, NULL, &count, NULL) != VK_SUCCESS || !count)
		return list;
	list.items = calloc(count, sizeof *list.items);
	if (list.items && enumerate(physical, NULL, &count, list.items) >= 0)
		list.count = count;
	return list;
}

static bool device_features_supports(const struct extension_list *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i].extensionName, name) == 0)
			return true;
	return false;
}

bool vkr_device_enables(const VkDeviceCreateInfo *info, const char *name)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (strcmp(info->ppEnabledExtensionNames[i], name) == 0)
			return true;
	return false;
}

static bool add_extension(struct vkr_device_plan *plan, const char *name)
{
	if (vkr_device_enables(&plan->info, name))
		return true;
	uint32_t count = plan->info.enabledExtensionCount;
	const char **names = vkr_arena_alloc(&plan->arena, (count + 1) * sizeof *names);
	if (!names)
		return false;
	if (count)
		memcpy(names, plan->info.ppEnabledExtensionNames, count * sizeof *names);
	names[count] = name;
	plan->info.ppEnabledExtensionNames = names;
	plan->info.enabledExtensionCount = count + 1;
	return true;
}

// 0 for a structure that this build does not know.
static size_t chain_size(VkStructureType type)
{
	switch (type) {
#define VKR_CHAIN(constant, structure)                                                             \
	case constant:                                                                             \
		return sizeof(structure);
#include "device_chain.def"
#undef VKR_CHAIN
	case VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO:
		return sizeof(VkLayerDeviceCreateInfo);
	default:
		return 0;
	}
}

// A copy of the first structure of `type` in the chain that plan->info shares with the program:
// all before it is copied too, what follows stays shared. NULL where it cannot be copied.
static void *own_structure(struct vkr_device_plan *plan, VkStructureType type)
{
	VkBaseOutStructure *last = NULL;
	const void *first = NULL;
	for (const VkBaseInStructure *at = plan->info.pNext; at; at = at->pNext) {
		VkBaseOutStructure *copy = vkr_chain_copy(&plan->arena, at, chain_size(at->sType));
		if (!copy) {
			snprintf(plan->reason, sizeof plan->reason,
				 "the program's device features follow a structure of type %d in "
				 "the pNext chain that cannot be copied",
				 (int)at->sType);
			return NULL;
		}
		if (last)
			last->pNext = copy;
		else
			first = copy;
		last = copy;
		if (at->sType == type) {
			plan->info.pNext = first;
			return copy;
		}
	}
	return NULL;
}

// A new structure at the head of the chain.
static void *add_structure(struct vkr_device_plan *plan, VkStructureType type)
{
	VkBaseOutStructure *added = vkr_arena_alloc(&plan->arena, chain_size(type));
	if (!added)
		return NULL;
	added->sType = type;
	added->pNext = (VkBaseOutStructure *)(uintptr_t)plan->info.pNext;
	plan->info.pNext = added;
	return added;
}

static void *own_or_add(struct vkr_device_plan *plan, VkStructureType type)
{
	return vkr_chain_find(plan->info.pNext, type) ? own_structure(plan, type)
						      : add_structure(plan, type);
}

// Whether host memory can be imported page by page.
static bool imports_pages(const struct vkr_instance *instance, VkPhysicalDevice physical)
{
	VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &host};
	instance->next.GetPhysicalDeviceProperties2(physical, &properties);
	return host.minImportedHostPointerAlignment <= VKR_PAGE_BYTES;
}

static bool addresses_supported(const struct vkr_instance *instance, VkPhysicalDevice physical)
{
	VkPhysicalDeviceBufferDeviceAddressFeatures addresses = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &addresses,
	};
	instance->next.GetPhysicalDeviceFeatures2(physical, &features);
	return addresses.bufferDeviceAddress;
}

// The program enabled the EXT form: the KHR one must not be enabled beside it
// (VUID-VkDeviceCreateInfo-ppEnabledExtensionNames-03328).
static bool plan_addresses_ext(struct vkr_device_plan *plan)
{
	VkPhysicalDeviceBufferDeviceAddressFeaturesEXT *features = own_or_add(
		plan, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT);
	if (!features)
		return false;
	features->bufferDeviceAddress = VK_TRUE;
	plan->device_addresses_ext = true;
	return true;
}

static bool plan_addresses(struct vkr_device_plan *plan, const struct vkr_instance *instance,
			   VkPhysicalDevice physical, uint32_t version,
			   const struct extension_list *list)
{
	static const char extension[] = VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME;
	if (version < VK_API_VERSION_1_1 || !instance->next.GetPhysicalDeviceFeatures2) {
		snprintf(plan->reason, sizeof plan->reason, "the driver knows only Vulkan 1.0");
		return false;
	}
	bool core = version >= VK_API_VERSION_1_2;
	if ((!core && !device_features_supports(list, extension)) ||
	    !addresses_supported(instance, physical)) {
		snprintf(plan->reason, sizeof plan->reason,
			 "the driver has no bufferDeviceAddress");
		return false;
	}
	if (vkr_device_enables(&plan->info, VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME))
		return plan_addresses_ext(plan);
	if (vkr_chain_find(plan->info.pNext,
			   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES)) {
		VkPhysicalDeviceVulkan12Features *features =
			own_structure(plan, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
		if (!features)
			return false;
		features->bufferDeviceAddress = VK_TRUE;
		return true;
	}
	VkPhysicalDeviceBufferDeviceAddressFeatures *features =
		own_or_add(plan, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
	if (!features)
		return false;
	features->bufferDeviceAddress = VK_TRUE;
	return core || add_extension(plan, extension);
}

// A copy of the program's features, in either of the two places that they may be in, so that they
// can be changed. NULL if they cannot be copied.
static VkPhysicalDeviceFeatures *own_features(struct vkr_device_plan *plan)
{
	if (vkr_chain_find(plan->info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)) {
		VkPhysicalDeviceFeatures2 *second =
			own_structure(plan, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
		return second ? &second->features : NULL;
	}
	VkPhysicalDeviceFeatures *features = vkr_arena_alloc(&plan->arena, sizeof *features);
	if (!features)
		return NULL;
	if (plan->info.pEnabledFeatures)
		*features = *plan->info.pEnabledFeatures;
	plan->info.pEnabledFeatures = features;
	return features;
}

// Writing a log is a store: stages that may not store cannot be observed, whatever they do.
static void plan_stores(struct vkr_device_plan *plan, const struct vkr_instance *instance,
			VkPhysicalDevice physical)
{
	VkPhysicalDeviceFeatures2 second = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
	};
	instance->next.GetPhysicalDeviceFeatures2(physical, &second);
	const VkPhysicalDeviceFeatures *supported = &second.features;
	plan->logged_stages = VK_SHADER_STAGE_COMPUTE_BIT;
	VkPhysicalDeviceFeatures *features = own_features(plan);
	if (!features)
		return;
	if (supported->vertexPipelineStoresAndAtomics) {
		features->vertexPipelineStoresAndAtomics = VK_TRUE;
		plan->logged_stages |= VK_SHADER_STAGE_VERTEX_BIT;
		if (supported->tessellationShader)
			plan->logged_stages |= VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
					       VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
		if (supported->geometryShader)
			plan->logged_stages |= VK_SHADER_STAGE_GEOMETRY_BIT;
	}
	if (supported->fragmentStoresAndAtomics) {
		features->fragmentStoresAndAtomics = VK_TRUE;
		plan->logged_stages |= VK_SHADER_STAGE_FRAGMENT_BIT;
	}
}

// Stages whose stores need no feature beside the stage's own.
static void plan_mesh(struct vkr_device_plan *plan)
{
#ifdef VK_EXT_mesh_shader
	const VkPhysicalDeviceMeshShaderFeaturesEXT *mesh = vkr_chain_find(
		plan->info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
	if (!mesh || !mesh->meshShader)
		return;
	plan->logged_stages |= VK_SHADER_STAGE_MESH_BIT_EXT;
	if (mesh->taskShader)
		plan->logged_stages |= VK_SHADER_STAGE_TASK_BIT_EXT;
#else
	(void)plan;
#endif
}

static void plan_rays(struct vkr_device_plan *plan)
{
	const VkPhysicalDeviceRayTracingPipelineFeaturesKHR *rays =
		vkr_chain_find(plan->info.pNext,
			       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);
	if (rays && rays->rayTracingPipeline)
		plan->logged_stages |= VKR_RAY_TRACING_STAGES;
}

static bool device_scope_supported(const struct vkr_instance *instance, VkPhysicalDevice physical)
{
	VkPhysicalDeviceVulkanMemoryModelFeatures model = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
	};
	VkPhysicalDeviceFeatures2 features = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		.pNext = &model,
	};
	instance->next.GetPhysicalDeviceFeatures2(physical, &features);
	return model.vulkanMemoryModelDeviceScope;
}

// The atomics of the log in shaders of the old memory model have Device scope: where the program
// enables the new one, that needs a feature (VUID-RuntimeSpirv-vulkanMemoryModel-06265).
static void plan_device_scope(struct vkr_device_plan *plan, const struct vkr_instance *instance,
			      VkPhysicalDevice physical)
{
	const VkStructureType type = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
	const VkStructureType own = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES;
	const VkPhysicalDeviceVulkan12Features *all = vkr_chain_find(plan->info.pNext, type);
	const VkPhysicalDeviceVulkanMemoryModelFeatures *one =
		vkr_chain_find(plan->info.pNext, own);
	const bool asked = (all && all->vulkanMemoryModel) || (one && one->vulkanMemoryModel);
	if (!asked || !device_scope_supported(instance, physical))
		return;
	if (all) {
		VkPhysicalDeviceVulkan12Features *features = own_structure(plan, type);
		if (features)
			features->vulkanMemoryModelDeviceScope = VK_TRUE;
		return;
	}
	VkPhysicalDeviceVulkanMemoryModelFeatures *features = own_structure(plan, own);
	if (features)
		features->vulkanMemoryModelDeviceScope = VK_TRUE;
}

void vkr_device_plan_init(struct vkr_device_plan *plan, const struct vkr_instance *instance,
			  VkPhysicalDevice physical, uint32_t version,
			  const VkDeviceCreateInfo *asked)
{
	*plan = (struct vkr_device_plan){.info = *asked};
	vkr_arena_init(&plan->arena);
	snprintf(plan->reason, sizeof plan->reason, "no memory");
	struct extension_list list = list_extensions(instance, physical);
	plan->logging = plan_addresses(plan, instance, physical, version, &list);
	if (plan->logging) {
		plan_stores(plan, instance, physical);
		plan_mesh(plan);
		plan_rays(plan);
		plan_device_scope(plan, instance, physical);
	} else {
		plan->info = *asked;
	}
	if (version >= VK_API_VERSION_1_1 &&
	    device_features_supports(&list, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) &&
	    imports_pages(instance, physical))
		plan->external_host_memory =
			add_extension(plan, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	free(list.items);
}

void vkr_device_plan_finish(struct vkr_device_plan *plan)
{
	vkr_arena_finish(&plan->arena);
}
