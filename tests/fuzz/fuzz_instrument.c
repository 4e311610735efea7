// SPDX-License-Identifier: Apache-2.0
// Fuzz target: whatever module comes in, the instrumenter neither crashes nor makes an invalid one.
// Knows nothing of where the bytes come from.
#include "error.h"
#include "instrument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OP_ENTRY_POINT    15u
#define COMPUTE_STAGE     0x20u
#define TASK_STAGE        0x40u
#define TASK_MODEL        5364u     // MeshEXT's follows
#define RAY_GENERATION    5313u     // then Intersection, AnyHit, ClosestHit, Miss, Callable
#define VULKAN_1_3        0x403000u // VK_API_VERSION_1_3
#define FIRST_INSTRUCTION 5u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Execution models count the graphics stages and compute in the order of their bits; tasks and
// meshes stand apart, and those of ray tracing.
static uint32_t stage_of(uint32_t model)
{
	static const uint32_t traced[6] = {0x100, 0x1000, 0x200, 0x400, 0x800, 0x2000};
	if (model >= RAY_GENERATION && model < RAY_GENERATION + 6)
		return traced[model - RAY_GENERATION];
	if (model == TASK_MODEL || model == TASK_MODEL + 1)
		return TASK_STAGE << (model - TASK_MODEL);
	return model < 6 ? 1u << model : COMPUTE_STAGE;
}

// The name of the module's first entry point; "main" where there is none. Returns its stage.
static uint32_t entry_name(const uint32_t *words, size_t count, char *name, size_t room)
{
	snprintf(name, room, "main");
	for (size_t at = FIRST_INSTRUCTION; at + 3 < count && words[at] >> 16;
	     at += words[at] >> 16) {
		if ((words[at] & 0xffff) != OP_ENTRY_POINT)
			continue;
		size_t bytes = (count - at - 3) * 4;
		memcpy(name, &words[at + 3], bytes < room ? bytes : room - 1);
		name[bytes < room ? bytes : room - 1] = 0;
		return stage_of(words[at + 1]);
	}
	return COMPUTE_STAGE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[64] = "";
	size_t count = size / 4;
	uint32_t *words = malloc(size ? size : 1);
	if (!words)
		return 0;
	memcpy(words, data, size);
	uint32_t stage = entry_name(words, count, name, sizeof name);
	struct vkr_instrument_options options = {
		.entry_point = name,
		.stage = stage,
		.tag = 1,
		.asks = size & 1,
		.push_constant_offset = 112,
		.log_base = size % 16 < 8 ? UINT64_C(0x5a0000000000) : 0,
		.near_blocks = size % 128 < 64,
		.spills = size % 32 < 16,
		.exchanges = size % 64 < 32,
		.block_set = size % 8 < 4 ? VKR_INSTRUMENT_NO_SET : 7,
		.environment = vkr_instrument_environment(VULKAN_1_3),
	};
	struct vkr_instrumented out;
	struct vkr_error error;
	enum vkr_result result = vkr_instrument(words, count, &options, &out, &error);
	if (result == VKR_ERROR_UNSUPPORTED &&
	    (strstr(error.message, "not valid") || strstr(error.message, "site table"))) {
		fprintf(stderr, "%s\n", error.message);
		abort();
	}
	if (result == VKR_OK)
		vkr_instrumented_finish(&out);
	free(words);
	return 0;
}
