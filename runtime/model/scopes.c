// SPDX-License-Identifier: Apache-2.0
// Pipeline stages and access types as tables. Knows no commands and no objects.
#include "scopes.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

#define STAGE(name)  VK_PIPELINE_STAGE_2_##name
#define ACCESS(name) VK_ACCESS_2_##name

// Written with the bits' numbers where the installed headers may lack the name.
#define STAGE_CLUSTER_CULLING       (1ull << 41)
#define ACCESS_SHADER_BINDING_TABLE (1ull << 40)

static const char *const stage_names[64] = {
	[0] = "TOP_OF_PIPE",
	[1] = "DRAW_INDIRECT",
	[2] = "VERTEX_INPUT",
	[3] = "VERTEX_SHADER",
	[4] = "TESSELLATION_CONTROL_SHADER",
	[5] = "TESSELLATION_EVALUATION_SHADER",
	[6] = "GEOMETRY_SHADER",
	[7] = "FRAGMENT_SHADER",
	[8] = "EARLY_FRAGMENT_TESTS",
	[9] = "LATE_FRAGMENT_TESTS",
	[10] = "COLOR_ATTACHMENT_OUTPUT",
	[11] = "COMPUTE_SHADER",
	[12] = "TRANSFER",
	[13] = "BOTTOM_OF_PIPE",
	[14] = "HOST",
	[15] = "ALL_GRAPHICS",
	[16] = "ALL_COMMANDS",
	[17] = "COMMAND_PREPROCESS",
	[18] = "CONDITIONAL_RENDERING",
	[19] = "TASK_SHADER",
	[20] = "MESH_SHADER",
	[21] = "RAY_TRACING_SHADER",
	[22] = "FRAGMENT_SHADING_RATE_ATTACHMENT",
	[23] = "FRAGMENT_DENSITY_PROCESS",
	[24] = "TRANSFORM_FEEDBACK",
	[25] = "ACCELERATION_STRUCTURE_BUILD",
	[26] = "VIDEO_DECODE",
	[27] = "VIDEO_ENCODE",
	[28] = "ACCELERATION_STRUCTURE_COPY",
	[29] = "OPTICAL_FLOW",
	[30] = "MICROMAP_BUILD",
	[32] = "COPY",
	[33] = "RESOLVE",
	[34] = "BLIT",
	[35] = "CLEAR",
	[36] = "INDEX_INPUT",
	[37] = "VERTEX_ATTRIBUTE_INPUT",
	[38] = "PRE_RASTERIZATION_SHADERS",
	[39] = "SUBPASS_SHADING",
	[40] = "INVOCATION_MASK",
	[41] = "CLUSTER_CULLING_SHADER",
	[45] = "MEMORY_DECOMPRESSION",
	[46] = "COPY_INDIRECT",
	[59] = "TRANSFER",          // of ours: VKR_STAGE_MARKER
	[60] = "PRESENTATION",      // of ours: VKR_STAGE_PRESENTATION
	[61] = "QUERY",             // of ours: VKR_ENGINE_QUERY
	[62] = "LAYOUT_TRANSITION", // of ours: VKR_ENGINE_TRANSITION
};

static const char *const access_names[64] = {
	[0] = "INDIRECT_COMMAND_READ",
	[1] = "INDEX_READ",
	[2] = "VERTEX_ATTRIBUTE_READ",
	[3] = "UNIFORM_READ",
	[4] = "INPUT_ATTACHMENT_READ",
	[5] = "SHADER_READ",
	[6] = "SHADER_WRITE",
	[7] = "COLOR_ATTACHMENT_READ",
	[8] = "COLOR_ATTACHMENT_WRITE",
	[9] = "DEPTH_STENCIL_ATTACHMENT_READ",
	[10] = "DEPTH_STENCIL_ATTACHMENT_WRITE",
	[11] = "TRANSFER_READ",
	[12] = "TRANSFER_WRITE",
	[13] = "HOST_READ",
	[14] = "HOST_WRITE",
	[15] = "MEMORY_READ",
	[16] = "MEMORY_WRITE",
	[17] = "COMMAND_PREPROCESS_READ",
	[18] = "COMMAND_PREPROCESS_WRITE",
	[19] = "COLOR_ATTACHMENT_READ_NONCOHERENT",
	[20] = "CONDITIONAL_RENDERING_READ",
	[21] = "ACCELERATION_STRUCTURE_READ",
	[22] = "ACCELERATION_STRUCTURE_WRITE",
	[23] = "FRAGMENT_SHADING_RATE_ATTACHMENT_READ",
	[24] = "FRAGMENT_DENSITY_MAP_READ",
	[25] = "TRANSFORM_FEEDBACK_WRITE",
	[26] = "TRANSFORM_FEEDBACK_COUNTER_READ",
	[27] = "TRANSFORM_FEEDBACK_COUNTER_WRITE",
	[32] = "SHADER_SAMPLED_READ",
	[33] = "SHADER_STORAGE_READ",
	[34] = "SHADER_STORAGE_WRITE",
	[35] = "VIDEO_DECODE_READ",
	[36] = "VIDEO_DECODE_WRITE",
	[37] = "VIDEO_ENCODE_READ",
	[38] = "VIDEO_ENCODE_WRITE",
	[39] = "INVOCATION_MASK_READ",
	[40] = "SHADER_BINDING_TABLE_READ",
	[41] = "DESCRIPTOR_BUFFER_READ",
	[42] = "OPTICAL_FLOW_READ",
	[43] = "OPTICAL_FLOW_WRITE",
	[44] = "MICROMAP_READ",
	[45] = "MICROMAP_WRITE",
	[55] = "MEMORY_DECOMPRESSION_READ",
	[56] = "MEMORY_DECOMPRESSION_WRITE",
	[57] = "SAMPLER_HEAP_READ",
	[58] = "RESOURCE_HEAP_READ",
	[60] = "PRESENTATION_READ",
	[61] = "QUERY",
	[62] = "LAYOUT_TRANSITION",
};

// The stages that stand for others, and those that stand for none.
static const uint64_t composite_stages = STAGE(TOP_OF_PIPE_BIT) | STAGE(VERTEX_INPUT_BIT) |
					 STAGE(ALL_TRANSFER_BIT) | STAGE(BOTTOM_OF_PIPE_BIT) |
					 STAGE(ALL_GRAPHICS_BIT) | STAGE(ALL_COMMANDS_BIT) |
					 STAGE(PRE_RASTERIZATION_SHADERS_BIT);

static const uint64_t vertex_input_stages =
	STAGE(INDEX_INPUT_BIT) | STAGE(VERTEX_ATTRIBUTE_INPUT_BIT);

static const uint64_t transfer_stages = STAGE(COPY_BIT) | STAGE(RESOLVE_BIT) | STAGE(BLIT_BIT) |
					STAGE(CLEAR_BIT) |
					STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR);

static const uint64_t pre_rasterization_stages =
	STAGE(VERTEX_SHADER_BIT) | STAGE(TESSELLATION_CONTROL_SHADER_BIT) |
	STAGE(TESSELLATION_EVALUATION_SHADER_BIT) | STAGE(GEOMETRY_SHADER_BIT) |
	STAGE(TASK_SHADER_BIT_NV) | STAGE(MESH_SHADER_BIT_NV) | STAGE_CLUSTER_CULLING;

// Logical order of stages, one pipeline a row, ended by 0 (specification, "Pipeline Stages"; the
// primitive and the mesh pipeline share their later half). A fragment density map is read before
// the early tests; predicates have no order.
static const uint64_t pipeline_orders[][16] = {
	{STAGE(DRAW_INDIRECT_BIT), STAGE(INDEX_INPUT_BIT), STAGE(VERTEX_ATTRIBUTE_INPUT_BIT),
	 STAGE(VERTEX_SHADER_BIT), STAGE(TESSELLATION_CONTROL_SHADER_BIT),
	 STAGE(TESSELLATION_EVALUATION_SHADER_BIT), STAGE(GEOMETRY_SHADER_BIT),
	 STAGE(TRANSFORM_FEEDBACK_BIT_EXT), STAGE(FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR),
	 STAGE(EARLY_FRAGMENT_TESTS_BIT), STAGE(FRAGMENT_SHADER_BIT),
	 STAGE(LATE_FRAGMENT_TESTS_BIT), STAGE(COLOR_ATTACHMENT_OUTPUT_BIT), 0},
	{STAGE(DRAW_INDIRECT_BIT), STAGE(TASK_SHADER_BIT_NV), STAGE(MESH_SHADER_BIT_NV),
	 STAGE(FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR), STAGE(EARLY_FRAGMENT_TESTS_BIT),
	 STAGE(FRAGMENT_SHADER_BIT), STAGE(LATE_FRAGMENT_TESTS_BIT),
	 STAGE(COLOR_ATTACHMENT_OUTPUT_BIT), 0},
	{STAGE(DRAW_INDIRECT_BIT), STAGE(COMPUTE_SHADER_BIT), 0},
	{STAGE(DRAW_INDIRECT_BIT), STAGE(RAY_TRACING_SHADER_BIT_KHR), 0},
	{VKR_STAGE_COPY_INDIRECT, STAGE(COPY_BIT), 0},
	{STAGE(FRAGMENT_DENSITY_PROCESS_BIT_EXT), STAGE(EARLY_FRAGMENT_TESTS_BIT),
	 STAGE(FRAGMENT_SHADER_BIT), STAGE(LATE_FRAGMENT_TESTS_BIT),
	 STAGE(COLOR_ATTACHMENT_OUTPUT_BIT), 0},
};

uint64_t vkr_scope_all_commands(void)
{
	uint64_t all = 0;
	for (unsigned bit = 0; bit < 64; bit++)
		all |= stage_names[bit] != NULL ? 1ull << bit : 0;
	return all & ~composite_stages & ~STAGE(HOST_BIT);
}

bool vkr_scope_framebuffer_space(uint64_t stages)
{
	return !(stages & ~(STAGE(FRAGMENT_SHADER_BIT) | STAGE(EARLY_FRAGMENT_TESTS_BIT) |
			    STAGE(LATE_FRAGMENT_TESTS_BIT) | STAGE(COLOR_ATTACHMENT_OUTPUT_BIT)));
}

uint64_t vkr_scope_in_passes(void)
{
	return vertex_input_stages | pre_rasterization_stages | STAGE(EARLY_FRAGMENT_TESTS_BIT) |
	       STAGE(FRAGMENT_SHADER_BIT) | STAGE(LATE_FRAGMENT_TESTS_BIT) |
	       STAGE(COLOR_ATTACHMENT_OUTPUT_BIT);
}

uint64_t vkr_scope_signal(uint64_t stages)
{
	return stages | STAGE(HOST_BIT) | VKR_ENGINE_QUERY;
}

static uint64_t all_graphics(void)
{
	return STAGE(DRAW_INDIRECT_BIT) | vertex_input_stages | pre_rasterization_stages |
	       STAGE(EARLY_FRAGMENT_TESTS_BIT) | STAGE(FRAGMENT_SHADER_BIT) |
	       STAGE(LATE_FRAGMENT_TESTS_BIT) | STAGE(COLOR_ATTACHMENT_OUTPUT_BIT) |
	       STAGE(CONDITIONAL_RENDERING_BIT_EXT) | STAGE(TRANSFORM_FEEDBACK_BIT_EXT) |
	       STAGE(FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR) |
	       STAGE(FRAGMENT_DENSITY_PROCESS_BIT_EXT) | STAGE(SUBPASS_SHADING_BIT_HUAWEI) |
	       STAGE(INVOCATION_MASK_BIT_HUAWEI);
}

// What a mask names, without TOP_OF_PIPE and BOTTOM_OF_PIPE: those depend on the side. Bits that
// are unknown here stay as they are: a stage of the application's that no command of ours has.
static uint64_t expand_stages(uint64_t stages)
{
	uint64_t expanded = stages & ~composite_stages;
	if (stages & STAGE(VERTEX_INPUT_BIT))
		expanded |= vertex_input_stages;
	if (stages & STAGE(ALL_TRANSFER_BIT))
		expanded |= transfer_stages;
	if (stages & (STAGE(ALL_TRANSFER_BIT) | STAGE(COPY_BIT)))
		expanded |= VKR_STAGE_MARKER;
	// Copies of acceleration structures are in both stages
	// ("vkCmdCopyAccelerationStructureKHR").
	if (stages & STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR))
		expanded |= STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR);
	if (stages & STAGE(PRE_RASTERIZATION_SHADERS_BIT))
		expanded |= pre_rasterization_stages;
	if (stages & STAGE(ALL_GRAPHICS_BIT))
		expanded |= all_graphics();
	if (stages & STAGE(ALL_COMMANDS_BIT))
		expanded |= vkr_scope_all_commands();
	return expanded;
}

// "Access Types". SHADER_READ stands for all that shaders read but uniform buffers: that it stood
// for these, too, in revisions 1.2.180 to 1.3.261 of the specification was withdrawn as a mistake,
// for drivers keep them apart. SHADER_READ itself is what builds of acceleration structures read
// their inputs with, for which STORAGE_READ will do.
static uint64_t expand_accesses(uint64_t accesses)
{
	uint64_t expanded = accesses;
	const uint64_t all = ACCESS(MEMORY_WRITE_BIT) | ACCESS(MEMORY_READ_BIT);
	for (unsigned bit = 0; bit < 64 && accesses & all; bit++) {
		const char *name = access_names[bit];
		if (name == NULL)
			continue;
		const bool write = strstr(name, "WRITE") != NULL;
		if (accesses & (write ? ACCESS(MEMORY_WRITE_BIT) : ACCESS(MEMORY_READ_BIT)))
			expanded |= 1ull << bit;
	}
	// Who draws by a counter of transform feedback may name it by its own access type.
	if (expanded & ACCESS(TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT))
		expanded |= ACCESS(INDIRECT_COMMAND_READ_BIT);
	if (expanded & ACCESS(SHADER_READ_BIT))
		expanded |= ACCESS(SHADER_SAMPLED_READ_BIT) | ACCESS(SHADER_STORAGE_READ_BIT) |
			    ACCESS_SHADER_BINDING_TABLE;
	if (expanded & ACCESS(SHADER_STORAGE_READ_BIT))
		expanded |= ACCESS(SHADER_READ_BIT);
	if (expanded & ACCESS(SHADER_WRITE_BIT))
		expanded |= ACCESS(SHADER_STORAGE_WRITE_BIT);
	return expanded &
	       ~(ACCESS(SHADER_WRITE_BIT) | ACCESS(MEMORY_READ_BIT) | ACCESS(MEMORY_WRITE_BIT));
}

// The stages in the mask and, in each pipeline's order, all before (after) the last (first) one.
static uint64_t with_order(uint64_t stages, bool earlier)
{
	uint64_t all = stages;
	for (size_t row = 0; row < sizeof pipeline_orders / sizeof *pipeline_orders; row++) {
		const uint64_t *order = pipeline_orders[row];
		uint64_t before = 0;
		bool behind = false;
		for (size_t place = 0; order[place] != 0; place++) {
			if (earlier) {
				before |= order[place];
				all |= stages & order[place] ? before : 0;
			} else {
				behind = behind || (stages & order[place]);
				all |= behind ? order[place] : 0;
			}
		}
	}
	return all;
}

struct vkr_sync_scope vkr_scope_first(uint64_t stages, uint64_t accesses)
{
	struct vkr_sync_scope scope = {.stages = expand_stages(stages),
				       .accesses = expand_accesses(accesses)};
	scope.execution = with_order(scope.stages, true);
	if (stages & STAGE(BOTTOM_OF_PIPE_BIT))
		scope.execution |= vkr_scope_all_commands();
	return scope;
}

struct vkr_sync_scope vkr_scope_second(uint64_t stages, uint64_t accesses)
{
	struct vkr_sync_scope scope = {.stages = expand_stages(stages),
				       .accesses = expand_accesses(accesses)};
	// The revisions differ in whether counters are read there too.
	if (stages & STAGE(DRAW_INDIRECT_BIT) &&
	    scope.accesses & ACCESS(TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT))
		scope.stages |= STAGE(TRANSFORM_FEEDBACK_BIT_EXT);
	scope.execution = with_order(scope.stages, false);
	if (stages & STAGE(TOP_OF_PIPE_BIT))
		scope.execution |= vkr_scope_all_commands();
	return scope;
}

static void add_mask(struct vkr_words *words, const char *const names[64], uint64_t mask)
{
	const char *bar = "";
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (names[bit] != NULL)
			vkr_words_add(words, "%s%s", bar, names[bit]);
		else
			vkr_words_add(words, "%sbit %u", bar, bit);
		bar = "|";
	}
	if (mask == 0)
		vkr_words_add(words, "NONE");
}

void vkr_scope_add_stages(struct vkr_words *words, uint64_t stages)
{
	add_mask(words, stage_names, stages);
}

void vkr_scope_add_accesses(struct vkr_words *words, uint64_t accesses)
{
	add_mask(words, access_names, accesses);
}

uint64_t vkr_scope_legacy_stages(uint64_t stages)
{
	const uint64_t transfers = transfer_stages & ~STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR);
	uint64_t legacy = stages & ~(transfers | vertex_input_stages |
				     STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR));
	if (stages & STAGE(ACCELERATION_STRUCTURE_COPY_BIT_KHR))
		legacy |= STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR);
	legacy |= stages & transfers ? STAGE(ALL_TRANSFER_BIT) : 0;
	legacy |= stages & vertex_input_stages ? STAGE(VERTEX_INPUT_BIT) : 0;
	if (stages & VKR_ENGINE_TRANSITION)
		legacy = (legacy & ~VKR_ENGINE_TRANSITION) | STAGE(ALL_COMMANDS_BIT);
	return legacy;
}

uint64_t vkr_scope_legacy_accesses(uint64_t accesses)
{
	const uint64_t reads = ACCESS(SHADER_SAMPLED_READ_BIT) | ACCESS(SHADER_STORAGE_READ_BIT) |
			       ACCESS_SHADER_BINDING_TABLE;
	uint64_t legacy = accesses & ~(reads | ACCESS(SHADER_STORAGE_WRITE_BIT));
	legacy |= accesses & reads ? ACCESS(SHADER_READ_BIT) : 0;
	legacy |= accesses & ACCESS(SHADER_STORAGE_WRITE_BIT) ? ACCESS(SHADER_WRITE_BIT) : 0;
	if (accesses & VKR_ENGINE_TRANSITION)
		legacy = (legacy & ~VKR_ENGINE_TRANSITION) | ACCESS(MEMORY_WRITE_BIT);
	return legacy;
}
