// SPDX-License-Identifier: Apache-2.0
// What is in a trace, without judging it. Knows events by their names and sizes, and not what they
// mean.
#pragma once

#include "vkrace/result.h"

// Prints which program was recorded, when and on which device, how many events there are, and which
// data of the program the file contains.
enum vkr_result vkr_trace_info_print(const char *path, struct vkr_error *error) VKR_MUST_USE;
