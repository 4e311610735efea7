// SPDX-License-Identifier: Apache-2.0
// What the GPU tests need of acceleration structures: places for them, inputs of one triangle and
// of instances, builds and copies. Knows nothing of the layer.
#pragma once

#include "gpu_test.h"

#define GPU_STRUCTURES      4u
#define GPU_STRUCTURE_BYTES 16384u // of each; enough for one triangle
#define GPU_VERTEX_BYTES    36u
#define GPU_INSTANCE_BYTES  64u

struct gpu_structures {
	struct gpu_test *test;
	// Structures one after the other; vertices, then instances; scratch memory for two builds.
	struct gpu_test_buffer storage, inputs, scratch;
	VkAccelerationStructureKHR items[GPU_STRUCTURES];
};

struct gpu_build {
	uint32_t to;      // index of the structure
	uint32_t scratch; // 0 or 1
	bool top;         // of one instance, of the structure that gpu_structures_refer said
	bool update;      // in place
	bool compactable;
};

// Skips the test where there are none. Structure `top` is for instances, the others for triangles.
// Destroyed by gpu_structures_finish, which submits what is recorded and waits.
void gpu_structures_make(struct gpu_structures *all, struct gpu_test *test, uint32_t top);
void gpu_structures_finish(struct gpu_structures *all);

VkDeviceAddress gpu_structures_address(const struct gpu_structures *all,
				       const struct gpu_test_buffer *buffer);

// The instance refers to the structure from now on: written by the host.
void gpu_structures_refer(struct gpu_structures *all, uint32_t bottom);

// The instance as the device reads it.
VkAccelerationStructureInstanceKHR gpu_structures_instance(struct gpu_structures *all,
							   uint32_t bottom);

// Where the instances are in the inputs.
VkDeviceSize gpu_structures_instances(void);

// Records one build, or `count` of one command.
void gpu_structures_build(struct gpu_structures *all, const struct gpu_build *builds,
			  uint32_t count);

// Records a copy of a structure.
void gpu_structures_copy(struct gpu_structures *all, uint32_t from, uint32_t to,
			 VkCopyAccelerationStructureModeKHR mode);
