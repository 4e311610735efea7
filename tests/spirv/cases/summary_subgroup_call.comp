// SPDX-License-Identifier: Apache-2.0
// Which invocations share a subgroup is logged, so that there is no summary: also where what the
// shader calls would be written out.
// args: --summary
// glslang: --target-env vulkan1.1
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint tile[16];

void copy(uint to, uint from)
{
	data[to] = data[from];
}

void main()
{
	atomicAdd(tile[gl_LocalInvocationIndex % 2], 1u, gl_ScopeSubgroup, 0, 0);
	copy(gl_GlobalInvocationID.x, gl_GlobalInvocationID.x + 64);
}
