// SPDX-License-Identifier: Apache-2.0
// One workgroup writes a texel, another reads one: HERE, in an image of one form or another.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, r32ui) uniform FORM image;
layout(set = 0, binding = 1) buffer Result { uint result[]; };

void main()
{
	if (gl_WorkGroupID.x == 0)
		imageStore(image, WRITTEN, uvec4(1)); // @write
	else
		result[0] = imageLoad(image, READ).x; // @read
}
