// SPDX-License-Identifier: Apache-2.0
// Render passes and framebuffers as the program made them. Knows what they are made of; not what
// they order, and not what is done to attachments.
#include "pass_objects.h"

#include "error.h"
#include "event_payload.h"
#include "object_table.h"

#include <stdlib.h>
#include <string.h>

const struct vkr_render_pass *vkr_pass_objects_render_pass(const struct vkr_pass_objects *objects,
							   uint32_t id)
{
	return vkr_table_find(&objects->render_passes, id);
}

const struct vkr_framebuffer *vkr_pass_objects_framebuffer(const struct vkr_pass_objects *objects,
							   uint32_t id)
{
	return vkr_table_find(&objects->framebuffers, id);
}

bool vkr_render_pass_uses(const struct vkr_render_pass *pass, uint32_t subpass, uint32_t attachment)
{
	if (subpass >= pass->subpass_count)
		return false;
	for (uint32_t at = pass->first_references[subpass];
	     at < pass->first_references[subpass + 1]; at++)
		if (pass->references[at].attachment == attachment &&
		    pass->references[at].role != VKR_ATTACHMENT_PRESERVE)
			return true;
	return false;
}

static void free_all(struct vkr_map *map)
{
	for (size_t at = 0; at < map->capacity; at++)
		if (map->slots[at].used)
			free((void *)(uintptr_t)map->slots[at].value);
	vkr_map_finish(map);
}

void vkr_pass_objects_finish(struct vkr_pass_objects *objects)
{
	free_all(&objects->render_passes);
	free_all(&objects->framebuffers);
}

// Finds where each subpass's references begin. False if their number is wrong.
static bool count_references(const struct vkr_trace_subpass *subpasses, uint32_t subpass_count,
			     uint32_t reference_count, uint32_t *first)
{
	uint64_t next = 0;
	for (uint32_t at = 0; at <= subpass_count; at++) {
		first[at] = (uint32_t)next;
		if (at < subpass_count)
			next += subpasses[at].reference_count;
		if (next > reference_count)
			return false;
	}
	return next == reference_count;
}

// The pass, a copy of the event's tail, and where references begin, in one piece.
static enum vkr_result make_render_pass(struct vkr_pass_objects *objects,
					const struct vkr_trace_render_pass *made,
					struct vkr_error *error)
{
	const size_t dependency_bytes =
		made->dependency_count * sizeof(struct vkr_trace_subpass_dependency);
	const size_t attachment_bytes =
		made->attachment_count * sizeof(struct vkr_trace_attachment);
	const size_t subpass_bytes = made->subpass_count * sizeof(struct vkr_trace_subpass);
	const size_t tail_bytes =
		dependency_bytes + attachment_bytes + subpass_bytes +
		made->reference_count * sizeof(struct vkr_trace_attachment_reference);
	struct vkr_render_pass *pass =
		calloc(1, sizeof *pass + tail_bytes +
				  ((size_t)made->subpass_count + 1) * sizeof(uint32_t));
	if (pass == NULL)
		return vkr_error_memory(error, "a render pass");
	char *tail = (char *)(pass + 1);
	uint32_t *first = (void *)(tail + tail_bytes);
	memcpy(tail, made + 1, tail_bytes);
	*pass = (struct vkr_render_pass){
		.id = made->render_pass,
		.attachment_count = made->attachment_count,
		.subpass_count = made->subpass_count,
		.dependency_count = made->dependency_count,
		.dependencies = (void *)tail,
		.attachments = (void *)(tail + dependency_bytes),
		.subpasses = (void *)(tail + dependency_bytes + attachment_bytes),
		.first_references = first,
		.references = (void *)(tail + dependency_bytes + attachment_bytes + subpass_bytes)};
	bool sound = count_references(pass->subpasses, pass->subpass_count, made->reference_count,
				      first);
	for (uint32_t at = 0; at < made->reference_count && sound; at++)
		sound = pass->references[at].attachment < pass->attachment_count;
	if (!sound) {
		free(pass);
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "RENDER_PASS: its references do not fit its subpasses");
	}
	return vkr_table_keep(&objects->render_passes, made->render_pass, "render pass", pass,
			      error);
}

static enum vkr_result make_framebuffer(struct vkr_pass_objects *objects,
					const struct vkr_trace_framebuffer *made,
					struct vkr_error *error)
{
	const size_t bytes = made->view_count * sizeof(uint32_t);
	struct vkr_framebuffer *framebuffer = calloc(1, sizeof *framebuffer + bytes);
	if (framebuffer == NULL)
		return vkr_error_memory(error, "a framebuffer");
	uint32_t *views = (void *)(framebuffer + 1);
	memcpy(views, made + 1, bytes);
	*framebuffer = (struct vkr_framebuffer){.id = made->framebuffer,
						.layers = made->layers,
						.view_count = made->view_count,
						.views = views};
	return vkr_table_keep(&objects->framebuffers, made->framebuffer, "framebuffer", framebuffer,
			      error);
}

enum vkr_result vkr_pass_objects_made(struct vkr_pass_objects *objects,
				      const struct vkr_trace_event *event, struct vkr_error *error)
{
	if (event->type == VKR_TRACE_RENDER_PASS)
		return make_render_pass(objects, vkr_event_payload(event), error);
	if (event->type == VKR_TRACE_FRAMEBUFFER)
		return make_framebuffer(objects, vkr_event_payload(event), error);
	return VKR_OK;
}
