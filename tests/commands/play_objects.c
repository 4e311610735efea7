// SPDX-License-Identifier: Apache-2.0
// Objects of a program: made where their line stands, destroyed at its end. Knows no commands.
#include "play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void play_name(struct play *play, VkObjectType type, uint64_t handle, const char *kind,
	       uint32_t index)
{
	char text[64];
	snprintf(text, sizeof text, "p%" PRIu64 ".%s%u", play->program, kind, index);
	gpu_test_name(play->test, type, handle, text);
}

void play_keep(struct play *play, VkObjectType type, uint64_t handle)
{
	if (play->kept_count == play->kept_capacity) {
		play->kept_capacity = play->kept_capacity ? 2 * play->kept_capacity : 64;
		play->kept = realloc(play->kept, play->kept_capacity * sizeof *play->kept);
		if (!play->kept)
			exit(EXIT_FAILURE);
	}
	play->kept[play->kept_count++] = (struct play_kept){type, handle};
}

struct play_buffer *play_buffer(struct play *play, const struct play_line *line, const char *key)
{
	return &play->buffers[play_value(line, key) % PLAY_OBJECTS];
}

struct play_image *play_image(struct play *play, const struct play_line *line, const char *key)
{
	return &play->images[play_value(line, key) % PLAY_OBJECTS];
}

VkImageView play_view(struct play *play, const struct play_line *line, const char *image)
{
	const struct play_image *of = play_image(play, line, image);
	if (play_value(line, "all_layers"))
		return of->all_layers;
	return of->views[play_number(line, "mip") * of->layers + play_number(line, "layer")];
}

// The aspects that the line names, or all.
static VkImageAspectFlags aspects(const struct play_image *image, const struct play_line *line)
{
	const VkImageAspectFlags named = play_number(line, "aspects");
	return named ? named : image->aspects;
}

VkImageSubresourceLayers play_layers(struct play *play, const struct play_line *line,
				     const char *image)
{
	return (VkImageSubresourceLayers){aspects(play_image(play, line, image), line),
					  play_number(line, "mip"), play_number(line, "layer"),
					  play_number(line, "layers")};
}

VkImageSubresourceRange play_range(struct play *play, const struct play_line *line,
				   const char *image)
{
	return (VkImageSubresourceRange){aspects(play_image(play, line, image), line),
					 play_number(line, "mip"), play_number(line, "mips"),
					 play_number(line, "layer"), play_number(line, "layers")};
}

// Which queue families share it: those of all queues, where it is concurrent.
static uint32_t sharing(const struct play *play, uint32_t families[PLAY_QUEUES])
{
	uint32_t count = 0;
	for (uint32_t at = 0; at < PLAY_QUEUES; at++) {
		bool known = false;
		for (uint32_t of = 0; of < count; of++)
			known |= families[of] == play->families[at];
		if (!known)
			families[count++] = play->families[at];
	}
	return count;
}

// The first type with just these properties among those, or the first one that fits.
static uint32_t memory_type(const struct play *play, uint32_t bits, bool coherent)
{
	VkPhysicalDeviceMemoryProperties all;
	vkGetPhysicalDeviceMemoryProperties(play->test->physical, &all);
	for (uint32_t at = 0; at < all.memoryTypeCount; at++) {
		const VkMemoryPropertyFlags flags = all.memoryTypes[at].propertyFlags;
		if ((bits >> at & 1) && (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) &&
		    coherent == !!(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT))
			return at;
	}
	return gpu_test_memory_type(play->test, bits);
}

// Arguments of indirect commands are 0 from the beginning.
static void zero(struct play *play, struct play_buffer *buffer, bool stays_mapped)
{
	VkDevice device = play->test->device;
	void *mapped = NULL;
	gpu_test_expect(vkMapMemory(device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	const VkMappedMemoryRange all = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = buffer->memory,
		.size = VK_WHOLE_SIZE,
	};
	memset(mapped, 0, buffer->bytes);
	gpu_test_expect(vkFlushMappedMemoryRanges(device, 1, &all), "vkFlushMappedMemoryRanges");
	buffer->mapped = mapped;
	if (!stays_mapped)
		vkUnmapMemory(device, buffer->memory);
}

static void make_buffer(struct play *play, const struct play_line *line)
{
	VkDevice device = play->test->device;
	struct play_buffer *buffer = play_buffer(play, line, "id");
	uint32_t families[PLAY_QUEUES];
	const uint32_t family_count = sharing(play, families);
	const bool shared = play_value(line, "concurrent") && family_count > 1;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = play_value(line, "bytes"),
		.usage =
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
			VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
			VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
			(play->test->has_conditional ? VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT
						     : 0),
		.sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = shared ? family_count : 0,
		.pQueueFamilyIndices = families,
	};
	const uint64_t alias = play_value(line, "alias"); // of the buffer before this number
	VkMemoryRequirements needs;
	buffer->bytes = info.size;
	gpu_test_expect(vkCreateBuffer(device, &info, NULL, &buffer->handle), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(device, buffer->handle, &needs);
	if (alias > 0) {
		gpu_test_expect(vkBindBufferMemory(device, buffer->handle,
						   play->buffers[alias - 1].memory,
						   play_value(line, "alias_at")),
				"vkBindBufferMemory");
		play_name(play, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, "b",
			  (uint32_t)alias - 1);
		return;
	}
	const VkMemoryAllocateInfo memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
		.memoryTypeIndex =
			memory_type(play, needs.memoryTypeBits, play_value(line, "coherent")),
	};
	gpu_test_expect(vkAllocateMemory(device, &memory, NULL, &buffer->memory),
			"vkAllocateMemory");
	gpu_test_expect(vkBindBufferMemory(device, buffer->handle, buffer->memory, 0),
			"vkBindBufferMemory");
	play_name(play, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, "b",
		  play_number(line, "id"));
	zero(play, buffer, play_value(line, "mapped"));
}

static void make_views(struct play *play, struct play_image *image, uint32_t index)
{
	for (uint32_t at = 0; at < image->mips * image->layers; at++) {
		const VkImageViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
			.image = image->handle,
			.viewType = VK_IMAGE_VIEW_TYPE_2D,
			.format = image->format,
			.subresourceRange = {image->aspects, at / image->layers, 1,
					     at % image->layers, 1},
		};
		gpu_test_expect(
			vkCreateImageView(play->test->device, &view, NULL, &image->views[at]),
			"vkCreateImageView");
		play_name(play, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)image->views[at], "i", index);
	}
	const VkImageViewCreateInfo all = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = image->handle,
		.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = image->format,
		.subresourceRange = {image->aspects, 0, 1, 0, image->layers},
	};
	gpu_test_expect(vkCreateImageView(play->test->device, &all, NULL, &image->all_layers),
			"vkCreateImageView");
}

static void make_image(struct play *play, const struct play_line *line)
{
	VkDevice device = play->test->device;
	struct play_image *image = play_image(play, line, "id");
	uint32_t families[PLAY_QUEUES];
	const uint32_t family_count = sharing(play, families);
	const bool shared = play_value(line, "concurrent") && family_count > 1;
	const bool depth = play_value(line, "depth");
	image->format = depth ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_R8G8B8A8_UNORM;
	image->aspects = depth ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT
			       : VK_IMAGE_ASPECT_COLOR_BIT;
	image->samples = play_value(line, "multi") ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
	image->mips = play_number(line, "mips");
	image->layers = play_number(line, "layers");
	const VkImageUsageFlags usage =
		depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
		: image->samples == VK_SAMPLE_COUNT_1_BIT
			? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT |
				  VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT
			: VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = image->format,
		.extent = {PLAY_SIDE, PLAY_SIDE, 1},
		.mipLevels = image->mips,
		.arrayLayers = image->layers,
		.samples = image->samples,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | usage,
		.sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = shared ? family_count : 0,
		.pQueueFamilyIndices = families,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(device, &info, NULL, &image->handle), "vkCreateImage");
	vkGetImageMemoryRequirements(device, image->handle, &needs);
	image->memory = gpu_test_allocate(play->test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(device, image->handle, image->memory, 0),
			"vkBindImageMemory");
	play_name(play, VK_OBJECT_TYPE_IMAGE, (uint64_t)image->handle, "i",
		  play_number(line, "id"));
	make_views(play, image, play_number(line, "id"));
}

static void make_semaphore(struct play *play, const struct play_line *line)
{
	play->semaphores[play_value(line, "id") % PLAY_OBJECTS] = gpu_test_semaphore(
		play->test, play_value(line, "timeline") ? VK_SEMAPHORE_TYPE_TIMELINE
							 : VK_SEMAPHORE_TYPE_BINARY);
}

static void make_query_pool(struct play *play, const struct play_line *line)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = play_value(line, "timestamps") ? VK_QUERY_TYPE_TIMESTAMP
							    : VK_QUERY_TYPE_OCCLUSION,
		.queryCount = play_number(line, "count"),
	};
	VkQueryPool *made = &play->queries[play_value(line, "id") % PLAY_OBJECTS];
	gpu_test_expect(vkCreateQueryPool(play->test->device, &info, NULL, made),
			"vkCreateQueryPool");
	play_name(play, VK_OBJECT_TYPE_QUERY_POOL, (uint64_t)*made, "q", play_number(line, "id"));
}

bool play_object(struct play *play, const struct play_line *line)
{
	const uint64_t id = play_value(line, "id") % PLAY_OBJECTS;
	const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	if (play_is(line, "buffer"))
		make_buffer(play, line);
	else if (play_is(line, "image"))
		make_image(play, line);
	else if (play_is(line, "semaphore"))
		make_semaphore(play, line);
	else if (play_is(line, "query_pool"))
		make_query_pool(play, line);
	else if (play_is(line, "event"))
		gpu_test_expect(vkCreateEvent(play->test->device, &event, NULL, &play->events[id]),
				"vkCreateEvent");
	else if (play_is(line, "fence"))
		gpu_test_expect(vkCreateFence(play->test->device, &fence, NULL, &play->fences[id]),
				"vkCreateFence");
	else
		return false;
	return true;
}

static void destroy_kept(const struct play *play, const struct play_kept *kept)
{
	VkDevice device = play->test->device;
	if (kept->type == VK_OBJECT_TYPE_PIPELINE)
		vkDestroyPipeline(device, (VkPipeline)kept->handle, NULL);
	else if (kept->type == VK_OBJECT_TYPE_RENDER_PASS)
		vkDestroyRenderPass(device, (VkRenderPass)kept->handle, NULL);
	else if (kept->type == VK_OBJECT_TYPE_FRAMEBUFFER)
		vkDestroyFramebuffer(device, (VkFramebuffer)kept->handle, NULL);
}

static void destroy_image(const struct play *play, const struct play_image *image)
{
	for (uint32_t at = 0; at < PLAY_VIEWS; at++)
		vkDestroyImageView(play->test->device, image->views[at], NULL);
	vkDestroyImageView(play->test->device, image->all_layers, NULL);
	vkDestroyImage(play->test->device, image->handle, NULL);
	vkFreeMemory(play->test->device, image->memory, NULL);
}

void play_finish_objects(struct play *play)
{
	VkDevice device = play->test->device;
	for (size_t at = play->kept_count; at-- > 0;)
		destroy_kept(play, &play->kept[at]);
	play->kept_count = 0;
	for (uint32_t at = 0; at < PLAY_OBJECTS; at++) {
		destroy_image(play, &play->images[at]);
		vkDestroyBuffer(device, play->buffers[at].handle, NULL);
		vkFreeMemory(device, play->buffers[at].memory, NULL);
		vkDestroyEvent(device, play->events[at], NULL);
		vkDestroySemaphore(device, play->semaphores[at], NULL);
		vkDestroyFence(device, play->fences[at], NULL);
		vkDestroyQueryPool(device, play->queries[at], NULL);
	}
	gpu_test_expect(vkResetDescriptorPool(device, play->descriptors, 0),
			"vkResetDescriptorPool");
	memset(play->images, 0, sizeof play->images);
	memset(play->buffers, 0, sizeof play->buffers);
	memset(play->events, 0, sizeof play->events);
	memset(play->semaphores, 0, sizeof play->semaphores);
	memset(play->fences, 0, sizeof play->fences);
	memset(play->queries, 0, sizeof play->queries);
	memset(play->buffers_recorded, 0, sizeof play->buffers_recorded);
	for (uint32_t at = 0; at < PLAY_QUEUES; at++)
		gpu_test_expect(vkResetCommandPool(device, play->pools[at], 0),
				"vkResetCommandPool");
}
