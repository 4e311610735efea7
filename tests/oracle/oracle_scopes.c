// SPDX-License-Identifier: Apache-2.0
// The oracle's sections "Program-Order" and "Scope": which agents are in which scope instance.
// Knows nothing of synchronization.
#include "evaluation.h"

// Scope: the sets of invocations, nested. A host thread is in no instance but CrossDevice's and,
// as any agent, its own.
static bool agents_share(const struct vkr_litmus_agent *a, const struct vkr_litmus_agent *b,
			 enum vkr_litmus_scope scope)
{
	if (a == b || scope == VKR_LITMUS_CROSS_DEVICE)
		return true;
	if (a->host || b->host)
		return false;
	switch (scope) {
	case VKR_LITMUS_SUBGROUP:
		return a->subgroup == b->subgroup;
	case VKR_LITMUS_WORKGROUP_SCOPE:
		return a->workgroup == b->workgroup;
	case VKR_LITMUS_QUEUE_FAMILY:
		return a->queue_family == b->queue_family;
	case VKR_LITMUS_DEVICE:
		return a->device == b->device;
	case VKR_LITMUS_SCOPE_NONE:
	case VKR_LITMUS_INVOCATION:
	case VKR_LITMUS_CROSS_DEVICE:
		break;
	}
	return false;
}

bool vkr_evaluate_in_scope(const struct vkr_evaluation *evaluation, uint32_t first,
			   enum vkr_litmus_scope scope, uint32_t second)
{
	const struct vkr_litmus_agent *agents = evaluation->execution->agents;
	return agents_share(&agents[vkr_event(evaluation, first)->agent],
			    &agents[vkr_event(evaluation, second)->agent], scope);
}

bool vkr_evaluate_scopes_meet(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	return vkr_evaluate_in_scope(evaluation, a, vkr_event(evaluation, a)->scope, b) &&
	       vkr_evaluate_in_scope(evaluation, b, vkr_event(evaluation, b)->scope, a);
}

uint32_t vkr_event_location(const struct vkr_evaluation *evaluation,
			    const struct vkr_litmus_event *event)
{
	return evaluation->execution->references[event->reference].location;
}

// Program-Order: an agent's events in the order of the file.
void vkr_evaluate_program(struct vkr_evaluation *evaluation)
{
	vkr_relation_clear(&evaluation->program, evaluation->count);
	for (uint32_t a = 0; a < evaluation->count; a++) {
		for (uint32_t b = a + 1; b < evaluation->count; b++) {
			if (vkr_event(evaluation, a)->agent == vkr_event(evaluation, b)->agent)
				vkr_relation_add(&evaluation->program, a, b);
		}
	}
}
