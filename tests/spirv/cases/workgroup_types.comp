// glslang: --target-env vulkan1.1
// Workgroup variables without a layout follow a packed one.
#version 450
layout(local_size_x = 8) in;
layout(binding = 0) buffer Data { uint data[]; };
struct Mixed {
	bool flag;
	vec3 vector;
	mat2x3 matrix;
	bvec2 flags;
};
shared Mixed mixed[8];
shared bool done;
void main()
{
	uint i = gl_LocalInvocationIndex;
	mixed[i].flag = done;
	mixed[i].vector.z = float(data[i]);
	mixed[i].matrix[1] = mixed[i ^ 1].vector;
	mixed[i].matrix[i & 1][2] = 4.0;
	mixed[i].flags.y = true;
	barrier();
	mixed[i] = mixed[data[i]];
	if (mixed[3].flags[i & 1])
		data[i] = 3;
}
