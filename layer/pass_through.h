// SPDX-License-Identifier: Apache-2.0
// The layer where it must do nothing: in programs that run with rights which their user has not
// (set-user-id, set-group-id, file capabilities). Their user chooses the environment and the
// working folder, and by these the loader's layers and all of the layer's settings: with them he
// could have the layer start programs and write files with the program's rights.
// Knows the loader's protocol; no hook and no setting.
#pragma once

#include <stdbool.h>
#include <vulkan/vk_layer.h>

// Whether the process has rights that its user has not (getauxval(3), AT_SECURE).
bool vkr_process_is_privileged(void);

// In place of the layer's own vkGetInstanceProcAddr: the layer has a place in the chain of
// instances, passes all calls on, and is in no device's chain.
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkr_pass_through(VkInstance instance, const char *name);
