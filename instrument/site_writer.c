// SPDX-License-Identifier: Apache-2.0
// Makes the tables after the sites: variables, strings, and the serialized whole.
#include "analysis.h"
#include "array.h"
#include "debug_lines.h"
#include "error.h"
#include "matrix_use.h"
#include "pointer_bases.h"

#include <stdlib.h>
#include <string.h>

bool vkr_analysis_lines(struct vkr_analysis *analysis, struct vkr_site_draft *draft,
			const struct vkr_matrix_use *use)
{
	if (use->stride <= use->line_bytes || use->lines == 1)
		return true;
	if (!VKR_ARRAY_RESERVE(&analysis->pieces, use->lines))
		return false;
	draft->site.first_piece = (uint32_t)analysis->pieces.count;
	draft->site.piece_count = use->lines;
	for (uint32_t i = 0; i < use->lines; i++)
		analysis->pieces.items[analysis->pieces.count++] =
			(struct vkr_piece){(uint32_t)(i * use->stride), use->line_bytes};
	return true;
}

static size_t put_bytes(unsigned char *bytes, size_t at, const void *items, size_t size)
{
	if (size)
		memcpy(bytes + at, items, size);
	return at + size;
}

enum vkr_result vkr_analysis_write(struct vkr_analysis *analysis, struct vkr_site_table **table,
				   struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	struct vkr_site_table head = {
		.version = VKR_SITE_TABLE_VERSION,
		.chunk_words = analysis->chunk_words,
		.stage = analysis->options->stage,
		.identity = analysis->identity |
			    (analysis->identity && analysis->all_log ? VKR_IDENTITY_ALL : 0) |
			    (analysis->asks ? VKR_IDENTITY_ASKED : 0) |
			    (analysis->shares ? VKR_IDENTITY_SHARED : 0),
		.memory_model =
			vkr_module_word(module, &module->instructions[module->memory_model], 2),
		.tag = analysis->identity & VKR_IDENTITY_LAUNCH ? analysis->options->tag : 0,
		.summary_count = (uint32_t)analysis->summary.count,
		.summary_registers = analysis->summary_registers,
		.streams = analysis->wants_streams && analysis->records.count > 0,
	};
	memcpy(head.workgroup_size, analysis->workgroup_size, sizeof head.workgroup_size);
	if (!vkr_analysis_string(analysis, analysis->options->entry_point, &head.entry_point) ||
	    !vkr_analysis_string(analysis, vkr_line_main_file(module), &head.source_file))
		return vkr_error_memory(error, "the site table");
	head.variable_count = (uint32_t)analysis->variables.count;
	head.segment_count = (uint32_t)analysis->segments.count;
	head.site_count = (uint32_t)analysis->drafts.count;
	head.piece_count = (uint32_t)analysis->pieces.count;
	head.texel_count = (uint32_t)analysis->texels.count;
	size_t used = sizeof head + analysis->variables.count * sizeof(struct vkr_variable) +
		      analysis->segments.count * sizeof(struct vkr_segment) +
		      analysis->drafts.count * sizeof(struct vkr_site) +
		      analysis->pieces.count * sizeof(struct vkr_piece) +
		      analysis->texels.count * sizeof(struct vkr_texel) +
		      analysis->summary.count * sizeof(struct vkr_summary_operation) +
		      analysis->strings.count;
	size_t bytes = (used + 7) / 8 * 8;
	if (bytes > UINT32_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "a site table of more than 4 GiB");
	head.bytes = (uint32_t)bytes;
	head.string_bytes = (uint32_t)analysis->strings.count;
	unsigned char *all = calloc(1, bytes);
	if (!all)
		return vkr_error_memory(error, "the site table");
	size_t at = put_bytes(all, 0, &head, sizeof head);
	at = put_bytes(all, at, analysis->variables.items,
		       analysis->variables.count * sizeof(struct vkr_variable));
	for (size_t i = 0; i < analysis->segments.count; i++)
		at = put_bytes(all, at, &analysis->segments.items[i].segment,
			       sizeof(struct vkr_segment));
	for (size_t i = 0; i < analysis->drafts.count; i++)
		at = put_bytes(all, at, &analysis->drafts.items[i].site, sizeof(struct vkr_site));
	at = put_bytes(all, at, analysis->pieces.items,
		       analysis->pieces.count * sizeof(struct vkr_piece));
	at = put_bytes(all, at, analysis->texels.items,
		       analysis->texels.count * sizeof(struct vkr_texel));
	at = put_bytes(all, at, analysis->summary.items,
		       analysis->summary.count * sizeof(struct vkr_summary_operation));
	put_bytes(all, at, analysis->strings.items, analysis->strings.count);
	*table = (struct vkr_site_table *)(void *)all;
	return VKR_OK;
}
