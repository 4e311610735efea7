// glslang: --target-env vulkan1.1
// A shader without shared memory stays as it is.
#version 450
layout(local_size_x = 1) in;
void main()
{
	float x = float(gl_WorkGroupID.x);
	x += 1;
}
