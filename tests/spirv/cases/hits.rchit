// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.2
// Closest hit: payload, attributes and the shader record are the call chain's and the command's.
#version 460
#extension GL_EXT_ray_tracing : require

#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430) buffer Words { uint words[]; };
layout(shaderRecordEXT, std430) buffer Record { Words list; uint at; };
layout(location = 0) rayPayloadInEXT uvec4 color;
hitAttributeEXT vec2 attributes;

void main()
{
	color.x += uint(attributes.x * 16.0);
	list.words[at + gl_PrimitiveID] = color.x;
}
