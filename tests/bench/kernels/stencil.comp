// SPDX-License-Identifier: Apache-2.0
#version 450
// Five-point stencil on a square grid.
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer Input { float x[]; };
layout(set = 0, binding = 1) buffer Output { float y[]; };
layout(push_constant) uniform Parameters { uint n; };

void main()
{
	uvec2 at = gl_GlobalInvocationID.xy;
	if (at.x > 0u && at.y > 0u && at.x < n - 1u && at.y < n - 1u) {
		uint i = at.y * n + at.x;
		y[i] = 0.2 * (x[i] + x[i - 1u] + x[i + 1u] + x[i - n] + x[i + n]);
	}
}
