// SPDX-License-Identifier: Apache-2.0
// Each fragment fetches the texel of another one, in the opposite corner or at its right, or its own.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform texture2D before;
layout(location = 0) out vec4 color;

void main()
{
#ifdef OWN
	color = texelFetch(before, ivec2(gl_FragCoord.xy), 0); // @own
#elif defined NEXT
	color = texelFetch(before, ivec2(gl_FragCoord.xy) + ivec2(1, 0), 0); // @next
#else
	color = texelFetch(before, ivec2(63) - ivec2(gl_FragCoord.xy), 0); // @read
#endif
}
