// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// Matrices of a subgroup: rows and columns, of buffers and Workgroup memory, by scalars and vectors,
// back to back; strides that are no constants are logged.
#version 450
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint wide = 64;
layout(std430, binding = 0) buffer Halves { float16_t halves[]; };
layout(std430, binding = 1) coherent buffer Floats { uvec4 floats[]; };
layout(set = 1, binding = 0) buffer Many { float16_t values[]; } many[2];
layout(buffer_reference, std430) buffer Far { float16_t values[]; };
layout(push_constant) uniform Push { Far far; uint stride; uint other; };
shared float16_t tile[512];

void main()
{
	fcoopmatNV<16, gl_ScopeSubgroup, 16, 8> a;
	fcoopmatNV<32, gl_ScopeSubgroup, 8, 4> b;
	coopMatLoadNV(a, halves, gl_WorkGroupID.x * 1024, wide, false);
	coopMatStoreNV(a, tile, 32, 8, false);
	coopMatStoreNV(a, halves, 0, 32, true);
	coopMatLoadNV(b, floats, gl_WorkGroupID.x, 2, false);
	coopMatStoreNV(b, floats, 4, gl_NumWorkGroups.x, false);
	coopMatLoadNV(a, halves, gl_WorkGroupID.y, stride, true);
	// An equal place with another stride: no repeat of the load.
	coopMatLoadNV(a, halves, 0, stride, false); coopMatLoadNV(a, halves, 0, other, false);
	coopMatStoreNV(a, many[gl_WorkGroupID.y].values, other, stride, false);
	coopMatStoreNV(a, far.values, 2, stride, false);
}
