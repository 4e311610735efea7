// SPDX-License-Identifier: Apache-2.0
// A shared word that all of a workgroup counts in, in the scope of a subgroup; FIXED: of a
// workgroup. ROWS: workgroups of several dimensions.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#ifdef ROWS
layout(local_size_x = 16, local_size_y = 8) in;
#else
layout(local_size_x = 128) in;
#endif
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint count;

#ifdef FIXED
#define SCOPE gl_ScopeWorkgroup
#else
#define SCOPE gl_ScopeSubgroup
#endif

void main()
{
	result[gl_LocalInvocationIndex] = atomicAdd(count, 1u, SCOPE, 0, 0); // @count
}
