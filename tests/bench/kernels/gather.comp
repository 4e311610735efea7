// SPDX-License-Identifier: Apache-2.0
#version 450
// Sparse matrix (8 entries a row) times vector: indirect, scattered reads.
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Input { float x[]; };
layout(set = 0, binding = 1) buffer Output { float y[]; };
layout(set = 0, binding = 2) buffer Columns { uint column[]; };
layout(push_constant) uniform Parameters { uint n; };

void main()
{
	uint row = gl_GlobalInvocationID.x;
	if (row >= n)
		return;
	float sum = 0.0;
	for (uint k = row * 8u; k < row * 8u + 8u; k++)
		sum += x[column[k]];
	y[row] = sum;
}
