// SPDX-License-Identifier: Apache-2.0
#include "interlock.h"

// The states that an invocation may be in before an instruction: both if paths with different
// states meet.
enum state {
	OUTSIDE = 1,
	INSIDE = 2,
};

struct finding {
	struct vkr_analysis *analysis;
	uint8_t *blocks;  // by label id
	uint8_t *entries; // by function
	uint8_t *exits;
	bool *changes; // by function: it or what it calls begins or ends an interlock
	bool changed;
};

static bool is_interlock(uint16_t opcode)
{
	return opcode == SpvOpBeginInvocationInterlockEXT ||
	       opcode == SpvOpEndInvocationInterlockEXT;
}

static void join_state(struct finding *finding, uint8_t *to, uint8_t state)
{
	finding->changed |= (*to | state) != *to;
	*to |= state;
}

static uint8_t behind_call(struct finding *finding, const struct vkr_instruction *call,
			   uint8_t state)
{
	const uint32_t callee = vkr_module_callee(finding->analysis->module, call);
	join_state(finding, &finding->entries[callee], state);
	return finding->changes[callee] ? finding->exits[callee] : state;
}

static void leave_block(struct finding *finding, uint32_t function,
			const struct vkr_instruction *in, uint8_t state)
{
	const struct vkr_module *module = finding->analysis->module;
	if (in->opcode == SpvOpReturn || in->opcode == SpvOpReturnValue)
		join_state(finding, &finding->exits[function], state);
	for (uint16_t u = 0; u < in->use_count; u++) {
		uint32_t id = module->words[module->uses[in->first_use + u]];
		if (vkr_module_definition(module, id)->opcode == SpvOpLabel)
			join_state(finding, &finding->blocks[id], state);
	}
}

static void interlock_walk(struct finding *finding, uint32_t f)
{
	const struct vkr_module *module = finding->analysis->module;
	const struct vkr_function *function = &module->functions[f];
	uint8_t state = 0;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (i == function->body)
			join_state(finding, &finding->blocks[in->result], finding->entries[f]);
		if (in->opcode == SpvOpLabel)
			state = finding->blocks[in->result];
		finding->analysis->interlocked[i] = state;
		if (in->opcode == SpvOpBeginInvocationInterlockEXT)
			state = state ? INSIDE : 0;
		else if (in->opcode == SpvOpEndInvocationInterlockEXT)
			state = state ? OUTSIDE : 0;
		else if (in->opcode == SpvOpFunctionCall)
			state = behind_call(finding, in, state);
		else if (vkr_opcode_is(in->opcode, VKR_OPCODE_TERMINATOR))
			leave_block(finding, f, in, state);
	}
}

// Which functions begin or end an interlock. False: none does.
static bool find_changes(struct finding *finding)
{
	const struct vkr_analysis *analysis = finding->analysis;
	const struct vkr_module *module = analysis->module;
	bool any = false;
	do {
		finding->changed = false;
		for (size_t f = 0; f < module->function_count; f++) {
			const struct vkr_function *function = &module->functions[f];
			bool changes = finding->changes[f];
			for (uint32_t i = function->body; analysis->reached[f] && i < function->end;
			     i++) {
				const struct vkr_instruction *in = &module->instructions[i];
				changes |=
					is_interlock(in->opcode) ||
					(in->opcode == SpvOpFunctionCall &&
					 finding->changes[vkr_module_callee(analysis->module, in)]);
			}
			finding->changed |= changes != finding->changes[f];
			finding->changes[f] = changes;
			any |= changes;
		}
	} while (finding->changed);
	return any;
}

bool vkr_interlock_find(struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	struct vkr_arena *arena = analysis->arena;
	struct finding finding = {
		.analysis = analysis,
		.blocks = vkr_arena_alloc(arena, module->bound),
		.entries = vkr_arena_alloc(arena, module->function_count),
		.exits = vkr_arena_alloc(arena, module->function_count),
		.changes = vkr_arena_alloc(arena, module->function_count),
	};
	if (!finding.blocks || !finding.entries || !finding.exits || !finding.changes)
		return false;
	if (!find_changes(&finding))
		return true;
	analysis->interlocked = vkr_arena_alloc(arena, module->instruction_count);
	if (!analysis->interlocked)
		return false;
	finding.entries[analysis->main] = OUTSIDE;
	// States only grow: this ends.
	do {
		finding.changed = false;
		for (size_t f = 0; f < module->function_count; f++)
			if (analysis->reached[f])
				interlock_walk(&finding, (uint32_t)f);
	} while (finding.changed);
	return true;
}

bool vkr_is_interlocked(const struct vkr_analysis *analysis, uint32_t instruction)
{
	return analysis->interlocked && analysis->interlocked[instruction] & INSIDE;
}

bool vkr_interlock_is_of_samples(const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	const uint32_t main = module->functions[analysis->main].id;
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpExecutionMode || vkr_module_word(module, in, 1) != main)
			continue;
		switch (vkr_module_word(module, in, 2)) {
		case SpvExecutionModeSampleInterlockOrderedEXT:
		case SpvExecutionModeSampleInterlockUnorderedEXT:
		case SpvExecutionModeShadingRateInterlockOrderedEXT:
		case SpvExecutionModeShadingRateInterlockUnorderedEXT:
			return true;
		default:
			break;
		}
	}
	return false;
}
