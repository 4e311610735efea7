// SPDX-License-Identifier: Apache-2.0
// Fragments of the left four columns leave nothing.
#version 450
#ifdef EARLY
layout(early_fragment_tests) in;
#endif
layout(location = 0) out vec4 color;

void main()
{
	if (gl_FragCoord.x < 4)
		discard;
	color = vec4(1);
}
