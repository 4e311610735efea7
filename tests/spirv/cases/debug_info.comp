// glslang: --target-env vulkan1.1 -gVS
// DebugLine of NonSemantic.Shader.DebugInfo.100 names the source line of each site.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { uint data[]; };
uint twice(uint x)
{
	return data[x] * 2;
}
void main()
{
	uint x = data[0];
	data[1] = x;
	data[twice(x)] = twice(3);
}
