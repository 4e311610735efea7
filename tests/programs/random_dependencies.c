// SPDX-License-Identifier: Apache-2.0
// Random barriers and events of a random program. Knows stages and accesses; not what is between.
#include "random_program.h"

struct scope {
	VkPipelineStageFlags stages;
	VkAccessFlags accesses;
};

#define WRITES                                                                                     \
	((uint32_t)VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT |                     \
	 VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

static struct scope some_scope(struct program *program, bool first)
{
	static const struct scope all[] = {
		{VK_PIPELINE_STAGE_TRANSFER_BIT,
		 VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT},
		{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
		 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT},
		{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		 VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT},
		{VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		 VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT},
		{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
		{VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0},
	};
	static const uint8_t often[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5};
	struct scope scope = all[often[below(program, sizeof often)]];
	if (below(program, 4) == 0) {
		const struct scope more = all[below(program, 4)];
		scope.stages |= more.stages;
		scope.accesses |= more.accesses;
	}
	// Some forget what they wait for; a write that is available need not be visible to another
	// write, though synchronization validation says so.
	for (uint32_t bit = 0; bit < 32; bit++)
		if ((scope.accesses >> bit & 1) && (first || !(WRITES >> bit & 1)) &&
		    below(program, 6) == 0)
			scope.accesses &= ~(1u << bit);
	return scope;
}

struct barriers {
	VkMemoryBarrier memory;
	VkBufferMemoryBarrier buffer;
	VkImageMemoryBarrier image;
	uint32_t memories, buffers, images;
};

static void some_barrier(struct program *program, const struct scope *from, const struct scope *to,
			 struct barriers *barriers)
{
	const struct range range = some_range(program);
	const struct box box = some_box(program);
	const bool discards = below(program, 3) == 0;
	*barriers = (struct barriers){.memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
						 .srcAccessMask = from->accesses,
						 .dstAccessMask = to->accesses},
				      .buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
						 .srcAccessMask = from->accesses,
						 .dstAccessMask = to->accesses,
						 .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						 .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						 .buffer = program->buffers[range.buffer],
						 .offset = range.offset,
						 .size = range.bytes},
				      .image = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
						.srcAccessMask = from->accesses,
						.dstAccessMask = to->accesses,
						.oldLayout = discards ? VK_IMAGE_LAYOUT_UNDEFINED
								      : VK_IMAGE_LAYOUT_GENERAL,
						.newLayout = VK_IMAGE_LAYOUT_GENERAL,
						.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
						.image = program->images[box.image],
						.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0,
								     1, box.layer, box.layers}}};
	const uint32_t kind = below(program, 6);
	barriers->memories = kind <= 2;
	barriers->buffers = kind == 3;
	barriers->images = kind == 4;
	show(program, "stages %x to %x, accesses %x to %x", from->stages, to->stages,
	     from->accesses, to->accesses);
	if (kind == 3)
		show(program, " of b%u [%u, +%u)", range.buffer, (unsigned)range.offset,
		     (unsigned)range.bytes);
	if (kind == 4)
		show(program, " of i%u layers [%u, +%u)%s", box.image, box.layer, box.layers,
		     discards ? ", discards" : "");
	show(program, "%s\n", kind == 5 ? ", execution only" : "");
}

// The second form, of one to three barriers that know nothing of one another.
static void barriers2(struct program *program)
{
	VkMemoryBarrier2 barriers[3];
	const VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1 + below(program, 3),
		.pMemoryBarriers = barriers,
	};
	for (uint32_t at = 0; at < info.memoryBarrierCount; at++) {
		const struct scope from = some_scope(program, true);
		const struct scope to = some_scope(program, false);
		show(program, "  %s stages %x to %x, accesses %x to %x\n",
		     at == 0 ? "barriers" : "   and", from.stages, to.stages, from.accesses,
		     to.accesses);
		barriers[at] = (VkMemoryBarrier2){
			.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
			.srcStageMask = from.stages,
			.srcAccessMask = from.accesses,
			.dstStageMask = to.stages,
			.dstAccessMask = to.accesses,
		};
	}
	vkCmdPipelineBarrier2(program->test->commands, &info);
}

void barrier(struct program *program)
{
	if (program->test->has_synchronization2 && below(program, 3) == 0) {
		barriers2(program);
		return;
	}
	const struct scope from = some_scope(program, true), to = some_scope(program, false);
	struct barriers barriers;
	show(program, "  barrier ");
	some_barrier(program, &from, &to, &barriers);
	vkCmdPipelineBarrier(program->test->commands, from.stages, to.stages, 0, barriers.memories,
			     &barriers.memory, barriers.buffers, &barriers.buffer, barriers.images,
			     &barriers.image);
}

void event(struct program *program)
{
	const uint32_t at = below(program, EVENTS);
	if (program->set_stages[at] == 0) {
		const struct scope from = some_scope(program, true);
		program->set_stages[at] = from.stages;
		show(program, "  set event %u at stages %x\n", at, from.stages);
		vkCmdSetEvent(program->test->commands, program->events[at], from.stages);
		return;
	}
	struct scope from = some_scope(program, true);
	const struct scope to = some_scope(program, false);
	struct barriers barriers;
	from.stages = program->set_stages[at];
	if (!(from.stages & (VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)))
		from.accesses &= ~(VkAccessFlags)(VK_ACCESS_TRANSFER_READ_BIT |
						  VK_ACCESS_TRANSFER_WRITE_BIT);
	if (!(from.stages &
	      (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)))
		from.accesses &=
			~(VkAccessFlags)(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
	if (!(from.stages &
	      (VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)))
		from.accesses &= ~(VkAccessFlags)(VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
						  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
	show(program, "  wait for event %u ", at);
	some_barrier(program, &from, &to, &barriers);
	vkCmdWaitEvents(program->test->commands, 1, &program->events[at], from.stages, to.stages,
			barriers.memories, &barriers.memory, barriers.buffers, &barriers.buffer,
			barriers.images, &barriers.image);
}

VkPipelineStageFlags some_stages(struct program *program)
{
	return some_scope(program, false).stages;
}
