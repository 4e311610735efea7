// SPDX-License-Identifier: Apache-2.0
// An access through a device address: there is no summary.
// args: --summary
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 16) in;
layout(buffer_reference, std430) buffer Data { uint data[]; };
layout(push_constant) uniform Push { Data far; };

void main()
{
	far.data[gl_GlobalInvocationID.x] = 1;
}
