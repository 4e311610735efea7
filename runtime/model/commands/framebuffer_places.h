// SPDX-License-Identifier: Apache-2.0
// Where in the framebuffer accesses are, for dependencies that are split by its places (Vulkan
// specification, "Framebuffer Region Dependencies"). Knows pixels, layers and views; not how
// dependencies order anything.
#pragma once

#include "engine.h"
#include "text.h"

#include "vkrace/report.h"

struct vkr_model;

// Whether fragments may be of several pixels: where one is then does not say which.
bool vkr_framebuffer_coarse(const struct vkr_model *model);

// Whether two accesses that only dependencies by region or by view order are at one place, as far
// as it is known.
bool vkr_framebuffer_same_place(const struct vkr_model *model, const struct vkr_engine_race *race);

// Whether any two accesses in one subpass are at one pixel.
bool vkr_framebuffer_same_pixel(const struct vkr_model *model, const struct vkr_engine_race *race);

// What a race between two places lacks, and what to change; each adds to the text. `split`: the
// dependency that is limited to parts of the framebuffer.
void vkr_framebuffer_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_text *split, struct vkr_text *words);
void vkr_framebuffer_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_text *split, struct vkr_text *words);
