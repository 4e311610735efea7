#version 450
// glslang: -g0
// Tessellation control: the patch is the workgroup.
layout(vertices = 4) out;
layout(set = 0, binding = 0) buffer Levels { float levels[]; };

void main()
{
	levels[gl_PrimitiveID * 4 + gl_InvocationID] = 1.0;
	barrier();
	gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
	gl_TessLevelOuter[gl_InvocationID] = levels[gl_PrimitiveID * 4 + (gl_InvocationID + 1) % 4];
	if (gl_InvocationID == 0)
		gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
}
