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

static bool is_dynamic(const struct vkr_graphics *graphics, uint32_t state)
{
	return vkr_graphics_dynamic(graphics, state);
}

// Whether something is enabled: by a command where that may set it, which is not known where it did
// in no way that is recorded; else by the pipeline.
static bool is_enabled(const struct vkr_walk_state *state, const struct vkr_graphics *graphics,
		       uint32_t name, uint32_t flag)
{
	uint32_t value = 1;
	if (!is_dynamic(graphics, name))
		return graphics->flags & flag;
	return !vkr_walk_state_value(state, name, 0, &value) || value != 0;
}

static struct effect color_effect(const struct vkr_graphics *graphics, uint32_t index)
{
	const bool mask_set = is_dynamic(graphics, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
	const bool blend_set = is_dynamic(graphics, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT);
	struct effect effect = {.reads = blend_set || (graphics->flags & VKR_GRAPHICS_LOGIC_OP),
				.writes = mask_set};
	if (index < graphics->blend_count) {
		effect.reads |= graphics->blend[index].flags & VKR_BLEND_ENABLED;
		effect.writes |= graphics->blend[index].write_mask != 0;
	}
	effect.reads &= effect.writes;
	return effect;
}

// The pipeline's flag of depth writes has what it says of the test in it.
static struct effect depth_effect(const struct vkr_walk_state *state,
				  const struct vkr_graphics *graphics)
{
	const bool test = is_enabled(state, graphics, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
				     VKR_GRAPHICS_DEPTH_TEST);
	const bool set = is_dynamic(graphics, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE) &&
			 !is_dynamic(graphics, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE);
	return (struct effect){
		.reads = test ||
			 is_enabled(state, graphics, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
				    VKR_GRAPHICS_DEPTH_BOUNDS_TEST),
		.writes = test &&
			  (set || is_enabled(state, graphics, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
					     VKR_GRAPHICS_DEPTH_WRITE))};
}

static struct effect stencil_effect(const struct vkr_walk_state *state,
				    const struct vkr_graphics *graphics)
{
	const bool test = is_enabled(state, graphics, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
				     VKR_GRAPHICS_STENCIL_TEST);
	const bool set = is_dynamic(graphics, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE) ||
			 is_dynamic(graphics, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK) ||
			 is_dynamic(graphics, VK_DYNAMIC_STATE_STENCIL_OP);
	return (struct effect){.reads = test,
			       .writes = test &&
					 (set || (graphics->flags & VKR_GRAPHICS_STENCIL_WRITE))};
}

static bool is_discarded(const struct vkr_walk_state *state, const struct vkr_graphics *graphics)
{
	uint32_t value = 0;
	if (is_dynamic(graphics, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE))
		return vkr_walk_state_value(state, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, 0,
					    &value) &&
		       value != 0;
	return graphics->flags & VKR_GRAPHICS_RASTERIZER_DISCARD;
}

static struct effect effect_on(const struct vkr_walk_state *state,
			       const struct vkr_graphics *graphics,
			       const struct vkr_attachment_use *use)
{
	const struct effect all = {true, true};
	struct effect effect = {false, false};
	if (use->role != VKR_ATTACHMENT_COLOR && use->role != VKR_ATTACHMENT_DEPTH_STENCIL)
		return effect;
	if (graphics == NULL || (graphics->flags & VKR_GRAPHICS_UNKNOWN))
		effect = all;
	else if (is_discarded(state, graphics))
		return effect;
	else if (use->role == VKR_ATTACHMENT_COLOR)
		effect = color_effect(graphics, use->index);
	else if (use->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
		effect = depth_effect(state, graphics);
	else
		effect = stencil_effect(state, graphics);
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
	const struct vkr_walk_state *state = &vkr_walk_top(walk)->state;
	const struct vkr_pipeline *pipeline = state->points[VKR_WALK_GRAPHICS].pipeline;
	const struct vkr_graphics *graphics = pipeline != NULL ? pipeline->graphics : NULL;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		const struct effect effect = effect_on(state, graphics, use);
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
