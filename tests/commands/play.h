// SPDX-License-Identifier: Apache-2.0
// What the files of play_commands share: one program's text and objects. A program is lines of an
// operation's name and `key=value` words, numbers all of them; lines that begin with `+` belong to
// the one before. Knows nothing of which programs race.
#pragma once

#include "gpu_test.h"

#include <stdint.h>

#define PLAY_OBJECTS 64u // of one kind, of a program
#define PLAY_QUEUES  4u
#define PLAY_VIEWS   8u // of an image: by mip, then by layer
#define PLAY_SIDE    4u // texels of an image's first mip level

struct play_word {
	char key[24];
	uint64_t value;
};

struct play_line {
	char op[24];
	uint32_t number; // in the program
	uint32_t count;
	struct play_word words[48];
	const struct play_line *parts; // those that belong to it
	uint32_t part_count;
};

struct play_buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	unsigned char *mapped;
	VkDeviceSize bytes;
};

struct play_image {
	VkImage handle;
	VkDeviceMemory memory;
	VkFormat format;
	VkImageAspectFlags aspects;
	VkSampleCountFlagBits samples;
	uint32_t mips, layers;
	VkImageView views[PLAY_VIEWS]; // of all aspects
	VkImageView all_layers;        // of the first mip level
};

struct play_kept {
	VkObjectType type;
	uint64_t handle;
};

struct play {
	struct gpu_test *test;
	uint64_t program; // its number
	uint32_t families[PLAY_QUEUES];
	VkQueue queues[PLAY_QUEUES];
	VkCommandPool pools[PLAY_QUEUES];
	struct play_buffer buffers[PLAY_OBJECTS];
	struct play_image images[PLAY_OBJECTS];
	VkEvent events[PLAY_OBJECTS];
	VkSemaphore semaphores[PLAY_OBJECTS];
	VkFence fences[PLAY_OBJECTS];
	VkQueryPool queries[PLAY_OBJECTS];
	VkCommandBuffer buffers_recorded[PLAY_OBJECTS];
	VkCommandBuffer commands; // being recorded
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool descriptors;
	VkRenderPass pass; // begun; null in dynamic rendering
	uint32_t subpass, color_count;
	bool executes;                   // the subpass's commands are secondary command buffers'
	VkFormat pass_color, pass_depth; // of dynamic rendering
	VkSampleCountFlagBits pass_samples;
	struct play_kept *kept; // destroyed with the program
	size_t kept_count, kept_capacity;
	PFN_vkCmdBeginDebugUtilsLabelEXT begin_label;
	PFN_vkCmdEndDebugUtilsLabelEXT end_label;
	PFN_vkCmdBeginConditionalRenderingEXT begin_conditional; // NULL: there is none
	PFN_vkCmdEndConditionalRenderingEXT end_conditional;
};

// A word's value; 0 where the line does not have it.
uint64_t play_value(const struct play_line *line, const char *key);
static inline uint32_t play_number(const struct play_line *line, const char *key)
{
	return (uint32_t)play_value(line, key);
}
bool play_is(const struct play_line *line, const char *op);

// The object that a word names.
struct play_buffer *play_buffer(struct play *play, const struct play_line *line, const char *key);
struct play_image *play_image(struct play *play, const struct play_line *line, const char *key);
// The view of the mip level and layer that the line has, or of `all_layers`.
VkImageView play_view(struct play *play, const struct play_line *line, const char *image);
VkImageSubresourceLayers play_layers(struct play *play, const struct play_line *line,
				     const char *image);
VkImageSubresourceRange play_range(struct play *play, const struct play_line *line,
				   const char *image);

// Names an object "pPROGRAM.KINDindex".
void play_name(struct play *play, VkObjectType type, uint64_t handle, const char *kind,
	       uint32_t index);

// The program destroys it at its end.
void play_keep(struct play *play, VkObjectType type, uint64_t handle);

// Each does the line where it is one of its own (play_transfers.c and so on).
bool play_object(struct play *play, const struct play_line *line);
bool play_transfer(struct play *play, const struct play_line *line);
bool play_barrier(struct play *play, const struct play_line *line);
bool play_shader(struct play *play, const struct play_line *line);
bool play_pass(struct play *play, const struct play_line *line);
bool play_submission(struct play *play, const struct play_line *line);

// What a secondary command buffer inherits that continues the pass whose parts are the line's.
void play_continue(struct play *play, const struct play_line *line,
		   VkCommandBufferInheritanceInfo *inherited,
		   VkCommandBufferInheritanceRenderingInfo *rendering);

void play_finish_objects(struct play *play);

// A pipeline of a draw, for the pass that is begun (play_shaders.c).
void play_make_layouts(struct play *play);
void play_finish_layouts(struct play *play);
