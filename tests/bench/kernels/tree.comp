// SPDX-License-Identifier: Apache-2.0
#version 450
// Rays through a tree of boxes, each with a stack of its own: which leaf is hit first.
struct Node {
	vec3 low;
	uint first; // of its two children, or, with the highest bit, its leaf's number
	vec3 high;
	uint parent;
};
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer Nodes { Node nodes[]; };
layout(std430, binding = 1) buffer Hits { uvec2 hits[]; };
layout(binding = 2) uniform Parameters {
	vec3 eye;
	uint side;
	vec3 corner;
	float step_size;
};

bool enters(Node node, vec3 inverse, float most, out float at)
{
	vec3 a = (node.low - eye) * inverse, b = (node.high - eye) * inverse;
	vec3 low = min(a, b), high = max(a, b);
	at = max(max(low.x, low.y), max(low.z, 0.0));
	return at <= min(min(high.x, high.y), min(high.z, most));
}

void main()
{
	uvec2 id = gl_GlobalInvocationID.xy;
	vec3 way = normalize(corner + vec3(vec2(id) * step_size, 0) - eye);
	vec3 inverse = 1.0 / way;
	uint stack[32], depth = 0, hit = 0xffffffffu;
	float nearest = 1e30, at;
	stack[depth++] = 0;
	while (depth > 0) {
		Node node = nodes[stack[--depth]];
		if (!enters(node, inverse, nearest, at))
			continue;
		if ((node.first & 0x80000000u) != 0) {
			hit = node.first & 0x7fffffffu;
			nearest = at;
		} else {
			stack[depth++] = node.first;
			stack[depth++] = node.first + 1;
		}
	}
	hits[id.y * side + id.x] = uvec2(hit, floatBitsToUint(nearest));
}
