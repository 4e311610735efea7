// glslang: --target-env vulkan1.1
// args: --values
// The same atomics as of quiet_atomics.comp, of a shader that runs with others that order by them.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Counters { uint counter; int low; uint words[4]; };
void main()
{
	atomicAdd(words[0], counter);
	atomicCompSwap(words[1], 2, 3);
	atomicMax(low, 4);
}
