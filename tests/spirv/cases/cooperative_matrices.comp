// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.1
// Matrices of a subgroup: rows and columns, of buffers and Workgroup memory, by scalars and vectors,
// back to back; a stride that is no constant is not observed.
#version 450
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint wide = 64;
layout(std430, binding = 0) buffer Halves { float16_t halves[]; };
layout(std430, binding = 1) coherent buffer Floats { uvec4 floats[]; };
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
}
