// SPDX-License-Identifier: Apache-2.0
// Pairs of invocations write one byte; FIXED: each writes its own, four to a word.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint8_t data[]; };

void main()
{
#ifdef FIXED
	uint i = gl_GlobalInvocationID.x;
#else
	uint i = gl_GlobalInvocationID.x / 2;
#endif
	data[i] = uint8_t(1); // @write
}
