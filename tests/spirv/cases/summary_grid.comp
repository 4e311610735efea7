// SPDX-License-Identifier: Apache-2.0
// Conditions and offsets that follow from the grid and from push constants; min, ?: and vectors; a
// loop and a branch that touch nothing shared are passed over.
// args: --summary
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Grid { float cell[]; };
layout(push_constant) uniform Parameters { ivec2 size; uint unused; uint pitch[2]; };

void main()
{
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	if (at.x > 0 && at.x < size.x - 1 || at.y == size.y) {
		float sum = 0;
		for (uint k = 0; k < 4u; k++)
			sum += float(k) * sum;
		if (sum > 2)
			sum = 1;
		uint row = min(gl_NumWorkGroups.y, uint(at.y));
		cell[row * pitch[1] + (gl_LocalInvocationIndex > 3 ? at.x : ~at.x)] = sum;
	}
}
