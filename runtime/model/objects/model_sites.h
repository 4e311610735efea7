// SPDX-License-Identifier: Apache-2.0
// What a shader's instructions mean under another memory model than Vulkan's of today: the mapping
// of docs/models.md. Knows site tables; not how accesses are judged.
#pragma once

#include "vkrace/memory_model.h"
#include "vkrace/site.h"

#include <stdbool.h>

// Rewrites the sites so that Vulkan's rules over them are the model's. The default model's are left
// as they are. True where a site synchronizes by what the model has no counterpart for: fragment
// interlock or shader calls.
bool vkr_model_map_sites(struct vkr_site_table *table, const struct vkr_memory_rules *rules);
