// SPDX-License-Identifier: Apache-2.0
// What draws read and write in attachments. Knows which of these accesses load and store operations
// stand for, and where the log says what fragments do; not how it was logged.
//
// Within a subpass, fixed-function accesses to an attachment are in rasterization order
// ("Rasterization Order"), with a load operation before and a store operation after them, which
// access all texels of the render area. A draw's access is left out if such an operation races with
// everything that the draw's access would race with. That is so if no dependency of another subpass
// includes only the operation and, for load operations against later accesses, only in the same
// stage. Depth and stencil are loaded in early fragment tests, and accessed in late ones by draws
// whose shader does not have EarlyFragmentTests ("Fragment Operations"). If the log has all
// fragments, they access their texels; these are may-accesses if tests and masks that cannot be
// observed decide on them. Otherwise any texel of the render area may be accessed.
#include "array.h"
#include "attachments.h"
#include "draw_effects.h"
#include "draw_logs.h"
#include "error.h"
#include "framebuffer_places.h"
#include "site_table.h"

// Whether load operations on the attachment are in the stage of the draw's accesses to it.
static bool is_loaded_in_stage(const struct vkr_draw_pipeline *of,
			       const struct vkr_attachment_use *use)
{
	return use->role == VKR_ATTACHMENT_COLOR || vkr_draw_tests_early(of);
}

static bool is_loaded(const struct vkr_attachment_use *use)
{
	return use->load_views != 0 && !use->load_apart &&
	       (use->load == VK_ATTACHMENT_LOAD_OP_LOAD ||
		use->load == VK_ATTACHMENT_LOAD_OP_CLEAR ||
		use->load == VK_ATTACHMENT_LOAD_OP_DONT_CARE);
}

static bool writes_by_load(const struct vkr_attachment_use *use)
{
	return is_loaded(use) && use->load != VK_ATTACHMENT_LOAD_OP_LOAD;
}

static bool writes_by_store(const struct vkr_attachment_use *use)
{
	return use->store_views != 0 && !use->store_apart && !use->read_only &&
	       vkr_attachments_stores(use);
}

// Whether draws' writes are to be judged. Where shaders of the subpass access the attachment, a
// store operation, which is after them, does not race as the draw does; a load operation does until
// a barrier.
static bool writes_alone(const struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
			 const struct vkr_attachment_use *use, struct vkr_draw_effect effect)
{
	const bool by_load = writes_by_load(use) && is_loaded_in_stage(of, use);
	if (!effect.writes)
		return false;
	return use->input && !use->perhaps ? true
	       : use->shared ? !by_load || use->cleared_at != vkr_attachments_now(walk)
			     : !by_load && !writes_by_store(use);
}

// Whether it depends on what the draw writes whether the store operation accesses anything.
static bool decides_store(const struct vkr_walk *walk, const struct vkr_attachment_use *use,
			  struct vkr_draw_effect effect)
{
	return effect.writes && !vkr_attachments_stores(use) &&
	       !vkr_attachments_surely_wrote(&walk->pass, use);
}

// A store operation is after whatever draws read, and writes: what comes later races with it. What
// was written before may be ordered with its write, and not be visible to draws: only a load
// operation has seen to that.
static bool reads_alone(const struct vkr_draw_pipeline *of, const struct vkr_attachment_use *use,
			struct vkr_draw_effect effect)
{
	return effect.reads &&
	       !(is_loaded(use) && (is_loaded_in_stage(of, use) || writes_by_store(use)));
}

// ---- Fragments ----------------------------------------------------------------------------------

// Whether the log has each fragment, and its layer in the attachments.
static bool logs_fragments(const struct vkr_walk *walk, const struct vkr_draw_pipeline *of)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_shader *shader = of->fragments;
	if (of->graphics == NULL || of->graphics->flags & VKR_GRAPHICS_UNKNOWN || shader == NULL ||
	    !(shader->flags & VKR_SHADER_INSTRUMENTED) || shader->sites == NULL ||
	    !(shader->sites->identity & VKR_IDENTITY_FRAGMENT) ||
	    !vkr_draw_logs_all(&walk->model->draw_logs, shader) ||
	    vkr_framebuffer_coarse(walk->model))
		return false;
	if ((pass->view_mask & (pass->view_mask - 1)) != 0)
		return shader->sites->identity & VKR_IDENTITY_VIEW;
	return pass->layer_count <= 1 || !of->has_layers ||
	       shader->sites->identity & VKR_IDENTITY_LAYER;
}

// ---- Texels -------------------------------------------------------------------------------------

// What is accessed of the pixels of a draw.
struct accessed {
	struct vkr_walk *walk;
	const struct vkr_attachment_use *use;
	bool by_sample; // those samples alone that fragments leave
	bool discarded; // pixels that no fragment leaves anything in, too
};

static bool is_accessed(const struct accessed *of, const struct vkr_draw_pixel *pixel)
{
	return pixel->samples != 0 || of->discarded;
}

// Whether all samples of the pixel are accessed.
static bool is_whole(const struct accessed *of, const struct vkr_draw_pixel *pixel)
{
	const uint32_t samples = of->use->view->image->samples;
	const uint32_t all = samples >= 32 ? UINT32_MAX : (1u << samples) - 1;
	return !of->by_sample || (pixel->samples & all) == all;
}

static bool add_samples(const struct accessed *of, const struct vkr_draw_pixel *pixel)
{
	struct vkr_locations *to = &of->walk->pass.locations;
	struct vkr_image_view view = *of->use->view;
	view.subresources.aspects &= of->use->aspects;
	for (uint32_t sample = 0; sample < view.image->samples && sample < 32; sample++) {
		const struct vkr_view_texel texel = {
			.x = pixel->x, .y = pixel->y, .z = pixel->layer, .sample = sample};
		struct vkr_location found[VKR_IMAGE_PLANES];
		if (!(pixel->samples >> sample & 1))
			continue;
		const uint32_t count = vkr_view_texel(&view, &texel, found);
		if (!VKR_ARRAY_RESERVE(to, count))
			return false;
		for (uint32_t at = 0; at < count; at++)
			to->items[to->count++] = found[at];
	}
	return true;
}

// `count` whole texels from a pixel on, in its row.
static bool add_row(const struct accessed *of, const struct vkr_draw_pixel *first, uint32_t count)
{
	const struct vkr_image_view *view = of->use->view;
	struct vkr_image_region region = {.aspects = of->use->aspects,
					  .mip = view->subresources.first_mip,
					  .first_layer =
						  view->subresources.first_layer + first->layer,
					  .layer_count = 1,
					  .offset = {first->x, first->y, 0},
					  .extent = {count, 1, 1}};
	if (view->image->type == VK_IMAGE_TYPE_3D) { // its layers are slices
		region.offset[2] = region.first_layer;
		region.first_layer = 0;
	}
	return first->layer >= view->subresources.layer_count ||
	       vkr_image_add_region(view->image, &region, &of->walk->pass.locations);
}

// The texels, by runs of neighbours in one row.
static enum vkr_result add_pixels(const struct accessed *of)
{
	const struct vkr_draw_logs *logs = &of->walk->model->draw_logs;
	bool added = true;
	of->walk->pass.locations.count = 0;
	for (size_t at = 0; at < logs->pixels.count && added;) {
		const struct vkr_draw_pixel *first = &logs->pixels.items[at++];
		uint32_t count = 1;
		if (!is_accessed(of, first))
			continue;
		if (!is_whole(of, first)) {
			added = add_samples(of, first);
			continue;
		}
		for (; at < logs->pixels.count; at++, count++) {
			const struct vkr_draw_pixel *next = &logs->pixels.items[at];
			if (next->layer != first->layer || next->y != first->y ||
			    next->x != first->x + count || !is_accessed(of, next) ||
			    !is_whole(of, next))
				break;
		}
		added = add_row(of, first, count);
	}
	return added ? VKR_OK : vkr_error_memory(of->walk->error, "an attachment");
}

// ---- Input in rasterization order ---------------------------------------------------------------

#define ATTACHMENT_STAGES                                                                          \
	(VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT |                                         \
	 VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT |                                            \
	 VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT)

static bool is_ordered(const struct vkr_draw_pipeline *of)
{
	return of->graphics != NULL && of->graphics->flags & VKR_GRAPHICS_ORDERED_INPUT;
}

// Whether the draw's fragments may read attachments as input.
static bool reads_input(const struct vkr_draw_pipeline *of)
{
	const struct vkr_site_table *table = of->fragments != NULL ? of->fragments->sites : NULL;
	if (table == NULL)
		return of->fragments != NULL;
	for (uint32_t at = 0; at < table->variable_count; at++)
		if (vkr_site_table_variables(table)[at].kind == VKR_VARIABLE_INPUT_ATTACHMENT)
			return true;
	return false;
}

// A draw's input reads see what earlier draws have written at the same pixel, as after a barrier of
// the subpass with itself (VK_EXT_rasterization_order_attachment_access).
static enum vkr_result order_draw(struct vkr_walk *walk)
{
	const struct vkr_engine_barrier_access access = {
		.source_accesses = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
				   VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
		.destination_accesses = VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT};
	const struct vkr_engine_dependency dependency = {
		.source_stages = ATTACHMENT_STAGES,
		.destination_stages = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
		.local = VKR_ENGINE_BY_REGION,
		.accesses = &access,
		.access_count = 1};
	return vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, 0, &dependency,
				       1, walk->error);
}

// Reports fragments of one draw at one pixel: which is first in rasterization order is unknown.
static enum vkr_result note_overlaps(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	const struct vkr_draw_logs *logs = &walk->model->draw_logs;
	for (size_t at = 0; at < logs->pixels.count; at++)
		if (logs->pixels.items[at].fragments > 1)
			return vkr_model_missed(
				walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"fragments of one draw are at one pixel of %s, which they read as "
				"input and write: the order between them is not judged",
				use->view->image->name);
	return VKR_OK;
}

// ---- Accesses -----------------------------------------------------------------------------------

// Whether a fragment certainly accesses its texel. Not if it may leave out samples in a way that
// cannot be observed: by a mask, by its alpha, or because the shader does not log it.
static bool is_sure(const struct vkr_draw_pipeline *of, const struct vkr_attachment_use *use)
{
	const bool tells = of->fragments->sites->identity & VKR_IDENTITY_END;
	const uint32_t flags = of->graphics->flags;
	if (flags & VKR_GRAPHICS_PARTIAL)
		return false;
	if ((flags & VKR_GRAPHICS_SAMPLES) != 0 && (!tells || use->view->image->samples == 1))
		return false;
	return tells || !(of->fragments->flags & VKR_SHADER_PARTIAL);
}

static void name_access(const struct vkr_draw_pipeline *of, const struct vkr_attachment_use *use,
			bool write, struct vkr_walk_access *access)
{
	access->write = write;
	access->operation = write ? "attachment write" : "attachment read";
	if (use->role == VKR_ATTACHMENT_COLOR) {
		access->stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
		access->access = write ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT
				       : VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
		return;
	}
	access->unshaded = vkr_draw_tests_early(of);
	access->stage = access->unshaded ? VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT
					 : VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
	access->access = write ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
			       : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
}

// Why it is not known what draws do, and what would make it sure.
#define TESTS_DECIDE                                                                               \
	"which fragments pass the tests is not observed; it would be certain with "                \
	"VK_COMPARE_OP_ALWAYS and no stencil or bounds test"
#define MASKS_DECIDE "which samples the sample mask, or alpha to coverage, leaves is not observed"
#define UNSHADED     "fragments that fail early tests are not observed: their shader does not run"
#define NOT_LOGGED                                                                                 \
	"where its fragments are is not observed; a fragment shader would log that, and it would " \
	"not matter if dependencies included EARLY_FRAGMENT_TESTS, LATE_FRAGMENT_TESTS and "       \
	"COLOR_ATTACHMENT_OUTPUT"

// The texels of the draw's fragments into pass.locations, and why the access to them is only
// possible, or NULL. sure: of a fragment that comes to its end it is not.
static enum vkr_result find_texels(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				   const struct vkr_attachment_use *use, bool sure,
				   const char **doubt)
{
	// Depth and stencil are written, or not, before a shader after the tests discards.
	const bool early = use->role != VKR_ATTACHMENT_COLOR && vkr_draw_tests_early(of);
	const struct accessed accessed = {.walk = walk,
					  .use = use,
					  .by_sample =
						  of->graphics->flags & VKR_GRAPHICS_SAMPLES &&
						  !early && use->view->image->samples > 1 &&
						  of->fragments->sites->identity & VKR_IDENTITY_END,
					  .discarded = early};
	const bool whole = early // of each sample that was covered
				   ? !(of->graphics->flags & VKR_GRAPHICS_SAMPLES)
				   : is_sure(of, use);
	*doubt = !sure ? TESTS_DECIDE : !whole ? MASKS_DECIDE : NULL;
	return add_pixels(&accessed);
}

static enum vkr_result access_attachment(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
					 const struct vkr_attachment_use *use, bool write,
					 const char *doubt)
{
	struct vkr_walk_access access = {.info = walk->info,
					 .image = use->view->image,
					 .attachment = use->view,
					 .possible = doubt != NULL,
					 .doubt = doubt};
	name_access(of, use, write, &access);
	return walk->pass.locations.count == 0 ? VKR_OK : vkr_attachments_access(walk, &access);
}

// A may-access of a draw to the whole render area, because where it accesses cannot be observed.
// While the order of commands does not change, one stands for those of later draws too.
static enum vkr_result may_access(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				  struct vkr_attachment_use *use, bool write, const char *doubt)
{
	struct vkr_walk_access access = {.info = walk->info,
					 .image = use->view->image,
					 .attachment = use->view,
					 .possible = true,
					 .doubt = doubt};
	const uint64_t now = vkr_attachments_now(walk);
	uint64_t *last = write ? &use->may_write_at : &use->may_read_at;
	if (*last == now)
		return VKR_OK;
	*last = now;
	name_access(of, use, write, &access);
	const enum vkr_result result = vkr_attachments_area(walk, use, walk->pass.view_mask);
	return result == VKR_OK ? vkr_attachments_access(walk, &access) : result;
}

static enum vkr_result read_pixels(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				   struct vkr_attachment_use *use, struct vkr_draw_effect effect)
{
	const char *doubt = NULL;
	enum vkr_result result = find_texels(walk, of, use, effect.surely_reads, &doubt);
	if (result == VKR_OK)
		result = access_attachment(walk, of, use, false, doubt);
	return result == VKR_OK && effect.unshaded_reads
		       ? may_access(walk, of, use, false, UNSHADED)
		       : result;
}

static enum vkr_result write_pixels(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				    struct vkr_attachment_use *use, struct vkr_draw_effect effect)
{
	const char *doubt = NULL;
	enum vkr_result result = find_texels(walk, of, use, effect.surely_writes, &doubt);
	if (result == VKR_OK && (walk->pass.locations.count > 0 || effect.unshaded_writes))
		result = vkr_attachments_wrote(walk, use,
					       walk->pass.locations.count > 0 && doubt == NULL);
	if (result != VKR_OK || !writes_alone(walk, of, use, effect))
		return result;
	result = access_attachment(walk, of, use, true, doubt);
	return result == VKR_OK && effect.unshaded_writes
		       ? may_access(walk, of, use, true, UNSHADED)
		       : result;
}

// What draws read and write if the log says where their fragments are; fragments that fail tests
// before they are shaded are not in it.
static enum vkr_result access_pixels(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				     struct vkr_attachment_use *use, struct vkr_draw_effect effect)
{
	enum vkr_result result = VKR_OK;
	if (reads_alone(of, use, effect))
		result = read_pixels(walk, of, use, effect);
	if (result == VKR_OK &&
	    (writes_alone(walk, of, use, effect) || decides_store(walk, use, effect)))
		result = write_pixels(walk, of, use, effect);
	if (result == VKR_OK && effect.writes && use->input && reads_input(of) && !is_ordered(of))
		result = note_overlaps(walk, use);
	return result;
}

// What draws read and write if the log does not say where their fragments are.
static enum vkr_result access_area(struct vkr_walk *walk, const struct vkr_draw_pipeline *of,
				   struct vkr_attachment_use *use, struct vkr_draw_effect effect)
{
	enum vkr_result result = VKR_OK;
	if (reads_alone(of, use, effect))
		result = may_access(walk, of, use, false, NOT_LOGGED);
	if (result == VKR_OK && effect.writes)
		result = vkr_attachments_wrote(walk, use, false);
	if (result == VKR_OK && writes_alone(walk, of, use, effect))
		result = may_access(walk, of, use, true, NOT_LOGGED);
	return result;
}

enum vkr_result vkr_attachments_drawn(struct vkr_walk *walk)
{
	struct vkr_walk_pass *pass = &walk->pass;
	struct vkr_draw_logs *logs = &walk->model->draw_logs;
	const struct vkr_draw_pipeline of = vkr_draw_pipeline(&vkr_walk_top(walk)->state);
	enum vkr_result result = VKR_OK;
	if (logs->wants_pixels)
		vkr_draw_logs_sort_pixels(logs);
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		const struct vkr_draw_effect effect = vkr_draw_effect(&of, use);
		if (vkr_attachments_is_rate(use->role)) {
			if (!vkr_draw_discards(&of))
				result = vkr_attachments_read_rate(walk, use);
			continue;
		}
		result = logs->wants_pixels ? access_pixels(walk, &of, use, effect)
					    : access_area(walk, &of, use, effect);
	}
	return result;
}

enum vkr_result vkr_attachments_draw(struct vkr_walk *walk)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_draw_pipeline of = vkr_draw_pipeline(&vkr_walk_top(walk)->state);
	enum vkr_result result = is_ordered(&of) ? order_draw(walk) : VKR_OK;
	if (result == VKR_OK && reads_input(&of))
		result = vkr_attachments_read(walk);
	if (!logs_fragments(walk, &of))
		return result;
	for (size_t at = 0; at < pass->uses.count; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		const struct vkr_draw_effect effect = vkr_draw_effect(&of, use);
		walk->model->draw_logs.wants_pixels |= writes_alone(walk, &of, use, effect) ||
						       reads_alone(&of, use, effect) ||
						       decides_store(walk, use, effect);
	}
	return result;
}
