// SPDX-License-Identifier: Apache-2.0
// What a subgroup's barrier orders is judged with the log as a whole: there is no summary.
// glslang: --target-env vulkan1.1
// args: --summary
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 16) in;
shared uint words[16];

void main()
{
	words[gl_LocalInvocationIndex] = 1;
	subgroupBarrier();
	words[gl_LocalInvocationIndex ^ 1u] = 2;
}
