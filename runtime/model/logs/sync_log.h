// SPDX-License-Identifier: Apache-2.0
// Collects from a dispatch's log what its synchronization is judged by (shader_sync.h). Knows logs
// and site tables; not what orders.
#pragma once

#include "dispatch_targets.h"
#include "log_store.h"
#include "shader_sync.h"

// Collects events, atomics and the accesses to sync->ranges. Chunks as for vkr_replay_dispatch;
// what makes no sense in them was reported there and is left out here.
enum vkr_result vkr_sync_collect(struct vkr_sync *sync, struct vkr_dispatch_targets *targets,
				 const struct vkr_chunk *chunks, size_t count,
				 struct vkr_error *error) VKR_MUST_USE;
