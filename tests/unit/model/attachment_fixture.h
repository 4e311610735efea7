// SPDX-License-Identifier: Apache-2.0
// Images that are rendered to, and the texels of them that rendering accesses: each texel is copied
// to after it without a barrier, and races show which were accessed. Knows images; not what their
// judgement should be.
#pragma once

#include "model_fixture.h"

#define SIDE   4u
#define TEXELS (SIDE * SIDE)
#define LAYERS 2u

// Images, and their views of all layers: two of color, one of depth and stencil, one of depth, and
// the second slice of one of three dimensions.
enum { COLOR = 1, SECOND, DEPTH_STENCIL, DEPTH, SLICES, IMAGES = SLICES };

struct passes {
	struct trace_builder tb;
	uint32_t texels; // a buffer to copy from
	struct vkr_session *session;
};

#define NONE           "................"
#define AREA(letter)   "....." letter letter ".." letter letter "....."
#define COLOR_ASPECT   VK_IMAGE_ASPECT_COLOR_BIT
#define DEPTH_ASPECT   VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL_ASPECT VK_IMAGE_ASPECT_STENCIL_BIT

// Operations of draws.
#define WRITES "attachment write"
#define READS  "attachment read"

void attachments_begin(struct passes *test);
// Begins on a device with enum vkr_trace_device_flags.
void attachments_begin_on(struct passes *test, uint32_t device_flags);

// Dynamic rendering to the middle four texels. Suspended: it is not ended, and what is seen is done
// before its store operations.
void attachments_render(struct passes *test,
			const struct vkr_trace_rendering_attachment *attachments, uint32_t count,
			uint32_t layers, uint32_t view_mask);
void attachments_render_suspended(struct passes *test,
				  const struct vkr_trace_rendering_attachment *attachments,
				  uint32_t count, uint32_t layers);
void attachments_render_end(struct passes *test);

// Ends the recording and judges it. A letter for each texel of one layer, or slice, of an image:
// the first one of the second word of the operation that touches it ("attachment load"), '.' for
// none, '?' for two.
void attachments_judge(struct passes *test, uint32_t image, uint32_t aspect, uint32_t layer,
		       char texels[TEXELS + 1]);
void attachments_end(struct passes *test);

// The text that is reported as not observed and contains `what`; "" for none. If `what` is "": any
// text but those about accesses of unknown extent.
const char *attachments_told(const struct passes *test, const char *what);

// Ends, and expects these letters, and no coverage.
void attachments_expect(struct passes *test, uint32_t image, uint32_t aspect, uint32_t layer,
			const char *wanted);
