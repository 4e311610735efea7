// glslang: --target-env vulkan1.0
// NumWorkgroups is the whole dispatch's, however it is read; push constants keep their place.
#version 450
layout(local_size_x = 1) in;
layout(push_constant) uniform Push { layout(offset = 16) vec4 color; mat3 transform; float list[3]; } push;
layout(binding = 0) buffer Data { uvec3 size; uint axis; vec4 result; };
void main()
{
	size = gl_NumWorkGroups;
	axis = gl_NumWorkGroups[axis % 3] + gl_NumWorkGroups.y + gl_WorkGroupID.x;
	result = push.color * push.list[axis];
}
