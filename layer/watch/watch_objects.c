// SPDX-License-Identifier: Apache-2.0
#include "watch_objects.h"

#include "array.h"
#include "site_table.h"

#include "vkrace/site.h"

#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

struct bound {
	struct vkr_watch_range range; // memory 0: not bound yet
	uint64_t address;             // of the device; 0: none that is known
	bool has_structures;          // of ray tracing, which have addresses of their own
};

struct view {
	uint32_t buffer;
	uint64_t offset, bytes;
};

struct layout {
	uint32_t count;
	uint64_t placed_bytes;               // of a set in a descriptor buffer; else 0
	struct vkr_trace_binding bindings[]; // by number
};

// By id; each value points to what malloc gave.
static struct vkr_map memories, buffers, images, views, layouts, sets, shaders, pipelines,
	recordings, latest;

static void *find_object(const struct vkr_map *map, uint32_t id)
{
	uint64_t value = 0;
	return vkr_map_get(map, id, &value) ? (void *)(uintptr_t)value : NULL;
}

// The new object under the id; NULL for lack of memory.
static void *add_object(struct vkr_map *map, uint32_t id, size_t bytes)
{
	void *made = calloc(1, bytes);
	if (made && !vkr_map_set(map, id, (uint64_t)(uintptr_t)made)) {
		free(made);
		made = NULL;
	}
	return made;
}

static void watch_objects_drop(struct vkr_map *map, uint32_t id)
{
	void *found = find_object(map, id);
	if (found)
		vkr_map_remove(map, id);
	free(found);
}

static bool add_memory(const struct vkr_trace_memory *payload)
{
	if (!(payload->property_flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
		return true;
	struct bound *made = add_object(&memories, payload->memory, sizeof *made);
	if (made)
		made->range = (struct vkr_watch_range){
			.memory = payload->memory,
			.bytes = payload->bytes,
		};
	return made != NULL;
}

static bool add_buffer(uint32_t id, uint64_t bytes)
{
	struct bound *made = add_object(&buffers, id, sizeof *made);
	if (made)
		made->range.bytes = bytes;
	return made != NULL;
}

static bool add_image(uint32_t id, uint64_t bytes)
{
	struct bound *made = add_object(&images, id, sizeof *made);
	if (made)
		made->range.bytes = bytes;
	return made != NULL;
}

static void bind_memory(struct vkr_map *map, uint32_t id, uint32_t memory, uint64_t offset)
{
	struct bound *found = find_object(map, id);
	if (!found || !find_object(&memories, memory)) // that the host can map
		return;
	found->range.memory = memory;
	found->range.offset = offset;
	// A disjoint image's planes: each is somewhere after its offset.
	if (!found->range.bytes)
		found->range.bytes = UINT64_MAX - offset;
}

static bool add_view(const struct vkr_trace_buffer_view *payload)
{
	struct view *made = add_object(&views, payload->view, sizeof *made);
	if (made)
		*made = (struct view){payload->buffer, payload->offset, payload->bytes};
	return made != NULL;
}

static void drop_set(uint32_t id)
{
	struct vkr_watch_set *set = find_object(&sets, id);
	if (set) {
		free(set->items);
		vkr_map_finish(&set->places);
	}
	watch_objects_drop(&sets, id);
}

static bool put_descriptor(struct vkr_watch_set *set, const struct vkr_watch_descriptor *descriptor)
{
	const uint64_t place = (uint64_t)descriptor->binding << 32 | descriptor->element;
	uint64_t found;
	if (vkr_map_get(&set->places, place, &found)) {
		set->items[found] = *descriptor;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(set, 1) || !vkr_map_set(&set->places, place, set->count))
		return false;
	set->items[set->count++] = *descriptor;
	return true;
}

static bool add_layout(const struct vkr_trace_set_layout *payload, const void *bindings)
{
	const size_t bytes = payload->binding_count * sizeof(struct vkr_trace_binding);
	struct layout *made = add_object(&layouts, payload->layout, sizeof *made + bytes);
	if (!made)
		return false;
	made->count = payload->binding_count;
	if (bytes)
		memcpy(made->bindings, bindings, bytes);
	return true;
}

static bool add_set(const struct vkr_trace_set *payload)
{
	struct vkr_watch_set *made = add_object(&sets, payload->set, sizeof *made);
	if (!made)
		return false;
	made->layout = payload->layout;
	made->address = payload->handle;
	vkr_map_init(&made->places);
	return true;
}

// Elements beyond a binding's last are the next binding's (VkWriteDescriptorSet, "consecutive
// binding updates").
static void run_on(const struct vkr_watch_set *set, struct vkr_watch_descriptor *descriptor)
{
	const struct layout *layout = find_object(&layouts, set->layout);
	uint32_t at = 0;
	while (layout && at < layout->count && layout->bindings[at].binding < descriptor->binding)
		at++;
	while (layout && at + 1 < layout->count &&
	       descriptor->element >= layout->bindings[at].count) {
		descriptor->element -= layout->bindings[at].count;
		descriptor->binding = layout->bindings[++at].binding;
	}
}

static bool write_set(const struct vkr_trace_set_write *payload,
		      const struct vkr_trace_descriptor *descriptors)
{
	struct vkr_watch_set *set = find_object(&sets, payload->set);
	bool done = true;
	for (uint32_t i = 0; set && i < payload->descriptor_count; i++) {
		struct vkr_watch_descriptor descriptor = {
			.binding = payload->binding,
			.element = payload->element + i,
			.type = payload->type,
			.descriptor = descriptors[i],
		};
		run_on(set, &descriptor);
		done = done && put_descriptor(set, &descriptor);
	}
	return done;
}

// More than is copied may be kept: a set then reaches more than it does, never less.
static bool copy_set(const struct vkr_trace_set_copy *payload)
{
	const struct vkr_watch_set *source = find_object(&sets, payload->source_set);
	struct vkr_watch_set *set = find_object(&sets, payload->set);
	bool done = true;
	for (size_t i = 0; set && source && source != set && i < source->count; i++) {
		struct vkr_watch_descriptor copy = source->items[i];
		if (copy.binding == payload->source_binding) {
			copy.element += payload->element - payload->source_element;
			copy.binding = payload->binding;
			run_on(set, &copy);
		}
		done = done && put_descriptor(set, &copy);
	}
	return done;
}

static bool add_write(struct vkr_watch_writes *writes, uint64_t binding)
{
	for (size_t i = 0; i < writes->count; i++)
		if (writes->items[i] == binding)
			return true;
	if (!VKR_ARRAY_RESERVE(writes, 1))
		return false;
	writes->items[writes->count++] = binding;
	return true;
}

static bool writes_memory(uint32_t operation)
{
	return operation == VKR_SITE_STORE || operation == VKR_SITE_ATOMIC_STORE ||
	       operation == VKR_SITE_ATOMIC_RMW;
}

static bool read_sites(struct vkr_watch_writes *writes, const struct vkr_site_table *table)
{
	const struct vkr_variable *variables = vkr_site_table_variables(table);
	const struct vkr_site *found = vkr_site_table_sites(table);
	bool done = true;
	for (uint32_t i = 0; i < table->site_count && done; i++) {
		if (found[i].variable >= table->variable_count)
			continue;
		const struct vkr_variable *variable = &variables[found[i].variable];
		const bool write = writes_memory(found[i].operation);
		if (variable->kind == VKR_VARIABLE_POINTER || (found[i].flags & VKR_SITE_POINTER)) {
			writes->reads_pointers = true;
			writes->writes_pointers = writes->writes_pointers || write;
		} else if (write) {
			done = add_write(writes, (uint64_t)variable->set << 32 | variable->binding);
		}
	}
	return done;
}

static bool add_shader(const struct vkr_trace_shader *payload, const void *table)
{
	struct vkr_watch_writes *made = add_object(&shaders, payload->shader, sizeof *made);
	if (!made)
		return false;
	made->unknown = !(payload->flags & VKR_SHADER_INSTRUMENTED) ||
			payload->sites_bytes < sizeof(struct vkr_site_table);
	made->reads_pointers = made->writes_pointers = made->unknown;
	return made->unknown || read_sites(made, table);
}

static bool add_pipeline(const struct vkr_trace_pipeline *payload, const uint32_t *list)
{
	struct vkr_watch_writes *made = add_object(&pipelines, payload->pipeline, sizeof *made);
	bool done = made != NULL;
	for (uint32_t i = 0; done && i < payload->shader_count; i++) {
		const struct vkr_watch_writes *shader = find_object(&shaders, list[i]);
		if (!shader || shader->unknown)
			made->unknown = made->reads_pointers = made->writes_pointers = true;
		for (size_t j = 0; shader && done && j < shader->count; j++)
			done = add_write(made, shader->items[j]);
		made->reads_pointers |= shader && shader->reads_pointers;
		made->writes_pointers |= shader && shader->writes_pointers;
	}
	return done;
}

static void drop_pipeline(uint32_t id)
{
	struct vkr_watch_writes *found = find_object(&pipelines, id);
	if (found)
		free(found->items);
	watch_objects_drop(&pipelines, id);
}

// A command buffer has one recording at a time; secondaries stay as long as they are the last.
static bool add_recording(const struct vkr_trace_recording *payload, const void *events)
{
	uint64_t old = 0;
	if (vkr_map_get(&latest, payload->command_buffer, &old))
		watch_objects_drop(&recordings, (uint32_t)old);
	struct vkr_watch_recording *made =
		add_object(&recordings, payload->recording, sizeof *made + payload->event_bytes);
	if (!made || !vkr_map_set(&latest, payload->command_buffer, payload->recording))
		return false;
	made->command_buffer = payload->command_buffer;
	made->bytes = payload->event_bytes;
	if (payload->event_bytes)
		memcpy(made->events, events, payload->event_bytes);
	return true;
}

static void drop_command_buffer(uint32_t id)
{
	uint64_t old = 0;
	if (!vkr_map_get(&latest, id, &old))
		return;
	watch_objects_drop(&recordings, (uint32_t)old);
	vkr_map_remove(&latest, id);
}

static void set_address(const struct vkr_trace_buffer_address *payload)
{
	struct bound *found = find_object(&buffers, payload->buffer);
	if (found)
		found->address = payload->address;
}

static void add_structure(const struct vkr_trace_structure *payload)
{
	struct bound *found = find_object(&buffers, payload->buffer);
	if (found)
		found->has_structures = true;
}

static void place_layout(const struct vkr_trace_descriptor_rows *payload)
{
	struct layout *found = find_object(&layouts, payload->layout);
	if (found)
		found->placed_bytes = payload->bytes;
}

static void object_ended(enum vkr_trace_type type, uint32_t id)
{
	switch ((int)type) {
	case VKR_TRACE_MEMORY_FREE:
		watch_objects_drop(&memories, id);
		break;
	case VKR_TRACE_BUFFER_DESTROY:
		watch_objects_drop(&buffers, id);
		break;
	case VKR_TRACE_BUFFER_VIEW_DESTROY:
		watch_objects_drop(&views, id);
		break;
	case VKR_TRACE_IMAGE_DESTROY:
		watch_objects_drop(&images, id);
		break;
	case VKR_TRACE_SET_DESTROY:
		drop_set(id);
		break;
	case VKR_TRACE_PIPELINE_DESTROY:
		drop_pipeline(id);
		break;
	case VKR_TRACE_COMMAND_BUFFER_DESTROY:
		drop_command_buffer(id);
		break;
	default:
		break;
	}
}

bool vkr_watch_objects_event(enum vkr_trace_type type, const void *payload, const void *tail,
			     size_t tail_bytes)
{
	const uint32_t *words = payload;
	const struct vkr_trace_buffer *buffer = payload;
	const struct vkr_trace_image *image = payload;
	const struct vkr_trace_buffer_bind *buffer_bind = payload;
	const struct vkr_trace_image_bind *image_bind = payload;
	(void)tail_bytes;
	switch ((int)type) {
	case VKR_TRACE_MEMORY:
		return add_memory(payload);
	case VKR_TRACE_BUFFER:
		return add_buffer(buffer->buffer, buffer->bytes);
	case VKR_TRACE_BUFFER_BIND:
		bind_memory(&buffers, buffer_bind->buffer, buffer_bind->memory,
			    buffer_bind->offset);
		return true;
	case VKR_TRACE_BUFFER_ADDRESS:
		set_address(payload);
		return true;
	case VKR_TRACE_STRUCTURE:
		add_structure(payload);
		return true;
	case VKR_TRACE_BUFFER_VIEW:
		return add_view(payload);
	case VKR_TRACE_IMAGE:
		return add_image(image->image, image->bytes);
	case VKR_TRACE_IMAGE_BIND:
		bind_memory(&images, image_bind->image, image_bind->memory, image_bind->offset);
		return true;
	case VKR_TRACE_SET:
		return add_set(payload);
	case VKR_TRACE_SET_LAYOUT:
		return add_layout(payload, tail);
	case VKR_TRACE_DESCRIPTOR_ROWS:
		place_layout(payload);
		return true;
	case VKR_TRACE_SET_WRITE:
		return write_set(payload, tail);
	case VKR_TRACE_SET_COPY:
		return copy_set(payload);
	case VKR_TRACE_SHADER:
		return add_shader(payload, tail);
	case VKR_TRACE_PIPELINE:
		return add_pipeline(payload, tail);
	case VKR_TRACE_RECORDING:
		return add_recording(payload, tail);
	default: // or nothing that host accesses depend on
		object_ended(type, *words);
		return true;
	}
}

bool vkr_watch_buffer_range(uint32_t buffer, uint64_t offset, uint64_t bytes,
			    struct vkr_watch_range *range)
{
	const struct bound *found = find_object(&buffers, buffer);
	if (!found || !found->range.memory || offset > found->range.bytes)
		return false;
	const uint64_t rest = found->range.bytes - offset;
	*range = found->range;
	range->offset += offset;
	range->bytes = bytes < rest ? bytes : rest;
	return true;
}

bool vkr_watch_is_image(uint32_t descriptor_type)
{
	return descriptor_type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
	       descriptor_type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
	       descriptor_type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ||
	       descriptor_type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
}

bool vkr_watch_descriptor_range(const struct vkr_watch_descriptor *descriptor,
				struct vkr_watch_range *range)
{
	const struct vkr_trace_descriptor *at = &descriptor->descriptor;
	const struct view *view;
	switch (descriptor->type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
	case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
	case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
		return vkr_watch_buffer_range(at->object, at->offset, at->bytes, range);
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		view = find_object(&views, at->object);
		return view &&
		       vkr_watch_buffer_range(view->buffer, view->offset, view->bytes, range);
	default:
		return false;
	}
}

static bool buffer_holds(uint32_t buffer, uint64_t address)
{
	const struct bound *found = find_object(&buffers, buffer);
	return found && found->address && address >= found->address &&
	       address - found->address < found->range.bytes;
}

bool vkr_watch_set_range(const struct vkr_watch_set *set, struct vkr_watch_range *range)
{
	const struct layout *layout = find_object(&layouts, set->layout);
	if (!set->address || !layout || !layout->placed_bytes)
		return false;
	for (size_t i = 0; i < buffers.capacity; i++) {
		const uint32_t id = (uint32_t)buffers.slots[i].key;
		if (!buffers.slots[i].used || !buffer_holds(id, set->address))
			continue;
		const struct bound *found = find_object(&buffers, id);
		return vkr_watch_buffer_range(id, set->address - found->address,
					      layout->placed_bytes, range);
	}
	return false;
}

const struct vkr_watch_set *vkr_watch_set(uint32_t set)
{
	return find_object(&sets, set);
}

const struct vkr_watch_writes *vkr_watch_pipeline(uint32_t pipeline)
{
	return find_object(&pipelines, pipeline);
}

const struct vkr_watch_recording *vkr_watch_recording(uint32_t recording)
{
	return find_object(&recordings, recording);
}

static void watch_objects_each(const struct vkr_map *map, bool addressed,
			       void (*visit)(void *user, const struct vkr_watch_range *range),
			       void *user)
{
	for (size_t i = 0; i < map->capacity; i++) {
		if (!map->slots[i].used)
			continue;
		const struct bound *found = (const struct bound *)(uintptr_t)map->slots[i].value;
		if (found->range.memory && (!addressed || found->address || found->has_structures))
			visit(user, &found->range);
	}
}

void vkr_watch_each_memory(void (*visit)(void *user, const struct vkr_watch_range *range),
			   void *user)
{
	watch_objects_each(&memories, false, visit, user);
}

void vkr_watch_each_image(void (*visit)(void *user, const struct vkr_watch_range *range),
			  void *user)
{
	watch_objects_each(&images, false, visit, user);
}

void vkr_watch_each_addressed(void (*visit)(void *user, const struct vkr_watch_range *range),
			      void *user)
{
	watch_objects_each(&buffers, true, visit, user);
}
