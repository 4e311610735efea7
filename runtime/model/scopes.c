// SPDX-License-Identifier: Apache-2.0
// Pipeline stages and access types as tables. Knows no commands and no objects.
#include "scopes.h"

#include "scope_names.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

#define STAGE(name)  VK_PIPELINE_STAGE_2_##name
#define ACCESS(name) VK_ACCESS_2_##name

// Written with the bits' numbers where the installed headers may lack the name.
#define STAGE_CLUSTER_CULLING       (1ull << 41)
#define ACCESS_SHADER_BINDING_TABLE (1ull << 40)

// The stages that include others, and those that include none.
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
		all |= vkr_stage_names.bits[bit].name != NULL ? 1ull << bit : 0;
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

// The stages in a mask, without TOP_OF_PIPE and BOTTOM_OF_PIPE: their meaning depends on the side.
// Bits that are unknown here stay as they are: a stage that no modelled command has.
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

// "Access Types". SHADER_READ includes all shader reads except those of uniform buffers: revisions
// 1.2.180 to 1.3.261 of the specification included these too, which was withdrawn as a mistake,
// because drivers keep them apart. Builds of acceleration structures read their inputs with
// SHADER_READ itself; STORAGE_READ does as well.
static uint64_t expand_accesses(uint64_t accesses)
{
	uint64_t expanded = accesses;
	const uint64_t all = ACCESS(MEMORY_WRITE_BIT) | ACCESS(MEMORY_READ_BIT);
	for (unsigned bit = 0; bit < 64 && accesses & all; bit++) {
		const char *name = vkr_access_type_names.bits[bit].name;
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

uint64_t vkr_scope_written(uint64_t stages)
{
	static const uint64_t composites[] = {
		STAGE(ALL_COMMANDS_BIT), STAGE(ALL_GRAPHICS_BIT), STAGE(ALL_TRANSFER_BIT),
		STAGE(PRE_RASTERIZATION_SHADERS_BIT), STAGE(ACCELERATION_STRUCTURE_BUILD_BIT_KHR)};
	const uint64_t own = VKR_STAGE_MARKER | VKR_ENGINE_TRANSITION | VKR_ENGINE_QUERY;
	uint64_t written = 0, first = stages;
	for (uint64_t left = stages; left != 0; left &= left - 1)
		first &= ~with_order(left & -left, false) | (left & -left);
	for (size_t at = 0; at < sizeof composites / sizeof *composites; at++) {
		const uint64_t held = expand_stages(composites[at]) & ~own;
		if ((stages & held) == held && __builtin_popcountll(held & first) > 1) {
			written |= composites[at];
			first &= ~with_order(held, false);
		}
	}
	return written | first;
}

// `full`: as Vulkan's headers have it, where it has the bit.
static void add_mask(struct vkr_text *words, const struct vkr_scope_names *names, uint64_t mask,
		     bool full)
{
	const char *bar = "";
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		const struct vkr_bit_name *name = &names->bits[bit];
		const bool prefixed = full && name->suffix != NULL;
		if (name->name != NULL)
			vkr_text_add(words, "%s%s%s%s", bar, prefixed ? names->prefix : "",
				     name->name, prefixed ? name->suffix : "");
		else
			vkr_text_add(words, "%sbit %u", bar, bit);
		bar = full ? " | " : "|";
	}
	if (mask == 0)
		vkr_text_add(words, "NONE");
}

void vkr_scope_add_stages(struct vkr_text *words, uint64_t stages)
{
	add_mask(words, &vkr_stage_names, stages, false);
}

void vkr_scope_add_accesses(struct vkr_text *words, uint64_t accesses)
{
	add_mask(words, &vkr_access_type_names, accesses, false);
}

void vkr_scope_add_full_stages(struct vkr_text *words, uint64_t stages)
{
	add_mask(words, &vkr_stage_names, stages, true);
}

void vkr_scope_add_full_accesses(struct vkr_text *words, uint64_t accesses)
{
	add_mask(words, &vkr_access_type_names, accesses, true);
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
