// SPDX-License-Identifier: Apache-2.0
// What a draw's fragments may do to attachments. Knows tests, blending and masks; not where
// fragments are.
#include "draw_effects.h"

// A state as far as it is known.
enum known {
	KNOWN_OFF,
	KNOWN_ON,
	KNOWN_NOT,
};

// The value that a command has set if the state is dynamic, otherwise `fixed`.
static enum known state_of(const struct vkr_draw_pipeline *of, uint32_t state, uint32_t index,
			   bool fixed)
{
	uint32_t value = 0;
	if (!vkr_graphics_dynamic(of->graphics, state))
		return fixed ? KNOWN_ON : KNOWN_OFF;
	if (!vkr_walk_state_value(of->state, state, index, &value))
		return KNOWN_NOT;
	return value != 0 ? KNOWN_ON : KNOWN_OFF;
}

static enum known draw_effects_both(enum known a, enum known b)
{
	if (a == KNOWN_OFF || b == KNOWN_OFF)
		return KNOWN_OFF;
	return a == KNOWN_ON && b == KNOWN_ON ? KNOWN_ON : KNOWN_NOT;
}

static enum known draw_effects_either(enum known a, enum known b)
{
	if (a == KNOWN_ON || b == KNOWN_ON)
		return KNOWN_ON;
	return a == KNOWN_OFF && b == KNOWN_OFF ? KNOWN_OFF : KNOWN_NOT;
}

struct vkr_draw_pipeline vkr_draw_pipeline(const struct vkr_walk_state *state)
{
	const struct vkr_pipeline *pipeline = state->points[VKR_WALK_GRAPHICS].pipeline;
	struct vkr_draw_pipeline of = {.state = state};
	if (pipeline == NULL)
		return of;
	of.graphics = pipeline->graphics;
	for (uint32_t at = 0; at < pipeline->shader_count; at++) {
		if (pipeline->shaders[at]->stage == VK_SHADER_STAGE_FRAGMENT_BIT)
			of.fragments = pipeline->shaders[at];
		of.has_layers |= pipeline->shaders[at]->flags & VKR_SHADER_LAYERS;
	}
	return of;
}

bool vkr_draw_discards(const struct vkr_draw_pipeline *of)
{
	return of->graphics != NULL && !(of->graphics->flags & VKR_GRAPHICS_UNKNOWN) &&
	       state_of(of, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, 0,
			of->graphics->flags & VKR_GRAPHICS_RASTERIZER_DISCARD) == KNOWN_ON;
}

bool vkr_draw_tests_early(const struct vkr_draw_pipeline *of)
{
	return of->fragments != NULL && of->fragments->flags & VKR_SHADER_EARLY;
}

// ---- Tests --------------------------------------------------------------------------------------

static enum known depth_test(const struct vkr_draw_pipeline *of)
{
	return state_of(of, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, 0,
			of->graphics->flags & VKR_GRAPHICS_DEPTH_TEST);
}

static enum known bounds_test(const struct vkr_draw_pipeline *of)
{
	return state_of(of, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE, 0,
			of->graphics->flags & VKR_GRAPHICS_DEPTH_BOUNDS_TEST);
}

static enum known stencil_test(const struct vkr_draw_pipeline *of)
{
	return state_of(of, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, 0,
			of->graphics->flags & VKR_GRAPHICS_STENCIL_TEST);
}

// Whether fragments may fail the test.
static bool depth_fails(const struct vkr_draw_pipeline *of)
{
	return depth_test(of) != KNOWN_OFF &&
	       (!(of->graphics->flags & VKR_GRAPHICS_DEPTH_ALWAYS) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_DEPTH_COMPARE_OP));
}

static bool stencil_fails(const struct vkr_draw_pipeline *of)
{
	return stencil_test(of) != KNOWN_OFF &&
	       (!(of->graphics->flags & VKR_GRAPHICS_STENCIL_ALWAYS) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_OP));
}

static bool any_fails(const struct vkr_draw_pipeline *of)
{
	return depth_fails(of) || stencil_fails(of) || bounds_test(of) != KNOWN_OFF;
}

// Whether a fragment that is known of may not come through all tests.
static bool tests_decide(const struct vkr_draw_pipeline *of)
{
	return !vkr_draw_tests_early(of) && any_fails(of);
}

// Whether fragments may fail tests before they are shaded.
static bool leaves_unshaded(const struct vkr_draw_pipeline *of)
{
	return vkr_draw_tests_early(of) && any_fails(of);
}

static bool may_write_stencil(const struct vkr_draw_pipeline *of)
{
	bool mask = false, operation = false;
	for (uint32_t face = 0; face < 2; face++)
		mask |= state_of(of, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, face, true) != KNOWN_OFF;
	for (uint32_t at = 0; at < 6; at++) // VK_STENCIL_OP_KEEP is 0
		operation |= state_of(of, VK_DYNAMIC_STATE_STENCIL_OP, at, true) != KNOWN_OFF;
	return mask && operation;
}

// ---- Attachments --------------------------------------------------------------------------------

static struct vkr_draw_effect color_effect(const struct vkr_draw_pipeline *of, uint32_t index)
{
	const struct vkr_graphics *graphics = of->graphics;
	const bool known = index < graphics->blend_count;
	const enum known blends = draw_effects_either(
		state_of(of, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, index,
			 known && graphics->blend[index].flags & VKR_BLEND_ENABLED),
		state_of(of, VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT, 0,
			 graphics->flags & VKR_GRAPHICS_LOGIC_OP));
	const enum known writes = draw_effects_both(
		state_of(of, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, index,
			 known && graphics->blend[index].write_mask != 0),
		state_of(of, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, index, true));
	// For shader objects it is unknown which outputs have no attachment.
	const bool comes = known && !tests_decide(of);
	if (known && graphics->blend[index].flags & VKR_BLEND_NO_LOCATION)
		return (struct vkr_draw_effect){0};
	return (struct vkr_draw_effect){.reads = blends != KNOWN_OFF && writes != KNOWN_OFF,
					.writes = writes != KNOWN_OFF,
					.surely_reads =
						blends == KNOWN_ON && writes == KNOWN_ON && comes,
					.surely_writes = writes == KNOWN_ON && comes};
}

// Depth bounds are tested first, then the stencil, then depth ("Fragment Operations"). Flags that
// hold for two states together say nothing of the one where the other is dynamic.
static struct vkr_draw_effect depth_effect(const struct vkr_draw_pipeline *of)
{
	const uint32_t flags = of->graphics->flags;
	const bool fixed = vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE) ||
			   flags & VKR_GRAPHICS_DEPTH_WRITE;
	const enum known test = depth_test(of), bounds = bounds_test(of);
	const enum known writes = draw_effects_both(
		test, state_of(of, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, 0, fixed));
	const bool comes = vkr_draw_tests_early(of) || (!stencil_fails(of) && bounds == KNOWN_OFF);
	return (struct vkr_draw_effect){.reads = test != KNOWN_OFF || bounds != KNOWN_OFF,
					.writes = writes != KNOWN_OFF,
					.surely_reads =
						bounds == KNOWN_ON || (test == KNOWN_ON && comes),
					.surely_writes = writes == KNOWN_ON && !tests_decide(of),
					.unshaded_reads = leaves_unshaded(of)};
}

// What a fragment does to the stencil depends on the tests' outcome and on its face.
static struct vkr_draw_effect stencil_effect(const struct vkr_draw_pipeline *of)
{
	const enum known test = stencil_test(of);
	const bool any_set =
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_WRITE_MASK) ||
		vkr_graphics_dynamic(of->graphics, VK_DYNAMIC_STATE_STENCIL_OP);
	const bool writes = any_set ? may_write_stencil(of)
				    : (of->graphics->flags & VKR_GRAPHICS_STENCIL_WRITE) != 0;
	return (struct vkr_draw_effect){
		.reads = test != KNOWN_OFF,
		.writes = test != KNOWN_OFF && writes,
		.surely_reads = test == KNOWN_ON &&
				(vkr_draw_tests_early(of) || bounds_test(of) == KNOWN_OFF),
		.unshaded_reads = leaves_unshaded(of),
		.unshaded_writes = test != KNOWN_OFF && writes && leaves_unshaded(of)};
}

struct vkr_draw_effect vkr_draw_effect(const struct vkr_draw_pipeline *of,
				       const struct vkr_attachment_use *use)
{
	struct vkr_draw_effect effect = {false};
	if (use->role != VKR_ATTACHMENT_COLOR && use->role != VKR_ATTACHMENT_DEPTH_STENCIL)
		return effect;
	if (of->graphics == NULL || (of->graphics->flags & VKR_GRAPHICS_UNKNOWN))
		effect = (struct vkr_draw_effect){.reads = true, .writes = true};
	else if (vkr_draw_discards(of))
		return effect;
	else if (use->role == VKR_ATTACHMENT_COLOR)
		effect = color_effect(of, use->index);
	else if (use->aspects & VK_IMAGE_ASPECT_DEPTH_BIT)
		effect = depth_effect(of);
	else
		effect = stencil_effect(of);
	effect.writes &= !use->read_only;
	effect.surely_writes &= !use->read_only;
	effect.unshaded_writes &= !use->read_only;
	return effect;
}
