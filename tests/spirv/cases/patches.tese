#version 450
// glslang: -g0
layout(quads) in;
layout(set = 0, binding = 0) buffer Heights { float heights[]; };

void main()
{
	heights[gl_PrimitiveID] = gl_TessCoord.x;
	gl_Position = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
}
