// glslang: --target-env vulkan1.1
// Barriers and fences of the legacy memory model; with a fence, atomics carry evidence.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) coherent buffer Shared { uint data[]; };
layout(binding = 1) buffer Counters { uint counter; int low; uint words[4]; };
layout(binding = 2) buffer Mixed { uint plain; volatile uint changing; coherent uint joint; };
shared uint tile[64];
shared bool is_last;
void main()
{
	uint i = gl_LocalInvocationIndex;
	data[i] = plain + changing + joint;
	memoryBarrierBuffer();
	memoryBarrierShared();
	memoryBarrier();
	groupMemoryBarrier();
	if (i == 0)
		is_last = atomicAdd(counter, 1) == 7;
	barrier();
	if (is_last) {
		atomicMin(low, int(data[i]));
		atomicMax(words[i & 3], tile[i]);
		atomicExchange(words[0], 3);
		atomicCompSwap(words[1], 2, 3);
		atomicOr(tile[i], 4);
	}
}
