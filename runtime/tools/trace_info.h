// SPDX-License-Identifier: Apache-2.0
// What is in a trace, without judging it. Knows events by their names and sizes, and not what they
// mean.
#pragma once

#include "vkrace/result.h"

// Prints what was recorded, when, on what, how much of it there is, and what data of the program
// the file holds.
enum vkr_result vkr_trace_info_print(const char *path, struct vkr_error *error) VKR_MUST_USE;
