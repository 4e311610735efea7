// SPDX-License-Identifier: Apache-2.0
#include "site_table.h"

struct vkr_site_table_parts vkr_site_table_parts(const struct vkr_site_table *table)
{
	struct vkr_site_table_parts parts;
	parts.variables = sizeof *table;
	parts.segments =
		parts.variables + (uint64_t)table->variable_count * sizeof(struct vkr_variable);
	parts.sites = parts.segments + (uint64_t)table->segment_count * sizeof(struct vkr_segment);
	parts.pieces = parts.sites + (uint64_t)table->site_count * sizeof(struct vkr_site);
	parts.texels = parts.pieces + (uint64_t)table->piece_count * sizeof(struct vkr_piece);
	parts.summary = parts.texels + (uint64_t)table->texel_count * sizeof(struct vkr_texel);
	parts.strings = parts.summary +
			(uint64_t)table->summary_count * sizeof(struct vkr_summary_operation);
	parts.end = (parts.strings + table->string_bytes + 7) / 8 * 8;
	return parts;
}

static const void *site_table_part(const struct vkr_site_table *table, uint64_t offset)
{
	return (const unsigned char *)table + offset;
}

const struct vkr_variable *vkr_site_table_variables(const struct vkr_site_table *table)
{
	return site_table_part(table, vkr_site_table_parts(table).variables);
}

const struct vkr_segment *vkr_site_table_segments(const struct vkr_site_table *table)
{
	return site_table_part(table, vkr_site_table_parts(table).segments);
}

const struct vkr_site *vkr_site_table_sites(const struct vkr_site_table *table)
{
	return site_table_part(table, vkr_site_table_parts(table).sites);
}

const struct vkr_piece *vkr_site_table_pieces(const struct vkr_site_table *table)
{
	return site_table_part(table, vkr_site_table_parts(table).pieces);
}

const struct vkr_texel *vkr_site_table_texel(const struct vkr_site_table *table,
					     const struct vkr_site *site)
{
	const struct vkr_texel *texels = site_table_part(table, vkr_site_table_parts(table).texels);
	return site->texel != 0 ? &texels[site->texel - 1] : NULL;
}

const struct vkr_summary_operation *vkr_site_table_summary(const struct vkr_site_table *table)
{
	return site_table_part(table, vkr_site_table_parts(table).summary);
}

const char *vkr_site_table_string(const struct vkr_site_table *table, uint32_t offset)
{
	return site_table_part(table, vkr_site_table_parts(table).strings + offset);
}
