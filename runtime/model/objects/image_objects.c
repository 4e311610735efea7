// SPDX-License-Identifier: Apache-2.0
#include "image_objects.h"

#include "error.h"
#include "event_payload.h"
#include "object_table.h"
#include "stand_ins.h"

#include <string.h>

struct vkr_image_view *vkr_objects_image_view(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->image_views, id);
}

struct vkr_sampler *vkr_objects_sampler(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->samplers, id);
}

// Adds count - 1 steps of this many bytes. False if the sum is too large.
static bool advance_end(uint64_t *end, uint32_t count, uint64_t step)
{
	uint64_t bytes;
	return count <= 1 || (!__builtin_mul_overflow((uint64_t)count - 1, step, &bytes) &&
			      !__builtin_add_overflow(*end, bytes, end));
}

// The level's last byte lies within the image.
static bool image_objects_fits(const struct vkr_image *image, const struct vkr_image_plane *plane,
			       const struct vkr_texel_level *level,
			       const struct vkr_trace_image_subresource *told)
{
	uint64_t end = told->offset;
	return advance_end(&end, level->height, told->row_pitch) &&
	       advance_end(&end, level->depth, told->slice_pitch) &&
	       advance_end(&end, image->layers, told->layer_pitch) && end <= image->bytes &&
	       (uint64_t)level->width * plane->block.bytes <= image->bytes - end;
}

// Takes the driver's layout of a linear image's levels. False if the driver gave too little, or
// something impossible: then its texels are laid out as in any other image.
static bool take_linear(struct vkr_image *image, const struct vkr_trace_image *made,
			struct vkr_texel_level *levels)
{
	const struct vkr_trace_image_subresource *told = (const void *)(made + 1);
	uint32_t found = 0;
	for (uint32_t at = 0; at < made->subresource_count; at++, told++) {
		uint32_t plane = 0;
		while (plane < image->plane_count && image->planes[plane].aspect != told->aspect)
			plane++;
		if (plane == image->plane_count || told->mip >= image->mips)
			return false;
		struct vkr_texel_level *level = &levels[plane * image->mips + told->mip];
		if (!image_objects_fits(image, &image->planes[plane], level, told))
			return false;
		level->offset = told->offset;
		level->row_pitch = told->row_pitch;
		level->slice_pitch = told->slice_pitch;
		level->layer_pitch = told->layer_pitch;
		found++;
	}
	return found == image->plane_count * image->mips;
}

static enum vkr_result lay_out(struct vkr_objects *objects, struct vkr_image *image,
			       const struct vkr_trace_image *made, struct vkr_error *error)
{
	const struct vkr_image_shape shape = {
		.format = (VkFormat)made->format,
		.extent = {made->extent[0], made->extent[1], made->extent[2]},
		.mips = made->mips,
		.layers = made->layers,
		.samples = made->samples};
	struct vkr_image_packing packing;
	if (made->mips == 0 || !vkr_image_pack(&shape, &packing, NULL))
		return VKR_OK; // no planes: its accesses are not observed
	struct vkr_texel_level *levels = vkr_arena_alloc(
		&objects->arena, (size_t)VKR_IMAGE_PLANES * made->mips * sizeof *levels);
	if (levels == NULL)
		return vkr_error_memory(error, "an image");
	if (!vkr_image_pack(&shape, &packing, levels))
		return VKR_OK;
	image->plane_count = packing.plane_count;
	image->aspects = vkr_format_aspects((VkFormat)made->format);
	for (uint32_t at = 0; at < packing.plane_count; at++)
		image->planes[at] =
			(struct vkr_image_plane){.aspect = packing.planes[at].aspect,
						 .block = packing.planes[at].block,
						 .bytes = packing.planes[at].bytes,
						 .levels = levels + (size_t)at * made->mips};
	image->packed = made->subresource_count == 0 || !take_linear(image, made, levels);
	if (image->packed && made->subresource_count > 0 &&
	    !vkr_image_pack(&shape, &packing, levels))
		image->plane_count = 0;
	return VKR_OK;
}

static enum vkr_result make_image(struct vkr_objects *objects, const struct vkr_trace_image *made,
				  struct vkr_error *error)
{
	struct vkr_image *image = NULL;
	enum vkr_result result = vkr_table_make(objects, &objects->images, made->image,
						sizeof *image, "image", &image, error);
	if (result != VKR_OK)
		return result;
	*image = (struct vkr_image){
		.id = made->image,
		.device = made->device,
		.format = made->format,
		.type = made->type,
		.create_flags = made->create_flags,
		.tiling = made->tiling,
		.usage = made->usage,
		.sharing = made->sharing,
		.flags = made->flags,
		.extent = {made->extent[0], made->extent[1], made->extent[2]},
		.mips = made->mips,
		.layers = made->layers,
		.samples = made->samples,
		.bytes = made->bytes,
	};
	const struct vkr_device *device = vkr_objects_device(objects, made->device);
	image->slices_apart = made->type == VK_IMAGE_TYPE_3D && device != NULL &&
			      made->create_flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT &&
			      device->flags & VKR_DEVICE_MAINTENANCE9;
	result = lay_out(objects, image, made, error);
	if (result != VKR_OK)
		return result;
	return vkr_table_name(objects, &image->name, "image", image->id, error);
}

// Where a plane ends, counted from where the image, or it alone, is bound.
static uint64_t plane_end(const struct vkr_image *image, const struct vkr_image_plane *plane)
{
	return image->packed ? plane->bytes : image->bytes;
}

static enum vkr_result bind_image(struct vkr_objects *objects,
				  const struct vkr_trace_image_bind *bind, struct vkr_error *error)
{
	struct vkr_image *image = vkr_objects_image(objects, bind->image);
	struct vkr_memory *memory = vkr_objects_memory(objects, bind->memory);
	if (image == NULL)
		return vkr_table_unknown(error, VKR_TRACE_IMAGE_BIND, "image", bind->image);
	if (memory == NULL)
		return vkr_table_unknown(error, VKR_TRACE_IMAGE_BIND, "memory", bind->memory);
	uint64_t offset = bind->offset;
	for (uint32_t at = 0; at < image->plane_count; at++) {
		struct vkr_image_plane *plane = &image->planes[at];
		if (bind->aspects != 0 && !(bind->aspects & plane->aspect))
			continue;
		if (offset > memory->bytes || plane_end(image, plane) > memory->bytes - offset)
			return vkr_error_set(
				error, VKR_ERROR_FORMAT,
				"IMAGE_BIND: image %u does not fit in memory %u at %llu",
				bind->image, bind->memory, (unsigned long long)bind->offset);
		plane->memory = memory;
		vkr_stand_in_used(memory);
		plane->offset = offset;
		if (image->packed && bind->aspects == 0)
			offset += plane->bytes;
	}
	return VKR_OK;
}

static bool is_within(const struct vkr_image *image, const struct vkr_trace_subresources *part)
{
	const uint32_t layers = image->type == VK_IMAGE_TYPE_3D ? image->extent[2] : image->layers;
	return part->first_mip <= image->mips && part->mip_count <= image->mips - part->first_mip &&
	       part->first_layer <= layers && part->layer_count <= layers - part->first_layer;
}

static bool is_made_alike(const struct vkr_image_view *view,
			  const struct vkr_trace_image_view *made)
{
	return view->type == made->type && view->format == made->format &&
	       view->flags == made->flags && view->usage == made->usage &&
	       memcmp(&view->subresources, &made->subresources, sizeof made->subresources) == 0 &&
	       memcmp(&view->min_lod, &made->min_lod, sizeof made->min_lod) == 0 &&
	       view->first_slice == made->first_slice && view->slice_count == made->slice_count;
}

// Takes the reference of a destroyed view, so that programs which make their views anew each frame
// do each time what they did before.
static uint32_t take_reference(struct vkr_image *image, const struct vkr_trace_image_view *made)
{
	for (struct vkr_image_view **at = &image->free_references; *at != NULL; at = &(*at)->next) {
		const struct vkr_image_view *view = *at;
		if (!is_made_alike(view, made))
			continue;
		*at = view->next;
		return view->reference;
	}
	return made->view;
}

static void destroy_view(const struct vkr_objects *objects, uint32_t id)
{
	struct vkr_image_view *view = vkr_objects_image_view(objects, id);
	if (view == NULL || view->destroyed)
		return;
	view->destroyed = true;
	view->next = view->image->free_references;
	view->image->free_references = view;
}

static enum vkr_result make_view(struct vkr_objects *objects,
				 const struct vkr_trace_image_view *made, struct vkr_error *error)
{
	struct vkr_image_view *view = NULL;
	struct vkr_image *image = vkr_objects_image(objects, made->image);
	if (image == NULL)
		return vkr_table_unknown(error, VKR_TRACE_IMAGE_VIEW, "image", made->image);
	if (!is_within(image, &made->subresources))
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "IMAGE_VIEW: view %u reaches beyond image %u", made->view,
				     made->image);
	const enum vkr_result result = vkr_table_make(objects, &objects->image_views, made->view,
						      sizeof *view, "image view", &view, error);
	if (result != VKR_OK)
		return result;
	*view = (struct vkr_image_view){
		.id = made->view,
		.reference = take_reference(image, made),
		.type = made->type,
		.format = made->format,
		.flags = made->flags,
		.usage = made->usage,
		.image = image,
		.subresources = made->subresources,
		.block = vkr_format_block((VkFormat)made->format, VK_IMAGE_ASPECT_COLOR_BIT),
		.min_lod = made->min_lod,
		.first_slice = made->first_slice,
		.slice_count = made->slice_count,
	};
	return vkr_table_name(objects, &view->name, "image view", view->id, error);
}

static enum vkr_result make_sampler(struct vkr_objects *objects,
				    const struct vkr_trace_sampler *made, struct vkr_error *error)
{
	struct vkr_sampler *sampler = NULL;
	const enum vkr_result result = vkr_table_make(objects, &objects->samplers, made->sampler,
						      sizeof *sampler, "sampler", &sampler, error);
	if (result != VKR_OK)
		return result;
	sampler->made = *made;
	return vkr_table_name(objects, &sampler->name, "sampler", made->sampler, error);
}

enum vkr_result vkr_objects_image_event(struct vkr_objects *objects,
					const struct vkr_trace_event *event,
					struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const unsigned type = event->type;
	struct vkr_image *image = NULL;
	switch (type) {
	case VKR_TRACE_IMAGE:
		return make_image(objects, payload, error);
	case VKR_TRACE_IMAGE_BIND:
		return bind_image(objects, payload, error);
	case VKR_TRACE_IMAGE_DESTROY:
		image = vkr_objects_image(objects,
					  ((const struct vkr_trace_image_destroy *)payload)->image);
		if (image != NULL)
			image->destroyed = true;
		return VKR_OK;
	case VKR_TRACE_IMAGE_VIEW:
		return make_view(objects, payload, error);
	case VKR_TRACE_IMAGE_VIEW_DESTROY:
		destroy_view(objects, ((const struct vkr_trace_image_view_destroy *)payload)->view);
		return VKR_OK;
	case VKR_TRACE_SAMPLER:
		return make_sampler(objects, payload, error);
	default: // reports may still name it
		return VKR_OK;
	}
}
