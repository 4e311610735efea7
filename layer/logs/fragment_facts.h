// SPDX-License-Identifier: Apache-2.0
// Whether reads of the same bytes by a draw's fragments are alike to everything else. Knows what
// was declared on the device so far; not what is read.
#pragma once

#include "layer.h"

// What decides whether one fragment's read stands for those of others at the same bytes: it does
// not where dependencies may order some of them, by their pixel or view, after a fragment's write.
enum vkr_fragment_facts {
	VKR_FRAGMENTS_LOCAL = 1u << 0,  // there are dependencies by region or view
	VKR_FRAGMENTS_STORE = 1u << 1,  // some fragment shader writes to memory
	VKR_FRAGMENTS_MARKED = 1u << 2, // draws were recorded whose fragments' reads are marked
	// There are samplers that read other texels than a nearest or a linear filter of
	// normalized coordinates does: no texels are marked.
	VKR_SAMPLERS_ODD = 1u << 3,
};

// The first two are known from now on.
void vkr_fragments_note(struct vkr_layer_device *device, uint32_t fact);

// Whether one fragment's read stands for the others' in a draw that is recorded now.
bool vkr_fragments_are_alike(struct vkr_layer_device *device);
