#version 450
// glslang: -g
// args: --reduce words
// Loads that one line does again: kept where they are asked for.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Result { uint result[]; };
shared uint tile[64];

void main()
{
	uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
	result[i] = data[i] * data[i] + data[i + 1] + data[i];
	result[i] = data[i];
	data[i] += data[i]; data[i] = data[i];
	tile[l] = data[0]; barrier(); uint sum = tile[l] + tile[l]; barrier(); sum += tile[l];
	result[i] = sum;
}
