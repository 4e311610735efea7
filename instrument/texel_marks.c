// SPDX-License-Identifier: Apache-2.0
#include "texel_marks.h"

#include "error.h"
#include "uniform_reads.h"

// A record of more samples says where they are in few words, and the marks of each would be read.
#define SITES_MOST 4u

static bool is_suited_place(const struct vkr_pointer_target *place)
{
	return place->kind == VKR_TARGET_VARIABLE && !place->home && place->element.term_count == 0;
}

static bool is_suited(const struct vkr_site_draft *draft)
{
	const unsigned others = VKR_TEXEL_SAMPLE_INDEX | VKR_TEXEL_MIN_LOD | VKR_TEXEL_OFFSET_WORDS;
	const struct vkr_image_use *use = draft->image;
	return use && draft->site.operation == VKR_SITE_LOAD && use->dim == SpvDim2D &&
	       !use->is_multisampled && is_suited_place(&use->image) &&
	       (!use->has_sampler || is_suited_place(&use->sampler)) &&
	       !(use->texel.flags & others) && use->texel.offset_count <= 1 &&
	       use->texel.level != VKR_LEVEL_GRADIENTS &&
	       !(draft->site.flags & VKR_SITE_INTERLOCKED);
}

// Whether the judge computes the coordinates, and the level, from others: with an error.
static bool is_rounded(const struct vkr_image_use *use)
{
	if (!(use->texel.flags & VKR_TEXEL_DERIVED))
		return false;
	for (uint32_t axis = 0; axis < use->axes; axis++) {
		const struct vkr_texel_part *part = &use->texel.parts[axis];
		if (part->word == VKR_TEXEL_NO_WORD || part->scaled_word != VKR_TEXEL_NO_WORD ||
		    part->constant != 0)
			return true;
	}
	return use->texel.level != VKR_LEVEL_BASE && !use->logs_level;
}

static bool is_marked(const struct vkr_analysis *analysis, const struct vkr_segment_draft *segment)
{
	const struct vkr_segment *of = &segment->segment;
	if (segment->group_count || of->site_count > SITES_MOST)
		return false;
	for (uint32_t i = 0; i < of->site_count; i++) {
		const struct vkr_site_draft *draft = &analysis->drafts.items[of->first_site + i];
		if (!is_suited(draft) || is_rounded(draft->image))
			return false;
	}
	return true;
}

static bool texel_marks_apply(const struct vkr_analysis *analysis)
{
	return !(analysis->options->without & VKR_REDUCE_READERS) && analysis->chunks_grow &&
	       vkr_uniform_reads_suit(analysis);
}

enum vkr_result vkr_texel_marks_make(struct vkr_analysis *analysis, struct vkr_error *error)
{
	if (!texel_marks_apply(analysis))
		return VKR_OK;
	for (size_t i = 0; i < analysis->segments.count; i++) {
		struct vkr_segment_draft *segment = &analysis->segments.items[i];
		if (!is_marked(analysis, segment))
			continue;
		struct vkr_mark_group *group = vkr_arena_alloc(analysis->arena, sizeof *group);
		if (!group)
			return vkr_error_memory(error, "segments");
		*group = (struct vkr_mark_group){VKR_SHARED_BY_TEXELS, analysis->texel_sites,
						 segment->segment.site_count};
		segment->groups = group;
		segment->group_count = 1;
		analysis->texel_sites += group->count;
	}
	if (!analysis->texel_sites)
		return VKR_OK;
	analysis->marked_grow = true;
	return vkr_analysis_reserve_again(analysis, error);
}
