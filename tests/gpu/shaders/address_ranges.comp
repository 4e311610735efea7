// SPDX-License-Identifier: Apache-2.0
// Each workgroup writes behind an address of its own.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Push { Words ranges[2]; };

void main()
{
	ranges[gl_WorkGroupID.x].words[gl_LocalInvocationID.x] = gl_WorkGroupID.x; // @write
}
