// SPDX-License-Identifier: Apache-2.0
// What the host does in a program: command buffers, submissions, waits, mapped memory. Knows
// nothing of what is recorded.
#include "play.h"

#include <stdio.h>
#include <string.h>

#define PARTS   24u // of a submission
#define BATCHES 4u  // of a submission; they begin behind parts named `batch`

static void begin(struct play *play, const struct play_line *line)
{
	const bool secondary = play_value(line, "secondary");
	const VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = play->pools[play_value(line, "queue") % PLAY_QUEUES],
		.level = secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY
				   : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBuffer *made = &play->buffers_recorded[play_value(line, "id") % PLAY_OBJECTS];
	const bool continues = play_value(line, "continues");
	VkCommandBufferInheritanceRenderingInfo rendering;
	VkCommandBufferInheritanceInfo inherited = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
	};
	if (continues)
		play_continue(play, line, &inherited, &rendering);
	const VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = continues ? VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT : 0,
		.pInheritanceInfo = secondary ? &inherited : NULL,
	};
	gpu_test_expect(vkAllocateCommandBuffers(play->test->device, &allocation, made),
			"vkAllocateCommandBuffers");
	gpu_test_expect(vkBeginCommandBuffer(*made, &info), "vkBeginCommandBuffer");
	play->commands = *made;
}

static VkSemaphore semaphore_of(struct play *play, const struct play_line *line)
{
	return play->semaphores[play_value(line, "semaphore") % PLAY_OBJECTS];
}

// A batch in the second form, and what the first one has of it.
struct batch {
	VkSemaphoreSubmitInfo waits[PARTS], signals[PARTS];
	VkCommandBufferSubmitInfo buffers[PARTS];
	VkSubmitInfo2 info;
	VkSemaphore first_waits[PARTS], first_signals[PARTS];
	VkPipelineStageFlags first_stages[PARTS];
	VkCommandBuffer first_buffers[PARTS];
	uint64_t wait_values[PARTS], signal_values[PARTS];
	VkTimelineSemaphoreSubmitInfo values;
};

// The parts from `at` on, up to the next `batch`: its place.
static uint32_t gather(struct play *play, const struct play_line *line, uint32_t at,
		       struct batch *batch)
{
	batch->info = (VkSubmitInfo2){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
		.pWaitSemaphoreInfos = batch->waits,
		.pCommandBufferInfos = batch->buffers,
		.pSignalSemaphoreInfos = batch->signals,
	};
	for (; at < line->part_count && !play_is(&line->parts[at], "batch"); at++) {
		const struct play_line *part = &line->parts[at];
		const VkSemaphoreSubmitInfo semaphore = {
			.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
			.semaphore = semaphore_of(play, part),
			.value = play_value(part, "value"),
			.stageMask = play_value(part, "stages"),
		};
		if (play_is(part, "wait"))
			batch->waits[batch->info.waitSemaphoreInfoCount++] = semaphore;
		else if (play_is(part, "signal"))
			batch->signals[batch->info.signalSemaphoreInfoCount++] = semaphore;
		else
			batch->buffers[batch->info.commandBufferInfoCount++] =
				(VkCommandBufferSubmitInfo){
					.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
					.commandBuffer =
						play->buffers_recorded[play_value(part, "id") %
								       PLAY_OBJECTS],
				};
	}
	return at;
}

static VkSubmitInfo first_form(struct batch *batch)
{
	for (uint32_t at = 0; at < PARTS; at++) {
		batch->first_waits[at] = batch->waits[at].semaphore;
		batch->first_stages[at] = (VkPipelineStageFlags)batch->waits[at].stageMask;
		batch->wait_values[at] = batch->waits[at].value;
		batch->first_buffers[at] = batch->buffers[at].commandBuffer;
		batch->first_signals[at] = batch->signals[at].semaphore;
		batch->signal_values[at] = batch->signals[at].value;
	}
	batch->values = (VkTimelineSemaphoreSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = batch->info.waitSemaphoreInfoCount,
		.pWaitSemaphoreValues = batch->wait_values,
		.signalSemaphoreValueCount = batch->info.signalSemaphoreInfoCount,
		.pSignalSemaphoreValues = batch->signal_values,
	};
	return (VkSubmitInfo){
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &batch->values,
		.waitSemaphoreCount = batch->info.waitSemaphoreInfoCount,
		.pWaitSemaphores = batch->first_waits,
		.pWaitDstStageMask = batch->first_stages,
		.commandBufferCount = batch->info.commandBufferInfoCount,
		.pCommandBuffers = batch->first_buffers,
		.signalSemaphoreCount = batch->info.signalSemaphoreInfoCount,
		.pSignalSemaphores = batch->first_signals,
	};
}

static void submit(struct play *play, const struct play_line *line)
{
	struct batch batches[BATCHES] = {0};
	VkSubmitInfo2 second[BATCHES];
	VkSubmitInfo first[BATCHES];
	uint32_t count = 0;
	VkQueue queue = play->queues[play_value(line, "queue") % PLAY_QUEUES];
	// The fence's number from 1 on; 0: none.
	const uint64_t number = play_value(line, "fence");
	const VkFence fence = number ? play->fences[(number - 1) % PLAY_OBJECTS] : VK_NULL_HANDLE;
	for (uint32_t at = 0; at <= line->part_count && count < BATCHES; at++) {
		at = gather(play, line, at, &batches[count]);
		second[count] = batches[count].info;
		first[count] = first_form(&batches[count]);
		count++;
	}
	if (play_is(line, "submit2"))
		gpu_test_expect(vkQueueSubmit2(queue, count, second, fence), "vkQueueSubmit2");
	else
		gpu_test_expect(vkQueueSubmit(queue, count, first, fence), "vkQueueSubmit");
}

static void wait_semaphores(struct play *play, const struct play_line *line)
{
	VkSemaphore semaphores[PARTS];
	uint64_t values[PARTS];
	const VkSemaphoreWaitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.flags = play_value(line, "any") ? VK_SEMAPHORE_WAIT_ANY_BIT : 0,
		.semaphoreCount = line->part_count < PARTS ? line->part_count : PARTS,
		.pSemaphores = semaphores,
		.pValues = values,
	};
	for (uint32_t at = 0; at < wait.semaphoreCount; at++) {
		semaphores[at] = semaphore_of(play, &line->parts[at]);
		values[at] = play_value(&line->parts[at], "value");
	}
	gpu_test_expect(vkWaitSemaphores(play->test->device, &wait, UINT64_MAX),
			"vkWaitSemaphores");
}

static bool wait_for(struct play *play, const struct play_line *line)
{
	VkDevice device = play->test->device;
	const VkFence fence = play->fences[play_value(line, "fence") % PLAY_OBJECTS];
	const VkSemaphoreSignalInfo signal = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
		.semaphore = semaphore_of(play, line),
		.value = play_value(line, "value"),
	};
	if (play_is(line, "wait_fence")) {
		gpu_test_expect(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX),
				"vkWaitForFences");
		gpu_test_expect(vkResetFences(device, 1, &fence), "vkResetFences");
	} else if (play_is(line, "wait_semaphores")) {
		wait_semaphores(play, line);
	} else if (play_is(line, "signal_semaphore")) {
		gpu_test_expect(vkSignalSemaphore(device, &signal), "vkSignalSemaphore");
	} else if (play_is(line, "wait_queue")) {
		gpu_test_expect(
			vkQueueWaitIdle(play->queues[play_value(line, "queue") % PLAY_QUEUES]),
			"vkQueueWaitIdle");
	} else if (play_is(line, "wait_device")) {
		gpu_test_expect(vkDeviceWaitIdle(device), "vkDeviceWaitIdle");
	} else {
		return false;
	}
	return true;
}

static bool on_mapped(struct play *play, const struct play_line *line)
{
	const struct play_buffer *buffer = play_buffer(play, line, "buffer");
	const VkDeviceSize at = play_value(line, "at"), bytes = play_value(line, "bytes");
	const VkMappedMemoryRange range = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = buffer->memory,
		.offset = at,
		.size = bytes,
	};
	const volatile uint32_t *words = (const volatile uint32_t *)(void *)(buffer->mapped + at);
	volatile uint32_t *written = (volatile uint32_t *)(void *)(buffer->mapped + at);
	uint32_t sum = 0;
	if (play_is(line, "host_write")) {
		// By two instructions, as compilers unroll loops.
		for (VkDeviceSize word = 0; word < bytes / 4; word += 2)
			written[word] = 0, written[word + 1] = 0;
	} else if (play_is(line, "host_read")) {
		for (VkDeviceSize word = 0; word < bytes / 4; word++)
			sum += words[word];
		(void)sum;
	} else if (play_is(line, "flush")) {
		gpu_test_expect(vkFlushMappedMemoryRanges(play->test->device, 1, &range),
				"vkFlushMappedMemoryRanges");
	} else if (play_is(line, "invalidate")) {
		gpu_test_expect(vkInvalidateMappedMemoryRanges(play->test->device, 1, &range),
				"vkInvalidateMappedMemoryRanges");
	} else {
		return false;
	}
	return true;
}

static bool on_host(struct play *play, const struct play_line *line)
{
	const VkEvent event = play->events[play_value(line, "id") % PLAY_OBJECTS];
	if (play_is(line, "host_set"))
		gpu_test_expect(vkSetEvent(play->test->device, event), "vkSetEvent");
	else if (play_is(line, "host_reset"))
		gpu_test_expect(vkResetEvent(play->test->device, event), "vkResetEvent");
	else
		return on_mapped(play, line);
	return true;
}

// The line's, and behind it its parts'.
static void execute(struct play *play, const struct play_line *line)
{
	VkCommandBuffer buffers[PARTS];
	uint32_t count = 0;
	buffers[count++] = play->buffers_recorded[play_value(line, "id") % PLAY_OBJECTS];
	for (uint32_t at = 0; at < line->part_count && count < PARTS; at++)
		buffers[count++] =
			play->buffers_recorded[play_value(&line->parts[at], "id") % PLAY_OBJECTS];
	vkCmdExecuteCommands(play->commands, count, buffers);
}

bool play_submission(struct play *play, const struct play_line *line)
{
	if (play_is(line, "begin")) {
		begin(play, line);
	} else if (play_is(line, "end")) {
		gpu_test_expect(vkEndCommandBuffer(play->commands), "vkEndCommandBuffer");
		play->commands = NULL;
	} else if (play_is(line, "execute")) {
		execute(play, line);
	} else if (play_is(line, "submit") || play_is(line, "submit2")) {
		submit(play, line);
	} else {
		return wait_for(play, line) || on_host(play, line);
	}
	return true;
}
