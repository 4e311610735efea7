// SPDX-License-Identifier: Apache-2.0
// The oracle's sections "System-Synchronizes-With", "Inter-Thread-Happens-Before" and
// "Happens-Before". Knows nothing of memory locations.
#include "evaluation.h"

// The classes UniformMemory, WorkgroupMemory, ImageMemory, OutputMemory: SC runs over the
// non-empty sets of them.
enum { CLASS_SETS = 16 };

// System-Synchronizes-With: what the execution states, of events or of whole agents.
static void evaluate_system(struct vkr_evaluation *evaluation)
{
	const struct vkr_litmus *execution = evaluation->execution;
	vkr_relation_clear(&evaluation->system, evaluation->count);
	for (size_t i = 0; i < execution->event_edge_count; i++)
		vkr_relation_add(&evaluation->system, execution->event_edges[i].first,
				 execution->event_edges[i].second);
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		for (uint32_t a = 0; a < evaluation->count; a++) {
			if (vkr_event(evaluation, a)->agent != execution->agent_edges[i].first)
				continue;
			for (uint32_t b = 0; b < evaluation->count; b++) {
				if (vkr_event(evaluation, b)->agent ==
				    execution->agent_edges[i].second)
					vkr_relation_add(&evaluation->system, a, b);
			}
		}
	}
	evaluation->system_closed = evaluation->system;
	vkr_relation_close(&evaluation->system_closed, evaluation->count);
}

// "has all of SC in its semantics"
static bool has_all(const struct vkr_litmus_event *event, unsigned classes)
{
	return (event->semantics & classes) == classes;
}

// "is an operation on memory in a storage class in SC or that has all of SC in its semantics".
// Availability and visibility operations that an access performs are on its memory; those that
// semantics perform, and the barriers themselves, have the semantics.
static bool concerns(const struct vkr_evaluation *evaluation, const struct vkr_litmus_event *event,
		     unsigned classes)
{
	return vkr_demand(evaluation, VKR_CLAUSE_ITHB_CLASS,
			  (event->storage_class & classes) != 0 || has_all(event, classes));
}

static bool bounds(const struct vkr_evaluation *evaluation, const struct vkr_litmus_event *event,
		   unsigned classes)
{
	return vkr_demand(evaluation, VKR_CLAUSE_ITHB_ALL, has_all(event, classes));
}

// "A and B are both host operations and A inter-thread-happens-before B as defined in the host
// language specification". ISO C++ 2017, 6.8.2.1: synchronizes-with, with sequenced-before on
// either side, transitively; sequenced-before alone is not part of it.
static void relate_host(const struct vkr_evaluation *evaluation, struct vkr_relation *host)
{
	vkr_relation_clear(host, evaluation->count);
	for (uint32_t x = 0; x < evaluation->count; x++) {
		for (uint32_t y = 0; y < evaluation->count; y++) {
			if (!vkr_relation_has(&evaluation->synchronizes, x, y) ||
			    !vkr_event_on_host(evaluation, x) || !vkr_event_on_host(evaluation, y))
				continue;
			uint64_t behind = vkr_set_of(y) | evaluation->program.row[y];
			for (uint32_t a = 0; a < evaluation->count; a++) {
				if (a == x || vkr_relation_has(&evaluation->program, a, x))
					host->row[a] |= behind;
			}
		}
	}
	vkr_relation_close(host, evaluation->count);
}

// One step of inter-thread-happens-before<SC> on the device: every bullet but the host's and the
// transitive one.
static bool steps(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b, unsigned classes)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, a);
	const struct vkr_litmus_event *y = vkr_event(evaluation, b);
	if (vkr_relation_has(&evaluation->system, a, b) &&
	    vkr_grant(evaluation, VKR_CLAUSE_ITHB_SYSTEM, true))
		return true;
	if (vkr_relation_has(&evaluation->synchronizes, a, b) &&
	    vkr_demand(evaluation, VKR_CLAUSE_ITHB_BOTH,
		       has_all(x, classes) && has_all(y, classes)) &&
	    vkr_grant(evaluation, VKR_CLAUSE_ITHB_SYNCHRONIZES, true))
		return true;
	if (!vkr_relation_has(&evaluation->program, a, b))
		return false;
	bool before_release = concerns(evaluation, x, classes) && vkr_event_releases(y) &&
			      bounds(evaluation, y, classes);
	bool after_acquire = vkr_event_acquires(x) && bounds(evaluation, x, classes) &&
			     concerns(evaluation, y, classes);
	return vkr_grant(evaluation, VKR_CLAUSE_ITHB_RELEASE, before_release) ||
	       vkr_grant(evaluation, VKR_CLAUSE_ITHB_ACQUIRE, after_acquire);
}

void vkr_evaluate_happens(struct vkr_evaluation *evaluation)
{
	struct vkr_relation host;
	evaluate_system(evaluation);
	relate_host(evaluation, &host);
	vkr_relation_clear(&evaluation->happens, evaluation->count);
	if (vkr_grant(evaluation, VKR_CLAUSE_HB_PROGRAM, true))
		vkr_relation_unite(&evaluation->happens, &evaluation->program, evaluation->count);
	for (unsigned classes = 1; classes < CLASS_SETS; classes++) {
		struct vkr_relation inter_thread;
		vkr_relation_clear(&inter_thread, evaluation->count);
		if (vkr_grant(evaluation, VKR_CLAUSE_ITHB_HOST, true))
			vkr_relation_unite(&inter_thread, &host, evaluation->count);
		for (uint32_t a = 0; a < evaluation->count; a++) {
			for (uint32_t b = 0; b < evaluation->count; b++) {
				if (steps(evaluation, a, b, classes))
					vkr_relation_add(&inter_thread, a, b);
			}
		}
		if (vkr_grant(evaluation, VKR_CLAUSE_ITHB_TRANSITIVE, true))
			vkr_relation_close(&inter_thread, evaluation->count);
		if (vkr_grant(evaluation, VKR_CLAUSE_HB_INTER_THREAD, true))
			vkr_relation_unite(&evaluation->happens, &inter_thread, evaluation->count);
	}
}
