// SPDX-License-Identifier: Apache-2.0
// Each fragment fetches the texel of another one, in the opposite corner or at its right, or its own, or
// LEFT: its own and then the one at its left, which that one's fragment has fetched, too.
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform texture2D before;
layout(location = 0) out vec4 color;

#ifdef LEFT
vec4 fetch(ivec2 at)
{
	return texelFetch(before, at, 0); // @left
}
#endif

void main()
{
#ifdef OWN
	color = texelFetch(before, ivec2(gl_FragCoord.xy), 0); // @own
#elif defined NEXT
	color = texelFetch(before, ivec2(gl_FragCoord.xy) + ivec2(1, 0), 0); // @next
#elif defined LEFT
	const ivec2 own = ivec2(gl_FragCoord.xy);
	color = fetch(own) + fetch(ivec2(max(own.x - 1, 0), own.y));
#else
	color = texelFetch(before, ivec2(63) - ivec2(gl_FragCoord.xy), 0); // @read
#endif
}
