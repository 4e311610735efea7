// SPDX-License-Identifier: Apache-2.0
// The pass of push constant 0 takes the flag that a vertex has set, that of 1 reads the vertex's
// word. RACE: what is taken is no vertex's flag.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flags[]; };
layout(push_constant) uniform Push { uint first; };
#ifdef FIXED
#define FLAG 0
#else
#define FLAG 3
#endif

void main()
{
	if (first == 0) {
		flags[8] = atomicLoad(flags[FLAG], gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
				      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
		return;
	}
	memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
		      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
	flags[9] = data[0]; // @read
}
