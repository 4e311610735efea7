// SPDX-License-Identifier: Apache-2.0
// Taking chunks that the fragments of a subgroup share (VKR_IDENTITY_SHARED): one addition to the
// log's head, and one header, for all of them. Knows chunks; not their records.
#pragma once

#include "log_code.h"

// Makes the variables.
void vkr_log_shared_make(struct vkr_log_code *code);

// Takes the next chunk with all invocations that do so now, each with a part of `words` words.
void vkr_log_shared_take(struct vkr_log_code *code, uint32_t words);
