// SPDX-License-Identifier: Apache-2.0
// What the files of random_commands share: one random program's objects and choices.
#pragma once

#include "gpu_test.h"

#include <stdint.h>

#define BUFFERS 3u
#define UNIT    256u // bytes of the smallest range
#define UNITS   8u   // of a buffer
#define IMAGES  2u
#define LAYERS  2u
#define SIDE    8u // texels
#define EVENTS  2u
#define STEPS   4u

struct program {
	struct gpu_test *test;
	uint64_t number, random;
	bool show, copies;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkBuffer buffers[BUFFERS];
	VkImage images[IMAGES];
	VkImageView views[IMAGES][LAYERS];
	VkDeviceMemory memories[BUFFERS + IMAGES];
	VkEvent events[EVENTS];
	VkPipelineStageFlags set_stages[EVENTS]; // 0: not set
	VkSemaphore semaphore;
	bool signaled; // by the last submission
};

// Prints, where programs are shown.
void show(const struct program *program, const char *format, ...);

// A random number below `most`.
uint32_t below(struct program *program, uint32_t most);

struct range {
	uint32_t buffer;
	VkDeviceSize offset, bytes;
};
struct range some_range(struct program *program);

struct box {
	uint32_t image, layer, layers, x, y, width, height;
};
struct box some_box(struct program *program);

// Records a barrier; sets an event, or waits for it where it is set (random_dependencies.c).
void barrier(struct program *program);
void event(struct program *program);

// Of a semaphore's wait.
VkPipelineStageFlags some_stages(struct program *program);
