// SPDX-License-Identifier: Apache-2.0
// What programs that were rebuilt with vkrace/annotate.h tell the layer. Knows the header's table.
#pragma once

#include "vkrace/annotate.h"

#include <stdbool.h>

// Whether only annotations are used to find host accesses: VKRACE_HOST=annotated.
bool vkr_annotations_suffice(void);

// The table that vkGetDeviceProcAddr returns for VKRACE_ANNOTATIONS_NAME.
const struct vkrace_annotations *vkr_annotations(void);
