// SPDX-License-Identifier: Apache-2.0
// What the commands on acceleration structures have in common: accesses by device address and to
// whole structures. Does not know what single commands do.
#pragma once

#include "command_walk.h"
#include "structures.h"

// The access, to this many bytes from a device address on: sets buffer, offset and bytes. Address
// 0: none. An address in no buffer is coverage.
enum vkr_result vkr_walk_access_address(struct vkr_walk *walk, const struct vkr_walk_access *access,
					uint64_t address, uint64_t bytes) VKR_MUST_USE;

// The access, to a whole structure; NULL is coverage.
enum vkr_result vkr_walk_access_structure(struct vkr_walk *walk,
					  const struct vkr_walk_access *access,
					  struct vkr_structure *structure) VKR_MUST_USE;
