// SPDX-License-Identifier: Apache-2.0
// Says of each vertex that has said so that it has passed here, and orders nothing: an update goes
// on with what the vertex has released, a store begins anew.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(set = 0, binding = 1) buffer Result { uint flags[]; };

void main()
{
	for (uint i = 0; i < 3; i++) {
		uint at = 3 * gl_PrimitiveIDIn + i;
#ifdef FIXED
		atomicAdd(flags[at], 1, gl_ScopeQueueFamily, 0, 0);
#else
		atomicStore(flags[at], 2u, gl_ScopeQueueFamily, 0, 0);
#endif
		gl_Position = gl_in[i].gl_Position;
		EmitVertex();
	}
}
