// SPDX-License-Identifier: Apache-2.0
// What shadow memory remembers of a range, for callers that go by it. Knows nothing of order.
#pragma once

#include "engine_memory.h"

#include "vkrace/result.h"

#include <stdbool.h>
#include <stdint.h>

struct vkr_engine;

// Whether the last write of some byte of the range was the device's, as far as accesses were fed.
enum vkr_result vkr_engine_device_wrote(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
					uint64_t bytes, bool *wrote,
					struct vkr_error *error) VKR_MUST_USE;

// The site of the single access that wrote all bytes of the range last, among the accesses fed so
// far; 0 if there is none, or something else may have written since.
enum vkr_result vkr_engine_last_writer(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				       uint64_t bytes, uint32_t *site,
				       struct vkr_error *error) VKR_MUST_USE;

// Whether some byte of the range was last written by the command, as far as accesses were fed.
enum vkr_result vkr_engine_command_wrote(struct vkr_engine *engine, uint32_t command,
					 const struct vkr_engine_range *range, bool *wrote,
					 struct vkr_error *error) VKR_MUST_USE;

// Whether an access with VKR_ENGINE_SILENT to some byte of the range is in no order with the
// command, which has not been ended, in this stage, as far as accesses were fed.
enum vkr_result vkr_engine_silent(struct vkr_engine *engine, uint32_t command, uint64_t stage,
				  const struct vkr_engine_range *range, bool *silent,
				  struct vkr_error *error) VKR_MUST_USE;
