// SPDX-License-Identifier: Apache-2.0
// Correct programs that compute as examples and small games do. bench_programs.py has a row of
// each. Knows nothing of the layer.
//
//   bench_compute blur|cloth|fourier|particles|rays|sparse|surface|tree FRAMES
#include "gpu_test.h"

#include "blur.spv.h"
#include "cloth.spv.h"
#include "fourier.spv.h"
#include "particles.spv.h"
#include "rays.spv.h"
#include "sparse.spv.h"
#include "surface.spv.h"
#include "tree.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINDINGS   4u // two storage buffers, a uniform buffer, a storage image
#define CLOTH      60u
#define STEPS      64u // of the cloth, each frame
#define PARTICLES  (256u * 1024u)
#define IMAGE_SIDE 1024u
#define LINES      1024u // of 512 numbers each that are transformed
#define ROWS       (64u * 1024u)
#define GRID_SIDE  96u
#define TREE_DEPTH 12u
#define TREE_SIDE  256u

static struct gpu_test_kernel kernels[] = {
	{"blur", blur, sizeof blur, VK_NULL_HANDLE},
	{"cloth", cloth, sizeof cloth, VK_NULL_HANDLE},
	{"fourier", fourier, sizeof fourier, VK_NULL_HANDLE},
	{"particles", particles, sizeof particles, VK_NULL_HANDLE},
	{"rays", rays, sizeof rays, VK_NULL_HANDLE},
	{"sparse", sparse, sizeof sparse, VK_NULL_HANDLE},
	{"surface", surface, sizeof surface, VK_NULL_HANDLE},
	{"tree", tree, sizeof tree, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

struct buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	float *floats;
};

struct compute {
	struct gpu_test test;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet sets[2]; // the second with its storage buffers the other way round
	VkPipeline pipeline;
	struct buffer buffers[3];
	VkImage image;
	VkImageView view;
	VkDeviceMemory image_memory;
};

static struct buffer make_buffer(struct compute *compute, VkDeviceSize bytes)
{
	struct buffer made;
	void *mapped;
	made.handle = gpu_test_addressed(&compute->test, bytes,
					 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
						 VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
					 "buffer", &made.memory);
	gpu_test_expect(
		vkMapMemory(compute->test.device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
		"vkMapMemory");
	memset(mapped, 0, bytes);
	made.floats = mapped;
	return made;
}

static void make_image(struct compute *compute)
{
	const VkDevice device = compute->test.device;
	const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
					.imageType = VK_IMAGE_TYPE_2D,
					.format = VK_FORMAT_R8G8B8A8_UNORM,
					.extent = {IMAGE_SIDE, IMAGE_SIDE, 1},
					.mipLevels = 1,
					.arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_1_BIT,
					.usage = VK_IMAGE_USAGE_STORAGE_BIT};
	gpu_test_expect(vkCreateImage(device, &info, NULL, &compute->image), "vkCreateImage");
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(device, compute->image, &needs);
	compute->image_memory = gpu_test_allocate(&compute->test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(device, compute->image, compute->image_memory, 0),
			"vkBindImageMemory");
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = compute->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = info.format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	gpu_test_expect(vkCreateImageView(device, &view, NULL, &compute->view),
			"vkCreateImageView");
}

static void make_layout(struct compute *compute)
{
	static const VkDescriptorType types[BINDINGS] = {
		VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
	const VkDevice device = compute->test.device;
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	VkDescriptorPoolSize sizes[BINDINGS];
	for (uint32_t i = 0; i < BINDINGS; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){i, types[i], 1,
							     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
		sizes[i] = (VkDescriptorPoolSize){types[i], 2};
	}
	const VkDescriptorSetLayoutCreateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = BINDINGS,
		.pBindings = bindings};
	gpu_test_expect(vkCreateDescriptorSetLayout(device, &set, NULL, &compute->set_layout),
			"vkCreateDescriptorSetLayout");
	const VkPushConstantRange constants = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	const VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &compute->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &constants};
	gpu_test_expect(vkCreatePipelineLayout(device, &layout, NULL, &compute->layout),
			"vkCreatePipelineLayout");
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2,
		.poolSizeCount = BINDINGS,
		.pPoolSizes = sizes};
	gpu_test_expect(vkCreateDescriptorPool(device, &pool, NULL, &compute->pool),
			"vkCreateDescriptorPool");
}

static void make_set(struct compute *compute, uint32_t swapped)
{
	const VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = compute->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &compute->set_layout};
	VkDescriptorSet *set = &compute->sets[swapped];
	gpu_test_expect(vkAllocateDescriptorSets(compute->test.device, &info, set),
			"vkAllocateDescriptorSets");
	const VkDescriptorImageInfo image = {VK_NULL_HANDLE, compute->view,
					     VK_IMAGE_LAYOUT_GENERAL};
	VkDescriptorBufferInfo buffers[3];
	VkWriteDescriptorSet writes[BINDINGS];
	for (uint32_t i = 0; i < BINDINGS; i++) {
		writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
						   .dstSet = *set,
						   .dstBinding = i,
						   .descriptorCount = 1};
		if (i == 3) {
			writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
			writes[i].pImageInfo = &image;
			continue;
		}
		const uint32_t from = i < 2 ? i ^ swapped : i;
		buffers[i] =
			(VkDescriptorBufferInfo){compute->buffers[from].handle, 0, VK_WHOLE_SIZE};
		writes[i].descriptorType = i < 2 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
						 : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
		writes[i].pBufferInfo = &buffers[i];
	}
	vkUpdateDescriptorSets(compute->test.device, BINDINGS, writes, 0, NULL);
}

static void compute_init(struct compute *compute, const char *kernel, VkDeviceSize bytes,
			 VkDeviceSize more_bytes)
{
	memset(compute, 0, sizeof *compute);
	gpu_test_init(&compute->test, kernels, true);
	if (!compute->test.has_addresses)
		gpu_test_skip("the device has no buffer addresses");
	compute->buffers[0] = make_buffer(compute, bytes);
	compute->buffers[1] = make_buffer(compute, more_bytes);
	compute->buffers[2] = make_buffer(compute, 256);
	make_image(compute);
	make_layout(compute);
	make_set(compute, 0);
	make_set(compute, 1);
	compute->pipeline = gpu_test_pipeline(&compute->test, kernel, compute->layout);
}

static void compute_finish(struct compute *compute)
{
	const VkDevice device = compute->test.device;
	vkDestroyPipeline(device, compute->pipeline, NULL);
	vkDestroyDescriptorPool(device, compute->pool, NULL);
	vkDestroyPipelineLayout(device, compute->layout, NULL);
	vkDestroyDescriptorSetLayout(device, compute->set_layout, NULL);
	vkDestroyImageView(device, compute->view, NULL);
	vkDestroyImage(device, compute->image, NULL);
	vkFreeMemory(device, compute->image_memory, NULL);
	for (int i = 0; i < 3; i++) {
		vkDestroyBuffer(device, compute->buffers[i].handle, NULL);
		vkFreeMemory(device, compute->buffers[i].memory, NULL);
	}
	gpu_test_finish(&compute->test);
}

static void dispatch(struct compute *compute, uint32_t set, uint32_t constant, uint32_t groups_x,
		     uint32_t groups_y, uint32_t groups_z)
{
	const VkCommandBuffer commands = compute->test.commands;
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->pipeline);
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1,
				&compute->sets[set], 0, NULL);
	vkCmdPushConstants(commands, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof constant, &constant);
	vkCmdDispatch(commands, groups_x, groups_y, groups_z);
	gpu_test_barrier(&compute->test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			 VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void submit(struct compute *compute)
{
	gpu_test_wait(&compute->test, gpu_test_submit_fence(&compute->test));
}

static void run_cloth(struct compute *compute, uint32_t frames)
{
	const uint32_t stride = 20; // floats of a particle
	const float values[16] = {0.00005f, 0.1f, 2000.0f, 0.25f, 0.1f, 0.1414f, 1.0f, 0,
				  0,        2.5f, 0,       0,     0,    9.8f,    0,    0};
	const uint32_t count[2] = {CLOTH, CLOTH};
	compute_init(compute, "cloth", (VkDeviceSize)CLOTH * CLOTH * stride * 4,
		     (VkDeviceSize)CLOTH * CLOTH * stride * 4);
	for (uint32_t i = 0; i < CLOTH * CLOTH; i++) {
		float *particle = compute->buffers[0].floats + (size_t)i * stride;
		particle[0] = 0.1f * (float)(i % CLOTH) - 3;
		particle[2] = 0.1f * (float)(i / CLOTH) - 3;
		particle[16] = i == 0 || i == CLOTH - 1 ? 1 : 0;
		memcpy(compute->buffers[1].floats + (size_t)i * stride, particle,
		       stride * sizeof(float));
	}
	memcpy(compute->buffers[2].floats, values, sizeof values);
	memcpy(compute->buffers[2].floats + 16, count, sizeof count);
	for (uint32_t frame = 0; frame < frames; frame++) {
		for (uint32_t step = 0; step < STEPS; step++)
			dispatch(compute, step & 1, step == STEPS - 1, CLOTH / 10, CLOTH / 10, 1);
		submit(compute);
	}
}

static void run_particles(struct compute *compute, uint32_t frames)
{
	const float values[3] = {0.01f, 0.3f, 0.2f};
	const uint32_t count = PARTICLES;
	compute_init(compute, "particles", (VkDeviceSize)PARTICLES * 32, 256);
	for (uint32_t i = 0; i < PARTICLES; i++) {
		float *particle = compute->buffers[0].floats + (size_t)i * 8;
		particle[0] = (float)(i * 2654435761u >> 8) / 8388608.0f - 1;
		particle[1] = (float)(i * 2246822519u >> 8) / 8388608.0f - 1;
		particle[4] = particle[0] / 2;
	}
	memcpy(compute->buffers[2].floats, values, sizeof values);
	memcpy(compute->buffers[2].floats + 3, &count, sizeof count);
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, PARTICLES / 256, 1, 1);
		submit(compute);
	}
}

static void begin_image(const struct compute *compute)
{
	const VkImageMemoryBarrier begin = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = compute->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	vkCmdPipelineBarrier(compute->test.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 1, &begin);
}

static void run_rays(struct compute *compute, uint32_t frames)
{
	static const float spheres[3][9] = {
		{1.75f, -0.5f, 0, 1, 0, 1, 0, 32, 0},
		{0, 1, -0.5f, 1, 0.65f, 0.77f, 0.97f, 32, 0},
		{-1.75f, -0.75f, -0.5f, 1.25f, 0.9f, 0.76f, 0.46f, 32, 0}};
	const float values[12] = {0, 2, 2, 1, 0, 0, 0.2f, 0, 0, 0, 4, 0};
	compute_init(compute, "rays", 3 * 48, 6 * 48);
	for (uint32_t i = 0; i < 9; i++) {
		float *object = i < 3 ? compute->buffers[0].floats + (size_t)i * 12
				      : compute->buffers[1].floats + (size_t)(i - 3) * 12;
		const int32_t id = (int32_t)i + 1;
		if (i < 3) {
			memcpy(object, spheres[i], 8 * sizeof(float));
		} else {
			object[(i - 3) / 2] = i % 2 ? 1 : -1;
			object[3] = 4;
			object[4] = object[5] = object[6] = 1;
			object[7] = 32;
		}
		memcpy(object + 8, &id, sizeof id);
	}
	memcpy(compute->buffers[2].floats, values, sizeof values);
	begin_image(compute);
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, IMAGE_SIDE / 16, IMAGE_SIDE / 16, 1);
		submit(compute);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

// Forth and back.
static void run_fourier(struct compute *compute, uint32_t frames)
{
	const VkDeviceSize bytes = (VkDeviceSize)LINES * 512 * 8;
	const float values[2] = {0.0442f, 1};
	compute_init(compute, "fourier", bytes, bytes);
	for (uint32_t i = 0; i < LINES * 512; i++)
		compute->buffers[0].floats[2 * (size_t)i] = (float)(i % 97) / 97;
	memcpy(compute->buffers[2].floats, values, sizeof values);
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, LINES, 1, 1);
		dispatch(compute, 1, 0, LINES, 1, 1);
		submit(compute);
	}
}

static void run_blur(struct compute *compute, uint32_t frames)
{
	compute_init(compute, "blur", (VkDeviceSize)IMAGE_SIDE * IMAGE_SIDE * 4, 16);
	begin_image(compute);
	dispatch(compute, 0, 1, IMAGE_SIDE / 16, IMAGE_SIDE / 16, 1);
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, IMAGE_SIDE / 16, IMAGE_SIDE / 16, 1);
		dispatch(compute, 0, 1, IMAGE_SIDE / 16, IMAGE_SIDE / 16, 1);
		submit(compute);
	}
}

// Where rows begin, then columns, then values, of 1 to 15 elements a row.
static void run_sparse(struct compute *compute, uint32_t frames)
{
	const uint32_t most = ROWS * 15, columns_at = ROWS + 1, values_at = columns_at + most;
	const uint32_t counts[3] = {ROWS, columns_at, values_at};
	const float damping = 0.9f;
	uint32_t random = 1, at = 0;
	compute_init(compute, "sparse", (VkDeviceSize)(values_at + most) * 4,
		     (VkDeviceSize)ROWS * 8);
	for (uint32_t row = 0; row < ROWS; row++) {
		memcpy(compute->buffers[0].floats + row, &at, sizeof at);
		for (uint32_t left = 1 + next_random(&random) % 15; left > 0; left--, at++) {
			const uint32_t column = next_random(&random) % ROWS;
			memcpy(compute->buffers[0].floats + columns_at + at, &column,
			       sizeof column);
			compute->buffers[0].floats[values_at + at] = 0.1f;
		}
		compute->buffers[1].floats[row] = 1;
	}
	memcpy(compute->buffers[0].floats + ROWS, &at, sizeof at);
	memcpy(compute->buffers[2].floats, counts, sizeof counts);
	compute->buffers[2].floats[3] = damping;
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, ROWS / 64, 1, 1);
		dispatch(compute, 0, 1, ROWS / 64, 1, 1);
		submit(compute);
	}
}

// A ball of the grid's numbers.
static void run_surface(struct compute *compute, uint32_t frames)
{
	const uint32_t side = GRID_SIDE;
	const float level = 0.6f;
	compute_init(compute, "surface", (VkDeviceSize)side * side * side * 4,
		     (VkDeviceSize)side * side * 32 * 16);
	for (uint32_t i = 0; i < side * side * side; i++) {
		const float x = (float)(i % side) / (float)side * 2 - 1;
		const float y = (float)(i / side % side) / (float)side * 2 - 1;
		const float z = (float)(i / side / side) / (float)side * 2 - 1;
		compute->buffers[0].floats[i] = x * x + y * y + z * z;
	}
	memcpy(compute->buffers[2].floats, &side, sizeof side);
	compute->buffers[2].floats[1] = level;
	for (uint32_t frame = 0; frame < frames; frame++) {
		vkCmdFillBuffer(compute->test.commands, compute->buffers[1].handle, 0, 16, 0);
		gpu_test_barrier(&compute->test, VK_PIPELINE_STAGE_TRANSFER_BIT,
				 VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
		dispatch(compute, 0, 0, side / 4, side / 4, side / 4);
		submit(compute);
	}
}

// Boxes are halved along each axis in turn.
static void make_node(float *nodes, uint32_t index, const float *low, const float *high,
		      uint32_t *used, uint32_t depth)
{
	float *node = nodes + (size_t)index * 8, middle[2][3];
	const uint32_t axis = depth % 3, leaf = index | 0x80000000u;
	memcpy(node, low, 3 * sizeof *low);
	memcpy(node + 4, high, 3 * sizeof *high);
	memcpy(node + 3, depth == TREE_DEPTH ? &leaf : used, sizeof leaf);
	if (depth == TREE_DEPTH)
		return;
	const uint32_t first = *used;
	*used += 2;
	memcpy(middle[0], high, sizeof middle[0]);
	memcpy(middle[1], low, sizeof middle[1]);
	middle[0][axis] = middle[1][axis] = (low[axis] + high[axis]) / 2;
	middle[0][axis] -= (high[axis] - low[axis]) / 16;
	make_node(nodes, first, low, middle[0], used, depth + 1);
	make_node(nodes, first + 1, middle[1], high, used, depth + 1);
}

static void run_tree(struct compute *compute, uint32_t frames)
{
	const float values[8] = {0.5f, 0.5f, -2, 0, -0.2f, -0.2f, 0, 1.4f / (float)TREE_SIDE};
	const float low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
	const uint32_t side = TREE_SIDE;
	uint32_t used = 1;
	compute_init(compute, "tree", (VkDeviceSize)32 << (TREE_DEPTH + 1),
		     (VkDeviceSize)side * side * 8);
	make_node(compute->buffers[0].floats, 0, low, high, &used, 0);
	memcpy(compute->buffers[2].floats, values, sizeof values);
	memcpy(compute->buffers[2].floats + 3, &side, sizeof side);
	for (uint32_t frame = 0; frame < frames; frame++) {
		dispatch(compute, 0, 0, side / 8, side / 8, 1);
		submit(compute);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(struct compute *compute, uint32_t frames);
	} programs[] = {{"cloth", run_cloth},         {"fourier", run_fourier},
			{"particles", run_particles}, {"rays", run_rays},
			{"sparse", run_sparse},       {"surface", run_surface},
			{"tree", run_tree},           {"blur", run_blur}};
	static struct compute compute;
	const uint32_t frames = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	size_t at = 0;
	while (frames && at < sizeof programs / sizeof *programs &&
	       strcmp(argv[1], programs[at].name) != 0)
		at++;
	if (!frames || at == sizeof programs / sizeof *programs) {
		fprintf(stderr, "usage: bench_compute "
				"blur|cloth|fourier|particles|rays|sparse|surface|tree FRAMES\n");
		return 2;
	}
	programs[at].run(&compute, frames);
	compute_finish(&compute);
	return EXIT_SUCCESS;
}
