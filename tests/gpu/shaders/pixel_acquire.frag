// SPDX-License-Identifier: Apache-2.0
// Each fragment reads a word of each vertex that has said so. FIRST is where it looks: behind the
// vertices' flags, nobody says anything, and it reads them all the same. WANT: what is said.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flags[]; };
layout(location = 0) out vec4 color;
#ifndef WANT
#define WANT 1
#endif

void main()
{
	uint sum = 0;
	for (uint i = 0; i < 3; i++) {
		uint flag = atomicLoad(flags[FIRST + i], gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
				       gl_SemanticsAcquire | gl_SemanticsMakeVisible);
		if (flag == WANT || FIRST > 0)
			sum += data[i]; // @read
	}
	color = vec4(sum);
}
