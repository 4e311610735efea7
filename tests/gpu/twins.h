// SPDX-License-Identifier: Apache-2.0
// The lists of twins, one a topic. Knows their names, not what is to be reported of them.
#pragma once

#include "gpu_test.h"

struct gpu_twin {
	const char *name;                      // NULL behind the last
	void (*record)(struct gpu_test *test); // NULL: one dispatch of `groups` workgroups
	uint32_t groups;
};

extern const struct gpu_twin gpu_barrier_twins[], gpu_draw_twins[], gpu_event_twins[],
	gpu_form_twins[], gpu_family_twins[], gpu_host_twins[], gpu_watch_twins[],
	gpu_image_twins[], gpu_input_twins[], gpu_mesh_twins[], gpu_interlock_twins[],
	gpu_object_twins[], gpu_matrix_twins[], gpu_newer_twins[], gpu_order_twins[],
	gpu_pass_twins[], gpu_pass_stage_twins[], gpu_present_twins[], gpu_queue_twins[],
	gpu_stage_twins[], gpu_texel_twins[], gpu_subpass_twins[], gpu_attachment_twins[],
	gpu_alias_twins[], gpu_pipeline_twins[], gpu_region_twins[], gpu_texel_write_twins[],
	gpu_texel_test_twins[], gpu_structure_twins[], gpu_host_image_twins[], gpu_ray_twins[],
	gpu_video_twins[], gpu_shader_twins[];
extern const struct gpu_twin gpu_descriptor_twins[], gpu_reader_twins[], gpu_uniform_twins[],
	gpu_repeat_twins[];
extern const struct gpu_twin gpu_sparse_twins[], gpu_feed_twins[], gpu_scope_twins[];
extern const struct gpu_twin gpu_heap_twins[], gpu_heap_stage_twins[];

extern struct gpu_test_kernel gpu_twin_kernels[];

#define COMPUTE  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define TRANSFER VK_PIPELINE_STAGE_TRANSFER_BIT
#define INDIRECT VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT
#define READ     VK_ACCESS_SHADER_READ_BIT
#define WRITE    VK_ACCESS_SHADER_WRITE_BIT
