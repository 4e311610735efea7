// SPDX-License-Identifier: Apache-2.0
#version 450
// A sparse matrix, rows of different lengths, times a vector: a product of each step goes into the
// next one.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Matrix { uint data[]; };
layout(std430, binding = 1) buffer Vectors { float vectors[]; };
layout(binding = 2) uniform Parameters {
	uint rows, columns_at, values_at;
	float damping;
};
layout(push_constant) uniform Constants { uint odd; };

float element(uint at)
{
	return vectors[(odd == 0 ? 0 : rows) + data[columns_at + at]];
}

float product(uint row)
{
	float sum = 0;
	for (uint at = data[row]; at < data[row + 1]; at++)
		sum += uintBitsToFloat(data[values_at + at]) * element(at);
	return sum;
}

void main()
{
	uint row = gl_GlobalInvocationID.x;
	if (row >= rows)
		return;
	vectors[(odd == 0 ? rows : 0) + row] = damping * product(row);
}
