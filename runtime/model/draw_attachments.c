// SPDX-License-Identifier: Apache-2.0
// What draws read and write in attachments. Knows which of it load and store operations stand for;
// not which texels a draw covers.
//
// Within a subpass the accesses of fixed function to an attachment are in rasterization order
// ("Rasterization Order"), and a load operation before or a store operation behind them, in the
// same stage, covers all texels of the render area: where it writes, whatever is not ordered with
// the draws is not ordered with it. What is left is what no such operation stands for. Of it the
// texels are not known: a report would take two draws that do not overlap for a race.
#include "attachments.h"
#include "draw_state.h"

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

enum vkr_result vkr_attachments_draw(struct vkr_walk *walk)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_pipeline *pipeline =
		vkr_walk_top(walk)->state.points[VKR_WALK_GRAPHICS].pipeline;
	const struct in_force of = {pipeline != NULL ? pipeline->graphics : NULL,
				    &vkr_walk_top(walk)->state};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		const struct effect effect = effect_on(&of, use);
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
