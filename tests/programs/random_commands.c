// SPDX-License-Identifier: Apache-2.0
// Small random programs of commands that touch buffers and images, with random barriers and events
// between them. Each has objects of its own, whose names begin with its number. Knows nothing of
// which of them race: who watches it says so.
//
// random_commands FIRST COUNT [copies] [show]: programs FIRST, FIRST + 1, ...; `copies`: without
// dispatches, in one submission each; `show`: their text.
#include "random_program.h"

#include "random_copy.spv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shader's words, in whose source's name each program has its number, for races are told by
// the places in the source.
static uint32_t words[sizeof random_copy / sizeof random_copy[0]];

static struct gpu_test_kernel kernels[] = {
	{"random_copy", words, sizeof words, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

void show(const struct program *program, const char *format, ...)
{
	va_list arguments;
	if (!program->show)
		return;
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
}

// xorshift64*
uint32_t below(struct program *program, uint32_t most)
{
	program->random ^= program->random >> 12;
	program->random ^= program->random << 25;
	program->random ^= program->random >> 27;
	return (uint32_t)((program->random * UINT64_C(0x2545f4914f6cdd1d)) >> 33) % most;
}

static void name(const struct program *program, VkObjectType type, uint64_t handle,
		 const char *kind, uint32_t index)
{
	char text[64];
	snprintf(text, sizeof text, "p%" PRIu64 ".%s%u", program->number, kind, index);
	gpu_test_name(program->test, type, handle, text);
}

// ---- Objects ------------------------------------------------------------------------------------

static void make_buffer(struct program *program, uint32_t at)
{
	VkDevice device = program->test->device;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = UNITS * UNIT,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(device, &info, NULL, &program->buffers[at]),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(device, program->buffers[at], &needs);
	program->memories[at] = gpu_test_allocate(program->test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(device, program->buffers[at], program->memories[at], 0),
			"vkBindBufferMemory");
	name(program, VK_OBJECT_TYPE_BUFFER, (uint64_t)program->buffers[at], "b", at);
}

static void make_image(struct program *program, uint32_t at)
{
	VkDevice device = program->test->device;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = LAYERS,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(device, &info, NULL, &program->images[at]), "vkCreateImage");
	vkGetImageMemoryRequirements(device, program->images[at], &needs);
	program->memories[BUFFERS + at] = gpu_test_allocate(program->test, &needs, NULL);
	gpu_test_expect(
		vkBindImageMemory(device, program->images[at], program->memories[BUFFERS + at], 0),
		"vkBindImageMemory");
	name(program, VK_OBJECT_TYPE_IMAGE, (uint64_t)program->images[at], "i", at);
	for (uint32_t layer = 0; layer < LAYERS; layer++) {
		const VkImageViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
			.image = program->images[at],
			.viewType = VK_IMAGE_VIEW_TYPE_2D,
			.format = info.format,
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1},
		};
		VkImageView *made = &program->views[at][layer];
		gpu_test_expect(vkCreateImageView(device, &view, NULL, made), "vkCreateImageView");
		name(program, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)*made, "i", at);
	}
}

static void make_objects(struct program *program)
{
	const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * STEPS},
					      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, STEPS}};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = STEPS,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	for (uint32_t at = 0; at < BUFFERS; at++)
		make_buffer(program, at);
	for (uint32_t at = 0; at < IMAGES; at++)
		make_image(program, at);
	for (uint32_t at = 0; at < EVENTS; at++)
		gpu_test_expect(
			vkCreateEvent(program->test->device, &event, NULL, &program->events[at]),
			"vkCreateEvent");
	gpu_test_expect(vkCreateDescriptorPool(program->test->device, &pool, NULL, &program->pool),
			"vkCreateDescriptorPool");
	gpu_test_expect(
		vkCreateSemaphore(program->test->device, &semaphore, NULL, &program->semaphore),
		"vkCreateSemaphore");
}

static void destroy_objects(struct program *program)
{
	VkDevice device = program->test->device;
	vkDestroyDescriptorPool(device, program->pool, NULL);
	vkDestroySemaphore(device, program->semaphore, NULL);
	for (uint32_t at = 0; at < EVENTS; at++)
		vkDestroyEvent(device, program->events[at], NULL);
	for (uint32_t at = 0; at < BUFFERS; at++)
		vkDestroyBuffer(device, program->buffers[at], NULL);
	for (uint32_t at = 0; at < IMAGES * LAYERS; at++)
		vkDestroyImageView(device, program->views[at / LAYERS][at % LAYERS], NULL);
	for (uint32_t at = 0; at < IMAGES; at++)
		vkDestroyImage(device, program->images[at], NULL);
	for (uint32_t at = 0; at < BUFFERS + IMAGES; at++)
		vkFreeMemory(device, program->memories[at], NULL);
}

// ---- Commands -----------------------------------------------------------------------------------

struct range some_range(struct program *program)
{
	const uint32_t first = below(program, UNITS);
	return (struct range){below(program, BUFFERS), first * UNIT,
			      (1 + below(program, UNITS - first)) * UNIT};
}

// Two ranges of one size in different buffers.
static void some_pair(struct program *program, struct range *from, struct range *to)
{
	*from = some_range(program);
	*to = some_range(program);
	to->buffer = (from->buffer + 1 + below(program, BUFFERS - 1)) % BUFFERS;
	from->bytes = to->bytes = from->bytes < to->bytes ? from->bytes : to->bytes;
}

static void fill(struct program *program)
{
	const struct range at = some_range(program);
	show(program, "  fill b%u [%u, +%u)\n", at.buffer, (unsigned)at.offset, (unsigned)at.bytes);
	vkCmdFillBuffer(program->test->commands, program->buffers[at.buffer], at.offset, at.bytes,
			1);
}

static void copy(struct program *program)
{
	struct range from, to;
	some_pair(program, &from, &to);
	const VkBufferCopy region = {from.offset, to.offset, from.bytes};
	show(program, "  copy b%u [%u, +%u) to b%u [%u\n", from.buffer, (unsigned)from.offset,
	     (unsigned)from.bytes, to.buffer, (unsigned)to.offset);
	vkCmdCopyBuffer(program->test->commands, program->buffers[from.buffer],
			program->buffers[to.buffer], 1, &region);
}

static void dispatch(struct program *program)
{
	struct gpu_test *test = program->test;
	const VkDescriptorSetAllocateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = program->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &test->set_layout,
	};
	struct range from, to;
	VkDescriptorSet set;
	some_pair(program, &from, &to);
	const VkDescriptorBufferInfo parts[] = {
		{program->buffers[from.buffer], from.offset, from.bytes},
		{program->buffers[to.buffer], to.offset, to.bytes}};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &wanted, &set),
			"vkAllocateDescriptorSets");
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = parts,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	show(program, "  dispatch b%u [%u, +%u) to b%u [%u\n", from.buffer, (unsigned)from.offset,
	     (unsigned)from.bytes, to.buffer, (unsigned)to.offset);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&set, 0, NULL);
	vkCmdDispatch(test->commands, (uint32_t)(from.bytes / UNIT), 1, 1);
}

// Whole rows: synchronization validation knows no parts of them.
struct box some_box(struct program *program)
{
	const uint32_t y = below(program, SIDE);
	struct box box = {below(program, IMAGES),      below(program, LAYERS), 1, 0, y, SIDE,
			  1 + below(program, SIDE - y)};
	if (box.layer == 0 && below(program, 2))
		box.layers = LAYERS;
	return box;
}

static VkImageSubresourceLayers layers_of(const struct box *box)
{
	return (VkImageSubresourceLayers){VK_IMAGE_ASPECT_COLOR_BIT, 0, box->layer, box->layers};
}

static void show_box(const struct program *program, const char *what, const struct box *box)
{
	show(program, "  %s i%u layers [%u, +%u) at %u,%u size %u,%u", what, box->image, box->layer,
	     box->layers, box->x, box->y, box->width, box->height);
}

static void copy_image(struct program *program)
{
	const struct box from = some_box(program);
	const struct box place = some_box(program);
	struct box to = from;
	to.image = !from.image;
	to.x = place.x < SIDE - from.width ? place.x : SIDE - from.width;
	to.y = place.y < SIDE - from.height ? place.y : SIDE - from.height;
	const VkImageCopy region = {
		.srcSubresource = layers_of(&from),
		.srcOffset = {(int32_t)from.x, (int32_t)from.y, 0},
		.dstSubresource = layers_of(&to),
		.dstOffset = {(int32_t)to.x, (int32_t)to.y, 0},
		.extent = {from.width, from.height, 1},
	};
	show_box(program, "copy", &from);
	show_box(program, " to", &to);
	show(program, "\n");
	vkCmdCopyImage(program->test->commands, program->images[from.image],
		       VK_IMAGE_LAYOUT_GENERAL, program->images[to.image], VK_IMAGE_LAYOUT_GENERAL,
		       1, &region);
}

static void copy_between(struct program *program)
{
	const struct box box = some_box(program);
	const uint32_t buffer = below(program, BUFFERS);
	const VkDeviceSize bytes = (VkDeviceSize)box.width * box.height * box.layers * 4;
	const VkDeviceSize offset = below(program, (UNITS * UNIT - (uint32_t)bytes) / 4 + 1) * 4;
	const VkBufferImageCopy region = {
		.bufferOffset = offset,
		.imageSubresource = layers_of(&box),
		.imageOffset = {(int32_t)box.x, (int32_t)box.y, 0},
		.imageExtent = {box.width, box.height, 1},
	};
	const bool out = below(program, 2);
	show_box(program, out ? "read" : "write", &box);
	show(program, ", b%u [%u, +%u)\n", buffer, (unsigned)offset, (unsigned)bytes);
	if (out)
		vkCmdCopyImageToBuffer(program->test->commands, program->images[box.image],
				       VK_IMAGE_LAYOUT_GENERAL, program->buffers[buffer], 1,
				       &region);
	else
		vkCmdCopyBufferToImage(program->test->commands, program->buffers[buffer],
				       program->images[box.image], VK_IMAGE_LAYOUT_GENERAL, 1,
				       &region);
}

static void clear(struct program *program)
{
	const struct box box = some_box(program);
	const VkClearColorValue color = {.uint32 = {1}};
	const VkImageSubresourceRange part = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, box.layer,
					      box.layers};
	show(program, "  clear i%u layers [%u, +%u)\n", box.image, box.layer, box.layers);
	vkCmdClearColorImage(program->test->commands, program->images[box.image],
			     VK_IMAGE_LAYOUT_GENERAL, &color, 1, &part);
}

// Loads, or clears, or forgets a layer, and stores it or not.
static void render(struct program *program)
{
	static const VkAttachmentLoadOp loads[] = {VK_ATTACHMENT_LOAD_OP_LOAD,
						   VK_ATTACHMENT_LOAD_OP_CLEAR,
						   VK_ATTACHMENT_LOAD_OP_DONT_CARE};
	const uint32_t image = below(program, IMAGES), layer = below(program, LAYERS);
	const uint32_t load = below(program, 3), store = below(program, 2);
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = program->views[image][layer],
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = loads[load],
		.storeOp = store ? VK_ATTACHMENT_STORE_OP_STORE : VK_ATTACHMENT_STORE_OP_DONT_CARE,
	};
	const VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.renderArea = {.extent = {SIDE, SIDE}},
		.layerCount = 1,
		.colorAttachmentCount = 1,
		.pColorAttachments = &attachment,
	};
	show(program, "  render i%u layer %u, %s, %s\n", image, layer,
	     load == 0   ? "loads"
	     : load == 1 ? "clears"
			 : "discards",
	     store ? "stores" : "discards");
	vkCmdBeginRendering(program->test->commands, &info);
	vkCmdEndRendering(program->test->commands);
}

// ---- Programs -----------------------------------------------------------------------------------

// What was recorded, which waits for the submission before where that has signaled.
static void submit(struct program *program, bool last)
{
	struct gpu_test *test = program->test;
	const bool waits = program->signaled;
	program->signaled = !last && below(program, 2);
	const VkPipelineStageFlags stages = some_stages(program);
	VkCommandBuffer commands = gpu_test_end(test);
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = waits,
		.pWaitSemaphores = &program->semaphore,
		.pWaitDstStageMask = &stages,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = program->signaled,
		.pSignalSemaphores = &program->semaphore,
	};
	// Whether a transition of a vkCmdWaitEvents follows the semaphore is told differently.
	memset(program->set_stages, 0, sizeof program->set_stages);
	show(program, "  submit%s", program->signaled ? ", signals" : "");
	if (waits)
		show(program, ", has waited at stages %x", stages);
	show(program, "\n");
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
}

// All images to the layout that the commands use.
static void begin_images(struct program *program)
{
	VkImageMemoryBarrier barriers[IMAGES];
	for (uint32_t at = 0; at < IMAGES; at++)
		barriers[at] = (VkImageMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
			.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
			.newLayout = VK_IMAGE_LAYOUT_GENERAL,
			.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
			.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
			.image = program->images[at],
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, LAYERS}};
	vkCmdPipelineBarrier(program->test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, IMAGES,
			     barriers);
}

// Puts the number in place of the "random_copy" of every path in the words.
static void number_shader(uint64_t number)
{
	static const char plain[] = "random_copy";
	char text[sizeof plain];
	snprintf(text, sizeof text, "%011" PRIu64, number);
	memcpy(words, random_copy, sizeof words);
	for (char *at = (char *)words; at + sizeof plain < (char *)words + sizeof words; at++)
		if (memcmp(at, plain, sizeof plain - 1) == 0)
			memcpy(at, text, sizeof plain - 1);
}

static void run(struct program *program)
{
	static void (*const accesses[])(struct program *) = {
		fill, copy, dispatch, copy_image, copy_between, clear, render};
	program->random = (program->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	memset(program->set_stages, 0, sizeof program->set_stages);
	show(program, "program %" PRIu64 "\n", program->number);
	number_shader(program->number);
	program->pipeline = gpu_test_pipeline(program->test, "random_copy", program->test->layout);
	make_objects(program);
	begin_images(program);
	const uint32_t buffer_kinds = program->copies ? 2 : 3;
	const uint32_t image_kinds = program->test->has_dynamic_rendering ? 4 : 3;
	const bool of_buffers = below(program, 2);
	for (uint32_t step = 0; step < STEPS; step++) {
		if (below(program, 5) == 0)
			event(program);
		if (below(program, 2))
			barrier(program);
		accesses[of_buffers ? below(program, buffer_kinds)
				    : 3 + below(program, image_kinds)](program);
		if (step + 1 < STEPS && !program->copies && below(program, 4) == 0)
			submit(program, false);
	}
	submit(program, true);
	gpu_test_expect(vkQueueWaitIdle(program->test->queue), "vkQueueWaitIdle");
	destroy_objects(program);
	vkDestroyPipeline(program->test->device, program->pipeline, NULL);
}

int main(int count, char **arguments)
{
	struct gpu_test test;
	if (count < 3)
		return 2;
	gpu_test_init(&test, kernels, false);
	struct program program = {.test = &test};
	for (int at = 3; at < count; at++) {
		program.show |= strcmp(arguments[at], "show") == 0;
		program.copies |= strcmp(arguments[at], "copies") == 0;
	}
	const uint64_t first = strtoull(arguments[1], NULL, 10);
	const uint64_t number = strtoull(arguments[2], NULL, 10);
	for (uint64_t at = 0; at < number; at++) {
		program.number = first + at;
		run(&program);
	}
	gpu_test_finish(&test);
	return 0;
}
