// SPDX-License-Identifier: Apache-2.0
// Cuts sites into runs that execute as a whole, and finds how much an invocation may log.
#include "array.h"
#include "error.h"
#include "sites.h"
#include "vkrace/gpu_log.h"

// A run of more words is cut in two: each word is a parameter of the function that logs it.
#define RUN_WORDS_MOST 64u

// The first chunk of shaders with loops, or whose longest path would take more than one chunk
// should hold: a cache line, so that short-lived invocations waste little.
#define CHUNK_WORDS        16u
#define BOUNDED_WORDS_MOST 256u

struct cutting {
	struct vkr_survey *survey;
	struct vkr_run run;
	uint64_t *function_words; // by function: the most that one call logs; UNBOUNDED
	bool *measured;           // by function
};
#define UNBOUNDED UINT64_MAX

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
	*run = (struct vkr_run){.is_first = true,
				.segment.first_site =
					run->segment.first_site + run->segment.site_count};
	return true;
}

static bool is_merge(uint16_t opcode)
{
	return opcode == SpvOpSelectionMerge || opcode == SpvOpLoopMerge;
}

static bool is_terminator(uint16_t opcode)
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
		if (is_terminator(in->opcode) || is_merge(in->opcode))
			cuts = true;
		if (cuts && !close_run(cutting, i))
			return false;
		if (!add_sites(cutting, i, draft))
			return false;
	}
	return true;
}

// One block while the longest path is searched.
struct block {
	uint32_t terminator; // instruction index
	uint64_t own;        // words logged in it, calls included
	uint64_t longest;    // words from its start to the function's end
};

struct paths {
	const struct vkr_module *module;
	uint32_t *block_of; // by label id: index in blocks
	struct block *blocks;
	size_t count;
};

static uint64_t successor_words(const struct paths *paths, const struct vkr_instruction *in)
{
	uint64_t most = 0;
	for (uint16_t u = 0; u < in->use_count; u++) {
		uint32_t id = paths->module->words[paths->module->uses[in->first_use + u]];
		if (vkr_module_definition(paths->module, id)->opcode != SpvOpLabel)
			continue;
		uint64_t longest = paths->blocks[paths->block_of[id]].longest;
		most = longest > most ? longest : most;
	}
	return most;
}

// Longest paths by relaxation, last block first: nearly always one round and one that finds no
// change. More rounds than blocks mean a cycle.
static uint64_t longest_path(struct paths *paths)
{
	for (size_t round = 0; round <= paths->count; round++) {
		bool changed = false;
		for (size_t b = paths->count; b-- > 0;) {
			struct block *block = &paths->blocks[b];
			const struct vkr_instruction *in =
				&paths->module->instructions[block->terminator];
			uint64_t longest = block->own + successor_words(paths, in);
			changed |= longest != block->longest;
			block->longest = longest;
			if (longest > BOUNDED_WORDS_MOST)
				return UNBOUNDED;
		}
		if (!changed)
			return paths->count ? paths->blocks[0].longest : 0;
	}
	return UNBOUNDED;
}

static bool measure(struct cutting *cutting, uint32_t f, uint32_t *block_of);

// Splits the function into blocks with their own words. False for lack of memory.
static bool read_blocks(struct cutting *cutting, uint32_t f, uint32_t *block_of,
			struct paths *paths, bool *is_bounded)
{
	const struct vkr_survey *survey = cutting->survey;
	const struct vkr_module *module = survey->module;
	const struct vkr_function *function = &module->functions[f];
	size_t run = 0;
	struct block *block = NULL;
	while (run < survey->runs.count && survey->runs.items[run].before < function->first)
		run++;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpLabel) {
			block_of[in->result] = (uint32_t)paths->count;
			block = &paths->blocks[paths->count++];
			*block = (struct block){0};
		}
		for (; run < survey->runs.count && survey->runs.items[run].before == i; run++)
			block->own += survey->runs.items[run].segment.words + 1u;
		if (in->opcode == SpvOpFunctionCall) {
			uint32_t callee = vkr_survey_callee(survey, in);
			if (!measure(cutting, callee, block_of))
				return false;
			if (cutting->function_words[callee] == UNBOUNDED)
				*is_bounded = false;
			else
				block->own += cutting->function_words[callee];
		}
		if (in->opcode == SpvOpLoopMerge)
			*is_bounded = false;
		if (is_terminator(in->opcode))
			block->terminator = i;
	}
	return true;
}

// Fills in function_words[f] and those of everything it calls. Calls do not recurse
// (SPIR-V 2.16.1).
static bool measure(struct cutting *cutting, uint32_t f, uint32_t *block_of)
{
	const struct vkr_module *module = cutting->survey->module;
	const struct vkr_function *function = &module->functions[f];
	if (cutting->measured[f])
		return true;
	cutting->measured[f] = true;
	struct paths paths = {.module = module, .block_of = block_of};
	paths.blocks = vkr_arena_alloc(cutting->survey->arena,
				       (function->end - function->body) * sizeof *paths.blocks);
	bool is_bounded = true;
	if (!paths.blocks || !read_blocks(cutting, f, block_of, &paths, &is_bounded))
		return false;
	cutting->function_words[f] = is_bounded ? longest_path(&paths) : UNBOUNDED;
	return true;
}

enum vkr_result vkr_survey_runs(struct vkr_survey *survey, struct vkr_error *error)
{
	const struct vkr_module *module = survey->module;
	struct cutting cutting = {.survey = survey, .run.is_first = true};
	size_t draft = 0;
	for (size_t f = 0; f < module->function_count; f++) {
		if (survey->reached[f] && !cut_function(&cutting, &module->functions[f], &draft))
			return vkr_error_memory(error, "segments");
	}
	uint32_t *block_of = vkr_arena_alloc(survey->arena, module->bound * sizeof *block_of);
	cutting.function_words = vkr_arena_alloc(
		survey->arena, module->function_count * sizeof *cutting.function_words);
	cutting.measured = vkr_arena_alloc(survey->arena, module->function_count);
	if (!block_of || !cutting.function_words || !cutting.measured ||
	    !measure(&cutting, survey->main, block_of))
		return vkr_error_memory(error, "segments");
	uint64_t most = cutting.function_words[survey->main];
	survey->is_bounded = most != UNBOUNDED;
	survey->chunk_words =
		survey->is_bounded ? (uint32_t)most + VKR_CHUNK_HEADER_WORDS : CHUNK_WORDS;
	return VKR_OK;
}
