// SPDX-License-Identifier: Apache-2.0
// A barrier of the workgroup orders, and makes nothing available: the writes do so themselves, in
// the scope of their subgroup, for one of another subgroup; FIXED: of the same.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) subgroupcoherent buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };

#ifdef FIXED
#define OTHER (gl_LocalInvocationIndex ^ 1u)
#else
#define OTHER (127u - gl_LocalInvocationIndex)
#endif

void main()
{
	data[gl_LocalInvocationIndex] = gl_LocalInvocationIndex; // @written
	controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer,
		       gl_SemanticsAcquireRelease);
	result[gl_LocalInvocationIndex] = data[OTHER]; // @read
}
