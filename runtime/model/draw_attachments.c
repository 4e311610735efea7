// SPDX-License-Identifier: Apache-2.0
// What draws read and write in attachments. Knows which of it load and store operations stand for,
// and where the log tells of fragments; not how it was logged.
//
// Within a subpass the accesses of fixed function to an attachment are in rasterization order
// ("Rasterization Order"), and a load operation before or a store operation behind them, in the
// same stage, covers all texels of the render area: where it writes, whatever is not ordered with
// the draws is not ordered with it. What is left is what no such operation stands for. Where the
// log tells of all fragments, these texels are written; else they are not known: a report would
// take two draws that do not overlap for a race.
#include "attachments.h"
#include "draw_logs.h"
#include "draw_state.h"
#include "error.h"
#include "framebuffer_places.h"

#include <stdlib.h>

// What a pipeline may do to an attachment.
struct effect {
	bool reads, writes;
};

// The pipeline as the commands before the draw have it.
struct in_force {
	const struct vkr_graphics *graphics;
	const struct vkr_walk_state *state;
};

// Whether a state may be other than 0: what a command has set where it is dynamic, else `fixed`.
static bool may(const struct in_force *of, uint32_t state, uint32_t index, bool fixed)
{
	uint32_t value = 0;
	if (!vkr_graphics_dynamic(of->graphics, state))
		return fixed;
	return !vkr_walk_state_value(of->state, state, index, &value) || value != 0;
}

static struct effect color_effect(const struct in_force *of, uint32_t index)
{
	const struct vkr_graphics *graphics = of->graphics;
	const bool known = index < graphics->blend_count;
	struct effect effect;
	effect.reads = may(of, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, index,
			   known && graphics->blend[index].flags & VKR_BLEND_ENABLED) ||
		       may(of, VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, 0,
			   graphics->flags & VKR_GRAPHICS_LOGIC_OP);
	effect.writes = may(of, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, index,
			    known && graphics->blend[index].write_mask != 0) &&
			may(of, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, index, true);
	effect.reads &= effect.writes;
	return effect;
}

// Flags that hold for two states together say nothing of the one where the other is dynamic.
static struct effect depth_effect(const struct in_force *of)
{
	const uint32_t flags = of->graphics->flags;
	const bool test =
		may(of, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, 0, flags & VKR_GRAPHICS_DEPTH_TEST);
	const bool fixed = vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE) ||
			   flags & VKR_GRAPHICS_DEPTH_WRITE;
	return (struct effect){.reads = test || may(of, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
						    0, flags & VKR_GRAPHICS_DEPTH_BOUNDS_TEST),
			       .writes = test &&
					 may(of, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, 0, fixed)};
}

static bool may_write_stencil(const struct in_force *of)
{
	bool mask = false, operation = false;
	for (uint32_t face = 0; face < 2; face++)
		mask |= may(of, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, face, true);
	for (uint32_t at = 0; at < 6; at++) // VK_STENCIL_OP_KEEP is 0
		operation |= may(of, VK_DYNAMIC_STATE_STENCIL_OP, at, true);
	return mask && operation;
}

static struct effect stencil_effect(const struct in_force *of)
{
	const uint32_t flags = of->graphics->flags;
	const bool test =
		may(of, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, 0, flags & VKR_GRAPHICS_STENCIL_TEST);
	const bool any_set =
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_OP);
	return (struct effect){.reads = test,
			       .writes = test && (any_set ? may_write_stencil(of)
							  : flags & VKR_GRAPHICS_STENCIL_WRITE)};
}

static bool discards(const struct in_force *of)
{
	uint32_t value = 0;
	if (!vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE))
		return of->graphics->flags & VKR_GRAPHICS_RASTERIZER_DISCARD;
	return vkr_walk_state_value(of->state, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, 0,
				    &value) &&
	       value != 0;
}

static struct effect effect_on(const struct in_force *of, const struct vkr_attachment_use *use)
{
	const struct effect all = {true, true};
	struct effect effect = {false, false};
	if (use->role != VKR_ATTACHMENT_COLOR && use->role != VKR_ATTACHMENT_DEPTH_STENCIL)
		return effect;
	if (of->graphics == NULL || (of->graphics->flags & VKR_GRAPHICS_UNKNOWN))
		effect = all;
	else if (discards(of))
		return effect;
	else if (use->role == VKR_ATTACHMENT_COLOR)
		effect = color_effect(of, use->index);
	else if (use->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
		effect = depth_effect(of);
	else
		effect = stencil_effect(of);
	effect.writes &= !use->read_only;
	return effect;
}

static bool writes_by_load(const struct vkr_attachment_use *use)
{
	return use->load_views != 0 && (use->load == VK_ATTACHMENT_LOAD_OP_CLEAR ||
					use->load == VK_ATTACHMENT_LOAD_OP_DONT_CARE);
}

static bool writes_by_store(const struct vkr_attachment_use *use)
{
	return use->store_views != 0 && !use->read_only &&
	       (use->store == VK_ATTACHMENT_STORE_OP_STORE ||
		use->store == VK_ATTACHMENT_STORE_OP_DONT_CARE);
}

// ---- The texels that fragments write ------------------------------------------------------------

// Whether each fragment that the log tells of writes its texel of color attachments, and the log
// tells of all. Tests may discard it, masks may leave it out, and a shader without an access that
// all its fragments make does not say where they are.
static bool logs_texels(const struct in_force *of, const struct vkr_pipeline *pipeline,
			const struct vkr_walk_pass *pass)
{
	const struct vkr_shader *fragments = NULL;
	if (of->graphics == NULL ||
	    of->graphics->flags & (VKR_GRAPHICS_UNKNOWN | VKR_GRAPHICS_PARTIAL) || discards(of) ||
	    vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE) ||
	    vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT) ||
	    vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT) ||
	    depth_effect(of).reads || stencil_effect(of).reads)
		return false;
	for (uint32_t at = 0; at < pipeline->shader_count; at++)
		if (pipeline->shaders[at]->stage == VK_SHADER_STAGE_FRAGMENT_BIT)
			fragments = pipeline->shaders[at];
	return fragments != NULL && fragments->flags & VKR_SHADER_INSTRUMENTED &&
	       !(fragments->flags & VKR_SHADER_PARTIAL) && fragments->sites != NULL &&
	       fragments->sites->identity & VKR_IDENTITY_ALL &&
	       fragments->sites->identity & VKR_IDENTITY_FRAGMENT && pass->layer_count <= 1 &&
	       pass->view_mask == 0;
}

// What of a draw's writes to an attachment load and store operations do not stand for, or not
// where draws of the subpass read it.
static bool writes_alone(const struct vkr_attachment_use *use, struct effect effect)
{
	return effect.writes && (use->input || (!writes_by_load(use) && !writes_by_store(use)));
}

static int by_row(const void *a, const void *b)
{
	const struct vkr_draw_pixel *x = a, *y = b;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

// The texels, by runs of neighbours in one row.
static enum vkr_result add_pixels(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	const struct vkr_draw_logs *logs = &walk->model->draw_logs;
	const struct vkr_image_view *view = use->view;
	struct vkr_image_region region = {.aspects = use->aspects,
					  .mip = view->subresources.first_mip,
					  .first_layer = view->subresources.first_layer,
					  .layer_count = 1,
					  .extent = {0, 1, 1}};
	if (view->image->type == VK_IMAGE_TYPE_3D) { // its layers are slices
		region.offset[2] = region.first_layer;
		region.first_layer = 0;
	}
	walk->pass.locations.count = 0;
	for (size_t at = 0; at < logs->pixels.count;) {
		const struct vkr_draw_pixel *first = &logs->pixels.items[at];
		uint32_t end = first->x + 1;
		for (at++; at < logs->pixels.count; at++) {
			const struct vkr_draw_pixel *next = &logs->pixels.items[at];
			if (next->y != first->y || next->x > end)
				break;
			end = next->x + 1;
		}
		region.offset[0] = first->x;
		region.offset[1] = first->y;
		region.extent[0] = end - first->x;
		if (!vkr_image_add_region(view->image, &region, &walk->pass.locations))
			return vkr_error_memory(walk->error, "an attachment");
	}
	return VKR_OK;
}

static enum vkr_result write_pixels(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	struct vkr_walk_access access = {.info = walk->info,
					 .image = use->view->image,
					 .write = true,
					 .operation = "attachment write",
					 .stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
					 .access = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT};
	enum vkr_result result = add_pixels(walk, use);
	if (result == VKR_OK)
		result = vkr_walk_begin_command(walk, walk->info, &access.command);
	if (result != VKR_OK)
		return result;
	result = vkr_walk_access_image(walk, &access, &walk->pass.locations);
	vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

enum vkr_result vkr_attachments_drawn(struct vkr_walk *walk)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	struct vkr_draw_logs *logs = &walk->model->draw_logs;
	const struct vkr_pipeline *pipeline = walk->info->pipeline;
	const struct in_force of = {pipeline != NULL ? pipeline->graphics : NULL,
				    &vkr_walk_top(walk)->state};
	enum vkr_result result = VKR_OK;
	if (!logs->wants_pixels || logs->pixels.count == 0)
		return VKR_OK;
	qsort(logs->pixels.items, logs->pixels.count, sizeof *logs->pixels.items, by_row);
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		if (use->role == VKR_ATTACHMENT_COLOR && writes_alone(use, effect_on(&of, use)))
			result = write_pixels(walk, use);
	}
	return result;
}

enum vkr_result vkr_attachments_draw(struct vkr_walk *walk)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_pipeline *pipeline =
		vkr_walk_top(walk)->state.points[VKR_WALK_GRAPHICS].pipeline;
	const struct in_force of = {pipeline != NULL ? pipeline->graphics : NULL,
				    &vkr_walk_top(walk)->state};
	const bool logged = pipeline != NULL && logs_texels(&of, pipeline, pass) &&
			    !vkr_framebuffer_coarse(walk->model);
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		const struct effect effect = effect_on(&of, use);
		if (logged && use->role == VKR_ATTACHMENT_COLOR && writes_alone(use, effect)) {
			walk->model->draw_logs.wants_pixels = true;
			continue;
		}
		const bool written = writes_by_load(use) || writes_by_store(use);
		const bool read = written ||
				  (use->load_views != 0 && use->load == VK_ATTACHMENT_LOAD_OP_LOAD);
		if (effect.writes && use->input)
			result = vkr_model_missed(
				walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"whether draws of one subpass read what others of it have written "
				"is not seen: it writes %s and reads it as input",
				use->view->image->name);
		else if ((effect.writes && !written) || (effect.reads && !read))
			result = vkr_model_missed(
				walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"which texels of %s draws %s is not seen: no load or store "
				"operation of the subpass stands for them",
				use->view->image->name, effect.writes ? "write" : "read");
	}
	return result;
}
