// SPDX-License-Identifier: Apache-2.0
// Each fragment samples its own texel, of a level that the driver finds.
#version 450
layout(set = 0, binding = 0) uniform sampler2D texels;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(texels, gl_FragCoord.xy / 64.0); // @sample
}
