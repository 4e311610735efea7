// SPDX-License-Identifier: Apache-2.0
// glslang: --target-env vulkan1.2
// Miss: nothing but its payload.
#version 460
#extension GL_EXT_ray_tracing : require


layout(location = 0) rayPayloadInEXT uint payload;

void main()
{
	payload = 7;
}
