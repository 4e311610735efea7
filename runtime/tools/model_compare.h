// SPDX-License-Identifier: Apache-2.0
// `vkrace replay --compare A,B`: which races of a trace two memory models do not agree on. Knows
// which rules the models part by; judges nothing itself.
#pragma once

#include "tool_options.h"

// Prints the pairs that are races under one model and not under the other, each with the rule that
// parts them. The exit status: 0 where there are none, `differ` where there are some, 2 on failure.
int vkr_model_compare(const struct vkr_tool_options *options, const char *path, int differ);
