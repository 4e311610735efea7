#version 450
// SPDX-License-Identifier: Apache-2.0
// Only some fragments access something; a draw may ask where all of them were.
// args: --ask
layout(set = 0, binding = 0) buffer Words { uint words[]; };
layout(location = 0) flat in uint kind;
layout(location = 0) out vec4 color;
void main()
{
	for (uint i = 0; i < kind; i++)
		words[i] = kind;
	color = vec4(1);
}
