// glslang: --target-env vulkan1.0
// Loads and stores of scalars, vectors, components, whole structures and arrays.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
struct Body {
	vec3 position;
	float mass;
	vec2 velocity[3];
};
layout(set = 1, binding = 2, std430) buffer Bodies {
	uint count;
	Body bodies[];
};
layout(set = 0, binding = 0, std140) uniform Parameters {
	vec4 scale;
	float weights[5];
} parameters;
layout(set = 0, binding = 3, std430) readonly buffer Input {
	uvec4 words[];
};
void main()
{
	uint i = gl_GlobalInvocationID.x;
	Body b = bodies[i];
	bodies[i + 1].position.y = parameters.scale.x * parameters.weights[i];
	bodies[7].velocity[i] = b.velocity[1];
	bodies[i].position[words[i][i & 3]] = 1.0;
	bodies[i] = b;
}
