// SPDX-License-Identifier: Apache-2.0
// Settings of the layer: VKRACE_NAME in the environment, else vkrace.name in vk_layer_settings.txt.
// Knows where settings stand, not what they do.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// The setting's text, or NULL where it is not set. `name` in capitals without the prefix: "TRACE".
// The text lives as long as the process.
const char *vkr_setting_text(const char *name);

// A number; `otherwise` where it is not set or no number.
uint64_t vkr_setting_number(const char *name, uint64_t otherwise);

// Says on standard error, once for each `told`, what is wrong with a setting and what is done.
void vkr_setting_wrong(atomic_flag *told, const char *name, const char *what);

// 0, off, false, no are false; anything else is true.
bool vkr_setting_flag(const char *name, bool otherwise);
