// glslang: --target-env vulkan1.2
// Workgroup blocks with an explicit layout are one memory; booleans have a size of our own.
#version 450
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint data[]; };
shared First { uvec4 vectors[16]; };
shared Second { layout(offset = 64) uint words[128]; uint tail; };
void main()
{
	uint i = gl_LocalInvocationIndex;
	words[i] = data[i];
	barrier();
	data[i] = vectors[i].z + tail;
}
