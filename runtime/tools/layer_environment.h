// SPDX-License-Identifier: Apache-2.0
// The environment in which the Vulkan loader finds and enables the layer. Knows the loader's
// variables and where the layer's manifest lies, and not what the layer does.
#pragma once

#include "vkrace/result.h"

// Sets VK_INSTANCE_LAYERS, VK_LAYER_PATH and VKRACE_COMMAND of this process for its children. What
// stands in the first two stays.
enum vkr_result vkr_layer_environment_set(struct vkr_error *error) VKR_MUST_USE;
