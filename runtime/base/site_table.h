// SPDX-License-Identifier: Apache-2.0
// Reading a serialized site table (include/vkrace/site.h). Knows its layout, not who made it.
#pragma once

#include "vkrace/result.h"
#include "vkrace/site.h"
#include "vkrace/summary.h"

#include <stddef.h>

// Checks a serialized table of `bytes` bytes read from elsewhere: counts, indices, strings and word
// counts agree and lie within it, so that the functions below are safe. VKR_ERROR_FORMAT names the
// offset and the reason.
enum vkr_result vkr_site_table_check(const void *table, size_t bytes,
				     struct vkr_error *error) VKR_MUST_USE;

// Byte offsets of the table's parts.
struct vkr_site_table_parts {
	uint64_t variables, segments, sites, pieces, texels, summary, strings, end;
};

struct vkr_site_table_parts vkr_site_table_parts(const struct vkr_site_table *table);

// The parts of a checked table.
const struct vkr_variable *vkr_site_table_variables(const struct vkr_site_table *table);
const struct vkr_segment *vkr_site_table_segments(const struct vkr_site_table *table);
const struct vkr_site *vkr_site_table_sites(const struct vkr_site_table *table);
const struct vkr_piece *vkr_site_table_pieces(const struct vkr_site_table *table);
// The texel access of a site; NULL for none.
const struct vkr_texel *vkr_site_table_texel(const struct vkr_site_table *table,
					     const struct vkr_site *site);
// Its summary: table->summary_count operations.
const struct vkr_summary_operation *vkr_site_table_summary(const struct vkr_site_table *table);
const char *vkr_site_table_string(const struct vkr_site_table *table, uint32_t offset);
