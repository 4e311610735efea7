// SPDX-License-Identifier: Apache-2.0
// Each fragment fetches the texel at its pixel, of its own layer or view or of the other one.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
#ifdef VIEW
#extension GL_EXT_multiview : require
#define PLACE gl_ViewIndex
#else
#define PLACE gl_Layer
#endif
layout(set = 0, binding = 0) uniform texture2DArray before;
layout(location = 0) out vec4 color;

void main()
{
#ifdef OWN
	color = texelFetch(before, ivec3(gl_FragCoord.xy, PLACE), 0);
#else
	color = texelFetch(before, ivec3(gl_FragCoord.xy, 1 - PLACE), 0); // @read
#endif
}
