// SPDX-License-Identifier: Apache-2.0
// Elements of a descriptor array: by a constant, by push constants, by the workgroup, by memory.
// args: --summary
// glslang: --target-env vulkan1.2
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { uint data[16]; } buffers[4];
layout(push_constant) uniform Push { uint which; };

void main()
{
	uint local = gl_LocalInvocationIndex;
	buffers[2].data[local] = 1;
	buffers[which].data[local] = 2;
	buffers[gl_WorkGroupID.x].data[local] = 3;
	buffers[nonuniformEXT(buffers[0].data[local])].data[0] = 4;
}
