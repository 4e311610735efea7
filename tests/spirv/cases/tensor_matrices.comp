// SPDX-License-Identifier: Apache-2.0
// needs: GL_NV_cooperative_matrix2
// glslang: --target-env vulkan1.3
// Cooperative matrices in tensor layouts, and functions that are called for each element.
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 32) in;
layout(binding = 0, std430) buffer Data { float data[]; };
layout(binding = 1, std430) buffer More { float more[]; };
float twice(const in uint32_t row, const in uint32_t column, const in float element)
{
	return element * more[row];
}
void main()
{
	tensorLayoutNV<2> layout2 = createTensorLayoutNV(2);
	layout2 = setTensorLayoutDimensionNV(layout2, 64, 64);
	coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> matrix;
	coopMatLoadTensorNV(matrix, data, 0, sliceTensorLayoutNV(layout2, 0, 16, 0, 16));
	coopMatPerElementNV(matrix, matrix, twice);
	coopMatStoreTensorNV(matrix, data, 0, sliceTensorLayoutNV(layout2, 16, 16, 0, 16));
}
