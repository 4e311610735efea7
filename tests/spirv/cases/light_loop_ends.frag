#version 450
#extension GL_EXT_demote_to_helper_invocation : require
// SPDX-License-Identifier: Apache-2.0
// Loops that a fragment may not come out of as one that logs: each iteration has its record.
layout(set = 0, binding = 0) uniform Lights
{
	vec4 lights[8];
	vec4 colors[8];
};
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 color;
void main()
{
	color = vec4(0);
	for (int i = 0; i < 8; i++) {
		color += lights[i];
		if (color.x > place.x)
			demote;
	}
	for (int i = 0; i < 8; i++) {
		color += colors[i];
		if (color.y > place.y)
			discard;
	}
}
