// SPDX-License-Identifier: Apache-2.0
// needs: GL_EXT_bfloat16
// glslang: --target-env vulkan1.3
// Floats of 16 and 8 bits that are not IEEE's, and vectors of more than four components.
#version 460
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_long_vector : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
layout(binding = 0, std430) buffer Halves { bfloat16_t halves[]; };
layout(binding = 1, std430) buffer Quarters { floate4m3_t quarters[]; };
layout(binding = 2, scalar) buffer Long { vector<float, 7> rows[]; };
void main()
{
	uint i = gl_LocalInvocationIndex;
	halves[i] = bfloat16_t(float(quarters[i]));
	rows[i] = rows[i + 8];
	rows[i][5] = 1;
}
