// SPDX-License-Identifier: Apache-2.0
#include "pass_edits.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// Numbers of new passes are beyond those of any trace's own.
#define FIRST_NEW_PASS 0x80000000u

// VkAttachmentLoadOp, VkAttachmentStoreOp; this floor has no Vulkan.
#define LOAD_OP_LOAD   0u
#define STORE_OP_STORE 0u

// A RENDER_PASS event and its tail.
struct pass_parts {
	struct vkr_trace_render_pass *pass;
	struct vkr_trace_subpass_dependency *dependencies;
	struct vkr_trace_attachment *attachments;
	struct vkr_trace_attachment_reference *references;
};

void vkr_pass_edits_finish(struct vkr_pass_edits *edits)
{
	for (size_t i = 0; i < edits->passes.capacity; i++) {
		if (edits->passes.slots[i].used)
			free((void *)(uintptr_t)edits->passes.slots[i].value);
	}
	vkr_map_finish(&edits->passes);
	free(edits->events.items);
}

static struct pass_parts parts_of(struct vkr_trace_event *event)
{
	struct pass_parts parts = {.pass = (void *)(event + 1)};
	parts.dependencies = (void *)(parts.pass + 1);
	parts.attachments = (void *)(parts.dependencies + parts.pass->dependency_count);
	struct vkr_trace_subpass *subpasses =
		(void *)(parts.attachments + parts.pass->attachment_count);
	parts.references = (void *)(subpasses + parts.pass->subpass_count);
	return parts;
}

static const struct vkr_trace_event *find_pass(const struct vkr_pass_edits *edits, uint32_t pass)
{
	uint64_t found = 0;
	return vkr_map_get(&edits->passes, pass, &found)
		       ? (const struct vkr_trace_event *)(uintptr_t)found
		       : NULL;
}

bool vkr_pass_edits_keep(struct vkr_pass_edits *edits, const struct vkr_trace_event *event)
{
	const struct vkr_trace_render_pass *pass = (const void *)(event + 1);
	void *earlier = (void *)(uintptr_t)find_pass(edits, pass->render_pass);
	void *kept = malloc(event->bytes);
	if (!kept || !vkr_map_set(&edits->passes, pass->render_pass, (uintptr_t)kept)) {
		free(kept);
		return false;
	}
	memcpy(kept, event, event->bytes);
	free(earlier);
	return true;
}

const struct vkr_trace_render_pass *vkr_pass_edits_find(const struct vkr_pass_edits *edits,
							uint32_t pass)
{
	const struct vkr_trace_event *event = find_pass(edits, pass);
	return event ? (const void *)(event + 1) : NULL;
}

uint32_t vkr_pass_edits_subpasses(const struct vkr_pass_edits *edits, uint32_t pass)
{
	const struct vkr_trace_event *event = find_pass(edits, pass);
	return event ? ((const struct vkr_trace_render_pass *)(const void *)(event + 1))
			       ->subpass_count
		     : 0;
}

// A copy with room for one more dependency, after its last; NULL for lack of memory.
static struct vkr_trace_event *copy_pass(const struct vkr_trace_event *from, uint32_t more)
{
	const struct vkr_trace_render_pass *pass = (const void *)(from + 1);
	const size_t added = more * sizeof(struct vkr_trace_subpass_dependency);
	const size_t head = sizeof *from + sizeof *pass +
			    pass->dependency_count * sizeof(struct vkr_trace_subpass_dependency);
	struct vkr_trace_event *copy = calloc(1, from->bytes + added);
	if (!copy)
		return NULL;
	memcpy(copy, from, head);
	memcpy((char *)copy + head + added, (const char *)from + head, from->bytes - head);
	copy->bytes += (uint32_t)added;
	((struct vkr_trace_render_pass *)(void *)(copy + 1))->dependency_count += more;
	return copy;
}

// Takes the event over, under a number of its own in *pass.
static bool put_pass(struct vkr_pass_edits *edits, struct vkr_trace_event *event, uint32_t *pass)
{
	const uint32_t id = FIRST_NEW_PASS + edits->made;
	const size_t words = event->bytes / sizeof *edits->events.items;
	((struct vkr_trace_render_pass *)(void *)(event + 1))->render_pass = id;
	if (!VKR_ARRAY_RESERVE(&edits->events, words) ||
	    !vkr_map_set(&edits->passes, id, (uintptr_t)event)) {
		free(event);
		return false;
	}
	memcpy(edits->events.items + edits->events.count, event, event->bytes);
	edits->events.count += words;
	edits->made++;
	*pass = id;
	return true;
}

static void pass_edits_widen(struct vkr_trace_subpass_dependency *dependency,
			     const struct vkr_change *change)
{
	dependency->source_stages |= change->masks.source_stages;
	dependency->source_access |= change->masks.source_access;
	dependency->destination_stages |= change->masks.destination_stages;
	dependency->destination_access |= change->masks.destination_access;
	if (change->kind == VKR_CHANGE_DEPENDENCY)
		dependency->flags &= ~change->subpasses.flags;
}

bool vkr_pass_edits_dependency(struct vkr_pass_edits *edits, const struct vkr_change *change,
			       uint32_t *pass)
{
	const struct vkr_trace_event *from = find_pass(edits, *pass);
	if (!from)
		return true;
	const struct vkr_trace_render_pass *made = (const void *)(from + 1);
	const struct vkr_trace_subpass_dependency *have = (const void *)(made + 1);
	uint32_t at = 0;
	while (at < made->dependency_count &&
	       (have[at].source != change->subpasses.source ||
		have[at].destination != change->subpasses.destination))
		at++;
	const bool fresh = at == made->dependency_count;
	struct vkr_trace_event *copy = copy_pass(from, fresh);
	if (!copy)
		return false;
	struct vkr_trace_subpass_dependency *dependency = parts_of(copy).dependencies + at;
	if (fresh)
		*dependency = (struct vkr_trace_subpass_dependency){
			.source = change->subpasses.source,
			.destination = change->subpasses.destination,
			.flags = change->kind == VKR_CHANGE_BARRIER_INSIDE ? change->subpasses.flags
									   : 0};
	pass_edits_widen(dependency, change);
	return put_pass(edits, copy, pass);
}

bool vkr_pass_edits_remove(struct vkr_pass_edits *edits, const struct vkr_change *change,
			   uint32_t *pass)
{
	const struct vkr_trace_event *from = find_pass(edits, *pass);
	struct vkr_trace_event *copy = from ? copy_pass(from, 0) : NULL;
	if (!copy)
		return !from;
	const struct pass_parts parts = parts_of(copy);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < parts.pass->dependency_count; i++) {
		if (parts.dependencies[i].source != change->subpasses.source ||
		    parts.dependencies[i].destination != change->subpasses.destination)
			parts.dependencies[kept++] = parts.dependencies[i];
	}
	if (kept == parts.pass->dependency_count) {
		free(copy);
		return true;
	}
	const char *end = (const char *)copy + copy->bytes;
	memmove(parts.dependencies + kept, parts.attachments,
		(size_t)(end - (const char *)parts.attachments));
	copy->bytes -= (parts.pass->dependency_count - kept) * (uint32_t)sizeof *parts.dependencies;
	parts.pass->dependency_count = kept;
	return put_pass(edits, copy, pass);
}

bool vkr_pass_edits_half(struct vkr_pass_edits *edits, bool second, uint32_t *pass)
{
	const struct vkr_trace_event *from = find_pass(edits, *pass);
	struct vkr_trace_event *copy = from ? copy_pass(from, 0) : NULL;
	if (!copy)
		return !from;
	const struct pass_parts parts = parts_of(copy);
	for (uint32_t i = 0; i < parts.pass->attachment_count; i++) {
		struct vkr_trace_attachment *attachment = &parts.attachments[i];
		if (second)
			attachment->load = attachment->stencil_load = LOAD_OP_LOAD;
		else
			attachment->store = attachment->stencil_store = STORE_OP_STORE;
	}
	// Between the halves attachments are in the layout that the subpass has them in.
	for (uint32_t i = 0; i < parts.pass->reference_count; i++) {
		const struct vkr_trace_attachment_reference *use = &parts.references[i];
		struct vkr_trace_attachment *attachment = &parts.attachments[use->attachment];
		if (second) {
			attachment->initial_layout = use->layout;
			attachment->stencil_initial_layout = use->stencil_layout;
		} else {
			attachment->final_layout = use->layout;
			attachment->stencil_final_layout = use->stencil_layout;
		}
	}
	return put_pass(edits, copy, pass);
}
