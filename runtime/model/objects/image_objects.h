// SPDX-License-Identifier: Apache-2.0
// Images, their views, and samplers, as the program made them. Knows what each was made of; where
// texels lie is image_layout.h's.
#pragma once

#include "image_packing.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

struct vkr_objects;

// A plane of an image: a format's plane, or one of depth and stencil.
struct vkr_image_plane {
	VkImageAspectFlagBits aspect;
	struct vkr_texel_block block; // bytes: of all samples
	struct vkr_memory *memory;    // NULL until bound
	uint64_t offset;              // of its first byte in the memory
	uint64_t bytes;
	const struct vkr_texel_level *levels; // by mip level
};

struct vkr_image {
	uint32_t id, device, format, type, create_flags, tiling, usage, sharing;
	uint32_t flags; // enum vkr_trace_image_flags
	uint32_t extent[3], mips, layers, samples;
	uint64_t bytes;   // of memory it asks for
	uint32_t aspects; // VkImageAspectFlags; 0: the format is not known, and it has no planes
	uint32_t plane_count;
	bool packed;       // its texels lie as vkr_image_pack says
	bool slices_apart; // barriers count its slices as layers (VK_KHR_maintenance9)
	bool destroyed;    // by the program
	struct vkr_image_view *free_references; // views that were destroyed, whose are free
	struct vkr_image_plane planes[VKR_IMAGE_PLANES];
	const char *name;
};

struct vkr_image_view {
	uint32_t id, type, format, flags, usage;
	// What references (access_names.h) know it by: its id, or that of a view that was made
	// alike and destroyed before. Commands that used one are over before there is the other.
	uint32_t reference;
	struct vkr_image_view *next; // of those whose references are free
	struct vkr_image *image;
	struct vkr_trace_subresources subresources;
	struct vkr_texel_block block; // of the view's format; bytes 0: not known
	float min_lod;
	uint32_t first_slice, slice_count; // of a 3D view; a count of 0: all from the first on
	bool destroyed;                    // by the program
	const char *name;
};

struct vkr_sampler {
	struct vkr_trace_sampler made;
	const char *name;
};

// The object of an id, NULL where there is none.
struct vkr_image *vkr_objects_image(const struct vkr_objects *objects, uint32_t id);
struct vkr_image_view *vkr_objects_image_view(const struct vkr_objects *objects, uint32_t id);
struct vkr_sampler *vkr_objects_sampler(const struct vkr_objects *objects, uint32_t id);

// What the events of these objects say. VKR_ERROR_FORMAT: an id is 0, used before, or unknown.
enum vkr_result vkr_objects_image_event(struct vkr_objects *objects,
					const struct vkr_trace_event *event,
					struct vkr_error *error) VKR_MUST_USE;
