// glslang: --target-env vulkan1.1
// args: --specialize 0=16 --specialize 1=5 --specialize 3=1
// Specialization constants in the workgroup's size and in array sizes.
#version 450
layout(local_size_x_id = 0, local_size_y = 2) in;
layout(constant_id = 1) const int rows = 3;
layout(constant_id = 2) const uint width = 4;
layout(constant_id = 3) const bool wide = false;
const uint total = rows * width + 1;
shared float tile[rows][width];
shared uint after[total];
shared uint last[wide ? 20 : 10];
layout(binding = 0) buffer Data { float data[]; };
void main()
{
	uint i = gl_LocalInvocationIndex;
	tile[i % rows][i % width] = data[i + rows];
	after[i] = i;
	last[i] = gl_WorkGroupSize.x;
	barrier();
	data[i] = tile[1][0] + float(after[rows] + last[0]);
}
