// SPDX-License-Identifier: Apache-2.0
// Each invocation counts in a word of its own, atomically in a scope.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	atomicAdd(data[gl_GlobalInvocationID.x], 1, SCOPE, 0, 0); // @count
}
