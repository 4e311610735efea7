// SPDX-License-Identifier: Apache-2.0
#include "reader_marks.h"

#include "array.h"
#include "error.h"
#include "read_groups.h"

#include <string.h>

static bool is_in_workgroup(uint8_t scope)
{
	return scope == VKR_SCOPE_WORKGROUP || scope == VKR_SCOPE_SUBGROUP ||
	       scope == VKR_SCOPE_INVOCATION;
}

// Whether the shader orders at most invocations of one workgroup; *some: it may order some.
static bool orders_workgroups_alone(const struct vkr_analysis *analysis, bool *some)
{
	*some = false;
	for (size_t i = 0; i < analysis->drafts.count; i++) {
		const struct vkr_site *site = &analysis->drafts.items[i].site;
		if (site->operation <= VKR_SITE_ATOMIC_RMW || site->operation == VKR_SITE_SUBGROUP)
			continue;
		if (site->operation != VKR_SITE_CONTROL_BARRIER ||
		    !is_in_workgroup(site->execution))
			return false;
		*some = true;
	}
	return !analysis->logs_values;
}

static bool reader_marks_apply(const struct vkr_analysis *analysis)
{
	return !(analysis->options->without & VKR_REDUCE_READERS) && !analysis->identity &&
	       !analysis->summary.count;
}

// By variable index, whether an access may write to it; NULL for lack of memory.
static const bool *find_written(const struct vkr_analysis *analysis)
{
	const size_t count = analysis->variables.count;
	bool *written = vkr_arena_alloc(analysis->arena, count * sizeof *written);
	if (!written)
		return NULL;
	for (size_t i = 0; i < analysis->drafts.count; i++) {
		const struct vkr_site *site = &analysis->drafts.items[i].site;
		if (site->operation != VKR_SITE_LOAD && site->variable < count)
			written[site->variable] = true;
	}
	return written;
}

// Whether the logged word, if there is one, and nothing else says which bytes are read.
static bool is_told_by_word(const struct vkr_site_draft *draft)
{
	static const uint32_t none[3];
	const unsigned others = VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_ARRAYED |
				VKR_SITE_COOPERATIVE | VKR_SITE_VOLATILE | VKR_SITE_INTERLOCKED;
	const struct vkr_site *site = &draft->site;
	return site->flags & VKR_SITE_COMPUTED && !(site->flags & others) && !draft->stride &&
	       !site->by_iteration && !memcmp(site->by_group, none, sizeof none) &&
	       !memcmp(site->by_local, none, sizeof none);
}

static bool is_marked(const struct vkr_site_draft *draft, const bool *written)
{
	return draft->site.operation == VKR_SITE_LOAD &&
	       draft->site.storage_class == VKR_CLASS_UNIFORM && draft->pointer && !draft->image &&
	       !draft->mapped && draft->place.kind == VKR_TARGET_VARIABLE && !draft->place.base &&
	       is_told_by_word(draft) && !written[draft->site.variable];
}

// Fills in what the reads of a segment have in common: those that share a word come together.
static void find_groups(struct vkr_analysis *analysis, const struct vkr_segment *segment,
			const bool *written)
{
	struct vkr_site_draft *drafts = analysis->drafts.items;
	const uint32_t end = segment->first_site + segment->site_count;
	for (uint32_t i = segment->first_site; i < end; i++) {
		struct vkr_site_draft *own = &drafts[i];
		own->shared_by = VKR_SHARED_BY_NONE;
		if (!is_marked(own, written))
			continue;
		if (!own->site.factor)
			own->shared_by = VKR_SHARED_BY_ALL;
		else if (!(own->site.flags & VKR_SITE_SHARED))
			own->shared_by = own->pointer;
		else
			own->shared_by = drafts[own->site.offset_site].shared_by;
	}
}

// A word that some read without marks needs stays with it, and so do all that share it.
static void keep_words(struct vkr_analysis *analysis, const struct vkr_segment *segment)
{
	struct vkr_site_draft *drafts = analysis->drafts.items;
	const uint32_t end = segment->first_site + segment->site_count;
	for (uint32_t i = segment->first_site; i < end; i++)
		if (drafts[i].site.flags & VKR_SITE_SHARED &&
		    drafts[i].shared_by == VKR_SHARED_BY_NONE)
			drafts[drafts[i].site.offset_site].shared_by = VKR_SHARED_BY_NONE;
	for (uint32_t i = segment->first_site; i < end; i++)
		if (drafts[i].site.flags & VKR_SITE_SHARED)
			drafts[i].shared_by = drafts[drafts[i].site.offset_site].shared_by;
}

// Reads of constant places cost nothing in the record of others, and are represented with them:
// where such a record is not logged, two invocations have logged it.
static void join_constants(struct vkr_analysis *analysis, const struct vkr_segment *segment)
{
	struct vkr_site_draft *drafts = analysis->drafts.items + segment->first_site;
	uint32_t group = VKR_SHARED_BY_ALL;
	for (uint32_t i = segment->site_count; i-- > 0;)
		if (drafts[i].shared_by != VKR_SHARED_BY_NONE &&
		    drafts[i].shared_by != VKR_SHARED_BY_ALL)
			group = drafts[i].shared_by;
	for (uint32_t i = 0; i < segment->site_count; i++)
		if (drafts[i].shared_by == VKR_SHARED_BY_ALL)
			drafts[i].shared_by = group;
}

static void allot_mark(struct vkr_analysis *analysis, const struct vkr_site_draft *drafts,
		       struct vkr_mark_group *group)
{
	(void)drafts;
	group->count = 1;
	group->first = 1 + analysis->marks++;
}

static bool mark_segment(struct vkr_analysis *analysis, const struct vkr_segment_draft *segment,
			 const bool *written)
{
	if (segment->is_call || segment->segment.kind != VKR_SEGMENT_ONCE) {
		if (!VKR_ARRAY_RESERVE(&analysis->segments, 1))
			return false;
		analysis->segments.items[analysis->segments.count++] = *segment;
		return true;
	}
	find_groups(analysis, &segment->segment, written);
	keep_words(analysis, &segment->segment);
	join_constants(analysis, &segment->segment);
	return vkr_read_groups_split(analysis, segment, allot_mark, false);
}

enum vkr_result vkr_reader_marks_make(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const size_t count = analysis->segments.count;
	if (!reader_marks_apply(analysis) || !count ||
	    !orders_workgroups_alone(analysis, &analysis->marks_groups))
		return VKR_OK;
	struct vkr_segment_draft *whole = vkr_arena_alloc(analysis->arena, count * sizeof *whole);
	const bool *written = find_written(analysis);
	if (!whole || !written)
		return vkr_error_memory(error, "segments");
	memcpy(whole, analysis->segments.items, count * sizeof *whole);
	analysis->segments.count = 0;
	for (size_t i = 0; i < count; i++)
		if (!mark_segment(analysis, &whole[i], written))
			return vkr_error_memory(error, "segments");
	return vkr_analysis_reserve_again(analysis, error);
}
