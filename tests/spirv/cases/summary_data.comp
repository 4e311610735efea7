// SPDX-License-Identifier: Apache-2.0
// What is read from memory decides on offsets, turns and branches: it is logged, and no more.
// args: --summary
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[256]; float real[16]; uvec4 four; uint64_t wide; };
shared uint tile[16];

void main()
{
	uint local = gl_LocalInvocationIndex, at = data[gl_GlobalInvocationID.x];
	for (uint turn = 0; turn < (at & 3); turn++)
		data[at + turn] += local;
	if (real[local] > 0.5)
		tile[local] = 1;
	barrier();
	uint slot = atomicAdd(data[0], 1);
	data[slot] = tile[15 - local];
	data[four.y + four.z] = uint(data[uint(wide)]);
}
