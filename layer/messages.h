// SPDX-License-Identifier: Apache-2.0
// Telling the program's own debug messengers of races. Knows VK_EXT_debug_utils; not what a race
// is.
#pragma once

#include "layer.h"

// Passes on what the judge has found by now, to the messengers of the device's instance, and does
// with the program what VKRACE_ON_RACE says. Called where the program waits for the device anyway,
// with no lock held.
void vkr_messages_deliver(struct vkr_layer_device *device);

// Messengers that the program has left in an instance are called no more.
void vkr_messages_instance_gone(const struct vkr_instance *instance);

// Delivers messages before the device is destroyed: waits for what has not been judged yet, if
// somebody wants to know.
void vkr_messages_deliver_last(struct vkr_layer_device *device);
