// SPDX-License-Identifier: Apache-2.0
#version 450
// C = A B, square, in tiles of 16 by 16 in shared memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer InputA { float a[]; };
layout(set = 0, binding = 1) buffer InputB { float b[]; };
layout(set = 0, binding = 2) buffer Output { float c[]; };
layout(push_constant) uniform Parameters { uint n; };
shared float tile_a[16][16];
shared float tile_b[16][16];

void main()
{
	uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
	uint tx = gl_LocalInvocationID.x, ty = gl_LocalInvocationID.y;
	float sum = 0.0;
	for (uint tile = 0u; tile < n; tile += 16u) {
		tile_a[ty][tx] = a[row * n + tile + tx];
		tile_b[ty][tx] = b[(tile + ty) * n + column];
		barrier();
		for (uint k = 0u; k < 16u; k++)
			sum += tile_a[ty][k] * tile_b[k][tx];
		barrier();
	}
	c[row * n + column] = sum;
}
