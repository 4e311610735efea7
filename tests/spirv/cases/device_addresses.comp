// glslang: --target-env vulkan1.2
// Device addresses: the pointer is the location, whatever it was made from.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
	Node next;
	uint value;
	mat2 m;
	vec3 list[2];
};
layout(push_constant) uniform Push { Node head; uvec2 raw; } push;
shared uvec2 kept[4];
void main()
{
	uint i = gl_LocalInvocationIndex;
	Node node = push.head;
	for (uint k = 0; k < 3; k++)
		node = node.next;
	node.value = node[2].value;
	Node other = Node(push.raw);
	Node chosen = i < 4 ? node : other;
	chosen.list[i & 1].y = chosen.m[1][0];
	atomicAdd(chosen.value, 1);
	kept[i & 3] = uvec2(chosen);
}
