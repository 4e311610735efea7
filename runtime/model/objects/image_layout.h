// SPDX-License-Identifier: Apache-2.0
// Where an image's texels lie: ranges of bytes in memory, as the engine judges them.
// Knows images and views; no command and no access.
//
// An image that is linear to the program has its texels where the driver says. Any other has them
// packed (image_packing.h) from where it is bound on: which byte a texel is in is then our choice,
// but different texels have different bytes, and all lie within the image's memory.
#pragma once

#include "image_objects.h"

struct vkr_location {
	const struct vkr_memory *memory;
	uint64_t offset, bytes; // in the memory
};

// A growing list, the caller's; empty it by setting count to 0. Neighbours are joined.
struct vkr_locations {
	struct vkr_location *items;
	size_t count, capacity;
};
void vkr_locations_finish(struct vkr_locations *locations);

// A box of texels in some layers of one mip level.
struct vkr_image_region {
	uint32_t aspects; // VkImageAspectFlags; of several, each
	uint32_t mip, first_layer, layer_count;
	// Texels: of the plane where `aspects` is one plane of a multi-planar format ("Copying Data
	// Between Images"), else of the image.
	uint32_t offset[3], extent[3];
};

struct vkr_image_region vkr_image_region_of(const struct vkr_trace_image_box *box);

// Adds the bytes of a range of subresources, or of a region; parts outside of the image or in
// planes that are not bound add nothing. COLOR stands for all planes of a multi-planar format.
// False for lack of memory.
bool vkr_image_add_subresources(const struct vkr_image *image,
				const struct vkr_trace_subresources *part,
				struct vkr_locations *locations);
// Adds the subresources of a barrier's range, whose layers may be slices.
bool vkr_image_add_barrier(const struct vkr_image *image, const struct vkr_trace_subresources *part,
			   struct vkr_locations *locations);
bool vkr_image_add_region(const struct vkr_image *image, const struct vkr_image_region *region,
			  struct vkr_locations *locations);

// What lies at a byte of a memory: the first texel of the block there.
struct vkr_image_texel {
	const char *aspect; // "depth ", "plane 1 "; "" where the image has one only
	uint32_t mip, layer, x, y, z;
	uint32_t sample;
};
// False where the image has no texel there.
bool vkr_image_place(const struct vkr_image *image, uint32_t memory, uint64_t offset,
		     struct vkr_image_texel *place);

// A texel as shaders name it.
struct vkr_view_texel {
	uint32_t x, y; // texels of the view
	uint32_t z;    // slice of a 3D view; else layer (face) of the view
	uint32_t mip;  // of the view
	uint32_t sample;
};

// The texel's block in each plane that the view reaches. Returns how many; 0 outside of the view.
uint32_t vkr_view_texel(const struct vkr_image_view *view, const struct vkr_view_texel *texel,
			struct vkr_location locations[VKR_IMAGE_PLANES]);

// Texels of a mip level, as the view counts them: width, height, depth of a 3D view or layers.
void vkr_view_extent(const struct vkr_image_view *view, uint32_t mip, uint32_t extent[3]);
