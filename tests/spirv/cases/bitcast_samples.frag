// SPDX-License-Identifier: Apache-2.0
// Coordinates that are bitcasts of sums of bitcasts, as compilers from other forms write every value;
// and one that is an integer to begin with.
#version 450
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(location = 0) in vec2 at;
layout(location = 1) flat in uvec2 words;
layout(location = 0) out vec4 color;
void main()
{
	color = texture(plane, uintBitsToFloat(floatBitsToUint(
				       uintBitsToFloat(floatBitsToUint(at)) +
				       uintBitsToFloat(uvec2(0x3e800000u)))));
	color += texture(plane, uintBitsToFloat(floatBitsToUint(at)));
	color += texture(plane, uintBitsToFloat(uvec2(floatBitsToUint(at).x,
						      floatBitsToUint(at + 0.5).y)));
	color += texture(plane, uintBitsToFloat(words));
}
