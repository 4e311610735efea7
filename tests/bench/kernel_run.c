// SPDX-License-Identifier: Apache-2.0
#include "kernel_run.h"

#include "gather.spv.h"
#include "histogram.spv.h"
#include "matmul.spv.h"
#include "reduce.spv.h"
#include "saxpy.spv.h"
#include "stencil.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#define BUFFERS 3

struct kernel {
	const char *name;
	const uint32_t *words;
	size_t bytes;
	uint32_t n; // push constant
	uint32_t groups_x, groups_y;
	uint32_t length[BUFFERS]; // in 32-bit words; 0 where the kernel has fewer buffers
	// Fills the input; and true where the output is right for it.
	void (*fill)(const struct kernel *, uint32_t *const *);
	int (*check)(const struct kernel *, uint32_t *const *);
};

static void fill_floats(const struct kernel *kernel, uint32_t *const *buffers)
{
	for (int b = 0; b < BUFFERS; b++) {
		float *values = (float *)(void *)buffers[b];
		for (uint32_t i = 0; i < kernel->length[b]; i++)
			values[i] = (float)(i * 2654435761u >> 28);
	}
}

static void fill_words(const struct kernel *kernel, uint32_t *const *buffers)
{
	for (uint32_t i = 0; i < kernel->length[0]; i++)
		buffers[0][i] = i * 2654435761u >> 7;
	memset(buffers[1], 0, kernel->length[1] * sizeof(uint32_t));
}

static void fill_columns(const struct kernel *kernel, uint32_t *const *buffers)
{
	fill_floats(kernel, buffers);
	for (uint32_t i = 0; i < kernel->length[2]; i++)
		buffers[2][i] = (i * 2654435761u >> 3) % kernel->n;
}

static int check_saxpy(const struct kernel *kernel, uint32_t *const *buffers)
{
	const float *x = (const float *)(const void *)buffers[0];
	const float *y = (const float *)(const void *)buffers[1];
	for (uint32_t i = 0; i < kernel->n; i++) {
		if (y[i] != 3.0f * x[i])
			return 0;
	}
	return 1;
}

static int check_reduce(const struct kernel *kernel, uint32_t *const *buffers)
{
	for (uint32_t group = 0; group < kernel->groups_x; group++) {
		uint32_t sum = 0;
		for (uint32_t i = 0; i < 256; i++)
			sum += buffers[0][group * 256 + i];
		if (sum != buffers[1][group])
			return 0;
	}
	return 1;
}

static int check_histogram(const struct kernel *kernel, uint32_t *const *buffers)
{
	uint32_t bins[256] = {0};
	for (uint32_t i = 0; i < kernel->length[0]; i++)
		bins[buffers[0][i] & 255]++;
	return memcmp(bins, buffers[1], sizeof bins) == 0;
}

static int check_matmul(const struct kernel *kernel, uint32_t *const *buffers)
{
	const float *a = (const float *)(const void *)buffers[0];
	const float *b = (const float *)(const void *)buffers[1];
	const float *c = (const float *)(const void *)buffers[2];
	for (uint32_t i = 0; i < kernel->n; i++) {
		uint32_t row = i, column = kernel->n - 1 - i;
		float sum = 0; // small integers: exact in any order
		for (uint32_t k = 0; k < kernel->n; k++)
			sum += a[row * kernel->n + k] * b[k * kernel->n + column];
		if (sum != c[row * kernel->n + column])
			return 0;
	}
	return 1;
}

static int check_stencil(const struct kernel *kernel, uint32_t *const *buffers)
{
	const float *x = (const float *)(const void *)buffers[0];
	const float *y = (const float *)(const void *)buffers[1];
	uint32_t i = kernel->n * (kernel->n / 2) + kernel->n / 3;
	float wanted = 0.2f * (x[i] + x[i - 1] + x[i + 1] + x[i - kernel->n] + x[i + kernel->n]);
	return y[i] > wanted - 0.01f && y[i] < wanted + 0.01f;
}

static int check_gather(const struct kernel *kernel, uint32_t *const *buffers)
{
	const float *x = (const float *)(const void *)buffers[0];
	const float *y = (const float *)(const void *)buffers[1];
	for (uint32_t row = 0; row < kernel->n; row++) {
		float sum = 0;
		for (uint32_t k = 0; k < 8; k++)
			sum += x[buffers[2][row * 8 + k]];
		if (sum != y[row])
			return 0;
	}
	return 1;
}

#define SHADER(name) name, sizeof name
static const struct kernel kernels[] = {
	{"saxpy", SHADER(saxpy), 1 << 21, 1 << 13, 1, {1 << 21, 1 << 21}, fill_floats, check_saxpy},
	{"reduce", SHADER(reduce), 0, 1 << 12, 1, {1 << 20, 1 << 12}, fill_words, check_reduce},
	{"matmul",
	 SHADER(matmul),
	 256,
	 16,
	 16,
	 {1 << 16, 1 << 16, 1 << 16},
	 fill_floats,
	 check_matmul},
	{"histogram",
	 SHADER(histogram),
	 0,
	 1 << 11,
	 1,
	 {1 << 22, 256},
	 fill_words,
	 check_histogram},
	{"stencil", SHADER(stencil), 1024, 64, 64, {1 << 20, 1 << 20}, fill_floats, check_stencil},
	{"gather",
	 SHADER(gather),
	 1 << 18,
	 1 << 11,
	 1,
	 {1 << 18, 1 << 18, 1 << 21},
	 fill_columns,
	 check_gather},
};

struct program {
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice device;
	VkQueue queue;
	VkBuffer buffers[BUFFERS];
	VkDeviceMemory memory[BUFFERS];
	uint32_t *mapped[BUFFERS];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool descriptor_pool;
	VkDescriptorSet set;
	VkShaderModule module;
	VkPipeline pipeline;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
};

static void expect(VkResult result, const char *what)
{
	if (result != VK_SUCCESS) {
		fprintf(stderr, "bench_kernels: %s failed: %d\n", what, (int)result);
		exit(EXIT_FAILURE);
	}
}

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void create_device(struct program *program)
{
	VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					 .pApplicationName = "bench_kernels",
					 .apiVersion = VK_API_VERSION_1_1};
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					      .pApplicationInfo = &application};
	expect(vkCreateInstance(&instance_info, NULL, &program->instance), "vkCreateInstance");
	uint32_t count = 1;
	VkResult found = vkEnumeratePhysicalDevices(program->instance, &count, &program->physical);
	if (found != VK_INCOMPLETE)
		expect(found, "vkEnumeratePhysicalDevices");
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					      .queueCount = 1,
					      .pQueuePriorities = &priority};
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					  .queueCreateInfoCount = 1,
					  .pQueueCreateInfos = &queue_info};
	expect(vkCreateDevice(program->physical, &device_info, NULL, &program->device),
	       "vkCreateDevice");
	vkGetDeviceQueue(program->device, 0, 0, &program->queue);
}

static uint32_t host_memory_type(const struct program *program, uint32_t allowed)
{
	VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties properties;
	vkGetPhysicalDeviceMemoryProperties(program->physical, &properties);
	for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
		if ((allowed >> i & 1) &&
		    (properties.memoryTypes[i].propertyFlags & wanted) == wanted)
			return i;
	}
	fprintf(stderr, "bench_kernels: no coherent host-visible memory\n");
	exit(EXIT_FAILURE);
}

static void create_buffer(struct program *program, int index, uint32_t words)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = (VkDeviceSize)(words ? words : 1) * sizeof(uint32_t),
				   .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkBuffer *buffer = &program->buffers[index];
	expect(vkCreateBuffer(program->device, &info, NULL, buffer), "vkCreateBuffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(program->device, *buffer, &needs);
	VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					   .allocationSize = needs.size,
					   .memoryTypeIndex =
						   host_memory_type(program, needs.memoryTypeBits)};
	VkDeviceMemory *memory = &program->memory[index];
	expect(vkAllocateMemory(program->device, &allocation, NULL, memory), "vkAllocateMemory");
	expect(vkBindBufferMemory(program->device, *buffer, *memory, 0), "vkBindBufferMemory");
	void *mapped;
	expect(vkMapMemory(program->device, *memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
	program->mapped[index] = mapped;
}

static void create_set(struct program *program)
{
	VkDescriptorSetLayoutBinding bindings[BUFFERS];
	VkDescriptorBufferInfo infos[BUFFERS];
	VkWriteDescriptorSet writes[BUFFERS];
	for (uint32_t i = 0; i < BUFFERS; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
							     1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	}
	VkDescriptorSetLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = BUFFERS,
		.pBindings = bindings};
	expect(vkCreateDescriptorSetLayout(program->device, &layout, NULL, &program->set_layout),
	       "vkCreateDescriptorSetLayout");
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS};
	VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
					   .maxSets = 1,
					   .poolSizeCount = 1,
					   .pPoolSizes = &size};
	expect(vkCreateDescriptorPool(program->device, &pool, NULL, &program->descriptor_pool),
	       "vkCreateDescriptorPool");
	VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = program->descriptor_pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &program->set_layout};
	expect(vkAllocateDescriptorSets(program->device, &allocation, &program->set),
	       "vkAllocateDescriptorSets");
	for (uint32_t i = 0; i < BUFFERS; i++) {
		infos[i] = (VkDescriptorBufferInfo){program->buffers[i], 0, VK_WHOLE_SIZE};
		writes[i] =
			(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					       .dstSet = program->set,
					       .dstBinding = i,
					       .descriptorCount = 1,
					       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					       .pBufferInfo = &infos[i]};
	}
	vkUpdateDescriptorSets(program->device, BUFFERS, writes, 0, NULL);
}

// Of all of the process's threads.
static double processor_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void create_pipeline(struct program *program, const struct kernel *kernel)
{
	VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
					     .setLayoutCount = 1,
					     .pSetLayouts = &program->set_layout,
					     .pushConstantRangeCount = 1,
					     .pPushConstantRanges = &range};
	expect(vkCreatePipelineLayout(program->device, &layout, NULL, &program->layout),
	       "vkCreatePipelineLayout");
	VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
					   .codeSize = kernel->bytes,
					   .pCode = kernel->words};
	expect(vkCreateShaderModule(program->device, &module, NULL, &program->module),
	       "vkCreateShaderModule");
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = program->module,
			  .pName = "main"},
		.layout = program->layout};
	expect(vkCreateComputePipelines(program->device, VK_NULL_HANDLE, 1, &info, NULL,
					&program->pipeline),
	       "vkCreateComputePipelines");
}

static void create_pool(struct program *program)
{
	VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	expect(vkCreateCommandPool(program->device, &pool, NULL, &program->pool),
	       "vkCreateCommandPool");
}

static void record(struct program *program, const struct kernel *kernel, uint32_t groups_x,
		   uint32_t groups_y)
{
	VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = program->pool,
		.commandBufferCount = 1};
	expect(vkAllocateCommandBuffers(program->device, &allocation, &program->commands),
	       "vkAllocateCommandBuffers");
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	expect(vkBeginCommandBuffer(program->commands, &begin), "vkBeginCommandBuffer");
	vkCmdBindPipeline(program->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->pipeline);
	vkCmdBindDescriptorSets(program->commands, VK_PIPELINE_BIND_POINT_COMPUTE, program->layout,
				0, 1, &program->set, 0, NULL);
	vkCmdPushConstants(program->commands, program->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof kernel->n, &kernel->n);
	vkCmdDispatch(program->commands, groups_x, groups_y, 1);
	VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
				   .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
	vkCmdPipelineBarrier(program->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
			     VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	expect(vkEndCommandBuffer(program->commands), "vkEndCommandBuffer");
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	expect(vkCreateFence(program->device, &fence, NULL, &program->fence), "vkCreateFence");
}

static double submit(struct program *program)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &program->commands};
	double start = now();
	expect(vkQueueSubmit(program->queue, 1, &info, program->fence), "vkQueueSubmit");
	expect(vkWaitForFences(program->device, 1, &program->fence, VK_TRUE, UINT64_MAX),
	       "vkWaitForFences");
	double seconds = now() - start;
	expect(vkResetFences(program->device, 1, &program->fence), "vkResetFences");
	return seconds;
}

static void destroy(struct program *program)
{
	VkDevice device = program->device;
	vkDestroyFence(device, program->fence, NULL);
	vkDestroyCommandPool(device, program->pool, NULL);
	vkDestroyPipeline(device, program->pipeline, NULL);
	vkDestroyShaderModule(device, program->module, NULL);
	vkDestroyPipelineLayout(device, program->layout, NULL);
	vkDestroyDescriptorPool(device, program->descriptor_pool, NULL);
	vkDestroyDescriptorSetLayout(device, program->set_layout, NULL);
	for (int i = 0; i < BUFFERS; i++) {
		vkDestroyBuffer(device, program->buffers[i], NULL);
		vkFreeMemory(device, program->memory[i], NULL);
	}
	vkDestroyDevice(device, NULL);
	vkDestroyInstance(program->instance, NULL);
}

static int compare_seconds(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

const char *kernel_name(uint32_t kernel)
{
	return kernel < sizeof kernels / sizeof *kernels ? kernels[kernel].name : NULL;
}

struct kernel_times kernel_run(uint32_t number, uint32_t repetitions)
{
	const struct kernel *kernel = &kernels[number];
	struct program program = {0};
	struct kernel_times times;
	create_device(&program);
	for (int i = 0; i < BUFFERS; i++)
		create_buffer(&program, i, kernel->length[i]);
	create_set(&program);
	create_pool(&program);
	kernel->fill(kernel, program.mapped);
	// Drivers may compile at the first dispatch: one of one workgroup belongs here.
	double start = processor_seconds();
	create_pipeline(&program, kernel);
	record(&program, kernel, 1, 1);
	submit(&program);
	times.pipeline = processor_seconds() - start;
	record(&program, kernel, kernel->groups_x, kernel->groups_y);
	kernel->fill(kernel, program.mapped);
	submit(&program);
	if (!kernel->check(kernel, program.mapped)) {
		fprintf(stderr, "bench_kernels: %s computed a wrong result\n", kernel->name);
		exit(EXIT_FAILURE);
	}
	double *seconds = calloc(repetitions, sizeof *seconds);
	if (!seconds)
		abort();
	for (uint32_t i = 0; i < repetitions; i++)
		seconds[i] = submit(&program);
	qsort(seconds, repetitions, sizeof *seconds, compare_seconds);
	times.dispatch = seconds[repetitions / 2];
	free(seconds);
	destroy(&program);
	return times;
}
