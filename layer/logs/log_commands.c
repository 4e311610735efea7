// SPDX-License-Identifier: Apache-2.0
// How a command that logs finds its block, and where the log is drained so that it fits.
// Knows command buffers and tracks; not what commands do.
#include "log_commands.h"

#include "fragment_facts.h"
#include "record.h"

#include <string.h>

// How many words an invocation logs where that is not known: some tens of accesses in a loop.
#define UNKNOWN_WORDS UINT64_C(256)

// The place of a block for the next command, NULL: one that logs nothing. `tail`: what is to stand
// behind it, besides the address of push data.
static struct vkr_block_place find_place(struct vkr_layer_command_buffer *buffer,
					 const struct vkr_layer_pipeline_layout *layout,
					 const struct vkr_gpu_block *block,
					 struct vkr_block_tail tail)
{
	static const struct vkr_gpu_block quiet;
	const struct vkr_block_place nowhere = vkr_track_no_block(buffer->device);
	struct vkr_block_place place = nowhere;
	const bool has_pushed =
		layout->way != VKR_BLOCK_HEAP || vkr_push_data_copy(buffer, &tail.pushed);
	if (!block && !tail.pushed && has_pushed)
		return nowhere;
	if (!has_pushed || !buffer->track ||
	    !vkr_track_block(buffer->track, block ? block : &quiet, layout->way == VKR_BLOCK_SET,
			     &tail, &place)) {
		buffer->push_data.lacks_copy |= tail.pushed != 0;
		vkr_record_no_memory("a command's block: it is not observed");
	} else if (!block) {
		memcpy(place.addresses.cell, nowhere.addresses.cell, sizeof place.addresses.cell);
	}
	return place;
}

// Tells the pipeline where its block is.
static void lead_to_block(struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point,
			  const struct vkr_layer_pipeline_layout *layout,
			  const struct vkr_block_place *place)
{
	const struct vkr_device_table *next = &buffer->device->next;
	const struct vkr_block_push *push =
		point == VK_PIPELINE_BIND_POINT_COMPUTE ? &layout->compute : &layout->others;
	buffer->quiet = VK_NULL_HANDLE;
	buffer->uses_heaps = layout->way == VKR_BLOCK_HEAP;
	if (buffer->uses_heaps)
		vkr_push_data_lead(buffer, &place->addresses);
	else if (layout->way == VKR_BLOCK_PUSH)
		next->CmdPushConstants(buffer->handle, layout->own, push->stages, push->offset,
				       VKR_PUSH_CONSTANT_BYTES, &place->addresses);
	else
		next->CmdBindDescriptorSets(buffer->handle, point, layout->own, layout->block_set,
					    1, &place->page->slab->set, 1, &place->offset);
}

static const struct vkr_block_tail none;

static const VkPipelineBindPoint points[] = {VK_PIPELINE_BIND_POINT_COMPUTE,
					     VK_PIPELINE_BIND_POINT_GRAPHICS,
					     VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR};

static const struct vkr_layer_pipeline *
log_commands_bound(const struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point)
{
	switch (point) {
	case VK_PIPELINE_BIND_POINT_COMPUTE:
		return buffer->compute;
	case VK_PIPELINE_BIND_POINT_GRAPHICS:
		return buffer->graphics;
	default:
		return buffer->rays;
	}
}

// How many marks each stage of a draw has, in *marks.
static void find_marks(struct vkr_layer_device *device, const struct vkr_layer_pipeline *pipeline,
		       uint32_t *marks)
{
	const uint32_t slot = vkr_draw_marks_slot(VK_SHADER_STAGE_FRAGMENT_BIT);
	memcpy(marks, pipeline->marks, sizeof pipeline->marks);
	if (marks[slot] && !vkr_fragments_are_alike(device))
		marks[slot] = 0;
}

void vkr_log_prepare_block(struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point,
			   const struct vkr_gpu_block *block)
{
	const struct vkr_layer_pipeline *pipeline = log_commands_bound(buffer, point);
	struct vkr_block_tail tail = {0};
	uint32_t marks[VKR_DRAW_STAGES];
	if (point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
		find_marks(buffer->device, pipeline, marks);
		tail.marks = marks;
	}
	const struct vkr_block_place place = find_place(buffer, pipeline->layout, block, tail);
	lead_to_block(buffer, point, pipeline->layout, &place);
}

void vkr_log_prepare_told(struct vkr_layer_command_buffer *buffer,
			  const struct vkr_gpu_block *block, const struct vkr_told *told)
{
	const struct vkr_layer_pipeline_layout *layout = buffer->compute->layout;
	const struct vkr_block_place place =
		find_place(buffer, layout, block, (struct vkr_block_tail){.told = *told});
	lead_to_block(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout, &place);
}

// Mesa's lavapipe (26) builds structures with dispatches of its own, after which it reads no more
// push constants than these had, until a pipeline is bound: the block's place would be 0.
void vkr_log_bind_again(const struct vkr_layer_command_buffer *buffer)
{
	for (size_t at = 0; buffer && at < sizeof points / sizeof *points; at++) {
		const struct vkr_layer_pipeline *pipeline = log_commands_bound(buffer, points[at]);
		if (pipeline && pipeline->logs && pipeline->layout->way == VKR_BLOCK_PUSH)
			buffer->device->next.CmdBindPipeline(buffer->handle, points[at],
							     pipeline->handle);
	}
}

// The bound pipeline of draws logs nothing in the next one. Of many such draws the first one has
// something to do.
static void lead_nowhere(struct vkr_layer_command_buffer *buffer)
{
	const struct vkr_layer_pipeline_layout *layout = buffer->graphics->layout;
	if (layout->way == VKR_BLOCK_PUSH && layout->own == buffer->quiet)
		return;
	const struct vkr_block_place place = find_place(buffer, layout, NULL, none);
	lead_to_block(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, &place);
	if (layout->way == VKR_BLOCK_PUSH)
		buffer->quiet = layout->own;
}

void vkr_command_unobserved(struct vkr_layer_command_buffer *buffer)
{
	for (size_t at = 0; at < sizeof points / sizeof *points; at++) {
		const struct vkr_layer_pipeline *pipeline = log_commands_bound(buffer, points[at]);
		// Push data of the other kind must be bound anew before use: the binding of this
		// kind's place would remove its state.
		if (pipeline && pipeline->logs &&
		    (pipeline->layout->way == VKR_BLOCK_HEAP) == buffer->uses_heaps) {
			const struct vkr_block_place place =
				find_place(buffer, pipeline->layout, NULL, none);
			lead_to_block(buffer, points[at], pipeline->layout, &place);
		}
	}
}

bool vkr_log_can_stop(const struct vkr_layer_command_buffer *buffer)
{
	return buffer->track && buffer->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
}

static void log_commands_stop(struct vkr_layer_command_buffer *buffer)
{
	if (!vkr_track_record_stop(buffer->track, buffer->handle))
		vkr_record_no_memory("an event: logs may overflow");
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t log_commands_product(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

void vkr_log_stop_for(struct vkr_layer_command_buffer *buffer, uint64_t words)
{
	const struct vkr_track *track = buffer->track;
	if (vkr_log_can_stop(buffer) && track->words &&
	    saturating_sum(track->words, words) > vkr_log_region_room(buffer->device))
		log_commands_stop(buffer);
}

bool vkr_log_has_room(const struct vkr_layer_command_buffer *buffer, const struct vkr_track *called)
{
	return !buffer->track || 2 * (buffer->track->column_log_pairs + called->column_log_pairs) <=
					 vkr_log_region_room(buffer->device);
}

void vkr_log_resume_pass(struct vkr_layer_command_buffer *buffer, uint64_t pixels)
{
	buffer->render_pass.is_open = true;
	buffer->render_pass.pixels = pixels;
	buffer->render_pass.words = 0;
}

void vkr_log_begin_pass(struct vkr_layer_command_buffer *buffer, uint64_t pixels)
{
	vkr_log_resume_pass(buffer, pixels);
	if (vkr_log_can_stop(buffer) &&
	    buffer->track->words > vkr_log_region_room(buffer->device) / 2)
		log_commands_stop(buffer);
}

void vkr_log_enter_subpass(struct vkr_layer_command_buffer *buffer, VkRenderPass pass,
			   uint32_t subpass)
{
	const struct vkr_layer_render_pass *of =
		vkr_handles_get(&buffer->device->objects.render_passes, VKR_KEY(pass));
	buffer->render_pass.handle = pass;
	buffer->render_pass.subpass = subpass;
	buffer->asked =
		of && subpass < of->subpass_count && of->subpass_uses[subpass] & VKR_SUBPASS_ALONE
			? VK_SHADER_STAGE_FRAGMENT_BIT
			: 0;
}

void vkr_log_end_pass(struct vkr_layer_command_buffer *buffer)
{
	buffer->asked = 0;
	buffer->render_pass.is_open = false;
	buffer->render_pass.pixels = 0;
	buffer->render_pass.words = 0;
}

static uint64_t words_each(uint32_t words)
{
	return words == UINT32_MAX ? UNKNOWN_WORDS : words;
}

// Whether some invocation of a draw with the pipeline may log.
static bool logs_draw(const struct vkr_layer_pipeline *pipeline, uint32_t asked)
{
	for (uint32_t slot = 0; slot < VKR_DRAW_STAGES; slot++)
		if (pipeline->marks[slot])
			return true;
	return pipeline->vertex_words || pipeline->fragment_words ||
	       (pipeline->asked_words && asked & VK_SHADER_STAGE_VERTEX_BIT) ||
	       (pipeline->asked_fragment_words && asked & VK_SHADER_STAGE_FRAGMENT_BIT);
}

void vkr_log_draw(struct vkr_layer_command_buffer *buffer, uint32_t command, uint64_t vertices,
		  uint32_t asked)
{
	const struct vkr_layer_pipeline *pipeline = buffer->graphics;
	if (!pipeline || !pipeline->logs) {
		vkr_push_data_leave(buffer);
		return;
	}
	if (pipeline->left_out || !logs_draw(pipeline, asked)) {
		lead_nowhere(buffer);
		return;
	}
	vkr_log_prepare_block(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS,
			      &(struct vkr_gpu_block){.command = command, .room = asked});
	if (!buffer->track)
		return;
	uint64_t each = words_each(pipeline->vertex_words);
	uint64_t each_fragment = words_each(pipeline->fragment_words);
	if (asked & VK_SHADER_STAGE_VERTEX_BIT)
		each = saturating_sum(each, words_each(pipeline->asked_words));
	if (asked & VK_SHADER_STAGE_FRAGMENT_BIT)
		each_fragment =
			saturating_sum(each_fragment, words_each(pipeline->asked_fragment_words));
	// How many fragments there will be is not known: as many a pass as it has pixels.
	uint64_t fragments = log_commands_product(buffer->render_pass.pixels, each_fragment);
	uint64_t words = vertices == UINT64_MAX ? 0 : log_commands_product(vertices, each);
	if (fragments > buffer->render_pass.words) {
		words = saturating_sum(words, fragments - buffer->render_pass.words);
		buffer->render_pass.words = fragments;
	}
	buffer->track->words = saturating_sum(buffer->track->words, words);
}

void vkr_log_trace_rays(struct vkr_layer_command_buffer *buffer, uint32_t command,
			uint64_t launches)
{
	const struct vkr_layer_pipeline *pipeline = buffer->rays;
	if (!pipeline || !pipeline->logs) {
		vkr_push_data_leave(buffer);
		return;
	}
	if (pipeline->left_out) {
		vkr_log_prepare_block(buffer, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, NULL);
		return;
	}
	// How many shaders each launch calls is not known: each of the pipeline's once.
	const uint64_t words =
		launches == UINT64_MAX
			? vkr_log_region_room(buffer->device) / 2
			: log_commands_product(launches, words_each(pipeline->launch_words));
	if (buffer->track)
		vkr_log_stop_for(buffer, words);
	vkr_log_prepare_block(buffer, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
			      &(struct vkr_gpu_block){.command = command});
	if (buffer->track)
		buffer->track->words = saturating_sum(buffer->track->words, words);
}
