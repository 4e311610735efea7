// SPDX-License-Identifier: Apache-2.0
// Where in an image a race is, as reports describe it. Knows layouts and names; not how races are
// found.
#pragma once

#include "image_objects.h"

#include "vkrace/report.h"

// The place of a byte of a memory in the image; format "" where the byte is not the image's. `view`
// may be NULL.
struct vkr_image_place vkr_race_image_place(const struct vkr_image *image,
					    const struct vkr_image_view *view, uint32_t memory,
					    uint64_t offset);

// What an access has that is to no image.
struct vkr_image_place vkr_race_no_image(void);
