// SPDX-License-Identifier: Apache-2.0
// Checks the summary of a site table (include/vkrace/summary.h). Knows its operations, not what
// they are done with.
#pragma once

#include "vkrace/result.h"
#include "vkrace/site.h"

// Registers, sites and targets of its operations are there, and it ends. The rest of the table is
// checked. `offset`: of the summary in it, in bytes.
enum vkr_result vkr_site_summary_check(const struct vkr_site_table *table, uint64_t offset,
				       struct vkr_error *error) VKR_MUST_USE;

// How many words one invocation tells for all; 0: it tells none.
uint32_t vkr_site_summary_uniforms(const struct vkr_site_table *table);
