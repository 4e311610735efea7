// SPDX-License-Identifier: Apache-2.0
// Two vectors of 12 bytes overlap in 8; FIXED: the second stands behind the first.
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, scalar) buffer Even { uvec3 even[]; };
layout(set = 0, binding = 0, scalar) buffer Odd { uint before; uvec3 odd[]; };

void main()
{
#ifdef FIXED
	const uint second = 1;
#else
	const uint second = 0;
#endif
	if (gl_WorkGroupID.x == 0)
		even[0] = uvec3(1); // @even
	else
		odd[second] = uvec3(2); // @odd
}
