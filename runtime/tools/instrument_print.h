// SPDX-License-Identifier: Apache-2.0
// Site tables and summaries as text, on standard output. Knows tables; nothing of how they were
// made.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_site_table;

void vkr_print_sites(const struct vkr_site_table *table);
void vkr_print_summary(const struct vkr_site_table *table);

// The VkShaderStageFlagBits of a stage as it is printed; false where no stage is called so.
bool vkr_stage_named(const char *text, uint32_t *stage);
