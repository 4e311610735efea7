// SPDX-License-Identifier: Apache-2.0
#include "structure_instances.h"

#include "array.h"
#include "buffer_addresses.h"
#include "record.h"
#include "sort.h"

#include <stdlib.h>

void vkr_instances_note(struct vkr_layer_command_buffer *buffer,
			const struct vkr_instance_read *read)
{
	if (VKR_ARRAY_RESERVE(&buffer->instances, 1))
		buffer->instances.items[buffer->instances.count++] = *read;
	else
		vkr_record_no_memory("the instances of a build");
}

void vkr_instances_call(struct vkr_layer_command_buffer *buffer,
			const struct vkr_layer_command_buffer *called)
{
	for (size_t i = 0; i < called->instances.count; i++)
		vkr_instances_note(buffer, &called->instances.items[i]);
}

static int by_value(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

// Each once, ascending; how many remain. 0 refers to nothing ("Inactive Primitives and Instances").
static uint32_t structure_instances_sort(uint64_t *values, uint32_t count)
{
	uint32_t kept = 0;
	vkr_sort(values, count, sizeof *values, by_value);
	for (uint32_t i = 0; i < count; i++)
		if (values[i] && (kept == 0 || values[i] != values[kept - 1]))
			values[kept++] = values[i];
	return kept;
}

// `pointers`, where they are in the array, and `references` have room for all.
static bool read_all(struct vkr_layer_device *device, const struct vkr_instance_read *read,
		     uint64_t *pointers, uint64_t *references)
{
	for (uint32_t i = 0; i < read->count; i++) {
		VkAccelerationStructureInstanceKHR instance;
		uint64_t at = read->address + i * (uint64_t)sizeof instance;
		if (read->is_pointers &&
		    !vkr_buffer_addresses_read(device, read->address + i * (uint64_t)sizeof at, &at,
					       sizeof at))
			return false;
		if (!vkr_buffer_addresses_read(device, at, &instance, sizeof instance))
			return false;
		pointers[i] = read->is_pointers ? at : 0;
		references[i] = instance.accelerationStructureReference;
	}
	return true;
}

void vkr_instances_record(const struct vkr_layer_command_buffer *buffer, uint32_t execution)
{
	for (size_t i = 0; i < buffer->instances.count; i++) {
		const struct vkr_instance_read *read = &buffer->instances.items[i];
		uint64_t *pointers = calloc(2 * (size_t)read->count + 1, sizeof *pointers);
		uint64_t *references = pointers ? pointers + read->count : NULL;
		struct vkr_trace_structure_instances payload = {
			.execution = execution,
			.instance_count = read->count,
			.address = read->address,
		};
		if (!pointers) {
			vkr_record_no_memory("the instances of a build");
			return;
		}
		if (read_all(buffer->device, read, pointers, references)) {
			payload.pointer_count = structure_instances_sort(pointers, read->count);
			payload.reference_count = structure_instances_sort(references, read->count);
			const struct vkr_bytes pieces[] = {
				{references, payload.reference_count * sizeof *references},
				{pointers, payload.pointer_count * sizeof *pointers},
			};
			vkr_record_pieces(VKR_TRACE_STRUCTURE_INSTANCES, &payload, sizeof payload,
					  pieces, sizeof pieces / sizeof *pieces);
		}
		free(pointers);
	}
}
