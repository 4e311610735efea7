// glslang: --target-env vulkan1.0
// Branches, loops, switches and calls, with accesses in every block.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint tile[64];
uint helper(uint i)
{
	if (i == 3)
		return data[i];
	tile[i] = data[i + 1];
	return tile[i ^ 1];
}
void quiet(inout uint x) { x += 2; }
void main()
{
	uint i = gl_LocalInvocationIndex;
	uint sum = 0;
	for (uint k = data[0]; k < data[1]; k += data[2]) {
		if (data[k] == 7)
			continue;
		switch (data[k + 1]) {
		case 0: sum += data[3];
		case 1: sum -= data[4]; break;
		case 2: data[5] = sum; break;
		default: sum ^= helper(k);
		}
		if (data[k] == 9)
			break;
	}
	do {
		sum += data[i];
	} while (data[sum] > 4);
	quiet(sum);
	tile[i] = sum;
	barrier();
	data[i] = i < 32 ? tile[i + 32] : helper(i) + helper(i + 1);
	if (i > data[99])
		return;
	data[i + 1] = 1;
}
