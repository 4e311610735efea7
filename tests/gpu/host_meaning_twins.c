// SPDX-License-Identifier: Apache-2.0
// Twins of host threads and the device: what a host thread reads and writes is told by annotations.
// Knows nothing of what is to be reported.
#include "twins.h"

#include "vkrace/annotate.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// What the kernels touch from the start of the data buffer, in two workgroups.
#define BYTES 512u
#define HOST  VK_PIPELINE_STAGE_HOST_BIT

static char *map_data(struct gpu_test *test)
{
	void *mapped = NULL;
	VKRACE_ATTACH(test->device, vkGetDeviceProcAddr);
	gpu_test_expect(vkMapMemory(test->device, test->data.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	return mapped;
}

static void host_write(char *to, char value, size_t bytes)
{
	vkrace_write(to, bytes);
	memset(to, value, bytes);
}

// Volatile, so that the reads are made, and behind the call: it is in the caller's frame.
static void host_read(const volatile char *from, size_t bytes)
{
	vkrace_read(from, bytes);
	for (size_t i = 0; i < bytes; i++)
		(void)from[i];
}

// A fence alone does not bring the device's writes to the host.
static void host_read_back(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	host_read(mapped, BYTES);
}

// Memory that was a destroyed image's: its layout transition was a write of the device.
static void host_after_transition(struct gpu_test *test)
{
	const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
					.imageType = VK_IMAGE_TYPE_2D,
					.format = VK_FORMAT_R8G8B8A8_UNORM,
					.extent = {4, 1, 1},
					.mipLevels = 1,
					.arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_1_BIT,
					.tiling = VK_IMAGE_TILING_LINEAR,
					.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT};
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	char *mapped = map_data(test);
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &barrier.image), "vkCreateImage");
	gpu_test_expect(vkBindImageMemory(test->device, barrier.image, test->data.memory, 0),
			"vkBindImageMemory");
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, TRANSFER, 0, 0,
			     NULL, 0, NULL, 1, &barrier);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
				 VK_ACCESS_MEMORY_WRITE_BIT, HOST, VK_ACCESS_HOST_WRITE_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	vkDestroyImage(test->device, barrier.image, NULL);
	host_write(mapped, 1, 4);
}

static void host_no_wait(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	host_read(mapped, BYTES);
	if (!test->fixed)
		gpu_test_wait(test, fence);
}

static void host_write_late(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "read_words", 2, 0);
	host_write(mapped, 1, BYTES);
	VkFence fence = gpu_test_submit_fence(test);
	if (!test->fixed)
		host_write(mapped, 2, BYTES);
	gpu_test_wait(test, fence);
	host_write(mapped, 3, BYTES);
}

// The device reads one of several parts of the data buffer.
static void copy_slot(struct gpu_test *test, uint32_t slot)
{
	const VkBufferCopy region = {.srcOffset = (VkDeviceSize)slot * BYTES, .size = BYTES};
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
			 VK_ACCESS_TRANSFER_WRITE_BIT);
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

// While the device reads one half, the host writes the other one, or the same.
static void host_double_buffer(struct gpu_test *test)
{
	char *mapped = map_data(test);
	VkFence fences[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
	for (uint32_t frame = 0; frame < 4; frame++) {
		const uint32_t half = test->fixed ? frame % 2 : 0;
		if (fences[frame % 2])
			gpu_test_wait(test, fences[frame % 2]);
		host_write(mapped + half * BYTES, (char)frame, BYTES);
		copy_slot(test, half);
		fences[frame % 2] = gpu_test_submit_fence(test);
	}
	gpu_test_wait(test, fences[0]);
	gpu_test_wait(test, fences[1]);
}

// Three slots, and two or three frames in flight: a slot is overwritten a frame too early.
static void host_ring(struct gpu_test *test)
{
	enum { SLOTS = 3 };
	char *mapped = map_data(test);
	const uint32_t in_flight = test->fixed ? SLOTS : SLOTS + 1;
	VkFence fences[9];
	for (uint32_t frame = 0; frame < 9; frame++) {
		const uint32_t slot = frame % SLOTS;
		if (frame >= in_flight)
			gpu_test_wait(test, fences[frame - in_flight]);
		host_write(mapped + slot * BYTES, (char)frame, BYTES);
		copy_slot(test, slot);
		fences[frame] = gpu_test_submit_fence(test);
	}
	for (uint32_t frame = 9 - in_flight; frame < 9; frame++)
		gpu_test_wait(test, fences[frame]);
}

// A set like the test's, for one of two frames.
static VkDescriptorSet make_frame_set(struct gpu_test *test, VkBuffer words, const char *name,
				      VkDescriptorPool *pool)
{
	const VkDescriptorBufferInfo info = {words, 0, VK_WHOLE_SIZE};
	const VkDescriptorBufferInfo result = {test->result.handle, 0, VK_WHOLE_SIZE};
	const VkDescriptorSet set = gpu_test_swapped_set(test, pool);
	const VkWriteDescriptorSet writes[2] = {
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = set,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		 .pBufferInfo = &info},
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = set,
		 .dstBinding = 1,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		 .pBufferInfo = &result},
	};
	vkUpdateDescriptorSets(test->device, 2, writes, 0, NULL);
	gpu_test_name(test, VK_OBJECT_TYPE_DESCRIPTOR_SET, (uint64_t)set, name);
	return set;
}

// Two frames in flight, each with a buffer and a set of its own. `named`: whose buffer the second
// one's set names; `bound`: whose set the second one binds.
struct frames {
	VkBuffer buffers[2];
	VkDeviceMemory other;
	VkDescriptorPool pools[2];
	VkDescriptorSet sets[2];
	char *mapped[2];
	uint32_t bound;
};

static struct frames make_frames(struct gpu_test *test, uint32_t named, uint32_t bound)
{
	if (!test->has_addresses)
		gpu_test_skip("no device addresses");
	struct frames made = {.bound = bound};
	void *mapped = NULL;
	made.buffers[0] = test->data.handle;
	made.buffers[1] =
		gpu_test_addressed(test, test->data.bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
				   "data of frame 1", &made.other);
	made.sets[0] = make_frame_set(test, made.buffers[0], "frame 0", &made.pools[0]);
	made.sets[1] = make_frame_set(test, made.buffers[named], "frame 1", &made.pools[1]);
	made.mapped[0] = map_data(test);
	gpu_test_expect(vkMapMemory(test->device, made.other, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	made.mapped[1] = mapped;
	return made;
}

static void finish_frames(struct gpu_test *test, const struct frames *made)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (int i = 0; i < 2; i++)
		vkDestroyDescriptorPool(test->device, made->pools[i], NULL);
	vkDestroyBuffer(test->device, made->buffers[1], NULL);
	vkFreeMemory(test->device, made->other, NULL);
}

static void bind_frame(struct gpu_test *test, const struct frames *made, uint32_t frame)
{
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&made->sets[frame == 0 ? 0 : made->bound], 0, NULL);
}

// The host writes one frame's buffer while the device reads the other one's.
static void write_frames(struct gpu_test *test, uint32_t named, uint32_t bound)
{
	struct frames made = make_frames(test, named, bound);
	VkFence fences[2] = {VK_NULL_HANDLE, VK_NULL_HANDLE};
	for (uint32_t frame = 0; frame < 4; frame++) {
		if (fences[frame % 2])
			gpu_test_wait(test, fences[frame % 2]);
		host_write(made.mapped[frame % 2], (char)frame, BYTES);
		bind_frame(test, &made, frame % 2);
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
		gpu_test_dispatch(test, "read_words", 2, 0);
		fences[frame % 2] = gpu_test_submit_fence(test);
	}
	gpu_test_wait(test, fences[0]);
	gpu_test_wait(test, fences[1]);
	finish_frames(test, &made);
}

static void frames_one_buffer(struct gpu_test *test)
{
	write_frames(test, test->fixed ? 1 : 0, 1);
}

static void frames_wrong_set(struct gpu_test *test)
{
	write_frames(test, 1, test->fixed ? 1 : 0);
}

// Each frame overwrites its buffer by a dispatch.
static void dispatch_frames(struct gpu_test *test, uint32_t named, uint32_t bound)
{
	struct frames made = make_frames(test, named, bound);
	for (uint32_t frame = 0; frame < 2; frame++) {
		bind_frame(test, &made, frame);
		gpu_test_dispatch(test, "write_words", 2, 0);
		gpu_test_submit(test, 1);
	}
	finish_frames(test, &made);
}

static void frames_one_target(struct gpu_test *test)
{
	dispatch_frames(test, test->fixed ? 1 : 0, 1);
}

static void frames_wrong_target(struct gpu_test *test)
{
	dispatch_frames(test, 1, test->fixed ? 1 : 0);
}

// Each frame has the right set, and the third one does not wait for the first: no other set is
// meant.
static void frames_no_wait(struct gpu_test *test)
{
	struct frames made = make_frames(test, 1, 1);
	for (uint32_t frame = 0; frame < 3; frame++) {
		bind_frame(test, &made, frame % 2);
		if (test->fixed && frame == 2)
			gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
		gpu_test_dispatch(test, "write_words", 2, 0);
		gpu_test_submit(test, 1);
	}
	finish_frames(test, &made);
}

// What one frame hands on to the next through a buffer of both: nobody wants another buffer.
static void frames_handed_on(struct gpu_test *test)
{
	struct frames made = make_frames(test, 0, 1);
	for (uint32_t frame = 0; frame < 2; frame++) {
		bind_frame(test, &made, frame);
		if (test->fixed)
			gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
		gpu_test_dispatch(test, "update_words", 2, 0);
		gpu_test_submit(test, 1);
	}
	finish_frames(test, &made);
}

// Bytes of one page, and here of one word, that the device and the host use at once.
static void host_neighbours(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "read_words", 2, 0);
	VkFence fence = gpu_test_submit_fence(test);
	host_write(mapped + (test->fixed ? BYTES : BYTES - 1), 1, 100);
	gpu_test_wait(test, fence);
}

// One mapping for a thousand frames; once the host reads what it has not waited for.
static void host_frames(struct gpu_test *test)
{
	char *mapped = map_data(test);
	for (uint32_t frame = 0; frame < 1000; frame++) {
		const bool early = !test->fixed && frame == 700;
		host_write(mapped, (char)frame, 64);
		gpu_test_dispatch(test, "update_words", 1, 0);
		gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
		VkFence fence = gpu_test_submit_fence(test);
		if (early)
			host_read(mapped + 64, 64);
		gpu_test_wait(test, fence);
		if (!early)
			host_read(mapped + 64, 64);
	}
}

// What the program says is of no interest is not judged.
static void host_ignored(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	vkrace_ignore_begin();
	vkrace_ignore_begin();
	vkrace_ignore_end();
	host_read(mapped, 8);
	if (test->fixed)
		host_read(mapped + 8, 8);
	vkrace_ignore_end();
	if (!test->fixed)
		host_read(mapped + 8, 8);
}

// Frees what the device may still read. By the time of the call it has read it, which the program
// only knows from what it sees in memory.
static void host_free(struct gpu_test *test)
{
	char *mapped = map_data(test);
	volatile const char *end = mapped + BYTES;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = BYTES,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	VkBuffer buffer;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer), "vkCreateBuffer");
	VkMemoryRequirements needs;
	vkGetBufferMemoryRequirements(test->device, buffer, &needs);
	VkDeviceMemory memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, buffer, memory, 0), "vkBindBufferMemory");
	const VkBufferCopy region = {.size = BYTES};
	vkCmdCopyBuffer(test->commands, buffer, test->data.handle, 1, &region);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
			 VK_ACCESS_TRANSFER_WRITE_BIT);
	vkCmdFillBuffer(test->commands, test->data.handle, BYTES, 4, 0x01010101);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	while (*end != 1)
		;
	vkFreeMemory(test->device, memory, NULL);
	if (!test->fixed)
		gpu_test_wait(test, fence);
	vkDestroyBuffer(test->device, buffer, NULL);
}

// ---- Memory that is not coherent (VKRACE_NONCOHERENT=1) -----------------------------------------

static void flush(struct gpu_test *test, VkDeviceSize offset, VkDeviceSize bytes)
{
	const VkMappedMemoryRange range = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = test->data.memory,
		.offset = offset,
		.size = bytes,
	};
	gpu_test_expect(vkFlushMappedMemoryRanges(test->device, 1, &range),
			"vkFlushMappedMemoryRanges");
}

static void invalidate(struct gpu_test *test)
{
	const VkMappedMemoryRange range = {
		.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
		.memory = test->data.memory,
		.size = VK_WHOLE_SIZE,
	};
	gpu_test_expect(vkInvalidateMappedMemoryRanges(test->device, 1, &range),
			"vkInvalidateMappedMemoryRanges");
}

static void flush_missing(struct gpu_test *test)
{
	char *mapped = map_data(test);
	host_write(mapped, 1, BYTES);
	if (test->fixed)
		flush(test, 0, VK_WHOLE_SIZE);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
}

// Unmapping flushes nothing.
static void flush_by_unmap(struct gpu_test *test)
{
	char *mapped = map_data(test);
	host_write(mapped, 1, BYTES);
	if (test->fixed)
		flush(test, 0, BYTES);
	vkUnmapMemory(test->device, test->data.memory);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
}

// The last atom is left out.
static void flush_short(struct gpu_test *test)
{
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	const VkDeviceSize atom = properties.limits.nonCoherentAtomSize;
	if (atom < 2 || atom > BYTES / 2)
		gpu_test_skip("memory is not presented as non-coherent");
	char *mapped = map_data(test);
	host_write(mapped, 1, BYTES);
	flush(test, 0, test->fixed ? BYTES : BYTES - atom);
	gpu_test_dispatch(test, "read_words", 2, 0);
	gpu_test_wait(test, gpu_test_submit_fence(test));
}

static void invalidate_missing(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	if (test->fixed)
		invalidate(test);
	host_read(mapped, BYTES);
}

static void invalidate_early(struct gpu_test *test)
{
	char *mapped = map_data(test);
	gpu_test_dispatch(test, "write_words", 2, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, HOST, VK_ACCESS_HOST_READ_BIT);
	VkFence fence = gpu_test_submit_fence(test);
	if (!test->fixed)
		invalidate(test);
	gpu_test_wait(test, fence);
	if (test->fixed)
		invalidate(test);
	host_read(mapped, BYTES);
}

// ---- Threads (VKRACE_HOST_SYNC=1) ---------------------------------------------------------------

// A thread writes, and another one submits what reads. `flag` says that it has been written.
struct writer {
	char *mapped;
	pthread_mutex_t lock;
	atomic_bool flag;
	bool locks, annotates;
};

static void *write_and_tell(void *data)
{
	struct writer *writer = data;
	if (writer->locks)
		pthread_mutex_lock(&writer->lock);
	host_write(writer->mapped, 1, BYTES);
	if (writer->annotates)
		vkrace_happens_before(&writer->flag);
	atomic_store(&writer->flag, true);
	if (writer->locks)
		pthread_mutex_unlock(&writer->lock);
	return NULL;
}

static bool has_written(struct writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	const bool written = atomic_load(&writer->flag);
	pthread_mutex_unlock(&writer->lock);
	return written;
}

static void run_writer(struct gpu_test *test, bool locks, bool annotates, bool joins)
{
	struct writer writer = {.mapped = map_data(test),
				.lock = PTHREAD_MUTEX_INITIALIZER,
				.locks = locks,
				.annotates = annotates};
	pthread_t thread;
	gpu_test_dispatch(test, "read_words", 2, 0);
	if (pthread_create(&thread, NULL, write_and_tell, &writer) != 0)
		gpu_test_skip("no thread");
	if (joins)
		pthread_join(thread, NULL);
	else if (locks)
		while (!has_written(&writer))
			sched_yield();
	else
		while (!atomic_load(&writer.flag))
			sched_yield();
	if (annotates)
		vkrace_happens_after(&writer.flag);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	if (!joins)
		pthread_join(thread, NULL);
}

static void threads_mutex(struct gpu_test *test)
{
	run_writer(test, test->fixed, false, false);
}

static void threads_join(struct gpu_test *test)
{
	run_writer(test, false, false, test->fixed);
}

static void threads_annotated(struct gpu_test *test)
{
	run_writer(test, false, test->fixed, false);
}

static void race_or_not(struct gpu_test *test, bool races)
{
	gpu_test_dispatch(test, "write_words", 1, 0);
	if (!races)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT);
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_submit(test, 1);
}

// What races while shaders are not observed is not found, and what races afterwards is.
static void observe_switched(struct gpu_test *test)
{
	VKRACE_ATTACH(test->device, vkGetDeviceProcAddr);
	vkrace_observe(0);
	race_or_not(test, true);
	vkrace_observe(1);
	race_or_not(test, !test->fixed);
}

// The signal switches it off, and on again.
static void observe_signalled(struct gpu_test *test)
{
	if (getenv("VKRACE_TOGGLE_SIGNAL") == NULL)
		gpu_test_skip("nobody listens for the signal");
	raise(SIGUSR2);
	race_or_not(test, true);
	raise(SIGUSR2);
	race_or_not(test, !test->fixed);
}

const struct gpu_twin gpu_host_twins[] = {
	{"host_read_back", host_read_back, 0},
	{"host_after_transition", host_after_transition, 0},
	{"host_no_wait", host_no_wait, 0},
	{"host_write_late", host_write_late, 0},
	{"host_double_buffer", host_double_buffer, 0},
	{"host_ring", host_ring, 0},
	{"frames_one_buffer", frames_one_buffer, 0},
	{"frames_wrong_set", frames_wrong_set, 0},
	{"frames_one_target", frames_one_target, 0},
	{"frames_wrong_target", frames_wrong_target, 0},
	{"frames_no_wait", frames_no_wait, 0},
	{"frames_handed_on", frames_handed_on, 0},
	{"host_neighbours", host_neighbours, 0},
	{"host_frames", host_frames, 0},
	{"host_ignored", host_ignored, 0},
	{"host_free", host_free, 0},
	{"flush_missing", flush_missing, 0},
	{"flush_by_unmap", flush_by_unmap, 0},
	{"flush_short", flush_short, 0},
	{"invalidate_missing", invalidate_missing, 0},
	{"invalidate_early", invalidate_early, 0},
	{"threads_mutex", threads_mutex, 0},
	{"threads_join", threads_join, 0},
	{"threads_annotated", threads_annotated, 0},
	{"observe_switched", observe_switched, 0},
	{"observe_signalled", observe_signalled, 0},
	{NULL, NULL, 0},
};
