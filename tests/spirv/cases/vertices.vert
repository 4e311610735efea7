#version 450
// glslang: -g0
// A vertex shader with a loop that logs: an invocation may take several chunks, the first names it.
layout(set = 0, binding = 0) readonly buffer Bones { mat4 bones[]; };
layout(set = 0, binding = 1) uniform Camera { mat4 view; uint count; };
layout(location = 0) in vec4 position;

void main()
{
	mat4 sum = mat4(0);
	for (uint i = 0; i < count; i++)
		sum += bones[i + gl_InstanceIndex];
	gl_Position = view * sum * position;
}
