// SPDX-License-Identifier: Apache-2.0
#include "uniform_reads.h"

#include "vkrace/gpu_log.h"

// Values of one group that have marks: the elements of an array of lights, materials or bones.
// Reads of others are logged by each invocation.
#define VALUES_MOST 64u

bool vkr_uniform_reads_suit(const struct vkr_analysis *analysis)
{
	if (!analysis->identity || vkr_draw_marks_slot(analysis->options->stage) == VKR_DRAW_STAGES)
		return false;
	for (size_t i = 0; i < analysis->drafts.count; i++)
		if (analysis->drafts.items[i].site.operation != VKR_SITE_LOAD)
			return false;
	return true;
}

bool vkr_uniform_reads_apply(const struct vkr_analysis *analysis)
{
	return !(analysis->options->without & VKR_REDUCE_UNIFORM) &&
	       vkr_uniform_reads_suit(analysis);
}

// The value that distinguishes an earlier draft's reads, if this one's is the same.
static uint32_t known_value(const struct vkr_values *values, const struct vkr_site_draft *first,
			    const struct vkr_site_draft *draft, uint32_t value)
{
	for (const struct vkr_site_draft *other = first; other < draft; other++)
		if (other->shared_by != VKR_SHARED_BY_NONE &&
		    other->shared_by != VKR_SHARED_BY_ALL &&
		    vkr_same_value(values, other->shared_by, value))
			return other->shared_by;
	return value;
}

void vkr_uniform_reads_find(const struct vkr_values *values, const struct vkr_site_draft *first,
			    struct vkr_site_draft *draft)
{
	const unsigned others =
		VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_COOPERATIVE | VKR_SITE_INTERLOCKED;
	const struct vkr_sum *sum = &draft->affine;
	draft->shared_by = VKR_SHARED_BY_NONE;
	if (!draft->pointer || draft->image || draft->mapped || draft->is_traced || draft->stride ||
	    draft->site.flags & others || draft->place.kind != VKR_TARGET_VARIABLE ||
	    draft->place.base || draft->place.home || draft->place.element.term_count > 0)
		return;
	if (sum->term_count == 0)
		draft->shared_by = VKR_SHARED_BY_ALL;
	else if (sum->term_count == 1 && !sum->terms[0].scale)
		draft->shared_by = known_value(values, first, draft, sum->terms[0].index);
}

// Marks that are left for reads of the same bytes by all.
#define KEPT_FOR_ALL 32u

// How many values of what distinguishes the draft's reads keep them within its block.
static uint32_t value_count(const struct vkr_analysis *analysis, const struct vkr_site_draft *draft)
{
	const struct vkr_term *term = draft->affine.terms;
	uint32_t count;
	const uint32_t block = vkr_descriptor_block(analysis->types, draft->place.variable, &count);
	const uint64_t bytes =
		vkr_type_bytes(analysis->types, block, (struct vkr_layout){.is_explicit = true});
	if (bytes == UINT64_MAX || term->factor > INT32_MAX || bytes <= draft->affine.constant)
		return VALUES_MOST; // of no fixed size
	const uint64_t values = (bytes - draft->affine.constant + term->factor - 1) / term->factor;
	return values < VALUES_MOST ? (uint32_t)values : VALUES_MOST;
}

// As many marks as are wanted, if they and those kept for others are left; 0 where there are none.
static uint32_t take_marks(struct vkr_analysis *analysis, uint32_t wanted, uint32_t kept,
			   uint32_t *first)
{
	const uint32_t used = analysis->marks + 1 + kept;
	const uint32_t left = used < VKR_DRAW_MARKS_MOST ? VKR_DRAW_MARKS_MOST - used : 0;
	const uint32_t taken = wanted < left ? wanted : left;
	*first = 1 + analysis->marks;
	analysis->marks += taken;
	return taken;
}

bool vkr_uniform_reads_count(struct vkr_analysis *analysis, struct vkr_segment_draft *segment)
{
	struct vkr_mark_group *group = vkr_arena_alloc(analysis->arena, sizeof *group);
	if (!group)
		return false;
	group->shared_by = VKR_SHARED_BY_COUNT;
	group->count = take_marks(analysis, VALUES_MOST + 1, KEPT_FOR_ALL, &group->first);
	segment->groups = group;
	segment->group_count = group->count > 0 ? 1 : 0;
	return true;
}

static void allot_marks(struct vkr_analysis *analysis, const struct vkr_site_draft *drafts,
			struct vkr_mark_group *group)
{
	if (group->shared_by == VKR_SHARED_BY_ALL)
		group->count = take_marks(analysis, 1, 0, &group->first);
	else
		group->count = take_marks(analysis, value_count(analysis, drafts), KEPT_FOR_ALL,
					  &group->first);
}

bool vkr_uniform_reads_split(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment)
{
	return vkr_read_groups_split(analysis, segment, allot_marks, true);
}
