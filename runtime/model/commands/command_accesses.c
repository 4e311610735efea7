// SPDX-License-Identifier: Apache-2.0
// The accesses of commands: their names, their sites, and how they come to the engine. Knows no
// single command.
#include "command_accesses.h"

#include "assumed_order.h"
#include "attachments.h"
#include "error.h"
#include "pass_scopes.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

static const char *command_name(uint32_t event_type)
{
	switch (event_type) {
	case VKR_TRACE_CMD_DISPATCH:
		return "vkCmdDispatch";
	case VKR_TRACE_CMD_DISPATCH_INDIRECT:
		return "vkCmdDispatchIndirect";
	case VKR_TRACE_CMD_COPY_BUFFER:
		return "vkCmdCopyBuffer";
	case VKR_TRACE_CMD_FILL_BUFFER:
		return "vkCmdFillBuffer";
	case VKR_TRACE_CMD_UPDATE_BUFFER:
		return "vkCmdUpdateBuffer";
	case VKR_TRACE_CMD_BARRIER:
		return "vkCmdPipelineBarrier";
	default:
		return "";
	}
}

struct vkr_command_info *vkr_walk_info(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
				       const struct vkr_command_info *like)
{
	struct vkr_model *model = walk->model;
	const struct vkr_walk_frame *frame = vkr_walk_top(walk);
	const uint64_t index = (uint64_t)frame->base + command;
	struct vkr_recording *primary = walk->primary;
	const bool own = index < primary->own_count;
	uint64_t found = 0;
	if (own && primary->own_infos[index] != NULL)
		return primary->own_infos[index];
	if (!own && vkr_map_get(&primary->infos, index, &found))
		return (struct vkr_command_info *)(uintptr_t)found;
	const struct vkr_command_buffer *buffer =
		vkr_objects_command_buffer(&model->objects, frame->recording->command_buffer);
	struct vkr_command_info info = *like;
	info.index = (uint32_t)index;
	if (info.name == NULL)
		info.name = command_name(event_type);
	info.labels = frame->state.labels;
	info.caller = walk->caller;
	info.command_buffer = buffer != NULL ? buffer->name : "";
	struct vkr_command_info *kept = vkr_access_names_info(&model->names, &info);
	if (own)
		primary->own_infos[index] = kept;
	else if (kept == NULL || !vkr_map_set(&primary->infos, index, (uintptr_t)kept))
		return NULL;
	return kept;
}

// Headers of Vulkan 1.3 do not name it (VK_EXT_custom_resolve).
#define RENDERING_FRAGMENT_REGION 0x40u

static bool by_fragment(const struct vkr_walk *walk)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	if (pass == NULL)
		return walk->pass.flags & RENDERING_FRAGMENT_REGION;
	return walk->subpass < pass->subpass_count &&
	       pass->subpasses[walk->subpass].flags &
		       VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_QCOM;
}

static bool name_executed(struct vkr_walk *walk, const struct vkr_command_info *info, uint64_t *tag)
{
	// None of what a queue does without one.
	const struct vkr_recording *held =
		walk->frames.count > 0 ? vkr_walk_top(walk)->recording : NULL;
	const struct vkr_executed executed = {.info = info,
					      .queue = walk->queue->id,
					      .command_buffer =
						      held != NULL ? held->command_buffer : 0,
					      .recording = held != NULL ? held->id : 0,
					      .submission = walk->submission,
					      .subpass = walk->subpasses,
					      .pass_begin = walk->pass.begin,
					      .pass_instance = walk->pass.instance,
					      .render_pass = walk->render_pass,
					      .subpass_index = walk->subpass,
					      .by_fragment = by_fragment(walk)};
	return vkr_access_names_executed(&walk->model->names, &executed, tag);
}

enum vkr_result vkr_walk_tag(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
			     const struct vkr_command_info *like, uint64_t *tag)
{
	struct vkr_command_info *info = vkr_walk_info(walk, command, event_type, like);
	if (info == NULL || !name_executed(walk, info, tag))
		return vkr_error_memory(walk->error, "a command");
	return VKR_OK;
}

enum vkr_result vkr_walk_begin_command(struct vkr_walk *walk, struct vkr_command_info *info,
				       uint32_t *command)
{
	uint64_t tag = 0;
	if (info == NULL || !name_executed(walk, info, &tag))
		return vkr_error_memory(walk->error, "a command");
	const enum vkr_result result = vkr_engine_command(
		walk->model->engine, walk->queue->timeline, tag, command, walk->error);
	if (result != VKR_OK)
		return result;
	vkr_engine_command_group(walk->model->engine, *command, walk->subpasses + 1);
	vkr_command_links_begin(walk->model, info->pipeline, *command);
	return VKR_OK;
}

// Whether fixed function's accesses in the stage are where their texels are in the framebuffer.
static bool has_place(uint64_t stage)
{
	return stage & (VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |
			VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
			VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VKR_ENGINE_TRANSITION);
}

// Where the framebuffer's layers, or the views of multiview, are in the image.
static struct vkr_site_layers layers_of(const struct vkr_walk *walk,
					const struct vkr_walk_access *access)
{
	if (access->attachment == NULL)
		return (struct vkr_site_layers){.told = VKR_LAYERS_NOT};
	return (struct vkr_site_layers){
		.told = walk->pass.view_mask != 0 ? VKR_LAYERS_OF_VIEWS : VKR_LAYERS_OF_FRAMEBUFFER,
		.first = access->attachment->subresources.first_layer};
}

// Whether shaders that synchronize could bring the access into order with those of other commands.
// Layout transitions have scopes of their own.
static bool is_linked(const struct vkr_model *model, const struct vkr_walk_access *access)
{
	return model->objects.links && !access->possible && !access->binding &&
	       access->stage != VKR_ENGINE_TRANSITION;
}

enum vkr_result vkr_walk_access_site(struct vkr_walk *walk, const struct vkr_walk_access *access,
				     uint32_t *site)
{
	struct vkr_model *model = walk->model;
	const enum vkr_command_site kind =
		access->site       ? access->site
		: access->possible ? access->write ? VKR_COMMAND_MAY_WRITE : VKR_COMMAND_MAY_READ
		: access->write    ? VKR_COMMAND_WRITE
				   : VKR_COMMAND_READ;
	// Transitions of one image differ in their layouts too, reads of descriptors in their
	// stage, attachments in their layers.
	const char *key = access->key;
	if (access->possible && access->doubt != NULL && key == NULL)
		key = vkr_texts_format(&model->texts, "%s in %s %u", access->doubt,
				       access->image != NULL ? "image" : "buffer",
				       access->image != NULL ? access->image->id
							     : access->buffer->id);
	if (access->possible && access->doubt != NULL && key == NULL)
		return vkr_error_memory(walk->error, "sites");
	const void *object = key != NULL             ? (const void *)key
			     : access->image != NULL ? (const void *)access->image
						     : (const void *)access->buffer;
	const struct vkr_site_layers layers = layers_of(walk, access);
	const uint32_t part = access->attachment != NULL
				      ? layers.first << 1 | (layers.told == VKR_LAYERS_OF_VIEWS)
				      : access->each;
	uint32_t *kept =
		vkr_access_names_command_site(&model->names, access->info, kind, object, part);
	if (kept == NULL)
		return vkr_error_memory(walk->error, "sites");
	*site = *kept;
	if (*site != 0)
		return VKR_OK;
	struct vkr_engine_site made = {
		.bytes = access->each,
		.stage = access->stage,
		.access = access->access,
		.flags = VKR_ENGINE_NONPRIVATE | (is_linked(model, access) ? VKR_ENGINE_ASK : 0u) |
			 (access->write ? VKR_ENGINE_WRITE : VKR_ENGINE_READ) |
			 (access->read ? VKR_ENGINE_READ : 0u) |
			 (access->possible || access->binding ? VKR_ENGINE_MAY_ACCESS : 0u) |
			 (has_place(access->stage) ? VKR_ENGINE_PLACED : 0u) |
			 (has_place(access->stage) && access->stage != VKR_ENGINE_TRANSITION
				  ? VKR_ENGINE_RASTERIZED
				  : 0u) |
			 ((access->any_time || access->lasts) && access->write ? VKR_ENGINE_LASTING
									       : 0u)};
	if (!vkr_access_names_site(&model->names,
				   &(struct vkr_access_site){.kind = VKR_SITE_OF_COMMAND,
							     .info = access->info,
							     .buffer = access->buffer,
							     .image = access->image,
							     .operation = access->operation,
							     .read = access->read || !access->write,
							     .write = access->write,
							     .possible = access->possible,
							     .doubt = access->doubt,
							     .any_time = access->any_time,
							     .store = access->store,
							     .unshaded = access->unshaded,
							     .layers = layers,
							     .binding = access->binding,
							     .stage = access->stage,
							     .access = access->access},
				   &made.tag))
		return vkr_error_memory(walk->error, "sites");
	const enum vkr_result result = vkr_engine_site_add(model->engine, &made, kept, walk->error);
	*site = *kept;
	return result;
}

// Feeds the engine; what shaders' atomics may order is judged with them.
static enum vkr_result command_accesses_feed(struct vkr_walk *walk,
					     const struct vkr_walk_access *access, uint32_t site,
					     const struct vkr_location *locations, size_t count)
{
	const bool linked = is_linked(walk->model, access);
	enum vkr_result result = VKR_OK;
	if (linked)
		result = vkr_links_access_begin(walk, access->command, access->stage,
						access->read || !access->write ? access->access : 0,
						access->write ? access->access : 0);
	for (size_t at = 0; at < count && result == VKR_OK; at++)
		result = vkr_engine_access_range(walk->model->engine, access->command, site,
						 locations[at].memory->id, locations[at].offset,
						 locations[at].bytes, walk->error);
	return linked && result == VKR_OK ? vkr_links_access_end(walk, access->command) : result;
}

enum vkr_result vkr_walk_access(struct vkr_walk *walk, const struct vkr_walk_access *access)
{
	struct vkr_model *model = walk->model;
	const struct vkr_buffer *buffer = access->buffer;
	uint32_t site = 0;
	if (buffer->memory == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s accesses %s, whose memory is not known",
					access->info->name, buffer->name);
	const enum vkr_result result = vkr_walk_access_site(walk, access, &site);
	if (result != VKR_OK || access->offset >= buffer->bytes)
		return result;
	const uint64_t room = buffer->bytes - access->offset;
	const struct vkr_location location = {.memory = buffer->memory,
					      .offset = buffer->offset + access->offset,
					      .bytes = access->bytes < room ? access->bytes : room};
	return command_accesses_feed(walk, access, site, &location, 1);
}

enum vkr_result vkr_walk_access_image(struct vkr_walk *walk, const struct vkr_walk_access *access,
				      const struct vkr_locations *locations)
{
	struct vkr_model *model = walk->model;
	const struct vkr_image *image = access->image;
	uint32_t site = 0;
	if (image->plane_count == 0 || image->planes[0].memory == NULL)
		return vkr_model_missed(model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s accesses %s, whose %s is not known", access->info->name,
					image->name, image->plane_count == 0 ? "format" : "memory");
	const enum vkr_result result = vkr_walk_access_site(walk, access, &site);
	return result == VKR_OK ? command_accesses_feed(walk, access, site, locations->items,
							locations->count)
				: result;
}
