// SPDX-License-Identifier: Apache-2.0
// Pipeline barriers and events of a program, in the first form and in the second. The barriers of a
// line are the parts that belong to it. Knows nothing of what they are between.
#include "play.h"

#define PARTS  16u
#define WAITED 4u // events of one command

// The barriers of a line in the second form, from which the first is made.
struct barriers {
	VkMemoryBarrier2 memories[PARTS];
	VkBufferMemoryBarrier2 buffers[PARTS];
	VkImageMemoryBarrier2 images[PARTS];
	VkDependencyInfo info;
};

static uint32_t family(const struct play *play, const struct play_line *part, const char *key)
{
	// The queue's number from 1 on; 0: no transfer.
	const uint32_t queue = play_number(part, key);
	return queue ? play->families[(queue - 1) % PLAY_QUEUES] : VK_QUEUE_FAMILY_IGNORED;
}

static VkMemoryBarrier2 memory(const struct play_line *part)
{
	return (VkMemoryBarrier2){
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = play_value(part, "from"),
		.srcAccessMask = play_value(part, "from_access"),
		.dstStageMask = play_value(part, "to"),
		.dstAccessMask = play_value(part, "to_access"),
	};
}

static void of_buffer(struct play *play, const struct play_line *part, VkBufferMemoryBarrier2 *made)
{
	const VkMemoryBarrier2 plain = memory(part);
	*made = (VkBufferMemoryBarrier2){
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
		.srcStageMask = plain.srcStageMask,
		.srcAccessMask = plain.srcAccessMask,
		.dstStageMask = plain.dstStageMask,
		.dstAccessMask = plain.dstAccessMask,
		.srcQueueFamilyIndex = family(play, part, "from_queue"),
		.dstQueueFamilyIndex = family(play, part, "to_queue"),
		.buffer = play_buffer(play, part, "id")->handle,
		.offset = play_value(part, "at"),
		.size = play_value(part, "bytes"),
	};
}

static void of_image(struct play *play, const struct play_line *part, VkImageMemoryBarrier2 *made)
{
	const VkMemoryBarrier2 plain = memory(part);
	*made = (VkImageMemoryBarrier2){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
		.srcStageMask = plain.srcStageMask,
		.srcAccessMask = plain.srcAccessMask,
		.dstStageMask = plain.dstStageMask,
		.dstAccessMask = plain.dstAccessMask,
		.oldLayout = (VkImageLayout)play_number(part, "old"),
		// 0, which none may become: GENERAL
		.newLayout = play_number(part, "new") ? (VkImageLayout)play_number(part, "new")
						      : VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = family(play, part, "from_queue"),
		.dstQueueFamilyIndex = family(play, part, "to_queue"),
		.image = play_image(play, part, "id")->handle,
		.subresourceRange = play_range(play, part, "id"),
	};
}

static void gather(struct play *play, const struct play_line *line, struct barriers *barriers)
{
	barriers->info = (VkDependencyInfo){
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.dependencyFlags = play_number(line, "flags"),
		.pMemoryBarriers = barriers->memories,
		.pBufferMemoryBarriers = barriers->buffers,
		.pImageMemoryBarriers = barriers->images,
	};
	for (uint32_t at = 0; at < line->part_count && at < PARTS; at++) {
		const struct play_line *part = &line->parts[at];
		if (play_is(part, "memory"))
			barriers->memories[barriers->info.memoryBarrierCount++] = memory(part);
		else if (play_is(part, "buffer"))
			of_buffer(play, part,
				  &barriers->buffers[barriers->info.bufferMemoryBarrierCount++]);
		else if (play_is(part, "image"))
			of_image(play, part,
				 &barriers->images[barriers->info.imageMemoryBarrierCount++]);
	}
}

struct first_form {
	VkMemoryBarrier memories[PARTS];
	VkBufferMemoryBarrier buffers[PARTS];
	VkImageMemoryBarrier images[PARTS];
};

static void to_first_form(const struct barriers *from, struct first_form *to)
{
	for (uint32_t at = 0; at < from->info.memoryBarrierCount; at++)
		to->memories[at] = (VkMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
			.srcAccessMask = (VkAccessFlags)from->memories[at].srcAccessMask,
			.dstAccessMask = (VkAccessFlags)from->memories[at].dstAccessMask,
		};
	for (uint32_t at = 0; at < from->info.bufferMemoryBarrierCount; at++) {
		const VkBufferMemoryBarrier2 *of = &from->buffers[at];
		to->buffers[at] = (VkBufferMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
			.srcAccessMask = (VkAccessFlags)of->srcAccessMask,
			.dstAccessMask = (VkAccessFlags)of->dstAccessMask,
			.srcQueueFamilyIndex = of->srcQueueFamilyIndex,
			.dstQueueFamilyIndex = of->dstQueueFamilyIndex,
			.buffer = of->buffer,
			.offset = of->offset,
			.size = of->size,
		};
	}
	for (uint32_t at = 0; at < from->info.imageMemoryBarrierCount; at++) {
		const VkImageMemoryBarrier2 *of = &from->images[at];
		to->images[at] = (VkImageMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
			.srcAccessMask = (VkAccessFlags)of->srcAccessMask,
			.dstAccessMask = (VkAccessFlags)of->dstAccessMask,
			.oldLayout = of->oldLayout,
			.newLayout = of->newLayout,
			.srcQueueFamilyIndex = of->srcQueueFamilyIndex,
			.dstQueueFamilyIndex = of->dstQueueFamilyIndex,
			.image = of->image,
			.subresourceRange = of->subresourceRange,
		};
	}
}

static VkEvent event_of(struct play *play, const struct play_line *line)
{
	return play->events[play_value(line, "id") % PLAY_OBJECTS];
}

// The line's, and those of its parts that are events.
static uint32_t events_of(struct play *play, const struct play_line *line, VkEvent events[PARTS])
{
	uint32_t count = 0;
	events[count++] = event_of(play, line);
	for (uint32_t at = 0; at < line->part_count && count < PARTS; at++)
		if (play_is(&line->parts[at], "event"))
			events[count++] = event_of(play, &line->parts[at]);
	return count;
}

// `waits`: behind events that were set in the first form.
static void record_first(struct play *play, const struct play_line *line,
			 const struct barriers *barriers, bool waits)
{
	struct first_form form;
	const VkDependencyInfo *info = &barriers->info;
	const VkPipelineStageFlags from = play_number(line, "from"), to = play_number(line, "to");
	to_first_form(barriers, &form);
	if (waits) {
		VkEvent events[PARTS];
		const uint32_t count = events_of(play, line, events);
		vkCmdWaitEvents(play->commands, count, events, from, to, info->memoryBarrierCount,
				form.memories, info->bufferMemoryBarrierCount, form.buffers,
				info->imageMemoryBarrierCount, form.images);
	} else {
		vkCmdPipelineBarrier(play->commands, from, to, info->dependencyFlags,
				     info->memoryBarrierCount, form.memories,
				     info->bufferMemoryBarrierCount, form.buffers,
				     info->imageMemoryBarrierCount, form.images);
	}
}

// Each event has the barriers that stand between it and the next one.
static void wait_second(struct play *play, const struct play_line *line)
{
	VkEvent events[WAITED];
	VkDependencyInfo infos[WAITED];
	struct barriers barriers[WAITED];
	uint32_t count = 0;
	struct play_line of = *line;
	for (uint32_t at = 0; count < WAITED; at++) {
		const bool ends = at == line->part_count;
		if (!ends && !play_is(&line->parts[at], "event"))
			continue;
		of.part_count = (uint32_t)(&line->parts[at] - of.parts);
		events[count] = event_of(play, &of);
		gather(play, &of, &barriers[count]);
		infos[count] = barriers[count].info;
		count++;
		if (ends)
			break;
		of = line->parts[at];
		of.parts = &line->parts[at + 1];
	}
	vkCmdWaitEvents2(play->commands, count, events, infos);
}

static bool of_event(struct play *play, const struct play_line *line,
		     const struct barriers *barriers)
{
	const VkEvent event = event_of(play, line);
	if (play_is(line, "set_event"))
		vkCmdSetEvent(play->commands, event, play_number(line, "from"));
	else if (play_is(line, "reset_event"))
		vkCmdResetEvent(play->commands, event, play_number(line, "from"));
	else if (play_is(line, "wait_event"))
		record_first(play, line, barriers, true);
	else if (play_is(line, "set_event2"))
		vkCmdSetEvent2(play->commands, event, &barriers->info);
	else if (play_is(line, "reset_event2"))
		vkCmdResetEvent2(play->commands, event, play_value(line, "from"));
	else if (play_is(line, "wait_event2"))
		wait_second(play, line);
	else
		return false;
	return true;
}

bool play_barrier(struct play *play, const struct play_line *line)
{
	struct barriers barriers;
	if (!play->commands)
		return false;
	gather(play, line, &barriers);
	if (play_is(line, "barrier"))
		record_first(play, line, &barriers, false);
	else if (play_is(line, "barrier2"))
		vkCmdPipelineBarrier2(play->commands, &barriers.info);
	else
		return of_event(play, line, &barriers);
	return true;
}
