// SPDX-License-Identifier: Apache-2.0
// Cuts sites into segments that execute as a whole.
#include "affine.h"
#include "affine_sum.h"
#include "analysis.h"
#include "analysis_run_lengths.h"
#include "array.h"
#include "error.h"
#include "loop_counters.h"
#include "texel_words.h"
#include "uniform_reads.h"

#include <string.h>

// A segment of more words is cut in two: each word is a parameter of the function that logs it.
#define RUN_WORDS_MOST 64u

struct cutting {
	struct vkr_analysis *analysis;
	struct vkr_values values;
	struct vkr_affine_values identities;
	struct vkr_loops loops;
	bool is_uniform;  // reads of the same bytes are logged once a draw
	uint32_t turning; // segments with sites that follow from how often they were logged
	bool is_turning;  // this one has some
	struct vkr_run_length run_length; // what is being cut would be
	struct vkr_segment_draft segment;
	size_t kept;  // drafts kept so far: those that are left out are overwritten
	size_t since; // the first draft of the segment after its last write or synchronization
};

static bool close_segment(struct cutting *cutting, uint32_t before)
{
	struct vkr_analysis *analysis = cutting->analysis;
	struct vkr_segment_draft *segment = &cutting->segment;
	segment->before = before;
	if (segment->segment.site_count && cutting->is_uniform &&
	    cutting->run_length.header == VKR_NO_BLOCK) {
		if (!vkr_uniform_reads_split(analysis, segment))
			return false;
	} else if (segment->segment.site_count) {
		if (!VKR_ARRAY_RESERVE(&analysis->segments, 1))
			return false;
		// Whole records are an even number of words (gpu_log.h).
		segment->segment.words |= 1;
		analysis->segments.items[analysis->segments.count++] = *segment;
	}
	*segment = (struct vkr_segment_draft){.segment.first_site = segment->segment.first_site +
								    segment->segment.site_count};
	cutting->is_turning = false;
	cutting->since = cutting->kept;
	return true;
}

static bool has_offset_word(const struct vkr_site_draft *draft)
{
	return draft->pointer && !draft->image && draft->place.kind == VKR_TARGET_VARIABLE &&
	       !(draft->site.flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_SHARED));
}

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

// Takes a term out of the draft's offset that counts the iterations of a loop. Not where records
// are also read one by one, for the order of atomics.
static bool take_iteration(struct cutting *cutting, struct vkr_site_draft *draft,
			   const struct vkr_term *term, struct vkr_affine_sum *sum)
{
	struct vkr_loop_counter counter;
	const bool counts = cutting->run_length.header == VKR_NO_BLOCK; // iterations of its segment
	if (cutting->analysis->options->without & VKR_REDUCE_ITERATIONS ||
	    draft->site.flags & VKR_SITE_COOPERATIVE || cutting->analysis->logs_values ||
	    (counts && !cutting->is_turning && cutting->turning == VKR_SITE_ITERATIONS) ||
	    !vkr_loop_counter_find(&cutting->loops, term->index, draft->instruction,
				   cutting->run_length.header, &counter) ||
	    !vkr_affine_sum_add(&cutting->identities, counter.initial, term->factor, sum))
		return false;
	draft->site.by_iteration += term->factor * counter.step;
	cutting->turning += counts && !cutting->is_turning;
	cutting->is_turning |= counts;
	return true;
}

// Takes out of the draft's offset what follows from which invocation it is, and what its terms have
// in common: so that those of several sites are more often the same.
static void compute_offset(struct cutting *cutting, struct vkr_site_draft *draft)
{
	struct vkr_sum *word = &draft->affine;
	struct vkr_affine_sum sum = {.constant = word->constant};
	uint32_t kept = 0, factor = 0;
	for (uint32_t t = 0; t < word->term_count; t++) {
		const struct vkr_term *term = &word->terms[t];
		if (!vkr_affine_sum_add(&cutting->identities, term->index, term->factor, &sum) &&
		    !take_iteration(cutting, draft, term, &sum))
			word->terms[kept++] = *term;
	}
	word->constant = 0;
	word->term_count = kept;
	for (uint32_t t = 0; t < kept; t++)
		factor = common_factor(word->terms[t].factor, factor);
	for (uint32_t t = 0; t < kept; t++)
		word->terms[t].factor /= factor;
	draft->site.flags |= VKR_SITE_COMPUTED;
	draft->site.factor = factor;
	draft->site.addend = sum.constant;
	memcpy(draft->site.by_group, sum.by_group, sizeof sum.by_group);
	memcpy(draft->site.by_local, sum.by_local, sizeof sum.by_local);
	if (!factor)
		draft->site.words--;
}

// Whether the draft has a word that others can share.
static bool has_word(const struct vkr_site_draft *draft)
{
	return has_offset_word(draft) &&
	       (!(draft->site.flags & VKR_SITE_COMPUTED) || draft->site.factor);
}

// Drops the draft's word where an earlier site of the segment has the same, or one that differs
// from it by a constant.
static void share_word(const struct cutting *cutting, size_t draft)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	struct vkr_site_draft *own = &analysis->drafts.items[draft];
	for (size_t i = cutting->segment.segment.first_site; i < draft && has_word(own); i++) {
		const struct vkr_site_draft *other = &analysis->drafts.items[i];
		if (!has_word(other) || other->place.base != own->place.base ||
		    other->shared_by != own->shared_by ||
		    (other->site.flags ^ own->site.flags) & VKR_SITE_COMPUTED ||
		    !vkr_sum_is_near(&cutting->values, &other->affine, &own->affine))
			continue;
		own->site.flags |= VKR_SITE_SHARED;
		own->site.words--;
		own->site.offset_site = (uint32_t)i;
		if (!(own->site.flags & VKR_SITE_COMPUTED))
			own->site.addend = own->affine.constant - other->affine.constant;
	}
}

// Leaves out of the log what follows of the draft's offset. False for lack of memory.
static bool reduce_offset(struct cutting *cutting, size_t draft)
{
	struct vkr_analysis *analysis = cutting->analysis;
	struct vkr_site_draft *own = &analysis->drafts.items[draft];
	const uint32_t without = analysis->options->without;
	if (!has_offset_word(own) ||
	    (without & VKR_REDUCE_WORDS && without & VKR_REDUCE_AFFINE && !cutting->is_uniform))
		return true;
	if (!vkr_sum_flatten(&analysis->book, &cutting->values, &own->place.offset, &own->affine))
		return false;
	if (own->affine.term_count == VKR_SUM_LONG)
		return true;
	if (cutting->is_uniform)
		vkr_uniform_reads_find(&cutting->values,
				       &analysis->drafts.items[cutting->segment.segment.first_site],
				       own);
	// In draws, what all but the iteration says: of records that one invocation logs for all.
	const bool is_shared =
		own->shared_by != VKR_SHARED_BY_NONE && cutting->run_length.header != VKR_NO_BLOCK;
	if (!(without & VKR_REDUCE_AFFINE) && (is_shared || !analysis->identity) &&
	    !own->place.base)
		compute_offset(cutting, own);
	if (!(without & VKR_REDUCE_WORDS))
		share_word(cutting, draft);
	return true;
}

static bool is_plain_load(const struct vkr_site_draft *draft)
{
	const unsigned others =
		VKR_SITE_VOLATILE | VKR_SITE_CHOSEN | VKR_SITE_ARRAYED | VKR_SITE_COOPERATIVE;
	return draft->site.operation == VKR_SITE_LOAD && draft->pointer && !draft->image &&
	       draft->site.line && !(draft->site.flags & others);
}

// Whether both read the same bytes of one variable, as one source line has it.
static bool reads_same(const struct vkr_site_draft *a, const struct vkr_site_draft *b)
{
	return a->site.line == b->site.line && a->site.file == b->site.file &&
	       a->site.variable == b->site.variable && a->site.bytes == b->site.bytes &&
	       a->site.member == b->site.member &&
	       !((a->site.flags ^ b->site.flags) & ~(unsigned)VKR_SITE_SHARED) &&
	       a->site.visible_scope == b->site.visible_scope && a->place.type == b->place.type;
}

// Whether both offsets are taken from one word, or from none.
static bool has_same_word(const struct vkr_site_draft *own, const struct vkr_site_draft *other,
			  size_t other_at)
{
	if (own->site.flags & VKR_SITE_COMPUTED && !own->site.factor)
		return !other->site.factor;
	return own->site.flags & VKR_SITE_SHARED &&
	       (own->site.offset_site == other_at ||
		(other->site.flags & VKR_SITE_SHARED &&
		 own->site.offset_site == other->site.offset_site));
}

// Whether reduce_offset has found that both have one offset. Both are computed, or neither.
static bool has_same_offset(const struct vkr_site_draft *own, const struct vkr_site_draft *other,
			    size_t other_at)
{
	const struct vkr_site *a = &own->site, *b = &other->site;
	if (!has_same_word(own, other, other_at))
		return false;
	if (!(a->flags & VKR_SITE_COMPUTED))
		return a->addend == (b->flags & VKR_SITE_SHARED ? b->addend : 0);
	return a->factor == b->factor && a->addend == b->addend &&
	       a->by_iteration == b->by_iteration &&
	       !memcmp(a->by_group, b->by_group, sizeof a->by_group) &&
	       !memcmp(a->by_local, b->by_local, sizeof a->by_local);
}

// Whether an earlier load of the segment represents this one: only loads are between them, so
// whatever races with one races with the other, and both are on one source line of the report.
static bool is_repeat(const struct cutting *cutting, const struct vkr_site_draft *own)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	if (analysis->options->without & VKR_REDUCE_REPEATS || !is_plain_load(own))
		return false;
	for (size_t i = cutting->since; i < cutting->kept; i++) {
		const struct vkr_site_draft *other = &analysis->drafts.items[i];
		if (!is_plain_load(other) || !reads_same(own, other))
			continue;
		if (own->site.flags & VKR_SITE_POINTER ? own->pointer == other->pointer
						       : has_same_offset(own, other, i))
			return true;
	}
	return false;
}

static bool is_call_site(const struct vkr_site_draft *draft)
{
	return draft->site.operation == VKR_SITE_SHADER_CALL ||
	       draft->site.operation == VKR_SITE_SHADER_RETURN;
}

// A shader call, and the return from it: each has a record of its own, before the instruction and
// after it.
static bool add_call(struct cutting *cutting, uint32_t instruction, size_t *draft)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	while (*draft < analysis->drafts.count && is_call_site(&analysis->drafts.items[*draft]) &&
	       analysis->drafts.items[*draft].instruction == instruction) {
		struct vkr_site_draft *own = &analysis->drafts.items[cutting->kept++];
		*own = analysis->drafts.items[(*draft)++];
		cutting->segment.segment.words = own->site.words;
		cutting->segment.segment.site_count = 1;
		cutting->segment.is_call = true;
		if (!close_segment(cutting, own->site.operation == VKR_SITE_SHADER_RETURN
						    ? instruction + 1
						    : instruction))
			return false;
	}
	return true;
}

// Adds the sites of one instruction, those from *draft on.
static bool add_sites(struct cutting *cutting, uint32_t instruction, size_t *draft)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	uint32_t words = 0;
	size_t end = *draft;
	while (end < analysis->drafts.count &&
	       analysis->drafts.items[end].instruction == instruction &&
	       !is_call_site(&analysis->drafts.items[end]))
		words += analysis->drafts.items[end++].site.words;
	if (cutting->segment.segment.words + words > RUN_WORDS_MOST &&
	    !close_segment(cutting, instruction))
		return false;
	for (; *draft < end; ++*draft) {
		struct vkr_site_draft *own = &analysis->drafts.items[cutting->kept];
		*own = analysis->drafts.items[*draft];
		if (!reduce_offset(cutting, cutting->kept))
			return false;
		if (is_repeat(cutting, own))
			continue;
		cutting->kept++;
		if (own->site.operation != VKR_SITE_LOAD)
			cutting->since = cutting->kept;
		cutting->segment.segment.words += own->site.words;
		cutting->segment.segment.site_count++;
	}
	return true;
}

// Cuts instructions [first, end).
static bool analysis_segments_cut(struct cutting *cutting, uint32_t first, uint32_t end,
				  size_t *draft)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	const struct vkr_module *module = analysis->module;
	for (uint32_t i = first; i < end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		bool cuts = in->opcode == SpvOpFunctionCall &&
			    analysis->logs[vkr_module_callee(analysis->module, in)];
		// Accesses before a demotion have an effect, those after it have none.
		if ((vkr_opcode(in->opcode)->flags & (VKR_OPCODE_TERMINATOR | VKR_OPCODE_MERGE)) ||
		    in->opcode == SpvOpDemoteToHelperInvocation)
			cuts = true;
		// The invocation may not come back from it, and others run meanwhile.
		const bool calls = vkr_opcode_is(in->opcode, VKR_OPCODE_SHADER_CALL);
		if ((cuts || calls) && !close_segment(cutting, i))
			return false;
		if (!add_sites(cutting, i, draft))
			return false;
		if (calls && (!close_segment(cutting, i) || !add_call(cutting, i, draft)))
			return false;
	}
	return true;
}

// The changes made by cutting, so that they can be undone.
struct undoing {
	struct cutting before;
	size_t segments, draft, count;
	struct vkr_site_draft *drafts; // those from `draft` on, `count` of them
};

static bool note_drafts(const struct cutting *cutting, size_t draft, size_t count,
			struct undoing *undoing)
{
	const struct vkr_analysis *analysis = cutting->analysis;
	*undoing = (struct undoing){.before = *cutting,
				    .segments = analysis->segments.count,
				    .draft = draft,
				    .count = count};
	undoing->drafts = vkr_arena_alloc(analysis->arena, count * sizeof *undoing->drafts);
	if (!undoing->drafts)
		return false;
	memcpy(undoing->drafts, analysis->drafts.items + draft, count * sizeof *undoing->drafts);
	return true;
}

static void analysis_segments_undo(struct cutting *cutting, const struct undoing *undoing,
				   size_t *draft)
{
	struct vkr_analysis *analysis = cutting->analysis;
	memcpy(analysis->drafts.items + undoing->draft, undoing->drafts,
	       undoing->count * sizeof *undoing->drafts);
	*cutting = undoing->before;
	analysis->segments.count = undoing->segments;
	*draft = undoing->draft;
	cutting->run_length.header = VKR_NO_BLOCK;
}

// Cuts a block, as a run-length record where that leaves nothing to log of each iteration. False
// for lack of memory.
static bool cut_block(struct cutting *cutting, uint32_t first, uint32_t end, size_t *draft)
{
	struct vkr_analysis *analysis = cutting->analysis;
	struct undoing undoing;
	if (analysis->identity && !cutting->is_uniform)
		return analysis_segments_cut(cutting, first, end, draft);
	vkr_run_length_find(analysis, &cutting->loops, first, cutting->kept, *draft,
			    &cutting->run_length);
	if (cutting->run_length.header == VKR_NO_BLOCK)
		return analysis_segments_cut(cutting, first, end, draft);
	if (!note_drafts(cutting, *draft, cutting->run_length.draft_count, &undoing) ||
	    !analysis_segments_cut(cutting, first, end, draft))
		return false;
	const bool is_made = vkr_run_length_make(analysis, &cutting->run_length, undoing.segments);
	cutting->run_length.header = VKR_NO_BLOCK;
	if (is_made)
		return !cutting->is_uniform ||
		       vkr_uniform_reads_count(analysis,
					       &analysis->segments.items[undoing.segments]);
	analysis_segments_undo(cutting, &undoing, draft);
	return analysis_segments_cut(cutting, first, end, draft);
}

static bool cut_function(struct cutting *cutting, const struct vkr_function *function,
			 size_t *draft)
{
	const struct vkr_module *module = cutting->analysis->module;
	uint32_t first = function->body;
	for (uint32_t i = function->body; i < function->end; i++) {
		if (!vkr_opcode_is(module->instructions[i].opcode, VKR_OPCODE_TERMINATOR))
			continue;
		if (!cut_block(cutting, first, i + 1, draft))
			return false;
		first = i + 1;
	}
	return true;
}

enum vkr_result vkr_analysis_segments(struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	struct cutting cutting = {.analysis = analysis,
				  .is_uniform = vkr_uniform_reads_apply(analysis),
				  .run_length.header = VKR_NO_BLOCK};
	size_t draft = 0;
	if (!vkr_values_init(&cutting.values, module, analysis->arena) ||
	    !vkr_affine_values_init(&cutting.identities, module, analysis->constants,
				    analysis->workgroup_size, analysis->arena) ||
	    !vkr_loops_init(&cutting.loops, analysis, &cutting.values))
		return vkr_error_memory(error, "values");
	for (size_t f = 0; f < module->function_count; f++) {
		if (analysis->reached[f] && !cut_function(&cutting, &module->functions[f], &draft))
			return vkr_error_memory(error, "segments");
	}
	analysis->drafts.count = cutting.kept;
	if (!vkr_texel_words_share(analysis, &cutting.values))
		return vkr_error_memory(error, "coordinates");
	return VKR_OK;
}
