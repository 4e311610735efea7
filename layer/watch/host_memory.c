// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

#include "annotations.h"
#include "host_regions.h"
#include "host_watch.h"
#include "record.h"
#include "watch_pages.h"

#define HOST_ALLOCATION VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

static bool host_memory_imports(const struct vkr_layer_device *device)
{
	return device->external_host_memory && device->next.GetMemoryHostPointerPropertiesEXT &&
	       vkr_host_watch_mode() != VKR_HOST_UNWATCHED;
}

// Drivers that are threads of the host reach all memory by its pointers, whatever they say of
// imports.
static bool of_host_threads(const struct vkr_layer_device *device)
{
	return device->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

// An import of host memory is never a dedicated allocation (VUID-VkMemoryAllocateInfo-pNext-02806).
static bool can_import(const VkExternalMemoryProperties *properties)
{
	return (properties->externalMemoryFeatures &
		(VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT |
		 VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT)) ==
	       VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
}

// Whether buffers like this one can be bound to imported host memory
// ("VkPhysicalDeviceExternalBufferInfo").
static bool buffer_imports(const struct vkr_layer_device *device, const VkBufferCreateInfo *info)
{
	const struct vkr_instance_table *next = &device->instance->next;
	VkPhysicalDeviceExternalBufferInfo asked = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
		.flags = info->flags,
		.usage = info->usage,
		.handleType = HOST_ALLOCATION,
	};
	VkExternalBufferProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
	if (of_host_threads(device))
		return true;
#ifdef VK_KHR_maintenance5
	// In its place ("VkBufferUsageFlags2CreateInfo").
	const VkBufferUsageFlags2CreateInfoKHR *second =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
	VkBufferUsageFlags2CreateInfoKHR usage;
	if (second) {
		usage = (VkBufferUsageFlags2CreateInfoKHR){.sType = second->sType,
							   .usage = second->usage};
		asked.pNext = &usage;
	}
#endif
	if ((!info->usage && !asked.pNext) || !next->GetPhysicalDeviceExternalBufferProperties)
		return false;
	next->GetPhysicalDeviceExternalBufferProperties(device->physical, &asked, &found);
	return can_import(&found.externalMemoryProperties);
}

// Whether images like this one can be ("VkPhysicalDeviceExternalImageFormatInfo").
static bool image_imports(const struct vkr_layer_device *device, const VkImageCreateInfo *info)
{
	const struct vkr_instance_table *next = &device->instance->next;
	const VkPhysicalDeviceExternalImageFormatInfo external = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.handleType = HOST_ALLOCATION,
	};
	const VkPhysicalDeviceImageFormatInfo2 asked = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external,
		.format = info->format,
		.type = info->imageType,
		.tiling = info->tiling,
		.usage = info->usage,
		.flags = info->flags,
	};
	VkExternalImageFormatProperties found = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
	VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
					   .pNext = &found};
	const VkImageFormatProperties *most = &limits.imageFormatProperties;
	if (of_host_threads(device))
		return true;
	// Modifiers are asked for one by one.
	if (info->tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ||
	    !next->GetPhysicalDeviceImageFormatProperties2 ||
	    next->GetPhysicalDeviceImageFormatProperties2(device->physical, &asked, &limits) !=
		    VK_SUCCESS)
		return false;
	return can_import(&found.externalMemoryProperties) &&
	       info->extent.width <= most->maxExtent.width &&
	       info->extent.height <= most->maxExtent.height &&
	       info->extent.depth <= most->maxExtent.depth &&
	       info->mipLevels <= most->maxMipLevels && info->arrayLayers <= most->maxArrayLayers &&
	       info->samples & most->sampleCounts;
}

// Whether memory of a type can be the layer's. Of device-local memory that the host maps images are
// made as well, where a device has no other: it is imported where these can be.
static bool type_imports(const struct vkr_layer_device *device, uint32_t type)
{
	const VkImageCreateInfo image = {
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {1, 1, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	const VkMemoryPropertyFlags flags = device->memory.memoryTypes[type].propertyFlags;
	return flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT && host_memory_imports(device) &&
	       (!(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) || image_imports(device, &image));
}

// What is dedicated to an image, or must be to its buffer, is the driver's
// (VUID-VkMemoryAllocateInfo-pNext-02806, "VkMemoryDedicatedRequirements").
static bool must_be_dedicated(struct vkr_layer_device *device,
			      const VkMemoryDedicatedAllocateInfo *of)
{
	const VkBufferMemoryRequirementsInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
		.buffer = of->buffer,
	};
	VkMemoryDedicatedRequirements dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
				       .pNext = &dedicated};
	if (of_host_threads(device) || (!of->buffer && !of->image))
		return false;
	if (of->image || !device->next.GetBufferMemoryRequirements2)
		return true;
	device->next.GetBufferMemoryRequirements2(device->handle, &info, &needs);
	return dedicated.requiresDedicatedAllocation;
}

// Copies of what an import may be chained with. A dedicated allocation that need not be one is left
// out: an import is bound like any other memory.
struct import_chain {
	VkImportMemoryHostPointerInfoEXT import;
	VkMemoryAllocateFlagsInfo flags;
	VkMemoryPriorityAllocateInfoEXT priority;
	const char *foreign; // why the memory cannot be the layer's, or NULL
};

static void build_chain(struct vkr_layer_device *device, struct import_chain *chain,
			const VkMemoryAllocateInfo *info)
{
	const void *last = NULL;
	chain->foreign = NULL;
	for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
		switch ((int)at->sType) {
		case VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO:
			if (must_be_dedicated(device, (const VkMemoryDedicatedAllocateInfo *)at)) {
				chain->foreign = "it is dedicated to a resource";
				return;
			}
			break;
		case VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO:
			chain->flags = *(const VkMemoryAllocateFlagsInfo *)at;
			chain->flags.pNext = last;
			last = &chain->flags;
			break;
		case VK_STRUCTURE_TYPE_MEMORY_PRIORITY_ALLOCATE_INFO_EXT:
			chain->priority = *(const VkMemoryPriorityAllocateInfoEXT *)at;
			chain->priority.pNext = last;
			last = &chain->priority;
			break;
		case VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO:
			chain->foreign = "it is exported";
			return;
		default:
			chain->foreign =
				"it is imported, or allocated with a structure that is not known";
			return;
		}
	}
	chain->import = (VkImportMemoryHostPointerInfoEXT){
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.pNext = last,
		.handleType = HOST_ALLOCATION,
	};
}

static bool host_memory_importable(struct vkr_layer_device *device, const struct vkr_region *region,
				   uint32_t type)
{
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
	};
	return device->next.GetMemoryHostPointerPropertiesEXT(
		       device->handle, HOST_ALLOCATION, region->open, &properties) == VK_SUCCESS &&
	       (properties.memoryTypeBits >> type & 1);
}

// NULL where the memory cannot be made of the layer's.
static struct vkr_region *allocate_own(struct vkr_layer_device *device,
				       const VkMemoryAllocateInfo *info,
				       const VkAllocationCallbacks *allocator,
				       struct import_chain *chain, VkDeviceMemory *memory)
{
	struct vkr_region *region = vkr_region_create(info->allocationSize);
	if (!region)
		return NULL;
	VkMemoryAllocateInfo own = *info;
	own.pNext = &chain->import;
	own.allocationSize = region->bytes;
	chain->import.pHostPointer = region->open;
	if (host_memory_importable(device, region, info->memoryTypeIndex) &&
	    device->next.AllocateMemory(device->handle, &own, allocator, memory) == VK_SUCCESS)
		return region;
	vkr_region_destroy(region);
	return NULL;
}

VkResult vkr_host_memory_allocate(struct vkr_layer_device *device, const VkMemoryAllocateInfo *info,
				  const VkAllocationCallbacks *allocator, VkDeviceMemory *memory,
				  struct vkr_layer_memory *kept)
{
	struct import_chain chain;
	build_chain(device, &chain, info);
	kept->foreign = chain.foreign;
	if (!chain.foreign && type_imports(device, info->memoryTypeIndex))
		kept->region = allocate_own(device, info, allocator, &chain, memory);
	kept->imported = kept->region != NULL;
	if (kept->region)
		return VK_SUCCESS;
	return device->next.AllocateMemory(device->handle, info, allocator, memory);
}

// Whether all pages are closed, always. Writes to memory that is not coherent must be known even
// where nothing is submitted: they may lack a flush. Which pages of memory that is bound to sparse
// resources work accesses is known on queues only.
static bool host_memory_always(const struct vkr_layer_memory *kept)
{
	return vkr_host_watch_mode() == VKR_HOST_PRECISE || kept->sparse ||
	       !(kept->property_flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

void vkr_host_memory_watch(struct vkr_layer_memory *kept)
{
	if (kept->region)
		vkr_region_watch(kept->region, kept->id, host_memory_always(kept));
}

static void not_observed(const struct vkr_layer_memory *kept, const char *why)
{
	vkr_record_coverage(VKR_COVERAGE_HOST, kept->id, 0,
			    "accesses of host threads to memory %u are not observed: %s", kept->id,
			    why);
}

// The driver's own mapping, once more.
static void host_memory_adopt(struct vkr_layer_memory *kept, uint64_t offset, uint64_t bytes,
			      void **data)
{
	const uint64_t lead = (uint64_t)(uintptr_t)*data % VKR_PAGE_BYTES;
	struct vkr_region *region = vkr_region_adopt((unsigned char *)*data - lead, bytes + lead);
	if (!region) {
		not_observed(kept, kept->foreign
					   ? kept->foreign
					   : "the driver's memory cannot be mapped a second time");
		return;
	}
	region->first = offset - lead;
	// Pages of the memory that are not pages of the mapping cannot be counted.
	if (!vkr_region_watch(region, kept->id,
			      host_memory_always(kept) || region->first % VKR_PAGE_BYTES)) {
		vkr_region_destroy(region);
		not_observed(kept, "no memory");
		return;
	}
	kept->region = region;
	*data = region->watched + lead;
}

static void begin_use(const struct vkr_layer_memory *kept)
{
	if (!kept->region->always && !vkr_watch_pages_map(kept->id, kept->region))
		vkr_region_close(kept->region, 0, kept->region->bytes);
}

void vkr_host_memory_map(struct vkr_layer_memory *kept, uint64_t offset, uint64_t bytes,
			 void **data)
{
	const bool watched = vkr_host_watch_mode() != VKR_HOST_UNWATCHED;
	if (!watched && !vkr_annotations_suffice())
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
				    "accesses of host threads to mapped memory are not observed");
	if (!watched)
		return;
	if (kept->imported)
		*data = kept->region->watched + offset;
	else
		host_memory_adopt(kept, offset, bytes, data);
	if (kept->region)
		begin_use(kept);
}

void vkr_host_memory_unmap(struct vkr_layer_memory *kept)
{
	if (kept->region)
		vkr_watch_pages_unmap(kept->region);
	if (kept->imported)
		return;
	vkr_host_memory_forget(kept);
	vkr_region_destroy(kept->region);
	kept->region = NULL;
}

void vkr_host_memory_sparse(struct vkr_layer_memory *kept)
{
	if (kept->sparse)
		return;
	kept->sparse = true;
	if (kept->region && vkr_host_watch_mode() != VKR_HOST_UNWATCHED)
		vkr_watch_pages_close(kept->region);
}

void vkr_host_memory_forget(struct vkr_layer_memory *kept)
{
	if (kept->region)
		vkr_region_unwatch(kept->region);
}

void vkr_host_memory_release(struct vkr_layer_memory *kept)
{
	if (!kept->region)
		return;
	// The driver's threads may still be at work on it.
	if (vkr_watch_pages_free(kept->id, kept->region))
		vkr_region_destroy(kept->region);
	kept->region = NULL;
}

void vkr_host_memory_buffer(const struct vkr_layer_device *device, VkBufferCreateInfo *info,
			    VkExternalMemoryBufferCreateInfo *room)
{
	if (!host_memory_imports(device) ||
	    vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO) ||
	    !buffer_imports(device, info))
		return;
	*room = (VkExternalMemoryBufferCreateInfo){
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.pNext = info->pNext,
		.handleTypes = HOST_ALLOCATION,
	};
	info->pNext = room;
}

// An image with contents from the start may not be of external memory
// (VUID-VkImageCreateInfo-pNext-01443).
void vkr_host_memory_image(const struct vkr_layer_device *device, const VkImageCreateInfo *seen,
			   VkImageCreateInfo *info, VkExternalMemoryImageCreateInfo *room)
{
	if (!host_memory_imports(device) || seen->initialLayout != VK_IMAGE_LAYOUT_UNDEFINED ||
	    vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO) ||
	    !image_imports(device, seen))
		return;
	*room = (VkExternalMemoryImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = info->pNext,
		.handleTypes = HOST_ALLOCATION,
	};
	info->pNext = room;
}
