// SPDX-License-Identifier: Apache-2.0
#include "log_copy.h"

#include "array.h"
#include "log_buffer.h"
#include "log_memory.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// After which no copy is still to be expected: even where all queues of the device are one and the
// program's work stands before it.
#define PATIENCE_NS UINT64_C(10000000000)

// A copy of a few pages takes no longer than that of a few words.
#define LEAST_WORDS UINT64_C(4096)

// Words that are copied at once, at most.
#define STEP_WORDS (UINT64_C(4) << 20)

// So much of a mirror stays in memory.
#define KEPT_WORDS (UINT64_C(64) << 20)

// ---- The queue ----------------------------------------------------------------------------------

// The families that the device was created with.
static bool list_families(struct vkr_log_copies *copies, const VkDeviceCreateInfo *created)
{
	copies->families = calloc(created->queueCreateInfoCount, sizeof *copies->families);
	if (!copies->families)
		return false;
	for (uint32_t i = 0; i < created->queueCreateInfoCount; i++) {
		const uint32_t family = created->pQueueCreateInfos[i].queueFamilyIndex;
		uint32_t at = 0;
		while (at < copies->family_count && copies->families[at] != family)
			at++;
		if (at == copies->family_count)
			copies->families[copies->family_count++] = family;
	}
	return true;
}

static bool create_commands(struct vkr_layer_device *device, struct vkr_log_copies *copies,
			    uint32_t family)
{
	const struct vkr_device_table *next = &device->next;
	const VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT |
			 VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = family,
	};
	const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	if (next->CreateCommandPool(device->handle, &pool, NULL, &copies->pool) != VK_SUCCESS) {
		copies->pool = VK_NULL_HANDLE;
		return false;
	}
	if (next->CreateFence(device->handle, &fence, NULL, &copies->fence) != VK_SUCCESS) {
		copies->fence = VK_NULL_HANDLE;
		return false;
	}
	commands.commandPool = copies->pool;
	// Dispatchable handles that the loader did not see being made.
	return next->AllocateCommandBuffers(device->handle, &commands, &copies->commands) ==
		       VK_SUCCESS &&
	       device->set_loader_data(device->handle, copies->commands) == VK_SUCCESS &&
	       device->set_loader_data(device->handle, copies->queue) == VK_SUCCESS;
}

bool vkr_log_copies_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *created,
			  uint32_t family, uint32_t index)
{
	struct vkr_log_copies *copies = calloc(1, sizeof *copies);
	if (!copies)
		return false;
	pthread_mutex_init(&copies->lock, NULL);
	device->log->copies = copies;
	device->next.GetDeviceQueue(device->handle, family, index, &copies->queue);
	if (copies->queue && list_families(copies, created) &&
	    create_commands(device, copies, family))
		return true;
	vkr_log_copies_stop(device);
	return false;
}

void vkr_log_copies_stop(struct vkr_layer_device *device)
{
	struct vkr_log_copies *copies = device->log->copies;
	if (!copies)
		return;
	device->next.DestroyFence(device->handle, copies->fence, NULL);
	device->next.DestroyCommandPool(device->handle, copies->pool, NULL);
	pthread_mutex_destroy(&copies->lock);
	free(copies->families);
	free(copies);
	device->log->copies = NULL;
}

void vkr_log_copies_enter(struct vkr_layer_device *device)
{
	if (device->log && device->log->copies)
		pthread_mutex_lock(&device->log->copies->lock);
}

void vkr_log_copies_leave(struct vkr_layer_device *device)
{
	if (device->log && device->log->copies)
		pthread_mutex_unlock(&device->log->copies->lock);
}

static void record_barrier(struct vkr_layer_device *device, VkPipelineStageFlags source_stages,
			   VkAccessFlags source, VkPipelineStageFlags stages, VkAccessFlags access)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = source,
		.dstAccessMask = access,
	};
	device->next.CmdPipelineBarrier(device->log->copies->commands, source_stages, stages, 0, 1,
					&barrier, 0, NULL, 0, NULL);
}

// Begins commands after all that the host knows to be over. Called with the copies locked, as what
// follows up to the end.
static bool begin_commands(struct vkr_layer_device *device)
{
	const struct vkr_log_copies *copies = device->log->copies;
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	if (copies->failed ||
	    device->next.BeginCommandBuffer(copies->commands, &begin) != VK_SUCCESS)
		return false;
	record_barrier(device, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
		       VK_PIPELINE_STAGE_TRANSFER_BIT,
		       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
	return true;
}

static void record_fill(struct vkr_layer_device *device, const struct vkr_log_region *region,
			uint64_t from, uint64_t to, uint32_t word)
{
	if (from < to)
		device->next.CmdFillBuffer(device->log->copies->commands, region->buffer, 4 * from,
					   4 * (to - from), word);
}

// Once they have ended, the host sees what they wrote, and so does the work that it submits.
static bool end_commands(struct vkr_layer_device *device)
{
	struct vkr_log_copies *copies = device->log->copies;
	const struct vkr_device_table *next = &device->next;
	const VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &copies->commands,
	};
	record_barrier(device, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
		       VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT |
			       VK_ACCESS_MEMORY_WRITE_BIT);
	if (next->EndCommandBuffer(copies->commands) != VK_SUCCESS)
		return false;
	copies->failed =
		next->QueueSubmit(copies->queue, 1, &submit, copies->fence) != VK_SUCCESS ||
		next->WaitForFences(device->handle, 1, &copies->fence, VK_TRUE, PATIENCE_NS) !=
			VK_SUCCESS ||
		next->ResetFences(device->handle, 1, &copies->fence) != VK_SUCCESS;
	return !copies->failed;
}

// Sets where chunks begin, and makes words [1, end) zero.
static bool set_words(struct vkr_layer_device *device, struct vkr_log_region *region,
		      uint64_t first, uint64_t end)
{
	struct vkr_log_copies *copies = device->log->copies;
	pthread_mutex_lock(&copies->lock);
	bool is_set = begin_commands(device);
	if (is_set) {
		record_fill(device, region, VKR_LOG_HEAD, VKR_LOG_HEAD + 1, (uint32_t)first);
		record_fill(device, region, VKR_LOG_HEAD + 1, end, 0);
		is_set = end_commands(device);
	}
	pthread_mutex_unlock(&copies->lock);
	region->head = first;
	return is_set;
}

bool vkr_log_copies_reset(struct vkr_layer_device *device, struct vkr_log_region *region,
			  uint64_t first)
{
	return set_words(device, region, first,
			 region->bytes / sizeof *region->words + region->texel_marks);
}

bool vkr_log_copies_set_head(struct vkr_layer_device *device, struct vkr_log_region *region,
			     uint64_t first)
{
	return region->head == first || set_words(device, region, first, VKR_LOG_HEAD + 1);
}

// ---- Mirrors ------------------------------------------------------------------------------------

// Address space that becomes memory as it is written to.
static bool map_words(struct vkr_log_mirror *mirror)
{
	void *map = mmap(NULL, mirror->bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	mirror->words = map;
	madvise(map, mirror->bytes, MADV_HUGEPAGE);
	return true;
}

struct vkr_log_mirror *vkr_log_mirror_create(struct vkr_layer_device *device)
{
	struct vkr_log_mirror *mirror = calloc(1, sizeof *mirror);
	uint64_t address;
	void *staged = NULL;
	if (!mirror)
		return NULL;
	mirror->device = device;
	mirror->bytes = device->log->region_bytes;
	mirror->staging = vkr_log_buffer_create(device, 4 * STEP_WORDS,
						VK_BUFFER_USAGE_TRANSFER_DST_BIT, false);
	if (!mirror->staging || !map_words(mirror) ||
	    !vkr_log_buffer_bind(device, mirror->staging, NULL, 0, &mirror->memory, &address) ||
	    device->next.MapMemory(device->handle, mirror->memory, 0, VK_WHOLE_SIZE, 0, &staged) !=
		    VK_SUCCESS) {
		vkr_log_mirror_destroy(mirror);
		return NULL;
	}
	mirror->staged = staged;
	return mirror;
}

void vkr_log_mirror_destroy(struct vkr_log_mirror *mirror)
{
	if (!mirror)
		return;
	struct vkr_layer_device *device = mirror->device;
	device->next.DestroyBuffer(device->handle, mirror->staging, NULL);
	device->next.FreeMemory(device->handle, mirror->memory, NULL);
	if (mirror->words)
		munmap(mirror->words, mirror->bytes);
	free(mirror->pieces.items);
	free(mirror->wipes.items);
	free(mirror->step.items);
	free(mirror);
}

void vkr_log_mirror_open(struct vkr_log_mirror *mirror, struct vkr_log_region *region)
{
	mirror->region = region;
	mirror->pieces.count = mirror->wipes.count = 0;
	region->mirror = mirror;
	region->words = mirror->words;
	vkr_log_mirror_ask(mirror, 0, VKR_LOG_HEADER_WORDS, VKR_LOG_HEADER_WORDS);
}

void vkr_log_mirror_ask(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to, uint64_t most)
{
	to = to - from < LEAST_WORDS ? from + LEAST_WORDS : to;
	if (VKR_ARRAY_RESERVE(&mirror->pieces, 1))
		mirror->pieces.items[mirror->pieces.count++] =
			(struct vkr_log_piece){from, to < most ? to : most, most};
	else
		mirror->region->failed = true;
}

void vkr_log_mirror_wipe(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to)
{
	if (VKR_ARRAY_RESERVE(&mirror->wipes, 1))
		mirror->wipes.items[mirror->wipes.count++] = (struct vkr_log_piece){from, to, to};
	else
		mirror->region->failed = true;
}

// Lets the device do what was recorded, then zero what was copied, and takes the copies over.
static bool end_step(struct vkr_log_mirror *mirror)
{
	struct vkr_layer_device *device = mirror->device;
	const uint32_t *staged = mirror->staged;
	record_barrier(device, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
		       0);
	for (size_t i = 0; i < mirror->step.count; i++) {
		const struct vkr_log_piece *piece = &mirror->step.items[i];
		const uint64_t zeros = piece->from == VKR_LOG_HEAD ? piece->from + 1 : piece->from;
		record_fill(device, mirror->region, piece->from, zeros, (uint32_t)mirror->first);
		record_fill(device, mirror->region, zeros, piece->to, 0);
	}
	if (!end_commands(device))
		return false;
	for (size_t i = 0; i < mirror->step.count; i++) {
		const struct vkr_log_piece *piece = &mirror->step.items[i];
		const uint64_t words = piece->to - piece->from;
		memcpy(mirror->words + piece->from, staged, words * sizeof *staged);
		staged += words;
	}
	mirror->step.count = 0;
	mirror->step.words = 0;
	return true;
}

// Adds the words to what is copied, in as many steps as they need.
static bool copy_words(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to)
{
	struct vkr_layer_device *device = mirror->device;
	while (from < to) {
		if (mirror->step.words == STEP_WORDS &&
		    (!end_step(mirror) || !begin_commands(device)))
			return false;
		const uint64_t room = STEP_WORDS - mirror->step.words;
		const uint64_t words = to - from < room ? to - from : room;
		const VkBufferCopy copy = {4 * from, 4 * mirror->step.words, 4 * words};
		if (!VKR_ARRAY_RESERVE(&mirror->step, 1))
			return false;
		mirror->step.items[mirror->step.count++] =
			(struct vkr_log_piece){from, from + words, from + words};
		mirror->step.words += words;
		device->next.CmdCopyBuffer(device->log->copies->commands, mirror->region->buffer,
					   mirror->staging, 1, &copy);
		from += words;
	}
	return true;
}

static bool begin_step(struct vkr_log_mirror *mirror)
{
	mirror->step.count = 0;
	mirror->step.words = 0;
	return !mirror->region->failed && begin_commands(mirror->device);
}

static bool fetch_pieces(struct vkr_log_mirror *mirror)
{
	bool is_fetched = begin_step(mirror);
	for (size_t i = 0; is_fetched && i < mirror->wipes.count; i++)
		record_fill(mirror->device, mirror->region, mirror->wipes.items[i].from,
			    mirror->wipes.items[i].to, 0);
	for (size_t i = 0; is_fetched && i < mirror->pieces.count; i++)
		is_fetched = copy_words(mirror, mirror->pieces.items[i].from,
					mirror->pieces.items[i].to);
	return is_fetched && end_step(mirror);
}

// What the log has is not known.
static void log_copy_fail(struct vkr_log_mirror *mirror)
{
	mirror->region->failed = true;
	vkr_record_coverage(VKR_COVERAGE_LOG, 0, 0,
			    "a log cannot be copied out of device memory: what shaders logged "
			    "there is not observed");
}

bool vkr_log_mirror_fetch(struct vkr_log_mirror *mirror, uint64_t first)
{
	struct vkr_log_copies *copies = mirror->device->log->copies;
	struct vkr_log_region *region = mirror->region;
	mirror->first = first;
	pthread_mutex_lock(&copies->lock);
	const bool is_fetched = fetch_pieces(mirror);
	pthread_mutex_unlock(&copies->lock);
	region->head = first;
	if (!is_fetched) {
		log_copy_fail(mirror);
		return false;
	}
	const uint64_t head = mirror->words[VKR_LOG_HEAD];
	mirror->chunk_words = head > region->first ? head - region->first : 0;
	if (mirror->chunk_words > STEP_WORDS)
		mirror->chunk_words = STEP_WORDS;
	return true;
}

// The piece that the word is in.
static struct vkr_log_piece *find_piece(struct vkr_log_mirror *mirror, uint64_t word)
{
	size_t low = 0, high = mirror->pieces.count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (mirror->pieces.items[middle].from <= word)
			low = middle;
		else
			high = middle;
	}
	return &mirror->pieces.items[low];
}

void vkr_log_mirror_need(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to)
{
	struct vkr_log_copies *copies = mirror->device->log->copies;
	struct vkr_log_piece *piece = find_piece(mirror, from);
	const uint64_t begin = piece->to;
	if (to <= begin)
		return;
	// As much again as there is: a log of unknown length needs few steps.
	uint64_t end = begin + (begin - piece->from);
	end = end < to ? to : end;
	end = end < piece->most ? end : piece->most;
	pthread_mutex_lock(&copies->lock);
	const bool is_fetched =
		begin_step(mirror) && copy_words(mirror, begin, end) && end_step(mirror);
	pthread_mutex_unlock(&copies->lock);
	piece->to = end;
	if (is_fetched)
		return;
	log_copy_fail(mirror);
	memset(mirror->words + begin, 0, (end - begin) * sizeof *mirror->words);
}

void vkr_log_mirror_close(struct vkr_log_mirror *mirror)
{
	const size_t count = mirror->pieces.count;
	if (count && mirror->pieces.items[count - 1].to > KEPT_WORDS)
		madvise(mirror->words + KEPT_WORDS, mirror->bytes - 4 * KEPT_WORDS, MADV_DONTNEED);
	mirror->region->mirror = NULL;
	mirror->region->words = NULL;
	mirror->region = NULL;
}
