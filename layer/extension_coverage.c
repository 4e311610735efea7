// SPDX-License-Identifier: Apache-2.0
// Coverage for device extensions and features that the layer does not model.
// Knows what each can hide or falsely show; nothing of how it is used.
#include "device_features.h"
#include "record.h"

#include <string.h>

#define HIDES_SYNC   "may order accesses unseen, so that ordered ones are reported"
#define HIDES_ACCESS "may touch memory unseen, so that races are missed"

// Extensions that are modelled, or touch and order no memory that is watched.
static const char *const modelled[] = {
	"VK_KHR_16bit_storage",
	"VK_KHR_8bit_storage",
	"VK_KHR_bind_memory2",
	"VK_KHR_buffer_device_address",
	"VK_EXT_buffer_device_address",
	"VK_KHR_copy_commands2",
	"VK_KHR_create_renderpass2",
	"VK_KHR_dedicated_allocation",
	"VK_KHR_depth_stencil_resolve",
	"VK_KHR_descriptor_update_template",
	"VK_KHR_device_group",
	"VK_KHR_draw_indirect_count",
	"VK_KHR_driver_properties",
	"VK_KHR_dynamic_rendering",
	"VK_KHR_external_fence",
	"VK_KHR_external_fence_fd",
	"VK_KHR_external_memory",
	"VK_KHR_external_memory_fd",
	"VK_KHR_external_semaphore",
	"VK_KHR_external_semaphore_fd",
	"VK_KHR_format_feature_flags2",
	"VK_KHR_get_memory_requirements2",
	"VK_KHR_global_priority",
	"VK_KHR_image_format_list",
	"VK_KHR_imageless_framebuffer",
	"VK_KHR_incremental_present",
	"VK_KHR_maintenance1",
	"VK_KHR_maintenance2",
	"VK_KHR_maintenance3",
	"VK_KHR_maintenance4",
	"VK_KHR_maintenance6",
	"VK_KHR_map_memory2",
	"VK_KHR_multiview",
	"VK_KHR_pipeline_executable_properties",
	"VK_KHR_pipeline_library",
	"VK_KHR_portability_subset",
	"VK_KHR_push_descriptor",
	"VK_KHR_relaxed_block_layout",
	"VK_KHR_sampler_mirror_clamp_to_edge",
	"VK_KHR_sampler_ycbcr_conversion",
	"VK_KHR_separate_depth_stencil_layouts",
	"VK_KHR_shader_atomic_int64",
	"VK_KHR_shader_clock",
	"VK_KHR_shader_expect_assume",
	"VK_KHR_shader_draw_parameters",
	"VK_KHR_shader_float16_int8",
	"VK_KHR_shader_float_controls",
	"VK_KHR_shader_integer_dot_product",
	"VK_KHR_shader_non_semantic_info",
	"VK_KHR_shader_relaxed_extended_instruction",
	"VK_KHR_shader_subgroup_extended_types",
	"VK_KHR_shader_subgroup_rotate",
	"VK_KHR_shader_subgroup_uniform_control_flow",
	"VK_KHR_shader_terminate_invocation",
	"VK_KHR_spirv_1_4",
	"VK_KHR_storage_buffer_storage_class",
	"VK_KHR_swapchain",
	"VK_KHR_swapchain_mutable_format",
	"VK_KHR_synchronization2",
	"VK_KHR_timeline_semaphore",
	"VK_KHR_uniform_buffer_standard_layout",
	"VK_KHR_variable_pointers",
	"VK_KHR_vulkan_memory_model",
	"VK_KHR_workgroup_memory_explicit_layout",
	"VK_KHR_zero_initialize_workgroup_memory",
	"VK_EXT_4444_formats",
	"VK_EXT_calibrated_timestamps",
	"VK_EXT_color_write_enable",
	"VK_EXT_conditional_rendering",
	"VK_EXT_custom_border_color",
	"VK_EXT_debug_marker",
	"VK_EXT_depth_clip_control",
	"VK_EXT_depth_clip_enable",
	"VK_EXT_depth_range_unrestricted",
	"VK_EXT_descriptor_indexing",
	"VK_EXT_device_fault",
	"VK_EXT_extended_dynamic_state",
	"VK_EXT_extended_dynamic_state2",
	"VK_EXT_extended_dynamic_state3",
	"VK_EXT_external_memory_dma_buf",
	"VK_EXT_external_memory_host",
	"VK_EXT_fragment_shader_interlock",
	"VK_EXT_graphics_pipeline_library",
	"VK_EXT_host_query_reset",
	"VK_EXT_image_2d_view_of_3d",
	"VK_EXT_image_drm_format_modifier",
	"VK_EXT_image_robustness",
	"VK_EXT_image_view_min_lod",
	"VK_EXT_index_type_uint8",
	"VK_EXT_inline_uniform_block",
	"VK_EXT_line_rasterization",
	"VK_EXT_memory_budget",
	"VK_EXT_load_store_op_none",
	// What draws of one subpass do to attachments is not judged against one another.
	"VK_EXT_attachment_feedback_loop_layout",
	"VK_EXT_rasterization_order_attachment_access",
	"VK_ARM_rasterization_order_attachment_access",
	"VK_EXT_memory_priority",
	"VK_EXT_mesh_shader",
	"VK_EXT_multi_draw",
	"VK_EXT_non_seamless_cube_map",
	"VK_EXT_pageable_device_local_memory",
	"VK_EXT_pci_bus_info",
	"VK_EXT_physical_device_drm",
	"VK_EXT_pipeline_creation_cache_control",
	"VK_EXT_pipeline_creation_feedback",
	"VK_EXT_pipeline_robustness",
	"VK_EXT_post_depth_coverage",
	"VK_EXT_primitive_topology_list_restart",
	"VK_EXT_private_data",
	"VK_EXT_provoking_vertex",
	"VK_EXT_queue_family_foreign",
	"VK_EXT_robustness2",
	"VK_EXT_sampler_filter_minmax",
	"VK_EXT_scalar_block_layout",
	"VK_EXT_separate_stencil_usage",
	"VK_EXT_shader_atomic_float",
	"VK_EXT_shader_atomic_float2",
	"VK_EXT_shader_demote_to_helper_invocation",
	"VK_EXT_shader_object",
	"VK_EXT_shader_replicated_composites",
	"VK_EXT_shader_stencil_export",
	"VK_EXT_shader_subgroup_ballot",
	"VK_EXT_shader_subgroup_vote",
	"VK_EXT_shader_viewport_index_layer",
	"VK_EXT_subgroup_size_control",
	"VK_EXT_swapchain_maintenance1",
	"VK_EXT_texel_buffer_alignment",
	"VK_EXT_tooling_info",
	"VK_EXT_transform_feedback",
	"VK_EXT_validation_cache",
	"VK_EXT_vertex_attribute_divisor",
	"VK_EXT_vertex_input_dynamic_state",
	"VK_EXT_ycbcr_2plane_444_formats",
	"VK_EXT_ycbcr_image_arrays",
	"VK_AMD_buffer_marker",
	"VK_GOOGLE_decorate_string",
	"VK_GOOGLE_hlsl_functionality1",
	"VK_GOOGLE_user_type",
};

static const struct {
	const char *name, *effect;
} unmodelled[] = {
	{"VK_EXT_descriptor_buffer", "what descriptors lead to is not seen"},
	{"VK_EXT_host_image_copy", HIDES_ACCESS},
	{"VK_KHR_acceleration_structure", HIDES_ACCESS},
	{"VK_KHR_ray_query", HIDES_ACCESS},
	{"VK_KHR_ray_tracing_pipeline", HIDES_ACCESS},
	{"VK_KHR_video_queue", HIDES_ACCESS},
	{"VK_EXT_multisampled_render_to_single_sampled", HIDES_ACCESS},
};

static bool is_modelled(const char *name)
{
	for (size_t i = 0; i < sizeof modelled / sizeof *modelled; i++)
		if (strcmp(modelled[i], name) == 0)
			return true;
	return false;
}

static const char *effect_of(const char *name)
{
	for (size_t i = 0; i < sizeof unmodelled / sizeof *unmodelled; i++)
		if (strcmp(unmodelled[i].name, name) == 0)
			return unmodelled[i].effect;
	return "may touch or order memory unseen";
}

// Minor versions behind the headers' have commands that no hook is made for.
static void check_version(uint32_t device, uint32_t version)
{
	if (VK_API_VERSION_MAJOR(version) == VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE) &&
	    VK_API_VERSION_MINOR(version) <= VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE))
		return;
	vkr_record_coverage(VKR_COVERAGE_EXTENSION, device, 0,
			    "Vulkan %u.%u is not known to this build, which knows %u.%u: its "
			    "further commands may touch or order memory unseen",
			    VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
			    VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
			    VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE));
}

void vkr_extension_coverage(uint32_t device, uint32_t version, const VkDeviceCreateInfo *asked)
{
	check_version(device, version);
	for (uint32_t i = 0; i < asked->enabledExtensionCount; i++) {
		const char *name = asked->ppEnabledExtensionNames[i];
		if (!is_modelled(name))
			vkr_record_coverage(VKR_COVERAGE_EXTENSION, device, 0,
					    "%s is not modelled: %s", name, effect_of(name));
	}
	const VkDeviceGroupDeviceCreateInfo *group =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
	if (group && group->physicalDeviceCount > 1)
		vkr_record_coverage(VKR_COVERAGE_EXTENSION, device, 0,
				    "a group of %u physical devices: their instances of memory are "
				    "taken for one, so that races between two devices may be "
				    "reported that are none",
				    group->physicalDeviceCount);
	const VkPhysicalDeviceFeatures2 *features =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	if ((features && features->features.sparseResidencyAliased) ||
	    (asked->pEnabledFeatures && asked->pEnabledFeatures->sparseResidencyAliased))
		vkr_record_coverage(VKR_COVERAGE_EXTENSION, device, 0,
				    "sparseResidencyAliased is not modelled: "
				    "aliases may race unseen");
}
