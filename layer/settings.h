// SPDX-License-Identifier: Apache-2.0
// Settings of the layer (settings.def): VKRACE_NAME in the environment, otherwise vkrace.name in
// vk_layer_settings.txt, otherwise what the application gives by VK_EXT_layer_settings. For an
// unknown name or an invalid value a message is printed once on standard error, and the default is
// used. A settings file that belongs to another user, or that anyone may write, is not read. Knows
// where settings stand, not what they do.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

// Takes over what the application says in vkCreateInstance by VK_EXT_layer_settings and neither the
// environment nor a file does: of the process's first instance, before other threads read settings.
void vkr_settings_of_application(const VkInstanceCreateInfo *info);

enum vkr_setting {
#define TEXT(name, from_file)     VKR_SETTING_##name,
#define FLAG(name)                VKR_SETTING_##name,
#define NUMBER(name, least, most) VKR_SETTING_##name,
#include "settings.def"
#undef TEXT
#undef FLAG
#undef NUMBER
	VKR_SETTING_COUNT
};

// The setting's text, or NULL where it is not set or no value of its kind. It lives as long as the
// process.
const char *vkr_setting_text(enum vkr_setting setting);

// A number in its range; `otherwise` where it is not set.
uint64_t vkr_setting_number(enum vkr_setting setting, uint64_t otherwise);

// 0, off, false, no are false; 1, on, true, yes are true; `otherwise` if it is not set. A text
// setting is false if it has one of the first four values.
bool vkr_setting_flag(enum vkr_setting setting, bool otherwise);

// Says on standard error, once for each `told`, what is wrong with a setting and what is done.
void vkr_setting_wrong(atomic_flag *told, enum vkr_setting setting, const char *what);
