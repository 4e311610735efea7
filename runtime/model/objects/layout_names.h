// SPDX-License-Identifier: Apache-2.0
// Names of image layouts for reports. Knows no image.
#pragma once

#include <stdint.h>

// "TRANSFER_SRC_OPTIMAL" for VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL.
const char *vkr_layout_name(uint32_t layout);
