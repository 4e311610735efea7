#version 450
// glslang: -g0
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 3) out;
layout(set = 0, binding = 0) buffer Order { uint next; uint order[]; };

void main()
{
	uint at = atomicAdd(next, 1u);
	order[at] = gl_PrimitiveIDIn;
	for (int i = 0; i < 3; i++) {
		gl_Position = gl_in[i].gl_Position;
		order[at + 1] = gl_InvocationID;
		gl_PrimitiveID = gl_PrimitiveIDIn;
		EmitVertex();
	}
	EndPrimitive();
}
