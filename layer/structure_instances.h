// SPDX-License-Identifier: Apache-2.0
// The instances that builds of top-level acceleration structures read: where they are, and what the
// host sees there as they are submitted. Knows VkAccelerationStructureInstanceKHR; no order.
#pragma once

#include "command_buffer.h"

// A build of the recording reads them; a secondary's are its caller's too.
void vkr_instances_note(struct vkr_layer_command_buffer *buffer,
			const struct vkr_instance_read *read);
void vkr_instances_call(struct vkr_layer_command_buffer *buffer,
			const struct vkr_layer_command_buffer *called);

// STRUCTURE_INSTANCES of an execution that is about to be submitted, as far as the host sees
// memory.
void vkr_instances_record(const struct vkr_layer_command_buffer *buffer, uint32_t execution);
