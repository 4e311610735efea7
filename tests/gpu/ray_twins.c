// SPDX-License-Identifier: Apache-2.0
// Twins of ray tracing stages. Knows nothing of what is to be reported.
#include "gpu_rays.h"
#include "twins.h"

#include "launch_write_fixed.spv.h"
#include "launch_write_race.spv.h"

#define SHADER(kind, name)                                                                         \
	(struct gpu_rays_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_##kind##_BIT_KHR, name, sizeof name                                \
	}
#define TWIN(kind, name) (test->fixed ? SHADER(kind, name##_fixed) : SHADER(kind, name##_race))

static void trace_and_finish(struct gpu_test *test, struct gpu_rays *rays)
{
	gpu_rays_trace(rays, 8, 2);
	gpu_test_submit(test, 1);
	gpu_rays_finish(rays);
}

// Launches of one command write one word.
static void launch_overlap(struct gpu_test *test)
{
	trace_and_finish(test, gpu_rays_make(test, &(struct gpu_rays_pipeline){
							   .shaders = {TWIN(RAYGEN, launch_write)},
							   .count = 1}));
}

const struct gpu_twin gpu_ray_twins[] = {{"launch_overlap", launch_overlap, 0}, {NULL, NULL, 0}};
