// SPDX-License-Identifier: Apache-2.0
// Which image an image instruction accesses, through which sampler, and the values that choose its
// texels. Knows SPIR-V's image instructions and operands; not how they are logged.
#pragma once

#include "address.h"
#include "memory_order.h"

// A component of a value; of a scalar component 0.
struct vkr_image_scalar {
	uint32_t id, component;
};

// Ids of values are 0 where the instruction has none.
struct vkr_image_use {
	struct vkr_pointer_target image;
	struct vkr_pointer_target sampler; // where has_sampler: a variable of its own
	bool has_sampler;
	bool is_projective;
	uint32_t dim;        // SPIR-V's Dim
	uint32_t axes;       // of a coordinate without an array layer
	uint32_t coordinate; // id of a scalar or vector, of integers or floats
	uint32_t sampled;    // id of the OpTypeSampledImage value, of samples and gathers
	uint32_t read;       // id of the OpTypeImage value, of others; 0: a pointer to texels
	bool is_arrayed, is_multisampled;
	uint32_t bias, level, gradient_x, gradient_y, sample, min_lod;
	uint32_t offset;            // value that is no constant
	bool has_offsets;           // `offset` is an array of four
	uint32_t offset_components; // of each of `texel`'s offsets
	bool is_implicit;           // derivatives choose the level
	struct vkr_memory_operands memory;
	struct vkr_texel texel; // all but the sampler's index
	// Of VKR_TEXEL_DERIVED: the site's own words (texel_words.h).
	struct vkr_image_scalar logged[2 * VKR_TEXEL_PARTS];
	uint32_t logged_count;
	bool logs_level; // behind these
	// Samples whose levels are nearly this one's; NULL: none. The first of them logs how far
	// they are from it, all together.
	struct vkr_image_levels *levels;
	const struct vkr_image_levels *logs_spread; // behind the level; NULL: of none
};

struct vkr_image_levels {
	const struct vkr_image_use *of, **near;
	uint32_t count;
	uint8_t word; // of the record
};

// Whether the instruction accesses texels by itself.
bool vkr_image_accesses(uint16_t opcode);

// The OpImageTexelPointer behind a pointer; NULL where there is none.
const struct vkr_instruction *vkr_image_texel_pointer(const struct vkr_module *module,
						      uint32_t pointer);

// Reads an instruction that accesses texels, or an OpImageTexelPointer. *fault names what keeps it
// from being observed; NULL: nothing. False for lack of memory.
bool vkr_image_use_read(const struct vkr_address_book *book, const struct vkr_instruction *in,
			bool is_legacy, struct vkr_image_use *use, const char **fault);
