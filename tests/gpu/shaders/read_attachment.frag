// SPDX-License-Identifier: Apache-2.0
// Each fragment reads its own texel of an attachment.
#version 450
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput before;
layout(location = 0) out vec4 color;

void main()
{
	color = subpassLoad(before); // @read
}
