// SPDX-License-Identifier: Apache-2.0
// Colours with holes: derivatives, a discard, and reads that depend on the place.
#version 450
layout(set = 0, binding = 0) readonly buffer Turns { float turns[]; };
layout(set = 0, binding = 1) buffer Seen { uint seen[]; };
layout(push_constant) uniform Push { layout(offset = 16) vec4 wash; };
layout(location = 0) in vec3 tint;
layout(location = 0) out vec4 color;

void main()
{
	uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);
	float edge = fwidth(tint.x);
	atomicOr(seen[y], 1u << (x & 31));
	if ((x * 7 + y * 3) % 11 == 0)
		discard;
	float sum = 0;
	for (uint i = 0; i < (x & 3); i++)
		sum += turns[i];
	color = vec4(fract(tint + wash.xyz + sum + edge), wash.w);
}
