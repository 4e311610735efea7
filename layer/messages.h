// SPDX-License-Identifier: Apache-2.0
// Telling the program's own debug messengers of races. Knows VK_EXT_debug_utils; not what a race
// is.
#pragma once

#include "layer.h"

// Passes on what the judge has found by now, to the messengers of the instance. Called where the
// program waits for the device anyway, with no lock held: a messenger may call Vulkan. Not while an
// instance is created or destroyed: the loader holds a lock of its own then.
void vkr_messages_deliver(const struct vkr_instance *instance);
