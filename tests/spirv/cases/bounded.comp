// glslang: --target-env vulkan1.1
// No loop: the chunk holds the longest path exactly.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint n; uint m; } push;
void main()
{
	uint i = gl_GlobalInvocationID.x;
	if (i < push.n) {
		data[i] = data[i + 1] + data[i + 2];
		if (i < push.m)
			data[i + 3] = data[i + 4];
	} else {
		data[i] = 0;
	}
	data[i + 5] = 1;
}
