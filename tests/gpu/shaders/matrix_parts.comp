// SPDX-License-Identifier: Apache-2.0
// Each subgroup's invocations write words of their own, then load these as a matrix and store it:
// into a place of its own, or into one that reaches into the next subgroup's.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 0, binding = 1) buffer Result { float result[]; };

void main()
{
	coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> part;
	uint first = gl_SubgroupID * 64;
	for (uint i = gl_SubgroupInvocationID; i < 64; i += gl_SubgroupSize)
		data[first + i] = 1; // @write
	coopMatLoad(part, data, first, 8, gl_CooperativeMatrixLayoutRowMajor); // @load
#ifdef FIXED
	coopMatStore(part, result, first, 8, gl_CooperativeMatrixLayoutRowMajor);
#else
	coopMatStore(part, result, gl_SubgroupID * 60, 8, gl_CooperativeMatrixLayoutRowMajor); // @store
#endif
}
