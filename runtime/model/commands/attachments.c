// SPDX-License-Identifier: Apache-2.0
// What rendering does to its attachments outside of shaders: accesses of load, store and resolve
// operations and of clears. Knows one subpass at a time; which uses it has is attachment_uses.c's.
#include "attachments.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "pass_scopes.h"

// The views, or layers, of a subpass as a mask, for what is described view by view. Without
// multiview there is one bit, which stands for all layers.
static bool is_multiview(const struct vkr_walk_pass *pass)
{
	return pass->view_mask != 0;
}

static enum vkr_result add_layers(struct vkr_walk *walk, const struct vkr_image_view *view,
				  uint32_t aspects, uint32_t first, uint32_t count,
				  const struct vkr_trace_clear_rectangle *area)
{
	struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_image *image = view->image;
	const uint32_t most = view->subresources.layer_count;
	if (first >= most)
		return VKR_OK;
	if (count > most - first)
		count = most - first;
	struct vkr_image_region region = {
		.aspects = aspects,
		.mip = view->subresources.first_mip,
		.first_layer = view->subresources.first_layer + first,
		.layer_count = count,
		.offset = {area->x, area->y, 0},
		.extent = {area->width, area->height, 1},
	};
	if (image->type == VK_IMAGE_TYPE_3D) { // its layers are slices
		region.offset[2] = region.first_layer;
		region.extent[2] = count;
		region.first_layer = 0;
		region.layer_count = 1;
	}
	return vkr_image_add_region(image, &region, &pass->locations)
		       ? VKR_OK
		       : vkr_error_memory(walk->error, "an attachment");
}

// The texels of an area in some views, or in all layers.
static enum vkr_result add_views(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				 uint32_t views, const struct vkr_trace_clear_rectangle *area)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = VKR_OK;
	if (!is_multiview(pass))
		return add_layers(walk, use->view, use->aspects, 0, pass->layer_count, area);
	for (uint32_t at = 0; at < 32 && result == VKR_OK; at++)
		if (views >> at & 1)
			result = add_layers(walk, use->view, use->aspects, at, 1, area);
	return result;
}

enum vkr_result vkr_attachments_area(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				     uint32_t views)
{
	walk->pass.locations.count = 0;
	return add_views(walk, use, views, &walk->pass.area);
}

// The texels of these views around the render area.
static enum vkr_result add_surroundings(struct vkr_walk *walk, const struct vkr_attachment_use *use,
					uint32_t views)
{
	const struct vkr_trace_clear_rectangle *area = &walk->pass.area;
	const struct vkr_image *image = use->view->image;
	const uint32_t mip = use->view->subresources.first_mip;
	const uint32_t width = image->extent[0] >> mip > 0 ? image->extent[0] >> mip : 1;
	const uint32_t height = image->extent[1] >> mip > 0 ? image->extent[1] >> mip : 1;
	const uint32_t right = area->x + area->width, below = area->y + area->height;
	const struct vkr_trace_clear_rectangle around[] = {
		{.width = width, .height = area->y},
		{.y = area->y, .width = area->x, .height = area->height},
		{.x = right, .y = area->y, .width = width - right, .height = area->height},
		{.y = below, .width = width, .height = height - below},
	};
	enum vkr_result result = VKR_OK;
	walk->pass.locations.count = 0;
	if (right > width || below > height)
		return VKR_OK; // nothing that the specification allows
	for (size_t at = 0; at < sizeof around / sizeof *around && result == VKR_OK; at++)
		if (around[at].width > 0 && around[at].height > 0)
			result = add_views(walk, use, views, &around[at]);
	return result;
}

static bool is_color(const struct vkr_attachment_use *use)
{
	return !(use->aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT));
}

// What one command does to attachments.
struct operation {
	uint32_t command; // the engine's
	struct vkr_command_info *info;
	enum vkr_command_site site;
	const char *name;
	bool late;         // depth and stencil: in late fragment tests
	bool lasts;        // later writes of its subpass in other stages do not take its place
	const char *doubt; // where it is only possible
};

static bool operation_writes(const struct operation *of)
{
	return of->site != VKR_COMMAND_LOAD && of->site != VKR_COMMAND_RESOLVE_SOURCE;
}

// An access to what is in pass->locations. Color attachments are accessed in one stage; of depth
// and stencil, load operations are early and store operations late fragment tests
// (VkAttachmentDescription).
static enum vkr_result access_attachment(struct vkr_walk *walk,
					 const struct vkr_attachment_use *use,
					 const struct operation *of, bool possible)
{
	const enum vkr_command_site site = of->site;
	const bool write = operation_writes(of);
	// Resolves of depth and stencil are the color stage's too ("Render Pass Resolve
	// Operations").
	const bool color =
		is_color(use) || site == VKR_COMMAND_RESOLVE || site == VKR_COMMAND_RESOLVE_SOURCE;
	struct vkr_walk_access access = {.command = of->command,
					 .info = of->info,
					 .site = possible ? 0 : site,
					 .image = use->view->image,
					 .attachment = use->view,
					 .write = write,
					 .possible = possible,
					 .doubt = of->doubt,
					 .any_time = site == VKR_COMMAND_RESOLVE,
					 .store = site == VKR_COMMAND_STORE,
					 .lasts = of->lasts,
					 .operation = of->name};
	if (color) {
		access.stage = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
		access.access = write ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT
				      : VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
	} else {
		access.stage = of->late ? VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT
					: VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT;
		access.access = write ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
				      : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
	}
	return vkr_walk_access_image(walk, &access, &walk->pass.locations);
}

// The render area of the aspects that are written back with an attachment's.
static enum vkr_result access_beside(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				     const struct operation *of, uint32_t views)
{
	struct vkr_attachment_use other = *use;
	struct operation doubtful = *of;
	other.aspects = use->beside;
	doubtful.doubt = "a device may write depth and stencil together, unless one of them is in "
			 "a read-only layout, or separateDepthStencilAttachmentAccess is enabled";
	const enum vkr_result result = vkr_attachments_area(walk, &other, views);
	return result == VKR_OK ? access_attachment(walk, &other, &doubtful, true) : result;
}

// An operation on the render area in some views. One that writes may read and write back whatever
// else is in the image subresource, but where a feedback loop is enabled ("Render Pass Load
// Operations", "Render Pass Store Operations"), and the other aspect with it.
static enum vkr_result access_area(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				   const struct operation *of, uint32_t views)
{
	enum vkr_result result = vkr_attachments_area(walk, use, views);
	if (result == VKR_OK)
		result = access_attachment(walk, use, of, false);
	if (result != VKR_OK || !operation_writes(of) || use->feedback)
		return result;
	struct operation doubtful = *of;
	doubtful.doubt =
		"it may write back texels around the render area, unless that is the whole image";
	result = add_surroundings(walk, use, views);
	if (result == VKR_OK && walk->pass.locations.count > 0)
		result = access_attachment(walk, use, &doubtful, true);
	return result == VKR_OK && use->beside != 0 ? access_beside(walk, use, of, views) : result;
}

// ---- Order within the pass ----------------------------------------------------------------------

#define ATTACHMENT_READS                                                                           \
	(VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |   \
	 VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)

// The stage that an attachment is loaded in, or stored in.
static uint64_t operation_stage(const struct vkr_attachment_use *use, bool store)
{
	return is_color(use) ? VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT
	       : store       ? VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT
			     : VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT;
}

// A load operation is before all of its subpass's reads as input attachment, a store operation
// after all of the last one's (VkAttachmentDescription): `from` and `to` are the one's stage and
// the other's. The order is given for the attachment's memory; in execution alone it reaches
// further than the specification's.
static enum vkr_result order_input(struct vkr_walk *walk, uint64_t from, uint64_t to)
{
	const struct vkr_locations *locations = &walk->pass.locations;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < locations->count && result == VKR_OK; at++) {
		const struct vkr_engine_barrier_access access = {
			.source_stages = from,
			.source_accesses = VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
					   VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
			.destination_stages = to,
			.destination_accesses = ATTACHMENT_READS,
			.memory = locations->items[at].memory->id,
			.offset = locations->items[at].offset,
			.bytes = locations->items[at].bytes};
		const struct vkr_engine_dependency dependency = {.source_stages = from,
								 .destination_stages = to,
								 .accesses = &access,
								 .access_count = 1};
		result = vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, 0,
						 &dependency, 1, walk->error);
	}
	return result;
}

// ---- What was written ---------------------------------------------------------------------------

static struct vkr_written_attachment *find_written(const struct vkr_walk_pass *pass,
						   const struct vkr_attachment_use *use)
{
	for (size_t at = 0; at < pass->written.count; at++)
		if (pass->written.items[at].view == use->view &&
		    pass->written.items[at].aspects == use->aspects)
			return &pass->written.items[at];
	return NULL;
}

enum vkr_result vkr_attachments_wrote(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				      bool surely)
{
	struct vkr_walk_pass *pass = &walk->pass;
	struct vkr_written_attachment *written = find_written(pass, use);
	if (written == NULL) {
		if (!VKR_ARRAY_RESERVE(&pass->written, 1))
			return vkr_error_memory(walk->error, "attachments");
		written = &pass->written.items[pass->written.count++];
		*written = (struct vkr_written_attachment){use->view, use->aspects, false};
	}
	written->surely |= surely;
	return VKR_OK;
}

bool vkr_attachments_surely_wrote(const struct vkr_walk_pass *pass,
				  const struct vkr_attachment_use *use)
{
	const struct vkr_written_attachment *written = find_written(pass, use);
	return written != NULL && written->surely;
}

// ---- Operations ---------------------------------------------------------------------------------

// What a load operation does; site 0: nothing (VK_ATTACHMENT_LOAD_OP_NONE).
static struct operation load_operation(uint32_t load)
{
	switch (load) {
	case VK_ATTACHMENT_LOAD_OP_LOAD:
		return (struct operation){.site = VKR_COMMAND_LOAD, .name = "attachment load"};
	case VK_ATTACHMENT_LOAD_OP_CLEAR:
		return (struct operation){.site = VKR_COMMAND_CLEAR, .name = "attachment clear"};
	case VK_ATTACHMENT_LOAD_OP_DONT_CARE:
		return (struct operation){.site = VKR_COMMAND_CLEAR, .name = "attachment discard"};
	default:
		return (struct operation){0};
	}
}

// Where there is no load operation, there is no such order.
static enum vkr_result order_loaded(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	if (load_operation(use->load).site == 0)
		return VKR_OK;
	const enum vkr_result result = vkr_attachments_area(walk, use, use->load_views);
	return result == VKR_OK ? order_input(walk, operation_stage(use, false),
					      VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT)
				: result;
}

static enum vkr_result load_attachment(struct vkr_walk *walk, struct vkr_attachment_use *use,
				       struct vkr_command_info *info)
{
	struct operation of = load_operation(use->load);
	of.command = use->loads;
	of.info = info;
	enum vkr_result result = access_area(walk, use, &of, use->load_views);
	if (of.site == VKR_COMMAND_CLEAR)
		use->cleared_at = vkr_attachments_now(walk);
	if (result == VKR_OK && use->load == VK_ATTACHMENT_LOAD_OP_CLEAR)
		result = vkr_attachments_wrote(walk, use, true);
	return result == VKR_OK && use->input ? order_loaded(walk, use) : result;
}

enum vkr_result vkr_attachments_read(struct vkr_walk *walk)
{
	struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		if (!use->perhaps || use->input)
			continue;
		use->input = true;
		result = order_loaded(walk, use);
	}
	return result;
}

static bool is_loaded(const struct vkr_walk_pass *pass, const struct vkr_attachment_use *use)
{
	return use->load_views != 0 && !(pass->flags & VK_RENDERING_RESUMING_BIT) &&
	       load_operation(use->load).site != 0;
}

// Makes what is visible to a load operation's reads of depth and stencil, in early fragment tests,
// visible to the reads of late ones.
static enum vkr_result show_late_tests(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	const struct vkr_image *image = use->view->image;
	struct vkr_engine_barrier_access accesses[VKR_IMAGE_PLANES];
	struct vkr_engine_dependency dependency = {
		.source_stages = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
		.destination_stages = VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
		.local = VKR_ENGINE_BY_REGION | VKR_ENGINE_BY_VIEW,
		.accesses = accesses};
	for (uint32_t at = 0; at < image->plane_count; at++) {
		const struct vkr_image_plane *plane = &image->planes[at];
		if (plane->memory != NULL)
			accesses[dependency.access_count++] = (struct vkr_engine_barrier_access){
				.destination_accesses =
					VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
				.memory = plane->memory->id,
				.offset = plane->offset,
				.bytes = plane->bytes};
	}
	return vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, 0, &dependency,
				       1, walk->error);
}

enum vkr_result vkr_attachments_load(struct vkr_walk *walk, struct vkr_command_info *info)
{
	struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = VKR_OK;
	uint32_t common = 0;
	if (walk->subpass == 0 && !(pass->flags & VK_RENDERING_RESUMING_BIT))
		pass->written.count = 0;
	// All commands before the first access: none changes what is known to another.
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		if (is_loaded(pass, use))
			result = vkr_pass_operation(walk, use, VKR_PASS_LOAD, info, &common,
						    &use->loads);
	}
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		if (is_loaded(pass, use) && use->load == VK_ATTACHMENT_LOAD_OP_LOAD &&
		    !is_color(use))
			result = show_late_tests(walk, use);
	}
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		if (is_loaded(pass, use))
			result = load_attachment(walk, use, info);
	}
	if (common != 0)
		vkr_engine_command_end(walk->model->engine, common);
	return result;
}

// A resolve reads the whole area of the attachment that is resolved, and writes that of the other.
static enum vkr_result attachments_resolve(struct vkr_walk *walk,
					   const struct vkr_attachment_use *use, uint32_t command,
					   struct vkr_command_info *info)
{
	const bool source =
		use->role == VKR_ATTACHMENT_COLOR || use->role == VKR_ATTACHMENT_DEPTH_STENCIL;
	const struct operation of = {.command = command,
				     .info = info,
				     .site = source ? VKR_COMMAND_RESOLVE_SOURCE
						    : VKR_COMMAND_RESOLVE,
				     .name = source ? "resolve source" : "resolve"};
	const enum vkr_result result = access_area(walk, use, &of, walk->pass.view_mask);
	// Onto itself it brings no values that were not written before.
	if (result != VKR_OK || source || use->itself)
		return result;
	return vkr_attachments_wrote(walk, use, true);
}

// Whether a store operation accesses the attachment. VK_ATTACHMENT_STORE_OP_NONE accesses nothing
// unless values were written in the render pass instance; then it acts like
// VK_ATTACHMENT_STORE_OP_DONT_CARE (VkAttachmentStoreOp). Any other one may write even what is only
// read ("Common Render Pass Data Races").
static bool is_stored(const struct vkr_walk_pass *pass, const struct vkr_attachment_use *use,
		      bool *possible)
{
	const struct vkr_written_attachment *written = find_written(pass, use);
	*possible = use->read_only;
	if (use->read_only || vkr_attachments_stores(use))
		return vkr_attachments_stores(use);
	*possible = written != NULL && !written->surely;
	return written != NULL;
}

// The operation on the render area, surely or perhaps.
static enum vkr_result store_area(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				  const struct operation *of, bool possible)
{
	if (!possible)
		return access_area(walk, use, of, use->store_views);
	struct operation doubtful = *of;
	doubtful.doubt = use->read_only
				 ? "a store operation may write what was only read; "
				   "VK_ATTACHMENT_STORE_OP_NONE does not"
				 : "VK_ATTACHMENT_STORE_OP_NONE writes where draws have written, "
				   "and whether they have is not known";
	const enum vkr_result result = vkr_attachments_area(walk, use, use->store_views);
	return result == VKR_OK ? access_attachment(walk, use, &doubtful, true) : result;
}

static enum vkr_result store_attachment(struct vkr_walk *walk, const struct vkr_attachment_use *use,
					uint32_t command, struct vkr_command_info *info)
{
	const struct operation of = {.command = command,
				     .info = info,
				     .site = VKR_COMMAND_STORE,
				     .name = use->store == VK_ATTACHMENT_STORE_OP_STORE
						     ? "attachment store"
						     : "attachment discard",
				     .late = true};
	bool possible = false;
	return is_stored(&walk->pass, use, &possible) ? store_area(walk, use, &of, possible)
						      : VKR_OK;
}

// After what its fragments have read. Where nothing is stored there is no such order, and what
// comes after the pass must wait for FRAGMENT_SHADER: EARLY_FRAGMENT_TESTS is before it ("Fragment
// Operations"; docs/render_passes.md).
static enum vkr_result order_stored(struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	bool possible = false;
	if (!is_stored(&walk->pass, use, &possible))
		return VKR_OK;
	const enum vkr_result result = vkr_attachments_area(walk, use, use->store_views);
	return result == VKR_OK ? order_input(walk, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
					      operation_stage(use, true))
				: result;
}

static enum vkr_result resolve_all(struct vkr_walk *walk, struct vkr_command_info *info)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	uint32_t common = 0, command = 0;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		if (!use->resolved)
			continue;
		result = vkr_pass_operation(walk, use, VKR_PASS_RESOLVE, info, &common, &command);
		if (result == VKR_OK)
			result = attachments_resolve(walk, use, command, info);
	}
	if (common != 0)
		vkr_engine_command_end(walk->model->engine, common);
	return result;
}

// Resolves and stores are after all of the subpass, barriers within it, too: commands of their
// own.
enum vkr_result vkr_attachments_store(struct vkr_walk *walk, struct vkr_command_info *info)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	uint32_t common = 0, command = 0;
	if (pass->flags & VK_RENDERING_SUSPENDING_BIT)
		return VKR_OK;
	enum vkr_result result = resolve_all(walk, info);
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++)
		if (pass->uses.items[at].store_views != 0 && pass->uses.items[at].input)
			result = order_stored(walk, &pass->uses.items[at]);
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		const struct vkr_attachment_use *use = &pass->uses.items[at];
		if (use->store_views == 0)
			continue;
		result = vkr_pass_operation(walk, use, VKR_PASS_STORE, info, &common, &command);
		if (result == VKR_OK)
			result = store_attachment(walk, use, command, info);
	}
	if (common != 0)
		vkr_engine_command_end(walk->model->engine, common);
	return result;
}

// ---- Clears -------------------------------------------------------------------------------------

static bool is_cleared(const struct vkr_attachment_use *use, const struct vkr_trace_clear *clear)
{
	if (use->role == VKR_ATTACHMENT_COLOR)
		return (clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT) && use->index == clear->index;
	return use->role == VKR_ATTACHMENT_DEPTH_STENCIL && (use->aspects & clear->aspects) != 0;
}

static enum vkr_result clear_area(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				  const struct vkr_trace_clear_rectangle *area)
{
	const struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = VKR_OK;
	if (!is_multiview(pass))
		return add_layers(walk, use->view, use->aspects, area->first_layer,
				  area->layer_count, area);
	for (uint32_t at = 0; at < 32 && result == VKR_OK; at++)
		if (pass->view_mask >> at & 1)
			result = add_layers(walk, use->view, use->aspects, at, 1, area);
	return result;
}

static enum vkr_result clear_use(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				 const struct vkr_trace_clear_rectangle *areas, uint32_t count,
				 const struct operation *of)
{
	struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = vkr_attachments_wrote(walk, use, !walk->conditional);
	if (walk->conditional)
		return result;
	pass->locations.count = 0;
	for (uint32_t area = 0; area < count && result == VKR_OK; area++)
		result = clear_area(walk, use, &areas[area]);
	if (result == VKR_OK)
		result = access_attachment(walk, use, of, false);
	if (result != VKR_OK || is_color(use))
		return result;
	const struct operation late = {.command = of->command,
				       .info = of->info,
				       .site = VKR_COMMAND_CLEAR_LATE,
				       .name = of->name,
				       .late = true,
				       .lasts = true};
	return access_attachment(walk, use, &late, false);
}

// A clear is part of the attachment's rasterization order; of depth and stencil its writes are both
// early and late tests' ("Clearing Images Inside a Render Pass Instance"). What reads the
// attachment as input is in no order with it, other than with load operations.
enum vkr_result vkr_attachments_clear(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_clear_attachments *command = vkr_event_payload(event);
	const struct vkr_trace_clear *clears = (const void *)(command + 1);
	const struct vkr_trace_clear_rectangle *areas =
		(const void *)(clears + command->clear_count);
	const struct vkr_command_info like = {.name = "vkCmdClearAttachments"};
	struct vkr_walk_pass *pass = &walk->pass;
	struct operation of = {.info = vkr_walk_info(walk, command->command,
						     VKR_TRACE_CMD_CLEAR_ATTACHMENTS, &like),
			       .site = VKR_COMMAND_CLEAR,
			       .name = "attachment clear",
			       .lasts = true};
	enum vkr_result result = vkr_walk_begin_command(walk, of.info, &of.command);
	if (result == VKR_OK && walk->conditional)
		result = vkr_walk_may_have_run(walk, like.name, "its clears");
	for (uint32_t clear = 0; clear < command->clear_count; clear++)
		for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++)
			if (is_cleared(&pass->uses.items[at], &clears[clear]))
				result = clear_use(walk, &pass->uses.items[at], areas,
						   command->rectangle_count, &of);
	if (of.command != 0)
		vkr_engine_command_end(walk->model->engine, of.command);
	return result;
}

enum vkr_result vkr_attachments_access(struct vkr_walk *walk, struct vkr_walk_access *access)
{
	enum vkr_result result = vkr_walk_begin_command(walk, walk->info, &access->command);
	if (result != VKR_OK)
		return result;
	result = vkr_walk_access_image(walk, access, &walk->pass.locations);
	vkr_engine_command_end(walk->model->engine, access->command);
	return result;
}
