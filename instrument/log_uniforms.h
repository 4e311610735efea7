// SPDX-License-Identifier: Apache-2.0
// The code by which one invocation tells what all invocations of a dispatch load alike
// (VKR_SUMMARY_UNIFORM). Knows where they are told (struct vkr_gpu_block); not why.
#pragma once

#include "log_code.h"

// In `begin`: tells them where the block says that it is this invocation (of the whole grid) that
// does.
void vkr_log_uniforms_tell(struct vkr_log_code *code, uint32_t block, uint32_t invocation);
