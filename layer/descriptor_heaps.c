// SPDX-License-Identifier: Apache-2.0
#include "descriptor_heaps.h"

#include "array.h"
#include "buffer_addresses.h"
#include "descriptor_contents.h"
#include "device_features.h"
#include "heap_contents.h"
#include "record.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct vkr_layer_pipeline_layout *vkr_layout_of(struct vkr_layer_device *device,
						VkPipelineLayout layout, uint64_t flags)
{
#ifdef VK_EXT_descriptor_heap
	if (flags & VKR_HEAP_FLAG)
		return vkr_heap_layout(device);
#else
	(void)flags;
#endif
	return vkr_handles_get(&device->objects.pipeline_layouts, VKR_KEY(layout));
}

#ifdef VK_EXT_descriptor_heap
#define PAGE_BYTES 4096u

// Bits of the filter.
#define FILTER_BITS 16u

#define SIZES_MOST 8u // of descriptors, as many as there are types at most

// The descriptor that was written with some bytes.
struct known {
	uint32_t type; // VkDescriptorType
	struct vkr_described is;
	// Its bytes encode another descriptor now: the index of that.
	uint32_t later;
	size_t count;
	unsigned char bytes[];
};

// The descriptor that begins at each step of a page, as an index of `items`; 0: no known one;
// UNCLEAR: one of several, until a submission looks at it.
#define UNCLEAR UINT32_MAX
struct page {
	uint32_t known[PAGE_BYTES / 4];
};

struct vkr_heap_place {
	struct vkr_heap_place *next;
	uint32_t set; // id
	enum vkr_trace_heap_kind kind;
	uint64_t address, bytes;
	unsigned char *seen; // what was recorded last
	struct page **pages; // NULL until something is known in them
	uint32_t retired;    // as in struct vkr_heaps, when it was read last
	bool is_never_read;  // its memory is not the host's to read
};

struct vkr_heaps {
	VkPhysicalDeviceDescriptorHeapPropertiesEXT properties;
	uint32_t step; // bytes that any descriptor may begin at a multiple of
	struct vkr_layer_pipeline_layout layout;
	pthread_mutex_t lock;
	struct {
		struct known **items; // the first is none
		size_t count, capacity;
	};
	struct vkr_handles by_bytes; // hash -> index as a pointer
	// Where no descriptor begins with such bytes, its bit is not set.
	uint64_t filter[(1u << FILTER_BITS) / 64];
	size_t sizes[SIZES_MOST]; // of descriptors that were written, each once
	uint32_t size_count;
	uint32_t retired; // items that have a `later`
	struct vkr_heap_place *places;
};

size_t vkr_heaps_descriptor_bytes(const struct vkr_layer_device *device, VkDescriptorType type)
{
	return (size_t)device->instance->next.GetPhysicalDeviceDescriptorSizeEXT(device->physical,
										 type);
}

static uint32_t descriptor_heaps_least(VkDeviceSize a, VkDeviceSize b)
{
	return (uint32_t)(a < b ? a : b);
}

static void start_layout(struct vkr_layer_device *device, struct vkr_heaps *all)
{
	struct vkr_layer_pipeline_layout *layout = &all->layout;
	layout->device = device;
	atomic_init(&layout->references, 1);
	layout->way = device->logging ? VKR_BLOCK_HEAP : VKR_BLOCK_NONE;
	layout->compute.offset = layout->others.offset = device->push_room.offset;
}

void vkr_heaps_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked)
{
	if (!vkr_device_enables(asked, VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME) ||
	    !device->instance->next.GetPhysicalDeviceProperties2)
		return;
	struct vkr_heaps *all = calloc(1, sizeof *all);
	if (!all || !VKR_ARRAY_RESERVE(all, 1)) {
		free(all);
		vkr_record_no_memory("descriptor heaps");
		return;
	}
	all->items[all->count++] = NULL;
	VkPhysicalDeviceDescriptorHeapPropertiesEXT *own = &all->properties;
	own->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_PROPERTIES_EXT;
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = own,
	};
	device->instance->next.GetPhysicalDeviceProperties2(device->physical, &properties);
	all->step = descriptor_heaps_least(descriptor_heaps_least(own->imageDescriptorAlignment,
								  own->bufferDescriptorAlignment),
					   own->samplerDescriptorAlignment);
	// Words are what a page is cut into.
	if (all->step < 4 || all->step > PAGE_BYTES)
		all->step = 4;
	pthread_mutex_init(&all->lock, NULL);
	vkr_handles_init(&all->by_bytes);
	vkr_push_room_start(&device->push_room, (uint32_t)own->maxPushDataSize, asked);
	start_layout(device, all);
	device->heaps = all;
}

static void free_place(struct vkr_heap_place *place)
{
	for (uint64_t at = 0; place->pages && at * PAGE_BYTES < place->bytes; at++)
		free(place->pages[at]);
	free(place->pages);
	free(place->seen);
	free(place);
}

static void forget_nothing(void *object)
{
	(void)object;
}

void vkr_heaps_stop(struct vkr_layer_device *device)
{
	struct vkr_heaps *all = device->heaps;
	if (!all)
		return;
	while (all->places) {
		struct vkr_heap_place *place = all->places;
		all->places = place->next;
		free_place(place);
	}
	for (size_t at = 0; at < all->count; at++)
		free(all->items[at]);
	free(all->items);
	vkr_handles_finish(&all->by_bytes, forget_nothing);
	pthread_mutex_destroy(&all->lock);
	free(all);
	device->heaps = NULL;
}

struct vkr_layer_pipeline_layout *vkr_heap_layout(struct vkr_layer_device *device)
{
	return device->heaps ? &device->heaps->layout : NULL;
}

// ---- What bytes stand for -----------------------------------------------------------------------

static uint64_t hash_of(const void *bytes, size_t count)
{
	const uint64_t hash = XXH3_64bits_withSeed(bytes, count, count);
	return hash ? hash : 1; // 0 is no handle
}

// The filter bit for the first bytes of a descriptor; each descriptor has at least one word.
static uint32_t filter_bit(const void *bytes)
{
	uint32_t word;
	memcpy(&word, bytes, sizeof word);
	return word * 0x9e3779b1u >> (32 - FILTER_BITS);
}

// The index of the descriptor that these bytes encode, 0 for none. The lock is held.
static uint32_t find_known(struct vkr_heaps *all, const void *bytes, size_t count)
{
	const uintptr_t at = (uintptr_t)vkr_handles_get(&all->by_bytes, hash_of(bytes, count));
	const struct known *known = at ? all->items[at] : NULL;
	return known && known->count == count && memcmp(known->bytes, bytes, count) == 0
		       ? (uint32_t)at
		       : 0;
}

static void note_size(struct vkr_heaps *all, size_t count)
{
	for (uint32_t i = 0; i < all->size_count; i++)
		if (all->sizes[i] == count)
			return;
	if (all->size_count < SIZES_MOST)
		all->sizes[all->size_count++] = count;
}

// The lock is held.
static void know_descriptor(struct vkr_heaps *all, uint32_t type, const struct vkr_described *is,
			    const void *bytes, size_t count)
{
	const uint32_t before = find_known(all, bytes, count);
	if (before && vkr_heap_is_same(all->items[before]->type, &all->items[before]->is, type, is))
		return;
	struct known *made = calloc(1, sizeof *made + count);
	if (!made || !VKR_ARRAY_RESERVE(all, 1) ||
	    !vkr_handles_put(&all->by_bytes, hash_of(bytes, count),
			     (void *)(uintptr_t)all->count)) {
		free(made);
		vkr_record_no_memory("a descriptor");
		return;
	}
	made->type = type;
	made->is = *is;
	made->count = count;
	memcpy(made->bytes, bytes, count);
	note_size(all, count);
	const uint32_t bit = filter_bit(bytes);
	all->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	if (before) {
		all->items[before]->later = (uint32_t)all->count;
		all->retired++;
	}
	all->items[all->count++] = made;
}

void vkr_heap_know_resource(struct vkr_layer_device *device,
			    const VkResourceDescriptorInfoEXT *info, const void *bytes)
{
	struct vkr_heaps *all = device->heaps;
	const size_t count = vkr_heaps_descriptor_bytes(device, info->type);
	struct vkr_described is = {0};
	pthread_mutex_lock(&all->lock);
	const uint32_t before = find_known(all, bytes, count);
	vkr_heap_describe(device, info, before ? &all->items[before]->is : NULL, &is);
	know_descriptor(all, (uint32_t)info->type, &is, bytes, count);
	pthread_mutex_unlock(&all->lock);
}

void vkr_heap_know_sampler(struct vkr_layer_device *device, const VkSamplerCreateInfo *info,
			   const void *bytes)
{
	struct vkr_heaps *all = device->heaps;
	const size_t count = vkr_heaps_descriptor_bytes(device, VK_DESCRIPTOR_TYPE_SAMPLER);
	struct vkr_described is = {0};
	pthread_mutex_lock(&all->lock);
	// Samplers with equal bits are equal.
	if (!find_known(all, bytes, count)) {
		is.content.sampler = vkr_sampler_record(device, info);
		know_descriptor(all, VK_DESCRIPTOR_TYPE_SAMPLER, &is, bytes, count);
	}
	pthread_mutex_unlock(&all->lock);
}

// ---- Where heaps are ----------------------------------------------------------------------------

// The layout of a heap, as that of a set.
static uint32_t record_layout(const struct vkr_layer_device *device,
			      const struct vkr_heap_place *place)
{
	const uint32_t step = device->heaps->step;
	const struct vkr_trace_set_layout payload = {
		.layout = vkr_record_id(VKR_OBJECT_SET_LAYOUT),
		.device = device->id,
		.binding_count = 1,
	};
	const struct vkr_trace_binding binding = {
		.type = place->kind == VKR_HEAP_SAMPLERS ? VK_DESCRIPTOR_TYPE_SAMPLER
							 : VK_DESCRIPTOR_TYPE_MUTABLE_EXT,
		.count = (uint32_t)(place->bytes / step),
	};
	const struct vkr_trace_descriptor_rows rows = {
		.layout = payload.layout, .row_count = 1, .bytes = place->bytes};
	const struct vkr_trace_descriptor_row row = {.bytes = step};
	vkr_record_event(VKR_TRACE_SET_LAYOUT, &payload, sizeof payload, &binding, sizeof binding);
	vkr_record_event(VKR_TRACE_DESCRIPTOR_ROWS, &rows, sizeof rows, &row, sizeof row);
	return payload.layout;
}

static void record_place(struct vkr_layer_device *device, struct vkr_heap_place *place)
{
	place->set = vkr_record_id(VKR_OBJECT_SET);
	const struct vkr_trace_set payload = {
		.set = place->set,
		.layout = record_layout(device, place),
		.variable_count = UINT32_MAX,
		.handle = place->address,
	};
	const struct vkr_trace_heap heap = {
		.set = place->set,
		.kind = place->kind,
		.image_bytes = (uint32_t)vkr_heaps_descriptor_bytes(
			device, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE),
		.buffer_bytes = (uint32_t)vkr_heaps_descriptor_bytes(
			device, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER),
		.sampler_bytes =
			(uint32_t)vkr_heaps_descriptor_bytes(device, VK_DESCRIPTOR_TYPE_SAMPLER),
	};
	vkr_record_event(VKR_TRACE_SET, &payload, sizeof payload, NULL, 0);
	vkr_record_event(VKR_TRACE_HEAP, &heap, sizeof heap, NULL, 0);
}

static struct vkr_heap_place *make_place(struct vkr_layer_device *device,
					 enum vkr_trace_heap_kind kind,
					 const VkDeviceAddressRangeEXT *range)
{
	struct vkr_heap_place *place = calloc(1, sizeof *place);
	const size_t pages = (size_t)(range->size / PAGE_BYTES + 1);
	if (!place)
		return NULL;
	*place = (struct vkr_heap_place){
		.kind = kind,
		.address = range->address,
		.bytes = range->size,
		.seen = calloc(1, (size_t)range->size + 1),
		.pages = calloc(pages, sizeof(struct page *)),
	};
	if (!place->seen || !place->pages) {
		free_place(place);
		return NULL;
	}
	record_place(device, place);
	place->next = device->heaps->places;
	device->heaps->places = place;
	return place;
}

struct vkr_heap_place *vkr_heap_place(struct vkr_layer_device *device,
				      enum vkr_trace_heap_kind kind,
				      const VkDeviceAddressRangeEXT *range)
{
	struct vkr_heaps *all = device->heaps;
	pthread_mutex_lock(&all->lock);
	struct vkr_heap_place *place = all->places;
	while (place && (place->kind != kind || place->address != range->address ||
			 place->bytes != range->size))
		place = place->next;
	if (!place)
		place = make_place(device, kind, range);
	pthread_mutex_unlock(&all->lock);
	return place;
}

uint32_t vkr_heap_place_set(const struct vkr_heap_place *place)
{
	return place->set;
}

// ---- What they hold -----------------------------------------------------------------------------

static void record_write(const struct vkr_heaps *all, const struct vkr_heap_place *place,
			 uint64_t byte, const struct known *known)
{
	const struct vkr_trace_set_write payload = {
		.set = place->set,
		.element = (uint32_t)(byte / all->step),
		.type = known ? known->type : UINT32_MAX,
		.descriptor_count = 1,
	};
	const struct vkr_trace_descriptor nothing = {0};
	vkr_record_event(VKR_TRACE_SET_WRITE, &payload, sizeof payload,
			 known ? &known->is.content : &nothing, sizeof nothing);
}

// The descriptor that begins here now: the longest one if several match.
static uint32_t known_at(struct vkr_heaps *all, const unsigned char *bytes, uint64_t left)
{
	uint32_t found = 0;
	size_t longest = 0;
	if (left < 4 || !(all->filter[filter_bit(bytes) / 64] >> filter_bit(bytes) % 64 & 1))
		return 0;
	for (uint32_t i = 0; i < all->size_count; i++) {
		const size_t count = all->sizes[i];
		const uint32_t at =
			count > longest && count <= left ? find_known(all, bytes, count) : 0;
		if (at) {
			found = at;
			longest = count;
		}
	}
	return found;
}

// False for lack of memory.
static bool set_known(struct vkr_heap_place *place, uint64_t byte, uint32_t found)
{
	struct page **page = &place->pages[byte / PAGE_BYTES];
	if (!*page && !found)
		return true;
	if (!*page)
		*page = calloc(1, sizeof **page);
	if (!*page)
		return false;
	(*page)->known[byte % PAGE_BYTES / 4] = found;
	return true;
}

static uint32_t known_before(const struct vkr_heap_place *place, uint64_t byte)
{
	const struct page *page = place->pages[byte / PAGE_BYTES];
	return page ? page->known[byte % PAGE_BYTES / 4] : 0;
}

// Notes the descriptor that was found at the byte, and records it if it is new there.
static bool write_known(struct vkr_heaps *all, struct vkr_heap_place *place, uint64_t byte,
			uint32_t found)
{
	if (known_before(place, byte) == found)
		return true;
	if (!set_known(place, byte, found))
		return false;
	record_write(all, place, byte, found ? all->items[found] : NULL);
	return true;
}

// Where the first may begin that reaches a byte.
static uint64_t first_reaching(const struct vkr_heaps *all, uint64_t byte)
{
	size_t most = all->step;
	for (uint32_t i = 0; i < all->size_count; i++)
		most = all->sizes[i] > most ? all->sizes[i] : most;
	return byte > most ? (byte - most) / all->step * all->step : 0;
}

// Looks at all that begins in a range, or reaches into it.
static bool read_range(struct vkr_heaps *all, struct vkr_heap_place *place,
		       const unsigned char *now, uint64_t first, uint64_t end)
{
	for (uint64_t byte = first_reaching(all, first); byte < end; byte += all->step)
		if (!write_known(all, place, byte, known_at(all, now + byte, place->bytes - byte)))
			return false;
	return true;
}

// The latest descriptor that the bytes of an item encode.
static uint32_t descriptor_heaps_newest(const struct vkr_heaps *all, uint32_t known)
{
	while (known && known != UNCLEAR && all->items[known]->later)
		known = all->items[known]->later;
	return known;
}

// Descriptors whose bytes are the same, but stand for something else now.
static bool descriptor_heaps_renew(struct vkr_heaps *all, struct vkr_heap_place *place)
{
	for (uint64_t at = 0; at * PAGE_BYTES < place->bytes; at++)
		for (uint32_t i = 0; place->pages[at] && i < PAGE_BYTES / 4; i++) {
			const uint32_t known =
				descriptor_heaps_newest(all, place->pages[at]->known[i]);
			if (known && known != UNCLEAR &&
			    !write_known(all, place, at * PAGE_BYTES + 4 * (uint64_t)i, known))
				return false;
		}
	return true;
}

static bool read_bytes(struct vkr_heaps *all, struct vkr_heap_place *place,
		       const unsigned char *now)
{
	if (place->retired != all->retired && !descriptor_heaps_renew(all, place))
		return false;
	place->retired = all->retired;
	for (uint64_t at = 0; at < place->bytes;) {
		uint64_t end = at;
		while (end < place->bytes) {
			const uint64_t left = place->bytes - end;
			const size_t bytes = left < PAGE_BYTES ? (size_t)left : PAGE_BYTES;
			if (memcmp(place->seen + end, now + end, bytes) == 0)
				break;
			memcpy(place->seen + end, now + end, bytes);
			end += bytes;
		}
		if (end > at && !read_range(all, place, now, at, end))
			return false;
		at = end > at ? end : at + PAGE_BYTES;
	}
	return true;
}

static void read_place(struct vkr_layer_device *device, struct vkr_heap_place *place)
{
	uint64_t bytes = place->bytes;
	const unsigned char *now = vkr_buffer_addresses_bytes(device, place->address, &bytes);
	if (!now || bytes < place->bytes) {
		if (!place->is_never_read)
			vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
					    "descriptors in a heap whose memory the host cannot "
					    "read: accesses through them are not observed");
		place->is_never_read = true;
	} else if (!read_bytes(device->heaps, place, now)) {
		vkr_record_no_memory("descriptors of a heap");
	}
}

static void record_change(const struct vkr_heaps *all, const struct vkr_heap_place *place,
			  uint64_t byte, const struct known *known, uint32_t execution)
{
	const struct vkr_trace_heap_changed payload = {
		.execution = execution,
		.set = place->set,
		.element = (uint32_t)(byte / all->step),
		.type = known ? known->type : UINT32_MAX,
		.descriptor_count = 1,
	};
	const struct vkr_trace_descriptor nothing = {0};
	const struct vkr_bytes tail = {known ? &known->is.content : &nothing, sizeof nothing};
	vkr_record_layer(VKR_TRACE_HEAP_CHANGED, &payload, sizeof payload, &tail, 1);
}

// Where the execution has written a descriptor into an empty place, that descriptor is what was
// used, if any was. Where it has replaced a descriptor, it is unknown which of the two was used.
// False for lack of memory.
static bool settle_place(struct vkr_heaps *all, struct vkr_heap_place *place,
			 const unsigned char *now, uint64_t byte, uint32_t execution)
{
	const uint32_t known = descriptor_heaps_newest(all, known_before(place, byte));
	const uint32_t found = known_at(all, now + byte, place->bytes - byte);
	if (known == found || known == UNCLEAR)
		return true;
	record_change(all, place, byte, known ? NULL : all->items[found], execution);
	if (!known)
		return set_known(place, byte, found);
	place->seen[byte] = (unsigned char)~now[byte]; // the next submission looks at it
	return set_known(place, byte, UNCLEAR);
}

// The device may have written descriptors in an execution that has just ended.
static void check_place(struct vkr_layer_device *device, struct vkr_heap_place *place,
			uint32_t execution)
{
	uint64_t bytes = place->bytes, byte = 0;
	const struct vkr_address_range *in = vkr_buffer_addresses_find(device, place->address);
	const struct vkr_layer_buffer *buffer =
		in ? vkr_handles_get(&device->objects.buffers, in->buffer) : NULL;
	const unsigned char *now =
		buffer && buffer->device_writes
			? vkr_buffer_addresses_bytes(device, place->address, &bytes)
			: NULL;
	for (uint64_t at = 0; now && bytes >= place->bytes && at < place->bytes; at += PAGE_BYTES) {
		const uint64_t left = place->bytes - at;
		const uint64_t end = at + (left < PAGE_BYTES ? left : PAGE_BYTES);
		if (memcmp(place->seen + at, now + at, (size_t)(end - at)) == 0)
			continue;
		const uint64_t first = first_reaching(device->heaps, at);
		for (byte = byte > first ? byte : first; byte < end; byte += device->heaps->step)
			if (!settle_place(device->heaps, place, now, byte, execution))
				vkr_record_no_memory("descriptors of a heap");
	}
}
#endif

// `execution`: the one that has ended; 0: one is being submitted.
static void each_place(const struct vkr_track *track, uint32_t execution)
{
#ifdef VK_EXT_descriptor_heap
	for (size_t i = 0; i < track->heaps.count; i++) {
		if (!execution)
			read_place(track->device, track->heaps.items[i]);
		else
			check_place(track->device, track->heaps.items[i], execution);
	}
#else
	(void)track;
	(void)execution;
#endif
}

static void all_places(const struct vkr_track *track, uint32_t execution)
{
#ifdef VK_EXT_descriptor_heap
	struct vkr_layer_device *device = track->device;
	if (!device->heaps)
		return;
	pthread_mutex_lock(&device->heaps->lock);
	vkr_buffer_addresses_lock(device);
	each_place(track, execution);
	for (size_t i = 0; i < track->count; i++)
		each_place(track->items[i].track, execution);
	vkr_buffer_addresses_unlock(device);
	pthread_mutex_unlock(&device->heaps->lock);
#else
	(void)track;
	(void)execution;
	(void)each_place;
#endif
}

void vkr_heaps_read(const struct vkr_track *track)
{
	all_places(track, 0);
}

void vkr_heaps_check(const struct vkr_track *track, uint32_t execution)
{
	all_places(track, execution);
}
