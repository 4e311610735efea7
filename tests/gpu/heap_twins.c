// SPDX-License-Identifier: Apache-2.0
// Twins whose descriptors lie in heaps (VK_EXT_descriptor_heap), reached by each kind of mapping,
// or directly. Knows nothing of what is to be reported.
#include "gpu_heaps.h"
#include "gpu_texels.h"
#include "twins.h"

#include <string.h>

#ifdef VK_EXT_descriptor_heap
#define PLACED 4096u // where a heap holds what is no descriptor

// Pushes the constant that kernels have at the beginning, and what their mappings find behind it.
static void dispatch(struct gpu_test *test, const struct gpu_heaps *made, uint32_t pipeline,
		     uint64_t pushed)
{
	const uint32_t first = 0;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
			  made->pipelines[pipeline]);
	gpu_heaps_push(test, made, 0, &first, sizeof first);
	gpu_heaps_push(test, made, 8, &pushed, sizeof pushed);
	vkCmdDispatch(test->commands, 2, 1, 1);
}

// Two dispatches of the kernel that writes words: what was pushed tells the buffers.
static void write_twice(struct gpu_test *test, struct gpu_heaps *made,
			VkDescriptorSetAndBindingMappingEXT found, uint64_t one, uint64_t other)
{
	made->pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	gpu_heaps_bind(test, made);
	dispatch(test, made, 0, one);
	dispatch(test, made, 0, test->fixed ? other : one);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, made);
}

static void heap_pushed(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
	found.sourceData.pushIndex = (VkDescriptorMappingSourcePushIndexEXT){
		.heapOffset = GPU_HEAPS_SLOT, .pushOffset = 8, .heapIndexStride = GPU_HEAPS_SLOT};
	gpu_heaps_make(test, &made);
	gpu_heaps_write(test, &made, test->data.handle,
			made.mapped[GPU_RESOURCE_HEAP] + GPU_HEAPS_SLOT);
	gpu_heaps_write(test, &made, test->result.handle,
			made.mapped[GPU_RESOURCE_HEAP] + 3 * GPU_HEAPS_SLOT);
	write_twice(test, &made, found, 0, 2);
}

static void heap_addressed(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT);
	found.sourceData.pushAddressOffset = 8;
	gpu_heaps_make(test, &made);
	write_twice(test, &made, found, gpu_test_address(test, test->data.handle),
		    gpu_test_address(test, test->result.handle));
}

// What stands in memory tells where the buffers are: an address, or an index.
static void through_memory(struct gpu_test *test, VkDescriptorSetAndBindingMappingEXT found,
			   const uint64_t words[2])
{
	struct gpu_heaps made = {0};
	VkDeviceMemory memory;
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	VkBuffer buffer = gpu_test_addressed(
		test, GPU_HEAPS_BYTES, GPU_HEAPS_TRANSFERS | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
		"indices", &memory);
	unsigned char *mapped = gpu_heaps_map(test, memory);
	memcpy(mapped + 16, &words[0], sizeof words[0]);
	memcpy(mapped + 80, &words[1], sizeof words[1]);
	const VkDeviceAddress at = gpu_test_address(test, buffer);
	write_twice(test, &made, found, at, at + 64);
	vkDestroyBuffer(test->device, buffer, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

static void heap_indirect(struct gpu_test *test)
{
	static const uint64_t indices[2] = {0, 1};
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT);
	found.sourceData.indirectIndex = (VkDescriptorMappingSourceIndirectIndexEXT){
		.pushOffset = 8, .addressOffset = 16, .heapIndexStride = GPU_HEAPS_SLOT};
	through_memory(test, found, indices);
}

static void heap_indirect_address(struct gpu_test *test)
{
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT);
	found.sourceData.indirectAddress =
		(VkDescriptorMappingSourceIndirectAddressEXT){.pushOffset = 8, .addressOffset = 16};
	if (!test->has_heaps)
		gpu_test_skip("no descriptor heaps");
	const uint64_t addresses[2] = {gpu_test_address(test, test->data.handle),
				       gpu_test_address(test, test->result.handle)};
	through_memory(test, found, addresses);
}

// The index of a descriptor is written by a copy, without a barrier for how it is read.
static void heap_index(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	VkDeviceMemory memory;
	const uint32_t index = 1;
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT);
	found.sourceData.indirectIndex = (VkDescriptorMappingSourceIndirectIndexEXT){
		.pushOffset = 8, .addressOffset = 16, .heapIndexStride = GPU_HEAPS_SLOT};
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	VkBuffer buffer = gpu_test_addressed(
		test, GPU_HEAPS_BYTES, GPU_HEAPS_TRANSFERS | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
		"indices", &memory);
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	gpu_heaps_bind(test, &made);
	vkCmdUpdateBuffer(test->commands, buffer, 16, sizeof index, &index);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE,
			 test->fixed ? VK_ACCESS_UNIFORM_READ_BIT : WRITE);
	dispatch(test, &made, 0, gpu_test_address(test, buffer));
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
	vkDestroyBuffer(test->device, buffer, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

// An array of buffers: one index for each of its elements.
static void heap_array(struct gpu_test *test)
{
	static const uint32_t indices[2] = {5, 2};
	struct gpu_heaps made = {0};
	VkDeviceMemory memory;
	VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_mapping(
		0, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT);
	found.sourceData.indirectIndexArray = (VkDescriptorMappingSourceIndirectIndexArrayEXT){
		.pushOffset = 8, .addressOffset = 16, .heapIndexStride = GPU_HEAPS_SLOT};
	gpu_heaps_make(test, &made);
	if (!test->has_buffer_arrays)
		gpu_test_skip("no arrays of buffers");
	gpu_heaps_write(test, &made, test->data.handle,
			made.mapped[GPU_RESOURCE_HEAP] + 5 * GPU_HEAPS_SLOT);
	gpu_heaps_write(test, &made, test->result.handle,
			made.mapped[GPU_RESOURCE_HEAP] + 2 * GPU_HEAPS_SLOT);
	VkBuffer buffer = gpu_test_addressed(
		test, GPU_HEAPS_BYTES, GPU_HEAPS_TRANSFERS | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
		"indices", &memory);
	memcpy((char *)gpu_heaps_map(test, memory) + 16, indices, sizeof indices);
	made.pipelines[0] = gpu_heaps_pipeline(test, "heap_array", 1, &found);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, gpu_test_address(test, buffer));
	const uint32_t which = test->fixed ? 1 : 0;
	gpu_heaps_push(test, &made, 0, &which, sizeof which);
	vkCmdDispatch(test->commands, 2, 1, 1);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
	vkDestroyBuffer(test->device, buffer, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

// A uniform block is the heap's own memory.
static void heap_data(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	uint32_t words[64] = {1, 2, 3};
	VkDescriptorSetAndBindingMappingEXT found[2] = {
		gpu_heaps_at(1, 1),
		gpu_heaps_mapping(2, VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT)};
	found[1].sourceData.heapData = (VkDescriptorMappingSourceHeapDataEXT){
		.heapOffset = PLACED - GPU_HEAPS_SLOT, .pushOffset = 8};
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	made.pipelines[0] = gpu_heaps_pipeline(test, "read_uniform", 2, found);
	gpu_heaps_bind(test, &made);
	vkCmdUpdateBuffer(test->commands, made.buffers[GPU_RESOURCE_HEAP], PLACED, sizeof words,
			  words);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE,
				 VK_ACCESS_MEMORY_READ_BIT);
	dispatch(test, &made, 0, GPU_HEAPS_SLOT);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

// The first descriptor is another one at the next submission, put there with memcpy.
static void heap_rewritten(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	unsigned char kept[2][GPU_HEAPS_SLOT];
	const VkDescriptorSetAndBindingMappingEXT found[2] = {gpu_heaps_at(0, 0),
							      gpu_heaps_at(0, 1)};
	gpu_heaps_make(test, &made);
	const size_t bytes = made.properties.bufferDescriptorSize;
	gpu_heaps_write(test, &made, test->data.handle, kept[0]);
	gpu_heaps_write(test, &made, test->result.handle, kept[1]);
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found[0]);
	made.pipelines[1] = gpu_heaps_pipeline(test, "write_words", 1, &found[1]);
	memcpy(made.mapped[GPU_RESOURCE_HEAP], kept[1], bytes);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	memcpy(made.mapped[GPU_RESOURCE_HEAP], kept[test->fixed ? 1 : 0], bytes);
	memcpy(made.mapped[GPU_RESOURCE_HEAP] + GPU_HEAPS_SLOT, kept[0], bytes);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	dispatch(test, &made, 1, 0);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

// A descriptor is overwritten while the device may still read it.
static void heap_early(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_at(0, 0);
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	const unsigned char kept = made.mapped[GPU_RESOURCE_HEAP][0];
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	*(volatile unsigned char *)made.mapped[GPU_RESOURCE_HEAP] = kept; // as it was
	if (!test->fixed)
		gpu_test_wait(test, fence);
	gpu_heaps_finish(test, &made);
}

// A descriptor that a copy has put there is read without a barrier for it.
static void heap_copied(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_at(0, 2);
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	const VkBufferCopy copy = {.dstOffset = 2 * GPU_HEAPS_SLOT,
				   .size = made.properties.bufferDescriptorSize};
	VkBuffer heap = made.buffers[GPU_RESOURCE_HEAP];
	vkCmdCopyBuffer(test->commands, heap, heap, 1, &copy);
	gpu_test_wait(test, gpu_test_submit_fence(test)); // so that it is there
	vkCmdCopyBuffer(test->commands, heap, heap, 1, &copy);
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.dstAccessMask = test->fixed ? VK_ACCESS_2_RESOURCE_HEAP_READ_BIT_EXT
					     : VK_ACCESS_2_SAMPLER_HEAP_READ_BIT_EXT,
	};
	const VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
					     .memoryBarrierCount = 1,
					     .pMemoryBarriers = &barrier};
	vkCmdPipelineBarrier2(test->commands, &dependency);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

// Copies the descriptor of the data into slot 2, in front of all that reads it.
static void copy_ordered(struct gpu_test *test, const struct gpu_heaps *made)
{
	const VkBufferCopy copy = {.dstOffset = 2 * GPU_HEAPS_SLOT,
				   .size = made->properties.bufferDescriptorSize};
	VkBuffer heap = made->buffers[GPU_RESOURCE_HEAP];
	vkCmdCopyBuffer(test->commands, heap, heap, 1, &copy);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE,
			 VK_ACCESS_MEMORY_READ_BIT);
}

static void dispatch_twice(struct gpu_test *test, struct gpu_heaps *made, uint32_t pipeline)
{
	dispatch(test, made, pipeline, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	dispatch(test, made, pipeline, 0);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, made);
}

// A copy in the same submission puts a descriptor where none was, which two dispatches then use.
static void heap_placed(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_at(0, 2);
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found);
	copy_ordered(test, &made);
	gpu_heaps_bind(test, &made);
	dispatch_twice(test, &made, 0);
}

// One puts it where another was: which of them is used is not known.
static void heap_replaced(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	const VkDescriptorSetAndBindingMappingEXT found[2] = {gpu_heaps_at(0, 2),
							      gpu_heaps_at(0, 1)};
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	gpu_heaps_write(test, &made, test->result.handle,
			made.mapped[GPU_RESOURCE_HEAP] + 2 * GPU_HEAPS_SLOT);
	made.pipelines[0] = gpu_heaps_pipeline(test, "write_words", 1, &found[0]);
	made.pipelines[1] = gpu_heaps_pipeline(test, "write_words", 1, &found[1]);
	copy_ordered(test, &made);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	dispatch_twice(test, &made, 1);
}

static void write_one(struct gpu_test *test, const struct gpu_heaps *made,
		      const VkResourceDescriptorInfoEXT *info, uint32_t slot)
{
	const VkHostAddressRangeEXT at = {made->mapped[GPU_RESOURCE_HEAP] + slot * GPU_HEAPS_SLOT,
					  made->properties.imageDescriptorSize};
	gpu_test_expect(made->write(test->device, 1, info, &at), "vkWriteResourceDescriptorsEXT");
}

static VkSamplerCreateInfo nearest(void)
{
	return (VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
				     .addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
				     .addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
				     .addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE};
}

// An image to store to in slot 0, a row of texels in slot 1, the image to sample in slot 2, and a
// sampler in slot 3 of its heap.
static void write_texels(struct gpu_test *test, const struct gpu_heaps *made,
			 const struct gpu_texels *texels, VkBuffer words)
{
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = texels->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	const VkImageDescriptorInfoEXT image = {.sType =
							VK_STRUCTURE_TYPE_IMAGE_DESCRIPTOR_INFO_EXT,
						.pView = &view,
						.layout = VK_IMAGE_LAYOUT_GENERAL};
	const VkTexelBufferDescriptorInfoEXT row = {
		.sType = VK_STRUCTURE_TYPE_TEXEL_BUFFER_DESCRIPTOR_INFO_EXT,
		.format = VK_FORMAT_R32_UINT,
		.addressRange = {gpu_test_address(test, words) + 256, 256}};
	VkResourceDescriptorInfoEXT info = {.sType = VK_STRUCTURE_TYPE_RESOURCE_DESCRIPTOR_INFO_EXT,
					    .type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
					    .data = {.pImage = &image}};
	write_one(test, made, &info, 0);
	info.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	write_one(test, made, &info, 2);
	info.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	info.data.pTexelBuffer = &row;
	write_one(test, made, &info, 1);
	const VkSamplerCreateInfo sampler = nearest();
	const VkHostAddressRangeEXT at = {made->mapped[GPU_SAMPLER_HEAP] + 3 * GPU_HEAPS_SLOT,
					  made->properties.samplerDescriptorSize};
	gpu_test_expect(made->write_sampler(test->device, 1, &sampler, &at),
			"vkWriteSamplerDescriptorsEXT");
}

// Texels of a buffer go to an image, and from there, sampled, to its next row. One of the two
// barriers may be missing. `sampling` finds what is sampled.
static void through_texels(struct gpu_test *test, const char *kernel,
			   VkDescriptorSetAndBindingMappingEXT sampling, bool fetch_ordered,
			   bool sample_ordered)
{
	struct gpu_heaps made = {0};
	struct gpu_texels texels;
	VkDeviceMemory memory;
	const VkDescriptorSetAndBindingMappingEXT found[] = {gpu_heaps_at(0, 0), gpu_heaps_at(1, 1),
							     gpu_heaps_at(2, 2), sampling};
	gpu_heaps_make(test, &made);
	gpu_texels_init(&texels, test);
	VkBuffer words = gpu_test_addressed(
		test, GPU_HEAPS_BYTES,
		GPU_HEAPS_TRANSFERS | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT, "texels", &memory);
	write_texels(test, &made, &texels, words);
	made.pipelines[0] = gpu_heaps_pipeline(test, "descriptor_store", 3, found);
	made.pipelines[1] = gpu_heaps_pipeline(test, kernel, 4, found);
	vkCmdFillBuffer(test->commands, words, 0, VK_WHOLE_SIZE, 7);
	if (fetch_ordered)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	if (sample_ordered)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	dispatch(test, &made, 1, 2 | 3 << 20); // of the image and the sampler, where they are one
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
	vkDestroyBuffer(test->device, words, NULL);
	vkFreeMemory(test->device, memory, NULL);
	gpu_texels_finish(&texels, test);
}

static void heap_fetched(struct gpu_test *test)
{
	through_texels(test, "descriptor_sample", gpu_heaps_at(3, 3), test->fixed, true);
}

static void heap_sampled(struct gpu_test *test)
{
	through_texels(test, "descriptor_sample", gpu_heaps_at(3, 3), true, test->fixed);
}

// The sampler is the pipeline's.
static void heap_embedded(struct gpu_test *test)
{
	const VkSamplerCreateInfo sampler = nearest();
	VkDescriptorSetAndBindingMappingEXT found = gpu_heaps_at(3, 0);
	found.sourceData.constantOffset.pEmbeddedSampler = &sampler;
	through_texels(test, "descriptor_sample", found, true, test->fixed);
}

// An image and its sampler are one variable, their indices one word.
static void heap_combined(struct gpu_test *test)
{
	VkDescriptorSetAndBindingMappingEXT found =
		gpu_heaps_mapping(4, VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT);
	found.sourceData.pushIndex =
		(VkDescriptorMappingSourcePushIndexEXT){.pushOffset = 8,
							.heapIndexStride = GPU_HEAPS_SLOT,
							.useCombinedImageSamplerIndex = VK_TRUE,
							.samplerHeapIndexStride = GPU_HEAPS_SLOT};
	through_texels(test, "heap_combined", found, true, test->fixed);
}

static void need_assembler(void)
{
#ifndef VKR_TEST_HEAPS
	gpu_test_skip("an assembler that does not know descriptor heaps");
#endif
}

// The shader finds the buffer itself, by an index that was pushed.
static void heap_direct(struct gpu_test *test)
{
	struct gpu_heaps made = {0};
	need_assembler();
	gpu_heaps_make(test, &made);
	gpu_heaps_write_both(test, &made);
	made.pipelines[0] = gpu_heaps_pipeline(test, "heap_words", 0, NULL);
	gpu_heaps_bind(test, &made);
	dispatch(test, &made, 0, 0);
	dispatch(test, &made, 0,
		 test->fixed ? GPU_HEAPS_SLOT / made.properties.bufferDescriptorSize : 0);
	gpu_test_submit(test, 1);
	gpu_heaps_finish(test, &made);
}

static void heap_direct_texels(struct gpu_test *test)
{
	need_assembler();
	through_texels(test, "heap_texels", gpu_heaps_at(3, 3), true, test->fixed);
}

#define TWIN(name) {#name, name, 0},
#else
static void skip(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without descriptor heaps");
}

#define TWIN(name) {#name, skip, 0},
#endif

// clang-format off
const struct gpu_twin gpu_heap_twins[] = {
	TWIN(heap_pushed) TWIN(heap_addressed) TWIN(heap_indirect) TWIN(heap_indirect_address)
	TWIN(heap_index) TWIN(heap_array) TWIN(heap_data) TWIN(heap_rewritten) TWIN(heap_early)
	TWIN(heap_copied) TWIN(heap_placed) TWIN(heap_replaced) TWIN(heap_fetched) TWIN(heap_sampled) TWIN(heap_embedded)
	TWIN(heap_combined) TWIN(heap_direct) TWIN(heap_direct_texels)
	{NULL, NULL, 0}};
// clang-format on
