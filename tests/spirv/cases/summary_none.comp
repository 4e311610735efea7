// SPDX-License-Identifier: Apache-2.0
// An offset that is read from memory: there is no summary.
// args: --summary
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main()
{
	data[data[gl_GlobalInvocationID.x]] = 1;
}
