// SPDX-License-Identifier: Apache-2.0
// Making an execution smaller as long as something stays true of it. Knows the litmus format, and
// nothing of what is being kept.
#pragma once

#include "sample.h"

// Takes away and simplifies one thing after another, in every place, until nothing more can go
// without `keeps` returning false.
void vkr_shrink(struct vkr_oracle_sample *sample,
		bool (*keeps)(const struct vkr_oracle_sample *sample, void *context),
		void *context);
