// SPDX-License-Identifier: Apache-2.0
// Each subgroup stores a matrix whose lines stand between those of the others', where the stride that
// is pushed leaves them room.
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
layout(set = 0, binding = 1) buffer Result { float result[]; };
layout(push_constant) uniform Push { uint stride; };

void main()
{
	coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> part;
	coopMatLoad(part, data, 0, stride, gl_CooperativeMatrixLayoutRowMajor);
	coopMatStore(part, result, gl_SubgroupID * 8, stride, gl_CooperativeMatrixLayoutRowMajor); // @store
}
