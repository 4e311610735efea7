// SPDX-License-Identifier: Apache-2.0
// Images, their views and samplers: recorded as they come and go.
// Knows their creation structures; not who uses them.
#include "hooks_image.h"

#include "host_memory.h"
#include "objects.h"
#include "record.h"

#include "image_packing.h"

#include <stdlib.h>

// Linear images have few levels and planes, but there is no limit to them.
struct subresources {
	struct vkr_trace_image_subresource *items;
	uint32_t count;
};

static VkMemoryRequirements requirements_of(struct vkr_layer_device *device, VkImage image,
					    VkImageAspectFlagBits plane)
{
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	if (!plane) {
		device->next.GetImageMemoryRequirements(device->handle, image,
							&needs.memoryRequirements);
		return needs.memoryRequirements;
	}
	const VkImagePlaneMemoryRequirementsInfo of_plane = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
		.planeAspect = plane,
	};
	const VkImageMemoryRequirementsInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
		.pNext = &of_plane,
		.image = image,
	};
	if (device->next.GetImageMemoryRequirements2)
		device->next.GetImageMemoryRequirements2(device->handle, &info, &needs);
	else if (device->next.GetImageMemoryRequirements2KHR)
		device->next.GetImageMemoryRequirements2KHR(device->handle, &info, &needs);
	return needs.memoryRequirements;
}

// Bytes that the image asks for, and whether each of its planes packed would fit in its own.
static bool room_of(struct vkr_layer_device *device, VkImage image, const VkImageCreateInfo *info,
		    const struct vkr_image_packing *packing, uint64_t *bytes)
{
	if (!(info->flags & VK_IMAGE_CREATE_DISJOINT_BIT)) {
		*bytes = requirements_of(device, image, 0).size;
		return packing->bytes <= *bytes;
	}
	bool fits = true;
	*bytes = 0;
	for (uint32_t i = 0; i < packing->plane_count; i++) {
		const uint64_t room =
			requirements_of(device, image, packing->planes[i].aspect).size;
		fits = fits && packing->planes[i].bytes <= room;
		*bytes += room;
	}
	return fits;
}

// The memory plane that holds a format's plane; 0 where the modifier has texels in an order of its
// own.
static VkImageAspectFlags aspect_in_memory(struct vkr_layer_device *device, VkImage image,
					   const VkImageCreateInfo *info, VkImageAspectFlags aspect)
{
	if (info->tiling == VK_IMAGE_TILING_LINEAR)
		return aspect;
	VkImageDrmFormatModifierPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT,
		.drmFormatModifier = UINT64_MAX,
	};
	if (!device->next.GetImageDrmFormatModifierPropertiesEXT ||
	    device->next.GetImageDrmFormatModifierPropertiesEXT(device->handle, image,
								&properties) != VK_SUCCESS ||
	    properties.drmFormatModifier != 0) // DRM_FORMAT_MOD_LINEAR
		return 0;
	switch (aspect) {
	case VK_IMAGE_ASPECT_PLANE_1_BIT:
		return VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT;
	case VK_IMAGE_ASPECT_PLANE_2_BIT:
		return VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT;
	default:
		return VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT;
	}
}

// Lists the layouts of a linear image's levels. None for depth and stencil, whose texels a driver
// may keep in one word.
static bool list_subresources(struct vkr_layer_device *device, VkImage image,
			      const VkImageCreateInfo *info,
			      const struct vkr_image_packing *packing, struct subresources *list)
{
	*list = (struct subresources){0};
	if (info->tiling == VK_IMAGE_TILING_OPTIMAL || packing->plane_count == 0 ||
	    packing->planes[0].aspect == VK_IMAGE_ASPECT_DEPTH_BIT ||
	    packing->planes[0].aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
		return true;
	list->items = calloc((size_t)packing->plane_count * info->mipLevels, sizeof *list->items);
	if (!list->items)
		return false;
	for (uint32_t plane = 0; plane < packing->plane_count; plane++) {
		const VkImageAspectFlags aspect =
			aspect_in_memory(device, image, info, packing->planes[plane].aspect);
		for (uint32_t mip = 0; aspect && mip < info->mipLevels; mip++) {
			const VkImageSubresource which = {.aspectMask = aspect, .mipLevel = mip};
			VkSubresourceLayout layout = {0};
			device->next.GetImageSubresourceLayout(device->handle, image, &which,
							       &layout);
			list->items[list->count++] = (struct vkr_trace_image_subresource){
				.aspect = packing->planes[plane].aspect,
				.mip = mip,
				.offset = layout.offset,
				.bytes = layout.size,
				.row_pitch = layout.rowPitch,
				.layer_pitch = layout.arrayPitch,
				.slice_pitch = layout.depthPitch,
			};
		}
	}
	return true;
}

static void record_bind(const struct vkr_layer_image *image, uint32_t memory, uint64_t offset,
			VkImageAspectFlags aspects)
{
	struct vkr_trace_image_bind payload = {
		.image = image->id,
		.memory = memory,
		.offset = offset,
		.aspects = aspects,
	};
	vkr_record_event(VKR_TRACE_IMAGE_BIND, &payload, sizeof payload, NULL, 0);
}

// Memory that stands for an image's own.
static void stand_in(struct vkr_layer_device *device, struct vkr_layer_image *image, uint64_t bytes)
{
	image->stand_in = vkr_record_id(VKR_OBJECT_MEMORY);
	struct vkr_trace_memory memory = {
		.memory = image->stand_in,
		.device = device->id,
		.bytes = bytes,
		.property_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		.flags = VKR_MEMORY_STAND_IN,
	};
	vkr_record_event(VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
	record_bind(image, image->stand_in, 0, 0);
}

static void record_image(struct vkr_layer_device *device, VkImage handle,
			 const VkImageCreateInfo *info, uint32_t flags,
			 struct vkr_layer_image *image)
{
	const struct vkr_image_shape shape = {
		.format = info->format,
		.extent = {info->extent.width, info->extent.height, info->extent.depth},
		.mips = info->mipLevels,
		.layers = info->arrayLayers,
		.samples = (uint32_t)info->samples,
	};
	struct vkr_image_packing packing;
	struct subresources list;
	const bool known = vkr_image_pack(&shape, &packing, NULL);
	uint64_t bytes = 0;
	const bool fits =
		!(flags & VKR_IMAGE_SWAPCHAIN) && room_of(device, handle, info, &packing, &bytes);
	if (!list_subresources(device, handle, info, &packing, &list))
		vkr_record_no_memory("an image");
	struct vkr_trace_image payload = {
		.image = image->id,
		.device = device->id,
		.handle = VKR_KEY(handle),
		.bytes = bytes,
		.create_flags = info->flags,
		.type = (uint32_t)info->imageType,
		.format = (uint32_t)info->format,
		.extent = {shape.extent[0], shape.extent[1], shape.extent[2]},
		.mips = shape.mips,
		.layers = shape.layers,
		.samples = shape.samples,
		.tiling = (uint32_t)info->tiling,
		.usage = info->usage,
		.sharing = (uint32_t)info->sharingMode,
		.initial_layout = (uint32_t)info->initialLayout,
		.flags = flags,
		.subresource_count = list.count,
	};
	vkr_record_event(VKR_TRACE_IMAGE, &payload, sizeof payload, list.items,
			 list.count * sizeof *list.items);
	free(list.items);
	if (known &&
	    ((flags & VKR_IMAGE_SWAPCHAIN) || (info->flags & VK_IMAGE_CREATE_SPARSE_BINDING_BIT) ||
	     (!fits && list.count == 0)))
		// A linear one takes the room of the driver's layout.
		stand_in(device, image,
			 list.count > 0 && bytes > packing.bytes ? bytes : packing.bytes);
}

// Room for an image, and for what memory is bound to together in each aspect of a sparse one.
static struct vkr_layer_image *make_kept(struct vkr_layer_device *device, VkImage handle,
					 const VkImageCreateInfo *info)
{
	const bool sparse = info->flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
	uint32_t count = 0;
	if (sparse)
		device->next.GetImageSparseMemoryRequirements(device->handle, handle, &count, NULL);
	struct vkr_layer_image *kept = calloc(1, sizeof *kept + count * sizeof *kept->sparse);
	if (kept && sparse)
		device->next.GetImageSparseMemoryRequirements(device->handle, handle, &count,
							      kept->sparse);
	if (kept)
		kept->sparse_count = count;
	return kept;
}

void vkr_image_keep(struct vkr_layer_device *device, VkImage handle, const VkImageCreateInfo *info,
		    uint32_t flags)
{
	struct vkr_layer_image *kept = make_kept(device, handle, info);
	if (!kept) {
		vkr_record_no_memory("an image");
		return;
	}
	kept->id = vkr_record_id(VKR_OBJECT_IMAGE);
	kept->format = info->format;
	kept->mips = info->mipLevels;
	kept->layers = info->arrayLayers;
	kept->slices = info->imageType == VK_IMAGE_TYPE_3D ? info->extent.depth : 0;
	kept->usage = info->usage;
	record_image(device, handle, info, flags, kept);
	vkr_object_keep(&device->objects.images, VKR_KEY(handle), kept, "an image");
}

void vkr_image_forget(struct vkr_layer_device *device, VkImage handle)
{
	struct vkr_layer_image *kept = vkr_handles_take(&device->objects.images, VKR_KEY(handle));
	if (!kept)
		return;
	struct vkr_trace_image_destroy payload = {.image = kept->id};
	vkr_record_event(VKR_TRACE_IMAGE_DESTROY, &payload, sizeof payload, NULL, 0);
	free(kept);
}

// With the flags that count: those of VK_KHR_extended_flags replace the others.
static VkImageCreateInfo with_flags(const VkImageCreateInfo *info)
{
	VkImageCreateInfo seen = *info;
#ifdef VK_KHR_extended_flags
	const VkImageCreateFlags2CreateInfoKHR *flags =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_CREATE_FLAGS_2_CREATE_INFO_KHR);
	const VkImageUsageFlags2CreateInfoKHR *usage =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_USAGE_FLAGS_2_CREATE_INFO_KHR);
	if (flags)
		seen.flags = (VkImageCreateFlags)flags->flags;
	if (usage)
		seen.usage = (VkImageUsageFlags)usage->usage;
#endif
	return seen;
}

// NVIDIA's driver (580) says that images that the host copies can be of imported memory, and then
// has no type of memory for them.
static bool has_memory(const struct vkr_layer_device *device, VkImage image,
		       VkImageCreateFlags flags)
{
	VkMemoryRequirements needs;
	if (flags & VK_IMAGE_CREATE_DISJOINT_BIT) // planes have each their own
		return true;
	device->next.GetImageMemoryRequirements(device->handle, image, &needs);
	return needs.memoryTypeBits != 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateImage(VkDevice handle, const VkImageCreateInfo *info,
					       const VkAllocationCallbacks *allocator,
					       VkImage *image)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkImageCreateInfo seen = with_flags(info);
	VkImageCreateInfo watched = *info;
	VkExternalMemoryImageCreateInfo external;
	vkr_host_memory_image(device, &seen, &watched, &external);
	VkResult result = device->next.CreateImage(handle, &watched, allocator, image);
	if (result == VK_SUCCESS && watched.pNext != info->pNext &&
	    !has_memory(device, *image, seen.flags)) {
		device->next.DestroyImage(handle, *image, allocator);
		result = device->next.CreateImage(handle, info, allocator, image);
	}
	if (result == VK_SUCCESS)
		vkr_image_keep(device, *image, &seen, 0);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyImage(VkDevice handle, VkImage image,
					    const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	vkr_image_forget(device, image);
	device->next.DestroyImage(handle, image, allocator);
}

static void bind_image(struct vkr_layer_device *device, VkImage image, VkDeviceMemory memory,
		       VkDeviceSize offset, VkImageAspectFlags aspects)
{
	const struct vkr_layer_image *kept =
		vkr_handles_get(&device->objects.images, VKR_KEY(image));
	const struct vkr_layer_memory *bound =
		vkr_handles_get(&device->objects.memories, VKR_KEY(memory));
	if (kept && bound && !kept->stand_in)
		record_bind(kept, bound->id, offset, aspects);
}

// The image has the memory of a swapchain's.
static void bind_swapchain(struct vkr_layer_device *device, VkImage image,
			   const VkBindImageMemorySwapchainInfoKHR *info)
{
	const VkImage other = vkr_swapchain_image(device, info->swapchain, info->imageIndex);
	const struct vkr_layer_image *kept =
		vkr_handles_get(&device->objects.images, VKR_KEY(image));
	const struct vkr_layer_image *owner =
		vkr_handles_get(&device->objects.images, VKR_KEY(other));
	if (kept && owner && !kept->stand_in)
		record_bind(kept, owner->stand_in, 0, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BindImageMemory(VkDevice handle, VkImage image,
						   VkDeviceMemory memory, VkDeviceSize offset)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.BindImageMemory(handle, image, memory, offset);
	if (result == VK_SUCCESS)
		bind_image(device, image, memory, offset, 0);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BindImageMemory2(VkDevice handle, uint32_t count,
						    const VkBindImageMemoryInfo *infos)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.BindImageMemory2(handle, count, infos);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
		const VkBindImagePlaneMemoryInfo *plane = vkr_chain_find(
			infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
		const VkBindImageMemorySwapchainInfoKHR *swapchain = vkr_chain_find(
			infos[i].pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
		if (swapchain && swapchain->swapchain)
			bind_swapchain(device, infos[i].image, swapchain);
		else
			bind_image(device, infos[i].image, infos[i].memory, infos[i].memoryOffset,
				   plane ? (VkImageAspectFlags)plane->planeAspect : 0);
	}
	return result;
}

static uint32_t hooks_image_rest(uint32_t count, uint32_t first, uint32_t end)
{
	return count == UINT32_MAX && first < end ? end - first : count; // VK_REMAINING_*
}

struct vkr_trace_subresources vkr_image_subresources(const struct vkr_layer_image *image,
						     const VkImageSubresourceRange *range)
{
	struct vkr_trace_subresources part = {
		.aspects = range->aspectMask,
		.first_mip = range->baseMipLevel,
		.mip_count = range->levelCount,
		.first_layer = range->baseArrayLayer,
		.layer_count = range->layerCount,
	};
	if (image) {
		part.mip_count = hooks_image_rest(part.mip_count, part.first_mip, image->mips);
		part.layer_count =
			hooks_image_rest(part.layer_count, part.first_layer, image->layers);
	}
	return part;
}

struct vkr_trace_image_box vkr_image_box(const struct vkr_layer_image *image,
					 const VkImageSubresourceLayers *layers, VkOffset3D offset,
					 VkExtent3D extent)
{
	struct vkr_trace_image_box box = {
		.aspects = layers->aspectMask,
		.mip = layers->mipLevel,
		.first_layer = layers->baseArrayLayer,
		.layer_count = layers->layerCount,
		.offset = {(uint32_t)offset.x, (uint32_t)offset.y, (uint32_t)offset.z},
		.extent = {extent.width, extent.height, extent.depth},
	};
	if (box.layer_count == VK_REMAINING_ARRAY_LAYERS && box.first_layer < image->layers)
		box.layer_count = image->layers - box.first_layer;
	return box;
}

// The subresources of a view: for a 2D view of a 3D image, slices count as layers.
static struct vkr_trace_subresources of_view(const struct vkr_layer_image *image,
					     const VkImageViewCreateInfo *info)
{
	struct vkr_layer_image counted = *image;
	if (image->slices && info->viewType != VK_IMAGE_VIEW_TYPE_3D) {
		const uint32_t slices = image->slices >> info->subresourceRange.baseMipLevel;
		counted.layers = slices ? slices : 1;
	}
	return vkr_image_subresources(&counted, &info->subresourceRange);
}

static uint32_t view_usage(const VkImageViewCreateInfo *info, const struct vkr_layer_image *image)
{
	const VkImageViewUsageCreateInfo *usage =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO);
#ifdef VK_KHR_extended_flags
	const VkImageViewUsage2CreateInfoKHR *second =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_2_CREATE_INFO_KHR);
	if (second)
		return (uint32_t)second->usage;
#endif
	return usage ? usage->usage : image->usage;
}

uint32_t vkr_image_view_record(const struct vkr_layer_image *image,
			       const VkImageViewCreateInfo *info)
{
	const VkImageViewMinLodCreateInfoEXT *lod =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT);
	struct vkr_trace_image_view payload = {
		.view = vkr_record_id(VKR_OBJECT_IMAGE_VIEW),
		.image = image->id,
		.type = (uint32_t)info->viewType,
		.format = (uint32_t)info->format,
		.flags = info->flags,
		.usage = view_usage(info, image),
		.subresources = of_view(image, info),
		.min_lod = lod ? lod->minLod : 0,
	};
#ifdef VK_EXT_image_sliced_view_of_3d
	const VkImageViewSlicedCreateInfoEXT *sliced =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT);
	if (sliced) {
		payload.first_slice = sliced->sliceOffset;
		payload.slice_count =
			sliced->sliceCount == VK_REMAINING_3D_SLICES_EXT ? 0 : sliced->sliceCount;
	}
#endif
	vkr_record_event(VKR_TRACE_IMAGE_VIEW, &payload, sizeof payload, NULL, 0);
	return payload.view;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateImageView(VkDevice handle,
						   const VkImageViewCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkImageView *view)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateImageView(handle, info, allocator, view);
	if (result != VK_SUCCESS)
		return result;
	const struct vkr_layer_image *image =
		vkr_handles_get(&device->objects.images, VKR_KEY(info->image));
	if (!image) {
		vkr_record_coverage(
			VKR_COVERAGE_EXTENSION, 0, 0,
			"views of images that are not known: accesses to them are not observed");
		return result;
	}
	struct vkr_layer_image_view *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("an image view");
		return result;
	}
	kept->id = vkr_image_view_record(image, info);
	vkr_object_keep(&device->objects.image_views, VKR_KEY(*view), kept, "an image view");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyImageView(VkDevice handle, VkImageView view,
						const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_image_view *kept =
		vkr_handles_take(&device->objects.image_views, VKR_KEY(view));
	if (kept) {
		struct vkr_trace_image_view_destroy payload = {.view = kept->id};
		vkr_record_event(VKR_TRACE_IMAGE_VIEW_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyImageView(handle, view, allocator);
}
