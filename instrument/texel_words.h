// SPDX-License-Identifier: Apache-2.0
// Coordinates of samples that follow from few words: many samples of one record are of the same
// coordinates, or of some beside them. Knows how coordinates are computed; not what is read there.
#pragma once

#include "analysis.h"
#include "same_value.h"

// Leaves out of the records what follows from the rest of the coordinates and levels of samples, in
// stages without a grid of workgroups. False for lack of memory.
bool vkr_texel_words_share(struct vkr_analysis *analysis, const struct vkr_values *values);
