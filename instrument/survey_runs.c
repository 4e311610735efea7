// SPDX-License-Identifier: Apache-2.0
// Cuts sites into runs that execute as a whole.
#include "array.h"
#include "error.h"
#include "sites.h"

// A run of more words is cut in two: each word is a parameter of the function that logs it.
#define RUN_WORDS_MOST 64u

struct cutting {
	struct vkr_survey *survey;
	struct vkr_run run;
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

// Adds the sites of one instruction, those from *draft on.
static bool add_sites(struct cutting *cutting, uint32_t instruction, size_t *draft)
{
	const struct vkr_survey *survey = cutting->survey;
	uint32_t words = 0, count = 0;
	while (*draft < survey->drafts.count &&
	       survey->drafts.items[*draft].instruction == instruction) {
		words += survey->drafts.items[(*draft)++].site.words;
		count++;
	}
	if (cutting->run.segment.words + words > RUN_WORDS_MOST && !close_run(cutting, instruction))
		return false;
	cutting->run.segment.words += words;
	cutting->run.segment.site_count += count;
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
	for (size_t f = 0; f < module->function_count; f++) {
		if (survey->reached[f] && !cut_function(&cutting, &module->functions[f], &draft))
			return vkr_error_memory(error, "segments");
	}
	return VKR_OK;
}
