// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.3
// needs: SPV_KHR_cooperative_matrix
// Matrices of a subgroup: rows and columns, of buffers, of Workgroup memory and behind addresses, by
// scalars and vectors, with and without coherence; strides that are no constants are logged.
#version 450
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint wide = 64;
layout(std430, binding = 0) buffer Halves { float16_t halves[]; };
layout(std430, binding = 1) workgroupcoherent buffer Floats { uvec4 floats[]; };
layout(std430, binding = 2) queuefamilycoherent buffer Shared { float values[]; } shared_with[2];
layout(buffer_reference, std430) buffer Far { float16_t values[]; };
layout(push_constant) uniform Push { Far far; uint stride; };
shared float16_t tile[512];

const int rows = gl_CooperativeMatrixLayoutRowMajor, columns = gl_CooperativeMatrixLayoutColumnMajor;

void main()
{
	coopmat<float16_t, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> a;
	coopmat<float, gl_ScopeSubgroup, 8, 4, gl_MatrixUseAccumulator> b;
	coopMatLoad(a, halves, gl_WorkGroupID.x * 1024, wide, rows);
	coopMatStore(a, tile, 32, 8, rows);
	coopMatStore(a, halves, 0, 32, columns);
	coopMatLoad(b, floats, gl_WorkGroupID.x, 2, rows);
	coopMatStore(b, floats, 4, gl_NumWorkGroups.x, columns);
	coopMatLoad(b, shared_with[1].values, 8, 4, columns);
	coopMatStore(b, shared_with[gl_WorkGroupID.y].values, stride, stride, rows);
	coopMatLoad(a, far.values, gl_WorkGroupID.y, stride, columns);
	coopMatStore(a, far.values, 2, 16, rows);
}
