// glslang: --target-env vulkan1.1
// Relaxed atomics and workgroup barriers only: no evidence but for the compare-exchange.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Counters { uint counter; int low; uint words[4]; };
shared uint histogram[256];
void main()
{
	histogram[gl_LocalInvocationIndex] = 0;
	barrier();
	atomicAdd(histogram[counter & 255], 1);
	barrier();
	atomicAdd(words[0], histogram[1]);
	atomicCompSwap(words[1], 2, 3);
}
