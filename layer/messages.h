// SPDX-License-Identifier: Apache-2.0
// Telling the program's own debug messengers of races. Knows VK_EXT_debug_utils; not what a race
// is.
#pragma once

#include "layer.h"

// Passes on what the judge has found by now, to the messengers of the instance. Called where the
// program waits anyway, with no lock held: a messenger may call Vulkan.
void vkr_messages_deliver(const struct vkr_instance *instance);
