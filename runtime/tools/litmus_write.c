// SPDX-License-Identifier: Apache-2.0
// Writes an execution as a .vlit file that reads back as the same execution. Knows the format, and
// no rule of the memory model.
#include "error.h"
#include "litmus.h"
#include "memory_names.h"

#include <errno.h>
#include <string.h>

static const char *scope_name(enum vkr_litmus_scope scope)
{
	switch (scope) {
	case VKR_LITMUS_SCOPE_NONE:
		break;
	case VKR_LITMUS_INVOCATION:
		return "invocation";
	case VKR_LITMUS_SUBGROUP:
		return "subgroup";
	case VKR_LITMUS_WORKGROUP_SCOPE:
		return "workgroup";
	case VKR_LITMUS_QUEUE_FAMILY:
		return "queuefamily";
	case VKR_LITMUS_DEVICE:
		return "device";
	case VKR_LITMUS_CROSS_DEVICE:
		return "crossdevice";
	}
	return "none";
}

static const char *const class_names[] = {"uniform", "workgroup", "image", "output"};

// The oldest version that can say all of it.
static unsigned version_of(const struct vkr_litmus *execution)
{
	bool second = execution->version >= 2;
	for (size_t i = 0; i < execution->location_count; i++)
		second = second || execution->locations[i].local || execution->locations[i].alloc;
	for (unsigned i = 0; i < VKR_MEMORY_MODEL_COUNT; i++)
		second = second || execution->candidate[i] != VKR_LITMUS_CANDIDATE_NOTHING;
	for (size_t i = 0; i < execution->event_count; i++) {
		const struct vkr_litmus_event *event = &execution->events[i];
		second = second || event->order == VKR_LITMUS_SEQ_CST ||
			 event->scope == VKR_LITMUS_INVOCATION ||
			 event->execution == VKR_LITMUS_INVOCATION ||
			 event->available == VKR_LITMUS_INVOCATION ||
			 event->visible == VKR_LITMUS_INVOCATION ||
			 event->spaces == VKR_LITMUS_GLOBAL || event->spaces == VKR_LITMUS_LOCAL;
	}
	return second ? 2 : 1;
}

static void write_header(const struct vkr_litmus *execution, FILE *file)
{
	fprintf(file, "vlit %u\n", version_of(execution));
	if (execution->name)
		fprintf(file, "name %s\n", execution->name);
	for (unsigned i = 0; i < VKR_MEMORY_MODEL_COUNT; i++) {
		const char *model = vkr_memory_model_name((enum vkr_memory_model)i);
		if (execution->expect[i] != VKR_LITMUS_EXPECT_NOTHING)
			fprintf(file, "expect %s%s%s\n", i == VKR_MEMORY_VULKAN ? "" : model,
				i == VKR_MEMORY_VULKAN ? "" : " ",
				execution->expect[i] == VKR_LITMUS_EXPECT_RACE ? "race" : "norace");
		if (execution->candidate[i] != VKR_LITMUS_CANDIDATE_NOTHING)
			fprintf(file, "candidate %s %s\n", model,
				execution->candidate[i] == VKR_LITMUS_CANDIDATE_YES ? "yes" : "no");
	}
	if (!execution->chains)
		fprintf(file, "chains off\n");
	for (size_t i = 0; i < execution->agent_count; i++) {
		const struct vkr_litmus_agent *agent = &execution->agents[i];
		if (agent->host)
			fprintf(file, "agent %s host\n", agent->name);
		else
			fprintf(file,
				"agent %s invocation device=%u queuefamily=%u workgroup=%u "
				"subgroup=%u\n",
				agent->name, agent->device, agent->queue_family, agent->workgroup,
				agent->subgroup);
	}
	for (size_t i = 0; i < execution->location_count; i++) {
		static const char *const allocs[] = {"", " alloc=fine", " alloc=coarse"};
		const struct vkr_litmus_location *location = &execution->locations[i];
		fprintf(file, "location %s %u%s%s\n", location->name, location->size,
			location->local ? " space=local" : "", allocs[location->alloc]);
	}
	for (size_t i = execution->location_count; i < execution->reference_count; i++) {
		const struct vkr_litmus_reference *reference = &execution->references[i];
		fprintf(file, "reference %s %s %u %u\n", reference->name,
			execution->locations[reference->location].name, reference->offset,
			reference->size);
	}
	for (size_t i = 0; i < execution->agent_edge_count; i++)
		fprintf(file, "ssw %s %s\n",
			execution->agents[execution->agent_edges[i].first].name,
			execution->agents[execution->agent_edges[i].second].name);
}

static void write_access(const struct vkr_litmus *execution, const struct vkr_litmus_event *event,
			 FILE *file)
{
	const struct vkr_litmus_reference *reference = &execution->references[event->reference];
	bool reads = event->operation != VKR_LITMUS_STORE;
	fprintf(file, " %s", reference->name);
	if (event->atomic && event->operation != VKR_LITMUS_RMW)
		fprintf(file, " atomic");
	if (event->offset != reference->offset || event->size != reference->size)
		fprintf(file, " bytes=%u:%u", event->offset - reference->offset, event->size);
	for (unsigned i = 0; i < 4; i++) {
		if (event->storage_class == 1u << i)
			fprintf(file, " class=%s", class_names[i]);
	}
	if (event->nonprivate && !event->atomic && !event->available && !event->visible)
		fprintf(file, " nonprivate");
	// An atomic implies these with its own scope.
	enum vkr_litmus_scope implied = event->atomic ? event->scope : VKR_LITMUS_SCOPE_NONE;
	if (event->available > implied)
		fprintf(file, " available=%s", scope_name(event->available));
	if (event->visible > implied)
		fprintf(file, " visible=%s", scope_name(event->visible));
	if (reads)
		fprintf(file, " from=%s",
			event->from == VKR_LITMUS_NONE ? "init"
						       : execution->events[event->from].label);
	if (event->after != VKR_LITMUS_NONE)
		fprintf(file, " after=%s", execution->events[event->after].label);
}

static void write_semantics(const struct vkr_litmus_event *event, bool host, FILE *file)
{
	static const char *const orders[] = {"relaxed", "acquire", "release", "acqrel",
					     "",        "",        "",        "seqcst"};
	if (event->operation == VKR_LITMUS_BARRIER) {
		if (event->instance != VKR_LITMUS_NONE)
			fprintf(file, " id=%u", event->instance);
		fprintf(file, " execution=%s", scope_name(event->execution));
	}
	if (event->scope != VKR_LITMUS_SCOPE_NONE && !host)
		fprintf(file, " scope=%s", scope_name(event->scope));
	if (event->order != VKR_LITMUS_RELAXED ||
	    (event->fence && event->operation == VKR_LITMUS_BARRIER))
		fprintf(file, " order=%s", orders[event->order]);
	for (unsigned i = 0, seen = 0; i < 4; i++) {
		if (event->semantics & 1u << i)
			fprintf(file, "%s%s", seen++ ? "," : " sem=", class_names[i]);
	}
	if (event->spaces == VKR_LITMUS_GLOBAL || event->spaces == VKR_LITMUS_LOCAL)
		fprintf(file, " spaces=%s",
			event->spaces == VKR_LITMUS_GLOBAL ? "global" : "local");
	if (event->make_available)
		fprintf(file, " makeavailable");
	if (event->make_visible)
		fprintf(file, " makevisible");
}

static void write_event(const struct vkr_litmus *execution, const struct vkr_litmus_event *event,
			FILE *file)
{
	static const char *const operations[] = {
		"load",
		"store",
		"rmw",
		"fence",
		"barrier",
		"available",
		"visible",
		"domain host device",
		"domain device host",
		"flush",
		"invalidate",
	};
	const struct vkr_litmus_agent *agent = &execution->agents[event->agent];
	fprintf(file, "%s %s %s", event->label, agent->name, operations[event->operation]);
	for (size_t i = 0; i < event->reference_count; i++)
		fprintf(file, " %s", execution->references[event->references[i]].name);
	if (event->reference != VKR_LITMUS_NONE)
		write_access(execution, event, file);
	write_semantics(event, agent->host, file);
	fputc('\n', file);
}

enum vkr_result vkr_litmus_write(const struct vkr_litmus *execution, FILE *file,
				 struct vkr_error *error)
{
	write_header(execution, file);
	for (size_t i = 0; i < execution->event_count; i++)
		write_event(execution, &execution->events[i], file);
	for (size_t i = 0; i < execution->event_edge_count; i++)
		fprintf(file, "%s ssw %s\n",
			execution->events[execution->event_edges[i].first].label,
			execution->events[execution->event_edges[i].second].label);
	if (fflush(file) != 0 || ferror(file))
		return vkr_error_set(error, VKR_ERROR_IO, "litmus output: %s", strerror(errno));
	return VKR_OK;
}
