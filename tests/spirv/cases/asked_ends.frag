#version 450
// SPDX-License-Identifier: Apache-2.0
// Fragments that leave nothing, some of their samples, or all: a word that is written at the end.
// args: --ask-samples
layout(location = 0) flat in uint kind;
layout(location = 0) out vec4 color;
void main()
{
	if (kind == 1)
		discard;
	if (kind == 3)
		return;
	gl_SampleMask[0] = kind == 2 ? 1 : -1;
	color = vec4(1);
}
