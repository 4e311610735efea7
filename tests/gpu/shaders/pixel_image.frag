// SPDX-License-Identifier: Apache-2.0
// Each fragment reads or writes a texel of a storage image: its own, or that of its neighbour.
#version 450
layout(set = 0, binding = 0, rgba8) uniform image2D picture;
layout(location = 0) out vec4 color;

#ifndef AT
#define AT 0
#endif

void main()
{
	const ivec2 place = ivec2(gl_FragCoord.xy) + ivec2(AT, 0);
#ifdef STORE
	imageStore(picture, place, vec4(1)); // @write
	color = vec4(0.5);
#else
	color = imageLoad(picture, place); // @read
#endif
}
