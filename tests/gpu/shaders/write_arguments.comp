// SPDX-License-Identifier: Apache-2.0
// One invocation writes the workgroup counts of an indirect dispatch.
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Data { uvec3 groups; };

void main()
{
	groups = uvec3(1, 1, 1); // @write
}
