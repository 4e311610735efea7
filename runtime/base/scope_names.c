// SPDX-License-Identifier: Apache-2.0
#include "scope_names.h"

#include <string.h>

const struct vkr_scope_names vkr_stage_names = {
	.prefix = "VK_PIPELINE_STAGE_2_",
	.bits = {
		[0] = {"TOP_OF_PIPE", "_BIT"},
		[1] = {"DRAW_INDIRECT", "_BIT"},
		[2] = {"VERTEX_INPUT", "_BIT"},
		[3] = {"VERTEX_SHADER", "_BIT"},
		[4] = {"TESSELLATION_CONTROL_SHADER", "_BIT"},
		[5] = {"TESSELLATION_EVALUATION_SHADER", "_BIT"},
		[6] = {"GEOMETRY_SHADER", "_BIT"},
		[7] = {"FRAGMENT_SHADER", "_BIT"},
		[8] = {"EARLY_FRAGMENT_TESTS", "_BIT"},
		[9] = {"LATE_FRAGMENT_TESTS", "_BIT"},
		[10] = {"COLOR_ATTACHMENT_OUTPUT", "_BIT"},
		[11] = {"COMPUTE_SHADER", "_BIT"},
		[12] = {"TRANSFER", "_BIT"},
		[13] = {"BOTTOM_OF_PIPE", "_BIT"},
		[14] = {"HOST", "_BIT"},
		[15] = {"ALL_GRAPHICS", "_BIT"},
		[16] = {"ALL_COMMANDS", "_BIT"},
		[17] = {"COMMAND_PREPROCESS", "_BIT_EXT"},
		[18] = {"CONDITIONAL_RENDERING", "_BIT_EXT"},
		[19] = {"TASK_SHADER", "_BIT_EXT"},
		[20] = {"MESH_SHADER", "_BIT_EXT"},
		[21] = {"RAY_TRACING_SHADER", "_BIT_KHR"},
		[22] = {"FRAGMENT_SHADING_RATE_ATTACHMENT", "_BIT_KHR"},
		[23] = {"FRAGMENT_DENSITY_PROCESS", "_BIT_EXT"},
		[24] = {"TRANSFORM_FEEDBACK", "_BIT_EXT"},
		[25] = {"ACCELERATION_STRUCTURE_BUILD", "_BIT_KHR"},
		[26] = {"VIDEO_DECODE", "_BIT_KHR"},
		[27] = {"VIDEO_ENCODE", "_BIT_KHR"},
		[28] = {"ACCELERATION_STRUCTURE_COPY", "_BIT_KHR"},
		[29] = {"OPTICAL_FLOW", "_BIT_NV"},
		[30] = {"MICROMAP_BUILD", "_BIT_EXT"},
		[32] = {"COPY", "_BIT"},
		[33] = {"RESOLVE", "_BIT"},
		[34] = {"BLIT", "_BIT"},
		[35] = {"CLEAR", "_BIT"},
		[36] = {"INDEX_INPUT", "_BIT"},
		[37] = {"VERTEX_ATTRIBUTE_INPUT", "_BIT"},
		[38] = {"PRE_RASTERIZATION_SHADERS", "_BIT"},
		[39] = {"SUBPASS_SHADING", "_BIT_HUAWEI"},
		[40] = {"INVOCATION_MASK", "_BIT_HUAWEI"},
		[41] = {"CLUSTER_CULLING_SHADER", "_BIT_HUAWEI"},
		[45] = {"MEMORY_DECOMPRESSION", "_BIT_EXT"},
		[46] = {"COPY_INDIRECT", "_BIT_KHR"},
		[59] = {"TRANSFER", NULL},          // of ours: VKR_STAGE_MARKER
		[60] = {"PRESENTATION", NULL},      // of ours: VKR_STAGE_PRESENTATION
		[61] = {"QUERY", NULL},             // of ours: VKR_ENGINE_QUERY
		[62] = {"LAYOUT_TRANSITION", NULL}, // of ours: VKR_ENGINE_TRANSITION
	}};

const struct vkr_scope_names vkr_access_type_names = {
	.prefix = "VK_ACCESS_2_",
	.bits = {
		[0] = {"INDIRECT_COMMAND_READ", "_BIT"},
		[1] = {"INDEX_READ", "_BIT"},
		[2] = {"VERTEX_ATTRIBUTE_READ", "_BIT"},
		[3] = {"UNIFORM_READ", "_BIT"},
		[4] = {"INPUT_ATTACHMENT_READ", "_BIT"},
		[5] = {"SHADER_READ", "_BIT"},
		[6] = {"SHADER_WRITE", "_BIT"},
		[7] = {"COLOR_ATTACHMENT_READ", "_BIT"},
		[8] = {"COLOR_ATTACHMENT_WRITE", "_BIT"},
		[9] = {"DEPTH_STENCIL_ATTACHMENT_READ", "_BIT"},
		[10] = {"DEPTH_STENCIL_ATTACHMENT_WRITE", "_BIT"},
		[11] = {"TRANSFER_READ", "_BIT"},
		[12] = {"TRANSFER_WRITE", "_BIT"},
		[13] = {"HOST_READ", "_BIT"},
		[14] = {"HOST_WRITE", "_BIT"},
		[15] = {"MEMORY_READ", "_BIT"},
		[16] = {"MEMORY_WRITE", "_BIT"},
		[17] = {"COMMAND_PREPROCESS_READ", "_BIT_EXT"},
		[18] = {"COMMAND_PREPROCESS_WRITE", "_BIT_EXT"},
		[19] = {"COLOR_ATTACHMENT_READ_NONCOHERENT", "_BIT_EXT"},
		[20] = {"CONDITIONAL_RENDERING_READ", "_BIT_EXT"},
		[21] = {"ACCELERATION_STRUCTURE_READ", "_BIT_KHR"},
		[22] = {"ACCELERATION_STRUCTURE_WRITE", "_BIT_KHR"},
		[23] = {"FRAGMENT_SHADING_RATE_ATTACHMENT_READ", "_BIT_KHR"},
		[24] = {"FRAGMENT_DENSITY_MAP_READ", "_BIT_EXT"},
		[25] = {"TRANSFORM_FEEDBACK_WRITE", "_BIT_EXT"},
		[26] = {"TRANSFORM_FEEDBACK_COUNTER_READ", "_BIT_EXT"},
		[27] = {"TRANSFORM_FEEDBACK_COUNTER_WRITE", "_BIT_EXT"},
		[32] = {"SHADER_SAMPLED_READ", "_BIT"},
		[33] = {"SHADER_STORAGE_READ", "_BIT"},
		[34] = {"SHADER_STORAGE_WRITE", "_BIT"},
		[35] = {"VIDEO_DECODE_READ", "_BIT_KHR"},
		[36] = {"VIDEO_DECODE_WRITE", "_BIT_KHR"},
		[37] = {"VIDEO_ENCODE_READ", "_BIT_KHR"},
		[38] = {"VIDEO_ENCODE_WRITE", "_BIT_KHR"},
		[39] = {"INVOCATION_MASK_READ", "_BIT_HUAWEI"},
		[40] = {"SHADER_BINDING_TABLE_READ", "_BIT_KHR"},
		[41] = {"DESCRIPTOR_BUFFER_READ", "_BIT_EXT"},
		[42] = {"OPTICAL_FLOW_READ", "_BIT_NV"},
		[43] = {"OPTICAL_FLOW_WRITE", "_BIT_NV"},
		[44] = {"MICROMAP_READ", "_BIT_EXT"},
		[45] = {"MICROMAP_WRITE", "_BIT_EXT"},
		[55] = {"MEMORY_DECOMPRESSION_READ", "_BIT_EXT"},
		[56] = {"MEMORY_DECOMPRESSION_WRITE", "_BIT_EXT"},
		[57] = {"SAMPLER_HEAP_READ", "_BIT_EXT"},
		[58] = {"RESOURCE_HEAP_READ", "_BIT_EXT"},
		[60] = {"PRESENTATION_READ", NULL},
		[61] = {"QUERY", NULL},
		[62] = {"LAYOUT_TRANSITION", NULL},
	}};

bool vkr_scope_names_find(const struct vkr_scope_names *names, const char *text, uint64_t *bit)
{
	const size_t prefix = strlen(names->prefix);
	if (strncmp(text, names->prefix, prefix) == 0)
		text += prefix;
	for (unsigned at = 0; at < 64; at++) {
		const struct vkr_bit_name *name = &names->bits[at];
		const size_t length = name->name ? strlen(name->name) : 0;
		if (!length || !name->suffix || strncmp(text, name->name, length) != 0 ||
		    (text[length] && strcmp(text + length, name->suffix) != 0))
			continue;
		*bit = UINT64_C(1) << at;
		return true;
	}
	return false;
}
