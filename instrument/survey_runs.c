// SPDX-License-Identifier: Apache-2.0
// Cuts sites into runs that execute as a whole.
#include "affine.h"
#include "array.h"
#include "error.h"
#include "sites.h"

// A run of more words is cut in two: each word is a parameter of the function that logs it.
#define RUN_WORDS_MOST 64u

struct cutting {
	struct vkr_survey *survey;
	struct vkr_values values;
	struct vkr_run run;
	size_t kept;  // drafts so far: those that are left out are overwritten
	size_t since; // the first draft of the run behind its last write or synchronization
};

static bool close_run(struct cutting *cutting, uint32_t before)
{
	struct vkr_survey *survey = cutting->survey;
	struct vkr_run *run = &cutting->run;
	if (run->segment.site_count) {
		if (!VKR_ARRAY_RESERVE(&survey->runs, 1))
			return false;
		run->before = before;
		// Whole records are an even number of words (gpu_log.h).
		run->segment.words |= 1;
		survey->runs.items[survey->runs.count++] = *run;
	}
	*run = (struct vkr_run){.segment.first_site =
					run->segment.first_site + run->segment.site_count};
	cutting->since = cutting->kept;
	return true;
}

static bool is_merge(uint16_t opcode)
{
	return opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge;
}

bool vkr_is_terminator(uint16_t opcode)
{
	switch (opcode) {
	case SpvOpBranch:
	case SpvOpBranchConditional:
	case SpvOpSwitch:
	case SpvOpReturn:
	case SpvOpReturnValue:
	case SpvOpKill:
	case SpvOpUnreachable:
	case SpvOpTerminateInvocation:
	case SpvOpIgnoreIntersectionKHR:
	case SpvOpTerminateRayKHR:
	case SpvOpEmitMeshTasksEXT:
		return true;
	default:
		return false;
	}
}

static bool has_offset_word(const struct vkr_draft *draft)
{
	return draft->pointer && !draft->image && draft->place.kind == VKR_PLACE_VARIABLE &&
	       !(draft->site.flags & (VKR_SITE_POINTER | VKR_SITE_CHOSEN | VKR_SITE_SHARED));
}

// Drops the draft's offset where an earlier one of the run differs from it by a constant. False for
// lack of memory.
static bool share_offset(struct cutting *cutting, size_t draft)
{
	struct vkr_survey *survey = cutting->survey;
	struct vkr_draft *own = &survey->drafts.items[draft];
	if (survey->options->without & VKR_REDUCE_WORDS || !has_offset_word(own))
		return true;
	if (!vkr_sum_spread(&survey->book, &cutting->values, &own->place.offset, &own->spread))
		return false;
	for (size_t i = cutting->run.segment.first_site; i < draft; i++) {
		const struct vkr_draft *other = &survey->drafts.items[i];
		if (!has_offset_word(other) || other->place.base != own->place.base ||
		    !vkr_sum_is_near(&cutting->values, &other->spread, &own->spread))
			continue;
		own->site.flags |= VKR_SITE_SHARED;
		own->site.words--;
		own->site.offset_site = (uint32_t)i;
		own->site.addend = own->spread.constant - other->spread.constant;
		break;
	}
	return true;
}

static bool is_plain_load(const struct vkr_draft *draft)
{
	const unsigned others = VKR_SITE_VOLATILE | VKR_SITE_CHOSEN | VKR_SITE_ARRAYED;
	return draft->site.operation == VKR_SITE_LOAD && draft->pointer && !draft->image &&
	       draft->site.line && !(draft->site.flags & others);
}

// Whether both read the same bytes of one variable, as one source line has it.
static bool reads_same(const struct vkr_draft *a, const struct vkr_draft *b)
{
	return a->site.line == b->site.line && a->site.file == b->site.file &&
	       a->site.variable == b->site.variable && a->site.bytes == b->site.bytes &&
	       a->site.member == b->site.member &&
	       !((a->site.flags ^ b->site.flags) & ~(unsigned)VKR_SITE_SHARED) &&
	       a->site.visible_scope == b->site.visible_scope && a->place.type == b->place.type;
}

// Whether share_offset has found that both have one offset.
static bool has_same_offset(const struct vkr_draft *own, const struct vkr_draft *other,
			    size_t other_at)
{
	if (!(own->site.flags & VKR_SITE_SHARED))
		return false;
	if (own->site.offset_site == other_at)
		return own->site.addend == 0;
	return other->site.flags & VKR_SITE_SHARED &&
	       own->site.offset_site == other->site.offset_site &&
	       own->site.addend == other->site.addend;
}

// Whether an earlier load of the run stands for this one: nothing but loads is between them, so
// what races with the one races with the other, and both are one line of the report.
static bool is_repeat(const struct cutting *cutting, const struct vkr_draft *own)
{
	const struct vkr_survey *survey = cutting->survey;
	if (survey->options->without & VKR_REDUCE_REPEATS || !is_plain_load(own))
		return false;
	for (size_t i = cutting->since; i < cutting->kept; i++) {
		const struct vkr_draft *other = &survey->drafts.items[i];
		if (!is_plain_load(other) || !reads_same(own, other))
			continue;
		if (own->site.flags & VKR_SITE_POINTER ? own->pointer == other->pointer
						       : has_same_offset(own, other, i))
			return true;
	}
	return false;
}

// Adds the sites of one instruction, those from *draft on.
static bool add_sites(struct cutting *cutting, uint32_t instruction, size_t *draft)
{
	const struct vkr_survey *survey = cutting->survey;
	uint32_t words = 0;
	size_t end = *draft;
	while (end < survey->drafts.count && survey->drafts.items[end].instruction == instruction)
		words += survey->drafts.items[end++].site.words;
	if (cutting->run.segment.words + words > RUN_WORDS_MOST && !close_run(cutting, instruction))
		return false;
	for (; *draft < end; ++*draft) {
		struct vkr_draft *own = &survey->drafts.items[cutting->kept];
		*own = survey->drafts.items[*draft];
		if (!share_offset(cutting, cutting->kept))
			return false;
		if (is_repeat(cutting, own))
			continue;
		cutting->kept++;
		if (own->site.operation != VKR_SITE_LOAD)
			cutting->since = cutting->kept;
		cutting->run.segment.words += own->site.words;
		cutting->run.segment.site_count++;
	}
	return true;
}

static bool cut_function(struct cutting *cutting, const struct vkr_function *function,
			 size_t *draft)
{
	const struct vkr_survey *survey = cutting->survey;
	const struct vkr_module *module = survey->module;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		bool cuts = in->opcode == SpvOpFunctionCall &&
			    survey->logs[vkr_survey_callee(survey, in)];
		// What was done before a demotion counts, what is done behind it does not.
		if (vkr_is_terminator(in->opcode) || is_merge(in->opcode) ||
		    in->opcode == SpvOpDemoteToHelperInvocation)
			cuts = true;
		if (cuts && !close_run(cutting, i))
			return false;
		if (!add_sites(cutting, i, draft))
			return false;
	}
	return true;
}

enum vkr_result vkr_survey_runs(struct vkr_survey *survey, struct vkr_error *error)
{
	const struct vkr_module *module = survey->module;
	struct cutting cutting = {.survey = survey};
	size_t draft = 0;
	if (!vkr_values_init(&cutting.values, module, survey->arena))
		return vkr_error_memory(error, "values");
	for (size_t f = 0; f < module->function_count; f++) {
		if (survey->reached[f] && !cut_function(&cutting, &module->functions[f], &draft))
			return vkr_error_memory(error, "segments");
	}
	survey->drafts.count = cutting.kept;
	return VKR_OK;
}
