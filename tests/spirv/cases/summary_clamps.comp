// glslang: --target-env vulkan1.1
// args: --summary
// Places that are kept within bounds, and distances, all of which follow from where an invocation
// stands.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly buffer From { float from[]; };
layout(binding = 1) buffer To { float to[]; };
layout(push_constant) uniform Size { ivec2 size; uint most; };
void main()
{
	ivec2 at = ivec2(gl_GlobalInvocationID.xy);
	ivec2 beside = clamp(at + ivec2(-2, 1), ivec2(0), size - 1);
	uint bound = clamp(gl_LocalInvocationIndex, 3u, most);
	if (abs(at.x - at.y) < 4)
		to[at.y * size.x + at.x] = from[beside.y * size.x + beside.x] + from[bound];
}
