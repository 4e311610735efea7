// SPDX-License-Identifier: Apache-2.0
// Memory behind sparse resources, as far as its mapping asks. Knows nothing of queues.
#pragma once

#include "objects.h"

// The memory was mapped, or bound as a sparse image's mip tail: where it is both, says what is
// missed.
void vkr_sparse_mapped(const struct vkr_layer_memory *memory);
