// SPDX-License-Identifier: Apache-2.0
// Each fragment writes the word of its pixel and view, or reads that of a view.
#version 450
#extension GL_EXT_multiview : require
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(location = 0) out vec4 color;

void main()
{
	uint pixel = uint(gl_FragCoord.y) * 8 + uint(gl_FragCoord.x);
	color = vec4(0);
#ifdef STORE
	data[gl_ViewIndex * 64 + pixel] = pixel; // @write
#else
	color = vec4(data[uint(VIEW) * 64 + pixel]); // @read
#endif
}
