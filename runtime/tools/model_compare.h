// SPDX-License-Identifier: Apache-2.0
// `vkrace replay --compare A,B`: which races of a trace two memory models do not agree on. Knows
// which rules the models part by; judges nothing itself.
#pragma once

#include "tool_options.h"

// Prints the pairs that race under one model and not under the other, each with the rule that makes
// the difference. The exit status: 0 if there are none, `differ` if there are some, 2 on failure.
int vkr_model_compare(const struct vkr_tool_options *options, const char *path, int differ);
