// SPDX-License-Identifier: Apache-2.0
// One triangle over everything; each vertex writes a word of its own, and says so.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(set = 0, binding = 0) buffer Data { nonprivate uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint flags[]; };

void main()
{
	data[gl_VertexIndex] = 1; // @write
	atomicStore(flags[gl_VertexIndex], 1u, gl_ScopeQueueFamily, gl_StorageSemanticsBuffer,
		    gl_SemanticsRelease | gl_SemanticsMakeAvailable);
	gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
