// SPDX-License-Identifier: Apache-2.0
// Names of memory models and readings, as users write them. Knows no rule of any model.
#pragma once

#include "vkrace/memory_model.h"
#include "vkrace/result.h"

#include <stddef.h>

const char *vkr_memory_model_name(enum vkr_memory_model model);

// False where no model has the name, of `length` bytes.
bool vkr_memory_model_find(const char *name, size_t length, enum vkr_memory_model *model);

// As above, of a whole word; the error lists the names.
enum vkr_result vkr_memory_model_parse(const char *word, enum vkr_memory_model *model,
				       struct vkr_error *error) VKR_MUST_USE;

// Chooses the readings that "NAME=VALUE,..." says; the error lists what there is.
enum vkr_result vkr_reading_parse(const char *word, struct vkr_readings *readings,
				  struct vkr_error *error) VKR_MUST_USE;
